"""What `compare` found, laid out as the paper's tables, the best in bold, and as records for programs."""

from __future__ import annotations

from typing import Any

from w2gm.evaluation.evaluation_report import policy_notes
from w2gm.evaluation.figures import DETECTION
from w2gm.evaluation.incontext import IN_CONTEXT
from w2gm.evaluation.reports import Cell, Table, cells, figure
from w2gm.evaluation.scores import ANALOGIES, ENTAILMENT


def comparison_tables(result: dict[str, Any]) -> list[Table]:
    """Table 2 of the paper, SCWS, entailment and analogies as far as they were measured, and the paired test."""
    sets = result["sets"]
    tables = []
    similarity = {name: one for name, one in sets.items() if _kind(one) in ("pairs", "context")}
    if similarity:
        tables.append(_similarity_table(similarity, result["policy"]))
    for name, one in sets.items():
        if _kind(one) == "context":
            title = f"{name} in context, Spearman x 100; a pair of the same word scores 1"
            tables.append(_by_model(title, one, IN_CONTEXT))
        if _kind(one) == "analogies":
            tables.append(_by_model(f"{name}, right answers x 100", one, ANALOGIES))
        if _kind(one) == "entailment":
            tables.append(_entailment_table(name, one))
    if result["paired"]:
        tables.append(_paired_table(result["paired"]))
    rules = {tuple(policy_notes(policies)): name for name, policies in result["models"].items()}
    notes = [
        note
        for rule, name in rules.items()
        for note in (rule if len(rules) == 1 else (f"{name}: {'; '.join(rule)}",))
    ]
    tables[-1].notes.extend(notes)
    return tables


def comparison_records(result: dict[str, Any]) -> list[dict[str, Any]]:
    """One record per set, model and score."""
    return [
        {
            "set": name,
            "pairs": one["pairs"],
            "model": model,
            "found": one["found"][model],
            "score": score if head is None else f"{score} {head}",
            "figure": value if head is None or value is None else value[head],
        }
        for name, one in result["sets"].items()
        for model, scores in one["scores"].items()
        for score, value in scores.items()
        for head in (DETECTION if _kind(one) == "entailment" else (None,))
    ]


def _kind(one: dict[str, Any]) -> str:
    """What kind of set it is, by the scores it has."""
    scores = next(iter(one["scores"].values()))
    kinds = {"MaxSim": "context", "cos": "entailment", "3CosAdd": "analogies"}
    return next((kind for score, kind in kinds.items() if score in scores), "pairs")


def _similarity_table(sets: dict[str, Any], policy: str) -> Table:
    models = list(next(iter(sets.values()))["scores"])
    measures = [score for score in next(iter(sets.values()))["scores"][models[0]] if score not in IN_CONTEXT]
    rows = []
    for name, one in sets.items():
        values = [[one["scores"][model][measure] for measure in measures] for model in models]
        numbers = sorted(set(one["found"].values()), reverse=True)
        rows.append([*cells(name, one["pairs"], " / ".join(map(str, numbers))), *_marked(values)])
    columns = ["Dataset", "pairs", "found", *(f"{model}/{measure}" for model in models for measure in measures)]
    what = "pairs found" if policy == "found" else "all pairs"
    return Table(
        f"Word similarity, {what}, Spearman x 100; bold: best of all, underlined: best of a model", columns, rows, []
    )


def _by_model(title: str, one: dict[str, Any], scores: tuple[str, ...]) -> Table:
    """A row for each model; the best of each column is bold."""
    columns = [_marked([[row[score]] for row in one["scores"].values()], underline=False) for score in scores]
    rows = [[*cells(model), *(column[k] for column in columns)] for k, model in enumerate(one["scores"])]
    return Table(title, ["Model", *scores], rows, [])


def _entailment_table(name: str, one: dict[str, Any]) -> Table:
    lines = [(model, score, row[score]) for model, row in one["scores"].items() for score in ENTAILMENT]
    columns = [_marked([[row and row[head]] for _, _, row in lines], underline=False) for head in DETECTION]
    rows = [[*cells(model, score), *(column[k] for column in columns)] for k, (model, score, _) in enumerate(lines)]
    return Table(f"{name}, x 100", ["Model", "Score", "Best accuracy", "Best F1", "Average precision"], rows, [])


def _paired_table(paired: dict[str, Any]) -> Table:
    one, other = paired["columns"]
    rows = [
        cells(name, row["items"], row["difference"], figure(row["low"]), figure(row["high"]), figure(row["p"], 3))
        for name, row in paired["sets"].items()
    ]
    return Table(
        f"{one} less {other}, paired bootstrap", ["Dataset", "items", "difference", "low", "high", "p"], rows, []
    )


def _marked(groups: list[list[float | None]], underline: bool = True) -> list[Cell]:
    """The figures of one row, group after group: the best of all bold, the best of each group underlined.

    Figures that are printed alike are equally good.
    """
    printed = [[figure(value) for value in group] for group in groups]
    best = _best([text for group in printed for text in group])
    return [
        Cell(text, bold=text == best, underlined=underline and len(group) > 1 and text == _best(group))
        for group in printed
        for text in group
    ]


def _best(texts: list[str]) -> str | None:
    """The largest of some printed figures; None where there is none."""
    numbers = [text for text in texts if text not in (figure(None), figure(float("nan")))]
    return max(numbers, key=float, default=None)
