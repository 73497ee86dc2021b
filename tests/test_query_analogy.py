"""Analogies: against the slow twin, one by one and in batches, and gensim's rules where a word has one sense."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_analogy
from test_model import make_model
from w2gm.config import Config
from w2gm.errors import ConfigError, UnknownWordError
from w2gm.model import Mixtures, Model
from w2gm.query import analogy as room
from w2gm.query.analogy import ANSWERS, METHODS, analogy, mixture_means, solve
from w2gm.vocabulary import Vocabulary

both_methods = pytest.mark.parametrize("method", METHODS)
both_answers = pytest.mark.parametrize("answers", ANSWERS)


def twin_answers(model, keys, method="add", answers="senses", limit=None):
    """(word, sense, score) of the slow twin."""
    means, weights = (np.asarray(part[:limit], np.float64) for part in (model.means, model.weights))
    excluded = [model.locate(key)[0] for key in keys]
    found = naive_analogy.analogies(means, weights, [model[key].mean for key in keys], excluded, method, answers)
    return [(model.index_to_key[word], sense, score) for word, sense, score in found]


def assert_same(actual, expected):
    assert [answer[:2] for answer in actual] == [answer[:2] for answer in expected]
    np.testing.assert_allclose([one[2] for one in actual], [one[2] for one in expected], rtol=1e-10, atol=1e-12)


def model_of(means, weights=None):
    words, senses, size = np.shape(means)
    flat = np.full((words, senses), 1 / senses, np.float32)
    return Model(
        Vocabulary([f"w{number}" for number in range(words)], np.arange(words, 0, -1)),
        Mixtures(np.array(means, np.float32), np.zeros_like(flat), flat if weights is None else weights),
        config=Config(senses=senses, vector_size=size),
        provenance={},
    )


@settings(max_examples=60, deadline=None)
@given(
    senses=st.integers(1, 3),
    size=st.integers(1, 6),
    seed=st.integers(0, 1000),
    question=st.tuples(*[st.integers(0, 29)] * 3),
    asked_senses=st.tuples(*[st.booleans()] * 3),
    method=st.sampled_from(METHODS),
    answers=st.sampled_from(ANSWERS),
    topn=st.integers(0, 40),
    limit=st.one_of(st.none(), st.integers(1, 40)),
)
def test_answers_are_those_of_the_slow_twin(senses, size, seed, question, asked_senses, method, answers, topn, limit):
    model = make_model(30, senses=senses, vector_size=size, seed=seed)
    keys = [
        f"w{number}:{senses - 1}" if sense else f"w{number}"
        for number, sense in zip(question, asked_senses, strict=True)
    ]
    actual = model.analogy(*keys, topn=topn, method=method, answers=answers, restrict_vocab=limit)
    expected = twin_answers(model, keys, method, answers, limit)
    if size == 1:  # cosines are 1 and -1: sums of them that are equal may differ in their last digit
        assert len(actual) == min(topn, len(expected))
        by_word = {answer[0]: answer[2] for answer in expected}
        np.testing.assert_allclose([one[2] for one in actual], [by_word[one[0]] for one in actual], rtol=1e-10)
        return
    assert_same(actual, expected[:topn])


@both_methods
@both_answers
@pytest.mark.parametrize("limit", [None, 25, 4])
@pytest.mark.parametrize(("rows", "questions"), [(8192, 32_768), (2, 7), (16, 50)])
def test_a_batch_has_the_answers_of_single_questions(monkeypatch, method, answers, limit, rows, questions):
    monkeypatch.setattr(room, "_ROWS_AT_ONCE", rows)
    monkeypatch.setattr(room, "_QUESTIONS_AT_ONCE", questions)
    model = make_model(36, senses=3, vector_size=4)
    asked = np.random.default_rng(1).integers(0, 36, (50, 3)).astype(np.int32)
    asked[:20, :2] = asked[0, :2]  # many questions of one pair
    asked[45:] = asked[:5]  # and some twice
    asked[3] = 5, 5, 7
    found = solve(model, asked, method=method, answers=answers, restrict_vocab=limit)
    assert found.dtype == np.int64
    for question, answer in zip(asked.tolist(), found.tolist(), strict=True):
        keys = [f"w{number}" for number in question]
        (expected,) = analogy(model, *keys, topn=1, method=method, answers=answers, restrict_vocab=limit)
        assert f"w{answer}" == expected[0] == twin_answers(model, keys, method, answers, limit)[0][0]


@both_methods
def test_little_work_at_once_gives_the_same_answers(monkeypatch, method):
    model = make_model(60, senses=2, vector_size=4)
    asked = np.random.default_rng(2).integers(0, 60, (50, 3))
    asked[:30, :2] = asked[0, :2]
    expected = solve(model, asked, method=method)
    monkeypatch.setattr(room, "_BLOCK", 100)
    monkeypatch.setattr(room, "_OF_ONE_PAIR_AT_ONCE", 7)
    np.testing.assert_array_equal(solve(model, asked, method=method), expected)


@both_methods
@both_answers
def test_the_words_of_the_question_never_answer(method, answers):
    model = model_of(np.repeat([[[1.0, 0.1]], [[0.9, 0.2]], [[0.1, 1.0]], [[-1.0, 0.0]]], 2, axis=1))
    assert solve(model, [[0, 1, 0], [0, 0, 0], [1, 2, 3]], method=method, answers=answers).tolist() == [2, 1, 0]
    assert [word for word, _, _ in model.analogy("w0", "w1", "w0:1", method=method, answers=answers)] == ["w2", "w3"]


@both_methods
@both_answers
def test_where_every_word_is_asked_about_there_is_no_answer(method, answers):
    model = make_model(5)
    assert solve(model, [[0, 1, 2], [0, 1, 1]], method=method, answers=answers, restrict_vocab=2).tolist() == [-1, -1]
    assert model.analogy("w0", "w1", "w2", method=method, answers=answers, restrict_vocab=2) == []
    assert solve(model, [[0, 1, 2], [0, 4, 1]], method=method, restrict_vocab=3).tolist() == [-1, 2]


def test_no_questions_have_no_answers():
    model = make_model(4)
    for empty in ([], np.empty((0, 3), int)):
        assert solve(model, empty).shape == (0,)


@both_methods
@both_answers
def test_of_equal_answers_the_more_frequent_word_is_first(method, answers):
    random = np.random.default_rng(3)
    means = random.normal(size=(40, 2, 5)).astype(np.float32)
    means[20:] = means[:20][::-1]  # each word once more, in another order
    model = model_of(means)
    for question in random.integers(0, 40, (20, 3)):
        keys = [f"w{number}" for number in question]
        assert_same(
            model.analogy(*keys, topn=40, method=method, answers=answers), twin_answers(model, keys, method, answers)
        )
    asked = random.integers(0, 40, (60, 3))
    expected = [twin_answers(model, [f"w{n}" for n in question], method, answers)[0][0] for question in asked]
    assert [f"w{n}" for n in solve(model, asked, method=method, answers=answers)] == expected


@both_methods
def test_answers_closer_than_float32_can_tell_are_told_apart(method):
    random = np.random.default_rng(4)
    means = random.normal(size=(400, 1, 50)).astype(np.float32)
    means[3:] = means[3] * (1 + np.arange(397) * np.float32(1e-7))[:, None, None]
    means[3:, 0, :4] += random.normal(size=(397, 4)).astype(np.float32) * np.float32(3e-7)
    model = model_of(means)
    expected = twin_answers(model, ["w0", "w1", "w2"], method)
    assert expected[0][2] - expected[1][2] < 1e-6
    assert model.analogy("w0", "w1", "w2", method=method, topn=1)[0][0] == expected[0][0]
    assert solve(model, [[0, 1, 2]], method=method).tolist() == [int(expected[0][0][1:])]


@both_methods
def test_a_zero_mean_has_cosine_zero(method):
    means = np.random.default_rng(5).normal(size=(12, 2, 3))
    means[[1, 4, 7]] = 0
    model = model_of(means)
    for question in ([0, 1, 2], [1, 2, 4], [3, 5, 6]):
        keys = [f"w{number}" for number in question]
        assert_same(model.analogy(*keys, method=method), twin_answers(model, keys, method)[:10])
        assert solve(model, [question], method=method)[0] == int(twin_answers(model, keys, method)[0][0][1:])


def test_with_one_sense_sums_are_those_of_most_similar():
    model = make_model(50, senses=1, vector_size=6)
    actual = model.analogy("w1", "w2", "w3", topn=8)
    expected = model.most_similar(positive=["w2", "w3"], negative=["w1"], topn=8)
    assert [answer[:2] for answer in actual] == [answer[:2] for answer in expected]
    assert model.analogy("w1", "w2", "w3", topn=8, answers="words") == [
        (word, None, score) for word, _, score in actual
    ]


def test_mixture_means_are_those_of_the_distributions():
    model = make_model(6, senses=3)
    expected = [model[word].mean for word in model.index_to_key]
    np.testing.assert_allclose(mixture_means(model, slice(0, 6)), expected, rtol=1e-14)
    np.testing.assert_array_equal(mixture_means(model, np.array([4, 1])), mixture_means(model, slice(0, 6))[[4, 1]])


# Errors -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "3cosadd"}, r"^method must be add or mul, got '3cosadd'$"),
        ({"answers": "all"}, r"^answers must be senses or words, got 'all'$"),
        ({"restrict_vocab": 0}, r"^restrict_vocab must be at least 1, got 0$"),
        ({"restrict_vocab": 2.5}, r"^restrict_vocab must be a whole number, got 2.5$"),
    ],
)
def test_options_that_cannot_be_are_refused(options, message):
    model = make_model(5)
    for call in (lambda: model.analogy("w0", "w1", "w2", **options), lambda: solve(model, [[0, 1, 2]], **options)):
        with pytest.raises(ConfigError, match=message):
            call()


def test_a_number_of_answers_that_cannot_be_is_refused():
    with pytest.raises(ConfigError, match=r"^topn must be at least 0, got -1$"):
        make_model(5).analogy("w0", "w1", "w2", topn=-1)


@pytest.mark.parametrize(
    ("questions", "message"),
    [
        ([0, 1, 2], r"^questions must be word ids of shape \(N, 3\), got int64 of shape \(3,\)$"),
        ([[0, 1]], r"^questions must be word ids of shape \(N, 3\), got int64 of shape \(1, 2\)$"),
        ([["a", "b", "c"]], r"^questions must be word ids of shape \(N, 3\), got <U1 of shape \(1, 3\)$"),
        ([[0, 1, 5]], r"^questions must hold word ids from 0 to 4, got 5$"),
        ([[0, -1, 2]], r"^questions must hold word ids from 0 to 4, got -1$"),
    ],
)
def test_questions_that_cannot_be_are_refused(questions, message):
    with pytest.raises(ConfigError, match=message):
        solve(make_model(5), questions)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_unknown_words_are_named(tiny_model, place):
    keys = ["bank", "money", "water"]
    keys[place] = "rivver"
    with pytest.raises(UnknownWordError, match=r"^unknown word 'rivver'; closest known words: river$"):
        tiny_model.analogy(*keys)
    keys[place] = "river:2"
    with pytest.raises(UnknownWordError, match=r"^'river' has no sense 2; this model has senses 0 to 1"):
        tiny_model.analogy(*keys)
