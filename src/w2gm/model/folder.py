"""The model folder: which files it has, how they are written together, and how they are opened.

config.json           what the model is and how it was made         (description.py)
model.safetensors     means, log_variances, weights                 (tensors.py)
context.safetensors   the same of the context words; may be absent
vocab.tsv             word and count, in the order of the arrays    (vocabulary.py)
README.md             the model card                                (card.py)
checksums.txt         blake2b of each of these                      (checksums.py)
checkpoint/           training state; written by training, replaced together with the model
index/                an approximate index of the senses, made on request (query/index.py); goes with the model
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from w2gm.errors import ModelError, StorageError, W2gmError
from w2gm.model import checksums, description
from w2gm.model.card import model_card
from w2gm.model.description import Description
from w2gm.model.mixtures import Mixtures
from w2gm.model.staging import staged_folder, storage_error
from w2gm.model.tensors import map_tensors, tensors_bytes, write_tensors
from w2gm.vocabulary import Vocabulary

ARRAYS, CONTEXT, WORDS, CARD = "model.safetensors", "context.safetensors", "vocab.tsv", "README.md"
KNOWN = {description.NAME, ARRAYS, CONTEXT, WORDS, CARD, checksums.NAME, "checkpoint", "index"}

# Room for the small files (card, description, checksums, headers), and for a word with its count.
_SMALL_FILES = 64 << 10
_WORD_BYTES = 20


class Parts(NamedTuple):
    """What a folder holds."""

    vocabulary: Vocabulary
    mixtures: Mixtures
    context: Mixtures | None
    description: Description


def check_output(path: str | os.PathLike[str], overwrite: bool = False) -> Path:
    """The real path a model can be saved to, or `StorageError`; call it before hours of work.

    Refused: a path that exists, unless `overwrite` and it is a model folder (or empty) with nothing else in it,
    so that nobody's files are deleted; a place under a file; a place without permission.

    >>> check_output("no-such-folder/model").name
    'model'
    >>> check_output("/", overwrite=True)
    Traceback (most recent call last):
        ...
    w2gm.errors.StorageError: / is not a w2gm model folder and is never overwritten: choose another path
    """
    return checked_place(path, lambda target: _check_replaceable(path, target, overwrite))


def checked_place(path: str | os.PathLike[str], check_replaceable: Callable[[Path], None]) -> Path:
    """The real path a folder can be written to, or `StorageError`; what is there already the caller judges."""
    target = Path(os.path.realpath(path))
    try:
        if _exists(target):
            check_replaceable(target)
        place = next(folder for folder in target.parents if _exists(folder))
    except W2gmError:
        raise
    except OSError as error:
        raise storage_error(error, target, 0) from error
    if not place.is_dir():
        raise refusal(f"{path} cannot be made: {place} is not a folder: choose another path")
    if not os.access(place, os.W_OK | os.X_OK):
        raise StorageError(f"{path} cannot be made: no permission to write in {place}: choose another path")
    return target


def _exists(path: Path) -> bool:
    """Whether there is anything at `path`; unlike `Path.exists` it lets a name that is too long be an error."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _check_replaceable(path: str | os.PathLike[str], target: Path, overwrite: bool) -> None:
    """Refuse to replace what is at `target` unless it is a model folder, or empty, and `overwrite` is given."""
    if not target.is_dir():
        raise refusal(f"{path} exists and is not a folder: choose another path")
    if not overwrite:
        raise refusal(f"{path} exists; pass --overwrite (overwrite=True) to replace it")
    names = sorted(entry.name for entry in target.iterdir())
    if names and not description.is_model(target):
        raise refusal(f"{path} is not a w2gm model folder and is never overwritten: choose another path")
    if foreign := [name for name in names if name not in KNOWN]:
        raise refusal(f"{path} holds files that are not the model's ({', '.join(foreign[:3])}): move them away first")


def required_bytes(
    words: int, senses: int, vector_size: int, covariance: str, context: bool, half: bool = False
) -> int:
    """Bytes a saved model of this shape takes, a little rounded up; `context` counts the second file.

    >>> required_bytes(100_000, 2, 50, "spherical", context=False)
    43665536
    """
    means: tuple[int, ...] = (words, senses, vector_size)
    shapes = {
        "means": means,
        "log_variances": means if covariance == "diagonal" else means[:2],
        "weights": means[:2],
    }
    arrays = tensors_bytes(shapes, _dtypes(half))
    return arrays * (2 if context else 1) + words * _WORD_BYTES + _SMALL_FILES


def write_folder(path: str | os.PathLike[str], parts: Parts, *, overwrite: bool) -> None:
    """Write a model folder whole or not at all; see `staged_folder` and `check_output`."""
    target = check_output(path, overwrite)
    half = parts.description.precision == "float16"
    shape = parts.mixtures
    needed = required_bytes(
        shape.words, shape.senses, shape.vector_size, shape.covariance, parts.context is not None, half
    )
    with staged_folder(target, overwrite=overwrite, needed=needed) as folder:
        _write_arrays(folder / ARRAYS, parts.mixtures, half)
        if parts.context is not None:
            _write_arrays(folder / CONTEXT, parts.context, half)
        parts.vocabulary.write(folder / WORDS)
        parts.description.write(folder)
        card = model_card(parts.description, parts.vocabulary.words)
        (folder / CARD).write_text(card, encoding="utf-8", newline="\n")
        checksums.write_checksums(folder)


def read_folder(path: str | os.PathLike[str]) -> Parts:
    """Open a model folder: arrays are memory-mapped, words are read; any fault raises `ModelError`.

    Float16 arrays are converted to float32, hence read.
    """
    folder = Path(path)
    try:
        if not os.path.lexists(folder):
            raise ModelError(f"no model at {folder}: it does not exist: train one, or check the path")
        if not folder.is_dir():
            raise ModelError(f"{folder} is not a folder: give the model folder itself")
        described = Description.read(folder)
        for name in (ARRAYS, WORDS):
            if not (folder / name).is_file():
                raise ModelError(f"{folder / name} is missing: the model folder is incomplete")
        mixtures = _read_arrays(folder / ARRAYS, described)
        context = None
        if os.path.lexists(folder / CONTEXT):
            if not (folder / CONTEXT).is_file():
                raise ModelError(f"{folder / CONTEXT} is not a file: the model folder is damaged")
            context = _read_arrays(folder / CONTEXT, described)
        vocabulary = Vocabulary.read(folder / WORDS)
    except OSError as error:
        raise ModelError(f"cannot read the model at {folder}: {error.strerror or error}") from error
    if len(vocabulary) != described.words:
        raise ModelError(
            f"{folder / WORDS} lists {len(vocabulary)} words, the arrays hold {described.words}: "
            "the files are not of the same model"
        )
    return Parts(vocabulary, mixtures, context, described)


def _dtypes(half: bool) -> dict[str, str]:
    # Weights stay float32: a rare sense's weight would become 0 in float16, and they are the smallest array.
    big = "F16" if half else "F32"
    return {"means": big, "log_variances": big, "weights": "F32"}


def _write_arrays(path: Path, mixtures: Mixtures, half: bool) -> None:
    dtypes = _dtypes(half)
    write_tensors(path, {name: getattr(mixtures, name) for name in dtypes}, dtypes)


def _read_arrays(path: Path, described: Description) -> Mixtures:
    """The three arrays of `path`, of the shapes that `described` says."""
    arrays = map_tensors(path)
    config = described.config
    full = (described.words, config.senses, config.vector_size)
    wanted = {
        "means": full,
        "log_variances": full if config.covariance == "diagonal" else full[:2],
        "weights": full[:2],
    }
    for name, shape in wanted.items():
        if name not in arrays:
            raise ModelError(f"{path} has no array {name}: it is not of a w2gm model")
        if arrays[name].shape != shape:
            raise ModelError(
                f"{path}: {name} has shape {arrays[name].shape}, {description.NAME} says {shape}: "
                "the files are not of the same model"
            )
    return Mixtures(**{name: arrays[name].astype(np.float32, copy=False) for name in wanted})


def refusal(message: str) -> StorageError:
    """A `StorageError` for a wrong call rather than a failing disk: the command line exits with 2."""
    error = StorageError(message)
    error.exit_code = 2
    return error
