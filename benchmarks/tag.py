"""How fast text gets the senses of its words: tokens a second of `w2gm tag`, from file to file.

    python benchmarks/tag.py model wiki.txt
    python benchmarks/tag.py model wiki.txt --megabytes 50 --every-word --json

The first round meets every word for the first time and is shown by itself; so is the start, from the model folder to
the first block. Everything runs in one process and, but for what the matrix library does, in one thread.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import machine
from w2gm.model import load
from w2gm.query.tagging import Tagger
from w2gm.text.streams import opened


def one_round(tagger: Tagger, text: str, output: Path) -> dict[str, float]:
    """Tag a file once; the figures."""
    tokens = tagged = 0
    started, cpu = time.perf_counter(), time.process_time()
    with output.open("w", encoding="utf-8") as file:
        for part in tagger.tag(opened(text, tagger.finder.cutter, tagger.model.config.encoding_errors)):
            file.write(part.text())
            tokens += len(part.words)
            tagged += int((part.senses >= 0).sum())
    wall, processor = time.perf_counter() - started, time.process_time() - cpu
    return {
        "tokens": tokens,
        "tagged": tagged,
        "tokens_per_second": round(tokens / wall),
        "tokens_per_cpu_second": round(tokens / processor),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("text", type=Path)
    parser.add_argument("--megabytes", type=int, default=20, help="of the text, from its beginning")
    parser.add_argument("--every-word", action="store_true", help="tag all words, not only those with several senses")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        short = Path(folder, "text")
        with options.text.open("rb") as file:
            short.write_bytes(file.read(options.megabytes << 20))
        started = time.perf_counter()
        tagger = Tagger(load(options.model), every_word=options.every_word)
        start = time.perf_counter() - started
        rounds = [one_round(tagger, str(short), Path(folder, "tagged")) for _ in range(options.rounds)]
    figures: dict[str, Any] = {
        "model": repr(tagger.model),
        "start_seconds": round(start, 2),
        "first_round": rounds[0],
        "best_round": max(rounds, key=lambda one: one["tokens_per_second"]),
        "load": round(os.getloadavg()[0], 1),
    }
    if options.json:
        print(json.dumps({"machine": machine.describe(), **figures}, indent=1))
        return
    for name, fact in {**machine.describe(), **figures}.items():
        print(f"{name.replace('_', ' ')}: {fact}")


if __name__ == "__main__":
    main()
