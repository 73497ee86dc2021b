"""The paper's test sets, read from a folder of the files as their authors give them (never part of the project).

Words are lower-cased, as the texts are. Pairs with a word the model does not know are left out and counted.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from measures import MEASURES, entailment, measured, spearman
from w2gm.query.sensepairs import Senses

# name: (file, columns of the two words and the rating, separator, lines to skip)
SETS = {
    "SL": ("SimLex-999/SimLex-999.txt", (0, 1, 3), "\t", 1),
    "WS": ("WordSim-353/EN-WS-353-ALL.txt", (0, 1, 2), "\t", 0),
    "WS-S": ("WordSim-353/EN-WS-353-SIM.txt", (0, 1, 2), "\t", 0),
    "WS-R": ("WordSim-353/EN-WS-353-REL.txt", (0, 1, 2), "\t", 0),
    "MEN": ("MEN/EN-MEN-TR-3k.txt", (0, 1, 2), None, 0),
    "MC": ("MC-30/EN-MC-30.txt", (0, 1, 2), "\t", 0),
    "RG": ("RG-65/EN-RG-65.txt", (0, 1, 2), "\t", 0),
    "YP": ("YP-130/EN-YP-130.txt", (0, 1, 2), None, 0),
    "MT-287": ("MTurk-287/EN-MTurk-287.txt", (0, 1, 2), "\t", 0),
    "MT-771": ("MTurk-771/EN-MTurk-771.txt", (0, 1, 2), None, 0),
    "RW": ("RW/EN-RW-STANFORD.txt", (0, 1, 2), "\t", 0),
    "SCWS": ("SCWS/ratings.txt", (1, 3, 7), "\t", 0),
}
SMALL = ("MC", "RG", "YP")  # under 200 pairs: they move by five points from seed to seed and are not in the mean
ENTAILMENT = ("Baroni2012/positive-examples.txtinput", "Baroni2012/negative-examples.txtinput")


class Pairs(NamedTuple):
    """Pairs of words and what people (or another source) say of them."""

    words: list[tuple[str, str]]
    ratings: np.ndarray  # (N,) float64


def read_set(folder: Path, name: str) -> Pairs:
    """One similarity set of `SETS`."""
    file, columns, separator, skipped = SETS[name]
    words, ratings = [], []
    for line in (folder / file).read_text("utf-8").splitlines()[skipped:]:
        parts = line.strip("\r\n").split(separator)
        one, other, rating = (parts[column].strip() for column in columns)
        words.append((one.lower(), other.lower()))
        ratings.append(float(rating))
    return Pairs(words, np.array(ratings))


def read_entailment(folder: Path) -> Pairs:
    """Baroni 2012: ratings are 1 where the first word entails the second, else 0."""
    words, ratings = [], []
    for file, rating in zip(ENTAILMENT, (1.0, 0.0), strict=True):
        for line in (folder / file).read_text("utf-8").splitlines():
            one, other = (word.removesuffix("-n").lower() for word in line.split())
            words.append((one, other))
            ratings.append(rating)
    return Pairs(words, np.array(ratings))


def found(pairs: Pairs, ids: dict[str, int]) -> tuple[np.ndarray, np.ndarray]:
    """(ids (N, 2), ratings (N,)) of the pairs whose words are both known."""
    known = [k for k, (one, other) in enumerate(pairs.words) if one in ids and other in ids]
    rows = np.array([[ids[word] for word in pairs.words[k]] for k in known], np.int64).reshape(-1, 2)
    return rows, pairs.ratings[known]


def score_paper_sets(folder: Path, mixtures: Senses, ids: dict[str, int]) -> dict[str, object]:
    """{"sets": {measure: {set: Spearman x 100}}, "mean of nine": {measure: ...}, "entailment": ..., "found": ...}."""
    sets: dict[str, dict[str, float]] = {measure: {} for measure in MEASURES}
    sizes = {}
    for name in SETS:
        rows, ratings = found(read_set(folder, name), ids)
        sizes[name] = len(rows)
        for measure, values in measured(mixtures, rows).items():
            if measure in sets:
                sets[measure][name] = spearman(values, ratings)
    rows, ratings = found(read_entailment(folder), ids)
    means = {
        measure: float(np.mean([value for name, value in row.items() if name not in SMALL]))
        for measure, row in sets.items()
    }
    entailed = entailment(measured(mixtures, rows), ratings > 0)
    return {"sets": sets, "mean of nine": means, "entailment": entailed, "found": sizes}
