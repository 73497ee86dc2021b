"""The closed door: who may ask, with what, and what a page may do."""

import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from explorer_models import HOSTILE, random_model
from w2gm.explorer import create_app
from w2gm.explorer.app import PAGES, STATIC
from w2gm.explorer.security import HEADERS, own_hosts

HOST = "127.0.0.1:8000"


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    app = create_app([("m", random_model([*HOSTILE, "bank"]))], own_hosts("127.0.0.1", 8000))
    with TestClient(app, f"http://{HOST}", follow_redirects=False) as client:
        yield client


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000", "LOCALHOST:8000"])
def test_it_answers_to_its_own_names(client: TestClient, host: str) -> None:
    assert client.get("/api/models", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8000",
        "127.0.0.1",
        "127.0.0.1:80",
        "127.0.0.1:8000.evil.example",
        "localhost.evil.example:8000",
        "evil@127.0.0.1:8000",
        "192.168.0.7:8000",
        "[::1]:8000",
        "",
    ],
)
@pytest.mark.parametrize("path", ["/", "/api/models", "/static/main.js"])
def test_it_answers_to_no_other_name(client: TestClient, host: str, path: str) -> None:
    response = client.get(path, headers={"host": host})
    assert response.status_code == 421
    assert response.json()["error"].startswith(
        "this explorer answers to 127.0.0.1:8000, localhost:8000 only, not to "
    )


def test_two_host_headers_are_refused(client: TestClient) -> None:
    assert client.get("/", headers=[("host", HOST), ("host", "evil.example")]).status_code == 421


@pytest.mark.parametrize(
    ("listening", "host", "accepted"),
    [
        ("0.0.0.0", "10.1.2.3:8000", True),
        ("0.0.0.0", "localhost:8000", True),
        ("0.0.0.0", "evil.example:8000", False),
        ("::", "[fe80::1]:8000", True),
        ("::1", "[::1]:8000", True),
        ("10.1.2.3", "10.1.2.3:8000", True),
        ("10.1.2.3", "localhost:8000", False),
        ("box.lan", "box.lan:8000", True),
        ("box.lan", "evil.example:8000", False),
    ],
)
def test_listening_elsewhere_lets_in_that_name_or_any_address_in_numbers(
    listening: str, host: str, accepted: bool
) -> None:
    app = create_app([("m", random_model(["bank"]))], own_hosts(listening, 8000))
    status = TestClient(app).get("/api/models", headers={"host": host}).status_code
    assert status == (200 if accepted else 421)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
def test_nothing_but_reading_is_answered(client: TestClient, method: str) -> None:
    response = client.request(method, "/api/models")
    assert response.status_code == 405
    assert response.json()["error"] == f"only GET and HEAD are answered, got {method}: nothing here can be changed"


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/app.py", "/static/....//app.py",
        "/static//etc/passwd", "/static/%2fetc/passwd", "/static/..%5capp.py", "/static/", "/static",
        "/app.py", "/../pyproject.toml", "/api/", "/api/../static/main.js/x",
    ],
)  # fmt: skip
def test_no_path_leads_out_of_the_page_s_files(client: TestClient, path: str) -> None:
    response = client.get(path)
    assert response.status_code in (404, 307)
    assert "import" not in response.text


def test_an_unknown_path_is_one_line_that_names_the_known_ones(client: TestClient) -> None:
    response = client.get("/nowhere")
    assert response.status_code == 404
    assert response.json()["error"].startswith("nothing at '/nowhere'; known: /, /word, ")


def test_an_address_has_a_longest_length(client: TestClient) -> None:
    response = client.get(f"/api/tokens?text={'x' * 40_000}")
    assert (response.status_code, response.json()["error"]) == (
        414,
        "the address is longer than 32,768 bytes: ask for less at a time",
    )


@pytest.mark.parametrize(
    "path", [*PAGES, "/static/main.js", "/api/models", "/api/points", "/api/senses?word=zz", "/nowhere"]
)
def test_every_answer_closes_the_page(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    for name, value in HEADERS.items():
        assert headers[name] == value
    assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize(
    ("path", "kept"), [("/", "no-cache"), ("/static/main.js", "no-cache"), ("/api/models", "no-store")]
)
def test_no_answer_is_kept_without_asking_again(client: TestClient, path: str, kept: str) -> None:
    assert client.get(path).headers["cache-control"] == kept


def test_the_policy_allows_nothing_but_the_page_itself() -> None:
    policy = HEADERS["content-security-policy"]
    assert policy.startswith("default-src 'self'; ")
    for door in ("unsafe-inline", "unsafe-eval", "data:", "blob:", "http", "*"):
        assert door not in policy


def test_the_page_s_files_name_no_other_place_and_no_inline_code() -> None:
    for file in STATIC.iterdir():
        text = file.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        for word in (
            "http:",
            "https:",
            "//cdn",
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "style=",
        ):
            assert word not in text, (file.name, word)
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    assert "<script>" not in page
    assert "<style" not in page
    assert " on" not in page.replace(" on ", "")


@pytest.mark.parametrize("word", HOSTILE)
def test_words_that_are_markup_or_paths_are_words(client: TestClient, word: str) -> None:
    response = client.get("/api/ellipses", params={"word": word})
    assert response.headers["content-type"] == "application/json"
    assert {each["word"] for each in response.json()} == {word}


def test_the_wheel_holds_the_page(tmp_path: Path) -> None:
    pytest.importorskip("hatchling", reason="LOUD: hatchling is not installed, the wheel is not looked into")
    root = Path(__file__).parent.parent
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=root, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    names = zipfile.ZipFile(next(tmp_path.glob("*.whl"))).namelist()
    assert {f"w2gm/explorer/static/{file.name}" for file in STATIC.iterdir()} <= set(names)
