"""MEDLINE's tagged form, `.nbib`: four characters of tag, a hyphen, a blank; long values go on below six blanks."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import BinaryIO

from medharvest.citations.formats import dates, nlm, persons
from medharvest.citations.formats.characters import plain
from medharvest.citations.formats.languages import three_letters, two_letters
from medharvest.citations.formats.people import with_places
from medharvest.citations.formats.pubmed import HISTORY
from medharvest.citations.formats.pubmed_reader import pages
from medharvest.citations.formats.tagged import Tags, tagged_records, value, values
from medharvest.citations.identifiers import find_orcid, written_issns
from medharvest.citations.nlm_names import group_name, short_name
from medharvest.citations.page_ranges import parse_pages
from medharvest.records import Author, Citation, NamedDate

_WIDTH = 82  # characters of a value on one line
_LINE = re.compile(r"([A-Z][A-Z0-9 ]{3})- (.*)")
_KIND = re.compile(r"(.*?) \[(\w+)\]")


def write(citations: Iterable[Citation]) -> Iterator[str]:
    """Write records one by one, an empty line after each."""
    for citation in citations:
        yield "".join([_line(tag, text) for tag, text in _tags(citation) if text]) + "\n"


@functools.lru_cache(maxsize=2048)  # authors share affiliations, articles their journal
def _line(tag: str, text: str) -> str:
    """A tag and its value, cut before the words that would stand past the width; nothing for an empty one."""
    text = plain(text)
    if not text:
        return ""
    lines = []
    while len(text) > _WIDTH:
        cut = text.rfind(" ", 1, _WIDTH + 1)
        cut = cut if cut > 0 else text.find(" ", _WIDTH)  # a word longer than a line stays whole
        if cut < 0:
            break
        lines.append(text[:cut])
        text = text[cut + 1 :]
    return f"{tag:<4}- " + "\n      ".join([*lines, text]) + "\n"


def _tags(citation: Citation) -> Iterator[tuple[str, str]]:
    yield from (("PMID", citation.pmid), ("OWN", "NOTNLM"), ("STAT", "Publisher"))
    yield from (("IS", f"{issn} (Linking)") for issn in citation.issn if issn)  # readers demand a kind; this says least
    yield from (("VI", citation.volume), ("IP", citation.issue), ("DP", dates.printed(citation.date)))
    yield "TI", nlm.with_stop(citation.title, translated=bool(citation.vernacular_title))
    yield "PG", _pages(citation)
    yield from _identifiers("LID", citation)
    yield "AB", nlm.joined(replace(part, label=part.label.upper()) for part in citation.sections) or citation.abstract
    for author in citation.authors:
        yield from _author(author, citation)
    yield "LA", three_letters(citation.language)
    yield from (("GR", grant) for grant in map(_grant, citation.funding))
    kinds = [kind for kind in citation.publication_types if plain(kind)]
    yield from (("PT", kind) for kind in kinds or ("Journal Article",))
    yield "TT", nlm.with_stop(citation.vernacular_title, translated=False)
    yield "DEP", next((_digits(item.date) for item in citation.dates if item.name == "epublish"), "")
    yield from (("TA", citation.abbreviation), ("JT", citation.journal))
    yield from (("OT", word) for word in citation.keywords)
    yield "COIS", citation.conflict
    for item in citation.dates:
        if item.name in HISTORY and dates.is_full(item.date):
            yield "PHST", f"{dates.slashed(item.date)} 00:00 [{item.name}]"
    yield from _identifiers("AID", citation)
    yield from (("PST", "ppublish"), ("SO", source(citation)))


def _author(author: Author, citation: Citation) -> Iterator[tuple[str, str]]:
    """An author's tags: the affiliations belong to the name above them."""
    if author.collective:
        yield "CN", group_name(author.collective)
    else:
        fore = " ".join(part for part in (persons.fore_name(author.given), persons.counted(author.suffix)) if part)
        yield "FAU", ", ".join(part for part in (author.family, fore) if part)
        yield "AU", short_name(author)
    yield "AUID", f"ORCID: {author.orcid}" if author.orcid else ""
    for i in author.affiliations:
        yield "AD", citation.affiliations[i] if 0 <= i < len(citation.affiliations) else ""


def _pages(citation: Citation) -> str:
    first, last = citation.first_page or citation.article_number, citation.last_page
    return f"{first}-{last}" if first and last else first


def _identifiers(tag: str, citation: Citation) -> Iterator[tuple[str, str]]:
    for kind, text in (("doi", citation.doi), ("pii", citation.pii)):
        yield tag, f"{text} [{kind}]" if text else ""


def _grant(text: str) -> str:
    grantor, number = nlm.grant(plain(text))
    return f"{number}//{grantor.replace('/', ' ')}/" if grantor else ""  # acronym and country are not known


def _digits(iso: str) -> str:
    return "".join(dates.parts(iso)) if dates.is_full(iso) else ""


def source(citation: Citation) -> str:
    """Where an article stands, as in `Ann Ex Med. 2025 Mar;12(3):123-128. doi: 10.5555/a1.`, on a line."""
    number = f"({citation.issue})" if citation.issue else ""
    where = f"{citation.volume}{number}" + (f":{_pages(citation)}" if _pages(citation) else "")
    when = dates.printed(citation.date) + (f";{where}" if where else "")
    told = [citation.abbreviation or citation.journal, when, f"doi: {citation.doi}" if citation.doi else ""]
    return " ".join(f"{part.rstrip('.')}." for part in told if part)


def read(file: BinaryIO) -> Iterator[Citation]:
    """Read records one by one: one ends at an empty line, or where the next PMID stands."""
    for record in tagged_records(file, _LINE, _ends, "nbib"):
        yield _citation(record)


def _ends(_last: str, line: str) -> bool:
    return not line.strip() or line.startswith("PMID-")


def _citation(record: Tags) -> Citation:
    title, _ = nlm.without_stop(value(record, "TI"))
    authors, places = with_places(_people(record))
    first, last = parse_pages(value(record, "PG"))
    page, number = pages(first, last)
    abstract = value(record, "AB")
    return Citation(
        title=title,
        vernacular_title=nlm.without_stop(value(record, "TT"))[0],
        authors=authors,
        affiliations=places,
        abstract=abstract,
        sections=nlm.cut_sections(abstract),
        journal=value(record, "JT"),
        abbreviation=value(record, "TA"),
        issn=tuple(dict.fromkeys(issn for text in values(record, "IS") for issn in written_issns(text.split(" ")[0]))),
        volume=value(record, "VI"),
        issue=value(record, "IP"),
        first_page=page,
        last_page=last,
        article_number=number,
        date=dates.from_printed(value(record, "DP")),
        dates=_history(record),
        doi=_identifier(record, "doi"),
        pmid=value(record, "PMID"),
        pii=_identifier(record, "pii"),
        language=two_letters(value(record, "LA")),
        keywords=values(record, "OT"),
        funding=tuple(map(_funding, values(record, "GR"))),
        publication_types=values(record, "PT"),
        conflict=value(record, "COIS"),
    )


def _people(record: Tags) -> Iterator[tuple[Author, tuple[str, ...]]]:
    """Each author with the affiliations below; a file without full names has the short ones."""
    names = {"FAU", "CN"} if values(record, "FAU") else {"AU", "CN"}
    starts = [i for i, (tag, _) in enumerate(record) if tag in names]
    for start, end in pairwise([*starts, len(record)]):
        tag, text = record[start]
        own = record[start + 1 : end]
        author = Author(collective=text) if tag == "CN" else _person(tag, text)
        yield replace(author, orcid=find_orcid(value(own, "AUID"))), values(own, "AD")


def _person(tag: str, text: str) -> Author:
    if tag == "FAU":
        return persons.from_full(text)
    family, _, short = text.rpartition(" ")
    return Author(family=family, given=short) if family and short.isupper() else Author(family=text)


def _identifier(record: Tags, kind: str) -> str:
    found = (_KIND.fullmatch(text) for text in values(record, "AID", "LID"))
    return next((match[1] for match in found if match and match[2] == kind), "")


def _history(record: Tags) -> tuple[NamedDate, ...]:
    past = {}
    for found in map(_KIND.fullmatch, values(record, "PHST")):
        if found and found[2] in HISTORY:
            past[found[2]] = dates.from_parts(*found[1].partition(" ")[0].split("/")[:3])
    online = re.fullmatch(r"([0-9]{4})([0-9]{2})([0-9]{2})", value(record, "DEP"))
    if online:
        past.setdefault("epublish", dates.from_parts(*online.groups()))
    return tuple(NamedDate(name, past[name]) for name in HISTORY if past.get(name))


def _funding(text: str) -> str:
    """The grant of `number/acronym/agency/country`, where short ones leave out acronym and number."""
    parts = [part.strip() for part in text.rsplit("/", 3)]
    if len(parts) == 4:  # noqa: PLR2004
        return nlm.from_grant(parts[2], parts[0])
    return nlm.from_grant(parts[-2], parts[0]) if len(parts) == 3 else parts[0]  # noqa: PLR2004
