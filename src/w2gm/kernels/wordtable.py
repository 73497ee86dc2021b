r"""A hash table from words to ids and counts, in plain arrays: every worker has one of its own.

A word is held as a run of chunks: up to seven of its bytes in one int64, below a leading 1 (so that "a" and "\0a"
differ); every chunk but a word's last is stored as its complement, which is negative. Chunks come in rows of two, the
second 0 where a word has an odd number of them; a row of zeros is the end of a sentence: so a stream of words needs
no lengths. Nearly all words are one row, and are compared and counted in the one cache line of their slot, which is
asked for some words ahead. Open addressing, linear probing, at most three quarters full (half full was no faster
and took more memory); nothing is ever deleted. Hashes keep 61 bits: masked so, a sum of products is the same number
whether it wrapped around in 64 bits (compiled) or not (with the compiler off).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from w2gm.kernels.bits import prefetch
from w2gm.kernels.jit import inlined, kernel

EMPTY_CHUNK = 1
FULL_CHUNK = 1 << 56
HASH_FACTORS = 0x1E3779B97F4A7C15, 0x165667B19E3779F9
HASH_BITS = 61
HASH_MASK = (1 << HASH_BITS) - 1
AHEAD = 32  # chunks between asking for a slot and looking at it; with 8 a word takes 2 ns more
SENTENCE_END = -1
DROPPED = -2
END_CHUNK = 0

# The fields of the state that goes with a stream of chunks.
FILLED, TAKEN, WRITTEN = 0, 1, 2


class WordTable(NamedTuple):
    """The words seen so far. The rows of word `i` are `chunks[starts[i] : starts[i + 1]]`.

    `slots` (S, 4) int64, S a power of two: the word's first row, its id + 1 or 0 where free, and how often it was
    seen. Of a longer word it is not the row but its first chunk and `~hash`: no other row has two negative chunks.
    `starts` (3 S / 4 + 1,) int64, `chunks` (C,) int64, `used` (1,) int64: the number of words.
    """

    slots: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    chunks: npt.NDArray[np.int64]
    used: npt.NDArray[np.int64]


def new_table(slots: int = 1 << 16, chunks: int = 1 << 16) -> WordTable:
    """An empty table with room for `3 * slots // 4` words of `chunks` chunks in all; `slots` is a power of two.

    >>> int(new_table(slots=8, chunks=8).used[0])
    0
    """
    return WordTable(
        np.zeros((slots, 4), np.int64),
        np.zeros(3 * slots // 4 + 1, np.int64),
        np.zeros(chunks, np.int64),
        np.zeros(1, np.int64),
    )


def grown(table: WordTable, chunks: int = 0) -> WordTable:
    """The same words and ids in a table with twice the room of what is full, for `chunks` more chunks at least.

    >>> len(grown(new_table(slots=8, chunks=8), 9).chunks)
    16
    """
    slots, starts, letters, used = table
    filled = int(starts[used[0]])
    if 4 * (int(used[0]) + 1) > 3 * len(slots):
        larger = new_table(2 * len(slots), 0)
        _rehash(slots, larger.slots)
        larger.starts[: len(starts)] = starts
        slots, starts = larger.slots, larger.starts
    if filled + chunks > len(letters):
        letters = np.zeros(max(2 * len(letters), filled + chunks), np.int64)
        letters[:filled] = table.chunks[:filled]
    return WordTable(slots, starts, letters, used)


def counts_of(table: WordTable) -> npt.NDArray[np.int64]:
    """How often each word was seen, (words,) int64."""
    counts = np.empty(int(table.used[0]), np.int64)
    taken = np.flatnonzero(table.slots[:, 2])
    counts[table.slots[taken, 2] - 1] = table.slots[taken, 3]
    return counts


def merged(
    tables: Sequence[WordTable],
) -> tuple[WordTable, npt.NDArray[np.int64], list[npt.NDArray[np.int32]]]:
    """The words of all tables in one, their counts, and for each table the new ids of its words, (words,) int32.

    The first table becomes the merged one; what it counts itself means nothing any more.
    """
    table = tables[0]
    counts = [counts_of(own) for own in tables]
    numbers = [np.arange(len(counts[0]), dtype=np.int32)]
    for other, own in zip(tables[1:], counts[1:], strict=True):
        ids = np.empty(len(own), np.int32)
        state = np.array([other.starts[len(own)], 0, 0])
        while not number_words(other.chunks, ids, state, table):
            table = grown(table, int(state[FILLED] - state[TAKEN]))
        numbers.append(ids)
    total = np.zeros(int(table.used[0]), np.int64)
    for ids, own in zip(numbers, counts, strict=True):
        total[ids] += own
    return table, total, numbers


@inlined
def mixed(first, second):
    """A hash of two chunks, at least 0 and at most `HASH_MASK`: its high bits depend on all bits of both."""
    return (first * HASH_FACTORS[0] + second * HASH_FACTORS[1]) & HASH_MASK


@inlined
def _shift(slots):
    """By how much a hash is shifted down to be the number of a slot."""
    bits = 0
    while 1 << bits < slots:
        bits += 1
    return HASH_BITS - bits


@kernel(allocates=False)
def number_words(run, ids, state, table):
    """Turn a stream of chunks into ids, counting every word and adding the new ones to `table`.

    `run` (n,) int64, of which `state[FILLED]` count; `ids` int32, of which `state[WRITTEN]` are written;
    `state` (3,) int64. Modifies `ids`, `state` and `table` in place. No `SENTENCE_END` follows another. Returns
    whether all is done; if not, the table has to grow first.
    """
    slots, starts, chunks, used = table
    mask, shift = len(slots) - 1, _shift(len(slots))
    last, i, written = int(state[FILLED]), int(state[TAKEN]), int(state[WRITTEN])
    done = True
    while i < last:
        ahead = min(i + AHEAD, last - 2)
        prefetch(slots, mixed(int(run[ahead]), int(run[ahead + 1])) >> shift)
        begin, first, second = i, int(run[i]), int(run[i + 1])
        i += 2
        if first == END_CHUNK:
            if written == 0 or ids[written - 1] != SENTENCE_END:
                ids[written] = SENTENCE_END
                written += 1
            continue
        code = mixed(first, second)
        if second < 0:
            while run[i - 1] < 0:
                code = mixed(code ^ int(run[i]), int(run[i + 1]))
                i += 2
            second = ~code
        slot = code >> shift
        while slots[slot, 2] != 0:
            if slots[slot, 0] == first and slots[slot, 1] == second:
                if second >= 0:
                    break
                start, same = int(starts[slots[slot, 2] - 1]), 0
                while same < i - begin and chunks[start + same] == run[begin + same]:
                    same += 1
                # Chunks end themselves, so a longer known word differs before this one ends.
                if same == i - begin:
                    break
            slot = (slot + 1) & mask
        number = int(slots[slot, 2]) - 1
        if number < 0:
            number = int(used[0])
            start = int(starts[number])
            if 4 * (number + 1) > 3 * len(slots) or start + i - begin > len(chunks):
                i = begin
                done = False
                break
            for offset in range(i - begin):
                chunks[start + offset] = run[begin + offset]
            starts[number + 1] = start + i - begin
            slots[slot, 0], slots[slot, 1], slots[slot, 2] = first, second, number + 1
            used[0] = number + 1
        slots[slot, 3] += 1
        ids[written] = number
        written += 1
    state[TAKEN] = i
    state[WRITTEN] = written
    return done


@kernel(allocates=False)
def _rehash(old, new):
    """Place every entry of `old` (S, 4) into `new` (2 S, 4), modified in place."""
    mask, shift = len(new) - 1, _shift(len(new))
    for i in range(len(old)):
        if old[i, 2] != 0:
            first, second = int(old[i, 0]), int(old[i, 1])
            code = mixed(first, second) if first >= 0 or second >= 0 else ~second
            slot = code >> shift
            while new[slot, 2] != 0:
                slot = (slot + 1) & mask
            for field in range(4):
                new[slot, field] = old[i, field]


@kernel(allocates=False)
def _spell(table, numbers, mark, text):
    """Write the bytes of the words `numbers` (n,) to `text` (uint8), each followed by the byte `mark`.

    Returns the number of bytes; with a `text` of no length they are only counted.
    """
    starts, chunks = table.starts, table.chunks
    length = 0
    for number in numbers:
        for i in range(int(starts[number]), int(starts[number + 1])):
            chunk = int(chunks[i])
            if chunk == 0:
                continue
            if chunk < 0:
                chunk = ~chunk
            shift = 56
            while chunk >> shift != EMPTY_CHUNK:
                shift -= 8
            while shift > 0:
                shift -= 8
                if len(text) > 0:
                    text[length] = chunk >> shift & 0xFF
                length += 1
        if len(text) > 0:
            text[length] = mark
        length += 1
    return length


def words_of(table: WordTable, numbers: npt.NDArray[np.int64]) -> list[bytes]:
    """The UTF-8 bytes of the words with these numbers, in their order."""
    mark = 0xFF  # never in UTF-8
    text = np.empty(0, np.uint8)
    text = np.empty(_spell(table, numbers, mark, text), np.uint8)
    _spell(table, numbers, mark, text)
    return text.tobytes().split(bytes([mark]))[:-1]


@kernel(allocates=False)
def renumber(ids, numbers, result):
    """Write `ids` (n,) int32 to `result` (n,) int32 with every word id replaced by `numbers[id]`.

    Words whose number is `DROPPED` are left out, and so are sentences that become empty. Returns how many ids
    were written, and how many of them are `SENTENCE_END`.
    """
    written, ends = 0, 0
    for i in range(len(ids)):
        number = int(ids[i])
        if number == SENTENCE_END:
            if written == 0 or result[written - 1] != SENTENCE_END:
                result[written] = SENTENCE_END
                written += 1
                ends += 1
            continue
        number = int(numbers[number])
        if number != DROPPED:
            result[written] = number
            written += 1
    return written, ends
