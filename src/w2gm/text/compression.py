"""Reading a file that may be compressed, as a stream of pieces of plain bytes."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from w2gm.errors import MissingExtraError, TextError

# Large enough to make Python's part negligible, small enough for the processor's cache.
_READ = 1 << 18
_PIECE = 1 << 20

_MAGIC = {"gzip": b"\x1f\x8b\x08", "bzip2": b"BZh", "xz": b"\xfd7zXZ\x00", "zstd": b"\x28\xb5\x2f\xfd"}
_SUFFIXES = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}
LONGEST_MAGIC = max(map(len, _MAGIC.values()))


def compression_of(name: str, head: bytes) -> str | None:
    """How a file is compressed, by its first bytes; its name has to agree.

    >>> compression_of("wiki.txt", b"Anarchism"), compression_of("wiki", b"BZh91AY")
    (None, 'bzip2')
    """
    found = next((kind for kind, magic in _MAGIC.items() if head.startswith(magic)), None)
    named = next((kind for suffix, kind in _SUFFIXES.items() if name.lower().endswith(suffix)), None)
    if named and found != named:
        raise TextError(
            f"{name} is not {named} data though its name says so (it begins with {head[:6]!r}): "
            "rename it or fetch it again"
        )
    return found


def plain_pieces(file: BinaryIO, name: str, head: bytes = b"") -> Iterator[bytes]:
    """The content of `file` as pieces of about a megabyte, decompressed if need be.

    `head` is what has been read from `file` already: at least `LONGEST_MAGIC` bytes, unless it is shorter than that.
    """
    kind = compression_of(name, head)

    def read() -> bytes:
        nonlocal head
        data, head = head, b""
        return data or file.read(_READ)

    if kind is None:
        while data := read():
            yield data
        return
    try:
        yield from _decompressed(read, _DECOMPRESSORS[kind], name)
    except (zlib.error, lzma.LZMAError, OSError, ValueError) as error:
        raise TextError(f"{name} is damaged ({kind}: {error}): fetch it again") from error


def _decompressed(read: Callable[[], bytes], make: Callable[[str], Any], name: str) -> Iterator[bytes]:
    """All members of a compressed file, one after the other; a member that is cut off raises `TextError`."""
    done = 0
    data = read()
    while data:
        member = make(name)
        while not member.eof:
            if not data:
                raise TextError(
                    f"{name} is cut off: its compressed data ends too early, after {done} bytes of text: "
                    "fetch it again"
                )
            piece = member.decompress(data, _PIECE)
            # The rest of the input: zlib hands it back, bz2 and lzma keep it until asked again with nothing.
            data = getattr(member, "unconsumed_tail", b"")
            while not data and not member.eof and not getattr(member, "needs_input", True):
                yield piece
                done += len(piece)
                piece = member.decompress(b"", _PIECE)
            done += len(piece)
            if piece:
                yield piece
            if not data and not member.eof:
                data = read()
        # Some programs pad the end with zeros.
        data = member.unused_data.lstrip(b"\0")
        while not data and (more := read()):
            data = more.lstrip(b"\0")


class _Zstd:
    """One zstd frame, with the interface of the standard library's decompressors."""

    def __init__(self, name: str) -> None:
        try:
            import zstandard
        except ImportError:
            raise MissingExtraError(f"reading {name} needs the zstd extra: pip install 'w2gm[zstd]'") from None
        self._error: type[Exception] = zstandard.ZstdError
        self._frame = zstandard.ZstdDecompressor().decompressobj()

    def decompress(self, data: bytes, _: int) -> bytes:
        try:
            return bytes(self._frame.decompress(data))
        except self._error as error:
            raise ValueError(error) from None

    @property
    def eof(self) -> bool:
        return bool(self._frame.eof)

    @property
    def unused_data(self) -> bytes:
        return bytes(self._frame.unused_data)


_DECOMPRESSORS: dict[str, Callable[[str], Any]] = {
    "gzip": lambda _: zlib.decompressobj(wbits=31),
    "bzip2": lambda _: bz2.BZ2Decompressor(),
    "xz": lambda _: lzma.LZMADecompressor(),
    "zstd": _Zstd,
}
