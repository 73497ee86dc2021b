import unicodedata

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import naive_text
from w2gm.kernels import tokens, wordtable
from w2gm.text.characters import space_alphabet, word_alphabet

# Characters on which tokenisers differ, among plain ones.
CURIOUS = (
    "aBz09 \t\r\n'’-‐‑.,_\u00ad\u200d\u200c\u0301\u0940éÉßİıΣσςΑǅ中。　\u00a0\u2028\x1c\x85٣½Ⅷ𝐀𐐀😀\ufffd\ufeff\0"
)
TEXT = st.text(st.one_of(st.sampled_from(CURIOUS), st.characters(exclude_categories=["Cs"])), max_size=60)


def encode(text, tokenizer, limit=3, slots=4, chunks=2):
    """Ids and words of `text`, through the smallest tables and streams: everything is full all the time."""
    data = text if isinstance(text, bytes) else text.encode()
    buffer = np.zeros(len(data) + tokens.PADDING, np.uint8)
    buffer[: len(data)] = np.frombuffer(data, np.uint8)
    state, numbering = np.array([len(data), 0, 0]), np.zeros(3, np.int64)
    run, ids = np.zeros(limit + len(data) // 4 + tokens.MARGIN, np.int64), np.zeros(len(data) + 2, np.int32)
    table = wordtable.new_table(slots, chunks)
    status = tokens.FULL
    while status == tokens.FULL:
        state[2] = 0
        if tokenizer is tokens.tokenise_marked:
            status = tokenizer(buffer, state, run, limit)
        else:
            alphabet = word_alphabet() if tokenizer is tokens.tokenise_words else space_alphabet()
            status = tokenizer(buffer, state, alphabet, run, limit)
        numbering[:2] = state[2], 0
        while not wordtable.number_words(run, ids, numbering, table):
            table = wordtable.grown(table, int(numbering[0] - numbering[1]))
    spelled = [word.decode() for word in wordtable.words_of(table, np.arange(int(table.used[0])))]
    return status, ids[: numbering[2]].tolist(), spelled, table


def as_sentences(ids, words):
    sentences = [[]]
    for number in ids:
        if number < 0:
            sentences.append([])
        else:
            sentences[-1].append(words[number])
    return [sentence for sentence in sentences if sentence]


def expected_sentences(text, tokenize):
    return [found for line in text.split("\n") if (found := tokenize(line))]


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The rock's well-known ROCK.", ["the", "rock's", "well-known", "rock"]),
        ("'tis rock' -a- b--c d''e", ["tis", "rock", "a", "b", "c", "d", "e"]),
        ("don’t co‐op no‑break", ["don't", "co-op", "no-break"]),
        ("हिन्दी किताब", ["हिन्दी", "किताब"]),
        ("cafe\u0301 CAFÉ", ["cafe\u0301", "café"]),
        ("İstanbul", ["i\u0307stanbul"]),
        ("ΟΔΟΣ ΣΑΣ Σ ΟΣ-ΟΣ ΑΣ'Α", ["οδος", "σας", "σ", "ος-ος", "ασ'α"]),
        ("co\u00adoperate \u00adx y\u00ad", ["cooperate", "x", "y"]),
        ("می\u200cخواهم", ["می\u200cخواهم"]),
        ("北京。上海", ["北京", "上海"]),
        ("x86-64 3.14 a_b", ["x86-64", "3", "14", "a", "b"]),
        ("abcdefg abcdefgh abcdefghijklmn abcdefg", ["abcdefg", "abcdefgh", "abcdefghijklmn", "abcdefg"]),
    ],
)
def test_words_are_what_the_documentation_says(text, expected):
    _, ids, words, _ = encode(text, tokens.tokenise_words)
    assert [words[number] for number in ids] == expected
    assert naive_text.words(text) == expected


@given(TEXT)
@settings(max_examples=300, deadline=None)
@example("A\u00adΣ\u00ad'b-Σ\u0301 ΑΣ")
def test_words_equal_the_slow_twin(text):
    status, ids, words, _ = encode(text, tokens.tokenise_words)
    assert status == tokens.DONE
    assert as_sentences(ids, words) == expected_sentences(text, naive_text.words)


# Pieces that begin, end and join words, so that words lie across the edges of the windows of 64 bytes.
PIECES = [
    "a",
    "bcdefg",
    "Hijklmn",
    "OPQRSTUV",
    "wxyz0123456789",
    "x" * 15,
    "Y" * 70,
    " ",
    ", ",
    "\n",
    "'",
    "-",
    "é",
    "–",
    "’",
]


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
@settings(max_examples=300, deadline=None)
def test_words_across_windows_equal_the_slow_twin(text):
    _, ids, words, _ = encode(text, tokens.tokenise_words)
    assert as_sentences(ids, words) == expected_sentences(text, naive_text.words)


@pytest.mark.kernel
@pytest.mark.parametrize("tail", ["rock-band's", "rock-é", "rock'", "rocké", "rock\nband", "r" * 70, "é"])
def test_a_word_is_the_same_wherever_the_window_ends(tail):
    for before in range(50, 68):
        text = "." * before + tail + ", and so on" * 8
        _, ids, words, _ = encode(text, tokens.tokenise_words)
        assert as_sentences(ids, words) == expected_sentences(text, naive_text.words)


@given(TEXT)
@settings(max_examples=300, deadline=None)
def test_white_space_equals_str_split(text):
    status, ids, words, _ = encode(text, tokens.tokenise_whitespace)
    assert status == tokens.DONE
    assert as_sentences(ids, words) == expected_sentences(text, str.split)


@given(TEXT)
@settings(max_examples=200, deadline=None)
def test_tokenising_words_again_changes_nothing(text):
    once = naive_text.words(text)
    _, ids, words, _ = encode(" ".join(once), tokens.tokenise_words)
    assert [words[number] for number in ids] == once


@given(st.lists(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20), max_size=4)))
@settings(max_examples=100, deadline=None)
def test_marked_tokens_are_taken_as_they_are(sentences):
    data = b"".join(b"".join(token.encode() + b"\xff" for token in sentence) + b"\xfe" for sentence in sentences)
    _, ids, words, _ = encode(data, tokens.tokenise_marked)
    assert as_sentences(ids, words) == [sentence for sentence in sentences if sentence]


@given(st.text(st.characters(categories=["Lu", "Ll", "Lo"]), min_size=1, max_size=12))
@settings(max_examples=300, deadline=None)
def test_letters_are_lower_cased_as_python_does(word):
    _, ids, words, _ = encode(word, tokens.tokenise_words)
    # After a letter without case a final sigma is ours, not Python's (documented).
    assert [words[number].replace("ς", "σ") for number in ids] == [word.lower().replace("ς", "σ")]


@given(st.binary(max_size=12) | st.sampled_from([b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\xaf", b"\xe0\x80\xaf"]))
@settings(max_examples=500, deadline=None)
@pytest.mark.parametrize("tokenizer", [tokens.tokenise_words, tokens.tokenise_whitespace])
def test_invalid_utf8_is_found_where_python_finds_it(tokenizer, data):
    text = b"ab " + data + b" cd"
    try:
        text.decode()
        valid = True
    except UnicodeDecodeError:
        valid = False
    status, *_ = encode(text, tokenizer)
    assert (status == tokens.DONE) == valid


@pytest.mark.kernel
@pytest.mark.parametrize("tokenizer", [tokens.tokenise_words, tokens.tokenise_whitespace])
@pytest.mark.parametrize("bad", [b"\xff", b"caf\xe9", b"\xe2\x82", b"\xf0\x9f\x98", b"\xed\xa0\x80", b"\x80"])
def test_words_before_the_invalid_bytes_are_kept(tokenizer, bad):
    status, ids, words, _ = encode(b"one two " + bad, tokenizer)
    assert status == tokens.INVALID
    assert [words[number] for number in ids] == ["one", "two"]


@pytest.mark.kernel
def test_kernels_and_twin_agree_on_mixed_text():
    text = "A rock band; ROCK.\n\n  \nthe Bank's bank ΟΔΟΣ co‐op कि abcdefghijklmnop\n"
    for tokenizer, tokenize in ((tokens.tokenise_words, naive_text.words), (tokens.tokenise_whitespace, str.split)):
        _, ids, words, table = encode(text, tokenizer)
        assert as_sentences(ids, words) == expected_sentences(text, tokenize)
        found = [token for line in text.split("\n") for token in tokenize(line)]
        counts = wordtable.counts_of(table).tolist()
        assert dict(zip(words, counts, strict=True)) == {word: found.count(word) for word in found}


@pytest.mark.kernel
def test_a_nul_is_a_letter_like_others_in_a_token():
    _, ids, words, _ = encode("a \0a a\0 \0", tokens.tokenise_whitespace)
    assert [words[number] for number in ids] == ["a", "\0a", "a\0", "\0"]


@pytest.mark.kernel
def test_sentence_ends_never_repeat_and_may_lead():
    _, ids, _, _ = encode("\n\na\n\nb c\n", tokens.tokenise_words)
    assert ids == [-1, 0, -1, 1, 2, -1]


@pytest.mark.kernel
def test_long_words_with_equal_beginnings_are_told_apart():
    text = "aaaaaaab aaaaaaac aaaaaaabaaaaaaa aaaaaaab aaaaaaa"
    _, ids, words, _ = encode(text, tokens.tokenise_whitespace)
    assert ids == [0, 1, 2, 0, 3]
    assert words == ["aaaaaaab", "aaaaaaac", "aaaaaaabaaaaaaa", "aaaaaaa"]


@pytest.mark.kernel
def test_growing_tables_keep_words_ids_and_counts():
    words = [f"{'long' * (number % 5)}{number}" for number in range(200)]
    _, ids, spelled, table = encode(" ".join(words * 2), tokens.tokenise_whitespace)
    assert spelled == words
    assert ids == [*range(200)] * 2
    assert wordtable.counts_of(table).tolist() == [2] * 200


@pytest.mark.kernel
def test_merged_tables_hold_the_sum_and_say_how_ids_change():
    tables = [encode(text, tokens.tokenise_words)[3] for text in ("a b longerword", "longerword c a a", "")]
    table, counts, numbers = wordtable.merged(tables)
    words = [word.decode() for word in wordtable.words_of(table, np.arange(int(table.used[0])))]
    assert words == ["a", "b", "longerword", "c"]
    assert counts.tolist() == [3, 1, 2, 1]
    assert [own.tolist() for own in numbers] == [[0, 1, 2], [2, 3, 0], []]


@pytest.mark.kernel
def test_renumbering_drops_words_and_empty_sentences():
    ids = np.array([0, 1, -1, 1, -1, 2, 1, -1], np.int32)
    result = np.zeros_like(ids)
    written, ends = wordtable.renumber(ids, np.array([5, wordtable.DROPPED, 7], np.int32), result)
    assert result[:written].tolist() == [5, -1, 7, -1]
    assert ends == 2


def test_marks_live_in_the_planes_that_are_asked():
    marks = [code for code in range(0x110000) if unicodedata.category(chr(code)) in ("Mn", "Mc")]
    kinds = word_alphabet().properties & tokens.KIND_MASK
    assert (kinds[marks] == tokens.MARK).all()


def test_every_character_has_the_kind_and_case_python_gives_it():
    alphabet, spaces = word_alphabet(), space_alphabet()
    for code in range(0x110000):
        if 0xD800 <= code < 0xE000:
            continue
        character = chr(code)
        kind = alphabet.properties[code] & tokens.KIND_MASK
        assert (kind == tokens.LETTER) == naive_text.is_letter(character)
        if kind == tokens.LETTER and code not in (0x130, 0x3A3):
            assert chr(alphabet.properties[code] >> tokens.KIND_BITS) == character.lower()
        assert (spaces.properties[code] & tokens.KIND_MASK in (tokens.SPACE, tokens.NEWLINE)) == character.isspace()
