"""Variance, polysemy and generality: what Section 4.5 of the paper argues, measured.

Does a word of two senses need less variance with a component for each? Figures are of log-variances, averaged over
dimensions where there are several; that of a word is the mean over its components, by their weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from w2gm.errors import ConfigError
from w2gm.evaluation.datasets import Entailment
from w2gm.evaluation.lookup import Lookup
from w2gm.evaluation.reports import Table, cells
from w2gm.evaluation.statistics import interval, resamples, share, spearman
from w2gm.interop.word2vec import has_variances

if TYPE_CHECKING:
    from w2gm.model import Model

Doubles = npt.NDArray[np.float64]

# The words of the paper's examples, and others of two senses that nobody disputes.
POLYSEMOUS = (
    "rock", "bank", "apple", "star", "cell", "left", "plant", "crane", "bass", "pitch", "match", "mouse", "palm",
    "spring", "seal", "mercury", "jaguar", "bat", "bark", "organ", "python", "java",
)  # fmt: skip
# Words as frequent as a polysemous one that it is held against, on each side of it in the order of frequency.
_PEERS = 50


def log_variances(model: Model) -> Doubles:
    """The log-variance of each component, (V, K) float64: the mean over dimensions of a diagonal covariance."""
    if not has_variances(model):
        raise ConfigError("word vectors have no variances: the variance report needs a w2gm model")
    logs = model.log_variances.astype(np.float64)
    return logs if logs.ndim == 2 else logs.mean(axis=2)


def variance_report(
    model: Model,
    unimodal: Model | None = None,
    entailment: Entailment | None = None,
    words: Sequence[str] = POLYSEMOUS,
    case: str = "fallback",
) -> dict[str, Any]:
    """What variances say of polysemy, of frequency and of generality; see `variance_tables` for how it reads.

    {"words": {word: {"log_variances": [K], "weights": [K], and with a `unimodal` model its log-variance "unimodal",
    the "change" from it, and "peers", the median change of the words as frequent}},
    "polysemy" (with `unimodal`): {"words", "below": per cent of words all of whose components are narrower,
    "change" and "peers": their means, "low" and "high": the interval of change less peers},
    "frequency": Spearman's correlation x 100 of log-variance and count over all words,
    "generality": of an entailment set's positive pairs {"pairs", "found", "wider": per cent whose second word has
    the larger variance, "low", "high", "frequent": per cent whose second word is the more frequent, "wider_of_rarer":
    per cent of wider ones where it is the rarer}}
    """
    logs = log_variances(model)
    mean = (logs * model.weights).sum(axis=1)
    lookup = Lookup(model, case)
    known = {word: lookup.id(word) for word in words if lookup.id(word) >= 0}
    rows = {
        word: {"log_variances": logs[k].tolist(), "weights": model.weights[k].astype(np.float64).tolist()}
        for word, k in known.items()
    }
    report: dict[str, Any] = {"words": rows}
    if unimodal is not None:
        report["polysemy"] = _polysemy(model, unimodal, logs, mean, known, rows)
    counted = model.counts > 0
    report["frequency"] = float(100 * spearman(mean[counted], model.counts[counted])[0])
    if entailment is not None:
        report["generality"] = _generality(model, mean, lookup, entailment)
    return report


def variance_tables(report: dict[str, Any]) -> list[Table]:
    """The report as tables: the words, then one line for each question."""
    rows = []
    for word, row in report["words"].items():
        parts = [
            f"{log:.2f} ({weight:.2f})" for log, weight in zip(row["log_variances"], row["weights"], strict=True)
        ]
        rows.append(cells(word, row.get("unimodal"), ", ".join(parts), row.get("change"), row.get("peers")))
    columns = ["word", "one sense", "senses (weight)", "change", "words as frequent"]
    tables = [Table("Log-variance of polysemous words", columns, rows, [])]
    facts = []
    if polysemy := report.get("polysemy"):
        facts += [
            ("polysemous words", polysemy["words"]),
            ("all senses narrower than the one, %", polysemy["below"]),
            ("mean change of log-variance", polysemy["change"]),
            ("the same of words as frequent", polysemy["peers"]),
            ("difference, 95 %", f"{polysemy['low']:.2f} to {polysemy['high']:.2f}"),
        ]
    facts.append(("log-variance and frequency, Spearman x 100", report["frequency"]))
    if generality := report.get("generality"):
        facts += [
            ("pairs of a word and a wider one", generality["found"]),
            ("the wider word has the larger variance, %", generality["wider"]),
            ("95 %", f"{generality['low']:.1f} to {generality['high']:.1f}"),
            ("the wider word is the more frequent, %", generality["frequent"]),
            ("larger variance where it is the rarer, %", generality["wider_of_rarer"]),
        ]
    return [*tables, Table("Variance", ["question", "answer"], [cells(*fact) for fact in facts], [])]


def variance_records(report: dict[str, Any]) -> list[dict[str, Any]]:
    """One record per word and per question: what it is about, and the figure."""
    records = [
        {"about": word, "figure": f"log-variance {k}", "value": value}
        for word, row in report["words"].items()
        for k, value in enumerate(row["log_variances"])
    ]
    for word, row in report["words"].items():
        records += [
            {"about": word, "figure": name, "value": row[name]}
            for name in ("unimodal", "change", "peers")
            if name in row
        ]
    for part in ("polysemy", "generality"):
        records += [{"about": part, "figure": name, "value": value} for name, value in report.get(part, {}).items()]
    return [*records, {"about": "frequency", "figure": "spearman", "value": report["frequency"]}]


def _polysemy(
    model: Model,
    unimodal: Model,
    logs: Doubles,
    mean: Doubles,
    known: dict[str, int],
    rows: dict[str, dict[str, Any]],
) -> dict[str, Any]:
    """Fill in what the unimodal model says of each word, and sum it up."""
    ones = log_variances(unimodal)
    if unimodal.senses != 1:
        raise ConfigError(f"the model to compare with must have one sense a word, got one with {unimodal.senses}")
    index = unimodal.key_to_index
    below, changes, peers = [], [], []
    for word, k in known.items():
        near = range(max(0, k - _PEERS), min(len(model), k + _PEERS + 1))
        change = {n: mean[n] - ones[index[name], 0] for n in near if (name := model.index_to_key[n]) in index}
        if k not in change:
            continue
        own = change.pop(k)
        usual = float(np.median(list(change.values()))) if change else float("nan")
        rows[word] |= {"unimodal": float(mean[k] - own), "change": float(own), "peers": usual}
        below.append(bool((logs[k] < mean[k] - own).all()))
        changes.append(own)
        peers.append(usual)
    difference = np.array(changes) - np.array(peers)
    low, high = interval(share(difference, resamples(len(difference))))
    return {
        "words": len(changes),
        "below": float(100 * share(below)[0]),
        "change": float(share(changes)[0]),
        "peers": float(share(peers)[0]),
        "low": low,
        "high": high,
    }


def _generality(model: Model, mean: Doubles, lookup: Lookup, entailment: Entailment) -> dict[str, Any]:
    words = [pair for pair, true in zip(entailment.words, entailment.truth, strict=True) if true]
    ids = lookup.ids(words)
    narrow, wide = ids[(ids >= 0).all(axis=1)].reshape(-1, 2).T
    wider = mean[wide] > mean[narrow]
    rarer = model.counts[wide] < model.counts[narrow]
    low, high = interval(100 * share(wider, resamples(len(wider))))
    return {
        "pairs": len(words),
        "found": len(wider),
        "wider": float(100 * share(wider)[0]),
        "low": low,
        "high": high,
        "frequent": float(100 * share(model.counts[wide] > model.counts[narrow])[0]),
        "wider_of_rarer": float(100 * share(wider[rarer])[0]),
    }
