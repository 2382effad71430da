"""The counts of a flow chart, for a search or a run: what was found, what was removed and why, what was kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from medharvest.harvest.issue_run import missing_pages
from medharvest.records import ARTICLE_KINDS, Citation, Outcome, title_key
from medharvest.search import Query
from medharvest.store import Store

FlowCounts = tuple[tuple[str, int], ...]
_MIN_TELLING_TITLE = 30  # letters; no two articles of a year share so long a title by chance


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowChart:
    """Counts that add up: everything found is either kept or removed for one reason."""

    found: FlowCounts  # by kind
    missing: FlowCounts = ()  # did not arrive, by reason
    duplicates: int = 0
    unreadable: FlowCounts = ()
    irrelevant: int | None = None  # topical crawls only
    kept: int


def chart_search(query: Query, store: Store) -> tuple[FlowChart, tuple[Citation, ...]]:
    """Count what a query finds; return the counts, and the citations that are kept."""
    citations = [number for kind, number in store.collection.refs(query) if kind == "citation"]
    pages = store.collection.count(query) - len(citations)
    known = _KnownArticles()
    kept: list[Citation] = []
    untitled = 0
    for number in citations:
        citation = store.citation(number)
        if not citation.title and not citation.vernacular_title:
            untitled += 1
        elif known.add(citation):
            kept.append(citation)
    counts = FlowChart(
        found=(("citations", len(citations)), ("pages", pages)),
        duplicates=len(citations) - untitled - len(kept),
        unreadable=(("no title", untitled),) if untitled else (),
        kept=pages + len(kept),
    )
    return counts, tuple(kept)


class _KnownArticles:
    """The articles seen so far, recognised by DOI, or by a long title and the year unless their DOIs differ."""

    def __init__(self) -> None:
        self._dois: set[str] = set()
        self._titles: dict[str, str] = {}

    def add(self, citation: Citation) -> bool:
        """Add an article; return whether it is new."""
        doi, title = citation.doi.lower(), title_key(citation.title or citation.vernacular_title)
        named = f"{title} {citation.date[:4]}"
        other = self._titles.get(named)
        if (doi and doi in self._dois) or (other is not None and not (doi and other)):
            return False
        self._dois.add(doi)
        if len(title) >= _MIN_TELLING_TITLE:
            self._titles[named] = doi
        return True


def chart_issue_run(store: Store, run: int) -> FlowChart:
    """Count the article pages of an issue's run; further forms of an article are duplicates."""
    arrived = [page for page in store.runs.pages(run) if page.kind in ARTICLE_KINDS]
    failed = _count_reasons(outcome for outcome in missing_pages(store, run) if outcome.wish.kind in ARTICLE_KINDS)
    articles, kept = len({page.article_key or page.url for page in arrived}), store.runs.get(run).citations
    unread = max(0, articles - kept)
    return FlowChart(
        found=(("pages of articles", len(arrived) + sum(count for _, count in failed)),),
        missing=failed,
        duplicates=max(0, len(arrived) - unread - kept),
        unreadable=(("no record in it", unread),) if unread else (),
        kept=kept,
    )


def chart_topic_run(store: Store, run: int) -> FlowChart:
    """Count the pages of a topical crawl; the relevant ones are kept."""
    arrived, kept = store.runs.get(run).pages, store.topic_pages.count_of_run(run)
    failed = _count_reasons(missing_pages(store, run))
    return FlowChart(
        found=(("pages", arrived + sum(count for _, count in failed)),),
        missing=failed,
        irrelevant=max(0, arrived - kept),
        kept=kept,
    )


def _count_reasons(outcomes: Iterable[Outcome]) -> FlowCounts:
    return tuple(Counter(str(outcome.reason) for outcome in outcomes).most_common())


def flow_chart_lines(flow: FlowChart) -> Iterator[str]:
    """Yield the counts as text, one line each."""
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
