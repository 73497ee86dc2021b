"""What training settings are chosen by: text held out, and seven words with two senses that nobody disputes.

Both are judged on a model's own mixtures. The senses are judged by a rule fixed before anything was trained: a
component leans by the mean cosine to the words of one list less that to the words of the other; a word is split if
one component leans to each side by at least `LEAST_LEAN`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from measures import measured
from w2gm.corpus import SENTENCE_END
from w2gm.frequencies import keep_probabilities, noise_distribution
from w2gm.query.sensepairs import Senses

HELD_OUT_EVERY = 100  # one sentence of so many
TRIPLES = 100_000
LEAST_LEAN = 0.1
OBVIOUS = {
    "rock": ("basalt granite limestone sandstone sediment", "band album punk guitar pop"),
    "bank": ("river shore stream upstream creek", "loan credit banking deposit financial"),
    "cell": ("membrane protein nucleus tissue organism", "phone mobile prison telephone wireless"),
    "star": ("galaxy orbit planet sun telescope", "film actor fame movie celebrity"),
    "apple": ("fruit pear cherry peach juice", "macintosh microsoft ibm pc computer"),
    "plant": ("leaf seed flower soil crop", "factory power coal nuclear refinery"),
    "left": ("right side wing hand foot", "returned departed went joined moved"),
}
Ids = npt.NDArray[np.int32]


class Triples(NamedTuple):
    """Centre words, words seen beside them and words drawn, (N,) ids each."""

    centres: npt.NDArray[np.int64]
    contexts: npt.NDArray[np.int64]
    negatives: npt.NDArray[np.int64]


def hold_out(ids: Ids) -> tuple[Ids, Ids]:
    """(the text trained on, the text held out): every hundredth sentence is held out."""
    ends = ids == SENTENCE_END
    sentence = np.cumsum(ends) - ends
    held = sentence % HELD_OUT_EVERY == HELD_OUT_EVERY - 1
    return ids[~held], ids[held]


def held_out_triples(ids: Ids, counts: npt.NDArray[np.int64], window: int, seed: int = 1) -> Triples:
    """Triples of a text as training draws them: subsampled at 1e-4, windows of 1..`window`, the usual noise."""
    draw = np.random.default_rng(seed)
    keep = np.append(keep_probabilities(counts, 1e-4), 1.0)  # the mark of an end is -1, and stays
    words = ids[draw.random(len(ids)) < keep[ids]].astype(np.int64)
    sentence = np.cumsum(words == SENTENCE_END)
    at = draw.integers(0, len(words), 8 * TRIPLES)
    reach = draw.integers(1, window + 1, len(at))
    beside = at + draw.integers(1, reach + 1) * draw.choice([-1, 1], len(at))
    good = (beside >= 0) & (beside < len(words))
    at, beside = at[good], beside[good]
    good = (words[at] >= 0) & (words[beside] >= 0) & (sentence[at] == sentence[beside])
    at, beside = at[good][:TRIPLES], beside[good][:TRIPLES]
    negatives = draw.choice(len(counts), len(at), p=noise_distribution(counts, 0.75))
    return Triples(words[at], words[beside], negatives)


def held_out_loss(inputs: Senses, outputs: Senses, triples: Triples, margin: float) -> dict[str, float]:
    """{"loss": mean hinge loss, "ranked": share of triples, in per cent, whose context has the higher energy}."""
    both = Senses(*(np.concatenate(parts) for parts in zip(inputs, outputs, strict=True)))
    words = len(inputs.means)
    good, bad = (
        measured(both, np.stack([triples.centres, others + words], axis=1))["el"]
        for others in (triples.contexts, triples.negatives)
    )
    loss = np.maximum(0.0, margin - good + bad)
    return {"loss": float(loss.mean()), "ranked": float(100 * (good > bad).mean())}


def splits(mixtures: Senses, ids: dict[str, int]) -> dict[str, bool]:
    """Whether each of the seven words has both its obvious senses."""
    units = mixtures.means / np.linalg.norm(mixtures.means, axis=-1, keepdims=True)
    result = {}
    for word, lists in OBVIOUS.items():
        known = [[ids[name] for name in names.split() if name in ids] for names in lists]
        if word not in ids or not all(known):
            continue
        near = []
        for listed in known:
            near.append(np.max(units[ids[word]] @ units[listed].transpose(0, 2, 1), axis=-1).mean(axis=0))
        lean = near[0] - near[1]
        result[word] = bool(lean.max() >= LEAST_LEAN and lean.min() <= -LEAST_LEAN)
    return result
