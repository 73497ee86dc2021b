"""The three arrays and their invariants: every way to break one is named."""

import dataclasses

import numpy as np
import pytest

from test_model import make_mixtures
from w2gm.errors import ModelError
from w2gm.model import Mixtures


def changed(name, index, value, covariance="spherical"):
    mixtures = make_mixtures(4, covariance=covariance)
    array = getattr(mixtures, name).copy()
    array[index] = value
    return dataclasses.replace(mixtures, **{name: array})


def test_shapes_tell_what_the_mixtures_are():
    spherical, diagonal = make_mixtures(4, 3, 7), make_mixtures(4, 3, 7, covariance="diagonal")
    assert (spherical.words, spherical.senses, spherical.vector_size) == (4, 3, 7)
    assert (spherical.covariance, diagonal.covariance) == ("spherical", "diagonal")
    assert spherical.variances.shape == (4, 3)
    np.testing.assert_array_equal(diagonal.variances, np.exp(diagonal.log_variances))


def test_nothing_is_copied_and_the_givers_array_stays_writable():
    means = np.zeros((2, 2, 3), dtype=np.float32)
    flat = np.full((2, 2), 0.5, dtype=np.float32)
    mixtures = Mixtures(means, flat, flat)
    means[0] = 1
    assert mixtures.means[0, 0, 0] == 1
    assert not mixtures.means.flags.writeable


@pytest.mark.parametrize("covariance", ["spherical", "diagonal"])
def test_sound_mixtures_pass(covariance):
    make_mixtures(4, covariance=covariance).check()


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"means": np.zeros((2, 2, 3))}, r"means must be a float32 array, got float64"),
        ({"weights": [[1.0]]}, r"weights must be a float32 array, got list"),
        ({"means": np.zeros((2, 2), np.float32)}, r"means must have shape \(words, senses, dimensions\).*\(2, 2\)"),
        ({"means": np.zeros((0, 2, 3), np.float32)}, r"each at least 1, got \(0, 2, 3\)"),
        ({"weights": np.zeros((2, 3), np.float32)}, r"weights must have shape \(2, 2\).*got \(2, 3\)"),
        (
            {"log_variances": np.zeros((2, 2, 4), np.float32)},
            r"log_variances must have shape \(2, 2\) \(spherical\) or \(2, 2, 3\) \(diagonal\).*got \(2, 2, 4\)",
        ),
    ],
)
def test_arrays_that_do_not_fit_are_named(arrays, message):
    good = {
        "means": np.zeros((2, 2, 3), np.float32),
        "log_variances": np.zeros((2, 2), np.float32),
        "weights": np.full((2, 2), 0.5, np.float32),
    }
    with pytest.raises(ModelError, match=message):
        Mixtures(**(good | arrays))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", ["means", "log_variances", "weights"])
@pytest.mark.parametrize("covariance", ["spherical", "diagonal"])
def test_a_value_that_is_not_finite_is_found(name, value, covariance):
    with pytest.raises(ModelError, match=rf"{name} of word 3 hold {value}: every value must be finite"):
        changed(name, (3, 1), value, covariance).check()


def test_a_fault_is_found_beyond_the_first_piece():
    mixtures = make_mixtures(70_000, 1, 1)
    means = mixtures.means.copy()
    means[69_999] = np.nan
    with pytest.raises(ModelError, match=r"means of word 69999 hold nan"):
        dataclasses.replace(mixtures, means=means).check()


@pytest.mark.parametrize("value", [200.0, -200.0])
def test_a_log_variance_whose_variance_is_no_number_is_found(value):
    with pytest.raises(ModelError, match=rf"log_variances of word 1 hold {value:g}: the variance must be a positive"):
        changed("log_variances", (1, 0), value).check()


def test_weights_must_be_positive_and_sum_to_one():
    with pytest.raises(ModelError, match=r"weights of word 2 hold 0: all must be positive"):
        changed("weights", 2, [0, 1]).check()
    with pytest.raises(ModelError, match=r"weights of word 2 hold -0\.5: all must be positive"):
        changed("weights", 2, [1.5, -0.5]).check()
    with pytest.raises(ModelError, match=r"weights of word 2 sum to 1\.2: they must sum to 1"):
        changed("weights", 2, [0.6, 0.6]).check()
