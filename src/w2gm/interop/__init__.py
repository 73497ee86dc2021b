"""What other tools write and read."""

from w2gm.interop.word2vec import has_variances, open_vectors, read_word2vec

__all__ = ["has_variances", "open_vectors", "read_word2vec"]
