"""The run: chunks to threads to tables, with the loss counted exactly and divergence noticed at once."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from w2gm.config import Config
from w2gm.corpus import Corpus
from w2gm.errors import DivergenceError
from w2gm.frequencies import noise_distribution
from w2gm.kernels.general import Tables
from w2gm.kernels.surroundings import Surroundings
from w2gm.model import Mixtures
from w2gm.training.history import History
from w2gm.training.hogwild import Team
from w2gm.training.progress import Progress, TrainingState
from w2gm.training.sampling import make_sampler
from w2gm.training.schedule import Chunk, Schedule, chunk_size
from w2gm.training.splitting import look_around, singles_of, split
from w2gm.training.stage import Stage, window_of
from w2gm.training.tables import initial_tables, mixtures_of, move_origin, table_bytes

BASE = 200_000_000  # bytes that Python, NumPy and Numba take with the kernels compiled, measured
NOTHING = np.empty((0, 0), np.float32)  # in the place of tables that have been given up


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
        self.epochs = config.epochs_for(len(corpus.ids))
        self.config = config = dataclasses.replace(config, epochs=self.epochs)
        self.chunk = chunk_size(len(corpus.ids))
        self.schedule = Schedule(corpus.ids, self.epochs, config.alpha, config.min_alpha, self.chunk)
        first = config.with_senses(1) if config.warm_up and config.senses > 1 else config
        self.stage = Stage(initial_tables(len(corpus.vocabulary), first), first, self.chunk)
        self._ids = corpus.ids
        self._counts = corpus.vocabulary.counts
        self._sampler = make_sampler(self._counts, config)
        self._latest: dict[int, Chunk] = {}
        self._done_tokens = [0] * config.threads
        self._done_ids = [0] * config.threads
        self._losses = np.zeros((config.threads, self.epochs))
        self._triples = np.zeros((config.threads, self.epochs), np.int64)
        self.history = History(self.schedule.total, len(corpus.ids), config.threads)

    def describe(self) -> str:
        """What will be trained, in one line, with the memory that it takes."""
        config = self.config
        tables = table_bytes(len(self._counts), config)
        parts = (("tables", tables), ("ids in the page cache", self._ids.nbytes), ("interpreter and compiler", BASE))
        return (
            f"training {config.senses} senses x {config.vector_size} dimensions, {config.covariance}, "
            f"recipe {config.recipe}: {self.epochs} epochs, {config.threads} workers; memory: "
            + " + ".join(f"{name} {size / 1e6:,.0f}" for name, size in parts)
            + f" = {sum(size for _, size in parts) / 1e6:,.0f} MB"
        )

    def compile(self) -> None:
        """Compile the kernels (or load them from the cache on disk) by training on nothing."""
        nothing = Chunk(0, 0, 0, 0, self.config.alpha)
        self.stage.train(self._ids, nothing, self._sampler, 0)
        if self._warming_up:
            Stage(initial_tables(1, self.config), self.config, 1).train(self._ids, nothing, self._sampler, 0)

    def run(self, progress: Progress) -> Summary:
        """Train to the end of the schedule, or until Ctrl-C, after which what was learned so far stands."""
        started = time.monotonic()
        interrupted = False
        try:
            if self._warming_up:
                self._train_until(self.config.warm_up, progress, started)
                self._split(self._look_around)
            self._train_until(1.0, progress, started)
        except KeyboardInterrupt:
            interrupted = True
            if self._warming_up:
                self._split(None)
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
        tables, layout = self.stage.tables, self.stage.layout
        move_origin(tables, layout)
        inputs, outputs, shared = tables
        self.stage.tables = tables = Tables(NOTHING, NOTHING, shared)
        words = mixtures_of(inputs, layout)
        del inputs
        return words, None if shared else mixtures_of(outputs, layout)

    @property
    def _warming_up(self) -> bool:
        return self.stage.config.senses < self.config.senses

    def _look_around(self, vectors: npt.NDArray[np.float32]) -> Surroundings:
        return look_around(self._ids, vectors, (self._sampler, window_of(self.config)), self.chunk, self.config)

    def _split(self, look: Callable[[npt.NDArray[np.float32]], Surroundings] | None) -> None:
        """Go on with all senses. The tables of one sense are given up first, so that both are never held."""
        noise = noise_distribution(self._counts, self.config.ns_exponent).astype(np.float32)
        singles = singles_of(self.stage.tables, self.config)
        self.stage.tables = Tables(NOTHING, NOTHING, self.stage.tables.shared)
        try:
            tables = split(singles, look, noise, self.config)
        except KeyboardInterrupt:
            self.stage = Stage(split(singles, None, noise, self.config), self.config, self.chunk)
            raise
        self.stage = Stage(tables, self.config, self.chunk)

    def _train_until(self, share: float, progress: Progress, started: float) -> None:
        team = Team(self.config.threads, lambda member: self._work(member, share))
        team.run(lambda: progress.training(self._state(time.monotonic() - started)))

    def _work(self, member: int, until: float) -> bool:
        chunk = self.schedule.next(until)
        if chunk is None:
            return False
        tallies = self.stage.train(self._ids, chunk, self._sampler, member)
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
        tokens = int(np.count_nonzero(self._ids[chunk.start : chunk.stop] >= 0))
        self._done_tokens[member] += tokens
        self.history.add(member, chunk, tokens=tokens, loss=loss, triples=triples)
        self._latest[member] = chunk
        return True

    def _state(self, seconds: float) -> TrainingState:
        latest = max(self._latest.values(), default=None, key=lambda chunk: chunk.number)
        epoch = latest.epoch if latest else 0
        triples = self._triples[:, epoch].sum()
        return TrainingState(
            share=sum(self._done_ids) / self.schedule.total,
            epoch=epoch + 1,
            epochs=self.epochs,
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
        for rows in {id(rows): rows for rows in self.stage.tables[:2]}.values():
            # The sum of a block is finite only if every value is: one cheap pass.
            for start in range(0, len(rows), 65_536):
                if not np.isfinite(rows[start : start + 65_536].sum(dtype=np.float64)):
                    raise DivergenceError(
                        "training diverged: parameters are not finite; lower alpha "
                        f"({self.config.alpha:g}) or raise initial_accumulator ({self.config.initial_accumulator:g})"
                    )
