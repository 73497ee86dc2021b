"""Words as they are typed: by their first letters, and when these are few, by letters that are nearly theirs.

Typed text stands for the beginning of a word. It is looked up among the sorted words first (a bisection). Where too
few words begin so, all words are asked whether some beginning of theirs differs from it by an edit or two: a letter
wrong, missing, too many, or two that changed places. Most words are ruled out by their letters alone, the rest are
compared all at once, a column of the edit table for every pair of letters.
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

# Longer words are compared by so many letters: 300,000 of them take 14 MB.
LETTERS = 24
# Text of so many letters may be wrong by one edit, or by two: shorter text is near to everything.
ONE_EDIT, TWO_EDITS = 3, 6

_MIXER = np.uint64(0x9E3779B97F4A7C15)


class Found(NamedTuple):
    """A word by its id, and how many edits lie between its beginning and what was typed."""

    number: int
    edits: int


class Completion:
    """The words of a vocabulary, most frequent first, made ready to be searched; case does not count.

    >>> completion = Completion(["the", "river", "bank", "rivers", "riverside"])
    >>> completion.complete("riv", 2)
    [Found(number=1, edits=0), Found(number=3, edits=0)]
    >>> completion.complete("rvier", 2)
    [Found(number=1, edits=1), Found(number=3, edits=1)]
    """

    def __init__(self, words: Sequence[str]) -> None:
        folded = [word.casefold() for word in words]
        order = sorted(range(len(folded)), key=folded.__getitem__)
        self._sorted = [folded[number] for number in order]
        self._numbers = np.array(order, dtype=np.int64)
        self._letters = _letters(folded)
        self._masks = _masks(self._letters)

    def complete(self, text: str, topn: int) -> list[Found]:
        """At most `topn` words: what was typed itself, words that begin so, then those a few edits away.

        Within each kind the frequent words come first. Nothing typed gives the most frequent words.
        """
        folded = text.casefold()
        found = [Found(number, 0) for number in self._beginning(folded, topn)]
        if len(found) < topn:
            known = {each.number for each in found}
            found += [each for each in self._nearly(folded, topn) if each.number not in known]
        return found[:topn]

    def _beginning(self, folded: str, topn: int) -> list[int]:
        first = bisect.bisect_left(self._sorted, folded)
        past = bisect.bisect_left(self._sorted, folded + "\U0010ffff")
        exact = bisect.bisect_right(self._sorted, folded, lo=first)
        longer = self._numbers[exact:past]
        if len(longer) > topn:
            longer = np.partition(longer, topn)[:topn]
        return [*sorted(self._numbers[first:exact].tolist()), *sorted(longer.tolist())][:topn]

    def _nearly(self, folded: str, topn: int) -> list[Found]:
        """Words of which some beginning is within the edits allowed, the fewest edits first."""
        found: list[Found] = []
        for allowed in range(1, 1 + (len(folded) >= ONE_EDIT) + (len(folded) >= TWO_EDITS)):
            # Words found with fewer edits come before all that need more: often the first round is enough.
            if len(found) < topn:
                found = self._within(folded, allowed, topn)
        return found

    def _within(self, folded: str, allowed: int, topn: int) -> list[Found]:
        typed = _letters([folded])[0, : min(len(folded), LETTERS)]
        # An edit brings at most one letter into the text that the word does not have.
        strange = np.bitwise_count(_masks(typed[np.newaxis])[0] & ~self._masks)
        numbers = np.flatnonzero(strange <= allowed)
        edits = beginning_edits(typed, self._letters[numbers, : len(typed) + allowed], allowed)
        near = np.flatnonzero(edits <= allowed)
        # Words that begin as typed are among them, and are left out by the caller.
        best = near[np.lexsort((numbers[near], edits[near]))[: 2 * topn]]
        return [Found(int(numbers[place]), int(edits[place])) for place in best]


def beginning_edits(
    typed: npt.NDArray[np.uint16], words: npt.NDArray[np.uint16], allowed: int
) -> npt.NDArray[np.int8]:
    """The fewest edits between `typed` (n,) and any beginning of each word (V, L), padded with 0; (V,) int8.

    An edit is a letter more, less or other, or two neighbours exchanged (optimal string alignment). More than
    `allowed` are given as allowed + 1: only the band of the table that can hold fewer is computed, row by row for all
    words, and a word is dropped at the first row that holds none.

    >>> words = np.array([[1, 2, 3, 4], [2, 1, 3, 0], [4, 4, 4, 4]], np.uint16)
    >>> beginning_edits(np.array([1, 2, 3], np.uint16), words, allowed=1).tolist()
    [0, 1, 2]
    """
    fewest = np.full(len(words), allowed + 1, np.int8)
    alive = np.arange(len(words))
    columns = np.ascontiguousarray(words.T)
    lengths = (columns != 0).sum(axis=0)
    far = np.int8(allowed + 1)
    band = range(-allowed, allowed + 1)
    # row[d + allowed]: edits from the first i typed letters to the first i + d letters of every word still alive.
    row = np.array([[d if d >= 0 else far] for d in band], np.int8).repeat(len(words), axis=1)
    before = row
    for i, letter in enumerate(typed.tolist(), start=1):
        following = np.full_like(row, far)
        for d in band:
            j, place = i + d, d + allowed
            if j == 0:
                following[place] = i
            if not 1 <= j <= len(columns):
                continue
            best = row[place] + (columns[j - 1] != letter)
            if d < allowed:
                np.minimum(best, row[place + 1] + 1, out=best)
            if d > -allowed:
                np.minimum(best, following[place - 1] + 1, out=best)
            if i > 1 and j > 1:
                swapped = (columns[j - 2] == letter) & (columns[j - 1] == typed[i - 2])
                np.minimum(best, np.where(swapped, before[place] + 1, far), out=best)
            following[place] = best
        before, row = row, following
        living = np.flatnonzero(row.min(axis=0, initial=far) <= allowed)
        if len(living) < 0.8 * len(alive):
            alive, lengths = alive[living], lengths[living]
            before, row, columns = before[:, living], row[:, living], columns[:, living]
    # A beginning ends where the word does: padding would count as letters.
    ends = len(typed) + np.arange(-allowed, allowed + 1)[:, np.newaxis]
    fewest[alive] = np.where((ends >= 0) & (ends <= lengths), row, far).min(axis=0, initial=far)
    return fewest


def _letters(folded: Sequence[str]) -> npt.NDArray[np.uint16]:
    """The code points of each word, the lower 16 bits of each, padded with 0; (V, LETTERS)."""
    fixed = np.array(folded, dtype=f"<U{LETTERS}")
    return fixed.view(np.uint32).reshape(len(folded), LETTERS).astype(np.uint16)


def _masks(letters: npt.NDArray[np.uint16]) -> npt.NDArray[np.uint64]:
    """For each row a bit for every letter it has, of 64; different letters may share one."""
    masks = np.zeros(len(letters), np.uint64)
    for column in letters.T:
        places = (column.astype(np.uint64) * _MIXER) >> np.uint64(58)
        masks |= np.where(column == 0, np.uint64(0), np.uint64(1) << places)
    return masks
