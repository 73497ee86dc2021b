import bz2
import gzip
import io
import json
import re
import sys
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_text
from w2gm.config import Config
from w2gm.corpus import encode
from w2gm.errors import ConfigError, EncodingError, TextError, VocabularyError
from w2gm.text import blocks

TEXT = "The bank of the river.\n\nA river bank; a rock band.\nThe ROCK’s river\r\nbank"


@pytest.fixture(autouse=True)
def own_store(tmp_path, monkeypatch):
    monkeypatch.setenv("W2GM_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK", 64)
    monkeypatch.setattr(blocks, "_GLANCE", 4)


def written(tmp_path, text, name="a.txt"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def facts(corpus):
    return corpus.vocabulary.words, corpus.vocabulary.counts.tolist(), corpus.ids.tolist()


def twin(text, tokenize=naive_text.words, sentences="lines", **pruning):
    return naive_text.encoded(naive_text.sentences_of(text, tokenize, sentences), **pruning)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("sentences", ["lines", "none"])
@given(
    text=st.text(st.sampled_from("abé Σ'-\n\r。, "), max_size=400),
    min_count=st.integers(1, 3),
    max_final_vocab=st.none() | st.integers(2, 6),
    workers=st.integers(1, 3),
)
@settings(max_examples=80, deadline=None)
def test_a_file_is_encoded_as_the_slow_twin_does(
    tmp_path_factory, sentences, text, min_count, max_final_vocab, workers
):
    folder = tmp_path_factory.mktemp("text")
    config = Config(min_count=min_count, max_final_vocab=max_final_vocab, sentences=sentences)
    expected = twin(text, sentences=sentences, min_count=min_count, max_final_vocab=max_final_vocab)
    path = written(folder, text)
    if len(twin(text, min_count=min_count)[0]) < 2:
        with pytest.raises((TextError, VocabularyError)):
            encode(path, config, cache=folder, workers=workers)
    else:
        with encode(path, config, cache=folder, workers=workers) as corpus:
            assert facts(corpus) == expected
            assert corpus.tokens == sum(number >= 0 for number in expected[2])
            assert corpus.sentences == expected[2].count(-1)
            assert corpus.raw_tokens == sum(twin(text)[1])
            assert corpus.raw_words == len(twin(text)[0])
    assert not list(folder.glob("*.tmp"))


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("tokenizer", ["words", "whitespace", "regex:[a-z0-9]+"])
def test_the_bytes_of_a_store_depend_on_the_text_alone(tmp_path, tokenizer):
    rng = np.random.default_rng(1)
    text = "".join(f"w{int(number)}{' ' if number % 7 else chr(10)}" for number in rng.zipf(1.3, 3000) % 500)
    stores = set()
    for workers in (1, 2, 5):
        for name, data in (("a.txt", text.encode()), ("a.gz", gzip.compress(text.encode()))):
            path = written(tmp_path, data, name)
            config = Config(min_count=2, tokenizer=tokenizer)
            with encode(path, config, cache=tmp_path / f"{workers}{name}", workers=workers) as corpus:
                stores.add(((corpus.path / "ids.i32").read_bytes(), (corpus.path / "vocab.tsv").read_bytes()))
    assert len(stores) == 1


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("config", "tokenizer", "tokenize"),
    [
        (Config(min_count=1), None, naive_text.words),
        (Config(min_count=1, tokenizer="whitespace"), None, str.split),
        (Config(min_count=1, tokenizer="regex:[a-zA-Z]+"), None, lambda line: re.findall("[a-zA-Z]+", line)),
        (Config(min_count=1), re.compile("[a-z]+ [a-z]+"), lambda line: re.findall("[a-z]+ [a-z]+", line)),
        (Config(min_count=1), str.split, str.split),
        (Config(min_count=1, sentences="none"), None, naive_text.words),
        (Config(min_count=1, sentences="none"), str.split, str.split),
    ],
)
def test_every_tokenizer_equals_its_slow_twin(tmp_path, config, tokenizer, tokenize):
    with encode(written(tmp_path, TEXT), config, tokenizer=tokenizer) as corpus:
        assert facts(corpus) == twin(TEXT, tokenize, config.sentences)


@pytest.mark.parametrize(
    "text",
    [
        TEXT.split("\n"),
        iter(TEXT.split("\n")),
        lambda: iter(TEXT.split("\n")),
        [TEXT],
        [naive_text.words(line) for line in TEXT.split("\n")],
    ],
)
def test_iterables_are_encoded_like_files(text):
    with encode(text, Config(min_count=1)) as corpus:
        assert facts(corpus) == twin(TEXT)


def test_standard_input_is_encoded_like_a_file(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(bz2.compress(TEXT.encode()))))
    with encode("-", Config(min_count=1)) as corpus:
        assert facts(corpus) == twin(TEXT)


@pytest.mark.usefixtures("small_blocks")
def test_token_lists_of_any_length_keep_their_sentences():
    sentences = [["New York", "a"] * 50, [], ["b", "a", "b"], ["a"]] * 3
    for join in ("lines", "none"):
        with encode(iter(sentences), Config(min_count=1, sentences=join)) as corpus:
            one = [[token for sentence in sentences for token in sentence]]
            assert facts(corpus) == naive_text.encoded(sentences if join == "lines" else one)


@pytest.mark.usefixtures("small_blocks")
def test_a_sentence_does_not_go_on_in_the_next_file(tmp_path):
    paths = [written(tmp_path, "a b", "1.txt"), written(tmp_path, "b a", "2.txt")]
    with encode(paths, Config(min_count=1)) as corpus:
        assert corpus.ids.tolist() == [0, 1, -1, 1, 0, -1]
    with encode(paths, Config(min_count=1, sentences="none")) as corpus:
        assert corpus.ids.tolist() == [0, 1, 1, 0, -1]


@pytest.mark.usefixtures("small_blocks")
def test_one_long_line_is_one_sentence_and_a_monster_is_split_with_a_warning(tmp_path, monkeypatch):
    with encode(written(tmp_path, "some words " * 200), Config(min_count=1)) as corpus:
        assert (corpus.sentences, corpus.tokens, corpus.split_tokens) == (1, 400, 0)
    monkeypatch.setattr("w2gm.text.tokenizers.WORDS", blocks.Cutter(re.compile(rb" "), reach=16))
    path = written(tmp_path, "x" * 300 + " a b", "b.txt")
    with pytest.warns(UserWarning, match=r"b\.txt: tokens were split in 4 places, .* has no white space") as warned:
        corpus = encode(path, Config(min_count=1))
    assert len(warned) == 1
    with corpus:
        assert corpus.split_tokens == 4
        assert sum(map(len, (corpus.vocabulary.words[number] for number in corpus.ids if number >= 0))) == 302


@pytest.mark.parametrize("name", ["a.txt", "a.gz"])
@pytest.mark.parametrize("tokenizer", [None, naive_text.words])
def test_invalid_bytes_are_counted_or_refused(tmp_path, name, tokenizer):
    data = b"caf\xe9 bar\nfoo\xff\xfebar bar \xe2\x82 caf\n" + "caf\ufffd".encode()
    path = written(tmp_path, gzip.compress(data) if name == "a.gz" else data, name)
    for errors in ("replace", "ignore"):
        with encode(path, Config(min_count=1, encoding_errors=errors), tokenizer=tokenizer) as corpus:
            assert corpus.bad_bytes == 4
            assert facts(corpus) == twin(data.decode("utf-8", errors))
    where = r"line 1, byte 3: 0xe9 is not UTF-8"
    with pytest.raises(EncodingError, match=where):
        encode(path, Config(min_count=1, encoding_errors="strict"), tokenizer=tokenizer)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("name", ["a.txt", "a.gz"])
def test_the_first_invalid_byte_is_named_wherever_it_is(tmp_path, name):
    data = b"\xef\xbb\xbf" + b"some good words\n" * 50 + b"bad \xff\n" + b"good\n" * 50 + b"\xfe"
    path = written(tmp_path, gzip.compress(data) if name == "a.gz" else data, name)
    with pytest.raises(EncodingError, match=rf"{name}, line 51, byte 807: 0xff is not UTF-8"):
        encode(path, Config(min_count=1, encoding_errors="strict"), workers=3)


def test_strings_with_lone_surrogates_count_as_invalid_bytes():
    with encode(["a b", "c\ud800d a"], Config(min_count=1, encoding_errors="ignore")) as corpus:
        assert corpus.vocabulary.words == ["a", "b", "cd"]
        assert corpus.bad_bytes > 0
    with pytest.raises(EncodingError, match="the text, line 2, byte 5: 0xed is not UTF-8"):
        encode(["a b", "c\ud800d a"], Config(min_count=1, encoding_errors="strict"))


@pytest.mark.parametrize(
    ("text", "config", "error", "message"),
    [
        ("", {}, TextError, r"a\.txt is empty: it has no words for this tokenizer"),
        (" \n . \n", {}, TextError, r"a\.txt is empty: it has no words"),
        ("a a a", {"min_count": 1}, VocabularyError, r"only one word \('a', 3 times\): a model needs two"),
        (
            "c b b a a a",
            {"min_count": 9},
            VocabularyError,
            r"no word reaches min_count 9 .* 'a', 3 times: lower .* to 2 ",
        ),
        (
            "b b a a a",
            {"min_count": 3},
            VocabularyError,
            "only one word reaches min_count 3 .* lower min_count to 2 ",
        ),
        ("a b", {"tokenizer": "letters"}, ConfigError, "tokenizer must be 'words', 'whitespace' or"),
    ],
)
def test_texts_that_cannot_be_learnt_from_say_why(tmp_path, text, config, error, message):
    with pytest.raises(error, match=message):
        encode(written(tmp_path, text), Config(**config))
    assert not list((tmp_path / "cache").glob("*"))


def test_an_empty_iterable_is_refused():
    with pytest.raises(TextError, match="the text is empty"):
        encode([], Config())


def test_progress_ends_at_the_size_on_disk(tmp_path, small_blocks):
    data = gzip.compress(b"some words of text\n" * 200)
    for path in (written(tmp_path, b"some words of text\n" * 20), written(tmp_path, data, "a.gz")):
        calls = []
        encode(path, Config(min_count=1), report=lambda *call, calls=calls: calls.append(call)).close()
        size = path.stat().st_size
        assert [call[0] for call in calls] == sorted(call[0] for call in calls)
        assert calls[-1][:2] == (size, size)
        assert calls[-1][2] == (80 if path.name == "a.txt" else 800)


def test_a_tokenizer_runs_in_the_calling_thread_and_in_order(tmp_path):
    import threading

    seen = []

    def tokenize(line):
        assert threading.current_thread() is threading.main_thread()
        seen.append(line)
        return line.split()

    encode(written(tmp_path, TEXT), Config(min_count=1), tokenizer=tokenize, workers=2).close()
    assert seen == TEXT.split("\n")


def test_an_error_in_a_tokenizer_reaches_the_caller_and_leaves_nothing(tmp_path):
    def broken(line):
        raise ZeroDivisionError(line)

    with pytest.raises(ZeroDivisionError):
        encode(["a b"], Config(), tokenizer=broken)
    assert not list((tmp_path / "cache").glob("*"))


def test_no_warnings_for_ordinary_text(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with encode(written(tmp_path, TEXT), Config(min_count=1)) as corpus:
            about = json.loads((corpus.path / "corpus.json").read_text())
    assert about["tokens"] == corpus.tokens
