"""The command line as a whole: help, errors, exit codes, and the documents made from it."""

import errno
import os
import shlex
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from w2gm.cli import entry, main
from w2gm.cli.entry import run
from w2gm.cli.reference import reference
from w2gm.cli.verbs import VERBS, Verb, group
from w2gm.errors import ConfigError, MissingExtraError, ModelError, W2gmError

ROOT = Path(__file__).parents[1]
COMMAND = [sys.executable, "-c", "from w2gm.cli import main; main()"]

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def shell() -> Run:
    """Run the command in a process of its own."""

    def call(*arguments: str, **settings: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=60, **settings)

    return call


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], int]:
    """Run a verb that raises the given exception; the exit code."""

    def call(error: BaseException) -> int:
        @click.command(cls=Verb, examples=["w2gm info model"])
        def info() -> None:
            raise error

        monkeypatch.setattr("w2gm.cli.info.info", info)
        return run(["info"])

    return call


def command_of(verb: str) -> Verb:
    command = group.get_command(click.Context(group), verb)
    assert isinstance(command, Verb)
    return command


def test_help_loads_neither_numpy_nor_any_verb() -> None:
    code = (
        "import sys\nfrom w2gm.cli.entry import run\nrun(['--help'])\n"
        "print(*sorted(n for n in sys.modules if n.split('.')[0] in ('numpy', 'numba', 'rich', 'w2gm')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.splitlines()[-1].split()
    cli = ["w2gm.cli", "w2gm.cli.entry", "w2gm.cli.output", "w2gm.cli.verbs"]
    assert loaded == ["w2gm", *cli, "w2gm.errors", "w2gm.plain"]


def test_help_of_the_group_names_every_verb(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    printed = capsys.readouterr().out
    assert "Example" in printed
    assert [
        line.split()[0] for line in printed.split("Verbs:\n")[1].split("\n\n")[0].splitlines() if line[2] != " "
    ] == list(VERBS)


def test_no_arguments_at_all_show_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 0
    bare = capsys.readouterr().out
    assert run(["-h"]) == 0
    assert capsys.readouterr().out == bare


def test_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    import w2gm

    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"w2gm {w2gm.__version__}\n"


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_explains_itself_with_an_example(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([verb, "--help"]) == 0
    printed = capsys.readouterr().out
    command = command_of(verb)
    assert command.help
    assert command.examples
    for example in command.examples:
        assert f"\n  {example}\n" in printed


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_json(verb: str) -> None:
    assert "--json" in [name for parameter in command_of(verb).params for name in parameter.opts]


@pytest.mark.parametrize("example", [example for verb in VERBS for example in command_of(verb).examples])
def test_every_example_can_be_called(example: str) -> None:
    words = shlex.split(next(part for part in example.split("|") if part.strip().startswith("w2gm ")))
    verb, arguments = words[1], words[2:]
    command_of(verb).make_context(verb, [word.rstrip(";") for word in arguments])


@pytest.mark.parametrize("verb", VERBS)
def test_every_option_says_what_it_does(verb: str) -> None:
    for parameter in command_of(verb).params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.opts


def test_the_page_about_the_command_line_is_up_to_date() -> None:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert page == reference(), "docs/cli.md is stale: run `make docs`"
    for verb in VERBS:
        assert f"\n## w2gm {verb}\n" in page


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["trian", "x"], "no verb 'trian': did you mean train?; see w2gm --help"),
        (["zzz"], f"no verb 'zzz': known ones: {', '.join(VERBS)}; see w2gm --help"),
        (["info"], "missing argument 'MODEL'; see w2gm info --help"),
        (["train", "text"], "missing option '-o' / '--output'; see w2gm train --help"),
        (["info", "model", "more"], "got unexpected extra argument (more); see w2gm info --help"),
    ],
)
def test_a_wrong_call_is_one_line_and_exit_code_2(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == f"w2gm: error: {message}\n"


def test_an_unknown_option_is_one_line_that_names_the_closest(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["train", "text", "-o", "model", "--widnow", "3"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("w2gm: error: no such option")
    assert "--window" in error
    assert error.endswith("see w2gm train --help\n")
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConfigError("window must be at least 1, got 0"), 2),
        (MissingExtraError("pip install"), 2),
        (ModelError("m"), 1),
        (W2gmError("w"), 1),
    ],
)
def test_an_error_of_the_library_is_its_text_and_its_exit_code(
    failing: Callable[[BaseException], int], error: W2gmError, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert failing(error) == code
    assert capsys.readouterr().err == f"w2gm: error: {error}\n"


def test_an_error_stays_one_line_whatever_it_quotes(
    failing: Callable[[BaseException], int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert failing(ModelError("no model in 'a\nb\x1b[2J'")) == 1
    assert capsys.readouterr().err == "w2gm: error: no model in 'a\\nb\\x1b[2J'\n"


@pytest.mark.filterwarnings("default")
def test_a_warning_is_one_line_and_no_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @click.command(cls=Verb, examples=["w2gm info model"])
    def info() -> None:
        warnings.warn("texts: 1 binary files skipped", stacklevel=2)

    monkeypatch.setattr("w2gm.cli.info.info", info)
    assert run(["info"]) == 0
    assert capsys.readouterr().err == "w2gm: warning: texts: 1 binary files skipped\n"


def test_an_unforeseen_error_is_called_a_bug_and_tells_how_to_see_more(
    failing: Callable[[BaseException], int], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("W2GM_DEBUG", raising=False)
    assert failing(ZeroDivisionError("division by zero")) == 1
    error = capsys.readouterr().err
    assert error.startswith("w2gm: bug: ZeroDivisionError: division by zero; this is a mistake in w2gm")
    assert "W2GM_DEBUG=1" in error
    assert error.count("\n") == 1


def test_w2gm_debug_lets_the_traceback_of_an_unforeseen_error_through(
    failing: Callable[[BaseException], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("W2GM_DEBUG", "1")
    with pytest.raises(ZeroDivisionError, match="division by zero"):
        failing(ZeroDivisionError("division by zero"))


def test_too_little_memory_is_not_called_a_bug(
    failing: Callable[[BaseException], int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert failing(MemoryError("Unable to allocate 7 TiB")) == 1
    assert capsys.readouterr().err == (
        "w2gm: error: not enough memory: Unable to allocate 7 TiB; try smaller values or a bigger machine\n"
    )


@pytest.mark.parametrize("message", ["", "interrupted in epoch 1 of 5: the model so far is in model"])
def test_control_c_is_one_line_and_exit_code_130(
    failing: Callable[[BaseException], int], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert failing(KeyboardInterrupt(*filter(None, [message]))) == 130
    assert capsys.readouterr().err == f"w2gm: {message or 'interrupted'}\n"


def test_a_reader_who_went_away_ends_the_command_quietly() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run([*COMMAND, "--help"], stdout=writing, stderr=subprocess.PIPE, text=True, timeout=60)
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (entry.BROKEN_PIPE, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("arguments", [["--help"], ["--version"]], ids=" ".join)
def test_a_full_disk_under_the_output_is_one_line(arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr == f"w2gm: error: the system says: {os.strerror(errno.ENOSPC)}\n"


def test_a_refusal_of_the_system_names_the_file(
    failing: Callable[[BaseException], int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert failing(PermissionError(errno.EACCES, "Permission denied", "model/vocab.tsv")) == 1
    assert capsys.readouterr().err == "w2gm: error: the system says: Permission denied: model/vocab.tsv\n"


def test_main_exits_with_the_code_of_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["w2gm", "nonsense"])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 2
