"""Rules for records beyond any schema, each with a proposed repair, and automatic repairs.

They cover identifiers, pages, dates, names and texts. `check_citation` applies all rules to one record.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

from medharvest.citations.identifiers import find_doi, find_issns, find_orcid
from medharvest.citations.languages import guess_language
from medharvest.citations.nlm_style import clean_abstract, to_sentence_case
from medharvest.fields import full_name, is_retracted, write_record_lines
from medharvest.formats import medline_values, pubmed
from medharvest.formats.medline_values import to_two_letter_code
from medharvest.pages.word_lists import ACADEMIC_DEGREES
from medharvest.records import Author, Citation, unescape_html

_Problems = Iterator[tuple[str, str]]  # message and proposed repair

_DEMAND_REPAIRS = {
    "abbreviation": "write NLM's abbreviation of the journal as JournalTitle",
    "issn": "write the journal's ISSN as Issn",
    "publisher": "write the publisher as PublisherName",
}

_ENTITY_AS_TEXT = re.compile(r"&(?:amp|lt|gt|quot|nbsp|#[0-9]{1,6}|#x[0-9a-fA-F]{1,6});")
_TAG_AS_TEXT = re.compile(r"</?(?:i|b|u|em|strong|sup|sub|p|br|span|italic|bold)\b[^<>]{0,100}>", re.IGNORECASE)
_GROUP_NAME_LEAD = re.compile(r"(?i)(?:(?:on behalf of|for)\s+)?the\s+|on behalf of\s+")
_MAX_CAPITAL_NAME_LETTERS = 3  # a name this short may be an acronym or initials


class Level(StrEnum):
    """The severity of a finding: an error blocks delivery, a warning never blocks acceptance."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One problem: the field or element, the rule it breaks and the proposed repair.

    `record` and `line` are numbers in the file, counted from 1, or 0 if unknown.
    """

    level: Level
    field: str
    rule: str
    message: str
    repair: str = ""
    record: int = 0
    line: int = 0


@dataclass(frozen=True, slots=True)
class CitationRule:
    """A rule: its name, the field it checks, its severity, and the function that finds problems."""

    name: str
    field: str
    level: Level
    find: Callable[[Citation], _Problems]


def check_citation(citation: Citation, *, record: int = 0, line: int = 0) -> tuple[Finding, ...]:
    """Return the problems of a record, errors first."""
    found = (
        Finding(level=r.level, field=r.field, rule=r.name, message=message, repair=repair, record=record, line=line)
        for r in CITATION_RULES
        for message, repair in r.find(citation)
    )
    return tuple(sorted(found, key=lambda finding: finding.level))


def check_set(citations: Iterable[Citation]) -> Iterator[Finding]:
    """Yield the problems of each record, and DOIs that two records share."""
    first: dict[str, int] = {}
    for number, citation in enumerate(citations, 1):
        yield from check_citation(citation, record=number)
        doi = citation.doi.lower()
        if doi and first.setdefault(doi, number) != number:
            yield Finding(
                level=Level.ERROR,
                field="doi",
                rule="doi once",
                message=f"record {first[doi]} has the same DOI: {doi}",
                repair="remove one of the two records",
                record=number,
            )


def check_demands(citation: Citation, *, record: int = 0) -> tuple[Finding, ...]:
    """Return a finding for each field that PubMed requires and a record lacks."""
    return tuple(
        Finding(
            level=Level.ERROR,
            field=name,
            rule="demanded",
            message=f"required by PubMed: {name}",
            repair=_DEMAND_REPAIRS.get(name, f"add the {name}"),
            record=record,
        )
        for name in pubmed.lacks(citation)
    )


def _check_issns(citation: Citation) -> _Problems:
    for issn in citation.issn:
        if (issn,) != find_issns(issn):
            known = "".join(find_issns(issn)[:1])
            yield f"not an ISSN, or its check digit is wrong: {issn}", known or "check the journal's imprint"


def _check_doi(citation: Citation) -> _Problems:
    if citation.doi and find_doi(citation.doi) != citation.doi:
        yield f"not a bare DOI: {citation.doi}", find_doi(citation.doi) or "a DOI begins with 10. and has a slash"


def _check_pmid(citation: Citation) -> _Problems:
    if citation.pmid and not re.fullmatch(r"[1-9][0-9]{0,8}", citation.pmid):
        yield (
            f"not a PMID: {citation.pmid}",
            "".join(re.findall(r"[1-9][0-9]{0,8}", citation.pmid)[:1]) or "remove it",
        )


def _check_orcids(citation: Citation) -> _Problems:
    for author in citation.authors:
        if author.orcid and find_orcid(author.orcid) != author.orcid:
            known = find_orcid(author.orcid)
            yield f"not a bare ORCID, or its check digit is wrong: {author.orcid}", known or "ask the author"


def _check_location(citation: Citation) -> _Problems:
    if not (citation.first_page or citation.article_number or citation.doi or citation.pii):
        yield "no first page, article number, DOI or PII to locate the article", "add one of them"


def _check_page_order(citation: Citation) -> _Problems:
    first, last = map(_match_page_number, (citation.first_page, citation.last_page))
    if first and last and int(last[2]) < int(first[2]):
        repair = _expand_last_page(citation) or "check the article"
        yield f"the last page is before the first: {citation.first_page} to {citation.last_page}", repair


def _expand_last_page(citation: Citation) -> str:
    """Return a shortened last page in full, as in 123 to 31; empty if that is impossible."""
    first, last = map(_match_page_number, (citation.first_page, citation.last_page))
    if not first or not last or int(last[2]) >= int(first[2]):
        return ""
    full = first[2][: len(first[2]) - len(last[2])] + last[2]
    return f"{first[1]}{full}" if int(full) >= int(first[2]) else ""


def _match_page_number(page: str) -> re.Match[str] | None:
    return re.fullmatch(r"(\D*)([0-9]{1,9})", page)


def _check_iso_dates(citation: Citation) -> _Problems:
    for date in (citation.date, *(item.date for item in citation.dates)):
        if date and not all(_is_iso_date(part) for part in date.split("/")):
            year = "".join(medline_values.split_iso_date(date)[:1])
            yield f"not a date: {date}", year or "write YYYY, YYYY-MM or YYYY-MM-DD"


def _is_iso_date(date: str) -> bool:
    whole = "-".join(medline_values.split_iso_date(date))
    return date in (whole, f"{date[:4]}-{date[5:]}") and (date == whole or date[5:] in medline_values.SEASON_NAMES)


def _check_date_order(citation: Citation) -> _Problems:
    past = {item.name: item.date for item in citation.dates}
    known = [(name, past[name]) for name in ("received", "revised", "accepted", "epublish") if past.get(name)]
    for (one, before), (two, after) in pairwise(known):
        if after[: len(before)] < before[: len(after)]:
            yield f"{two} ({after}) is before {one} ({before})", "check the article's history"


def _check_degrees(citation: Citation) -> _Problems:
    for author in citation.authors:
        given = author.given.split()
        words, names = [*author.family.split()[1:], *author.suffix.split(), *given], frozenset(given)
        held = [word for word in words if _is_degree_in_name(word, names)]
        if held:
            yield f"a name contains a degree: {full_name(author)}", f"remove {', '.join(held)}"


def _is_degree_in_name(word: str, given: AbstractSet[str]) -> bool:
    """Whether a word of a name is a degree; two capitals among given names may be initials."""
    bare = word.replace(".", "").strip(",;")
    short = len(bare) < 3 and word in given  # noqa: PLR2004
    return bare.lower() in ACADEMIC_DEGREES and not short and bare[:1].isupper() and bare not in {"Do", "Ma", "Pa"}


def _check_group_names(citation: Citation) -> _Problems:
    for author in citation.authors:
        found = _GROUP_NAME_LEAD.match(author.collective)
        if found:
            yield f"a group's name begins with an article: {author.collective}", author.collective[found.end() :]


def _check_empty_names(citation: Citation) -> _Problems:
    for author in citation.authors:
        if not (author.family or author.given or author.collective):
            yield "an author has no name", "name the author, or remove the entry"


def _check_title_capitals(citation: Citation) -> _Problems:
    letters = [letter for letter in citation.title if letter.isalpha()]
    if len(letters) > 15 and citation.title.isupper():  # noqa: PLR2004  (a short one may be an acronym)
        yield f"the title is in capitals: {citation.title[:60]}", to_sentence_case(citation.title)


def _check_name_capitals(citation: Citation) -> _Problems:
    for author in citation.authors:
        if len(author.family) > _MAX_CAPITAL_NAME_LETTERS and author.family.isupper():
            yield f"a name is in capitals: {full_name(author)}", author.family.title()


def _check_abstract_ends(citation: Citation) -> _Problems:
    clean = clean_abstract(citation.abstract)
    if clean.copyright:
        yield f"the abstract contains a copyright line: {clean.copyright[:60]}", "remove it from the abstract"
    if not citation.abstract.strip().startswith(clean.text[:20]):
        yield f"the abstract begins with its heading: {citation.abstract[:40]}", clean.text[:60]


def _check_escaped_entities(citation: Citation) -> _Problems:
    for name in ("title", "abstract", "journal"):
        text = getattr(citation, name)
        found = _ENTITY_AS_TEXT.search(text)
        if found:
            yield f"{name} contains an entity as text: {found.group()}", unescape_html(found.group())


def _check_tags_in_text(citation: Citation) -> _Problems:
    for name in ("title", "abstract"):
        found = _TAG_AS_TEXT.search(getattr(citation, name))
        if found:
            yield f"{name} contains a tag as text: {found.group()}", f"remove it, or keep it in {name}_html"


def _check_english_title(citation: Citation) -> _Problems:
    language = to_two_letter_code(citation.language)
    if language not in {"", "en"} and citation.title and not citation.vernacular_title:
        yield (
            f"the article is in {language} but has only one title: is it the English one?",
            "put the English title in title, the original in vernacular_title",
        )


def _check_language(citation: Citation) -> _Problems:
    stated = to_two_letter_code(citation.language)
    if citation.language and not stated:
        yield f"unknown language: {citation.language}", "write a two-letter code such as en"
    written = guess_language(citation.abstract or citation.title) if stated else ""
    if written not in {"", "en", stated}:  # articles in any language have English abstracts
        yield f"the language is stated as {stated}, but the text looks like {written}", written


def _check_vernacular_letters(citation: Citation) -> _Problems:
    if citation.vernacular_title and not pubmed.is_latin(citation.vernacular_title):
        yield "PubMed accepts vernacular titles only in Latin letters", "transliterate it, or it is left out"


def _check_stray_affiliations(citation: Citation) -> _Problems:
    used = {i for author in citation.authors for i in author.affiliations}
    if not used:  # a file without any links tells nothing
        return
    for i, place in enumerate(citation.affiliations):
        if i not in used:
            yield f"no author has this affiliation: {place[:60]}", "link it to its author"


def _check_publication_types(citation: Citation) -> _Problems:
    for name in citation.publication_types:
        if name not in medline_values.PUBLICATION_TYPES:
            near = next(
                (known for known in medline_values.PUBLICATION_TYPES if known.lower() == name.lower()),
                "Journal Article",
            )
            yield f"not one of NLM's publication types: {name}", near


def _check_retraction(citation: Citation) -> _Problems:
    if is_retracted(citation):
        lines = write_record_lines(citation, "corrections")
        notice = next((line for line in lines if line.startswith("Retract")), "Retracted Publication")
        yield f"the article was retracted: {notice[:120]}", "cite the retraction, or leave the record out"


CITATION_RULES: tuple[CitationRule, ...] = (
    CitationRule("check digit", "issn", Level.ERROR, _check_issns),
    CitationRule("bare DOI", "doi", Level.ERROR, _check_doi),
    CitationRule("number", "pmid", Level.ERROR, _check_pmid),
    CitationRule("check digit", "authors", Level.ERROR, _check_orcids),
    CitationRule("a place", "first_page", Level.ERROR, _check_location),
    CitationRule("page order", "last_page", Level.ERROR, _check_page_order),
    CitationRule("ISO date", "date", Level.ERROR, _check_iso_dates),
    CitationRule("no degrees", "authors", Level.ERROR, _check_degrees),
    CitationRule("a name", "authors", Level.ERROR, _check_empty_names),
    CitationRule("not retracted", "corrections", Level.WARNING, _check_retraction),
    CitationRule("order of dates", "dates", Level.WARNING, _check_date_order),
    CitationRule("bare group name", "authors", Level.WARNING, _check_group_names),
    CitationRule("no capitals", "title", Level.WARNING, _check_title_capitals),
    CitationRule("no capitals", "authors", Level.WARNING, _check_name_capitals),
    CitationRule("nothing but the abstract", "abstract", Level.WARNING, _check_abstract_ends),
    CitationRule("escaped once", "title", Level.WARNING, _check_escaped_entities),
    CitationRule("no tags", "title", Level.WARNING, _check_tags_in_text),
    CitationRule("English title", "title", Level.WARNING, _check_english_title),
    CitationRule("known language", "language", Level.WARNING, _check_language),
    CitationRule("Latin letters", "vernacular_title", Level.WARNING, _check_vernacular_letters),
    CitationRule("affiliation of an author", "affiliations", Level.WARNING, _check_stray_affiliations),
    CitationRule("NLM's list", "publication_types", Level.WARNING, _check_publication_types),
)


def repair_citation_field(citation: Citation, field: str) -> Citation:
    """Return the record with one field repaired; unchanged if there is no repair."""
    repair = _FIELD_REPAIRS.get(field)
    return repair(citation) if repair else citation


def _repair_title(citation: Citation) -> Citation:
    title = _strip_tags_and_entities(citation.title)
    if title.isupper():
        title = to_sentence_case(title)
    return replace(citation, title=title, title_html="" if title != citation.title else citation.title_html)


def _repair_abstract(citation: Citation) -> Citation:
    text = clean_abstract(_strip_tags_and_entities(citation.abstract)).text
    if text == citation.abstract:
        return citation
    sections = tuple(replace(part, text=_strip_tags_and_entities(part.text)) for part in citation.sections)
    return replace(citation, abstract=text, abstract_html="", sections=sections)


def _strip_tags_and_entities(text: str) -> str:
    """Remove tags and entities that a text contains as plain characters."""
    return " ".join(unescape_html(_TAG_AS_TEXT.sub("", text)).split())


def _repair_authors(citation: Citation) -> Citation:
    named = [
        author
        for author in map(_repair_one_author, citation.authors)
        if author.family or author.given or author.collective
    ]
    return replace(citation, authors=tuple(named))


def _repair_one_author(author: Author) -> Author:
    names = frozenset(author.given.split())
    family, given, suffix = (
        " ".join(
            word for n, word in enumerate(text.split()) if not _is_degree_in_name(word, names) or (first and not n)
        )
        for text, first in ((author.family, True), (author.given, False), (author.suffix, False))
    )
    if len(family) > _MAX_CAPITAL_NAME_LETTERS and family.isupper():
        family = family.title()
    collective = (
        _GROUP_NAME_LEAD.sub("", author.collective, count=1)
        if _GROUP_NAME_LEAD.match(author.collective)
        else author.collective
    )
    orcid = find_orcid(author.orcid) or author.orcid
    return replace(author, family=family, given=given, suffix=suffix, collective=collective, orcid=orcid)


def _repair_language(citation: Citation) -> Citation:
    known = to_two_letter_code(citation.language) or guess_language(citation.abstract or citation.title)
    return replace(citation, language=known or citation.language)


def _repair_pmid(citation: Citation) -> Citation:
    found = re.findall(r"[1-9][0-9]{0,8}", citation.pmid)
    return replace(citation, pmid=found[0] if found else "")


_FIELD_REPAIRS: Mapping[str, Callable[[Citation], Citation]] = {
    "title": _repair_title,
    "abstract": _repair_abstract,
    "authors": _repair_authors,
    "language": _repair_language,
    "pmid": _repair_pmid,
    "doi": lambda citation: replace(citation, doi=find_doi(citation.doi) or citation.doi),
    "issn": lambda citation: replace(
        citation, issn=tuple(dict.fromkeys(known for issn in citation.issn for known in find_issns(issn) or (issn,)))
    ),
    "last_page": lambda citation: replace(citation, last_page=_expand_last_page(citation) or citation.last_page),
    "journal": lambda citation: replace(citation, journal=_strip_tags_and_entities(citation.journal)),
}
