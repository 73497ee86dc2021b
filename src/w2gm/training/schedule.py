"""Which ids are trained next and at which rate: chunks dealt from one counter that never loses an update.

A chunk's learning rate and random stream follow from its place in the run alone, not from the thread that
takes it nor from what the other threads do.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from w2gm.corpus import SENTENCE_END

_MASK = 2**64 - 1


class Chunk(NamedTuple):
    """A stretch of ids, start inclusive, stop exclusive, and what rules its training."""

    epoch: int
    number: int  # among all chunks of the run
    start: int
    stop: int
    learning_rate: float


class Schedule:
    """Chunks of about `chunk` ids, epoch after epoch, with a learning rate that falls linearly.

    A chunk ends with a sentence where one ends within its second half, so that windows are cut only in
    sentences longer than that. The rate follows the ids handed out so far, out of ids times epochs.
    """

    def __init__(self, ids: npt.NDArray[np.int32], epochs: int, alpha: float, min_alpha: float, chunk: int) -> None:
        self.ids = ids
        self.epochs = epochs
        self.alpha = alpha
        self.min_alpha = min_alpha
        self.chunk = chunk
        self._lock = threading.Lock()
        self._chunks = self._deal()
        self._waiting: Chunk | None = None

    @property
    def total(self) -> int:
        """Ids in the whole run."""
        return len(self.ids) * self.epochs

    def next(self, until: float = 1.0) -> Chunk | None:
        """The next chunk, each exactly once whatever the number of threads asking; None at the end.

        Chunks that start at the share `until` of the run or later are left for later calls.
        """
        with self._lock:
            chunk = self._waiting or next(self._chunks, None)
            self._waiting = None
            if chunk is not None and chunk.epoch * len(self.ids) + chunk.start >= until * self.total:
                self._waiting, chunk = chunk, None
            return chunk

    def _deal(self) -> Iterator[Chunk]:
        number = 0
        for epoch in range(self.epochs):
            start = 0
            while start < len(self.ids):
                stop = self._end(start)
                done = (epoch * len(self.ids) + start) / self.total
                yield Chunk(epoch, number, start, stop, self.alpha + (self.min_alpha - self.alpha) * done)
                start = stop
                number += 1

    def _end(self, start: int) -> int:
        stop = start + self.chunk
        if stop >= len(self.ids):
            return len(self.ids)
        middle = start + self.chunk // 2
        ends = np.flatnonzero(self.ids[middle:stop] == SENTENCE_END)
        return middle + int(ends[-1]) + 1 if len(ends) else stop


def chunk_size(ids: int) -> int:
    """Ids in a chunk: long enough to forget the price of a call, short enough for a smooth rate."""
    return max(500, min(20_000, ids // 200))


def random_state(seed: int, number: int) -> npt.NDArray[np.uint64]:
    """The generator's state (1,) uint64 for chunk `number`: two rounds of splitmix64, never zero."""
    mixed = _splitmix(_splitmix(seed) + number)
    return np.array([mixed or 1], dtype=np.uint64)


def _splitmix(value: int) -> int:
    value = (value + 0x9E3779B97F4A7C15) & _MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
    return value ^ (value >> 31)
