"""`w2gm evaluate`: a model measured on the paper's test sets."""

from __future__ import annotations

from typing import Any

import click

from w2gm.cli.sets import checked_format, chosen_sets, set_options, settings_of, write_report
from w2gm.cli.verbs import Verb
from w2gm.errors import ConfigError


@click.command(
    cls=Verb,
    examples=[
        "w2gm evaluate model --data sets",
        "w2gm evaluate model --sets WS,SCWS,entailment --measures mc,kl",
        "w2gm evaluate model --pairs my-pairs.csv --format md",
        "w2gm evaluate model --variance --unimodal model-of-one-sense",
        "w2gm evaluate model --json | jq .sets.WS.scores.mc",
    ],
)
@click.argument("model", metavar="MODEL")
@click.option("--variance", is_flag=True, help="Report what variances say of polysemy and generality, instead.")
@click.option("--unimodal", metavar="MODEL", help="For --variance: a model of one sense a word, to compare with.")
@set_options
def evaluate(
    model: str,
    variance: bool,
    unimodal: str | None,
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
    """Measure a model (or a file of word vectors) on test sets: word similarity, SCWS, entailment, analogies.

    Every figure is given for the pairs whose words the model knows and for all pairs, each with a bootstrap interval.
    An unknown word counts as the model's UNK; without one its pair has the median score.
    """
    from w2gm.evaluation import Settings
    from w2gm.evaluation.evaluate import evaluate as evaluated
    from w2gm.evaluation.evaluation_report import evaluation_records, evaluation_tables
    from w2gm.evaluation.progress import make_progress
    from w2gm.interop import open_vectors

    form = checked_format(form, as_json)
    settings = settings_of(Settings().measures, measures, case, resamples, seed)
    if variance or unimodal:
        if sets or pairs or measures:
            raise ConfigError("--variance is a report of its own: leave out --sets, --pairs and --measures")
        _report_variance(model, unimodal, data, case, form)
        return
    datasets = chosen_sets(data, sets, pairs)
    result: dict[str, Any] = {"model": model}
    result |= evaluated(open_vectors(model), datasets, settings, make_progress(quiet))
    write_report(form, evaluation_tables(result), evaluation_records(result), result)


def _report_variance(model: str, unimodal: str | None, data: str | None, case: str, form: str) -> None:
    from w2gm.evaluation.finding import data_folder, load_entailment
    from w2gm.evaluation.variance import variance_records, variance_report, variance_tables
    from w2gm.interop import open_vectors

    other = None if unimodal is None else open_vectors(unimodal)
    report = variance_report(open_vectors(model), other, load_entailment(data_folder(data)), case=case)
    write_report(form, variance_tables(report), variance_records(report), report)
