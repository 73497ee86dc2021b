"""Disambiguation by text or by words, the words that decided, labels, real senses and what is said of a sense."""

import dataclasses

import numpy as np
import pytest

from test_query_context import random_model
from w2gm.config import Config
from w2gm.errors import ConfigError, UnknownWordError
from w2gm.model import Mixtures, Model
from w2gm.query.context import contributions, posteriors
from w2gm.query.disambiguation import explain
from w2gm.query.labels import labels, same_stem
from w2gm.query.real import field_cosine, real_senses
from w2gm.query.senses import describe_senses, wider_than
from w2gm.vocabulary import Vocabulary


@pytest.fixture
def bank(tiny_model: Model) -> Model:
    """The tiny model with one table for both roles and no subsampling."""
    config = Config(senses=2, vector_size=4, sample=0.0, separate_output=False)
    return Model(tiny_model.vocabulary, tiny_model.mixtures, config=config, provenance={})


def test_the_context_decides(bank: Model) -> None:
    river, money = bank.disambiguate("bank", ["river", "water"]), bank.disambiguate("bank", ["money", "loan"])
    assert river.shape == (2,)
    assert river[0] > 0.9
    assert money[1] > 0.9
    assert river.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    "context",
    [
        "The river, the RIVER: water!",
        ["the", "river", "the", "river", "water"],
        iter(["the", "river"] * 2 + ["water"]),
    ],
)
def test_a_text_is_tokenised_as_the_models_was(bank: Model, context: object) -> None:
    (wanted,) = posteriors(bank, [1], [[0, 2, 0, 2, 5]])
    np.testing.assert_allclose(bank.disambiguate("bank", context), wanted)  # type: ignore[arg-type]


def test_the_word_itself_and_unknown_words_are_no_evidence(bank: Model) -> None:
    with_them = bank.disambiguate("bank", "bank of the river, bank of zyx")
    np.testing.assert_allclose(with_them, bank.disambiguate("bank", ["the", "river"]))


def test_another_tokenizer_finds_other_words() -> None:
    model = random_model(tokenizer="regex:[a-z]+[0-9]")
    (wanted,) = posteriors(model, [0], [[1, 2]])
    np.testing.assert_allclose(model.disambiguate("word0", "word1x;word2 WORD3"), wanted)


def test_the_words_that_decided_come_strongest_first(bank: Model) -> None:
    answer = explain(bank, "bank", "the river and the water by the bank, zyx")
    assert answer["word"] == "bank"
    assert answer["senses"] == bank.disambiguate("bank", "the river the water the").tolist()
    assert answer["labels"] == labels(bank, "bank")
    assert answer["unknown"] == ["and", "by", "zyx"]
    assert [entry["word"] for entry in answer["context"]] == ["river", "water", "the"]
    strengths = [max(map(abs, entry["log_odds"])) for entry in answer["context"]]
    assert strengths == sorted(strengths, reverse=True)
    added = contributions(bank, 1, [0, 2, 0, 5, 0])
    assert answer["context"][2]["log_odds"] == pytest.approx(added[[0, 2, 4]].sum(axis=0).tolist())


@pytest.mark.parametrize(
    ("word", "context", "error", "message"),
    [
        ("bank", "", ConfigError, "empty context: give some of the words around 'bank', such as a sentence it is in"),
        ("bank", " ,. ", ConfigError, "empty context: give some"),
        ("bank", [], ConfigError, "empty context: give some"),
        ("bank", ["river", 7], ConfigError, "a context must be a text or a list of words, got 7 in it"),
        ("bank:1", "river", ConfigError, "'bank:1' names a sense already: give the word alone, 'bank'"),
        ("rivver", "water", UnknownWordError, "unknown word 'rivver'; closest known words: river"),
        ("bank", "zyx xyz", UnknownWordError, "nothing about 'bank': the model knows none of 'zyx', 'xyz'; give"),
        (
            "bank",
            "bank bank",
            UnknownWordError,
            "nothing about 'bank': it has no other word; give words of the model",
        ),
    ],
)
def test_what_cannot_be_decided_is_refused(
    bank: Model, word: str, context: object, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        bank.disambiguate(word, context)  # type: ignore[arg-type]


def test_labels_are_near_the_sense_and_not_near_the_others(tiny_model: Model) -> None:
    water, finance = labels(tiny_model, "bank", topn=2)
    assert set(water) < {"river", "water", "土手"}
    assert set(finance) == {"money", "loan"}
    assert labels(tiny_model, "bank:1", topn=2) == [finance]


def test_a_neighbor_of_both_senses_is_no_label_of_either() -> None:
    places = [[[1, 0, 0], [0, 1, 0]], [[1, 0, 0.6]] * 2, [[1, 0.9, 0]] * 2, [[0, 1, 0.6]] * 2]
    flat = np.ones((4, 2), np.float32)
    model = Model(
        Vocabulary(["bank", "river", "edge", "money"], [4, 3, 2, 1]),
        Mixtures(np.array(places, np.float32), 0 * flat, flat / 2),
        config=Config(vector_size=3),
        provenance={},
    )
    assert labels(model, "bank", topn=1) == [["river"], ["money"]]
    assert [len(sense) for sense in labels(model, "bank")] == [3, 3]


def test_forms_of_a_word_stand_for_each_other_until_nothing_else_is_left() -> None:
    words = ["bank", "banks", "rivers", "river", "water"]
    places = np.array([[[1, 0]], [[1, 0.01]], [[1, 0.1]], [[1, 0.2]], [[1, 0.3]]], np.float32)
    flat = np.ones((5, 1), np.float32)
    model = Model(
        Vocabulary(words, [5, 4, 3, 2, 1]),
        Mixtures(places, 0 * flat, flat),
        config=Config(senses=1, vector_size=2),
        provenance={},
    )
    assert labels(model, "bank") == [["rivers", "water", "banks", "river"]]
    assert labels(model, "bank", topn=2) == [["rivers", "water"]]
    assert labels(model, "bank", topn=0) == [[]]


def test_labels_are_words_that_a_reader_knows(tiny_model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("w2gm.query.labels.KNOWN_TO_ALL", 4)
    assert {word for sense in labels(tiny_model, "bank") for word in sense} == {"the", "river", "money"}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("bank", "banks", True),
        ("banking", "banked", True),
        ("ban", "bans", False),
        ("party", "parliament", False),
        ("", "", False),
    ],
)
def test_words_of_one_stem(one: str, other: str, same: bool) -> None:
    assert same_stem(one, other) == same_stem(other, one) == same


def apart(cosine: float, weight: float = 0.5, counts: list[int] | None = None) -> Model:
    """A hundred words in a circle, so that each has its field; the first has two senses with this cosine."""
    angles = np.linspace(0, 2 * np.pi, 100, endpoint=False)
    means = np.stack([np.cos(angles), np.sin(angles)], axis=1)[:, None].repeat(2, axis=1)
    means[0, 1] = [cosine, np.sqrt(1 - cosine**2)]
    weights = np.full((100, 2), 0.5, np.float32)
    weights[0] = weight, 1 - weight
    return Model(
        Vocabulary([f"w{k}" for k in range(100)], counts or [1] * 100),
        Mixtures(means.astype(np.float32), np.zeros((100, 2), np.float32), weights),
        config=Config(vector_size=2),
        provenance={},
    )


def test_senses_as_near_as_words_of_one_field_are_one() -> None:
    field = field_cosine(apart(1.0))
    assert field == pytest.approx(np.cos(2 * np.pi / 100), abs=1e-3)  # the nearest of ninety-nine others
    assert real_senses(apart(0.85), [0, 1, 2]).tolist() == [True, False, False]
    assert real_senses(apart(0.95)).sum() == 0


@pytest.mark.parametrize(("weight", "real"), [(0.5, True), (0.06, True), (0.04, False), (0.96, False)])
def test_a_negligible_sense_is_not_real(weight: float, real: bool) -> None:
    assert real_senses(apart(0.0, weight), [0]).tolist() == [real]


def test_a_word_that_training_mostly_discards_has_no_real_senses() -> None:
    assert real_senses(apart(0.0, counts=[500, *[500] * 99]), [0]).tolist() == [True]
    assert real_senses(apart(0.0, counts=[500_000, *[500] * 99]), [0]).tolist() == [False]


def test_with_one_sense_or_one_word_nothing_is_real() -> None:
    assert not real_senses(random_model(1)).any()
    alone = Mixtures(*(part[:1] for part in (apart(0).means, apart(0).log_variances, apart(0).weights)))
    model = Model(Vocabulary(["w0"], [1]), alone, config=Config(vector_size=2), provenance={})
    assert real_senses(model).tolist() == [False]


@pytest.mark.parametrize("covariance", ["spherical", "diagonal"])
def test_a_description_holds_what_the_arrays_hold(covariance: str) -> None:
    model = random_model(3, covariance)
    found = describe_senses(model, "word4")
    spread = model.log_variances.reshape(12, 3, -1).astype(np.float64).mean(axis=2)
    others = np.delete(spread, 4, axis=0)
    for k, sense in enumerate(found):
        assert sense["sense"] == k
        assert sense["weight"] == pytest.approx(float(model.weights[4, k]))
        assert sense["log_variance"] == pytest.approx(spread[4, k])
        assert sense["variance"] == pytest.approx(np.exp(spread[4, k]))
        assert sense["wider_than"] == pytest.approx((others < spread[4, k]).mean())
        assert sense["real"] == real_senses(model, [4])[0]
        assert sense["label"] == labels(model, "word4")[k]
    assert describe_senses(model, "word4:1") == found[1:2]


@pytest.mark.parametrize("number", [0, 1, 700, 2998, 2999])
def test_senses_are_compared_with_those_of_a_thousand_words_as_frequent(number: int) -> None:
    words = 3000
    variances = np.random.default_rng(1).normal(size=(words, 2)).astype(np.float32)
    mixtures = Mixtures(np.ones((words, 2, 1), np.float32), variances, np.full((words, 2), 0.5, np.float32))
    vocabulary = Vocabulary([f"w{k}" for k in range(words)], np.arange(words, 0, -1))
    model = Model(vocabulary, mixtures, config=Config(vector_size=1), provenance={})
    order = sorted(set(range(words)) - {number}, key=lambda k: abs(k - number))
    for sense, share in enumerate(wider_than(model, number)):
        near = (variances[order[:1000]] < variances[number, sense]).mean()
        assert share == pytest.approx(near, abs=0.002)


def test_a_lone_word_is_wider_than_nothing() -> None:
    one = np.ones((1, 2), np.float32)
    mixtures = Mixtures(np.ones((1, 2, 2), np.float32), one, one / 2)
    model = Model(Vocabulary(["w"], [1]), mixtures, config=Config(vector_size=2), provenance={})
    assert wider_than(model, 0).tolist() == [0, 0]
    assert describe_senses(model, "w")[0]["label"] == []


def test_labels_of_a_model_without_places_are_still_words() -> None:
    model = random_model()
    zero = dataclasses.replace(model.mixtures, means=np.zeros_like(model.means))
    flat = Model(model.vocabulary, zero, config=model.config, provenance={}, context=model.context)
    assert [len(sense) for sense in labels(flat, "word3")] == [4, 4]
