"""The tables before and after training."""

from __future__ import annotations

import math

import numpy as np
import pytest

import naive
from kernel_tables import accumulators, parameters, to_naive
from w2gm.config import Config
from w2gm.training.tables import initial_tables, layout_of, mixtures_of, move_origin, table_bytes

CONFIGS = [
    Config(senses=K, vector_size=D, covariance=covariance, separate_output=separate)
    for K, D in ((1, 3), (2, 50), (3, 16))
    for covariance in ("spherical", "diagonal")
    for separate in (True, False)
]


@pytest.mark.parametrize("config", CONFIGS)
def test_tables_start_as_the_configuration_says(config):
    words, layout = 500, layout_of(config)
    tables = initial_tables(words, config)
    reach = config.init_scale * math.sqrt(3 / config.vector_size)
    for rows in (tables.input, tables.output):
        start, sums = parameters(rows, layout), accumulators(rows, layout)
        assert np.abs(start.means).max() <= reach * (1 + 1e-6)
        assert np.abs(start.means).max() > reach * 0.98
        assert start.means.std() == pytest.approx(reach / math.sqrt(3), rel=0.05)
        assert abs(start.means.mean()) < reach / 10
        np.testing.assert_allclose(start.log_variances, math.log(config.init_variance), rtol=1e-6)
        assert not start.scores.any()
        for part in (sums.means, sums.log_variances, sums.scores):
            np.testing.assert_array_equal(part, config.initial_accumulator)
    assert tables.shared is not config.separate_output
    assert (tables.input is tables.output) is tables.shared


@pytest.mark.parametrize("config", CONFIGS)
def test_mixtures_are_the_parameters_without_padding(config):
    layout, tables = layout_of(config), initial_tables(100, config)
    tables.input[:, layout.scores] = np.random.default_rng(0).normal(size=100)
    mixtures, wanted = mixtures_of(tables.input, layout), parameters(tables.input, layout)
    np.testing.assert_array_equal(mixtures.means, wanted.means.astype(np.float32))
    np.testing.assert_array_equal(mixtures.log_variances, wanted.log_variances.astype(np.float32))
    assert mixtures.means.shape == (100, config.senses, config.vector_size)
    np.testing.assert_allclose(mixtures.weights, 1 / config.senses)


def test_seeds_decide_the_start():
    one, same, other = (initial_tables(50, Config(seed=seed)).input for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()


def test_input_and_output_start_apart():
    tables = initial_tables(50, Config())
    assert (tables.input != tables.output).any()


@pytest.mark.parametrize("config", CONFIGS)
def test_memory_is_foreseen(config):
    tables = initial_tables(300, config)
    held = tables.input.nbytes + (0 if tables.shared else tables.output.nbytes)
    assert table_bytes(300, config) == held


def test_rows_start_on_cache_lines():
    for rows in initial_tables(7, Config())[:2]:
        assert rows.ctypes.data % 64 == 0
        assert rows.strides[0] % 64 == 0


@pytest.mark.parametrize("config", CONFIGS)
def test_moving_the_origin_centres_the_input_words_and_keeps_every_energy(config):
    layout, tables = layout_of(config), initial_tables(40, config)
    before, _ = to_naive(tables, layout)
    move_origin(tables, layout)
    after, _ = to_naive(tables, layout)
    np.testing.assert_allclose(after.input.means.mean(axis=(0, 1)), 0, atol=1e-7)
    assert np.abs(before.input.means.mean(axis=(0, 1))).max() > 1e-4
    for word, other in ((0, 1), (5, 5), (39, 2)):
        wanted = naive.log_energy(before.input.row(word), before.output.row(other))
        assert naive.log_energy(after.input.row(word), after.output.row(other)) == pytest.approx(wanted, abs=1e-4)
    padding = tables.input[:, layout.vector_size : layout.padded]
    assert not padding.any(), "the padding stays zero"
