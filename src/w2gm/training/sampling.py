"""The tables that words are drawn from: how often a word is kept, and how often it is a negative."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from w2gm.config import Config
from w2gm.frequencies import keep_probabilities, noise_distribution
from w2gm.kernels.sampling import Sampler, build_alias


def make_sampler(counts: npt.NDArray[np.int64], config: Config) -> Sampler:
    """The tables of draws for words with these counts (V,)."""
    threshold = np.empty(len(counts), np.float32)
    alias = np.empty(len(counts), np.int32)
    build_alias(noise_distribution(counts, config.ns_exponent), threshold, alias)
    return Sampler(keep_probabilities(counts, config.sample).astype(np.float32), threshold, alias)
