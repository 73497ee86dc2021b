"""Does one word entail another: is an aircraft a vehicle? Score, direction, and a verdict with a stated error.

The score is -min KL(a_i || b_j) over the pairs of senses: high when a sense of the narrower word `a` lies inside one
of the wider word `b`. No labels are needed for a threshold: it is the score that a share `level` of random pairs
exceeds, pairs of words about as frequent as `a` and `b`, because how wide a word is depends on how frequent it is. So
of pairs of words that have nothing to do with each other, at most that share is called an entailment. Words that are
related but do not entail each other (cat, dog) score higher than random ones: for them the share is larger.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from w2gm.errors import ConfigError
from w2gm.query.measures import measure, senses_of, senses_of_key
from w2gm.query.sensepairs import Doubles, SensePairs, Senses

if TYPE_CHECKING:
    from w2gm.model import Model

# A share of 0.05 of so many is known to 0.004 (standard error); they take 5 ms.
RANDOM_PAIRS = 4096
# A word is about as frequent as the words of so many ranks around it.
RANKS = 1000


@dataclass(frozen=True)
class Entailment:
    """What is known of "a entails b".

    score: -min KL(a_i || b_j); senses: the two that decided it, as "aircraft:0". reverse: the score of "b entails a".
    threshold: what a score must exceed. chance: the share of random pairs of such frequencies that score as high.

    >>> found = Entailment("aircraft", "vehicle", -2.5, -4.0, ("aircraft:0", "vehicle:1"), threshold=-5, chance=0.01)
    >>> found.direction, found.entails
    ('aircraft entails vehicle', True)
    """

    a: str
    b: str
    score: float
    reverse: float
    senses: tuple[str, str]
    threshold: float
    chance: float

    @property
    def direction(self) -> str:
        """The likelier of both directions, "aircraft entails vehicle"; "neither" when they score alike."""
        if self.score > self.reverse:
            return f"{self.a} entails {self.b}"
        return f"{self.b} entails {self.a}" if self.reverse > self.score else "neither"

    @property
    def entails(self) -> bool:
        """The verdict: the score exceeds the threshold, and the reverse."""
        return self.score > self.threshold and self.score > self.reverse

    def facts(self) -> dict[str, Any]:
        """What `w2gm entails` prints as JSON."""
        return {
            "score": self.score,
            "reverse": self.reverse,
            "direction": self.direction,
            "entails": self.entails,
            "senses": self.senses,
            "threshold": self.threshold,
            "chance": self.chance,
        }


class Calibration(NamedTuple):
    """The threshold that serves labelled pairs best, and the share of their verdicts that are right with it."""

    threshold: float
    accuracy: float


def entailment(model: Model, a: str, b: str, *, level: float = 0.05, threshold: float | None = None) -> Entailment:
    """Whether `a` entails `b`: words, or senses ("bank:1").

    The verdict is yes for at most a share `level` of unrelated pairs; `threshold` is used in its place where it is
    given (for instance that of `calibrate`).
    """
    if not 0 < level < 1:
        raise ConfigError(f"level must be above 0 and below 1, got {level}: the share of unrelated pairs let through")
    one, other = (senses_of_key(model, key) for key in (a, b))
    divergences = SensePairs(one, other).divergences[0]
    i, j = divmod(int(divergences.argmin()), divergences.shape[1])
    score = float(measure("kl", one, other).item())
    random = random_scores(model, a, b)
    if threshold is None:
        threshold = float(np.quantile(random, 1 - level, method="higher"))
    return Entailment(
        a=a,
        b=b,
        score=score,
        reverse=float(measure("kl", other, one).item()),
        senses=(_key(model, a, i), _key(model, b, j)),
        threshold=threshold,
        chance=float((random >= score).mean()),
    )


def calibrate(model: Model, pairs: Sequence[tuple[str, str]], labels: npt.ArrayLike) -> Calibration:
    """The threshold with the most right verdicts on labelled pairs (a, b): true where `a` entails `b`.

    It lies halfway between two scores, or just below the lowest of the pairs that do not score higher the other way
    round (no threshold lets those through). Where several do equally well the highest is taken. Nothing is saved:
    give it to `entailment`.
    """
    truth = np.asarray(labels).astype(bool)
    if truth.shape != (len(pairs),):
        raise ConfigError(f"{len(pairs)} pairs need as many labels, got {truth.shape}")
    if truth.all() or not truth.any():
        raise ConfigError(f"calibration needs pairs that entail and pairs that do not, got {len(pairs)} of one kind")
    found = [tuple(senses_of_key(model, key) for key in pair) for pair in pairs]
    scores = np.array([measure("kl", a, b).item() for a, b in found])
    reverse = np.array([measure("kl", b, a).item() for a, b in found])
    return _best_threshold(np.where(scores > reverse, scores, -np.inf), truth)


def random_scores(model: Model, a: str, b: str) -> Doubles:
    """The score of `RANDOM_PAIRS` pairs of different words about as frequent as `a` and `b`, always the same ones.

    Where `a` or `b` is one sense of a word, so is what stands in its place: the best of fewer senses is lower.
    """
    if len(model) < 2:
        raise ConfigError("a threshold needs random pairs of words, and this model has 1 word: give a threshold")
    random = np.random.default_rng(0)
    sides, drawn = [], np.empty(0, dtype=np.int64)
    for key in (a, b):
        number, sense = model.locate(key)
        words = _as_frequent(model, number, random)
        # Never a word with itself: the next one instead.
        words = np.where(words == drawn, (words + 1) % len(model), words) if drawn.size else words
        drawn, senses = words, senses_of(model, words)
        if sense is not None:
            chosen = random.integers(0, model.senses, RANDOM_PAIRS)
            senses = Senses(*(part[np.arange(RANDOM_PAIRS), chosen][:, np.newaxis] for part in senses))
        sides.append(senses)
    return measure("kl", *sides)


def _as_frequent(model: Model, number: int, random: np.random.Generator) -> npt.NDArray[np.int64]:
    """Random words among the `RANKS` around a word, by id: ids are ranks of frequency."""
    count = min(RANKS, len(model))
    first = min(max(0, number - count // 2), len(model) - count)
    return first + random.integers(0, count, RANDOM_PAIRS)


def _best_threshold(scores: Doubles, truth: npt.NDArray[np.bool_]) -> Calibration:
    """The bound with the most right verdicts `score > bound`, the highest of several."""
    order = np.argsort(-scores, kind="stable")
    falling, true = scores[order], truth[order]
    # With the first n taken: the true ones among them are right, and the others among the rest.
    right = np.append(0, np.cumsum(true)) + (~true).sum() - np.append(0, np.cumsum(~true))
    following = np.append(falling[1:], -np.inf)
    halfway = np.where(np.isinf(following), np.nextafter(falling, -np.inf), (falling + following) / 2)
    bounds, parted = np.append(falling[0], halfway), np.append(True, falling > following)
    best = int(np.argmax(np.where(parted, right, -1)))
    return Calibration(float(bounds[best]), float(right[best] / len(truth)))


def _key(model: Model, key: str, sense: int) -> str:
    """The name of the sense that stands at this place of the distribution of `key`."""
    word = model[key]
    return f"{word.word}:{word.numbers[sense]}"
