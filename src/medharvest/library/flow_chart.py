"""The counts of a flow chart, for a search or a run: what was found, what was removed and why, what is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from medharvest.harvest.issue_run import missing_pages
from medharvest.records import ARTICLE_KINDS, Citation, Outcome, title_key
from medharvest.search import Query
from medharvest.store import Store

FlowCounts = tuple[tuple[str, int], ...]
_MIN_TELLING_TITLE = 30  # letters of a title that no two articles of a year share by chance


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowChart:
    """Counts that add up: all that was found is taken out for one reason or kept."""

    found: FlowCounts  # by what it is
    missing: FlowCounts = ()  # did not arrive
    duplicates: int = 0
    unreadable: FlowCounts = ()
    irrelevant: int | None = None  # of a topical crawl
    kept: int


def flow_chart_lines(flow: FlowChart) -> Iterator[str]:
    """The counts for people, a line each."""
    yield f"found: {_format_counts(flow.found)}"
    if flow.missing:
        yield f"not retrieved: {_format_counts(flow.missing)}"
    yield f"duplicates removed: {flow.duplicates}"
    yield f"unreadable: {_format_counts(flow.unreadable)}"
    if flow.irrelevant is not None:
        yield f"not relevant: {flow.irrelevant}"
    yield f"kept: {flow.kept}"


def _format_counts(counts: FlowCounts) -> str:
    parts = ", ".join(f"{name} {count}" for name, count in counts)
    return f"{sum(count for _, count in counts)}" + (f" ({parts})" if parts else "")


def chart_search(query: Query, store: Store) -> tuple[FlowChart, tuple[Citation, ...]]:
    """Go through all that a query finds: the counts, and the citations that are left."""
    citations = [number for kind, number in store.collection.refs(query) if kind == "citation"]
    pages = store.collection.count(query) - len(citations)
    known = _KnownArticles()
    kept: list[Citation] = []
    nameless = 0
    for number in citations:
        citation = store.citation(number)
        if not citation.title and not citation.vernacular_title:
            nameless += 1
        elif known.add(citation):
            kept.append(citation)
    counts = FlowChart(
        found=(("citations", len(citations)), ("pages", pages)),
        duplicates=len(citations) - nameless - len(kept),
        unreadable=(("no title", nameless),) if nameless else (),
        kept=pages + len(kept),
    )
    return counts, tuple(kept)


def chart_issue_run(store: Store, run: int) -> FlowChart:
    """The counts of a run of an issue: pages of articles; other forms of an article are duplicates of it."""
    arrived = [page for page in store.pages(run) if page.kind in ARTICLE_KINDS]
    failed = _count_reasons(outcome for outcome in missing_pages(store, run) if outcome.wish.kind in ARTICLE_KINDS)
    articles, kept = len({page.article_key or page.url for page in arrived}), store.run(run).citations
    unread = max(0, articles - kept)
    return FlowChart(
        found=(("pages of articles", len(arrived) + sum(count for _, count in failed)),),
        missing=failed,
        duplicates=max(0, len(arrived) - unread - kept),
        unreadable=(("no record in it", unread),) if unread else (),
        kept=kept,
    )


def chart_topic_run(store: Store, run: int) -> FlowChart:
    """The counts of a topical crawl: pages, of which the relevant ones are kept."""
    arrived, kept = store.run(run).pages, store.kept_pages(run)
    failed = _count_reasons(missing_pages(store, run))
    return FlowChart(
        found=(("pages", arrived + sum(count for _, count in failed)),),
        missing=failed,
        irrelevant=max(0, arrived - kept),
        kept=kept,
    )


def _count_reasons(outcomes: Iterable[Outcome]) -> FlowCounts:
    return tuple(Counter(str(outcome.reason) for outcome in outcomes).most_common())


class _KnownArticles:
    """The articles met so far: one is known again by its DOI, or by a long title and the year unless DOIs differ."""

    def __init__(self) -> None:
        self._dois: set[str] = set()
        self._titles: dict[str, str] = {}

    def add(self, citation: Citation) -> bool:
        """Whether it is new."""
        doi, title = citation.doi.lower(), title_key(citation.title or citation.vernacular_title)
        named = f"{title} {citation.date[:4]}"
        other = self._titles.get(named)
        if (doi and doi in self._dois) or (other is not None and not (doi and other)):
            return False
        self._dois.add(doi)
        if len(title) >= _MIN_TELLING_TITLE:
            self._titles[named] = doi
        return True
