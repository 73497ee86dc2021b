"""The SIMD room, operation by operation, against NumPy, for every width of register."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

from w2gm.kernels.choice import best_trainer, processor_features, register_lanes
from w2gm.kernels.general import make_trainer
from w2gm.kernels.layout import row_layout
from w2gm.kernels.vectors import make_vector_trainer

if numba.config.DISABLE_JIT:
    pytest.skip("vectors need the compiler", allow_module_level=True)

from w2gm.kernels import simd
from w2gm.kernels.jit import kernel

f32 = np.float32
WIDTHS = (4, 8, 16, 32)
lanes_matter = pytest.mark.parametrize("n", WIDTHS)


def draws(n, seed=0, low=-3.0, high=3.0):
    return np.random.default_rng(seed).uniform(low, high, n).astype(np.float32)


@lanes_matter
def test_arithmetic_is_lane_by_lane(n):
    @kernel
    def arithmetic(u, v, out):
        x, y = simd.load(u, 0, n), simd.load(v, 0, n)
        simd.store(out, 0, x + y)
        simd.store(out, n, x - y)
        simd.store(out, 2 * n, x * y)
        simd.store(out, 3 * n, x / y)

    u, v, out = draws(n, 1), draws(n, 2), np.zeros(4 * n, f32)
    arithmetic(u, v, out)
    np.testing.assert_allclose(out, np.concatenate([u + v, u - v, u * v, u / v]), rtol=1e-6)


@lanes_matter
def test_numbers_stand_for_vectors_of_themselves(n):
    @kernel
    def affine(u, scale, out):
        simd.store(out, 0, 2 * simd.load(u, 0, n) - scale)

    u, out = draws(n), np.zeros(n, f32)
    affine(u, f32(0.5), out)
    np.testing.assert_allclose(out, 2 * u - f32(0.5), rtol=1e-6)


@lanes_matter
def test_load_and_store_touch_their_floats_only(n):
    @kernel
    def copy(u, at, out, to):
        simd.prefetch(u, at)
        simd.store(out, to, simd.load(u, at, n))

    u, out = draws(n + 9), np.full(n + 9, 7, f32)
    copy(u, 5, out, 3)
    np.testing.assert_array_equal(out, np.concatenate([np.full(3, 7, f32), u[5 : 5 + n], np.full(6, 7, f32)]))


@lanes_matter
def test_the_example_of_a_vector_gives_its_width(n):
    @kernel
    def copy(u, out):
        example = simd.broadcast(f32(0), n)
        simd.store(out, 0, simd.load(u, 0, example) + simd.broadcast(f32(1), example))

    u, out = draws(n), np.zeros(n, f32)
    copy(u, out)
    np.testing.assert_array_equal(out, u + f32(1))


def test_a_stack_gives_its_size():
    @kernel
    def size():
        return simd.size_of(simd.stack(6, 4))

    assert size() == 6


@lanes_matter
def test_masks_choose_lanes(n):
    @kernel
    def choose(u, v, out):
        simd.store(out, 0, simd.where(simd.mask(1, 3, n), simd.load(u, 0, n), simd.load(v, 0, n)))

    u, v, out = draws(n, 1), draws(n, 2), np.zeros(n, f32)
    choose(u, v, out)
    np.testing.assert_array_equal(out, np.where((np.arange(n) >= 1) & (np.arange(n) < 3), u, v))


@lanes_matter
def test_single_lanes_are_read(n):
    @kernel
    def read(u, k):
        return simd.load(u, 0, n)[k]

    u = draws(n)
    assert [read(u, k) for k in range(n)] == u.tolist()


@lanes_matter
def test_limits_hold_values_and_let_a_nan_through(n):
    @kernel
    def limited(u, out):
        simd.store(out, 0, simd.ceil_at(simd.floor_at(simd.load(u, 0, n), -1.0), f32(1)))

    u, out = draws(n), np.zeros(n, f32)
    u[1] = np.nan
    limited(u, out)
    np.testing.assert_array_equal(out, np.clip(u, -1, 1))
    assert np.isnan(out[1])


def test_shuffle_takes_lanes_of_both_and_adds_lists():
    @kernel
    def shuffled(u, v, out):
        x, y = simd.load(u, 0, 4), simd.load(v, 0, 4)
        simd.store(out, 0, simd.shuffle(x, y, "7 0 0 5"))
        simd.store(out, 4, simd.shuffle(x, y, "0 1 + 4 5 + 2 2") + simd.shuffle(x, y, "3 3"))

    u, v, out = draws(4, 1), draws(4, 2), np.zeros(8, f32)
    shuffled(u, v, out)
    np.testing.assert_array_equal(out[:4], [v[3], u[0], u[0], v[1]])
    np.testing.assert_allclose(out[4:6], [u[0] + v[0] + u[2] + u[3], u[1] + v[1] + u[2] + u[3]], rtol=1e-6)


@lanes_matter
def test_totals_across_lanes(n):
    @kernel
    def reduce(u, out):
        x = simd.load(u, 0, n)
        out[0] = simd.total(x)
        out[1] = simd.highest(x)
        simd.store(out, 2, simd.group_total(x, 4))
        simd.store(out, 2 + n, simd.group_highest(x, 2))

    u, out = draws(n), np.zeros(2 + 2 * n, f32)
    reduce(u, out)
    assert out[0] == pytest.approx(u.sum(), rel=1e-5, abs=1e-5)
    assert out[1] == u.max()
    np.testing.assert_allclose(out[2 : 2 + n], np.repeat(u.reshape(-1, 4).sum(axis=1), 4), rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(out[2 + n :], np.repeat(u.reshape(-1, 2).max(axis=1), 2))


@pytest.mark.parametrize("size", [1, 2, 4, 5, 9, 16, 25])
@pytest.mark.parametrize("n", [4, 8, 16])
def test_totals_of_a_stack_are_the_sums_of_its_vectors_then_zeros(size, n):
    @kernel
    def sums(u, out):
        stacked = simd.stack(size, n)
        for k in range(size):
            stacked[k] = simd.load(u, k * n, n)
        simd.store(out, 0, simd.totals(stacked))

    u, out = draws(size * n), np.full(32, 7, f32)
    sums(u, out)
    filled = 1 << (size - 1).bit_length()
    np.testing.assert_allclose(out[:size], u.reshape(size, n).sum(axis=1), rtol=1e-4, atol=1e-5)
    assert (out[size:filled] == 0).all()
    assert (out[filled:] == 7).all()


@kernel
def _functions(x, exps, logs, roots, sums):
    for k in range(0, x.shape[0], 16):
        v = simd.load(x, k, 16)
        simd.store(exps, k, simd.exp(v))
        simd.store(logs, k, simd.log(v))
        simd.store(roots, k, simd.reciprocal_root(v))
        simd.store(sums, k, simd.fma(v, v, 1.0))


def functions_of(x):
    results = [np.zeros_like(x) for _ in range(4)]
    _functions(x, *results)
    return results


def test_exp_is_exact_to_3e_7():
    x = np.linspace(-87, 88, 160_000).astype(f32)
    exact = np.exp(x.astype(np.float64))
    assert np.abs(functions_of(x)[0] / exact - 1).max() < 3e-7


def test_exp_below_its_range_is_next_to_nothing():
    x = np.full(16, -1000, f32)
    assert functions_of(x)[0].max() < 2e-38


def test_log_is_exact_to_1e_6():
    x = np.geomspace(1e-37, 1e37, 160_000).astype(f32)
    exact = np.log(x.astype(np.float64))
    error = np.abs(functions_of(x)[1] - exact)
    assert (error / np.maximum(1, np.abs(exact))).max() < 3e-7
    near_one = np.linspace(0.5, 2, 160_000).astype(f32)
    assert np.abs(functions_of(near_one)[1] - np.log(near_one.astype(np.float64))).max() < 2e-7


def test_reciprocal_roots_are_newton_exact():
    x = np.geomspace(1e-30, 1e30, 160_000).astype(f32)
    exact = 1 / np.sqrt(x.astype(np.float64))
    assert np.abs(functions_of(x)[2] / exact - 1).max() < 3e-7


def test_fma_is_a_product_and_a_sum():
    x = draws(1600)
    np.testing.assert_allclose(functions_of(x)[3], x * x + 1, rtol=1e-6)


def test_functions_let_a_nan_through():
    x = np.full(16, np.nan, f32)
    for result in functions_of(x):
        assert np.isnan(result).all()


def test_registers_decide_the_lanes():
    assert register_lanes({"sse2"}) == 4
    assert register_lanes({"avx", "avx2"}) == 8
    assert register_lanes({"avx2", "avx512f"}) == 16
    assert processor_features(), "a processor without any feature"


def test_what_does_not_fit_vectors_is_trained_in_loops():
    for covariance in ("spherical", "diagonal"):
        many, few = row_layout(7, 5, covariance), row_layout(6, 5, covariance)
        assert best_trainer(many, shared=False, pooled=True) is make_trainer(many)
        lanes = register_lanes(processor_features())
        assert best_trainer(few, True, False) is make_vector_trainer(few, True, False, lanes)


PORTABLE = """
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np
from w2gm.kernels.choice import processor_features, register_lanes
from w2gm.kernels.layout import row_layout
from w2gm.kernels.vectors import make_vector_trainer
from kernel_tables import random_tables
from test_kernels_step import assert_two_words_train_as_the_oracle, random_triples
assert register_lanes(processor_features()) == int(sys.argv[2])
layout = row_layout(2, 20, "spherical")
train = make_vector_trainer(layout, False, False, int(sys.argv[2]))
triples = random_triples(np.random.default_rng(1), 10)
assert_two_words_train_as_the_oracle(train, layout, random_tables(7, layout, seed=1), triples)
print("equal")
"""


@pytest.mark.skipif("sse2" not in processor_features(), reason="emulates narrower x86 processors")
@pytest.mark.parametrize(("features", "lanes"), [("+sse2", 4), ("+sse2,+sse4.2,+avx,+avx2,+fma", 8)])
def test_narrower_processors_train_as_the_oracle(features, lanes, tmp_path):
    """Compiled for a processor without AVX-512, and without AVX: other instructions, the same results."""
    environment = {
        **os.environ,
        "NUMBA_CPU_NAME": "generic",
        "NUMBA_CPU_FEATURES": features,
        "NUMBA_CACHE_DIR": str(tmp_path),
    }
    here = str(Path(__file__).parent)
    done = subprocess.run(
        [sys.executable, "-c", PORTABLE, here, str(lanes)], env=environment, capture_output=True, text=True
    )
    assert done.stdout.strip() == "equal", done.stderr
