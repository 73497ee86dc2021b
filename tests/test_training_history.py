"""The course of a run: every chunk counts once, in the stretch where it starts, whichever thread trained it."""

import json
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import w2gm
from w2gm.cli.entry import run
from w2gm.errors import TrainingInterrupted
from w2gm.training.history import STRETCHES, History
from w2gm.training.progress import Progress, TrainingState
from w2gm.training.schedule import Chunk, Schedule

SETTINGS = {"min_count": 1, "vector_size": 6, "window": 3, "sample": 0.0, "warm_up": 0.0}


def text(sentences: int = 3000) -> list[list[str]]:
    random = np.random.default_rng(0)
    return [list(random.choice(["a", "b", "c", "d", "e"], 8)) for _ in range(sentences)]


def dealt(ids: int, epochs: int, chunk: int) -> Iterator[Chunk]:
    schedule = Schedule(np.zeros(ids, np.int32), epochs, 0.05, 0.001, chunk)
    while (one := schedule.next()) is not None:
        yield one


def naive_points(chunks: list[tuple[Chunk, int, float, int]], ids: int, epochs: int) -> list[tuple[float, ...]]:
    """(tokens up to the end, mean loss, mean rate) of each stretch with triples, by a walk over all chunks."""
    points: list[tuple[float, ...]] = []
    tokens = 0
    for stretch in range(STRETCHES):
        own = [
            one for one in chunks
            if stretch <= Fraction(one[0].epoch * ids + one[0].start, ids * epochs) * STRETCHES < stretch + 1
        ]  # fmt: skip
        tokens += sum(one[1] for one in own)
        if triples := sum(one[3] for one in own):
            rate = sum(one[0].learning_rate * one[3] for one in own) / triples
            points.append((tokens, sum(one[2] for one in own) / triples, rate))
    return points


@settings(max_examples=30, deadline=None)
@given(
    ids=st.integers(1, 600), epochs=st.integers(1, 4), chunk=st.integers(40, 700), threads=st.integers(1, 4),
    seed=st.integers(0, 1000),
)  # fmt: skip
def test_points_are_those_of_a_walk_over_the_chunks(
    ids: int, epochs: int, chunk: int, threads: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    chunks = [
        (one, int(random.integers(0, 9)), float(random.random()), int(random.integers(0, 3)))
        for one in dealt(ids, epochs, chunk)
    ]
    history = History(ids * epochs, ids, threads)
    for place in random.permutation(len(chunks)):
        one, tokens, loss, triples = chunks[place]
        history.add(int(random.integers(threads)), one, tokens=tokens, loss=loss, triples=triples)
    points = history.points()
    expected = naive_points(chunks, ids, epochs)
    assert len(expected) <= STRETCHES
    assert points["tokens"] == [tokens for tokens, _, _ in expected]
    np.testing.assert_allclose(points["loss"], [loss for _, loss, _ in expected], rtol=1e-12)
    np.testing.assert_allclose(points["learning_rate"], [rate for _, _, rate in expected], rtol=1e-12)


@pytest.mark.parametrize("workers", [1, 3])
def test_a_model_keeps_the_course_of_its_training(workers: int) -> None:
    facts = w2gm.train(text(), epochs=3, workers=workers, alpha=0.1, min_alpha=0.01, **SETTINGS).provenance
    history = facts["history"]
    assert 50 < len(history["tokens"]) <= STRETCHES
    assert history["tokens"][-1] == facts["tokens"] == 3 * 3000 * 8
    assert (np.diff(history["tokens"]) > 0).all()
    assert (np.diff(history["learning_rate"]) < 0).all()
    assert history["learning_rate"][0] == pytest.approx(0.1)
    assert 0.01 < history["learning_rate"][-1] < 0.012


def test_the_losses_are_per_triple_whatever_the_workers() -> None:
    """At rate almost 0 the tables stand still: every stretch has about the loss of the run, and adds up to it."""
    still = SETTINGS | {"alpha": 1e-12, "min_alpha": 0.0, "initial_accumulator": 1e12, "epochs": 1}
    runs = [w2gm.train(text(), workers=workers, **still).provenance for workers in (1, 3)]
    np.testing.assert_allclose(runs[0]["history"]["loss"], runs[1]["history"]["loss"], rtol=1e-9)
    np.testing.assert_allclose(runs[0]["history"]["loss"], runs[0]["loss"], rtol=0.2)
    assert np.mean(runs[0]["history"]["loss"]) == pytest.approx(runs[0]["loss"], rel=0.01)


class Interrupter(Progress):
    """Presses Ctrl-C once something is learned."""

    def training(self, state: TrainingState) -> None:
        if state.share > 0:
            raise KeyboardInterrupt


def test_an_interrupted_model_keeps_the_course_so_far() -> None:
    with pytest.raises(TrainingInterrupted) as caught:
        w2gm.train(text(), epochs=1000, workers=1, progress=Interrupter(), **SETTINGS)
    history = caught.value.model.provenance["history"]
    assert 0 < history["tokens"][-1] == caught.value.model.provenance["tokens"] < 1000 * 3000 * 8


def test_the_history_is_saved_and_fills_no_table(tmp_path, capsys) -> None:
    model = w2gm.train(text(300), epochs=1, workers=1, output=tmp_path / "model", **SETTINGS)
    assert w2gm.load(tmp_path / "model").provenance["history"] == model.provenance["history"]
    assert "history" not in (tmp_path / "model" / "README.md").read_text()
    assert run(["info", str(tmp_path / "model")]) == 0
    assert "history" not in capsys.readouterr().out
    assert run(["info", str(tmp_path / "model"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["provenance"]["history"] == model.provenance["history"]
