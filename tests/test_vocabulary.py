"""Words, ids and counts; the file they are kept in, and every way it can be damaged."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from w2gm.errors import ModelError, UnknownWordError, VocabularyError
from w2gm.vocabulary import Vocabulary


def naive_read(text):
    """The file's meaning, line by line: (words, counts), or None for a text that is not accepted."""
    if text and not text.endswith("\n"):
        return None
    words, counts = [], []
    for line in text.split("\n")[:-1]:
        fields = line.split("\t")
        if len(fields) != 2 or not fields[0] or not 1 <= len(fields[1]) <= 18:
            return None
        if any(character not in "0123456789" for character in fields[1]):
            return None
        word, i = "", 0
        while i < len(fields[0]):
            if fields[0][i] == "\\" and fields[0][i + 1 : i + 2] in ("\\", "t", "n", "r"):
                word += {"\\": "\\", "t": "\t", "n": "\n", "r": "\r"}[fields[0][i + 1]]
                i += 2
            else:
                word += fields[0][i]
                i += 1
        words.append(word)
        counts.append(int(fields[1]))
    return (words, counts) if len(set(words)) == len(words) else None


def read(tmp_path, content):
    path = tmp_path / "vocab.tsv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return Vocabulary.read(path)


def test_ids_are_positions_and_counts_are_64_bit():
    vocabulary = Vocabulary(["the", "bank"], [3_000_000_000, 7])
    assert vocabulary.counts.dtype == np.int64
    assert (vocabulary.id("the"), vocabulary.id("bank")) == (0, 1)
    assert list(vocabulary) == ["the", "bank"]
    assert "bank" in vocabulary
    assert "river" not in vocabulary
    assert len(vocabulary) == 2


def test_words_and_counts_must_be_as_many():
    with pytest.raises(ModelError, match=r"a vocabulary of 2 words needs as many counts, got \(3,\)"):
        Vocabulary(["a", "b"], [1, 2, 3])


def test_unknown_words_are_answered_with_close_ones():
    vocabulary = Vocabulary(["Bank", "banks", "river"], [3, 2, 1])
    with pytest.raises(UnknownWordError, match=r"unknown word 'bank'; closest known words: Bank, banks"):
        vocabulary.id("bank")
    with pytest.raises(UnknownWordError, match=r"unknown word 'xyzzyx'; no known word is close to it"):
        vocabulary.id("xyzzyx")


@settings(max_examples=150, deadline=None)
@given(
    words=st.lists(
        st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("\\\t\n\rtnr"), min_size=1),
        unique=True,
        max_size=20,
    ),
    data=st.data(),
)
def test_what_is_written_is_read(tmp_path_factory, words, data):
    counts = data.draw(st.lists(st.integers(0, 10**18 - 1), min_size=len(words), max_size=len(words)))
    path = tmp_path_factory.mktemp("vocabulary") / "vocab.tsv"
    Vocabulary(words, counts).write(path)
    assert path.read_bytes().count(b"\n") == len(words)
    actual = Vocabulary.read(path)
    assert actual.words == words
    assert actual.counts.tolist() == counts


@settings(max_examples=400, deadline=None)
@given(text=st.text(st.sampled_from("ab\\tn\t\n\r0123456789٣²+-_ é"), max_size=30))
def test_any_text_is_read_as_the_slow_twin_reads_it_or_refused(tmp_path_factory, text):
    folder = tmp_path_factory.mktemp("vocabulary")
    expected = naive_read(text)
    if expected is None:
        with pytest.raises(ModelError):
            read(folder, text)
    else:
        actual = read(folder, text)
        assert (actual.words, actual.counts.tolist()) == expected


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("bank", "'bank'"),
        ("", "''"),
        ("\t5", r"'\\t5'"),
        ("bank\t", r"'bank\\t'"),
        ("bank\t-5", r"'bank\\t-5'"),
        ("bank\t5 ", r"'bank\\t5 '"),
        ("bank\t1_0", r"'bank\\t1_0'"),
        ("bank\t٣", r"'bank\\t٣'"),
        ("bank\t5\r", r"'bank\\t5\\r'"),
        ("bank\t5\t5", r"'bank\\t5\\t5'"),
        ("bank\t" + "9" * 19, r"'bank\\t9{19}'"),
        ("b" * 500, "'b{80}'$"),
    ],
)
@pytest.mark.parametrize("after", ["", "river\t3\n", "river\n", "a\t1\t1\n"])
def test_a_faulty_line_is_named_and_shown(tmp_path, line, shown, after):
    with pytest.raises(ModelError, match=rf"vocab.tsv, line 2: expected 'word<TAB>count', got {shown}"):
        read(tmp_path, f"the\t9\n{line}\n{after}")


def test_files_that_are_not_text_or_cut_off_are_told(tmp_path):
    with pytest.raises(ModelError, match=r"vocab.tsv is not UTF-8 \(byte 3\): the file is damaged"):
        read(tmp_path, b"the\xff\t3\n")
    with pytest.raises(ModelError, match=r"vocab.tsv does not end with a line end: the file is cut off"):
        read(tmp_path, "the\t9\nbank\t1")


@pytest.mark.parametrize("text", ["a\t1\nb\t1\na\t1\n", "a\\q\t1\na\\\\q\t1\n"])
def test_a_word_listed_twice_is_told(tmp_path, text):
    with pytest.raises(ModelError, match=r"vocab.tsv lists a word twice: the file is damaged"):
        read(tmp_path, text)


def test_a_word_that_utf8_cannot_hold_is_told(tmp_path):
    vocabulary = Vocabulary(["good", "half\udcff"], [1, 1])
    with pytest.raises(VocabularyError, match=r"'\\udcff.*' cannot be written as UTF-8: a word holds half"):
        vocabulary.write(tmp_path / "vocab.tsv")
