"""How far an evaluation is: a bar on a terminal, lines elsewhere if it takes long, nothing when quiet. To stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

_SECONDS_A_LINE = 3.0


class Progress:
    """Says nothing: the base of the others, and what `quiet` gives."""

    def start(self, total: int) -> None:
        """Begin a work of so many steps."""

    def step(self, what: str) -> None:
        """Begin the next step."""

    def end(self) -> None:
        """All steps are done."""


class LineProgress(Progress):
    """A line when a step begins, if the last line was some seconds ago: for files, pipes and logs."""

    def __init__(self, stream: TextIO | None = None, seconds: float = _SECONDS_A_LINE) -> None:
        self._stream = stream
        self._seconds = seconds
        self._total = self._done = 0
        self._last = time.monotonic()

    def start(self, total: int) -> None:
        self._total, self._done, self._last = total, 0, time.monotonic()

    def step(self, what: str) -> None:
        self._done += 1
        if time.monotonic() - self._last >= self._seconds:
            self._last = time.monotonic()
            print(f"{what} ({self._done} of {self._total})", file=self._stream or sys.stderr, flush=True)


class BarProgress(Progress):
    """A live bar: for terminals."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
        from rich.progress import Progress as Bars

        self._bars = Bars(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
            console=Console(stderr=True), refresh_per_second=5, transient=True,
        )  # fmt: skip
        self._begun = False

    def start(self, total: int) -> None:
        self._task = self._bars.add_task("Evaluating", total=total)
        self._begun = False
        self._bars.start()

    def step(self, what: str) -> None:
        self._bars.update(self._task, description=what, advance=1 if self._begun else 0)
        self._begun = True

    def end(self) -> None:
        self._bars.stop()


def make_progress(quiet: bool = False) -> Progress:
    """The progress that fits: silent when quiet, a bar on a terminal, lines otherwise."""
    if quiet:
        return Progress()
    return BarProgress() if sys.stderr.isatty() else LineProgress()


@contextmanager
def stepping(progress: Progress, total: int) -> Iterator[Progress]:
    """`progress` for the time of a with-block of `total` steps."""
    progress.start(total)
    try:
        yield progress
    finally:
        progress.end()
