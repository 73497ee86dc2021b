"""`w2gm analogy`: the words that are to C as B is to A."""

from __future__ import annotations

import click

from w2gm.cli.hyperparameters import whole_number
from w2gm.cli.output import json_option, write_json, write_table
from w2gm.cli.verbs import Verb


@click.command(
    cls=Verb,
    examples=[
        "w2gm analogy model france paris germany",
        "w2gm analogy model man king woman --method mul --answers words --topn 3",
        "w2gm analogy model river bank:1 money --json | jq '.[0]'",
    ],
)
@click.argument("model", metavar="MODEL")
@click.argument("a", metavar="A[:S]")
@click.argument("b", metavar="B[:S]")
@click.argument("c", metavar="C[:S]")
@click.option(
    "--method",
    metavar="add|mul",
    default="add",
    help="3CosAdd: a sum of cosines; 3CosMul: a product and a quotient of them. [default: add]",
)
@click.option(
    "--answers",
    metavar="senses|words",
    default="senses",
    help="A word answers with its best sense, or with the mean of its whole mixture. [default: senses]",
)
@click.option("--topn", metavar="INT", default="10", help="Answers, at most. [at least 0; default: 10]")
@click.option(
    "--restrict-vocab",
    metavar="INT",
    help="Look only among this many words, the most frequent ones. [at least 1; default: all of them]",
)
@json_option
def analogy(
    model: str,
    a: str,
    b: str,
    c: str,
    method: str,
    answers: str,
    topn: str,
    restrict_vocab: str | None,
    as_json: bool,
) -> None:
    """Answer "A is to B as C is to ...": France is to Paris as Germany is to Berlin.

    A word of the question counts as the mean of its whole mixture, or as its sense S alone; it is never an answer.
    """
    count = whole_number("topn", topn)
    limit = None if restrict_vocab is None else whole_number("restrict_vocab", restrict_vocab)

    from w2gm.model import load

    found = load(model).analogy(a, b, c, topn=count, method=method, answers=answers, restrict_vocab=limit)
    if as_json:
        write_json(found)
        return
    rows = [(word if sense is None else f"{word}:{sense}", f"{score:.3f}") for word, sense, score in found]
    write_table(["answer", "score"], [rows])
