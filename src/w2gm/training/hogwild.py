"""Threads that share the tables without locks. Parameters may race; nothing else does.

Each thread has its own random state, scratch and tallies. The first error of any thread stops the others and
reaches the caller.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class Team:
    """`size` threads running `work(member)` again and again until it returns False.

    `tick` is called in the caller's thread every `interval` seconds, and is where Ctrl-C arrives.
    """

    def __init__(self, size: int, work: Callable[[int], bool]) -> None:
        self.size = size
        self._work = work
        self._stop = threading.Event()
        self._errors: list[BaseException] = []
        self._threads = [
            threading.Thread(target=self._run, args=(member,), name=f"w2gm-worker-{member}", daemon=True)
            for member in range(size)
        ]

    def run(self, tick: Callable[[], None], interval: float = 0.1) -> None:
        """Start the threads and wait for them; raise the first error. On Ctrl-C stop them first."""
        for thread in self._threads:
            thread.start()
        try:
            while any(thread.is_alive() for thread in self._threads):
                self._wait(interval)
                tick()
        finally:
            self._stop.set()
            for thread in self._threads:
                thread.join()
        if self._errors:
            raise self._errors[0]

    def _wait(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def _run(self, member: int) -> None:
        try:
            while not self._stop.is_set() and self._work(member):
                pass
        except BaseException as error:  # reaches the caller through run()
            self._errors.append(error)
            self._stop.set()
