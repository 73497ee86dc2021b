"""What a sense is about: the words near it that are far from the word's other senses."""

from __future__ import annotations

import itertools

from w2gm.model import Model
from w2gm.query.similar import neighbors_by_sense

CANDIDATES = 40
OTHERS_COUNT = 0.3
KNOWN_TO_ALL = 10_000  # rarer words are often nearer, and tell a reader little
_STEM, _ENDING = 4, 3


def labels(model: Model, word: str, *, topn: int = 4) -> list[list[str]]:
    """The `topn` most telling words for each sense of `word`; "bank:1" gives the list of that sense only.

    Of the 40 nearest among the 10,000 most frequent words, those with the highest cosine to the sense less 0.3 times
    the highest cosine to another sense of the word. Of words that differ in their ending only, the first one stands
    for all (see `same_stem`), and the word itself in another form is left out, as long as enough others remain.

    >>> import numpy as np
    >>> from w2gm import Config, Mixtures, Vocabulary
    >>> means = np.array([[[1, 0], [0, 1]], [[1, 0], [1, 0.1]], [[0, 1], [0.1, 1]]], np.float32)
    >>> flat = np.ones((3, 2), np.float32)
    >>> mixtures = Mixtures(means, 0 * flat, flat / 2)
    >>> words = Vocabulary(["bank", "river", "money"], [9, 4, 4])
    >>> labels(Model(words, mixtures, config=Config(vector_size=2), provenance={}), "bank", topn=1)
    [['river'], ['money']]
    """
    number, _ = model.locate(word)
    name, index, units = model.index_to_key[number], model.key_to_index, model.unit_means
    result = []
    for entry in neighbors_by_sense(model, word, topn=max(CANDIDATES, topn), restrict_vocab=KNOWN_TO_ALL):
        near = [neighbor for neighbor, _, _ in entry["neighbors"]]
        rows = units[[index[neighbor] for neighbor in near]]
        cosines = (rows @ units[number].T).max(axis=1)  # (candidates, K), each by its nearest sense
        others = [sense for sense in range(model.senses) if sense != entry["sense"]]
        telling = cosines[:, entry["sense"]]
        if others:
            telling = telling - OTHERS_COUNT * cosines[:, others].max(axis=1)
        order = [near[place] for place in (-telling).argsort(kind="stable")]
        chosen: list[str] = []
        for candidate in order:
            if not any(same_stem(candidate, other) for other in [name, *chosen]):
                chosen.append(candidate)
        rest = [candidate for candidate in order if candidate not in chosen]
        result.append((chosen + rest)[:topn])
    return result


def same_stem(one: str, other: str) -> bool:
    """Whether two words agree but for endings of at most three letters, after at least four that are the same.

    >>> same_stem("bank", "banking"), same_stem("computer", "computing"), same_stem("river", "rivet")
    (True, True, True)
    >>> same_stem("bank", "band"), same_stem("1990", "1991")
    (False, False)
    """
    same = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    common = sum(1 for _ in same)
    return common >= _STEM and max(len(one), len(other)) - common <= _ENDING
