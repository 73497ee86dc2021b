"""Models for the tests of the explorer: words that try to be markup, and very many words."""

import numpy as np

from w2gm.config import Config
from w2gm.model import Mixtures, Model
from w2gm.vocabulary import Vocabulary

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "a/b?c&d#e%f",
    "../../etc/passwd",
    "r&b",
    "土手",
]


def random_model(words: list[str], *, senses: int = 2, vector_size: int = 8, seed: int = 0) -> Model:
    """Words of falling frequency, with senses around a few topics."""
    random = np.random.default_rng(seed)
    topics = random.normal(size=(12, vector_size)) * 2
    shape = (len(words), senses)
    chosen = topics[random.integers(0, len(topics), shape)]
    weights = random.dirichlet(np.full(senses, 4.0), len(words))
    return Model(
        Vocabulary(words, np.maximum(5, 1_000_000 // (np.arange(len(words)) + 1))),
        Mixtures(
            means=(chosen + random.normal(size=(*shape, vector_size))).astype(np.float32),
            log_variances=random.normal(-1.5, 0.4, shape).astype(np.float32),
            weights=weights.astype(np.float32),
        ),
        config=Config(senses=senses, vector_size=vector_size, tokenizer="whitespace", separate_output=False),
        provenance={"tokens": 1_000_000},
    )
