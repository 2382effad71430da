"""Embedded metadata and labelled zones of one page to a citation with evidence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from medharvest.citations import embedded, masthead, visible
from medharvest.citations.agreement import (
    agrees,
    linked_by,
    linked_to,
    names_of,
    prefers_print,
    prefers_printed_places,
    same_letters,
    same_texts,
    same_words,
    with_identifiers,
)
from medharvest.citations.byline import Byline, read_byline
from medharvest.citations.contacts import with_contacts, with_equals, with_orcids
from medharvest.citations.keywords import keywords
from medharvest.citations.licences import printed_licence
from medharvest.citations.people import People, read_people
from medharvest.citations.written import WRITTEN, written
from medharvest.records import Alternative, Citation, Evidence, Kind, LabelledZone, MetaItem, NamedDate, Page, title_key

# Lists, and fields of which the printed form is better, are read by functions of their own.
_SCALARS = tuple(field for field in embedded.RULES if field not in {"abstract", "issn", "keywords"})
_SHORTER = 0.8  # a printed abstract much shorter than the embedded one was not found whole
_LISTED = 0.5  # score of a list of the side that lost
_SPAN = re.compile(r"(\w?\d+)\s*[-–]\s*(\w?\d+)")  # both pages where the first is to stand
_OWN_LINES = (("doi", masthead.doi), ("licence", printed_licence))  # fields that lines of their own tell
_ARTICLE_NUMBER = re.compile(r"[eE]\w{0,20}\d{3}")


def build_citation(page: Page, *, kind: Kind, items: Sequence[MetaItem], zones: Sequence[LabelledZone]) -> Citation:
    """Read a page into a citation: what is embedded first, then what is printed."""
    draft = _Draft(page)
    items = embedded.own_items(items)
    for field in _SCALARS:
        draft.choose(field, embedded.scalar(items, field))
    _title(draft, visible.title(zones))
    _people(draft, read_people(items), read_byline(zones))
    _authors(draft, zones)
    _abstract(draft, items, zones)
    _last_resort(draft, items)
    _printed_lines(draft, zones)
    _lists(draft, items, zones)
    _statements(draft, zones)
    _pages(draft)
    _dates(draft, masthead.history(zones))
    return draft.citation(kind)


class _Draft:
    """Fields being filled, each with its evidence."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.values: dict[str, Any] = {}
        self.evidence: dict[str, list[Evidence]] = {}
        self.alternatives: list[Alternative] = []

    def choose(self, field: str, values: Iterable[embedded.Value]) -> None:
        """Take the best embedded value; the same of another source supports it, other ones become alternatives."""
        for value in values:
            if field not in self.values:
                self.take(field, value.text, [value.item])
            elif value.text == self.values[field]:
                self.support(field, items=[value.item])
            else:
                self.doubt(field, value.text, value.score)

    def take(self, field: str, value: Any, items: Iterable[MetaItem]) -> None:
        """Set a field from embedded metadata."""
        self.values[field] = value
        self.evidence[field] = [_proof_in_item(field, self.page, item) for item in items]

    def see(self, field: str, value: Any, lines: Iterable[visible.Line]) -> None:
        """Set a field from what is printed."""
        self.values[field] = value
        self.evidence[field] = [_proof_in_zone(field, self.page, line) for line in lines]

    def support(self, field: str, *, items: Iterable[MetaItem] = (), lines: Iterable[visible.Line] = ()) -> None:
        """Add evidence that says the same; of one source that speaks already nothing is added."""
        proofs = self.evidence[field]
        known = {proof.source for proof in proofs}
        proofs += [_proof_in_item(field, self.page, item) for item in items if item.source not in known]
        proofs += [] if "zone" in known else [_proof_in_zone(field, self.page, line) for line in lines]

    def doubt(self, field: str, value: str, score: float) -> None:
        """Keep a value that lost, at half its score."""
        self.alternatives.append(Alternative(field=field, value=value, score=score / 2))

    def copy(self, field: str, name: str, value: str) -> None:
        """Set a field to what is another's value or part of it, with the same evidence."""
        self.values[name] = value
        self.evidence[name] = [replace(proof, field=name) for proof in self.evidence[field]]

    def citation(self, kind: Kind) -> Citation:
        """The finished record."""
        return Citation(
            url=self.page.url,
            kind=kind,
            evidence=tuple(proof for proofs in self.evidence.values() for proof in proofs),
            alternatives=tuple(self.alternatives),
            **self.values,
        )


def _proof_in_item(field: str, page: Page, item: MetaItem) -> Evidence:
    return Evidence(
        field=field,
        page=page.digest,
        source=item.source,
        path=item.name,
        start=0,
        end=len(item.value),
        text=item.value,
        method="rule",
        score=embedded.TRUST[item.source],
    )


def _proof_in_zone(field: str, page: Page, line: visible.Line) -> Evidence:
    return Evidence(
        field=field,
        page=page.digest,
        source="zone",
        path=line.zone.zone.path,
        start=line.start,
        end=line.end,
        text=line.zone.zone.text[line.start : line.end],
        method=line.zone.verdict.method,
        score=line.zone.verdict.score,
    )


def _title(draft: _Draft, printed: visible.Line | None) -> None:
    if printed is None:
        return
    known = draft.values.get("title", "")
    if not known or _is_site_title(known, printed.text):
        if known:
            draft.doubt("title", known, draft.evidence["title"][0].score)
        draft.see("title", printed.text, [printed])
    if title_key(draft.values["title"]) == title_key(printed.text):
        draft.values["title_html"] = visible.inline_html(printed.zone.zone)
        draft.support("title", lines=[printed])
    else:
        draft.doubt("title", printed.text, printed.zone.verdict.score)


def _is_site_title(embedded_title: str, printed: str) -> bool:
    """Whether the embedded title only adds the site's name to the printed one."""
    return embedded_title != printed and re.split(r" [|–—-] ", embedded_title, maxsplit=1)[0] == printed


def _people(draft: _Draft, known: People, printed: Byline) -> None:
    if prefers_print(known, printed):
        authors = with_identifiers(printed.authors, known.authors)
        draft.see("authors", authors, map(visible.whole, printed.author_zones))
        _weigh(draft, "authors", names_of(known.authors), items=known.author_items)
    elif known.authors:
        authors = known.authors
        draft.take("authors", authors, known.author_items)
        _weigh(draft, "authors", names_of(printed.authors), lines=map(visible.whole, printed.author_zones))
    else:
        authors = ()
    if prefers_printed_places(known, printed):
        draft.see("affiliations", printed.affiliations, map(visible.whole, printed.affiliation_zones))
        _weigh(draft, "affiliations", known.affiliations, items=known.affiliation_items)
        source = printed.authors
    elif known.affiliations:
        draft.take("affiliations", known.affiliations, known.affiliation_items)
        _weigh(draft, "affiliations", printed.affiliations, lines=map(visible.whole, printed.affiliation_zones))
        source = known.authors
    else:
        source = ()
    if authors:
        linked = linked_to(authors, source)
        draft.values["authors"] = linked_by(linked, draft.values.get("affiliations", ()), known)


def _authors(draft: _Draft, zones: Sequence[LabelledZone]) -> None:
    """What other lines of the page say of the authors: how names divide, ORCIDs, addresses, equal shares."""
    if "authors" not in draft.values:
        return
    authors = list(draft.values["authors"])
    if all(proof.source == "zone" for proof in draft.evidence["authors"]):
        for number, author, line in written(authors, zones):
            authors[number] = author
            proof = _proof_in_zone(f"authors.{number}", draft.page, line)
            draft.evidence[proof.field] = [replace(proof, method=WRITTEN)]
    draft.values["authors"] = with_equals(with_contacts(with_orcids(authors, zones), zones), zones)


def _weigh(
    draft: _Draft,
    field: str,
    texts: Sequence[str],
    *,
    items: Iterable[MetaItem] = (),
    lines: Iterable[visible.Line] = (),
) -> None:
    """Hold what the other side lists against a field: it supports it or is an alternative."""
    value = draft.values[field]
    if texts and same_texts(names_of(value) if field == "authors" else value, texts):
        draft.support(field, items=items, lines=lines)
    elif texts:
        draft.doubt(field, "; ".join(texts), _LISTED)


def _abstract(draft: _Draft, items: Sequence[MetaItem], zones: Sequence[LabelledZone]) -> None:
    values = list(embedded.scalar(items, "abstract"))
    text, sections, used = visible.abstract(zones)
    longest = max((len(value.text) for value in values), default=0)
    if text and len(text) >= _SHORTER * longest:
        draft.see("abstract", text, map(visible.announced, used))
        draft.values["sections"] = sections
        for value in values:
            if same_words(text, value.text):
                draft.support("abstract", items=[value.item])
            else:
                draft.doubt("abstract", value.text, value.score)
    else:
        draft.choose("abstract", values)
        if text:
            draft.doubt("abstract", text, used[0].verdict.score)


def _last_resort(draft: _Draft, items: Sequence[MetaItem]) -> None:
    """Title and abstract that neither metadata nor print have, from what the page carries for its scripts."""
    for field in ("title", "abstract"):
        if field not in draft.values:
            draft.choose(field, embedded.from_state(items, field))


def _printed_lines(draft: _Draft, zones: Sequence[LabelledZone]) -> None:
    found = masthead.lines(zones)
    found |= {field: line for field, read in _OWN_LINES if (line := read(zones)) is not None}
    for field, line in found.items():
        if field not in draft.values:
            draft.see(field, line.text, [line])
        elif agrees(field, draft.values[field], line.text):
            draft.support(field, lines=[line])
        else:
            draft.doubt(field, line.text, line.zone.verdict.score)


def _lists(draft: _Draft, items: Sequence[MetaItem], zones: Sequence[LabelledZone]) -> None:
    issns, words = embedded.issns(items), embedded.keywords(items)
    printed_issns, places = masthead.issns(zones)
    if issns.texts:
        draft.take("issn", issns.texts, issns.items)
    elif printed_issns:
        draft.see("issn", printed_issns, places)
    printed_words, places = keywords(zones)
    # Metadata mixes the authors' keywords with the subjects of the site; what is printed as keywords is theirs.
    theirs = len(printed_words) > 1 and not same_letters(printed_words, words.texts)
    if theirs or (printed_words and not words.texts):
        draft.see("keywords", printed_words, places)
        _weigh(draft, "keywords", words.texts, items=words.items)
    elif words.texts:
        draft.take("keywords", words.texts, words.items)
        _weigh(draft, "keywords", printed_words, lines=places)


def _statements(draft: _Draft, zones: Sequence[LabelledZone]) -> None:
    """References, funding and conflict of interest: zone by zone as printed, without the words that announce them."""
    for label, field in (("reference", "references"), ("funding", "funding"), ("conflict", "conflict")):
        announced = map(visible.announced, visible.labelled(zones, label))
        places = [line for line in announced if any(map(str.isalnum, line.text))]  # arrows that lead back say nothing
        if places:
            texts = tuple(line.text for line in places)
            draft.see(field, " ".join(texts) if field == "conflict" else texts, places)


def _pages(draft: _Draft) -> None:
    """Write the last page in full, 201-8 as 208; a first page such as `e240011` alone is an article number too."""
    first, last = (draft.values.get(field, "") for field in ("first_page", "last_page"))
    span = _SPAN.fullmatch(first)
    if span and last in {"", span.group(2)}:
        first, last = span.groups()
        draft.copy("first_page", "last_page", last)
        draft.values["first_page"] = first
    if first.isdecimal() and last.isdecimal() and len(last) < len(first):
        draft.values["last_page"] = first[: -len(last)] + last
    elif first and not last and "article_number" not in draft.values and _ARTICLE_NUMBER.fullmatch(first):
        draft.copy("first_page", "article_number", first)


def _dates(draft: _Draft, printed: Mapping[str, visible.Line]) -> None:
    """The article's history; where it says when the article was published, a date less precise gives way."""
    dates = {name: line for name, line in printed.items() if name != "published"}
    if dates:
        draft.see("dates", tuple(NamedDate(name, line.text) for name, line in dates.items()), dates.values())
    date = draft.values.get("date", "")
    # What has pages was printed later than it was online.
    online = None if date and "first_page" in draft.values else printed.get("epublish")
    line = printed.get("published") or online
    if line is not None and line.text.startswith(date) and line.text != date:
        draft.see("date", line.text, [line])
