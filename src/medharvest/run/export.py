"""Stored citations to a format, streamed: journals completed, records checked, nothing left out in silence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain

from medharvest.citations import Format
from medharvest.citations.validation import Level, check_citation
from medharvest.errors import FormatError
from medharvest.fields import OF_JOURNAL
from medharvest.records import Citation, JournalTitle
from medharvest.run.output import journal_wants, set_journal

Titles = Callable[[str, tuple[str, ...]], JournalTitle | None]


@dataclass(frozen=True, slots=True)
class Left:
    """A record that is not written, and why."""

    citation: Citation
    why: str


def completed(citations: Iterable[Citation], titles: Titles) -> Iterator[Citation]:
    """The citations with what is known of their journals: what the user or a list says, then what the page says."""
    known: dict[tuple[str, tuple[str, ...]], JournalTitle | None] = {}
    for citation in citations:
        key = (citation.journal, citation.issn)
        if key not in known:
            known[key] = titles(*key)
        yield with_title(citation, known[key])


def with_title(citation: Citation, title: JournalTitle | None) -> Citation:
    """The citation with its journal's abbreviation, ISSNs and publisher, where the title names them."""
    if title is None:
        return citation
    return replace(
        citation,
        journal=citation.journal or title.title,
        abbreviation=title.abbreviation or citation.abbreviation,
        issn=title.issn or citation.issn,
        publisher=title.publisher or citation.publisher,
    )


def require_journals(citations: Iterable[Citation], form: Format) -> None:
    """Raise at the first journal without what a format demands of journals: nothing is guessed in a delivered file."""
    for citation in citations:
        lacking = [name for name in OF_JOURNAL if name in form.lacks(citation)]
        if lacking:
            wants = journal_wants(citation, lacking, form)
            raise FormatError(wants, format=form.name, hint=set_journal(citation, lacking))


def write_fit(
    citations: Iterable[Citation], form: Format, *, tell: Callable[[Left], None], empty: str
) -> Iterator[str]:
    """Write the records a format can hold; tell each of the others with its reason. Raise where none is left."""
    fit = _fit(citations, form, tell)
    first = next(fit, None)
    if first is None:
        raise FormatError(f"no record for {form.name}", format=form.name, hint=empty)
    return form.write(chain([first], fit))


def _fit(citations: Iterable[Citation], form: Format, tell: Callable[[Left], None]) -> Iterator[Citation]:
    """The records without errors; where a format demands nothing, every record is."""
    dois: set[str] = set()
    for citation in citations:
        why = why_unfit(citation, form, dois)
        if why:
            tell(Left(citation, why))
        else:
            yield citation


def why_unfit(citation: Citation, form: Format, dois: set[str]) -> str:
    """Why a record cannot be delivered; a format without demands takes it as it is."""
    if form.draft is None:
        return ""
    lacking = form.lacks(citation)
    if lacking:
        return f"lacks {', '.join(lacking)}"
    errors = [found for found in check_citation(citation) if found.level is Level.ERROR]
    if errors:
        return f"{errors[0].message}; hint: {errors[0].repair}"
    doi = citation.doi.lower()
    if doi and doi in dois:
        return f"another record has its DOI: {citation.doi}"
    dois.add(doi)
    return ""


def write_draft(citations: Iterable[Citation], form: Format) -> Iterator[str]:
    """Write every record, marked as not to be delivered."""
    if form.draft is None:
        raise FormatError(f"no draft of {form.name}", format=form.name, hint="leave --draft out: it takes every record")
    return form.draft(citations)
