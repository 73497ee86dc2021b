"""`w2gm tag`: text with the sense of each word that has several."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import click

from w2gm.cli.hyperparameters import real_number, whole_number
from w2gm.cli.output import write_json_lines, write_part
from w2gm.cli.verbs import Verb

if TYPE_CHECKING:
    from w2gm.query.tagging import Tagged


@click.command(
    cls=Verb,
    examples=[
        "w2gm tag model < corpus.txt > tagged.txt",
        "w2gm tag model news/*.gz --threshold 0.8 > tagged.txt",
        "echo 'the river bank' | w2gm tag model --json",
    ],
)
@click.argument("model", metavar="MODEL")
@click.argument("files", metavar="[FILE...]", nargs=-1)
@click.option(
    "--window", metavar="INT", help="Words on each side that decide. [at least 1; default: as the model was trained]"
)
@click.option(
    "--all", "every_word", is_flag=True, help="Tag all words of the model, not only those with several senses."
)
@click.option(
    "--threshold", metavar="NUM", default="0", help="Leave out less probable senses. [from 0 to 1; default: 0]"
)
@click.option("--json", "as_json", is_flag=True, help="Print a line of JSON for each tagged word, not the text.")
def tag(
    model: str, files: tuple[str, ...], window: str | None, every_word: bool, threshold: str, as_json: bool
) -> None:
    """Write text with the sense of each word that has more than one real sense: river bank -> river bank:0.

    Files, or standard input, compressed or not, are read as a stream; everything between and in words stays as it
    is. Words are found as in training. A word has more than one real sense if two of its senses are less alike than
    the words of one field are in this model, and neither is negligible.
    """
    reach = None if window is None else whole_number("window", window)
    least = real_number("threshold", threshold)

    from w2gm.model import load
    from w2gm.query.tagging import Tagger
    from w2gm.text.streams import opened

    loaded = load(model)
    tagger = Tagger(loaded, window=reach, every_word=every_word, threshold=least)
    for name in files or ("-",):
        line = 1
        for part in tagger.tag(opened(name, tagger.finder.cutter, loaded.config.encoding_errors)):
            if as_json:
                lines = list(itertools.accumulate((gap.count("\n") for gap in part.pieces[::2]), initial=line))[1:]
                write_json_lines(_entries(part, loaded.index_to_key, lines))
                line = lines[-1]
            else:
                write_part(part.text())


def _entries(part: Tagged, words: list[str], lines: list[int]) -> list[dict[str, Any]]:
    """What is known of each tagged word of a stretch of text, given the line of each of its tokens."""
    tagged = [place for place, sense in enumerate(part.senses.tolist()) if sense >= 0]
    return [
        {
            "line": lines[place],
            "token": part.pieces[2 * place + 1],
            "word": words[part.words[place]],
            "sense": int(part.senses[place]),
            "probability": float(part.probabilities[place]),
        }
        for place in tagged
    ]
