"""Fetching test sets from a server of our own: resumed, redirected, cut off, wrong, hostile, or not there at all."""

import gzip
import hashlib
import io
import socket
import struct
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from w2gm.errors import ConfigError, DataError, StorageError
from w2gm.evaluation import catalogue, fetching
from w2gm.evaluation.catalogue import File, Source, known_sets
from w2gm.evaluation.fetching import fetch_file, fetch_sets
from w2gm.evaluation.finding import inventory

CONTENT = b"".join(b"cup\tmug\t%d.0\n" % number for number in range(20_000))


class Server(ThreadingHTTPServer):
    """Serves `pages` {path: bytes}; what each request asked for is in `asked`.

    cut: bytes after which an answer breaks off, once for each entry. redirects: {path: address}. ranges: whether a
    Range is honoured. says_which: whether a part says of itself which it is. resets: whether connections end by being
    reset. length: whether the length is said.
    """

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.pages: dict[str, bytes] = {}
        self.redirects: dict[str, str] = {}
        self.asked: list[tuple[str, str | None]] = []
        self.cut: list[int] = []
        self.ranges = True
        self.resets = False
        self.says_which = True
        self.length = True

    def address(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}{path}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        wanted = self.headers.get("Range")
        self.server.asked.append((self.path, wanted))
        if self.path in self.server.redirects:
            self.send_response(302)
            self.send_header("Location", self.server.redirects[self.path])
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if self.path not in self.server.pages:
            self.send_error(404)
            return
        page, first = self.server.pages[self.path], 0
        if wanted and self.server.ranges:
            first = int(wanted.removeprefix("bytes=").removesuffix("-"))
            if first >= len(page):
                self.send_error(416)
                return
        self.send_response(206 if first else 200)
        if first and self.server.says_which:
            self.send_header("Content-Range", f"bytes {first}-{len(page) - 1}/{len(page)}")
        if self.server.length:
            self.send_header("Content-Length", str(len(page) - first))
        self.end_headers()
        rest = page[first:]
        if self.server.cut:
            rest = rest[: self.server.cut.pop(0)]
        self.wfile.write(rest)
        self.close_connection = True
        if self.server.resets:  # closing a socket that lingers for no time resets the connection
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()

    def log_message(self, *arguments: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as one:
        thread = threading.Thread(target=one.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield one
        one.shutdown()
        thread.join()


def file_of(*sources: Source, content: bytes = CONTENT) -> File:
    return File("RG-65/EN-RG-65.txt", len(content), hashlib.sha256(content).hexdigest(), sources)


def zipped(members: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


def tarred(members: dict[str, bytes], links: dict[str, str] | None = None) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for name, target in (links or {}).items():
            link = tarfile.TarInfo(name)
            link.type, link.linkname = tarfile.SYMTYPE, target
            archive.addfile(link)
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return stream.getvalue()


def everything(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_a_file_is_fetched_to_its_place_and_nothing_else_is_left(server: Server, tmp_path: Path) -> None:
    server.pages["/rg.txt"] = CONTENT
    told: list[str] = []
    path = fetch_file(tmp_path, file_of(Source(server.address("/rg.txt"))), told.append)
    assert path == tmp_path / "RG-65" / "EN-RG-65.txt"
    assert path.read_bytes() == CONTENT
    assert everything(tmp_path) == ["RG-65/EN-RG-65.txt"]
    assert told == [f"RG-65/EN-RG-65.txt: asking {server.address('/rg.txt')}"]
    assert server.asked == [("/rg.txt", None)]


def test_a_download_that_breaks_off_goes_on_where_it_stopped(server: Server, tmp_path: Path) -> None:
    server.pages["/rg.txt"] = CONTENT
    server.cut = [70_000, 50_000]
    assert fetch_file(tmp_path, file_of(Source(server.address("/rg.txt")))).read_bytes() == CONTENT
    assert [wanted for _, wanted in server.asked] == [None, "bytes=70000-", "bytes=120000-"]


def test_a_later_call_goes_on_where_the_last_one_stopped(server: Server, tmp_path: Path) -> None:
    server.pages["/rg.txt"] = CONTENT
    server.cut = [70_000, 10_000, 10_000]
    file = file_of(Source(server.address("/rg.txt")))
    message = rf"rg.txt stopped after 90000 of {len(CONTENT)} bytes; call again to go on"
    with pytest.raises(DataError, match=message):
        fetch_file(tmp_path, file)
    assert fetch_file(tmp_path, file).read_bytes() == CONTENT
    assert server.asked[-1] == ("/rg.txt", "bytes=90000-")
    assert everything(tmp_path) == ["RG-65/EN-RG-65.txt"]


def test_a_connection_that_is_reset_goes_on_later(server: Server, tmp_path: Path) -> None:
    server.pages["/rg.txt"], server.resets, server.cut = CONTENT, True, [1000] * 3
    file = file_of(Source(server.address("/rg.txt")))
    with pytest.raises(DataError, match=r"rg.txt (broke off \(.*reset.*\)|cannot be reached \(.*reset.*\))"):
        fetch_file(tmp_path, file)
    server.resets, server.cut = False, []
    assert fetch_file(tmp_path, file).read_bytes() == CONTENT


def test_a_part_that_does_not_say_which_is_not_taken(server: Server, tmp_path: Path) -> None:
    server.pages["/rg.txt"], server.says_which, server.cut = CONTENT, False, [70_000]
    with pytest.raises(DataError, match=r"rg.txt answers with a part and does not say which"):
        fetch_file(tmp_path, file_of(Source(server.address("/rg.txt"))))
    assert everything(tmp_path) == []


def test_a_server_without_ranges_serves_it_from_the_start(server: Server, tmp_path: Path) -> None:
    server.pages["/rg.txt"], server.ranges, server.cut = CONTENT, False, [70_000]
    assert fetch_file(tmp_path, file_of(Source(server.address("/rg.txt")))).read_bytes() == CONTENT
    assert [wanted for _, wanted in server.asked] == [None, "bytes=70000-"]


def test_what_was_kept_of_an_older_version_is_fetched_anew(server: Server, tmp_path: Path) -> None:
    server.pages["/rg.txt"] = CONTENT[::-1]
    server.cut = [70_000, 0]
    file = file_of(Source(server.address("/rg.txt")))
    with pytest.raises(DataError, match="stopped after 70000"):
        fetch_file(tmp_path, file)
    server.pages["/rg.txt"] = CONTENT
    assert fetch_file(tmp_path, file).read_bytes() == CONTENT


def test_a_part_longer_than_the_file_is_fetched_anew(server: Server, tmp_path: Path) -> None:
    server.pages["/rg.txt"] = CONTENT
    server.cut = [70_000, 0]
    file = file_of(Source(server.address("/rg.txt")))
    with pytest.raises(DataError, match="stopped"):
        fetch_file(tmp_path, file)
    server.pages["/rg.txt"] = CONTENT[:1000]
    short = file_of(Source(server.address("/rg.txt")), content=CONTENT[:1000])
    assert fetch_file(tmp_path, short).read_bytes() == CONTENT[:1000]


def test_a_redirection_is_followed(server: Server, tmp_path: Path) -> None:
    server.pages["/new.txt"] = CONTENT
    server.redirects["/old.txt"] = server.address("/new.txt")
    assert fetch_file(tmp_path, file_of(Source(server.address("/old.txt")))).read_bytes() == CONTENT


def test_a_redirection_leads_nowhere_but_to_the_net(server: Server, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(CONTENT)
    server.redirects["/old.txt"] = secret.as_uri()
    with pytest.raises(DataError, match=r"old.txt answers 302"):
        fetch_file(tmp_path, file_of(Source(server.address("/old.txt"))))
    server.redirects["/round"] = server.address("/round")
    with pytest.raises(DataError, match=r"round answers 302"):
        fetch_file(tmp_path, file_of(Source(server.address("/round"))))


@pytest.mark.parametrize("length", [True, False])
def test_another_file_is_not_kept(server: Server, tmp_path: Path, length: bool) -> None:
    server.pages["/rg.txt"], server.length = CONTENT.replace(b"cup", b"cap", 1), length
    with pytest.raises(DataError, match=r"rg.txt serves another file \(SHA-256 [0-9a-f]{16}, not [0-9a-f]{16}\)"):
        fetch_file(tmp_path, file_of(Source(server.address("/rg.txt"))))
    assert everything(tmp_path) == []


def test_a_file_cut_off_without_a_length_is_another_file(server: Server, tmp_path: Path) -> None:
    server.pages["/rg.txt"], server.length = CONTENT[:5000], False
    with pytest.raises(DataError, match=r"serves another file"):
        fetch_file(tmp_path, file_of(Source(server.address("/rg.txt"))))


@pytest.mark.parametrize("length", [True, False])
def test_no_more_is_read_than_the_file_can_have(server: Server, tmp_path: Path, length: bool) -> None:
    server.pages["/rg.txt"], server.length = CONTENT * 3, length
    message = (
        rf"serves {3 * len(CONTENT)} bytes, more than" if length else rf"serves more than the {len(CONTENT)} bytes"
    )
    with pytest.raises(DataError, match=message):
        fetch_file(tmp_path, file_of(Source(server.address("/rg.txt"))))
    assert everything(tmp_path) == []


def test_a_page_that_is_not_there_is_told_and_the_next_address_is_asked(server: Server, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"was not fetched: http://\S+/gone answers 404 Not Found: get it by hand"):
        fetch_file(tmp_path, file_of(Source(server.address("/gone"))))
    server.pages["/mirror"] = CONTENT
    two = file_of(Source(server.address("/gone")), Source(server.address("/mirror")))
    assert fetch_file(tmp_path, two).read_bytes() == CONTENT


def test_no_network_is_one_line(tmp_path: Path) -> None:
    with Server() as closed:
        address = closed.address("/rg.txt")
    with pytest.raises(DataError, match=r"rg.txt cannot be reached \(.*[Cc]onnection refused\)") as error:
        fetch_file(tmp_path, file_of(Source(address)))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_a_file_comes_out_of_an_archive(server: Server, tmp_path: Path, pack: Any) -> None:
    server.pages["/sets"] = pack({"readme.txt": b"hello", "sets/EN-RG-65.txt": CONTENT, "sets/other": b"no"})
    fetch_file(tmp_path, file_of(Source(server.address("/sets"), "EN-RG-65.txt")))
    assert everything(tmp_path) == ["RG-65/EN-RG-65.txt"]
    assert (tmp_path / "RG-65/EN-RG-65.txt").read_bytes() == CONTENT


@pytest.mark.parametrize("pack", [zipped, tarred])
@pytest.mark.parametrize("evil", ["../../evil.txt", "/etc/evil.txt", "..\\..\\evil.txt", "sets/../../evil.txt"])
def test_names_in_an_archive_lead_nowhere(server: Server, tmp_path: Path, pack: Any, evil: str) -> None:
    server.pages["/sets"] = pack({evil: b"owned", "sets/EN-RG-65.txt": CONTENT})
    fetch_file(tmp_path / "a" / "b", file_of(Source(server.address("/sets"), "EN-RG-65.txt")))
    assert everything(tmp_path) == ["a/b/RG-65/EN-RG-65.txt"]
    # The very member, under a name that leads out: it goes to its place all the same.
    server.pages["/sets"] = pack({evil.replace("evil", "EN-RG-65").replace("\\", "/"): CONTENT})
    fetch_file(tmp_path / "c" / "d", file_of(Source(server.address("/sets"), "EN-RG-65.txt")))
    assert everything(tmp_path) == ["a/b/RG-65/EN-RG-65.txt", "c/d/RG-65/EN-RG-65.txt"]


def test_a_link_in_an_archive_is_not_followed(server: Server, tmp_path: Path) -> None:
    server.pages["/sets"] = tarred({}, links={"EN-RG-65.txt": "/etc/passwd"})
    with pytest.raises(DataError, match=r"sets serves an archive without EN-RG-65.txt"):
        fetch_file(tmp_path, file_of(Source(server.address("/sets"), "EN-RG-65.txt")))


def test_an_archive_that_unpacks_to_too_much_is_stopped(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bomb = zipped({"EN-RG-65.txt": b"0" * 30_000_000})
    assert len(bomb) < 100_000
    server.pages["/zip"] = bomb
    with pytest.raises(DataError, match=rf"serves a larger file than the published one of {len(CONTENT)} bytes"):
        fetch_file(tmp_path, file_of(Source(server.address("/zip"), "EN-RG-65.txt")))
    server.pages["/tar"] = tarred({"filler": b"0" * 30_000_000, "EN-RG-65.txt": CONTENT})
    monkeypatch.setattr(fetching, "_LARGEST_UNPACKED", 20_000_000)
    with pytest.raises(DataError, match=r"serves an archive without EN-RG-65.txt"):
        fetch_file(tmp_path, file_of(Source(server.address("/tar"), "EN-RG-65.txt")))
    assert everything(tmp_path) == []


def test_an_archive_that_is_too_large_is_not_read(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.pages["/zip"] = zipped({"EN-RG-65.txt": CONTENT})
    monkeypatch.setattr(fetching, "LARGEST_ARCHIVE", 1000)
    with pytest.raises(DataError, match=r"serves \d+ bytes, more than the 1000 that the file can have"):
        fetch_file(tmp_path, file_of(Source(server.address("/zip"), "EN-RG-65.txt")))


@pytest.mark.parametrize(
    "damaged",
    [
        b"<html>not an archive</html>",
        zipped({"EN-RG-65.txt": CONTENT})[:-30],
        tarred({"EN-RG-65.txt": CONTENT})[:2000],
        gzip.compress(b"no tar"),
        zipped({"EN-RG-65.txt": CONTENT}).replace(b"EN-RG", b"XX-XX", 1),
    ],
    ids=["a page", "zip cut off", "tar cut off", "no tar inside", "two names"],
)
def test_a_damaged_archive_is_one_line(server: Server, tmp_path: Path, damaged: bytes) -> None:
    server.pages["/sets"] = damaged
    with pytest.raises(DataError, match=r"sets serves (a damaged archive|an archive without)") as error:
        fetch_file(tmp_path, file_of(Source(server.address("/sets"), "EN-RG-65.txt")))
    assert "\n" not in str(error.value)
    assert everything(tmp_path) == []


def test_a_place_that_cannot_be_written_is_told(server: Server, tmp_path: Path) -> None:
    server.pages["/rg.txt"] = CONTENT
    (tmp_path / "RG-65").write_text("in the way")
    with pytest.raises(StorageError, match=r"EN-RG-65.txt cannot be written: .*: choose another --data"):
        fetch_file(tmp_path, file_of(Source(server.address("/rg.txt"))))


@pytest.fixture
def two_sets(server: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    """A catalogue of two sets: one the server has, one it has not."""
    there = file_of(Source(server.address("/rg.txt")))._replace(place="RG-65/EN-RG-65.txt")
    gone = file_of(Source(server.address("/mc.txt")))._replace(place="MC-30/EN-MC-30.txt")
    both = tuple(
        one._replace(files=(file,)) for one, file in zip(known_sets(["MC", "RG"]), (gone, there), strict=True)
    )
    monkeypatch.setattr(catalogue, "KNOWN_SETS", both)
    server.pages["/rg.txt"] = CONTENT
    return server


def test_one_failure_does_not_stop_the_others_and_what_is_there_is_not_asked_for(
    two_sets: Server, tmp_path: Path
) -> None:
    rows = fetch_sets(tmp_path)
    assert [(row["set"], row["state"]) for row in rows] == [("MC", "failed"), ("RG", "fetched")]
    assert "404" in rows[0]["error"]
    assert rows[1]["path"] == str(tmp_path / "RG-65/EN-RG-65.txt")
    two_sets.asked.clear()
    assert [row["state"] for row in fetch_sets(tmp_path, ["rg"])] == ["there already"]
    assert two_sets.asked == []
    assert [row["state"] for row in inventory(tmp_path)] == ["missing", "as published"]


def test_another_version_is_replaced_by_the_published_one(two_sets: Server, tmp_path: Path) -> None:
    own = tmp_path / "RG-65" / "EN-RG-65.txt"
    own.parent.mkdir()
    own.write_bytes(CONTENT[:-2])
    assert inventory(tmp_path)[1]["state"] == "another version"
    own.write_bytes(CONTENT[:-2] + b"x\n")
    assert inventory(tmp_path)[1]["state"] == "another version"
    assert [row["state"] for row in fetch_sets(tmp_path, ["RG"])] == ["fetched"]
    assert own.read_bytes() == CONTENT


def test_an_unknown_set_is_refused_with_the_closest_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"unknown set 'SWCS', did you mean SCWS\? accepted: SL, WS, .*analogies"):
        fetch_sets(tmp_path, ["SWCS"])
    with pytest.raises(ConfigError, match=r"unknown set 'qqq'; accepted: SL, WS"):
        fetch_sets(tmp_path, ["qqq"])


def test_every_file_of_the_catalogue_has_a_checksum_and_an_address() -> None:
    files = [file for one in known_sets() for file in one.files]
    assert len(files) == len({file.place for file in files}) == len({file.sha256 for file in files}) == 15
    for file in files:
        assert len(bytes.fromhex(file.sha256)) == 32
        assert file.size > 0
        assert file.sources
        assert all(source.address.startswith(("http://", "https://")) for source in file.sources)
