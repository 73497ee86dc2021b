"""The course of a run: how loss and learning rate went, kept in at most 200 stretches of it."""

from __future__ import annotations

import numpy as np

from w2gm.training.schedule import Chunk

STRETCHES = 200


class History:
    """Tallies of the equal stretches of a run of `total` ids, a row for each thread: no update is lost.

    A chunk belongs to the stretch in which it starts, whoever trains it and when, so that the tallies do not depend
    on the number of threads.

    >>> history = History(total=40, epoch_ids=40, threads=1)
    >>> history.add(0, Chunk(0, 0, 0, 20, 0.5), tokens=18, loss=12.0, triples=24)
    >>> history.add(0, Chunk(0, 1, 20, 40, 0.25), tokens=19, loss=6.0, triples=24)
    >>> history.points()
    {'tokens': [18, 37], 'loss': [0.5, 0.25], 'learning_rate': [0.5, 0.25]}
    """

    def __init__(self, total: int, epoch_ids: int, threads: int) -> None:
        self._total = total
        self._epoch_ids = epoch_ids
        self._tokens = np.zeros((threads, STRETCHES), np.int64)
        self._triples = np.zeros((threads, STRETCHES), np.int64)
        self._losses = np.zeros((threads, STRETCHES))
        self._rates = np.zeros((threads, STRETCHES))

    def add(self, member: int, chunk: Chunk, *, tokens: int, loss: float, triples: int) -> None:
        """Count what thread `member` has done: words before subsampling, the sum of the losses of its triples."""
        stretch = (chunk.epoch * self._epoch_ids + chunk.start) * STRETCHES // self._total
        self._tokens[member, stretch] += tokens
        self._triples[member, stretch] += triples
        self._losses[member, stretch] += loss
        self._rates[member, stretch] += chunk.learning_rate * triples

    def points(self) -> dict[str, list[int] | list[float]]:
        """Of each stretch in which anything was trained: tokens of the run up to its end, loss and rate on average.

        Loss and learning rate are per triple of that stretch alone.
        """
        triples = self._triples.sum(axis=0)
        trained = np.flatnonzero(triples)
        return {
            "tokens": self._tokens.sum(axis=0).cumsum()[trained].tolist(),
            "loss": (self._losses.sum(axis=0)[trained] / triples[trained]).tolist(),
            "learning_rate": (self._rates.sum(axis=0)[trained] / triples[trained]).tolist(),
        }
