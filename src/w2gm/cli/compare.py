"""`w2gm compare`: models side by side on the paper's test sets."""

from __future__ import annotations

import click

from w2gm.cli.sets import checked_format, chosen_sets, names, opened_models, set_options, settings_of, write_report
from w2gm.cli.verbs import Verb


@click.command(
    cls=Verb,
    examples=[
        "w2gm compare w2g w2gm vectors.bin --data sets",
        "w2gm compare w2g w2gm --between w2gm/mc,w2g/mc",
        "w2gm compare w2g w2gm --measures mc --policy all --format tex > table.tex",
    ],
)
@click.argument("models", metavar="MODEL...", nargs=-1, required=True)
@click.option(
    "--policy",
    metavar="found|all",
    default="found",
    help="Figures of the pairs each model knows, or of all pairs. [default: found]",
)
@click.option(
    "--between",
    metavar="COLUMN,COLUMN",
    help="The two columns (MODEL/MEASURE) to test against each other. [default: the first measure of the first and "
    "the last model]",
)
@set_options
def compare(
    models: tuple[str, ...],
    policy: str,
    between: str | None,
    data: str | None,
    sets: str | None,
    pairs: tuple[str, ...],
    measures: str | None,
    case: str,
    resamples: str,
    seed: str,
    form: str,
    as_json: bool,
    quiet: bool,
) -> None:
    """Compare models and files of word vectors: the paper's Table 2, the best in bold, and a paired bootstrap.

    A model is called by the last part of its path. In a pipe a star stands before what is bold on a terminal. Word
    vectors have no variances: measures that need them are n/a.
    """
    from w2gm.evaluation.comparison import compare as compared
    from w2gm.evaluation.comparison_report import comparison_records, comparison_tables
    from w2gm.evaluation.progress import make_progress

    form = checked_format(form, as_json)
    settings = settings_of(("mc", "el", "me"), measures, case, resamples, seed)
    datasets = chosen_sets(data, sets, pairs)
    pair = None if between is None else names(between)
    result = compared(
        opened_models(models), datasets, settings, policy=policy, between=pair, progress=make_progress(quiet)
    )
    write_report(form, comparison_tables(result), comparison_records(result), result)
