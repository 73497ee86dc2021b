"""What a user waits for before and after training: imports, help, loading, the first query, compilation.

    python benchmarks/startup.py
    python benchmarks/startup.py --rounds 20 --cold-rounds 5 --json

Every figure comes from fresh processes. A busy machine only ever adds time, so the best round is held against the
limit; the median, and the processor time of the best, tell how busy it was. "Process" means from start to end, the
interpreter's own included; the others are timed inside the process.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import machine
from w2gm.config import Config
from w2gm.model import Mixtures, Model
from w2gm.vocabulary import Vocabulary

# Goes before each of the programs below.
CLOCK = """
import json, sys, time

def clocks():
    return time.perf_counter(), time.process_time()

def since(start):
    return [now - then for now, then in zip(clocks(), start)]
"""

LOAD = """
from w2gm.model import load
start = clocks()
load(sys.argv[1])
print(json.dumps(since(start)))
"""

# The first query reads the file and scales all means to length 1; those after it are timed by queries.py.
QUERY = """
from w2gm.model import load
model = load(sys.argv[1])
start = clocks()
model.most_similar(model.index_to_key[0], sense=0)
print(json.dumps(since(start)))
"""

# Encoding has kernels of its own and is left out: the time is that of importing, making and compiling the trainer.
TRAINER = """
start = clocks()
from w2gm.training.trainer import Trainer
imported = since(start)
from w2gm.config import Config
from w2gm.corpus import encode
config = Config(min_count=1)
with encode(["the cat chased the mouse", "the dog chased the cat"], config) as corpus:
    start = clocks()
    Trainer(corpus, config).compile()
    print(json.dumps([sum(parts) for parts in zip(imported, since(start))]))
"""


@dataclass
class Figure:
    """A wait, its limit in seconds (None: told for comparison), and each round's wall and processor seconds."""

    name: str
    limit: float | None = None
    rounds: list[list[float]] = field(default_factory=list)

    def row(self) -> dict[str, Any]:
        """What is printed of it."""
        best, processor = min(self.rounds)
        return {
            "wait": self.name, "best": best, "median": statistics.median(wall for wall, _ in self.rounds),
            "processor": processor, "limit": self.limit,
            "within": None if self.limit is None else best <= self.limit,
        }  # fmt: skip


def output_of(arguments: list[str], **environment: str) -> str:
    """What a fresh process prints."""
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, env=os.environ | environment
    )
    if done.returncode:
        sys.exit(f"python {' '.join(arguments)}\nended with {done.returncode}: {done.stderr}")
    return done.stdout


def inside(program: str, *arguments: str, **environment: str) -> Any:
    """The times that a fresh process takes of itself."""
    return json.loads(output_of(["-c", CLOCK + program, *arguments], **environment))


def process_seconds(arguments: list[str], **environment: str) -> list[float]:
    """The time of a fresh process from start to end: the wall's and the processor's."""
    before, started = os.times(), time.perf_counter()
    output_of(arguments, **environment)
    seconds, after = time.perf_counter() - started, os.times()
    processor = after.children_user + after.children_system - before.children_user - before.children_system
    return [seconds, processor]


def repeated(rounds: int, figure: Figure, measure: Callable[[], list[float]]) -> Figure:
    """Measure `rounds` times."""
    figure.rounds = [measure() for _ in range(rounds)]
    return figure


def save_model(path: Path, words: int, config: Config) -> None:
    """A model of random means, made for its size."""
    K, D = config.senses, config.vector_size
    means = np.random.default_rng(1).standard_normal((words, K, D), dtype=np.float32)
    flat = np.zeros((words, K), np.float32)
    names = [f"word{number}" for number in range(words)]
    counts = np.arange(words, 0, -1)
    mixtures = Mixtures(means, flat, flat + np.float32(1 / K))
    Model(Vocabulary(names, counts), mixtures, config=config, provenance={}).save(path)


def starts(rounds: int) -> list[Figure]:
    """The command line and the import."""
    return [
        repeated(rounds, Figure(name, limit), lambda arguments=arguments: process_seconds(arguments))
        for name, limit, arguments in [
            ("python alone, process", None, ["-c", "pass"]),
            ("import w2gm, process", 0.15, ["-c", "import w2gm"]),
            ("w2gm --help, process", 0.3, ["-m", "w2gm", "--help"]),
        ]
    ]


def answers(rounds: int, folder: Path) -> list[Figure]:
    """Loading a model and asking it for the first time."""
    config = Config()
    save_model(folder / "small", 100_000, config)
    save_model(folder / "large", 300_000, config)
    size = f"{config.senses} senses x {config.vector_size}"
    loading = Figure(f"load 100,000 words x {size}", 0.1)
    repeated(rounds, loading, lambda: inside(LOAD, str(folder / "small")))
    first = Figure(f"first query, 300,000 words x {size}")
    repeated(rounds, first, lambda: inside(QUERY, str(folder / "large")))
    return [loading, first]


def compilations(rounds: int, folder: Path) -> list[Figure]:
    """The default trainer and the whole command, with and without compiled kernels on the disk."""
    text = folder / "text.txt"
    text.write_text("the cat chased the mouse\nthe dog chased the cat\n" * 50)
    number = iter(range(10_000))

    def empty_cache() -> str:
        return str(folder / f"kernels-{next(number)}")

    def train(cache: str) -> list[float]:
        output = folder / f"model-{next(number)}"
        command = ["-m", "w2gm", "train", str(text), "-o", str(output), "--quiet"]
        command += ["--min-count", "1", "--epochs", "1", "--cache", f"{output}-text"]
        return process_seconds(command, NUMBA_CACHE_DIR=cache)

    def trainer(cache: str) -> list[float]:
        return inside(TRAINER, NUMBA_CACHE_DIR=cache)

    full = empty_cache()
    trainer(full)
    train(full)
    return [
        repeated(rounds, Figure("default trainer, nothing compiled", 4.0), lambda: trainer(empty_cache())),
        repeated(rounds, Figure("default trainer, compiled before", 0.7), lambda: trainer(full)),
        repeated(rounds, Figure("w2gm train, 100 lines, nothing compiled, process"), lambda: train(empty_cache())),
        repeated(rounds, Figure("w2gm train, 100 lines, compiled before, process"), lambda: train(full)),
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--cold-rounds", type=int, default=3, help="rounds of what compiles")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = starts(options.rounds) + answers(options.rounds, Path(folder))
        figures += compilations(options.cold_rounds, Path(folder))
    rows = [figure.row() for figure in figures]
    load = os.getloadavg()[0]
    if options.json:
        print(json.dumps({"machine": machine.describe(), "load": load, "rows": rows}, indent=1))
        return
    print(*(f"{name}: {fact}" for name, fact in machine.describe().items()), f"load average: {load:.1f}", sep="\n")
    print(f"{'milliseconds':<52}{'best':>9}{'median':>9}{'cpu':>9}{'limit':>9}")
    for row in rows:
        limit = "" if row["limit"] is None else f"{row['limit'] * 1e3:.0f}"
        mark = "  over" if row["within"] is False else ""
        print(
            f"{row['wait']:<52}{row['best'] * 1e3:>9.1f}{row['median'] * 1e3:>9.1f}"
            f"{row['processor'] * 1e3:>9.1f}{limit:>9}{mark}"
        )


if __name__ == "__main__":
    main()
