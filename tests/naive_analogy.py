"""The slow, obvious twin of analogies: every answer's score by itself, float64, in loops.

It imports nothing from w2gm. A word is means (K, D) and weights (K,); a question is three vectors (D,).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from naive import Array, cosine

SMALL = 0.001  # keeps the quotient of 3CosMul finite


def mixture_mean(means: Array, weights: Array) -> Array:
    """The mean of a whole mixture, sum_k p_k mu_k, (D,)."""
    return sum((weights[k] * means[k] for k in range(len(weights))), np.zeros(means.shape[1]))


def cos_add(x: Array, a: Array, b: Array, c: Array) -> float:
    """3CosAdd: cos(x, b) - cos(x, a) + cos(x, c)."""
    return cosine(x, x, b, b) - cosine(x, x, a, a) + cosine(x, x, c, c)


def cos_mul(x: Array, a: Array, b: Array, c: Array) -> float:
    """3CosMul: the same as a product, each cosine moved to between 0 and 1."""
    up_a, up_b, up_c = ((1 + cosine(x, x, one, one)) / 2 for one in (a, b, c))
    return up_b * up_c / (up_a + SMALL)


def analogies(
    means: Array,
    weights: Array,
    question: Sequence[Array],
    excluded: Sequence[int],
    method: str = "add",
    answers: str = "senses",
) -> list[tuple[int, int | None, float]]:
    """Every answer (word, sense, score), the best first and of equal ones the first; means (V, K, D), weights (V, K).

    A word answers with its best sense or, by `answers="words"`, with its mixture mean and no sense.
    """
    score = {"add": cos_add, "mul": cos_mul}[method]
    found = []
    for word in range(len(means)):
        if word in excluded:
            continue
        if answers == "words":
            found.append((word, None, score(mixture_mean(means[word], weights[word]), *question)))
            continue
        scores = [score(mean, *question) for mean in means[word]]
        sense = max(range(len(scores)), key=lambda k: scores[k])
        found.append((word, sense, scores[sense]))
    return sorted(found, key=lambda answer: -answer[2])
