"""`w2gm entails`: whether one word entails another, as aircraft does vehicle."""

from __future__ import annotations

import click

from w2gm.cli.hyperparameters import decimal_number
from w2gm.cli.output import json_option, shown, write_json, write_table
from w2gm.cli.verbs import Verb


@click.command(
    cls=Verb,
    examples=[
        "w2gm entails model aircraft vehicle",
        "w2gm entails model bank:1 institution --level 0.01",
        "w2gm entails model aircraft vehicle --json | jq .direction",
    ],
)
@click.argument("model", metavar="MODEL")
@click.argument("a", metavar="A[:S]")
@click.argument("b", metavar="B[:S]")
@click.option(
    "--level",
    metavar="FLOAT",
    default="0.05",
    help="Share of unrelated pairs of words that may be called an entailment. [above 0, below 1; default: 0.05]",
)
@click.option(
    "--threshold", metavar="FLOAT", help="What a score must exceed. [default: what the level asks of random pairs]"
)
@json_option
def entails(model: str, a: str, b: str, level: str, threshold: str | None, as_json: bool) -> None:
    """Tell whether A entails B (every aircraft is a vehicle), and B entails A.

    The score is minus the smallest Kullback-Leibler divergence of a sense of A from a sense of B. The verdict is yes
    if it exceeds the reverse, and the score of all but a share (the level) of random pairs of words about as
    frequent; chance is the share of those that score as high.
    """
    share = decimal_number("level", level)
    bound = None if threshold is None else decimal_number("threshold", threshold)

    from w2gm.model import load

    loaded = load(model)
    found = loaded.entailment(a, b, level=share, threshold=bound)
    if as_json:
        write_json(
            {
                "score": found.score,
                "reverse": found.reverse,
                "direction": found.direction,
                "entails": found.entails,
                "senses": found.senses,
                "threshold": found.threshold,
                "chance": found.chance,
            }
        )
        return
    rows = [
        (
            f"{one.a} entails {one.b}",
            f"{one.score:.3f}",
            f"{one.threshold:.3f}",
            f"{one.chance:.4f}",
            " in ".join(one.senses),
            shown(one.entails),
        )
        for one in (found, loaded.entailment(b, a, level=share, threshold=bound))
    ]
    write_table(["question", "score", "threshold", "chance", "senses", "verdict"], [rows])
