"""What every benchmark prints beside its figures: the machine, the versions, the commit."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path
from typing import Any

import numba
import numpy as np

import w2gm


def describe() -> dict[str, Any]:
    """The facts a figure is worth nothing without."""
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "w2gm": w2gm.__version__,
        "commit": _commit(),
    }


def _processor() -> str:
    facts = Path("/proc/cpuinfo")
    if facts.exists():
        for line in facts.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()


def _commit() -> str:
    root = Path(__file__).parent
    said = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=root, capture_output=True, text=True, check=False
    )
    return said.stdout.strip() or "unknown"
