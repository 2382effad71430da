"""What arrives in a run: each answer to an outcome, after its bytes are in the archive and in a file of its kind."""

from __future__ import annotations

import hashlib
import html
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from medharvest.citations import read_issue
from medharvest.crawl import IssuePlan
from medharvest.errors import InputError
from medharvest.fetch import WarcWriter
from medharvest.links import (
    DEFAULT,
    PAPER,
    ConstraintSets,
    Drift,
    Sitemap,
    judge_contents,
    judge_links,
    load_constraints,
    next_pages,
    own_address,
    parse_feed,
    parse_sitemap,
)
from medharvest.pages import embedded, kind_of, parse_page
from medharvest.records import (
    ARTICLE_KINDS,
    Citation,
    JudgedLink,
    Kind,
    Miss,
    Outcome,
    Page,
    Reason,
    Response,
    Validators,
    Wish,
)
from medharvest.run.files import page_file
from medharvest.run.output import write_bytes
from medharvest.run.reading import belongs
from medharvest.run.teaching import KnownJournal
from medharvest.settings import Crawl, Links
from medharvest.zones import label_zones

_WALLS = {Kind.LOGIN: Reason.LOGIN_WALL, Kind.MISSING: Reason.SOFT_404, Kind.BLOCKED: Reason.BLOCKED}
_SETS = {"": DEFAULT, "paper": PAPER}
_PDF_MAGIC = b"%PDF-"
_LOOK = 1024
LISTING = "text/uri-list"  # the page that stands for a feed or sitemap
_SHORT = 30_000  # bytes; walls and error pages are short, so longer pages need no look at their text


class Arrivals:
    """Keeps what arrives below `folder`; by constraints alone, a page is what its link promised.

    `issue` is what the contents page says of the issue, once it has arrived.
    """

    def __init__(
        self,
        folder: Path,
        archive: WarcWriter,
        *,
        crawl: Crawl,
        issue: Citation | None = None,
        journal: Callable[[str, Sequence[str]], KnownJournal] | None = None,
    ) -> None:
        self.folder = folder
        self.archive = archive
        self.by_constraints = crawl.links is Links.CONSTRAINTS
        self.sets = constraint_sets(crawl.constraints)
        self.issue = issue
        self.drift: Drift | None = None
        self._journal = journal

    @property
    def archive_length(self) -> int:
        """Bytes of the archive that are whole."""
        return self.archive.length

    def take(self, wish: Wish, answer: Response | Miss, plan: IssuePlan) -> Outcome:
        """Turn an answer into an outcome; what arrived is archived and filed when this returns."""
        if isinstance(answer, Miss):
            return Outcome(wish=wish, reason=answer.reason, detail=answer.detail)
        outcome = self._understand(wish, answer, plan)
        if outcome.reason is None and not plan.is_duplicate(outcome.digest):
            self.archive.append(answer)
            write_bytes(self.folder / page_file(wish.url, outcome.kind), answer.body)
        return outcome

    def _understand(self, wish: Wish, answer: Response, plan: IssuePlan) -> Outcome:
        """What an answer is: first by its form, then by its text."""
        arrived = arrived_outcome(wish, answer)
        formal = _formal_kind(wish, answer)
        if formal is not None:
            return replace(arrived, kind=formal)
        try:
            page = listing_page(answer) or parse_page(answer.body, url=answer.final_url, charset=answer.charset)
        except InputError as error:
            return Outcome(wish=wish, reason=Reason.UNREADABLE, detail=error.message, status=answer.status)
        arrived = replace(arrived, canonical=own_address(page))
        found = self._kind(wish, answer, page)
        if found in _WALLS:
            return Outcome(wish=wish, reason=_WALLS[found], detail=f"looks like a {found} page", status=answer.status)
        if wish.kind is Kind.ISSUE:
            return self._contents(arrived, page, plan)
        kind = wish.kind if _promise_wins(wish.kind, found) else found
        return replace(arrived, kind=kind, links=judge_links(page, kind=kind, sets=self.sets, skip=plan.known))

    def _kind(self, wish: Wish, answer: Response, page: Page) -> Kind:
        """The kind found; looking into every page is left out where only the constraint sets count."""
        if self.by_constraints and len(answer.body) > _SHORT:
            return wish.kind
        found = kind_of(page)
        return wish.kind if self.by_constraints and found not in _WALLS else found

    def _contents(self, arrived: Outcome, page: Page, plan: IssuePlan) -> Outcome:
        """A contents page; where the next page of an issue is the next issue, its links lead nowhere."""
        read = read_issue_page(page)
        self.issue = self.issue or read
        if not belongs(read, self.issue):
            return replace(arrived, kind=Kind.ISSUE)
        return replace(arrived, kind=Kind.ISSUE, links=self._judged(page, read, plan), next_pages=next_pages(page))

    def _judged(self, page: Page, read: Citation, plan: IssuePlan) -> tuple[JudgedLink, ...]:
        """The links of a contents page; a feed or sitemap has links but no page around them to learn from."""
        if self.by_constraints or self.sets.literal or page.media_type == LISTING:
            return judge_links(page, sets=self.sets, skip=plan.known)
        known = self._journal(page.url, read.issn) if self._journal else KnownJournal()
        sets = replace(self.sets, servers=self.sets.servers | known.hosts)
        judged = judge_contents(page, examples=known.examples, sets=sets)
        self.drift = self.drift or judged.drift
        return tuple(one for one in judged.links if not plan.known(one.link.url))


def constraint_sets(name: str) -> ConstraintSets:
    """The sets a setting names: ours, the paper's, or those of a file."""
    return load_constraints(Path(name)) if name not in _SETS else _SETS[name]


def listing_page(answer: Response) -> Page | None:
    """A feed or sitemap as a plain page of links, so that it can stand for a contents page; None for anything else.

    Further sitemaps are its next pages.
    """
    if not answer.media_type.endswith("xml") or answer.media_type == "application/xhtml+xml":
        return None
    entries = [(entry.url, entry.title) for entry in parse_feed(answer.body)]
    sitemap = parse_sitemap(answer.body) if not entries else Sitemap()
    entries = entries or [(url, url) for url in sitemap.urls]
    rows = "\n".join(f'<a href="{html.escape(url)}">{html.escape(title or url)}</a>' for url, title in entries)
    further = "\n".join(f'<link rel="next" href="{html.escape(url)}">' for url in sitemap.nested)
    if not rows and not further:
        return None
    digest = hashlib.sha256(answer.body).hexdigest()
    return Page(
        media_type=LISTING,
        url=answer.final_url,
        text=f"<html><head>{further}</head><body>{rows}</body></html>",
        digest=digest,
        encoding="utf-8",
    )


def read_issue_page(page: Page) -> Citation:
    """What a contents page says of its issue."""
    return read_issue(page, items=embedded(page), zones=label_zones(page))


def _promise_wins(promised: Kind, found: Kind) -> bool:
    """Whether a page is what its link promised rather than what its text looks like.

    Nothing told is no contradiction. "Full text" is said in words, so a box of other titles does not make the page a
    contents page; an abstract is often only supposed.
    """
    return (found is Kind.OTHER and promised in ARTICLE_KINDS) or (found is Kind.ISSUE and promised is Kind.FULLTEXT)


def _formal_kind(wish: Wish, answer: Response) -> Kind | None:
    """The kind of what is no HTML: a picture, a PDF, a supplement in any other form."""
    if wish.kind is not Kind.ISSUE and answer.media_type.startswith("image/"):
        return Kind.IMAGE
    if wish.kind is Kind.SUPPLEMENT and answer.media_type != "text/html":
        return Kind.SUPPLEMENT
    return Kind.PDF if _PDF_MAGIC in answer.body[:_LOOK] else None


def arrived_outcome(wish: Wish, answer: Response) -> Outcome:
    """What an answer says of itself; its kind is what was promised."""
    headers = {name.lower(): value for name, value in answer.headers}
    return Outcome(
        wish=wish,
        final_url=answer.final_url,
        kind=wish.kind,
        digest=hashlib.sha256(answer.body).hexdigest(),
        size=len(answer.body),
        status=answer.status,
        asked_at=answer.asked_at,
        arrived_at=answer.arrived_at,
        validators=Validators(headers.get("etag", ""), headers.get("last-modified", "")),
    )
