"""The planted corpus: the same everywhere, English enough, and with the answer it claims to have."""

import hashlib
import itertools
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

from w2gm.demo import PlantedCorpus, grammar, topics
from w2gm.demo.planted import COMMON_SHARE, STRAY_SHARE, _plant, _read_rows, _read_topics, _Zipf
from w2gm.demo.recovery import topics_of_plain_words
from w2gm.errors import ConfigError, StorageError

CORPUS = PlantedCorpus(seed=3, sentences=20_000)
TOPIC_OF = topics_of_plain_words(CORPUS)


@pytest.fixture(scope="module")
def sentences() -> list[list[str]]:
    return list(CORPUS)


@pytest.fixture(scope="module")
def company(sentences: list[list[str]]) -> dict[str, Counter[str]]:
    """word -> topic -> how many plain words of that topic stand in sentences with the word."""
    found: dict[str, Counter[str]] = {}
    for sentence in sentences:
        topics_here = Counter(TOPIC_OF[word] for word in sentence if word in TOPIC_OF)
        for word in set(sentence) & (CORPUS.senses.keys() | CORPUS.hypernyms.keys()):
            found.setdefault(word, Counter()).update(topics_here)
    return found


# What the tables say


def test_there_are_dozens_of_topics_of_some_two_dozen_words() -> None:
    assert len(CORPUS.topics) >= 36
    for topic, words in CORPUS.topics.items():
        assert 20 <= len(words) <= 32, topic


def test_at_least_24_words_are_planted_in_two_or_three_topics_58_senses_in_all() -> None:
    assert len(CORPUS.senses) >= 24
    assert {len(planted) for planted in CORPUS.senses.values()} == {2, 3}
    assert sum(map(len, CORPUS.senses.values())) == 58


def test_every_topic_word_is_planted_where_the_answer_says_and_nowhere_else() -> None:
    for word in set(itertools.chain(*CORPUS.topics.values())):
        places = [topic for topic, words in CORPUS.topics.items() if word in words]
        assert sorted(places) == sorted(CORPUS.senses.get(word, places[:1]))
        assert sum(words.count(word) for words in CORPUS.topics.values()) == len(places)


def test_common_and_general_words_are_no_topic_words() -> None:
    topic_words = set(itertools.chain(*CORPUS.topics.values()))
    tables = [grammar.TEMPLATES, grammar.JOINTS, grammar.COMMON, grammar.TIMES, grammar.MANNERS]
    common = set(" ".join(tables).split()) - set(_read_rows(grammar.COMMON))
    assert not topic_words & common
    assert not topic_words & CORPUS.hypernyms.keys()
    assert not common & CORPUS.hypernyms.keys()


def test_a_general_word_has_narrower_ones_in_more_topics_than_any_word_has_senses() -> None:
    for general, narrow in CORPUS.hypernyms.items():
        assert len(set(narrow)) == len(narrow)
        assert len({TOPIC_OF[word] for word in narrow}) > 3, general


def test_planting_puts_the_word_behind_the_two_most_frequent_of_its_row() -> None:
    rows = _read_topics("sky\n    people pilot\n    things cloud wind kite")
    planted = _plant(rows, {"plane": ("sky/things",), "star": ("sky/people",)})
    assert planted == {"sky": {"people": ("pilot", "star"), "things": ("cloud", "wind", "plane", "kite")}}


# What the sentences show


def test_the_same_seed_writes_the_same_sentences_in_every_pass() -> None:
    corpus = PlantedCorpus(seed=5, sentences=300)
    first = list(corpus)
    assert list(corpus) == first == list(PlantedCorpus(seed=5, sentences=300))
    assert list(PlantedCorpus(seed=6, sentences=300)) != first


def test_two_passes_at_once_do_not_disturb_each_other() -> None:
    corpus = PlantedCorpus(sentences=200)
    pairs = list(zip(corpus, corpus, strict=True))
    assert all(left == right for left, right in pairs)


def test_a_shorter_corpus_is_the_beginning_of_a_longer_one() -> None:
    assert list(PlantedCorpus(sentences=50)) == list(itertools.islice(PlantedCorpus(), 50))
    assert len(PlantedCorpus(sentences=50)) == 50


def test_the_sentences_of_a_seed_are_those_of_every_other_machine() -> None:
    text = "\n".join(" ".join(sentence) for sentence in PlantedCorpus(seed=1, sentences=2000))
    assert (
        hashlib.sha256(text.encode()).hexdigest()
        == "b848dd4ccb4f4edb17e3a0b18584ca686f7bac30b75bbe9d4a0941ae0d6fb700"
    )


def test_an_ambiguous_word_keeps_company_with_exactly_its_planted_topics(company: dict[str, Counter[str]]) -> None:
    for word, planted in CORPUS.senses.items():
        nearest = company[word].most_common(len(planted) + 1)
        assert {topic for topic, _ in nearest[:-1]} == set(planted), word
        assert nearest[-1][1] < nearest[-2][1] / 3, word


def test_a_general_word_stands_in_the_contexts_of_its_narrower_ones(company: dict[str, Counter[str]]) -> None:
    for general, narrow in CORPUS.hypernyms.items():
        # A rare narrower word leaves few traces of its general one: its topic may fall behind the strays.
        expected = {TOPIC_OF[word] for word in narrow}
        assert {topic for topic, _ in company[general].most_common(5)} <= expected, general
        assert sum(company[general][topic] for topic in expected) > 0.75 * company[general].total()


def test_there_is_noise_in_the_share_that_is_stated(sentences: list[list[str]]) -> None:
    common = set(itertools.chain(*_read_rows(grammar.COMMON).values())) - set(grammar.TEMPLATES.split())
    one_clause = [s for s in sentences if not set(s) & set(grammar.JOINTS.split())]
    filled = Counter[str]()
    for sentence in one_clause:
        here = [TOPIC_OF[word] for word in sentence if word in TOPIC_OF]
        main = Counter(here).most_common(1)[0][0] if here else None
        filled["stray"] += sum(topic != main for topic in here)
        filled["own"] += sum(topic == main for topic in here)
        filled["common"] += sum(word in common for word in sentence)
    total = filled.total()
    assert abs(filled["stray"] / total - STRAY_SHARE) < 0.03
    assert abs(filled["common"] / total - COMMON_SHARE) < 0.04


def test_sentences_read_like_english(sentences: list[list[str]]) -> None:
    lengths = [len(sentence) for sentence in sentences]
    assert min(lengths) >= 6
    assert 10 < np.mean(lengths) < 20
    for sentence in sentences:
        assert not any(word.isupper() for word in sentence)
        for word, following in itertools.pairwise(sentence):
            if word in ("a", "an"):
                assert (word == "an") == (following[0] in "aeiou"), " ".join(sentence)


def test_a_clause_never_repeats_a_topic_word(sentences: list[list[str]]) -> None:
    for sentence in sentences:
        if not set(sentence) & set(grammar.JOINTS.split()):
            repeated = {word for word, n in Counter(sentence).items() if n > 1}
            assert not repeated & (TOPIC_OF.keys() | CORPUS.senses.keys()), " ".join(sentence)


def test_frequencies_fall_with_the_rank_as_stated() -> None:
    items = [f"word{rank}" for rank in range(12)]
    zipf = _Zipf(items)
    drawn = Counter(zipf.pick(draw) for draw in np.random.default_rng(1).random(40_000))
    expected = np.array([1 / (rank + 3) for rank in range(12)])
    expected *= 40_000 / expected.sum()
    assert scipy.stats.chisquare([drawn[item] for item in items], expected).pvalue > 1e-3


@pytest.mark.parametrize("items", [["one"], ["one", "two", "three"]])
def test_the_ends_of_the_unit_interval_pick_the_first_and_the_last(items: list[str]) -> None:
    assert _Zipf(items).pick(0.0) == items[0]
    assert _Zipf(items).pick(np.nextafter(1.0, 0.0)) == items[-1]


# The file, and what is refused


def test_the_written_file_has_a_sentence_per_line(tmp_path: Path) -> None:
    corpus = PlantedCorpus(seed=2, sentences=40)
    corpus.write(tmp_path / "planted.txt")
    lines = (tmp_path / "planted.txt").read_text(encoding="utf-8").splitlines()
    assert [line.split() for line in lines] == list(corpus)


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        StorageError, match=r"cannot write the planted corpus to .*no-folder.*: No such file .* another"
    ):
        PlantedCorpus(sentences=1).write(tmp_path / "no-folder" / "planted.txt")


def test_a_negative_seed_is_refused() -> None:
    with pytest.raises(ConfigError, match="seed must be at least 0, got -1"):
        PlantedCorpus(seed=-1)


def test_a_corpus_of_no_sentences_is_refused() -> None:
    with pytest.raises(ConfigError, match="sentences must be at least 1, got 0"):
        PlantedCorpus(sentences=0)


def test_no_table_line_is_malformed() -> None:
    for topic, rows in _read_topics(topics.TOPICS).items():
        assert set(rows) == set(grammar.SLOTS.values()), topic
        assert all(len(words) >= 3 for words in rows.values()), topic
    slots = {token for token in grammar.TEMPLATES.split() if token.isupper()}
    assert slots == {*grammar.SLOTS, "TIME", "MANNER"}
