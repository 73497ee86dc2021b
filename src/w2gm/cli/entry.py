"""From a call to an exit code: 0 done, 1 failed, 2 wrong call, 130 Ctrl-C, 141 the reader of the output went away.

An error is one line on standard error. Only what nobody foresaw is called a bug, and tells how to see more.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from typing import NoReturn, TextIO

import click

from w2gm.cli.output import discard_output, say, tolerate_any_text
from w2gm.cli.verbs import group
from w2gm.errors import W2gmError

INTERRUPTED = 130
BROKEN_PIPE = 141


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit; `arguments` are those of the process unless given."""
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: Sequence[str]) -> int:
    """Run one call and return its exit code; no arguments at all ask for help.

    >>> run(["--version"])  # doctest: +ELLIPSIS
    w2gm ...
    0
    """
    tolerate_any_text()
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _say_warning
            with group.make_context("w2gm", list(arguments) or ["--help"]) as context:
                group.invoke(context)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        say(f"error: {_one_line(error)}")
        return error.exit_code
    except W2gmError as error:
        say(f"error: {error}")
        return error.exit_code
    except KeyboardInterrupt as stop:
        say(str(stop) or "interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        discard_output()
        return BROKEN_PIPE
    except OSError as error:
        discard_output()
        place = f": {error.filename}" if error.filename else ""
        say(f"error: the system says: {error.strerror or error}{place}")
        return 1
    except MemoryError as error:
        say(f"error: not enough memory: {str(error) or 'no more to be had'}; try smaller values or a bigger machine")
        return 1
    except Exception as error:
        if os.environ.get("W2GM_DEBUG"):
            raise
        say(
            f"bug: {type(error).__name__}: {error}; this is a mistake in w2gm, please report it "
            "with the traceback that W2GM_DEBUG=1 in the environment shows"
        )
        return 1
    return 0


def _say_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Stand in for `warnings.showwarning`: one line, without the place in the code that Python adds."""
    say(f"warning: {message}")


def _one_line(error: click.ClickException) -> str:
    """What click has to say, on one line, with the way to the help text."""
    text = " ".join(error.format_message().split()).removesuffix(".")
    path = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "w2gm"
    return f"{text[:1].lower()}{text[1:]}; see {path} --help"
