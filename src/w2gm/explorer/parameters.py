"""What a request asks for, read with its limits: every number has bounds, every text a length."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.datastructures import QueryParams

from w2gm.errors import ConfigError

LONGEST_WORD = 200
LONGEST_TEXT = 2_000
MOST_NEIGHBORS = 200
MOST_WORDS = 200
LARGEST = 2**31 - 1


class Parameters:
    """The parameters of one request; `names` are those that mean something, others and doubles are refused.

    >>> given = Parameters(QueryParams("word=bank&topn=3"), ["word", "topn", "by"])
    >>> given.text("word", LONGEST_WORD), given.number("topn", 10, 0, MOST_NEIGHBORS), given.optional("by")
    ('bank', 3, None)
    """

    def __init__(self, query: QueryParams, names: Iterable[str]) -> None:
        accepted = list(names)
        self._values: dict[str, str] = {}
        for name, value in query.multi_items():
            if name not in accepted:
                raise ConfigError(f"unknown parameter {name!r:.60}; accepted: {', '.join(accepted)}")
            if name in self._values:
                raise ConfigError(f"{name} is given twice: give it once")
            self._values[name] = value

    def text(self, name: str, longest: int) -> str:
        """A text that has to be given, of at most so many characters."""
        if name not in self._values:
            raise ConfigError(f"{name} is missing: write ...?{name}=...")
        return self._checked(name, longest)

    def optional(self, name: str, longest: int = LONGEST_WORD) -> str | None:
        """A text, or None where it is not given or empty."""
        return (self._checked(name, longest) or None) if name in self._values else None

    def number(self, name: str, default: int, lowest: int, highest: int = LARGEST) -> int:
        """A whole number within bounds."""
        value = self.optional_number(name, lowest, highest)
        return default if value is None else value

    def optional_number(self, name: str, lowest: int, highest: int = LARGEST) -> int | None:
        """A whole number within bounds, or None where it is not given or empty."""
        text = self.optional(name, 20)
        return None if text is None else _whole(name, text, lowest, highest)

    def real(self, name: str, default: float) -> float:
        """A number."""
        text = self.optional(name, 40)
        try:
            return default if text is None else float(text)
        except ValueError:
            raise ConfigError(f"{name} must be a number, got {text!r}") from None

    def switch(self, name: str, default: bool) -> bool:
        """True or false, written as 1 or 0."""
        return bool(self.number(name, int(default), 0, 1))

    def numbers(self, name: str, lowest: int, highest: int) -> list[int]:
        """Whole numbers with commas between them, at most `MOST_WORDS`."""
        parts = self.text(name, 20 * MOST_WORDS).split(",")
        if len(parts) > MOST_WORDS:
            raise ConfigError(f"{name} must hold at most {MOST_WORDS} numbers, got {len(parts)}")
        return [_whole(name, part, lowest, highest) for part in parts]

    def _checked(self, name: str, longest: int) -> str:
        value = self._values[name]
        if len(value) > longest:
            raise ConfigError(f"{name} must have at most {longest:,} characters, got {len(value):,}")
        return value


def _whole(name: str, text: str, lowest: int, highest: int) -> int:
    # More digits than this are out of bounds anyway.
    if not (text.isascii() and text.removeprefix("-").isdecimal()) or not lowest <= int(text[:20]) <= highest:
        raise ConfigError(f"{name} must be a whole number from {lowest:,} to {highest:,}, got {text!r}")
    return int(text)
