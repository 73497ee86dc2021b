"""The model card: `README.md` of a model folder, for a reader who has never heard of w2gm."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from w2gm.model.description import Description

_TEXT = """\
---
library_name: w2gm
tags: [word-embeddings, word-senses, gaussian-mixture]
---

# Word senses as Gaussian mixtures

{words:,} words; each is a mixture of {senses} Gaussian(s) in {vector_size} dimensions with {covariance}
covariance: a component is a sense of the word, its weight how common the sense is, its variance how broad.
Made with w2gm {version}; method: Athiwaratkun and Wilson, "Multimodal Word Distributions" (ACL 2017).

## How to load it

    import w2gm
    model = w2gm.load("path/to/this/folder")
    model["{example}"].senses                        # weight, mean and variance of each sense
    model.most_similar("{example}", sense=0)

or `w2gm neighbors path/to/this/folder {example}`. Without w2gm: the arrays `means` (words, senses, dimensions),
`log_variances` and `weights` are in `model.safetensors` ({precision} means), in the order of the words in
`vocab.tsv`; `b2sum --check checksums.txt` checks the files.

## How it was made

| | |
|---|---|
{provenance}

## Hyperparameters

| | |
|---|---|
{hyperparameters}
"""


def model_card(description: Description, words: list[str]) -> str:
    """The card's text: what the model is, how to load it, the corpus figures and the hyperparameters."""
    config = description.config
    # Hundreds of figures are no row of a table: `w2gm plot` draws them.
    made = {name: value for name, value in description.provenance.items() if name != "history"}
    # The example is typed into a shell and into Python: it must be a plain word, or a stand-in.
    example = next((word for word in words[100:1000] + words[:100] if word.isalpha()), "word")
    return _TEXT.format(
        words=description.words,
        senses=config.senses,
        vector_size=config.vector_size,
        covariance=config.covariance,
        version=description.package_version,
        precision=description.precision,
        example=example,
        provenance="\n".join(_rows(made)) or "| not recorded | |",
        hyperparameters="\n".join(_rows(config.to_dict())),
    )


def _rows(values: dict[str, Any], prefix: str = "") -> Iterator[str]:
    """One table row per value; names of nested values are joined with dots."""
    for name, value in values.items():
        if isinstance(value, dict) and value:
            yield from _rows(value, f"{prefix}{name}.")
        else:
            yield f"| {_cell(prefix + name)} | {_cell(json.dumps(value, ensure_ascii=False))} |"


def _cell(text: str) -> str:
    """`text` as one table cell: code, on one line, no bar that would end the cell."""
    # ASCII control characters and line separators cannot stand in a row; JSON has escaped most of them.
    line = " ".join(text.split()).replace("|", "\\|").replace("`", "'")
    return f"`{line}`"
