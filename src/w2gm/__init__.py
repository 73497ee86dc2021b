"""w2gm: every word is a small mixture of Gaussians, learned from plain text."""

__version__ = "0.1.0.dev0"
