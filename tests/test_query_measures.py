"""Measures between words: against the slow twin, over pairs and blocks, and what holds for all words."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate

import naive
import naive_mixtures
from test_model import make_model
from w2gm.errors import ConfigError, UnknownWordError
from w2gm.query import measures
from w2gm.query.measures import (
    MEASURES,
    measure,
    measure_all,
    measure_pairs,
    sense_matrix,
    senses_of,
    similarities,
    similarity,
)
from w2gm.query.overlap import jensen_shannon
from w2gm.query.sensepairs import Senses

COVARIANCES = ("spherical", "diagonal")
TWINS = {
    "mc": naive.mc,
    "el": naive.el,
    "el-paper": naive.el_paper,
    "me": naive.me,
    "kl": naive.kl,
    "avesim": naive.avesim,
    "w2": naive_mixtures.w2,
}
SYMMETRIC = tuple(name for name in MEASURES if name != "kl")
quick = settings(max_examples=40, deadline=None)
seeds = st.integers(0, 2**32 - 1)


def random_senses(seed, words=4, senses=2, vector_size=3, covariance="spherical"):
    random = np.random.default_rng(seed)
    shape = (words, senses, vector_size)
    return Senses(
        random.normal(size=shape),
        np.exp(random.normal(-0.5, 0.8, shape if covariance == "diagonal" else shape[:2])),
        random.dirichlet(np.ones(senses), words),
    )


def twin(words, number):
    return naive.Mixture(words.means[number], np.log(words.variances[number]), np.log(words.weights[number]))


def rows_of(words, rows):
    return Senses(*(part[rows] for part in words))


def assert_measures_equal_the_twins(values, a, b, tolerance=1e-10):
    for name, function in TWINS.items():
        expected = [function(twin(a, row), twin(b, row)) for row in range(len(b.means))]
        np.testing.assert_allclose(values[name], expected, rtol=tolerance, atol=tolerance, err_msg=name)


@pytest.mark.parametrize("covariance", COVARIANCES)
@pytest.mark.parametrize(("senses", "vector_size"), [((1, 1), 1), ((2, 2), 5), ((3, 1), 4), ((1, 4), 2)])
def test_measures_equal_the_slow_twins(senses, vector_size, covariance):
    a, b = (random_senses(number, 6, senses[number], vector_size, covariance) for number in (0, 1))
    assert_measures_equal_the_twins(measure_all(a, b), a, b)


def test_a_spherical_word_and_a_diagonal_one_are_compared_as_diagonal():
    a, b = random_senses(2, vector_size=4), random_senses(3, vector_size=4, covariance="diagonal")
    wide = a._replace(variances=np.repeat(a.variances[..., np.newaxis], 4, axis=-1))
    for one, other, expected in ((a, b, (wide, b)), (b, a, (b, wide))):
        for name, values in measure_all(one, other).items():
            np.testing.assert_allclose(values, measure(name, *expected), rtol=1e-12, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("block", [1, 2**7, 2**18])
def test_one_word_against_many_is_that_word_against_each_however_the_work_is_cut(monkeypatch, name, block):
    monkeypatch.setattr(measures, "_BLOCK", block)
    many, one = random_senses(4, words=9), random_senses(5, words=1, senses=1)
    repeated = rows_of(one, np.zeros(9, int))
    np.testing.assert_array_equal(measure(name, one, many), measure(name, repeated, many))
    np.testing.assert_array_equal(measure(name, many, one), measure(name, many, repeated))
    alone = [measure(name, one, rows_of(many, [row])).item() for row in range(9)]
    np.testing.assert_allclose(measure(name, one, many), alone, rtol=1e-13)


@pytest.mark.parametrize("covariance", COVARIANCES)
def test_pairs_of_ids_are_measured_as_their_words_in_every_block(monkeypatch, covariance):
    monkeypatch.setattr(measures, "_PAIRS_AT_ONCE", 5)
    model = make_model(12, senses=3, vector_size=4, covariance=covariance)
    pairs = np.random.default_rng(6).integers(0, 12, (23, 2)).astype(np.int32)
    pairs[3] = 7  # a word and itself
    a, b = (senses_of(model, pairs[:, side]) for side in (0, 1))
    assert a.means.dtype == a.variances.dtype == a.weights.dtype == np.float64
    values = measure_pairs(model, pairs)
    assert tuple(values) == MEASURES
    assert_measures_equal_the_twins(values, a, b, 1e-6)  # float32 weights do not sum to exactly 1
    np.testing.assert_array_equal(values["js"], measure("js", a, b))


def test_no_pairs_have_no_values():
    model = make_model(3)
    for empty in ([], np.empty((0, 2), int)):
        assert measure_pairs(model, empty, ["mc", "js"])["js"].shape == (0,)


def test_a_word_is_at_no_distance_from_itself():
    a = random_senses(7, senses=3)
    values = measure_all(a, a)
    for name in ("me", "kl", "w2", "js"):
        np.testing.assert_array_equal(values[name], np.zeros(4))
        assert not np.signbit(values[name]).any(), "a distance of nothing is no -0"
    np.testing.assert_allclose(values["mc"], 1.0, rtol=1e-15)


@given(seeds, st.sampled_from(COVARIANCES), st.integers(1, 3), st.integers(1, 3))
@quick
def test_all_but_kl_are_symmetric_and_kl_is_not(seed, covariance, senses, others):
    a = random_senses(seed, 3, senses, 3, covariance)
    b = random_senses(seed + 1, 3, others, 3, covariance)
    there, back = measure_all(a, b), measure_all(b, a)
    for name in SYMMETRIC:
        np.testing.assert_allclose(there[name], back[name], rtol=1e-10, atol=1e-12, err_msg=name)
    assert (there["kl"] != back["kl"]).all()


@given(seeds, st.permutations(range(3)), st.permutations(range(3)), st.sampled_from(COVARIANCES))
@quick
def test_the_order_of_senses_does_not_matter(seed, order_a, order_b, covariance):
    a, b = (random_senses(seed + number, 3, 3, 2, covariance) for number in (0, 1))
    mixed = (Senses(*(part[:, order] for part in word)) for word, order in ((a, order_a), (b, order_b)))
    expected = measure_all(a, b)
    for name, values in measure_all(*mixed).items():
        np.testing.assert_allclose(values, expected[name], rtol=1e-10, atol=1e-12, err_msg=name)


@given(seeds, st.floats(-50, 50), st.sampled_from(COVARIANCES))
@quick
def test_all_but_the_cosines_do_not_change_when_the_space_is_moved(seed, shift, covariance):
    a, b = (random_senses(seed + number, covariance=covariance) for number in (0, 1))
    moved = measure_all(*(word._replace(means=word.means + shift) for word in (a, b)))
    for name in set(MEASURES) - {"mc", "avesim"}:
        np.testing.assert_allclose(moved[name], measure(name, a, b), rtol=1e-9, atol=1e-9, err_msg=name)


@given(seeds, st.floats(0.01, 100))
@quick
def test_the_cosines_do_not_change_when_a_word_is_stretched(seed, factor):
    a, b = (random_senses(seed + number) for number in (0, 1))
    stretched = a._replace(means=a.means * factor)
    for name in ("mc", "avesim"):
        np.testing.assert_allclose(measure(name, stretched, b), measure(name, a, b), rtol=1e-9, atol=1e-12)


def test_a_sense_of_weight_zero_adds_nothing():
    a, b = random_senses(8, senses=2), random_senses(9, senses=2)
    a.weights[:] = [1.0, 0.0]
    alone = Senses(*(part[:, :1] for part in a))
    for name in ("el", "el-paper", "avesim", "js"):
        np.testing.assert_allclose(measure(name, a, b), measure(name, alone, b), rtol=1e-12, err_msg=name)


def test_a_zero_mean_has_cosine_zero():
    a, b = random_senses(10), random_senses(11)
    a.means[:] = 0
    values = measure_all(a, b)
    assert not values["mc"].any()
    assert not values["avesim"].any()
    assert_measures_equal_the_twins(values, a, b)


@pytest.mark.parametrize("part", ["means", "variances", "weights"])
@pytest.mark.parametrize("side", [0, 1])
def test_a_nan_stays_visible_in_its_own_pair(part, side):
    words = [random_senses(12), random_senses(13)]
    clean = measure_all(*words)
    getattr(words[side], part)[1, 0] = np.nan
    blind = {"means": (), "variances": ("mc", "avesim", "me"), "weights": ("mc", "me", "kl", "w2")}[part]
    for name, values in measure_all(*words).items():
        assert np.isnan(values[1]) == (name not in blind), name
        np.testing.assert_array_equal(np.delete(values, 1), np.delete(clean[name], 1))


def test_needles_far_apart_have_finite_measures():
    place = np.full((1, 2, 50), 9.0)
    a, b = (Senses(sign * place, np.full((1, 2), 1e-6), np.array([[1.0, 0.0]])) for sign in (1, -1))
    values = measure_all(a, b)
    assert all(np.isfinite(value).all() for value in values.values())
    assert values["js"].item() == pytest.approx(-np.log(2))


# Jensen-Shannon ---------------------------------------------------------------------------------------------


def js_by_quadrature(a, b):
    """The Jensen-Shannon divergence of two mixtures in one or two dimensions, on a grid."""
    axes = [np.linspace(-9, 9, 4001)] if a.means.shape[1] == 1 else [np.linspace(-8, 8, 201)] * 2
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)[..., np.newaxis, :]
    f, g = (np.zeros(points.shape[:-2]) for _ in (a, b))
    for density, word in ((f, a), (g, b)):
        squares = (points - word.means) ** 2 / word.variances + np.log(2 * np.pi * word.variances)
        density += (word.weights * np.exp(-0.5 * squares.sum(axis=-1))).sum(axis=-1)
    m = (f + g) / 2
    total = np.zeros_like(f)
    for density in (f, g):
        total += 0.5 * np.where(density > 0, density * np.log(np.maximum(density, 1e-300) / m.clip(1e-300)), 0)
    for axis in axes:
        total = integrate.simpson(total, x=axis, axis=0)
    return float(total)


@pytest.mark.parametrize("covariance", COVARIANCES)
@pytest.mark.parametrize(("dimensions", "typical", "worst"), [(1, 0.001, 0.003), (2, 0.007, 0.02)])
def test_jensen_shannon_is_near_its_integral_in_one_and_two_dimensions(dimensions, typical, worst, covariance):
    a, b = (random_senses(seed, 40, 2, dimensions, covariance) for seed in (20, 21))
    expected = [js_by_quadrature(twin(a, row), twin(b, row)) for row in range(40)]
    errors = jensen_shannon(a, b) - expected
    assert np.ptp(expected) > 0.3, "near pairs and far ones"
    assert np.sqrt(np.mean(errors**2)) < typical
    assert np.abs(errors).max() < worst


@pytest.mark.parametrize("dimensions", [5, 50, 300])
def test_jensen_shannon_of_two_spheres_is_that_of_their_line_in_any_direction(dimensions):
    apart = np.random.default_rng(25).normal(size=(40, 1, dimensions))
    apart *= 2 / np.linalg.norm(apart, axis=-1, keepdims=True)
    one = np.ones((40, 1))
    actual = jensen_shannon(Senses(np.zeros_like(apart), one, one), Senses(apart, one, one))
    here, there = (naive.Mixture(np.array([[place]]), np.zeros(1), np.zeros(1)) for place in (0.0, 2.0))
    np.testing.assert_allclose(actual, js_by_quadrature(here, there), atol=0.005)


@pytest.mark.parametrize("dimensions", [10, 50, 300])
def test_jensen_shannon_is_near_a_large_monte_carlo_in_many_dimensions(dimensions):
    a, b = (random_senses(seed, 3, 2, dimensions) for seed in (22, 23))
    a.variances[:] = b.variances[:] = np.exp(np.random.default_rng(24).normal(-2.5, 0.1, (3, 2)))
    near = Senses(a.means + 0.6 / np.sqrt(dimensions) * (b.means - a.means), a.variances, a.weights[:, ::-1])
    actual = jensen_shannon(a, near)
    for row in range(3):
        expected, error = naive_mixtures.js(twin(a, row), twin(near, row), samples=1500)
        assert -0.68 < expected < -0.1, "neither equal nor apart"
        assert -actual[row] == pytest.approx(expected, abs=0.02 + 3 * error)


@given(seeds, st.sampled_from(COVARIANCES))
@quick
def test_jensen_shannon_is_between_nothing_and_log_two(seed, covariance):
    a, b = (random_senses(seed + number, covariance=covariance) for number in (0, 1))
    divergences = jensen_shannon(a, b)
    assert (divergences > -0.02).all()
    assert (divergences <= np.log(2)).all()
    np.testing.assert_array_equal(jensen_shannon(a, a), 0)


# Words and senses of a model --------------------------------------------------------------------------------


def test_similarity_of_words_and_senses(tiny_model):
    assert tiny_model.similarity("bank", "river") == pytest.approx(
        tiny_model.most_similar("bank", topn=1)[0][2], abs=1e-6
    )
    assert tiny_model.similarity("bank:1", "river") < 0.5 < tiny_model.similarity("bank:0", "river")
    for name in MEASURES:
        values = measure_pairs(tiny_model, [[1, 2]], [name])[name]
        assert tiny_model.similarity("bank", "river", measure=name) == pytest.approx(values[0], rel=1e-6)


def test_similarities_are_all_measures_and_kl_both_ways(tiny_model):
    values = similarities(tiny_model, "bank", "money")
    assert values.pop("kl-reverse") == similarity(tiny_model, "money", "bank", "kl") != values["kl"]
    assert values == {name: similarity(tiny_model, "bank", "money", name) for name in MEASURES}
    assert set(similarities(tiny_model, "bank", "river", ["mc"])) == {"mc"}


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("covariance", COVARIANCES)
def test_a_sense_matrix_measures_each_sense_as_a_word_of_its_own(name, covariance):
    model = make_model(5, senses=3, vector_size=4, covariance=covariance)
    table = sense_matrix(model, "w1", "w4", name)
    assert table.shape == (3, 3)
    for i in range(3):
        np.testing.assert_allclose(sense_matrix(model, f"w1:{i}", "w4", name), table[i : i + 1])
        for j in range(3):
            assert table[i, j] == pytest.approx(similarity(model, f"w1:{i}", f"w4:{j}", name), rel=1e-12)


def test_the_best_of_a_sense_matrix_is_the_measure_of_the_words():
    model = make_model(5, senses=3)
    for name in ("mc", "me", "kl", "w2"):
        assert sense_matrix(model, "w1", "w4", name).max() == similarity(model, "w1", "w4", name)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("cosine", "unknown measure 'cosine'; accepted: mc, el, el-paper, me, kl, avesim, w2, js"),
        ("EL_paper", "unknown measure 'EL_paper'; did you mean el-paper? accepted: mc, el, el-paper, "),
        ("avgsim", "unknown measure 'avgsim'; did you mean avesim? accepted: mc, "),
    ],
)
def test_an_unknown_measure_names_the_closest_and_the_accepted_ones(tiny_model, name, message):
    words = senses_of(tiny_model, [1])
    for call in (
        lambda: tiny_model.similarity("bank", "river", measure=name),
        lambda: measure(name, words, words),
        lambda: measure_pairs(tiny_model, [], [name]),
        lambda: sense_matrix(tiny_model, "bank", "river", name),
    ):
        with pytest.raises(ConfigError) as caught:
            call()
        assert str(caught.value).startswith(message)


def test_unknown_words_are_named_with_the_closest(tiny_model):
    for call in (tiny_model.similarity, lambda a, b: sense_matrix(tiny_model, a, b, "mc")):
        with pytest.raises(UnknownWordError, match=r"^unknown word 'rivver'; closest known words: river$"):
            call("bank", "rivver")
        with pytest.raises(UnknownWordError, match=r"^'bank' has no sense 2; this model has senses 0 to 1"):
            call("bank:2", "river")


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([1, 2], r"^pairs must be word ids of shape \(N, 2\), got int64 of shape \(2,\)$"),
        ([[1, 2, 3]], r"^pairs must be word ids of shape \(N, 2\), got int64 of shape \(1, 3\)$"),
        ([[1.0, 2.0]], r"^pairs must be word ids of shape \(N, 2\), got float64 of shape \(1, 2\)$"),
        ([[0, 8]], "^pairs must hold word ids from 0 to 7, got 8$"),
        ([[-1, 7]], "^pairs must hold word ids from 0 to 7, got -1$"),
    ],
)
def test_pairs_that_cannot_be_are_refused(tiny_model, pairs, message):
    with pytest.raises(ConfigError, match=message):
        measure_pairs(tiny_model, pairs)


def test_words_that_do_not_go_together_are_refused():
    a = random_senses(24, words=3)
    for function in (lambda one, other: measure("mc", one, other), jensen_shannon):
        with pytest.raises(ConfigError, match=r"^3 words cannot be paired with 2: give as many of both, or one$"):
            function(a, random_senses(25, words=2))
        with pytest.raises(ConfigError, match=r"^means of 3 and of 5 dimensions cannot be compared: both must be"):
            function(a, random_senses(25, words=3, vector_size=5))
