import codecs
import os
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from w2gm.errors import TextError
from w2gm.text import blocks
from w2gm.text.blocks import LINES, WHITE_SPACE, WORDS, Block, Cutter, Stamp, cut_stream, slices


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK", 64)
    monkeypatch.setattr(blocks, "_GLANCE", 4)


def read_file(path, cutter):
    return [piece.read() for piece in slices(path, Stamp.of(path.stat()), cutter)]


def read_stream(data, cutter, step=7):
    return list(cut_stream((data[i : i + step] for i in range(0, len(data), step)), "text", cutter))


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("cutter", [WORDS, WHITE_SPACE, Cutter(re.compile(rb" "), reach=8)])
@given(data=st.text(st.sampled_from("ab cé。\n"), max_size=400).map(str.encode) | st.binary(max_size=300))
@example(data=codecs.BOM_UTF8)  # found by chance: a mark and nothing else
@settings(max_examples=60, deadline=None)
def test_file_and_stream_are_cut_at_the_same_places_and_nothing_is_lost(tmp_path_factory, cutter, data):
    path = tmp_path_factory.mktemp("text") / "a.txt"
    path.write_bytes(data)
    kept = blocks.Block("", 0, data).without_mark().data
    of_file, of_stream = read_file(path, cutter), read_stream(data, cutter)
    assert b"".join(block.data for block in of_file) == kept
    assert b"".join(block.data for block in of_stream) == data
    facts = [
        [(block.data, block.split) for block in map(Block.without_mark, found) if block.data]
        for found in (of_file, of_stream)
    ]
    assert facts[0] == facts[1]
    assert sum(block.done for block in of_file) == len(data)


@pytest.mark.usefixtures("small_blocks")
def test_a_token_without_end_is_split_between_characters_and_counted():
    data = ("é" * 200).encode()
    found = read_stream(data, Cutter(re.compile(rb" "), reach=8))
    assert len(found) == 7
    assert [block.split for block in found] == [False] + [True] * 6
    assert all(block.data.decode() for block in found)


@pytest.mark.usefixtures("small_blocks")
def test_the_last_block_closes_the_text():
    found = read_stream(b"ab " * 100, WHITE_SPACE)
    assert [block.closes for block in found] == [False] * (len(found) - 1) + [True]


@pytest.mark.usefixtures("small_blocks")
def test_words_are_cut_after_ideographic_stops():
    data = ("中文" * 5 + "。").encode() * 20
    for block in read_stream(data, WORDS)[:-1]:
        assert block.data.decode().endswith("。")
        assert not block.split


@pytest.mark.usefixtures("small_blocks")
def test_lines_stay_whole_and_know_their_number():
    data = b"".join(b"line %d goes on\n" % i for i in range(50))
    for block in read_stream(data, LINES):
        assert block.data.endswith(b"\n")
        assert block.line == 1 + data[: block.offset].count(b"\n")
        assert block.line_at(0) == block.line


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("some words")
    piece = next(slices(path, Stamp.of(path.stat()), WORDS))
    path.write_text("some more words")
    with pytest.raises(TextError, match=r"a\.txt changed while it was being read \(it had 10 bytes, now 15\)"):
        piece.read()


def test_a_file_touched_while_it_is_read_is_refused(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("some words")
    piece = next(slices(path, Stamp.of(path.stat()), WORDS))
    os.utime(path, ns=(1, 1))
    with pytest.raises(TextError, match="changed while it was being read"):
        piece.read()
