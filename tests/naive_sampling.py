"""The slow, obvious twin of what training draws: words kept, windows, negatives, and the learning rate."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

Array = npt.NDArray[np.float64]


def keep_probabilities(counts: ArrayLike, threshold: float) -> Array:
    """word2vec's subsampling: keep frequency f with min(1, sqrt(t / f) + t / f); t = 0 keeps all. (V,)"""
    counts = np.asarray(counts, dtype=np.float64)
    total = np.sum(counts)
    probabilities = np.ones(len(counts))
    for word, count in enumerate(counts):
        if threshold > 0 and count > 0:
            ratio = threshold / (count / total)
            probabilities[word] = min(1.0, np.sqrt(ratio) + ratio)
    return probabilities


def noise_distribution(counts: ArrayLike, exponent: float = 0.75) -> Array:
    """Probability of each word as a negative: counts to the power, normalised. (V,)"""
    powers = np.asarray(counts, dtype=np.float64) ** exponent
    return powers / np.sum(powers)


def alias_distribution(probability: ArrayLike, alias: ArrayLike) -> Array:
    """What an alias table draws: any slot alike, then itself with its probability, else its alias. (V,)"""
    probability, alias = np.asarray(probability, dtype=np.float64), np.asarray(alias)
    slots = len(probability)
    distribution = np.zeros(slots)
    for slot in range(slots):
        distribution[slot] += probability[slot] / slots
        distribution[alias[slot]] += (1 - probability[slot]) / slots
    return distribution


def pairs_of_sentence(sentence: Sequence[int], windows: Sequence[int]) -> list[tuple[int, int]]:
    """All (centre, context) of a sentence (after subsampling), given the window drawn for each position."""
    pairs = []
    for position, (centre, window) in enumerate(zip(sentence, windows, strict=True)):
        for other in range(max(0, position - window), min(len(sentence), position + window + 1)):
            if other != position:
                pairs.append((int(centre), int(sentence[other])))
    return pairs


def expected_pairs(length: int, window: int, shrink: bool = True) -> float:
    """Mean number of pairs of a sentence whose windows are drawn uniformly from 1..window, or all full."""
    sizes = range(1, window + 1) if shrink else [window]
    counts = [len(pairs_of_sentence(range(length), [size] * length)) for size in sizes]
    return sum(counts) / len(counts)


def learning_rate_at(done: float, total: float, alpha: float, min_alpha: float) -> float:
    """Falls on a straight line from alpha (nothing done) to min_alpha (all done), and stays there."""
    return alpha + (min_alpha - alpha) * min(1.0, done / total)
