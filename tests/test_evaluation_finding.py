"""Where test sets are looked for, and what is said of those that are not there."""

from pathlib import Path

import pytest

from small_sets import write_small_sets
from w2gm.errors import DataError
from w2gm.evaluation import Pairs, data_folder, load_sets
from w2gm.evaluation.catalogue import SET_NAMES
from w2gm.evaluation.finding import inventory, load_entailment
from w2gm.evaluation.progress import BarProgress, LineProgress, Progress, make_progress, stepping


def test_the_folder_is_the_one_given_or_that_of_the_environment_or_in_the_cache(
    monkeypatch: pytest.MonkeyPatch, own_cache: Path
) -> None:
    monkeypatch.delenv("W2GM_DATA", raising=False)
    assert data_folder() == own_cache / "datasets"
    monkeypatch.setenv("W2GM_DATA", "~/sets")
    assert data_folder() == Path.home() / "sets"
    assert data_folder("here") == Path("here")


def test_sets_are_found_at_their_places_and_in_one_flat_folder(tmp_path: Path) -> None:
    write_small_sets(tmp_path / "tree")
    (tmp_path / "flat").mkdir()
    for file in (tmp_path / "tree").rglob("*.*"):
        if file.is_file():
            file.rename(tmp_path / "flat" / file.name)
    loaded, missing = load_sets(tmp_path / "flat")
    assert [one.name for one in loaded] == list(SET_NAMES)
    assert missing == []
    assert {row["state"] for row in inventory(tmp_path / "flat")} == {"another version"}


def test_what_is_missing_is_told_and_is_an_error_only_where_it_was_asked_for(tmp_path: Path) -> None:
    write_small_sets(tmp_path)
    (tmp_path / "SCWS" / "ratings.txt").unlink()
    (tmp_path / "Baroni2012" / "negative-examples.txtinput").unlink()
    loaded, missing = load_sets(tmp_path)
    assert missing == ["SCWS", "entailment"]
    assert len(loaded) == 12
    assert load_entailment(tmp_path) is None
    (pairs,), _ = load_sets(tmp_path, ["ws"])
    assert isinstance(pairs, Pairs)
    assert pairs.name == "WS"
    with pytest.raises(
        DataError, match=r"no SCWS in .*: `w2gm datasets fetch` gets the public sets, --data and W2GM"
    ):
        load_sets(tmp_path, ["WS", "SCWS"])


def test_a_folder_without_any_set_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no test set in .*nothing: `w2gm datasets fetch` gets the public sets"):
        load_sets(tmp_path / "nothing")


def test_progress_is_a_line_only_after_some_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    with stepping(LineProgress(seconds=60), 2) as steps:
        steps.step("WS")
    assert capsys.readouterr().err == ""
    with stepping(LineProgress(seconds=0), 2) as steps:
        steps.step("WS")
        steps.step("SL")
    assert capsys.readouterr().err == "WS (1 of 2)\nSL (2 of 2)\n"


def test_progress_is_a_bar_on_a_terminal_and_nothing_when_quiet(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert isinstance(make_progress(), LineProgress)
    assert type(make_progress(quiet=True)) is Progress
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert isinstance(make_progress(), BarProgress)
    with stepping(BarProgress(), 1) as steps:
        steps.step("WS")
    assert capsys.readouterr().out == ""
