"""An issue URL to citations: carry out the plan page by page, read what arrives, put each article together."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from medharvest.citations import complete_issue, fill, group_articles, merge, read_issue
from medharvest.crawl import IssuePlan
from medharvest.errors import InputError
from medharvest.fetch import Fetcher
from medharvest.links import judge_links
from medharvest.pages import classify, embedded, parse_page
from medharvest.records import (
    ARTICLE_KINDS,
    Arrived,
    Asked,
    Citation,
    Cited,
    Event,
    Failed,
    Kind,
    Miss,
    Outcome,
    Page,
    Reason,
    Response,
    Wish,
)
from medharvest.run.output import make_folder, write_bytes
from medharvest.run.read import read_page
from medharvest.settings import Settings
from medharvest.store import RunState, Store
from medharvest.zones import label_zones

_FOLDERS = {Kind.ABSTRACT: "Abstract", Kind.FULLTEXT: "FullText", Kind.PDF: "PDF", Kind.IMAGE: "Image"}
_SUFFIXES = {"application/pdf": ".pdf", "text/html": ".html", "image/png": ".png", "image/jpeg": ".jpg"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Harvest:
    """What a harvest gave."""

    run: int
    folder: str
    citations: tuple[Citation, ...]
    pages: tuple[Outcome, ...]
    failures: tuple[Outcome, ...]


async def harvest_issue(
    url: str,
    *,
    fetcher: Fetcher,
    store: Store,
    folder: Path,
    settings: Settings,
    listen: Callable[[Event], None] = lambda _: None,
) -> Harvest:
    """Harvest the issue at a URL into the store; files land in `folder`, events go to `listen`."""
    plan = IssuePlan(url, limits=settings.crawl)
    crawl = _Crawl(make_folder(folder), settings, listen)
    wishes = plan.begin()
    run = store.begin_run(url, str(folder), wishes)
    while wishes:
        wish = wishes[0]
        listen(Asked(wish))
        outcome = crawl.take(wish, await fetcher(wish.url))
        wishes = plan.feed(outcome)
        store.record(run, outcome, wishes)
        listen(Failed(outcome, plan.waiting) if outcome.reason else Arrived(outcome, plan.waiting))
    citations = crawl.citations()
    for citation in citations:
        listen(Cited(citation))
    store.save(run, citations)
    store.end_run(run, RunState.FINISHED)
    failures = tuple(crawl.failed[item.wish.url] for item in plan.revisited if item.wish.url in crawl.failed)
    return Harvest(run=run, folder=str(folder), citations=citations, pages=tuple(crawl.pages), failures=failures)


class _Crawl:
    """What the pages of a run turned out to be."""

    def __init__(self, folder: Path, settings: Settings, listen: Callable[[Event], None]) -> None:
        self.folder = folder
        self.settings = settings
        self.listen = listen
        self.issue: Citation | None = None
        self.readings: list[tuple[str, Citation]] = []
        self.pages: list[Outcome] = []
        self.failed: dict[str, Outcome] = {}

    def take(self, wish: Wish, answer: Response | Miss) -> Outcome:
        """Turn an answer into an outcome; keep its file and its reading."""
        if isinstance(answer, Miss):
            outcome = Outcome(wish=wish, reason=answer.reason, detail=answer.detail)
        else:
            outcome = self._arrived(wish, answer)
        if outcome.reason is None:
            self.pages.append(outcome)
            self.failed.pop(wish.url, None)
        else:
            self.failed[wish.url] = outcome
        return outcome

    def _arrived(self, wish: Wish, answer: Response) -> Outcome:
        if answer.media_type.startswith("image/"):
            return self._keep(wish, answer, Kind.IMAGE)
        if wish.kind is Kind.SUPPLEMENT and answer.media_type != "text/html":
            return self._keep(wish, answer, Kind.SUPPLEMENT)
        try:
            page = parse_page(
                answer.body,
                url=answer.final_url,
                charset=answer.charset,
                max_pdf_pages=self.settings.read.max_pdf_pages,
            )
        except InputError as error:
            return Outcome(wish=wish, reason=Reason.UNREADABLE, detail=error.message)
        found = Kind(classify(page).label)
        if found in _WALLS:
            return Outcome(wish=wish, reason=_WALLS[found], detail=f"looks like a {found} page")
        if wish.kind is Kind.ISSUE:
            return self._contents(wish, answer, page)
        return self._article(wish, answer, page, found)

    def _contents(self, wish: Wish, answer: Response, page: Page) -> Outcome:
        if self.issue is None:
            self.issue = read_issue(page, items=embedded(page), zones=label_zones(page))
        return replace(self._keep(wish, answer, Kind.ISSUE), links=judge_links(page), digest=page.digest)

    def _article(self, wish: Wish, answer: Response, page: Page, found: Kind) -> Outcome:
        kind = wish.kind if found is Kind.OTHER and wish.kind in ARTICLE_KINDS else found
        if wish.kind in ARTICLE_KINDS and kind in ARTICLE_KINDS:
            self.readings.append((wish.article_key, replace(read_page(page), kind=kind)))
        return replace(self._keep(wish, answer, kind), links=judge_links(page), digest=page.digest)

    def _keep(self, wish: Wish, answer: Response, kind: Kind) -> Outcome:
        name = f"{len(self.pages):04d}-{_file_name(answer.final_url)}"
        suffix = _SUFFIXES.get(answer.media_type, "")
        path = self.folder / _FOLDERS.get(kind, "Other") / (name if name.endswith(suffix) else name + suffix)
        write_bytes(path, answer.body)
        return Outcome(wish=wish, final_url=answer.final_url, kind=kind, size=len(answer.body))

    def citations(self) -> tuple[Citation, ...]:
        """One citation an article, in the order of the contents page; readings of other issues are left out."""
        issue = self.issue or Citation(kind=Kind.ISSUE)
        merged = [merge(group) for group in group_articles(self.readings)]
        own = [citation for citation in merged if _is_article(citation) and _belongs(citation, issue)]
        shared = complete_issue(issue, own)
        return tuple(fill(citation, shared) for citation in own)


_WALLS = {Kind.LOGIN: Reason.LOGIN_WALL, Kind.MISSING: Reason.SOFT_404}


def _is_article(citation: Citation) -> bool:
    """Whether a reading holds enough to be an article: a title, and somebody or something behind it."""
    return bool(citation.title and (citation.authors or citation.abstract or citation.doi or citation.first_page))


def _belongs(citation: Citation, issue: Citation) -> bool:
    """Whether a citation does not contradict the volume and number of the contents page."""
    pairs = ((citation.volume, issue.volume), (citation.issue, issue.issue))
    return all(not own or not shared or own == shared for own, shared in pairs)


def _file_name(url: str) -> str:
    words = re.findall(r"[\w.-]+", re.sub(r"^https?://[^/]*", "", url))
    return "_".join(words)[-80:] or "index"
