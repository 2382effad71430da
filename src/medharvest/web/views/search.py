"""The collection searched: words as typed, widened on request, and the lines that were searched by."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup, escape
from starlette.responses import Response

from medharvest.library.collection_search import SearchQuestion, records_of_hits, search_collection
from medharvest.search import render_query
from medharvest.store import HIT_MARKS
from medharvest.topics.query_expansion import REACHES
from medharvest.vocabularies import embedded_vocabulary
from medharvest.web.context import ViewRequest, ViewRoute

_HITS_PER_PAGE = 20  # hits on a page
_MAX_QUERY_LENGTH = 2000  # characters of a query
_MAX_SEARCH_PAGE = 50  # pages that can be turned
_SEARCHED_KINDS = ("", "citation", "page")


def show_search(ask: ViewRequest) -> Response:
    """The hits of a query, best first; without one, how a query is written."""
    words, reach, kind = ask.text("q").strip()[:_MAX_QUERY_LENGTH], ask.text("reach"), ask.text("kind")
    known: dict[str, Any] = {"q": words, "reaches": REACHES, "reach": reach, "kinds": _SEARCHED_KINDS, "kind": kind}
    if not words:
        return ask.render("search.html", answer=None, **known)
    text = f"({words}) AND kind:{kind}" if kind in _SEARCHED_KINDS[1:] else words
    number = min(_MAX_SEARCH_PAGE, int(ask.text("page"))) if ask.text("page").isdecimal() else 0
    question = SearchQuestion(text=text, reach=reach if reach in REACHES else "")
    answer = search_collection(
        question, ask.desk.store, embedded_vocabulary(), limit=_HITS_PER_PAGE, offset=number * _HITS_PER_PAGE
    )
    return ask.render(
        "search.html",
        answer=answer,
        hits=records_of_hits(answer.found.hits, ask.desk.store),
        groups=[(group.lines[0], group.lines[1:]) for group in answer.strategy.groups],
        marked=mark_hits_in_html,
        written=render_query,
        number=number,
        more=(number + 1) * _HITS_PER_PAGE < answer.found.ranked and number < _MAX_SEARCH_PAGE,
        **known,
    )


def mark_hits_in_html(text: str) -> Markup:
    """A text of the index as HTML, with what was found marked."""
    return Markup(escape(text).replace(HIT_MARKS[0], Markup("<mark>")).replace(HIT_MARKS[1], Markup("</mark>")))  # noqa: S704


ROUTES = (ViewRoute("/search", show_search),)
