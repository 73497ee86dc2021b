"""Where test sets are on this machine: `--data DIR`, `$W2GM_DATA`, or the folder `datasets` in the user's cache."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from w2gm.errors import DataError
from w2gm.evaluation.catalogue import File, KnownSet, known_sets
from w2gm.evaluation.datasets import Dataset, Entailment
from w2gm.evaluation.readers import read_analogies, read_entailment, read_pairs, read_scws
from w2gm.text.folders import default_cache


def data_folder(given: str | os.PathLike[str] | None = None) -> Path:
    """The folder of test sets: the one given, else $W2GM_DATA, else `datasets` in the cache; it may not exist.

    >>> data_folder("sets").name
    'sets'
    """
    if given is not None:
        return Path(given)
    if named := os.environ.get("W2GM_DATA"):
        return Path(named).expanduser()
    return default_cache() / "datasets"


def find_file(folder: Path, file: File) -> Path | None:
    """Where a file is: at its place below the folder, or in the folder itself; None if at neither."""
    places = (folder / file.place, folder / Path(file.place).name)
    return next((place for place in places if place.is_file()), None)


def load_sets(folder: Path, names: Iterable[str] | None = None) -> tuple[list[Dataset], list[str]]:
    """(the sets that are in the folder, the names of those that are not); `names` must be there: `DataError`.

    None takes whatever is there, and at least one set must be.
    """
    loaded: list[Dataset] = []
    missing = []
    for one in known_sets(names):
        paths = [find_file(folder, file) for file in one.files]
        present = [path for path in paths if path is not None]
        if len(present) == len(paths):
            loaded.append(_read(one, present))
        else:
            missing.append(one.name)
    if missing and (names is not None or not loaded):
        what = ", ".join(missing) if loaded or names is not None else "test set"
        raise DataError(
            f"no {what} in {folder}: `w2gm datasets fetch` gets the public sets, "
            "--data and W2GM_DATA name another folder"
        )
    return loaded, missing


def load_entailment(folder: Path) -> Entailment | None:
    """The entailment set, or None if it is not there."""
    (one,) = known_sets(["entailment"])
    paths = [find_file(folder, file) for file in one.files]
    present = [path for path in paths if path is not None]
    return read_entailment(present[0], present[1]) if len(present) == len(paths) else None


def inventory(folder: Path) -> list[dict[str, Any]]:
    """Of each file of each set: {"set", "title", "items", "file", "path" or None, "state"}.

    The state is "as published" (its checksum is the pinned one), "another version" or "missing".
    """
    rows = []
    for one in known_sets():
        for file in one.files:
            path = find_file(folder, file)
            rows.append(
                {
                    "set": one.name,
                    "title": one.title,
                    "items": one.items,
                    "file": file.place,
                    "path": None if path is None else str(path),
                    "state": "missing" if path is None else state_of(path, file),
                }
            )
    return rows


def state_of(path: Path, file: File) -> str:
    """Whether a file that is there is the published one."""
    if path.stat().st_size != file.size:
        return "another version"
    with path.open("rb") as opened:
        digest = hashlib.file_digest(opened, hashlib.sha256).hexdigest()
    return "as published" if digest == file.sha256 else "another version"


def _read(one: KnownSet, paths: list[Path]) -> Dataset:
    if one.kind == "entailment":
        return read_entailment(paths[0], paths[1], one.name)
    if one.kind == "analogies":
        return read_analogies(paths[0], one.name)
    return read_scws(paths[0], one.name) if one.kind == "scws" else read_pairs(paths[0], one.name)
