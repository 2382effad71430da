"""The review app: its routes and the role each needs, its error pages, and the server it runs in."""

from __future__ import annotations

import asyncio
import ctypes
import functools
import ipaddress
import math
import socket
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from medharvest.errors import ConflictError, InputError, MedharvestError
from medharvest.library.review import PageReview
from medharvest.settings import Settings
from medharvest.store import Store
from medharvest.store.people import Role, Session
from medharvest.vocabularies import embedded_vocabulary
from medharvest.web.context import BackgroundJobs, ReviewDesk, ViewFunction, ViewRequest, replace_surrogates
from medharvest.web.request_checks import (
    SESSION_COOKIE,
    AccessRules,
    RequestGuard,
    Sessions,
    TooLargeError,
    is_same_token,
    own_hosts,
)
from medharvest.web.responses import (
    compile_templates,
    describe_problem,
    redirect_browser,
    render_page,
    serve_static_file,
)
from medharvest.web.views import ROUTES
from medharvest.web.views.history import show_conflict

_MAX_FORM_FIELDS = 20_000  # of a form: enough for 200 authors with 10 fields and 20 affiliations each
_MAX_PASSWORD_CHECKS = 2  # at a time: each takes a core for a moment, and 64 MB
_USED_ADDRESS_MESSAGE = "This address was already used, or it has expired."
_COOKIE_SECONDS = 30 * 24 * 3600  # of the cookie; the session itself ends sooner
_KEEP_ALIVE_SECONDS = 75  # that an idle connection stays open: longer than a person reads a page
_CONNECT_SECONDS = 5.0  # in which a running server on this machine accepts a connection
# Parameters of glibc's `mallopt`, by their numbers in malloc.h.
_MALLOC_PARAMETERS = {
    -8: 1,  # M_ARENA_MAX: one arena for all threads; with one each, every thread keeps what it once needed
    -3: 128 * 1024,  # M_MMAP_THRESHOLD: larger blocks are returned at once; the default grows with what was freed
}
_MAX_WAITING_CONNECTIONS = 128  # connections that may wait to be accepted


def create_app(desk: ReviewDesk, rules: AccessRules) -> RequestGuard:
    """Build the app, behind the guard that checks every request."""
    routes = [
        Route("/static/{digest}/{name}", serve_static_file),
        Route("/login", _make_login_view(desk), methods=["GET", "POST"]),
        Route("/enter/{word}", _make_entrance_view(desk)),
        Route("/word", _require_role(desk, _show_csrf_token, Role.READER)),
        Route("/logout", _require_role(desk, _log_out, Role.READER), methods=["POST"]),
        *(Route(one.path, _require_role(desk, one.view, one.role), methods=list(one.methods)) for one in ROUTES),
    ]
    handlers: Any = {404: _show_not_found, HTTPException: _show_refusal, TooLargeError: _show_too_large}
    handlers[MedharvestError] = _show_problem
    return RequestGuard(Starlette(routes=routes, exception_handlers=handlers), rules)


def _require_role(desk: ReviewDesk, view: ViewFunction, role: Role) -> Callable[[Request], Awaitable[Response]]:
    """Wrap a view: only people with the role reach it, and only our own pages can send its forms."""

    async def call(request: Request) -> Response:
        if request.method != "POST":  # all of it in one thread, without returning to the event loop
            return await run_in_threadpool(shown, request)
        session = await run_in_threadpool(_find_session, desk, request)
        if session is None:
            return _redirect_to_login(request)
        form = await request.form(max_fields=_MAX_FORM_FIELDS)
        if not _is_own_form(request, session, form):
            why = "The form belongs to another session; reload the page and send it again."
            raise HTTPException(403, why, headers={"X-Stale": "1"})
        return await run_in_threadpool(answered, request, session, form)

    def shown(request: Request) -> Response:
        session = _find_session(desk, request)
        return _redirect_to_login(request) if session is None else answered(request, session, FormData())

    def answered(request: Request, session: Session, form: FormData) -> Response:
        if not session.person.may(role):
            raise HTTPException(403, f"This needs the role {role}; you are {session.person.role}.")
        request.scope.update(session=session)
        return _call_view(view, ViewRequest(request=request, desk=desk, session=session, form=form))

    return functools.wraps(view)(call)


def _find_session(desk: ReviewDesk, request: Request) -> Session | None:
    return desk.sessions.find(request.cookies.get(SESSION_COOKIE, ""))


def _call_view(view: ViewFunction, ask: ViewRequest) -> Response:
    try:
        if _is_hidden_from(ask):
            return redirect_browser(ask.request, f"/records/{ask.number()}/keying")
        return view(ask)
    except ConflictError as error:
        return show_conflict(ask, error)
    except MedharvestError as error:
        message, hint = describe_problem(error)
        return ask.render("problem.html", status=422, say=message, message=message, hint=hint)


def _is_hidden_from(ask: ViewRequest) -> bool:
    """Whether the request is about a record that the person keys blind: until that is finished, only the keying shows.

    The archived page has an address of its own; it shows nothing that anyone did.
    """
    path = ask.request.url.path
    if not path.startswith("/records/") or path.startswith(f"/records/{ask.number()}/keying"):
        return False
    return ask.desk.store.people.is_keying(ask.number(), ask.person.name)


def _is_own_form(request: Request, session: Session, form: FormData) -> bool:
    given = request.headers.get("x-csrf") or form.get("csrf") or ""
    return isinstance(given, str) and is_same_token(given, session.csrf)


def _redirect_to_login(request: Request) -> Response:
    if request.headers.get("x-fragment"):
        return PlainTextResponse("session has ended", 401)
    return RedirectResponse("/login", 303)


def _make_login_view(desk: ReviewDesk) -> Callable[[Request], Awaitable[Response]]:
    turns = asyncio.Semaphore(_MAX_PASSWORD_CHECKS)

    async def call(request: Request) -> Response:
        if request.method == "GET" or desk.local:
            return render_page(request, "login.html", status=200, local=desk.local, wrong="")
        form = await request.form(max_fields=10)
        name, password = (replace_surrogates(str(form.get(field, ""))) for field in ("name", "password"))
        address = request.client.host if request.client else ""
        async with turns:  # here, so that logins that wait take no thread from other pages
            token = await run_in_threadpool(desk.sessions.log_in, name, password, address=address)
        if not token:
            return _show_failed_login(request, math.ceil(desk.sessions.login_delay(name, address)))
        return _set_session_cookie(request, token)

    return call


def _show_failed_login(request: Request, seconds: int) -> Response:
    if not seconds:
        return render_page(request, "login.html", status=401, local=False, wrong="Wrong name or password.")
    wrong = f"Too many failed attempts; try again in {seconds} {'second' if seconds == 1 else 'seconds'}."
    answer = render_page(request, "login.html", status=429, local=False, wrong=wrong)
    answer.headers["Retry-After"] = str(seconds)
    return answer


def _make_entrance_view(desk: ReviewDesk) -> Callable[[Request], Awaitable[Response]]:
    async def call(request: Request) -> Response:
        # If others can reach the server, no one gets in without a password.
        token = await run_in_threadpool(desk.sessions.redeem, request.path_params["word"]) if desk.local else ""
        if not token:
            return render_page(request, "login.html", status=403, local=desk.local, wrong=_USED_ADDRESS_MESSAGE)
        return _set_session_cookie(request, token)

    return call


def _set_session_cookie(request: Request, token: str) -> Response:
    answer = RedirectResponse("/", 303)
    secure = request.url.scheme == "https"
    answer.set_cookie(SESSION_COOKIE, token, max_age=_COOKIE_SECONDS, httponly=True, samesite="strict", secure=secure)
    return answer


def _show_csrf_token(ask: ViewRequest) -> Response:
    """Return the CSRF token of the session, for a page older than the session; no other site can read it."""
    return PlainTextResponse(ask.session.csrf)


def _log_out(ask: ViewRequest) -> Response:
    ask.desk.sessions.end(ask.request.cookies.get(SESSION_COOKIE, ""))
    answer = RedirectResponse("/login", 303)
    answer.delete_cookie(SESSION_COOKIE)
    return answer


async def _show_not_found(request: Request, _error: Exception) -> Response:
    return render_page(request, "missing.html", status=404)


async def _show_refusal(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    answer = render_page(request, "refused.html", status=error.status_code, why=error.detail)
    answer.headers.update(error.headers or {})
    return answer


async def _show_problem(request: Request, error: Exception) -> Response:
    """Show an error outside the views, such as a store that does not answer when the session is looked up."""
    assert isinstance(error, MedharvestError)
    message, hint = describe_problem(error)
    return render_page(request, "problem.html", status=503, message=message, hint=hint)


async def _show_too_large(_request: Request, _error: Exception) -> Response:
    return PlainTextResponse("The request is too large.", 413)


@dataclass(frozen=True, slots=True)
class ReviewServer:
    """A listening server: its address, and the one-time address that logs the local user in."""

    url: str
    enter: str
    server: uvicorn.Server
    listening: socket.socket
    desk: ReviewDesk

    def run(self) -> None:
        """Answer requests until stopped; background jobs stop with the server."""
        return_freed_memory()
        threading.Thread(target=_prepare_server, daemon=True).start()
        try:
            self.server.run(sockets=[self.listening])
        finally:
            self.desk.jobs.close()


def make_review_server(  # noqa: PLR0913  (what an operator chooses of the server)
    store: Store,
    settings: Settings,
    *,
    host: str,
    port: int,
    folder: Path,
    names: Sequence[str] = (),
    proxies: Sequence[str] = (),
) -> ReviewServer:
    """Make a server for a store. On loopback a one-time address logs the user in; elsewhere people need a password.

    `names` are the names by which others reach the machine; requests for other names are refused. `proxies` are the
    addresses of reverse proxies, whose word on host and scheme is taken; others can reach the server through them.
    """
    local = is_loopback(host) and not proxies
    _check_proxies(names, proxies)
    if not local and not any(person.secret for person in store.people.all()):
        hint = "add a person first: medharvest review --add-person NAME --role admin"
        raise InputError(f"others can reach {next(iter(names), host)}, and no one has a password", name=host, hint=hint)
    listening = _open_listening_socket(host, port)
    port = listening.getsockname()[1]
    sessions = Sessions(store.people)
    desk = ReviewDesk(
        store=store,
        settings=settings,
        sessions=sessions,
        page_review=PageReview(store, settings),
        jobs=BackgroundJobs(),
        folder=folder,
        local=local,
    )
    known = frozenset(name.lower() for name in names)
    rules = AccessRules(hosts=own_hosts(host, port, names), proxies=frozenset(proxies), names=known)
    app = create_app(desk, rules)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,  # the guard reads them, from the proxies that were named
        lifespan="off",
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
    )
    url = f"https://{names[0]}" if proxies else _review_url(host, port, names)
    enter = f"{url}/enter/{sessions.one_time_word()}" if local else f"{url}/login"
    return ReviewServer(url, enter, uvicorn.Server(config), listening, desk)


def _check_proxies(names: Sequence[str], proxies: Sequence[str]) -> None:
    if proxies and not names:
        raise InputError("a proxy needs the name that people use", name=proxies[0], hint="give it with --name")
    for address in proxies:
        try:
            ipaddress.ip_address(address)
        except ValueError as error:
            hint = "give the address from which the proxy connects, such as 127.0.0.1"
            raise InputError(f"not an address: {address}", name=address, hint=hint) from error


def make_entrance_url(store: Store, *, host: str, port: int) -> str:
    """Make a one-time address for a server that is already running; raise if none answers."""
    if not is_loopback(host):
        raise InputError(
            f"others can reach {host}, so people log in with a password", name=host, hint="leave out --enter"
        )
    try:
        socket.create_connection((host, port), timeout=_CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        hint = "start it with `medharvest review`, or give the --port it was started with"
        raise InputError(f"no server answers at {host}:{port}", name=host, hint=hint) from error
    return f"{_review_url(host, port)}/enter/{Sessions(store.people).one_time_word()}"


def _review_url(host: str, port: int, names: Sequence[str] = ()) -> str:
    shown = next(iter(names), f"[{host}]" if ":" in host else host)
    return f"http://{shown}:{port}"


def _prepare_server() -> None:
    """Prepare what the first pages need, while the server already answers."""
    compile_templates()
    embedded_vocabulary()


def return_freed_memory() -> None:
    """Let this process return freed memory to the system, so that a server that runs for days stays small.

    Does nothing where the C library is not glibc.
    """
    if sys.platform != "linux" or not hasattr(library := ctypes.CDLL(None), "mallopt"):
        return
    for parameter, value in _MALLOC_PARAMETERS.items():
        library.mallopt(parameter, value)


@contextmanager
def run_review_server(
    store: Store, settings: Settings, *, folder: Path, host: str = "127.0.0.1", port: int = 0
) -> Iterator[ReviewServer]:
    """Run a server in its own thread until the end of the `with` block."""
    made = make_review_server(store, settings, host=host, port=port, folder=folder)
    thread = threading.Thread(target=made.run, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        made.server.should_exit = True
        thread.join(20)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _open_listening_socket(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Name the protocol: asyncio disables Nagle's algorithm only on sockets that say they are TCP.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(_MAX_WAITING_CONNECTIONS)  # listen now, so that a browser opened at once gets an answer
    except OSError as error:
        listening.close()
        hint = "if the app is already running there, use --enter; else give another --port, 0 for any free one"
        raise InputError(f"cannot listen on {host}:{port}: {error.strerror}", name=host, hint=hint) from error
    return listening
