"""Several models side by side on the same sets, and whether two of the columns differ: the paired bootstrap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from w2gm.errors import ConfigError
from w2gm.evaluation.datasets import Analogies, Dataset, Entailment
from w2gm.evaluation.evaluate import Settings, measured, policies
from w2gm.evaluation.figures import heads, statistics
from w2gm.evaluation.progress import Progress, stepping
from w2gm.evaluation.scores import Scores
from w2gm.evaluation.statistics import interval, resamples, two_sided_p

if TYPE_CHECKING:
    from w2gm.model import Model

Bools = npt.NDArray[np.bool_]

POLICIES = ("found", "all")


class Column(NamedTuple):
    """One model under one measure: a column of the paper's Table 2."""

    model: str
    measure: str

    def __str__(self) -> str:
        return f"{self.model}/{self.measure}"


def compare(
    models: Mapping[str, Model],
    datasets: Sequence[Dataset],
    settings: Settings | None = None,
    *,
    policy: str = "found",
    between: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """What `w2gm compare --json` prints: the figures of every model on every set, and one paired test.

    policy: figures of the pairs each model has found, or of all pairs. between: two columns "model/measure"; None
    takes the first measure of the first and of the last model, or the first two measures of a single one. The test
    takes the items that both have found (or all): their difference, its interval, and p, see `two_sided_p`.

    {"policy", "models": {name: policies}, "sets": {set: {"pairs", "found": {model: n}, "scores": {model: {score:
    figure, or {"accuracy", "f1", "ap"} of entailment}}}}, "paired": {"columns": [a, b], "sets": {set: {"items",
    "difference", "low", "high", "p"}}}}
    """
    settings = settings or Settings(measures=("mc", "el", "me"))
    if policy not in POLICIES:
        raise ConfigError(f"policy must be one of {', '.join(POLICIES)}, got {policy!r}")
    columns = [Column(name, measure) for name in models for measure in settings.measures]
    pair = _pair(columns, list(models), between)
    sets, paired = {}, {}
    with stepping(progress or Progress(), len(datasets) * len(models)) as steps:
        for dataset in datasets:
            scores = {}
            for name, model in models.items():
                steps.step(f"{dataset.name}, {name}")
                scores[name] = measured(model, dataset, settings)
            sets[dataset.name] = {
                "pairs": len(dataset),
                "found": {name: int(one.found.sum()) for name, one in scores.items()},
                "scores": {name: _figures(dataset, one, policy) for name, one in scores.items()},
            }
            if (tested := _paired(dataset, scores, pair, policy, settings)) is not None:
                paired[dataset.name] = tested
    return {
        "policy": policy,
        "models": {name: policies(model, settings) for name, model in models.items()},
        "sets": sets,
        "paired": {"columns": [str(column) for column in pair], "sets": paired} if pair else None,
    }


def _pair(columns: list[Column], models: list[str], between: Sequence[str] | None) -> list[Column]:
    """The two columns to test, or none where there is but one."""
    if between is not None:
        named = {str(column): column for column in columns}
        for name in between:
            if name not in named:
                raise ConfigError(f"no column {name!r} to test: there are {', '.join(named)}")
        if len(between) != 2:
            raise ConfigError(f"a paired test takes two columns, got {len(between)}")
        return [named[name] for name in between]
    if len(models) > 1:
        return [next(column for column in columns if column.model == name) for name in (models[0], models[-1])]
    return columns[:2] if len(columns) > 1 else []


def _items(scores: Sequence[Scores], policy: str) -> Bools:
    """Which items count: all, or those that everyone has found."""
    found: Bools = np.logical_and.reduce([one.found for one in scores])
    return found if policy == "found" else np.ones_like(found)


def _figures(dataset: Dataset, scores: Scores, policy: str) -> dict[str, Any]:
    items = _items([scores], policy)
    figures: dict[str, Any] = {}
    for name, values in scores.values.items():
        if values is None:
            figures[name] = None
            continue
        (row,) = statistics(dataset, [values], items, None)
        named = {head: float(100 * value[0]) for head, value in zip(heads(dataset), row, strict=True)}
        figures[name] = named if isinstance(dataset, Entailment) else named["found"]
    return figures


def _paired(
    dataset: Dataset, scores: Mapping[str, Scores], pair: list[Column], policy: str, settings: Settings
) -> dict[str, float] | None:
    """The difference of two columns on the items of both, of entailment in accuracy; None if one is not there."""
    values = [scores[column.model].values.get(_score_of(dataset, column.measure) or "") for column in pair]
    one, other = values if len(values) == 2 else (None, None)
    if one is None or other is None:
        return None
    items = _items([scores[column.model] for column in pair], policy)
    counts = resamples(int(items.sum()), settings.resamples, settings.seed)
    whole, drawn = (statistics(dataset, [one, other], items, part) for part in (None, counts))
    differences = 100 * (drawn[0][0] - drawn[1][0])
    low, high = interval(differences)
    return {
        "items": int(items.sum()),
        "difference": float(100 * (whole[0][0][0] - whole[1][0][0])),
        "low": low,
        "high": high,
        "p": two_sided_p(differences),
    }


def _score_of(dataset: Dataset, measure: str) -> str | None:
    """What a column of that measure is on another kind of set; None where it is nothing."""
    if isinstance(dataset, Entailment):
        return {"mc": "cos", "kl": "kl"}.get(measure)
    if isinstance(dataset, Analogies):
        return {"mc": "3CosAdd"}.get(measure)
    return measure
