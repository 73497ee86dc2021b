"""What can be read, and how a line becomes tokens."""

from w2gm.text.sources import Source, files

__all__ = ["Source", "files"]
