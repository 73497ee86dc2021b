"""Which sense of a word is meant in a context of words, and which of these words decided."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from w2gm.errors import ConfigError, UnknownWordError
from w2gm.query.context import contributions, posteriors
from w2gm.query.labels import labels
from w2gm.text.places import finder_of

if TYPE_CHECKING:
    from w2gm.model import Model


def disambiguate(model: Model, word: str, context: str | Iterable[str]) -> npt.NDArray[np.float64]:
    """The probability of each sense of `word` in a context, (K,) float64; see `w2gm.query.context.posteriors`.

    context: a text, made into words as the model's own text was, or words as the model spells them. Words that the
    model does not know are passed over, and `word` itself is no evidence. Without any other word an empty context
    raises `ConfigError`, one of unknown words `UnknownWordError`: there would be nothing to decide by.

    >>> from w2gm import Config, Mixtures, Model, Vocabulary
    >>> means = np.array([[[2, 0], [0, 2]], [[2, 0], [2, 0]], [[0, 2], [0, 2]]], np.float32)
    >>> flat = np.ones((3, 2), np.float32)
    >>> words = Vocabulary(["bank", "river", "money"], [9, 4, 4])
    >>> config = Config(vector_size=2, sample=0.0, separate_output=False)
    >>> model = Model(words, Mixtures(means, 0 * flat, flat / 2), config=config, provenance={})
    >>> disambiguate(model, "bank", "The bank by the River!").round(2)
    array([0.88, 0.12])
    """
    number, ids, _ = _asked(model, word, context)
    return np.asarray(posteriors(model, [number], [ids])[0])


def explain(model: Model, word: str, context: str | Iterable[str]) -> dict[str, Any]:
    """What `w2gm disambiguate` prints as JSON: the senses' probabilities, and the words that decided.

    {"word": "bank", "senses": [0.93, 0.07], "labels": [["river", ...], ...], "context": [{"word": "river",
    "log_odds": [1.3, -1.3]}, ...], "unknown": ["zyx"]}. The words of the context come with what each adds to the
    log-odds of every sense (`w2gm.query.context.contributions`), the strongest first; one seen twice comes once,
    with its sum.
    """
    number, ids, unknown = _asked(model, word, context)
    added: dict[int, npt.NDArray[np.float64]] = {}
    for each, log_odds in zip(ids.tolist(), contributions(model, number, ids), strict=True):
        if each != number:
            added[each] = added.get(each, 0) + log_odds
    strongest = sorted(added.items(), key=lambda item: -float(np.abs(item[1]).max()))
    return {
        "word": model.index_to_key[number],
        "senses": posteriors(model, [number], [ids])[0].tolist(),
        "labels": labels(model, word),
        "context": [{"word": model.index_to_key[each], "log_odds": odds.tolist()} for each, odds in strongest],
        "unknown": unknown,
    }


def _asked(model: Model, word: str, context: str | Iterable[str]) -> tuple[int, npt.NDArray[np.int64], list[str]]:
    """(id of the word, ids of the known words of the context, its unknown words)."""
    number, sense = model.locate(word)
    if sense is not None:
        raise ConfigError(f"{word!r} names a sense already: give the word alone, {model.index_to_key[number]!r}")
    words = finder_of(model.config.tokenizer).words(context) if isinstance(context, str) else list(context)
    strange = [given for given in words if not isinstance(given, str)]
    if strange:
        raise ConfigError(f"a context must be a text or a list of words, got {strange[0]!r:.80} in it")
    if not words:
        raise ConfigError(f"empty context: give some of the words around {word!r}, such as a sentence it is in")
    index = model.key_to_index
    ids = np.array([index[known] for known in words if known in index], dtype=np.int64)
    unknown = list(dict.fromkeys(given for given in words if given not in index))
    if not (ids != number).any():
        found = f"the model knows none of {', '.join(map(repr, unknown[:5]))}" if unknown else "it has no other word"
        raise UnknownWordError(f"the context says nothing about {word!r}: {found}; give words of the model around it")
    return number, ids, unknown
