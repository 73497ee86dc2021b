"""A terminal for tests: what a process writes to it, piece by piece, as it appears."""

import os
import re
from collections.abc import Iterator


def pieces(terminal: int) -> Iterator[bytes]:
    """What arrives at our end of a pty, until the last process at the other end is gone; closes it."""
    try:
        while piece := os.read(terminal, 65536):
            yield piece
    except OSError:  # how Linux says that the last writer is gone
        pass
    finally:
        os.close(terminal)


def without_styles(shown: str) -> str:
    """The text without colours and movements of the cursor."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
