import bz2
import gzip
import io
import lzma
import sys

import pytest
import zstandard

from w2gm.errors import MissingExtraError, TextError
from w2gm.text import compression
from w2gm.text.compression import LONGEST_MAGIC, plain_pieces

TEXT = b"".join(b"line %d of a text that repeats itself\n" % i for i in range(60_000))
COMPRESS = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstandard.ZstdCompressor(write_checksum=True).compress,
}


def read(data, name):
    file = io.BytesIO(data)
    return b"".join(plain_pieces(file, name, file.read(LONGEST_MAGIC)))


@pytest.mark.parametrize("kind", COMPRESS)
def test_compressed_files_are_read_whole(kind):
    assert read(COMPRESS[kind](TEXT), f"a.{kind}") == TEXT


@pytest.mark.parametrize("kind", COMPRESS)
def test_concatenated_members_are_read_one_after_the_other(kind):
    parts = [TEXT, b"", b"the end", TEXT[:1000]]
    assert read(b"".join(map(COMPRESS[kind], parts)), f"a.{kind}") == b"".join(parts)


@pytest.mark.parametrize("kind", COMPRESS)
@pytest.mark.parametrize("share", [0.2, 0.999])
def test_a_file_that_is_cut_off_is_refused(kind, share):
    data = COMPRESS[kind](TEXT)
    with pytest.raises(TextError, match=rf"a\.{kind} is cut off: .* ends too early, after \d+ bytes of text: fetch"):
        read(data[: int(share * len(data))], f"a.{kind}")


@pytest.mark.parametrize("kind", COMPRESS)
def test_a_damaged_file_is_refused(kind):
    data = bytearray(COMPRESS[kind](TEXT))
    middle = len(data) // 2
    data[middle : middle + 40] = bytes(byte ^ 0x5A for byte in data[middle : middle + 40])
    with pytest.raises(TextError, match=rf"a\.{kind} is (damaged|cut off)"):
        read(bytes(data), f"a.{kind}")


@pytest.mark.parametrize("kind", ["gz", "bz2", "xz"])
def test_zeros_after_the_end_are_padding(kind):
    assert read(COMPRESS[kind](b"text") + bytes(1 << 19), f"a.{kind}") == b"text"


def test_other_bytes_after_the_end_are_damage():
    with pytest.raises(TextError, match=r"a\.gz is damaged \(gzip"):
        read(gzip.compress(b"text") + b"garbage", "a.gz")


def test_compression_is_known_by_content_whatever_the_name():
    assert read(gzip.compress(b"text"), "a.txt") == b"text"


def test_a_name_that_lies_is_refused():
    with pytest.raises(TextError, match=r"a\.gz is not gzip data though its name says so .* rename it"):
        read(b"plain text", "a.gz")


def test_highly_compressed_text_comes_in_small_pieces():
    zeros = b"a" * (20 << 20)
    for kind in ("gz", "bz2", "xz"):
        data = COMPRESS[kind](zeros)
        file = io.BytesIO(data)
        sizes = [len(piece) for piece in plain_pieces(file, "a", file.read(LONGEST_MAGIC))]
        assert sum(sizes) == len(zeros)
        assert max(sizes) <= compression._PIECE


def test_zstd_without_its_extra_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(MissingExtraError, match=r"reading a\.zst needs the zstd extra: pip install 'w2gm\[zstd\]'"):
        read(zstandard.compress(b"text"), "a.zst")
