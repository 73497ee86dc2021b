"""From text to a trained model: the corpus is encoded, the tables are trained, the model is saved."""

from __future__ import annotations

import dataclasses
import platform
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import w2gm
from w2gm.config import Config
from w2gm.errors import TrainingInterrupted
from w2gm.model import Model
from w2gm.model.folder import check_output, required_bytes
from w2gm.model.staging import check_room
from w2gm.training.progress import Progress, make_progress

if TYPE_CHECKING:
    from w2gm.corpus import Corpus
    from w2gm.training.trainer import Summary

_COMPILING = "compiling kernels for this processor: some seconds, once; then they lie in a cache on disk"

__all__ = ["Progress", "TrainingInterrupted", "make_progress", "train"]


def train(
    text: Any,
    *,
    output: str | Path | None = None,
    overwrite: bool = False,
    save_context: bool = True,
    cache: str | Path | None = None,
    tokenizer: Callable[[str], list[str]] | Any | None = None,
    progress: Progress | bool = False,
    **hyperparameters: Any,
) -> Model:
    """Learn a mixture of Gaussians for every word of a text.

    `text` is a path (a file, a folder, a pattern such as "news/*.gz", or "-" for standard input), a list of
    `pathlib.Path`, any iterable of strings (lines) or of lists of tokens, or a function that returns such an
    iterable. `hyperparameters` are the fields of `w2gm.config.Config`. With `output` the model is saved to
    that folder; with `save_context=False` it comes without the output tables. `tokenizer` is a function or a
    compiled regular expression in place of the named ones. `progress=True` shows what is going on.

    Ctrl-C stops the training and raises `TrainingInterrupted` with the model so far, saved if `output` is given.

    >>> lines = ["the cat chased the mouse", "the dog chased the cat"] * 50
    >>> model = train(lines, senses=1, vector_size=8, epochs=1, min_count=1, workers=1)
    >>> len(model), "cat" in model
    (5, True)
    """
    config = Config.from_dict(hyperparameters)
    shown = progress if isinstance(progress, Progress) else make_progress(quiet=not progress)
    if output is not None:
        check_output(Path(output), overwrite)
    # Compiling and reading wait until every argument is known to be good.
    from w2gm.corpus import encode
    from w2gm.kernels.notice import when_compiling
    from w2gm.training.trainer import Trainer

    started = time.monotonic()
    with (
        shown.shown(),
        when_compiling(lambda: shown.message(_COMPILING)),
        encode(
            text,
            config,
            tokenizer=tokenizer,
            cache=None if cache is None else Path(cache),
            workers=config.threads,
            report=shown.reading,
        ) as corpus,
    ):
        shown.message(_corpus_line(corpus))
        if output is not None:
            check_room(Path(output), _model_bytes(len(corpus.vocabulary), config, save_context))
        trainer = Trainer(corpus, config)
        trainer.compile()
        shown.message(trainer.describe())
        summary = trainer.run(shown)
        mixtures, context = trainer.mixtures()
        if not save_context:
            context = None
        provenance = _provenance(corpus, config, summary, time.monotonic() - started)
        provenance["history"] = trainer.history.points()
        model = Model(corpus.vocabulary, mixtures, config=trainer.config, provenance=provenance, context=context)
    if summary.interrupted:
        raise TrainingInterrupted(_keep(model, output, summary), model)
    if output is not None:
        model.save(output, overwrite=overwrite)
    return model


def _keep(model: Model, output: str | Path | None, summary: Summary) -> str:
    """Save what an interrupted training has learned; say where. An earlier model is left alone."""
    done = f"interrupted in epoch {summary.epochs} of {model.config.epochs}"
    if not summary.pairs:
        return "interrupted before anything was learned: nothing was written"
    if output is None:
        return f"{done}: the model so far is in the exception's `model`"
    place = Path(output)
    if place.exists():
        place = place.with_name(place.name + ".interrupted")
    model.save(place, overwrite=True)
    return f"{done}: the model so far is in {place}"


def _model_bytes(words: int, config: Config, save_context: bool) -> int:
    context = save_context and config.separate_output
    return required_bytes(words, config.senses, config.vector_size, config.covariance, context)


def _corpus_line(corpus: Corpus) -> str:
    facts = (
        f"{'found' if corpus.reused else 'encoded'} {corpus.tokens:,} tokens in {corpus.sentences:,} sentences, "
        f"{len(corpus.vocabulary):,} words ({corpus.raw_words:,} before min_count)"
    )
    if corpus.bad_bytes:
        facts += f"; {corpus.bad_bytes:,} byte sequences were not UTF-8"
    return facts


def _provenance(corpus: Corpus, config: Config, summary: Summary, total_seconds: float) -> dict[str, Any]:
    import numba
    import numpy as np

    return {
        **dataclasses.asdict(summary),
        "total_seconds": total_seconds,
        "workers": config.threads,
        "corpus": {
            "fingerprint": corpus.fingerprint,
            "tokens": corpus.tokens,
            "sentences": corpus.sentences,
            "raw_tokens": corpus.raw_tokens,
            "raw_words": corpus.raw_words,
            "bad_bytes": corpus.bad_bytes,
        },
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": {
            "w2gm": w2gm.__version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "numba": numba.__version__,
        },
    }
