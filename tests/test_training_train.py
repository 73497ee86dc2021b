"""From text to model by `train`: what it promises, whatever the workers, the text and the hyperparameters."""

from __future__ import annotations

import io
import math
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import naive_sampling
import w2gm
from w2gm.config import Config
from w2gm.corpus import encode
from w2gm.errors import ConfigError, DivergenceError, StorageError, TrainingInterrupted
from w2gm.training.progress import LineProgress, Progress, TrainingState
from w2gm.training.trainer import Trainer

SETTINGS = {"min_count": 1, "vector_size": 10, "window": 4, "sample": 0.0, "workers": 1}


def two_topics(sentences=600, seed=0):
    """Token lists about water or about money; "bank" stands in both."""
    generator = np.random.default_rng(seed)
    water = ["bank", "river", "fish", "boat", "mud", "stream"]
    money = ["bank", "loan", "cash", "credit", "debt", "fund"]
    return [list(generator.choice(water if n % 2 else money, 8)) for n in range(sentences)]


def trained(text=None, **settings):
    return w2gm.train(two_topics() if text is None else text, **{**SETTINGS, "epochs": 2, **settings})


def same(one, other):
    return all(np.array_equal(getattr(one, part), getattr(other, part)) for part in ("means", "variances", "weights"))


def test_an_ambiguous_word_gets_a_sense_for_each_topic():
    """Not from every start: with eleven words both senses may settle on one topic. No start does it by chance."""
    water, money = {"river", "fish", "boat", "mud", "stream"}, {"loan", "cash", "credit", "debt", "fund"}
    parted = 0
    for seed in range(8):
        model = trained(two_topics(4000), epochs=5, alpha=0.2, ns_exponent=0.5, seed=seed)
        found = [{word for word, _, _ in model.most_similar("bank", sense=sense, topn=5)} for sense in (0, 1)]
        parted += sorted(map(sorted, found)) == sorted([sorted(water), sorted(money)])
    assert parted >= 3


def test_one_worker_repeats_bit_for_bit():
    assert same(trained(seed=3), trained(seed=3))
    assert not same(trained(seed=3), trained(seed=4))


def test_the_models_file_repeats_bit_for_bit(tmp_path):
    files = []
    for name in ("one", "other"):
        trained(output=tmp_path / name, seed=5)
        files.append((tmp_path / name / "model.safetensors").read_bytes())
    assert files[0] == files[1]


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_pairs_and_tokens_are_exact_whatever_the_workers(workers):
    text = two_topics(2000)
    facts = trained(text, workers=workers, shrink_windows=False, epochs=3).provenance
    pairs = sum(naive_sampling.expected_pairs(len(sentence), 4, shrink=False) for sentence in text)
    assert facts["tokens"] == 3 * sum(map(len, text))
    assert facts["pairs"] == 3 * pairs


@pytest.mark.parametrize("negative", [1, 4])
def test_the_loss_is_right_whatever_the_workers(negative):
    """At rate almost 0 the tables stand still, so the loss per triple is that of the first tables everywhere."""
    still = {"alpha": 1e-12, "min_alpha": 0.0, "initial_accumulator": 1e12, "warm_up": 0.0}
    still |= {"epochs": 2, "negative": negative}
    losses = [trained(two_topics(3000), workers=workers, **still).provenance["loss"] for workers in (1, 2, 4)]
    assert losses[1] == pytest.approx(losses[0], rel=1e-9)
    assert losses[2] == pytest.approx(losses[0], rel=1e-9)
    assert 0.5 < losses[0] < 1.5


def test_the_loss_falls():
    """From the margin, 1, to about 0.5: half the negatives are of the topic and cannot be told from contexts."""
    losses = [trained(two_topics(sentences), epochs=1).provenance["loss"] for sentences in (30, 6000)]
    assert losses[0] > 0.7
    assert losses[1] < 0.62


@pytest.mark.parametrize(
    "settings",
    [
        {"senses": 1},
        {"senses": 3, "covariance": "diagonal"},
        {"senses": 7},
        {"separate_output": False},
        {"separate_output": False, "covariance": "diagonal"},
        {"negative": 3, "vector_size": 17},
        {"window": 1, "shrink_windows": False, "sample": 0.01},
        {"sentences": "none"},
    ],
)
def test_every_variant_learns(settings):
    model = trained(two_topics(1500), **{"epochs": 4, "alpha": 0.1, **settings})
    near = [word for word, _, _ in model.most_similar("loan", topn=4)]
    assert len(set(near) & {"bank", "cash", "credit", "debt", "fund"}) >= 3, near
    assert model.means.shape == (11, model.senses, settings.get("vector_size", 10))
    assert (model.context is None) is not settings.get("separate_output", True)


def test_the_output_tables_can_be_left_out(tmp_path):
    assert trained(output=tmp_path / "whole").context is not None
    assert trained(output=tmp_path / "small", save_context=False).context is None
    assert (tmp_path / "whole" / "context.safetensors").exists()
    assert not (tmp_path / "small" / "context.safetensors").exists()


def test_a_generator_is_read_once_and_trained_every_epoch():
    text = two_topics()
    assert same(trained((sentence for sentence in text), epochs=3), trained(text, epochs=3))
    assert same(trained(lambda: iter(text), epochs=3), trained(text, epochs=3))


def test_diverging_stops_with_an_error_and_saves_nothing(tmp_path):
    with pytest.raises(DivergenceError, match=r"training diverged .* lower alpha \(1e\+30\)"):
        trained(alpha=1e30, initial_accumulator=1e-3, output=tmp_path / "model")
    assert not list(tmp_path.iterdir())


def test_parameters_that_are_not_finite_are_never_a_model():
    with encode(two_topics(), Config(**SETTINGS), cache=None) as corpus:
        trainer = Trainer(corpus, Config(**SETTINGS, epochs=1))
        trainer.stage.tables.output[3, 1] = np.nan
        with pytest.raises(DivergenceError, match="training diverged"):
            trainer.run(Progress())


def test_an_output_that_exists_is_refused_before_the_work(tmp_path):
    (tmp_path / "model").mkdir()

    def never():
        raise AssertionError("the text was read")

    with pytest.raises(StorageError, match="exists"):
        trained(never, output=tmp_path / "model")


def test_a_disk_too_small_for_the_model_is_refused_before_the_work(tmp_path, monkeypatch):
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr("w2gm.model.staging.shutil.disk_usage", lambda path: usage._replace(free=1000))
    monkeypatch.setattr("w2gm.training.trainer.Trainer.run", lambda self, progress: pytest.fail("it was trained"))
    with pytest.raises(StorageError, match=r"no room for .*model .* 1,000 bytes are free"):
        trained(output=tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_an_unknown_hyperparameter_names_the_closest():
    with pytest.raises(ConfigError, match="unknown hyperparameter 'widow': did you mean window"):
        trained(widow=3)


def test_provenance_tells_how_the_model_was_made():
    facts = trained().provenance
    assert facts["corpus"]["tokens"] == 600 * 8
    assert facts["corpus"]["sentences"] == 600
    assert facts["workers"] == 1
    assert facts["epochs"] == 2
    assert facts["interrupted"] is False
    assert facts["tokens_per_second"] == pytest.approx(facts["tokens"] / facts["seconds"])
    assert set(facts["versions"]) == {"w2gm", "python", "numpy", "numba"}


class Interrupter(Progress):
    """Presses Ctrl-C once something is learned."""

    def training(self, state: TrainingState) -> None:
        if state.share > 0:
            raise KeyboardInterrupt


def test_an_interrupt_keeps_what_was_learned(tmp_path):
    with pytest.raises(TrainingInterrupted, match="the model so far is in") as caught:
        trained(two_topics(3000), epochs=1000, output=tmp_path / "model", progress=Interrupter())
    kept = w2gm.load(tmp_path / "model")
    assert kept.provenance["interrupted"] is True
    assert 0 < kept.provenance["tokens"] < 1000 * 3000 * 8
    assert same(kept, caught.value.model)
    assert np.isfinite(kept.means).all()


def test_an_interrupt_leaves_an_earlier_model_alone(tmp_path):
    place = tmp_path / "model"
    earlier = trained(output=place)
    with pytest.raises(TrainingInterrupted, match=r"model\.interrupted"):
        trained(two_topics(3000), epochs=1000, output=place, overwrite=True, progress=Interrupter())
    assert same(w2gm.load(place), earlier)
    assert w2gm.load(tmp_path / "model.interrupted").provenance["interrupted"] is True


def test_an_interrupt_without_output_hands_the_model_over():
    with pytest.raises(TrainingInterrupted, match="in the exception's `model`") as caught:
        trained(two_topics(3000), epochs=1000, progress=Interrupter())
    assert len(caught.value.model) == 11


def test_an_interrupt_before_anything_is_learned_writes_nothing(tmp_path, monkeypatch):
    def stopped(self, tick, interval=0.1):
        raise KeyboardInterrupt

    monkeypatch.setattr("w2gm.training.hogwild.Team.run", stopped)
    with pytest.raises(TrainingInterrupted, match="nothing was written"):
        trained(output=tmp_path / "model")
    assert not list(tmp_path.iterdir())


def test_ctrl_c_stops_a_real_process_within_two_seconds(tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("\n".join(" ".join(sentence) for sentence in two_topics(5000)))
    command = [sys.executable, "-m", "w2gm", "train", str(text), "-o", str(tmp_path / "model"), "--epochs", "100000"]
    command += ["--min-count", "1"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        while "workers" not in process.stderr.readline():  # the line before training starts
            assert process.poll() is None, "the process ended by itself"
        time.sleep(3)
        process.send_signal(signal.SIGINT)
        sent = time.monotonic()
        said = process.stderr.read()
    assert process.returncode == 130, said
    assert time.monotonic() - sent < 2
    assert "the model so far is in" in said
    assert w2gm.load(tmp_path / "model").provenance["interrupted"] is True


def test_lines_tell_the_progress_and_the_end_once():
    stream = io.StringIO()
    trained(epochs=3, progress=LineProgress(stream, interval=0.001))
    said = stream.getvalue()
    assert "4,800 tokens" in said
    assert "epoch 3/3  100%" in said
    assert said.count("100%") == 1
    for fact in ("tokens/s", "ETA", "loss", "alpha"):
        assert fact in said


def test_a_state_estimates_what_is_left():
    state = TrainingState(0.25, 1, 4, tokens=1000, seconds=10.0, loss=0.5, learning_rate=0.04)
    assert state.speed == 100
    assert state.remaining == pytest.approx(30)
    assert math.isfinite(TrainingState(0.0, 1, 1, 0, 0.0, math.nan, 0.1).remaining)


def test_a_model_remembers_the_epochs_its_recipe_chose():
    lines = two_topics(30)
    chosen = w2gm.train(lines, senses=1, vector_size=4, min_count=1, workers=1)
    assert chosen.config.epochs == Config().epochs_for(sum(map(len, lines)))
    assert chosen.provenance["epochs"] == chosen.config.epochs
    paper = w2gm.train(lines, recipe="paper", epochs=1, senses=2, vector_size=4, min_count=1, workers=1)
    assert (paper.config.recipe, paper.config.epochs, paper.config.initial_accumulator) == ("paper", 1, 1638.4)
