"""From bytes of text to words: the tokenisers.

A tokeniser writes each word to a stream of chunks (see `w2gm.kernels.wordtable`), and an `END_CHUNK` for every line
end. It stops early, with everything before `state[POSITION]` done, when it has written `limit` chunks (`FULL`), so
that the stream stays in the processor's cache, or where the text is not UTF-8 (`INVALID`); it is then called again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from w2gm.kernels.bits import WINDOW, eight_bytes, trailing_zeros, window_kinds
from w2gm.kernels.jit import inlined, kernel
from w2gm.kernels.wordtable import EMPTY_CHUNK, END_CHUNK, FULL_CHUNK

# What a tokeniser returns.
DONE, FULL, INVALID = 0, 1, 2

# The fields of a tokeniser's state: bytes of text, bytes done, chunks written.
SIZE, POSITION, CHUNKS = 0, 1, 2

# Kinds of characters: the low three bits of a character's properties; the rest is its lower-case code point.
OTHER, LETTER, MARK, APOSTROPHE, HYPHEN, SOFT_HYPHEN, SPACE, NEWLINE = range(8)
KIND_BITS = 3
KIND_MASK = 7

# Bytes that never occur in UTF-8: they end the tokens and the sentences of text that was tokenised in Python.
TOKEN_MARK, SENTENCE_MARK = 0xFF, 0xFE

CAPITAL_SIGMA, FINAL_SIGMA = 0x3A3, 0x3C2
CAPITAL_DOTTED_I, DOT_ABOVE = 0x130, 0x307
PADDING = WINDOW  # zero bytes after the text, so that looking ahead needs no check
MARGIN = 2 * WINDOW + 2  # chunks that may be written beyond the limit, besides a long word's

LARGEST = (1 << 63) - 1  # clears the sign that a shift to the right drags along
SMALL = 0x2020202020202020  # these bits make ASCII letters small and leave digits, hyphens and apostrophes alone


class Alphabet(NamedTuple):
    """What the characters are to a tokeniser.

    `plain` (256,) uint8: what an ASCII byte of a token becomes, 0 for every other byte (`tokenise_whitespace`);
    `properties` (0x110000,) int32: kind and lower-case code point of every character.
    """

    plain: npt.NDArray[np.uint8]
    properties: npt.NDArray[np.int32]


@inlined
def decode(text, i):
    """The code point at `i`, a byte of 0x80 or more, and its length in bytes; length 0 where it is not UTF-8."""
    a = int(text[i])
    b = int(text[i + 1])
    if a < 0xC2 or a > 0xF4 or b & 0xC0 != 0x80:
        return 0, 0
    if a < 0xE0:
        return (a & 0x1F) << 6 | b & 0x3F, 2
    c = int(text[i + 2])
    if c & 0xC0 != 0x80:
        return 0, 0
    if a < 0xF0:
        code = (a & 0x0F) << 12 | (b & 0x3F) << 6 | c & 0x3F
        if code < 0x800 or 0xD800 <= code < 0xE000:
            return 0, 0
        return code, 3
    d = int(text[i + 3])
    code = (a & 0x07) << 18 | (b & 0x3F) << 12 | (c & 0x3F) << 6 | d & 0x3F
    if d & 0xC0 != 0x80 or code < 0x10000 or code > 0x10FFFF:
        return 0, 0
    return code, 4


@inlined
def _add_byte(run, length, chunk, byte):
    """Add a byte to the word in hand: `run[:length]` and the `chunk` being filled; returns these two."""
    if chunk >= FULL_CHUNK:
        run[length] = ~chunk
        length += 1
        chunk = EMPTY_CHUNK
    return length, chunk << 8 | byte


@inlined
def _add_character(run, length, chunk, code):
    """Add a code point as UTF-8 to the word in hand, like `_add_byte`."""
    shift, lead = 0, 0
    if code >= 0x10000:
        shift, lead = 18, 0xF0
    elif code >= 0x800:
        shift, lead = 12, 0xE0
    elif code >= 0x80:
        shift, lead = 6, 0xC0
    length, chunk = _add_byte(run, length, chunk, lead | code >> shift)
    while shift > 0:
        shift -= 6
        length, chunk = _add_byte(run, length, chunk, 0x80 | code >> shift & 0x3F)
    return length, chunk


@inlined
def _end_word(run, length, chunk):
    """Add the last chunk of a word and fill its last row; returns the new `length`."""
    run[length] = chunk
    run[length + 1] = 0
    return (length + 2) & ~1


@inlined
def _add_plain_word(run, length, text, i, size):
    """Add the ASCII word `text[i : i + size]`; returns the new `length`."""
    if size <= 14:
        # No branch on one chunk or two: it would be mispredicted every fifth word.
        first, second = min(size, 7), max(size - 7, 1)
        one = (eight_bytes(text, i) | SMALL) >> (64 - 8 * first) | 1 << 8 * first
        two = (eight_bytes(text, i + 7) | SMALL) >> (64 - 8 * second) | 1 << 8 * second
        run[length] = one if size <= 7 else ~one
        run[length + 1] = 0 if size <= 7 else two
        return length + 2
    while size > 7:
        run[length] = ~((eight_bytes(text, i) | SMALL) >> 8 | FULL_CHUNK)
        length, i, size = length + 1, i + 7, size - 7
    return _end_word(run, length, (eight_bytes(text, i) | SMALL) >> (64 - 8 * size) | 1 << 8 * size)


@inlined
def _stopped(state, status, position, chunks):
    """Note in `state` how far the tokeniser came; returns `status`."""
    state[POSITION] = position
    state[CHUNKS] = chunks
    return status


@inlined
def _is_letter(text, i, properties):
    """Whether a letter or digit stands at `i`."""
    code = int(text[i])
    if code >= 0x80:
        code = decode(text, i)[0]
    return int(properties[code]) & KIND_MASK == LETTER


@inlined
def _ends_part(text, i, properties):
    """Whether no letter follows at `i`, looking past marks and apostrophes: a sigma before `i` is a final one."""
    while True:
        code, step = int(text[i]), 1
        if code >= 0x80:
            code, step = decode(text, i)
        kind = int(properties[code]) & KIND_MASK
        if kind != MARK and kind != APOSTROPHE and kind != SOFT_HYPHEN:
            return kind != LETTER
        i += step


@inlined
def _plain_words(text, i, run, length, line_ends):
    """Tokenise from `i` on as long as it is all ASCII, at most to the end of a window of 64 bytes.

    Returns how far that was and the new `length`; no step at all where a character or a word needs the long way.
    """
    letters, joints, ends, others = window_kinds(text, i)
    # One apostrophe or hyphen between letters belongs to the word; what stands beside the window is not known.
    bits = letters | joints & letters << 1 & (letters >> 1 & LARGEST)
    stop = min(trailing_zeros(others | joints & (others >> 1 & LARGEST)), WINDOW - 1)
    if not line_ends:
        ends = 0
    line_end = trailing_zeros(ends)
    while True:
        # Adding the lowest bit of the lowest word carries on to the first bit behind it.
        carried = bits + (bits & -bits)
        begin, end = trailing_zeros(bits), trailing_zeros(carried)
        if end >= stop:
            break
        if line_end < begin:
            run[length] = run[length + 1] = END_CHUNK
            length += 2
            ends &= -1 << begin
            line_end = trailing_zeros(ends)
        length = _add_plain_word(run, length, text, i + begin, end - begin)
        bits &= carried
    begin = min(begin, stop)
    if line_end < begin:
        run[length] = run[length + 1] = END_CHUNK
        length += 2
    return i + begin, length


@inlined
def _curious_word(text, i, run, length, properties):
    """Tokenise the character at `i`, or the word that begins there, whatever it is.

    Returns the position after it, or -1 if it is not UTF-8, and the new `length`.
    """
    before, part, begun = length, i, False  # `part`: where the part after the last hyphen begins
    chunk = EMPTY_CHUNK
    while True:
        code, step = int(text[i]), 1
        if code >= 0x80:
            code, step = decode(text, i)
            if step == 0:
                return -1, before
        kind = int(properties[code]) & KIND_MASK
        lower = int(properties[code]) >> KIND_BITS
        if not begun and kind != LETTER:
            if kind == NEWLINE:
                run[length] = run[length + 1] = END_CHUNK
                length += 2
            return i + step, length
        begun = True
        if kind in (LETTER, MARK):
            if code == CAPITAL_SIGMA and i > part and _ends_part(text, i + step, properties):
                lower = FINAL_SIGMA
            length, chunk = _add_character(run, length, chunk, lower)
            if code == CAPITAL_DOTTED_I:
                length, chunk = _add_character(run, length, chunk, DOT_ABOVE)
        elif kind in (APOSTROPHE, HYPHEN):
            if not _is_letter(text, i + step, properties):
                break
            length, chunk = _add_byte(run, length, chunk, lower)
            if kind == HYPHEN:
                part = i + step
        elif kind != SOFT_HYPHEN:
            break
        i += step
    return i, _end_word(run, length, chunk)


@kernel(allocates=False)
def tokenise_words(text, state, alphabet, run, limit):
    """Tokenise by the rules of 'words' (see `w2gm.text.characters`).

    `text` (n + `PADDING`,) uint8; `state` (3,) int64; `run` int64, with room for `limit` and `MARGIN` chunks and the
    longest word. Modifies `state` and `run` in place; returns `DONE`, `FULL` or `INVALID`.
    """
    properties = alphabet.properties
    line_ends = int(properties[0x0A]) & KIND_MASK == NEWLINE
    size, i, length = int(state[SIZE]), int(state[POSITION]), int(state[CHUNKS])
    while i < size:
        if length >= limit:
            return _stopped(state, FULL, i, length)
        before = i
        if text[i] < 0x80:
            i, length = _plain_words(text, i, run, length, line_ends)
        if i == before:
            i, length = _curious_word(text, i, run, length, properties)
            if i < 0:
                return _stopped(state, INVALID, before, length)
    return _stopped(state, DONE, i, length)


@kernel(allocates=False)
def tokenise_whitespace(text, state, alphabet, run, limit):
    """Tokenise as `str.split` does, case kept; takes, changes and returns what `tokenise_words` does."""
    plain, properties = alphabet
    size, i, length = int(state[SIZE]), int(state[POSITION]), int(state[CHUNKS])
    while i < size:
        if length >= limit:
            return _stopped(state, FULL, i, length)
        begin, before, chunk = i, length, EMPTY_CHUNK
        kind, step = SPACE, 0
        while i < size:
            byte = int(plain[text[i]])
            if byte == 0:
                code, step = int(text[i]), 1
                if code >= 0x80:
                    code, step = decode(text, i)
                    if step == 0:
                        return _stopped(state, INVALID, begin, before)
                kind = int(properties[code]) & KIND_MASK
                if kind in (SPACE, NEWLINE):
                    break
                for offset in range(i, i + step):
                    length, chunk = _add_byte(run, length, chunk, int(text[offset]))
                i += step
                continue
            if chunk >= FULL_CHUNK:
                run[length] = ~chunk
                length += 1
                chunk = EMPTY_CHUNK
            chunk = chunk << 8 | byte
            i += 1
        if i > begin:
            length = _end_word(run, length, chunk)
        if i < size:
            if kind == NEWLINE:
                run[length] = run[length + 1] = END_CHUNK
                length += 2
            i += step
    return _stopped(state, DONE, i, length)


@kernel(allocates=False)
def tokenise_marked(text, state, run, limit):
    """Take tokens as they are: each ends with a `TOKEN_MARK`, each sentence with a `SENTENCE_MARK`.

    Arguments as in `tokenise_words`; returns `DONE` or `FULL`.
    """
    size, i, length = int(state[SIZE]), int(state[POSITION]), int(state[CHUNKS])
    while i < size:
        if length >= limit:
            return _stopped(state, FULL, i, length)
        if text[i] == SENTENCE_MARK:
            run[length] = run[length + 1] = END_CHUNK
            length += 2
        else:
            chunk = EMPTY_CHUNK
            while text[i] != TOKEN_MARK:
                length, chunk = _add_byte(run, length, chunk, int(text[i]))
                i += 1
            length = _end_word(run, length, chunk)
        i += 1
    return _stopped(state, DONE, i, length)
