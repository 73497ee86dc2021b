"""The oracle's sampling, densities and measures, against SciPy, enumeration and numerical integrals."""

from __future__ import annotations

import ast
import inspect
import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

import naive
import naive_analogy
import naive_mixtures
import naive_sampling

COVARIANCES = ("spherical", "diagonal")
quick = settings(max_examples=40, deadline=None)
seeds = st.integers(0, 2**32 - 1)


def random_mixture(generator, K=2, D=3, covariance="spherical"):
    shape = (K,) if covariance == "spherical" else (K, D)
    return naive.Mixture(
        generator.normal(0.0, 1.0, (K, D)), generator.normal(-0.5, 0.8, shape), generator.normal(size=K)
    )


def random_pair(seed, **shape):
    generator = np.random.default_rng(seed)
    return random_mixture(generator, **shape), random_mixture(generator, **shape)


def random_gaussians(seed, D):
    """mean, variances, mean, variances: each (D,)."""
    generator = np.random.default_rng(seed)
    mean_i, log_i, mean_j, log_j = generator.normal(size=(4, D))
    return mean_i, np.exp(log_i), mean_j, np.exp(log_j)


# Sampling ---------------------------------------------------------------------------------------------------


def test_keep_probability_is_the_one_of_word2vecs_c_code():
    counts, threshold = np.array([500_000, 499_990, 9, 1, 0]), 1e-5
    ratio = counts[:4] / counts.sum() / threshold
    expected = [*np.minimum(1.0, (np.sqrt(ratio) + 1) / ratio), 1.0]
    np.testing.assert_allclose(naive_sampling.keep_probabilities(counts, threshold), expected)
    assert naive_sampling.keep_probabilities([50, 50], 0.02)[0] == pytest.approx(0.24)  # sqrt(0.04) + 0.04
    np.testing.assert_array_equal(naive_sampling.keep_probabilities(counts, 0.0), np.ones(5))


def test_noise_takes_the_power_of_the_counts():
    np.testing.assert_allclose(naive_sampling.noise_distribution([16, 1], 0.75), [8 / 9, 1 / 9])
    np.testing.assert_allclose(naive_sampling.noise_distribution([16, 1], 0.0), [0.5, 0.5])
    np.testing.assert_allclose(naive_sampling.noise_distribution([16, 1], 1.0), [16 / 17, 1 / 17])


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 100)), min_size=1, max_size=12))
@quick
def test_alias_distribution_counts_every_equally_likely_draw(table):
    eighths, alias = np.array(table).T
    alias = alias % len(table)
    draws = [slot if eighth < eighths[slot] else alias[slot] for slot in range(len(table)) for eighth in range(8)]
    expected = np.bincount(draws, minlength=len(table)) / len(draws)
    np.testing.assert_allclose(naive_sampling.alias_distribution(eighths / 8, alias), expected, atol=1e-15)


def test_pairs_of_a_sentence_by_hand():
    assert naive_sampling.pairs_of_sentence([7, 8, 9, 7], [1, 2, 1, 3]) == [
        *[(7, 8)],
        *[(8, 7), (8, 9), (8, 7)],
        *[(9, 8), (9, 7)],
        *[(7, 7), (7, 8), (7, 9)],
    ]  # fmt: skip
    assert naive_sampling.pairs_of_sentence([7], [5]) == []


def test_expected_pairs_is_the_mean_over_all_draws_of_windows():
    for length, window in itertools.product(range(1, 5), range(1, 4)):
        draws = itertools.product(range(1, window + 1), repeat=length)
        counts = [len(naive_sampling.pairs_of_sentence(range(length), draw)) for draw in draws]
        assert naive_sampling.expected_pairs(length, window) == pytest.approx(np.mean(counts))
        full = sum(2 * (length - distance) for distance in range(1, min(window, length - 1) + 1))
        assert naive_sampling.expected_pairs(length, window, shrink=False) == full


def test_learning_rate_falls_on_a_line():
    rates = [naive_sampling.learning_rate_at(done, 100, 0.05, 0.01) for done in (0, 25, 100, 150)]
    np.testing.assert_allclose(rates, [0.05, 0.04, 0.01, 0.01])


# Densities --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("D", [1, 2, 5])
def test_gaussian_density_is_scipys(D):
    x, variances, mean, _ = random_gaussians(1, D)
    expected = stats.multivariate_normal.logpdf(x, mean, np.diag(variances))
    assert naive.gaussian_log_density(x, mean, variances) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("covariance", COVARIANCES)
def test_mixture_density_is_the_weighted_sum_and_integrates_to_one(covariance):
    a, _ = random_pair(2, K=3, D=1, covariance=covariance)
    weights = np.exp(a.scores) / np.exp(a.scores).sum()
    scales = np.exp(a.log_variances.reshape(3) / 2)
    expected = np.sum(weights * stats.norm.pdf(0.3, a.means[:, 0], scales))
    assert naive.mixture_log_density(np.array([0.3]), a) == pytest.approx(np.log(expected), rel=1e-12)
    total, _ = integrate.quad(lambda x: np.exp(naive.mixture_log_density(np.array([x]), a)), -20, 20, limit=200)
    assert total == pytest.approx(1.0, abs=1e-8)


# Measures ---------------------------------------------------------------------------------------------------


def test_kl_is_its_integral_in_both_directions():
    i, j = (0.3, 0.4), (-0.5, 1.7)  # mean, standard deviation

    def integrand(x, p, q):
        return stats.norm.pdf(x, *p) * (stats.norm.logpdf(x, *p) - stats.norm.logpdf(x, *q))

    for p, q in ((i, j), (j, i)):
        expected, _ = integrate.quad(integrand, -25, 25, args=(p, q), limit=200)
        arguments = [np.array([value]) for value in (p[0], p[1] ** 2, q[0], q[1] ** 2)]
        assert naive.kl_divergence(*arguments) == pytest.approx(expected, rel=1e-8)


@given(seeds, st.integers(1, 6))
@quick
def test_kl_is_never_negative_adds_up_over_dimensions_and_is_zero_of_itself(seed, D):
    mean_i, variances_i, mean_j, variances_j = random_gaussians(seed, D)
    divergence = naive.kl_divergence(mean_i, variances_i, mean_j, variances_j)
    assert divergence >= 0
    assert naive.kl_divergence(mean_i, variances_i, mean_i, variances_i) == pytest.approx(0.0, abs=1e-12)
    parts = [
        naive.kl_divergence(*(one[r : r + 1] for one in (mean_i, variances_i, mean_j, variances_j))) for r in range(D)
    ]
    assert divergence == pytest.approx(sum(parts), rel=1e-9, abs=1e-12)


def test_wasserstein_is_the_distance_of_the_quantiles():
    i, j = (0.3, 0.4), (-0.5, 1.7)
    squared, _ = integrate.quad(lambda u: (stats.norm.ppf(u, *i) - stats.norm.ppf(u, *j)) ** 2, 0, 1)
    arguments = [np.array([value]) for value in (i[0], i[1] ** 2, j[0], j[1] ** 2)]
    assert naive.wasserstein2(*arguments) == pytest.approx(np.sqrt(squared), rel=1e-6)


@given(seeds, st.integers(1, 6))
@quick
def test_wasserstein_is_symmetric_adds_squares_over_dimensions_and_is_zero_of_itself(seed, D):
    i_j = random_gaussians(seed, D)
    distance = naive.wasserstein2(*i_j)
    assert distance == pytest.approx(naive.wasserstein2(*i_j[2:], *i_j[:2]))
    parts = [naive.wasserstein2(*(one[r : r + 1] for one in i_j)) ** 2 for r in range(D)]
    assert distance**2 == pytest.approx(sum(parts))
    assert naive.wasserstein2(*i_j[:2], *i_j[:2]) == 0.0


def two_words():
    """Senses on the axes: a at (1, 0), (0, 3) with weights 1/4, 3/4; b at (2, 0), (0, -1) with 1/2, 1/2."""
    a = naive.Mixture(np.array([[1.0, 0.0], [0.0, 3.0]]), np.log(np.array([0.5, 2.0])), np.log(np.array([1.0, 3.0])))
    b = naive.Mixture(np.array([[2.0, 0.0], [0.0, -1.0]]), np.log(np.array([1.0, 4.0])), np.array([5.0, 5.0]))
    return a, b


def test_measures_between_words_by_hand():
    a, b = two_words()
    assert naive.mc(a, b) == pytest.approx(1.0)
    assert naive.avesim(a, b) == pytest.approx(1 / 8 * 1 - 3 / 8 * 1)
    assert naive.me(a, b) == pytest.approx(-1.0)
    closest = 0.5 * (2 * 0.5 / 1.0 + 1.0 / 1.0 - 2 + 2 * np.log(1.0 / 0.5))  # of a:0 from b:0
    assert naive.kl(a, b) == pytest.approx(-closest)
    assert naive.kl(b, a) < naive.kl(a, b)  # a is the narrower word


@pytest.mark.parametrize("covariance", COVARIANCES)
def test_measures_over_pairs_take_the_best_pair_and_the_weighted_mean(covariance):
    a, b = random_pair(3, K=3, D=4, covariance=covariance)
    pairs = list(itertools.product(range(3), range(3)))
    cosines = [
        a.means[i] @ b.means[j] / np.sqrt((a.means[i] @ a.means[i]) * (b.means[j] @ b.means[j])) for i, j in pairs
    ]
    assert naive.mc(a, b) == pytest.approx(max(cosines))
    assert naive.avesim(a, b) == pytest.approx(np.average(cosines, weights=np.kron(a.weights, b.weights)))
    assert naive.me(a, b) == pytest.approx(-min(np.sqrt(((a.means[i] - b.means[j]) ** 2).sum()) for i, j in pairs))
    table = naive.over_pairs(naive.kl_divergence, a, b)
    assert table.shape == (3, 3)
    assert naive.kl(a, b) == -table.min()
    assert table[1, 2] == naive.kl_divergence(a.means[1], a.variances[1], b.means[2], b.variances[2])


def test_el_is_the_true_integral_and_the_papers_counts_a_spherical_determinant_once():
    a, b = random_pair(4, K=1, D=5)
    constant, S = 2.5 * np.log(2 * np.pi), np.exp(a.log_variances[0]) + np.exp(b.log_variances[0])
    expected = stats.multivariate_normal.logpdf(a.means[0], b.means[0], np.eye(5) * S)
    assert naive.el(a, b) == pytest.approx(expected)
    once = -0.5 * np.log(S) - 0.5 * ((a.means[0] - b.means[0]) ** 2).sum() / S
    assert naive.el_paper(a, b) == pytest.approx(once)
    a, b = random_pair(5, K=3, D=5, covariance="diagonal")
    assert naive.el_paper(a, b) == pytest.approx(naive.el(a, b) + constant)


# Analogies --------------------------------------------------------------------------------------------------


def test_analogies_by_hand():
    a, b, c = np.array([1.0, 0.0]), np.array([0.0, 2.0]), np.array([3.0, 3.0])
    x = np.array([-0.6, 0.8])
    third = (-0.6 + 0.8) / np.sqrt(2)
    assert naive_analogy.cos_add(x, a, b, c) == pytest.approx(0.8 - -0.6 + third)
    assert naive_analogy.cos_mul(x, a, b, c) == pytest.approx(0.9 * (1 + third) / 2 / 0.201)
    means, weights = np.array([[x, a], [b, c], [a, a]]), np.array([[0.25, 0.75], [0.5, 0.5], [1.0, 0.0]])
    np.testing.assert_allclose(naive_analogy.mixture_mean(means[0], weights[0]), [0.6, 0.2])
    found = naive_analogy.analogies(means, weights, (a, b, c), excluded=[1])
    assert [answer[:2] for answer in found] == [(0, 0), (2, 0)]
    whole = naive_analogy.analogies(means, weights, (a, b, c), excluded=[], answers="words")
    mean = naive_analogy.mixture_mean(means[1], weights[1])
    assert whole[0] == (1, None, naive_analogy.cos_add(mean, a, b, c))


# The oracle itself ------------------------------------------------------------------------------------------


def test_the_oracle_imports_numpy_and_nothing_of_ours():
    tree = ast.parse(inspect.getsource(naive))
    imported = {
        name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module] if isinstance(node, ast.ImportFrom) else [one.name for one in node.names])
    }
    assert imported == {"__future__", "collections.abc", "dataclasses", "numpy", "numpy.typing"}


def test_transport_of_two_words_is_that_of_their_nearest_senses():
    a, b = random_pair(6, K=3, D=4)
    distances = [
        naive.wasserstein2(a.means[i], a.variances[i], b.means[j], b.variances[j])
        for i, j in itertools.product(range(3), range(3))
    ]
    assert naive_mixtures.w2(a, b) == -min(distances)


def test_jensen_shannon_of_two_words_is_its_integral():
    a, b = random_pair(7, K=2, D=1)

    def integrand(x):
        f, g = (np.exp(naive.mixture_log_density(np.array([x]), one)) for one in (a, b))
        m = np.exp(naive_mixtures.log_mean_density(np.array([x]), a, b))
        assert m == pytest.approx((f + g) / 2)
        return 0.5 * (f * np.log(f / m) + g * np.log(g / m))

    expected, _ = integrate.quad(integrand, -12, 12, limit=200)
    value, error = naive_mixtures.js(a, b, samples=2000)
    assert 0 < error < 0.02
    assert -value == pytest.approx(expected, abs=4 * error)
    assert naive_mixtures.js(a, a, samples=10) == (0.0, 0.0)


@pytest.mark.parametrize(
    "twin", [naive, naive_sampling, naive_mixtures, naive_analogy], ids=lambda twin: twin.__name__
)
def test_the_page_of_formulas_names_every_function_of_the_oracle_and_no_other(twin):
    page = Path(__file__).parent.parent / "docs" / "maths.md"
    named = set(re.findall(rf"`{twin.__name__}\.(\w+)`", page.read_text(encoding="utf-8")))
    functions = {
        name for name, value in vars(twin).items() if inspect.isfunction(value) and value.__module__ == twin.__name__
    }
    assert named == functions
