"""Every fault of a model folder is named in one line when it is opened."""

import errno
import json
import os
import shutil

import numpy as np
import pytest

from test_model import make_model
from w2gm.errors import ModelError
from w2gm.model import Model, load


@pytest.fixture
def folder(tmp_path):
    make_model(["the", "bank", "river"], context=True).save(tmp_path / "model")
    return tmp_path / "model"


def edit_config(folder, **changes):
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_a_path_that_is_no_folder_is_told(tmp_path):
    with pytest.raises(ModelError, match=r"no model at .*absent: it does not exist: train one, or check the path"):
        load(tmp_path / "absent")
    (tmp_path / "file").write_text("")
    with pytest.raises(ModelError, match=r"file is not a folder: give the model folder itself"):
        load(tmp_path / "file")


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "vocab.tsv"])
def test_a_missing_file_is_named(folder, name):
    (folder / name).unlink()
    with pytest.raises(ModelError, match=rf"{name} is missing: the (model )?folder is"):
        load(folder)


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "context.safetensors", "vocab.tsv"])
def test_a_pipe_in_place_of_a_file_is_refused_and_not_waited_for(folder, name):
    (folder / name).unlink()
    os.mkfifo(folder / name)
    with pytest.raises(ModelError, match=rf"{name} is (missing|not a file)"):
        load(folder)


def test_context_and_card_and_checksums_may_be_left_out(folder):
    for name in ("context.safetensors", "README.md", "checksums.txt"):
        (folder / name).unlink()
    assert load(folder).context is None


def test_a_failing_disk_is_one_line(folder, monkeypatch):
    def fail(self):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(type(folder), "read_bytes", fail)
    with pytest.raises(ModelError, match=r"cannot read the model at .*model: Input/output error"):
        load(folder)


@pytest.mark.parametrize("text", [b"", b"{", b"\xff", b"[" * 100_000, b'{"a": ' + b"9" * 5000 + b"}"])
def test_a_description_that_is_not_json_is_told(folder, text):
    (folder / "config.json").write_bytes(text)
    with pytest.raises(ModelError, match=r"config.json is not valid JSON: .*: the file is damaged") as caught:
        load(folder)
    assert "\n" not in str(caught.value)


def test_an_enormous_description_is_not_read(folder):
    with (folder / "config.json").open("wb") as file:
        file.truncate(1 << 34)
    with pytest.raises(ModelError, match=r"config.json is larger than 16777216 bytes"):
        load(folder)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "gensim"}, r"describes no w2gm model: format is 'gensim', not 'w2gm-model'"),
        (
            {"format_version": 2, "package_version": "9.1"},
            r"format version 2 \(written by w2gm '9.1'\).*reads version 1",
        ),
        ({"format_version": "1"}, r"format version '1'"),
        ({"format_version": True}, r"format version True"),
        ({"format_version": None}, r"format version None"),
        ({"shape": [3]}, r"shape must be a JSON object, got \[3\]"),
        ({"hyperparameters": None}, r"hyperparameters must be a JSON object, got None"),
        ({"provenance": "x" * 99}, r"provenance must be a JSON object, got 'x{56}\.\.\.$"),
        (
            {"hyperparameters": {"vector_sise": 5}, "package_version": "9.1"},
            r"\(written by w2gm '9.1', this is .*\): unknown hyperparameter 'vector_sise': did you mean vector_size",
        ),
        ({"hyperparameters": {"window": 0}}, r"window must be at least 1 and at most 1000, got 0"),
        ({"hyperparameters": {"alpha": 10**400}}, r"alpha must be above 0, got a number too large for a float"),
        ({"hyperparameters": {"window": "ten"}}, r"window must be of type int, got 'ten'"),
        ({"shape": {}}, r"shape words must be a number of at least 1, got None"),
        ({"shape": {"words": 0}}, r"shape words must be a number of at least 1, got 0"),
        ({"shape": {"words": 3, "senses": 5}}, r"shape senses is 5, its hyperparameters say 2: the file is damaged"),
        ({"precision": "float8"}, r"precision must be float32 or float16, got 'float8'"),
    ],
)
def test_a_description_that_cannot_be_is_told(folder, changes, message):
    edit_config(folder, **changes)
    with pytest.raises(ModelError, match=message) as caught:
        load(folder)
    assert "\n" not in str(caught.value)


def test_a_description_that_is_a_list_is_told(folder):
    (folder / "config.json").write_text("[1, 2]")
    with pytest.raises(ModelError, match=r"config.json must hold a JSON object, got \[1, 2\]"):
        load(folder)


@pytest.mark.parametrize("name", ["model.safetensors", "context.safetensors"])
def test_arrays_of_another_model_are_told(folder, tmp_path, name):
    make_model(4, context=True).save(tmp_path / "other")
    shutil.copy(tmp_path / "other" / name, folder / name)
    with pytest.raises(ModelError, match=rf"{name}: means has shape \(4, 2, 5\), config.json says \(3, 2, 5\)"):
        load(folder)


def test_an_array_that_is_missing_is_told(folder):
    header = json.dumps({"means": {"dtype": "F32", "shape": [3, 2, 5], "data_offsets": [0, 120]}}).encode()
    (folder / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + bytes(120))
    with pytest.raises(ModelError, match=r"model.safetensors has no array log_variances: it is not of a w2gm model"):
        load(folder)


def test_truncated_arrays_are_told(folder):
    data = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(data[:-4])
    with pytest.raises(ModelError, match=r"the file is cut off or damaged"):
        load(folder)


def test_words_of_another_model_are_told(folder):
    (folder / "vocab.tsv").write_text("the\t3\nbank\t2\n")
    with pytest.raises(
        ModelError, match=r"vocab.tsv lists 2 words, the arrays hold 3: the files are not of the same"
    ):
        load(folder)


def test_values_are_checked_when_asked_for(folder):
    data = bytearray((folder / "model.safetensors").read_bytes())
    data[-4:] = np.float32(np.nan).tobytes()
    (folder / "model.safetensors").write_bytes(data)
    model = Model.load(folder)
    with pytest.raises(ModelError, match=r"hold nan: every value must be finite"):
        model.check()
