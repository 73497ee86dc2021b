"""Words as a figure can show them, whatever their script: in a font that has it, else as escapes."""

from __future__ import annotations

import functools
from typing import Any

from w2gm.plotting.style import BASE_FAMILY

_LONGEST = 40


def worded(text: str) -> dict[str, Any]:
    r"""`text` as it is and nothing but text: the arguments of matplotlib's text functions, but for the place.

    A character that is not printable, or that no font on this machine has, stands as its escape; what is longer than
    40 characters is cut; a dollar starts no formula.

    >>> worded("a\nb $x$")["text"]
    'a\\nb $x$'
    """
    cut = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
    families, shown = [BASE_FAMILY], []
    for character in cut:
        family = family_of(character) if character.isprintable() else None
        if family is None:
            shown.append(character.encode("unicode_escape").decode("ascii"))
        else:
            shown.append(character)
            families.append(family)
    return {"text": "".join(shown), "fontfamily": list(dict.fromkeys(families)), "parse_math": False}


@functools.lru_cache(maxsize=4096)
def family_of(character: str) -> str | None:
    """The family of a font that has the character: the base family if it does, the first by name otherwise."""
    from matplotlib import font_manager

    # Collections (.ttc) and PostScript outlines (.otf) cannot be embedded in a PDF as TrueType.
    fonts = sorted(
        (entry.name != BASE_FAMILY, entry.name, entry.fname)
        for entry in font_manager.fontManager.ttflist
        if entry.fname.endswith(".ttf")
        and (entry.style, entry.weight) == ("normal", 400)
        and not entry.name.startswith("Last Resort")  # it has a box with its block's name for every character
    )
    for _, family, file in fonts:
        if font_manager.get_font(file).get_char_index(ord(character)):
            return family
    return None
