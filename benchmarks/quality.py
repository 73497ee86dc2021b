"""Which training settings learn best: trains a grid, judges each model, prints a table and the Pareto front.

    python benchmarks/quality.py grid.toml wiki.txt --log runs.jsonl                     judged on development data
    python benchmarks/quality.py grid.toml wiki.txt --log runs.jsonl --paper-sets DIR    and on the paper's sets

A grid is a TOML file; lists are tried in every combination, `name` is what the table calls a run:

    tokens = 10_000_000          # the first lines only; 0 takes all
    seeds = [1, 2, 3]
    [[run]]
    name = "alpha {alpha}"
    alpha = [0.05, 0.1]          # any hyperparameter of `w2gm train`
    [[run]]
    name = "gensim"
    library = "gensim"           # skip-gram on the same words
    negative = 5

Development data, never the paper's sets: text held out, pseudo-words merged in the text, seven words with obvious
senses, and relations and entailment out of WordNet where its files are (`--wordnet`). With `--paper-sets` nothing is
held out or merged, and the log counts how often those sets were looked at. A run that the log already has is not
trained again. Every run is a process of its own; with `--together 2` and one worker each, two run at a time.
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

import judges
import machine
import pseudowords
import wordnet_sets
from measures import entailment, found, lowered, measured, paper_sets, score_paper_sets, spearman
from w2gm.config import Config
from w2gm.corpus import encode
from w2gm.query.sensepairs import Senses
from w2gm.training.progress import Progress
from w2gm.training.trainer import Trainer
from w2gm.vocabulary import Vocabulary

PSEUDO_WORDS_EACH = 60  # of equal frequency, and as many of 1:5
OWN_KEYS = ("name", "library")


class Text:
    """Words as ids, what `Trainer` needs of a corpus."""

    def __init__(self, ids: np.ndarray, vocabulary: Vocabulary) -> None:
        self.ids, self.vocabulary = ids, vocabulary


def grid(file: dict[str, Any]) -> list[dict[str, Any]]:
    """Every run that a grid file asks for: settings, one of each list, and a seed."""
    runs = []
    for entry in file["run"]:
        lists = {name: value if isinstance(value, list) else [value] for name, value in entry.items()}
        for values in itertools.product(*lists.values()):
            settings = dict(zip(lists, values, strict=True))
            settings["name"] = settings["name"].format(**settings)
            runs += [settings | {"seed": seed} for seed in file.get("seeds", [1])]
    return runs


def first_lines(text: Path, tokens: int, folder: Path) -> Path:
    """A file of the first lines of a text, until they hold about so many tokens."""
    short = folder / f"first-{tokens}.txt"
    if not short.exists():
        words = 0
        with text.open("rb") as source, short.open("wb") as file:
            for line in source:
                file.write(line)
                words += len(line.split())
                if words >= tokens:
                    break
    return short


def hyperparameters(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings that are fields of `Config`."""
    return {name: value for name, value in settings.items() if name not in OWN_KEYS}


def keep(inputs: Senses, settings: dict[str, Any], words: list[str], folder: Path) -> None:
    """Write the mixtures of a run, and the words, where `--keep` says."""
    folder.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"\W+", "-", f"{settings['name']} seed {settings['seed']}")
    np.savez(folder / f"{name}.npz", words=np.array(words), **inputs._asdict())


def train(settings: dict[str, Any], text: Text) -> tuple[Senses, Senses | None, dict[str, Any]]:
    """(input mixtures, output mixtures if any, {"seconds": ..., "train loss": ...})."""
    if settings.get("library") == "gensim":
        return train_gensim(settings, text)
    trainer = Trainer(text, Config.from_dict(hyperparameters(settings)))
    trainer.compile()
    summary = trainer.run(Progress())
    inputs, outputs = (
        None if part is None else Senses(part.means, part.variances, part.weights) for part in trainer.mixtures()
    )
    return inputs, outputs, {"seconds": summary.seconds, "train loss": summary.loss}


def train_gensim(settings: dict[str, Any], text: Text) -> tuple[Senses, None, dict[str, Any]]:
    """Skip-gram by gensim on the same words, written as a file of tokens first."""
    from gensim.models import Word2Vec

    recipe = Config(epochs=settings.get("epochs"))
    names = [*map(str, range(len(text.vocabulary))), "\n"]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        for start in range(0, len(text.ids), 1_000_000):
            part = " ".join([names[number] for number in text.ids[start : start + 1_000_000].tolist()])
            file.write(part.replace(" \n ", "\n") + " ")
        file.flush()
        started = time.perf_counter()
        model = Word2Vec(
            corpus_file=file.name, sg=1, hs=0, negative=settings.get("negative", 5), seed=settings["seed"],
            workers=settings.get("workers", 2), epochs=recipe.epochs_for(len(text.ids)), min_count=1,
            vector_size=settings.get("vector_size", recipe.vector_size), window=settings.get("window", recipe.window),
            sample=settings.get("sample", 1e-4),
        )  # fmt: skip
        seconds = time.perf_counter() - started
    words = len(text.vocabulary)
    means = np.full((words, 1, model.vector_size), 1e-9, np.float32)  # a word never seen outside held-out text
    for number in range(words):
        if str(number) in model.wv:
            means[number, 0] = model.wv[str(number)]
    flat = np.ones((words, 1), np.float32)
    return Senses(means, flat, flat), None, {"seconds": seconds}


def development_score(settings: dict[str, Any], text: Text, options: argparse.Namespace) -> dict[str, Any]:
    """Train with held-out text and pseudo-words, and judge."""
    words, counts = text.vocabulary.words, text.vocabulary.counts
    evaluated = set()
    if options.evaluation:
        evaluated = {word for one in paper_sets(options.evaluation) for pair in lowered(one) for word in pair}
    evaluated |= {name for word, lists in judges.OBVIOUS.items() for name in (word, *" ".join(lists).split())}
    pairs = pseudowords.choose(words, counts, evaluated, PSEUDO_WORDS_EACH, seed=1)
    trained, held = judges.hold_out(np.asarray(text.ids))
    trained, merged_counts = pseudowords.merged(trained, counts, pairs, seed=1)
    names = words + [f"{words[pair.first]}+{words[pair.second]}" for pair in pairs]
    inputs, outputs, facts = train(settings, Text(trained, Vocabulary(names, merged_counts)))
    if options.keep:
        keep(inputs, settings, names, options.keep)
    scores: dict[str, Any] = {"pseudo-words": pseudowords.told_apart(inputs, pairs)}
    if outputs is not None:
        triples = judges.held_out_triples(held, counts, 10)
        scores["held out"] = judges.held_out_loss(inputs, outputs, triples, settings.get("margin", Config().margin))
    ids = {word: number for number, word in enumerate(words)}
    scores["splits"] = judges.splits(inputs, ids)
    scores |= mixtures_facts(inputs)
    if options.wordnet:
        relations, entailed = wordnet_sets.development_sets(options.wordnet, options.evaluation, words)
        rows, known = found(relations, ids)
        values = measured(inputs, rows)
        scores["relations"] = {
            name: spearman(values[name], relations.ratings[known]) for name in ("mc", "avesim", "el", "me")
        }
        rows, known = found(entailed, ids)
        scores["entailment"] = entailment(measured(inputs, rows), entailed.truth[known])
    return facts | scores


def mixtures_facts(inputs: Senses) -> dict[str, Any]:
    """How near the components of a word are, and how far the variances have spread, over frequent words."""
    means = inputs.means[:20_000].astype(np.float64)
    units = means / np.linalg.norm(means, axis=-1, keepdims=True)
    cosines = np.einsum("vid,vjd->vij", units, units)[:, *np.triu_indices(means.shape[1], 1)]
    levels = np.quantile(inputs.variances[:20_000], (0.05, 0.5, 0.95))
    return {
        "cosine of components": float(cosines.mean()) if cosines.size else 1.0,
        "variances": levels.round(4).tolist(),
    }


def paper_score(settings: dict[str, Any], text: Text, options: argparse.Namespace) -> dict[str, Any]:
    """Train on all of the text and look at the paper's sets."""
    inputs, _, facts = train(settings, text)
    ids = text.vocabulary.index
    if options.keep:
        keep(inputs, settings, text.vocabulary.words, options.keep)
    scores = score_paper_sets(options.paper_sets, inputs, ids)
    return facts | scores | {"splits": judges.splits(inputs, ids)} | mixtures_facts(inputs)


def one_run(settings: dict[str, Any], options: argparse.Namespace) -> dict[str, Any]:
    """Encode (or find encoded), train and judge one run."""
    file = first_lines(options.text, options.tokens, options.folder) if options.tokens else options.text
    base = Config(min_count=settings.get("min_count", Config().min_count))
    with encode(file, base, cache=options.folder / "cache", workers=2) as corpus:
        text = Text(corpus.ids, corpus.vocabulary)
        score = paper_score if options.paper_sets else development_score
        return score(settings, text, options)


def key_of(settings: dict[str, Any], options: argparse.Namespace) -> str:
    """What makes a run the same as one in the log."""
    kind = "paper" if options.paper_sets else "development"
    return json.dumps({"text": options.text.name, "tokens": options.tokens, "kind": kind} | settings, sort_keys=True)


def logged(log: Path) -> dict[str, dict[str, Any]]:
    """The runs that a log has, by key."""
    if not log.exists():
        return {}
    return {entry["key"]: entry for entry in map(json.loads, log.read_text("utf-8").splitlines())}


def flat(entry: dict[str, Any]) -> dict[str, float]:
    """A run's scores as the table shows them."""
    score = entry["score"]
    row = {"seconds": score["seconds"]}
    if "mean of nine" in score:
        row |= {f"{name} 9": value for name, value in score["mean of nine"].items() if name != "kl"}
        row |= score["entailment"]
    else:
        row |= score.get("relations", {})
        row |= score.get("entailment", {})
        row |= score.get("held out", {})
        row |= score["pseudo-words"]
    return row | {"split": float(sum(score["splits"].values())), "cosine": score["cosine of components"]}


def show(entries: list[dict[str, Any]], best_by: str) -> None:
    """A line for each name, the mean over its seeds; a star where no other is both faster and better."""
    groups: dict[str, list[dict[str, float]]] = {}
    for entry in entries:
        groups.setdefault(entry["settings"]["name"], []).append(flat(entry))
    if not groups:
        return
    heads = list(dict.fromkeys(head for rows in groups.values() for row in rows for head in row))
    means = {
        name: {head: statistics.fmean([row[head] for row in rows]) for head in heads if head in rows[0]}
        for name, rows in groups.items()
    }
    spreads = {name: statistics.pstdev([row.get(best_by, 0.0) for row in rows]) for name, rows in groups.items()}
    print(f"\n{'run':<44}{'n':>3}" + "".join(f"{head[:11]:>12}" for head in heads) + f"{'+-':>6}")
    for name, row in sorted(means.items(), key=lambda item: item[1].get(best_by, 0.0)):
        others = [other for key, other in means.items() if key != name]
        front = not any(
            other["seconds"] <= row["seconds"] and other.get(best_by, 0.0) > row.get(best_by, 0.0)
            for other in others
        )  # fmt: skip
        cells = "".join(f"{row[head]:12.2f}" if head in row else f"{'':>12}" for head in heads)
        print(f"{'* ' if front else '  '}{name:<42}{len(groups[name]):>3}{cells}{spreads[name]:6.2f}")
    print(f"* on the Pareto front of seconds against {best_by}; +- its standard deviation over seeds")


def main() -> None:
    """Train what the log does not have, then print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("grid", type=Path)
    parser.add_argument("text", type=Path, help="a text file, one sentence or paragraph a line")
    parser.add_argument("--log", type=Path, default=Path("quality.jsonl"))
    parser.add_argument("--paper-sets", type=Path, help="look at the paper's sets, in this folder")
    parser.add_argument("--evaluation", type=Path, help="the paper's sets, to keep their words out of development")
    parser.add_argument("--wordnet", type=Path, help="folder of WordNet's files (Debian: wordnet-base)")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir(), "w2gm-quality"))
    parser.add_argument("--keep", type=Path, help="a folder to keep the mixtures in, an .npz file a run")
    parser.add_argument("--together", type=int, default=1, help="runs at a time")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    file = tomllib.loads(options.grid.read_text("utf-8"))
    options.tokens = file.get("tokens", 0)
    options.folder.mkdir(parents=True, exist_ok=True)
    if options.one:
        print(json.dumps(one_run(json.loads(options.one), options)))
        return
    runs = grid(file)
    if options.tokens:
        first_lines(options.text, options.tokens, options.folder)

    def run(settings: dict[str, Any]) -> None:
        command = [sys.executable, *sys.argv, "--one", json.dumps(settings)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"{settings['name']}: failed\n{done.stderr[-2000:]}", file=sys.stderr)
            return
        entry = {
            "key": key_of(settings, options), "settings": settings, "score": json.loads(done.stdout),
            "machine": machine.describe(), "ended": time.strftime("%Y-%m-%dT%H:%M:%S"),
        }  # fmt: skip
        with options.log.open("a", encoding="utf-8") as log:
            log.write(json.dumps(entry) + "\n")
        facts = {name: round(value, 2) for name, value in flat(entry).items()}
        print(f"{settings['name']}, seed {settings['seed']}: {facts}", file=sys.stderr)

    before = logged(options.log)
    missing = [settings for settings in runs if key_of(settings, options) not in before]
    with ThreadPoolExecutor(options.together) as pool:
        list(pool.map(run, missing))
    after = logged(options.log)
    looks = sum("mean of nine" in entry["score"] for entry in after.values())
    wanted = [after[key] for key in (key_of(settings, options) for settings in runs) if key in after]
    show(wanted, "mc 9" if options.paper_sets else "mc")
    print(f"the paper's sets were looked at {looks} times in this log")


if __name__ == "__main__":
    main()
