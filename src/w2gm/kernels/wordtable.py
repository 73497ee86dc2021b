r"""A hash table from words to ids and counts, in plain arrays: every worker has one of its own.

A word is held as a run of chunks: up to seven of its bytes in one int64, below a leading 1 (so that "a" and "\0a"
differ); every chunk but a word's last is stored as its complement, which is negative, and 0 stands for the end of a
sentence: so a stream of words needs no lengths. Most words are one chunk, and are compared by a single look at
their slot. Open addressing, linear probing, at most half full; nothing is ever deleted. Hashes keep 61 bits: masked
so, a product is the same number whether it wrapped around in 64 bits (compiled) or not (with the compiler off).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from w2gm.kernels.jit import inlined, kernel

EMPTY_CHUNK = 1
FULL_CHUNK = 1 << 56
HASH_FACTOR = 0x1E3779B97F4A7C15
HASH_MASK = (1 << 61) - 1
SENTENCE_END = -1
DROPPED = -2
END_CHUNK = 0

# The fields of the state that goes with a stream of chunks.
FILLED, TAKEN, WRITTEN = 0, 1, 2


class WordTable(NamedTuple):
    """The words seen so far. Word `i` is `chunks[words[i, 0] : words[i + 1, 0]]`, seen `words[i, 1]` times.

    `slots` (S, 2) int64, S a power of two: a tag, and the word's id + 1 or 0 where free. The tag is the chunk itself
    of a word of one chunk, and `~hash` of a longer word: positive and negative, so they never meet.
    `words` (S // 2 + 1, 2) int64, `chunks` (C,) int64, `used` (1,) int64: the number of words.
    """

    slots: npt.NDArray[np.int64]
    words: npt.NDArray[np.int64]
    chunks: npt.NDArray[np.int64]
    used: npt.NDArray[np.int64]


def new_table(slots: int = 1 << 16, chunks: int = 1 << 16) -> WordTable:
    """An empty table with room for `slots // 2` words of `chunks` chunks in all; `slots` is a power of two.

    >>> int(new_table(slots=8, chunks=8).used[0])
    0
    """
    return WordTable(
        np.zeros((slots, 2), np.int64),
        np.zeros((slots // 2 + 1, 2), np.int64),
        np.zeros(chunks, np.int64),
        np.zeros(1, np.int64),
    )


def grown(table: WordTable, chunks: int = 0) -> WordTable:
    """The same words and ids in a table with twice the room of what is full, for `chunks` more chunks at least.

    >>> len(grown(new_table(slots=8, chunks=8), 9).chunks)
    16
    """
    slots, words, letters, used = table
    filled = int(words[used[0], 0])
    if 2 * (int(used[0]) + 1) > len(slots):
        larger = new_table(2 * len(slots), 0)
        _rehash(slots, larger.slots)
        larger.words[: len(words)] = words
        slots, words = larger.slots, larger.words
    if filled + chunks > len(letters):
        letters = np.zeros(max(2 * len(letters), filled + chunks), np.int64)
        letters[:filled] = table.chunks[:filled]
    return WordTable(slots, words, letters, used)


def merged(tables: Sequence[WordTable]) -> tuple[WordTable, list[npt.NDArray[np.int32]]]:
    """The words of all tables in one, counts added, and for each table the new ids of its words, (words,) int32.

    The first table becomes the merged one.
    """
    table = tables[0]
    numbers = [np.arange(int(table.used[0]), dtype=np.int32)]
    for other in tables[1:]:
        used = int(other.used[0])
        ids = np.empty(used, np.int32)
        state = np.array([other.words[used, 0], 0, 0])
        while not number_words(other.chunks, ids, state, table):
            table = grown(table, int(other.words[used, 0]))
        # Each word was counted once on the way in.
        table.words[ids, 1] += other.words[:used, 1] - 1
        numbers.append(ids)
    return table, numbers


@inlined
def mixed(code):
    """A hash of `code`, at least 0 and at most `HASH_MASK`, with good low bits."""
    product = (code * HASH_FACTOR) & HASH_MASK
    return product ^ product >> 32


@kernel
def number_words(run, ids, state, table):
    """Turn a stream of chunks into ids, counting every word and adding the new ones to `table`.

    `run` (n,) int64, of which `state[FILLED]` count; `ids` int32, of which `state[WRITTEN]` are written;
    `state` (3,) int64. Modifies `ids`, `state` and `table` in place. No `SENTENCE_END` follows another. Returns
    whether all is done; if not, the table has to grow first.
    """
    # Arrays are taken out of their tuple once: passing them on costs two atomic operations each (measured: half
    # the time of a word), which is why the look-up is written out here.
    slots, words, chunks, used = table
    mask = len(slots) - 1
    last, i, written = int(state[FILLED]), int(state[TAKEN]), int(state[WRITTEN])
    done = True
    while i < last:
        begin, tag = i, int(run[i])
        if tag == END_CHUNK:
            if written == 0 or ids[written - 1] != SENTENCE_END:
                ids[written] = SENTENCE_END
                written += 1
            i += 1
            continue
        code = mixed(tag)
        while run[i] < 0:
            i += 1
            code = mixed(code ^ int(run[i]))
            tag = ~code
        i += 1
        length = i - begin
        slot = code & mask
        number = -1
        while slots[slot, 1] != 0:
            if slots[slot, 0] == tag:
                known = int(slots[slot, 1]) - 1
                same = 0 if length > 1 else 1
                first = int(words[known, 0])
                while same < length and chunks[first + same] == run[begin + same]:
                    same += 1
                # Chunks end themselves, so a longer known word differs before this one ends.
                if same == length:
                    number = known
                    break
            slot = (slot + 1) & mask
        if number < 0:
            number = int(used[0])
            first = int(words[number, 0])
            if 2 * (number + 1) > len(slots) or first + length > len(chunks):
                i = begin
                done = False
                break
            for offset in range(length):
                chunks[first + offset] = run[begin + offset]
            words[number + 1, 0] = first + length
            slots[slot, 0] = tag
            slots[slot, 1] = number + 1
            used[0] = number + 1
        words[number, 1] += 1
        ids[written] = number
        written += 1
    state[TAKEN] = i
    state[WRITTEN] = written
    return done


@kernel
def _rehash(old, new):
    """Place every entry of `old` (S, 2) into `new` (2 S, 2), modified in place."""
    mask = len(new) - 1
    for i in range(len(old)):
        if old[i, 1] != 0:
            tag = int(old[i, 0])
            code = mixed(tag)
            if tag < 0:
                code = ~tag
            slot = code & mask
            while new[slot, 1] != 0:
                slot = (slot + 1) & mask
            new[slot, 0] = tag
            new[slot, 1] = old[i, 1]


@kernel
def _spell(table, numbers, mark, text):
    """Write the bytes of the words `numbers` (n,) to `text` (uint8), each followed by the byte `mark`.

    Returns the number of bytes; with a `text` of no length they are only counted.
    """
    words, chunks = table.words, table.chunks
    length = 0
    for number in numbers:
        for i in range(int(words[number, 0]), int(words[number + 1, 0])):
            chunk = int(chunks[i])
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


@kernel
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
