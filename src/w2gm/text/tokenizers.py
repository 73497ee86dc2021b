"""How a line becomes tokens: by a kernel ('words', 'whitespace') or in Python (a pattern, a callable)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from w2gm.errors import ConfigError, TextError
from w2gm.kernels.tokens import SENTENCE_MARK, TOKEN_MARK
from w2gm.text.blocks import LINES, WHITE_SPACE, WORDS, Block, Cutter, Slice
from w2gm.text.encoding import mend

Split = Callable[[str], Iterable[str]]
_TOKEN_END = bytes([TOKEN_MARK])
_SENTENCE_END = bytes([SENTENCE_MARK])


@dataclass(frozen=True)
class Tokenizer:
    """A way to tokenise: `split` is None where a kernel of this name does it.

    `name` goes into the fingerprint of a corpus; None where nothing can be said of it (a callable).
    """

    name: str | None
    cutter: Cutter
    split: Split | None = None


def tokenizer_of(name: str, given: re.Pattern[str] | Split | None = None) -> Tokenizer:
    """The tokeniser that `given` is, or else the one called `name` (`Config.tokenizer`).

    >>> tokenizer_of("regex:[a-z]+").split("Ab, cd")
    ['b', 'cd']
    """
    if given is None:
        if name == "words":
            return Tokenizer(name, WORDS)
        if name == "whitespace":
            return Tokenizer(name, WHITE_SPACE)
        kind, colon, pattern = name.partition(":")
        if kind != "regex" or not colon:
            raise ConfigError(f"tokenizer must be 'words', 'whitespace' or 'regex:PATTERN', got {name!r}")
        try:
            given = re.compile(pattern)
        except re.error as error:
            raise ConfigError(f"tokenizer {name!r} is not a regular expression: {error}") from None
    if isinstance(given, re.Pattern):
        if not isinstance(given.pattern, str):
            raise ConfigError(f"tokenizer must be a pattern for str, got one for bytes: {given.pattern!r}")
        matches = given.finditer
        return Tokenizer(
            f"regex:{given.flags}:{given.pattern}",
            LINES,
            lambda line: [found.group() for found in matches(line) if found.group()],
        )
    if not callable(given):
        raise ConfigError(f"tokenizer must be a compiled pattern or a callable from str to tokens, got {given!r}")
    return Tokenizer(None, LINES, given)


def marked(tokens: Iterable[str], errors: str, what: str) -> bytes:
    r"""The tokens of one sentence as bytes for the kernel that takes them as they are; `what` names their origin.

    >>> marked(["New York", "is"], "strict", "the tokenizer")
    b'New York\xffis\xff'
    """
    if isinstance(tokens, (str, bytes)) or not isinstance(tokens, Iterable):
        raise TextError(f"{what} gave {tokens!r:.80}: a list of non-empty strings is expected")
    tokens = list(tokens)
    for token in tokens:
        if not isinstance(token, str) or not token:
            raise TextError(f"{what} gave the token {token!r:.80}: tokens must be non-empty strings")
    try:
        encoded = list(map(str.encode, tokens))
    except UnicodeEncodeError:
        if errors == "strict":
            raise TextError(
                f"{what} gave a token with a lone surrogate: {tokens!a:.80}; such a token has no UTF-8, "
                "mend it or use encoding_errors 'replace'"
            ) from None
        encoded = [data for token in tokens if (data := token.encode("utf-8", errors))]
    return b"".join([data + _TOKEN_END for data in encoded])


def sentence_end(sentences: str) -> bytes:
    """What follows a sentence in marked data: nothing where `Config.sentences` is "none"."""
    return _SENTENCE_END if sentences == "lines" else b""


def mark_blocks(
    blocks: Iterable[Block | Slice], split: Split, sentences: str, errors: str
) -> Iterator[Block | Slice]:
    """Tokenise blocks of text in Python, in their order and in the calling thread."""
    end = sentence_end(sentences)
    for source in blocks:
        block = source.read() if isinstance(source, Slice) else source
        data, bad = mend(block, 0, errors)
        lines = data.decode("utf-8").split("\n")
        what = f"the tokenizer, on a line of {block.name},"
        parts = [part for line in lines for part in (marked(split(line), errors, what), end)]
        # The last line goes on in the next block, or `closes` ends it.
        yield replace(block, data=b"".join(parts[:-1]), marked=True, bad=bad)
