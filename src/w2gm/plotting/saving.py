"""A figure as a file: PNG, SVG or PDF, the same bytes each time, whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

from w2gm.errors import ConfigError
from w2gm.model.staging import storage_error
from w2gm.plotting.style import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# What a file says of its making: no date, so that the same figure is the same file.
_METADATA: dict[str, dict[str, Any]] = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
FORMATS = tuple(_METADATA)
_DOTS_PER_INCH = 300


def save(figure: Figure, path: str | os.PathLike[str]) -> Path:
    """Write a figure in the format that the end of its name says: .png (300 dots an inch), .svg or .pdf.

    A file of that name is replaced. What cannot be written raises `StorageError`, another ending `ConfigError`.

    >>> import tempfile
    >>> from matplotlib.figure import Figure
    >>> save(Figure(), Path(tempfile.mkdtemp()) / "empty.svg").name
    'empty.svg'
    """
    target = checked_place(path)
    kind = target.suffix[1:].lower()
    data = io.BytesIO()
    with style():
        figure.savefig(data, format=kind, dpi=_DOTS_PER_INCH, metadata=_METADATA[kind])
    stage = target.with_name(f".w2gm-{secrets.token_hex(8)}.partial")
    try:
        stage.write_bytes(data.getvalue())
        stage.replace(target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            stage.unlink()
        if isinstance(error, OSError):
            raise storage_error(error, target, len(data.getvalue())) from error
        raise
    return target


def checked_place(path: str | os.PathLike[str]) -> Path:
    """`path` if a figure can be written there; call it before the work.

    >>> checked_place("bank.jpg")
    Traceback (most recent call last):
        ...
    w2gm.errors.ConfigError: a figure's name must end in .png, .svg or .pdf, got 'bank.jpg'
    """
    target = Path(path)
    if target.suffix[1:].lower() not in FORMATS:
        raise ConfigError(f"a figure's name must end in .png, .svg or .pdf, got {str(target)!r}")
    reason = 0
    if target.is_dir():
        reason = errno.EISDIR
    elif not target.parent.exists():
        reason = errno.ENOENT
    elif not target.parent.is_dir():
        reason = errno.ENOTDIR
    elif not os.access(target.parent, os.W_OK | os.X_OK):
        reason = errno.EACCES
    if reason:
        raise storage_error(OSError(reason, os.strerror(reason)), target, 0)
    return target
