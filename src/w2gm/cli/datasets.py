"""`w2gm datasets`: which test sets are here, and getting the public ones."""

from __future__ import annotations

import click

from w2gm.cli.output import json_option, say, write_json, write_table
from w2gm.cli.sets import data_option
from w2gm.cli.verbs import Verb


@click.command(
    cls=Verb,
    examples=[
        "w2gm datasets",
        "w2gm datasets fetch",
        "w2gm datasets fetch WS SL entailment --data sets",
    ],
)
@click.argument("action", metavar="[fetch [SET...]]", nargs=-1)
@data_option
@json_option
@click.option("-q", "--quiet", is_flag=True, help="Do not tell which addresses are asked.")
def datasets(action: tuple[str, ...], data: str | None, as_json: bool, quiet: bool) -> None:
    """List the paper's test sets and the files of them that are here, or fetch the missing ones from their authors.

    A file that was fetched is kept only if its SHA-256 is that of the published one; a download that stopped goes on
    where it stopped when called again. Please cite the authors of the sets that you use.
    """
    from w2gm.errors import ConfigError, DataError
    from w2gm.evaluation.fetching import fetch_sets
    from w2gm.evaluation.finding import data_folder, inventory

    folder = data_folder(data)
    if not action:
        found = inventory(folder)
        if as_json:
            write_json({"folder": str(folder), "files": found})
            return
        rows = [
            (row["set"], str(row["items"]), row["title"], row["state"], row["path"] or row["file"]) for row in found
        ]
        write_table(["set", "items", "what", "state", "file"], [rows])
        return
    if action[0] != "fetch":
        raise ConfigError(f"datasets takes nothing or 'fetch', got {action[0]!r}")
    fetched = fetch_sets(folder, action[1:] or None, tell=(lambda _: None) if quiet else say)
    if as_json:
        write_json({"folder": str(folder), "files": fetched})
    else:
        write_table(
            ["set", "state", "file"], [[(row["set"], row["state"], row["path"] or row["file"]) for row in fetched]]
        )
    failed = [row for row in fetched if row["state"] == "failed"]
    for row in failed[1:]:
        say(row["error"])
    if failed:
        raise DataError(failed[0]["error"])
