"""Files of word vectors: those of gensim's writers, of others, and files that lie or make no sense."""

import gzip
import struct
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from w2gm.errors import DataError
from w2gm.interop import has_variances, open_vectors, read_word2vec
from w2gm.model import Model, load

Write = Callable[[bytes | str], Path]
WORDS = ["bank", "river", "土手"]
VECTORS = np.array([[1, 0.5, -2], [0, 0, 0], [3e-5, -7, 1]], dtype=np.float32)


@pytest.fixture
def file(tmp_path: Path) -> Write:
    """Write a file and return its path."""

    def write(content: bytes | str) -> Path:
        path = tmp_path / "vectors"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def binary(words: list[str] = WORDS, end: bytes = b"", header: str | None = None) -> bytes:
    """As word2vec writes (with a line end after each vector) and as gensim does (without)."""
    body = b"".join(word.encode() + b" " + row.tobytes() + end for word, row in zip(words, VECTORS, strict=False))
    return (header or f"{len(words)} 3").encode() + b"\n" + body


LINES = [f"{word} {' '.join(map(repr, row.tolist()))}" for word, row in zip(WORDS, VECTORS, strict=True)]


@pytest.mark.parametrize(
    "content",
    [
        "3 3\n" + "\n".join(LINES) + "\n",
        "3 3\n" + "\n".join(LINES),
        "3 3\r\n" + " \r\n".join(LINES) + " \r\n",
        "\n".join(LINES) + "\n",
        "3\t3\n" + "\n".join(LINES).replace(" ", "\t"),
        "3 3\n" + "\n\n".join(LINES) + "\n\n",
        binary(),
        binary(end=b"\n"),
        gzip.compress(binary()),
        gzip.compress("\n".join(LINES).encode()),
    ],
    ids=["text", "no last end", "crlf", "no header", "tabs", "empty lines", "gensim", "word2vec", "gz", "gz text"],
)
def test_vectors_are_read_as_a_model_of_one_sense_without_variances(file: Write, content: bytes | str) -> None:
    model = read_word2vec(file(content))
    assert model.index_to_key == WORDS
    np.testing.assert_array_equal(model.means[:, 0], VECTORS)
    assert (model.senses, model.vector_size, has_variances(model)) == (1, 3, False)
    model.check()


def test_what_gensim_writes_is_read(tmp_path: Path) -> None:
    gensim = pytest.importorskip("gensim.models", reason="gensim is not installed")
    vectors = gensim.KeyedVectors(7)
    rows = np.random.default_rng(0).normal(size=(500, 7)).astype(np.float32)
    vectors.add_vectors([f"w{number}" for number in range(500)], rows)
    for is_binary in (True, False):
        vectors.save_word2vec_format(str(tmp_path / "v"), binary=is_binary)
        np.testing.assert_array_equal(read_word2vec(tmp_path / "v").means[:, 0], rows)


def test_saved_and_opened_again_it_still_has_no_variances(file: Write, tmp_path: Path, tiny_folder: Path) -> None:
    read_word2vec(file(binary())).save(tmp_path / "model")
    assert not has_variances(load(tmp_path / "model"))
    assert has_variances(load(tiny_folder))


def test_a_folder_is_opened_as_a_model_and_a_file_as_vectors(file: Write, tiny_folder: Path) -> None:
    assert open_vectors(tiny_folder).senses == 2
    assert isinstance(open_vectors(file(binary())), Model)


def test_words_with_spaces_twice_and_not_utf8(file: Write) -> None:
    content = b"4 2\n. . . 1 2\nbank 3 4\nbank 5 6\ncaf\xe9 7 8\n"
    model = read_word2vec(file(content))
    assert model.index_to_key == [". . .", "bank", "caf\\xe9"]
    assert model.means[:, 0].tolist() == [[1, 2], [3, 4], [7, 8]]
    assert model.provenance["imported"]["repeated"] == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "holds no word vectors: it is empty"),
        ("  \n", "holds no word vectors: it is empty"),
        ("0 3\n", "holds no word vectors: nothing follows its header"),
        ("2 3\n", "its header promises 2 words, it holds 0: fetch it again"),
        (b"x" * (3 << 20), "holds no word vectors: its first line is too long"),
        ("3 3\n" + LINES[0] + "\n" + LINES[1], "its header promises 3 words, it holds 2: fetch it again"),
        ("1 3\n" + "\n".join(LINES), "its header promises 1 words, it holds 3: fetch it again"),
        ("3 3\n" + LINES[0] + "\nriver 1 2\n", "line 3: expected a word and 3 numbers, got 'river 1 2'"),
        (LINES[0] + "\nriver 1 2 far\n", "line 2: expected a word and 3 numbers, got 'river 1 2 far'"),
        (LINES[0] + "\nriver 1 2 nan\n", "line 2: expected a word and 3 numbers, got 'river 1 2 nan'"),
        (LINES[0] + "\n1 2 3\n", "line 2: expected a word and 3 numbers, got '1 2 3'"),
        (LINES[0] + "\n" + "1 " * (1 << 20), "line 2: longer than 1 MB: it holds no vector"),
        ("word\n", "line 1: vectors of 0 dimensions; 1 to 8192 are accepted: is this a file of word vectors"),
        ("3 0\nbank\n", "line 1: vectors of 0 dimensions; 1 to 8192 are accepted"),
        ("3 9999999999999999999999\nbank 1\n", "dimensions; 1 to 8192 are accepted"),
        (binary()[:-5], "word 3: expected a name, a space and 3 float32, but the file ends or makes no sense there"),
        (binary(header="4 3"), "its header promises 4 words, it holds 3: fetch it again"),
        (binary(header="2 3"), "its header promises 2 words, and more follow: fetch it again"),
        (b"2 3\n" + b"\x01" * 9000, "word 1: expected a name, a space and 3 float32"),
        (b"1 1\nbank " + struct.pack("<f", float("inf")), "word 1: its vector is not finite: the file is damaged"),
    ],
)
def test_files_that_make_no_sense_are_one_line(file: Write, content: bytes | str, message: str) -> None:
    with pytest.raises(DataError) as error:
        read_word2vec(file(content))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"cannot read .*nowhere.bin: No such file or directory"):
        read_word2vec(tmp_path / "nowhere.bin")


@pytest.mark.parametrize("content", [b"999999999999 8192\nbank ", b"999999999999 8192\nbank 1 2\n"])
def test_a_header_that_lies_takes_no_memory(file: Write, content: bytes) -> None:
    path = file(content)
    tracemalloc.start()
    try:
        with pytest.raises(DataError):
            read_word2vec(path)
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
    finally:
        tracemalloc.stop()
