"""The package's measures and scores over a table of mixtures, which is not a model yet: for benchmarks only."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from w2gm.evaluation import Entailment, Pairs, load_sets
from w2gm.evaluation.catalogue import SET_NAMES
from w2gm.evaluation.datasets import Dataset
from w2gm.evaluation.statistics import detection
from w2gm.evaluation.statistics import spearman as correlation
from w2gm.query.measures import measure_all
from w2gm.query.sensepairs import Senses

Array = npt.NDArray[np.float64]
MEASURES = ("mc", "avesim", "el", "me", "kl")
SMALL = ("MC", "RG", "YP")  # under 200 pairs: they move by five points from seed to seed and are not in the mean


def measured(mixtures: Senses, pairs: npt.NDArray[np.int64]) -> dict[str, Array]:
    """Every measure of `MEASURES` for each pair (N, 2) of the V words of `mixtures`: {name: (N,)}."""
    one, other = (Senses(*(part[pairs[:, side]] for part in mixtures)) for side in (0, 1))
    return measure_all(one, other, MEASURES)


def spearman(scores: Array, ratings: Array) -> float:
    """Spearman's correlation x 100, ties ranked at their mean."""
    return float(100 * correlation(scores, ratings)[0])


def entailment(values: dict[str, Array], truth: npt.NDArray[np.bool_]) -> dict[str, float]:
    """Best accuracy and best F1 x 100 of maximum cosine and of KL: {"cos accuracy": ..., ...}."""
    found = {name: detection(values[measure], truth) for name, measure in (("cos", "mc"), ("kl", "kl"))}
    return {
        f"{name} {title}": float(100 * getattr(one, title)[0])
        for name, one in found.items()
        for title in ("accuracy", "f1")
    }


def paper_sets(folder: Path) -> list[Dataset]:
    """The paper's sets of pairs, out of a folder of the files as their authors give them; all must be there."""
    return load_sets(folder, [name for name in SET_NAMES if name != "analogies"])[0]


def lowered(dataset: Dataset) -> list[tuple[str, str]]:
    """The pairs of a set in lower case, as the texts are."""
    return [(item[0].lower(), item[1].lower()) for item in dataset.words]


def found(dataset: Dataset, ids: dict[str, int]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """(ids (n, 2) of the pairs whose words are both known in lower case, which of all N these are)."""
    words = lowered(dataset)
    known = np.array([one in ids and other in ids for one, other in words], bool)
    rows = [[ids[one], ids[other]] for (one, other), there in zip(words, known, strict=True) if there]
    return np.array(rows, np.int64).reshape(-1, 2), known


def score_paper_sets(folder: Path, mixtures: Senses, ids: dict[str, int]) -> dict[str, object]:
    """{"sets": {measure: {set: Spearman x 100}}, "mean of nine": {measure: ...}, "entailment": ..., "found": ...}."""
    sets: dict[str, dict[str, float]] = {measure: {} for measure in MEASURES}
    sizes, entailed = {}, {}
    for dataset in paper_sets(folder):
        rows, known = found(dataset, ids)
        values = measured(mixtures, rows)
        if isinstance(dataset, Entailment):
            entailed = entailment(values, dataset.truth[known])
        elif isinstance(dataset, Pairs):
            sizes[dataset.name] = len(rows)
            for measure, scores in values.items():
                sets[measure][dataset.name] = spearman(scores, dataset.ratings[known])
    means = {
        measure: float(np.mean([value for name, value in row.items() if name not in SMALL]))
        for measure, row in sets.items()
    }
    return {"sets": sets, "mean of nine": means, "entailment": entailed, "found": sizes}
