"""Models side by side: the figures, the paired bootstrap against brute force, the layout, the marks."""

import csv
import io
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from small_sets import WORDS, small_model, write_small_sets
from w2gm.errors import ConfigError
from w2gm.evaluation import Pairs, Settings, compare, evaluate, load_sets, score, score_all
from w2gm.evaluation.comparison_report import comparison_records, comparison_tables
from w2gm.evaluation.evaluation_report import evaluation_records, evaluation_tables
from w2gm.evaluation.reports import Cell, Table, comma_separated, latex, markdown
from w2gm.interop import read_word2vec
from w2gm.model import Model

FAST = Settings(measures=("mc", "el", "me"), resamples=40)


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sets")
    write_small_sets(folder)
    return folder


@pytest.fixture(scope="module")
def models() -> dict[str, Model]:
    """Two models that do not know the same words."""
    return {"w2g": small_model(WORDS[:-2], senses=1, seed=1), "w2gm": small_model(seed=2)}


def test_figures_are_those_of_evaluate_and_each_model_has_its_own_pairs(sets: Path, models: dict[str, Model]) -> None:
    datasets, _ = load_sets(sets)
    for policy in ("found", "all"):
        result = compare(models, datasets, FAST, policy=policy)
        for name, model in models.items():
            alone = evaluate(model, datasets, FAST)["sets"]
            for one in datasets:
                figures = result["sets"][one.name]["scores"][name]
                assert result["sets"][one.name]["found"][name] == alone[one.name]["found"]
                if one.name == "entailment":
                    expected = alone[one.name]["kl"] if policy == "found" else alone[one.name]["kl"]["all"]
                    assert figures["kl"]["ap"] == expected["ap"]
                elif one.name == "analogies":
                    assert figures["3CosMul"] == pytest.approx(alone[one.name]["3CosMul"][policy])
                else:
                    assert figures["el"] == pytest.approx(alone[one.name]["scores"]["el"][policy], nan_ok=True)


def test_the_paired_bootstrap_is_that_of_brute_force_on_the_pairs_both_have_found(
    sets: Path, models: dict[str, Model]
) -> None:
    (dataset,), _ = load_sets(sets, ["RG"])
    result = compare(models, [dataset], FAST, between=["w2gm/mc", "w2g/me"])["paired"]
    assert result["columns"] == ["w2gm/mc", "w2g/me"]
    assert isinstance(dataset, Pairs)
    both = np.logical_and(*(score_all(model, dataset, ["mc"]).found for model in models.values()))
    one, other = score(models["w2gm"], dataset, "mc")[both], score(models["w2g"], dataset, "me")[both]
    ratings = dataset.ratings[both]
    draw = np.random.default_rng(0)
    differences = []
    for _ in range(40):
        items = draw.integers(0, len(ratings), len(ratings))
        differences.append(
            100 * (spearmanr(one[items], ratings[items])[0] - spearmanr(other[items], ratings[items])[0])
        )
    row = result["sets"]["RG"]
    assert row["items"] == both.sum() < len(dataset)
    assert row["difference"] == pytest.approx(100 * (spearmanr(one, ratings)[0] - spearmanr(other, ratings)[0]))
    assert (row["low"], row["high"]) == pytest.approx(tuple(np.percentile(differences, [2.5, 97.5])))
    rarer = min(sum(value <= 0 for value in differences), sum(value >= 0 for value in differences))
    assert row["p"] == pytest.approx(min(1, 2 * (1 + rarer) / 41))


def test_a_column_does_not_differ_from_itself(sets: Path) -> None:
    datasets, _ = load_sets(sets)
    same = {"a": small_model(), "b": small_model()}
    tested = compare(same, datasets, FAST)["paired"]["sets"]
    assert {"RG", "SCWS", "entailment", "analogies"} < set(tested)
    for row in tested.values():
        assert row["difference"] == row["low"] == row["high"] == 0
        assert row["p"] == 1


def test_without_words_two_columns_default_to_the_first_and_the_last_model(
    models: dict[str, Model], sets: Path
) -> None:
    datasets, _ = load_sets(sets, ["RG"])
    assert compare(models, datasets, FAST)["paired"]["columns"] == ["w2g/mc", "w2gm/mc"]
    alone = {"w2gm": models["w2gm"]}
    assert compare(alone, datasets, FAST)["paired"]["columns"] == ["w2gm/mc", "w2gm/el"]
    assert compare(alone, datasets, Settings(measures=("mc",), resamples=5))["paired"] is None


def test_calls_that_make_no_sense_are_refused(models: dict[str, Model]) -> None:
    with pytest.raises(ConfigError, match=r"no column 'w2gm/kl' to test: there are w2g/mc, .*w2gm/me$"):
        compare(models, [], FAST, between=["w2gm/kl", "w2g/mc"])
    with pytest.raises(ConfigError, match=r"a paired test takes two columns, got 1"):
        compare(models, [], FAST, between=["w2gm/mc"])
    with pytest.raises(ConfigError, match=r"policy must be one of found, all, got 'some'"):
        compare(models, [], FAST, policy="some")


@pytest.fixture
def vectors(tmp_path: Path) -> Model:
    """The words of the first model's vectors, as a word2vec file."""
    model = small_model(senses=1, seed=1)
    rows = [f"{word} {' '.join(map(str, row[0].tolist()))}" for word, row in zip(WORDS, model.means, strict=True)]
    path = tmp_path / "vectors.txt"
    path.write_text(f"{len(rows)} {model.vector_size}\n" + "\n".join(rows))
    return read_word2vec(path)


def test_word_vectors_have_the_figures_that_need_no_variance_and_no_others(sets: Path, vectors: Model) -> None:
    datasets, _ = load_sets(sets)
    model = small_model(senses=1, seed=1)
    result = compare({"w2g": model, "vectors": vectors}, datasets, FAST)
    for name, one in result["sets"].items():
        for score_name, value in one["scores"]["vectors"].items():
            if score_name in ("el", "kl", "kl-reverse"):
                assert value is None
            elif name != "SCWS":  # its contexts count by how frequent they are
                assert value == pytest.approx(one["scores"]["w2g"][score_name])
    assert "n/a" in {cell.text for table in comparison_tables(result) for row in table.rows for cell in row}
    alone = evaluate(vectors, datasets, Settings(resamples=5))
    assert alone["sets"]["entailment"]["direction"] is None
    assert alone["sets"]["entailment"]["kl"] is None
    assert alone["sets"]["WS"]["scores"]["js"] is None
    assert any("n/a" in line for line in markdown(evaluation_tables(alone)).splitlines())
    with pytest.raises(ConfigError, match=r"el needs variances, which word vectors lack: use mc, me, avesim"):
        score(vectors, datasets[0], "el")


def test_the_best_is_bold_and_the_best_of_a_model_underlined(models: dict[str, Model], sets: Path) -> None:
    datasets, _ = load_sets(sets)
    tables = comparison_tables(compare(models, datasets, FAST))
    table = tables[0]
    assert table.columns == ["Dataset", "pairs", "found", *(f"{m}/{s}" for m in models for s in ("mc", "el", "me"))]
    assert [row[0].text for row in table.rows][:3] == ["SL", "WS", "WS-S"]
    for row in table.rows:
        figures = [cell for cell in row[3:] if cell.text != "-"]
        best = max(float(cell.text) for cell in figures)
        assert {cell.bold for cell in figures if float(cell.text) == best} == {True}
        assert {cell.bold for cell in figures if float(cell.text) < best} <= {False}
        for group in (row[3:6], row[6:9]):
            top = max(float(cell.text) for cell in group)
            assert [cell.underlined for cell in group] == [float(cell.text) == top for cell in group]
    assert [table.title.split(",")[0] for table in tables[1:]] == [
        "SCWS in context", "entailment", "analogies", "w2g/mc less w2gm/mc",
    ]  # fmt: skip
    assert any("median pair" in note for note in tables[-1].notes)


def test_models_with_other_rules_are_told_apart(sets: Path) -> None:
    datasets, _ = load_sets(sets, ["RG"])
    with_unknown = {"plain": small_model(), "unk": small_model([*WORDS, "UNK"])}
    notes = comparison_tables(compare(with_unknown, datasets, FAST))[-1].notes
    assert [note.split(":")[0] for note in notes] == ["plain", "unk"]
    assert "scores as UNK" in notes[1]


def test_records_hold_every_figure_once(models: dict[str, Model], sets: Path) -> None:
    datasets, _ = load_sets(sets)
    records = comparison_records(compare(models, datasets, FAST))
    keys = [(record["set"], record["model"], record["score"]) for record in records]
    assert len(keys) == len(set(keys)) == 2 * (12 * 3 + 4 + 9 + 2)
    rows = list(csv.DictReader(io.StringIO(comma_separated(records))))
    assert float(rows[0]["figure"]) == records[0]["figure"]

    result = evaluate(models["w2gm"], datasets, FAST)
    records = evaluation_records(result)
    assert len(records) == 12 * 3 + 4 + 9 + 2
    by_key = {(record["set"], record["score"], record["figure"]): record for record in records}
    assert by_key["WS", "mc", "spearman"]["all low"] == result["sets"]["WS"]["scores"]["mc"]["all_low"]
    assert by_key["entailment", "kl", "ap"]["all high"] == result["sets"]["entailment"]["kl"]["all"]["ap_high"]
    assert by_key["entailment", "cos", "f1"]["low"] == result["sets"]["entailment"]["cos"]["f1_low"]
    assert by_key["analogies", "3CosMul", "accuracy"]["of all"] == result["sets"]["analogies"]["3CosMul"]["all"]


def test_the_tables_of_an_evaluation_state_the_rules(models: dict[str, Model], sets: Path) -> None:
    datasets, _ = load_sets(sets)
    tables = evaluation_tables(evaluate(models["w2gm"], datasets, FAST))
    titles = [table.title.split(",")[0] for table in tables]
    assert titles == [
        "Pairs found", "All pairs", "95 % intervals", "SCWS", "entailment", "analogies", "analogies by section",
    ]  # fmt: skip
    assert "a pair of the same word scores 1" in tables[3].title
    assert any(note.startswith("case fallback: words are looked up as written, then in") for note in tables[-1].notes)
    assert evaluation_tables(evaluate(models["w2gm"], [], FAST)) == []


def test_signs_of_the_formats_are_escaped() -> None:
    table = Table("a|b_c", ["x|y", "50 %"], [[Cell("a_b & {c}"), Cell("1.0", bold=True, underlined=True)]], ["d_e"])
    assert r"| x\|y | 50 % |" in markdown([table])
    assert "**<u>1.0</u>**" in markdown([table])
    assert r"a\_b \& \{c\} & \textbf{\underline{1.0}} \\" in latex([table])
    assert r"50 \%" in latex([table])
    assert comma_separated([{"a": 'x,"y"', "b": math.nan}]) == 'a,b\n"x,""y""",'
