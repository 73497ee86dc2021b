"""The command line: one module per verb, a thin skin over the library. Nothing heavy is imported for a help text."""

from w2gm.cli.entry import main

__all__ = ["main"]
