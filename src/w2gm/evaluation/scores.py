"""What a model says of each item of a test set: one value an item, and which items it knows.

Every item has a value, by the paper's rule for unknown words: an unknown word is scored as the model's own unknown
word (`UNK`). A model that has none knows nothing of the word, and says nothing of the pair: its score is the median
of the pairs it knows, which neither helps nor harms it, whatever the measure. Two unknown words are one word to both
kinds of model: without `UNK` they get the highest score, that of a word with itself where the measure has one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from w2gm.errors import ConfigError
from w2gm.evaluation.datasets import Analogies, Dataset, Entailment, Pairs
from w2gm.evaluation.incontext import IN_CONTEXT, similarities_in_context
from w2gm.evaluation.lookup import Ids, Lookup
from w2gm.interop.word2vec import has_variances
from w2gm.query.analogy import solve
from w2gm.query.measures import MEASURES, measure_pairs

if TYPE_CHECKING:
    from w2gm.model import Model

Doubles = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

ENTAILMENT = ("cos", "kl", "kl-reverse")
ANALOGIES = ("3CosAdd", "3CosMul")
_METHODS = dict(zip(ANALOGIES, ("add", "mul"), strict=True))
WITHOUT_VARIANCES = ("mc", "me", "avesim", "cos", *IN_CONTEXT, *ANALOGIES)
# The score of a word with itself, where it does not depend on the word.
_OF_THE_SAME = dict.fromkeys(("mc", "avesim", "cos", *IN_CONTEXT), 1.0)
_OF_THE_SAME |= dict.fromkeys(("me", "kl", "kl-reverse", "w2", "js"), 0.0)


class Scores(NamedTuple):
    """found (N,): the model knows all words of the item. values: {name: (N,) float64, or None: not available}."""

    found: Bools
    values: dict[str, Doubles | None]


def score(model: Model, dataset: Dataset, measure: str = "mc", case: str = "fallback") -> Doubles:
    """One value per item, (N,) float64, by one of `scores_of(dataset)`.

    That is: of pairs a measure of the words, in context one of `IN_CONTEXT` too; of an entailment set one of
    `ENTAILMENT` ("kl-reverse" has the words exchanged); of analogies 1 or 0, right or wrong. It may be NaN only
    where the model is, or where the model knows no item at all.

    >>> from w2gm import Config, Mixtures, Model, Vocabulary
    >>> means = np.array([[[1, 0]], [[3, 4]]], np.float32)
    >>> flat = np.ones((2, 1), np.float32)
    >>> config = Config(senses=1, vector_size=2)
    >>> model = Model(Vocabulary(["cup", "mug"], [9, 4]), Mixtures(means, flat, flat), config=config, provenance={})
    >>> score(model, Pairs("mine", [("Cup", "mug"), ("cup", "cup")], np.array([9.0, 10.0]))).round(6).tolist()
    [0.6, 1.0]
    """
    values = score_all(model, dataset, [measure], case).values[measure]
    if values is None:
        raise ConfigError(
            f"{measure} needs variances, which word vectors lack: use {', '.join(WITHOUT_VARIANCES[:3])}"
        )
    return values


def score_all(model: Model, dataset: Dataset, names: Iterable[str] | None = None, case: str = "fallback") -> Scores:
    """Several scores of the same items, None takes all there are; what needs variances that a model lacks is None."""
    accepted = scores_of(dataset)
    wanted = accepted if names is None else list(names)
    for name in wanted:
        if name not in accepted:
            raise ConfigError(f"{dataset.name} has no score {name!r}: accepted: {', '.join(accepted)}")
    lookup = Lookup(model, case)
    usable = [name for name in wanted if has_variances(model) or name in WITHOUT_VARIANCES]
    ids = lookup.ids(dataset.words)
    found: Bools = np.all(ids >= 0, axis=1)
    if isinstance(dataset, Analogies):
        values = _analogies(model, ids, found, usable)
    else:
        if lookup.stand_in is not None:
            ids[ids < 0] = lookup.stand_in
        known = np.all(ids >= 0, axis=1)
        values = _of_known(model, dataset, lookup, np.flatnonzero(known), ids[known], usable)
        values = {name: _filled(_steady(part), ids, _OF_THE_SAME.get(name)) for name, part in values.items()}
    return Scores(found, {name: values.get(name) for name in wanted})


def _of_known(
    model: Model, dataset: Pairs | Entailment, lookup: Lookup, items: Ids, ids: Ids, names: list[str]
) -> dict[str, Doubles]:
    """Scores of the pairs `items` (n,), whose words all have ids (n, 2)."""
    if isinstance(dataset, Entailment):
        ways = {"cos": ("mc", ids), "kl": ("kl", ids), "kl-reverse": ("kl", ids[:, ::-1])}
        return {name: measure_pairs(model, rows, [way])[way] for name, (way, rows) in ways.items() if name in names}
    values = measure_pairs(model, ids, [name for name in names if name not in IN_CONTEXT])
    if dataset.contexts is not None and (in_context := [name for name in names if name in IN_CONTEXT]):
        places = [dataset.contexts[item] for item in items]
        values |= similarities_in_context(model, lookup, ids, places, in_context)
    return values


def _steady(scores: Doubles) -> Doubles:
    """Scores to 36 bits, and no finer than 2^-44: what rounding alone parts (a pair and its reverse) ranks alike."""
    steps = np.maximum(np.frexp(scores)[1] - 36, -44)
    rounded: Doubles = np.ldexp(np.round(np.ldexp(scores, -steps)), steps)
    return rounded


def _filled(known: Doubles, ids: Ids, of_the_same: float | None) -> Doubles:
    """(N,): the scores of the known pairs in their places, and those of pairs with unknown words (ids (N, 2))."""
    unknown = (ids < 0).sum(axis=1)
    values = np.full(len(ids), np.nan)
    values[unknown == 0] = known
    if len(known) and not np.isnan(known).any():
        values[unknown == 1] = np.median(known)
        values[unknown == 2] = known.max() if of_the_same is None else max(known.max(), of_the_same)
    return values


def _analogies(model: Model, ids: Ids, found: Bools, names: list[str]) -> dict[str, Doubles]:
    """1 where the fourth word is the answer, else 0; a question with an unknown word is answered wrong."""
    right = {}
    for name in names:
        answers = solve(model, ids[found, :3], method=_METHODS[name])
        right[name] = np.zeros(len(ids))
        right[name][found] = answers == ids[found, 3]
    return right


def scores_of(dataset: Dataset) -> list[str]:
    """The names of all scores that a set of this kind has."""
    if isinstance(dataset, Analogies):
        return list(ANALOGIES)
    if isinstance(dataset, Entailment):
        return list(ENTAILMENT)
    return [*MEASURES, *(IN_CONTEXT if dataset.contexts is not None else ())]
