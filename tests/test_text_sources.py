import bz2
import errno
import gzip
import io
import os
import sys
import threading
from pathlib import Path

import pytest

from w2gm.errors import TextError
from w2gm.text.sources import Settings, files, source_of
from w2gm.text.tokenizers import tokenizer_of

SETTINGS = Settings(tokenizer_of("words"), "lines", "replace")


def content(source):
    """The bytes of a source, block after block."""
    found = list(source.blocks(SETTINGS))
    return b"".join((block if hasattr(block, "data") else block.read()).data for block in found)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "a.txt").write_text("first\n")
    (tmp_path / "b" / "c.txt.gz").write_bytes(gzip.compress(b"third\n"))
    (tmp_path / "b" / "b.txt").write_text("second\n")
    (tmp_path / "b" / "empty.txt").write_text("")
    (tmp_path / ".hidden").write_text("hidden\n")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "x.txt").write_text("hidden too\n")
    return tmp_path


def test_a_folder_is_read_in_order_without_hidden_files(folder):
    assert content(source_of(str(folder))) == b"first\nsecond\nthird\n"


def test_binary_files_in_a_folder_are_skipped_with_one_warning(folder):
    for name in ("x.bin", "y.bin"):
        (folder / name).write_bytes(b"\x7fELF\0\0\0")
    (folder / "z.bin.bz2").write_bytes(bz2.compress(b"\x7fELF\0\0\0"))
    with pytest.warns(UserWarning, match=r"3 binary files skipped \(the first is .*x\.bin\)") as warned:
        assert content(source_of(folder)) == b"first\nsecond\nthird\n"
    assert len(warned) == 1


def test_a_folder_without_text_is_refused(tmp_path):
    with pytest.raises(TextError, match="has no files with text: give a folder with plain or compressed text"):
        source_of(tmp_path)
    (tmp_path / "x.bin").write_bytes(b"\0\1")
    with pytest.raises(TextError, match=r"has only binary files \(1\)"):
        source_of(tmp_path)


def test_globs_lists_and_several_names_are_files(folder):
    assert content(source_of(str(folder / "**" / "*.txt"))) == b"first\nsecond\n"
    assert content(source_of([folder / "b" / "b.txt", folder / "a.txt"])) == b"second\nfirst\n"
    assert content(files([str(folder / "a.txt"), folder / "b"])) == b"first\nsecond\nthird\n"


def test_a_file_whose_name_looks_like_a_glob_is_read(tmp_path):
    (tmp_path / "a[1].txt").write_text("brackets\n")
    assert content(source_of(str(tmp_path / "a[1].txt"))) == b"brackets\n"


def test_a_glob_that_matches_nothing_is_refused(tmp_path):
    with pytest.raises(TextError, match=r"no file matches '.*\*\.txt': check the pattern"):
        source_of(str(tmp_path / "*.txt"))


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(TextError, match=r"no\.txt does not exist: check the path \(the current folder is"):
        source_of(tmp_path / "no.txt")


def test_a_file_without_permission_is_refused(tmp_path, monkeypatch):
    def forbidden(*_, **__):
        raise PermissionError(errno.EACCES, "Permission denied")  # which a chmod does not do to root

    (tmp_path / "a.txt").write_text("text")
    monkeypatch.setattr(Path, "open", forbidden)
    with pytest.raises(TextError, match=r"a\.txt cannot be read: Permission denied"):
        source_of(tmp_path / "a.txt")


def test_a_path_through_a_file_is_refused(tmp_path):
    (tmp_path / "a.txt").write_text("text")
    with pytest.raises(TextError, match="does not exist"):
        source_of(tmp_path / "a.txt" / "b.txt")


@pytest.mark.parametrize("data", [b"text", gzip.compress(b"text")])
def test_a_file_that_vanishes_before_it_is_read_is_refused(tmp_path, data):
    path = tmp_path / "a.txt"
    path.write_bytes(data)
    source = source_of(path)
    path.unlink()
    for read in (lambda: content(source), source.check):
        with pytest.raises(TextError, match=r"a\.txt cannot be read: No such file"):
            read()


@pytest.mark.parametrize("wrap", [bytes, gzip.compress])
def test_a_named_binary_file_is_refused(tmp_path, wrap):
    path = tmp_path / "a.bin"
    path.write_bytes(wrap(b"\x7fELF\2\0"))
    with pytest.raises(TextError, match=r"a\.bin is a binary file \(byte 5 is NUL\): give it as plain UTF-8"):
        source_of(path)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf16_is_named(tmp_path, encoding):
    (tmp_path / "a.txt").write_bytes("Some words of English".encode(encoding))
    with pytest.raises(TextError, match=r"a\.txt is UTF-16, UTF-8 is expected: convert it \(iconv"):
        source_of(tmp_path / "a.txt")


def test_the_byte_order_mark_of_each_file_is_dropped(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbffirst\n")
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"\xef\xbb\xbfsecond\n"))
    assert content(source_of(tmp_path)) == b"first\nsecond\n"


@pytest.mark.parametrize("data", [b"words and\nwords", gzip.compress(b"words and\nwords"), b"a", b""])
def test_standard_input_is_read_compressed_or_not(monkeypatch, data):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    source = source_of("-")
    assert source.identity is None
    assert source.total is None
    assert content(source) == (data if data[:1] != b"\x1f" else b"words and\nwords")


def test_binary_standard_input_is_refused(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"ab\0cd" * 10)))
    with pytest.raises(TextError, match=r"standard input is a binary file \(byte 2 is NUL\)"):
        content(source_of("-"))


def test_standard_input_comes_alone(tmp_path):
    with pytest.raises(TextError, match="cannot be mixed with other texts: give it alone"):
        files(["-", tmp_path])


def test_no_text_at_all_is_refused():
    with pytest.raises(TextError, match="no text was given: name a file, a folder, a glob"):
        files([])


def test_a_named_pipe_is_read_but_not_recognised(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(b"through a pipe\n",))
    source = source_of(path)
    writer.start()
    assert content(source) == b"through a pipe\n"
    writer.join()
    assert source.identity is None


def test_strings_are_lines_and_lists_are_tokens():
    assert content(source_of(["one line", "two\nlines"])) == b"one line\ntwo\nlines\n"
    assert content(source_of([["one", "token"], [], ["New York"]])) == b"one\xfftoken\xff\xfe\xfeNew York\xff\xfe"


@pytest.mark.parametrize(
    "text", [lambda: iter(["a b"]), iter(["a b"]), (line for line in ["a b"]), ("a b",), ["a b"]]
)
def test_iterables_generators_and_factories_are_read(text):
    assert content(source_of(text)) == b"a b\n"


def test_a_factory_may_return_a_path(tmp_path):
    (tmp_path / "a.txt").write_text("words")
    assert content(source_of(lambda: tmp_path / "a.txt")) == b"words"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (["a line", ["a", "list"]], r"item 2 of the text is \['a', 'list'\] \(list\): expected a string, like the"),
        ([["a", "list"], "a line"], r"item 2 of the text is 'a line' \(str\): expected a list of tokens, like the"),
        ([b"bytes"], r"item 1 of the text is b'bytes' \(bytes\): expected a string or a list of tokens"),
        ([7], r"item 1 of the text is 7 \(int\): expected a string or a list of tokens"),
        ([["a", ""]], "item 1 of the text gave the token '': tokens must be non-empty strings"),
        ([["a"], [3]], "item 2 of the text gave the token 3: tokens must be non-empty strings"),
        (7, "a text of type int cannot be read: give a path, paths, or an iterable"),
        (b"bytes", "a text of type bytes cannot be read"),
    ],
)
def test_items_of_the_wrong_kind_are_named(text, message):
    with pytest.raises(TextError, match=message):
        content(source_of(text))


def test_the_identity_of_a_file_follows_its_content_and_time(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("some words")
    first = source_of(path).identity
    assert source_of(str(path)).identity == first
    assert source_of(Path(os.path.relpath(path))).identity == first
    path.write_text("other wordS")
    assert source_of(path).identity != first
