"""PubMed publisher XML: an `ArticleSet`, element by element in the order its DTD fixes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape, quoteattr

from medharvest.records import Author, Citation

HEADER = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<!DOCTYPE ArticleSet PUBLIC "-//NLM//DTD PubMed 2.8//EN" "https://dtd.nlm.nih.gov/ncbi/pubmed/in/PubMed.dtd">\n'
    "<ArticleSet>\n"
)
_REQUIRED = ("title", "journal", "issn", "publisher", "date")
_HISTORY = ("received", "accepted", "revised", "aheadofprint", "epublish", "ppublish", "ecollection")
_INLINE = re.compile(r"&lt;(/?(?:i|b|u|sup|sub))&gt;")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def lacks(citation: Citation) -> tuple[str, ...]:
    """The fields PubMed demands that a record does not have; a journal abbreviation stands in for its title."""
    return tuple(name for name in _REQUIRED if not _has(citation, name))


def _has(citation: Citation, name: str) -> bool:
    return bool(getattr(citation, name) or (name == "journal" and citation.abbreviation))


def write(citations: Iterable[Citation]) -> Iterator[str]:
    """Write the set piece by piece; give it only records that lack nothing."""
    yield HEADER
    for citation in citations:
        yield "".join(_article(citation))
    yield "</ArticleSet>\n"


def _article(citation: Citation) -> Iterator[str]:
    yield "<Article>\n"
    yield from _journal(citation)
    yield _tag("ArticleTitle", citation.title, inline=citation.title_html)
    if citation.vernacular_title and _is_latin(citation.vernacular_title):
        yield _tag("VernacularTitle", citation.vernacular_title)
    yield _tag("FirstPage", citation.first_page or citation.article_number, attributes=' LZero="save"')
    yield _tag("LastPage", citation.last_page)
    yield _tag("ELocationID", citation.doi, attributes=' EIdType="doi"')
    yield _tag("Language", citation.language.upper() or "EN")
    yield from _authors(citation)
    for kind in citation.publication_types or ("Journal Article",):
        yield _tag("PublicationType", kind)
    yield _ids(citation)
    yield from _history(citation)
    yield _abstract(citation)
    for other in citation.other_abstracts:
        attributes = f" Language={_attribute(other.language or 'en')} Type={_attribute(other.type)}"
        yield _tag("OtherAbstract", other.text, attributes=attributes)
    yield _tag("CoiStatement", citation.conflict)
    yield _keywords(citation)
    yield "</Article>\n"


def _journal(citation: Citation) -> Iterator[str]:
    yield "<Journal>\n"
    yield _tag("PublisherName", citation.publisher)
    yield _tag("JournalTitle", citation.abbreviation or citation.journal)
    yield _tag("Issn", citation.issn[0] if citation.issn else "")
    yield _tag("Volume", citation.volume)
    yield _tag("Issue", citation.issue)
    yield _date(citation.date, "ppublish")
    yield "</Journal>\n"


def _date(iso: str, status: str) -> str:
    parts = dict(zip(("Year", "Month", "Day"), iso.split("-"), strict=False))
    inner = "".join(f"<{name}>{escape(value)}</{name}>" for name, value in parts.items())
    return f'<PubDate PubStatus="{status}">{inner}</PubDate>\n'


def _authors(citation: Citation) -> Iterator[str]:
    if not citation.authors:
        return
    yield "<AuthorList>\n"
    for author in citation.authors:
        yield '<Author EqualContrib="Y">\n' if author.equal else "<Author>\n"
        yield from _name(author)
        for index in author.affiliations:
            yield f"<AffiliationInfo>\n{_tag('Affiliation', citation.affiliations[index])}</AffiliationInfo>\n"
        yield _tag("Identifier", author.orcid, attributes=' Source="ORCID"')
        yield "</Author>\n"
    yield "</AuthorList>\n"


def _name(author: Author) -> Iterator[str]:
    if author.collective:
        yield _tag("CollectiveName", author.collective)
        return
    yield _tag("FirstName", author.given) or '<FirstName EmptyYN="Y"/>\n'
    yield _tag("LastName", author.family)
    yield _tag("Suffix", author.suffix)


def _ids(citation: Citation) -> str:
    ids = [(kind, value) for kind, value in (("doi", citation.doi), ("pii", citation.pii)) if value]
    inner = "".join(_tag("ArticleId", value, attributes=f' IdType="{kind}"') for kind, value in ids)
    return f"<ArticleIdList>\n{inner}</ArticleIdList>\n" if inner else ""


def _history(citation: Citation) -> Iterator[str]:
    known = {item.name: item.date for item in citation.dates if item.name in _HISTORY}
    if known:
        yield "<History>\n"
        yield from (_date(known[name], name) for name in _HISTORY if name in known)
        yield "</History>\n"


def _abstract(citation: Citation) -> str:
    if not citation.sections:
        return _tag("Abstract", citation.abstract)
    texts = (
        f"<AbstractText Label={_attribute(section.label.upper() or 'ABSTRACT')}>{_text(section.text)}</AbstractText>\n"
        for section in citation.sections
    )
    return f"<Abstract>\n{''.join(texts)}</Abstract>\n"


def _keywords(citation: Citation) -> str:
    objects = (
        f'<Object Type="keyword">\n<Param Name="value">{_text(word)}</Param>\n</Object>\n' for word in citation.keywords
    )
    inner = "".join(objects)
    return f"<ObjectList>\n{inner}</ObjectList>\n" if inner else ""


def _tag(name: str, text: str, *, attributes: str = "", inline: str = "") -> str:
    """An element, or nothing for an empty text; `inline` may carry the tags PubMed allows inside."""
    if not text:
        return ""
    inner = _INLINE.sub(r"<\1>", _text(_unescape(inline))) if inline else _text(text)
    return f"<{name}{attributes}>{inner}</{name}>\n"


def _unescape(inline: str) -> str:
    return (
        inline.replace("&lt;", "\x0e")
        .replace("&gt;", "\x0f")
        .replace("&amp;", "&")
        .replace("\x0e", "<")
        .replace("\x0f", ">")
    )


def _text(text: str) -> str:
    return escape(_CONTROL.sub("", text))


def _attribute(text: str) -> str:
    return quoteattr(_CONTROL.sub("", text))


def _is_latin(text: str) -> bool:
    return all(ord(character) < 0x2000 for character in text if character.isalpha())  # noqa: PLR2004
