"""What a view is given: who asks, what was sent, and the desk they work at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from medharvest.run.review import Reviewing
from medharvest.settings import Settings
from medharvest.store import Store
from medharvest.store.people import Person, Role, Session
from medharvest.web.doing import Doing
from medharvest.web.rendering import page
from medharvest.web.sessions import Sessions


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What the views work with."""

    store: Store
    settings: Settings
    sessions: Sessions
    reviewing: Reviewing
    doing: Doing
    folder: Path  # for what harvests bring
    local: bool  # one person on their own machine, no passwords


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A request as views see it: who asks, what was sent, and the desk they work at."""

    request: Request
    desk: Desk
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
        return page(self.request, template, status=status, say=say, **values)

    def texts(self, name: str) -> list[str]:
        """A field of the form that is sent several times."""
        return [value for value in self.form.getlist(name) if isinstance(value, str)]


View = Callable[[Ask], Response]


@dataclass(frozen=True, slots=True)
class Page:
    """An address, the view behind it, and the least role that may use it."""

    path: str
    view: View
    role: Role = Role.READER
    methods: tuple[str, ...] = ("GET",)


def act(path: str, view: View, role: Role = Role.OPERATOR) -> Page:
    """An address that something is sent to."""
    return Page(path, view, role, ("POST",))
