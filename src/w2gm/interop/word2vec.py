"""Word vectors of word2vec, gensim, fastText and GloVe: text with a header line or without, and binary.

A file of vectors is opened as a model of one sense a word that says of itself that it has no variances. Nothing is
believed before it is read: memory grows with the words that are there, not with the number a header promises.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from w2gm.config import Config
from w2gm.errors import DataError
from w2gm.model import Mixtures, Model, load
from w2gm.text.compression import LONGEST_MAGIC, plain_pieces
from w2gm.vocabulary import Vocabulary

Floats = npt.NDArray[np.float32]

_MOST_DIMENSIONS = 8192  # what `Config.vector_size` accepts
_LONGEST_LINE = 1 << 20
_LONGEST_WORD = 1 << 12
_ABSENT = {"variances": "absent"}


def open_vectors(path: str | os.PathLike[str]) -> Model:
    """The model of a folder (`w2gm.load`), or of a file of word vectors (`read_word2vec`)."""
    return read_word2vec(path) if Path(path).is_file() else load(path)


def has_variances(model: Model) -> bool:
    """Whether the variances of a model mean anything: those of imported word vectors are all 1, and do not."""
    return model.provenance.get("variances") != "absent"


def read_word2vec(path: str | os.PathLike[str]) -> Model:
    r"""A file of word vectors as a model with K = 1 and variances of 1 (`has_variances` is False).

    Text is `word x1 ... xD` a line, between spaces or tabs, after a header `words D` or without one; binary is the
    header, then for each word its name, a space and D little-endian float32. Either may be compressed. A word in
    the list twice counts once, where it first stands. Bytes that are not UTF-8 are kept as escapes.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp(), "vectors.txt")
    >>> _ = file.write_text("2 3\nbank 1 0 0\nriver 0.5 0 1\n")
    >>> model = read_word2vec(file)
    >>> model.index_to_key, model.means.tolist(), has_variances(model)
    (['bank', 'river'], [[[1.0, 0.0, 0.0]], [[0.5, 0.0, 1.0]]], False)
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            head = file.read(LONGEST_MAGIC)
            stream = _Stream(plain_pieces(file, str(path), head), path)
            table = _read(stream)
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from None
    words, vectors = table.words, table.vectors()
    flat = np.ones((len(words), 1), np.float32)
    return Model(
        Vocabulary(words, np.zeros(len(words), np.int64)),
        Mixtures(vectors[:, np.newaxis], np.zeros_like(flat), flat),
        config=Config(senses=1, vector_size=vectors.shape[1]),
        provenance={"imported": {"format": "word2vec", "file": path.name, "repeated": table.repeated}, **_ABSENT},
    )


class _Stream:
    """The bytes of a file, asked for by line or by number; only what was asked for and a piece more is held."""

    def __init__(self, pieces: Iterator[bytes], path: Path) -> None:
        self.path = path
        self._pieces = pieces
        self._held = b""
        self._at = 0

    def _more(self) -> bool:
        """Hold one piece more; False at the end of the file."""
        piece = next(self._pieces, b"")
        self._held, self._at = self._held[self._at :] + piece, 0
        return bool(piece)

    def peek(self, size: int) -> bytes:
        """The next bytes, `size` of them unless the file ends, without taking them."""
        while len(self._held) - self._at < size and self._more():
            pass
        return self._held[self._at : self._at + size]

    def take(self, size: int) -> bytes:
        """The next bytes, `size` of them unless the file ends."""
        taken = self.peek(size)
        self._at += len(taken)
        return taken

    def until(self, mark: bytes, longest: int) -> bytes | None:
        """What comes before the next `mark` (passed over) or the end; None if that is more than `longest` bytes."""
        searched = 0
        while (end := self._held.find(mark, self._at + searched)) < 0:
            searched = len(self._held) - self._at
            if searched > longest:
                return None
            if not self._more():
                return self.take(searched)
        found = self._held[self._at : end]
        self._at = end + len(mark)
        return found if len(found) <= longest else None


class _Table:
    """Words and the bytes of their vectors, as they are read."""

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self.words: list[str] = []
        self.repeated = 0
        self._known: set[str] = set()
        self._data = bytearray()

    def add(self, word: bytes, vector: bytes) -> None:
        """Keep a word and its D float32, unless the word is there already."""
        name = word.decode("utf-8", errors="backslashreplace")
        if name in self._known:
            self.repeated += 1
            return
        self._known.add(name)
        self.words.append(name)
        self._data += vector

    def vectors(self) -> Floats:
        """(V, D) float32."""
        return np.frombuffer(self._data, dtype="<f4").astype(np.float32, copy=False).reshape(-1, self.dimensions)


def _read(stream: _Stream) -> _Table:
    first = stream.until(b"\n", _LONGEST_LINE)
    if not first or not first.strip():
        why = "its first line is too long" if first is None else "it is empty"
        raise DataError(f"{stream.path} holds no word vectors: {why}")
    cells = first.split()
    if len(cells) != 2 or not all(cell.isdigit() for cell in cells):
        table = _Table(_dimensions(stream.path, len(cells) - 1))
        _add_line(table, stream.path, 1, first)
        _read_text(stream, table, None)
        return table
    promised = int(cells[0]) if len(cells[0]) < 16 else 10**15
    table = _Table(_dimensions(stream.path, int(cells[1]) if len(cells[1]) < 16 else 10**15))
    if _is_text(stream, table.dimensions):
        _read_text(stream, table, promised)
    else:
        _read_binary(stream, table, promised)
    if not table.words:
        raise DataError(f"{stream.path} holds no word vectors: nothing follows its header")
    return table


def _dimensions(path: Path, number: int) -> int:
    if not 1 <= number <= _MOST_DIMENSIONS:
        raise DataError(
            f"{path}, line 1: vectors of {number} dimensions; 1 to {_MOST_DIMENSIONS} are accepted: "
            "is this a file of word vectors (word2vec text or binary)?"
        )
    return number


def _is_text(stream: _Stream, dimensions: int) -> bool:
    """Whether a word and so many numbers stand on the line after the header."""
    cells = stream.peek(_LONGEST_LINE).partition(b"\n")[0].split()
    try:
        return len(cells) > dimensions and all(map(math.isfinite, map(float, cells[-dimensions:])))
    except ValueError:
        return False


def _read_text(stream: _Stream, table: _Table, promised: int | None) -> None:
    """Read the lines after the first; as many as the header promised, if there was one."""
    number = 1
    while stream.peek(1):
        number += 1
        line = stream.until(b"\n", _LONGEST_LINE)
        if line is None:
            raise DataError(f"{stream.path}, line {number}: longer than {_LONGEST_LINE >> 20} MB: it holds no vector")
        if line.strip():
            _add_line(table, stream.path, number, line)
    found = len(table.words) + table.repeated
    if promised not in (None, found):
        raise DataError(f"{stream.path}: its header promises {promised} words, it holds {found}: fetch it again")


def _add_line(table: _Table, path: Path, number: int, line: bytes) -> None:
    cells = line.rsplit(None, table.dimensions)
    try:
        vector = [float(cell) for cell in cells[1:]]
    except ValueError:
        vector = []
    if len(vector) != table.dimensions or not all(map(math.isfinite, vector)):
        shown = line[:60].decode("utf-8", errors="backslashreplace")
        raise DataError(f"{path}, line {number}: expected a word and {table.dimensions} numbers, got {shown!r}")
    table.add(cells[0].strip(), np.array(vector, dtype="<f4").tobytes())


def _read_binary(stream: _Stream, table: _Table, promised: int) -> None:
    """Read as many words as the header promised, and nothing after them."""
    for number in range(1, promised + 1):
        if not stream.peek(1):
            raise DataError(
                f"{stream.path}: its header promises {promised} words, it holds {number - 1}: fetch it again"
            )
        word = stream.until(b" ", _LONGEST_WORD)
        vector = stream.take(4 * table.dimensions)
        if not word or len(vector) < 4 * table.dimensions:
            raise DataError(
                f"{stream.path}, word {number}: expected a name, a space and {table.dimensions} float32, but the "
                "file ends or makes no sense there: it is cut off, or of another format"
            )
        if not np.isfinite(np.frombuffer(vector, "<f4")).all():
            raise DataError(f"{stream.path}, word {number}: its vector is not finite: the file is damaged")
        # Some writers end each vector with a line end, which the next name begins with then.
        table.add(word.lstrip(b"\n"), vector)
    if stream.take(2).strip():
        raise DataError(f"{stream.path}: its header promises {promised} words, and more follow: fetch it again")
