"""`config.json`: what a model folder says of itself. Written and read here, every field checked."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from w2gm import __version__
from w2gm.config import Config
from w2gm.errors import ConfigError, ModelError

NAME = "config.json"
FORMAT = "w2gm-model"
FORMAT_VERSION = 1
_LARGEST = 16 << 20


@dataclass(frozen=True)
class Description:
    """The contents of `config.json` besides format and version numbers.

    precision: "float32" or "float16", of the means and log-variances as stored. provenance: how the model was
    made, anything JSON can hold.
    """

    config: Config
    words: int
    precision: str
    provenance: dict[str, Any]
    package_version: str = __version__

    def write(self, folder: Path) -> None:
        """Write `folder`/config.json; a provenance JSON cannot hold raises `ModelError`."""
        values = {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "package_version": self.package_version,
            "shape": {
                "words": self.words,
                "senses": self.config.senses,
                "vector_size": self.config.vector_size,
                "covariance": self.config.covariance,
            },
            "precision": self.precision,
            "hyperparameters": self.config.to_dict(),
            "provenance": self.provenance,
        }
        try:
            text = json.dumps(values, indent=2, ensure_ascii=False, allow_nan=False)
            (folder / NAME).write_text(text + "\n", encoding="utf-8", newline="\n")
        except (TypeError, ValueError, RecursionError) as error:
            raise ModelError(f"the provenance cannot be written as JSON: {error}: use plain values") from None

    @classmethod
    def read(cls, folder: Path) -> Description:
        """Read `folder`/config.json; whatever is not as `write` makes it raises `ModelError`."""
        path = folder / NAME
        values = _read_object(path)
        if values.get("format") != FORMAT:
            raise ModelError(
                f"{path} describes no w2gm model: format is {_short(values.get('format'))}, not {FORMAT!r}"
            )
        version = values.get("format_version")
        made_by = _short(values.get("package_version"))
        if version != FORMAT_VERSION or type(version) is not int:
            raise ModelError(
                f"{path} has format version {_short(version)} (written by w2gm {made_by}); this w2gm "
                f"{__version__} reads version {FORMAT_VERSION}: use the w2gm that wrote it"
            )
        for name, kind in (("shape", dict), ("hyperparameters", dict), ("provenance", dict)):
            if not isinstance(values.get(name), kind):
                raise ModelError(f"{path}: {name} must be a JSON object, got {_short(values.get(name))}")
        try:
            config = Config.from_dict(values["hyperparameters"])
        except ConfigError as error:
            raise ModelError(
                f"{path} (written by w2gm {made_by}, this is {__version__}): {error}; upgrade w2gm if it is older"
            ) from None
        words = values["shape"].get("words")
        if type(words) is not int or words < 1:
            raise ModelError(f"{path}: shape words must be a number of at least 1, got {_short(words)}")
        for name in ("senses", "vector_size", "covariance"):
            said, trained = values["shape"].get(name), getattr(config, name)
            if said != trained:
                raise ModelError(
                    f"{path}: shape {name} is {_short(said)}, its hyperparameters say {trained!r}: "
                    "the file is damaged"
                )
        precision = values.get("precision")
        if precision not in ("float32", "float16"):
            raise ModelError(f"{path}: precision must be float32 or float16, got {_short(precision)}")
        return cls(config, words, precision, values["provenance"], str(values.get("package_version")))


def is_model(folder: Path) -> bool:
    """Whether `folder` has a config.json that says it is a w2gm model, of whatever version."""
    try:
        return _read_object(folder / NAME).get("format") == FORMAT
    except (ModelError, OSError):
        return False


def _read_object(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise ModelError(f"{path} is missing: the folder is not a w2gm model, or an incomplete one")
    if path.stat().st_size > _LARGEST:
        raise ModelError(f"{path} is larger than {_LARGEST} bytes: it is not a model's description")
    try:
        values = json.loads(path.read_bytes().decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{path} is not valid JSON: {error}: the file is damaged") from None
    if not isinstance(values, dict):
        raise ModelError(f"{path} must hold a JSON object, got {_short(values)}")
    return values


def _short(value: Any) -> str:
    """A foreign value on one line of at most 60 characters; strings keep their quotes."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
