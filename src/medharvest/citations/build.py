"""Embedded metadata and labelled zones of one page to a citation with evidence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from medharvest.citations import embedded, visible
from medharvest.records import Alternative, Citation, Evidence, Kind, LabelledZone, MetaItem, NamedDate, Page

_PLAIN_FIELDS = (
    "title journal abbreviation publisher volume issue first_page last_page article_number doi pmid date language "
    "licence"
).split()
_LINE_FIELDS = {
    "date": "date",
    "volume": "volume",
    "issue": "issue",
    "first": "first_page",
    "last": "last_page",
}
_SHORTER = 0.8  # a printed abstract much shorter than the embedded one was not found whole


def build_citation(page: Page, *, kind: Kind, items: Sequence[MetaItem], zones: Sequence[LabelledZone]) -> Citation:
    """Read a page into a citation: what is embedded first, then what is printed."""
    draft = _Draft(page)
    for field in _PLAIN_FIELDS:
        draft.embedded(field, list(embedded.scalar(items, field)))
    _title(draft, zones)
    _people(draft, items, zones)
    _abstract(draft, items, zones)
    _printed_lines(draft, zones)
    _lists(draft, items, zones)
    return draft.citation(kind)


class _Draft:
    """Fields being filled, each with its evidence; the first value of a field stays."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.values: dict[str, Any] = {}
        self.evidence: list[Evidence] = []
        self.alternatives: list[Alternative] = []

    def embedded(self, field: str, values: Sequence[embedded.Value]) -> None:
        """Take the best embedded value; other ones become alternatives."""
        for value in values:
            if field not in self.values:
                self.take(field, value.text, item=value.item, score=value.score)
            elif value.text != self.values[field]:
                self.alternatives.append(Alternative(field=field, value=value.text, score=value.score / 2))

    def take(self, field: str, value: Any, *, item: MetaItem, score: float) -> None:
        """Set a field from embedded metadata."""
        self.values[field] = value
        self.evidence.append(
            Evidence(
                field=field,
                page=self.page.digest,
                source=item.source,
                path=item.name,
                start=0,
                end=len(item.value),
                text=item.value,
                method="rule",
                score=score,
            )
        )

    def see(self, field: str, value: Any, *, zone: LabelledZone, start: int = 0, end: int | None = None) -> None:
        """Set a field from a zone."""
        self.values[field] = value
        text = zone.zone.text[start:end]
        self.evidence.append(
            Evidence(
                field=field,
                page=self.page.digest,
                source="zone",
                path=zone.zone.path,
                start=start,
                end=start + len(text),
                text=text,
                method=zone.verdict.method,
                score=zone.verdict.score,
            )
        )

    def citation(self, kind: Kind) -> Citation:
        """The finished record."""
        known = _tidy_pages({name: value for name, value in self.values.items() if value})
        return Citation(
            url=self.page.url,
            kind=kind,
            evidence=tuple(proof for proof in self.evidence if proof.field in known),
            alternatives=tuple(self.alternatives),
            **known,
        )


def _tidy_pages(values: dict[str, Any]) -> dict[str, Any]:
    """A first page such as `e240011` without a last one is an article number."""
    first = values.get("first_page", "")
    if "last_page" not in values and re.fullmatch(r"[eE]\w*\d{3,}", first):
        return {name: value for name, value in values.items() if name != "first_page"} | {"article_number": first}
    return values


def _title(draft: _Draft, zones: Sequence[LabelledZone]) -> None:
    printed = visible.title(zones)
    if printed is None:
        return
    if "title" not in draft.values or _is_site_title(draft.values["title"], printed.text):
        draft.see("title", printed.text, zone=printed.zone)
    if _key(draft.values["title"]) == _key(printed.text):
        draft.values["title_html"] = visible.inline_html(printed.zone.zone)


def _is_site_title(embedded_title: str, printed: str) -> bool:
    """Whether the embedded title only adds the site's name to the printed one."""
    return len(embedded_title) > len(printed) and re.split(r"\s[|–—-]\s", embedded_title)[0] == printed


def _people(draft: _Draft, items: Sequence[MetaItem], zones: Sequence[LabelledZone]) -> None:
    people, places, item = embedded.authors(items)
    printed, printed_places, used = visible.byline(zones)
    if people and item is not None:
        draft.take("authors", people, item=item, score=embedded.TRUST[item.source])
        if places:
            draft.take("affiliations", places, item=item, score=embedded.TRUST[item.source])
        elif printed_places and len(printed) == len(people):
            draft.values["authors"] = tuple(
                replace(person, affiliations=seen.affiliations) for person, seen in zip(people, printed, strict=True)
            )
    elif printed:
        draft.see("authors", printed, zone=used[0])
    if "affiliations" not in draft.values and printed_places:
        zone = next(visible.labelled(zones, "affiliation"))
        draft.see("affiliations", printed_places, zone=zone)


def _abstract(draft: _Draft, items: Sequence[MetaItem], zones: Sequence[LabelledZone]) -> None:
    values = list(embedded.scalar(items, "abstract"))
    text, sections, used = visible.abstract(zones)
    longest = max((len(value.text) for value in values), default=0)
    if used and len(text) >= _SHORTER * longest:
        draft.see("abstract", text, zone=used[0])
        draft.values["sections"] = sections
    elif values:
        draft.embedded("abstract", values)


def _printed_lines(draft: _Draft, zones: Sequence[LabelledZone]) -> None:
    found = visible.lines(zones)
    for name, field in _LINE_FIELDS.items():
        line = found.get(name)
        if line is not None and field not in draft.values:
            draft.see(field, line.text, zone=line.zone, start=line.start, end=line.end)
    journal = found.get("journal")
    if journal is not None and "journal" not in draft.values:
        draft.see("journal", journal.text, zone=journal.zone, start=journal.start, end=journal.end)
    doi = None if "doi" in draft.values else visible.doi(zones)
    if doi is not None:
        draft.see("doi", doi.text, zone=doi.zone, start=doi.start, end=doi.end)


def _lists(draft: _Draft, items: Sequence[MetaItem], zones: Sequence[LabelledZone]) -> None:
    issns, item = embedded.issns(items)
    if item is not None:
        draft.take("issn", issns, item=item, score=embedded.TRUST[item.source])
    words, item = embedded.keywords(items)
    printed = next(visible.labelled(zones, "keywords"), None)
    if item is not None:
        draft.take("keywords", words, item=item, score=embedded.TRUST[item.source])
    elif printed is not None:
        split = tuple(word.strip(" .") for word in re.split(r"[;,·•]", printed.zone.text) if word.strip(" ."))
        draft.see("keywords", split, zone=printed)
    references = tuple(visible.labelled(zones, "reference"))
    if references:
        draft.see("references", tuple(zone.zone.text for zone in references), zone=references[0])
    for field in ("funding", "conflict"):
        texts = list(visible.labelled(zones, field))
        if texts:
            value = tuple(zone.zone.text for zone in texts)
            draft.see(field, value if field == "funding" else " ".join(value), zone=texts[0])
    _dates(draft, visible.history(zones))


def _dates(draft: _Draft, printed: Sequence[NamedDate]) -> None:
    """The article's history; its date of publication makes a less precise date of the same year precise."""
    draft.values["dates"] = tuple(item for item in printed if item.name != "published")
    known = {item.name: item.date for item in printed}
    for printed_date in (known.get("published", ""), known.get("epublish", "")):
        date = draft.values.get("date", "")
        if printed_date.startswith(date) and len(printed_date) > len(date):
            draft.values["date"] = printed_date


def _key(text: str) -> str:
    return re.sub(r"\W+", "", text).casefold()
