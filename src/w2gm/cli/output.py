"""What leaves the command line: results on standard output, messages on standard error."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TextIO

import click

from w2gm.plain import finite

json_option: Callable[[Any], Any] = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def tolerate_any_text() -> None:
    """Let both streams write any character: what the terminal's encoding lacks appears as an escape."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def say(message: str) -> None:
    """Write one line to standard error, whatever the message holds; nobody there to read it is no failure."""
    with contextlib.suppress(OSError):
        _put(sys.stderr, f"w2gm: {visible(message)}\n")


def write(text: str) -> None:
    """Write a result to standard output at once, so that a full disk is noticed here and not after the end."""
    _put(sys.stdout, text + "\n")


def write_part(text: str) -> None:
    """Write a part of a result to standard output, as it is."""
    _put(sys.stdout, text)


def write_json(value: Any) -> None:
    """Write a result as JSON; not-a-number and infinity, which JSON lacks, become null."""
    write_json_lines([value])


def write_json_lines(values: Iterable[Any]) -> None:
    """Write results as JSON, each on a line of its own, as `write_json` does."""
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "")
    dumped = (json.dumps(finite(value), ensure_ascii=encoding != "utf8", allow_nan=False) for value in values)
    write_part("".join(f"{line}\n" for line in dumped))


class Marked(str):
    """A cell that stands out: bold or underlined on a terminal; in a pipe a star stands before what is bold."""

    bold = False
    underlined = False

    @classmethod
    def of(cls, text: str, bold: bool = False, underlined: bool = False) -> Marked:
        """A cell with its marks.

        >>> Marked.of("73.47", bold=True).plain()
        '*73.47'
        """
        cell = cls(visible(text))
        cell.bold, cell.underlined = bold, underlined
        return cell

    def plain(self) -> str:
        """The cell in a pipe."""
        return f"*{self}" if self.bold else str(self)

    def style(self) -> str:
        """The cell's style on a terminal, as rich calls it."""
        return " ".join(["bold"] * self.bold + ["underline"] * self.underlined)


def write_table(columns: Sequence[str], groups: Iterable[Sequence[Sequence[str]]]) -> None:
    """Write groups of rows under a header: a drawn table on a terminal, aligned text in a pipe or a file.

    Numbers stand to the right. In a pipe no cell is ever shortened.

    >>> write_table(["word", "cosine"], [[["river", "0.83"], ["土手", "0.7"]]])
    word   cosine
    river    0.83
    土手      0.7
    """
    from rich.cells import cell_len

    cells = [
        [[cell if isinstance(cell, Marked) else Marked.of(cell) for cell in row] for row in group] for group in groups
    ]
    rows = [row for group in cells for row in group]
    numeric = [_is_numeric([row[column] for row in rows]) for column in range(len(columns))]
    if sys.stdout is not None and sys.stdout.isatty():
        write(_drawn(columns, cells, numeric))
        return
    lines_of_cells = [list(columns), *([cell.plain() for cell in row] for row in rows)]
    widths = [max(cell_len(row[column]) for row in lines_of_cells) for column in range(len(columns))]
    lines = []
    for row in lines_of_cells:
        padded = []
        for cell, width, right in zip(row, widths, numeric, strict=True):
            blank = " " * (width - cell_len(cell))
            padded.append(blank + cell if right else cell + blank)
        lines.append("  ".join(padded).rstrip())
    write("\n".join(lines))


def shown(value: Any) -> str:
    """A figure as people read it.

    >>> shown(17005207), shown(0.123456), shown(8123456.7), shown("model"), shown(True), shown(None)
    ('17,005,207', '0.1235', '8,123,457', 'model', 'yes', 'none')
    """
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def visible(text: str) -> str:
    r"""`text` on one line: characters that would move the cursor or end the line are written as escapes.

    >>> print(visible("two\nlines"))
    two\nlines
    """
    hidden = {"Cc", "Cs", "Zl", "Zp"}
    return "".join(
        char.encode("unicode_escape").decode("ascii") if unicodedata.category(char) in hidden else char
        for char in text
    )


@contextlib.contextmanager
def bar(name: str, quiet: bool = False) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on standard error, moved by calls of (done, total); None where nobody would see it."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(file=sys.stderr), transient=True) as bars:
        task = bars.add_task(name)
        yield lambda done, total: bars.update(task, completed=done, total=total)


def discard_output() -> None:
    """Send what is still to be written nowhere: otherwise Python complains about it once more while ending."""
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            _put(stream, "")
        except OSError:
            os.dup2(null, stream.fileno())
    os.close(null)


def _put(stream: TextIO | None, text: str) -> None:
    """Write and flush; a stream that was closed before the start (None) takes nothing."""
    if stream is not None:
        stream.write(text)
        stream.flush()


def _drawn(columns: Sequence[str], groups: Sequence[Sequence[Sequence[Marked]]], numeric: Sequence[bool]) -> str:
    """The table as rich draws it; a cell that is too wide is folded, not cut."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name, right in zip(columns, numeric, strict=True):
        table.add_column(name, justify="right" if right else "left", overflow="fold")
    for group in groups:
        for row in group:
            table.add_row(*(Text(cell, style=cell.style()) for cell in row))
        table.add_section()
    console = Console(file=sys.stdout)
    with console.capture() as capture:
        console.print(table)
    return capture.get().strip("\n")


def _is_numeric(column: Sequence[str]) -> bool:
    """Whether a column stands to the right: it holds numbers, and nothing else but the marks of missing ones."""
    numbers = [cell for cell in column if cell not in ("n/a", "-")]
    return bool(numbers) and all(map(_is_number, numbers))


def _is_number(cell: str) -> bool:
    try:
        float(cell.replace(",", ""))
    except ValueError:
        return False
    return True
