"""Senses in context against their slow twins, and what must hold whatever the model."""

import dataclasses
import warnings

import numpy as np
import pytest

import naive_context
from naive import Table
from w2gm.config import Config
from w2gm.errors import ConfigError
from w2gm.kernels import general
from w2gm.model import Mixtures, Model
from w2gm.query import energies
from w2gm.query.context import avg_sim_c, contributions, max_sim_c, posteriors
from w2gm.vocabulary import Vocabulary

WORDS, NOISE = 12, 64
LAYOUTS = [(1, "spherical"), (2, "spherical"), (3, "spherical"), (2, "diagonal"), (3, "diagonal")]


def random_mixtures(random: np.random.Generator, senses: int, covariance: str) -> Mixtures:
    shape = (WORDS, senses, 5)
    weights = random.random((WORDS, senses)) + 0.1
    return Mixtures(
        means=random.normal(0, 0.6, shape).astype(np.float32),
        log_variances=random.normal(-2, 0.7, shape if covariance == "diagonal" else shape[:2]).astype(np.float32),
        weights=(weights / weights.sum(axis=1, keepdims=True)).astype(np.float32),
    )


def random_model(senses: int = 2, covariance: str = "spherical", seed: int = 3, **settings: object) -> Model:
    random = np.random.default_rng(seed)
    counts = np.sort(random.integers(1, 5000, WORDS))[::-1]
    config = Config(**{"senses": senses, "vector_size": 5, "covariance": covariance, "sample": 0.01} | settings)
    return Model(
        Vocabulary([f"word{k}" for k in range(WORDS)], counts),
        random_mixtures(random, senses, covariance),
        config=config,
        provenance={},
        context=random_mixtures(random, senses, covariance) if config.separate_output else None,
    )


def table(mixtures: Mixtures) -> Table:
    return Table(mixtures.means, mixtures.log_variances, np.log(mixtures.weights.astype(np.float64)))


def naive_arguments(model: Model) -> tuple:
    outputs = model.mixtures if model.context is None else model.context
    return (
        table(model.mixtures),
        table(outputs),
        model.counts,
        (model.config.sample, model.config.ns_exponent, NOISE),
    )


@pytest.fixture(autouse=True)
def few_noise_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(energies, "NOISE_WORDS", NOISE)


CONTEXTS = [[4], [0, 1, 2, 3], [7, 7, 7], [5, -1, 5, 9], list(range(WORDS)), [11] * 9]


@pytest.mark.parametrize(("senses", "covariance"), LAYOUTS)
@pytest.mark.parametrize("settings", [{}, {"separate_output": False}, {"sample": 0.0}, {"ns_exponent": 0.0}], ids=str)
def test_posteriors_are_those_of_the_twin(senses: int, covariance: str, settings: dict[str, object]) -> None:
    model = random_model(senses, covariance, **settings)
    words = [2, 8, 8, 0, 3, 11]
    actual = posteriors(model, words, CONTEXTS)
    expected = [
        naive_context.posterior(word, around, *naive_arguments(model))
        for word, around in zip(words, CONTEXTS, strict=True)
    ]
    assert actual.dtype == np.float64
    np.testing.assert_allclose(actual, expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(("senses", "covariance"), LAYOUTS)
@pytest.mark.parametrize("around", CONTEXTS, ids=str)
def test_contributions_are_those_of_the_twin(senses: int, covariance: str, around: list[int]) -> None:
    model = random_model(senses, covariance)
    actual = contributions(model, 5, around)
    for place, word in enumerate(around):
        expected = [0.0] * senses
        if word not in (5, -1) and senses > 1:
            expected = naive_context.contribution(5, around, place, *naive_arguments(model))
        np.testing.assert_allclose(actual[place], expected, rtol=1e-6, atol=1e-7)


def test_with_two_senses_prior_and_contributions_make_the_answer() -> None:
    model = random_model()
    around = [1, 4, 9, 4]
    (answer,) = posteriors(model, [2], [around])
    prior = np.log(model.weights[2].astype(np.float64)) + energies.Evidence(model).backgrounds(np.array([2]))[0]
    total = prior[0] - prior[1] + contributions(model, 2, around)[:, 0].sum()
    assert np.log(answer[0] / answer[1]) == pytest.approx(total)


@pytest.mark.parametrize("around", [[], [-1, -1], [6], [6, -1, 6]], ids=str)
def test_a_context_without_another_known_word_leaves_the_weights(around: list[int]) -> None:
    model = random_model(3)
    actual = posteriors(model, [6, 1], [around, [2]])
    np.testing.assert_allclose(actual[0], model.weights[6], rtol=1e-6)
    assert not np.allclose(actual[1], model.weights[1])
    assert not contributions(model, 6, around).any()


def test_nothing_asked_is_nothing_answered() -> None:
    assert posteriors(random_model(3), [], []).shape == (0, 3)


def test_the_order_of_the_context_does_not_count_and_its_cutting_neither(monkeypatch: pytest.MonkeyPatch) -> None:
    model = random_model(3, "diagonal")
    random = np.random.default_rng(1)
    words = random.integers(0, WORDS, 50)
    around = [random.integers(-1, WORDS, length) for length in random.integers(0, 30, 50)]
    whole = posteriors(model, words, around)
    np.testing.assert_allclose(posteriors(model, words, [part[::-1] for part in around]), whole, rtol=1e-9)
    monkeypatch.setattr(energies, "NUMBERS_AT_ONCE", 50)
    np.testing.assert_allclose(posteriors(model, words, around), whole, rtol=1e-9)
    np.testing.assert_allclose(whole.sum(axis=1), 1)


def test_senses_far_from_everything_underflow_nowhere() -> None:
    model = random_model()
    means = model.means.copy()
    means[3] *= 1e4
    far = Model(
        model.vocabulary,
        dataclasses.replace(model.mixtures, means=means),
        config=model.config,
        provenance={},
        context=model.context,
    )
    answer = posteriors(far, [3], [[1, 2]])
    assert np.isfinite(answer).all()
    assert answer.sum() == pytest.approx(1)
    assert np.isfinite(contributions(far, 3, [1, 2])).all()


def test_words_without_counts_are_all_alike() -> None:
    model = random_model()
    blank = Model(
        Vocabulary(model.index_to_key, np.zeros(WORDS)),
        model.mixtures,
        config=model.config,
        provenance={},
        context=model.context,
    )
    even = Model(
        Vocabulary(model.index_to_key, np.ones(WORDS)),
        model.mixtures,
        config=model.config,
        provenance={},
        context=model.context,
    )
    np.testing.assert_array_equal(posteriors(blank, [1], [[2, 3]]), posteriors(even, [1], [[2, 3]]))


def test_without_output_tables_the_word_tables_stand_in_and_a_warning_says_so() -> None:
    model = random_model()
    bare = Model(model.vocabulary, model.mixtures, config=model.config, provenance={})
    with pytest.warns(UserWarning, match="no output tables .* its word tables stand in for them"):
        actual = posteriors(bare, [1], [[2, 3]])
    expected = naive_context.posterior(1, [2, 3], *naive_arguments(bare))
    np.testing.assert_allclose(actual[0], expected, rtol=1e-6)


def test_tables_that_were_always_shared_are_no_reason_for_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        posteriors(random_model(separate_output=False), [1], [[2, 3]])


@pytest.mark.parametrize(
    ("words", "contexts", "message"),
    [
        ([1, 2], [[3]], r"words of shape \(2,\) need as many contexts, got 1"),
        (1, [[3]], r"words of shape \(\) need as many contexts, got 1"),
        ([12], [[3]], "words hold the id 12: this model has words 0 to 11"),
        ([-1], [[3]], "words hold the id -1: this model has words 0 to 11"),
        ([1], [[3, 99]], "contexts hold the id 99: this model has words 0 to 11"),
    ],
)
def test_ids_that_cannot_be_are_refused(words: object, contexts: list[list[int]], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        posteriors(random_model(), words, contexts)  # type: ignore[arg-type]


def test_epsilon_is_that_of_training() -> None:
    assert energies.EPSILON == general.EPSILON


@pytest.mark.parametrize(
    ("fast", "slow"), [(avg_sim_c, naive_context.avg_sim_c), (max_sim_c, naive_context.max_sim_c)]
)
def test_similarities_in_context_are_those_of_the_twins(fast: object, slow: object) -> None:
    random = np.random.default_rng(5)
    a, b = random.normal(size=(2, 20, 3, 6))
    P, Q = random.dirichlet(np.ones(3), size=(2, 20))
    expected = [slow(*row) for row in zip(a, b, P, Q, strict=True)]  # type: ignore[operator]
    np.testing.assert_allclose(fast(a, b, P, Q), expected, rtol=1e-9)  # type: ignore[operator]


def test_a_zero_mean_is_like_nothing() -> None:
    assert avg_sim_c([[[0.0, 0.0]]], [[[1.0, 0.0]]], [[1.0]], [[1.0]]).tolist() == [0.0]
