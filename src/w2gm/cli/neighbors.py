"""`w2gm neighbors`: the nearest senses of each sense of a word, or of a sum of words and vectors."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from w2gm.cli.hyperparameters import whole_number
from w2gm.cli.output import json_option, write_json, write_table
from w2gm.cli.verbs import Verb
from w2gm.errors import ConfigError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from w2gm.model import Model
    from w2gm.query.questions import Term

# What the column of scores is called: all are the higher the nearer.
COLUMNS = {"cosine": "cosine", "kernel": "log kernel", "distance": "-distance", "kl": "-kl", "kl-reverse": "-kl"}


@click.command(
    cls=Verb,
    examples=[
        "w2gm neighbors model bank",
        "w2gm neighbors model bank:1 --topn 3 --restrict-vocab 20000",
        "w2gm neighbors model aircraft --by kl --min-count 100",
        "w2gm neighbors model --positive king --positive woman --negative man",
        "w2gm neighbors model bank --json | jq '.[0].neighbors'",
    ],
)
@click.argument("model", metavar="MODEL")
@click.argument("words", metavar="[WORD[:S]]...", nargs=-1)
@click.option(
    "--positive",
    metavar="TERM",
    multiple=True,
    help="Instead of WORD: a word, a sense, or a file of numbers @FILE (@- is standard input), to be added; "
    "FACTOR*TERM puts a factor in place of 1. May be given several times. One alone asks about the whole word.",
)
@click.option(
    "--negative", metavar="TERM", multiple=True, help="The same, to be taken away; a FACTOR stands in place of -1."
)
@click.option(
    "--by",
    metavar="|".join(COLUMNS),
    default="cosine",
    help="What is compared: cosine or distance of the means; kernel, the expected likelihood; kl, which finds what "
    "contains the word; kl-reverse, what the word contains. [default: cosine]",
)
@click.option(
    "--topn", metavar="INT", default="10", help="Neighbors of each sense, at most. [at least 0; default: 10]"
)
@click.option(
    "--restrict-vocab",
    metavar="INT",
    help="Look only among this many words, the most frequent ones. [at least 1; default: all of them]",
)
@click.option(
    "--min-count",
    metavar="INT",
    help="Look only among words that occur so often in the training text. [at least 1; default: all of them]",
)
@click.option("--include-own", is_flag=True, help="Let the word's other senses answer too.")
@click.option(
    "--merge-senses/--no-merge-senses",
    default=True,
    help="A word answers once, with its best sense; otherwise each of its senses does. [default: merge-senses]",
)
@click.option("--index", is_flag=True, help="Ask the approximate index that `w2gm index` made.")
@json_option
def neighbors(
    model: str,
    words: tuple[str, ...],
    positive: tuple[str, ...],
    negative: tuple[str, ...],
    topn: str,
    restrict_vocab: str | None,
    min_count: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """List the nearest senses of each sense of a word, or of its sense S alone.

    Every score is the higher the nearer: the cosine, the logarithm of the kernel, minus a distance or divergence.
    Several words are answered one after the other; as JSON, several are a list of {"word", "senses"}, and a sum is
    {"neighbors"}.
    """
    options["topn"] = whole_number("topn", topn)
    if restrict_vocab is not None:
        options["restrict_vocab"] = whole_number("restrict_vocab", restrict_vocab)
    if min_count is not None:
        options["min_count"] = whole_number("min_count", min_count)
    if words and (positive or negative):
        raise ConfigError("give either words, or --positive and --negative, not both")
    if not (words or positive or negative):
        raise ConfigError("nothing to compare with: give a word, --positive or --negative")

    from w2gm.model import load

    loaded = load(model)
    if words:
        _print_senses(loaded, words, options, as_json)
        return
    answer = loaded.most_similar(
        positive=[_term(loaded, text) for text in positive],
        negative=[_term(loaded, text) for text in negative],
        **options,
    )
    if as_json:
        write_json({"neighbors": answer})
        return
    rows = [(f"{near}:{sense}", f"{score:.3f}") for near, sense, score in answer]
    write_table(["neighbor", COLUMNS[options["by"]]], [rows])


def _print_senses(model: Model, words: Sequence[str], options: dict[str, Any], as_json: bool) -> None:
    from w2gm.query.similar import neighbors_by_sense_batch

    answers = neighbors_by_sense_batch(model, words, **options)
    if as_json:
        several = [{"word": word, "senses": answer} for word, answer in zip(words, answers, strict=True)]
        write_json(several if len(words) > 1 else answers[0])
        return
    groups = [
        [
            (f"{model[word].word}:{entry['sense']}", f"{entry['weight']:.2f}", f"{near}:{sense}", f"{score:.3f}")
            for near, sense, score in entry["neighbors"]
        ]
        for word, answer in zip(words, answers, strict=True)
        for entry in answer
    ]
    write_table(["sense", "weight", "neighbor", COLUMNS[options["by"]]], groups)


def _term(model: Model, text: str) -> Term:
    """A word, a sense or "@FILE", each with or without a factor; what is a word as it stands is that word."""
    if text in model:
        return text
    factor, star, rest = text.partition("*")
    if star:
        try:
            return _vector_or_word(rest), float(factor)
        except ValueError:
            pass
    return _vector_or_word(text)


def _vector_or_word(text: str) -> str | npt.NDArray[np.float64]:
    """The numbers in a file, separated by blanks, commas or brackets; anything but "@FILE" is a word."""
    if not text.startswith("@"):
        return text
    import numpy as np

    name = text[1:]
    try:
        content = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigError(f"cannot read the vector {name}: {reason}: give a file of numbers") from None
    cells = content.translate(str.maketrans(",[];", "    ")).split()
    try:
        return np.array([float(cell) for cell in cells])
    except ValueError as error:
        raise ConfigError(f"{name} is not a vector: {error}: give numbers separated by blanks or commas") from None
