"""How much text the senses need: draws the mean of the nine larger sets against the tokens of the runs in a log.

    python benchmarks/quality.py grid.toml wiki.txt --log runs.jsonl --paper-sets DIR      for several `tokens`
    python benchmarks/learning_curve.py runs.jsonl docs/learning-curve.png --all 65400000

Each name of a run is a line for each measure; several seeds are one point, their mean, with a bar from the lowest to
the highest. Runs on all of the text stand at `--all` tokens.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections import defaultdict
from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

MEASURES = ("mc", "avesim", "me")
Curves = dict[str, dict[int, list[float]]]


def curves(log: Path, whole: int) -> Curves:
    """{"K = 2, mc": {tokens: [a mean for each seed]}} of the runs judged on the paper's sets."""
    found: Curves = defaultdict(lambda: defaultdict(list))
    for line in log.read_text("utf-8").splitlines():
        entry = json.loads(line)
        means = entry["score"].get("mean of nine")
        if means is None:
            continue
        tokens = json.loads(entry["key"])["tokens"] or whole
        senses = entry["settings"].get("senses", 2)
        for measure in MEASURES[:1] if senses == 1 else MEASURES:
            found[f"K = {senses}, {measure}"][tokens].append(means[measure])
    return found


def draw(found: Curves, path: Path) -> None:
    """Write the figure."""
    figure = Figure(figsize=(6.5, 4), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    for name, points in sorted(found.items()):
        tokens = sorted(points)
        means = [statistics.fmean(points[at]) for at in tokens]
        reach = [[mean - min(points[at]) for mean, at in zip(means, tokens, strict=True)],
                 [max(points[at]) - mean for mean, at in zip(means, tokens, strict=True)]]  # fmt: skip
        axes.errorbar(tokens, means, yerr=reach, marker="o", capsize=3, label=name)
    axes.set_xscale("log")
    axes.set_xlabel("tokens of text")
    axes.set_ylabel("Spearman x 100, mean of nine sets")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=110)


def main() -> None:
    """Read the log, draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("log", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--all", type=int, required=True, help="tokens of the whole text")
    options = parser.parse_args()
    draw(curves(options.log, options.all), options.output)


if __name__ == "__main__":
    main()
