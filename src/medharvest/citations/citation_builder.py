"""Build the citation of one page from its embedded metadata and labelled zones. Every field has its evidence.

citation = build_citation(page, kind=kind, items=items, zones=zones)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from medharvest.citations import (
    grants,
    journal_names,
    masthead,
    metadata_fields,
    people_readings,
    references,
    zone_fields,
)
from medharvest.citations.author_notes import (
    WRITTEN_METHOD,
    find_divided_names,
    with_correspondence,
    with_equal_contributions,
    with_printed_orcids,
)
from medharvest.citations.byline import CUT_METHOD, Byline, is_cut_list, read_byline
from medharvest.citations.calibration import REPEATED
from medharvest.citations.metadata_fields import MetadataPeople, read_metadata_people
from medharvest.citations.people_readings import PeopleTrees, choose_people, shipped_people_trees
from medharvest.citations.print_comparison import (
    add_metadata_affiliations,
    agrees_with_printed_line,
    copy_namesake_affiliations,
    fold_alphanumerics,
    have_same_letters,
    have_same_texts,
    prefers_printed_affiliations,
    prefers_printed_authors,
    repeated_in_pdf,
    repeated_on_page,
    share_most_words,
    spoken_names,
    with_metadata_details,
)
from medharvest.citations.zone_fields import find_printed_licence, read_printed_keywords
from medharvest.records import (
    Alternative,
    Author,
    Citation,
    Evidence,
    Kind,
    LabelledZone,
    MetaItem,
    NamedDate,
    Page,
    Verdict,
    title_key,
)

# Lists, and the abstract, which is better in print, have their own functions below.
_SINGLE_VALUE_FIELDS = tuple(
    field for field in metadata_fields.METADATA_RULES if field not in {"abstract", "issn", "keywords"}
)
_MIN_PRINTED_ABSTRACT_SHARE = 0.8  # of the embedded abstract's length; a shorter printed one was only found in part
_SURE_PRINTED_ABSTRACT = 0.5  # probability of a printed abstract that is taken though the embedded one is longer
_MIN_SURE_CHARACTERS = 200  # of such an abstract
_COMPARED_START = 80  # letters
_LOSING_LIST_SCORE = 0.5  # score of the list that was not chosen
_PAGE_SPAN = re.compile(r"(\w?\d+)\s*[-–]\s*(\w?\d+)")  # both pages in the field of the first
# Fields that may be printed anywhere, not only in the masthead.
_OWN_LINE_READERS = (
    ("doi", masthead.find_printed_doi),
    ("licence", find_printed_licence),
)
# Labels of zones, and the fields that they fill.
_STATEMENTS = (
    ("funding", "funding"),
    ("conflict", "conflict"),
    ("data_availability", "data_availability"),
)
_PDF_TYPE = "application/pdf"
_ARTICLE_NUMBER_PATTERN = re.compile(r"[eE]\w{0,20}\d{3}")


class CitationWeights(NamedTuple):
    """Weights of printed lines and trees for lists of people; None means the shipped ones for HTML pages."""

    lines: masthead.MastheadWeights | None = None
    people: PeopleTrees | None = None


def _shipped_weights(page: Page) -> CitationWeights:
    if page.media_type != _PDF_TYPE:
        return CitationWeights()
    return CitationWeights(masthead.shipped_masthead_weights(pdf=True), shipped_people_trees(pdf=True))


def build_citation(
    page: Page,
    *,
    kind: Kind,
    items: Sequence[MetaItem],
    zones: Sequence[LabelledZone],
    weights: CitationWeights | None = None,
) -> Citation:
    """Read a page into a citation: embedded metadata first, then the printed text.

    `weights` weigh printed lines and lists of people; the shipped ones are the default.
    """
    given = weights or _shipped_weights(page)
    draft = _CitationDraft(page)
    items = metadata_fields.own_article_items(items)
    for field in _SINGLE_VALUE_FIELDS:
        draft.choose(field, metadata_fields.metadata_values(items, field))
    _choose_title(draft, zone_fields.find_printed_title(zones))
    _add_people(draft, read_metadata_people(items), zones, given.people)
    _refine_authors(draft, zones)
    _choose_abstract(draft, items, zones)
    _fill_from_script_state(draft, items)
    zones = printed_lines(page, zones)
    issns = masthead.find_printed_issns(zones)
    clues = _find_journal_clues(draft, zones, issns)
    readings = masthead.list_line_readings(zones)
    _add_masthead_lines(draft, zones, readings, weights=given.lines, clues=clues)
    coded = (clues.issns, clues.titles[-1:]) if clues.issns and not issns[0] else issns
    _choose_issns_and_keywords(draft, items, zones, coded)
    statements = references.list_statement_zones(zones)
    _add_references(draft, items, statements["reference"])
    _add_statements(draft, zones, statements)
    if "publication_types" not in draft.values and (kind_of_article := metadata_fields.read_metadata_type(items)).texts:
        draft.take("publication_types", *kind_of_article)
    _add_grants(draft, items, zones)
    _complete_page_fields(draft)
    _add_history_dates(draft, masthead.read_printed_history(zones))
    lines = [(reading.zone.zone.path, reading.values) for reading in readings]
    if page.media_type == _PDF_TYPE:
        draft.mark_repeated(repeated_in_pdf(draft.values, draft.evidence, lines, items=items, zones=zones))
    else:
        draft.mark_repeated(repeated_on_page(draft.values, draft.list_printed_evidence(), lines, zones=zones))
    return draft.citation(kind)


def printed_lines(page: Page, zones: Sequence[LabelledZone]) -> Sequence[LabelledZone]:
    """Return the zones that lines about issue and article are read from; of a PDF also their single lines."""
    return tuple(zone_fields.with_single_lines(zones)) if page.media_type == _PDF_TYPE else zones


class _CitationDraft:
    """Fields being filled, each with its evidence."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.values: dict[str, Any] = {}
        self.evidence: dict[str, list[Evidence]] = {}
        self.alternatives: list[Alternative] = []

    def choose(self, field: str, values: Iterable[metadata_fields.MetadataValue]) -> None:
        """Take the best embedded value; equal values of other sources support it, others become alternatives."""
        for value in values:
            if field not in self.values:
                self.take(field, value.text, [value.item])
            elif value.text == self.values[field]:
                self.support(field, items=[value.item])
            else:
                self.doubt(field, value.text, value.score)

    def take(self, field: str, value: Any, items: Iterable[MetaItem], chance: float = 0.0) -> None:
        """Set a field from embedded metadata; `chance` is the probability that it is right, if that is known."""
        self.values[field] = value
        proofs = (_evidence_from_item(field, self.page, item) for item in items)
        self.evidence[field] = [replace(proof, score=chance or proof.score) for proof in proofs]

    def see(self, field: str, value: Any, lines: Iterable[zone_fields.PrintedValue]) -> None:
        """Set a field from the printed text."""
        self.values[field] = value
        self.evidence[field] = [_evidence_from_zone(field, self.page, line) for line in lines]

    def support(
        self, field: str, *, items: Iterable[MetaItem] = (), lines: Iterable[zone_fields.PrintedValue] = ()
    ) -> None:
        """Add evidence for the value; a source that is already cited is not cited again."""
        proofs = self.evidence[field]
        known = {proof.source for proof in proofs}
        proofs += [_evidence_from_item(field, self.page, item) for item in items if item.source not in known]
        proofs += [] if "zone" in known else [_evidence_from_zone(field, self.page, line) for line in lines]

    def doubt(self, field: str, value: str, score: float) -> None:
        """Keep a value that was not chosen as an alternative, at half its score."""
        self.alternatives.append(Alternative(field=field, value=value, score=score / 2))

    def copy(self, field: str, name: str, value: str) -> None:
        """Set the field `name` from the value of another field, with the same evidence."""
        self.values[name] = value
        self.evidence[name] = [replace(proof, field=name) for proof in self.evidence[field]]

    def list_printed_evidence(self) -> dict[str, list[Evidence]]:
        """Return the evidence of each field that is printed."""
        shown = {field: [proof for proof in own if proof.source == "zone"] for field, own in self.evidence.items()}
        return {field: proofs for field, proofs in shown.items() if proofs}

    def mark_repeated(self, fields: Iterable[str]) -> None:
        """Say in the evidence of fields that their values stand elsewhere too."""
        for field in fields:
            proofs = self.evidence[field]
            self.evidence[field] = [replace(proof, method=f"{proof.method}{REPEATED}") for proof in proofs]

    def citation(self, kind: Kind) -> Citation:
        """Return the finished record."""
        return Citation(
            url=self.page.url,
            kind=kind,
            evidence=tuple(proof for proofs in self.evidence.values() for proof in proofs),
            alternatives=tuple(self.alternatives),
            **self.values,
        )


def _evidence_from_item(field: str, page: Page, item: MetaItem) -> Evidence:
    return Evidence(
        field=field,
        page=page.digest,
        source=item.source,
        path=item.name,
        start=0,
        end=len(item.value),
        text=item.value,
        method="rule",
        score=metadata_fields.METADATA_TRUST[item.source],
    )


def _evidence_from_zone(field: str, page: Page, line: zone_fields.PrintedValue) -> Evidence:
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


def _choose_title(draft: _CitationDraft, printed: zone_fields.PrintedValue | None) -> None:
    if printed is None:
        return
    known = draft.values.get("title", "")
    if not known or _is_site_title(known, printed.text):
        if known:
            draft.doubt("title", known, draft.evidence["title"][0].score)
        draft.see("title", printed.text, [printed])
    if title_key(draft.values["title"]) == title_key(printed.text):
        draft.values["title_html"] = zone_fields.zone_inline_html(printed.zone.zone, printed.start, printed.end)
        draft.support("title", lines=[printed])
    else:
        draft.doubt("title", printed.text, printed.zone.verdict.score)


def _is_site_title(embedded_title: str, printed: str) -> bool:
    """Whether the embedded title only adds the site's name to the printed one."""
    return embedded_title != printed and re.split(r" [|–—-] ", embedded_title, maxsplit=1)[0] == printed


def _add_people(
    draft: _CitationDraft, known: MetadataPeople, zones: Sequence[LabelledZone], trees: PeopleTrees | None
) -> None:
    """Add authors and affiliations: the lists that the trees choose, by rule if nothing else but verdicts is known."""
    if any(zone.chances for zone in zones):
        names, places = choose_people(zones, known, trees or shipped_people_trees())
    else:
        names, places = _choose_people_by_rule(known, read_byline(zones))
    if names is not None:
        _add_authors(draft, names, known, cut=is_cut_list(zones, names.printed.author_zones if names.printed else ()))
    source = _add_affiliations(draft, places, known) if places is not None else ()
    if names is not None:
        linked = copy_namesake_affiliations(draft.values["authors"], source)
        draft.values["authors"] = add_metadata_affiliations(linked, draft.values.get("affiliations", ()), known)


def _choose_people_by_rule(
    known: MetadataPeople, printed: Byline
) -> tuple[people_readings.ChosenList | None, people_readings.ChosenList | None]:
    shown, embedded = people_readings.ChosenList(printed, 0.0), people_readings.ChosenList(None, 0.0, other=printed)
    names = shown if prefers_printed_authors(known, printed) else embedded if known.authors else None
    places = shown if prefers_printed_affiliations(known, printed) else embedded if known.affiliations else None
    return names, places


def _add_authors(
    draft: _CitationDraft, chosen: people_readings.ChosenList, known: MetadataPeople, *, cut: bool
) -> None:
    if chosen.printed is not None:
        authors = with_metadata_details(chosen.printed.authors, known.authors)
        draft.see("authors", authors, _lines_of_list(chosen.printed.author_zones, chosen))
        if cut:
            draft.evidence["authors"] = [replace(proof, method=CUT_METHOD) for proof in draft.evidence["authors"]]
        _weigh_other_list(draft, "authors", spoken_names(known.authors), items=known.author_items)
        return
    draft.take("authors", known.authors, known.author_items, chosen.chance)
    if chosen.other is not None:
        lines = _lines_of_list(chosen.other.author_zones, chosen)
        _weigh_other_list(draft, "authors", spoken_names(chosen.other.authors), lines=lines)


def _add_affiliations(
    draft: _CitationDraft, chosen: people_readings.ChosenList, known: MetadataPeople
) -> tuple[Author, ...]:
    """Add the affiliations; return the authors of the same reading, whose links refer to them."""
    if chosen.printed is not None:
        lines = _lines_of_list(chosen.printed.affiliation_zones, chosen)
        draft.see("affiliations", chosen.printed.affiliations, lines)
        _weigh_other_list(draft, "affiliations", known.affiliations, items=known.affiliation_items)
        return chosen.printed.authors
    draft.take("affiliations", known.affiliations, known.affiliation_items, chosen.chance)
    if chosen.other is not None:
        lines = _lines_of_list(chosen.other.affiliation_zones, chosen)
        _weigh_other_list(draft, "affiliations", chosen.other.affiliations, lines=lines)
    return known.authors


def _lines_of_list(
    zones: Iterable[LabelledZone], chosen: people_readings.ChosenList
) -> Iterator[zone_fields.PrintedValue]:
    """Yield the zones of a list; each has the probability that the whole list is right, if that is known."""
    for zone in zones:
        if not chosen.chance:
            yield zone_fields.whole_zone(zone)
        else:
            verdict = Verdict(zone.verdict.label, chosen.chance, "people-agreed" if chosen.agreed else "people-chosen")
            yield zone_fields.whole_zone(LabelledZone(zone.zone, verdict))


def _refine_authors(draft: _CitationDraft, zones: Sequence[LabelledZone]) -> None:
    """Add what other lines say about the authors: surnames, ORCIDs, e-mail addresses, equal contributions."""
    if "authors" not in draft.values:
        return
    authors = list(draft.values["authors"])
    if all(proof.source == "zone" for proof in draft.evidence["authors"]):
        for number, author, line in find_divided_names(authors, zones):
            authors[number] = author
            proof = _evidence_from_zone(f"authors.{number}", draft.page, line)
            draft.evidence[proof.field] = [replace(proof, method=WRITTEN_METHOD)]
    draft.values["authors"] = with_equal_contributions(
        with_correspondence(with_printed_orcids(authors, zones), zones), zones
    )


def _weigh_other_list(
    draft: _CitationDraft,
    field: str,
    texts: Sequence[str],
    *,
    items: Iterable[MetaItem] = (),
    lines: Iterable[zone_fields.PrintedValue] = (),
) -> None:
    """Compare a field with the list that was not chosen: it supports the field or becomes an alternative."""
    value = draft.values[field]
    if texts and have_same_texts(spoken_names(value) if field == "authors" else value, texts):
        draft.support(field, items=items, lines=lines)
    elif texts:
        draft.doubt(field, "; ".join(texts), _LOSING_LIST_SCORE)


def _choose_abstract(draft: _CitationDraft, items: Sequence[MetaItem], zones: Sequence[LabelledZone]) -> None:
    values = list(metadata_fields.metadata_values(items, "abstract"))
    text, sections, used = zone_fields.read_printed_abstract(zones)
    longest = max((len(value.text) for value in values), default=0)
    whole = bool(text) and len(text) >= _MIN_PRINTED_ABSTRACT_SHARE * longest
    sure = len(text) >= _MIN_SURE_CHARACTERS and used[0].verdict.score >= _SURE_PRINTED_ABSTRACT
    if whole or (sure and not _is_part_of_any(text, values)):
        draft.see("abstract", text, map(zone_fields.zone_after_lead, used))
        draft.values["sections"] = sections
        for value in values:
            if share_most_words(text, value.text):
                draft.support("abstract", items=[value.item])
            else:
                draft.doubt("abstract", value.text, value.score)
    else:
        draft.choose("abstract", values)
        if text:
            draft.doubt("abstract", text, used[0].verdict.score)


def _is_part_of_any(text: str, values: Iterable[metadata_fields.MetadataValue]) -> bool:
    """Whether an embedded abstract begins like the printed one, which then was only found in part."""
    start = fold_alphanumerics(text)[:_COMPARED_START]
    return any(start in fold_alphanumerics(value.text) for value in values)


def _fill_from_script_state(draft: _CitationDraft, items: Sequence[MetaItem]) -> None:
    """Take a title or abstract that is neither in the metadata nor in print from the data of the page's scripts."""
    for field in ("title", "abstract"):
        if field not in draft.values:
            draft.choose(field, metadata_fields.script_state_values(items, field))


def _find_journal_clues(
    draft: _CitationDraft, zones: Sequence[LabelledZone], issns: masthead.PrintedIssns
) -> journal_names.JournalClues:
    printed = masthead.find_printed_doi(zones)
    doi = draft.values.get("doi") or (printed.text if printed else "")
    return journal_names.find_journal_clues(draft.page, zones, doi, issns)


def _add_masthead_lines(
    draft: _CitationDraft,
    zones: Sequence[LabelledZone],
    readings: Sequence[masthead.LineReading],
    *,
    weights: masthead.MastheadWeights | None,
    clues: journal_names.JournalClues,
) -> None:
    found = masthead.read_masthead_lines(zones, draft.values, readings=readings, weights=weights, clues=clues)
    found |= {field: line for field, read in _OWN_LINE_READERS if (line := read(zones)) is not None}
    for field, line in found.items():
        if field not in draft.values:
            draft.see(field, line.text, [line])
        elif agrees_with_printed_line(field, draft.values[field], line.text):
            draft.support(field, lines=[line])
        else:
            draft.doubt(field, line.text, line.zone.verdict.score)


def _choose_issns_and_keywords(
    draft: _CitationDraft, items: Sequence[MetaItem], zones: Sequence[LabelledZone], printed: masthead.PrintedIssns
) -> None:
    issns, words = metadata_fields.read_metadata_issns(items), metadata_fields.read_metadata_keywords(items)
    printed_issns, places = printed
    if issns.texts:
        draft.take("issn", issns.texts, issns.items)
    elif printed_issns:
        draft.see("issn", printed_issns, places)
    printed_words, places = read_printed_keywords(zones)
    # Metadata mixes the authors' keywords with the site's subjects; printed keywords are the authors' own.
    theirs = len(printed_words) > 1 and not have_same_letters(printed_words, words.texts)
    if theirs or (printed_words and not words.texts):
        draft.see("keywords", printed_words, places)
        _weigh_other_list(draft, "keywords", words.texts, items=words.items)
    elif words.texts:
        draft.take("keywords", words.texts, words.items)
        _weigh_other_list(draft, "keywords", printed_words, lines=places)


def _add_references(draft: _CitationDraft, items: Sequence[MetaItem], zones: Sequence[LabelledZone]) -> None:
    found = references.read_references(zones, items, draft.values.get("doi", ""))
    if found.lines:
        draft.see("references", found.texts, found.lines)
    elif found.texts:
        draft.take("references", found.texts, found.items)
    if found.dois and found.lines:
        draft.see("reference_dois", found.dois, found.doi_lines)
    elif found.dois:
        draft.take("reference_dois", found.dois, found.items)


def _add_grants(draft: _CitationDraft, items: Sequence[MetaItem], zones: Sequence[LabelledZone]) -> None:
    """Add grants: printed ones, which name the funder, and those that only the metadata states."""
    stated, places = grants.read_metadata_grants(items)
    near = grants.select_funding_zones(zones)
    printed, lines = grants.find_printed_grants(near)
    if printed:
        draft.see("grants", grants.join_grants(printed, stated), lines)
        draft.support("grants", items=places)
    elif stated:
        draft.take("grants", stated, places)
    if "funding" not in draft.values and (statements := grants.find_funding_statements(near)):
        draft.see("funding", tuple(line.text for line in statements), statements)


def _add_statements(
    draft: _CitationDraft, zones: Sequence[LabelledZone], statements: Mapping[str, Sequence[LabelledZone]]
) -> None:
    """Add what the page states beside the core fields; sections as printed, without their heading words."""
    for label, field in _STATEMENTS:
        announced = map(zone_fields.zone_after_lead, statements[label])
        places = [
            line for line in announced if any(map(str.isalnum, line.text))
        ]  # not an arrow that links back to the text
        if places:
            texts = tuple(line.text for line in places)
            draft.see(field, texts if field == "funding" else " ".join(texts), places)
    readers = (
        ("other_abstracts", zone_fields.read_other_abstracts(zones, draft.values.get("abstract", ""))),
        ("identifiers", zone_fields.find_trial_numbers(zones)),
        ("publication_types", zone_fields.find_article_types(zones)),
        ("corrections", zone_fields.find_notices(zones)),
    )
    for field, (found, lines) in readers:
        if found:
            draft.see(field, found, lines)


def _complete_page_fields(draft: _CitationDraft) -> None:
    """Complete the last page (201-8 ends at 208); a lone first page such as `e240011` is an article number too."""
    first, last = (draft.values.get(field, "") for field in ("first_page", "last_page"))
    span = _PAGE_SPAN.fullmatch(first)
    if span and last in {"", span.group(2)}:
        first, last = span.groups()
        draft.copy("first_page", "last_page", last)
        draft.values["first_page"] = first
    if first.isdecimal() and last.isdecimal() and len(last) < len(first):
        draft.values["last_page"] = first[: -len(last)] + last
    elif first and not last and "article_number" not in draft.values and _ARTICLE_NUMBER_PATTERN.fullmatch(first):
        draft.copy("first_page", "article_number", first)


def _add_history_dates(draft: _CitationDraft, printed: Mapping[str, zone_fields.PrintedValue]) -> None:
    """Add the article's history; a publication date in it replaces a less precise date."""
    dates = {name: line for name, line in printed.items() if name != "published"}
    if dates:
        draft.see("dates", tuple(NamedDate(name, line.text) for name, line in dates.items()), dates.values())
    date = draft.values.get("date", "")
    # An article with page numbers was printed after it was online.
    online = None if date and "first_page" in draft.values else printed.get("epublish")
    line = printed.get("published") or online
    if line is not None and line.text.startswith(date) and line.text != date:
        draft.see("date", line.text, [line])
