"""The only source of names, defaults, ranges and help texts of every hyperparameter.

The command line, the saved `config.json` and the documentation are derived from the fields of `Config`.
"""

from __future__ import annotations

import dataclasses
import difflib
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from w2gm.errors import ConfigError

Group = Literal["text", "vocabulary", "model", "training"]


@dataclass(frozen=True)
class Option:
    """What is known of one hyperparameter besides its name, type and default."""

    group: Group
    help: str
    minimum: float | None = None
    maximum: float | None = None
    above: float | None = None
    choices: tuple[str, ...] | None = None

    @property
    def accepted(self) -> str:
        """Say in words which values are accepted."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        bounds = []
        if self.above is not None:
            bounds.append(f"above {self.above:g}")
        if self.minimum is not None:
            bounds.append(f"at least {self.minimum:g}")
        if self.maximum is not None:
            bounds.append(f"at most {self.maximum:g}")
        return " and ".join(bounds) or "any value"

    def accepts(self, value: Any) -> bool:
        """Whether `value` is among the choices or inside the range."""
        if self.choices is not None:
            return value in self.choices
        if isinstance(value, float) and not math.isfinite(value):
            return False
        return (
            (self.minimum is None or value >= self.minimum)
            and (self.maximum is None or value <= self.maximum)
            and (self.above is None or value > self.above)
        )


def _option(default: Any, group: Group, help: str, **limits: Any) -> Any:  # noqa: A002
    return dataclasses.field(default=default, metadata={"option": Option(group, help, **limits)})


@dataclass(frozen=True, kw_only=True)
class Config:
    """All hyperparameters of a run. Values out of range raise `ConfigError` at once.

    >>> Config(senses=3).window
    10
    >>> Config(window=0)
    Traceback (most recent call last):
        ...
    w2gm.errors.ConfigError: window must be at least 1 and at most 1000, got 0
    """

    tokenizer: str = _option(
        "words", "text",
        "How a line becomes words: 'words' (letters and digits with inner apostrophes and hyphens, "
        "lower-cased), 'whitespace' (already tokenised, case kept) or 'regex:PATTERN'.",
    )  # fmt: skip
    sentences: str = _option(
        "lines", "text",
        "'lines': a line is a sentence and windows do not cross it; 'none': lines are joined.",
        choices=("lines", "none"),
    )  # fmt: skip
    encoding_errors: str = _option(
        "replace",
        "text",
        "What to do with bytes that are not UTF-8.",
        choices=("strict", "replace", "ignore"),
    )

    min_count: int = _option(20, "vocabulary", "Words seen less often than this are left out.", minimum=1)
    max_final_vocab: int | None = _option(
        None, "vocabulary", "Keep at most this many words, the most frequent ones.", minimum=2
    )

    senses: int = _option(2, "model", "Gaussian components per word (K in the paper).", minimum=1, maximum=64)
    vector_size: int = _option(50, "model", "Dimensions of the space (D in the paper).", minimum=1, maximum=8192)
    covariance: str = _option(
        "spherical", "model",
        "Shape of a component's covariance: one variance for all dimensions, or one for each.",
        choices=("spherical", "diagonal"),
    )  # fmt: skip
    energy: str = _option(
        "elk", "model", "Energy between two words: the expected likelihood kernel.", choices=("elk",)
    )
    separate_output: bool = _option(
        True, "model", "Give context words tables of their own; otherwise both roles share one table."
    )

    recipe: str = _option(
        "auto", "training",
        "Which values stand where none are given: 'auto', found by experiment (docs/recipe.md), or 'paper', those of "
        "the paper and its authors' code, which ask for billions of words.",
        choices=("auto", "paper"),
    )  # fmt: skip
    epochs: int | None = _option(
        None, "training", "Passes over the text; none leaves them to the recipe: more for a short text.", minimum=1
    )
    window: int = _option(10, "training", "Context words on each side, at most.", minimum=1, maximum=1000)
    shrink_windows: bool = _option(
        True, "training", "Draw each centre word's window from 1..window; otherwise always use the full one."
    )
    sample: float = _option(
        1e-4,
        "training",
        "Subsampling threshold t for frequent words; 0 keeps every word.",
        minimum=0,
        maximum=1,
    )
    negative: int = _option(1, "training", "Negative words drawn for each pair.", minimum=1, maximum=1000)
    pool_negatives: bool = _option(
        True, "training",
        "Hold each context of a window against all of the window's negatives; otherwise against its own alone.",
    )  # fmt: skip
    ns_exponent: float = _option(
        0.75, "training", "Negatives are drawn from counts to this power.", minimum=-2, maximum=2
    )
    margin: float = _option(1.0, "training", "Margin of the hinge loss.", above=0)
    optimizer: str = _option(
        "adagrad", "training", "How gradients become steps: Adagrad per parameter.", choices=("adagrad",)
    )
    alpha: float = _option(0.05, "training", "Learning rate at the start.", above=0)
    variance_alpha: float = _option(
        1.0,
        "training",
        "Learning rate of the log variances of words with one sense, as a multiple of alpha.",
        minimum=0,
    )
    split_variance_alpha: float = _option(
        0.1, "training", "The same for words with several senses, which should differ in place first.", minimum=0
    )
    warm_up: float = _option(
        0.2, "training",
        "Share of the training in which words have one sense; then each is split where its surroundings vary most. "
        "0 starts with all senses, in random places.",
        minimum=0, maximum=0.9,
    )  # fmt: skip
    split_distance: float = _option(
        0.5, "training",
        "How far from a word its senses start after the warm-up, in standard deviations of its surroundings.",
        above=0,
    )  # fmt: skip
    min_alpha: float = _option(0.0001, "training", "Learning rate at the end; it falls linearly.", minimum=0)
    initial_accumulator: float = _option(
        10.0, "training", "Adagrad's sums of squares start here: higher is cooler at first.", above=0
    )
    init_scale: float = _option(
        0.2, "training", "Means start uniform in +- this times sqrt(3 / vector_size).", minimum=0
    )
    max_norm: float = _option(
        0.7, "training",
        "Means of input words are held within this distance of the origin, so that distances between words tell as "
        "much as angles; 0 sets no limit.",
        minimum=0,
    )  # fmt: skip
    init_variance: float = _option(0.05, "training", "Variance of every component at the start.", above=0)
    min_variance: float = _option(1e-6, "training", "Variances never fall below this.", above=0)
    max_variance: float = _option(1e6, "training", "Variances never rise above this.", above=0)
    workers: int = _option(
        0,
        "training",
        "Threads; 0 takes one per processor. One worker with a seed repeats bit for bit.",
        minimum=0,
    )
    seed: int = _option(1, "training", "Seed of every random draw.", minimum=0, maximum=2**63 - 1)

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            object.__setattr__(self, field.name, _checked(field, getattr(self, field.name)))
        if self.min_alpha > self.alpha:
            raise ConfigError(
                f"min_alpha must be at most alpha ({self.alpha:g}), got {self.min_alpha:g}: lower it or raise alpha"
            )
        if not self.min_variance <= self.init_variance <= self.max_variance:
            raise ConfigError(
                f"init_variance must lie between min_variance ({self.min_variance:g}) and max_variance "
                f"({self.max_variance:g}), got {self.init_variance:g}"
            )

    @property
    def threads(self) -> int:
        """Number of workers to start: `workers`, or one per processor this process may use."""
        return self.workers or len(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else [0])

    def epochs_for(self, tokens: int) -> int:
        """`epochs`, or how many the recipe takes for a text of so many tokens.

        >>> Config().epochs_for(65_000_000), Config().epochs_for(1_000_000), Config(epochs=3).epochs_for(100)
        (5, 20, 3)
        """
        if self.epochs is not None:
            return self.epochs
        return next((epochs for most, epochs in EPOCHS_OF_SHORT_TEXTS if tokens < most), EPOCHS)

    def with_senses(self, senses: int) -> Config:
        """The same with another number of senses."""
        return dataclasses.replace(self, senses=senses)

    def to_dict(self) -> dict[str, Any]:
        """All hyperparameters by name, ready for JSON."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Config:
        """Build from a mapping, what it leaves out by its recipe; an unknown name raises `ConfigError`.

        >>> Config.from_dict({"recipe": "paper", "alpha": 0.1}).sample
        1e-05
        """
        known = [field.name for field in dataclasses.fields(cls)]
        for name in values:
            if name not in known:
                close = difflib.get_close_matches(name, known, n=1)
                hint = f"did you mean {close[0]}?" if close else "known ones: " + ", ".join(known)
                raise ConfigError(f"unknown hyperparameter {name!r}: {hint}")
        recipe = PAPER if values.get("recipe") == "paper" else {}
        return cls(**{**recipe, **values})


# Passes over a text of fewer tokens than the first number; and over any other.
EPOCHS_OF_SHORT_TEXTS = ((15_000_000, 20), (30_000_000, 10))
EPOCHS = 5

# The paper's settings, and those of its authors' code where the paper is silent. Their accumulators start at 0.1, but
# of gradients averaged over a batch of 128: of sums, 0.1 x 128^2. Their learning rate ended at about 0.034.
PAPER: Mapping[str, Any] = MappingProxyType(
    {
        "epochs": 10,
        "sample": 1e-5,
        "pool_negatives": False,
        "alpha": 0.05,
        "min_alpha": 0.034,
        "initial_accumulator": 1638.4,
        "warm_up": 0.0,
        "max_norm": 0.0,
        "init_scale": 1.0,
    }
)


def option_of(field: dataclasses.Field[Any]) -> Option:
    """The `Option` that belongs to a field of `Config`."""
    option = field.metadata["option"]
    assert isinstance(option, Option)  # noqa: S101
    return option


def _checked(field: dataclasses.Field[Any], value: Any) -> Any:
    """`value` as the field's type, or `ConfigError` naming what is accepted."""
    option = option_of(field)
    kind = str(field.type)
    if value is None and "None" in kind:
        return None
    if kind.startswith("float") and isinstance(value, int) and not isinstance(value, bool):
        try:
            value = float(value)
        except OverflowError:
            raise ConfigError(f"{field.name} must be {option.accepted}, got a number too large for a float") from None
    types: dict[str, type] = {"str": str, "int": int, "float": float, "bool": bool}
    wanted = types[kind.split(" ")[0]]
    if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
        raise ConfigError(f"{field.name} must be of type {wanted.__name__}, got {value!r}")
    if not option.accepts(value):
        raise ConfigError(f"{field.name} must be {option.accepted}, got {value!r}")
    return value
