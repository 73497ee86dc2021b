"""Text as it comes: cut where no token is, decoded by the rules, from files, pipes and compressed data."""

import bz2
import io
import os
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from w2gm.errors import EncodingError, TextError
from w2gm.text import streams
from w2gm.text.blocks import BLOCK, LINES, WHITE_SPACE, WORDS, Cutter
from w2gm.text.places import finder_of
from w2gm.text.streams import opened, texts


@given(st.lists(st.binary(max_size=20)), st.sampled_from([WORDS, WHITE_SPACE, LINES]))
def test_nothing_is_lost_however_the_bytes_come(pieces: list[bytes], cutter: Cutter) -> None:
    data = b"".join(pieces)
    expected = data.decode("utf-8", "ignore").removeprefix("\ufeff" if data.startswith(b"\xef\xbb\xbf") else "")
    assert "".join(texts(pieces, "it", cutter, "ignore")) == expected


def test_text_goes_on_at_each_line_end() -> None:
    assert list(texts([b"a\nb", b"c", b"\r\n\nd"], "it", WORDS, "strict")) == ["a\n", "bc\r\n\n", "d"]


@pytest.mark.parametrize("name", ["words", "whitespace", r"regex:\S+"])
@pytest.mark.parametrize("size", [1000, 1 << 16, 1 << 20])
def test_a_line_without_end_is_cut_between_words(name: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "BLOCK", 1 << 16)
    finder = finder_of(name)
    cutter = (
        finder.cutter if finder.cutter.otherwise is None else type(LINES)(LINES.pattern, 1 << 17, LINES.otherwise)
    )
    line = ("the river’s bank 土手 " * 30_000).encode()
    parts = list(texts((line[k : k + size] for k in range(0, len(line), size)), "it", cutter, "strict"))
    assert "".join(parts).encode() == line
    assert max(map(len, parts)) <= (1 << 18) + size
    assert [word for part in parts for word in finder.words(part)] == finder.words(line.decode())


def test_a_token_without_end_is_cut_between_characters() -> None:
    line = "ö".encode() * (3 * BLOCK)
    parts = list(texts((line[k : k + 65_537] for k in range(0, len(line), 65_537)), "it", WORDS, "strict"))
    assert "".join(parts).encode() == line
    assert len(parts) > 1


@pytest.mark.parametrize(("errors", "expected"), [("replace", "caf\ufffd\nau"), ("ignore", "caf\nau")])
def test_bytes_that_are_not_utf8_are_replaced_or_ignored(errors: str, expected: str) -> None:
    assert "".join(texts([b"caf\xe9\nau"], "it", WORDS, errors)) == expected


def test_bytes_that_are_not_utf8_are_refused_with_their_place() -> None:
    with pytest.raises(EncodingError, match=r"it, line 3, byte 9: 0xe9 is not UTF-8"):
        list(texts([b"one\n", b"two\nc", b"\xe9\n"], "it", WORDS, "strict"))


def test_files_are_read_compressed_or_not(tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(b"\xef\xbb\xbfthe river\nbank")
    (tmp_path / "packed.bz2").write_bytes(bz2.compress(b"the river\nbank"))
    for name in ("plain", "packed.bz2"):
        assert "".join(opened(str(tmp_path / name), WORDS, "strict")) == "the river\nbank"
    (tmp_path / "empty").touch()
    assert list(opened(str(tmp_path / "empty"), WORDS, "strict")) == []


def test_a_file_that_cannot_be_read_is_one_error(tmp_path: Path) -> None:
    with pytest.raises(TextError, match="nothing cannot be read: No such file or directory; check the path"):
        list(opened(str(tmp_path / "nothing"), WORDS, "strict"))


def test_standard_input_can_be_compressed_and_can_be_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(bz2.compress(b"the river\nbank"))))
    assert "".join(opened("-", WORDS, "strict")) == "the river\nbank"
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(TextError, match="standard input is closed: give a file, or text by a pipe"):
        list(opened("-", WORDS, "strict"))


def test_a_line_from_a_pipe_does_not_wait_for_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = os.pipe()
    with os.fdopen(ours, "rb") as pipe:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(pipe))
        parts = opened("-", WORDS, "strict")
        os.write(theirs, b"the river bank\n")
        watch = threading.Timer(30, os.close, [theirs])  # a reader that waits for more gets the end instead
        watch.start()
        assert next(parts) == "the river bank\n"
        watch.cancel()
        watch.join()
        os.write(theirs, b"more")
        os.close(theirs)
        assert list(parts) == ["more"]
