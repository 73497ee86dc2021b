"""Values as JSON has them: what is not a finite number becomes null."""

from __future__ import annotations

from typing import Any


def finite(value: Any) -> Any:
    """`value` with None in place of not-a-number and the infinities, inside dicts, lists and tuples too.

    >>> finite({"scores": [1.0, float("-inf")], "word": "bank"})
    {'scores': [1.0, None], 'word': 'bank'}
    """
    if isinstance(value, float):
        return value if abs(value) < float("inf") else None
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    return value
