"""PubMed publisher XML: an `ArticleSet`, element by element in the order its DTD fixes."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable, Iterator

from medharvest.citations.formats import dates, nlm
from medharvest.citations.formats.characters import one_line, plain
from medharvest.citations.formats.languages import two_letters
from medharvest.citations.formats.markup import marked
from medharvest.citations.formats.xml import listed, raw, tag, wrap
from medharvest.citations.nlm_names import group_name
from medharvest.records import Author, Citation

HEADER = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<!DOCTYPE ArticleSet PUBLIC "-//NLM//DTD PubMed 2.8//EN" "https://dtd.nlm.nih.gov/ncbi/pubmed/in/PubMed.dtd">\n'
)
DRAFT = "<!-- draft, not to be delivered: the journal's NLM abbreviation, ISSN or publisher was not known -->\n"
HISTORY = ("received", "accepted", "revised", "aheadofprint", "epublish", "ppublish", "ecollection")
UNLABELLED = "ABSTRACT"  # the label of a part that has none, for the DTD wants one
_LONE_GREEK = re.compile(r"(?<![Ͱ-Ͽ])[Ͱ-Ͽ](?![Ͱ-Ͽ])")
# First words of the names of letters that Latin texts use.
_LATIN = frozenset({"LATIN", "MODIFIER", "FEMININE", "MASCULINE", "MICRO"})


def lacks(citation: Citation) -> tuple[str, ...]:
    """The fields PubMed demands that a record does not have; the journal's title cannot stand for its abbreviation."""
    demanded = {
        "title": citation.title,
        "abbreviation": citation.abbreviation,
        "issn": _issn(citation),
        "publisher": citation.publisher,
        "date": citation.date if dates.parts(citation.date) else "",
    }
    return tuple(name for name, value in demanded.items() if not one_line(value).strip())


def write(citations: Iterable[Citation]) -> Iterator[str]:
    """Write the set piece by piece; give it only records that lack nothing."""
    yield from _set(HEADER, citations)


def write_draft(citations: Iterable[Citation]) -> Iterator[str]:
    """Write a set that is marked as not to be delivered: the journal's title may stand for its abbreviation."""
    yield from _set(HEADER + DRAFT, citations)


def _set(header: str, citations: Iterable[Citation]) -> Iterator[str]:
    yield header + "<ArticleSet>\n"
    for citation in citations:
        yield "".join(_article(citation))
    yield "</ArticleSet>\n"


def _article(citation: Citation) -> Iterator[str]:
    yield "<Article>\n"
    yield _journal(citation)
    yield raw("ArticleTitle", marked(citation.title, citation.title_html))
    if is_latin(citation.vernacular_title):
        yield tag("VernacularTitle", citation.vernacular_title)
    yield tag("FirstPage", citation.first_page or citation.article_number, LZero="save")
    yield tag("LastPage", citation.last_page)
    yield tag("ELocationID", citation.doi, EIdType="doi")
    yield tag("ELocationID", citation.pii, EIdType="pii")
    yield tag("Language", (two_letters(citation.language) or "en").upper())
    yield listed("AuthorList", (_author(author, citation) for author in citation.authors))
    kinds = "".join(tag("PublicationType", kind) for kind in citation.publication_types)
    yield kinds or tag("PublicationType", "Journal Article")
    yield listed(
        "ArticleIdList", (tag("ArticleId", citation.doi, IdType="doi"), tag("ArticleId", citation.pii, IdType="pii"))
    )
    yield listed("History", _history(citation))
    yield from _texts(citation)
    yield "</Article>\n"


def _texts(citation: Citation) -> Iterator[str]:
    yield _abstract(citation)
    for other in citation.other_abstracts:
        yield tag("OtherAbstract", other.text, Language=plain(other.language) or "en", Type=other.type)
    yield tag("CoiStatement", citation.conflict)
    yield listed("ObjectList", (*map(_keyword, citation.keywords), *map(_grant, citation.funding)))
    yield listed("ReferenceList", (raw("Reference", tag("Citation", text)) for text in citation.references))


def _journal(citation: Citation) -> str:
    title = plain(citation.abbreviation) or citation.journal
    numbers = (citation.volume, citation.issue, citation.date)
    return _issue(citation.publisher, title, _issn(citation), *numbers)


@functools.lru_cache(maxsize=256)  # the articles of an issue share it
def _issue(publisher: str, title: str, issn: str, *numbers: str) -> str:
    """The journal; what a draft does not know is an empty element, for the DTD demands each."""
    volume, issue, date = numbers
    inner = (
        tag("PublisherName", publisher) or "<PublisherName/>\n",
        tag("JournalTitle", title) or "<JournalTitle/>\n",
        tag("Issn", issn) or "<Issn/>\n",
        tag("Volume", volume),
        tag("Issue", issue),
        _date(date, "ppublish"),
    )
    return wrap("Journal", "".join(inner))


def _issn(citation: Citation) -> str:
    return next((issn for issn in citation.issn if issn), "")


@functools.lru_cache(maxsize=4096)
def _date(iso: str, status: str) -> str:
    season = dates.season(iso)
    known = dates.parts(iso)[:1] if season else dates.parts(iso)
    inner = "".join(tag(name, value) for name, value in zip(("Year", "Month", "Day"), known, strict=False))
    return wrap(f'PubDate PubStatus="{status}"', (inner or "<Year/>\n") + tag("Season", season))


def _author(author: Author, citation: Citation) -> str:
    """An author; nothing for one without any name."""
    name = _name(author)
    known = [citation.affiliations[i] for i in author.affiliations if 0 <= i < len(citation.affiliations)]
    inner = (
        name,
        *map(affiliation, known),
        tag("Identifier", author.orcid, Source="ORCID"),
    )
    return wrap('Author EqualContrib="Y"' if author.equal else "Author", "".join(inner)) if name else ""


@functools.lru_cache(maxsize=1024)  # authors of an article share them
def affiliation(place: str) -> str:
    """An affiliation in its element; nothing for an empty one."""
    return listed("AffiliationInfo", [tag("Affiliation", place)])


def _name(author: Author) -> str:
    """A group, or a person; who has one name has a family name."""
    group = tag("CollectiveName", group_name(author.collective))
    first, _, middle = one_line(author.given).strip().partition(" ")
    given, family = tag("FirstName", first), tag("LastName", author.family)
    if group or not (given or family):
        return group
    if not given or not family:
        return '<FirstName EmptyYN="Y"/>\n' + (family or tag("LastName", author.given)) + tag("Suffix", author.suffix)
    return given + tag("MiddleName", middle) + family + tag("Suffix", author.suffix)


def _history(citation: Citation) -> Iterator[str]:
    known = {item.name: item.date for item in citation.dates if dates.parts(item.date)}
    return (_date(known[name], name) for name in HISTORY if name in known)


def _abstract(citation: Citation) -> str:
    sections = (
        raw("AbstractText", marked(section.text, tagged), Label=plain(section.label).upper() or UNLABELLED)
        for section, tagged in nlm.tagged_sections(citation)
    )
    return listed("Abstract", sections) or raw("Abstract", marked(citation.abstract, citation.abstract_html))


def _keyword(word: str) -> str:
    return listed('Object Type="keyword"', [tag("Param", word, Name="value")])


def _grant(text: str) -> str:
    grantor, number = nlm.grant(one_line(text))
    return listed('Object Type="grant"', [tag("Param", number, Name="id"), tag("Param", grantor, Name="grantor")])


def is_latin(text: str) -> bool:
    """Whether a text is in Latin letters; a lone Greek one, as in "β-bloquants", is a sign."""
    if text.isascii():
        return True
    letters = (letter for letter in _LONE_GREEK.sub("", text) if letter.isalpha())
    return all(unicodedata.name(letter, "").partition(" ")[0] in _LATIN for letter in letters)
