"""`w2gm explore`: models as a local web page."""

from __future__ import annotations

from pathlib import Path

import click

from w2gm.cli.hyperparameters import whole_number
from w2gm.cli.output import json_option, write, write_json
from w2gm.cli.verbs import Verb
from w2gm.errors import MissingExtraError


@click.command(
    cls=Verb,
    examples=[
        "w2gm explore model",
        "w2gm explore one-sense two-senses three-senses",
        "w2gm explore model --port 8000 --no-browser",
        "w2gm explore model --no-browser --json",
    ],
)
@click.argument("models", metavar="MODEL...", nargs=-1, required=True)
@click.option(
    "--port", metavar="INT", default="0", help="Port to listen on; 0 is any free one. [0 to 65535; default: 0]"
)
@click.option(
    "--host",
    metavar="ADDRESS",
    default="127.0.0.1",
    help="Address to listen on; any other than the default lets other machines in. [default: 127.0.0.1]",
)
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@json_option
def explore(models: tuple[str, ...], port: str, host: str, no_browser: bool, as_json: bool) -> None:
    """Look at models in a web browser: words and their senses, pairs, sentences, a map of everything.

    Several models are shown side by side. Nothing leaves this machine, and nothing can be changed. Prints its address
    and answers until Ctrl-C, which ends it with exit code 130. docs/explorer.md tells of the views and of the JSON
    API. Needs the explore extra: pip install "w2gm[explore]".
    """
    number = whole_number("port", port)
    try:
        from w2gm.explorer.serving import address_of, listen, serve
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("starlette", "uvicorn"):
            raise
        raise MissingExtraError('the explorer needs the explore extra: pip install "w2gm[explore]"') from None
    from w2gm.model import load

    named = [(Path(model).resolve().name, load(model)) for model in models]
    door = listen(host, number)
    address = address_of(host, door)

    def ready() -> None:
        if as_json:
            write_json({"address": address})
        else:
            write(address)
        if not no_browser:
            _open(address)

    try:
        serve(named, host, door, ready)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("the explorer has stopped") from None


def _open(address: str) -> None:
    """Open a browser from a thread: some browsers do not return until they are closed."""
    import threading
    import webbrowser

    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
