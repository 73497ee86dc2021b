"""A corpus with a known answer: sentences over topics, with ambiguous words planted in two or three of them."""

from __future__ import annotations

import itertools
from bisect import bisect
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from w2gm.demo import grammar, topics
from w2gm.errors import ConfigError, StorageError

# A slot takes a word of its own topic, unless it takes a common word or strays into any topic at all.
COMMON_SHARE = 0.15
STRAY_SHARE = 0.05
# A narrower word gives way to its general word this often.
GENERAL_SHARE = 0.15
# A sentence gets a second clause this often, and that clause is of another topic this often.
SECOND_CLAUSE_SHARE = 0.35
TURN_SHARE = 0.2
# Where an ambiguous word enters its row: behind the two most frequent words.
AMBIGUOUS_RANK = 2
SENTENCES = 60_000

Row = tuple[str, ...]


class PlantedCorpus:
    """Sentences as token lists, the same ones in every pass and on every platform for the same seed.

    `topics` maps a topic to its words, `senses` an ambiguous word to its topics, and `hypernyms` a general word
    to the narrower ones in whose places it occurs.

    >>> corpus = PlantedCorpus(seed=1, sentences=2)
    >>> for sentence in corpus:
    ...     print(" ".join(sentence))
    the crowd and the caver illuminated their darkness for a long time
    without a plum no friend picked such a ripe marmalade
    >>> corpus.senses["bank"]
    ('river', 'finance')
    """

    def __init__(self, seed: int = 1, sentences: int = SENTENCES) -> None:
        if seed < 0:
            raise ConfigError(f"seed must be at least 0, got {seed}")
        if sentences < 1:
            raise ConfigError(f"sentences must be at least 1, got {sentences}")
        self.seed = seed
        self.sentences = sentences
        self._rows = _plant(_read_topics(topics.TOPICS), _read_rows(topics.AMBIGUOUS))

    def __len__(self) -> int:
        return self.sentences

    @cached_property
    def topics(self) -> dict[str, Row]:
        """The words of every topic, ambiguous ones included."""
        return {topic: tuple(itertools.chain(*rows.values())) for topic, rows in self._rows.items()}

    @cached_property
    def senses(self) -> dict[str, Row]:
        """The topics every ambiguous word is planted in."""
        planted = _read_rows(topics.AMBIGUOUS)
        return {word: tuple(place.split("/")[0] for place in places) for word, places in planted.items()}

    @cached_property
    def hypernyms(self) -> dict[str, Row]:
        """The narrower words of every general word."""
        return _read_rows(topics.GENERAL)

    def __iter__(self) -> Iterator[list[str]]:
        """Yield the sentences, from the first."""
        writer = _Writer(self)
        for _ in range(self.sentences):
            yield writer.sentence()

    def write(self, path: str | Path) -> None:
        """Write one sentence per line, UTF-8."""
        try:
            with Path(path).open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(" ".join(sentence) + "\n" for sentence in self)
        except OSError as error:
            raise StorageError(
                f"cannot write the planted corpus to {path}: {error.strerror or error}; choose another path"
            ) from None


class _Zipf:
    """Items drawn with a probability that falls with their rank, as 1 / (rank + offset)."""

    def __init__(self, items: Sequence[str], offset: float = 2.0) -> None:
        self.items = tuple(items)
        weights = [1.0 / (rank + offset) for rank in range(1, len(self.items) + 1)]
        # Plain sums and quotients: rounded the same on every platform, unlike powers and logarithms.
        self._bounds = [bound / sum(weights) for bound in itertools.accumulate(weights)][:-1]

    def pick(self, draw: float) -> str:
        """The item at `draw`, a number in [0, 1)."""
        return self.items[bisect(self._bounds, draw)]


class _Writer:
    """One pass over a corpus: fills templates, drawing from a random stream of its own."""

    def __init__(self, corpus: PlantedCorpus) -> None:
        self._draws = _uniform(corpus.seed)
        self._topics = _Zipf(list(corpus.topics), offset=20.0)
        self._words = {
            topic: {part: _Zipf(words) for part, words in rows.items()} for topic, rows in corpus._rows.items()
        }
        self._common = {part: _Zipf(words) for part, words in _read_rows(grammar.COMMON).items()}
        self._phrases = {
            "TIME": _Zipf(grammar.TIMES.strip().splitlines()),
            "MANNER": _Zipf(grammar.MANNERS.split()),
        }
        self._templates = _Zipf(grammar.TEMPLATES.strip().splitlines(), offset=10.0)
        self._joints = _Zipf(grammar.JOINTS.split())
        self._general = {narrow: wide for wide, row in corpus.hypernyms.items() for narrow in row}

    def sentence(self) -> list[str]:
        """Write one sentence of one topic, or of two where a second clause turns away."""
        topic = self._topics.pick(next(self._draws))
        words = self._clause(topic)
        if next(self._draws) < SECOND_CLAUSE_SHARE:
            if next(self._draws) < TURN_SHARE:
                topic = self._topics.pick(next(self._draws))
            words += [self._joints.pick(next(self._draws)), *self._clause(topic)]
        for place, word in enumerate(words[:-1]):
            if word == "a" and words[place + 1][0] in "aeiou":
                words[place] = "an"
        return words

    def _clause(self, topic: str) -> list[str]:
        words: list[str] = []
        for token in self._templates.pick(next(self._draws)).split():
            if token in grammar.SLOTS:
                word = self._word(topic, grammar.SLOTS[token])
                while word in words:
                    word = self._word(topic, grammar.SLOTS[token])
                words.append(word)
            elif token in self._phrases:
                words += self._phrases[token].pick(next(self._draws)).split()
            else:
                words.append(token)
        return words

    def _word(self, topic: str, part: str) -> str:
        share = next(self._draws)
        if share < COMMON_SHARE:
            return self._common[part].pick(next(self._draws))
        if share < COMMON_SHARE + STRAY_SHARE:
            topic = self._topics.pick(next(self._draws))
        word = self._words[topic][part].pick(next(self._draws))
        if word in self._general and next(self._draws) < GENERAL_SHARE:
            return self._general[word]
        return word


def _uniform(seed: int) -> Iterator[float]:
    """Numbers in [0, 1) from the raw bits of PCG64, which no version of numpy changes."""
    bits = np.random.PCG64(seed)
    while True:
        yield from ((bits.random_raw(8192) >> np.uint64(11)) * 2.0**-53).tolist()


def _read_topics(table: str) -> dict[str, dict[str, Row]]:
    """A table of topics, each followed by its indented rows."""
    found: dict[str, dict[str, Row]] = {}
    for line in table.strip().splitlines():
        if not line.startswith(" "):
            rows = found.setdefault(line, {})
        else:
            part, *words = line.split()
            rows[part] = tuple(words)
    return found


def _read_rows(table: str) -> dict[str, Row]:
    """A table whose lines are a key and its words."""
    return {key: tuple(words) for key, *words in map(str.split, table.strip().splitlines())}


def _plant(rows: dict[str, dict[str, Row]], ambiguous: dict[str, Row]) -> dict[str, dict[str, Row]]:
    """The topics with every ambiguous word put where it is planted."""
    for word, places in ambiguous.items():
        for place in places:
            topic, part = place.split("/")
            row = rows[topic][part]
            rows[topic][part] = (*row[:AMBIGUOUS_RANK], word, *row[AMBIGUOUS_RANK:])
    return rows
