"""The rules of the house that no linter knows: who may import whom, what stays out, how long a room may be."""

import ast
import inspect
import json
import subprocess
import sys
from pathlib import Path

import pytest

import w2gm

PACKAGE = Path(w2gm.__file__).parent

# Every room once, lowest first. A room imports lower ones only, never one of its own rank or above.
RANKS = [
    {"errors"},
    {"config", "plain"},
    {"kernels"},
    {"text", "vocabulary", "frequencies"},
    {"corpus", "model"},
    {"training", "query", "interop"},
    {"evaluation"},
    {"demo", "explorer", "plotting"},
    {"cli"},
]
RANK_OF = {room: rank for rank, rooms in enumerate(RANKS) for room in rooms}

# The looks upwards there are, each inside a function, so that loading a room never loads a higher one.
LOOKS_UPWARDS = {
    ("model/model.py", "query"),  # a model answers for itself; the answers are functions of it
}

FILES = sorted(PACKAGE.rglob("*.py"))
TREES = {file: ast.parse(file.read_text(encoding="utf-8")) for file in FILES}


def name_of(file: Path) -> str:
    return file.relative_to(PACKAGE).as_posix()


def room_of(file: Path) -> str:
    """`text/reader.py` is of the room `text`, `corpus.py` of `corpus`, `__init__.py` of none: ''."""
    first = file.relative_to(PACKAGE).parts[0].removesuffix(".py")
    return "" if first in ("__init__", "__main__") else first


def imported_modules(tree: ast.AST) -> set[str]:
    """Every module imported anywhere in the tree, inside functions too; `from w2gm import text` is w2gm.text."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            found |= {f"w2gm.{alias.name}" for alias in node.names} if module == "w2gm" else {module}
    return found


def imported_rooms(tree: ast.AST) -> set[str]:
    names = {module.split(".")[1] for module in imported_modules(tree) if module.startswith("w2gm.")}
    return names & set(RANK_OF)


def called_names(tree: ast.AST) -> set[str]:
    return {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}


def loaded_modules(statement: str) -> set[str]:
    """The top-level modules that a fresh interpreter holds after `statement`."""
    code = f"{statement}\nimport sys, json\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in json.loads(done.stdout.splitlines()[-1])}


each_file = pytest.mark.parametrize("file", FILES, ids=name_of)


def test_every_room_is_listed_and_every_listed_room_exists() -> None:
    assert {room_of(file) for file in FILES} - {""} == set(RANK_OF)


def test_the_import_reader_sees_what_it_must() -> None:
    source = "import w2gm.text\ndef f():\n    from w2gm import corpus\n    from w2gm.cli.output import say"
    assert imported_rooms(ast.parse(source)) == {"text", "corpus", "cli"}


def test_rooms_import_lower_rooms_only() -> None:
    upwards = {
        (name_of(file), other)
        for file in FILES
        if (room := room_of(file))
        for other in imported_rooms(TREES[file]) - {room}
        if RANK_OF[other] >= RANK_OF[room]
    }
    assert upwards == LOOKS_UPWARDS


@pytest.mark.parametrize(("name", "room"), sorted(LOOKS_UPWARDS))
def test_a_look_upwards_waits_until_it_is_needed(name: str, room: str) -> None:
    module = "w2gm." + name.removesuffix(".py").replace("/", ".")
    code = f"import sys, {module}\nprint('w2gm.{room}' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@each_file
def test_imports_are_absolute(file: Path) -> None:
    relative = [n.lineno for n in ast.walk(TREES[file]) if isinstance(n, ast.ImportFrom) and n.level]
    assert not relative


@pytest.mark.parametrize("file", [file for file in FILES if room_of(file) == "kernels"], ids=name_of)
def test_kernels_import_numpy_and_numba_only(file: Path) -> None:
    outside = {m.split(".")[0] for m in imported_modules(TREES[file]) if not m.startswith("w2gm.kernels")}
    accepted = {"numpy", "numba", "llvmlite"} | set(sys.stdlib_module_names)
    assert outside <= accepted


@pytest.mark.parametrize("file", [file for file in FILES if room_of(file) != "cli"], ids=name_of)
def test_only_the_command_line_writes_to_standard_output(file: Path) -> None:
    for node in ast.walk(TREES[file]):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
            assert any(keyword.arg == "file" for keyword in node.keywords), f"line {node.lineno} prints"
        if isinstance(node, ast.Attribute) and node.attr in ("stdout", "__stdout__"):
            pytest.fail(f"line {node.lineno} uses standard output")


@each_file
def test_nothing_loads_or_runs_code_from_data(file: Path) -> None:
    modules = {module.split(".")[0] for module in imported_modules(TREES[file])}
    assert not modules & {"pickle", "cPickle", "_pickle", "dill", "cloudpickle", "joblib", "marshal", "shelve"}
    assert not called_names(TREES[file]) & {"eval", "exec", "compile", "__import__"}
    allowed = [
        keyword.arg
        for node in ast.walk(TREES[file])
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "allow_pickle" and not (isinstance(keyword.value, ast.Constant) and not keyword.value.value)
    ]
    assert not allowed


@each_file
def test_a_room_is_not_too_long_and_says_what_it_is(file: Path) -> None:
    assert len(file.read_text(encoding="utf-8").splitlines()) <= 400
    assert ast.get_docstring(TREES[file]), f"{name_of(file)} does not say what it is for"


def test_matplotlib_waits_for_a_figure() -> None:
    assert "matplotlib" not in loaded_modules("import w2gm.plotting, w2gm.cli.plot")


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = {"numpy", "numba", "llvmlite", "scipy", "click", "rich", "safetensors", "zstandard", "usearch"}
    assert not loaded_modules("import w2gm") & (heavy | {"matplotlib", "starlette", "uvicorn"})


def test_the_public_names_are_all_there_and_all_explained() -> None:
    assert len(set(w2gm.__all__)) == len(w2gm.__all__)
    for name in w2gm.__all__:
        value = getattr(w2gm, name)
        if not name.startswith("__"):
            assert inspect.getdoc(value), f"w2gm.{name} has no docstring"
            assert name in dir(w2gm)
