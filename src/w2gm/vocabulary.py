"""Words, their ids and their counts. Ids run from the most frequent word (0) down."""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from w2gm.errors import ModelError, UnknownWordError, VocabularyError

_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_UNESCAPES = {escaped[1]: char for char, escaped in _ESCAPES.items()}
# Any count of this many digits fits in 64 bits.
_LONGEST_COUNT = 18


class Vocabulary:
    """An ordered list of distinct words with their counts.

    >>> vocabulary = Vocabulary(["the", "bank"], [120, 7])
    >>> vocabulary.id("bank"), "river" in vocabulary, len(vocabulary)
    (1, False, 2)
    """

    def __init__(self, words: Sequence[str], counts: npt.ArrayLike) -> None:
        self.words = list(words)
        self.counts: npt.NDArray[np.int64] = np.asarray(counts, dtype=np.int64)
        self._index: dict[str, int] | None = None
        if self.counts.shape != (len(self.words),):
            raise ModelError(f"a vocabulary of {len(self.words)} words needs as many counts, got {self.counts.shape}")

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.index

    @property
    def index(self) -> dict[str, int]:
        """From word to id; made at the first look-up, not at loading."""
        if self._index is None:
            self._index = dict(zip(self.words, itertools.count(), strict=False))
        return self._index

    def id(self, word: str) -> int:
        """The id of `word`, or `UnknownWordError` naming the closest known words."""
        found = self.index.get(word)
        if found is None:
            close = self.closest(word)
            hint = f"closest known words: {', '.join(close)}" if close else "no known word is close to it"
            raise UnknownWordError(f"unknown word {word!r}; {hint}")
        return found

    def closest(self, word: str, n: int = 3) -> list[str]:
        """Known words that look like `word`: another case first, then small differences."""
        same = [known for known in (word.lower(), word.capitalize(), word.upper()) if known in self.index]
        # Comparing is slow: look only at frequent words of about the same length.
        near = [known for known in self.words if abs(len(known) - len(word)) <= 2][:50_000]
        matches = difflib.get_close_matches(word, near, n=n, cutoff=0.7)
        return list(dict.fromkeys(same + matches))[:n]

    def write(self, path: Path) -> None:
        """Write one `word<TAB>count` line per word, UTF-8; tabs, line ends and backslashes are escaped."""
        table = str.maketrans(_ESCAPES)
        lines = (
            f"{word.translate(table)}\t{count}\n"
            for word, count in zip(self.words, self.counts.tolist(), strict=True)
        )
        with path.open("w", encoding="utf-8", newline="\n") as file:
            try:
                file.writelines(lines)
            except UnicodeEncodeError as error:
                raise VocabularyError(
                    f"{error.object[error.start : error.end + 20]!r} cannot be written as UTF-8: "
                    "a word holds half a character; clean the text"
                ) from None

    @classmethod
    def read(cls, path: Path) -> Vocabulary:
        """Read what `write` wrote; anything else raises `ModelError` naming the line."""
        data = path.read_bytes()
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ModelError(f"{path} is not UTF-8 (byte {error.start}): the file is damaged") from None
        if data and data[-1] != ord("\n"):
            raise ModelError(f"{path} does not end with a line end: the file is cut off")
        counts = _counts(data)
        if counts is None:
            raise _faulty_line(path, text)
        # Every line is known to have exactly one tab: words and counts take turns.
        words = text.replace("\n", "\t").split("\t")[:-1:2]
        if "\\" in text:
            words = [_unescape(word) if "\\" in word else word for word in words]
        if len(set(words)) != len(words):
            raise ModelError(f"{path} lists a word twice: the file is damaged")
        return cls(words, counts)


def _counts(data: bytes) -> npt.NDArray[np.int64] | None:
    """The numbers between tab and line end, all lines at once; None if any line is not `word<TAB>count`."""
    characters = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(characters == ord("\n"))
    tabs = np.flatnonzero(characters == ord("\t"))
    starts = np.concatenate(([0], ends + 1))[:-1]
    if len(tabs) != len(ends) or (tabs <= starts).any():
        return None
    lengths = ends - tabs - 1
    if (lengths < 1).any() or (lengths > _LONGEST_COUNT).any():
        return None
    counts = np.zeros(len(ends), dtype=np.int64)
    # From the last digit to the first; only the lines that have that many digits take part.
    for place in range(int(lengths.max(initial=0))):
        rows = np.flatnonzero(lengths > place)
        digits = characters[ends[rows] - 1 - place].astype(np.int64) - ord("0")
        if (digits < 0).any() or (digits > 9).any():
            return None
        counts[rows] += digits * 10**place
    return counts


def _faulty_line(path: Path, text: str) -> ModelError:
    """The error that names the first line that is not `word<TAB>count`; slow, and only for a damaged file."""
    accepted = re.compile(rf"[^\t]+\t[0-9]{{1,{_LONGEST_COUNT}}}")
    lines = enumerate(text.split("\n"), start=1)
    number, line = next((number, line) for number, line in lines if not accepted.fullmatch(line))
    return ModelError(f"{path}, line {number}: expected 'word<TAB>count', got {line[:80]!r}")


def _unescape(word: str) -> str:
    characters = iter(word)
    return "".join(
        _UNESCAPES.get(following := next(characters, ""), "\\" + following) if char == "\\" else char
        for char in characters
    )
