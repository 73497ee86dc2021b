"""Tokens found in plain Python are those that training finds, and nothing of the text is lost between them."""

import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_text
from w2gm.errors import ConfigError
from w2gm.text import places
from w2gm.text.places import finder_of, normal
from w2gm.text.tokenizers import tokenizer_of

HOSTILE = st.text(
    st.sampled_from("aB1ßΣσİé\u0301\u0903'’-‐‑\u00ad\u200d_ .,\n\r\t\u3000土手९²\x00\ufeff"), max_size=12
)


@given(HOSTILE | st.text(max_size=30))
def test_words_are_those_of_the_twin(text: str) -> None:
    assert finder_of("words").words(text) == naive_text.words(text)


@given(HOSTILE | st.text(max_size=30))
def test_words_by_white_space_are_those_of_str_split(text: str) -> None:
    assert finder_of("whitespace").words(text) == text.split()


@given(HOSTILE)
@pytest.mark.parametrize("pattern", [r"\w+", r"(a)|(B)", r"^.", r".$", r"\s*", r"a(?=\n)", "[^ ]+"])
def test_matches_of_a_pattern_are_those_of_training(pattern: str, text: str) -> None:
    split = tokenizer_of(f"regex:{pattern}").split
    expected = [token for line in text.split("\n") for token in split(line)]
    assert finder_of(f"regex:{pattern}").words(text) == expected


@given(HOSTILE)
@pytest.mark.parametrize("name", ["words", "whitespace", r"regex:(a)|\w+"])
def test_the_pieces_are_the_text(name: str, text: str) -> None:
    pieces = finder_of(name).pieces(text)
    assert "".join(pieces) == text
    assert len(pieces) % 2 == 1
    assert all(pieces[1::2])


def test_every_mark_of_unicode_belongs_to_the_word_before() -> None:
    marks = [chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) in ("Mn", "Mc")]
    text = " ".join(f"a{mark}b" for mark in marks)
    assert len(marks) > 2000
    assert finder_of("words").pieces(text)[1::2] == text.split(" ")


@pytest.mark.parametrize(
    ("token", "word"),
    [("ΣΑΣ", "σας"), ("Σ", "σ"), ("ΑΣ-Σ", "ας-σ"), ("ΑΣ\u0301", "ας\u0301"), ("Co\u00adop", "coop")],
)
def test_a_token_counts_as_its_plain_lower_case(token: str, word: str) -> None:
    assert normal(token) == word == naive_text.normal(token)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("letters", "tokenizer must be 'words', 'whitespace' or 'regex:PATTERN', got 'letters'"),
        ("regex", "tokenizer must be 'words', 'whitespace' or 'regex:PATTERN', got 'regex'"),
        ("regex:(", r"tokenizer 'regex:\(' is not a regular expression: missing \)"),
    ],
)
def test_a_tokenizer_that_cannot_be_is_refused(name: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        finder_of(name)


def test_reading_for_a_query_does_not_load_the_compiler() -> None:
    code = f"import sys, {places.__name__}, w2gm.text.encoding, w2gm.text.compression\nprint('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
