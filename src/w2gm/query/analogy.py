"""Analogies: a is to b as c is to which word? By 3CosAdd and 3CosMul, for one question or twenty thousand.

    add (Mikolov et al. 2013)            cos(x, b) - cos(x, a) + cos(x, c)
    mul (Levy and Goldberg 2014)         up(x, b) up(x, c) / (up(x, a) + 0.001)     with up = (1 + cos) / 2

A question word is the mean of its whole mixture, as in `most_similar`; "bank:1" is that sense. An answer x is any
sense of any word, and a word answers with its best one (`answers="senses"`), or the mean of a word's mixture
(`answers="words"`). The words of the question never answer. docs/maths.md tells what other choices are worth.

Float32 products find the candidates, and float64 decides among those within their rounding error: an answer does not
depend on how the work was cut, nor on the machine's matrix library.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from w2gm.errors import ConfigError
from w2gm.query.neighbors import unit_rows

if TYPE_CHECKING:
    from w2gm.model import Model

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int64]
Analogy = tuple[str, int | None, float]

ANSWERS = ("senses", "words")
_SMALL = 0.001  # keeps the quotient of 3CosMul finite

# The 17,960 known questions of the Google set over 66,000 words of 2 senses and 50 dimensions take 3 s on one core,
# and 4 s when they are taken 4096 at a time.
_ROWS_AT_ONCE = 8192
_QUESTIONS_AT_ONCE = 32_768
_OF_ONE_PAIR_AT_ONCE = 256
_BLOCK = 2**23  # cosines of the question words with the rows of a block, at most: 32 MiB


class _Method(NamedTuple):
    """How a score is made of cosines with a, b and c: join(pair(b, a), c), each prepared before.

    slack(score, D): how far two scores made of float32 cosines of D products may lie apart and still be equal.
    """

    prepare: Callable[[npt.NDArray[Any]], npt.NDArray[Any]]
    pair: Callable[[npt.NDArray[Any], npt.NDArray[Any]], npt.NDArray[Any]]
    join: np.ufunc
    slack: Callable[[npt.NDArray[Any], int], npt.NDArray[Any]]


# A float32 cosine is off by at most D/2 epsilon. A sum of three, twice: 3 D epsilon. The quotient is off by that
# times its steepest slope, 1 / small: for c and b once each, for a as many times as its own value.
_METHODS = {
    "add": _Method(
        prepare=lambda cosines: cosines,
        pair=np.subtract,
        join=np.add,
        slack=lambda scores, D: np.full_like(scores, 4 * (D + 4) * np.finfo(np.float32).eps),
    ),
    "mul": _Method(
        prepare=lambda cosines: (1 + cosines) / 2,
        pair=lambda b, a: b / (a + b.dtype.type(_SMALL)),
        join=np.multiply,
        slack=lambda scores, D: (1 + np.maximum(scores, 0) / 2) * (D + 4) * np.finfo(np.float32).eps / _SMALL,
    ),
}
METHODS = tuple(_METHODS)


def analogy(
    model: Model,
    a: str,
    b: str,
    c: str,
    *,
    topn: int = 10,
    method: str = "add",
    answers: str = "senses",
    restrict_vocab: int | None = None,
) -> list[Analogy]:
    """The `topn` best answers (word, sense, score) to "a is to b as c is to ...", best first.

    With `answers="words"` the sense is None. `restrict_vocab=N` lets only the N most frequent words answer.
    """
    count = _whole("topn", topn, 0)
    space = _Space(model, method, answers, restrict_vocab)
    vectors = _unit_doubles(np.stack([model[key].mean for key in (a, b, c)]))
    asked = np.array([model.locate(key)[0] for key in (a, b, c)])
    scores = space.score(vectors.astype(np.float32) @ space.unit.T).reshape(-1, space.members)
    scores[asked[asked < len(scores)]] = -np.inf
    best = scores.max(axis=1)
    alive = np.flatnonzero(best > -np.inf)
    wanted = min(count, len(alive))
    if not wanted:
        return []
    floor = np.partition(best[alive], -wanted)[-wanted]
    words = alive[best[alive] >= floor - space.slack(floor)]
    rows = words[:, np.newaxis] * space.members + np.arange(space.members)
    exact = space.exact(rows.ravel(), vectors[:, np.newaxis]).reshape(rows.shape)
    senses = exact.argmax(axis=1)
    values = exact[np.arange(len(words)), senses]
    return [
        (model.index_to_key[words[k]], int(senses[k]) if answers == "senses" else None, float(values[k]))
        for k in np.lexsort((words, -values))[:wanted]
    ]


def solve(
    model: Model,
    questions: npt.ArrayLike,
    *,
    method: str = "add",
    answers: str = "senses",
    restrict_vocab: int | None = None,
) -> Ids:
    """The best answer to each question, given by the ids of its words a, b, c (N, 3): word ids (N,), -1 for none.

    These are the words that `analogy` finds with `topn=1`.
    """
    ids = _checked_questions(model, questions)
    space = _Space(model, method, answers, restrict_vocab)
    # In order of a and b: what they have in common with every answer is computed once for all their c.
    distinct, places = np.unique(ids, axis=0, return_inverse=True)
    parts = [
        _solve(space, distinct[start : start + _QUESTIONS_AT_ONCE])
        for start in range(0, len(distinct), _QUESTIONS_AT_ONCE)
    ]
    return np.concatenate([np.empty(0, np.int64), *parts])[places.ravel()]


class _Space:
    """The rows that may answer, at length 1, and the method that scores them.

    unit: (n, D) float32; members: rows of one word.
    """

    def __init__(self, model: Model, method: str, answers: str, restrict_vocab: int | None) -> None:
        _check("method", method, METHODS)
        _check("answers", answers, ANSWERS)
        self.model, self.method, self.by_sense = model, _METHODS[method], answers == "senses"
        words = len(model) if restrict_vocab is None else min(_whole("restrict_vocab", restrict_vocab, 1), len(model))
        self.members = model.senses if self.by_sense else 1
        if self.by_sense:
            self.unit = model.unit_means[:words].reshape(-1, model.vector_size)
        else:
            means = [
                mixture_means(model, slice(start, min(start + _ROWS_AT_ONCE, words))).astype(np.float32)
                for start in range(0, words, _ROWS_AT_ONCE)
            ]
            self.unit = unit_rows(np.concatenate(means))

    def score(self, cosines: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Scores (...) of cosines (3, ...) with a, b and c."""
        a, b, c = self.method.prepare(cosines)
        scores: npt.NDArray[Any] = self.method.join(self.method.pair(b, a), c)
        return scores

    def slack(self, scores: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """How far below a rough score another one may lie and be higher when both are exact."""
        return self.method.slack(scores, self.unit.shape[1])

    def exact(self, rows: Ids, vectors: Doubles) -> Doubles:
        """Scores (n,) of some rows, by float64 cosines with a, b and c (3, n, D)."""
        words, senses = np.divmod(rows, self.members)
        means = self.model.means[words, senses] if self.by_sense else mixture_means(self.model, words)
        scores: Doubles = self.score((_unit_doubles(means) * vectors).sum(axis=-1).clip(-1, 1))
        return scores


def _solve(space: _Space, questions: Ids) -> Ids:
    """The best answer to each of some distinct questions (n, 3), sorted: word ids (n,)."""
    words, places = np.unique(questions, return_inverse=True)
    places = places.reshape(questions.shape)
    vectors = _unit_doubles(mixture_means(space.model, words))
    another_pair = np.append(True, (questions[1:, :2] != questions[:-1, :2]).any(axis=1))
    starts = np.flatnonzero(another_pair | (np.arange(len(questions)) % _OF_ONE_PAIR_AT_ONCE == 0))
    best = np.full(len(questions), -np.inf, dtype=np.float32)
    found: list[tuple[Ids, Ids, Floats]] = []
    columns = vectors.astype(np.float32)
    step = max(1, min(_ROWS_AT_ONCE, _BLOCK // len(words)) // space.members) * space.members
    for first in range(0, len(space.unit), step):
        table = space.method.prepare(columns @ space.unit[first : first + step].T)
        for start, stop in zip(starts, [*starts[1:], len(questions)], strict=True):
            a, b = places[start, :2]
            pair = space.method.pair(table[b], table[a])
            scores = np.empty((stop - start, table.shape[1]), dtype=np.float32)
            for k, c in enumerate(places[start:stop, 2]):
                space.method.join(pair, table[c], out=scores[k])
            _hide(scores, questions[start:stop] * space.members - first, space.members)
            top = scores.max(axis=1)
            floor = best[start:stop] = np.maximum(best[start:stop], top)
            least = floor - space.slack(floor)
            near = np.flatnonzero((top >= least) & (top > -np.inf))
            if near.size:
                hits = np.flatnonzero(scores[near] >= least[near, np.newaxis])
                question, row = np.divmod(hits, table.shape[1])
                found.append((start + near[question], first + row, scores[near[question], row]))
    return _decided(space, vectors, places, best, found)


def _hide(scores: Floats, columns: Ids, members: int) -> None:
    """Let the words of the questions, whose first rows are `columns` (n, 3) of this block, not answer; in place."""
    for question, column in zip(*np.nonzero((columns >= 0) & (columns < scores.shape[1])), strict=True):
        own = columns[question, column]
        scores[question, own : own + members] = -np.inf


def _decided(space: _Space, vectors: Doubles, places: Ids, best: Floats, found: list[tuple[Ids, Ids, Floats]]) -> Ids:
    """The exact best of the rows found (questions, rows, rough scores): word ids (n,), -1 where there is none.

    places: (n, 3), which of the vectors are a, b and c.
    """
    answers = np.full(len(best), -1, dtype=np.int64)
    if not found:
        return answers
    question, row, rough = (np.concatenate(parts) for parts in zip(*found, strict=True))
    near = rough >= (best - space.slack(best))[question]
    question, row = question[near], row[near]
    scores = space.exact(row, vectors[places[question].T])
    order = np.lexsort((row, -scores, question))
    asked, firsts = np.unique(question[order], return_index=True)
    answers[asked] = row[order][firsts] // space.members
    return answers


def mixture_means(model: Model, words: Ids | slice) -> Doubles:
    """The means of whole mixtures, sum_k weights_k means_k, of some words by id; (n, D) float64."""
    weights = model.weights[words].astype(np.float64)
    means: Doubles = np.einsum("nk,nkd->nd", weights, model.means[words].astype(np.float64))
    return means


def _unit_doubles(rows: npt.NDArray[Any]) -> Doubles:
    """`rows` (..., D) at length 1 in float64; a zero row stays zero."""
    wide = rows.astype(np.float64)
    lengths = np.sqrt((wide * wide).sum(axis=-1, keepdims=True))
    return wide / np.where(lengths == 0, 1, lengths)


def _checked_questions(model: Model, questions: npt.ArrayLike) -> Ids:
    ids = np.asarray(questions)
    if ids.size == 0:
        return np.empty((0, 3), dtype=np.int64)
    if ids.ndim != 2 or ids.shape[1] != 3 or ids.dtype.kind not in "iu":
        raise ConfigError(f"questions must be word ids of shape (N, 3), got {ids.dtype} of shape {ids.shape}")
    if ids.min() < 0 or ids.max() >= len(model):
        wrong = ids.min() if ids.min() < 0 else ids.max()
        raise ConfigError(f"questions must hold word ids from 0 to {len(model) - 1}, got {wrong}")
    return ids.astype(np.int64)


def _check(name: str, value: str, accepted: tuple[str, ...]) -> None:
    if value not in accepted:
        raise ConfigError(f"{name} must be {' or '.join(accepted)}, got {value!r}")


def _whole(name: str, value: Any, minimum: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise ConfigError(f"{name} must be a whole number, got {value!r}") from None
    if number < minimum:
        raise ConfigError(f"{name} must be at least {minimum}, got {number}")
    return number
