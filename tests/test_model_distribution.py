"""A word as a distribution: densities against SciPy, sampling and entropy against what is known of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import logsumexp

from w2gm.errors import ConfigError
from w2gm.model import WordDistribution


def make_distribution(senses, vector_size, covariance, seed):
    random = np.random.default_rng(seed)
    weights = random.uniform(0.1, 1, senses)
    shape = (senses, vector_size) if covariance == "diagonal" else (senses,)
    return WordDistribution(
        "bank",
        weights=weights / weights.sum(),
        means=random.standard_normal((senses, vector_size)),
        variances=np.exp(random.uniform(-3, 2, shape)),
    )


def scipy_log_density(word, points):
    """The mixture of `scipy.stats.multivariate_normal`s."""
    dimensions = word.means.shape[1]
    parts = [
        np.log(weight)
        + stats.multivariate_normal(mean, np.diag(np.broadcast_to(variance, dimensions))).logpdf(points)
        for weight, mean, variance in zip(word.weights, word.means, word.variances, strict=True)
    ]
    return logsumexp(parts, axis=0)


@settings(max_examples=50, deadline=None)
@given(
    senses=st.integers(1, 4),
    vector_size=st.integers(1, 8),
    covariance=st.sampled_from(["spherical", "diagonal"]),
    seed=st.integers(0, 1000),
)
def test_densities_are_those_of_scipy(senses, vector_size, covariance, seed):
    word = make_distribution(senses, vector_size, covariance, seed)
    points = np.random.default_rng(seed + 1).standard_normal((6, vector_size)) * 2
    expected = scipy_log_density(word, points)
    np.testing.assert_allclose(word.log_density(points), expected, rtol=1e-10)
    np.testing.assert_allclose(word.density(points), np.exp(expected), rtol=1e-9)
    assert word.log_density(points[0]) == pytest.approx(np.atleast_1d(expected)[0], rel=1e-10)


def test_one_point_gives_a_float_and_rows_give_an_array():
    word = make_distribution(2, 3, "spherical", 0)
    assert isinstance(word.density(np.zeros(3)), float)
    assert isinstance(word.log_density([0, 0, 0]), float)
    assert word.density(np.zeros((0, 3))).shape == (0,)
    assert word.log_density(np.zeros((1, 3))).shape == (1,)


def test_far_away_the_logarithm_still_tells_the_distance():
    word = make_distribution(2, 50, "spherical", 0)
    points = np.full((1, 50), 1e3)
    np.testing.assert_allclose(word.log_density(points), scipy_log_density(word, points), rtol=1e-10)
    assert word.density(points[0]) == 0.0
    assert word.log_density(np.full(50, np.inf)) == -np.inf
    assert np.isnan(word.log_density(np.full(50, np.nan)))


@pytest.mark.parametrize("shape", [(), (4,), (2, 4), (1, 1, 3)])
def test_points_of_another_dimension_are_refused(shape):
    with pytest.raises(ConfigError, match=r"x must have shape \(3,\) or \(n, 3\), got \("):
        make_distribution(2, 3, "spherical", 0).density(np.zeros(shape))


@pytest.mark.parametrize("covariance", ["spherical", "diagonal"])
def test_samples_have_the_mean_and_variance_of_the_mixture(covariance):
    word = make_distribution(3, 2, covariance, 5)
    n = 200_000
    points = word.sample(n, seed=1)
    assert points.shape == (n, 2)
    variances = word.variances.reshape(3, -1)
    variance = word.weights @ (variances + word.means**2) - word.mean**2
    assert np.all(np.abs(points.mean(axis=0) - word.mean) < 5 * np.sqrt(variance / n))
    # The variance of a sample variance is at most E(x - mean)^4 / n.
    fourth = ((points - points.mean(axis=0)) ** 4).mean(axis=0)
    assert np.all(np.abs(points.var(axis=0) - variance) < 5 * np.sqrt(fourth / n))


def test_senses_are_sampled_in_proportion_to_their_weights():
    word = WordDistribution("bank", np.array([0.7, 0.2, 0.1]), np.array([[0.0], [100.0], [200.0]]), np.ones(3))
    drawn = np.bincount(np.rint(word.sample(10_000, seed=2)[:, 0] / 100).astype(int), minlength=3)
    assert stats.chisquare(drawn, word.weights * 10_000).pvalue > 1e-4


def test_one_dimensional_samples_follow_the_density():
    word = make_distribution(2, 1, "spherical", 3)
    normals = [stats.norm(m, np.sqrt(v)) for m, v in zip(word.means[:, 0], word.variances, strict=True)]

    def cumulative(x):
        return sum(w * normal.cdf(x) for w, normal in zip(word.weights, normals, strict=True))

    assert stats.kstest(word.sample(5000, seed=4)[:, 0], cumulative).pvalue > 1e-4


def test_a_seed_repeats_the_samples_and_a_generator_continues():
    word = make_distribution(2, 3, "diagonal", 0)
    np.testing.assert_array_equal(word.sample(4, seed=7), word.sample(4, seed=7))
    generator = np.random.default_rng(7)
    first, second = word.sample(4, seed=generator), word.sample(4, seed=generator)
    np.testing.assert_array_equal(first, word.sample(4, seed=7))
    assert not np.array_equal(first, second)
    assert word.sample(0).shape == (0, 3)
    with pytest.raises(ConfigError, match=r"number of samples must be at least 0, got -1"):
        word.sample(-1)


@pytest.mark.parametrize("covariance", ["spherical", "diagonal"])
def test_the_entropy_of_one_gaussian_is_exact(covariance):
    word = make_distribution(1, 4, covariance, 0)
    covariances = np.diag(np.broadcast_to(word.variances[0], 4))
    entropy = word.entropy()
    assert entropy.value == pytest.approx(stats.multivariate_normal(word.means[0], covariances).entropy(), rel=1e-12)
    assert entropy.error == 0


def test_the_entropy_of_a_mixture_is_within_its_stated_error():
    word = make_distribution(2, 1, "spherical", 1)
    grid = np.linspace(-60, 60, 400_001)[:, None]
    density = word.density(grid)
    exact = -np.trapezoid(density * word.log_density(grid), grid[:, 0])
    errors = [word.entropy(2000, seed=seed) for seed in range(200)]
    deviations = np.array([(estimate.value - exact) / estimate.error for estimate in errors])
    # Standard errors that are right make these standard normal.
    assert abs(deviations.mean()) < 5 / np.sqrt(200)
    assert 0.75 < deviations.std() < 1.25


def test_entropy_repeats_unless_asked_otherwise_and_needs_two_samples():
    word = make_distribution(2, 3, "spherical", 0)
    assert word.entropy() == word.entropy()
    assert word.entropy(seed=1) != word.entropy(seed=2)
    with pytest.raises(ConfigError, match=r"entropy needs at least 2 samples to state its error, got 1"):
        word.entropy(samples=1)


def test_senses_carry_key_weight_mean_and_variance():
    spherical, diagonal = make_distribution(2, 3, "spherical", 0), make_distribution(2, 3, "diagonal", 0)
    for k, sense in enumerate(spherical.senses):
        assert (sense.key, sense.number, sense.weight) == (f"bank:{k}", k, spherical.weights[k])
        assert sense.variance == spherical.variances[k]
        np.testing.assert_array_equal(sense.mean, spherical.means[k])
    assert diagonal.senses[1].variance.shape == (3,)
