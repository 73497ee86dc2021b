"""`w2gm senses`: the senses of a word, each with its weight, its variance and a label."""

from __future__ import annotations

import click

from w2gm.cli.output import json_option, write_json, write_table
from w2gm.cli.verbs import Verb


@click.command(cls=Verb, examples=["w2gm senses model bank", "w2gm senses model rock --json"])
@click.argument("model", metavar="MODEL")
@click.argument("word", metavar="WORD[:S]")
@json_option
def senses(model: str, word: str, as_json: bool) -> None:
    """Show the senses of a word, or its sense S alone: how much of its use each takes, how wide, what about.

    The label of a sense is made of words near it and far from the word's other senses. The variance of a diagonal
    covariance is the geometric mean over dimensions; "wider than" is the share of narrower senses among those of the
    thousand words nearest in frequency: a hint at how general the sense is.
    """
    from w2gm.model import load
    from w2gm.query.senses import describe_senses

    loaded = load(model)
    found = describe_senses(loaded, word)
    if as_json:
        write_json(found)
        return
    name = loaded[word].word
    rows = [
        (
            f"{name}:{sense['sense']}",
            f"{sense['weight']:.2f}",
            f"{sense['variance']:.4g}",
            f"{sense['log_variance']:.2f}",
            f"{sense['wider_than']:.0%}",
            ", ".join(sense["label"]),
        )
        for sense in found
    ]
    write_table(["sense", "weight", "variance", "log-variance", "wider than", "label"], [rows])
