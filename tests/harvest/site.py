"""A tiny journal in memory, for what the bundled ones do not show."""

from __future__ import annotations

from collections.abc import Iterable

from medharvest.fetch import ReplayFetcher
from medharvest.records import Miss, Response

HOST = "http://journal.example"
TOC = f"{HOST}/toc"
TITLES = ("Sleep after night shifts in nurses", "Vitamin D and falls in winter", "Reading glasses for drivers")


def answer(url: str, body: str | bytes, media_type: str = "text/html", *, final: str = "") -> Response:
    raw = body.encode() if isinstance(body, str) else body
    return Response(url=url, final_url=final or url, status=200, media_type=media_type, charset="utf-8", body=raw)


def article(n: int, *, volume: str = "7", number: str = "2", more: str = "") -> Response:
    """The page of article `n`, with the tags of today."""
    tags = {
        "citation_title": TITLES[n],
        "citation_author": "Vesterholm, Ida",
        "citation_journal_title": "Journal of Invented Medicine",
        "citation_volume": volume,
        "citation_issue": number,
        "citation_firstpage": str(10 + n),
        "citation_doi": f"10.5555/jim.{volume}.{n}",
        "citation_publication_date": "2020/03/01",
    }
    head = "".join(f'<meta name="{name}" content="{value}">' for name, value in tags.items())
    body = f"<h1>{TITLES[n]}</h1><h2>Abstract</h2><p>Nothing was found, twice.</p>{more}"
    return answer(link(n), f"<html><head><title>{TITLES[n]}</title>{head}</head><body>{body}</body></html>")


def link(n: int) -> str:
    return f"{HOST}/article/{n}/abstract"


def contents(
    links: Iterable[str], *, url: str = TOC, head: str = "Volume 7, Number 2, March 2020", more: str = ""
) -> Response:
    """A contents page."""
    rows = "".join(f'<li>{n} <a href="{one}">Abstract</a></li>' for n, one in enumerate(links))
    page = f"<h1>Journal of Invented Medicine</h1><p>{head}</p><h2>Table of contents</h2><ul>{rows}</ul>{more}"
    return answer(url, f"<html><head><title>Contents</title></head><body>{page}</body></html>")


def replay(*answers: Response | Miss) -> ReplayFetcher:
    return ReplayFetcher({one.url: one for one in answers})
