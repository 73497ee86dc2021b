"""From a text file to saved vectors: w2gm beside gensim and fastText, taking turns in one run.

    python benchmarks/speed.py wiki.txt                               all of it, two workers, three rounds
    python benchmarks/speed.py wiki.txt --tokens 5000000 --workers 1 2     the first lines only; how threads scale
    python benchmarks/speed.py wiki.txt --json > speed.json

Every contestant is a process of its own. w2gm is the command `w2gm train` on the text itself with an empty cache, so
tokenising and encoding are in its time. The others get the same tokens, lower-cased and parted by spaces, in a file
made before the clock starts: gensim by `corpus_file`, its fast path, and fastText without subwords. w2gm saves input
and output mixtures, gensim its input vectors, fastText both tables.

"Tokens" are raw ones, as gensim counts them: every token of the text in every epoch, whether in the vocabulary or
not, kept by subsampling or not. Their speed is that of training alone, without reading, counting and saving; wall
time and memory are of the whole process, its start and imports included. One untimed turn on a few lines comes
first: it fills the cache of compiled kernels (what that costs, benchmarks/startup.py tells) and the disk's.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from w2gm.config import Config

# Nothing large may be imported here: Linux counts the memory of the process that started a child as the child's
# until the child's own program runs, and its peak is what is measured. Heavy imports are in the contestants.

RECIPE = Config()
SHARED = {name: getattr(RECIPE, name) for name in ("vector_size", "window", "sample", "min_count")}
PEERS = {"gensim": ["gensim"], "fasttext": ["fasttext-wheel", "fasttext"]}  # module: distributions that have it
WARM_UP_TOKENS = 20_000
IDS_AT_ONCE = 1_000_000


@dataclass(frozen=True)
class Contestant:
    """Who trains, and with what."""

    library: str
    workers: int
    senses: int = 1
    negative: int = 1

    @property
    def name(self) -> str:
        """As it stands in the table."""
        return f"w2gm K={self.senses}" if self.library == "w2gm" else f"{self.library} neg {self.negative}"


# What runs inside a contestant's process. Each takes a task and returns facts, which are printed as JSON.


def prepare(task: dict[str, Any]) -> dict[str, Any]:
    """Write the text's first lines and the same as tokens parted by spaces; returns their sizes.

    Lines are taken until they hold `tokens` words between spaces; w2gm's tokens are a few more.
    """
    from w2gm.corpus import encode

    text = Path(task["text"])
    if task["tokens"]:
        text = Path(task["folder"], "text.txt")
        with text.open("wb") as file:
            words = 0
            for line in _lines(Path(task["text"])):
                file.write(line + b"\n")
                words += len(line.split())
                if words >= task["tokens"]:
                    break
    tokenised = Path(task["folder"], "tokens.txt")
    with encode(text, Config(min_count=1), cache=Path(task["folder"], "all-words")) as corpus:
        names = [*corpus.vocabulary.words, "\n"]  # the mark of a sentence's end is -1, the last of a list
        with tokenised.open("w", encoding="utf-8", newline="\n") as file:
            for start in range(0, len(corpus.ids), IDS_AT_ONCE):
                ids = corpus.ids[start : start + IDS_AT_ONCE].tolist()
                file.write((" ".join([names[number] for number in ids]) + " ").replace(" \n ", "\n"))
        kept = int((corpus.vocabulary.counts >= task["min_count"]).sum())
        return {
            "text": str(text), "tokenised": str(tokenised), "bytes": text.stat().st_size,
            "raw_tokens": corpus.raw_tokens, "sentences": corpus.sentences, "words": kept,
        }  # fmt: skip


def _lines(path: Path) -> Iterator[bytes]:
    """The lines of a file that may be compressed."""
    from w2gm.text.compression import LONGEST_MAGIC, plain_pieces

    with path.open("rb", buffering=0) as file:
        rest = b""
        for piece in plain_pieces(file, str(path), file.read(LONGEST_MAGIC)):
            *whole, rest = (rest + piece).split(b"\n")
            yield from whole
        if rest:
            yield rest


def train_gensim(task: dict[str, Any]) -> dict[str, Any]:
    """Skip-gram by gensim."""
    from gensim.models import Word2Vec

    model = Word2Vec(
        sg=1, hs=0, negative=task["negative"], workers=task["workers"], epochs=task["epochs"], seed=1, **SHARED
    )
    model.build_vocab(corpus_file=task["tokenised"])
    started = time.perf_counter()
    model.train(
        corpus_file=task["tokenised"],
        total_words=model.corpus_total_words,
        total_examples=model.corpus_count,
        epochs=model.epochs,
    )
    seconds = time.perf_counter() - started
    model.wv.save(task["output"])
    return {"training_seconds": seconds, "raw_tokens": model.corpus_total_words, "words": len(model.wv)}


def train_fasttext(task: dict[str, Any]) -> dict[str, Any]:
    """Skip-gram on whole words by fastText. It tells no times: a turn of no epochs times its reading, see `turn`."""
    import fasttext

    started = time.perf_counter()
    model = fasttext.train_unsupervised(
        task["tokenised"], model="skipgram", loss="ns", neg=task["negative"], epoch=task["epochs"], bucket=0,
        minn=0, maxn=0, thread=task["workers"], verbose=0, dim=SHARED["vector_size"], ws=SHARED["window"],
        t=SHARED["sample"], minCount=SHARED["min_count"],
    )  # fmt: skip
    seconds = time.perf_counter() - started
    if task["epochs"]:
        model.save_model(task["output"])
    return {"training_seconds": seconds, "words": len(set(model.words) - {"</s>"})}


TASKS = {"prepare": prepare, "gensim": train_gensim, "fasttext": train_fasttext}


# What runs in the process that compares.


def measured(command: list[str]) -> tuple[dict[str, Any], float, float]:
    """Run a command; returns the JSON it printed, its seconds, and its peak memory in megabytes."""
    with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as said:
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=printed, stderr=said)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        printed.seek(0)
        said.seek(0)
        if process.returncode:
            sys.exit(f"{' '.join(command)}\nended with {process.returncode}: {said.read().decode(errors='replace')}")
        unit = 1 if sys.platform == "darwin" else 1024
        return json.loads(printed.read()), seconds, usage.ru_maxrss * unit / 1e6


def own_process(name: str, task: dict[str, Any]) -> tuple[dict[str, Any], float, float]:
    """Run one of `TASKS` in a process of its own."""
    return measured([sys.executable, __file__, "--contestant", name, json.dumps(task)])


def turn(contestant: Contestant, text: dict[str, Any], epochs: int) -> dict[str, float]:
    """One contestant's figures for one round."""
    with tempfile.TemporaryDirectory() as folder:
        task = {
            "tokenised": text["tokenised"], "negative": contestant.negative, "workers": contestant.workers,
            "epochs": epochs, "output": str(Path(folder, "vectors")),
        }  # fmt: skip
        if contestant.library == "w2gm":
            command = [sys.executable, "-m", "w2gm", "train", text["text"], "-o", task["output"], "--quiet", "--json"]
            command += ["--cache", str(Path(folder, "cache")), "--senses", str(contestant.senses)]
            command += ["--workers", str(contestant.workers), "--epochs", str(epochs)]
            facts, wall, peak = measured(command)
            training, found = facts["seconds"], {"triples_per_second": facts["pairs"] / facts["seconds"]}
        else:
            facts, wall, peak = own_process(contestant.library, task)
            training, found = facts["training_seconds"], {}
            if facts["words"] != text["words"] or facts.get("raw_tokens", text["raw_tokens"]) != text["raw_tokens"]:
                sys.exit(f"{contestant.name} saw another text: {facts}, not {text}")
            if contestant.library == "fasttext":
                training -= own_process("fasttext", task | {"epochs": 0})[0]["training_seconds"]
        return found | {
            "tokens_per_second": text["raw_tokens"] * epochs / training, "wall_seconds": wall, "peak_megabytes": peak
        }  # fmt: skip


def spread(values: list[float]) -> dict[str, float]:
    """Median, lowest and highest."""
    return {"median": statistics.median(values), "lowest": min(values), "highest": max(values)}


def summary(contestants: list[Contestant], rounds: list[dict[Contestant, dict[str, float]]]) -> list[dict[str, Any]]:
    """A row for each contestant; "times" compares with gensim and with one worker, round by round."""
    rows = []
    for one in contestants:
        figures = {name: spread([found[one][name] for found in rounds]) for name in rounds[0][one]}
        rivals = [other for other in contestants if other.library == "gensim"]
        peers = {other.name: other for other in rivals if other.workers == one.workers and one not in rivals}
        alone = Contestant(one.library, 1, one.senses, one.negative)
        if one.workers > 1 and alone in contestants:
            peers["one worker"] = alone
        times = {
            name: {
                "tokens_per_second": spread(
                    [r[one]["tokens_per_second"] / r[peer]["tokens_per_second"] for r in rounds]
                ),
                "wall_seconds": spread([r[peer]["wall_seconds"] / r[one]["wall_seconds"] for r in rounds]),
            }
            for name, peer in peers.items()
        }
        rows.append({"contestant": one.name, "workers": one.workers, **figures, "times": times})
    return rows


def show(result: dict[str, Any]) -> None:
    """Print all that is known, then two tables: figures, and how many times faster."""
    for heading in ("machine", "versions", "settings", "text"):
        print(f"{heading}: " + ", ".join(f"{name} {fact}" for name, fact in result[heading].items()))
    print(f"load average: {result['load_before']:.1f} before, {result['load_after']:.1f} after\n")

    def cell(figure: dict[str, float] | None, unit: float, digits: int) -> str:
        if figure is None:
            return f"{'':>22}"
        low, high = f"{figure['lowest'] / unit:.{digits}f}", f"{figure['highest'] / unit:.{digits}f}"
        return f"{figure['median'] / unit:>8.{digits}f} {f'({low}-{high})':>13}"

    heads = ("k tokens/s", "M triples/s", "wall seconds", "peak MB")
    print(f"{'median (lowest-highest)':<28}" + "".join(f"{head:>22}" for head in heads))
    for row in result["rows"]:
        cells = [
            cell(row["tokens_per_second"], 1e3, 0), cell(row.get("triples_per_second"), 1e6, 2),
            cell(row["wall_seconds"], 1, 1), cell(row["peak_megabytes"], 1, 0),
        ]  # fmt: skip
        print(f"{row['contestant'] + ', ' + str(row['workers']) + ' workers':<28}" + "".join(cells))
    print(f"\n{'times as fast':<42}{'tokens/s':>22}{'wall':>22}")
    for row in result["rows"]:
        for name, times in row["times"].items():
            title = f"{row['contestant']}, {row['workers']} workers / {name}"
            print(f"{title:<42}" + cell(times["tokens_per_second"], 1, 2) + cell(times["wall_seconds"], 1, 2))


def main() -> None:
    """Measure and print."""
    if sys.argv[1:2] == ["--contestant"]:
        print(json.dumps(TASKS[sys.argv[2]](json.loads(sys.argv[3]))))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", type=Path, help="a file; one line is one sentence; may be compressed")
    parser.add_argument("--tokens", type=int, help="use the first lines only, until they hold about so many tokens")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, nargs="+", default=[2])
    parser.add_argument("--senses", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()

    missing = [module for module in PEERS if importlib.util.find_spec(module) is None]
    for module in missing:
        print(f"{module} is not here and is left out: pip install -r benchmarks/requirements.txt", file=sys.stderr)
    contestants = [Contestant("w2gm", workers, senses) for workers in options.workers for senses in options.senses]
    contestants += [
        Contestant(module, workers, negative=negative)
        for module in PEERS
        if module not in missing
        for workers in options.workers
        for negative in (5, 1)
    ]
    load_before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        places = {name: Path(folder, name) for name in ("few", "all")}
        texts = {}
        for name, tokens in (("few", WARM_UP_TOKENS), ("all", options.tokens)):
            places[name].mkdir()
            task = {"text": str(options.text), "tokens": tokens, "folder": str(places[name])}
            texts[name] = own_process("prepare", task | {"min_count": RECIPE.min_count})[0]
        for contestant in contestants:
            turn(contestant, texts["few"], 1)
        rounds = []
        for number in range(options.rounds):
            rounds.append({contestant: turn(contestant, texts["all"], options.epochs) for contestant in contestants})
            print(f"round {number + 1} of {options.rounds} done", file=sys.stderr)

    import machine  # see the note on imports above

    sizes = {name: texts["all"][name] for name in ("bytes", "raw_tokens", "sentences", "words")}
    result = {
        "machine": machine.describe(),
        "versions": {module: _version(module) for module in PEERS},
        "settings": SHARED | {"epochs": options.epochs, "rounds": options.rounds, "w2gm_negative": RECIPE.negative},
        "text": {"name": options.text.name} | sizes,
        "load_before": load_before,
        "load_after": os.getloadavg()[0],
        "missing": missing,
        "rows": summary(contestants, rounds),
    }
    if options.json:
        print(json.dumps(result, indent=1))
    else:
        show(result)


def _version(module: str) -> str:
    for distribution in PEERS[module]:
        try:
            return importlib.metadata.version(distribution)
        except importlib.metadata.PackageNotFoundError:
            continue
    return "missing"


if __name__ == "__main__":
    main()
