"""The approximate index of a model's senses: a graph of usearch's, kept beside the model and mapped, not read.

MODEL/index/graph.usearch   unit means in float16, one node per sense (row word * senses + sense)
MODEL/index/index.json      what it was made from and how good it is
MODEL/index/checksums.txt   blake2b of both: a broken link inside the graph would end the process, not raise

The graph only proposes; scores are computed from the model's own means in float64, as for the exact search.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from w2gm.errors import ConfigError, MissingExtraError, ModelError, StorageError
from w2gm.model import checksums
from w2gm.model.staging import staged_folder
from w2gm.query.neighbors import Cosines, nearest
from w2gm.query.questions import whole
from w2gm.query.search import Ids, Nearest, ranked

if TYPE_CHECKING:
    from w2gm.model import Model

NAME = "index"
_GRAPH, _FACTS = "graph.usearch", "index.json"
_FILES = {_GRAPH, _FACTS, checksums.NAME}
_FORMAT, _FORMAT_VERSION = "w2gm-index", 1
_LARGEST_FACTS = 1 << 16

_SAMPLE, _TOPN = 1000, 10
_WIDTHS = (32, 64, 128, 256, 512, 1024)
_ROWS_AT_ONCE = 8192

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class IndexFacts:
    """What `index.json` says, and `w2gm index --json` prints.

    means: blake2b of the means the index was made from. connectivity: links of a node. expansion_add,
    expansion_search: how many nodes are kept in view while one is added, or looked for. recall: the share of the
    true 10 nearest words that the index finds for `sample` senses drawn at random. milliseconds: of such a query,
    the median. seconds: of the making.
    """

    words: int
    senses: int
    vector_size: int
    means: str
    connectivity: int
    expansion_add: int
    expansion_search: int
    recall: float
    sample: int
    milliseconds: float
    seconds: float
    usearch: str


class SenseIndex:
    """An index that answers: a graph whose keys are rows (word * senses + sense)."""

    def __init__(self, graph: Any) -> None:
        self._graph = graph

    def search(self, comparison: Cosines, *, topn: int, hidden: Sequence[Ids]) -> list[Nearest]:
        """About what `search.search` answers, from the neighbourhood of each vector in the graph."""
        if topn == 0 or comparison.batch == 0:
            return ranked(comparison, *np.empty((2, 0), np.int64), topn=topn, hidden=hidden)
        # Every row of an answer, and every hidden one, can stand before the next answer.
        count = topn * comparison.members + max(len(rows) for rows in hidden)
        count = min(count, comparison.groups * comparison.members)
        vectors = comparison.queries.astype(np.float32).reshape(-1, comparison.dimensions)
        found = self._graph.search(vectors, count, threads=1)
        # One vector alone gets its matches, several a table with the number of matches in each row.
        counts = np.array([len(found.keys)]) if len(vectors) == 1 else found.counts.astype(np.int64)
        keys = np.atleast_2d(found.keys)
        queries = np.repeat(np.arange(len(vectors)) // comparison.vectors, counts)
        groups = keys[np.arange(keys.shape[1]) < counts[:, None]].astype(np.int64) // comparison.members
        pairs = np.unique(queries * comparison.groups + groups)
        return ranked(comparison, *np.divmod(pairs, comparison.groups), topn=topn, hidden=hidden)


def build_index(
    model: Model,
    *,
    recall: float = 0.98,
    connectivity: int = 16,
    expansion_add: int = 64,
    progress: Progress | None = None,
) -> IndexFacts:
    """Make the index of a saved model, measure it, and put it into the model's folder in place of an older one.

    The search is widened until at least `recall` of the true 10 nearest words are found for a sample of senses,
    or until wider does not go; what was reached is in the facts. `connectivity` and `expansion_add` make a better
    graph that takes longer to build. `progress` is called with (senses added, all senses).
    """
    if not 0 < recall <= 1:
        raise ConfigError(f"recall must be above 0 and at most 1, got {recall}")
    connectivity = whole("connectivity", connectivity, 2)
    expansion_add = whole("expansion_add", expansion_add, 1)
    if model.folder is None:
        raise ConfigError("the index is kept in the model's folder: save the model (not as half), then build it")
    usearch = _usearch()
    target = _replaceable(model.folder / NAME)
    started = time.monotonic()
    graph = usearch.index.Index(
        ndim=model.vector_size,
        metric="cos",
        dtype="f16",
        connectivity=connectivity,
        expansion_add=expansion_add,
        enable_key_lookups=False,
    )
    rows = model.unit_means.reshape(-1, model.vector_size)
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        stop = min(start + _ROWS_AT_ONCE, len(rows))
        graph.add(np.arange(start, stop), rows[start:stop])
        if progress:
            progress(stop, len(rows))
    facts = IndexFacts(
        words=len(model),
        senses=model.senses,
        vector_size=model.vector_size,
        means=_digest(model),
        connectivity=connectivity,
        expansion_add=expansion_add,
        usearch=usearch.__version__,
        **_measured(model, graph, recall),
        seconds=round(time.monotonic() - started, 3),
    )
    with staged_folder(target, overwrite=True, needed=graph.serialized_length + _LARGEST_FACTS) as folder:
        # Through Python's file, not the library's, so that a full disk is noticed as one.
        (folder / _GRAPH).write_bytes(graph.save())
        values = {"format": _FORMAT, "format_version": _FORMAT_VERSION, **asdict(facts)}
        (folder / _FACTS).write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8", newline="\n")
        checksums.write_checksums(folder)
    return facts


def open_index(model: Model) -> SenseIndex:
    """The index in the model's folder, mapped; one that is missing, damaged or of other means raises `ModelError`."""
    if model.folder is None:
        raise ModelError("this model is not from a folder and has no index: save it and build one, or ask without")
    folder = model.folder / NAME
    again = f"run w2gm index {model.folder}"
    if not folder.is_dir():
        raise ModelError(f"{model.folder} has no index: {again}")
    usearch = _usearch()
    try:
        for name, state in checksums.verify_checksums(folder).items():
            if state != "ok":
                raise ModelError(f"{folder / name} is {state}: the index is damaged: {again}")
        facts = _read_facts(folder / _FACTS, again)
        shape = (len(model), model.senses, model.vector_size)
        if (facts.words, facts.senses, facts.vector_size) != shape or facts.means != _digest(model):
            raise ModelError(f"{folder} was made from other means than the model has now: {again}")
        graph = usearch.index.Index.restore(str(folder / _GRAPH), view=True)
    except OSError as error:
        raise ModelError(f"cannot read {folder}: {error.strerror or error}: {again}") from error
    graph.expansion_search = facts.expansion_search
    return SenseIndex(graph)


def _measured(model: Model, graph: Any, target: float) -> dict[str, Any]:
    """expansion_search, recall, sample, milliseconds: the narrowest search that reaches the recall, or the widest."""
    random = np.random.default_rng(0)
    words = random.choice(len(model), size=min(_SAMPLE, len(model)), replace=False)
    senses = random.integers(0, model.senses, len(words))
    queries = model.means[words, senses][:, None]
    hidden = [np.arange(word * model.senses, (word + 1) * model.senses) for word in words.tolist()]
    truth = nearest(model.unit_means, queries, topn=_TOPN, excluded=hidden)
    wanted = sum(len(answer.groups) for answer in truth)
    index = SenseIndex(graph)
    measured: dict[str, Any] = {}
    for width in _WIDTHS:
        graph.expansion_search = width
        found, times = [], []
        for query, rows in zip(queries, hidden, strict=True):
            start = time.perf_counter()
            found += index.search(Cosines(model.unit_means, query[None]), topn=_TOPN, hidden=[rows])
            times.append(time.perf_counter() - start)
        hits = sum(len(np.intersect1d(one.groups, two.groups)) for one, two in zip(found, truth, strict=True))
        measured = {
            "expansion_search": width,
            "recall": hits / wanted if wanted else 1.0,
            "sample": len(words),
            "milliseconds": round(float(np.median(times)) * 1e3, 3),
        }
        if measured["recall"] >= target:
            break
    return measured


def _digest(model: Model) -> str:
    """A digest of all means, 32 hexadecimal digits."""
    return hashlib.blake2b(np.ascontiguousarray(model.means).data, digest_size=16).hexdigest()


def _replaceable(folder: Path) -> Path:
    """`folder`, unless something stands there that is not an index of ours."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise StorageError(f"{folder} exists and is not an index: move it away first")
    if folder.is_dir() and (foreign := [p.name for p in folder.iterdir() if p.name not in _FILES]):
        raise StorageError(f"{folder} holds files that are not an index's ({foreign[0]}): move them away first")
    return folder


def _read_facts(path: Path, again: str) -> IndexFacts:
    """What `index.json` says, its types checked; anything unexpected raises `ModelError`."""
    try:
        values = json.loads(path.read_bytes()[:_LARGEST_FACTS])
        if (values["format"], values["format_version"]) != (_FORMAT, _FORMAT_VERSION):
            raise ValueError("of another format")
        facts = IndexFacts(**{field.name: values[field.name] for field in fields(IndexFacts)})
        whole("expansion_search", facts.expansion_search, 1)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ModelError(f"{path} is not what this w2gm writes ({error}): {again}") from None
    return facts


def _usearch() -> Any:
    try:
        import usearch
        import usearch.index
    except ImportError:
        raise MissingExtraError('the index needs the ann extra: pip install "w2gm[ann]"') from None
    return usearch
