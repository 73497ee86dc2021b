"""The tokens of a text and what stands between them, in plain Python: queries do not wait for the compiler.

The tokens are those of training (`w2gm.text.tokenizers`), by the same rules; see `w2gm.text.characters`.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Callable
from typing import NamedTuple

from w2gm.errors import ConfigError
from w2gm.text.blocks import LINES, WHITE_SPACE, WORDS, Cutter

_PLAIN = str.maketrans({"’": "'", "‐": "-", "‑": "-", "\xad": None})
_ASCII_WORDS = re.compile(r"([A-Za-z0-9]+(?:['-][A-Za-z0-9]+)*)")
_PLANES_WITH_MARKS = ((0, 0x20000), (0xE0000, 0xE1000))  # as in characters.py; asking all of Unicode takes 0.1 s


class Finder(NamedTuple):
    """A tokenizer that keeps what stands between tokens.

    pieces: a text -> what stands before its first token, the token, what stands before the next, ... and after the
    last one; together they are the text. word: a token -> the word it counts as. cutter: where a text may be cut
    without cutting a token.
    """

    pieces: Callable[[str], list[str]]
    word: Callable[[str], str]
    cutter: Cutter

    def words(self, text: str) -> list[str]:
        """The words of a text, in order.

        >>> finder_of("words").words("The River’s bank, 1990")
        ['the', "river's", 'bank', '1990']
        """
        return list(map(self.word, self.pieces(text)[1::2]))


def finder_of(name: str) -> Finder:
    """The finder for the tokenizer of this name, as in `Config.tokenizer`.

    >>> finder_of("whitespace").pieces("river  bank.")
    ['', 'river', '  ', 'bank.', '']
    """
    if name == "words":
        return Finder(_word_pieces, normal, WORDS)
    if name == "whitespace":
        return Finder(re.compile(r"(\S+)").split, str, WHITE_SPACE)
    kind, colon, pattern = name.partition(":")
    if kind != "regex" or not colon:
        raise ConfigError(f"tokenizer must be 'words', 'whitespace' or 'regex:PATTERN', got {name!r}")
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise ConfigError(f"tokenizer {name!r} is not a regular expression: {error}") from None
    return Finder(functools.partial(_matches, compiled), str, LINES)


def normal(token: str) -> str:
    """The word that a token of 'words' counts as: lower case, plain apostrophes and hyphens, no soft hyphens.

    >>> normal("ΟΔΟΣ"), normal("Rock‑n’Roll")
    ('οδος', "rock-n'roll")
    """
    if token.isascii():
        return token.lower()
    if "Σ" in token:
        return "-".join(map(_lower_with_sigma, re.split("[-‐‑]", token))).translate(_PLAIN)
    return token.lower().translate(_PLAIN)


def _lower_with_sigma(part: str) -> str:
    """Lower case of what stands between hyphens: a capital sigma that ends it, and is not all of it, is final."""
    last = max((place for place, character in enumerate(part) if character.isalnum()), default=0)
    lower = [character.lower() for character in part]
    for place, character in enumerate(part):
        if character == "Σ":
            lower[place] = "ς" if place and place >= last else "σ"
    return "".join(lower)


def _word_pieces(text: str) -> list[str]:
    return (_ASCII_WORDS if text.isascii() else _unicode_words()).split(text)


@functools.cache
def _unicode_words() -> re.Pattern[str]:
    """The rules of 'words' for all of Unicode: letters, digits and their marks; one joiner between letters."""
    codes = [code for first, last in _PLANES_WITH_MARKS for code in range(first, last)]
    marks = [code for code in codes if unicodedata.category(chr(code)) in ("Mn", "Mc")]
    ranges: list[list[int]] = []
    for code in sorted([*marks, 0x200C, 0x200D, 0xAD]):
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    follow = "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges)
    return re.compile(rf"([^\W_]+(?:(?:[{follow}]|['’\-‐‑](?=[^\W_]))[^\W_]*)*)")


def _matches(pattern: re.Pattern[str], text: str) -> list[str]:
    """The pieces by a pattern, which sees one line at a time, as in training: no match crosses a line's end."""
    pieces, offset, done = [], 0, 0
    for line in text.split("\n"):
        for found in pattern.finditer(line):
            if token := found.group():
                pieces += [text[done : offset + found.start()], token]
                done = offset + found.end()
        offset += len(line) + 1
    return [*pieces, text[done:]]
