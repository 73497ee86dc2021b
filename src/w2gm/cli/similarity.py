"""`w2gm similarity`: how alike two words or senses are, by every measure."""

from __future__ import annotations

import click

from w2gm.cli.output import json_option, write_json, write_table
from w2gm.cli.verbs import Verb


@click.command(
    cls=Verb,
    examples=[
        "w2gm similarity model bank river",
        "w2gm similarity model bank:1 river --measure mc",
        "w2gm similarity model aircraft vehicle --json | jq .kl",
    ],
)
@click.argument("model", metavar="MODEL")
@click.argument("a", metavar="A[:S]")
@click.argument("b", metavar="B[:S]")
@click.option(
    "--measure",
    metavar="NAME",
    help="One measure alone: mc, el, el-paper, me, kl, avesim, w2 or js. [default: all of them]",
)
@json_option
def similarity(model: str, a: str, b: str, measure: str | None, as_json: bool) -> None:
    """Compare two words, or senses of them; every measure rises with similarity.

    mc is the best cosine over the pairs of senses and avesim their weighted mean; el is the logarithm of the expected
    likelihood, el-paper the same as the paper's tables have it; me, kl and w2 are minus the smallest distance,
    Kullback-Leibler divergence and Wasserstein distance over the pairs of senses, js is minus the Jensen-Shannon
    divergence of the words. kl is high when A is the narrower word, kl-reverse when B is.
    """
    from w2gm.model import load
    from w2gm.query.measures import MEASURES, similarities

    values = similarities(load(model), a, b, MEASURES if measure is None else [measure])
    if as_json:
        write_json(values)
        return
    write_table(["measure", "similarity"], [[(name, f"{value:.4f}") for name, value in values.items()]])
