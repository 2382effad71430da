"""The errand of an issue: each answer to an outcome, by what is in the page and what its link promised."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from medharvest.citations import belongs
from medharvest.crawl import IssuePlan
from medharvest.errors import MedharvestError
from medharvest.links import DEFAULT, PAPER, ConstraintSets, Drift, JudgedContents, load_constraints
from medharvest.records import Citation, JudgedLink, Kind, Miss, Outcome, Reason, Response, Wish
from medharvest.run.analysis import Analysis, Judging, Request, scan_page
from medharvest.run.asking import Asking
from medharvest.run.follow import Arrival, Step, arrived_outcome, fetch_page
from medharvest.run.reading import PageReader
from medharvest.run.teaching import KnownJournal
from medharvest.settings import Crawl, Links
from medharvest.store import PageRow

_WALLS = {Kind.LOGIN: Reason.LOGIN_WALL, Kind.MISSING: Reason.SOFT_404, Kind.BLOCKED: Reason.BLOCKED}
_SETS = {"": DEFAULT, "paper": PAPER}
_PDF_MAGIC = b"%PDF-"
_LOOK = 1024
_UNTOLD = Citation(kind=Kind.ISSUE)  # an issue of which nothing is known yet
_UNPARSED = frozenset({Kind.IMAGE, Kind.SUPPLEMENT})

JournalAt = Callable[[str, Sequence[str]], KnownJournal]


class IssueErrand:
    """Brings the pages of an issue; by constraints alone, a page is what its link promised.

    `issue` is what the contents page says of the issue, once it has arrived.
    """

    def __init__(
        self, plan: IssuePlan, asking: Asking, reader: PageReader, *, crawl: Crawl, journal_at: JournalAt
    ) -> None:
        self.plan = plan
        self.issue: Citation | None = None
        self.drift: Drift | None = None
        self._asking = asking
        self._reader = reader
        self._crawl = crawl
        self._by_constraints = crawl.links is Links.CONSTRAINTS
        self._sets = constraint_sets(crawl.constraints)
        self._journal_at = journal_at

    @property
    def waiting(self) -> int:
        """How many pages are still to come, as far as is known."""
        return self.plan.waiting

    def begin(self) -> tuple[Wish, ...]:
        """The first wishes."""
        return self.plan.begin()

    async def bring(self, wish: Wish) -> Arrival:
        """Fetch a page, on through those that only send on, and find out what it is."""
        answer, analysis = await fetch_page(wish.url, self._asking.ask, lambda answer: self._analyse(wish, answer))
        if isinstance(answer, Miss):
            return Arrival(outcome=Outcome(wish=wish, reason=answer.reason, detail=answer.detail))
        return await self.understand(wish, answer, analysis)

    async def supply(self, wish: Wish, answer: Response) -> Arrival:
        """What a page is that came by another way."""
        return await self.understand(wish, answer, await self._analyse(wish, answer))

    def is_new(self, arrival: Arrival) -> bool:
        """Whether a page has not come under another address before."""
        return not self.plan.is_duplicate(arrival.outcome.digest)

    def feed(self, arrival: Arrival) -> Step:
        """Tell the plan, and keep the reading of an article."""
        self._keep_reading(arrival)
        wishes = self.plan.feed(arrival.outcome)
        return Step(wishes, self.plan.changes())

    def feed_supplied(self, arrival: Arrival) -> Step:
        """Tell the plan of a page that came by another way."""
        self._keep_reading(arrival)
        self.plan.supply(arrival.outcome)
        return Step((), self.plan.changes())

    def note_recorded(self) -> None:
        """Nothing is written beside the store."""

    def request_archived(self, page: PageRow, answer: Response) -> Request:
        """What is asked of a page that came in an earlier sitting."""
        return self._request(page.promised, answer)

    async def recall_issue(self, answer: Response | Miss) -> None:
        """Take up again what the contents page said, from the archive of a run that is resumed."""
        if isinstance(answer, Miss):
            return
        analysis = await self._reader.ask(answer, self._request(Kind.ISSUE, answer), Analysis)
        self.issue = analysis.issue if isinstance(analysis, Analysis) else None

    def _keep_reading(self, arrival: Arrival) -> None:
        if arrival.analysis is not None and arrival.outcome.reason is None and self.is_new(arrival):
            self._reader.keep(arrival.outcome.wish.url, arrival.analysis)

    def _request(self, promised: Kind, answer: Response) -> Request:
        return Request(
            promised=promised,
            media_type=answer.media_type,
            sets=self._sets,
            by_constraints=self._by_constraints,
            read=self._crawl.read,
        )

    async def _analyse(self, wish: Wish, answer: Response) -> Analysis | MedharvestError:
        formal = _formal_kind(wish, answer)
        if formal in _UNPARSED or (formal is Kind.PDF and not self._crawl.read):
            return Analysis(kind=formal)
        request = self._request(wish.kind, answer)
        return scan_page(answer, request) or await self._reader.analyse(answer, request, issue=self.issue or _UNTOLD)

    async def understand(self, wish: Wish, answer: Response, analysis: Analysis | MedharvestError | None) -> Arrival:
        """What an answer is: first by its form, then by its text."""
        arrived = arrived_outcome(wish, answer)
        formal = _formal_kind(wish, answer)
        if formal is not None:
            return self._formal(replace(arrived, kind=formal), answer, analysis)
        if not isinstance(analysis, Analysis):
            detail = analysis.message if analysis else "not analysed"
            return Arrival(outcome=Outcome(wish=wish, reason=Reason.UNREADABLE, detail=detail, status=answer.status))
        if analysis.kind in _WALLS:
            detail, reason = f"looks like a {analysis.kind} page", _WALLS[analysis.kind]
            return Arrival(outcome=Outcome(wish=wish, reason=reason, detail=detail, status=answer.status))
        outcome = replace(arrived, kind=analysis.kind, canonical=analysis.canonical, links=analysis.links or ())
        if wish.kind is Kind.ISSUE:
            outcome = await self._contents(outcome, answer, analysis)
        return Arrival(outcome=outcome, answer=answer, analysis=analysis)

    def _formal(self, outcome: Outcome, answer: Response, analysis: Analysis | MedharvestError | None) -> Arrival:
        """A page that is no HTML; one that cannot be read has arrived all the same."""
        if isinstance(analysis, MedharvestError):
            why = f"{analysis.message}; {analysis.hint}"
            analysis = Analysis(kind=outcome.kind, unread=why)
        return Arrival(outcome=outcome, answer=answer, analysis=analysis)

    async def _contents(self, outcome: Outcome, answer: Response, analysis: Analysis) -> Outcome:
        """A contents page; where the next page of an issue is the next issue, its links lead nowhere."""
        read = analysis.issue or Citation(kind=Kind.ISSUE)
        self.issue = self.issue or read
        if not belongs(read, self.issue):
            return replace(outcome, links=())
        links = analysis.links if analysis.links is not None else await self._judge(answer, read)
        if isinstance(links, MedharvestError):
            return Outcome(wish=outcome.wish, reason=Reason.UNREADABLE, detail=links.message, status=answer.status)
        return replace(outcome, links=links, next_pages=analysis.next_pages)

    async def _judge(self, answer: Response, read: Citation) -> tuple[JudgedLink, ...] | MedharvestError:
        """The article links of a contents page, by what was taught of its journal."""
        known = self._journal_at(answer.final_url, read.issn)
        sets = replace(self._sets, servers=self._sets.servers | known.hosts)
        judged = await self._reader.ask(answer, Judging(examples=known.examples, sets=sets), JudgedContents)
        if isinstance(judged, MedharvestError):
            return judged
        self.drift = self.drift or judged.drift
        return judged.links


def constraint_sets(name: str) -> ConstraintSets:
    """The sets a setting names: ours, the paper's, or those of a file."""
    return load_constraints(Path(name)) if name not in _SETS else _SETS[name]


def _formal_kind(wish: Wish, answer: Response) -> Kind | None:
    """The kind of what is no HTML: a picture, a PDF, a supplement in any other form."""
    if wish.kind is not Kind.ISSUE and answer.media_type.startswith("image/"):
        return Kind.IMAGE
    if wish.kind is Kind.SUPPLEMENT and answer.media_type != "text/html":
        return Kind.SUPPLEMENT
    return Kind.PDF if _PDF_MAGIC in answer.body[:_LOOK] else None
