"""The oracle's energy, gradients and step, against SciPy, numerical integrals and finite differences."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

import naive

COVARIANCES = ("spherical", "diagonal")
# Who is who in (word, context, negative): all different, then every way two or three of them coincide.
COINCIDENCES = [(0, 1, 2), (0, 0, 1), (0, 1, 0), (0, 1, 1), (0, 0, 0)]
quick = settings(max_examples=40, deadline=None)
seeds = st.integers(0, 2**32 - 1)


def random_table(generator, V=3, K=2, D=2, covariance="spherical", spread=0.7):
    shape = (V, K) if covariance == "spherical" else (V, K, D)
    return naive.Table(
        means=generator.normal(0.0, spread, (V, K, D)),
        log_variances=generator.normal(-0.5, 0.8, shape),
        scores=generator.normal(0.0, 1.0, (V, K)),
    )


def random_tables(seed, shared=False, **shape):
    generator = np.random.default_rng(seed)
    table = random_table(generator, **shape)
    return naive.Tables(table, table if shared else random_table(generator, **shape))


def random_pair(seed, **shape):
    table = random_table(np.random.default_rng(seed), V=2, **shape)
    return table.row(0), table.row(1)


def scipy_density(mixture, x):
    softmax = np.exp(mixture.scores) / np.exp(mixture.scores).sum()
    dimensions = mixture.means.shape[1]
    return sum(
        weight * stats.multivariate_normal.pdf(x, mean, np.eye(dimensions) * np.exp(log_variance))  # (D, D)
        for weight, mean, log_variance in zip(softmax, mixture.means, mixture.log_variances, strict=True)
    )


def scipy_log_energy(a, b, epsilon):
    """log sum_ij p_i q_j N(mu_i; mu_j, Sigma_i + Sigma_j + epsilon), with SciPy's density."""
    p, q = (np.exp(one.scores) / np.exp(one.scores).sum() for one in (a, b))
    identity = np.eye(a.means.shape[1])
    total = 0.0
    for i, j in itertools.product(range(len(p)), range(len(q))):
        covariance = identity * (np.exp(a.log_variances[i]) + np.exp(b.log_variances[j]) + epsilon)
        total += p[i] * q[j] * stats.multivariate_normal.pdf(a.means[i], b.means[j], covariance)
    return np.log(total)


def arrays_of(tables):
    """All six arrays, shared ones twice."""
    return [getattr(table, name) for table in (tables.input, tables.output) for name in vars(table)]


def window_of(triple):
    """The window that is one triple."""
    word, context, negative = triple
    return naive.Window(word, [context], [negative])


def finite_differences(tables, row, window, margin, step=1e-5):
    """Central differences of the window's loss in every parameter of one row."""
    name, word = row
    mixture = getattr(tables, name).row(word)
    estimate = mixture.times(0.0)
    for parameter, values in vars(mixture).items():
        for index in np.ndindex(values.shape):
            before = values[index]
            values[index] = before + step
            above = naive.window_loss(tables, window, margin)
            values[index] = before - step
            below = naive.window_loss(tables, window, margin)
            values[index] = before
            getattr(estimate, parameter)[index] = (above - below) / (2 * step)
    return estimate


# The energy -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("covariance", COVARIANCES)
@pytest.mark.parametrize(("K", "D"), [(1, 1), (2, 2), (3, 5), (5, 3)])
def test_energy_equals_scipys_gaussian_of_the_difference(K, D, covariance):
    a, b = random_pair(1, K=K, D=D, covariance=covariance)
    np.testing.assert_allclose(naive.log_energy_integral(a, b), scipy_log_energy(a, b, 0.0), rtol=1e-10)
    constant = D / 2 * np.log(2 * np.pi)
    expected = scipy_log_energy(a, b, naive.EPSILON) + constant
    np.testing.assert_allclose(naive.log_energy(a, b), expected, rtol=1e-10, atol=1e-12)


def test_energy_of_mixtures_with_different_numbers_of_senses():
    a, _ = random_pair(2, K=3, D=2)
    b, _ = random_pair(3, K=1, D=2)
    np.testing.assert_allclose(naive.log_energy_integral(a, b), scipy_log_energy(a, b, 0.0), rtol=1e-10)


def test_energy_is_the_integral_in_one_dimension():
    a, b = random_pair(4, K=3, D=1)
    integral, _ = integrate.quad(lambda x: scipy_density(a, [x]) * scipy_density(b, [x]), -30, 30, limit=200)
    np.testing.assert_allclose(naive.log_energy_integral(a, b), np.log(integral), rtol=1e-8)


@pytest.mark.parametrize("covariance", COVARIANCES)
def test_energy_is_the_integral_in_two_dimensions(covariance):
    a, b = random_pair(5, K=2, D=2, covariance=covariance)
    axis = np.linspace(-12, 12, 401)
    grid = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1)
    product = scipy_density(a, grid) * scipy_density(b, grid)
    integral = integrate.simpson(integrate.simpson(product, x=axis), x=axis)
    np.testing.assert_allclose(naive.log_energy_integral(a, b), np.log(integral), rtol=1e-8)


@pytest.mark.parametrize("covariance", COVARIANCES)
def test_responsibilities_are_shares_of_the_energy_and_sum_to_one(covariance):
    a, b = random_pair(6, K=3, D=4, covariance=covariance)
    shares = naive.responsibilities(a, b)
    assert shares.sum() == pytest.approx(1.0, abs=1e-14)
    only = (
        naive.Mixture(a.means[1:2], a.log_variances[1:2], a.scores[1:2]),
        naive.Mixture(b.means[2:], b.log_variances[2:], b.scores[2:]),
    )
    pair = a.weights[1] * b.weights[2] * np.exp(scipy_log_energy(*only, naive.EPSILON))
    np.testing.assert_allclose(shares[1, 2], pair / np.exp(scipy_log_energy(a, b, naive.EPSILON)))


@given(seeds, st.sampled_from(COVARIANCES))
@quick
def test_energy_is_symmetric(seed, covariance):
    a, b = random_pair(seed, K=3, D=3, covariance=covariance)
    np.testing.assert_allclose(naive.log_energy(a, b), naive.log_energy(b, a), rtol=1e-12, atol=1e-12)


@given(seeds, st.permutations(range(3)), st.permutations(range(3)), st.sampled_from(COVARIANCES))
@quick
def test_energy_does_not_depend_on_the_order_of_senses(seed, order_a, order_b, covariance):
    a, b = random_pair(seed, K=3, D=2, covariance=covariance)
    orders = ((a, list(order_a)), (b, list(order_b)))
    mixed = [naive.Mixture(*(values[order] for values in vars(one).values())) for one, order in orders]
    np.testing.assert_allclose(naive.log_energy(*mixed), naive.log_energy(a, b), rtol=1e-12, atol=1e-12)


@given(seeds, st.floats(-50, 50), st.sampled_from(COVARIANCES))
@quick
def test_energy_does_not_change_under_translation(seed, shift, covariance):
    a, b = random_pair(seed, K=2, D=3, covariance=covariance)
    moved = [naive.Mixture(one.means + shift, one.log_variances, one.scores) for one in (a, b)]
    np.testing.assert_allclose(naive.log_energy(*moved), naive.log_energy(a, b), rtol=1e-9, atol=1e-9)


@given(seeds)
@quick
def test_spherical_energy_does_not_change_under_rotation(seed):
    a, b = random_pair(seed, K=2, D=4)
    rotation = stats.ortho_group.rvs(4, random_state=seed)
    turned = [naive.Mixture(one.means @ rotation, one.log_variances, one.scores) for one in (a, b)]
    np.testing.assert_allclose(naive.log_energy(*turned), naive.log_energy(a, b), rtol=1e-10, atol=1e-10)


@given(seeds, st.floats(-100, 100))
@quick
def test_weights_do_not_change_when_all_scores_rise_alike(seed, rise):
    a, _ = random_pair(seed, K=4)
    risen = naive.Mixture(a.means, a.log_variances, a.scores + rise)
    np.testing.assert_allclose(risen.weights, np.exp(a.scores) / np.exp(a.scores).sum(), rtol=1e-12)


# The gradients ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("covariance", COVARIANCES)
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("triple", COINCIDENCES)
@pytest.mark.parametrize(("K", "D"), list(itertools.product((1, 2, 3), (1, 2, 5))))
def test_gradients_equal_finite_differences(K, D, triple, shared, covariance):
    tables = random_tables(10 * K + D, shared, K=K, D=D, covariance=covariance)
    margin = 40.0  # the hinge is active and far from its corner
    loss, gradients = naive.gradients(tables, window_of(triple), margin)
    assert loss == naive.triple_loss(tables, *triple, margin) > 1
    word, context, negative = triple
    outer = "input" if shared else "output"
    if context == negative:
        assert gradients == {}, "equal energies: what pulls at one pulls at the other"
    else:
        assert set(gradients) == {("input", word), (outer, context), (outer, negative)}
    for row, gradient in gradients.items():
        expected = finite_differences(tables, row, window_of(triple), margin)
        for parameter, values in vars(gradient).items():
            assert values.shape == getattr(getattr(tables, row[0]), parameter)[0].shape
            np.testing.assert_allclose(values, getattr(expected, parameter), rtol=1e-6, atol=1e-8)


WINDOWS = [
    naive.Window(0, [1, 2, 3], [4, 5, 6]),
    naive.Window(0, [1, 2, 1], [4, 4, 3, 2, 5, 6]),  # two negatives each; words come again in both roles
    naive.Window(0, [0, 2], [0, 4]),  # the centre among its own contexts and negatives
]


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("pooled", [False, True])
@pytest.mark.parametrize("window", WINDOWS)
def test_gradients_of_a_window_equal_finite_differences_of_its_loss(window, pooled, shared):
    window = dataclasses.replace(window, pooled=pooled)
    tables = random_tables(31, shared, V=7, K=2, D=3)
    loss, gradients = naive.gradients(tables, window, 2.0)
    active = [naive.triple_loss(tables, *triple, 2.0) > 0 for _, triple in window.triples()]
    assert loss > 0
    assert any(active)
    assert len(window.triples()) == len(window.negatives) * (len(window.contexts) if pooled else 1)
    for name, word in itertools.product(("input", "output"), range(7)):
        expected = finite_differences(tables, (name, word), window, 2.0)
        row = ("input", word) if shared else (name, word)
        found = gradients.get(row, expected.times(0.0))
        for parameter, values in vars(found).items():
            np.testing.assert_allclose(values, getattr(expected, parameter), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("covariance", COVARIANCES)
@pytest.mark.parametrize("variances", [(1e-6, 1e-6), (1e6, 1e6), (1e-6, 1e6), (1e6, 1e-6)])
def test_extreme_variances_stay_finite_and_have_the_right_gradients(variances, covariance):
    tables = random_tables(7, K=2, D=3, covariance=covariance, spread=0.02)
    tables.input.log_variances[:] = np.log(variances[0])
    tables.output.log_variances[:] = np.log(variances[1])
    loss, gradients = naive.gradients(tables, window_of((0, 1, 2)), 100.0)
    assert np.isfinite(loss)
    for row, gradient in gradients.items():
        expected = finite_differences(tables, row, window_of((0, 1, 2)), 100.0, step=1e-6)
        for parameter, values in vars(gradient).items():
            np.testing.assert_allclose(values, getattr(expected, parameter), rtol=1e-5, atol=1e-6)


def test_needles_far_apart_have_a_finite_energy():
    a, b = (naive.Mixture(np.full((2, 50), x), np.full(2, np.log(1e-6)), np.array([0.0, 800.0])) for x in (-9, 9))
    assert np.isfinite(naive.log_energy(a, b))
    assert naive.responsibilities(a, b).sum() == pytest.approx(1.0)


@given(seeds, st.sampled_from(COINCIDENCES), st.booleans(), st.sampled_from(COVARIANCES))
@quick
def test_score_gradients_of_a_row_and_mean_gradients_of_all_rows_sum_to_zero(seed, triple, shared, covariance):
    tables = random_tables(seed, shared, K=3, D=2, covariance=covariance)
    _, gradients = naive.gradients(tables, window_of(triple), 1000.0)
    for gradient in gradients.values():
        assert gradient.scores.sum() == pytest.approx(0.0, abs=1e-12)
    drift = sum((gradient.means.sum(axis=0) for gradient in gradients.values()), np.zeros(2))
    scale = 1.0 + max((np.abs(gradient.means).max() for gradient in gradients.values()), default=0.0)
    np.testing.assert_allclose(drift / scale, 0.0, atol=1e-12)


# The training step ------------------------------------------------------------------------------------------


def test_adagrad_by_hand_and_variances_held_inside_their_limits():
    table = naive.Table([[[1.0, -2.0]]], [[0.5]], [[0.25]])
    tables = naive.Tables(table, table)
    sums = tables.filled(10.0)
    gradient = naive.Mixture(np.array([[3.0, 0.0]]), np.array([-1.0]), np.array([2.0]))
    naive.adagrad_step(tables, sums, {("input", 0): gradient}, 0.1)
    np.testing.assert_allclose(table.means, [[[1.0 - 0.3 / np.sqrt(19), -2.0]]])
    np.testing.assert_allclose(table.log_variances, [[0.5 + 0.1 / np.sqrt(11)]])
    np.testing.assert_allclose(table.scores, [[0.25 - 0.2 / np.sqrt(14)]])
    np.testing.assert_allclose(sums.input.means, [[[19.0, 10.0]]])
    for limits, expected in (((1e-6, 1.1), np.log(1.1)), ((3.0, 1e6), np.log(3.0))):
        naive.adagrad_step(tables, sums, {("input", 0): gradient}, 0.1, limits)
        assert table.log_variances[0, 0] == expected


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("triple", COINCIDENCES)
def test_a_row_in_several_roles_gets_one_update_of_the_summed_gradient(triple, shared):
    tables = random_tables(8, shared, K=2, D=3)
    before, start = tables.copy(), 0.1
    sums = tables.filled(start)
    loss = naive.train_window(tables, sums, window_of(triple), 0.05, margin=40.0)
    assert loss == naive.triple_loss(before, *triple, 40.0)
    outer = "input" if shared else "output"
    for row in {("input", triple[0]), (outer, triple[1]), (outer, triple[2])}:
        expected = finite_differences(before, row, window_of(triple), 40.0)
        name, word = row
        for parameter, g in vars(expected).items():
            old, new, accumulator = (getattr(getattr(one, name), parameter)[word] for one in (before, tables, sums))
            np.testing.assert_allclose(accumulator, start + g * g, rtol=1e-6)
            np.testing.assert_allclose(new, old - 0.05 * g / np.sqrt(start + g * g), atol=1e-8)


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("triple", COINCIDENCES)
def test_only_the_rows_of_the_triple_change(triple, shared):
    tables = random_tables(9, shared, V=5)
    before = tables.copy()
    naive.train_window(tables, tables.filled(1.0), window_of(triple), 0.05, margin=40.0)
    for old, new in zip(arrays_of(before), arrays_of(tables), strict=True):
        np.testing.assert_array_equal(old[3:], new[3:])
    moved = triple[1] != triple[2]  # with the context as its own negative the two gradients cancel
    assert np.any(before.input.means != tables.input.means) == moved
    assert tables.shared == tables.filled(1.0).shared == before.shared == shared


def test_an_inactive_hinge_changes_nothing():
    tables = random_tables(10)
    tables.output.means[1] = tables.input.means[0]
    tables.output.means[2] = tables.input.means[0] + 50.0
    before, sums = tables.copy(), tables.filled(1.0)
    assert naive.train_window(tables, sums, window_of((0, 1, 2)), 0.05) == 0.0
    assert naive.gradients(tables, window_of((0, 1, 2)), 1.0) == (0.0, {})
    for old, new in zip(arrays_of(before), arrays_of(tables), strict=True):
        np.testing.assert_array_equal(old, new)
    assert all(np.all(values == 1.0) for values in arrays_of(sums))


@pytest.mark.parametrize("parameter", ["means", "log_variances", "scores"])
@pytest.mark.parametrize("place", [("input", 0), ("output", 1), ("output", 2)])
def test_a_nan_stays_visible(place, parameter):
    tables = random_tables(11)
    name, word = place
    getattr(getattr(tables, name), parameter)[word] = np.nan
    assert np.isnan(naive.train_window(tables, tables.filled(1.0), window_of((0, 1, 2)), 0.05))
    assert np.all(np.isnan(tables.input.means[0]))
    assert np.all(np.isnan(tables.input.log_variances[0]))
    assert np.all(np.isnan(getattr(getattr(tables, name), parameter)[word]))


def test_training_lowers_the_loss():
    tables = random_tables(12)
    sums = tables.filled(1.0)
    triples, rates = [(0, 1, 2), (1, 0, 2), (2, 2, 1)] * 20, np.linspace(0.1, 0.01, 60)
    steps = zip(triples, rates, strict=True)
    losses = np.array(
        [naive.train_window(tables, sums, window_of(triple), rate, margin=2.0) for triple, rate in steps]
    )
    assert losses[-3:].sum() < 0.5 * losses[:3].sum()


def test_tables_copy_float32_rows_and_leave_them_alone():
    means = np.zeros((2, 1, 2), dtype=np.float32)
    table = naive.Table(means, np.zeros((2, 1), np.float32), np.zeros((2, 1), np.float32))
    table.row(0).means += 1.0
    assert table.means.dtype == np.float64
    assert table.means[0].sum() == 2.0
    assert means.sum() == 0.0


def test_norms_are_held_and_directions_kept():
    row = naive.Mixture(np.array([[3.0, 4.0], [0.3, 0.4], [np.nan, 1.0]]), np.zeros(3), np.zeros(3))
    naive.hold_norms(row, 1.0)
    np.testing.assert_allclose(row.means[:2], [[0.6, 0.8], [0.3, 0.4]])
    assert np.isnan(row.means[2, 0])
