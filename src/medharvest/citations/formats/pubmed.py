"""PubMed publisher XML: an `ArticleSet`, element by element in the order its DTD fixes."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator

from medharvest.citations.formats.characters import one_line
from medharvest.records import Author, Citation

HEADER = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<!DOCTYPE ArticleSet PUBLIC "-//NLM//DTD PubMed 2.8//EN" "https://dtd.nlm.nih.gov/ncbi/pubmed/in/PubMed.dtd">\n'
    "<ArticleSet>\n"
)
_HISTORY = ("received", "accepted", "revised", "aheadofprint", "epublish", "ppublish", "ecollection")
_YEAR = re.compile(r"[0-9]{4}\b")
_INLINE = re.compile(r"(</?(?:i|b|u|sup|sub)>)")
_LONE_GREEK = re.compile(r"(?<![Ͱ-Ͽ])[Ͱ-Ͽ](?![Ͱ-Ͽ])")
# First words of the names of letters that Latin texts use.
_LATIN = frozenset({"LATIN", "MODIFIER", "FEMININE", "MASCULINE", "MICRO"})


def lacks(citation: Citation) -> tuple[str, ...]:
    """The fields PubMed demands that a record does not have; a journal abbreviation stands in for its title."""
    demanded = {
        "title": citation.title,
        "journal": citation.abbreviation or citation.journal,
        "issn": _issn(citation),
        "publisher": citation.publisher,
        "date": citation.date if _YEAR.match(citation.date) else "",
    }
    return tuple(name for name, value in demanded.items() if not one_line(value).strip())


def write(citations: Iterable[Citation]) -> Iterator[str]:
    """Write the set piece by piece; give it only records that lack nothing."""
    yield HEADER
    for citation in citations:
        yield "".join(_article(citation))
    yield "</ArticleSet>\n"


def _article(citation: Citation) -> Iterator[str]:
    yield "<Article>\n"
    yield from _journal(citation)
    yield _title(citation)
    if _is_latin(citation.vernacular_title):
        yield _tag("VernacularTitle", citation.vernacular_title)
    yield _tag("FirstPage", citation.first_page or citation.article_number, LZero="save")
    yield _tag("LastPage", citation.last_page)
    yield _tag("ELocationID", citation.doi, EIdType="doi")
    yield _tag("Language", citation.language.upper()) or _tag("Language", "EN")
    yield _list("AuthorList", (_author(author, citation) for author in citation.authors))
    for kind in citation.publication_types or ("Journal Article",):
        yield _tag("PublicationType", kind)
    yield _list(
        "ArticleIdList", (_tag("ArticleId", citation.doi, IdType="doi"), _tag("ArticleId", citation.pii, IdType="pii"))
    )
    yield _list("History", _history(citation))
    yield _abstract(citation)
    for other in citation.other_abstracts:
        yield _tag("OtherAbstract", other.text, Language=other.language or "en", Type=other.type)
    yield _tag("CoiStatement", citation.conflict)
    yield _list("ObjectList", (_keyword(word) for word in citation.keywords))
    yield "</Article>\n"


def _journal(citation: Citation) -> Iterator[str]:
    yield "<Journal>\n"
    yield _tag("PublisherName", citation.publisher)
    yield _tag("JournalTitle", citation.abbreviation or citation.journal)
    yield _tag("Issn", _issn(citation))
    yield _tag("Volume", citation.volume)
    yield _tag("Issue", citation.issue)
    yield _date(citation.date, "ppublish")
    yield "</Journal>\n"


def _issn(citation: Citation) -> str:
    return next((issn for issn in citation.issn if issn), "")


def _date(iso: str, status: str) -> str:
    parts = zip(("Year", "Month", "Day"), iso.split("-"), strict=False)
    return _wrap(f'PubDate PubStatus="{status}"', "".join(_tag(name, value) for name, value in parts))


def _title(citation: Citation) -> str:
    """The title with the inline tags PubMed allows, as long as they nest; any other is text."""
    pieces = _INLINE.split(citation.title_html)
    if len(pieces) == 1 or not _nests(pieces[1::2]):
        return _tag("ArticleTitle", citation.title)
    texts = [html.escape(one_line(html.unescape(piece)), quote=False) for piece in pieces[::2]]
    tagged = (text + tag for text, tag in zip(texts, [*pieces[1::2], ""], strict=True))
    return f"<ArticleTitle>{''.join(tagged)}</ArticleTitle>\n"


def _nests(tags: Iterable[str]) -> bool:
    opened: list[str] = []
    for tag in tags:
        if not tag.startswith("</"):
            opened.append(tag)
        elif not opened or opened.pop()[1:] != tag[2:]:
            return False
    return not opened


def _author(author: Author, citation: Citation) -> str:
    """An author; nothing for one without any name."""
    name = _name(author)
    known = [citation.affiliations[i] for i in author.affiliations if 0 <= i < len(citation.affiliations)]
    inner = (
        name,
        *(_list("AffiliationInfo", [_tag("Affiliation", place)]) for place in known),
        _tag("Identifier", author.orcid, Source="ORCID"),
    )
    return _wrap('Author EqualContrib="Y"' if author.equal else "Author", "".join(inner)) if name else ""


def _name(author: Author) -> str:
    """A group, or a person; who has one name has a family name."""
    group = _tag("CollectiveName", re.sub("^the ", "", author.collective, flags=re.IGNORECASE))
    given, family = _tag("FirstName", author.given), _tag("LastName", author.family)
    if group or not (given or family):
        return group
    if not given or not family:
        given, family = '<FirstName EmptyYN="Y"/>\n', family or _tag("LastName", author.given)
    return given + family + _tag("Suffix", author.suffix)


def _history(citation: Citation) -> Iterator[str]:
    known = {item.name: item.date for item in citation.dates if _YEAR.match(item.date)}
    return (_date(known[name], name) for name in _HISTORY if name in known)


def _abstract(citation: Citation) -> str:
    sections = (
        _tag("AbstractText", section.text, Label=section.label.upper() or "ABSTRACT") for section in citation.sections
    )
    return _list("Abstract", sections) or _tag("Abstract", citation.abstract)


def _keyword(word: str) -> str:
    param = _tag("Param", word, Name="value")
    return _wrap('Object Type="keyword"', param) if param else ""


def _list(name: str, elements: Iterable[str]) -> str:
    """An element around others, or nothing where there are none."""
    inner = "".join(elements)
    return _wrap(name, inner) if inner else ""


def _wrap(opening: str, inner: str) -> str:
    return f"<{opening}>\n{inner}</{opening.partition(' ')[0]}>\n"


def _tag(name: str, text: str, **attributes: str) -> str:
    """An element around text, or nothing for an empty text; empty attributes are left out."""
    inner = html.escape(one_line(text).strip(), quote=False)
    written = "".join(f' {key}="{html.escape(one_line(value))}"' for key, value in attributes.items() if value)
    return f"<{name}{written}>{inner}</{name}>\n" if inner else ""


def _is_latin(text: str) -> bool:
    """Whether a text is in Latin letters; a lone Greek one, as in "β-bloquants", is a sign."""
    letters = (letter for letter in _LONE_GREEK.sub("", text) if letter.isalpha())
    return all(unicodedata.name(letter, "").partition(" ")[0] in _LATIN for letter in letters)
