r"""A model as TensorBoard's projector opens it: `tensorboard --logdir FOLDER`, then the Projector tab.

vectors.tsv            a sense a line: its mean, D numbers between tabs
metadata.tsv           a header, then a sense a line: key, word, sense, weight, variance, count
projector_config.pbtxt which files belong together

Senses stand in the order of the words, the most frequent first: the projector shows the first 100,000 points.
Vectors are text because TensorBoard tries to read any file as text first, and takes the bytes of one for numbers
where they happen to be text. A backslash, tab, line end or other control character of a word is an escape (`\t`).
"""

from __future__ import annotations

import operator
import os
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from w2gm.errors import ConfigError
from w2gm.interop.word2vec import has_variances
from w2gm.model.folder import checked_place, refusal
from w2gm.model.staging import staged_folder

if TYPE_CHECKING:
    from w2gm.model import Model

VECTORS, METADATA, CONFIG = "vectors.tsv", "metadata.tsv", "projector_config.pbtxt"
FILES = (VECTORS, METADATA, CONFIG)
COLUMNS = ("key", "word", "sense", "weight", "variance", "count")
MOST_SHOWN = 100_000

_TENSOR = "senses"
_WORDS_AT_ONCE = 4096
_ESCAPED = {"Cc", "Cs", "Zl", "Zp"}  # control characters, halves of characters, ends of lines and paragraphs
# Of a number in a file of vectors, sign, point, exponent and tab counted; of a line of metadata beside its word.
_NUMBER_BYTES, _LINE_BYTES = 16, 64

Progress = Callable[[int, int], None]


class Exported(NamedTuple):
    """What was written: words, points (a point is a sense), and the folder."""

    words: int
    points: int
    folder: Path


def export_tensorboard(
    model: Model,
    path: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    restrict_vocab: int | None = None,
    progress: Progress | None = None,
) -> Exported:
    r"""Write the folder `path` for TensorBoard's projector, whole or not at all.

    `restrict_vocab=N` writes the N most frequent words only. A folder that is there is replaced if `overwrite` is
    given and it is such an export (or empty), else `StorageError`. `progress(done, total)` counts words. The
    variance of a diagonal covariance is the geometric mean over dimensions.

    >>> import tempfile
    >>> from w2gm import Config, Mixtures, Model, Vocabulary
    >>> means = np.array([[[1, 0.5]]], np.float32)
    >>> flat = np.zeros((1, 1), np.float32)
    >>> mixtures, config = Mixtures(means, flat, flat + 1), Config(senses=1, vector_size=2)
    >>> model = Model(Vocabulary(["cup"], [9]), mixtures, config=config, provenance={})
    >>> folder = export_tensorboard(model, Path(tempfile.mkdtemp()) / "projector").folder
    >>> (folder / "metadata.tsv").read_text().splitlines()[1].split("\t")
    ['cup:0', 'cup', '0', '1', '1', '9']
    """
    words = len(model) if restrict_vocab is None else min(_whole(restrict_vocab), len(model))
    target = checked_place(path, lambda found: _check_replaceable(path, found, overwrite))
    needed = words * model.senses * (model.vector_size * _NUMBER_BYTES + _LINE_BYTES)
    needed += (
        2 * sum(len(word.encode("utf-8", "surrogatepass")) for word in model.index_to_key[:words]) * model.senses
    )
    with staged_folder(target, overwrite=overwrite, needed=needed) as folder:
        (folder / CONFIG).write_text(_config(words * model.senses, model.vector_size), encoding="utf-8", newline="\n")
        _write_points(model, words, folder, progress)
    return Exported(words, words * model.senses, target)


def escaped(word: str) -> str:
    r"""`word` in a table whose cells end with a tab and whose rows end with a line end.

    >>> print(escaped("a\tb\\"), escaped("naïve"))
    a\tb\\ naïve
    """
    return "".join(
        character.encode("unicode_escape").decode("ascii")
        if character == "\\" or unicodedata.category(character) in _ESCAPED
        else character
        for character in word
    )


def _config(points: int, dimensions: int) -> str:
    """The text form of TensorBoard's message ProjectorConfig."""
    return (
        "embeddings {\n"
        f'  tensor_name: "{_TENSOR}"\n'
        f"  tensor_shape: {points}\n"
        f"  tensor_shape: {dimensions}\n"
        f'  tensor_path: "{VECTORS}"\n'
        f'  metadata_path: "{METADATA}"\n'
        "}\n"
    )


def _write_points(model: Model, words: int, folder: Path, progress: Progress | None) -> None:
    line = "\t".join(["%.9g"] * model.vector_size) + "\n"  # nine digits are a float32 exactly
    with (
        (folder / VECTORS).open("w", encoding="ascii", newline="\n") as vectors,
        (folder / METADATA).open("w", encoding="utf-8", newline="\n") as metadata,
    ):
        metadata.write("\t".join(COLUMNS) + "\n")
        for start in range(0, words, _WORDS_AT_ONCE):
            stop = min(start + _WORDS_AT_ONCE, words)
            rows = model.means[start:stop].reshape(-1, model.vector_size).tolist()
            vectors.writelines(line % tuple(row) for row in rows)
            metadata.writelines(_facts(model, start, stop))
            if progress is not None:
                progress(stop, words)


def _facts(model: Model, start: int, stop: int) -> list[str]:
    """The lines of metadata of some words; the variance of word vectors, which have none, is left empty."""
    logs = model.log_variances[start:stop].astype(np.float64)
    variances = np.exp(logs if logs.ndim == 2 else logs.mean(axis=2)).tolist()
    weights, counts = model.weights[start:stop].tolist(), model.counts[start:stop].tolist()
    known = has_variances(model)
    lines = []
    for k, word in enumerate(map(escaped, model.index_to_key[start:stop])):
        for sense, (weight, variance) in enumerate(zip(weights[k], variances[k], strict=True)):
            shown = f"{variance:.6g}" if known else ""
            lines.append(f"{word}:{sense}\t{word}\t{sense}\t{weight:.6g}\t{shown}\t{counts[k]}\n")
    return lines


def _check_replaceable(path: str | os.PathLike[str], target: Path, overwrite: bool) -> None:
    """Refuse to replace what is at `target` unless it is such an export, or empty, and `overwrite` is given."""
    if not target.is_dir():
        raise refusal(f"{path} exists and is not a folder: choose another path")
    if not overwrite:
        raise refusal(f"{path} exists; pass --overwrite (overwrite=True) to replace it")
    names = sorted(entry.name for entry in target.iterdir())
    if foreign := [name for name in names if name not in FILES]:
        raise refusal(f"{path} holds files that are not of an export ({', '.join(foreign[:3])}): choose another path")


def _whole(value: Any) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise ConfigError(f"restrict_vocab must be a whole number, got {value!r}") from None
    if number < 1:
        raise ConfigError(f"restrict_vocab must be at least 1, got {number}")
    return number
