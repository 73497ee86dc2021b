"""The demo itself: plant senses, train on the sentences, count the senses found."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from w2gm.demo.planted import PlantedCorpus
from w2gm.demo.recovery import Component, score
from w2gm.errors import ModelError, StorageError

if TYPE_CHECKING:
    from w2gm.training import Progress

# For 60,000 short sentences over 1,300 words, not for a language: a larger model needs Config's own defaults.
DEMO_SETTINGS: Mapping[str, Any] = MappingProxyType(
    {
        # A component for each of three topics and two to spare: components compete from the start, and one can
        # take two topics for good.
        "senses": 5,
        "vector_size": 14,
        "window": 10,
        "min_count": 5,
        "sample": 1e-3,
        "margin": 0.3,
        "alpha": 0.2,
        "initial_accumulator": 20.0,
        # In so few dimensions the topics need the room.
        "max_norm": 0.0,
        "epochs": 12,
    }
)


@dataclass(frozen=True)
class DemoResult:
    """What a demo found: the score, the components behind it, the time it took and where the model is."""

    recovered: float
    planted: int
    seconds: float
    model_path: Path
    rows: tuple[Component, ...]
    missed: tuple[tuple[str, str], ...]


def run(
    *,
    seed: int = 1,
    output: str | Path = "w2gm-demo-model",
    workers: int = 0,
    progress: Progress | bool = False,
) -> DemoResult:
    """Train on the planted corpus of `seed`, save the model to `output` and score it.

    The model of an earlier demo is replaced; anything else at `output` is refused (`StorageError`). With one
    worker the same seed gives the same result; with more it varies a little. `seconds` counts everything,
    compiling included.

    >>> import inspect
    >>> list(inspect.signature(run).parameters)
    ['seed', 'output', 'workers', 'progress']
    """
    from w2gm.training import train

    started = time.monotonic()
    place = Path(output)
    replace = _holds_a_demo(place)
    corpus = PlantedCorpus(seed)
    model = train(
        corpus, output=place, overwrite=replace, progress=progress, seed=seed, workers=workers, **DEMO_SETTINGS
    )
    recovery = score(model, corpus)
    return DemoResult(
        recovered=recovery.recovered,
        planted=recovery.planted,
        seconds=time.monotonic() - started,
        model_path=place,
        rows=recovery.rows,
        missed=recovery.missed,
    )


def _holds_a_demo(place: Path) -> bool:
    """Whether there is a folder to be replaced, empty or of an earlier demo; any other folder is refused."""
    if not place.is_dir():
        return False
    if not any(place.iterdir()):
        return True
    from w2gm.model import load

    try:
        config = load(place).config.to_dict()
    except ModelError:
        config = {}
    if any(config.get(name) != value for name, value in DEMO_SETTINGS.items()):
        raise StorageError(f"{place} exists and is not the model of a demo: choose another output, or move it away")
    return True
