"""The explorer: a model, or several side by side, as a local web page and the JSON under it."""

from w2gm.explorer.app import create_app

__all__ = ["create_app"]
