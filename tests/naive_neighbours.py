"""The slow twin of neighbour queries: every pair of Gaussians compared in float64, everything sorted.

It imports nothing from w2gm. A word is a list of senses, a sense a triple (weight, mean (D,), variances (D,)).
Scores are the higher the nearer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

import naive

Array = NDArray[np.float64]
Sense = tuple[float, Array, Array]
Word = list[Sense]
Answer = tuple[int, int, float]


def words_of(means: ArrayLike, log_variances: ArrayLike, weights: ArrayLike) -> list[Word]:
    """Words from arrays (V, K, D), (V, K) or (V, K, D), and (V, K)."""
    means, weights = np.asarray(means, float), np.asarray(weights, float)
    variances = np.exp(np.asarray(log_variances, float))
    if variances.ndim == 2:
        variances = np.repeat(variances[:, :, None], means.shape[2], axis=2)
    return [list(zip(*word, strict=True)) for word in zip(weights, means, variances, strict=True)]


def cosine(a: Sense, b: Sense) -> float:
    lengths = np.linalg.norm(a[1]) * np.linalg.norm(b[1])
    return float(a[1] @ b[1] / lengths) if lengths else 0.0


def log_likelihood(a: Sense, b: Sense) -> float:
    """log of the integral of a(x) b(x): the density of N(0, U + V) at the difference of the means."""
    return naive.gaussian_log_density(a[1], b[1], a[2] + b[2])


SENSE_SCORES: dict[str, Callable[[Sense, Sense], float]] = {
    "cosine": cosine,
    "kernel": log_likelihood,
    "distance": lambda a, b: -naive.euclidean(a[1], a[2], b[1], b[2]),
    "kl": lambda a, b: -naive.kl_divergence(a[1], a[2], b[1], b[2]),
    "kl-reverse": lambda a, b: -naive.kl_divergence(b[1], b[2], a[1], a[2]),
}


def score(asked: Sequence[Sense], word: Sequence[Sense], by: str) -> tuple[float, int]:
    """(score of a word, the sense of it that answers); of two that are equal the lower answers."""
    table = np.array([[SENSE_SCORES[by](a, b) for a in asked] for b in word])
    if by == "kernel" and len(asked) > 1:
        # A single candidate answers for itself, whatever its weight in the word it is of.
        weights = [weight if len(word) > 1 else 1.0 for weight, _, _ in word]
        table += np.log(np.outer(weights, [weight for weight, _, _ in asked]))
        shares = [naive.log_sum_exp(row) for row in table]
        return naive.log_sum_exp(table.ravel()), int(np.argmax(shares))
    return float(table.max()), int(table.max(axis=1).argmax())


def nearest(
    words: Sequence[Word], asked: Sequence[Sense], by: str, topn: int, hidden: Sequence[tuple[int, int]] = ()
) -> list[Answer]:
    """[(word, sense, score), ...]: each word once, with the senses that are not hidden."""
    answers = []
    for number, word in enumerate(words):
        open_senses = [sense for sense in range(len(word)) if (number, sense) not in hidden]
        if open_senses:
            total, best = score(asked, [word[sense] for sense in open_senses], by)
            answers.append((number, open_senses[best], total))
    return sorted(answers, key=lambda answer: (-answer[2], answer[:2]))[:topn]


def nearest_senses(
    words: Sequence[Word], asked: Sequence[Sense], by: str, topn: int, hidden: Sequence[tuple[int, int]] = ()
) -> list[Answer]:
    """[(word, sense, score), ...]: each sense that is not hidden, for itself."""
    answers = [
        (number, number_of_sense, score(asked, [sense], by)[0])
        for number, word in enumerate(words)
        for number_of_sense, sense in enumerate(word)
        if (number, number_of_sense) not in hidden
    ]
    return sorted(answers, key=lambda answer: (-answer[2], answer[:2]))[:topn]


def point(vector: ArrayLike) -> Sense:
    """A vector as a Gaussian without width."""
    vector = np.asarray(vector, float)
    return (1.0, vector, np.zeros(len(vector)))


def recall(actual: Sequence[Sequence[int]], expected: Sequence[Sequence[int]]) -> float:
    """The share of the expected answers that were found, over all questions."""
    found = sum(len(set(a) & set(e)) for a, e in zip(actual, expected, strict=True))
    return found / math.fsum(len(e) for e in expected)
