"""Pages from templates; static files under names that change with their content."""

from __future__ import annotations

import functools
import hashlib
import json
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from medharvest.web import charts
from medharvest.web.keys import KEYS, keys_of

_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


def page(request: Request, template: str, *, status: int = 200, say: str = "", **values: Any) -> HTMLResponse:
    """A whole page, for the person who asks; `say` is what a screen reader speaks and a corner shows."""
    session = request.scope.get("session")
    likes = session.likes if session else {}
    shared = {
        "request": request,
        "person": session.person if session else None,
        "csrf": session.csrf if session else "",
        "keys": keys_of(likes),
        "all_keys": KEYS,
        "theme": likes.get("theme", ""),
        "keys_off": likes.get("keys") == "off",
    }
    text = environment().get_template(template).render(**shared, **values)
    return HTMLResponse(text, status, headers={"X-Say": quote(say)} if say else {})


def go(request: Request, where: str, *, say: str = "") -> Response:
    """Send the browser elsewhere, from a form or from a script of ours."""
    if request.headers.get("x-fragment"):
        return Response(status_code=200, headers={"X-Go": where, "X-Say": quote(say)})
    return Response(status_code=303, headers={"Location": where})


@functools.cache
def environment() -> Environment:
    """The templates; what they show is escaped, and what they do not know is an error."""
    made = Environment(
        loader=PackageLoader("medharvest.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {"static": static_name, "charts": charts}
    made.filters |= {"percent": _percent, "level": _level, "compact": _compact}
    return made


def compile_all() -> None:
    """Compile every template, so that nobody who asks for a page waits for it."""
    for name in environment().list_templates():
        environment().get_template(name)


def static_name(name: str) -> str:
    """The address of a static file; its folder changes when any of them does, so browsers may keep them."""
    return f"/static/{_digest()}/{name}"


@functools.cache
def _digest() -> str:
    return hashlib.sha256(repr(sorted(_static().items())).encode()).hexdigest()[:12]


async def static_file(request: Request) -> Response:
    """A static file of the package."""
    name = request.path_params["name"]
    found = _static().get(name)
    if found is None:
        return Response("not there", 404)
    kind = _TYPES[name.rpartition(".")[2]]
    return Response(found, media_type=kind, headers={"Cache-Control": "public, max-age=31536000, immutable"})


@functools.cache
def _static() -> dict[str, bytes]:
    folder = files("medharvest.web") / "static"
    return {entry.name: entry.read_bytes() for entry in folder.iterdir() if entry.name.rpartition(".")[2] in _TYPES}


def static_text(name: str) -> str:
    """A static file as text, to stand in a page."""
    return _static()[name].decode()


def _percent(score: float) -> str:
    """A probability as people read it, never rounded up to certainty."""
    return f"{min(99, int(score * 100))} %" if score < 1 else "100 %"


def _level(score: float) -> str:
    return "high" if score >= 0.95 else "middle" if score >= 0.8 else "low"  # noqa: PLR2004


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
