"""The application: pages, their files, and the JSON API, behind the door."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from w2gm.errors import ConfigError, UnknownWordError, W2gmError
from w2gm.explorer.answers import ANSWERS, Answer
from w2gm.explorer.parameters import Parameters
from w2gm.explorer.security import METHODS, Door
from w2gm.explorer.shelf import Shelf
from w2gm.model import Model
from w2gm.plain import finite

STATIC = Path(__file__).parent / "static"
# Every view is the same file, which looks at the address: all of these can be opened, shared and reloaded.
PAGES = ("/", "/word", "/pair", "/sentence", "/map")
# So many questions are answered at a time, the others wait. Always by the same threads: each keeps the memory of its
# largest answer (20 MB with 75,000 words), and threads that come and go would keep it many times.
AT_ONCE = 4

Endpoint = Callable[[Request], Awaitable[Response]]


def create_app(models: Iterable[tuple[str, Model]], hosts: Iterable[str]) -> Door:
    """The explorer of models, each with a name, as an ASGI application that answers to these Host headers.

    >>> from w2gm import Config, Mixtures, Vocabulary
    >>> import numpy as np
    >>> flat = np.zeros((1, 2), np.float32)
    >>> mixtures = Mixtures(np.ones((1, 2, 3), np.float32), flat, flat + 0.5)
    >>> model = Model(Vocabulary(["bank"], [9]), mixtures, config=Config(vector_size=3), provenance={})
    >>> sorted(create_app([("tiny", model)], ["localhost"]).hosts)
    ['localhost']
    """
    shelf = Shelf(models)
    pool = ThreadPoolExecutor(AT_ONCE)
    routes: list[Route | Mount] = [
        Route(f"/api/{name}", _endpoint(shelf, answer, pool), methods=[*METHODS]) for name, answer in ANSWERS.items()
    ]
    routes += [Route(page, _page, methods=[*METHODS]) for page in PAGES]
    routes.append(Mount("/static", _Files(directory=STATIC)))

    @contextlib.asynccontextmanager
    async def warming(app: Starlette) -> AsyncIterator[None]:
        threading.Thread(target=_warm, args=(shelf,), daemon=True).start()
        yield
        pool.shutdown(wait=False, cancel_futures=True)

    application = Starlette(
        routes=routes,
        lifespan=warming,
        exception_handlers={HTTPException: _not_here},
    )
    return Door(application, hosts)


class _Files(StaticFiles):
    """The page's files, asked for anew each time: another version may answer at this address tomorrow."""

    def file_response(self, *arguments: Any, **options: Any) -> Response:
        response = super().file_response(*arguments, **options)
        response.headers["cache-control"] = "no-cache"
        return response


def _endpoint(shelf: Shelf, answer: Answer, pool: ThreadPoolExecutor) -> Endpoint:
    async def respond(request: Request) -> Response:
        try:
            given = Parameters(request.query_params, answer.names)
            value = await asyncio.get_running_loop().run_in_executor(pool, answer.function, shelf, given)
        except W2gmError as error:
            return _refused(error)
        headers = {"cache-control": "no-store"}
        if isinstance(value, bytes):
            return Response(value, media_type="application/octet-stream", headers=headers)
        return JSONResponse(finite(value), headers=headers)

    return respond


def _refused(error: W2gmError) -> Response:
    """One line, as on the command line: 404 for a word or a model that is not here, 400 for a wrong call."""
    status = {UnknownWordError: 404, ConfigError: 400}.get(type(error), 500)
    return JSONResponse({"error": str(error)}, status_code=status, headers={"cache-control": "no-store"})


async def _page(request: Request) -> Response:
    return FileResponse(STATIC / "index.html", headers={"cache-control": "no-cache"})


async def _not_here(request: Request, error: Exception) -> Response:
    """Anything the routes do not know; the pages show the same line for a view that does not exist."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    known = ", ".join([*PAGES, *(f"/api/{name}" for name in ANSWERS)])
    return JSONResponse({"error": f"nothing at {request.url.path[:80]!r}; known: {known}"}, status_code=status)


def _warm(shelf: Shelf) -> None:
    for shown in shelf:
        shown.warm()
