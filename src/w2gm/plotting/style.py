"""The look of every figure, and the door to matplotlib: nothing of it is loaded before a figure is drawn."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ParamSpec

from w2gm.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Arguments = ParamSpec("Arguments")

# Okabe and Ito's colours that are told apart by all kinds of colour vision; without their yellow, too pale for lines.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
# Once the colours are used up they come again with another line.
LINES = ("-", "--", ":", "-.")
GREY, DARK = "#767676", "#333333"

BASE_FAMILY = "DejaVu Sans"  # comes with matplotlib, hence the same figure on every machine

_SETTINGS: dict[str, Any] = {
    "font.family": [BASE_FAMILY],
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.labelsize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.edgecolor": DARK,
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.6,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    "legend.frameon": False,
    # Fonts are embedded as TrueType: journals refuse Type 3, and text stays text.
    "pdf.fonttype": 42,
    # Names inside the file are drawn from this, not at random: the same figure is the same file.
    "svg.hashsalt": "w2gm",
}
# matplotlib keeps one table of settings for the whole process.
_ONE_AT_A_TIME = threading.RLock()


@contextlib.contextmanager
def style() -> Iterator[None]:
    """Let matplotlib work with our settings and nobody else's, for the time of a with-block, one thread at a time.

    Without matplotlib: `MissingExtraError`.
    """
    try:
        import matplotlib
    except ImportError:
        raise MissingExtraError('figures need matplotlib: pip install "w2gm[plot]"') from None
    defaults: dict[Any, Any] = {
        name: value for name, value in matplotlib.rcParamsDefault.items() if not name.startswith(("backend", "_"))
    }
    with _ONE_AT_A_TIME, matplotlib.rc_context(defaults | _SETTINGS):
        yield


def drawn(function: Callable[Arguments, Figure]) -> Callable[Arguments, Figure]:
    """`function` with our settings in force while it draws."""

    @functools.wraps(function)
    def styled(*arguments: Arguments.args, **options: Arguments.kwargs) -> Figure:
        with style():
            return function(*arguments, **options)

    return styled


def ink(colour: str) -> tuple[float, float, float]:
    """A darker shade of a colour, for text: small letters need more contrast than areas."""
    from matplotlib.colors import to_rgb

    red, green, blue = (0.65 * part for part in to_rgb(colour))
    return red, green, blue


def look(number: int) -> tuple[str, str]:
    """(colour, line) of the `number`th thing in a figure.

    >>> look(0), look(7)
    (('#0072B2', '-'), ('#0072B2', '--'))
    """
    turn, colour = divmod(number, len(COLOURS))
    return COLOURS[colour], LINES[turn % len(LINES)]
