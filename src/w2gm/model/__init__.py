"""The model: three arrays and their invariants, what a user holds, and the folder on disk."""

from w2gm.model.distribution import Sense, WordDistribution
from w2gm.model.mixtures import Mixtures
from w2gm.model.model import Model, load

__all__ = ["Mixtures", "Model", "Sense", "WordDistribution", "load"]
