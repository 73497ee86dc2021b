"""What a run tells while it works: bars on a terminal, plain lines elsewhere, nothing when quiet. All to stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TextIO


@dataclass(frozen=True)
class TrainingState:
    """How far a training is: share done, raw tokens handed out, seconds, loss per pair lately, learning rate."""

    share: float
    epoch: int
    epochs: int
    tokens: int
    seconds: float
    loss: float
    learning_rate: float

    @property
    def speed(self) -> float:
        """Tokens per second since the start."""
        return self.tokens / self.seconds if self.seconds > 0 else 0.0

    @property
    def remaining(self) -> float:
        """Seconds left at the speed so far."""
        return self.seconds / self.share * (1 - self.share) if self.share > 0 else 0.0

    def __str__(self) -> str:
        return (
            f"epoch {self.epoch}/{self.epochs}  {self.share:4.0%}  {self.speed:,.0f} tokens/s  "
            f"ETA {clock(self.remaining)}  loss {self.loss:.4f}  alpha {self.learning_rate:.5f}"
        )


def clock(seconds: float) -> str:
    """Seconds as 1:02:03 or 2:03.

    >>> clock(3723), clock(62.7)
    ('1:02:03', '1:02')
    """
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


class Progress:
    """Says nothing: the base of the others, and what `quiet` gives."""

    def message(self, text: str) -> None:
        """Tell a fact worth a line."""

    def reading(self, done: int, total: int | None, tokens: int) -> None:
        """Tell that `done` of `total` bytes are read and encoded (None: size unknown)."""

    def training(self, state: TrainingState) -> None:
        """Tell how far the training is."""

    @contextmanager
    def shown(self) -> Iterator[Progress]:
        """Keep the display up for the time of a with-block."""
        yield self


class LineProgress(Progress):
    """One line per interval: for files, pipes and logs."""

    def __init__(self, stream: TextIO | None = None, interval: float = 10.0) -> None:
        self._stream = stream
        self._interval = interval
        self._last = time.monotonic()
        self._complete = False

    def message(self, text: str) -> None:
        print(text, file=self._stream or sys.stderr, flush=True)

    def reading(self, done: int, total: int | None, tokens: int) -> None:
        if self._due(done == total):
            self.message(_reading(done, total, tokens))

    def training(self, state: TrainingState) -> None:
        complete = state.share >= 1
        if self._due(complete and not self._complete):
            self.message(str(state))
        self._complete = complete

    def _due(self, last: bool) -> bool:
        now = time.monotonic()
        if last or now - self._last >= self._interval:
            self._last = now
            return True
        return False


class BarProgress(Progress):
    """A live bar with percent, speed, time left, loss and learning rate: for terminals."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TaskProgressColumn, TextColumn
        from rich.progress import Progress as Bars

        self._bars = Bars(
            TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[facts]}"),
            console=Console(stderr=True), refresh_per_second=5,
        )  # fmt: skip
        self._tasks: dict[str, Any] = {}

    def message(self, text: str) -> None:
        self._bars.console.print(text, highlight=False, markup=False, soft_wrap=True)

    def reading(self, done: int, total: int | None, tokens: int) -> None:
        self._show("Reading", done, total, _reading(done, total, tokens))

    def training(self, state: TrainingState) -> None:
        facts = (
            f"epoch {state.epoch}/{state.epochs}  {state.speed:,.0f} tokens/s  ETA {clock(state.remaining)}  "
            f"loss {state.loss:.4f}  alpha {state.learning_rate:.4f}"
        )
        self._show("Training", state.share, 1.0, facts)

    def _show(self, name: str, done: float, total: float | None, facts: str) -> None:
        if name not in self._tasks:
            self._tasks[name] = self._bars.add_task(name, total=total, facts=facts)
        self._bars.update(self._tasks[name], completed=done, total=total, facts=facts)

    @contextmanager
    def shown(self) -> Iterator[Progress]:
        with self._bars:
            yield self


def make_progress(quiet: bool = False) -> Progress:
    """The progress that fits: silent when quiet, bars on a terminal, lines otherwise."""
    if quiet:
        return Progress()
    return BarProgress() if sys.stderr.isatty() else LineProgress()


def _reading(done: int, total: int | None, tokens: int) -> str:
    size = f"{done / 1e6:,.1f} MB" + (f" of {total / 1e6:,.1f}" if total else "")
    return f"reading {size}, {tokens:,} tokens"
