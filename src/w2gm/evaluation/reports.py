"""A report as tables of marked cells, and how they are written: Markdown, LaTeX; and records as CSV."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

FORMATS = ("table", "csv", "json", "md", "tex")
NOT_AVAILABLE = "n/a"

_TEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip


class Cell(NamedTuple):
    """A figure or a text; the best of its row is bold, the best of its group in the row underlined."""

    text: str
    bold: bool = False
    underlined: bool = False


class Table(NamedTuple):
    """Rows of cells under a header, with a title before and notes after."""

    title: str
    columns: list[str]
    rows: list[list[Cell]]
    notes: list[str]


def figure(value: float | None, digits: int = 2) -> str:
    """A figure as it is printed; None is not available, NaN is not defined.

    >>> figure(73.4567), figure(None), figure(float("nan")), figure(-0.001)
    ('73.46', 'n/a', '-', '0.00')
    """
    if value is None:
        return NOT_AVAILABLE
    return "-" if math.isnan(value) else f"{round(value, digits) + 0.0:.{digits}f}"  # + 0: no minus before a zero


def cells(*values: str | int | float | None, digits: int = 2) -> list[Cell]:
    """Plain cells: texts and whole numbers as they are, other numbers as `figure` writes them.

    >>> [cell.text for cell in cells("WS", 353, 73.456, None)]
    ['WS', '353', '73.46', 'n/a']
    """
    return [Cell(str(value) if isinstance(value, str | int) else figure(value, digits)) for value in values]


def markdown(tables: Sequence[Table]) -> str:
    """Tables as Markdown: `**bold**`, `<u>underlined</u>`.

    >>> print(markdown([Table("", ["set", "mc"], [[Cell("WS"), Cell("73.47", bold=True)]], [])]))
    | set | mc |
    |---|---:|
    | WS | **73.47** |
    """
    parts = []
    for table in tables:
        lines = [f"**{_md(table.title)}**", ""] if table.title else []
        lines.append(f"| {' | '.join(map(_md, table.columns))} |")
        lines.append(f"|{'|'.join('---:' if right else '---' for right in _numeric(table))}|")
        lines += [f"| {' | '.join(map(_md_cell, row))} |" for row in table.rows]
        lines += [f"\n{_md(note)}" for note in table.notes]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def latex(tables: Sequence[Table]) -> str:
    r"""Tables as LaTeX with the rules of booktabs, as in the paper: `\textbf{best}`, `\underline{best of a model}`.

    >>> print(latex([Table("", ["set", "mc"], [[Cell("WS"), Cell("73.47", bold=True)]], [])]))
    \begin{tabular}{lr}
    \toprule
    set & mc \\
    \midrule
    WS & \textbf{73.47} \\
    \bottomrule
    \end{tabular}
    """
    parts = []
    for table in tables:
        lines = [f"% {' '.join(table.title.split())}"] if table.title else []
        lines.append(rf"\begin{{tabular}}{{{''.join('r' if right else 'l' for right in _numeric(table))}}}")
        lines += [r"\toprule", rf"{' & '.join(map(_tex, table.columns))} \\", r"\midrule"]
        lines += [rf"{' & '.join(map(_tex_cell, row))} \\" for row in table.rows]
        lines += [r"\bottomrule", r"\end{tabular}"]
        lines += [f"% {' '.join(note.split())}" for note in table.notes]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def comma_separated(records: Sequence[dict[str, Any]]) -> str:
    """Records as CSV under the names of the first one; None and NaN are empty.

    >>> print(comma_separated([{"set": "WS", "figure": 73.47}, {"set": "SL", "figure": None}]))
    set,figure
    WS,73.47
    SL,
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, list(records[0]) if records else [], lineterminator="\n")
    writer.writeheader()
    for record in records:
        writer.writerow({name: None if value != value else value for name, value in record.items()})
    return text.getvalue().rstrip("\n")


def _numeric(table: Table) -> list[bool]:
    """Which columns hold figures: they stand to the right."""
    return [
        any(_is_figure(row[column].text) for row in table.rows)
        and all(_is_figure(row[column].text) or row[column].text in (NOT_AVAILABLE, "-", "") for row in table.rows)
        for column in range(len(table.columns))
    ]


def _is_figure(text: str) -> bool:
    try:
        float(text.split(" ")[0])
    except ValueError:
        return False
    return True


def _md(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|")


def _md_cell(cell: Cell) -> str:
    text = f"<u>{_md(cell.text)}</u>" if cell.underlined else _md(cell.text)
    return f"**{text}**" if cell.bold else text


def _tex(text: str) -> str:
    return "".join(_TEX.get(char, char) for char in " ".join(text.split()))


def _tex_cell(cell: Cell) -> str:
    text = rf"\underline{{{_tex(cell.text)}}}" if cell.underlined else _tex(cell.text)
    return rf"\textbf{{{text}}}" if cell.bold else text
