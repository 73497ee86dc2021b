"""From one value an item to the figures of a set: for the pairs found and for all, each with its interval, x 100."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from w2gm.evaluation.datasets import Analogies, Dataset, Entailment, Pairs
from w2gm.evaluation.scores import Scores
from w2gm.evaluation.statistics import (
    RESAMPLES,
    SEED,
    Counts,
    detection,
    interval,
    resamples,
    share,
    spearman_of_each,
)

Doubles = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

DETECTION = ("accuracy", "f1", "ap")


def figures(dataset: Dataset, scores: Scores, times: int = RESAMPLES, seed: int = SEED) -> dict[str, Any]:
    """The figures of a set, by its kind; a score that is not available is None, one that is not defined NaN.

    Pairs: {"pairs", "found", "scores": {name: {"found", "low", "high", "all", "all_low", "all_high"}}}, Spearman's
    correlation. Entailment: {"pairs", "found", "direction", name: {"accuracy", "f1", "ap", each with _low and _high,
    "all": {the same}}}, best accuracy, best F1 and average precision; direction is the share of true pairs found
    whose KL is smaller forth than back. Analogies: {"questions", "found", name: as of pairs, with "semantic",
    "syntactic" and "sections"}, the share of right answers.
    """
    if isinstance(dataset, Analogies):
        return _of_analogies(dataset, scores, times, seed)
    names = [name for name, values in scores.values.items() if values is not None]
    available = [values for values in scores.values.values() if values is not None]
    rows = dict.fromkeys(scores.values)
    found = _intervals(dataset, available, scores.found, times, seed)
    every = found if scores.found.all() else _intervals(dataset, available, np.ones(len(dataset), bool), times, seed)
    rows |= {name: one | _named(dataset, other) for name, one, other in zip(names, found, every, strict=True)}
    head: dict[str, Any] = {"pairs": len(dataset), "found": int(scores.found.sum())}
    if not isinstance(dataset, Entailment):
        return head | {"scores": rows}
    return head | {"direction": _direction(dataset, scores)} | rows


def statistics(
    dataset: Dataset, values: Sequence[Doubles], items: Bools, counts: Counts | None
) -> list[list[Doubles]]:
    """The statistics of some items of a set, for each of several scores: [[(R,), ...], ...], 1 is the best.

    Spearman's correlation of pairs; accuracy, F1 and average precision of entailment; the share right of analogies.
    """
    chosen = [score[items] for score in values]
    if isinstance(dataset, Pairs):
        return [[row] for row in spearman_of_each(chosen, dataset.ratings[items], counts)]
    if isinstance(dataset, Entailment):
        return [list(detection(score, dataset.truth[items], counts)) for score in chosen]
    return [[share(score, counts)] for score in chosen]


def heads(dataset: Dataset) -> tuple[str, ...]:
    """The names of what `statistics` gives."""
    return DETECTION if isinstance(dataset, Entailment) else ("found",)


def _intervals(
    dataset: Dataset, values: Sequence[Doubles], items: Bools, times: int, seed: int
) -> list[dict[str, float]]:
    """For each score {head: figure x 100, head_low, head_high}; "low" and "high" where the head is "found"."""
    counts = resamples(int(items.sum()), times, seed)
    whole = statistics(dataset, values, items, None)
    drawn = statistics(dataset, values, items, counts)
    rows = []
    for figure, spread in zip(whole, drawn, strict=True):
        row: dict[str, float] = {}
        for head, value, resampled in zip(heads(dataset), figure, spread, strict=True):
            prefix = "" if head == "found" else f"{head}_"
            low, high = interval(100 * resampled)
            row |= {head: float(100 * value[0]), f"{prefix}low": low, f"{prefix}high": high}
        rows.append(row)
    return rows


def _direction(dataset: Entailment, scores: Scores) -> float | None:
    """Per cent of the true pairs found whose KL is smaller forth than back."""
    forth, back = (scores.values.get(name) for name in ("kl", "kl-reverse"))
    if forth is None or back is None:
        return None
    return float(100 * share((forth > back)[scores.found & dataset.truth])[0])


def _named(dataset: Dataset, every: dict[str, float]) -> dict[str, Any]:
    """The figures of all items, under the names they have beside those of the items found."""
    if isinstance(dataset, Entailment):
        return {"all": every}
    return {"all": every["found"], "all_low": every["low"], "all_high": every["high"]}


def _of_analogies(dataset: Analogies, scores: Scores, times: int, seed: int) -> dict[str, Any]:
    sections = np.array(dataset.sections)
    syntactic = np.char.startswith(sections, "gram")  # Google's names: gram1-adjective-to-adverb, ...
    rows: dict[str, Any] = {"questions": len(dataset), "found": int(scores.found.sum())}
    for name, right in scores.values.items():
        if right is None:
            rows[name] = None
            continue
        (found,) = _intervals(dataset, [right], scores.found, times, seed)
        (every,) = _intervals(dataset, [right], np.ones(len(dataset), bool), times, seed)
        rows[name] = found | _named(dataset, every)
        for kind, items in (("semantic", ~syntactic), ("syntactic", syntactic)):
            rows[name][kind] = float(100 * share(right[items & scores.found])[0])
        rows[name]["sections"] = {
            section: {
                "questions": int((sections == section).sum()),
                "found": int((known := (sections == section) & scores.found).sum()),
                "right": int(right[known].sum()),
            }
            for section in dict.fromkeys(dataset.sections)
        }
    return rows
