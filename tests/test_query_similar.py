"""Neighbours of words, senses and sums of words: against slow twins and, for the sums, against gensim's rules."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from test_model import make_model
from w2gm.config import Config
from w2gm.errors import ConfigError, UnknownWordError
from w2gm.model import Mixtures, Model
from w2gm.query.similar import most_similar, neighbors_by_sense, neighbors_by_sense_batch
from w2gm.vocabulary import Vocabulary


def cosine(a, b):
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))


def naive_neighbors(model, vectors, own, topn, limit=None, merge=True):
    """Every sense of every word but those of `own`, compared with every vector; a word once if merged."""
    answers = []
    for number, word in enumerate(model.index_to_key[:limit]):
        if word in own:
            continue
        scores = [max(cosine(mean, vector) for vector in vectors) for mean in model.means[number]]
        senses = [int(np.argmax(scores))] if merge else range(model.senses)
        answers += [(word, sense, scores[sense]) for sense in senses]
    return sorted(answers, key=lambda answer: -answer[2])[:topn]


def assert_same(actual, expected):
    assert [answer[:2] for answer in actual] == [answer[:2] for answer in expected]
    np.testing.assert_allclose([a[2] for a in actual], [e[2] for e in expected], atol=1e-6)


@settings(max_examples=60, deadline=None)
@given(
    senses=st.integers(1, 3),
    seed=st.integers(0, 1000),
    word=st.integers(0, 39),
    topn=st.integers(0, 50),
    limit=st.one_of(st.none(), st.integers(1, 60)),
    merge=st.booleans(),
)
def test_neighbors_of_senses_and_words_are_those_of_the_slow_twin(senses, seed, word, topn, limit, merge):
    model = make_model(40, senses=senses, vector_size=4, seed=seed)
    key = model.index_to_key[word]
    options = {"topn": topn, "restrict_vocab": limit, "merge_senses": merge}
    assert_same(
        model.most_similar(key, **options),
        naive_neighbors(model, model.means[word], {key}, topn, limit, merge),
    )
    for sense in range(senses):
        expected = naive_neighbors(model, [model.means[word, sense]], {key}, topn, limit, merge)
        assert_same(model.most_similar(key, sense=sense, **options), expected)
        assert model.most_similar(f"{key}:{sense}", **options) == model.most_similar(key, sense=sense, **options)


def gensim_most_similar(words, vectors, positive, negative, topn):
    """What gensim's KeyedVectors.most_similar computes, for one vector a word."""
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    total, used = np.zeros(vectors.shape[1]), []
    for terms, sign in ((positive, 1.0), (negative, -1.0)):
        for term in [terms] if isinstance(terms, str) else terms:
            # "If tuple, second element specifies the weight (default -1.0)", says gensim of `negative`.
            key, weight = term if isinstance(term, tuple) else (term, sign)
            if isinstance(key, np.ndarray):
                total += weight * key
            else:
                total += weight * unit[words.index(key)]
                used.append(key)
    scores = unit @ (total / np.linalg.norm(total))
    order = [i for i in np.argsort(-scores, kind="stable") if words[i] not in used]
    return [(words[i], 0, scores[i]) for i in order[:topn]]


@pytest.mark.parametrize(
    ("positive", "negative"),
    [
        (["w1", "w2"], ["w3"]),
        (["w1"], ["w3", "w4"]),
        ([], ["w5"]),
        ([("w1", 0.3), "w2"], [("w3", -2.0)]),
        ([("w1", 0.3), "w2"], [("w3", 2.0), "w4"]),
        (["w1", "w1"], []),
        ([("w1", np.float32(0.5)), ("w2", np.int64(2))], [(np.array([1.0, -2.0, 0.5, 0.0]), 0.7)]),
        (("w1", "w2"), "w3"),
        ([np.array([1.0, -2.0, 0.5, 0.0]), "w7"], ["w1"]),
    ],
)
def test_with_one_sense_sums_of_words_follow_gensim(positive, negative):
    model = make_model(50, senses=1, vector_size=4)
    expected = gensim_most_similar(model.index_to_key, model.means[:, 0].astype(float), positive, negative, 8)
    assert_same(model.most_similar(positive=positive, negative=negative, topn=8), expected)


def test_in_a_sum_a_word_is_the_mean_of_its_mixture_and_a_sense_is_itself():
    model = make_model(30, senses=2, vector_size=4)
    one, two = (model.weights[i].astype(float) @ model.means[i].astype(float) for i in (1, 2))
    total = one / np.linalg.norm(one) - two / np.linalg.norm(two)
    expected = naive_neighbors(model, [total], {"w1", "w2"}, 5)
    assert_same(model.most_similar(positive=["w1"], negative=["w2"], topn=5), expected)
    one = model.means[1, 1].astype(float)
    total = one / np.linalg.norm(one) - two / np.linalg.norm(two)
    expected = naive_neighbors(model, [total], {"w1", "w2"}, 5)
    assert_same(model.most_similar(positive="w1:1", negative="w2", topn=5), expected)


def test_one_positive_word_is_the_same_as_the_word():
    model = make_model(30)
    assert model.most_similar(positive=["w3"]) == model.most_similar(positive="w3") == model.most_similar("w3")
    assert model.most_similar(positive="w3:1") == model.most_similar("w3", sense=1)
    weighted = model.most_similar(positive=("w3:1", 2.0))
    assert [n[:2] for n in weighted] == [n[:2] for n in model.most_similar("w3", sense=1)]
    vector = model.means[3, 1]
    assert model.most_similar(positive=vector)[0] == ("w3", 1, pytest.approx(1.0))


def test_senses_asked_about_stay_out_and_the_others_come_in_on_request():
    means = np.array([[[1, 0], [0.9, 0.1]], [[0.5, 0.5], [0, 1]]], dtype=np.float32)
    flat = np.full((2, 2), 0.5, dtype=np.float32)
    model = Model(
        Vocabulary(["bank", "river"], [2, 1]),
        Mixtures(means, flat, flat),
        config=Config(senses=2, vector_size=2),
        provenance={},
    )
    assert [n[:2] for n in model.most_similar("bank", sense=0)] == [("river", 0)]
    assert [n[:2] for n in model.most_similar("bank", sense=0, include_own=True)] == [("bank", 1), ("river", 0)]
    assert [n[:2] for n in model.most_similar("bank", include_own=True)] == [("river", 0)]
    assert [n[:2] for n in model.most_similar("bank", sense=0, merge_senses=False)] == [("river", 0), ("river", 1)]


def test_a_sum_that_cancels_gives_zero_scores_and_not_nan():
    answers = make_model(5).most_similar(positive="w1", negative="w1", topn=3)
    assert answers == [("w0", 0, 0.0), ("w2", 0, 0.0), ("w3", 0, 0.0)]


def test_a_word_at_the_origin_gives_zero_scores_and_not_nan():
    model = make_model(4)
    means = model.means.copy()
    means[1] = 0
    model = Model(
        model.vocabulary,
        Mixtures(means, model.log_variances, model.weights),
        config=model.config,
        provenance={},
    )
    assert [score for _, _, score in model.most_similar("w1")] == [0, 0, 0]
    assert [score for _, _, score in model.most_similar(positive=["w1", "w1"])] == [0, 0, 0]
    assert all(np.isfinite(score) for _, _, score in model.most_similar("w0"))


def test_answers_are_plain_values():
    word, sense, score = make_model(4).most_similar("w1", topn=np.int64(1))[0]
    assert (type(word), type(sense), type(score)) == (str, int, float)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((), {}, r"nothing to compare with: give a word, positive or negative"),
        ((), {"positive": []}, r"nothing to compare with"),
        (("w1",), {"positive": "w2"}, r"give either a word, or positive and negative, not both"),
        (
            (["w1", "w2"],),
            {},
            r"word must be a string, got list: put the words of a sum in positive, ask about each of several",
        ),
        ((), {"positive": ["w1", "w2"], "sense": 1}, r"sense=1 needs one word; in positive and negative write"),
        (("w1:0",), {"sense": 1}, r"'w1:0' names a sense already: leave out sense=1"),
        (("w1",), {"topn": -1}, r"topn must be at least 0, got -1"),
        (("w1",), {"topn": None}, r"topn must be a whole number, got None"),
        (("w1",), {"topn": 2.5}, r"topn must be a whole number, got 2.5"),
        (("w1",), {"sense": "1"}, r"sense must be a whole number, got '1'"),
        (("w1",), {"restrict_vocab": 1.5}, r"restrict_vocab must be a whole number, got 1.5"),
        ((), {"positive": [("w1", np.inf)]}, r"a factor must be a finite number, got inf"),
        (("w1",), {"min_count": 0}, r"min_count must be at least 1, got 0"),
        (("w1",), {"index": True, "by": "kl"}, r"the index knows cosines only, got by='kl': ask without the index"),
        (
            ("w1",),
            {"index": True, "restrict_vocab": 2},
            r"the index holds all words: ask without it for the frequent",
        ),
        (("w1",), {"restrict_vocab": 0}, r"restrict_vocab must be at least 1, got 0"),
        ((), {"positive": np.zeros(3)}, r"a vector must have shape \(5,\), got \(3,\)"),
        ((), {"positive": np.full(5, np.nan)}, r"a vector must be finite, got one with nan or inf"),
    ],
)
def test_questions_that_cannot_be_are_told(arguments, options, message):
    with pytest.raises(ConfigError, match=message):
        make_model(4).most_similar(*arguments, **options)


def test_unknown_words_and_senses_are_told():
    model = make_model(4)
    for options in ({"word": "zebra"}, {"positive": ["w1", "zebra"]}, {"positive": "w1", "negative": "zebra:1"}):
        with pytest.raises(UnknownWordError, match=r"unknown word 'zebra'"):
            model.most_similar(**options)
    for sense in (2, -1):
        with pytest.raises(UnknownWordError, match=rf"'w1' has no sense {sense}; this model has senses 0 to 1"):
            model.most_similar("w1", sense=sense)


@pytest.mark.parametrize("covariance", ["spherical", "diagonal"])
@pytest.mark.parametrize("options", [{}, {"restrict_vocab": 9, "merge_senses": False, "include_own": True}])
def test_the_neighbors_of_every_sense_are_ready_for_json(covariance, options):
    model = make_model(20, senses=3, covariance=covariance)
    entries = neighbors_by_sense(model, "w4", topn=4, **options)
    assert json.loads(json.dumps(entries)) == entries
    assert [entry["sense"] for entry in entries] == [0, 1, 2]
    for sense, entry in enumerate(entries):
        assert entry["weight"] == model.weights[4, sense]
        values = np.exp(model.log_variances[4, sense].astype(float))
        geometric_mean = np.prod(values) ** (1 / values.size)
        assert entry["variance"] == pytest.approx(geometric_mean, rel=1e-6)
        expected = most_similar(model, "w4", sense=sense, topn=4, **options)
        assert entry["neighbors"] == [list(neighbor) for neighbor in expected]
    assert neighbors_by_sense(model, "w4:2", topn=4, **options) == entries[2:]


def test_the_neighbors_of_several_words_are_those_of_each():
    # A word that is spelt like the sense of another is itself.
    model = make_model(["10", "10:1", "a", "b", "c", "d"], senses=2)
    words = ["10", "10:1", "a:1", "a"]
    assert neighbors_by_sense_batch(model, words, topn=3) == [neighbors_by_sense(model, w, topn=3) for w in words]
    expected = most_similar(model, "10", sense=1, topn=3)
    assert neighbors_by_sense(model, "10", topn=3)[1]["neighbors"] == [list(answer) for answer in expected]
    assert neighbors_by_sense_batch(model, []) == []


def test_a_batch_answers_each_word_sense_and_vector():
    model = make_model(30)
    vector = np.ones(5)
    answers = model.most_similar_batch(["w1", "w2:1", vector, "w1"], topn=4)
    assert answers[0] == answers[3] == model.most_similar("w1", topn=4)
    assert answers[1] == model.most_similar("w2", sense=1, topn=4)
    assert answers[2] == model.most_similar(positive=vector, topn=4)
    assert model.most_similar_batch([]) == []
    assert model.most_similar_batch(["w1", "w2"], topn=0) == [[], []]


def test_a_string_in_place_of_a_list_is_told():
    with pytest.raises(ConfigError, match=r"words must be a list of words, got the string 'w1': write \['w1'\]"):
        make_model(4).most_similar_batch("w1")


def test_only_words_that_occur_often_enough_answer():
    model = make_model(6)  # counts 6, 5, 4, 3, 2, 1
    everybody = {word for word, _, _ in model.most_similar("w5", topn=9)}
    assert everybody == {"w0", "w1", "w2", "w3", "w4"}
    assert {word for word, _, _ in model.most_similar("w5", topn=9, min_count=4)} == {"w0", "w1", "w2"}
    assert model.most_similar("w5", min_count=4, restrict_vocab=1) == model.most_similar("w5", restrict_vocab=1)
    for by in ("cosine", "kernel"):
        assert model.most_similar("w5", by=by, min_count=7) == []


@pytest.mark.parametrize("by", ["cosine", "distance"])
def test_words_asked_about_that_cannot_answer_hide_nobody_else(by):
    model = make_model(50)
    words = ["w8", "w9", "w1", "w15", "w2:0"]
    together = model.most_similar_batch(words, by=by, restrict_vocab=7)
    assert together == [model.most_similar(word, by=by, restrict_vocab=7) for word in words]
    assert [len(answers) for answers in together] == [7, 7, 6, 7, 6]
