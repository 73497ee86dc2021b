"""The demo's answer as a table like the paper's Table 1: words, senses, weights, neighbours, topics found."""

from __future__ import annotations

import io
import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from w2gm.demo.recovery import Component

if TYPE_CHECKING:
    from rich.table import Table

    from w2gm.demo.experiment import DemoResult

# Ten decide (see recovery), six are shown: they fit beside the other columns.
NEIGHBORS_SHOWN = 6


def table(result: DemoResult, width: int = 100) -> str:
    """The table of the senses found and the score below it, as plain text of at most `width` columns.

    Components that belong to no topic are counted, not shown: every word has some to spare.
    """
    from rich.console import Console

    console = Console(file=io.StringIO(), width=width, color_system=None)
    with console.capture() as capture:
        console.print(senses_table([row for row in result.rows if row.topic is not None]))
    lines = [line.rstrip() for line in capture.get().rstrip().splitlines()]
    found = result.planted - len(result.missed)
    lines += ["", f"{found} of {result.planted} planted senses recovered ({result.recovered:.1%})"]
    spare = sum(row.topic is None for row in result.rows)
    lines.append(f"{spare} of {len(result.rows)} components belong to no topic and are not shown")
    if result.missed:
        lines.append("missed: " + ", ".join(f"{word} ({topic})" for word, topic in result.missed))
    lines.append(f"{result.seconds:.0f} s; the model is in {result.model_path}")
    return "\n".join(lines)


def senses_table(rows: Sequence[Component]) -> Table:
    """A rich table, one row for each component, grouped by word; "*" marks the planted topics found."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    # Only the header is ruled, in characters that every terminal and file has.
    ruled = box.Box("    \n    \n -- \n    \n    \n    \n    \n    \n", ascii=True)
    drawn = Table(box=ruled, pad_edge=False, show_edge=False)
    drawn.add_column("sense", no_wrap=True)
    drawn.add_column("weight", justify="right", no_wrap=True)
    drawn.add_column("topic found", no_wrap=True)
    drawn.add_column("nearest neighbours", overflow="fold")
    for _, components in itertools.groupby(rows, key=lambda row: row.word):
        for row in components:
            topic = f"{'*' if row.planted else ' '} {row.topic or '-'}"
            neighbors = " ".join(row.neighbors[:NEIGHBORS_SHOWN])
            cells = (f"{row.word}:{row.sense}", f"{row.weight:.2f}", topic, neighbors)
            drawn.add_row(*map(Text, cells))
        drawn.add_section()
    return drawn
