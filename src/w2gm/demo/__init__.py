"""A small text with a known answer, and how much of the answer a model trained on it finds."""

from __future__ import annotations

from w2gm.demo.experiment import DEMO_SETTINGS, DemoResult, run
from w2gm.demo.planted import PlantedCorpus
from w2gm.demo.recovery import Component, Recovery, score
from w2gm.demo.report import senses_table, table

__all__ = [
    "DEMO_SETTINGS",
    "Component",
    "DemoResult",
    "PlantedCorpus",
    "Recovery",
    "run",
    "score",
    "senses_table",
    "table",
]
