"""PubMed's own citation XML: a `PubmedArticleSet`, as PubMed hands records out."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator

from medharvest.citations.formats import dates, nlm, persons
from medharvest.citations.formats.characters import plain
from medharvest.citations.formats.languages import three_letters
from medharvest.citations.formats.markup import marked
from medharvest.citations.formats.pubmed import HISTORY, affiliation
from medharvest.citations.formats.xml import attribute, listed, raw, tag, wrap
from medharvest.citations.nlm_names import group_name
from medharvest.records import Author, Citation, NamedDate, OtherAbstract

HEADER = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2025//EN" '
    '"https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">\n'
    "<PubmedArticleSet>\n"
)
LAY = "plain-language-summary"


def write(citations: Iterable[Citation]) -> Iterator[str]:
    """Write the set piece by piece."""
    yield HEADER
    for citation in citations:
        yield "".join(_record(citation))
    yield "</PubmedArticleSet>\n"


def _record(citation: Citation) -> Iterator[str]:
    yield '<PubmedArticle>\n<MedlineCitation Status="Publisher" Owner="NOTNLM">\n'
    yield tag("PMID", citation.pmid, Version="1") or '<PMID Version="1"/>\n'
    yield f'<Article PubModel="{_model(citation)}">\n'
    yield from _article(citation)
    yield "</Article>\n"
    yield wrap("MedlineJournalInfo", _tag("MedlineTA", plain(citation.abbreviation) or citation.journal))
    yield from map(_other, citation.other_abstracts)
    yield listed('KeywordList Owner="NOTNLM"', (tag("Keyword", word, MajorTopicYN="N") for word in citation.keywords))
    yield tag("CoiStatement", citation.conflict)
    yield "</MedlineCitation>\n"
    yield wrap("PubmedData", "".join(_data(citation)))
    yield "</PubmedArticle>\n"


def _article(citation: Citation) -> Iterator[str]:
    yield _journal(citation)
    title = marked(citation.title, citation.title_html)
    yield raw("ArticleTitle", nlm.with_stop(title, translated=bool(citation.vernacular_title))) or "<ArticleTitle/>\n"
    yield _pages(citation)
    yield tag("ELocationID", citation.doi, EIdType="doi", ValidYN="Y")
    yield listed("Abstract", _abstract(citation))
    yield listed('AuthorList CompleteYN="Y"', (_author(author, citation) for author in citation.authors))
    yield tag("Language", three_letters(citation.language) or "und")
    yield listed('GrantList CompleteYN="Y"', map(_grant, citation.funding))
    yield wrap("PublicationTypeList", "".join(_types(citation)) or _type("Journal Article"))
    yield tag("VernacularTitle", nlm.with_stop(citation.vernacular_title, translated=False))
    online = next((item.date for item in citation.dates if item.name == "epublish"), "")
    yield listed('ArticleDate DateType="Electronic"', _full(online))


def _journal(citation: Citation) -> str:
    issn = next((issn for issn in citation.issn if issn), "")
    numbers = (citation.volume, citation.issue, citation.date)
    return _issue(_model(citation), issn, citation.journal, citation.abbreviation, *numbers)


@functools.lru_cache(maxsize=256)  # the articles of an issue share it
def _issue(model: str, issn: str, title: str, abbreviation: str, *numbers: str) -> str:
    volume, issue, date = numbers
    medium = "Print" if model.startswith("Print") else "Internet"
    inner = (
        tag("ISSN", issn, IssnType="Print" if medium == "Print" else "Electronic"),
        wrap(f'JournalIssue CitedMedium="{medium}"', tag("Volume", volume) + tag("Issue", issue) + _date(date)),
        tag("Title", title),
        tag("ISOAbbreviation", abbreviation),
    )
    return wrap("Journal", "".join(inner))


def _model(citation: Citation) -> str:
    """How the article appeared: an article number stands for one without print, an online date for both."""
    if citation.article_number and not citation.first_page:
        return "Electronic"
    return "Print-Electronic" if any(item.name == "epublish" for item in citation.dates) else "Print"


@functools.lru_cache(maxsize=4096)
def _date(iso: str) -> str:
    known = dates.parts(iso)
    if not known or "/" in iso:
        return wrap("PubDate", _tag("MedlineDate", dates.printed(iso)))
    inner = tag("Year", known[0]) + (tag("Month", dates.MONTHS[int(known[1]) - 1]) if known[1:] else "")
    return wrap("PubDate", inner + "".join(tag("Day", day) for day in known[2:]) + tag("Season", dates.season(iso)))


def _pages(citation: Citation) -> str:
    """The pages; the DTD wants an element for them, empty or not, where there is no other location."""
    first, last = citation.first_page or citation.article_number, citation.last_page
    whole = f"{first}-{last}" if last and last != first else first
    if not tag("StartPage", first):
        return "" if tag("x", citation.doi) else "<Pagination>\n<MedlinePgn/>\n</Pagination>\n"
    return wrap("Pagination", tag("StartPage", first) + tag("EndPage", last) + tag("MedlinePgn", whole))


def _abstract(citation: Citation) -> Iterator[str]:
    written = False
    for section, tagged in nlm.tagged_sections(citation):
        kind = nlm.category(section.label)
        text = marked(section.text, tagged)
        part = raw("AbstractText", text, Label=section.label.upper(), NlmCategory=kind)
        written = written or bool(part)
        yield part
    if not written:
        yield raw("AbstractText", marked(citation.abstract, citation.abstract_html))


def _author(author: Author, citation: Citation) -> str:
    """An author; nothing for one without any name."""
    name = tag("CollectiveName", group_name(author.collective)) or _person(author)
    known = (citation.affiliations[i] for i in author.affiliations if 0 <= i < len(citation.affiliations))
    equal = ' EqualContrib="Y"' if author.equal else ""
    inner = name + tag("Identifier", author.orcid, Source="ORCID") + "".join(map(affiliation, known))
    return wrap(f'Author ValidYN="Y"{equal}', inner) if name else ""


def _person(author: Author) -> str:
    family = tag("LastName", author.family)
    if not family:
        return tag("LastName", author.given)
    fore = tag("ForeName", persons.fore_name(author.given))
    short = tag("Initials", persons.initials(author.given)) if fore else ""
    return family + fore + short + tag("Suffix", persons.counted(author.suffix))


def _grant(text: str) -> str:
    grantor, number = nlm.grant(text)
    agency = tag("Agency", grantor)
    return wrap("Grant", tag("GrantID", number) + agency) if agency else ""


def _types(citation: Citation) -> Iterator[str]:
    return (_type(name) for name in citation.publication_types)


@functools.lru_cache(maxsize=256)
def _type(name: str) -> str:
    inner = tag("PublicationType", name)
    return inner.replace("<PublicationType", f'<PublicationType UI="{nlm.PUBLICATION_TYPES.get(name, "")}"', 1)


def _other(other: OtherAbstract) -> str:
    kind = LAY if other.type == LAY else "Publisher"
    language = attribute(three_letters(other.language) or plain(other.language) or "eng")
    return listed(f'OtherAbstract Type="{kind}" Language="{language}"', [tag("AbstractText", other.text)])


def _data(citation: Citation) -> Iterator[str]:
    yield listed("History", (_past(item) for item in citation.dates if item.name in HISTORY))
    yield tag("PublicationStatus", "ppublish")
    ids = (("pubmed", citation.pmid), ("doi", citation.doi), ("pii", citation.pii))
    known = "".join(tag("ArticleId", value, IdType=kind) for kind, value in ids)
    yield wrap("ArticleIdList", known or '<ArticleId IdType="pubmed"/>\n')  # the DTD wants one
    yield listed("ReferenceList", (raw("Reference", tag("Citation", text)) for text in citation.references))


@functools.lru_cache(maxsize=4096)
def _past(item: NamedDate) -> str:
    return listed(f'PubMedPubDate PubStatus="{item.name}"', _full(item.date))


def _full(iso: str) -> Iterator[str]:
    """Year, month and day; nothing where one is not known, for the DTD wants all three."""
    if dates.is_full(iso):
        yield from (tag(name, part) for name, part in zip(("Year", "Month", "Day"), dates.parts(iso), strict=True))


def _tag(name: str, text: str) -> str:
    """An element that must be there, empty or not."""
    return tag(name, text) or f"<{name}/>\n"
