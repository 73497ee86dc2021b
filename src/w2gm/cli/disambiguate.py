"""`w2gm disambiguate`: which sense of a word is meant in a context, and which words decided."""

from __future__ import annotations

import click

from w2gm.cli.output import json_option, say, write_json, write_table
from w2gm.cli.verbs import Verb

DECIDING = 5


@click.command(
    cls=Verb,
    examples=[
        'w2gm disambiguate model bank --context "the river burst over its bank"',
        'w2gm disambiguate model bank --context "a loan from the bank" --json',
    ],
)
@click.argument("model", metavar="MODEL")
@click.argument("word", metavar="WORD")
@click.option("--context", metavar="TEXT", required=True, help="The words around it.")
@json_option
def disambiguate(model: str, word: str, context: str, as_json: bool) -> None:
    """Show how probable each sense of a word is in a context, and the words of the context that decided.

    Evidence is what a word of the context adds to the log-odds of a sense against the others. The word itself is no
    evidence, and words that the model does not know are passed over.
    """
    from w2gm.model import load
    from w2gm.query.disambiguation import explain

    answer = explain(load(model), word, context)
    if as_json:
        write_json(answer)
        return
    rows = []
    for sense, (probability, label) in enumerate(zip(answer["senses"], answer["labels"], strict=True)):
        spoke = [(entry["log_odds"][sense], entry["word"]) for entry in answer["context"]]
        best = [f"{name} {odds:+.2f}" for odds, name in spoke if round(odds, 2) > 0][:DECIDING]
        rows.append((f"{answer['word']}:{sense}", f"{probability:.3f}", ", ".join(label), ", ".join(best)))
    write_table(["sense", "probability", "label", "evidence"], [rows])
    if answer["unknown"]:
        say(f"passed over, not in the model: {', '.join(answer['unknown'])}")
