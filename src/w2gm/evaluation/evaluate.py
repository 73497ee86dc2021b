"""A model measured on test sets: the scores of every item, and the figures made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from w2gm.errors import ConfigError
from w2gm.evaluation.datasets import Dataset, Pairs
from w2gm.evaluation.figures import figures
from w2gm.evaluation.incontext import IN_CONTEXT
from w2gm.evaluation.lookup import CASES, Lookup
from w2gm.evaluation.progress import Progress, stepping
from w2gm.evaluation.scores import Scores, score_all
from w2gm.evaluation.statistics import RESAMPLES, SEED
from w2gm.query.measures import MEASURES, check_measure

if TYPE_CHECKING:
    from w2gm.model import Model


@dataclass(frozen=True)
class Settings:
    """How sets are measured: the measures of pairs, whether case counts (`CASES`), and the bootstrap.

    >>> Settings(measures=("mc",)).case
    'fallback'
    """

    measures: tuple[str, ...] = MEASURES
    case: str = "fallback"
    resamples: int = RESAMPLES
    seed: int = SEED

    def __post_init__(self) -> None:
        for name in self.measures:
            check_measure(name)
        if self.case not in CASES:
            raise ConfigError(f"case must be one of {', '.join(CASES)}, got {self.case!r}")
        for name, least in (("resamples", 1), ("seed", 0)):
            if getattr(self, name) < least:
                raise ConfigError(f"{name} must be at least {least}, got {getattr(self, name)}")


def evaluate(
    model: Model, datasets: Sequence[Dataset], settings: Settings | None = None, progress: Progress | None = None
) -> dict[str, Any]:
    """{"sets": {name: the figures of `figures`}, "policies": {...}}: what `w2gm evaluate --json` prints."""
    settings = settings or Settings()
    with stepping(progress or Progress(), len(datasets)) as steps:
        sets = {}
        for dataset in datasets:
            steps.step(dataset.name)
            scores = measured(model, dataset, settings)
            sets[dataset.name] = figures(dataset, scores, settings.resamples, settings.seed)
    return {"sets": sets, "policies": policies(model, settings)}


def measured(model: Model, dataset: Dataset, settings: Settings) -> Scores:
    """The scores of a set that the settings ask for."""
    names = None
    if isinstance(dataset, Pairs):
        names = [*settings.measures, *(IN_CONTEXT if dataset.contexts is not None else ())]
    return score_all(model, dataset, names, settings.case)


def policies(model: Model, settings: Settings) -> dict[str, Any]:
    """What has to be said beside every figure: the rules for case and unknown words, and the bootstrap."""
    stand_in = Lookup(model, settings.case).stand_in
    unknown = (
        "a pair with an unknown word scores as the median pair found; two unknown words as one and the same"
        if stand_in is None
        else f"an unknown word scores as {model.index_to_key[stand_in]}"
    )
    return {
        "case": settings.case,
        "case_rule": CASES[settings.case],
        "unknown_rule": unknown,
        "resamples": settings.resamples,
        "seed": settings.seed,
    }
