"""A folder written whole or not at all: made beside its place under another name, then renamed."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

from w2gm.errors import StorageError, W2gmError

_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextlib.contextmanager
def staged_folder(target: Path, *, overwrite: bool, needed: int) -> Iterator[Path]:
    """A new, empty folder beside `target` that takes its place when the block ends well.

    When the block raises (Ctrl-C too) the new folder is removed and `target` is what it was. `needed` is the
    number of bytes that will be written: too little room is an error before the first of them. With `overwrite`
    an existing `target` is moved aside, the new one renamed in, the old one removed; only a kill between the two
    renames leaves the old one under its other name (`.w2gm-*.old`).

    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "model"
    >>> with staged_folder(target, overwrite=False, needed=5) as folder:
    ...     _ = (folder / "note.txt").write_text("hello")
    >>> [path.name for path in target.iterdir()]
    ['note.txt']
    """
    made: list[Path] = []
    stage = target.parent / f".w2gm-{secrets.token_hex(8)}.partial"
    try:
        for folder in reversed([target.parent, *target.parent.parents]):
            if not folder.exists():
                folder.mkdir()
                made.append(folder)
        check_room(target, needed)
        stage.mkdir()
        yield stage
        for file in stage.iterdir():
            sync(file)
        sync(stage)
        _move_into_place(stage, target, overwrite)
    except BaseException as error:
        shutil.rmtree(stage, ignore_errors=True)
        for folder in reversed(made):
            with contextlib.suppress(OSError):
                folder.rmdir()
        if isinstance(error, OSError) and not isinstance(error, W2gmError):
            raise storage_error(error, target, needed) from error
        raise


def check_room(target: Path, needed: int) -> None:
    """Raise `StorageError` unless the disk of `target` has `needed` bytes free."""
    if shutil.disk_usage(_nearest_existing(target.parent)).free < needed:
        raise storage_error(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), target, needed)


def sync(path: Path) -> None:
    """Wait until the file or folder `path` is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some network file systems cannot sync a folder; its files are on the disk nevertheless.
        if not (path.is_dir() and error.errno in (errno.EINVAL, errno.ENOTSUP)):
            raise
    finally:
        os.close(descriptor)


def storage_error(error: OSError, target: Path, needed: int) -> StorageError:
    """`error` in one line that says what could not be written, why, and the way out."""
    reason = error.strerror or type(error).__name__
    if error.errno not in _NO_ROOM:
        return StorageError(f"cannot write {target}: {reason}: choose another folder or change its permissions")
    try:
        free = f"{shutil.disk_usage(_nearest_existing(target.parent)).free:,}"
    except OSError:
        free = "an unknown number of"
    return StorageError(
        f"no room for {target} ({reason}): it needs {needed:,} bytes, {free} bytes are free on that disk: "
        "free some or choose another folder"
    )


def _nearest_existing(path: Path) -> Path:
    return next(folder for folder in (path, *path.parents) if folder.exists())


def _move_into_place(stage: Path, target: Path, overwrite: bool) -> None:
    aside = stage.with_suffix(".old")
    try:
        if overwrite and target.exists():
            target.rename(aside)
        stage.rename(target)
        sync(target.parent)
    finally:
        if aside.exists():
            if target.exists():
                shutil.rmtree(aside, ignore_errors=True)
            else:
                aside.rename(target)
