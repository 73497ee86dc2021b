"""The answers of the JSON API: what the commands of the same names print with --json, and what pages need besides.

Each function takes the shelf of models and the parameters of a request. Nothing is computed here that the library
does not offer: an answer is a call, its arguments read and bounded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from w2gm.errors import ConfigError
from w2gm.explorer.parameters import (
    LONGEST_TEXT,
    LONGEST_WORD,
    MOST_NEIGHBORS,
    Parameters,
)
from w2gm.explorer.shelf import Shelf, Shown
from w2gm.query.disambiguation import explain
from w2gm.query.measures import MEASURES, check_measure, sense_matrix, similarities
from w2gm.query.plane import Plane, principal_plane
from w2gm.query.senses import describe_senses
from w2gm.query.similar import neighbors_by_sense
from w2gm.text.places import finder_of

MOST_COMPLETIONS = 50
MOST_AROUND = 50


class Answer(NamedTuple):
    """How a question is answered: the names of its parameters and the function."""

    names: tuple[str, ...]
    function: Callable[[Shelf, Parameters], Any]


def models(shelf: Shelf, given: Parameters) -> Any:
    """Every model: its name, and what `w2gm info` prints."""
    return [{"name": shown.name, **shown.model.facts()} for shown in shelf]


def complete(shelf: Shelf, given: Parameters) -> Any:
    """Words that begin like the text, or nearly: [{"word", "count", "edits"}, ...]; see `Completion.complete`."""
    shown = _model(shelf, given)
    topn = given.number("topn", 10, 0, MOST_COMPLETIONS)
    names, counts = shown.model.index_to_key, shown.model.counts
    return [
        {"word": names[found.number], "count": int(counts[found.number]), "edits": found.edits}
        for found in shown.completion.complete(given.optional("text") or "", topn)
    ]


def senses(shelf: Shelf, given: Parameters) -> Any:
    """What `w2gm senses` prints."""
    shown = _model(shelf, given)
    return describe_senses(shown.model, _word(shown, given))


def neighbors(shelf: Shelf, given: Parameters) -> Any:
    """What `w2gm neighbors` prints; `sense=1` is another way to write `word=bank:1`."""
    shown = _model(shelf, given)
    word = _word(shown, given)
    sense = given.optional_number("sense", 0)
    return neighbors_by_sense(
        shown.model,
        word if sense is None else shown.checked(f"{word}:{sense}"),
        topn=given.number("topn", 10, 0, MOST_NEIGHBORS),
        by=given.optional("by") or "cosine",
        restrict_vocab=given.optional_number("restrict_vocab", 1),
        min_count=given.optional_number("min_count", 1),
        include_own=given.switch("include_own", False),
        merge_senses=given.switch("merge_senses", True),
    )


def similarity(shelf: Shelf, given: Parameters) -> Any:
    """What `w2gm similarity` prints."""
    shown = _model(shelf, given)
    measure = given.optional("measure")
    a, b = (_word(shown, given, name) for name in "ab")
    return similarities(shown.model, a, b, MEASURES if measure is None else [measure])


def matrix(shelf: Shelf, given: Parameters) -> Any:
    """A measure between every sense of `a` and of `b`: {"measure", "a": keys, "b": keys, "values": rows}."""
    shown = _model(shelf, given)
    measure = check_measure(given.optional("measure") or "mc")
    a, b = (_word(shown, given, name) for name in "ab")
    values = sense_matrix(shown.model, a, b, measure)
    keys = {name: [sense.key for sense in shown.model[word].senses] for name, word in (("a", a), ("b", b))}
    return {"measure": measure, **keys, "values": values.tolist()}


def entails(shelf: Shelf, given: Parameters) -> Any:
    """What `w2gm entails` prints."""
    shown = _model(shelf, given)
    a, b = (_word(shown, given, name) for name in "ab")
    return shown.model.entailment(a, b, level=given.real("level", 0.05)).facts()


def analogy(shelf: Shelf, given: Parameters) -> Any:
    """What `w2gm analogy` prints."""
    shown = _model(shelf, given)
    a, b, c = (_word(shown, given, name) for name in "abc")
    return shown.model.analogy(a, b, c, topn=given.number("topn", 10, 0, MOST_NEIGHBORS))


def disambiguate(shelf: Shelf, given: Parameters) -> Any:
    """What `w2gm disambiguate` prints."""
    shown = _model(shelf, given)
    return explain(shown.model, _word(shown, given), given.text("context", LONGEST_TEXT))


def tokens(shelf: Shelf, given: Parameters) -> Any:
    """The tokens of a text: [{"before", "token", "word"}, ...]; word is None where the model does not know it.

    `before` is what stands between a token and the one before it; what follows the last one is left out.
    """
    model = _model(shelf, given).model
    finder = finder_of(model.config.tokenizer)
    pieces = finder.pieces(given.text("text", LONGEST_TEXT))
    words = [finder.word(token) for token in pieces[1::2]]
    return [
        {"before": before, "token": token, "word": word if word in model.key_to_index else None}
        for before, token, word in zip(pieces[0::2], pieces[1::2], words, strict=False)
    ]


def words(shelf: Shelf, given: Parameters) -> Any:
    """Words by their ids, `ids=0,7`: [{"word", "count"}, ...]."""
    model = _model(shelf, given).model
    ids = given.numbers("ids", 0, len(model) - 1)
    return [{"word": model.index_to_key[number], "count": int(model.counts[number])} for number in ids]


def map_facts(shelf: Shelf, given: Parameters) -> Any:
    """What `/api/points` holds: rows, columns, senses of a word, the share of the variance that each axis shows."""
    shown = _model(shelf, given)
    return {
        "rows": len(shown.model) * shown.model.senses,
        "columns": ["x", "y", "log_variance", "log_count"],
        "senses": shown.model.senses,
        "shares": shown.plane.shares,
    }


def points(shelf: Shelf, given: Parameters) -> bytes:
    """All components on the map, little-endian float32; see `Shown.points`."""
    return _model(shelf, given).points


def ellipses(shelf: Shelf, given: Parameters) -> Any:
    """The components of a word on the map: [{"word", "id", "sense", "weight", "mean", "covariance"}, ...]."""
    shown = _model(shelf, given)
    return _projected(shown, shown.plane, [shown.model.locate(_word(shown, given))[0]])


def neighborhood(shelf: Shelf, given: Parameters) -> Any:
    """A word and the words nearest to its senses on a plane of their own; as `ellipses`, with the plane's shares.

    The plane is that of the first two principal components of these words' senses alone.
    """
    shown = _model(shelf, given)
    model = shown.model
    word = _word(shown, given)
    near = neighbors_by_sense(
        model,
        word,
        topn=given.number("topn", 12, 1, MOST_AROUND),
        min_count=given.optional_number("min_count", 1),
    )
    rows = {(model.locate(word)[0], sense): None for sense in range(model.senses)}
    rows |= {(model.key_to_index[name], sense): None for entry in near for name, sense, _ in entry["neighbors"]}
    chosen = np.array(list(rows))
    plane = principal_plane([model.means[chosen[:, 0], chosen[:, 1]]])
    numbers = list(dict.fromkeys(chosen[:, 0].tolist()))
    shapes = _projected(shown, plane, numbers)
    return {
        "shares": plane.shares,
        "components": [shape for shape in shapes if (shape["id"], shape["sense"]) in rows],
    }


def _projected(shown: Shown, plane: Plane, numbers: list[int]) -> list[dict[str, Any]]:
    """The components of words, given by id, on a plane."""
    model = shown.model
    found = []
    for number in numbers:
        variances = np.exp(model.log_variances[number].astype(np.float64)).reshape(model.senses, -1)
        means = plane.points(model.means[number]).tolist()
        covariances = plane.covariances(variances).tolist()
        found += [
            {
                "word": model.index_to_key[number],
                "id": number,
                "sense": sense,
                "weight": float(model.weights[number, sense]),
                "mean": means[sense],
                "covariance": covariances[sense],
            }
            for sense in range(model.senses)
        ]
    return found


def _model(shelf: Shelf, given: Parameters) -> Shown:
    return shelf.named(given.optional("model"))


def _word(shown: Shown, given: Parameters, name: str = "word") -> str:
    text = given.text(name, LONGEST_WORD)
    if not text:
        raise ConfigError(f"{name} is empty: give a word, or a sense such as bank:1")
    return shown.checked(text)


ANSWERS = {
    "models": Answer((), models),
    "complete": Answer(("model", "text", "topn"), complete),
    "senses": Answer(("model", "word"), senses),
    "neighbors": Answer(
        ("model", "word", "sense", "topn", "by", "restrict_vocab", "min_count", "include_own", "merge_senses"),
        neighbors,
    ),
    "similarity": Answer(("model", "a", "b", "measure"), similarity),
    "sense-matrix": Answer(("model", "a", "b", "measure"), matrix),
    "entails": Answer(("model", "a", "b", "level"), entails),
    "analogy": Answer(("model", "a", "b", "c", "topn"), analogy),
    "disambiguate": Answer(("model", "word", "context"), disambiguate),
    "tokens": Answer(("model", "text"), tokens),
    "words": Answer(("model", "ids"), words),
    "map": Answer(("model",), map_facts),
    "points": Answer(("model",), points),
    "ellipses": Answer(("model", "word"), ellipses),
    "neighborhood": Answer(("model", "word", "topn", "min_count"), neighborhood),
}
