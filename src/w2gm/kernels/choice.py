"""Which kernel trains a layout on this processor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import numba

from w2gm.kernels.general import make_trainer
from w2gm.kernels.layout import Layout
from w2gm.kernels.vectors import make_vector_trainer

# Beyond this the pairs of a triple outgrow the registers, and compilation takes longer than it saves.
MOST_SENSES_IN_VECTORS = 6


def best_trainer(layout: Layout, shared: bool, pooled: bool) -> Callable[..., Any]:
    """The fastest steps over a chunk there are for a layout: vectors where they fit, plain loops elsewhere."""
    if layout.senses > MOST_SENSES_IN_VECTORS or numba.config.DISABLE_JIT:
        return make_trainer(layout)
    return make_vector_trainer(layout, shared, pooled, register_lanes(processor_features()))


def register_lanes(features: set[str]) -> int:
    """Floats in the widest vector register of a processor with these features.

    >>> register_lanes({"sse2", "avx2", "avx512f"}), register_lanes({"sse2", "avx2"}), register_lanes({"neon"})
    (16, 8, 4)
    """
    if "avx512f" in features:
        return 16
    return 8 if "avx2" in features else 4


def processor_features() -> set[str]:
    """The features that code is compiled for: this processor's, or what NUMBA_CPU_FEATURES says."""
    stated = numba.config.CPU_FEATURES
    if stated is not None:
        return {feature[1:] for feature in stated.split(",") if feature.startswith("+")}
    if numba.config.CPU_NAME == "generic":
        return set()
    return {feature for feature, there in llvm.get_host_cpu_features().items() if there}
