import re

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from w2gm.kernels import bits
from w2gm.kernels.jit import kernel

BYTES = st.binary(min_size=72, max_size=72) | st.text("aZ09'- .\n@[`{/:\x7f", min_size=72, max_size=72).map(
    str.encode
)


@kernel(allocates=False)
def window_kinds(text, i):
    return bits.window_kinds(text, i)


@kernel(allocates=False)
def eight_bytes(text, i):
    return bits.eight_bytes(text, i)


@kernel(allocates=False)
def trailing_zeros(number):
    return bits.trailing_zeros(number)


@kernel(allocates=False)
def prefetch_and_sum(table):
    total = 0
    for i in range(len(table)):
        bits.prefetch(table, i)
        total += table[i, 0]
    return total


def as_bits(pattern, data):
    found = sum(1 << match.start() for match in re.finditer(pattern, data))
    return found - (1 << 64) if found >> 63 else found


@pytest.mark.kernel
@given(BYTES, st.integers(0, 8))
@settings(max_examples=30, deadline=None)
@example(bytes(range(72)), 0)
@example(bytes(range(64, 136)), 8)
@example(bytes(range(184, 256)), 0)
def test_a_window_shows_letters_joints_line_ends_and_what_is_not_ascii(data, i):
    expected = tuple(as_bits(kind, data[i : i + 64]) for kind in (rb"[A-Za-z0-9]", rb"['-]", rb"\n", rb"[\x80-\xff]"))
    assert window_kinds(np.frombuffer(data, np.uint8), i) == expected


@pytest.mark.kernel
@given(BYTES, st.integers(0, 64))
@settings(max_examples=30, deadline=None)
def test_eight_bytes_are_a_number_that_sorts_as_they_do(data, i):
    assert eight_bytes(np.frombuffer(data, np.uint8), i) == np.frombuffer(data, ">i8", 1, i)[0]


@pytest.mark.kernel
@pytest.mark.parametrize(("number", "zeros"), [(0, 64), (1, 0), (-1, 0), (40, 3), (-(1 << 63), 63), (1 << 62, 62)])
def test_trailing_zeros_are_counted(number, zeros):
    assert trailing_zeros(number) == zeros


@pytest.mark.kernel
def test_prefetching_changes_nothing():
    assert prefetch_and_sum(np.arange(8).reshape(4, 2)) == 12
