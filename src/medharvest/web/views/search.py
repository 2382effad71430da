"""The search page: hits of a query, expanded with the vocabulary if wanted, and the lines of the search."""

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

_HITS_PER_PAGE = 20
_MAX_QUERY_LENGTH = 2000  # characters
_MAX_SEARCH_PAGE = 50  # highest page number
_SEARCHED_KINDS = ("", "citation", "page")


def show_search(ask: ViewRequest) -> Response:
    """Show the hits of a query, best first; without a query, how to write one."""
    words, reach, kind = ask.text("q").strip()[:_MAX_QUERY_LENGTH], ask.text("reach"), ask.text("kind")
    known: dict[str, Any] = {"q": words, "reaches": REACHES, "reach": reach, "kinds": _SEARCHED_KINDS, "kind": kind}
    if not words:
        return ask.render("search.html", answer=None, **known)
    text = f"({words}) AND kind:{kind}" if kind in _SEARCHED_KINDS[1:] else words
    number = min(_MAX_SEARCH_PAGE, ask.form_number("page") or 0)
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
    """Write a text of the index as HTML, with the matches marked."""
    return Markup(escape(text).replace(HIT_MARKS[0], Markup("<mark>")).replace(HIT_MARKS[1], Markup("</mark>")))  # noqa: S704


ROUTES = (ViewRoute("/search", show_search),)
