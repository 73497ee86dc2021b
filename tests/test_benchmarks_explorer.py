"""The load script of the explorer: many clients at once bring no error, and errors there are would be counted."""

import importlib
import sys
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browser import explorer
from explorer_models import random_model

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
WORDS = [f"word{number}" for number in range(3000)]


@pytest.fixture(scope="module")
def script() -> Iterator[Any]:
    path = list(sys.path)
    sys.path.insert(0, str(BENCHMARKS))
    yield importlib.import_module("explorer")
    sys.path[:] = path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("loaded") / "model"
    random_model(WORDS).save(folder)
    return folder


def test_fifty_clients_at_once_bring_no_error_and_memory_stays(script: Any, folder: Path) -> None:
    with explorer(folder) as (address, process):
        host = urllib.parse.urlsplit(address).netloc
        assert script.alone(host, "keystroke", WORDS)["median"] > 0
        found = script.together(host, WORDS, clients=50, seconds=4, pid=process.pid)
    assert (found["errors"], found["first errors"]) == (0, [])
    assert found["answers"] > 50
    before, after = found["memory MB"]
    assert after < 1.3 * before


def test_errors_are_counted(script: Any, folder: Path) -> None:
    with explorer(folder) as (address, process):
        host = urllib.parse.urlsplit(address).netloc
        found = script.together(host, ["nobody knows this"], clients=2, seconds=0.5, pid=process.pid)
    assert found["errors"] > 0
    assert found["first errors"][0].endswith(": 404")
