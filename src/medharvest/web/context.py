"""What a view gets: the request, the person, the store and services behind it, and background jobs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.convertors import Convertor, register_url_convertor
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from medharvest.errors import MedharvestError
from medharvest.library.review import PageReview
from medharvest.settings import Settings
from medharvest.store import Store
from medharvest.store.people import Person, Role, Session
from medharvest.web.request_checks import Sessions
from medharvest.web.responses import describe_problem, hide_folders, render_page

_MAX_NUMBER_DIGITS = 9  # of a record, a version or a page: any such number fits the 32 bits of a database column
_MAX_REMEMBERED_JOBS = 50  # finished and running jobs that are listed


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewDesk:
    """What the views job with."""

    store: Store
    settings: Settings
    sessions: Sessions
    page_review: PageReview
    jobs: BackgroundJobs
    folder: Path  # for the pages of harvests
    local: bool  # one person on their own machine, no passwords


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewRequest:
    """A request as views see it: the person, the form that was sent, and the desk."""

    request: Request
    desk: ReviewDesk
    session: Session
    form: FormData

    @property
    def person(self) -> Person:
        """The person who sent the request."""
        return self.session.person

    def number(self, name: str = "number") -> int:
        """Return a number in the address."""
        return int(self.request.path_params[name])

    def form_number(self, name: str) -> int | None:
        """Return a number of the form or query; None if it is not one."""
        return parse_number(self.text(name))

    def text(self, name: str, default: str = "") -> str:
        """Return a field of the form, or of the query."""
        value = self.form.get(name, self.request.query_params.get(name, default))
        return replace_surrogates(value) if isinstance(value, str) else default

    def render(self, template: str, *, status: int = 200, say: str = "", **values: Any) -> Response:
        """Render a page for the person."""
        return render_page(self.request, template, status=status, say=say, **values)

    def texts(self, name: str) -> list[str]:
        """Return all values of a field of the form."""
        return [replace_surrogates(value) for value in self.form.getlist(name) if isinstance(value, str)]


class RowNumber(Convertor[int]):
    """The number of a row in an address, `{number:row}`; an address with a longer number does not exist."""

    regex = f"[0-9]{{1,{_MAX_NUMBER_DIGITS}}}"

    def convert(self, value: str) -> int:
        """Parse the number."""
        return int(value)

    def to_string(self, value: int) -> str:
        """Write the number."""
        return str(value)


register_url_convertor("row", RowNumber())


def replace_surrogates(text: str) -> str:
    """Replace halves of characters, which no page and no store can hold; a form in an odd encoding may contain them."""
    return text.encode("utf-8", "replace").decode("utf-8")


def parse_number(text: str) -> int | None:
    """Parse a number that a browser sent; None if it is not one. A longer one counts as the largest possible."""
    if not (text.isascii() and text.isdecimal()):
        return None
    digits = text.lstrip("0")
    return int(digits or "0") if len(digits) <= _MAX_NUMBER_DIGITS else 10**_MAX_NUMBER_DIGITS - 1


ViewFunction = Callable[[ViewRequest], Response]


@dataclass(frozen=True, slots=True)
class ViewRoute:
    """An address, its view, and the lowest role that may use it."""

    path: str
    view: ViewFunction
    role: Role = Role.READER
    methods: tuple[str, ...] = ("GET",)


def post_route(path: str, view: ViewFunction, role: Role = Role.OPERATOR) -> ViewRoute:
    """Make the route of a form."""
    return ViewRoute(path, view, role, ("POST",))


@dataclass(slots=True)
class BackgroundJob:
    """A job: what it is, its progress, its result."""

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
        """Report progress."""
        self.latest, self.done, self.waiting = latest, done, waiting


class BackgroundJobs:
    """The jobs of one server; each runs in its own thread, and their progress can be watched."""

    def __init__(self) -> None:
        self._jobs: dict[int, BackgroundJob] = {}
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()

    def start(self, what: str, who: str, do: Callable[[BackgroundJob], str]) -> BackgroundJob:
        """Start a job; `do` returns its result as text."""
        with self._lock:
            job = BackgroundJob(max(self._jobs, default=0) + 1, what, who)
            self._jobs[job.number] = job
            for old in sorted(self._jobs)[:-_MAX_REMEMBERED_JOBS]:
                del self._jobs[old]
            thread = threading.Thread(target=_run_background_job, args=(job, do), name=what, daemon=True)
            self._threads = [one for one in self._threads if one.is_alive()] + [thread]
        thread.start()
        return job

    def all(self) -> tuple[BackgroundJob, ...]:
        """Return the jobs, the newest first."""
        return tuple(self._jobs[number] for number in sorted(self._jobs, reverse=True))

    def get(self, number: int) -> BackgroundJob | None:
        """Return a job by its number."""
        return self._jobs.get(number)

    def close(self, seconds: float = 10.0) -> None:
        """Ask every job to stop, and wait; what they wrote is saved, and harvests can be resumed."""
        for job in self._jobs.values():
            job.stop.set()
        for thread in self._threads:
            thread.join(seconds)


def _run_background_job(job: BackgroundJob, do: Callable[[BackgroundJob], str]) -> None:
    try:
        job.result = hide_folders(do(job))
    except MedharvestError as error:
        job.problem, job.hint = describe_problem(error)
    except Exception as error:  # noqa: BLE001  (a job must not fail silently)
        job.problem, job.hint = hide_folders(describe_exception(error)), "the log of the server says more"
    finally:
        job.ended = True


def describe_exception(error: Exception) -> str:
    """Write an unexpected error on one line."""
    return f"{type(error).__name__}: {error}"[:300]
