"""Which words and senses are near a word, a sense, or a sum of words."""

from __future__ import annotations

import math
import numbers
import operator
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from w2gm.errors import ConfigError
from w2gm.query.neighbors import Nearest, nearest

if TYPE_CHECKING:
    from w2gm.model import Model

# A word or sense ("bank", "bank:1") or a vector (D,), with or without a factor.
Term = str | npt.NDArray[Any] | tuple[str | npt.NDArray[Any], float]
Neighbor = tuple[str, int, float]


def most_similar(
    model: Model,
    word: str | None = None,
    *,
    sense: int | None = None,
    topn: int = 10,
    positive: Term | Iterable[Term] | None = None,
    negative: Term | Iterable[Term] | None = None,
    restrict_vocab: int | None = None,
    include_own: bool = False,
    merge_senses: bool = True,
) -> list[Neighbor]:
    """The `topn` nearest (word, sense, score), best first; score is the cosine of the means.

    `word` with `sense` (or "bank:1") asks about that sense; without, about all senses of the word: the score is
    the best over them (the measure `mc` of the paper). `positive` and `negative` follow gensim: the sum of the
    unit vectors, with factors 1 and -1 (or the given ones), is compared with everything; there a word counts as
    the mean of its whole mixture, "king:0" as that sense, a vector as it is. One positive word and nothing else is
    the same as `word`.

    A word answers once, with its best sense; with `merge_senses=False` every sense answers for itself. All senses
    of the words asked about are left out; with `include_own` only the senses asked about. `restrict_vocab=N`
    lets only the N most frequent words answer.
    """
    limit = _answering_words(model, restrict_vocab)
    queries, rows = _question(model, word, sense, _terms(positive), _terms(negative), include_own)
    (answer,) = _search(model, queries[None], [rows], topn, limit, merge_senses)
    return _named(model, answer, merge_senses)


def neighbors_by_sense(
    model: Model,
    word: str,
    *,
    topn: int = 10,
    restrict_vocab: int | None = None,
    include_own: bool = False,
    merge_senses: bool = True,
) -> list[dict[str, Any]]:
    """What `w2gm neighbors` prints as JSON: weight, variance and neighbours of each sense of `word`.

    [{"sense": 0, "weight": 0.52, "variance": 0.05, "neighbors": [["river", 1, 0.83], ...]}, ...]; "bank:1" gives
    that sense's entry only. The variance of a diagonal covariance is the geometric mean over dimensions (the
    variance of the sphere of the same volume). The neighbours are those of `most_similar` with that sense.
    """
    number, asked = model.locate(word)
    senses = range(model.senses) if asked is None else [asked]
    limit = _answering_words(model, restrict_vocab)
    rows = [_rows(model, number, sense, include_own) for sense in senses]
    queries = model.means[number][list(senses), None]
    answers = _search(model, queries, rows, topn, limit, merge_senses)
    spread = np.exp(model.log_variances[number].reshape(model.senses, -1).mean(axis=1, dtype=np.float64))
    return [
        {
            "sense": sense,
            "weight": float(model.weights[number, sense]),
            "variance": float(spread[sense]),
            "neighbors": [list(neighbor) for neighbor in _named(model, answer, merge_senses)],
        }
        for sense, answer in zip(senses, answers, strict=True)
    ]


def _question(
    model: Model,
    word: str | None,
    sense: int | None,
    positive: list[Term],
    negative: list[Term],
    include_own: bool,
) -> tuple[npt.NDArray[np.floating], npt.NDArray[np.int64]]:
    """(the vectors asked about (Q, D), the rows that may not answer)."""
    if word is None and len(positive) == 1 and not negative and isinstance(positive[0], str):
        word, positive = positive[0], []
    if word is not None:
        if positive or negative:
            raise ConfigError("give either a word, or positive and negative, not both: put the word in positive")
        if not isinstance(word, str):
            raise ConfigError(f"word must be a string, got {type(word).__name__}: put several words in positive")
        number, asked = model.locate(word)
        if sense is not None:
            if asked is not None:
                raise ConfigError(f"{word!r} names a sense already: leave out sense={sense}")
            asked = _whole("sense", sense)
            model.check_sense(word, asked)
        vectors = model.means[number] if asked is None else model.means[number, asked : asked + 1]
        return vectors, _rows(model, number, asked, include_own)
    if sense is not None:
        raise ConfigError(f"sense={sense} needs one word; in positive and negative write the sense as 'bank:1'")
    if not positive and not negative:
        raise ConfigError("nothing to compare with: give a word, positive or negative")
    total = np.zeros(model.vector_size)
    rows = [np.empty(0, np.int64)]
    for terms, sign in ((positive, 1.0), (negative, -1.0)):
        for term in terms:
            key, factor = term if isinstance(term, tuple) else (term, 1.0)
            if not math.isfinite(factor):
                raise ConfigError(f"a factor must be a finite number, got {factor}")
            if isinstance(key, np.ndarray):
                total += sign * factor * _vector(key, model.vector_size)
                continue
            number, asked = model.locate(key)
            mean = model[key].mean
            length = float(np.linalg.norm(mean))
            total += sign * factor * (mean / length if length else mean)
            rows.append(_rows(model, number, asked, include_own))
    return total[None], np.concatenate(rows)


def _vector(vector: npt.NDArray[Any], dimensions: int) -> npt.NDArray[Any]:
    if vector.shape != (dimensions,):
        raise ConfigError(f"a vector must have shape ({dimensions},), got {vector.shape}")
    if not np.isfinite(vector).all():
        raise ConfigError("a vector must be finite, got one with nan or inf")
    return vector


def _search(
    model: Model,
    queries: npt.NDArray[np.floating],
    rows: Sequence[npt.NDArray[np.int64]],
    topn: int,
    limit: int,
    merge_senses: bool,
) -> list[Nearest]:
    """`nearest` over the first `limit` words of the model; queries (B, Q, D), the rows hidden from each."""
    count = _whole("topn", topn, 0)
    unit = model.unit_means[:limit]
    groups = unit if merge_senses else unit.reshape(-1, 1, model.vector_size)
    return nearest(groups, queries, topn=count, excluded=rows)


def _rows(model: Model, number: int, sense: int | None, include_own: bool) -> npt.NDArray[np.int64]:
    """Rows (word * senses + sense) that do not answer a question about this word or sense."""
    first = number * model.senses
    if include_own and sense is not None:
        return np.array([first + sense])
    return np.arange(first, first + model.senses)


def _named(model: Model, answer: Nearest, merge_senses: bool) -> list[Neighbor]:
    words, senses = answer.groups, answer.members
    if not merge_senses:
        words, senses = np.divmod(answer.groups, model.senses)
    names = model.index_to_key
    return [
        (names[word], sense, score)
        for word, sense, score in zip(words.tolist(), senses.tolist(), answer.scores.tolist(), strict=True)
    ]


def _answering_words(model: Model, restrict_vocab: int | None) -> int:
    if restrict_vocab is None:
        return len(model)
    return min(_whole("restrict_vocab", restrict_vocab, 1), len(model))


def _whole(name: str, value: Any, minimum: int | None = None) -> int:
    """`value` as an int (numpy's are welcome), or `ConfigError` naming the argument."""
    try:
        number = operator.index(value)
    except TypeError:
        raise ConfigError(f"{name} must be a whole number, got {value!r}") from None
    if minimum is not None and number < minimum:
        raise ConfigError(f"{name} must be at least {minimum}, got {number}")
    return number


def _terms(given: Term | Iterable[Term] | None) -> list[Term]:
    """One term or several, as a list; a (word, factor) pair is one term."""
    if given is None:
        return []
    if isinstance(given, str) or (isinstance(given, np.ndarray) and given.ndim == 1):
        return [given]
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], numbers.Real):
        return [(given[0], float(given[1]))]
    return list(given)
