"""The run: chunks to threads to tables, with the loss counted exactly and divergence noticed at once."""

from __future__ import annotations

import dataclasses
import math
import time
from dataclasses import dataclass

import numpy as np

from w2gm.config import Config
from w2gm.corpus import Corpus
from w2gm.errors import DivergenceError
from w2gm.kernels.choice import best_trainer
from w2gm.kernels.general import Step, Tables, Tallies, make_tallies
from w2gm.kernels.sampling import Window
from w2gm.kernels.windows import make_scratch
from w2gm.model import Mixtures
from w2gm.training.hogwild import Team
from w2gm.training.progress import Progress, TrainingState
from w2gm.training.sampling import make_sampler
from w2gm.training.schedule import Chunk, Schedule, chunk_size, random_state
from w2gm.training.tables import initial_tables, layout_of, mixtures_of, move_origin, table_bytes


def step_of(config: Config, learning_rate: float) -> Step:
    """The numbers of a step at a learning rate."""
    return Step(
        learning_rate,
        learning_rate * config.variance_alpha,
        config.margin,
        math.log(config.min_variance),
        math.log(config.max_variance),
    )


@dataclass(frozen=True)
class Summary:
    """What a run did. `tokens` counts each epoch's words before subsampling; `loss` is the last epoch's, per pair."""

    tokens: int
    pairs: int
    seconds: float
    tokens_per_second: float
    loss: float
    epochs: int
    interrupted: bool


class Trainer:
    """Trains the tables of one configuration on one corpus."""

    def __init__(self, corpus: Corpus, config: Config) -> None:
        self.config = config
        self.layout = layout_of(config)
        self.chunk = chunk_size(len(corpus.ids))
        self.schedule = Schedule(corpus.ids, config.epochs, config.alpha, config.min_alpha, self.chunk)
        self.tables = initial_tables(len(corpus.vocabulary), config)
        self._ids = corpus.ids
        self._sampler = make_sampler(corpus.vocabulary.counts, config)
        self._window = Window(config.window, config.shrink_windows, config.negative, config.pool_negatives)
        self._train = best_trainer(self.layout, self.tables.shared, config.pool_negatives)
        self._members = [
            (make_scratch(self.layout, self.chunk, self._window), make_tallies()) for _ in range(config.threads)
        ]
        self._latest: dict[int, Chunk] = {}
        self._done_tokens = [0] * config.threads
        self._done_ids = [0] * config.threads
        self._losses = np.zeros((config.threads, config.epochs))
        self._triples = np.zeros((config.threads, config.epochs), np.int64)

    def describe(self) -> str:
        """What will be trained, in one line, with the memory that it takes."""
        config = self.config
        return (
            f"training {config.senses} senses x {config.vector_size} dimensions, {config.covariance}, "
            f"{config.threads} workers; memory: tables {table_bytes(len(self.tables.input), config) / 1e6:,.0f} MB, "
            f"ids {self._ids.nbytes / 1e6:,.0f} MB in the page cache"
        )

    def compile(self) -> None:
        """Compile the kernel (or load it from the cache on disk) by training on nothing."""
        self._call(0, Chunk(0, 0, 0, 0, self.config.alpha))

    def run(self, progress: Progress) -> Summary:
        """Train to the end of the schedule, or until Ctrl-C, after which what was learned so far stands."""
        started = time.monotonic()
        team = Team(self.config.threads, self._work)
        interrupted = False
        try:
            team.run(lambda: progress.training(self._state(time.monotonic() - started)))
        except KeyboardInterrupt:
            interrupted = True
        seconds = time.monotonic() - started
        if not interrupted:
            progress.training(dataclasses.replace(self._state(seconds), share=1.0))
        self._check_parameters()
        return self._summary(seconds, interrupted)

    def mixtures(self) -> tuple[Mixtures, Mixtures | None]:
        """The input mixtures, which are the result, and the output ones where they have tables of their own.

        The origin is moved to the mean of the input words. Gives up the tables, one before the other is copied, so
        that memory does not grow at the end.
        """
        move_origin(self.tables, self.layout)
        inputs, outputs, shared = self.tables
        nothing = np.empty((0, self.layout.width), np.float32)
        self.tables = Tables(nothing, nothing, shared)
        words = mixtures_of(inputs, self.layout)
        del inputs
        return words, None if shared else mixtures_of(outputs, self.layout)

    def _work(self, member: int) -> bool:
        chunk = self.schedule.next()
        if chunk is None:
            return False
        tallies = self._call(member, chunk)
        loss, triples = float(tallies.sums[0]), int(tallies.counts[0])
        if not math.isfinite(loss):
            raise DivergenceError(
                f"training diverged in epoch {chunk.epoch + 1} at learning rate {chunk.learning_rate:g}: the loss is "
                f"{loss}; lower alpha ({self.config.alpha:g}) or raise initial_accumulator "
                f"({self.config.initial_accumulator:g})"
            )
        self._losses[member, chunk.epoch] += loss
        self._triples[member, chunk.epoch] += triples
        self._done_ids[member] += chunk.stop - chunk.start
        self._done_tokens[member] += int(np.count_nonzero(self._ids[chunk.start : chunk.stop] >= 0))
        self._latest[member] = chunk
        return True

    def _call(self, member: int, chunk: Chunk) -> Tallies:
        scratch, tallies = self._members[member]
        tallies.sums[:] = 0
        tallies.counts[:] = 0
        step = step_of(self.config, chunk.learning_rate)
        state = random_state(self.config.seed, chunk.number)
        bounds = (chunk.start, chunk.stop)
        self._train(self._ids, bounds, self.tables, self._sampler, self._window, step, (state, scratch, tallies))
        return tallies

    def _state(self, seconds: float) -> TrainingState:
        latest = max(self._latest.values(), default=None, key=lambda chunk: chunk.number)
        epoch = latest.epoch if latest else 0
        triples = self._triples[:, epoch].sum()
        return TrainingState(
            share=sum(self._done_ids) / self.schedule.total,
            epoch=epoch + 1,
            epochs=self.config.epochs,
            tokens=sum(self._done_tokens),
            seconds=seconds,
            loss=float(self._losses[:, epoch].sum() / triples) if triples else math.nan,
            learning_rate=latest.learning_rate if latest else self.config.alpha,
        )

    def _summary(self, seconds: float, interrupted: bool) -> Summary:
        tokens = sum(self._done_tokens)
        triples = self._triples.sum(axis=0)
        trained = np.flatnonzero(triples)
        last = int(trained[-1]) if len(trained) else 0
        return Summary(
            tokens=tokens,
            pairs=int(triples.sum()) // self.config.negative,
            seconds=seconds,
            tokens_per_second=tokens / seconds if seconds > 0 else 0.0,
            loss=float(self._losses[:, last].sum() / triples[last]) if triples[last] else math.nan,
            epochs=last + 1 if len(trained) else 0,
            interrupted=interrupted,
        )

    def _check_parameters(self) -> None:
        for rows in {id(rows): rows for rows in (self.tables.input, self.tables.output)}.values():
            # The sum of a block is finite only if every value is: one cheap pass.
            for start in range(0, len(rows), 65_536):
                if not np.isfinite(rows[start : start + 65_536].sum(dtype=np.float64)):
                    raise DivergenceError(
                        "training diverged: parameters are not finite; lower alpha "
                        f"({self.config.alpha:g}) or raise initial_accumulator ({self.config.initial_accumulator:g})"
                    )
