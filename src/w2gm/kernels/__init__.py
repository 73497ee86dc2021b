"""Arrays in, arrays changed. Imports numpy and numba only."""
