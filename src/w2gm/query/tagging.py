"""The senses of all the words of a running text, block by block, however long its lines are.

Posteriors as in `context`, but of many words that stand close together and share their contexts: sixteen neighbours
and the words within a window of any of them make one matrix product of means, in float32, of which the energies
inside each word's own window are used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from w2gm.errors import ConfigError
from w2gm.query.energies import Evidence
from w2gm.query.real import real_senses
from w2gm.text.places import finder_of

if TYPE_CHECKING:
    from w2gm.model import Model

Ids = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]

_CENTRES = 16  # of 16, 32 and 64 the fastest, on 455,000 words of Wikipedia: 0.53 million words a second and core
_NUMBERS_AT_ONCE = 1 << 18  # so that the arrays of one pass stay in the cache: four times as many are 15 % slower
_LONGEST_WAIT = 1 << 20  # characters held back for a context to become complete
_MOST_REMEMBERED = 1 << 20  # spellings


class Tagged(NamedTuple):
    """A stretch of text whose words have got their senses.

    pieces: what stands between tokens and the tokens, by turns, beginning and ending with what stands between.
    words: (n,) ids of the tokens, -1 for unknown ones. senses: (n,) the most probable sense, -1 for tokens that get
    none. probabilities: (n,) float32 of these senses, 0 where there is none.
    """

    pieces: list[str]
    words: Ids
    senses: Ids
    probabilities: Floats

    def text(self) -> str:
        """The stretch with `:sense` after each word that has got one; all else is as it was."""
        pieces = self.pieces.copy()
        for place in np.flatnonzero(self.senses >= 0).tolist():
            pieces[2 * place + 1] = f"{pieces[2 * place + 1]}:{self.senses[place]}"
        return "".join(pieces)


class Tagger:
    r"""Gives the words of a text their senses, by the words around each.

    window: known words on each side, at most; the model's own unless given. every_word: tag all words of the model,
    otherwise those with more than one real sense (`real_senses`). threshold: leave out senses that are less probable.

    >>> from w2gm import Config, Mixtures, Model, Vocabulary
    >>> means = np.array([[[2, 0], [0, 2]], [[2, 0], [2, 0]], [[0, 2], [0, 2]]], np.float32)
    >>> flat = np.ones((3, 2), np.float32)
    >>> words = Vocabulary(["bank", "river", "money"], [9, 4, 4])
    >>> config = Config(vector_size=2, sample=0.0, separate_output=False)
    >>> model = Model(words, Mixtures(means, 0 * flat, flat / 2), config=config, provenance={})
    >>> "".join(part.text() for part in Tagger(model).tag(["The river Bank,\n", "a bank of money!"]))
    'The river Bank:0,\na bank:1 of money!'
    """

    def __init__(
        self, model: Model, *, window: int | None = None, every_word: bool = False, threshold: float = 0.0
    ) -> None:
        self.window = model.config.window if window is None else window
        if self.window < 1:
            raise ConfigError(f"window must be at least 1, got {window}")
        if not 0 <= threshold <= 1:
            raise ConfigError(f"threshold must be at least 0 and at most 1, got {threshold:g}")
        self.model = model
        self.finder = finder_of(model.config.tokenizer)
        self._threshold = threshold
        self._chosen = np.ones(len(model), np.bool_) if every_word else real_senses(model)
        self._ids = _Ids(model.key_to_index, self.finder.word)
        self._evidence = Evidence(model)
        self._shares = self._evidence.shares.astype(np.float32)
        self._weights = np.log(model.weights)
        # log Z of the words met so far.
        self._background = np.zeros((len(model), model.senses), np.float32)
        self._met = np.zeros(len(model), np.bool_)

    def tag(self, texts: Iterable[str]) -> Iterator[Tagged]:
        """The stretches of a text that comes in parts, none of which ends inside a token.

        A word waits until its window is complete: until the line ends (`Config.sentences`), or as many known words
        have come, or a megabyte of text has.
        """
        waiting: list[str] = [""]
        before: Ids = np.empty(0, np.int64)
        for text in texts:
            pieces = self.finder.pieces(text)
            waiting[-1] += pieces[0]
            waiting += pieces[1:]
            done, waiting, before = self._finished(waiting, before, last=False)
            yield done
        yield self._finished(waiting, before, last=True)[0]

    def _finished(self, pieces: list[str], before: Ids, last: bool) -> tuple[Tagged, list[str], Ids]:
        """(what can be tagged, the pieces that wait, the known words before these in their sentence)."""
        words = np.fromiter(map(self._ids.__getitem__, pieces[1::2]), np.int64, len(pieces) // 2)
        sentences = np.zeros(len(words) + 1, np.int64)  # of each token, and of what may follow
        if self.model.config.sentences == "lines":
            sentences = np.cumsum(["\n" in gap for gap in pieces[::2]])
        known = np.flatnonzero(words >= 0)
        ready = len(words)
        if not last:
            waiting = known[sentences[known] == sentences[-1]][-self.window :]
            if len(waiting) and sum(map(len, pieces[2 * waiting[0] + 1 :])) < _LONGEST_WAIT:
                ready = int(waiting[0])
        ids = np.concatenate([before, words[known]])
        places = np.concatenate([np.zeros(len(before), np.int64), sentences[known]])
        asked = known[self._chosen[words[known]] & (known < ready)]
        senses, probabilities = np.full(ready, -1, np.int64), np.zeros(ready, np.float32)
        answers = self._posteriors(ids, places, len(before) + np.searchsorted(known, asked))
        senses[asked], probabilities[asked] = answers.argmax(axis=1), answers.max(axis=1)
        unsure = probabilities < self._threshold
        senses[unsure], probabilities[unsure] = -1, 0
        done = Tagged(pieces[: 2 * ready + 1], words[:ready], senses, probabilities)
        passed = len(before) + int(np.searchsorted(known, ready))
        before = ids[:passed][places[:passed] == sentences[ready]][-self.window :]
        return done, ["", *pieces[2 * ready + 1 :]], before

    def _posteriors(self, ids: Ids, sentences: Ids, asked: Ids) -> Floats:
        """The senses' probabilities at the places `asked`, (n, K) float32, among known words and their sentences."""
        words = ids[asked]
        evidence, amounts = (
            np.empty((len(asked), self.model.senses), np.float32),
            np.empty((len(asked), 1), np.float32),
        )
        groups, members = np.unique(asked // _CENTRES, return_inverse=True)
        energies_each = _CENTRES * (_CENTRES + 2 * self.window) * self.model.senses**2
        step = max(1, _NUMBERS_AT_ONCE // energies_each)
        for start in range(0, len(groups), step):
            part = slice(*np.searchsorted(members, [start, start + step]))
            places = members[part] - start, asked[part] % _CENTRES
            sums, shares = self._in_groups(ids, sentences, groups[start : start + step])
            evidence[part], amounts[part] = sums[places], shares[places]
        background = self._backgrounds(words)
        evidence -= amounts * background
        evidence /= np.sqrt(np.maximum(1, amounts))
        logs = self._weights[words] + np.where(amounts > 0, background + evidence, 0)
        powers = np.exp(logs - logs.max(axis=1, keepdims=True, initial=-np.inf))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))

    def _in_groups(self, ids: Ids, sentences: Ids, groups: Ids) -> tuple[Floats, Floats]:
        """For groups of neighbours: (sum of k_c log E_i over each one's context (n, _CENTRES, K), sum of k_c)."""
        W = self.window
        centres = np.minimum(groups[:, None] * _CENTRES + np.arange(_CENTRES), len(ids) - 1)
        around = groups[:, None] * _CENTRES + np.arange(-W, _CENTRES + W)
        inside = (around >= 0) & (around < len(ids))
        around = np.clip(around, 0, len(ids) - 1)
        words, contexts = ids[centres], ids[around]
        distance = np.arange(-W, _CENTRES + W) - np.arange(_CENTRES)[:, None]
        speaks = (abs(distance) <= W) & inside[:, None] & (words[:, :, None] != contexts[:, None])
        speaks &= sentences[centres][:, :, None] == sentences[around][:, None]
        shares = speaks * self._shares[contexts][:, None]
        energies = self._evidence.batched(words, contexts, np.float32)
        energies = energies.reshape(*words.shape, self.model.senses, -1)
        return (energies @ shares[..., None])[..., 0], shares.sum(axis=2, keepdims=True)

    def _backgrounds(self, words: Ids) -> Floats:
        """Log Z of some words, (n, K); those not met before are computed now."""
        new = np.unique(words[~self._met[words]])
        self._background[new] = self._evidence.backgrounds(new, np.float32)
        self._met[new] = True
        return self._background[words]


class _Ids(dict[str, int]):
    """From a token as it is spelt to the id of its word, -1 for an unknown one; spellings met are remembered."""

    def __init__(self, index: dict[str, int], word: Callable[[str], str]) -> None:
        super().__init__()
        self._index, self._word = index, word

    def __missing__(self, token: str) -> int:
        if len(self) >= _MOST_REMEMBERED:
            self.clear()
        number = self[token] = self._index.get(self._word(token), -1)
        return number
