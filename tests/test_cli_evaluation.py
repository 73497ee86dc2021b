"""`w2gm evaluate`, `compare` and `datasets`: what they print, in every format, and how they refuse."""

import json
from pathlib import Path
from typing import Any

import pytest

from small_sets import small_model, write_small_sets
from w2gm.cli.entry import run
from w2gm.evaluation import Settings, compare, evaluate, load_sets, read_pairs
from w2gm.interop import read_word2vec
from w2gm.model import load

FAST = ("--resamples", "20")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with sets/, the models w2g and w2gm, and a file of vectors."""
    folder = tmp_path_factory.mktemp("place")
    write_small_sets(folder / "sets")
    small_model(senses=1).save(folder / "w2g")
    small_model(senses=2).save(folder / "w2gm")
    (folder / "vectors.txt").write_text("cup 1 2 3\nmug 1 2 2\ncat -1 0 3\ndog -1 1 2\ntea 0 3 1\ndrink 0 4 1\n")
    (folder / "bad.txt").write_text("cup mug 1\ncup mug\n")
    return folder


@pytest.fixture(autouse=True)
def no_data_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("W2GM_DATA", raising=False)


def finite(value: Any) -> Any:
    """As JSON has it: NaN is null."""
    return json.loads(json.dumps(value, default=float).replace("NaN", "null"))


def test_evaluate_as_json_keeps_the_contract_and_is_what_the_library_says(answer: Any, place: Path) -> None:
    result = answer("evaluate", place / "w2gm", "--data", place / "sets", *FAST, "--json")
    row = result["sets"]["WS"]
    assert (row["pairs"], row["found"]) == (16, 13)
    assert set(row["scores"]) == {"mc", "el", "el-paper", "me", "kl", "avesim", "w2", "js"}
    assert set(row["scores"]["mc"]) == {"found", "low", "high", "all", "all_low", "all_high"}
    assert {"MaxSim", "AveSim", "AvgSimC", "MaxSimC", "mc"} < set(result["sets"]["SCWS"]["scores"])
    for name in ("cos", "kl", "kl-reverse"):
        assert {"accuracy", "f1", "ap"} < set(result["sets"]["entailment"][name])
    assert result["sets"]["analogies"]["3CosAdd"]["sections"]["gram1-adjective-to-adverb"]["questions"] == 2
    datasets, _ = load_sets(place / "sets")
    assert result.pop("model") == str(place / "w2gm")
    assert result == finite(evaluate(load(place / "w2gm"), datasets, Settings(resamples=20)))


@pytest.mark.parametrize("form", ["table", "csv", "json", "md", "tex"])
def test_every_format_is_written_and_twice_the_same(answer: Any, place: Path, form: str) -> None:
    for verb, models in (("evaluate", ["w2gm"]), ("compare", ["w2g", "w2gm"])):
        call = [verb, *(place / name for name in models), "--data", place / "sets", *FAST, "--format", form]
        printed = answer(*call)
        assert printed == answer(*call)
        sign = {"table": "Spearman x 100", "csv": "set,", "json": '{"', "md": "|---|", "tex": r"\begin{tabular}"}[
            form
        ]
        assert sign in printed
        assert "WS" in printed


def test_sets_measures_and_pairs_of_ones_own(answer: Any, place: Path, tmp_path: Path) -> None:
    own = tmp_path / "mine.csv"
    own.write_text("one,two,score\ncup,mug,9\ncat,dog,5\ntea,drink,7\n")
    alone = answer("evaluate", place / "w2gm", "--pairs", own, *FAST, "--measures", "mc, kl", "--json")
    assert list(alone["sets"]) == ["mine"]
    assert list(alone["sets"]["mine"]["scores"]) == ["mc", "kl"]
    expected = evaluate(load(place / "w2gm"), [read_pairs(own)], Settings(("mc", "kl"), resamples=20))
    assert alone == {"model": str(place / "w2gm"), **finite(expected)}
    both = answer(
        "evaluate", place / "w2gm", "--pairs", own, "--data", place / "sets", "--sets", "rg,WS", *FAST, "--json"
    )
    assert list(both["sets"]) == ["WS", "RG", "mine"]


def test_case_is_stated_and_counts(answer: Any, place: Path) -> None:
    call = ("evaluate", place / "w2gm", "--data", place / "sets", "--sets", "WS", *FAST, "--json", "--case")
    found = {case: answer(*call, case)["sets"]["WS"]["found"] for case in ("fallback", "lower", "keep")}
    assert found == {"fallback": 13, "lower": 12, "keep": 12}
    assert "case keep: words are looked up as written" in answer(*call[:-2], "--case", "keep")


def test_the_data_folder_may_come_from_the_environment(
    answer: Any, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("W2GM_DATA", str(place / "sets"))
    assert "SL" in answer("evaluate", place / "w2gm", *FAST, "--sets", "SL")


def test_compare_takes_models_and_word_vectors(answer: Any, place: Path) -> None:
    names = ["w2g", "w2gm", "vectors.txt"]
    call = ["compare", *(place / name for name in names), "--data", place / "sets", *FAST]
    result = answer(*call, "--json")
    assert list(result["models"]) == names
    models = {
        "w2g": load(place / "w2g"),
        "w2gm": load(place / "w2gm"),
        "vectors.txt": read_word2vec(place / names[2]),
    }
    datasets, _ = load_sets(place / "sets")
    settings = Settings(("mc", "el", "me"), resamples=20)
    assert result == finite(compare(models, datasets, settings))
    printed = answer(*call, "--between", "w2gm/mc,w2g/mc", "--policy", "all")
    assert "w2gm/mc less w2g/mc, paired bootstrap" in printed
    line = next(line for line in printed.splitlines() if line.startswith("WS "))
    assert "*" in line
    assert "n/a" in line


def test_a_model_twice_has_two_names(answer: Any, place: Path) -> None:
    result = answer(
        "compare", place / "w2g", place / "w2g", "--data", place / "sets", *FAST, "--sets", "WS", "--json"
    )
    assert list(result["models"]) == ["w2g", "w2g 2"]
    assert result["paired"]["sets"]["WS"]["difference"] == 0


@pytest.mark.parametrize("form", ["table", "csv", "json", "md", "tex"])
def test_the_variance_report_in_every_format(answer: Any, place: Path, form: str) -> None:
    printed = answer(
        "evaluate",
        place / "w2gm",
        "--variance",
        "--unimodal",
        place / "w2g",
        "--data",
        place / "sets",
        "--format",
        form,
    )
    assert "rock" in printed
    if form == "json":
        assert set(json.loads(printed)) == {"words", "polysemy", "frequency", "generality"}
    short = answer("evaluate", place / "w2gm", "--variance", "--data", place, "--json")
    assert set(short) == {"words", "frequency"}


def test_missing_sets_are_told_on_standard_error(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_small_sets(tmp_path)
    (tmp_path / "SCWS" / "ratings.txt").unlink()
    assert run(["evaluate", str(place / "w2gm"), "--data", str(tmp_path), *FAST]) == 0
    assert capsys.readouterr().err == "w2gm: not there: SCWS; see w2gm datasets\n"


def test_datasets_lists_what_is_there(answer: Any, place: Path) -> None:
    listed = answer("datasets", "--data", place / "sets", "--json")
    assert listed["folder"] == str(place / "sets")
    assert len(listed["files"]) == 15
    assert {row["state"] for row in listed["files"]} == {"another version"}
    printed = answer("datasets", "--data", place / "nothing")
    assert printed.splitlines()[1].split()[:3] == ["SL", "999", "SimLex-999"]
    assert printed.count("missing") == 15


def test_datasets_fetch_gets_what_is_missing_and_fails_where_it_cannot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from test_evaluation_fetching import CONTENT, Server, file_of
    from w2gm.evaluation import catalogue
    from w2gm.evaluation.catalogue import Source, known_sets

    with Server() as closed:
        address = closed.address("/rg.txt")
    sets = tuple(one._replace(files=(file_of(Source(address)),)) for one in known_sets(["RG", "MC"]))
    monkeypatch.setattr(catalogue, "KNOWN_SETS", sets)
    place = tmp_path / "RG-65" / "EN-RG-65.txt"
    assert run(["datasets", "fetch", "RG", "MC", "--data", str(tmp_path), "--json"]) == 1
    captured = capsys.readouterr()
    assert [row["state"] for row in json.loads(captured.out)["files"]] == ["failed", "failed"]
    assert captured.err.count("asking http://") == 2
    assert captured.err.splitlines()[-1].startswith("w2gm: error: RG-65/EN-RG-65.txt was not fetched: http://")
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(CONTENT)
    assert run(["datasets", "fetch", "RG", "--data", str(tmp_path), "-q"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert captured.out.splitlines()[1].split()[:3] == ["RG", "there", "already"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["evaluate", "{w2gm}", "--data", "{nothing}"], 1, "no test set in "),
        (["evaluate", "{w2gm}", "--data", "{sets}", "--sets", "WSS"], 2, "unknown set 'WSS', did you mean WS"),
        (["evaluate", "{w2gm}", "--data", "{sets}", "--measures", "cosine"], 2, "unknown measure 'cosine'"),
        (["evaluate", "{w2gm}", "--case", "upper"], 2, "case must be one of fallback, lower, keep, got 'upper'"),
        (
            ["evaluate", "{w2gm}", "--format", "html"],
            2,
            "format must be one of table, csv, json, md, tex, got 'html'",
        ),
        (["evaluate", "{w2gm}", "--resamples", "many"], 2, "resamples must be a whole number, got 'many'"),
        (
            ["evaluate", "{w2gm}", "--pairs", "{bad}"],
            1,
            "bad.txt, line 2: expected two words and a rating, separated",
        ),
        (
            ["evaluate", "{w2gm}", "--pairs", "{w2gm}/vocab.tsv", "--pairs", "{w2gm}/vocab.tsv"],
            1,
            "vocab.tsv, line 1:",
        ),
        (["evaluate", "{nothing}", "--data", "{sets}"], 1, "no model at "),
        (
            ["evaluate", "{w2gm}", "--unimodal", "{w2gm}", "--data", "{sets}"],
            2,
            "must have one sense a word, got one",
        ),
        (
            ["evaluate", "{w2gm}", "--variance", "--sets", "WS"],
            2,
            "--variance is a report of its own: leave out --sets, ",
        ),
        (["evaluate", "{vectors}", "--variance", "--data", "{sets}"], 2, "word vectors have no variances"),
        (
            ["compare", "{w2gm}", "--between", "w2gm/mc", "--data", "{sets}"],
            2,
            "a paired test takes two columns, got 1",
        ),
        (["compare", "{w2gm}", "--between", "a/b,c/d", "--data", "{sets}"], 2, "no column 'a/b' to test: there are "),
        (["datasets", "get"], 2, "datasets takes nothing or 'fetch', got 'get'"),
        (["datasets", "fetch", "WSS", "--data", "{nothing}"], 2, "unknown set 'WSS', did you mean WS"),
    ],
)
def test_refusals_are_one_line(refusal: Any, place: Path, arguments: list[str], code: int, message: str) -> None:
    names = {
        "bad": place / "bad.txt",
        "w2gm": place / "w2gm",
        "sets": place / "sets",
        "nothing": place / "nothing",
        "vectors": place / "vectors.txt",
    }
    actual, line = refusal(*(argument.format(**names) for argument in arguments))
    assert actual == code
    assert message in line


def test_two_files_of_pairs_of_one_name_are_refused(refusal: Any, place: Path, tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.txt").write_text("cup mug 1\n")
    code, line = refusal(
        "evaluate", place / "w2gm", "--pairs", tmp_path / "a/mine.txt", "--pairs", tmp_path / "b/mine.txt"
    )
    assert code == 2
    assert line == "two --pairs files are called mine: rename one, it is its name in the report"
