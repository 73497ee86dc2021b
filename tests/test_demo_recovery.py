"""The score gives models made by hand exactly what they deserve, and models that know nothing next to nothing."""

import dataclasses
import itertools
from collections.abc import Callable

import numpy as np
import pytest

from w2gm.config import Config
from w2gm.demo import PlantedCorpus, Recovery, score
from w2gm.demo.recovery import topics_of_plain_words
from w2gm.errors import ConfigError
from w2gm.model import Mixtures, Model
from w2gm.vocabulary import Vocabulary

CORPUS = PlantedCorpus()
TOPICS = list(CORPUS.topics)
TOPIC_OF = topics_of_plain_words(CORPUS)
WORDS = [*TOPIC_OF, *CORPUS.senses, *CORPUS.hypernyms, "the", "man"]
Placing = Callable[[str], list[list[str]]]


def made_by_hand(places: Placing, senses: int, *, without: str = "", weights: list[float] | None = None) -> Model:
    """A model with a dimension per topic: component s of an ambiguous word lies amid the topics places(word)[s]."""
    words = [word for word in WORDS if word != without]
    random = np.random.default_rng(1)
    means = random.normal(0, 0.05, (len(words), senses, len(TOPICS))).astype(np.float32)
    means[[word in CORPUS.senses for word in words]] = 0
    for number, word in enumerate(words):
        here = [[TOPIC_OF[word]]] * senses if word in TOPIC_OF else places(word) if word in CORPUS.senses else []
        for sense, topics in enumerate(here):
            means[number, sense, [TOPICS.index(topic) for topic in topics]] += 1
    return Model(
        Vocabulary(words, np.arange(len(words), 0, -1)),
        Mixtures(
            means=means,
            log_variances=np.full((len(words), senses), np.log(0.25), dtype=np.float32),
            weights=np.tile(np.float32(weights or [1 / senses] * senses), (len(words), 1)),
        ),
        config=Config(senses=senses, vector_size=len(TOPICS)),
        provenance={},
    )


def own_component_each(word: str) -> list[list[str]]:
    return [[topic] for topic in itertools.islice(itertools.cycle(CORPUS.senses[word]), 3)]


def found(recovery: Recovery) -> int:
    return recovery.planted - len(recovery.missed)


def test_a_model_with_a_component_for_every_sense_scores_one() -> None:
    recovery = score(made_by_hand(own_component_each, 3), CORPUS)
    assert (recovery.recovered, recovery.planted, recovery.missed) == (1.0, 58, ())


def test_one_component_recovers_one_sense_of_each_word() -> None:
    recovery = score(made_by_hand(lambda word: [[CORPUS.senses[word][0]]], 1), CORPUS)
    assert found(recovery) == len(CORPUS.senses)
    assert recovery.recovered == pytest.approx(28 / 58)
    assert set(recovery.missed) == {(word, topic) for word, row in CORPUS.senses.items() for topic in row[1:]}


def test_a_component_amid_all_topics_of_its_word_recovers_none() -> None:
    recovery = score(made_by_hand(lambda word: [list(CORPUS.senses[word])], 1), CORPUS)
    # Its neighbours are drawn from its topics as by coin: eight of ten from one of two has a probability of 0.11.
    assert recovery.recovered < 0.1


def test_three_components_of_one_sense_count_once() -> None:
    recovery = score(made_by_hand(lambda word: [[CORPUS.senses[word][1]]] * 3, 3), CORPUS)
    assert found(recovery) == len(CORPUS.senses)


def test_a_component_of_a_topic_that_was_not_planted_recovers_nothing() -> None:
    def elsewhere(word: str) -> list[list[str]]:
        return [["kitchen"]] * 3

    recovery = score(made_by_hand(elsewhere, 3), CORPUS)
    assert recovery.recovered == 0
    for row in (row for row in recovery.rows if row.topic is not None):
        assert (row.topic, row.planted) == ("kitchen", False)


def test_a_random_model_scores_zero() -> None:
    made = made_by_hand(own_component_each, 3)
    means = np.random.default_rng(7).normal(size=made.means.shape).astype(np.float32)
    mixtures = Mixtures(means, np.array(made.log_variances), np.array(made.weights))
    assert score(Model(made.vocabulary, mixtures, config=made.config, provenance={}), CORPUS).recovered == 0


def test_a_component_that_the_word_hardly_uses_is_no_sense() -> None:
    recovery = score(made_by_hand(own_component_each, 3, weights=[0.48, 0.48, 0.04]), CORPUS)
    assert set(recovery.missed) == {(word, row[2]) for word, row in CORPUS.senses.items() if len(row) == 3}


def test_the_senses_of_a_word_the_model_does_not_know_are_missed() -> None:
    recovery = score(made_by_hand(own_component_each, 3, without="cell"), CORPUS)
    assert recovery.missed == (("cell", "biology"), ("cell", "telephony"), ("cell", "prison"))
    assert recovery.planted == 58
    assert "cell" not in {row.word for row in recovery.rows}


def test_rows_say_where_each_component_is() -> None:
    model = made_by_hand(own_component_each, 3, weights=[0.5, 0.3, 0.2])
    rows = [row for row in score(model, CORPUS).rows if row.word == "bank"]
    assert [(row.sense, row.topic, row.planted) for row in rows] == [
        (0, "river", True),
        (1, "finance", True),
        (2, "river", True),
    ]
    assert [row.weight for row in rows] == pytest.approx([0.5, 0.3, 0.2])
    assert [row.variance for row in rows] == pytest.approx([0.25] * 3)
    for row in rows:
        assert row.neighbors == tuple(word for word, *_ in model.most_similar("bank", sense=row.sense, topn=10))


@dataclasses.dataclass
class Answering:
    """Stands for a model of one component whose words all have the same neighbours."""

    neighbors: list[str]
    senses: int = 1

    def __post_init__(self) -> None:
        self.key_to_index = dict.fromkeys(WORDS, 0)
        self.weights = np.ones((1, 1))
        self.log_variances = np.zeros((1, 1))

    def __contains__(self, word: str) -> bool:
        return word in self.key_to_index

    def most_similar(self, word: str, *, sense: int, topn: int) -> list[tuple[str, int, float]]:
        return [(neighbor, 0, 0.5) for neighbor in self.neighbors[:topn]]


def plain(topic: str, n: int) -> list[str]:
    return [word for word in CORPUS.topics[topic] if word in TOPIC_OF][:n]


@pytest.mark.parametrize(
    ("neighbors", "topic"),
    [
        (plain("river", 10), "river"),
        (plain("river", 8) + plain("finance", 2), "river"),
        (plain("finance", 2) + plain("river", 8), "river"),
        (plain("river", 7) + plain("finance", 3), None),
        ([*plain("river", 7), "the", "man", "animal"], None),
        ([*plain("river", 7), "bass", "current", "rock"], None),
        (plain("river", 7), None),
        ([], None),
    ],
)
def test_eight_of_ten_neighbours_are_a_clear_majority_and_seven_are_not(
    neighbors: list[str], topic: str | None
) -> None:
    rows = {row.word: row for row in score(Answering(neighbors), CORPUS).rows}  # type: ignore[arg-type]
    assert rows["bank"].topic == topic
    assert rows["bank"].planted == (topic is not None)


@pytest.mark.parametrize(("topn", "wanted"), [(1, 1), (2, 2), (3, 3), (5, 4), (6, 5), (20, 16)])
def test_the_majority_grows_with_the_number_of_neighbours(topn: int, wanted: int) -> None:
    def topic(own: int) -> str | None:
        model = Answering(plain("river", own) + ["the"] * (topn - own))
        return score(model, CORPUS, topn=topn).rows[0].topic  # type: ignore[arg-type]

    assert (topic(wanted), topic(wanted - 1)) == ("river", None)


def test_no_neighbours_at_all_are_refused() -> None:
    with pytest.raises(ConfigError, match="topn must be at least 1, got 0"):
        score(made_by_hand(own_component_each, 3), CORPUS, topn=0)
