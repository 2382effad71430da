"""Responses of the app: pages from templates, redirects, static files, charts, and the keyboard shortcuts of pages."""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from medharvest.errors import InputError, MedharvestError, StoreError
from medharvest.fields import list_notices

_STATIC_MEDIA_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_MAX_KEY_LENGTH = 30
# The folders of a path, not the path of a web address: that one comes after a host.
_PATH_FOLDERS = re.compile(r"(?<![\w/.\]-])(?:/(?!/)|[A-Za-z]:\\)(?:[^\s/\\:;,'\"]{1,255}[/\\])+")
_CHART_WIDTH, _CHART_HEIGHT, _CHART_MARGIN = 320, 140, 24
_HISTOGRAM_BINS = 10


def render_page(request: Request, template: str, *, status: int = 200, say: str = "", **values: Any) -> HTMLResponse:
    """Render a template for the person of the session; `say` is a message for the status line and screen readers."""
    session = request.scope.get("session")
    likes = session.likes if session else {}
    shared = {
        "request": request,
        "person": session.person if session else None,
        "csrf": session.csrf if session else "",
        "keys": shortcuts_of(likes),
        "all_keys": SHORTCUTS,
        "theme": likes.get("theme", ""),
        "keys_off": likes.get("keys") == "off",
    }
    text = template_environment().get_template(template).render(**shared, **values)
    return HTMLResponse(text, status, headers={"X-Say": quote(say)} if say else {})


def describe_problem(error: MedharvestError) -> tuple[str, str]:
    """Return message and hint of an error as the app shows them: without the store's address, without folders.

    People who use the app over the network need not know where the server keeps its files.
    """
    texts = (error.message, error.hint)
    if isinstance(error, StoreError) and error.url:
        texts = (error.message.removesuffix(f": {error.url}"), error.hint.replace(error.url, "the store"))
    return hide_folders(texts[0]), hide_folders(texts[1])


def hide_folders(text: str) -> str:
    """Remove the folders from the paths in a message; the name of the file stays."""
    return _PATH_FOLDERS.sub("", text)


def redirect_browser(request: Request, where: str, *, say: str = "") -> Response:
    """Redirect the browser, whether a form or our script sent the request."""
    if request.headers.get("x-fragment"):
        return Response(status_code=200, headers={"X-Go": where, "X-Say": quote(say)})
    return Response(status_code=303, headers={"Location": where})


@functools.cache
def template_environment() -> Environment:
    """Return the templates; values are escaped, and an undefined value is an error."""
    made = Environment(
        loader=PackageLoader("medharvest.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {
        "static": static_url,
        **{draw.__name__: draw for draw in (draw_bar, draw_bars, draw_curve, draw_histogram)},
    }
    made.filters |= {
        "percent": _format_probability,
        "level": _score_level,
        "compact": _compact_json,
        "notices": list_notices,
        "numbers": _write_numbers,
    }
    return made


def compile_templates() -> None:
    """Compile every template in advance, so that no request waits for it."""
    for name in template_environment().list_templates():
        template_environment().get_template(name)


def static_url(name: str) -> str:
    """Return the address of a static file; it changes when any of the files does, so browsers may cache them."""
    return f"/static/{_static_digest()}/{name}"


@functools.cache
def _static_digest() -> str:
    return hashlib.sha256(repr(sorted(_static_files().items())).encode()).hexdigest()[:12]


async def serve_static_file(request: Request) -> Response:
    """Serve a static file of the package."""
    name = request.path_params["name"]
    found = _static_files().get(name)
    if found is None:
        return Response("not found", 404)
    kind = _STATIC_MEDIA_TYPES[name.rpartition(".")[2]]
    return Response(found, media_type=kind, headers={"Cache-Control": "public, max-age=31536000, immutable"})


@functools.cache
def _static_files() -> dict[str, bytes]:
    folder = files("medharvest.web") / "static"
    return {
        entry.name: entry.read_bytes()
        for entry in folder.iterdir()
        if entry.name.rpartition(".")[2] in _STATIC_MEDIA_TYPES
    }


def read_static_text(name: str) -> str:
    """Read a static file as text, to be embedded in a page."""
    return _static_files()[name].decode()


def _format_probability(score: float) -> str:
    """Write a probability in percent, never rounded up to 100."""
    return f"{min(99, int(score * 100))} %" if score < 1 else "100 %"


def _score_level(score: float) -> str:
    return "high" if score >= 0.95 else "middle" if score >= 0.8 else "low"  # noqa: PLR2004


def _write_numbers(indexes: Sequence[int]) -> str:
    """Write indexes as people count: `1,3` for 0 and 2."""
    return ",".join(str(index + 1) for index in indexes)


def _compact_json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Shortcut:
    """An action, its default key, and its description."""

    action: str
    key: str
    does: str


SHORTCUTS = (
    Shortcut("accept-field", "Enter", "accept the field, go to the next uncertain one"),
    Shortcut("accept-record", "Ctrl+Enter", "accept the record, go to the next"),
    Shortcut("next-record", "S", "skip the record: open the next one without accepting it"),
    Shortcut("last-record", "P", "open the record that was open before"),
    Shortcut("previous-record", "Shift+Enter", "go back to the queue"),
    Shortcut("next-field", "J", "next field"),
    Shortcut("previous-field", "K", "previous field"),
    Shortcut("edit", "E", "edit the field"),
    Shortcut("leave", "Escape", "leave a text, which is put aside; close a preview; leave the page"),
    Shortcut("zone", "Z", "go from the field to its zone on the page, and back"),
    Shortcut("alternative", "A", "use the next alternative of the field"),
    Shortcut("undo", "U", "undo the last action on this record"),
    Shortcut("note", "N", "write a note"),
    Shortcut("flag", "F", "flag the record"),
    Shortcut("diff", "D", "compare with other versions"),
    Shortcut("history", "H", "show the history"),
    Shortcut("label-title", "1", "label the chosen zone as title"),
    Shortcut("label-author", "2", "label the chosen zone as authors"),
    Shortcut("label-affiliation", "3", "label the chosen zone as affiliation"),
    Shortcut("label-abstract", "4", "label the chosen zone as abstract"),
    Shortcut("teach", "T", "show what a correction teaches the journal, then apply it"),
    Shortcut("more", "M", "more actions on the record"),
    Shortcut("commands", "Ctrl+K", "find a command by its name"),
    Shortcut("search", "/", "search"),
    Shortcut("help", "?", "show the keys"),
)
_SHORTCUT_ACTIONS = frozenset(key.action for key in SHORTCUTS)


def shortcuts_of(likes: Mapping[str, str]) -> dict[str, str]:
    """Return the keys of a person by action; actions without a key, or whose key was given to another, are left out."""
    if likes.get("keys") == "off":
        return {}
    own = json.loads(likes.get("keymap", "{}"))
    taken = set(own.values())
    chosen = {key.action: own.get(key.action, "" if key.key in taken else key.key) for key in SHORTCUTS}
    return {action: key for action, key in chosen.items() if key}


def check_shortcuts(chosen: Mapping[str, str]) -> str:
    """Check a choice of keys and return it as JSON; two actions on one key are an error."""
    named = {action: key.strip() for action, key in chosen.items() if action in _SHORTCUT_ACTIONS}
    taken: dict[str, str] = {}
    for action, key in named.items():
        if len(key) > _MAX_KEY_LENGTH or not key.isprintable():
            raise InputError(f"not a key: {key[:_MAX_KEY_LENGTH]!r}", name=action, hint="write it like Ctrl+Enter or E")
        if key and key in taken:
            hint = "give one of them another key, or none"
            raise InputError(f"{key} would mean both {taken[key]} and {action}", name=action, hint=hint)
        taken[key] = action
    return json.dumps(named)


def draw_bar(share: float, label: str) -> Markup:
    """Draw a bar filled to a share; `label` is its text for screen readers."""
    filled = max(0.0, min(1.0, share)) * 100
    return Markup(
        '<span class="bar" role="img" aria-label="{}"><svg viewBox="0 0 100 8" preserveAspectRatio="none" '
        'aria-hidden="true"><rect class="good" width="{:.1f}" height="8"/></svg></span>'
    ).format(label, filled)


def draw_histogram(values: Sequence[float], title: str) -> Markup:
    """Draw how many values are in each tenth from 0 to 1."""
    counts = [0] * _HISTOGRAM_BINS
    for value in values:
        counts[min(_HISTOGRAM_BINS - 1, int(value * _HISTOGRAM_BINS))] += 1
    most = max(counts, default=0) or 1
    step = (_CHART_WIDTH - _CHART_MARGIN) / _HISTOGRAM_BINS
    parts = []
    for n, count in enumerate(counts):
        height = (_CHART_HEIGHT - 2 * _CHART_MARGIN) * count / most
        left, top = _CHART_MARGIN + n * step, _CHART_HEIGHT - _CHART_MARGIN - height
        parts.append(
            f'<rect class="accent" x="{left + 1:.1f}" y="{top:.1f}" width="{step - 2:.1f}" height="{height:.1f}"/>'
        )
        if count:
            parts.append(f'<text x="{left + step / 2:.1f}" y="{top - 3:.1f}" text-anchor="middle">{count}</text>')
        parts.append(f'<text x="{left:.1f}" y="{_CHART_HEIGHT - 8}">{n * 10}</text>')
    return _wrap_figure("".join(parts), title)


def draw_bars(shares: Sequence[tuple[str, float]], title: str) -> Markup:
    """Draw one bar per name, from 0 to 1, with its share beside it."""
    step, left, right = 18, 130, 60
    parts = []
    for n, (name, share) in enumerate(shares):
        top, width = n * step + 2, (_CHART_WIDTH - right) * share
        parts.append(f'<text x="{left - 6}" y="{top + 11}" text-anchor="end">{escape(name)}</text>')
        parts.append(f'<rect class="accent" x="{left}" y="{top}" width="{width:.1f}" height="{step - 4}"/>')
        parts.append(f'<text x="{left + width + 4:.1f}" y="{top + 11}">{share:.0%}</text>')
    return _wrap_figure(
        "".join(parts), title, width=_CHART_WIDTH + left - right + 60, height=max(1, len(shares)) * step + 4
    )


def draw_curve(points: Sequence[tuple[float, float]], title: str) -> Markup:
    """Draw a line through points; each axis goes from 0 to its largest value."""
    right = max((x for x, _ in points), default=0) or 1
    top = max((y for _, y in points), default=0) or 1
    across, up = _CHART_WIDTH - 2 * _CHART_MARGIN, _CHART_HEIGHT - 2 * _CHART_MARGIN
    end, floor = _CHART_WIDTH - _CHART_MARGIN, _CHART_HEIGHT - _CHART_MARGIN
    line = " ".join(f"{_CHART_MARGIN + x / right * across:.1f},{floor - y / top * up:.1f}" for x, y in points)
    axes = (
        f'<line class="grid" x1="{_CHART_MARGIN}" y1="{floor}" x2="{end}" y2="{floor}"/>'
        f'<text x="{_CHART_MARGIN}" y="{_CHART_HEIGHT - 8}">0</text>'
        f'<text x="{end}" y="{_CHART_HEIGHT - 8}" text-anchor="end">{right:g}</text>'
        f'<text x="{_CHART_MARGIN}" y="{_CHART_MARGIN - 6}">{top:g}</text>'
    )
    return _wrap_figure(f'{axes}<polyline class="stroke" points="{line}"/>', title)


def _wrap_figure(inner: str, title: str, *, width: int = _CHART_WIDTH, height: int = _CHART_HEIGHT) -> Markup:
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    picture = f'<svg role="img" aria-label="{escape(title)}" {size}>{inner}</svg>'
    return Markup(f"<figure>{picture}<figcaption>{escape(title)}</figcaption></figure>")  # noqa: S704  (its parts are escaped)
