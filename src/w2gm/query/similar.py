"""Which words and senses are near a word, a sense, a vector, or a sum of words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from w2gm.errors import ConfigError
from w2gm.query.components import Queries
from w2gm.query.gaussians import Distances, Divergences, Kernels, ReverseDivergences
from w2gm.query.neighbors import Cosines
from w2gm.query.questions import Question, Term, about_vector, about_word, asked, whole
from w2gm.query.search import Comparison, Nearest, search

if TYPE_CHECKING:
    from w2gm.model import Model

Neighbor = tuple[str, int, float]

MEASURES = ("cosine", "kernel", "distance", "kl", "kl-reverse")
_VECTORS_AT_ONCE = 64


def most_similar(
    model: Model,
    word: str | None = None,
    *,
    sense: int | None = None,
    topn: int = 10,
    positive: Term | Iterable[Term] | None = None,
    negative: Term | Iterable[Term] | None = None,
    by: str = "cosine",
    restrict_vocab: int | None = None,
    min_count: int | None = None,
    include_own: bool = False,
    merge_senses: bool = True,
    index: bool = False,
) -> list[Neighbor]:
    """The `topn` nearest (word, sense, score), best first; every score is the higher the nearer.

    `word` with `sense` (or "bank:1") asks about that sense; without, about all senses of the word. `positive` and
    `negative` follow gensim: the sum of the unit vectors, with factors 1 and -1 (a given one stands in their place:
    take away twice by ("man", -2.0)), is compared with everything; there a word counts as the mean of its whole
    mixture, "king:0" as that sense, a vector as it is. One positive word and nothing else is the same as `word`.

    `by` says what is compared, as in `similarity`:
    "cosine"      of the means; over a word's senses the best (the measure `mc` of the paper);
    "kernel"      log of the expected likelihood of two Gaussians; a whole word against words is compared as a
                  mixture (`el`), and the sense that answers is the one with the largest share;
    "distance"    minus the Euclidean distance of the means; over senses the best (`me`);
    "kl"          minus KL(what is asked || the answer), the best over senses (`kl`): what contains the word;
    "kl-reverse"  minus KL(the answer || what is asked): what the word contains.
    A sum can be compared by cosine only; a lone vector in `positive` also by distance and, as a point, by kernel.

    A word answers once, with its best sense; with `merge_senses=False` every sense answers for itself. All senses
    of the words asked about are left out; with `include_own` only the senses asked about. `restrict_vocab=N`
    lets only the N most frequent words answer, `min_count=N` those that occur N times or more. `index=True` asks
    the approximate index that `build_index` made, for cosines among all words.
    """
    how = _How.checked(model, topn, by, restrict_vocab, min_count, merge_senses, index)
    question = asked(model, word, sense, positive, negative, include_own)
    (answer,) = _answers(model, [question], how)
    return answer


def most_similar_batch(
    model: Model,
    words: Iterable[str | npt.NDArray[Any]],
    *,
    topn: int = 10,
    by: str = "cosine",
    restrict_vocab: int | None = None,
    min_count: int | None = None,
    include_own: bool = False,
    merge_senses: bool = True,
    index: bool = False,
) -> list[list[Neighbor]]:
    """For each of `words` (words, senses such as "bank:1", vectors) what `most_similar` answers, in one pass.

    A function of its own, because a list given to gensim's `most_similar` is a sum. Many words together take a
    tenth of the time that they take one by one.
    """
    if isinstance(words, str):
        raise ConfigError(f"words must be a list of words, got the string {words!r}: write [{words!r}]")
    how = _How.checked(model, topn, by, restrict_vocab, min_count, merge_senses, index)
    questions = [
        about_vector(model, word) if isinstance(word, np.ndarray) else about_word(model, word, None, include_own)
        for word in words
    ]
    return _answers(model, questions, how)


def neighbors_by_sense(model: Model, word: str, **options: Any) -> list[dict[str, Any]]:
    """What `w2gm neighbors` prints as JSON: weight, variance and neighbours of each sense of `word`.

    [{"sense": 0, "weight": 0.52, "variance": 0.05, "neighbors": [["river", 1, 0.83], ...]}, ...]; "bank:1" gives
    that sense's entry only. The variance of a diagonal covariance is the geometric mean over dimensions (the
    variance of the sphere of the same volume). The neighbours are those of `most_similar` with that sense, and the
    options those of `most_similar_batch`.
    """
    (entries,) = neighbors_by_sense_batch(model, [word], **options)
    return entries


def neighbors_by_sense_batch(
    model: Model, words: Iterable[str], *, include_own: bool = False, **options: Any
) -> list[list[dict[str, Any]]]:
    """`neighbors_by_sense` of each of `words`, in one pass."""
    how = _How.checked(model, **options)
    located = []
    for word in words:
        number, sense = model.locate(word)
        located.append((number, range(model.senses) if sense is None else [sense]))
    names = model.index_to_key
    questions = [
        about_word(model, names[number], sense, include_own) for number, senses in located for sense in senses
    ]
    answers = iter(_answers(model, questions, how))
    return [
        [
            {
                "sense": sense,
                "weight": float(model.weights[number, sense]),
                "variance": float(np.exp(model.log_variances[number, sense].mean(dtype=np.float64))),
                "neighbors": [list(neighbor) for neighbor in next(answers)],
            }
            for sense in senses
        ]
        for number, senses in located
    ]


class _How(NamedTuple):
    """What a question leaves open: by which measure, how many answers, from which words."""

    topn: int
    by: str
    words: int
    merge_senses: bool
    by_index: bool

    @classmethod
    def checked(
        cls,
        model: Model,
        topn: int = 10,
        by: str = "cosine",
        restrict_vocab: int | None = None,
        min_count: int | None = None,
        merge_senses: bool = True,
        index: bool = False,
    ) -> _How:
        if by not in MEASURES:
            raise ConfigError(f"by must be one of {', '.join(MEASURES)}, got {by!r}")
        words = len(model)
        if restrict_vocab is not None:
            words = min(words, whole("restrict_vocab", restrict_vocab, 1))
        if min_count is not None:
            words = min(words, _frequent_words(model, whole("min_count", min_count, 1)))
        if index and by != "cosine":
            raise ConfigError(f"the index knows cosines only, got by={by!r}: ask without the index")
        if index and words < len(model):
            raise ConfigError(
                "the index holds all words: ask without it for the frequent ones (the fewer words, the faster)"
            )
        return cls(whole("topn", topn, 0), by, words, merge_senses, index)


def _frequent_words(model: Model, min_count: int) -> int:
    """How many words occur `min_count` times or more; words are in the order of their counts."""
    return int(np.searchsorted(-model.counts, -min_count, side="right"))


def _answers(model: Model, questions: Sequence[Question], how: _How) -> list[list[Neighbor]]:
    """The answer to each question: those with as many vectors are searched for together."""
    answers: list[list[Neighbor]] = [[] for _ in questions]
    for vectors in {len(question.means) for question in questions}:
        alike = [place for place, question in enumerate(questions) if len(question.means) == vectors]
        step = max(1, _VECTORS_AT_ONCE // vectors)
        for start in range(0, len(alike), step):
            places = alike[start : start + step]
            together = [questions[place] for place in places]
            comparison = _comparison(model, together, how)
            hidden = [question.hidden for question in together]
            if isinstance(comparison, Cosines) and how.by_index:
                found = model.sense_index.search(comparison, topn=how.topn, hidden=hidden)
            else:
                found = search(comparison, topn=how.topn, hidden=hidden)
            for place, nearest in zip(places, found, strict=True):
                answers[place] = _named(model, nearest, how.merge_senses)
    return answers


def _comparison(model: Model, questions: Sequence[Question], how: _How) -> Comparison:
    """What scores the first `how.words` words, or their senses, for questions of as many vectors each."""
    means = np.stack([question.means for question in questions])
    if how.by == "cosine":
        # The index scores a few rows: scaling all of them would take longer than opening it.
        rows = model.means if how.by_index else model.unit_means[: how.words]
        groups = rows if how.merge_senses else rows.reshape(-1, 1, model.vector_size)
        return Cosines(groups, means, scaled=not how.by_index)
    log_variances = [_log_variances(question, how.by) for question in questions]
    width = max(logs.shape[1] for logs in log_variances)
    queries = Queries(
        means,
        np.stack([np.broadcast_to(logs, (len(logs), width)) for logs in log_variances]),
        np.stack([question.log_weights for question in questions]),
    )
    count, members = (how.words, model.senses) if how.merge_senses else (how.words * model.senses, 1)
    table = model.components
    if how.by == "kernel":
        return Kernels(table, count, members, queries, mixture=means.shape[1] > 1)
    kinds: dict[str, Callable[..., Comparison]] = {
        "distance": Distances,
        "kl": Divergences,
        "kl-reverse": ReverseDivergences,
    }
    return kinds[how.by](table, count, members, queries)


def _log_variances(question: Question, by: str) -> npt.NDArray[np.float64]:
    """(Q, 1) or (Q, D), or `ConfigError` where the measure needs a variance that is not there."""
    if question.log_variances is None:
        raise ConfigError(f"a sum of words has no variance and cannot be compared by {by}: use cosine")
    if question.is_point and by.startswith("kl"):
        raise ConfigError(f"a vector has no variance and cannot be compared by {by}: use a word or a sense")
    return question.log_variances


def _named(model: Model, answer: Nearest, merge_senses: bool) -> list[Neighbor]:
    words, senses = answer.groups, answer.members
    if not merge_senses:
        words, senses = np.divmod(answer.groups, model.senses)
    names = model.index_to_key
    return [
        (names[word], sense, score)
        for word, sense, score in zip(words.tolist(), senses.tolist(), answer.scores.tolist(), strict=True)
    ]
