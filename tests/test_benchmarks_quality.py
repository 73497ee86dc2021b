"""What benchmarks/ judge quality by: measures against the slow twin, scores against SciPy and brute force."""

import importlib
import itertools
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

import naive
import naive_evaluation
from small_sets import WORDS, small_model, write_small_sets
from w2gm.config import Config
from w2gm.evaluation import Settings, evaluate
from w2gm.model import Mixtures, Model
from w2gm.query.measures import measure
from w2gm.query.sensepairs import Senses

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture(scope="module")
def benchmark(request):
    """A module of benchmarks/ by name."""
    sys.path.insert(0, str(BENCHMARKS))
    yield importlib.import_module
    sys.path.remove(str(BENCHMARKS))


def random_mixtures(words=12, senses=2, size=5, seed=0):
    draw = np.random.default_rng(seed)
    return Senses(
        draw.normal(size=(words, senses, size)).astype(np.float32),
        np.exp(draw.normal(size=(words, senses))).astype(np.float32),
        draw.dirichlet(np.ones(senses), words).astype(np.float32),
    )


def test_pairs_of_a_table_are_measured_in_their_order(benchmark):
    mixtures = random_mixtures()
    pairs = np.array(list(itertools.product(range(12), repeat=2)))
    actual = benchmark("measures").measured(mixtures, pairs)
    for name in ("mc", "avesim", "el", "me", "kl"):
        one, other = (Senses(*(part[list(rows)] for part in mixtures)) for rows in zip(*pairs.tolist(), strict=True))
        np.testing.assert_array_equal(actual[name], measure(name, one, other))


def test_spearman_with_ties_equals_scipy(benchmark):
    scores, ratings = np.random.default_rng(1).integers(0, 6, (2, 80)).astype(float)
    assert benchmark("measures").spearman(scores, ratings) == pytest.approx(100 * spearmanr(scores, ratings)[0])


def test_entailment_is_scored_by_cosine_and_by_kl(benchmark):
    draw = np.random.default_rng(2)
    values, truth = (
        dict(zip(("mc", "kl"), draw.integers(0, 8, (2, 40)).astype(float), strict=True)),
        draw.random(40) < 0.4,
    )
    scores = benchmark("measures").entailment(values, truth)
    assert set(scores) == {"cos accuracy", "cos f1", "kl accuracy", "kl f1"}
    for name, key in (("cos", "mc"), ("kl", "kl")):
        accuracy, f1, _ = naive_evaluation.detection(values[key], truth)
        assert (scores[f"{name} accuracy"], scores[f"{name} f1"]) == pytest.approx((100 * accuracy, 100 * f1))


def test_merging_moves_nine_tenths_and_loses_no_token(benchmark):
    pseudowords = benchmark("pseudowords")
    ids = np.random.default_rng(3).integers(-1, 6, 50_000).astype(np.int32)
    counts = np.array([(ids == word).sum() for word in range(6)])
    pairs = [pseudowords.PseudoWord(1, 2, "equal"), pseudowords.PseudoWord(4, 5, "1:5")]
    new, new_counts = pseudowords.merged(ids, counts, pairs, seed=1)
    np.testing.assert_array_equal(new_counts, [(new == word).sum() for word in range(8)])
    np.testing.assert_array_equal(
        new[(ids == 0) | (ids == 3) | (ids == -1)], ids[(ids == 0) | (ids == 3) | (ids == -1)]
    )
    assert set(ids[new == 6]) == {1, 2}
    assert set(ids[new == 7]) == {4, 5}
    assert new_counts[6] / (counts[1] + counts[2]) == pytest.approx(0.9, abs=0.02)


def test_pseudo_words_are_told_apart_by_the_rule(benchmark):
    pseudowords = benchmark("pseudowords")
    draw = np.random.default_rng(4)
    means = draw.normal(size=(300, 2, 20)).astype(np.float32)
    means[298] = means[[10, 20], 0]  # one component for each word
    means[299] = means[[30, 30], 1]  # both for the same
    flat = np.ones((300, 2), np.float32)
    mixtures = Senses(means, flat, flat / 2)
    pairs = [pseudowords.PseudoWord(10, 20, "equal"), pseudowords.PseudoWord(30, 40, "1:5")]
    assert pseudowords.told_apart(mixtures, pairs) == {"equal": 100.0, "1:5": 0.0}


def test_pairs_chosen_are_plain_unrelated_in_use_and_of_the_right_ratio(benchmark):
    pseudowords = benchmark("pseudowords")
    draw = np.random.default_rng(5)
    counts = np.sort(draw.integers(900, 12_000, 3000))[::-1]
    counts = np.append(60_000_000 - counts.sum(), counts)
    words = ["the", *("word" + "".join(chr(97 + int(d)) for d in str(n)) for n in range(3000))]
    pairs = pseudowords.choose(words, counts, {words[1500]}, each=20, seed=1)
    used = [word for pair in pairs for word in pair[:2]]
    assert len(used) == len(set(used)) == 80
    assert 1500 not in used
    for pair in pairs:
        wanted = 1 if pair.ratio == "equal" else 5
        assert counts[pair.second] / counts[pair.first] == pytest.approx(wanted, rel=0.11)


def test_held_out_text_is_whole_sentences_and_a_hundredth(benchmark):
    ids = np.tile(np.array([3, 1, -1], np.int32), 1000)
    ids[0::3] = np.arange(1000)
    trained, held = benchmark("judges").hold_out(ids)
    assert held[0::3].tolist() == list(range(99, 1000, 100))
    assert sorted(np.concatenate([trained[0::3], held[0::3]]).tolist()) == list(range(1000))
    assert (held[2::3] == -1).all()


def test_held_out_triples_stand_side_by_side_in_the_text(benchmark):
    judges = benchmark("judges")
    ids = np.arange(40_000, dtype=np.int32) % 400
    ids[399::400] = -1
    triples = judges.held_out_triples(ids, np.full(20_000, 1), window=3)  # too rare to be subsampled
    distance = np.abs(triples.centres - triples.contexts)
    assert distance.min() == 1
    assert distance.max() == 3
    assert (triples.centres >= 0).all()
    assert (triples.contexts >= 0).all()
    assert len(set(triples.negatives.tolist())) > 10_000


def test_held_out_loss_is_the_loss_of_the_twin(benchmark):
    judges = benchmark("judges")
    inputs, outputs = (random_mixtures(seed=seed) for seed in (6, 7))
    triples = judges.Triples(*np.random.default_rng(8).integers(0, 12, (3, 30)))
    tables = naive.Tables(
        *(naive.Table(one.means, np.log(one.variances), np.log(one.weights)) for one in (inputs, outputs))
    )
    losses = [naive.triple_loss(tables, *map(int, triple), margin=1.0) for triple in zip(*triples, strict=True)]
    actual = judges.held_out_loss(inputs, outputs, triples, margin=1.0)
    assert actual["loss"] == pytest.approx(np.mean(losses), rel=0.01)


def test_a_word_is_split_when_its_components_lean_to_both_lists(benchmark):
    judges = benchmark("judges")
    names = [name for word, lists in judges.OBVIOUS.items() for name in (word, *" ".join(lists).split())]
    ids = {name: number for number, name in enumerate(dict.fromkeys(names))}
    means = np.full((len(ids), 2, 15), 0.01, np.float32)
    for axis, (word, lists) in enumerate(judges.OBVIOUS.items()):
        for side, listed in enumerate(lists):
            means[[ids[name] for name in listed.split()], :, 2 * axis + side] = 1
            means[ids[word], side, 2 * axis + side] = 1
    means[ids["bank"], 1] = means[ids["bank"], 0]
    flat = np.ones((len(ids), 2), np.float32)
    found = judges.splits(Senses(means, flat, flat / 2), ids)
    assert found == {word: word != "bank" for word in judges.OBVIOUS}


def test_paper_sets_are_scored_in_lower_case_over_the_words_there_are(benchmark, tmp_path):
    measures = benchmark("measures")
    write_small_sets(tmp_path)
    known = [word.lower() for word in WORDS]
    mixtures = random_mixtures(words=len(known), seed=3)
    scores = measures.score_paper_sets(tmp_path, mixtures, {word: number for number, word in enumerate(known)})
    assert set(scores) == {"sets", "mean of nine", "entailment", "found"}
    assert scores["found"]["WS"] == 13
    assert list(scores["sets"]) == ["mc", "avesim", "el", "me", "kl"]
    nine = [value for name, value in scores["sets"]["me"].items() if name not in ("MC", "RG", "YP")]
    assert len(nine) == 9
    assert scores["mean of nine"]["me"] == pytest.approx(np.mean(nine))
    model = small_model(known)
    model = Model(
        model.vocabulary, Mixtures(mixtures.means, np.log(mixtures.variances), mixtures.weights),
        config=Config(senses=2, vector_size=5, separate_output=False), provenance={},
    )  # fmt: skip
    expected = evaluate(model, measures.paper_sets(tmp_path), Settings(("me", "el"), resamples=1))["sets"]
    assert scores["sets"]["el"]["RG"] == pytest.approx(expected["RG"]["scores"]["el"]["found"])
    assert scores["entailment"]["kl f1"] == pytest.approx(expected["entailment"]["kl"]["f1"])


def test_a_grid_takes_every_combination_and_every_seed(benchmark):
    runs = benchmark("quality").grid(
        {"seeds": [1, 2], "run": [{"name": "a {alpha} k {senses}", "alpha": [0.1, 0.2], "senses": [1, 2]}]}
    )
    assert len(runs) == 8
    assert {run["name"] for run in runs} == {"a 0.1 k 1", "a 0.1 k 2", "a 0.2 k 1", "a 0.2 k 2"}
    assert {run["seed"] for run in runs} == {1, 2}
