"""`w2gm info`: what a model is, and how it was made."""

from __future__ import annotations

from typing import Any

import click

from w2gm.cli.output import json_option, shown, write_json, write_table
from w2gm.cli.verbs import Verb


@click.command(cls=Verb, examples=["w2gm info model", "w2gm info model --json | jq .provenance"])
@click.argument("model", metavar="MODEL")
@json_option
def info(model: str, as_json: bool) -> None:
    """Show what a model is and how it was made: its size, its hyperparameters, its text, its training."""
    from w2gm.model import load

    loaded = load(model)
    facts = loaded.facts()
    if as_json:
        write_json(facts)
    else:
        write_table(["fact", "value"], [_rows(facts)])


def _rows(facts: dict[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    """Nested facts as rows: the name of an inner one follows that of the outer one after a dot."""
    rows: list[tuple[str, str]] = []
    for name, value in facts.items():
        if prefix + name == "provenance.history":  # hundreds of figures: `w2gm plot --figure training` draws them
            continue
        if isinstance(value, dict):
            rows += _rows(value, f"{prefix}{name}.")
        else:
            rows.append((prefix + name, shown(value)))
    return rows
