"""The compiler is noticed when it works, and only then."""

from __future__ import annotations

import numba
import pytest

from w2gm.kernels.notice import when_compiling

if numba.config.DISABLE_JIT:
    pytest.skip("there is no compiler to notice", allow_module_level=True)


def test_compiling_is_told_once_and_the_compiled_is_silent():
    @numba.njit
    def twice(x):
        return 2 * x

    told = []
    with when_compiling(lambda: told.append("compiling")):
        assert twice(1) == 2
        assert twice(1.5) == 3.0
    assert told == ["compiling"]
    with when_compiling(lambda: told.append("again")):
        assert twice(2) == 4
    assert told == ["compiling"]
