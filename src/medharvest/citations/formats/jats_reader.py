"""JATS to citations: the front matter of articles, and their references."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

from medharvest.citations.formats import dates, nlm
from medharvest.citations.formats.jats import DATES
from medharvest.citations.formats.languages import two_letters
from medharvest.citations.formats.people import with_places
from medharvest.citations.formats.pubmed import HISTORY
from medharvest.citations.formats.xml import inline_of, records, text_at, text_of, texts_at
from medharvest.citations.identifiers import find_orcid
from medharvest.records import Author, Citation, NamedDate, OtherAbstract, Section

_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_HREF = "{http://www.w3.org/1999/xlink}href"
_OURS = {theirs: ours for ours, theirs in DATES.items()}


def read(file: BinaryIO) -> Iterator[Citation]:
    """Read articles one by one; those inside others, such as replies, are passed over."""
    for element in records(file, "article"):
        meta = element.find("front/article-meta")
        if meta is not None:
            yield _citation(element, meta)


def _citation(article: Any, meta: Any) -> Citation:
    title, title_html, vernacular = _titles(meta)
    authors, places = _people(meta)
    abstract, abstract_html, sections = _abstract(meta)
    journal = article.find("front/journal-meta")
    of_journal = journal if journal is not None else meta
    link = meta.find("self-uri")
    return Citation(
        url="" if link is None else link.get(_HREF, ""),
        title=title,
        title_html=title_html,
        vernacular_title=vernacular,
        authors=authors,
        affiliations=places,
        abstract=abstract,
        abstract_html=abstract_html,
        sections=sections,
        other_abstracts=tuple(map(_other, meta.iterfind("trans-abstract"))),
        journal=text_at(of_journal, ".//journal-title"),
        abbreviation=text_at(of_journal, ".//abbrev-journal-title") or _by_kind(of_journal, "journal-id", "nlm-ta"),
        publisher=text_at(of_journal, ".//publisher-name"),
        issn=tuple(dict.fromkeys(texts_at(of_journal, "issn"))),
        volume=text_at(meta, "volume"),
        issue=text_at(meta, "issue"),
        first_page=text_at(meta, "fpage"),
        last_page=text_at(meta, "lpage"),
        article_number=text_at(meta, "elocation-id"),
        date=_published(meta)[0],
        dates=_history(meta),
        doi=_by_kind(meta, "article-id", "doi"),
        pmid=_by_kind(meta, "article-id", "pmid"),
        pii=_by_kind(meta, "article-id", "pii"),
        language=two_letters(article.get(_LANGUAGE, "")),
        keywords=texts_at(meta, "kwd-group/kwd"),
        references=_references(article),
        funding=texts_at(meta, "funding-group/funding-statement"),
        licence=text_at(meta, "permissions/license"),
        publication_types=texts_at(meta, "article-categories/subj-group/subject"),
        conflict=_conflict(meta),
    )


def _titles(meta: Any) -> tuple[str, str, str]:
    """The English title, the same with tags, and the one of another language where the article is in it."""
    title, title_html = inline_of(meta.find("title-group/article-title"))
    for group in meta.iterfind("title-group/trans-title-group"):
        if two_letters(group.get(_LANGUAGE, "")) == "en":
            return *inline_of(group.find("trans-title")), title
    return title, title_html, ""


def _people(meta: Any) -> tuple[tuple[Author, ...], tuple[str, ...]]:
    """Authors with their affiliations, by reference or inside the author; an affiliation of nobody is kept too."""
    places = {aff.get("id", ""): _place(aff) for aff in meta.iter("aff")}
    group = (one for one in meta.iterfind("contrib-group/contrib") if one.get("contrib-type", "author") == "author")
    return with_places(
        ((_author(one), _own(one, places)) for one in group), filter(None, map(_place, meta.iter("aff")))
    )


def _place(aff: Any) -> str:
    """The text of an affiliation without its number."""
    label = text_at(aff, "label")
    return text_of(aff).removeprefix(label).strip() if label else text_of(aff)


def _own(contrib: Any, known: dict[str, str]) -> tuple[str, ...]:
    ids = (
        rid for link in contrib.iterfind("xref") if link.get("ref-type") == "aff" for rid in link.get("rid", "").split()
    )
    return (*(known.get(rid, "") for rid in ids), *map(_place, contrib.iterfind("aff")))


def _author(contrib: Any) -> Author:
    orcid = next((one for one in contrib.iterfind("contrib-id") if one.get("contrib-id-type") == "orcid"), None)
    family, given = text_at(contrib, ".//surname"), text_at(contrib, ".//given-names")
    return Author(
        family=family or given,  # who has one name has a family name
        given=given if family else "",
        suffix=text_at(contrib, ".//suffix"),
        collective=text_at(contrib, "collab"),
        orcid="" if orcid is None else find_orcid(text_of(orcid)),
        email=text_at(contrib, ".//email"),
        corresponding=contrib.get("corresp") == "yes",
        equal=contrib.get("equal-contrib") == "yes",
    )


def _abstract(meta: Any) -> tuple[str, str, tuple[Section, ...]]:
    """The abstract that is no summary of another kind; its sections where it has titles."""
    found = next((one for one in meta.iterfind("abstract") if not one.get("abstract-type")), None)
    if found is None:
        return "", "", ()
    parts = [one for one in found if one.tag in {"sec", "p"}]
    if not any(text_at(part, "title") for part in parts):
        return *(inline_of(parts[0]) if len(parts) == 1 else (" ".join(map(text_of, parts)), "")), ()
    return nlm.joined_tagged([(text_at(part, "title"), *_section(part)) for part in parts])


def _section(part: Any) -> tuple[str, str]:
    """The text of a section, and with its tags where it has one paragraph."""
    inner = [part] if part.tag == "p" else part.findall("p")
    return inline_of(inner[0]) if len(inner) == 1 else (" ".join(map(text_of, inner)), "")


def _other(element: Any) -> OtherAbstract:
    language = element.get(_LANGUAGE, "")
    return OtherAbstract(element.get("abstract-type", ""), two_letters(language), " ".join(texts_at(element, ".//p")))


def _published(meta: Any) -> tuple[str, str]:
    """The date of print, or of the collection, else the first there is; and that of the online form beside print."""
    found = [(f"{one.get('publication-format', '')} {one.get('pub-type', '')}", _date(one)) for one in _pub_dates(meta)]
    printed = next((date for kind, date in found if "print" in kind or "ppub" in kind or "collection" in kind), "")
    online = next((date for kind, date in found if "electronic" in kind or "epub" in kind), "")
    first = next((date for _, date in found if date), "")
    return printed or first, online if printed else ""


def _pub_dates(meta: Any) -> Iterator[Any]:
    return (one for one in meta.iterfind("pub-date") if one.get("date-type", "pub") in {"pub", "collection"})


def _history(meta: Any) -> tuple[NamedDate, ...]:
    """The dates by our names, in our order; those of other names behind."""
    names = [(one.get("date-type", ""), _date(one)) for one in meta.iterfind("history/date")]
    past = {_OURS.get(name, name): date for name, date in [*names, ("epublish", _published(meta)[1])] if name and date}
    ordered = [name for name in HISTORY if name in past] + [name for name in past if name not in HISTORY]
    return tuple(NamedDate(name, past[name]) for name in ordered)


def _date(element: Any) -> str:
    year, season = text_at(element, "year"), text_at(element, "season")
    if season:
        return dates.from_printed(f"{year} {season}")
    return dates.from_parts(year, text_at(element, "month"), text_at(element, "day"))


def _by_kind(parent: Any, name: str, kind: str) -> str:
    attribute = "pub-id-type" if name == "article-id" else "journal-id-type"
    return next((text_of(one) for one in parent.iterfind(name) if one.get(attribute) == kind), "")


def _conflict(meta: Any) -> str:
    kinds = {"coi-statement", "conflict"}
    return next((text_of(one) for one in meta.iterfind(".//fn") if one.get("fn-type") in kinds), "")


def _references(article: Any) -> tuple[str, ...]:
    found = article.iterfind("back/ref-list//ref")
    texts = (text_at(ref, "mixed-citation") or text_at(ref, "element-citation") for ref in found)
    return tuple(text for text in texts if text)
