"""What a user holds: a vocabulary, its mixtures, and how they were made."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from w2gm.config import Config
from w2gm.errors import ModelError, UnknownWordError
from w2gm.model.description import Description
from w2gm.model.distribution import WordDistribution
from w2gm.model.folder import Parts, read_folder, write_folder
from w2gm.model.mixtures import Floats, Mixtures
from w2gm.vocabulary import Vocabulary

if TYPE_CHECKING:
    from w2gm.query.analogy import Analogy
    from w2gm.query.components import Gaussians
    from w2gm.query.entailment import Entailment
    from w2gm.query.index import IndexFacts, SenseIndex
    from w2gm.query.questions import Term
    from w2gm.query.similar import Neighbor


class Model:
    """V words, each a mixture of K Gaussians in D dimensions.

    Words are strings; one sense of a word is written `bank:1`, and a word that is itself spelt so comes first.
    `context` holds the mixtures of the context words (the output tables), or None. Arrays are read-only.

    >>> means = np.array([[[1, 0], [0, 1]], [[1, 0.1], [1, -1]]], dtype=np.float32)
    >>> flat = np.zeros((2, 2), dtype=np.float32)
    >>> model = Model(
    ...     Vocabulary(["bank", "river"], [9, 4]),
    ...     Mixtures(means, log_variances=flat, weights=flat + 0.5),
    ...     config=Config(senses=2, vector_size=2),
    ...     provenance={},
    ... )
    >>> len(model), "bank" in model, "bank:1" in model, "bank:2" in model
    (2, True, True, False)
    >>> model["bank:1"].mean
    array([0., 1.])
    >>> [(word, sense, round(score, 3)) for word, sense, score in model.most_similar("bank", sense=0)]
    [('river', 0, 0.995)]
    >>> round(model.similarity("bank:1", "river"), 3)
    0.1
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        mixtures: Mixtures,
        *,
        config: Config,
        provenance: dict[str, Any],
        context: Mixtures | None = None,
    ) -> None:
        if len(vocabulary) != mixtures.words:
            raise ModelError(f"{len(vocabulary)} words need as many mixtures, got {mixtures.words}")
        for name in ("senses", "vector_size", "covariance"):
            if getattr(mixtures, name) != getattr(config, name):
                raise ModelError(
                    f"the mixtures have {name} {getattr(mixtures, name)}, their config says {getattr(config, name)}"
                )
        if context is not None and context.means.shape != mixtures.means.shape:
            raise ModelError(f"context means must have shape {mixtures.means.shape}, got {context.means.shape}")
        if context is not None and context.covariance != mixtures.covariance:
            raise ModelError(f"context must be {mixtures.covariance} too, got {context.covariance}")
        self.vocabulary = vocabulary
        self.mixtures = mixtures
        self.config = config
        self.provenance = provenance
        self.context = context
        # Where it was loaded from or saved to: the index is kept there.
        self.folder: Path | None = None

    @property
    def means(self) -> Floats:
        """(V, K, D) float32."""
        return self.mixtures.means

    @property
    def log_variances(self) -> Floats:
        """(V, K) when spherical, (V, K, D) when diagonal; float32."""
        return self.mixtures.log_variances

    @property
    def weights(self) -> Floats:
        """(V, K) float32, each row sums to 1."""
        return self.mixtures.weights

    @cached_property
    def variances(self) -> Floats:
        """exp(log_variances), of the same shape; computed once, when first asked for."""
        variances = self.mixtures.variances
        variances.flags.writeable = False
        return variances

    @property
    def index_to_key(self) -> list[str]:
        """The words by id, the most frequent first."""
        return self.vocabulary.words

    @property
    def key_to_index(self) -> dict[str, int]:
        """The ids by word."""
        return self.vocabulary.index

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """(V,) occurrences in the training text."""
        return self.vocabulary.counts

    @property
    def senses(self) -> int:
        """Components per word, K."""
        return self.mixtures.senses

    @property
    def vector_size(self) -> int:
        """Dimensions of the space, D."""
        return self.mixtures.vector_size

    @property
    def covariance(self) -> str:
        """'spherical' or 'diagonal'."""
        return self.mixtures.covariance

    @cached_property
    def unit_means(self) -> Floats:
        """(V, K, D) float32, the means at length 1 (zero means stay zero); computed once, when first asked for."""
        from w2gm.query.neighbors import unit_rows  # see most_similar

        return unit_rows(self.means)

    @cached_property
    def components(self) -> Gaussians:
        """All V * K components, row by row, as queries compare them; made when first asked for."""
        from w2gm.query.components import Gaussians  # see most_similar

        rows = len(self) * self.senses
        return Gaussians(
            self.means.reshape(rows, -1), self.log_variances.reshape(rows, -1), self.weights.reshape(rows)
        )

    @cached_property
    def sense_index(self) -> SenseIndex:
        """The approximate index in the model's folder; opened when first asked for."""
        from w2gm.query.index import open_index  # see most_similar

        return open_index(self)

    def facts(self) -> dict[str, Any]:
        """What `w2gm info` prints as JSON: sizes, hyperparameters, and how the model was made."""
        return {
            "words": len(self),
            "senses": self.senses,
            "vector_size": self.vector_size,
            "covariance": self.covariance,
            "context": self.context is not None,
            "config": self.config.to_dict(),
            "provenance": self.provenance,
        }

    def __len__(self) -> int:
        return self.mixtures.words

    def __repr__(self) -> str:
        return (
            f"Model(words={len(self)}, senses={self.senses}, vector_size={self.vector_size}, "
            f"covariance={self.covariance!r})"
        )

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self._find(key) is not None

    def __getitem__(self, key: str) -> WordDistribution:
        """The distribution of a word, or of one sense alone (`bank:1`, then with weight 1)."""
        word, sense = self.locate(key)
        chosen = slice(None) if sense is None else slice(sense, sense + 1)
        return WordDistribution(
            word=self.vocabulary.words[word],
            weights=self.weights[word].astype(np.float64) if sense is None else np.ones(1),
            means=self.means[word, chosen].astype(np.float64),
            variances=np.exp(self.log_variances[word, chosen].astype(np.float64)),
            numbers=tuple(range(self.senses))[chosen],
        )

    def locate(self, key: str) -> tuple[int, int | None]:
        """(id, sense) of `bank:1`, (id, None) of `bank`; otherwise `UnknownWordError` with what is known.

        A word of the vocabulary that is spelt like a sense, as `10:30`, is that word.
        """
        found = self._find(key)
        if found is not None:
            return found
        word, number = _split(key)
        known = self.vocabulary.id(word)
        # The word is known and was not found: it is the sense that does not exist.
        self.check_sense(word, number)
        return known, number

    def _find(self, key: str) -> tuple[int, int | None] | None:
        """What `locate` gives, or None, without a search for close words."""
        index = self.vocabulary.index
        if key in index:
            return index[key], None
        word, number = _split(key)
        if word in index and number is not None and number < self.senses:
            return index[word], number
        return None

    def check_sense(self, word: str, sense: int | None) -> None:
        """Raise `UnknownWordError` if `word`, as every word of this model, has no sense of that number."""
        if sense is not None and not 0 <= sense < self.senses:
            raise UnknownWordError(
                f"{word!r} has no sense {sense}; this model has senses 0 to {self.senses - 1} of every word"
            )

    def check(self) -> None:
        """Read every value of the arrays and raise `ModelError` for one that cannot be; see `Mixtures.check`."""
        self.mixtures.check()
        if self.context is not None:
            self.context.check()

    def most_similar(
        self,
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
        """The `topn` nearest (word, sense, score); see `w2gm.query.similar.most_similar`."""
        # The one look upwards in this room, and only when asked: a model answers for itself, and the answers
        # are functions of it that live in query/.
        from w2gm.query import similar

        return similar.most_similar(
            self,
            word,
            sense=sense,
            topn=topn,
            positive=positive,
            negative=negative,
            by=by,
            restrict_vocab=restrict_vocab,
            min_count=min_count,
            include_own=include_own,
            merge_senses=merge_senses,
            index=index,
        )

    def similarity(self, a: str, b: str, measure: str = "mc") -> float:
        """One measure between two words or senses ("bank:1"); see `w2gm.query.measures`.

        mc, el, el-paper, me, kl, avesim, w2 or js: all rise with similarity, me, kl, w2 and js up to 0.
        """
        from w2gm.query import measures  # see most_similar

        return measures.similarity(self, a, b, measure)

    def entailment(self, a: str, b: str, *, level: float = 0.05, threshold: float | None = None) -> Entailment:
        """Whether `a` entails `b` (aircraft, vehicle): score, direction, verdict; see `w2gm.query.entailment`."""
        from w2gm.query import entailment  # see most_similar

        return entailment.entailment(self, a, b, level=level, threshold=threshold)

    def analogy(
        self,
        a: str,
        b: str,
        c: str,
        *,
        topn: int = 10,
        method: str = "add",
        answers: str = "senses",
        restrict_vocab: int | None = None,
    ) -> list[Analogy]:
        """The `topn` best (word, sense, score) to "a is to b as c is to ..."; see `w2gm.query.analogy`."""
        from w2gm.query import analogy  # see most_similar

        return analogy.analogy(
            self, a, b, c, topn=topn, method=method, answers=answers, restrict_vocab=restrict_vocab
        )

    def most_similar_batch(self, words: Iterable[str | npt.NDArray[Any]], **options: Any) -> list[list[Neighbor]]:
        """The answer of `most_similar` to each of `words`; see `w2gm.query.similar.most_similar_batch`."""
        from w2gm.query import similar  # see most_similar

        return similar.most_similar_batch(self, words, **options)

    def build_index(self, **options: Any) -> IndexFacts:
        """Make the approximate index in the model's folder; see `w2gm.query.index.build_index`."""
        from w2gm.query.index import build_index  # see most_similar

        self.__dict__.pop("sense_index", None)
        return build_index(self, **options)

    def disambiguate(self, word: str, context: str | Iterable[str]) -> npt.NDArray[np.float64]:
        """The probability of each sense of a word, (K,), by the words around it: a text or a list of words.

        See `w2gm.query.disambiguation.disambiguate`.
        """
        from w2gm.query import disambiguation  # see most_similar

        return disambiguation.disambiguate(self, word, context)

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False, half: bool = False) -> None:
        """Write the model folder, whole or not at all; `half` stores means and log-variances as float16.

        A model with a value that is not finite is refused (`ModelError`). An existing model folder is replaced
        only with `overwrite`, anything else never (`StorageError`); see docs/model-folder.md.
        """
        self.check()
        described = Description(self.config, len(self), "float16" if half else "float32", self.provenance)
        write_folder(path, Parts(self.vocabulary, self.mixtures, self.context, described), overwrite=overwrite)
        # What was stored as half is not what this model holds: its index is made after loading it.
        self.folder = None if half else Path(path).absolute()
        self.__dict__.pop("sense_index", None)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Model:
        """Open a model folder. Arrays are mapped, not read; `check()` reads them."""
        parts = read_folder(path)
        model = cls(
            parts.vocabulary,
            parts.mixtures,
            config=parts.description.config,
            provenance=parts.description.provenance,
            context=parts.context,
        )
        model.folder = Path(path).absolute()
        return model


def _split(key: str) -> tuple[str, int | None]:
    """("bank", 1) of "bank:1"; (key, None) of anything that is not spelt so."""
    word, _, number = key.rpartition(":")
    # More digits than this are no sense, and may be too many for int.
    if word and number.isascii() and number.isdecimal() and len(number) < 10:
        return word, int(number)
    return key, None


def load(path: str | os.PathLike[str]) -> Model:
    """Open a model folder; see `Model.load`.

    >>> load("no-such-folder")
    Traceback (most recent call last):
        ...
    w2gm.errors.ModelError: no model at no-such-folder: it does not exist: train one, or check the path
    """
    return Model.load(path)
