"""Everything w2gm raises on purpose, drawn as a tree.

    W2gmError
    ├── ConfigError          a hyperparameter or an option that cannot be
    ├── TextError            text that is missing, empty, damaged or not text
    │   └── EncodingError    bytes that are not UTF-8, in strict mode
    ├── DataError            a set or a file of vectors that is missing, malformed, out of reach
    ├── VocabularyError      too few words to learn from
    ├── UnknownWordError     a word (or sense) the model does not have
    ├── ModelError           a model folder that is incomplete, damaged or not ours
    ├── StorageError         a place that cannot be written: exists, no room, no permission
    ├── DivergenceError      training left the finite numbers
    └── MissingExtraError    an optional dependency that is not installed
    KeyboardInterrupt
    └── TrainingInterrupted  Ctrl-C during training, with the model so far

Every message is one line: what was wrong, the value, what is accepted, the way out.
"""

from __future__ import annotations

from typing import Any


class W2gmError(Exception):
    """Base of all errors of this package; `exit_code` is what the command line exits with."""

    exit_code = 1

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class ConfigError(W2gmError, ValueError):
    """A hyperparameter or option has a value that is not accepted."""

    exit_code = 2


class TextError(W2gmError):
    """The text cannot be read: missing, empty, damaged, or not text at all."""


class EncodingError(TextError, ValueError):
    """The text holds bytes that are not UTF-8 and `encoding_errors` is "strict"."""


class DataError(W2gmError):
    """An evaluation set, or a file of word vectors, is missing, malformed, or cannot be fetched."""


class VocabularyError(W2gmError, ValueError):
    """The text has too few (frequent) words to learn anything from."""


class UnknownWordError(W2gmError, KeyError):
    """A word, or a sense of a word, that the model does not have."""


class ModelError(W2gmError):
    """A model folder is incomplete, damaged, of another version, or not a model."""


class StorageError(W2gmError, OSError):
    """Something cannot be written: it exists already, there is no room, or no permission."""


class DivergenceError(W2gmError, ArithmeticError):
    """Training produced a loss or a parameter that is not finite."""


class MissingExtraError(W2gmError, ImportError):
    """An optional dependency is needed and not installed."""

    exit_code = 2


class TrainingInterrupted(KeyboardInterrupt):
    """Ctrl-C stopped the training; `model` is what was learned so far, or None."""

    def __init__(self, message: str, model: Any = None) -> None:
        super().__init__(message)
        self.model = model
