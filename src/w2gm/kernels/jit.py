"""The one place that names the compiler's flags and its cache."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

# Fast maths without `nnan` and `ninf`: a NaN must stay visible. Measured: no slower than all of fast maths.
FAST_MATHS = {"nsz", "arcp", "contract", "afn", "reassoc"}

_FLAGS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "boundscheck": False,
    "fastmath": FAST_MATHS,
}

# A helper is compiled into the kernel that calls it.
inlined = numba.njit(forceinline=True, **_FLAGS)


def kernel(function: Callable[..., Any] | None = None, *, allocates: bool = True) -> Callable[..., Any]:
    """Compile a function that is called from Python threads: without the interpreter's lock, cached on disk.

    `@kernel(allocates=False)` compiles one that makes no arrays (it could not) without counting references to them.
    Numba counts, atomically, whenever an array is taken out of a tuple.

    Numba notices a change of the file a kernel is written in, but not of the helpers compiled into it. Stale
    machine code would be a wrong answer, so the cache is marked with a digest of this whole room instead.
    """
    if function is None:
        return functools.partial(kernel, allocates=allocates)
    dispatcher = numba.njit(cache=True, _nrt=allocates, **_FLAGS)(function)
    if not numba.config.DISABLE_JIT:
        dispatcher._cache._cache_file._source_stamp = _SOURCES
    return dispatcher


def _digest_of_sources() -> str:
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


_SOURCES = _digest_of_sources()
