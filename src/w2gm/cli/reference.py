"""docs/cli.md, written from the command line itself: `python -m w2gm.cli.reference docs/cli.md`."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

import click

from w2gm.cli.verbs import VERBS, Verb, group

HEAD = """\
# The command line

This page is written by `make docs` from the command line itself; a test fails when it is stale.

Results go to standard output, messages and progress to standard error. `-` is standard input. Names of options are
spelled with hyphens; underscores, as in Python, are accepted too. On a terminal a result is a drawn table, in a pipe
aligned text, with `--json` one line of JSON. Every verb also has `-h`, `--help`.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | a failure: one line on standard error says what, and the way out |
| 2 | a wrong call: an option, a value or an argument that cannot be |
| 130 | stopped by Ctrl-C |
| 141 | whoever read the output went away |

A line that begins with `w2gm: bug:` is a mistake in w2gm; `W2GM_DEBUG=1` in the environment shows its traceback.
"""


def reference() -> str:
    """The whole page, in Markdown: every verb, its arguments, examples and options."""
    root = click.Context(group, info_name="w2gm")
    parts = [HEAD]
    for verb in VERBS:
        command = group.get_command(root, verb)
        assert isinstance(command, Verb)  # noqa: S101
        parts.append(_section(verb, command))
    return "\n".join(parts)


def main() -> None:
    """Write the page to the file named on the command line."""
    Path(sys.argv[1]).write_text(reference(), encoding="utf-8")


def _section(verb: str, command: Verb) -> str:
    """One verb's part of the page: paragraphs with an empty line between them."""
    arguments = [str(item.metavar) for item in command.params if isinstance(item, click.Argument)]
    blocks = [
        f"## w2gm {verb}",
        f"    w2gm {' '.join([verb, *arguments, '[OPTIONS]'])}",
        inspect.cleandoc(command.help or ""),
        "\n".join(f"    {example}" for example in command.examples),
    ]
    for heading, options in command.sections().items():
        if heading != "Options":
            blocks.append(f"### {heading}")
        rows = [_row(option) for option in options if "--help" not in option.opts]
        blocks.append("\n".join(["| option | |", "|---|---|", *rows]))
    return "\n\n".join(blocks) + "\n"


def _row(option: click.Option) -> str:
    """One option as a row of the table; a bar inside a cell is escaped."""
    required = " [required]" if option.required else ""
    spelling, help_text = (cell.replace("|", r"\|") for cell in (_spelling(option), f"{option.help}{required}"))
    return f"| `{spelling}` | {help_text} |"


def _spelling(option: click.Option) -> str:
    """What is typed: `-o, --output MODEL`, `--x/--no-x`."""
    names = ", ".join(option.opts)
    if option.secondary_opts:
        names = f"{names}/{', '.join(option.secondary_opts)}"
    return names if option.is_flag or not option.metavar else f"{names} {option.metavar}"


if __name__ == "__main__":
    main()
