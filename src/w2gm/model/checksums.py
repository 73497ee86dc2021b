"""Checksums of a folder's files, in the form `b2sum --check checksums.txt` reads."""

from __future__ import annotations

import hashlib
from pathlib import Path

from w2gm.errors import ModelError

NAME = "checksums.txt"
_SEAL = "# blake2b of the lines above: "
_LARGEST = 1 << 20


def write_checksums(folder: Path) -> None:
    """Write one `<blake2b>  <name>` line per file of `folder`, and a seal over these lines."""
    files = sorted(file for file in folder.iterdir() if file.is_file() and file.name != NAME)
    lines = "".join(f"{_blake2b(file)}  {file.name}\n" for file in files)
    seal = hashlib.blake2b(lines.encode()).hexdigest()
    (folder / NAME).write_text(f"{lines}{_SEAL}{seal}\n", encoding="utf-8", newline="\n")


def verify_checksums(folder: Path) -> dict[str, str]:
    """Whether each file listed is "ok", "changed" or "missing"; the list itself is judged by its seal.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "note.txt").write_text("hello")
    >>> write_checksums(folder)
    >>> _ = (folder / "note.txt").write_text("jello")
    >>> verify_checksums(folder)
    {'checksums.txt': 'ok', 'note.txt': 'changed'}
    """
    path = folder / NAME
    if not path.is_file():
        raise ModelError(f"{folder} has no {NAME}: it was not written by w2gm, or is incomplete")
    if path.stat().st_size > _LARGEST:
        raise ModelError(f"{path} is larger than {_LARGEST} bytes: it is not a list of checksums")
    lines, mark, seal = path.read_bytes().rpartition(_SEAL.encode())
    if not mark or seal != hashlib.blake2b(lines).hexdigest().encode() + b"\n":
        # A list that is not what was written says nothing about the other files.
        return {NAME: "changed"}
    states = {NAME: "ok"}
    for line in lines.decode().splitlines():
        digest, _, name = line.partition("  ")
        file = folder / name
        states[name] = "missing" if not file.is_file() else "ok" if _blake2b(file) == digest else "changed"
    return states


def _blake2b(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, hashlib.blake2b).hexdigest()
