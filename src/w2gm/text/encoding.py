"""Bytes that are not UTF-8: refused, replaced or ignored, exactly as Python's own codec does."""

from __future__ import annotations

from w2gm.errors import EncodingError
from w2gm.text.blocks import Block


def mend(block: Block, start: int, errors: str) -> tuple[bytes, int]:
    r"""`block.data[start:]` as valid UTF-8, and how many invalid sequences were replaced or ignored.

    With `errors` "strict" the first of them raises `EncodingError`.

    >>> mend(Block("x.txt", 0, b"caf\xe9 au lait"), 0, "ignore")
    (b'caf au lait', 1)
    """
    data = block.data[start:]
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        if errors == "strict":
            position = start + error.start
            raise EncodingError(
                f"{block.name}, line {block.line_at(position)}, byte {block.offset + position}: "
                f"0x{block.data[position]:02x} is not UTF-8 ({error.reason}): convert the text, "
                "or use encoding_errors 'replace' or 'ignore' (--encoding-errors)"
            ) from None
    else:
        return data, 0
    replaced = data.decode("utf-8", "replace")
    # Those that were in the text before are not errors; no other bytes make this sequence.
    bad = replaced.count("\ufffd") - data.count("\ufffd".encode())
    text = replaced if errors == "replace" else data.decode("utf-8", "ignore")
    return text.encode("utf-8"), bad
