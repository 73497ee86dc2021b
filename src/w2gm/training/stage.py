"""A stage of the training: tables with one number of senses, what trains them, and each thread's own room."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from w2gm.config import Config
from w2gm.kernels.choice import best_trainer
from w2gm.kernels.general import Step, Tables, Tallies, make_tallies
from w2gm.kernels.sampling import Sampler, Window
from w2gm.kernels.windows import make_scratch
from w2gm.training.schedule import Chunk, random_state
from w2gm.training.tables import layout_of


def window_of(config: Config) -> Window:
    """What is drawn for a centre word."""
    return Window(config.window, config.shrink_windows, config.negative, config.pool_negatives)


def step_of(config: Config, learning_rate: float) -> Step:
    """The numbers of a step at a learning rate."""
    variance_alpha = config.variance_alpha if config.senses == 1 else config.split_variance_alpha
    return Step(
        learning_rate,
        learning_rate * variance_alpha,
        config.margin,
        config.max_norm or math.inf,
        math.log(config.min_variance),
        math.log(config.max_variance),
    )


class Stage:
    """Trains `tables`, which have `config.senses` senses, on chunks of up to `chunk` ids."""

    def __init__(self, tables: Tables, config: Config, chunk: int) -> None:
        self.tables = tables
        self.config = config
        self.layout = layout_of(config)
        self._window = window_of(config)
        self._train = best_trainer(self.layout, tables.shared, config.pool_negatives)
        self._members = [
            (make_scratch(self.layout, chunk, self._window), make_tallies()) for _ in range(config.threads)
        ]

    def train(self, ids: npt.NDArray[np.int32], chunk: Chunk, sampler: Sampler, member: int) -> Tallies:
        """Train on a chunk in the room of a thread; the tallies are of this chunk alone."""
        scratch, tallies = self._members[member]
        tallies.sums[:] = 0
        tallies.counts[:] = 0
        step = step_of(self.config, chunk.learning_rate)
        state = random_state(self.config.seed, chunk.number)
        own = (state, scratch, tallies)
        self._train(ids, (chunk.start, chunk.stop), self.tables, sampler, self._window, step, own)
        return tallies
