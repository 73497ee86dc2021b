"""From the words of a test set to the ids of a model: whether case counts, and what an unknown word is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from w2gm.errors import ConfigError
from w2gm.evaluation.datasets import Context

if TYPE_CHECKING:
    from w2gm.model import Model

Ids = npt.NDArray[np.int64]

UNKNOWN = -1
# What the models of this family call the word that stands for all rare ones.
UNKNOWN_WORDS = ("UNK", "<unk>", "<UNK>", "[UNK]")
CASES = {
    "fallback": "words are looked up as written, then in lower case",
    "lower": "words are looked up in lower case",
    "keep": "words are looked up as written",
}


class Lookup:
    """The ids of words in one model under one policy of `CASES`.

    `stand_in` is the id of the model's own unknown word (`UNKNOWN_WORDS`), or None.
    """

    def __init__(self, model: Model, case: str = "fallback") -> None:
        if case not in CASES:
            raise ConfigError(f"case must be one of {', '.join(CASES)}, got {case!r}")
        self._index = model.key_to_index
        self._case = case
        self.stand_in = next((self._index[word] for word in UNKNOWN_WORDS if word in self._index), None)

    def id(self, word: str) -> int:
        """The word's id, or `UNKNOWN`."""
        if self._case != "lower" and word in self._index:
            return self._index[word]
        return UNKNOWN if self._case == "keep" else self._index.get(word.lower(), UNKNOWN)

    def ids(self, rows: Sequence[Sequence[str]]) -> Ids:
        """Rows of equally many words as an array of ids, `UNKNOWN` for unknown words."""
        width = len(rows[0]) if rows else 0
        return np.array([[self.id(word) for word in row] for row in rows], np.int64).reshape(len(rows), width)

    def around(self, place: Context, window: int) -> Ids:
        """The ids of up to `window` words before and after a place, (n,), `UNKNOWN` for unknown words."""
        tokens = (*place.before[-window:], *place.after[:window])
        return np.array([self.id(token) for token in tokens], np.int64)
