"""What `evaluate` found, as tables for people and as records for programs."""

from __future__ import annotations

from typing import Any

from w2gm.evaluation.figures import DETECTION
from w2gm.evaluation.incontext import IN_CONTEXT
from w2gm.evaluation.reports import Table, cells, figure
from w2gm.evaluation.scores import ANALOGIES, ENTAILMENT

POLICIES = ("found", "all")


def evaluation_tables(result: dict[str, Any]) -> list[Table]:
    """The tables of one evaluation: pairs found, all pairs, intervals; SCWS in context; entailment; analogies."""
    sets = result["sets"]
    of_pairs = {name: one for name, one in sets.items() if "scores" in one}
    tables = []
    if of_pairs:
        tables += _pair_tables(of_pairs)
    for name, one in sets.items():
        if "MaxSim" in one.get("scores", {}):
            tables.append(_in_context_table(name, one))
        if "cos" in one:
            tables.append(_entailment_table(name, one))
        if "questions" in one:
            tables += _analogy_tables(name, one)
    if tables:
        tables[-1].notes.extend(policy_notes(result["policies"]))
    return tables


def evaluation_records(result: dict[str, Any]) -> list[dict[str, Any]]:
    """One record per set, score and figure: value with its interval, for the pairs found and for all."""
    records = []
    for name, one in result["sets"].items():
        sizes = {"set": name, "items": one.get("pairs", one.get("questions")), "found": one["found"]}
        for score, row in (
            one.get("scores") or {key: one[key] for key in (*ENTAILMENT, *ANALOGIES) if key in one}
        ).items():
            kind = "accuracy" if "questions" in one else "spearman"
            for head in DETECTION if "cos" in one else ("found",):
                prefix = "" if head == "found" else f"{head}_"
                every = (row or {}).get("all")
                record = sizes | {"score": score, "figure": kind if head == "found" else head}
                record |= {"of found": (row or {}).get(head)}
                record |= {side: (row or {}).get(prefix + side) for side in ("low", "high")}
                record |= {"of all": every.get(head) if isinstance(every, dict) else every}
                for side in ("low", "high"):
                    inside = every.get(prefix + side) if isinstance(every, dict) else (row or {}).get(f"all_{side}")
                    record |= {f"all {side}": inside}
                records.append(record)
    return records


def policy_notes(policies: dict[str, Any]) -> list[str]:
    """The rules that every figure was made by, in words."""
    return [
        f"case {policies['case']}: {policies['case_rule']}",
        f"all pairs: {policies['unknown_rule']}",
        f"intervals: the middle 95 % of {policies['resamples']} resamples, seed {policies['seed']}",
    ]


def _pair_tables(sets: dict[str, Any]) -> list[Table]:
    scores = [name for name in next(iter(sets.values()))["scores"] if name not in IN_CONTEXT]
    if not scores:
        return []
    found, every, spread = [], [], []
    for name, one in sets.items():
        rows = [one["scores"][score] or {} for score in scores]
        found.append(cells(name, one["pairs"], one["found"], *(row.get("found") for row in rows)))
        every.append(cells(name, one["pairs"], *(row.get("all") for row in rows)))
        spread.append(cells(name, *(_range(row, "low", "high") for row in rows)))
    return [
        Table("Pairs found, Spearman x 100", ["set", "pairs", "found", *scores], found, []),
        Table("All pairs, Spearman x 100", ["set", "pairs", *scores], every, []),
        Table("95 % intervals, pairs found", ["set", *scores], spread, []),
    ]


def _in_context_table(name: str, one: dict[str, Any]) -> Table:
    rows = []
    for score in IN_CONTEXT:
        row = one["scores"][score]
        rows.append(
            cells(score, row["found"], _range(row, "low", "high"), row["all"], _range(row, "all_low", "all_high"))
        )
    return Table(
        f"{name}, Spearman x 100; a pair of the same word scores 1",
        ["score", "found", "95 %", "all pairs", "95 %"],
        rows,
        [],
    )


def _entailment_table(name: str, one: dict[str, Any]) -> Table:
    rows = []
    for score in ENTAILMENT:
        row = one[score]
        for policy, part in (("found", row), ("all", row and row["all"])):
            figures = [part and part[head] for head in DETECTION]
            ranges = [_range(part or {}, f"{head}_low", f"{head}_high") for head in DETECTION]
            rows.append(cells(score, policy, *(item for both in zip(figures, ranges, strict=True) for item in both)))
    columns = ["score", "pairs", "accuracy", "95 %", "F1", "95 %", "average precision", "95 %"]
    title = f"{name}, {one['found']} of {one['pairs']} pairs found; best accuracy and F1 over thresholds, x 100"
    return Table(title, columns, rows, [])


def _analogy_tables(name: str, one: dict[str, Any]) -> list[Table]:
    title = f"{name}, {one['found']} of {one['questions']} questions found; right answers x 100"
    total = [
        cells(method, row["found"], _range(row, "low", "high"), row["all"], row["semantic"], row["syntactic"])
        for method in ANALOGIES
        if (row := one[method])
    ]
    by_section = []
    sections = [one[method]["sections"] for method in ANALOGIES]
    for section, counts in sections[0].items():
        shares = [
            100 * part[section]["right"] / counts["found"] if counts["found"] else float("nan") for part in sections
        ]
        by_section.append(cells(section, counts["questions"], counts["found"], *shares))
    return [
        Table(title, ["method", "found", "95 %", "all", "semantic", "syntactic"], total, []),
        Table(f"{name} by section", ["section", "questions", "found", *ANALOGIES], by_section, []),
    ]


def _range(row: dict[str, Any], low: str, high: str) -> str:
    if row.get(low) is None:
        return figure(None)
    return f"{figure(row[low], 1)} to {figure(row[high], 1)}"
