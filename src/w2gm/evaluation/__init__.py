"""Test sets, scores (one value an item, then a summary), comparison of models, reports.

>>> from w2gm.evaluation import Settings
>>> Settings().resamples
1000
"""

from w2gm.evaluation.comparison import compare
from w2gm.evaluation.datasets import Analogies, Entailment, Pairs
from w2gm.evaluation.evaluate import Settings, evaluate
from w2gm.evaluation.finding import data_folder, load_sets
from w2gm.evaluation.readers import read_analogies, read_entailment, read_pairs, read_scws
from w2gm.evaluation.scores import score, score_all, scores_of
from w2gm.evaluation.variance import variance_report

__all__ = [
    "Analogies",
    "Entailment",
    "Pairs",
    "Settings",
    "compare",
    "data_folder",
    "evaluate",
    "load_sets",
    "read_analogies",
    "read_entailment",
    "read_pairs",
    "read_scws",
    "score",
    "score_all",
    "scores_of",
    "variance_report",
]
