"""Serve the app: the store opened, the door set, the address printed."""

from __future__ import annotations

import ipaddress
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from medharvest.errors import InputError
from medharvest.run.review import Reviewing
from medharvest.settings import Settings
from medharvest.store import Store
from medharvest.topics import embedded_vocabulary
from medharvest.web.app import create_app
from medharvest.web.asking import Desk
from medharvest.web.doing import Doing
from medharvest.web.guard import Door, own_hosts
from medharvest.web.rendering import compile_all
from medharvest.web.sessions import Sessions

_KEPT = 75  # seconds a connection without requests stays open: longer than a person reads
_PATIENCE = 5.0  # seconds in which a server on this machine takes a connection
_WAITING = 128  # connections that may wait to be answered


@dataclass(frozen=True, slots=True)
class Serving:
    """A server that listens: where, and the address that logs the local user in, once."""

    url: str
    enter: str
    server: uvicorn.Server
    listening: socket.socket
    desk: Desk

    def run(self) -> None:
        """Answer until it is stopped; works at hand stop with it."""
        threading.Thread(target=_prepare, daemon=True).start()
        try:
            self.server.run(sockets=[self.listening])
        finally:
            self.desk.doing.close()


def make_server(
    store: Store, settings: Settings, *, host: str, port: int, folder: Path, names: Sequence[str] = ()
) -> Serving:
    """A server for a store. On loopback a one-time address lets its user in; elsewhere people must log in.

    `names` are those by which others reach the machine; a request for another name is refused.
    """
    local = is_loopback(host)
    if not local and not any(person.secret for person in store.people.all()):
        hint = "make one first: medharvest review --add-person NAME --role admin"
        raise InputError(f"{host} can be reached by others, and nobody has a password", name=host, hint=hint)
    listening = _listen(host, port)
    port = listening.getsockname()[1]
    sessions = Sessions(store.people)
    desk = Desk(
        store=store,
        settings=settings,
        sessions=sessions,
        reviewing=Reviewing(store, settings),
        doing=Doing(),
        folder=folder,
        local=local,
    )
    app = create_app(desk, Door(hosts=own_hosts(host, port, names)))
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, lifespan="off", timeout_keep_alive=_KEPT
    )
    url = _address(host, port, names)
    enter = f"{url}/enter/{sessions.one_time_word()}" if local else f"{url}/login"
    return Serving(url, enter, uvicorn.Server(config), listening, desk)


def new_entrance(store: Store, *, host: str, port: int) -> str:
    """An address that lets the local user into a server that runs already; refused where none can be there."""
    if not is_loopback(host):
        raise InputError(f"{host} can be reached by others: people log in there", name=host, hint="leave out --enter")
    try:
        socket.create_connection((host, port), timeout=_PATIENCE).close()
    except (OSError, OverflowError) as error:
        hint = "start it with `medharvest review`, or give the --port it was started with"
        raise InputError(f"no server answers at {host}:{port}", name=host, hint=hint) from error
    return f"{_address(host, port)}/enter/{Sessions(store.people).one_time_word()}"


def _address(host: str, port: int, names: Sequence[str] = ()) -> str:
    shown = next(iter(names), f"[{host}]" if ":" in host else host)
    return f"http://{shown}:{port}"


def _prepare() -> None:
    """Make what the first pages would else be waited for with; the server answers meanwhile."""
    compile_all()
    embedded_vocabulary()


@contextmanager
def serving(
    store: Store, settings: Settings, *, folder: Path, host: str = "127.0.0.1", port: int = 0
) -> Iterator[Serving]:
    """A server in a thread of its own, stopped at the end of a `with` block."""
    made = make_server(store, settings, host=host, port=port, folder=folder)
    thread = threading.Thread(target=made.run, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        made.server.should_exit = True
        thread.join(20)


def is_loopback(host: str) -> bool:
    """Whether an address is this machine's own."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named: asyncio sends small answers at once only on sockets that say they are TCP.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(_WAITING)  # a browser that is opened at once need not knock twice
    except OSError as error:
        listening.close()
        hint = "if the app runs there already, --enter lets you in; else give another --port, 0 for any that is free"
        raise InputError(f"cannot listen on {host}:{port}: {error.strerror}", name=host, hint=hint) from error
    return listening
