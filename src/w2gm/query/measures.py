"""Measures between words, between senses, and over many pairs of words: all rise with similarity.

docs/maths.md gives the formulas; `sensepairs` holds what they share, `overlap` the one without a closed form.

>>> from w2gm.config import Config
>>> from w2gm.model import Mixtures, Model
>>> from w2gm.vocabulary import Vocabulary
>>> means = np.array([[[1, 0], [0, 1]], [[3, 4], [4, 3]]], dtype=np.float32)
>>> flat = np.zeros((2, 2), dtype=np.float32)
>>> model = Model(
...     Vocabulary(["bank", "river"], [9, 4]),
...     Mixtures(means, log_variances=flat, weights=flat + 0.5),
...     config=Config(senses=2, vector_size=2),
...     provenance={},
... )
>>> round(similarity(model, "bank", "river"), 3), round(similarity(model, "bank:0", "river:0", measure="me"), 3)
(0.8, -4.472)
>>> measure_pairs(model, [[0, 1], [1, 0], [0, 0]], ["mc", "avesim"])["avesim"].round(3).tolist()
[0.7, 0.7, 0.5]
>>> sense_matrix(model, "bank", "river", "mc").round(3).tolist()
[[0.6, 0.8], [0.8, 0.6]]
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from w2gm.errors import ConfigError
from w2gm.query.overlap import jensen_shannon, points
from w2gm.query.sensepairs import Doubles, SensePairs, Senses, check_alike

if TYPE_CHECKING:
    from w2gm.model import Model


def _log_sum_exp(terms: Doubles) -> Doubles:
    """Log of the sum of exponentials over both senses, (N, Ka, Kb) to (N,)."""
    highest = terms.max(axis=(1, 2))
    total: Doubles = highest + np.log(np.exp(terms - highest[:, np.newaxis, np.newaxis]).sum(axis=(1, 2)))
    return total


# 0 - x, not -x: the distance of a word from itself is no -0.
_FORMULAS: dict[str, Callable[[SensePairs], Doubles]] = {
    "mc": lambda pairs: pairs.cosines.max(axis=(1, 2)),
    "el": lambda pairs: _log_sum_exp(pairs.log_energies),
    "el-paper": lambda pairs: _log_sum_exp(pairs.log_energies_of_the_paper),
    "me": lambda pairs: 0.0 - pairs.distances.min(axis=(1, 2)),
    "kl": lambda pairs: 0.0 - pairs.divergences.min(axis=(1, 2)),
    "avesim": lambda pairs: (pairs.weights * pairs.cosines).sum(axis=(1, 2)),
    "w2": lambda pairs: 0.0 - pairs.transports.min(axis=(1, 2)),
    "js": lambda pairs: 0.0 - jensen_shannon(pairs.a, pairs.b),
}
MEASURES = tuple(_FORMULAS)

# Numbers in one array of a block: 2 MiB of float64 stay in the cache. CPU for 10,000 pairs by js: 0.44 s; with four
# times as many numbers 0.70 s.
_BLOCK = 2**18
_PAIRS_AT_ONCE = 16_384


def measure(name: str, a: Senses, b: Senses) -> Doubles:
    """One measure of `MEASURES` of N pairs of words, (N,) float64; one word is compared with each of N others.

    "kl" is -min KL(a_i || b_j): a is the narrower word. a and b may have different numbers of senses.

    >>> bank = Senses(np.array([[[1.0, 0.0], [0.0, 1.0]]]), np.ones((1, 2)), np.full((1, 2), 0.5))
    >>> others = Senses(np.array([[[2.0, 0.0]], [[3.0, 4.0]]]), np.ones((2, 1)), np.ones((2, 1)))
    >>> measure("mc", bank, others).tolist()
    [1.0, 0.8]
    """
    return measure_all(a, b, [name])[name]


def measure_all(a: Senses, b: Senses, names: Iterable[str] = MEASURES) -> dict[str, Doubles]:
    """Several measures of the same N pairs of words, {name: (N,) float64}; what they share is computed once.

    >>> one = Senses(np.array([[[3.0, 4.0]]]), np.ones((1, 1)), np.ones((1, 1)))
    >>> {name: values.tolist() for name, values in measure_all(one, one, ["mc", "me", "kl", "js"]).items()}
    {'mc': [1.0], 'me': [0.0], 'kl': [0.0], 'js': [0.0]}
    """
    wanted = [check_measure(name) for name in names]
    check_alike(a, b)
    words = len(b.means) if len(a.means) == 1 else len(a.means)
    values = {name: np.empty(words) for name in wanted}
    step = _rows_at_once(a, b, wanted)
    for start in range(0, words, step):
        part = slice(start, start + step)
        pairs = SensePairs(_words(a, part), _words(b, part))
        with np.errstate(invalid="ignore"):  # a NaN stays visible in the answer, without a warning
            for name in wanted:
                values[name][part] = _FORMULAS[name](pairs)
    return values


def measure_pairs(model: Model, pairs: npt.ArrayLike, names: Iterable[str] = MEASURES) -> dict[str, Doubles]:
    """Measures of pairs of words (N, 2), given by their ids: {name: (N,) float64}, in bounded memory."""
    wanted = [check_measure(name) for name in names]
    ids = _checked_ids(model, pairs)
    values = {name: np.empty(len(ids)) for name in wanted}
    for start in range(0, len(ids), _PAIRS_AT_ONCE):
        a, b = (senses_of(model, ids[start : start + _PAIRS_AT_ONCE, side]) for side in (0, 1))
        for name, part in measure_all(a, b, wanted).items():
            values[name][start : start + _PAIRS_AT_ONCE] = part
    return values


def sense_matrix(model: Model, a: str, b: str, name: str) -> Doubles:
    """A measure between each sense of word `a` and each of `b`, (Ka, Kb) float64; "bank:1" is one row alone.

    Each sense counts as a word of that one component, with weight 1.
    """
    one, other = (senses_of_key(model, key) for key in (a, b))
    rows, columns = one.means.shape[1], other.means.shape[1]
    i, j = (index.ravel() for index in np.indices((rows, columns)))
    return measure(name, _each_alone(one, i), _each_alone(other, j)).reshape(rows, columns)


def similarity(model: Model, a: str, b: str, measure: str = "mc") -> float:
    """One measure between two words or senses ("bank:1", then with weight 1)."""
    one, other = (senses_of_key(model, key) for key in (a, b))
    return float(measure_all(one, other, [measure])[measure].item())


def similarities(model: Model, a: str, b: str, names: Iterable[str] = MEASURES) -> dict[str, float]:
    """Several measures between two words or senses: {name: value}; "kl" brings "kl-reverse", the kl of b and a."""
    wanted = [check_measure(name) for name in names]
    one, other = (senses_of_key(model, key) for key in (a, b))
    values = {name: float(value.item()) for name, value in measure_all(one, other, wanted).items()}
    if "kl" in values:
        values["kl-reverse"] = float(measure("kl", other, one).item())
    return values


def senses_of(model: Model, ids: npt.ArrayLike) -> Senses:
    """The mixtures of some words by id (N,), in float64."""
    rows = np.asarray(ids)
    return Senses(
        model.means[rows].astype(np.float64),
        np.exp(model.log_variances[rows].astype(np.float64)),
        model.weights[rows].astype(np.float64),
    )


def senses_of_key(model: Model, key: str) -> Senses:
    """The mixture of "bank" with all K senses, or of "bank:1" alone with weight 1; N is 1."""
    word = model[key]
    return Senses(word.means[np.newaxis], word.variances[np.newaxis], word.weights[np.newaxis])


def check_measure(name: str) -> str:
    """`name` if it is one of `MEASURES`, otherwise `ConfigError` with the closest and the accepted ones.

    >>> check_measure("wd")
    Traceback (most recent call last):
        ...
    w2gm.errors.ConfigError: unknown measure 'wd'; accepted: mc, el, el-paper, me, kl, avesim, w2, js
    """
    if name in MEASURES:
        return name
    close = difflib.get_close_matches(str(name).lower().replace("_", "-"), MEASURES, n=1)
    hint = f" did you mean {close[0]}?" if close else ""
    raise ConfigError(f"unknown measure {name!r};{hint} accepted: {', '.join(MEASURES)}")


def _words(word: Senses, part: slice) -> Senses:
    """Some of the words; the one word that goes with all of the other side's stays."""
    return word if len(word.means) == 1 else Senses(*(array[part] for array in word))


def _rows_at_once(a: Senses, b: Senses, names: list[str]) -> int:
    """Pairs of words in a block, so that none of its arrays holds more than `_BLOCK` numbers."""
    rows, columns, dimensions = a.means.shape[1], b.means.shape[1], a.means.shape[2]
    numbers: int = rows * columns * dimensions
    if "js" in names:
        numbers = (rows + columns) ** 2 * max(dimensions, points(dimensions))
    return max(1, _BLOCK // numbers)


def _each_alone(word: Senses, senses: npt.NDArray[np.intp]) -> Senses:
    """Some senses of the first word, (n,) numbers, each as a word of its own with weight 1."""
    means, variances, _ = (array[0, senses][:, np.newaxis] for array in word)
    return Senses(means, variances, np.ones((len(senses), 1)))


def _checked_ids(model: Model, pairs: npt.ArrayLike) -> npt.NDArray[np.int64]:
    ids = np.asarray(pairs)
    if ids.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    if ids.ndim != 2 or ids.shape[1] != 2 or ids.dtype.kind not in "iu":
        raise ConfigError(f"pairs must be word ids of shape (N, 2), got {ids.dtype} of shape {ids.shape}")
    if ids.min() < 0 or ids.max() >= len(model):
        raise ConfigError(
            f"pairs must hold word ids from 0 to {len(model) - 1}, got {ids.min() if ids.min() < 0 else ids.max()}"
        )
    return ids.astype(np.int64)
