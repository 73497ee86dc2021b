"""The one place that names the compiler's flags."""

from __future__ import annotations

import numba

# Fast maths without `nnan` and `ninf`: a NaN must stay visible. Measured: no slower than all of fast maths.
FAST_MATHS = {"nsz", "arcp", "contract", "afn", "reassoc"}

# A kernel is called from Python threads: it releases the interpreter's lock and is cached on disk.
kernel = numba.njit(nogil=True, cache=True, error_model="numpy", boundscheck=False, fastmath=FAST_MATHS)

# A helper is compiled into the kernel that calls it.
inlined = numba.njit(nogil=True, error_model="numpy", boundscheck=False, fastmath=FAST_MATHS, forceinline=True)
