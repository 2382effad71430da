"""The tasks of a crawl that a worker process carries out on a page: analyse it, judge its links, confirm examples.

`PageAnalysis` holds all that a run needs to know of a page from one parse: its kind, its links, its issue or its
words, and the article in it.
"""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from medharvest.citations import read_issue_fields
from medharvest.codec import decode_record, encode_record
from medharvest.errors import InputError
from medharvest.harvest.worker_pool import parse_job_page
from medharvest.journals.article_reader import Lesson, read_page, read_taught_page
from medharvest.links import (
    DEFAULT_SETS,
    ConstraintSets,
    Sitemap,
    find_article_addresses,
    judge_contents,
    judge_links,
    next_pages,
    own_address,
    parse_feed,
    parse_sitemap,
    refresh_target,
)
from medharvest.links.blocks import MAX_TEXT_CHARS, PageText, read_page_text
from medharvest.links.body_text import body_text
from medharvest.links.contents_page import MAX_JUDGED_LINKS, JudgedContents
from medharvest.links.examples import LinkLabels, examples_of
from medharvest.links.issue_links import IssueListing, find_issue_links
from medharvest.links.issue_names import IssueName
from medharvest.pages import embedded, find_page_kind, parse_page
from medharvest.records import ARTICLE_KINDS, Citation, JudgedLink, Kind, LinkExample, Page, Response
from medharvest.zones import label_zones

WALL_KINDS = frozenset({Kind.LOGIN, Kind.MISSING, Kind.BLOCKED})
_LISTING_TYPE = "text/uri-list"  # media type of a page made from a feed or sitemap
_ARTICLE_TEXT = "Abstract"  # of an address of an article without a title
_MAX_HEAD_BYTES = 1_000  # of an answer, in which a feed or sitemap begins
_LISTING_START = re.compile(
    rb"(?:<\?xml[^>]{0,200}>\s{0,99})?(?:<!--[^>]{0,500}>\s{0,99})?(?:<\?xml-stylesheet[^>]{0,200}>\s{0,99})?"
    rb"<(?:rss|feed|urlset|sitemapindex|rdf:RDF)[\s>]",
    re.IGNORECASE,
)
_URL_LINE = re.compile(rb"https?://[^\s<]{1,2000}(?:\s|\Z)")
_MAX_WALL_BYTES = 30_000  # bytes; walls and error pages are short, so the text of longer pages need not be checked
_MAX_CRAWLER_BYTES = 300_000  # bytes; 100,000 bytes of nothing but links take about 0.1 s
_MAX_REFRESH_BYTES = 20_000  # bytes; a page that only redirects is short
_MIN_CONFIRMED_ARTICLES = 3  # articles that must have arrived before the page is trusted
_MIN_CONFIRMED_SHARE = 0.8  # share of the followed article links that must lead to articles
_MIN_SURE_SCORE = 0.9  # score from which the verdict on an unfollowed link is trusted


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisRequest:
    """What a run wants to know of a page, and what kind the link to it promised.

    With `by_constraints` a page is taken for what its link promised. `topic` asks for its words, `read` for the
    article in it.
    """

    task: ClassVar[str] = "analyse"
    promised: Kind = Kind.OTHER
    media_type: str = "text/html"
    sets: ConstraintSets = DEFAULT_SETS
    by_constraints: bool = False
    topic: bool = False
    read: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PageAnalysis:
    """What a page is and says.

    `onward` is the target of its meta refresh. `links` are those that a crawl may follow; None for a contents page
    whose links still have to be judged with the examples of its journal. `unfollowed` counts those after the first
    `MAX_JUDGED_LINKS`. `flow` is its text with the links in it, for a topic, and `body` its running text alone.
    `unread` says why an article could not be read.
    """

    kind: Kind
    onward: str = ""
    canonical: str = ""
    links: tuple[JudgedLink, ...] | None = ()
    unfollowed: int = 0
    next_pages: tuple[str, ...] = ()
    issue: Citation | None = None
    flow: PageText | None = None
    body: str = ""
    citation: Citation | None = None
    unread: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRequest:
    """The examples and constraint sets to judge the links of a contents page with."""

    task: ClassVar[str] = "judge"
    examples: tuple[LinkExample, ...] = ()
    sets: ConstraintSets = DEFAULT_SETS


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmRequest:
    """The kinds of the pages that the links of a contents page led to, by address."""

    task: ClassVar[str] = "confirm"
    found: dict[str, Kind]


@dataclass(frozen=True, slots=True)
class ConfirmedExamples:
    """The link examples that a contents page gives, and its digest."""

    examples: tuple[LinkExample, ...]
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRequest:
    """Asks what a page says about the issues of its journal."""

    task: ClassVar[str] = "list"
    media_type: str = "text/html"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageListing:
    """What a page is, the target of its meta refresh, and what it says about the issues of its journal."""

    kind: Kind
    onward: str = ""
    listing: IssueListing


def answer_crawl_task(job: Mapping[str, Any], body: bytes, taught: Sequence[Lesson]) -> Any:
    """Carry out the task of a job on a page; return the answer as a record."""
    return CRAWL_TASK_FUNCTIONS[job["task"]](job, body, taught)


def _answer_analysis(job: Mapping[str, Any], body: bytes, taught: Sequence[Lesson]) -> PageAnalysis:
    request = decode_record(AnalysisRequest, job["request"])
    page = parse_listing(body, job["url"], request.media_type) or parse_job_page(job, body)
    return analyse_page(page, request, size=len(body), taught=taught)


def is_listing(body: bytes, media_type: str) -> bool:
    """Whether an answer is a feed or sitemap: by its type, or, if that is another, by how it begins."""
    if media_type.endswith("xml") and media_type != "application/xhtml+xml":
        return True
    head = body[:_MAX_HEAD_BYTES].lstrip(b"\xef\xbb\xbf \t\r\n")
    return bool(_LISTING_START.match(head)) or (media_type == "text/plain" and bool(_URL_LINE.match(head)))


def parse_listing(body: bytes, url: str, media_type: str) -> Page | None:
    """Turn a feed or sitemap into a plain page of links, used as a contents page; None for anything else.

    Nested sitemaps become its next pages. The addresses of a sitemap have no titles: those that look like addresses of
    articles are said to be theirs.
    """
    if not is_listing(body, media_type):
        return None
    entries = [(entry.url, entry.title) for entry in parse_feed(body)]
    sitemap = parse_sitemap(body) if not entries else Sitemap()
    articles = find_article_addresses(sitemap.urls)
    entries = entries or [(url, _ARTICLE_TEXT if url in articles else url) for url in sitemap.urls]
    rows = "\n".join(f'<a href="{html.escape(url)}">{html.escape(title or url)}</a>' for url, title in entries)
    further = "\n".join(f'<link rel="next" href="{html.escape(url)}">' for url in sitemap.nested)
    if not rows and not further:
        return None
    return Page(
        media_type=_LISTING_TYPE,
        url=url,
        text=f"<html><head>{further}</head><body>{rows}</body></html>",
        digest=hashlib.sha256(body).hexdigest(),
        encoding="utf-8",
    )


def _answer_judging(job: Mapping[str, Any], body: bytes, _taught: Sequence[Lesson]) -> JudgedContents:
    by = decode_record(JudgeRequest, job["request"])
    judged = judge_contents(parse_job_page(job, body), examples=by.examples, sets=by.sets)
    return replace(judged, links=tuple(one for one in judged.links if one.article))


def _answer_confirming(job: Mapping[str, Any], body: bytes, _taught: Sequence[Lesson]) -> ConfirmedExamples:
    page = parse_job_page(job, body)
    labels = confirm_labels(judge_contents(page).links, decode_record(ConfirmRequest, job["request"]).found)
    return ConfirmedExamples(examples_of(page, labels), page.digest)


def confirm_labels(judged: Sequence[JudgedLink], found: Mapping[str, Kind]) -> LinkLabels:
    """Label the links of a contents page by the pages they led to; empty if too few are certain.

    Links that were doubtful are article links too if they were followed and led to articles.
    """
    asked = [one for one in judged if one.article and one.link.url in found]
    articles = {one.link.index: found[one.link.url] for one in asked if found[one.link.url] in ARTICLE_KINDS}
    if len(articles) < _MIN_CONFIRMED_ARTICLES or len(articles) < _MIN_CONFIRMED_SHARE * len(asked):
        return {}
    known = {one.link.url for one in asked}
    for one in judged:
        kind = found.get(one.link.url)
        if one.follows and kind in ARTICLE_KINDS and one.link.url not in known:
            articles[one.link.index] = kind
    others = [one.link.index for one in judged if not one.article and one.verdict.score >= _MIN_SURE_SCORE]
    return {**dict.fromkeys(others, (False, None)), **{index: (True, kind) for index, kind in articles.items()}}


def _answer_listing(job: Mapping[str, Any], body: bytes, _taught: Sequence[Lesson]) -> PageListing:
    request = decode_record(ListRequest, job["request"])
    if is_listing(body, request.media_type):
        return PageListing(kind=Kind.ISSUE, listing=IssueListing(url=job["url"]))
    page = parse_job_page(job, body)
    kind = find_page_kind(page)
    listing = find_issue_links(page) if kind is not Kind.PDF else IssueListing(url=page.url)
    if not (listing.home or listing.is_list or listing.own.is_issue or kind is Kind.PDF):
        read = read_issue_page(page)
        stated = IssueName(volume=read.volume, issue=read.issue, year=read.date[:4])
        listing = replace(listing, own=listing.own.filled_from(stated))
    onward = refresh_target(page) if len(body) <= _MAX_REFRESH_BYTES else ""
    return PageListing(kind=kind, onward=onward if onward != page.url else "", listing=listing)


CRAWL_TASK_FUNCTIONS: Mapping[str, Callable[[Mapping[str, Any], bytes, Sequence[Lesson]], Any]] = {
    AnalysisRequest.task: _answer_analysis,
    JudgeRequest.task: _answer_judging,
    ConfirmRequest.task: _answer_confirming,
    ListRequest.task: _answer_listing,
}


def crawl_task_options(request: AnalysisRequest | JudgeRequest | ConfirmRequest | ListRequest) -> dict[str, str]:
    """Return the job options that carry a request to the worker."""
    return {"request": encode_record(request)}


def analyse_page(page: Page, request: AnalysisRequest, *, size: int, taught: Sequence[Lesson] = ()) -> PageAnalysis:
    """Analyse a page of `size` bytes; an article is read with the lessons of its journal."""
    analysis = (_analyse_topic if request.topic else _analyse_issue)(page, request, taught, size)
    onward = refresh_target(page) if size <= _MAX_REFRESH_BYTES and request.media_type == "text/html" else ""
    return replace(analysis, onward=onward) if onward and onward != page.url else analysis


def analyse_by_links(answer: Response, request: AnalysisRequest) -> PageAnalysis | InputError | None:
    """Analyse a page by its links alone, without a tree: fast and safe enough for the crawling process.

    None if links are not enough: a short page may be a wall, a contents page says more than its links. A large page
    may have so many links that the crawl would stand still.
    """
    html_alone = answer.media_type == "text/html" and request.promised is not Kind.ISSUE
    fits = _MAX_WALL_BYTES < len(answer.body) <= _MAX_CRAWLER_BYTES
    if not html_alone or not request.by_constraints or request.read or not fits:
        return None
    try:
        page = parse_page(answer.body, url=answer.final_url, charset=answer.charset)
    except InputError as error:
        return error
    return analyse_page(page, request, size=len(answer.body))


def _analyse_issue(page: Page, request: AnalysisRequest, taught: Sequence[Lesson], size: int) -> PageAnalysis:
    found = _find_kind(page, request, size)
    if found in WALL_KINDS:
        return PageAnalysis(kind=found)
    if request.promised is Kind.ISSUE and found is not Kind.PDF:
        return _analyse_contents(page, request)
    kind = request.promised if _promise_wins(request.promised, found) else found
    links = _links_to_follow(page, kind, request)
    citation, unread = _read_article_page(page, kind, request, taught)
    return PageAnalysis(
        kind=kind,
        canonical=own_address(page),
        links=links[:MAX_JUDGED_LINKS],
        unfollowed=max(0, len(links) - MAX_JUDGED_LINKS),
        citation=citation,
        unread=unread,
    )


def _analyse_topic(page: Page, request: AnalysisRequest, taught: Sequence[Lesson], _size: int) -> PageAnalysis:
    kind = find_page_kind(page)
    citation, unread = _read_article_page(page, kind, request, taught)
    return PageAnalysis(
        kind=kind, flow=read_page_text(page), body=body_text(page)[:MAX_TEXT_CHARS], citation=citation, unread=unread
    )


def _analyse_contents(page: Page, request: AnalysisRequest) -> PageAnalysis:
    plain = request.by_constraints or request.sets.literal or page.media_type == _LISTING_TYPE
    links = judge_links(page, sets=request.sets) if plain else ()
    return PageAnalysis(
        kind=Kind.ISSUE,
        canonical=own_address(page),
        links=links[:MAX_JUDGED_LINKS] if plain else None,
        unfollowed=max(0, len(links) - MAX_JUDGED_LINKS),
        next_pages=next_pages(page),
        issue=read_issue_page(page),
    )


def _find_kind(page: Page, request: AnalysisRequest, size: int) -> Kind:
    """Return the kind of a page; with constraint sets alone, only short pages are examined, for walls."""
    if page.media_type == "application/pdf":
        return Kind.PDF
    if request.by_constraints and size > _MAX_WALL_BYTES:
        return request.promised
    found = find_page_kind(page)
    return request.promised if request.by_constraints and found not in WALL_KINDS else found


def _promise_wins(promised: Kind, found: Kind) -> bool:
    """Whether a page is what its link promised rather than what its text looks like.

    A page whose text tells no kind does not contradict its link. A link that promised full text said so in words, so
    a list of other titles does not make its page a contents page; the promise of an abstract is often only a guess.
    """
    return (found is Kind.OTHER and promised in ARTICLE_KINDS) or (found is Kind.ISSUE and promised is Kind.FULLTEXT)


def _links_to_follow(page: Page, kind: Kind, request: AnalysisRequest) -> tuple[JudgedLink, ...]:
    """Return the links of an article page to follow: to other forms of the article, or all by constraints."""
    if kind is Kind.PDF:
        return ()
    judged = judge_links(page, kind=kind, sets=request.sets)
    if request.by_constraints:
        return tuple(one for one in judged if one.follows)
    return tuple(one for one in judged if one.article and one.kind in ARTICLE_KINDS)


def _read_article_page(
    page: Page, kind: Kind, request: AnalysisRequest, taught: Sequence[Lesson]
) -> tuple[Citation | None, str]:
    """Read an article page, or say why that failed; a failure leaves the rest of the analysis valid."""
    if not request.read or request.promised not in ARTICLE_KINDS | {Kind.OTHER}:
        return None, ""
    kind = kind if kind in ARTICLE_KINDS else find_page_kind(page)
    if kind not in ARTICLE_KINDS:
        return None, ""
    try:
        by_layout = taught if kind is not Kind.PDF else ()
        return (read_taught_page(page, by_layout, kind=kind) if by_layout else read_page(page, kind=kind)), ""
    except MemoryError:
        return None, "page needs too much memory; raise MEDHARVEST_READ_MAX_MEMORY"
    except Exception as error:  # noqa: BLE001  (a page must not end the run, whatever is wrong with it or with us)
        return None, f"page cannot be read; {type(error).__name__}: {error}"


def read_issue_page(page: Page) -> Citation:
    """Read what a contents page says about its issue."""
    return read_issue_fields(page, items=embedded(page), zones=label_zones(page))
