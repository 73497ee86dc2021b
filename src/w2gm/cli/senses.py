"""`w2gm senses`: the senses of a word, each with its weight, its variance and a label."""

from __future__ import annotations

import click

from w2gm.cli.output import json_option, write_json, write_table
from w2gm.cli.verbs import Verb

LABEL_WORDS = 4


@click.command(cls=Verb, examples=["w2gm senses model bank", "w2gm senses model rock --json"])
@click.argument("model", metavar="MODEL")
@click.argument("word", metavar="WORD[:S]")
@json_option
def senses(model: str, word: str, as_json: bool) -> None:
    """Show the senses of a word, or its sense S alone: how much of its use each takes, how wide, what about.

    The label of a sense is its nearest neighbors. The variance of a diagonal covariance is the geometric mean over
    dimensions.
    """
    from w2gm.model import load
    from w2gm.query.similar import neighbors_by_sense

    loaded = load(model)
    found = [
        {
            "sense": entry["sense"],
            "weight": entry["weight"],
            "variance": entry["variance"],
            "label": [near for near, _, _ in entry["neighbors"]],
        }
        for entry in neighbors_by_sense(loaded, word, topn=LABEL_WORDS)
    ]
    if as_json:
        write_json(found)
        return
    name = loaded[word].word
    rows = [
        (
            f"{name}:{sense['sense']}",
            f"{sense['weight']:.2f}",
            f"{sense['variance']:.4g}",
            ", ".join(sense["label"]),
        )
        for sense in found
    ]
    write_table(["sense", "weight", "variance", "label"], [rows])
