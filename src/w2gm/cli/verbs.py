"""The table of verbs, and the group that loads a verb only when it is called."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterable
from typing import Any

import click

# verb -> (where its command is, what it does in one line). A verb's module may import the library only inside
# its function: numpy and numba take longer to load than any help text may take to appear.
VERBS = {
    "train": ("w2gm.cli.train:train", "Learn a model from text."),
    "info": ("w2gm.cli.info:info", "Show what a model is and how it was made."),
    "neighbors": (
        "w2gm.cli.neighbors:neighbors",
        "List the nearest senses of each sense of a word, or of a sum of words.",
    ),
    "index": ("w2gm.cli.index:index", "Make an approximate index of a model's senses, for faster neighbors."),
    "senses": ("w2gm.cli.senses:senses", "Show the senses of a word: weights, variances, labels."),
    "similarity": ("w2gm.cli.similarity:similarity", "Compare two words, or senses, by every measure."),
    "entails": ("w2gm.cli.entails:entails", "Tell whether one word entails another."),
    "analogy": ("w2gm.cli.analogy:analogy", "Answer: A is to B as C is to which word?"),
    "disambiguate": ("w2gm.cli.disambiguate:disambiguate", "Tell which sense of a word a context means."),
    "tag": ("w2gm.cli.tag:tag", "Write text with the sense of each word that has several."),
    "evaluate": ("w2gm.cli.evaluate:evaluate", "Measure a model on the paper's test sets."),
    "compare": ("w2gm.cli.compare:compare", "Compare models on the paper's test sets."),
    "datasets": ("w2gm.cli.datasets:datasets", "List the test sets that are here; fetch the public ones."),
    "explore": ("w2gm.cli.explore:explore", "Look at models in a web browser."),
    "plot": ("w2gm.cli.plot:plot", "Draw a figure: senses as ellipses, variance, similarity, training."),
    "export": ("w2gm.cli.export:export", "Write a model in a form that other tools read."),
    "demo": ("w2gm.cli.demo:demo", "Plant senses in a made-up text, train, and count how many are found."),
}

FIRST_STEPS = [
    ("w2gm demo", "see words split into their senses"),
    ("w2gm train corpus.txt -o model", "learn a model"),
    ("w2gm neighbors model bank", "see the senses of a word"),
    ("w2gm VERB --help", "everything about one verb"),
]

# Names are spelled with hyphens; underscores, as in Python, are accepted too.
CONTEXT_SETTINGS: dict[str, Any] = {
    "help_option_names": ["-h", "--help"],
    "max_content_width": 100,
    "token_normalize_func": lambda name: name.replace("_", "-"),
}


class Verb(click.Command):
    """A command with examples, whose help lists options under the headings they name.

    >>> Verb("info", examples=["w2gm info model"]).examples
    ('w2gm info model',)
    """

    def __init__(self, *arguments: Any, examples: Iterable[str] = (), **settings: Any) -> None:
        settings["context_settings"] = CONTEXT_SETTINGS | settings.get("context_settings", {})
        super().__init__(*arguments, **settings)
        self.examples = tuple(examples)

    def sections(self) -> dict[str, list[click.Option]]:
        """Options under the heading each of them names (`heading`), "Options" for those that name none."""
        sections: dict[str, list[click.Option]] = {}
        for parameter in self.get_params(click.Context(self, **self.context_settings)):
            if isinstance(parameter, click.Option):
                sections.setdefault(getattr(parameter, "heading", "Options"), []).append(parameter)
        return sections

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, one block per heading."""
        for heading, options in self.sections().items():
            records = [record for option in options if (record := option.get_help_record(ctx))]
            with formatter.section(heading):
                formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, each on a line of its own however long it is: they are made to be copied."""
        with formatter.section("Examples" if len(self.examples) > 1 else "Example"):
            for example in self.examples:
                formatter.write(f"{'':{formatter.current_indent}}{example}\n")


class Verbs(click.Group):
    """The group of all verbs: its own help is made from `VERBS` alone."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All verbs, in the order of the table."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load the verb of that name; None when there is none."""
        if cmd_name not in VERBS:
            return None
        module, _, name = VERBS[cmd_name][0].partition(":")
        command = getattr(importlib.import_module(module), name)
        assert isinstance(command, Verb)  # noqa: S101
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb that `args` begins with; an unknown one is an error that names the closest."""
        if args[0] not in VERBS and not args[0].startswith("-"):
            close = difflib.get_close_matches(args[0], VERBS, n=1, cutoff=0.5)
            hint = f"did you mean {close[0]}?" if close else "known ones: " + ", ".join(VERBS)
            ctx.fail(f"no verb {args[0]!r}: {hint}")
        return super().resolve_command(ctx, args)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the first steps."""
        with formatter.section("Example"):
            formatter.write_dl(FIRST_STEPS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table of verbs without loading any of them."""
        with formatter.section("Verbs"):
            formatter.write_dl([(verb, line) for verb, (_, line) in VERBS.items()])


@click.group(cls=Verbs, subcommand_metavar="VERB ...", context_settings=CONTEXT_SETTINGS)
@click.version_option(package_name="w2gm", prog_name="w2gm", message="%(prog)s %(version)s")
def group() -> None:
    """Multimodal word distributions: every word is a small mixture of Gaussians, learned from plain text."""
