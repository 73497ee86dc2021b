"""Which words really have several senses: a mixture always has K components, and often two of them say the same."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from w2gm.model import Model
from w2gm.query.energies import context_shares

LEAST_WEIGHT = 0.05
LEAST_SHARE = 0.25  # on Wikipedia some sixty words fall below: the, of, and, ...
MOST_ALIKE = 0.9
FIELD = 0.01  # of all words
_SAMPLED, _COMPARED = 128, 8192


def real_senses(model: Model, words: npt.ArrayLike | None = None) -> npt.NDArray[np.bool_]:
    """Whether words have more than one real sense, (n,) bool; words: (n,) ids, all words unless given.

    A word does if two of its senses both have a weight of at least 0.05, and the cosine of their means is below that
    of a sense with the words of its own field: the nearest hundredth of the vocabulary, see `field_cosine`, and below
    0.9. The few words that training's subsampling mostly discards have none: they stand beside everything.

    On pseudo-words (benchmarks/disambiguation.py, 20 million tokens) the rule finds nine of ten of equal frequency
    and seven of ten of 1:5. Of words that WordNet gives a single sense it takes a third, of those with six or more
    57 %, of all words 18 %.

    >>> from w2gm import Config, Mixtures, Vocabulary
    >>> means = np.array([[[1, 0], [0, 1]], [[1, 0], [1, 0.1]], [[0, 1], [0.1, 1]]], np.float32)
    >>> flat = np.ones((3, 2), np.float32)
    >>> mixtures = Mixtures(means, 0 * flat, flat / 2)
    >>> words = Vocabulary(["bank", "river", "money"], [9, 4, 4])
    >>> real_senses(Model(words, mixtures, config=Config(vector_size=2), provenance={})).tolist()
    [True, False, False]
    """
    ids = np.arange(len(model)) if words is None else np.asarray(words, dtype=np.int64)
    found = np.zeros(len(ids), np.bool_)
    limit = min(MOST_ALIKE, field_cosine(model))
    units, weights = model.unit_means, model.weights
    for i in range(model.senses):
        for j in range(i):
            cosines = np.einsum("nd,nd->n", units[ids, i], units[ids, j])
            found |= (cosines < limit) & (np.minimum(weights[ids, i], weights[ids, j]) >= LEAST_WEIGHT)
    return found & (context_shares(model)[ids] >= LEAST_SHARE)


def field_cosine(model: Model) -> float:
    """How alike a sense and the words of its field are in this model: the cosine to its nearest hundredth of words.

    The median over the senses of words sampled evenly; a word counts with its nearest sense. On Wikipedia with
    D = 50 and K = 2: 0.53.
    """
    asked = np.unique(np.linspace(0, len(model) - 1, _SAMPLED).astype(np.int64))
    others = np.unique(np.linspace(0, len(model) - 1, _COMPARED).astype(np.int64))
    if len(others) == 1:
        return -1.0  # a single word has no field to be compared with
    queries = model.unit_means[asked].reshape(-1, model.vector_size)
    best = np.full((len(queries), len(others)), -np.inf, np.float32)
    for sense in range(model.senses):
        np.maximum(best, queries @ model.unit_means[others, sense].T, out=best)
    best[np.repeat(asked, model.senses)[:, None] == others] = -np.inf
    rank = max(1, round(FIELD * (len(others) - 1)))
    return float(np.median(np.partition(best, -rank, axis=1)[:, -rank]))
