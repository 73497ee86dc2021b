"""Text cut into blocks that can be tokenised in any order, in parallel, in bounded memory.

A block ends near a multiple of `BLOCK` bytes of its text, at the first place where no token can go on. So blocks do
not depend on the number of workers, nor on whether the text comes from a plain or a compressed file.
"""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from w2gm.errors import TextError

# Measured on 65 M tokens: 1 to 4 MB are equally fast, and two workers hold a dozen blocks: 70 MB less than of 4 MB.
BLOCK = 1 << 20
_GLANCE = 1 << 12
_WHITE_SPACE = rb"[\t-\r\x1c-\x20]"
_SPACES = _WHITE_SPACE + rb"|\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80"


@dataclass(frozen=True)
class Cutter:
    """Where a text may be cut.

    After the first match of `pattern` within `reach` bytes, and if there is none, after the first match of
    `otherwise` or in the middle of a token, which is counted.
    """

    pattern: re.Pattern[bytes]
    reach: int = 1 << 20
    otherwise: re.Pattern[bytes] | None = None

    def cut(self, peek: Callable[[int], bytes]) -> tuple[int, bool]:
        """How many bytes from here to the cut, and whether a token (or line) is split there.

        `peek(n)` returns the next n bytes, fewer only at the end of the text.
        """
        window = b""
        for length in (_GLANCE, self.reach):
            window = peek(length)
            if found := self.pattern.search(window):
                return found.end(), False
            if len(window) < length:
                return len(window), False
        if self.otherwise and (found := self.otherwise.search(window)):
            return found.end(), True
        # At the start of a character: one of the next four bytes, if this is UTF-8.
        starts = [i for i in range(4) if window[i] & 0xC0 != 0x80]
        return (starts[0] if starts else 0), True


# ASCII that is not part of words, and the full stops and commas of text without spaces.
WORDS = Cutter(re.compile(rb"[^'\-0-9A-Za-z\x80-\xff]|\xe3\x80[\x80-\x82]|\xef\xbc[\x81\x8c\x8e\x9b\x9f]"))
WHITE_SPACE = Cutter(re.compile(_SPACES))
# Patterns and callables get whole lines, up to this length.
LINES = Cutter(re.compile(rb"\n"), reach=1 << 24, otherwise=re.compile(_SPACES))


@dataclass
class Block:
    """A piece of text: `data` begins at byte `offset` (and line `line`, if known) of the text called `name`.

    `closes` where the text ends; `split` where the block begins inside a token; `done` bytes of the input are used
    up by it; `marked` data is tokenised already (see `w2gm.kernels.tokens.tokenise_marked`), and `bad` sequences of
    its bytes were not UTF-8.
    """

    name: str
    offset: int
    data: bytes
    closes: bool = False
    split: bool = False
    done: int = 0
    line: int | None = None
    marked: bool = False
    bad: int = 0

    def line_at(self, position: int) -> int:
        """The number of the line in which `data[position]` stands, from 1."""
        line = self.line
        if line is None:
            line = 1 + _count_lines(Path(self.name), self.offset)
        return line + self.data.count(b"\n", 0, position)

    def without_mark(self) -> Block:
        """The same block without the byte order mark that may begin a file."""
        if self.offset == 0 and self.data.startswith(codecs.BOM_UTF8):
            return replace(self, data=self.data[3:], offset=3)
        return self


@dataclass(frozen=True)
class Stamp:
    """What tells that a file is still the same."""

    size: int
    mtime_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> Stamp:
        return cls(status.st_size, status.st_mtime_ns)

    def check(self, path: Path, status: os.stat_result) -> None:
        """Raise `TextError` if the file at `path`, whose status this is, has changed."""
        if Stamp.of(status) != self:
            raise TextError(
                f"{path} changed while it was being read (it had {self.size} bytes, now {status.st_size}): "
                "wait until it is written, then start again"
            )


@dataclass(frozen=True)
class Slice:
    """The block of a plain file that begins near byte `start`; reading it is the worker's part."""

    path: Path
    stamp: Stamp
    start: int
    cutter: Cutter

    def read(self) -> Block:
        """Read the block from the file, which must not have changed."""
        try:
            return self._read()
        except OSError as error:
            raise unreadable(self.path, error) from None

    def _read(self) -> Block:
        size = self.stamp.size
        with self.path.open("rb", buffering=0) as file:
            self.stamp.check(self.path, os.fstat(file.fileno()))

            def at(position: int, length: int) -> bytes:
                file.seek(position)
                return _read(file.read, min(length, size - position))

            first, split = self._boundary(at, self.start)
            last, _ = self._boundary(at, self.start + BLOCK)
            data = at(first, max(last - first, 0))
            if len(data) < last - first:
                self.stamp.check(self.path, os.fstat(file.fileno()))
        done = min(self.start + BLOCK, size) - self.start
        return Block(str(self.path), first, data, last >= size, split, done).without_mark()

    def _boundary(self, at: Callable[[int, int], bytes], position: int) -> tuple[int, bool]:
        if position == 0:
            return 0, False
        if position >= self.stamp.size:
            return self.stamp.size, False
        length, split = self.cutter.cut(lambda wanted: at(position, wanted))
        return position + length, split and position + length < self.stamp.size


def unreadable(path: Path, error: OSError) -> TextError:
    """The error that says why a file cannot be read."""
    return TextError(f"{path} cannot be read: {error.strerror or error}; check the path and its permissions")


def slices(path: Path, stamp: Stamp, cutter: Cutter) -> Iterator[Slice]:
    """The blocks of a plain file, to be read by whoever tokenises them."""
    for start in range(0, stamp.size, BLOCK):
        yield Slice(path, stamp, start, cutter)


def cut_stream(
    pieces: Iterator[bytes], name: str, cutter: Cutter, position: Callable[[], int] = lambda: 0
) -> Iterator[Block]:
    """The blocks of a text that comes as pieces of bytes; `position()` tells how much of the input is used up."""
    buffer = bytearray()
    offset, line, split, ended, before = 0, 1, False, False, 0

    def peek(start: int, length: int) -> bytes:
        nonlocal ended
        while not ended and len(buffer) < start + length:
            piece = next(pieces, None)
            ended = piece is None
            buffer.extend(piece or b"")
        return bytes(memoryview(buffer)[start : start + length])

    while peek(0, 1):
        target = BLOCK - offset % BLOCK
        peek(target, 1)
        length, next_split = min(target, len(buffer)), False
        if length == target:
            more, next_split = cutter.cut(lambda wanted, start=target: peek(start, wanted))  # type: ignore[misc]
            length += more
        closes = not peek(length, 1)
        data = bytes(memoryview(buffer)[:length])
        del buffer[:length]
        done = position()
        yield Block(name, offset, data, closes, split, done - before, line)
        before = done
        offset += length
        line += _line_ends(data)
        split = next_split and not closes


def _read(read: Callable[[int], bytes | None], length: int) -> bytes:
    """`length` bytes, or fewer at the end: a system call may return less than was asked for."""
    data = read(length) or b""
    while len(data) < length and (more := read(length - len(data))):
        data += more
    return data


def _line_ends(data: bytes) -> int:
    """The number of line ends in some bytes: a third of the time of `bytes.count`, and other threads go on."""
    return int(np.count_nonzero(np.frombuffer(data, np.uint8) == 0x0A))


def _count_lines(path: Path, end: int) -> int:
    """The number of line ends in the first `end` bytes of a plain file."""
    with path.open("rb", buffering=0) as file:
        lines = 0
        while end > 0 and (data := file.read(min(end, BLOCK))):
            lines += _line_ends(data)
            end -= len(data)
    return lines
