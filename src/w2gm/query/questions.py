"""What is asked about: a word, a sense, a vector or a sum of these, as a mixture that others are compared with."""

from __future__ import annotations

import math
import numbers
import operator
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from w2gm.errors import ConfigError

if TYPE_CHECKING:
    from w2gm.model import Model

# A word or sense ("bank", "bank:1") or a vector (D,), with or without a factor.
Term = str | npt.NDArray[Any] | tuple[str | npt.NDArray[Any], float]

_NOTHING = np.empty(0, np.int64)


class Question(NamedTuple):
    """Q Gaussians that are asked about together, and the rows (word * senses + sense) that may not answer.

    means: (Q, D) float64. log_variances: (Q, 1) or (Q, D), None for a sum, which has no variance; minus infinity
    for a point. log_weights: (Q,). hidden: rows, (n,).
    """

    means: npt.NDArray[np.float64]
    log_variances: npt.NDArray[np.float64] | None
    log_weights: npt.NDArray[np.float64]
    hidden: npt.NDArray[np.int64]

    @property
    def is_point(self) -> bool:
        """Whether it is a vector, without a variance of its own."""
        return self.log_variances is not None and bool(np.isneginf(self.log_variances).any())


def asked(
    model: Model,
    word: str | None,
    sense: int | None,
    positive: Term | Iterable[Term] | None,
    negative: Term | Iterable[Term] | None,
    include_own: bool,
) -> Question:
    """What the arguments of `most_similar` ask about; those that go not together raise `ConfigError`."""
    positive, negative = terms(positive), terms(negative)
    if word is None and len(positive) == 1 and not negative:
        if isinstance(positive[0], str):
            word, positive = positive[0], []
        elif isinstance(positive[0], np.ndarray) and sense is None:
            return about_vector(model, positive[0])
    if word is not None:
        if positive or negative:
            raise ConfigError("give either a word, or positive and negative, not both: put the word in positive")
        if not isinstance(word, str):
            raise ConfigError(
                f"word must be a string, got {type(word).__name__}: put the words of a sum in positive, "
                "ask about each of several words with most_similar_batch"
            )
        return about_word(model, word, sense, include_own)
    if sense is not None:
        raise ConfigError(f"sense={sense} needs one word; in positive and negative write the sense as 'bank:1'")
    if not positive and not negative:
        raise ConfigError("nothing to compare with: give a word, positive or negative")
    return about_sum(model, positive, negative, include_own)


def about_word(model: Model, word: str, sense: int | None, include_own: bool) -> Question:
    """All senses of a word, or one (`sense`, or "bank:1"); its other senses answer only with `include_own`."""
    number, asked = model.locate(word)
    if sense is not None:
        if asked is not None:
            raise ConfigError(f"{word!r} names a sense already: leave out sense={sense}")
        asked = whole("sense", sense)
        model.check_sense(word, asked)
    chosen = slice(None) if asked is None else slice(asked, asked + 1)
    weights = model.weights[number].astype(np.float64) if asked is None else np.ones(1)
    log_variances = model.log_variances[number, chosen].astype(np.float64)
    return Question(
        means=model.means[number, chosen].astype(np.float64),
        log_variances=log_variances.reshape(len(weights), -1),
        log_weights=np.log(weights),
        hidden=_rows(model, number, asked, include_own),
    )


def about_vector(model: Model, vector: npt.NDArray[Any]) -> Question:
    """A point of the space; every word may answer."""
    mean = _vector(vector, model.vector_size).astype(np.float64)
    return Question(mean[None], np.full((1, 1), -np.inf), np.zeros(1), _NOTHING)


def about_sum(model: Model, positive: list[Term], negative: list[Term], include_own: bool) -> Question:
    """The sum of unit vectors with factors, gensim's `most_similar`; a word counts as the mean of its mixture."""
    total = np.zeros(model.vector_size)
    rows = [_NOTHING]
    for given, sign in ((positive, 1.0), (negative, -1.0)):
        for term in given:
            # gensim's rule: a factor that is given stands in place of the 1 or -1, in `negative` too.
            key, factor = term if isinstance(term, tuple) else (term, sign)
            if not math.isfinite(factor):
                raise ConfigError(f"a factor must be a finite number, got {factor}")
            if isinstance(key, np.ndarray):
                total += factor * _vector(key, model.vector_size)
                continue
            number, asked = model.locate(key)
            mean = model[key].mean
            length = float(np.linalg.norm(mean))
            total += factor * (mean / length if length else mean)
            rows.append(_rows(model, number, asked, include_own))
    return Question(total[None], None, np.zeros(1), np.concatenate(rows))


def terms(given: Term | Iterable[Term] | None) -> list[Term]:
    """One term or several, as a list; a (word, factor) pair is one term.

    >>> terms("king"), terms(("king", 2)), terms(["king", "woman"]), terms(None)
    (['king'], [('king', 2.0)], ['king', 'woman'], [])
    """
    if given is None:
        return []
    if isinstance(given, str) or (isinstance(given, np.ndarray) and given.ndim == 1):
        return [given]
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], numbers.Real):
        return [(given[0], float(given[1]))]
    return list(given)


def whole(name: str, value: Any, minimum: int | None = None) -> int:
    """`value` as an int (numpy's are welcome), or `ConfigError` naming the argument.

    >>> whole("topn", np.int64(3), 0)
    3
    """
    try:
        number = operator.index(value)
    except TypeError:
        raise ConfigError(f"{name} must be a whole number, got {value!r}") from None
    if minimum is not None and number < minimum:
        raise ConfigError(f"{name} must be at least {minimum}, got {number}")
    return number


def _vector(vector: npt.NDArray[Any], dimensions: int) -> npt.NDArray[Any]:
    if vector.shape != (dimensions,):
        raise ConfigError(f"a vector must have shape ({dimensions},), got {vector.shape}")
    if not np.isfinite(vector).all():
        raise ConfigError("a vector must be finite, got one with nan or inf")
    return vector


def _rows(model: Model, number: int, sense: int | None, include_own: bool) -> npt.NDArray[np.int64]:
    """Rows (word * senses + sense) that do not answer a question about this word or sense."""
    first = number * model.senses
    if include_own and sense is not None:
        return np.array([first + sense])
    return np.arange(first, first + model.senses)
