"""What can be read: files, folders, globs, standard input, and iterables of strings or of token lists."""

from __future__ import annotations

import glob
import hashlib
import itertools
import os
import stat
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from w2gm.errors import TextError
from w2gm.text.blocks import BLOCK, Block, Cutter, Slice, Stamp, cut_stream, slices, unreadable
from w2gm.text.compression import LONGEST_MAGIC, compression_of, plain_pieces
from w2gm.text.tokenizers import Tokenizer, mark_blocks, marked, sentence_end

_HEAD = 1 << 16  # bytes looked at to tell text from other things, and to recognise a file


class _BinaryError(TextError):
    """A file that is not text."""


@dataclass(frozen=True)
class Settings:
    """How to read: the tokeniser and the two options that go with it."""

    tokenizer: Tokenizer
    sentences: str
    errors: str

    def tokenised(self, blocks: Iterator[Block | Slice]) -> Iterator[Block | Slice]:
        """The blocks, tokenised already if Python has to do it."""
        if self.tokenizer.split is None:
            return blocks
        return mark_blocks(blocks, self.tokenizer.split, self.sentences, self.errors)


class Source:
    """A text that can be read once, as blocks.

    `identity` is what a fingerprint is made of, None where the text cannot be recognised again; `total` is its
    size in bytes on disk and `plain` the part of it that is not compressed, None where they are not known.
    """

    name = "the text"
    identity: list[Any] | None = None
    total: int | None = None
    plain: int | None = None

    def blocks(self, settings: Settings) -> Iterator[Block | Slice]:
        """The text in blocks, in order."""
        raise NotImplementedError

    def check(self) -> None:
        """Raise `TextError` if the text is not what it was at the beginning."""


class Files(Source):
    """Files, read one after the other."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._files = [_File.opened(path) for path in paths]
        self.name = str(paths[0]) if len(paths) == 1 else f"{len(paths)} files ({paths[0]} ...)"
        self.total = sum(file.stamp.size for file in self._files)
        self.plain = sum(file.stamp.size for file in self._files if not file.compression)
        if all(file.regular for file in self._files):
            self.identity = [file.identity for file in self._files]
        else:
            self.total = self.plain = None

    def blocks(self, settings: Settings) -> Iterator[Block | Slice]:
        for file in self._files:
            yield from settings.tokenised(file.blocks(settings.tokenizer.cutter))

    def check(self) -> None:
        for file in self._files:
            if file.regular:
                try:
                    file.stamp.check(file.path, file.path.stat())
                except OSError as error:
                    raise unreadable(file.path, error) from None


@dataclass(frozen=True)
class _File:
    path: Path
    regular: bool
    stamp: Stamp
    compression: str | None
    identity: list[Any]

    @classmethod
    def opened(cls, path: Path) -> _File:
        """What is known of a file before it is read; a binary one raises `TextError`."""
        try:
            status = path.stat()
            if not stat.S_ISREG(status.st_mode):
                return cls(path, False, Stamp.of(status), None, [])
            with path.open("rb") as file:
                head = file.read(_HEAD)
                file.seek(max(0, status.st_size - _HEAD))
                tail = file.read(_HEAD)
                compression = compression_of(str(path), head) if head else None
                file.seek(0)
                text = head if compression is None else next(plain_pieces(file, str(path), file.read(64)), b"")
        except OSError as error:
            raise unreadable(path, error) from None
        refuse_binary(text[:_HEAD], str(path))
        digest = hashlib.sha256(head + tail).hexdigest()
        identity = [str(path.resolve()), status.st_size, status.st_mtime_ns, digest]
        return cls(path, True, Stamp.of(status), compression, identity)

    def blocks(self, cutter: Cutter) -> Iterator[Block | Slice]:
        if self.regular and not self.compression and cutter.otherwise is None:
            yield from slices(self.path, self.stamp, cutter)
            return
        try:
            with self.path.open("rb", buffering=0) as file:
                regular = self.regular
                yield from _stream(file, str(self.path), cutter, file.tell if regular else None)
        except OSError as error:
            raise unreadable(self.path, error) from None


class StandardInput(Source):
    """Standard input, compressed or not."""

    name = "standard input"

    def blocks(self, settings: Settings) -> Iterator[Block | Slice]:
        yield from settings.tokenised(_stream(sys.stdin.buffer, self.name, settings.tokenizer.cutter))


class Items(Source):
    """An iterable of strings (each a line, or several) or of token lists."""

    def __init__(self, items: Iterable[Any]) -> None:
        self._items = items

    def blocks(self, settings: Settings) -> Iterator[Block | Slice]:
        items = iter(self._items)
        first = next(items, None)
        if first is None:
            return
        numbered = enumerate(itertools.chain([first], items), 1)
        if isinstance(first, str):
            pieces = self._encoded(numbered)
            yield from settings.tokenised(cut_stream(pieces, self.name, settings.tokenizer.cutter))
        else:
            yield from self._marked(numbered, settings)

    @staticmethod
    def _encoded(items: Iterator[tuple[int, Any]]) -> Iterator[bytes]:
        """The strings as lines of UTF-8; lone surrogates become bytes that are not, as they are in a file."""
        for number, item in items:
            if not isinstance(item, str):
                raise _unexpected(number, item, "a string, like the first one")
            yield item.encode("utf-8", "surrogatepass") + b"\n"

    def _marked(self, items: Iterator[tuple[int, Any]], settings: Settings) -> Iterator[Block]:
        end = sentence_end(settings.sentences)
        parts: list[bytes] = []
        size = offset = 0
        for number, item in items:
            if isinstance(item, (str, bytes)) or not isinstance(item, Iterable):
                raise _unexpected(
                    number,
                    item,
                    "a string or a list of tokens" if number == 1 else "a list of tokens, like the first one",
                )
            parts.append(marked(item, settings.errors, f"item {number} of the text") + end)
            size += len(parts[-1])
            if size >= BLOCK:
                yield Block(self.name, offset, b"".join(parts), done=size, marked=True)
                parts, offset, size = [], offset + size, 0
        yield Block(self.name, offset, b"".join(parts), closes=True, done=size, marked=True)


def source_of(text: Any) -> Source:
    """The `Source` for whatever a caller may give as a text (see `w2gm.corpus.encode`).

    >>> type(source_of(["one line", "another"])).__name__
    'Items'
    """
    if isinstance(text, Source):
        return text
    if isinstance(text, (str, Path)):
        return files([text])
    if callable(text) and not isinstance(text, Iterable):
        return source_of(text())
    if isinstance(text, (list, tuple)) and text and all(isinstance(item, Path) for item in text):
        return files(text)
    if isinstance(text, (bytes, bytearray, dict)) or not isinstance(text, Iterable):
        raise TextError(
            f"a text of type {type(text).__name__} cannot be read: give a path, paths, "
            "or an iterable of strings or of token lists"
        )
    return Items(text)


def files(names: Sequence[str | Path]) -> Source:
    """One source from any number of files, folders, globs, or "-" alone for standard input.

    >>> files(["-"]).name
    'standard input'
    """
    if not names:
        raise TextError("no text was given: name a file, a folder, a glob, or - for standard input")
    if "-" in names:
        if len(names) > 1:
            raise TextError("- (standard input) cannot be mixed with other texts: give it alone")
        return StandardInput()
    return Files([path for name in names for path in _expanded(name)])


def refuse_binary(head: bytes, name: str) -> None:
    """Raise `TextError` if a text that begins with `head` is not text."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or _looks_like_utf16(head):
        raise _BinaryError(f"{name} is UTF-16, UTF-8 is expected: convert it (iconv -f UTF-16 -t UTF-8)")
    if b"\0" in head:
        raise _BinaryError(f"{name} is a binary file (byte {head.index(0)} is NUL): give it as plain UTF-8 text")


def _looks_like_utf16(head: bytes) -> bool:
    """Whether nearly every other byte is NUL, as in UTF-16 of a European language."""
    even, odd = head[0:1000:2], head[1:1000:2]
    zeros = sorted((even.count(0), odd.count(0)))
    return len(odd) > 1 and zeros[0] == 0 and zeros[1] > 0.8 * len(odd)


def _stream(
    file: BinaryIO | Any, name: str, cutter: Cutter, position: Callable[[], int] | None = None
) -> Iterator[Block]:
    """The blocks of an open file, decompressed if need be."""
    head = b""
    while len(head) < LONGEST_MAGIC and (more := file.read(LONGEST_MAGIC - len(head))):
        head += more
    pieces = plain_pieces(file, name, head)
    first = next(pieces, b"")
    if len(first) <= LONGEST_MAGIC:  # so far only what was read to tell whether it is compressed
        first += next(pieces, b"")
    refuse_binary(first[:_HEAD], name)
    passed = 0

    def counted() -> Iterator[bytes]:
        nonlocal passed
        for piece in itertools.chain([first], pieces):
            passed += len(piece)
            yield piece

    for block in cut_stream(counted(), name, cutter, position or (lambda: passed)):
        yield block.without_mark()


def _expanded(name: str | Path) -> list[Path]:
    """The files that one name stands for."""
    path = Path(name).expanduser()
    if path.is_dir():
        return _in_folder(path)
    if path.exists():
        return [path]
    if isinstance(name, str) and glob.has_magic(name):
        found = sorted(Path(match) for match in glob.glob(str(path), recursive=True))  # noqa: PTH207
        matches = [match for match in found if match.is_file()]
        if matches:
            return matches
        raise TextError(f"no file matches {name!r}: check the pattern and the folder it starts from")
    raise TextError(f"{name} does not exist: check the path (the current folder is {Path.cwd()})")


def _in_folder(folder: Path) -> list[Path]:
    """All text files below a folder, sorted; hidden ones are skipped, and binary ones with one warning."""
    found, binary = [], []
    for where, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [Path(where, name) for name in names if not name.startswith(".")]
    texts = []
    for path in sorted(path for path in found if path.is_file() and path.stat().st_size):
        try:
            _File.opened(path)
            texts.append(path)
        except _BinaryError:
            binary.append(path)
    if not texts:
        what = f"only binary files ({len(binary)})" if binary else "no files with text"
        raise TextError(f"folder {folder} has {what}: give a folder with plain or compressed text files")
    if binary:
        warnings.warn(f"{folder}: {len(binary)} binary files skipped (the first is {binary[0]})", stacklevel=2)
    return texts


def _unexpected(number: int, item: Any, expected: str) -> TextError:
    return TextError(f"item {number} of the text is {item!r:.80} ({type(item).__name__}): expected {expected}")
