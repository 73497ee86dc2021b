"""Text as it comes: decoded piece by piece, each piece ending where no token can go on, in bounded memory."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from w2gm.errors import TextError
from w2gm.text.blocks import BLOCK, Block, Cutter, unreadable
from w2gm.text.compression import LONGEST_MAGIC, plain_pieces
from w2gm.text.encoding import mend

_LOOK_BACK = 1 << 12  # where a line is too long, its last part that may end a token is looked for so far back
STANDARD_INPUT = "standard input"


def opened(name: str, cutter: Cutter, errors: str) -> Iterator[str]:
    """The text of a file, or of standard input ("-"), compressed or not, as `texts` gives it.

    From a pipe each piece is what has arrived, up to its last line end.
    """
    if name == "-":
        if sys.stdin is None:
            raise TextError("standard input is closed: give a file, or text by a pipe")
        # Without the buffer, which would wait until it is full.
        yield from _texts_of(getattr(sys.stdin.buffer, "raw", sys.stdin.buffer), STANDARD_INPUT, cutter, errors)
        return
    try:
        with Path(name).open("rb", buffering=0) as file:
            yield from _texts_of(file, name, cutter, errors)
    except OSError as error:
        raise unreadable(Path(name), error) from None


def texts(pieces: Iterable[bytes], name: str, cutter: Cutter, errors: str) -> Iterator[str]:
    r"""The pieces of bytes as text, cut after their last line end, or inside lines above a megabyte by `cutter`.

    Bytes that are not UTF-8 are refused, replaced or ignored as `errors` says (`Config.encoding_errors`).

    >>> from w2gm.text.blocks import WORDS
    >>> list(texts([b"the river ba", b"nk\nand its ", b"water"], "a text", WORDS, "strict"))
    ['the river bank\n', 'and its water']
    """
    buffer = bytearray()
    offset, line = 0, 1

    def taken(length: int) -> str:
        nonlocal offset, line
        block = Block(name, offset, bytes(memoryview(buffer)[:length]), line=line).without_mark()
        del buffer[:length]
        offset += length
        line += block.data.count(b"\n")
        return mend(block, 0, errors)[0].decode("utf-8")

    for piece in pieces:
        buffer += piece
        if length := _end(buffer, cutter):
            yield taken(length)
    if buffer:
        yield taken(len(buffer))


def _texts_of(file: Any, name: str, cutter: Cutter, errors: str) -> Iterator[str]:
    head = b""
    while len(head) < LONGEST_MAGIC and (more := file.read(BLOCK)):
        head += more
    yield from texts(plain_pieces(file, name, head), name, cutter, errors)


def _end(buffer: bytearray, cutter: Cutter) -> int:
    """How many bytes are ready: up to the last line end, or in a long line to where a token ends; 0 if none are."""
    if end := buffer.rfind(b"\n") + 1:
        return end
    whole_lines = cutter.otherwise is not None
    if len(buffer) < (cutter.reach if whole_lines else BLOCK):
        return 0
    pattern = cutter.otherwise or cutter.pattern
    for match in pattern.finditer(buffer, len(buffer) - _LOOK_BACK):
        end = match.end()
    if end or len(buffer) < BLOCK + cutter.reach:
        return end
    # Inside a token, at the start of a character: one of the last four bytes, if this is UTF-8.
    starts = [len(buffer) - back for back in range(1, 5) if buffer[-back] & 0xC0 != 0x80]
    return starts[0] if starts else len(buffer)
