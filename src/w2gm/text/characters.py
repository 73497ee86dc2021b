"""What every Unicode character is to a tokeniser: its kind and its lower case, in one table.

The rules of 'words': a word is letters and digits (`str.isalnum`) with the marks that belong to them (categories
Mn and Mc, so that Hindi and decomposed accents stay whole, and the zero-width joiners), and one apostrophe or
hyphen at a time between letters or digits. Typographic apostrophes and hyphens become plain ones, a soft hyphen
inside a word vanishes, letters are lower-cased one by one. As in `str.lower`, U+0130 becomes two characters and a
capital sigma at the end of a word, or before a hyphen, becomes a final one; here any letter or digit before it will
do, where Python wants a cased letter.

The rules of 'whitespace': those of `str.split`, Unicode spaces included.
"""

from __future__ import annotations

import functools
import unicodedata
from typing import Any

import numpy as np
import numpy.typing as npt

from w2gm.kernels.tokens import (
    APOSTROPHE,
    HYPHEN,
    KIND_BITS,
    KIND_MASK,
    LETTER,
    MARK,
    NEWLINE,
    OTHER,
    SOFT_HYPHEN,
    SPACE,
    Alphabet,
)

_CODE_POINTS = 0x110000
_APOSTROPHES = (0x27, 0x2019)
_HYPHENS = (0x2D, 0x2010, 0x2011)
_JOINERS = (0x200C, 0x200D)
# Marks live in these planes only (a test looks at all of them); asking about a million characters takes 0.1 s.
_PLANES_WITH_MARKS = ((0, 0x20000), (0xE0000, 0xE1000))


@functools.cache
def word_alphabet(line_ends: bool = True) -> Alphabet:
    """Kind and lower case of every character for 'words'.

    With `line_ends` false a line end is a character like others, and sentences go on over it.

    >>> from w2gm.kernels.tokens import LETTER
    >>> int(word_alphabet().properties[ord("É")]) == ord("é") << 3 | LETTER
    True
    """
    codes = np.arange(_CODE_POINTS, dtype="<u4")
    kinds = np.where(np.strings.isalnum(codes.view("<U1")), LETTER, 0).astype(np.int32)
    for first, last in _PLANES_WITH_MARKS:
        marks = [unicodedata.category(chr(code)) in ("Mn", "Mc") for code in range(first, last)]
        kinds[first:last][marks] = MARK
    kinds[list(_JOINERS)] = MARK
    lower = _lower(codes)
    for plain, kind, variants in ((0x27, APOSTROPHE, _APOSTROPHES), (0x2D, HYPHEN, _HYPHENS)):
        kinds[list(variants)] = kind
        lower[list(variants)] = plain
    kinds[0xAD] = SOFT_HYPHEN
    if line_ends:
        kinds[0x0A] = NEWLINE
    return _alphabet(lower << KIND_BITS | kinds, lower, LETTER)


@functools.cache
def space_alphabet(line_ends: bool = True) -> Alphabet:
    """Kind of every character for 'whitespace'; `line_ends` as in `word_alphabet`.

    >>> from w2gm.kernels.tokens import SPACE
    >>> int(space_alphabet().properties[0x3000]) == SPACE
    True
    """
    codes = np.arange(_CODE_POINTS, dtype="<u4")
    kinds = np.where(np.strings.isspace(codes.view("<U1")), SPACE, 0).astype(np.int32)
    if line_ends:
        kinds[0x0A] = NEWLINE
    return _alphabet(kinds, codes, OTHER)


def _alphabet(properties: npt.NDArray[np.int32], becomes: npt.NDArray[Any], kind: int) -> Alphabet:
    """The alphabet with these properties, in which ASCII characters of one kind take the fast path."""
    plain = np.zeros(256, np.uint8)
    fast = np.flatnonzero(properties[:0x80] & KIND_MASK == kind)
    plain[fast] = becomes[fast]
    return Alphabet(plain, properties)


def _lower(codes: npt.NDArray[np.uint32]) -> npt.NDArray[np.int32]:
    """The lower case of every code point, one for one, (n,) int32."""
    # One call for all of Unicode takes 5 ms; the two characters that depend on others are set by hand.
    plain = codes.copy()
    plain[[0x130, 0x3A3]] = 0
    text = plain.tobytes().decode("utf-32-le", "surrogatepass").lower()
    lower = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.int32)
    lower[[0x130, 0x3A3]] = ord("i"), 0x3C3
    return lower
