"""Figures of a model for a paper or a talk, as matplotlib's `Figure`; needs `pip install "w2gm[plot]"`.

`senses` draws words as the paper's Figure 1 does, `variance` their variances against their frequencies, `similarity`
a measure against what people say, `training` the course of the training; `save` writes PNG, SVG or PDF. No screen is
needed, and nothing of `pyplot` is touched. See docs/figures.md.
"""

from w2gm.plotting.saving import save
from w2gm.plotting.senses import senses
from w2gm.plotting.similarity import similarity
from w2gm.plotting.training import training
from w2gm.plotting.variance import variance

__all__ = ["save", "senses", "similarity", "training", "variance"]
