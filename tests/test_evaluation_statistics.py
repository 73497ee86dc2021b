"""Ranks, thresholds and resampling against SciPy and brute force; ties, NaN, and data of no use."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

import naive_evaluation as naive
from w2gm.evaluation.statistics import (
    detection,
    interval,
    resamples,
    share,
    spearman,
    spearman_of_each,
    two_sided_p,
)

values = st.lists(st.integers(-3, 3).map(float) | st.floats(-1e6, 1e6), min_size=2, max_size=40)


@given(values, st.randoms(use_true_random=False))
def test_spearman_equals_scipy_with_ties_and_without(x: list[float], random: object) -> None:
    y = [random.choice([1.0, 2.0, 3.0, value]) for value in x]  # type: ignore[attr-defined]
    if len(set(x)) < 2 or len(set(y)) < 2:
        assert math.isnan(spearman(x, y)[0])
    else:
        assert spearman(x, y)[0] == pytest.approx(spearmanr(x, y)[0], abs=1e-12)


def test_each_resample_is_the_statistic_of_the_items_drawn() -> None:
    draw = np.random.default_rng(5)
    x, y, truth = draw.integers(0, 9, 30).astype(float), draw.integers(0, 5, 30).astype(float), draw.random(30) < 0.4
    counts = resamples(30, times=40, seed=7)
    drawn = np.random.default_rng(7)
    for row, found, told in zip(
        counts, spearman(x, y, counts), zip(*detection(x, truth, counts), strict=True), strict=True
    ):
        items = drawn.integers(0, 30, 30)
        np.testing.assert_array_equal(row, np.bincount(items, minlength=30))
        assert found == pytest.approx(spearmanr(x[items], y[items])[0], abs=1e-12)
        assert told == pytest.approx(naive.detection(x[items], truth[items]), abs=1e-12)
        assert share(y, row[np.newaxis])[0] == pytest.approx(y[items].mean())


def test_many_resamples_in_blocks_are_the_same_as_one_by_one() -> None:
    x, y = np.random.default_rng(1).normal(size=(2, 5000))
    counts = resamples(5000, times=60)
    whole = spearman_of_each([x, y, x * np.nan], y, counts)
    assert np.isnan(whole[2]).all()
    np.testing.assert_allclose(whole[1], 1)
    np.testing.assert_allclose(whole[0], [spearman(x, y, row[np.newaxis])[0] for row in counts], atol=1e-12)


def test_best_thresholds_equal_brute_force_over_all_thresholds() -> None:
    draw = np.random.default_rng(2)
    for _ in range(50):
        scores, truth = draw.integers(0, 8, 40).astype(float), draw.random(40) < 0.4
        calls = [scores >= threshold for threshold in [*np.unique(scores), np.inf]]
        accuracy = max(np.mean(call == truth) for call in calls)
        f1 = max(2 * np.sum(call & truth) / max(1, call.sum() + truth.sum()) for call in calls)
        found = detection(scores, truth)
        assert found.accuracy[0] == pytest.approx(accuracy)
        assert found.f1[0] == pytest.approx(f1)


def test_average_precision_is_the_mean_precision_at_each_hit_where_no_scores_are_equal() -> None:
    truth = np.array([True, True, False, True, False, False, True])
    precisions = [1 / 1, 2 / 2, 3 / 4, 4 / 7]
    assert detection(-np.arange(7.0), truth).ap[0] == pytest.approx(np.mean(precisions))


def test_equal_scores_cannot_be_parted() -> None:
    found = detection([1, 1, 1, 1], [True, False, False, False])
    assert (found.accuracy[0], found.f1[0], found.ap[0]) == pytest.approx((0.75, 0.4, 0.25))


def test_a_nan_makes_a_statistic_nan_and_never_disappears() -> None:
    assert math.isnan(spearman([1, math.nan, 3], [1, 2, 3])[0])
    assert math.isnan(spearman([1, 2, 3], [1, math.nan, 3])[0])
    assert all(math.isnan(value[0]) for value in detection([1, math.nan], [True, False]))


@pytest.mark.parametrize(("x", "y"), [([], []), ([1], [2]), ([1, 1], [1, 2]), ([1, 2], [3, 3])])
def test_too_little_data_has_no_correlation(x: list[float], y: list[float]) -> None:
    assert math.isnan(spearman(x, y)[0])
    assert all(math.isnan(value) for value in interval(spearman(x, y, resamples(len(x), 5))))


def test_no_items_have_neither_thresholds_nor_a_share() -> None:
    assert all(math.isnan(value[0]) for value in detection([], []))
    assert math.isnan(share([])[0])
    assert resamples(0, 5).shape == (5, 0)


def test_no_true_item_leaves_no_average_precision() -> None:
    found = detection([0.3, 0.1], [False, False])
    assert (found.accuracy[0], found.f1[0]) == (1.0, 0.0)
    assert math.isnan(found.ap[0])


def test_an_interval_covers_the_truth_about_95_times_in_100() -> None:
    draw = np.random.default_rng(11)
    inside = 0
    for seed in range(200):
        x = draw.normal(size=80)
        low, high = interval(share(x, resamples(80, times=200, seed=seed)))
        inside += low <= 0 <= high
    assert 180 <= inside <= 199


def test_p_is_small_only_where_the_difference_is_clear() -> None:
    assert two_sided_p(np.arange(-50.0, 51)) == pytest.approx(1.0)
    assert two_sided_p(np.arange(1.0, 1000)) == pytest.approx(2 / 1000)
    assert two_sided_p(-np.arange(1.0, 1000)) == pytest.approx(2 / 1000)
    assert two_sided_p(np.zeros(9)) == 1.0
    assert math.isnan(two_sided_p(np.array([math.nan])))
