"""Fixtures for all tests: nothing here touches the user's cache, and the slow path of the kernels is quiet."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from w2gm.cli.entry import run
from w2gm.config import Config
from w2gm.model import Mixtures, Model
from w2gm.vocabulary import Vocabulary

# word -> count and, for each of its two senses, (weight, variance, position along water, money, music, anything).
TINY_WORDS = {
    "the": (900, [(0.5, 2.0, (0.1, 0.1, 0.1, 1.0)), (0.5, 2.0, (0.1, 0.1, 0.2, 1.0))]),
    "bank": (90, [(0.25, 0.1, (1.0, 0.05, 0.0, 0.1)), (0.75, 0.2, (0.05, 1.0, 0.0, 0.1))]),
    "river": (50, [(0.9, 0.1, (1.0, 0.0, 0.0, 0.1)), (0.1, 0.4, (0.6, 0.0, 0.4, 0.4))]),
    "money": (40, [(0.8, 0.1, (0.0, 1.0, 0.0, 0.1)), (0.2, 0.4, (0.0, 0.6, 0.3, 0.5))]),
    "loan": (30, [(0.7, 0.1, (0.0, 1.0, 0.1, 0.0)), (0.3, 0.4, (0.0, 0.8, 0.1, 0.5))]),
    "water": (20, [(0.6, 0.1, (1.0, 0.0, 0.1, 0.0)), (0.4, 0.4, (0.8, 0.1, 0.1, 0.5))]),
    "guitar": (10, [(0.5, 0.1, (0.0, 0.1, 1.0, 0.0)), (0.5, 0.3, (0.1, 0.0, 0.9, 0.3))]),
    "土手": (5, [(0.5, 0.1, (0.9, 0.1, 0.0, 0.1)), (0.5, 0.3, (0.7, 0.0, 0.1, 0.3))]),
}


@pytest.fixture(scope="session")
def tiny_model() -> Model:
    """Eight words placed by hand: `bank` has a sense by the water and one, three times as frequent, at the money."""
    rows = [senses for _, senses in TINY_WORDS.values()]
    return Model(
        Vocabulary(list(TINY_WORDS), [count for count, _ in TINY_WORDS.values()]),
        Mixtures(
            means=np.array([[place for _, _, place in senses] for senses in rows], dtype=np.float32),
            log_variances=np.log([[variance for _, variance, _ in senses] for senses in rows]).astype(np.float32),
            weights=np.array([[weight for weight, _, _ in senses] for senses in rows], dtype=np.float32),
        ),
        config=Config(senses=2, vector_size=4, seed=7),
        provenance={"tokens": 1145, "loss": 0.25, "corpus": {"sentences": 100}},
    )


@pytest.fixture(scope="session")
def tiny_folder(tiny_model: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny model, saved."""
    folder = tmp_path_factory.mktemp("models") / "tiny"
    tiny_model.save(folder)
    return folder


@pytest.fixture
def answer(capsys: pytest.CaptureFixture[str]) -> Any:
    """Call a verb that succeeds; what it printed, read as JSON where that was asked for."""

    def call(*arguments: str) -> Any:
        assert run([str(argument) for argument in arguments]) == 0
        captured = capsys.readouterr()
        assert captured.err == ""
        return json.loads(captured.out) if "--json" in arguments else captured.out

    return call


@pytest.fixture
def refusal(capsys: pytest.CaptureFixture[str]) -> Any:
    """Call a verb that fails; its exit code and its one line."""

    def call(*arguments: str) -> tuple[int, str]:
        code = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err.count("\n") == 1
        return code, captured.err.removeprefix("w2gm: error: ").rstrip("\n")

    return call


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A cache of encoded text that lives as long as the tests; the commands they start inherit it."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("W2GM_CACHE", str(folder))
        yield folder


@pytest.fixture(autouse=True)
def machine_arithmetic() -> Iterator[None]:
    """With the compiler off, numpy's scalars stand in for the machine's: as silent about overflow as it is."""
    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        with np.errstate(all="ignore"):
            yield
    else:
        yield
