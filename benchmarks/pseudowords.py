"""Pseudo-words: pairs of unrelated words merged in the text, so that it is known which two senses a word has.

Of each pair's occurrences nine tenths become the pseudo-word and one tenth stays, so that both words keep vectors of
their own in the same model. The rule, fixed before anything was trained: a component belongs to the one of the two
words that stands higher among the component's neighbours (by cosine, over all words, their best component), if that
word is among the first 100. A pseudo-word is told apart if its components belong to both words.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from w2gm.query.sensepairs import Senses

KEPT_APART = 0.1
WITHIN = 100
EQUAL, ONE_TO_FIVE = "equal", "1:5"


class PseudoWord(NamedTuple):
    """`first` takes the place of `second` too; `ratio` tells how often the two occur: "equal" or "1:5"."""

    first: int
    second: int
    ratio: str


def choose(
    words: list[str], counts: npt.NDArray[np.int64], left_out: set[str], each: int, seed: int
) -> list[PseudoWord]:
    """`each` pairs of both ratios, of plain words, the rarer seen 1,000 to 2,000 times in 60 million tokens."""
    draw = np.random.default_rng(seed)
    scale = counts.sum() / 60e6
    plain = [k for k, word in enumerate(words) if word.isalpha() and len(word) > 3 and word not in left_out]

    def band(low: float, high: float) -> list[int]:
        return [int(k) for k in draw.permutation([k for k in plain if low * scale <= counts[k] < high * scale])]

    rare, frequent = band(1000, 2000), band(5000, 10000)
    pairs, used = [], set()
    for ratio, pool in ((EQUAL, rare), (ONE_TO_FIVE, frequent)):
        made = 0
        for one in rare:
            if made == each:
                break
            if one in used:
                continue
            wanted = counts[one] * (1 if ratio == EQUAL else 5)
            other = next((k for k in pool if k not in used and k != one and abs(counts[k] / wanted - 1) < 0.1), None)
            if other is not None:
                used |= {one, other}
                pairs.append(PseudoWord(one, other, ratio))
                made += 1
    return pairs


def merged(ids: npt.NDArray[np.int32], counts: npt.NDArray[np.int64], pairs: list[PseudoWord], seed: int):
    """(ids, counts) with a new word at the end for each pair, in place of nine tenths of its two words."""
    new = np.array(ids)
    counts = np.concatenate([counts, np.zeros(len(pairs), np.int64)])
    target = np.full(len(counts), -1, np.int32)
    for number, pair in enumerate(pairs):
        target[[pair.first, pair.second]] = len(counts) - len(pairs) + number
    draw = np.random.default_rng(seed)
    touched = np.flatnonzero((target[new] >= 0) & (new >= 0))
    touched = touched[draw.random(len(touched)) >= KEPT_APART]
    old = new[touched]
    new[touched] = target[old]
    np.subtract.at(counts, old, 1)
    np.add.at(counts, new[touched], 1)
    return new, counts


def told_apart(mixtures: Senses, pairs: list[PseudoWord]) -> dict[str, float]:
    """Share of the pseudo-words told apart, in per cent, by ratio; the pseudo-words are the last words."""
    means = mixtures.means
    units = means / np.linalg.norm(means, axis=-1, keepdims=True)
    flat = units.reshape(-1, units.shape[-1])
    words = len(means)
    results: dict[str, list[bool]] = {EQUAL: [], ONE_TO_FIVE: []}
    for number, pair in enumerate(pairs):
        me = words - len(pairs) + number
        owners = set()
        for component in units[me]:
            best = (flat @ component).reshape(words, -1).max(axis=1)
            best[me] = -np.inf
            one, other = best[pair.first], best[pair.second]
            if (best > max(one, other)).sum() < WITHIN:
                owners.add(pair.first if one > other else pair.second)
        results[pair.ratio].append(len(owners) == 2)
    return {ratio: float(100 * np.mean(found)) for ratio, found in results.items() if found}
