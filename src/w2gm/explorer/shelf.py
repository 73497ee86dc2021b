"""The models that are shown, each under a name of its own, with what the pages need made once."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from functools import cached_property

import numpy as np
import numpy.typing as npt

from w2gm.errors import ConfigError, UnknownWordError
from w2gm.explorer.completion import Completion
from w2gm.model import Model
from w2gm.query.plane import Plane, principal_plane

# Rows in one piece of the sums: a copy in float64 of a large model never stands in memory whole.
_ROWS = 65_536


class Shown:
    """A model, and what is made of it once: completion, the plane of the map, its points."""

    def __init__(self, name: str, model: Model) -> None:
        self.name = name
        self.model = model
        self._lock = threading.RLock()

    @property
    def completion(self) -> Completion:
        """The words, ready to be searched."""
        with self._lock:
            return self._completion

    @property
    def plane(self) -> Plane:
        """The plane of the map: the first two principal components of all means."""
        with self._lock:
            return self._plane

    @property
    def points(self) -> bytes:
        """The map, four little-endian float32 for each component, row word * senses + sense.

        x, y, log-variance (the mean over dimensions of a diagonal covariance), natural logarithm of the count.
        """
        with self._lock:
            return self._points

    def warm(self) -> None:
        """Make what the first questions need, so that they need not wait."""
        with self._lock:
            self._completion  # noqa: B018
            self.model.key_to_index  # noqa: B018
            self.model.unit_means  # noqa: B018

    def checked(self, key: str) -> str:
        """`key` if it is a word or a sense of this model, else `UnknownWordError` with what may have been meant."""
        if key in self.model:
            return key
        word, colon, number = key.rpartition(":")
        if colon and number.isdecimal() and word in self.model:
            self.model.check_sense(word, min(int(number[:9]), 10**9))
        near = [self.model.index_to_key[found.number] for found in self.completion.complete(key, 3)]
        hint = f"closest known words: {', '.join(near)}" if near else "no known word is close to it"
        raise UnknownWordError(f"unknown word {key!r}; {hint}")

    @cached_property
    def _completion(self) -> Completion:
        return Completion(self.model.index_to_key)

    @cached_property
    def _plane(self) -> Plane:
        means = self.model.means.reshape(-1, self.model.vector_size)
        return principal_plane(means[start : start + _ROWS] for start in range(0, len(means), _ROWS))

    @cached_property
    def _points(self) -> bytes:
        model = self.model
        means = model.means.reshape(-1, model.vector_size)
        table = np.empty((len(means), 4), dtype="<f4")
        table[:, :2] = self._plane.points(means)
        table[:, 2] = spreads(model).ravel()
        table[:, 3] = np.repeat(np.log(np.maximum(model.counts, 1)), model.senses)
        return table.tobytes()


class Shelf:
    """Models by name, in the order given."""

    def __init__(self, models: Iterable[tuple[str, Model]]) -> None:
        self._shown: dict[str, Shown] = {}
        for wanted, model in models:
            name, number = wanted, 2
            while name in self._shown:
                name, number = f"{wanted}-{number}", number + 1
            self._shown[name] = Shown(name, model)
        if not self._shown:
            raise ConfigError("nothing to explore: give at least one model")

    def __iter__(self) -> Iterator[Shown]:
        return iter(self._shown.values())

    def named(self, name: str | None) -> Shown:
        """The model of that name; the first one for None."""
        if name is None:
            return next(iter(self))
        if name not in self._shown:
            raise UnknownWordError(f"no model {name!r} here; known ones: {', '.join(self._shown)}")
        return self._shown[name]


def spreads(model: Model) -> npt.NDArray[np.float32]:
    """One log-variance for each sense (V, K): the mean over dimensions of a diagonal covariance."""
    logs = model.log_variances
    return np.asarray(logs if logs.ndim == 2 else logs.mean(axis=2), dtype=np.float32)
