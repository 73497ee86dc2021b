"""Files of test sets as their authors write them, and a user's own: every faulty line is named.

Words are kept as they are written. Lines end with LF or CRLF, the last one with or without; a byte order mark and
empty lines are passed over.
"""

from __future__ import annotations

import csv
import math
import os
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from w2gm.errors import DataError
from w2gm.evaluation.datasets import Analogies, Context, Entailment, Pairs

_LARGEST = 256 << 20
_SEPARATORS = {"\t": "tabs", ";": "semicolons", ",": "commas", " ": "spaces"}
_TARGET = re.compile(r"(.*?)<b>(.*?)</b>(.*)", re.DOTALL)
# SCWS: id, word1, POS1, word2, POS2, context1, context2, mean rating, ten ratings.
_SCWS_COLUMNS = 18


def read_pairs(path: str | os.PathLike[str], name: str | None = None) -> Pairs:
    r"""Two words and a rating a line, separated by tabs, semicolons, commas or spaces, with a header line or without.

    The separator is the first of these that the first line has. The rating is the first number after the two words
    (SimLex-999 has the part of speech between); what follows it is not looked at.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp(), "mine.csv")
    >>> _ = file.write_text("one,other,how close\ncup,mug,9.1\ncup,cat,0.5")
    >>> pairs = read_pairs(file)
    >>> pairs.name, pairs.words, pairs.ratings.tolist()
    ('mine', [('cup', 'mug'), ('cup', 'cat')], [9.1, 0.5])
    """
    path = Path(path)
    lines = list(_lines(path))
    separator = next((mark for mark in _SEPARATORS if lines and mark in lines[0][1]), " ")
    rows = [(number, line, _cells(line, separator)) for number, line in lines]
    column = next((found for _, _, cells in rows[:2] if (found := _rating_column(cells)) is not None), 2)
    if rows and len(rows[0][2]) > column and _rating_column(rows[0][2]) is None:
        rows = rows[1:]  # the header names the columns
    words, ratings = [], []
    for number, line, cells in rows:
        rating = _number(cells[column]) if len(cells) > column else None
        if rating is None or not (cells[0] and cells[1]):
            raise _faulty(path, number, f"two words and a rating, separated by {_SEPARATORS[separator]}", line)
        words.append((cells[0], cells[1]))
        ratings.append(rating)
    if not words:
        raise DataError(f"{path} holds no pairs: write two words and a rating on each line")
    return Pairs(name or path.stem, words, np.array(ratings))


def read_scws(path: str | os.PathLike[str], name: str = "SCWS") -> Pairs:
    """Huang's pairs in context: 18 columns between tabs, in each context the word in question inside `<b>...</b>`."""
    path = Path(path)
    words, ratings, contexts = [], [], []
    for number, line in _lines(path):
        cells = [cell.strip() for cell in line.split("\t")]
        rating = _number(cells[7]) if len(cells) == _SCWS_COLUMNS else None
        if rating is None or not (cells[1] and cells[3]):
            raise _faulty(path, number, f"{_SCWS_COLUMNS} columns between tabs, the 8th a rating", line)
        places = [_TARGET.fullmatch(cell) for cell in cells[5:7]]
        if places[0] is None or places[1] is None:
            raise _faulty(path, number, "both contexts with their word inside <b>...</b>", line)
        words.append((cells[1], cells[3]))
        ratings.append(rating)
        one, other = (Context(tuple(place[1].split()), tuple(place[3].split())) for place in places if place)
        contexts.append((one, other))
    if not words:
        raise DataError(f"{path} holds no pairs: it is empty, fetch it again")
    return Pairs(name, words, np.array(ratings), contexts)


def read_entailment(
    positive: str | os.PathLike[str], negative: str | os.PathLike[str], name: str = "entailment"
) -> Entailment:
    """Baroni's two files: `aircraft-n<TAB>vehicle-n` a line, the first entails the second, or does not."""
    words: list[tuple[str, str]] = []
    sizes = []
    for path in (Path(positive), Path(negative)):
        before = len(words)
        for number, line in _lines(path):
            cells = [cell.removesuffix("-n") for cell in line.split()]
            if len(cells) != 2 or not (cells[0] and cells[1]):
                raise _faulty(path, number, "two words", line)
            words.append((cells[0], cells[1]))
        sizes.append(len(words) - before)
        if not sizes[-1]:
            raise DataError(f"{path} holds no pairs: it is empty, fetch it again")
    return Entailment(name, words, np.repeat([True, False], sizes))


def read_analogies(path: str | os.PathLike[str], name: str = "analogies") -> Analogies:
    """Google's questions: a line `: section`, then four words a line."""
    path = Path(path)
    words: list[tuple[str, str, str, str]] = []
    sections: list[str] = []
    section = None
    for number, line in _lines(path):
        cells = line.split()
        if cells[0].startswith(":"):
            section = line.lstrip(": \t").strip()
            if not section:
                raise _faulty(path, number, "the name of a section after ':'", line)
        elif len(cells) != 4:
            raise _faulty(path, number, "four words, or a line ': section'", line)
        elif section is None:
            raise _faulty(path, number, "a line ': section' before the first question", line)
        else:
            words.append((cells[0], cells[1], cells[2], cells[3]))
            sections.append(section)
    if not words:
        raise DataError(f"{path} holds no questions: write ': section', then four words on each line")
    return Analogies(name, words, sections)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """(number, line) of every line that is not empty, without its end."""
    try:
        if path.stat().st_size > _LARGEST:
            raise DataError(f"{path} is larger than {_LARGEST >> 20} MB: it is not a test set")
        data = path.read_bytes()
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}") from None
    for number, raw in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        try:
            line = raw.removesuffix(b"\r").decode("utf-8")
        except UnicodeDecodeError as error:
            raise DataError(
                f"{path}, line {number}: not UTF-8 (byte {error.start + 1} of the line): convert it"
            ) from None
        if line.strip():
            yield number, line


def _cells(line: str, separator: str) -> list[str]:
    if separator == " ":
        return line.split()
    if separator == "\t":
        return [cell.strip() for cell in line.split("\t")]
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=separator))]
    except csv.Error:  # a cell of more than 128 kB
        return []


def _rating_column(cells: list[str]) -> int | None:
    """The first column after the two words that holds a number."""
    return next((column for column in range(2, len(cells)) if _number(cells[column]) is not None), None)


def _number(cell: str) -> float | None:
    """A finite number, or None."""
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _faulty(path: Path, number: int, expected: str, line: str) -> DataError:
    return DataError(f"{path}, line {number}: expected {expected}, got {line[:80]!r}")
