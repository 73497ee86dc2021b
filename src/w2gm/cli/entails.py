"""`w2gm entails`: whether one word entails another, as aircraft does vehicle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from w2gm.cli.hyperparameters import real_number
from w2gm.cli.output import json_option, say, shown, write_json, write_table
from w2gm.cli.verbs import Verb
from w2gm.errors import ConfigError, TextError

if TYPE_CHECKING:
    from w2gm.model import Model


@click.command(
    cls=Verb,
    examples=[
        "w2gm entails model aircraft vehicle",
        "w2gm entails model bank:1 institution --level 0.01",
        "w2gm entails model aircraft vehicle --json | jq .direction",
        "w2gm entails model aircraft vehicle --labelled pairs.tsv",
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
@click.option(
    "--labelled",
    metavar="FILE",
    help="Use the threshold that is right for most of these pairs: lines of two words and 1 (entails) or 0 (not).",
)
@json_option
def entails(
    model: str, a: str, b: str, level: str, threshold: str | None, labelled: str | None, as_json: bool
) -> None:
    """Tell whether A entails B (every aircraft is a vehicle), and B entails A.

    The score is minus the smallest Kullback-Leibler divergence of a sense of A from a sense of B. The verdict is yes
    if it exceeds the reverse, and the score of all but a share (the level) of random pairs of words about as
    frequent; chance is the share of those that score as high.
    """
    share = real_number("level", level)
    bound = None if threshold is None else real_number("threshold", threshold)
    if labelled is not None and bound is not None:
        raise ConfigError("give either --threshold or --labelled, not both: labelled pairs choose a threshold")

    from w2gm.model import load

    loaded = load(model)
    calibration = {} if labelled is None else _calibrated(loaded, labelled)
    bound = calibration.get("threshold", bound)
    found = loaded.entailment(a, b, level=share, threshold=bound)
    if as_json:
        write_json({**found.facts(), **({"calibration": calibration} if calibration else {})})
        return
    if calibration:
        say(
            "{found} of {pairs} labelled pairs are known; the threshold is right for {accuracy:.1%}".format(
                **calibration
            )
        )
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


def _calibrated(model: Model, file: str) -> dict[str, Any]:
    """The best threshold for the pairs of a file whose words the model knows, and how many these are."""
    from w2gm.query.entailment import calibrate

    pairs = _labelled_pairs(file)
    known = [(a, b, label) for a, b, label in pairs if a in model and b in model]
    chosen = calibrate(model, [(a, b) for a, b, _ in known], [label for _, _, label in known])
    return {"pairs": len(pairs), "found": len(known), **chosen._asdict()}


def _labelled_pairs(file: str) -> list[tuple[str, str, bool]]:
    """Lines of two words and 1 or 0; empty ones are passed over, any other raises `TextError` with its number."""
    with click.open_file(file, encoding="utf-8-sig") as lines:
        try:
            numbered = list(enumerate(lines, start=1))
        except UnicodeDecodeError as error:
            raise TextError(f"{file} is not UTF-8 (byte {error.start}): save it as UTF-8") from None
    pairs = []
    for number, line in numbered:
        parts = line.split()
        if not parts:
            continue
        if len(parts) != 3 or parts[2] not in ("0", "1"):
            raise TextError(f"{file}, line {number}: two words and 1 or 0 are needed, got {line.strip()!r}")
        pairs.append((parts[0], parts[1], parts[2] == "1"))
    return pairs
