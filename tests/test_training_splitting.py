"""From one sense to several: what is known of a word's surroundings, and where its senses start."""

from __future__ import annotations

import numpy as np
import pytest

import naive_surroundings
import w2gm
from kernel_tables import accumulators, parameters
from w2gm.config import Config
from w2gm.corpus import SENTENCE_END
from w2gm.kernels.sampling import Sampler, Window
from w2gm.kernels.surroundings import Surroundings, blank_surroundings, survey
from w2gm.training.schedule import Schedule
from w2gm.training.splitting import look_around, simplex, singles_of, split
from w2gm.training.tables import initial_tables, layout_of

WORDS, D = 9, 6


def sampler_keeping_all(words=WORDS):
    return Sampler(np.full(words, 2, np.float32), np.ones(words, np.float32), np.zeros(words, np.int32))


def surveyed(ids, vectors, components=2, window=3, shrink=False, enough=1000):
    met = blank_surroundings(WORDS, components, D)
    own = (np.array([7], np.uint64), np.zeros(len(ids), np.int32), np.zeros(D, np.float32), enough)
    survey(ids, (0, len(ids)), vectors, met, sampler_keeping_all(), Window(window, shrink, 1, True), own)
    return met


def random_text(sentences=30, seed=1):
    draw = np.random.default_rng(seed)
    lines = [draw.integers(0, WORDS - 1, draw.integers(1, 12)).tolist() for _ in range(sentences)]
    return lines, np.array([word for line in lines for word in (*line, SENTENCE_END)], np.int32)


@pytest.mark.kernel
@pytest.mark.parametrize("components", [1, 3])
def test_a_survey_equals_its_slow_twin(components):
    lines, ids = random_text()
    vectors = np.random.default_rng(2).normal(size=(WORDS, D)).astype(np.float32)
    actual = surveyed(ids, vectors, components)
    occurrences: list[list] = [[] for _ in range(WORDS)]
    for line in lines:
        for word, x in naive_surroundings.surroundings(line, [3] * len(line), vectors.astype(np.float64)):
            occurrences[word].append(x)
    assert actual.counts.tolist() == [len(met) for met in occurrences]
    assert not actual.means[-1].any(), "a word that was never met"
    for word in range(WORDS - 1):
        mean, v = naive_surroundings.meet(occurrences[word], components)
        np.testing.assert_allclose(actual.means[word], mean, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(actual.components[word], v, rtol=1e-3, atol=1e-4)


@pytest.mark.kernel
def test_words_met_often_enough_are_passed_over():
    _, ids = random_text()
    vectors = np.ones((WORDS, D), np.float32)
    assert surveyed(ids, vectors, enough=5).counts.max() == 5
    assert surveyed(ids, vectors, window=3, shrink=True).counts.tolist() == surveyed(ids, vectors).counts.tolist()


@pytest.mark.kernel
def test_components_tend_to_the_largest_eigenvalues_of_the_covariance():
    draw = np.random.default_rng(3)
    vectors = np.zeros((WORDS, D), np.float32)
    vectors[1:] = draw.normal(size=(WORDS - 1, D)) * [3.0, 1.5, 0.2, 0.2, 0.1, 0.1] + 1
    ids = np.array([one for _ in range(1500) for one in (0, draw.integers(1, WORDS), SENTENCE_END)], np.int32)
    met = surveyed(ids, vectors, components=2, enough=10_000)
    x = vectors[ids[1::3]].astype(np.float64)
    values, directions = np.linalg.eigh(np.cov(x.T))
    np.testing.assert_allclose(met.means[0], x.mean(axis=0), atol=1e-3)
    lengths = np.linalg.norm(met.components[0], axis=1)
    np.testing.assert_allclose(lengths, values[[-1, -2]], rtol=0.05)
    for k in range(2):
        assert abs(met.components[0, k] / lengths[k] @ directions[:, -1 - k]) > 0.99


@pytest.mark.parametrize("senses", [2, 3, 5])
def test_a_simplex_is_regular_and_has_variance_one_along_each_axis(senses):
    corners = simplex(senses)
    np.testing.assert_allclose(corners.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(corners.var(axis=0), 1)
    between = np.linalg.norm(corners[:, None] - corners[None], axis=2)[~np.eye(senses, dtype=bool)]
    np.testing.assert_allclose(between, between[0])


def random_surroundings(senses, seed):
    draw = np.random.default_rng(seed)
    return Surroundings(
        np.full(WORDS, 50, np.int32),
        draw.normal(size=(WORDS, D)).astype(np.float32),
        draw.normal(size=(WORDS, senses - 1, D)).astype(np.float32),
    )


@pytest.mark.parametrize("covariance", ["spherical", "diagonal"])
@pytest.mark.parametrize("separate", [True, False])
@pytest.mark.parametrize("senses", [2, 4])
def test_senses_start_where_the_formula_says(senses, covariance, separate):
    config = Config(
        senses=senses, vector_size=D, covariance=covariance, separate_output=separate, split_distance=0.7,
        initial_accumulator=3.0,
    )  # fmt: skip
    one, many = layout_of(config.with_senses(1)), layout_of(config)
    tables = initial_tables(WORDS, config.with_senses(1))
    for rows in tables[:2]:
        rows[:, one.log_variances : one.log_variances + one.variance_size] += 0.3
        rows[:, one.variances : one.variances + one.variance_size] *= np.exp(np.float32(0.3))
    chance = 0.05 * config.init_scale * np.sqrt(3 / D) + 1e-5
    noise = np.random.default_rng(4).dirichlet(np.ones(WORDS)).astype(np.float32)
    met = [random_surroundings(senses, seed) for seed in ((5, 6) if separate else (5,))]
    before = [parameters(rows, one) for rows in tables[:2]]
    singles, seen = singles_of(tables, config), []
    new = split(singles, lambda vectors: (seen.append(vectors), met[len(seen) - 1])[1], noise, config)
    assert [id(vectors) for vectors in seen] == [id(single.means) for single in reversed(singles)], (
        "the other table's"
    )
    assert new.shared is not separate
    assert (new.input is new.output) is not separate
    for number in range(2 if separate else 1):
        others = before[1 - number] if separate else before[0]
        m_0 = noise.astype(np.float64) @ others.means[:, 0]
        reach = np.linalg.norm(before[number].means[:, 0], axis=1) / np.linalg.norm(met[number].means - m_0, axis=1)
        reach = np.minimum(reach, 3 * np.median(reach))
        after = parameters(new[number], many)
        for word in range(WORDS):
            expected = naive_surroundings.split_means(
                before[number].means[word, 0], reach[word], met[number].components[word].astype(np.float64),
                simplex(senses), 0.7,
            )  # fmt: skip
            np.testing.assert_allclose(after.means[word], expected, atol=chance)
        np.testing.assert_allclose(
            after.log_variances, np.broadcast_to(before[number].log_variances, after.log_variances.shape)
        )
        np.testing.assert_allclose(new[number][:, many.weights : many.weights + senses], 1 / senses)
        sums = accumulators(new[number], many)
        for part in (sums.means, sums.log_variances, sums.scores):
            np.testing.assert_array_equal(part, 3.0)


def test_without_surroundings_all_senses_lie_about_where_the_word_was():
    config = Config(senses=3, vector_size=D)
    tables = initial_tables(WORDS, config.with_senses(1))
    new = split(singles_of(tables, config), None, np.full(WORDS, 1 / WORDS, np.float32), config)
    old = parameters(tables.input, layout_of(config.with_senses(1)))
    means = parameters(new.input, layout_of(config)).means
    np.testing.assert_allclose(means, np.repeat(old.means, 3, axis=1), atol=0.05 * config.init_scale * np.sqrt(3 / D))
    assert len(np.unique(means[0], axis=0)) == 3, "chance keeps the senses apart"


@pytest.mark.parametrize("workers", [1, 2])
def test_a_word_in_two_surroundings_varies_most_between_them(workers):
    """Word 0 stands among words 1 to 4, or a quarter as often among 5 to 8; its direction leads between them."""
    draw = np.random.default_rng(8)
    lines = [[0, *draw.choice([1, 2, 3, 4] if n % 5 else [5, 6, 7, 8], 6)] for n in range(1000)]
    ids = np.array([word for line in lines for word in (*line, SENTENCE_END)], np.int32)
    config = Config(senses=2, vector_size=D, workers=workers)
    tables = initial_tables(WORDS, config.with_senses(1))
    for rows in tables[:2]:
        rows[1:5, :D] += 1
        rows[5:9, 1:3] += 2
    for single in singles_of(tables, config):
        vectors = single.means
        met = look_around(ids, vectors, (sampler_keeping_all(), Window(10, True, 1, True)), 500, config)
        between = vectors[1:5].mean(axis=0) - vectors[5:9].mean(axis=0)
        found = met.components[0, 0]
        cosine = found @ between / np.linalg.norm(found) / np.linalg.norm(between)
        assert abs(cosine) > 0.95


def test_a_schedule_stops_at_a_share_and_goes_on_from_there():
    ids = np.arange(1000, dtype=np.int32)
    whole = Schedule(ids, 3, 0.1, 0.0, 100)
    everything = list(iter(whole.next, None))
    parted = Schedule(ids, 3, 0.1, 0.0, 100)
    first = list(iter(lambda: parted.next(0.5), None))
    assert parted.next(0.5) is None
    rest = list(iter(parted.next, None))
    assert first + rest == everything
    assert len(first) == 15
    assert first[-1].start == 400


@pytest.mark.parametrize("warm_up", [0.0, 0.2, 0.9])
def test_any_warm_up_ends_with_all_senses(warm_up):
    lines = [["bank", "river", "boat"], ["bank", "loan", "cash"]] * 200
    model = w2gm.train(lines, senses=3, vector_size=8, min_count=1, epochs=2, workers=1, warm_up=warm_up)
    assert model.senses == 3
    assert len(np.unique(model.means[model.key_to_index["bank"]], axis=0)) > 1
    assert model.config.warm_up == warm_up
