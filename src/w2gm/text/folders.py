"""The cache folder, and temporary folders in it that do not outlive their process.

A temporary folder `<name>.tmp` has a lock `<name>.lock` beside it, held as long as it is used. What a killed process
left behind is not locked any more, and the next one deletes it.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from w2gm.errors import StorageError

if sys.platform == "win32":
    fcntl = None  # files in use cannot be deleted there, which serves as the lock
else:
    import fcntl


def default_cache() -> Path:
    """Where stores are kept: $W2GM_CACHE, or `w2gm` in the user's cache folder (XDG)."""
    if named := os.environ.get("W2GM_CACHE"):
        return Path(named).expanduser()
    caches = os.environ.get("XDG_CACHE_HOME")
    return (Path(caches) if caches else Path.home() / ".cache") / "w2gm"


class TemporaryFolder:
    """A folder that is deleted, unless `keep` is called, when its context ends."""

    def __init__(self, path: Path, lock: IO[bytes]) -> None:
        self.path = path
        self._lock = lock
        self._kept = False

    def keep(self) -> Callable[[], None]:
        """Let the folder live on; returns what deletes it."""
        self._kept = True
        path, lock = self.path, self._lock
        return lambda: _remove(path, lock)

    def leave(self) -> None:
        """End the context."""
        if not self._kept:
            _remove(self.path, self._lock)


@contextlib.contextmanager
def temporary_folder(cache: Path) -> Iterator[TemporaryFolder]:
    """A new folder below `cache`, gone after any error; what dead processes left there is deleted first."""
    try:
        cache.mkdir(parents=True, exist_ok=True)
        _sweep(cache)
        lock = _new_lock(cache)
        folder = TemporaryFolder(Path(lock.name).with_suffix(".tmp"), lock)
    except OSError as error:
        raise StorageError(
            f"the cache {cache} cannot be written: {error.strerror or error}; let W2GM_CACHE name another folder"
        ) from None
    try:
        folder.path.mkdir()
        yield folder
    finally:
        folder.leave()


def _new_lock(cache: Path) -> IO[bytes]:
    """A new lock file, locked."""
    while True:
        lock = (cache / f"{secrets.token_hex(8)}.lock").open("xb")
        if fcntl is None:
            return lock
        fcntl.flock(lock, fcntl.LOCK_EX)
        # Another process may have swept it away before it was locked.
        if os.fstat(lock.fileno()).st_nlink:
            return lock
        lock.close()


def _sweep(cache: Path) -> None:
    """Delete the temporary folders that nobody has locked."""
    for path in cache.glob("*.lock"):
        with contextlib.suppress(OSError):
            lock = path.open("rb")
            try:
                if fcntl is not None:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                lock.close()
                continue
            _remove(path.with_suffix(".tmp"), lock)


def _remove(folder: Path, lock: IO[bytes]) -> None:
    """Delete a temporary folder and its lock."""
    shutil.rmtree(folder, ignore_errors=True)
    if fcntl is None:
        lock.close()
    if not folder.exists():  # or else the next sweep tries again
        Path(lock.name).unlink(missing_ok=True)
    lock.close()
