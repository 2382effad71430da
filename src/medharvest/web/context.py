"""What a view is given: the request, the person, the store and services behind it, and background jobs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from medharvest.errors import MedharvestError
from medharvest.library.review import PageReview
from medharvest.settings import Settings
from medharvest.store import Store
from medharvest.store.people import Person, Role, Session
from medharvest.web.responses import render_page
from medharvest.web.sessions import Sessions

_MAX_REMEMBERED_JOBS = 50  # works that are remembered


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewDesk:
    """What the views work with."""

    store: Store
    settings: Settings
    sessions: Sessions
    reviewing: PageReview
    doing: BackgroundJobs
    folder: Path  # for what harvests bring
    local: bool  # one person on their own machine, no passwords


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewRequest:
    """A request as views see it: who asks, what was sent, and the desk they work at."""

    request: Request
    desk: ReviewDesk
    session: Session
    form: FormData

    @property
    def person(self) -> Person:
        """Who asks."""
        return self.session.person

    def number(self, name: str = "number") -> int:
        """A number of the address."""
        return int(self.request.path_params[name])

    def text(self, name: str, default: str = "") -> str:
        """A field of the form, or of the query."""
        value = self.form.get(name, self.request.query_params.get(name, default))
        return value if isinstance(value, str) else default

    def render(self, template: str, *, status: int = 200, say: str = "", **values: Any) -> Response:
        """A page for the person who asks."""
        return render_page(self.request, template, status=status, say=say, **values)

    def texts(self, name: str) -> list[str]:
        """A field of the form that is sent several times."""
        return [value for value in self.form.getlist(name) if isinstance(value, str)]


ViewFunction = Callable[[ViewRequest], Response]


@dataclass(frozen=True, slots=True)
class ViewRoute:
    """An address, the view behind it, and the least role that may use it."""

    path: str
    view: ViewFunction
    role: Role = Role.READER
    methods: tuple[str, ...] = ("GET",)


def post_route(path: str, view: ViewFunction, role: Role = Role.OPERATOR) -> ViewRoute:
    """An address that something is sent to."""
    return ViewRoute(path, view, role, ("POST",))


@dataclass(slots=True)
class BackgroundJob:
    """One piece of work: what it is, how far it got, how it ended."""

    number: int
    what: str
    who: str
    done: int = 0
    waiting: int = 0
    latest: str = ""
    result: str = ""
    problem: str = ""
    hint: str = ""
    ended: bool = False
    points: list[tuple[float, float]] = field(default_factory=list)  # pages that arrived, records so far
    stop: threading.Event = field(default_factory=threading.Event)

    def tell(self, latest: str, *, done: int, waiting: int = 0) -> None:
        """Say how far it is."""
        self.latest, self.done, self.waiting = latest, done, waiting


class BackgroundJobs:
    """The works of one server; each runs in a thread, and as many as there are may be watched."""

    def __init__(self) -> None:
        self._works: dict[int, BackgroundJob] = {}
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()

    def start(self, what: str, who: str, do: Callable[[BackgroundJob], str]) -> BackgroundJob:
        """Begin a work; `do` gives the line that tells its result."""
        with self._lock:
            work = BackgroundJob(max(self._works, default=0) + 1, what, who)
            self._works[work.number] = work
            for old in sorted(self._works)[:-_MAX_REMEMBERED_JOBS]:
                del self._works[old]
            thread = threading.Thread(target=_run_background_job, args=(work, do), name=what, daemon=True)
            self._threads = [one for one in self._threads if one.is_alive()] + [thread]
        thread.start()
        return work

    def all(self) -> tuple[BackgroundJob, ...]:
        """The works, the newest first."""
        return tuple(self._works[number] for number in sorted(self._works, reverse=True))

    def get(self, number: int) -> BackgroundJob | None:
        """One of them."""
        return self._works.get(number)

    def close(self, seconds: float = 10.0) -> None:
        """Ask every work to stop, and wait for them; what they wrote is kept, they can be gone on with."""
        for work in self._works.values():
            work.stop.set()
        for thread in self._threads:
            thread.join(seconds)


def _run_background_job(work: BackgroundJob, do: Callable[[BackgroundJob], str]) -> None:
    try:
        work.result = do(work)
    except MedharvestError as error:
        work.problem, work.hint = error.message, error.hint
    except Exception as error:  # noqa: BLE001  (a work must not end in silence)
        work.problem, work.hint = f"{describe_exception(error)}", "the log of the server says more"
    finally:
        work.ended = True


def describe_exception(error: Exception) -> str:
    """An unforeseen error in one line."""
    return f"{type(error).__name__}: {error}"[:300]
