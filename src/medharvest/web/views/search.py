"""The collection searched: words as typed, widened on request, and the lines that were searched by."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup, escape
from starlette.responses import Response

from medharvest.run.searching import Question, references, search
from medharvest.search import render_query
from medharvest.store import MARKS
from medharvest.topics import embedded_vocabulary
from medharvest.topics.widen import REACHES
from medharvest.web.asking import Ask, Page

_SHOWN = 20  # hits on a page
_LONGEST = 2000  # characters of a query
_LAST = 50  # pages that can be turned
_KINDS = ("", "citation", "page")


def show_search(ask: Ask) -> Response:
    """The hits of a query, best first; without one, how a query is written."""
    words, reach, kind = ask.text("q").strip()[:_LONGEST], ask.text("reach"), ask.text("kind")
    known: dict[str, Any] = {"q": words, "reaches": REACHES, "reach": reach, "kinds": _KINDS, "kind": kind}
    if not words:
        return ask.render("search.html", answer=None, **known)
    text = f"({words}) AND kind:{kind}" if kind in _KINDS[1:] else words
    number = min(_LAST, int(ask.text("page"))) if ask.text("page").isdecimal() else 0
    question = Question(text=text, reach=reach if reach in REACHES else "")
    answer = search(question, ask.desk.store, embedded_vocabulary(), limit=_SHOWN, offset=number * _SHOWN)
    return ask.render(
        "search.html",
        answer=answer,
        hits=references(answer.found.hits, ask.desk.store),
        groups=[(group.lines[0], group.lines[1:]) for group in answer.strategy.groups],
        marked=marked,
        written=render_query,
        number=number,
        more=(number + 1) * _SHOWN < answer.found.ranked and number < _LAST,
        **known,
    )


def marked(text: str) -> Markup:
    """A text of the index as HTML, with what was found marked."""
    return Markup(escape(text).replace(MARKS[0], Markup("<mark>")).replace(MARKS[1], Markup("</mark>")))  # noqa: S704


ROUTES = (Page("/search", show_search),)
