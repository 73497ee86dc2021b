"""The slow twin of `kernels/surroundings.py` and of the splitting: float64, loops, the letters of docs/maths.md."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def surroundings(sentence: list[int], windows: list[int], vectors: Array) -> list[tuple[int, Array]]:
    """(word, mean vector of its contexts) for each word of a sentence that has contexts, given every window."""
    found = []
    for centre, window in enumerate(windows):
        contexts = [
            vectors[other]
            for place, other in enumerate(sentence)
            if place != centre and abs(place - centre) <= window
        ]  # fmt: skip
        if contexts:
            found.append((sentence[centre], np.mean(contexts, axis=0)))
    return found


def meet(met: list[Array], components: int) -> tuple[Array, Array]:
    """(mean, principal components) after the occurrences of one word with the surroundings `met`, in this order."""
    mean = np.zeros_like(met[0])
    v: list[Array | None] = [None] * components
    for n, x in enumerate(met, start=1):
        mean = mean + (x - mean) / n
        y = x - mean
        for k in range(components):
            known = v[k]
            if known is None:
                if y @ y > 1e-6 * ((x - mean) @ (x - mean)):
                    v[k] = y / n
                break
            u = known / np.linalg.norm(known)
            v[k] = known + (y * (y @ u) - known) / n
            y = y - (y @ u) * u
    return mean, np.array([np.zeros_like(mean) if one is None else one for one in v])


def split_means(mu: Array, reach: float, components: Array, corners: Array, distance: float) -> Array:
    """Where the senses of a word at mu start: (K, D)."""
    places = []
    for corner in corners:
        place = mu.copy()
        for along, v in zip(corner, components, strict=True):
            eigenvalue = np.linalg.norm(v)
            if eigenvalue > 0:
                place = place + distance * reach * along * np.sqrt(eigenvalue) * v / eigenvalue
        places.append(place)
    return np.array(places)
