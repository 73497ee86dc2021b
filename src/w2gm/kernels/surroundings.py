"""Where the surroundings of a word lie, and along which directions they vary most.

The surroundings x of one occurrence are the mean of the vectors of its contexts. Over the occurrences of a word, one
after another, run the mean m of x and the principal components v_1 .. v_C of its covariance (incremental PCA free of
the covariance matrix: Weng, Zhang and Hwang 2003). At the n-th occurrence

    m    <- m + (x - m) / n                     y = x - m
    v_k  <- v_k + (y (y . u_k) - v_k) / n       with u_k = v_k / |v_k|, then y <- y - (y . u_k) u_k

so that |v_k| tends to the k-th eigenvalue and u_k to its direction.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from w2gm.kernels.jit import inlined, kernel
from w2gm.kernels.sampling import draw_below, next_random, subsample_sentence

f32 = np.float32
LEAST_REST = 1e-6  # a direction starts from what is left of y only if that is more than rounding, in squared length


class Surroundings(NamedTuple):
    """Of each word: occurrences met (V,) int32, mean (V, D) and principal components (V, C, D), float32."""

    counts: npt.NDArray[np.int32]
    means: npt.NDArray[np.float32]
    components: npt.NDArray[np.float32]


def blank_surroundings(words: int, components: int, vector_size: int) -> Surroundings:
    """Nothing met yet."""
    return Surroundings(
        np.zeros(words, np.int32),
        np.zeros((words, vector_size), np.float32),
        np.zeros((words, components, vector_size), np.float32),
    )


@inlined
def meet(counts, means, components, word, x):
    """Take note of one occurrence with the surroundings x (D,). Modified in place: all but word."""
    D = x.shape[0]
    n = counts[word] + 1
    counts[word] = n
    share = f32(1) / f32(n)
    for t in range(D):
        means[word, t] += share * (x[t] - means[word, t])
        x[t] -= means[word, t]
    whole = f32(0)
    for t in range(D):
        whole += x[t] * x[t]
    for k in range(components.shape[1]):
        v = components[word, k]
        square, along, rest = f32(0), f32(0), f32(0)
        for t in range(D):
            square += v[t] * v[t]
            along += v[t] * x[t]
            rest += x[t] * x[t]
        if square == f32(0):  # no direction yet: these surroundings point the way
            if rest > f32(LEAST_REST) * whole:
                for t in range(D):
                    v[t] = share * x[t]
            break
        along /= math.sqrt(square)
        for t in range(D):
            u = v[t] / math.sqrt(square)
            v[t] += share * (along * x[t] - v[t])
            x[t] -= along * u


@kernel
def survey(ids, bounds, vectors, met, sampler, window, own):
    """Meet all words of ids[bounds[0]:bounds[1]] that were met less than `enough` times.

    `vectors` (V, D) float32 are what surroundings are made of; met: Surroundings; `own` is (state, sentence, x (D,),
    enough). Modified in place: met, state, sentence, x.
    """
    counts, means, components = met
    state, sentence, x, enough = own
    D = x.shape[0]
    position, stop = bounds
    while position < stop:
        n, position = subsample_sentence(ids, position, stop, sampler, state, sentence)
        for centre in range(n):
            word = sentence[centre]
            reach = window.size
            if window.shrink:
                reach = 1 + draw_below(next_random(state), window.size)
            first, last = max(0, centre - reach), min(n, centre + reach + 1)
            contexts = last - first - 1
            if contexts == 0 or counts[word] >= enough:
                continue
            x[:] = f32(0)
            for at in range(first, last):
                if at != centre:
                    for t in range(D):
                        x[t] += vectors[sentence[at], t]
            for t in range(D):
                x[t] /= f32(contexts)
            meet(counts, means, components, word, x)
