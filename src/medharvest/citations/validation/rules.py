"""Rules that no schema sees: identifiers, pages, dates, names and texts, each with the repair proposed."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from medharvest.citations.abstracts import clean_abstract
from medharvest.citations.formats import dates, nlm, pubmed
from medharvest.citations.formats.languages import two_letters
from medharvest.citations.identifiers import find_doi, find_issns, find_orcid
from medharvest.citations.languages import guess_language
from medharvest.citations.titles import sentence_case
from medharvest.citations.validation.findings import Finding, Level
from medharvest.fields import full_name
from medharvest.pages.degrees import DEGREES
from medharvest.records import Author, Citation

Answers = Iterator[tuple[str, str]]  # what is wrong, and the repair proposed


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its name, the field it looks at, how much it weighs, and how to find what breaks it."""

    name: str
    field: str
    level: Level
    find: Callable[[Citation], Answers]


def check_citation(citation: Citation, *, record: int = 0, line: int = 0) -> tuple[Finding, ...]:
    """What is wrong with a record, errors first."""
    found = (
        Finding(level=r.level, field=r.field, rule=r.name, message=message, repair=repair, record=record, line=line)
        for r in RULES
        for message, repair in r.find(citation)
    )
    return tuple(sorted(found, key=lambda finding: finding.level))


def check_set(citations: Iterable[Citation]) -> Iterator[Finding]:
    """What is wrong with records one by one, and with a DOI that two of them have."""
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
                repair="take one of the two records out",
                record=number,
            )


def check_demands(citation: Citation, *, record: int = 0) -> tuple[Finding, ...]:
    """What PubMed demands and a record has not."""
    return tuple(
        Finding(
            level=Level.ERROR,
            field=name,
            rule="demanded",
            message=f"PubMed demands it: {name}",
            repair=_DEMANDED.get(name, f"add the {name}"),
            record=record,
        )
        for name in pubmed.lacks(citation)
    )


_DEMANDED = {
    "abbreviation": "write NLM's abbreviation of the journal as JournalTitle",
    "issn": "write the journal's ISSN as Issn",
    "publisher": "write the publisher as PublisherName",
}


def _issn(citation: Citation) -> Answers:
    for issn in citation.issn:
        if (issn,) != find_issns(issn):
            known = "".join(find_issns(issn)[:1])
            yield f"not an ISSN, or its check digit is wrong: {issn}", known or "look at the journal's imprint"


def _doi(citation: Citation) -> Answers:
    if citation.doi and find_doi(citation.doi) != citation.doi:
        yield f"not a bare DOI: {citation.doi}", find_doi(citation.doi) or "a DOI begins with 10. and has a slash"


def _pmid(citation: Citation) -> Answers:
    if citation.pmid and not re.fullmatch(r"[1-9][0-9]{0,8}", citation.pmid):
        yield (
            f"not a PMID: {citation.pmid}",
            "".join(re.findall(r"[1-9][0-9]{0,8}", citation.pmid)[:1]) or "take it out",
        )


def _orcid(citation: Citation) -> Answers:
    for author in citation.authors:
        if author.orcid and find_orcid(author.orcid) != author.orcid:
            known = find_orcid(author.orcid)
            yield f"not a bare ORCID, or its check digit is wrong: {author.orcid}", known or "ask the author"


def _location(citation: Citation) -> Answers:
    if not (citation.first_page or citation.article_number or citation.doi or citation.pii):
        yield "no first page, article number, DOI or PII tells where the article stands", "add one of them"


def _pages(citation: Citation) -> Answers:
    first, last = map(_page_number, (citation.first_page, citation.last_page))
    if first and last and int(last[2]) < int(first[2]):
        repair = full_last_page(citation) or "look at the article"
        yield f"the last page is before the first: {citation.first_page} to {citation.last_page}", repair


def full_last_page(citation: Citation) -> str:
    """The last page in full where it is written short, as in 123 to 31; empty where it cannot be."""
    first, last = map(_page_number, (citation.first_page, citation.last_page))
    if not first or not last or int(last[2]) >= int(first[2]):
        return ""
    full = first[2][: len(first[2]) - len(last[2])] + last[2]
    return f"{first[1]}{full}" if int(full) >= int(first[2]) else ""


def _page_number(page: str) -> re.Match[str] | None:
    return re.fullmatch(r"(\D*)([0-9]{1,9})", page)


def _date(citation: Citation) -> Answers:
    for date in (citation.date, *(item.date for item in citation.dates)):
        if date and not all(_is_iso(part) for part in date.split("/")):
            year = "".join(dates.parts(date)[:1])
            yield f"not a date: {date}", year or "write YYYY, YYYY-MM or YYYY-MM-DD"


def _is_iso(date: str) -> bool:
    whole = "-".join(dates.parts(date))
    return date in (whole, f"{date[:4]}-{date[5:]}") and (date == whole or date[5:] in dates.SEASONS)


def _chronology(citation: Citation) -> Answers:
    past = {item.name: item.date for item in citation.dates}
    known = [(name, past[name]) for name in ("received", "revised", "accepted", "epublish") if past.get(name)]
    for (one, before), (two, after) in pairwise(known):
        if after[: len(before)] < before[: len(after)]:
            yield f"{two} ({after}) is before {one} ({before})", "look at the article's history"


def _degrees(citation: Citation) -> Answers:
    for author in citation.authors:
        words = [*author.family.split()[1:], *author.suffix.split(), *author.given.split()]
        held = [word for word in words if is_degree(word, author)]
        if held:
            yield f"a degree stands in a name: {full_name(author)}", f"take {', '.join(held)} out"


def is_degree(word: str, author: Author) -> bool:
    """Whether a word of a name is a degree; two capitals among given names may be initials."""
    bare = word.replace(".", "").strip(",;")
    short = len(bare) < 3 and word in author.given.split()  # noqa: PLR2004
    return bare.lower() in DEGREES and not short and bare[:1].isupper() and bare not in {"Do", "Ma", "Pa"}


def _behalf(citation: Citation) -> Answers:
    for author in citation.authors:
        found = re.match(r"(?i)(?:(?:on behalf of|for)\s+)?the\s+|on behalf of\s+", author.collective)
        if found:
            yield f"a group's name begins with its article: {author.collective}", author.collective[found.end() :]


def _nameless(citation: Citation) -> Answers:
    for author in citation.authors:
        if not (author.family or author.given or author.collective):
            yield "an author has no name", "name the author, or take the entry out"


def _capitals(citation: Citation) -> Answers:
    letters = [letter for letter in citation.title if letter.isalpha()]
    if len(letters) > 15 and citation.title.isupper():  # noqa: PLR2004  (a short one may be an acronym)
        yield f"the title stands in capitals: {citation.title[:60]}", sentence_case(citation.title)


def _capital_names(citation: Citation) -> Answers:
    for author in citation.authors:
        if len(author.family) > 3 and author.family.isupper():  # noqa: PLR2004
            yield f"a name stands in capitals: {full_name(author)}", author.family.title()


_ESCAPED = re.compile(r"&(?:amp|lt|gt|quot|nbsp|#[0-9]{1,6}|#x[0-9a-fA-F]{1,6});")
TAG = re.compile(r"</?(?:i|b|u|em|strong|sup|sub|p|br|span|italic|bold)\b[^<>]{0,100}>", re.IGNORECASE)


def _abstract_ends(citation: Citation) -> Answers:
    clean = clean_abstract(citation.abstract)
    if clean.copyright:
        yield f"a copyright line stands in the abstract: {clean.copyright[:60]}", "take it out of the abstract"
    if not citation.abstract.strip().startswith(clean.text[:20]):
        yield f"the abstract begins with its heading: {citation.abstract[:40]}", clean.text[:60]


def _escaped(citation: Citation) -> Answers:
    for name in ("title", "abstract", "journal"):
        text = getattr(citation, name)
        found = _ESCAPED.search(text)
        if found:
            yield f"{name} holds an entity as text: {found.group()}", html.unescape(found.group())


def _tags(citation: Citation) -> Answers:
    for name in ("title", "abstract"):
        found = TAG.search(getattr(citation, name))
        if found:
            yield f"{name} holds a tag as text: {found.group()}", f"take it out, or keep it in {name}_html"


def _english_title(citation: Citation) -> Answers:
    language = two_letters(citation.language)
    if language not in {"", "en"} and citation.title and not citation.vernacular_title:
        yield (
            f"the article is in {language} and has one title: is it the English one?",
            "the English title is title, the original one vernacular_title",
        )


def _language(citation: Citation) -> Answers:
    stated = two_letters(citation.language)
    if citation.language and not stated:
        yield f"not a language: {citation.language}", "write its two letters, such as en"
    written = guess_language(citation.abstract or citation.title) if stated else ""
    if written not in {"", "en", stated}:  # an English abstract goes with any language
        yield f"stated is {stated}, but the text reads as {written}", written


def _vernacular(citation: Citation) -> Answers:
    if citation.vernacular_title and not pubmed.is_latin(citation.vernacular_title):
        yield "PubMed takes vernacular titles in Latin letters only", "it is left out; transliterate it to send it"


def _stray(citation: Citation) -> Answers:
    used = {i for author in citation.authors for i in author.affiliations}
    if not used:  # a file that links none says nothing
        return
    for i, place in enumerate(citation.affiliations):
        if i not in used:
            yield f"no author has this affiliation: {place[:60]}", "link it to its author"


def _types(citation: Citation) -> Answers:
    for name in citation.publication_types:
        if name not in nlm.PUBLICATION_TYPES:
            near = next((known for known in nlm.PUBLICATION_TYPES if known.lower() == name.lower()), "Journal Article")
            yield f"not a publication type of NLM's: {name}", near


RULES: tuple[Rule, ...] = (
    Rule("check digit", "issn", Level.ERROR, _issn),
    Rule("bare DOI", "doi", Level.ERROR, _doi),
    Rule("number", "pmid", Level.ERROR, _pmid),
    Rule("check digit", "authors", Level.ERROR, _orcid),
    Rule("a place", "first_page", Level.ERROR, _location),
    Rule("page order", "last_page", Level.ERROR, _pages),
    Rule("ISO date", "date", Level.ERROR, _date),
    Rule("no degrees", "authors", Level.ERROR, _degrees),
    Rule("a name", "authors", Level.ERROR, _nameless),
    Rule("order of dates", "dates", Level.WARNING, _chronology),
    Rule("bare group name", "authors", Level.WARNING, _behalf),
    Rule("no capitals", "title", Level.WARNING, _capitals),
    Rule("no capitals", "authors", Level.WARNING, _capital_names),
    Rule("nothing but the abstract", "abstract", Level.WARNING, _abstract_ends),
    Rule("escaped once", "title", Level.WARNING, _escaped),
    Rule("no tags", "title", Level.WARNING, _tags),
    Rule("English title", "title", Level.WARNING, _english_title),
    Rule("known language", "language", Level.WARNING, _language),
    Rule("Latin letters", "vernacular_title", Level.WARNING, _vernacular),
    Rule("affiliation of an author", "affiliations", Level.WARNING, _stray),
    Rule("NLM's list", "publication_types", Level.WARNING, _types),
)
