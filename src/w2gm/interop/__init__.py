"""What other tools write and read."""

from w2gm.interop.tensorboard import export_tensorboard
from w2gm.interop.word2vec import has_variances, open_vectors, read_word2vec

__all__ = ["export_tensorboard", "has_variances", "open_vectors", "read_word2vec"]
