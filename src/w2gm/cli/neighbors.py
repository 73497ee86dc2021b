"""`w2gm neighbors`: the nearest senses of each sense of a word."""

from __future__ import annotations

import click

from w2gm.cli.hyperparameters import whole_number
from w2gm.cli.output import json_option, write_json, write_table
from w2gm.cli.verbs import Verb


@click.command(
    cls=Verb,
    examples=[
        "w2gm neighbors model bank",
        "w2gm neighbors model bank:1 --topn 3 --restrict-vocab 20000",
        "w2gm neighbors model bank --json | jq '.[0].neighbors'",
    ],
)
@click.argument("model", metavar="MODEL")
@click.argument("word", metavar="WORD[:S]")
@click.option(
    "--topn", metavar="INT", default="10", help="Neighbors of each sense, at most. [at least 0; default: 10]"
)
@click.option(
    "--restrict-vocab",
    metavar="INT",
    help="Look only among this many words, the most frequent ones. [at least 1; default: all of them]",
)
@click.option("--include-own", is_flag=True, help="Let the word's other senses answer too.")
@click.option(
    "--merge-senses/--no-merge-senses",
    default=True,
    help="A word answers once, with its best sense; otherwise each of its senses does. [default: merge-senses]",
)
@json_option
def neighbors(
    model: str,
    word: str,
    topn: str,
    restrict_vocab: str | None,
    include_own: bool,
    merge_senses: bool,
    as_json: bool,
) -> None:
    """List the nearest senses of each sense of a word, or of its sense S alone, by the cosine of their means."""
    count = whole_number("topn", topn)
    limit = None if restrict_vocab is None else whole_number("restrict_vocab", restrict_vocab)

    from w2gm.model import load
    from w2gm.query.similar import neighbors_by_sense

    loaded = load(model)
    answer = neighbors_by_sense(
        loaded, word, topn=count, restrict_vocab=limit, include_own=include_own, merge_senses=merge_senses
    )
    if as_json:
        write_json(answer)
        return
    name = loaded[word].word
    groups = [
        [
            (f"{name}:{entry['sense']}", f"{entry['weight']:.2f}", f"{near}:{sense}", f"{cosine:.3f}")
            for near, sense, cosine in entry["neighbors"]
        ]
        for entry in answer
    ]
    write_table(["sense", "weight", "neighbor", "cosine"], groups)
