import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from w2gm.errors import ConfigError, EncodingError, TextError
from w2gm.text.blocks import Block
from w2gm.text.encoding import mend
from w2gm.text.tokenizers import marked, tokenizer_of


def test_a_pattern_gives_its_whole_matches_and_no_empty_ones():
    assert tokenizer_of("regex:(a)(b)|x*").split("ab xx") == ["ab", "xx"]
    assert tokenizer_of("words", re.compile("[A-Z]+", re.IGNORECASE)).split("ab 1 CD") == ["ab", "CD"]


def test_patterns_are_recognised_with_their_flags_and_callables_are_not():
    plain, flagged = re.compile("a"), re.compile("a", re.IGNORECASE)
    assert tokenizer_of("words", plain).name != tokenizer_of("words", flagged).name
    assert tokenizer_of("words", plain).name == tokenizer_of("regex:a").name
    assert tokenizer_of("words", str.split).name is None


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("word", None, "tokenizer must be 'words', 'whitespace' or 'regex:PATTERN', got 'word'"),
        ("regex", None, "tokenizer must be 'words', 'whitespace' or 'regex:PATTERN', got 'regex'"),
        ("regex:(", None, r"tokenizer 'regex:\(' is not a regular expression: missing \)"),
        ("words", re.compile(b"a"), "tokenizer must be a pattern for str, got one for bytes: b'a'"),
        ("words", 7, "tokenizer must be a compiled pattern or a callable from str to tokens, got 7"),
    ],
)
def test_what_is_no_tokenizer_is_refused(name, given, message):
    with pytest.raises(ConfigError, match=message):
        tokenizer_of(name, given)


@pytest.mark.parametrize("tokens", ["a string", 7, b"ab"])
def test_a_tokenizer_has_to_return_a_list(tokens):
    with pytest.raises(TextError, match=r"it gave .*: a list of non-empty strings is expected"):
        marked(tokens, "strict", "it")


def test_lone_surrogates_in_tokens_are_refused_replaced_or_ignored():
    with pytest.raises(TextError, match=r"it gave a token with a lone surrogate: .*such a token has no UTF-8"):
        marked(["a", "b\ud800"], "strict", "it")
    assert marked(["a", "b\ud800"], "replace", "it") == b"a\xffb?\xff"
    assert marked(["a", "b\ud800", "\ud800"], "ignore", "it") == b"a\xffb\xff"


@given(st.binary(max_size=40), st.sampled_from(["replace", "ignore"]))
def test_mending_is_what_pythons_codec_does(data, errors):
    text, bad = mend(Block("a", 0, data), 0, errors)
    assert text == data.decode("utf-8", errors).encode()
    count = 0
    rest = data
    while True:
        try:
            rest.decode()
            break
        except UnicodeDecodeError as error:
            count, rest = count + 1, rest[error.end :]
    assert bad == count


def test_a_replacement_character_of_the_text_is_no_error():
    assert mend(Block("a", 0, "\ufffd\ufffd".encode()), 0, "replace") == ("\ufffd\ufffd".encode(), 0)


def test_strict_says_where_the_first_invalid_byte_is():
    block = Block("a.txt", 100, b"one\ntwo \xff \xfe", line=7)
    message = r"a\.txt, line 8, byte 108: 0xff is not UTF-8 \(invalid start byte\): convert .*--encoding-errors"
    with pytest.raises(EncodingError, match=message):
        mend(block, 2, "strict")
