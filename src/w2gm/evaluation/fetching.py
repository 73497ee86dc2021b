"""Getting the public test sets from their authors: by HTTP, resumed where it stopped, kept only if it is the file.

Nothing that comes over the net is trusted. No more is read than a set can be; of an archive one member is read, by
its name, into a place that its name has no part in; and what was read is kept if its SHA-256 is the pinned one.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import http
import http.client
import lzma
import re
import tarfile
import urllib.error
import urllib.request
import zipfile
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path, PurePosixPath
from typing import IO, Any

from w2gm import __version__
from w2gm.errors import DataError, StorageError
from w2gm.evaluation.catalogue import File, Source, known_sets
from w2gm.evaluation.finding import find_file, state_of

LARGEST_ARCHIVE = 64 << 20
_LARGEST_UNPACKED = 256 << 20
_PIECE = 1 << 16
_TIMEOUT = 30.0  # seconds without a byte
_ATTEMPTS = 3  # at one address, each going on where the last one stopped

# What reading a broken archive raises; a damaged gzip header is an OSError of a kind of its own.
_DAMAGED = (zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, gzip.BadGzipFile, EOFError,
            NotImplementedError, RuntimeError)  # fmt: skip

Tell = Callable[[str], None]


def fetch_sets(folder: Path, names: Iterable[str] | None = None, tell: Tell = lambda _: None) -> list[dict[str, Any]]:
    """Fetch what is missing of the named sets (None: all): {"set", "file", "path", "state", "error"} of each file.

    The state is "there already", "fetched" or "failed"; one failure does not stop the others. `tell` is given a line
    for each address that is asked.
    """
    rows: list[dict[str, Any]] = []
    for one in known_sets(names):
        for file in one.files:
            row = {
                "set": one.name,
                "file": file.place,
                "path": str(folder / file.place),
                "state": "fetched",
                "error": None,
            }
            here = find_file(folder, file)
            if here is not None and state_of(here, file) == "as published":
                row |= {"path": str(here), "state": "there already"}
            else:
                try:
                    fetch_file(folder, file, tell)
                except DataError as error:
                    row |= {"path": None, "state": "failed", "error": str(error)}
            rows.append(row)
    return rows


def fetch_file(folder: Path, file: File, tell: Tell = lambda _: None) -> Path:
    """Fetch one file to its place below `folder`, from the first of its sources that serves it; else `DataError`."""
    place = folder / file.place
    failures = []
    for source in file.sources:
        tell(f"{file.place}: asking {source.address}")
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            _fetch_from(source, file, place)
            return place
        except DataError as error:
            failures.append(str(error))
        except OSError as error:
            raise StorageError(
                f"{place} cannot be written: {error.strerror or error}: choose another --data"
            ) from None
    raise DataError(f"{file.place} was not fetched: {'; '.join(failures)}: get it by hand, or try again later")


class _UnfinishedError(DataError):
    """A download that stopped: what is there is kept, and the next call goes on from it."""


def _fetch_from(source: Source, file: File, place: Path) -> None:
    """Download, take the member out, check, and only then put the file in its place."""
    # Named after the address, so that what is resumed is of the same address.
    mark = hashlib.sha256(source.address.encode()).hexdigest()[:8]
    part = place.with_name(f"{place.name}.{mark}.part")
    # What is there already may be of an older version at the same address: then all is fetched once more.
    for again in (part.exists(), False):
        try:
            _attempt(source, file, place, part)
            part.unlink()
            return
        except _UnfinishedError:
            raise
        except DataError:
            part.unlink(missing_ok=True)
            if not again:
                raise


def _attempt(source: Source, file: File, place: Path, part: Path) -> None:
    new = place.with_name(f"{place.name}.new")
    _download(source.address, part, file.size if source.member is None else LARGEST_ARCHIVE)
    try:
        with contextlib.ExitStack() as stack:
            opened = stack.enter_context(part.open("rb"))
            content = opened if source.member is None else _member(opened, source, stack)
            digest = _copy(content, new, file.size, source.address)
        if digest != file.sha256:
            raise DataError(f"{source.address} serves another file (SHA-256 {digest[:16]}, not {file.sha256[:16]})")
        new.replace(place)
    except _DAMAGED as error:
        said = (str(error).splitlines() or [type(error).__name__])[0]
        raise DataError(f"{source.address} serves a damaged archive ({said})") from None
    finally:
        new.unlink(missing_ok=True)


def _download(address: str, part: Path, largest: int) -> None:
    """Bring `part` to the whole of what the address serves, from where it stands."""
    for attempt in range(1, _ATTEMPTS + 1):
        have = part.stat().st_size if part.exists() else 0
        try:
            with _ask(address, have) as answer:
                begins = _first_byte(answer, address)
                length = answer.headers.get("Content-Length", "")
                total = begins + int(length) if length.isdigit() else None
                if total is not None and total > largest:
                    raise DataError(f"{address} serves {total} bytes, more than the {largest} that the file can have")
                got = _receive(answer, part, begins, largest, address)
            if total is None or got >= total:
                return
            raise _UnfinishedError(f"{address} stopped after {got} of {total} bytes; call again to go on")
        except _UnfinishedError:
            # Once more, if the last attempt brought anything.
            if attempt == _ATTEMPTS or (part.stat().st_size if part.exists() else 0) <= have:
                raise


def _ask(address: str, have: int) -> http.client.HTTPResponse:
    """The answer to a request for all bytes from `have` on."""
    request = urllib.request.Request(address, headers={"User-Agent": f"w2gm/{__version__}"})  # noqa: S310
    if have:
        request.add_header("Range", f"bytes={have}-")
    try:
        answer: http.client.HTTPResponse = _OPENER.open(request, timeout=_TIMEOUT)
        return answer
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE and have:
            return _ask(address, 0)
        raise DataError(f"{address} answers {error.code} {error.reason}") from None
    except (OSError, http.client.HTTPException) as error:
        raise _UnfinishedError(f"{address} cannot be reached ({getattr(error, 'reason', None) or error})") from None


def _first_byte(answer: http.client.HTTPResponse, address: str) -> int:
    """Which byte of the whole the answer begins with."""
    if answer.status != http.HTTPStatus.PARTIAL_CONTENT:
        return 0
    said = re.match(r"bytes (\d{1,15})-", answer.headers.get("Content-Range", ""))
    if said is None:
        raise DataError(f"{address} answers with a part and does not say which")
    return int(said[1])


def _receive(answer: http.client.HTTPResponse, part: Path, begins: int, largest: int, address: str) -> int:
    """Write the answer into `part` from byte `begins` on; the size of `part` then."""
    with part.open("r+b" if part.exists() else "wb") as file:
        file.seek(begins)
        file.truncate()
        while True:
            try:
                piece = answer.read(_PIECE)
            except (OSError, http.client.HTTPException) as error:
                raise _UnfinishedError(f"{address} broke off ({error}); call again to go on") from None
            if not piece:
                return file.tell()
            if file.tell() + len(piece) > largest:
                raise DataError(f"{address} serves more than the {largest} bytes that the file can have")
            file.write(piece)


def _member(opened: IO[bytes], source: Source, stack: contextlib.ExitStack) -> IO[bytes]:
    """The content of the archive's member of that name, in whatever folder of the archive it is."""
    wanted = PurePosixPath(source.member or "").name
    if zipfile.is_zipfile(opened):
        archive = stack.enter_context(zipfile.ZipFile(opened))
        for entry in archive.infolist():
            if PurePosixPath(entry.filename).name == wanted and "__MACOSX" not in entry.filename:
                return stack.enter_context(archive.open(entry))
    else:
        opened.seek(0)
        tar = stack.enter_context(tarfile.open(fileobj=opened, mode="r:*"))  # noqa: SIM115
        for member in tar:
            content = (
                tar.extractfile(member) if member.isreg() and PurePosixPath(member.name).name == wanted else None
            )
            if content is not None:
                return stack.enter_context(content)
            if member.offset_data + member.size > _LARGEST_UNPACKED:
                break  # to look further would mean unpacking it all
    raise DataError(f"{source.address} serves an archive without {wanted}")


def _copy(content: IO[bytes], new: Path, size: int, address: str) -> str:
    """Write no more than `size` bytes of `content` to `new`; their SHA-256."""
    digest = hashlib.sha256()
    with new.open("wb") as file:
        while piece := content.read(_PIECE):
            if file.tell() + len(piece) > size:
                raise DataError(f"{address} serves a larger file than the published one of {size} bytes")
            file.write(piece)
            digest.update(piece)
    return digest.hexdigest()


def _http_only() -> urllib.request.OpenerDirector:
    """What follows http and https, and nothing else that a redirection could name."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler,
        urllib.request.HTTPHandler,
        urllib.request.HTTPSHandler,
        urllib.request.HTTPDefaultErrorHandler,
        urllib.request.HTTPRedirectHandler,
        urllib.request.HTTPErrorProcessor,
        urllib.request.UnknownHandler,
    ):
        opener.add_handler(handler())
    return opener


_OPENER = _http_only()
