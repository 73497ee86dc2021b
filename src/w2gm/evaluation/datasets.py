"""What a test set is once it is read: its items, and what people say of each of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Doubles = npt.NDArray[np.float64]


class Context(NamedTuple):
    """A word as it stands in a text: the tokens before it and after it."""

    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of words, as they are written in the file, and how similar people find them, (N,) float64.

    contexts: for SCWS, where each word of each pair stands; otherwise None.
    """

    name: str
    words: list[tuple[str, str]]
    ratings: Doubles
    contexts: list[tuple[Context, Context]] | None = None

    def __len__(self) -> int:
        return len(self.words)


@dataclass(frozen=True, eq=False)
class Entailment:
    """Pairs of words, and whether the first entails the second (aircraft, vehicle), (N,) bool."""

    name: str
    words: list[tuple[str, str]]
    truth: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.words)


@dataclass(frozen=True, eq=False)
class Analogies:
    """Questions a : b = c : d (Athens Greece Baghdad Iraq), and the section each belongs to."""

    name: str
    words: list[tuple[str, str, str, str]]
    sections: list[str]

    def __len__(self) -> int:
        return len(self.words)


Dataset = Pairs | Entailment | Analogies
