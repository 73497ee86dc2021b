"""w2gm: every word is a small mixture of Gaussians, learned from plain text.

>>> import w2gm
>>> lines = ["the cat chased the mouse", "the dog chased the cat"] * 50
>>> model = w2gm.train(lines, senses=2, vector_size=8, epochs=1, min_count=1, workers=1)
>>> model["cat"].weights.shape
(2,)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0.dev0"

# Nothing is imported until it is used: `import w2gm` is instant, and numba waits for training.
_ROOMS = {
    "Config": "w2gm.config",
    "Corpus": "w2gm.corpus",
    "Mixtures": "w2gm.model",
    "Model": "w2gm.model",
    "Vocabulary": "w2gm.vocabulary",
    "W2gmError": "w2gm.errors",
    "WordDistribution": "w2gm.model",
    "load": "w2gm.model",
    "train": "w2gm.training",
}

__all__ = [
    "Config",
    "Corpus",
    "Mixtures",
    "Model",
    "Vocabulary",
    "W2gmError",
    "WordDistribution",
    "__version__",
    "load",
    "train",
]

if TYPE_CHECKING:
    from w2gm.config import Config
    from w2gm.corpus import Corpus
    from w2gm.errors import W2gmError
    from w2gm.model import Mixtures, Model, WordDistribution, load
    from w2gm.training import train
    from w2gm.vocabulary import Vocabulary


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return getattr(importlib.import_module(_ROOMS[name]), name)
    raise AttributeError(f"module 'w2gm' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
