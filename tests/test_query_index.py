"""The approximate index, with the real usearch: answers, recall, what is refused, and how it is kept."""

import errno
import json
import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import naive_neighbours
from terminal import pieces, without_styles
from test_model import make_model
from w2gm.cli.entry import run
from w2gm.errors import ConfigError, MissingExtraError, ModelError, StorageError
from w2gm.model import Model, load
from w2gm.model.checksums import write_checksums


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A model of 3,000 words in a folder, with its index."""
    folder = tmp_path_factory.mktemp("indexed") / "model"
    make_model(3000, senses=2, vector_size=8).save(folder)
    return folder, load(folder).build_index()


@pytest.fixture
def folder(made, tmp_path):
    """A copy, to be damaged."""
    shutil.copytree(made[0], tmp_path / "model")
    return tmp_path / "model"


@pytest.fixture(scope="module")
def model(made):
    return load(made[0])


@pytest.mark.parametrize("merge", [True, False])
def test_the_index_finds_what_the_exact_search_finds(model, merge):
    words = [f"w{number}" for number in range(0, 200, 2)] + [f"w{number}:1" for number in range(1, 200, 2)]
    exact = model.most_similar_batch(words, merge_senses=merge)
    found = model.most_similar_batch(words, merge_senses=merge, index=True)
    keys = [[[answer[:2] for answer in answers] for answers in side] for side in (found, exact)]
    assert naive_neighbours.recall(*keys) >= 0.95
    # What is found has the score of the exact search, to the last bit.
    for answers, truth in zip(found, exact, strict=True):
        scores = {answer[:2]: answer[2] for answer in truth}
        assert all(scores.get((word, sense), score) == score for word, sense, score in answers)
        assert answers == sorted(answers, key=lambda answer: -answer[2])


def test_one_question_at_a_time_is_answered_as_in_a_batch(model):
    words = ["w1", "w2:0", "w3:1"]
    batch = model.most_similar_batch(words, index=True)
    assert [model.most_similar(word, index=True) for word in words] == batch
    vector = np.arange(8.0)
    assert [n[:2] for n in model.most_similar(positive=vector, index=True, topn=3)] == [
        n[:2] for n in model.most_similar(positive=vector, topn=3)
    ]


def test_the_senses_asked_about_stay_out_of_the_answer(model):
    assert "w5" not in {word for word, _, _ in model.most_similar("w5", index=True, topn=50)}
    assert len(model.most_similar("w5", index=True, topn=50)) == 50
    own = model.most_similar("w5", sense=0, index=True, include_own=True, merge_senses=False, topn=5999)
    assert ("w5", 0) not in {answer[:2] for answer in own}
    assert model.most_similar("w5", index=True, topn=0) == []
    summed = model.most_similar(positive=["w1", "w2"], negative="w3", index=True)
    assert not {"w1", "w2", "w3"} & {word for word, _, _ in summed}


def test_the_facts_are_true(made, model):
    facts = made[1]
    assert (facts.words, facts.senses, facts.vector_size, facts.sample) == (3000, 2, 8, 1000)
    assert facts.recall >= 0.95
    random = np.random.default_rng(1)
    words = [f"w{word}:{sense}" for word, sense in zip(random.permutation(3000)[:500], [0, 1] * 250, strict=True)]
    found, exact = (model.most_similar_batch(words, index=index) for index in (True, False))
    measured = naive_neighbours.recall(*([[a[0] for a in answers] for answers in side] for side in (found, exact)))
    assert measured == pytest.approx(facts.recall, abs=0.03)
    written = json.loads((made[0] / "index" / "index.json").read_text())
    assert written["recall"] == facts.recall
    assert written["connectivity"] == 16


def test_a_recall_asked_for_widens_the_search(tmp_path):
    model = make_model(4000, senses=1, vector_size=32)
    model.save(tmp_path / "model")
    poor, good = (model.build_index(recall=recall, connectivity=4, expansion_add=8) for recall in (0.3, 0.9))
    assert good.expansion_search > poor.expansion_search
    assert good.recall > poor.recall


def test_a_model_of_one_word_has_an_index_that_answers_nothing(tmp_path):
    model = make_model(1)
    model.save(tmp_path / "model")
    assert model.build_index().recall == 1
    assert model.most_similar("w0", index=True) == []


def test_zero_means_do_not_disturb_the_index(tmp_path):
    model = make_model(300, senses=1)
    means = model.means.copy()
    means[::3] = 0
    model = Model(
        model.vocabulary,
        type(model.mixtures)(means, model.log_variances, model.weights),
        config=model.config,
        provenance={},
    )
    model.save(tmp_path / "model")
    model.build_index()
    assert [a[:2] for a in model.most_similar("w1", index=True)] == [a[:2] for a in model.most_similar("w1")]


def test_a_folder_with_an_index_can_be_loaded_saved_over_and_verified(folder):
    model = load(folder)
    assert model.most_similar("w1", index=True)
    model.save(folder, overwrite=True)
    assert not (folder / "index").exists()
    with pytest.raises(ModelError, match=r"model has no index: run w2gm index .*model$"):
        model.most_similar("w1", index=True)


def test_an_index_is_replaced_while_it_is_open(folder):
    model = load(folder)
    before = model.most_similar("w1", index=True)
    other = load(folder)
    other.build_index(connectivity=32)
    assert other.most_similar("w1", index=True) == model.most_similar("w1", index=True) == before
    assert sorted(path.name for path in folder.iterdir() if path.name.startswith(".")) == []


def test_an_index_of_other_means_is_refused(folder, tmp_path):
    make_model(3000, senses=2, vector_size=8, seed=9).save(tmp_path / "other")
    shutil.copytree(folder / "index", tmp_path / "other" / "index")
    with pytest.raises(ModelError, match=r"index was made from other means than the model has now: run w2gm index "):
        load(tmp_path / "other").most_similar("w1", index=True)
    make_model(30).save(tmp_path / "small")
    shutil.copytree(folder / "index", tmp_path / "small" / "index")
    with pytest.raises(ModelError, match=r"index was made from other means than the model has now: run w2gm index "):
        load(tmp_path / "small").most_similar("w1", index=True)


@pytest.mark.parametrize("name", ["graph.usearch", "index.json"])
def test_a_damaged_index_is_refused_before_it_is_used(folder, name):
    path = folder / "index" / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(ModelError, match=rf"index/{name} is changed: the index is damaged: run w2gm index "):
        load(folder).most_similar("w1", index=True)
    path.unlink()
    with pytest.raises(ModelError, match=rf"index/{name} is missing: the index is damaged: run w2gm index "):
        load(folder).most_similar("w1", index=True)


@pytest.mark.parametrize(
    "change", [{"format": "other"}, {"format_version": 2}, {"expansion_search": "many"}, {"expansion_search": 0}]
)
def test_facts_that_cannot_be_are_refused(folder, change):
    path = folder / "index" / "index.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    write_checksums(folder / "index")
    with pytest.raises(ModelError, match=r"index\.json is not what this w2gm writes \(.*\): run w2gm index "):
        load(folder).most_similar("w1", index=True)


def test_a_disk_that_cannot_be_read_is_one_line(folder, monkeypatch):
    def fail(*arguments, **options):
        raise OSError(errno.EIO, "Input/output error")

    model = load(folder)
    monkeypatch.setattr("usearch.index.Index.restore", fail)
    with pytest.raises(ModelError, match=r"cannot read .*index: Input/output error: run w2gm index "):
        model.most_similar("w1", index=True)


def test_a_full_disk_leaves_the_older_index_in_place(folder, monkeypatch):
    model = load(folder)

    def fail(*arguments, **options):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", fail)
        with pytest.raises(StorageError, match=r"no room for .*index \(No space left on device\)"):
            model.build_index()
    assert model.most_similar("w1", index=True)
    assert sorted(path.name for path in folder.iterdir() if path.name.startswith(".")) == []


def test_what_is_not_an_index_is_never_replaced(folder):
    (folder / "index" / "notes.txt").write_text("mine")
    with pytest.raises(StorageError, match=r"index holds files that are not an index's \(notes\.txt\): move them"):
        load(folder).build_index()
    shutil.rmtree(folder / "index")
    (folder / "index").write_text("mine")
    with pytest.raises(StorageError, match=r"index exists and is not an index: move it away first"):
        load(folder).build_index()


def test_a_model_without_a_folder_has_no_index(tmp_path):
    model = make_model(5)
    with pytest.raises(ConfigError, match=r"the index is kept in the model's folder: save the model \(not as half\)"):
        model.build_index()
    with pytest.raises(ModelError, match=r"this model is not from a folder and has no index: save it and build one"):
        model.most_similar("w1", index=True)
    model.save(tmp_path / "half", half=True)
    with pytest.raises(ConfigError, match=r"the index is kept in the model's folder"):
        model.build_index()
    half = load(tmp_path / "half")
    half.build_index()
    assert half.most_similar("w1", index=True) == half.most_similar("w1")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"recall": 0}, r"recall must be above 0 and at most 1, got 0"),
        ({"recall": float("nan")}, r"recall must be above 0 and at most 1, got nan"),
        ({"connectivity": 1}, r"connectivity must be at least 2, got 1"),
        ({"expansion_add": 0.5}, r"expansion_add must be a whole number, got 0.5"),
    ],
)
def test_parameters_that_cannot_be_are_told(model, options, message):
    with pytest.raises(ConfigError, match=message):
        model.build_index(**options)


def test_without_the_library_both_making_and_asking_say_what_to_install(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "usearch", None)
    for ask in (lambda: load(folder).build_index(), lambda: load(folder).most_similar("w1", index=True)):
        with pytest.raises(MissingExtraError, match=r'the index needs the ann extra: pip install "w2gm\[ann\]"'):
            ask()


def test_the_verb_makes_the_index_and_tells_its_recall(folder, capsys):
    shutil.rmtree(folder / "index")
    assert run(["index", str(folder), "--connectivity", "8", "--json"]) == 0
    captured = capsys.readouterr()
    facts = json.loads(captured.out)
    assert captured.err == ""
    assert facts["model"] == str(folder)
    assert facts["connectivity"] == 8
    assert facts["recall"] >= 0.95
    assert run(["neighbors", str(folder), "w1", "--index", "--json"]) == 0
    entries = json.loads(capsys.readouterr().out)
    expected = load(folder).most_similar("w1", sense=0, index=True)
    assert [tuple(neighbor) for neighbor in entries[0]["neighbors"]] == expected


def test_the_verb_as_text_and_a_recall_that_is_not_reached(folder, capsys):
    arguments = ["--recall", "1", "--connectivity", "2", "--expansion-add", "1"]
    assert run(["index", str(folder), *arguments]) == 0
    captured = capsys.readouterr()
    lines = dict(line.rsplit(maxsplit=1) for line in captured.out.splitlines()[1:])
    assert lines["connectivity"] == "2"
    assert float(lines["recall"]) < 1
    assert captured.err == (
        f"w2gm: recall {float(lines['recall']):.3f} is below 1: make a better graph with a larger --connectivity\n"
    )


def test_the_verb_refuses_in_one_line(folder, capsys):
    assert run(["index", str(folder), "--recall", "all"]) == 2
    assert capsys.readouterr().err == "w2gm: error: recall must be a number, got 'all'\n"
    assert run(["neighbors", str(folder), "w1", "--index", "--by", "kl"]) == 2
    assert capsys.readouterr().err == (
        "w2gm: error: the index knows cosines only, got by='kl': ask without the index\n"
    )


@pytest.mark.parametrize(("options", "seen"), [([], True), (["--quiet"], False)])
def test_the_verb_shows_progress_on_a_terminal(folder, options, seen):
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", "from w2gm.cli import main; main()", "index", str(folder), *options]
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "80"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, env=environment)
    os.close(theirs)
    shown = without_styles(b"".join(pieces(ours)).decode())
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert output.startswith(b"index")
    assert ("indexing" in shown and "100%" in shown) is seen
