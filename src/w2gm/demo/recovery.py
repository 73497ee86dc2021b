"""How much of a planted answer a model has found: one number, and the components behind it.

The rule. A component belongs to a topic if at least eight of its ten nearest neighbours are plain words of that
topic. Ambiguous, general and common words belong to no topic, but keep their places among the ten. So no
component belongs to two topics, and a component whose neighbours are a mixture belongs to none. A planted sense
(word, topic) is recovered if a component of the word belongs to the topic, and the word uses it: its weight is at
least 0.05. More components than senses do not help a model that has not told the senses apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from w2gm.demo.planted import PlantedCorpus
from w2gm.errors import ConfigError
from w2gm.model import Model

CLEAR_MAJORITY = 8  # of ten
MINIMUM_WEIGHT = 0.05


@dataclass(frozen=True)
class Component:
    """One component of an ambiguous word: `topic` is the one it belongs to, `planted` if the word has that topic."""

    word: str
    sense: int
    weight: float
    variance: float
    neighbors: tuple[str, ...]
    topic: str | None
    planted: bool


@dataclass(frozen=True)
class Recovery:
    """The score of a model: `recovered` is the share of the `planted` senses that are not `missed`."""

    rows: tuple[Component, ...]
    planted: int
    missed: tuple[tuple[str, str], ...]

    @property
    def recovered(self) -> float:
        """Share of the planted senses that have a component of their own, 0 to 1."""
        return 1.0 - len(self.missed) / self.planted


def score(model: Model, corpus: PlantedCorpus, topn: int = 10) -> Recovery:
    """Look up every component of every ambiguous word of `corpus`, and count the planted senses among them.

    The majority asked of `topn` neighbours is eight tenths, rounded up. A word that the model does not know has
    recovered nothing.

    >>> from w2gm import Config, Mixtures, Vocabulary
    >>> corpus = PlantedCorpus()
    >>> words = sorted({word for topic in corpus.topics.values() for word in topic})
    >>> means = np.random.default_rng(1).normal(size=(len(words), 1, 8)).astype(np.float32)
    >>> mixtures = Mixtures(means, np.zeros((len(words), 1), np.float32), np.ones((len(words), 1), np.float32))
    >>> config = Config(senses=1, vector_size=8)
    >>> untrained = Model(Vocabulary(words, np.ones(len(words))), mixtures, config=config, provenance={})
    >>> recovery = score(untrained, corpus)
    >>> recovery.planted, recovery.recovered
    (58, 0.0)
    """
    if topn < 1:
        raise ConfigError(f"topn must be at least 1, got {topn}")
    topics = topics_of_plain_words(corpus)
    rows: list[Component] = []
    missed: list[tuple[str, str]] = []
    for word, planted in corpus.senses.items():
        components = _components(model, word, planted, topics, topn) if word in model else []
        found = {row.topic for row in components if row.weight >= MINIMUM_WEIGHT}
        missed += [(word, topic) for topic in planted if topic not in found]
        rows += components
    return Recovery(tuple(rows), sum(map(len, corpus.senses.values())), tuple(missed))


def topics_of_plain_words(corpus: PlantedCorpus) -> dict[str, str]:
    """The topic of every word that has only one.

    >>> topics = topics_of_plain_words(PlantedCorpus())
    >>> topics["water"], "bank" in topics
    ('river', False)
    """
    return {word: topic for topic, words in corpus.topics.items() for word in words if word not in corpus.senses}


def _components(
    model: Model, word: str, planted: tuple[str, ...], topics: dict[str, str], topn: int
) -> list[Component]:
    number = model.key_to_index[word]
    rows = []
    for sense in range(model.senses):
        neighbors = tuple(neighbor for neighbor, *_ in model.most_similar(word, sense=sense, topn=topn))
        topic = _majority([topics[neighbor] for neighbor in neighbors if neighbor in topics], topn)
        rows.append(
            Component(
                word=word,
                sense=sense,
                weight=float(model.weights[number, sense]),
                variance=float(np.exp(np.mean(model.log_variances[number, sense]))),
                neighbors=neighbors,
                topic=topic,
                planted=topic in planted,
            )
        )
    return rows


def _majority(topics: list[str], topn: int) -> str | None:
    """The topic that has at least eight tenths of `topn`, if there is one."""
    wanted = -(-topn * CLEAR_MAJORITY // 10)
    return next((topic for topic in sorted(set(topics)) if topics.count(topic) >= wanted), None)
