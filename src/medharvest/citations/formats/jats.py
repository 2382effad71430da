"""JATS: the front matter of an article, and its references; several articles stand in one `pmc-articleset`."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from itertools import chain

from medharvest.citations.formats import dates, nlm
from medharvest.citations.formats.characters import plain
from medharvest.citations.formats.languages import two_letters
from medharvest.citations.formats.markup import marked
from medharvest.citations.formats.xml import attribute, listed, raw, tag, wrap
from medharvest.records import Author, Citation, NamedDate, OtherAbstract

HEADER = '<?xml version="1.0" encoding="UTF-8"?>\n'
DOCTYPE = (
    '<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Archiving and Interchange DTD with MathML3 v1.3 '
    '20210610//EN" "JATS-archivearticle1-3-mathml3.dtd">\n'
)
TAGS = {"i": "italic", "b": "bold", "u": "underline", "sup": "sup", "sub": "sub"}
# Our names of dates beside those of JATS; what is not here keeps its name.
DATES = {"revised": "rev-recd"}
_TYPES = {
    "Case Reports": "case-report",
    "Editorial": "editorial",
    "Letter": "letter",
    "News": "news",
    "Published Erratum": "correction",
    "Retraction of Publication": "retraction",
    "Review": "review-article",
}
_NAME = re.compile(r"[\w.:-]+")


def write(citations: Iterable[Citation]) -> Iterator[str]:
    """Write one article as a document of its own, several as a set."""
    waiting = iter(citations)
    first, second = next(waiting, None), next(waiting, None)
    if first is not None and second is None:
        yield HEADER + DOCTYPE + _article(first)
        return
    yield HEADER + "<pmc-articleset>\n"
    for citation in chain([one for one in (first, second) if one is not None], waiting):
        yield _article(citation)
    yield "</pmc-articleset>\n"


def _article(citation: Citation) -> str:
    kind = next((_TYPES[name] for name in citation.publication_types if name in _TYPES), "research-article")
    opening = f'article article-type="{kind}" dtd-version="1.3" xmlns:xlink="http://www.w3.org/1999/xlink"'
    front = wrap("journal-meta", "".join(_journal(citation))) + wrap("article-meta", "".join(_meta(citation)))
    cited = listed("ref-list", (_reference(i, text) for i, text in enumerate(citation.references, 1)))
    return wrap(opening + _language(citation.language), wrap("front", front) + listed("back", [cited]))


def _language(code: str) -> str:
    return f' xml:lang="{two_letters(code)}"' if two_letters(code) else ""


def _journal(citation: Citation) -> Iterator[str]:
    yield tag("journal-id", citation.abbreviation, **{"journal-id-type": "nlm-ta"})
    names = tag("journal-title", citation.journal) + tag("abbrev-journal-title", citation.abbreviation)
    yield listed("journal-title-group", [names])
    yield from (tag("issn", issn) for issn in citation.issn)
    yield listed("publisher", [tag("publisher-name", citation.publisher)])


def _meta(citation: Citation) -> Iterator[str]:
    for kind, text in (("doi", citation.doi), ("pmid", citation.pmid), ("pii", citation.pii)):
        yield tag("article-id", text, **{"pub-id-type": kind})
    subjects = "".join(tag("subject", name) for name in citation.publication_types)
    yield listed("article-categories", [listed('subj-group subj-group-type="heading"', [subjects])])
    yield wrap("title-group", "".join(_titles(citation)))
    yield listed("contrib-group", chain(_people(citation), _places(citation)))
    conflict = raw("p", tag("p", citation.conflict).removeprefix("<p>").removesuffix("</p>\n"))
    yield listed("author-notes", [listed('fn fn-type="coi-statement"', [conflict])])
    yield _date('pub-date date-type="pub" publication-format="print"', citation.date)
    for item in citation.dates:
        if item.name == "epublish":
            yield _date('pub-date date-type="pub" publication-format="electronic"', item.date)
    yield from (tag("volume", citation.volume), tag("issue", citation.issue))
    first = tag("fpage", citation.first_page)
    yield first + tag("lpage", citation.last_page) if first else tag("elocation-id", citation.article_number)
    yield listed("history", map(_past, citation.dates))
    yield listed("permissions", [listed("license", [tag("license-p", citation.licence)])])
    if plain(citation.url):
        yield f'<self-uri xlink:href="{attribute(citation.url)}"/>\n'
    yield from _texts(citation)


def _titles(citation: Citation) -> Iterator[str]:
    """The title of the language the article is in; a translation stands beside it."""
    title = marked(citation.title, citation.title_html, names=TAGS)
    vernacular = tag("article-title", citation.vernacular_title)
    yield vernacular or raw("article-title", title) or "<article-title/>\n"
    if vernacular and title:
        yield wrap('trans-title-group xml:lang="en"', raw("trans-title", title))


def _texts(citation: Citation) -> Iterator[str]:
    yield listed("abstract", _sections(citation)) or listed(
        "abstract", [raw("p", marked(citation.abstract, citation.abstract_html, names=TAGS))]
    )
    yield from map(_other, citation.other_abstracts)
    yield listed('kwd-group kwd-group-type="author"', (tag("kwd", word) for word in citation.keywords))
    yield listed("funding-group", (tag("funding-statement", text) for text in citation.funding))


def _sections(citation: Citation) -> Iterator[str]:
    """The parts of an abstract; behind the first with a title each is a section, for the DTD wants it so."""
    titled = False
    for section, tagged in nlm.tagged_sections(citation):
        text, title = raw("p", marked(section.text, tagged, names=TAGS)), tag("title", section.label)
        titled = titled or bool(text and title)
        yield wrap("sec", title + text) if text and titled else text


def _other(other: OtherAbstract) -> str:
    """A translation, or a summary of its own kind, as an abstract in another language."""
    kind = f' abstract-type="{attribute(other.type)}"' if plain(other.type) else ""
    return listed(f"trans-abstract{kind}{_language(other.language)}", [tag("p", other.text)])


def _people(citation: Citation) -> Iterator[str]:
    known = range(len(citation.affiliations))
    for author in citation.authors:
        name = tag("collab", author.collective) or _person(author)
        linked = (f'<xref ref-type="aff" rid="aff{i + 1}"/>\n' for i in author.affiliations if i in known)
        marks = ' corresp="yes"' * author.corresponding + ' equal-contrib="yes"' * author.equal
        inner = _orcid(author.orcid) + name + tag("email", author.email) + "".join(linked)
        yield wrap(f'contrib contrib-type="author"{marks}', inner) if name else ""


def _orcid(orcid: str) -> str:
    return tag("contrib-id", f"https://orcid.org/{orcid}", **{"contrib-id-type": "orcid"}) if plain(orcid) else ""


def _person(author: Author) -> str:
    family, given = tag("surname", author.family), tag("given-names", author.given)
    style = "western" if family else "given-only"
    return wrap(f'name name-style="{style}"', family + given + tag("suffix", author.suffix)) if family or given else ""


def _places(citation: Citation) -> Iterator[str]:
    for number, place in enumerate(citation.affiliations, 1):
        yield tag("aff", place, id=f"aff{number}") or f'<aff id="aff{number}"/>\n'


@functools.lru_cache(maxsize=4096)
def _date(opening: str, iso: str) -> str:
    """A date, the day first as the DTD has it; nothing without a year."""
    known = dates.parts(iso)
    season = dates.season(iso)
    months = "" if season else "".join(map(tag, ("month",), known[1:2]))
    days = "" if season else "".join(map(tag, ("day",), known[2:3]))
    return wrap(opening, days + months + tag("season", season) + tag("year", known[0])) if known else ""


def _past(item: NamedDate) -> str:
    name = DATES.get(item.name, item.name)
    if item.name == "epublish" or not _NAME.fullmatch(name):
        return ""
    return _date(f'date date-type="{attribute(name)}"', item.date)


def _reference(number: int, text: str) -> str:
    cited = tag("mixed-citation", text)
    return wrap(f'ref id="ref{number}"', cited) if cited else ""
