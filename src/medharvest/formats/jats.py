"""JATS, written and read: the front matter of an article and its references.

A file holds one `article`, or several in a `pmc-articleset`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, BinaryIO

from medharvest.citations.affiliations import affiliation_parts
from medharvest.citations.identifiers import find_orcid
from medharvest.fields import contributor_name
from medharvest.formats import medline_values, nlm_indexing
from medharvest.formats.medline_values import HISTORY_DATE_NAMES, to_two_letter_code
from medharvest.formats.record_files import ReadingNotes
from medharvest.formats.text_forms import escape_xml, number_affiliations, render_markup, to_plain_line
from medharvest.formats.xml_elements import (
    ElementsByName,
    elements_at,
    escape_attribute,
    escape_element_text,
    inline_of,
    note_unread_elements,
    read_elements,
    text_at,
    text_of_element,
    texts_at,
    wrap_elements,
    wrap_if_any,
    write_element,
    write_raw_element,
)
from medharvest.records import (
    Author,
    Citation,
    Contributor,
    Grant,
    Identifier,
    NamedDate,
    OtherAbstract,
    ReferenceDoi,
    Section,
)

_XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
_JATS_DOCTYPE = (
    '<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Archiving and Interchange DTD with MathML3 v1.3 '
    '20210610//EN" "JATS-archivearticle1-3-mathml3.dtd">\n'
)
_JATS_INLINE_TAGS = {"i": "italic", "b": "bold", "u": "underline", "sup": "sup", "sub": "sub"}
# Our names of dates -> those of JATS; all others are the same.
_JATS_DATE_TYPES = {"revised": "rev-recd"}
_JATS_ARTICLE_TYPES = {
    "Case Reports": "case-report",
    "Editorial": "editorial",
    "Letter": "letter",
    "News": "news",
    "Published Erratum": "correction",
    "Retraction of Publication": "retraction",
    "Review": "review-article",
}
_CONTRIBUTOR_ROLES = ("editor", "translator", "investigator")
_JOURNAL_SCHEMES = frozenset({"nlm", "isbn", "issn-print", "issn-electronic", "issn-linking"})
_META_FIELDS = {"item-type": "item_type", "edition": "edition"}  # values that JATS has no element for
_LINKED_DOI = "link"  # marks a DOI that the text of the reference does not have
_DATE_TYPE = re.compile(r"[\w.:-]+")
_LANG_ATTRIBUTE = "{http://www.w3.org/XML/1998/namespace}lang"
_XLINK_HREF = "{http://www.w3.org/1999/xlink}href"
_OUR_DATE_NAMES = {theirs: ours for ours, theirs in _JATS_DATE_TYPES.items()}


def write(citations: Iterable[Citation]) -> Iterator[str]:
    """Write one article as a document, several as a set."""
    waiting = iter(citations)
    first, second = next(waiting, None), next(waiting, None)
    if first is not None and second is None:
        yield _XML_DECLARATION + _JATS_DOCTYPE + _write_jats_article(first)
        return
    yield _XML_DECLARATION + "<pmc-articleset>\n"
    for citation in chain([one for one in (first, second) if one is not None], waiting):
        yield _write_jats_article(citation)
    yield "</pmc-articleset>\n"


def _write_jats_article(citation: Citation) -> str:
    kind = next(
        (_JATS_ARTICLE_TYPES[name] for name in citation.publication_types if name in _JATS_ARTICLE_TYPES),
        "research-article",
    )
    opening = f'article article-type="{kind}" dtd-version="1.3" xmlns:xlink="http://www.w3.org/1999/xlink"'
    front = wrap_elements("journal-meta", "".join(_write_journal_meta(citation))) + wrap_elements(
        "article-meta", "".join(_write_article_meta(citation))
    )
    dois = {one.number: one.doi for one in citation.reference_dois}
    numbered = enumerate(citation.references, 1)
    cited = wrap_if_any("ref-list", (_write_jats_reference(i, text, dois.get(i, "")) for i, text in numbered))
    return wrap_elements(
        opening + _write_language_attribute(citation.language),
        wrap_elements("front", front) + wrap_if_any("back", [cited]),
    )


def _write_language_attribute(code: str) -> str:
    return f' xml:lang="{to_two_letter_code(code)}"' if to_two_letter_code(code) else ""


def _write_journal_meta(citation: Citation) -> Iterator[str]:
    yield write_element("journal-id", citation.abbreviation, **{"journal-id-type": "nlm-ta"})
    names = write_element("journal-title", citation.journal) + write_element(
        "abbrev-journal-title", citation.abbreviation
    )
    yield write_element("journal-id", nlm_indexing.identifier_value(citation, "nlm"), **{"journal-id-type": "nlm-id"})
    yield wrap_if_any("journal-title-group", [names])
    for issn, kind in nlm_indexing.list_issns_with_kind(citation):
        attributes = {"publication-format": kind.lower()} if kind not in {"", "Linking"} else {}
        yield write_element("issn", issn, **attributes) if kind != "Linking" else ""
    yield write_element("issn-l", nlm_indexing.identifier_value(citation, "issn-linking"))
    name = write_element("publisher-name", citation.publisher)
    place = write_element("publisher-loc", citation.publisher_place)
    yield wrap_elements("publisher", (name or "<publisher-name/>\n") + place) if name or place else ""


def _write_article_meta(citation: Citation) -> Iterator[str]:
    for kind, text in (("doi", citation.doi), ("pmid", citation.pmid), ("pii", citation.pii)):
        yield write_element("article-id", text, **{"pub-id-type": kind})
    for one in citation.identifiers:
        if one.scheme not in _JOURNAL_SCHEMES:
            yield write_element("article-id", one.value, **{"pub-id-type": one.scheme})
    subjects = "".join(write_element("subject", name) for name in citation.publication_types)
    yield wrap_if_any("article-categories", [wrap_if_any('subj-group subj-group-type="heading"', [subjects])])
    yield wrap_elements("title-group", "".join(_write_jats_titles(citation)))
    yield wrap_if_any("contrib-group", chain(_write_jats_authors(citation), _write_jats_affiliations(citation)))
    yield wrap_if_any("contrib-group", map(_write_contributor, citation.contributors))
    conflict = write_raw_element("p", write_element("p", citation.conflict).removeprefix("<p>").removesuffix("</p>\n"))
    yield wrap_if_any("author-notes", [wrap_if_any('fn fn-type="coi-statement"', [conflict])])
    yield _write_jats_date('pub-date date-type="pub" publication-format="print"', citation.date)
    for item in citation.dates:
        if item.name == "epublish":
            yield _write_jats_date('pub-date date-type="pub" publication-format="electronic"', item.date)
    yield from (write_element("volume", citation.volume), write_element("issue", citation.issue))
    yield from (write_element("isbn", one.value) for one in citation.identifiers if one.scheme == "isbn")
    first = write_element("fpage", citation.first_page)
    yield (
        first + write_element("lpage", citation.last_page)
        if first
        else write_element("elocation-id", citation.article_number)
    )
    yield wrap_if_any("history", map(_write_jats_history_date, citation.dates))
    rights = write_element("copyright-statement", citation.copyright)
    yield wrap_if_any("permissions", [rights, wrap_if_any("license", [write_element("license-p", citation.licence)])])
    if to_plain_line(citation.url):
        yield f'<self-uri xlink:href="{escape_attribute(citation.url)}"/>\n'
    yield from map(nlm_indexing.write_related_article, citation.corrections)
    yield from _write_jats_texts(citation)
    yield wrap_if_any("custom-meta-group", _write_custom_meta(citation))


def _write_contributor(one: Contributor) -> str:
    name = write_element("collab", one.collective) or _write_jats_name(contributor_name(one))
    places = "".join(write_element("aff", place) for place in one.affiliations)
    inner = _write_contrib_id(one.orcid) + name + places
    return wrap_elements(f'contrib contrib-type="{one.role}"', inner) if name and one.role in _CONTRIBUTOR_ROLES else ""


def _write_custom_meta(citation: Citation) -> Iterator[str]:
    values = [(name, getattr(citation, field)) for name, field in _META_FIELDS.items()]
    for name, value in (*values, *(("note", note) for note in citation.notes)):
        text = write_element("meta-value", value)
        yield wrap_elements("custom-meta", write_element("meta-name", name) + text) if text else ""


def _write_jats_titles(citation: Citation) -> Iterator[str]:
    """Write the title in the article's language, and a translation if there is one."""
    title = render_markup(citation.title, citation.title_html, names=_JATS_INLINE_TAGS)
    vernacular = write_element("article-title", citation.vernacular_title)
    yield vernacular or write_raw_element("article-title", title) or "<article-title/>\n"
    if vernacular and title:
        yield wrap_elements('trans-title-group xml:lang="en"', write_raw_element("trans-title", title))


def _write_jats_texts(citation: Citation) -> Iterator[str]:
    yield wrap_if_any("abstract", _write_jats_sections(citation)) or wrap_if_any(
        "abstract",
        [write_raw_element("p", render_markup(citation.abstract, citation.abstract_html, names=_JATS_INLINE_TAGS))],
    )
    yield from map(_write_trans_abstract, citation.other_abstracts)
    yield wrap_if_any('kwd-group kwd-group-type="author"', (write_element("kwd", word) for word in citation.keywords))
    yield from nlm_indexing.write_subject_groups(citation)
    statements = (write_element("funding-statement", text) for text in citation.funding)
    yield wrap_if_any("funding-group", chain(map(_write_award_group, citation.grants), statements))


def _write_award_group(grant: Grant) -> str:
    inner = write_element("funding-source", grant.funder) + write_element("award-id", grant.number)
    return wrap_if_any("award-group", [inner])


def _write_jats_sections(citation: Citation) -> Iterator[str]:
    """Write the parts of an abstract; from the first with a title on, each is a section, as the DTD requires."""
    titled = False
    for section, tagged in medline_values.pair_sections_with_markup(citation):
        text, title = (
            write_raw_element("p", render_markup(section.text, tagged, names=_JATS_INLINE_TAGS)),
            write_element("title", section.label),
        )
        titled = titled or bool(text and title)
        yield wrap_elements("sec", title + text) if text and titled else text


def _write_trans_abstract(other: OtherAbstract) -> str:
    """Write a translation, or a summary of another kind, as a translated abstract."""
    kind = f' abstract-type="{escape_attribute(other.type)}"' if to_plain_line(other.type) else ""
    return wrap_if_any(
        f"trans-abstract{kind}{_write_language_attribute(other.language)}", [write_element("p", other.text)]
    )


def _write_jats_authors(citation: Citation) -> Iterator[str]:
    known = range(len(citation.affiliations))
    for author in citation.authors:
        name = write_element("collab", author.collective) or _write_jats_name(author)
        linked = (f'<xref ref-type="aff" rid="aff{i + 1}"/>\n' for i in author.affiliations if i in known)
        marks = ' corresp="yes"' * author.corresponding + ' equal-contrib="yes"' * author.equal
        inner = _write_contrib_id(author.orcid) + name + write_element("email", author.email) + "".join(linked)
        yield wrap_elements(f'contrib contrib-type="author"{marks}', inner) if name else ""


def _write_contrib_id(orcid: str) -> str:
    return (
        write_element("contrib-id", f"https://orcid.org/{orcid}", **{"contrib-id-type": "orcid"})
        if to_plain_line(orcid)
        else ""
    )


def _write_jats_name(author: Author) -> str:
    family, given = write_element("surname", author.family), write_element("given-names", author.given)
    style = "western" if family else "given-only"
    return (
        wrap_elements(f'name name-style="{style}"', family + given + write_element("suffix", author.suffix))
        if family or given
        else ""
    )


def _write_jats_affiliations(citation: Citation) -> Iterator[str]:
    for number, place in enumerate(citation.affiliations, 1):
        yield write_raw_element("aff", _mark_up_affiliation(place), id=f"aff{number}") or f'<aff id="aff{number}"/>\n'


@functools.lru_cache(maxsize=4096)
def _mark_up_affiliation(place: str) -> str:
    """Write an affiliation in full, with tags around its institution, city and country where they stand."""
    text, parts = to_plain_line(place), affiliation_parts(place)
    code = f' country="{parts.country_code}"' if parts.country_code else ""
    named = (("institution", "", parts.institution), ("city", "", parts.city), ("country", code, parts.country))
    written, at = "", 0
    for name, attribute, value in named:
        start = text.rfind(value, at) if name != "institution" else text.find(value)
        if value and start >= at:
            written += f"{escape_xml(text[at:start])}<{name}{attribute}>{escape_xml(value)}</{name}>"
            at = start + len(value)
    return written + escape_xml(text[at:])


@functools.lru_cache(maxsize=4096)
def _write_jats_date(opening: str, iso: str) -> str:
    """Write a date, day first as the DTD requires; nothing without a year."""
    known = medline_values.split_iso_date(iso)
    season = medline_values.season_or_span(iso)
    months = "" if season else "".join(map(write_element, ("month",), known[1:2]))
    days = "" if season else "".join(map(write_element, ("day",), known[2:3]))
    return (
        wrap_elements(opening, days + months + write_element("season", season) + write_element("year", known[0]))
        if known
        else ""
    )


def _write_jats_history_date(item: NamedDate) -> str:
    name = _JATS_DATE_TYPES.get(item.name, item.name)
    if item.name == "epublish" or not _DATE_TYPE.fullmatch(name):
        return ""
    return _write_jats_date(f'date date-type="{escape_attribute(name)}"', item.date)


def _write_jats_reference(number: int, text: str, doi: str) -> str:
    """Write a reference; its DOI is marked up where it is printed, else added behind it as that of a link."""
    cited = write_element("mixed-citation", text)
    name = escape_element_text(doi)
    if not cited or not name:
        return wrap_elements(f'ref id="ref{number}"', cited) if cited else ""
    printed = f'<pub-id pub-id-type="doi">{name}</pub-id>'
    linked = f' <pub-id pub-id-type="doi" specific-use="{_LINKED_DOI}">{name}</pub-id></mixed-citation>'
    head, found, rest = cited.partition(name)
    whole = f"{head}{printed}{rest}" if found else cited.replace("</mixed-citation>", linked)
    return wrap_elements(f'ref id="ref{number}"', whole)


# What is read or is no part of a record, and the elements whose children are read; the rest is reported as dropped.
_READ_GROUPS = frozenset({"front", "journal-meta", "article-meta"})
_READ_ELEMENTS = frozenset(
    """body back sub-article response floats-group processing-meta journal-id journal-title-group journal-title issn
    abbrev-journal-title publisher article-id article-categories title-group contrib-group aff author-notes pub-date
    volume issue fpage lpage elocation-id history permissions self-uri abstract trans-abstract kwd-group
    funding-group""".split()
)


def read(file: BinaryIO, notes: ReadingNotes | None = None) -> Iterator[Citation]:
    """Read articles one by one; those inside others, such as replies, are skipped."""
    for element in read_elements(file, "article", notes=notes):
        meta = element.find("front/article-meta")
        if meta is not None:
            note_unread_elements(element, notes, read=_READ_ELEMENTS, inside=_READ_GROUPS)
            yield _read_jats_article(element, meta)


def _read_jats_article(article: Any, element: Any) -> Citation:
    meta, below = ElementsByName(element), ElementsByName(element.iter("aff", "fn", "custom-meta"))
    title, title_html, vernacular = _read_jats_titles(meta)
    authors, places = _read_jats_authors(meta, below)
    abstract, abstract_html, sections = _read_jats_abstract(meta)
    date, online = _read_publication_dates(meta)
    ids = _list_ids_by_kind(meta.all("article-id"), "pub-id-type")
    return Citation(
        url="".join(one.get(_XLINK_HREF, "") for one in meta.all("self-uri")[:1]),
        title=title,
        title_html=title_html,
        vernacular_title=vernacular,
        authors=authors,
        affiliations=places,
        abstract=abstract,
        abstract_html=abstract_html,
        sections=sections,
        other_abstracts=tuple(map(_read_trans_abstract, meta.all("trans-abstract"))),
        volume=meta.text("volume"),
        issue=meta.text("issue"),
        first_page=meta.text("fpage"),
        last_page=meta.text("lpage"),
        article_number=meta.text("elocation-id"),
        date=date,
        dates=_read_jats_history(meta, online),
        doi=ids.get("doi", ""),
        pmid=ids.get("pmid", ""),
        pii=ids.get("pii", ""),
        language=to_two_letter_code(article.get(_LANG_ATTRIBUTE, "")),
        **_read_jats_references(article),
        funding=texts_at(element, "funding-group/funding-statement"),
        grants=tuple(_read_award_groups(element)),
        licence=meta.inside("permissions").text("license"),
        publication_types=texts_at(element, "article-categories/subj-group/subject"),
        conflict=_read_jats_conflict(below),
        **_read_jats_journal(article, element, meta),
        **_read_jats_extras(meta, below),
    )


def _read_jats_journal(article: Any, element: Any, meta: ElementsByName) -> dict[str, Any]:
    """Read the journal from its own element, or from that of the article if it has none."""
    journal = next(elements_at(article, "front/journal-meta"), element)
    own, anywhere = ElementsByName(journal), ElementsByName(journal.iter())
    ids = _list_ids_by_kind(own.all("journal-id"), "journal-id-type")
    return {
        "journal": anywhere.text("journal-title"),
        "abbreviation": anywhere.text("abbrev-journal-title") or ids.get("nlm-ta", ""),
        "publisher": anywhere.text("publisher-name"),
        "publisher_place": anywhere.text("publisher-loc"),
        "issn": tuple(dict.fromkeys([*own.texts("issn"), *own.texts("issn-l")])),
        "identifiers": tuple(_read_jats_identifiers(meta, own, ids.get("nlm-id", ""))),
    }


def _read_jats_extras(meta: ElementsByName, below: ElementsByName) -> dict[str, Any]:
    """Read the fields that few articles have."""
    custom = [(text_at(one, "meta-name"), text_at(one, "meta-value")) for one in below.all("custom-meta")]
    stated = {field: next((value for key, value in custom if key == name), "") for name, field in _META_FIELDS.items()}
    return {
        **stated,
        **nlm_indexing.read_subject_groups(meta.all("kwd-group")),
        "notes": tuple(value for key, value in custom if key == "note" and value),
        "contributors": tuple(_read_contributors(meta)),
        "corrections": tuple(map(nlm_indexing.read_related_article, meta.all("related-article"))),
        "copyright": meta.inside("permissions").text("copyright-statement"),
    }


def _list_contribs(meta: ElementsByName) -> list[Any]:
    return [one for group in meta.all("contrib-group") for one in group if one.tag == "contrib"]


def _read_contributors(meta: ElementsByName) -> Iterator[Contributor]:
    for one in _list_contribs(meta):
        if one.get("contrib-type") in _CONTRIBUTOR_ROLES:
            name = _read_jats_contrib(one, ElementsByName(one))
            yield Contributor(
                role=one.get("contrib-type"),
                family=name.family,
                given=name.given,
                suffix=name.suffix,
                collective=name.collective,
                orcid=name.orcid,
                affiliations=tuple(filter(None, map(_read_jats_affiliation, one.iterfind("aff")))),
            )


def _read_jats_identifiers(meta: ElementsByName, journal: ElementsByName, journal_number: str) -> Iterator[Identifier]:
    for one in meta.all("article-id"):
        scheme = {"pmc": "pmcid"}.get(one.get("pub-id-type", ""), one.get("pub-id-type", ""))
        if scheme not in {"", "doi", "pmid", "pii"} and text_of_element(one):
            yield Identifier(scheme, text_of_element(one))
    yield from (Identifier("isbn", text) for text in meta.texts("isbn"))
    yield from [Identifier("nlm", journal_number)] if journal_number else []
    kinds = {"print": "Print", "ppub": "Print", "electronic": "Electronic", "epub": "Electronic"}
    found = [
        (text_of_element(one), kinds.get(one.get("publication-format") or one.get("pub-type", ""), ""))
        for one in journal.all("issn")
    ]
    yield from nlm_indexing.make_issn_identifiers([*found, *((text, "Linking") for text in journal.texts("issn-l"))])


def _read_jats_titles(meta: ElementsByName) -> tuple[str, str, str]:
    """Return the English title, plain and tagged, and the original title of an article in another language."""
    titles = meta.inside("title-group")
    title, title_html = inline_of(titles.first("article-title"))
    for group in titles.all("trans-title-group"):
        if to_two_letter_code(group.get(_LANG_ATTRIBUTE, "")) == "en":
            return *inline_of(group.find("trans-title")), title
    return title, title_html, ""


def _read_jats_authors(meta: ElementsByName, below: ElementsByName) -> tuple[tuple[Author, ...], tuple[str, ...]]:
    """Read authors with their affiliations, linked or nested; affiliations without an author are kept."""
    stated = [aff for aff in below.all("aff") if not _is_of_contributor(aff)]
    places = [(aff.get("id", ""), _read_jats_affiliation(aff)) for aff in stated]
    known = dict(places)
    group = [one for one in _list_contribs(meta) if one.get("contrib-type", "author") == "author"]
    parts = map(ElementsByName, group)
    return number_affiliations(
        (
            (_read_jats_contrib(one, own), _list_contrib_affiliations(own, known))
            for one, own in zip(group, parts, strict=True)
        ),
        [text for _, text in places if text],
    )


def _is_of_contributor(aff: Any) -> bool:
    parent = aff.getparent()
    return parent.tag == "contrib" and parent.get("contrib-type") in _CONTRIBUTOR_ROLES


def _read_jats_affiliation(aff: Any) -> str:
    """Read the text of an affiliation without its label."""
    label = text_at(aff, "label")
    return text_of_element(aff).removeprefix(label).strip() if label else text_of_element(aff)


def _list_contrib_affiliations(parts: ElementsByName, known: dict[str, str]) -> tuple[str, ...]:
    links = [link.get("rid", "") for link in parts.all("xref") if link.get("ref-type") == "aff"]
    ids = [rid for link in links for rid in link.split()]
    return (*[known.get(rid, "") for rid in ids], *map(_read_jats_affiliation, parts.all("aff")))


def _read_jats_contrib(contrib: Any, own: ElementsByName) -> Author:
    below = ElementsByName(contrib.iter())
    orcid = next((one for one in own.all("contrib-id") if one.get("contrib-id-type") == "orcid"), None)
    family, given = below.text("surname"), below.text("given-names")
    return Author(
        family=family or given,  # a single name is the family name
        given=given if family else "",
        suffix=below.text("suffix"),
        collective=own.text("collab"),
        orcid="" if orcid is None else find_orcid(text_of_element(orcid)),
        email=below.text("email"),
        corresponding=contrib.get("corresp") == "yes",
        equal=contrib.get("equal-contrib") == "yes",
    )


def _read_jats_abstract(meta: ElementsByName) -> tuple[str, str, tuple[Section, ...]]:
    """Read the abstract that has no special type, with sections if it has titles."""
    found = next((one for one in meta.all("abstract") if not one.get("abstract-type")), None)
    if found is None:
        return "", "", ()
    parts = [one for one in found if one.tag in {"sec", "p"}]
    if not any(text_at(part, "title") for part in parts):
        return *(inline_of(parts[0]) if len(parts) == 1 else (" ".join(map(text_of_element, parts)), "")), ()
    return medline_values.join_tagged_sections([(text_at(part, "title"), *_read_jats_section(part)) for part in parts])


def _read_jats_section(part: Any) -> tuple[str, str]:
    """Read the text of a section, plain, and tagged if it has one paragraph."""
    inner = [part] if part.tag == "p" else part.findall("p")
    return inline_of(inner[0]) if len(inner) == 1 else (" ".join(map(text_of_element, inner)), "")


def _read_trans_abstract(element: Any) -> OtherAbstract:
    language = element.get(_LANG_ATTRIBUTE, "")
    return OtherAbstract(
        element.get("abstract-type", ""), to_two_letter_code(language), " ".join(texts_at(element, ".//p"))
    )


def _read_publication_dates(meta: ElementsByName) -> tuple[str, str]:
    """Return the date of print or of the collection, else the first date; and the online date of a printed article."""
    found = [
        (
            f"{one.get('publication-format', '')} {one.get('pub-type', '')} {one.get('date-type', '')}",
            _read_jats_date(one),
        )
        for one in _find_pub_dates(meta)
    ]
    printed = next((date for kind, date in found if "print" in kind or "ppub" in kind or "collection" in kind), "")
    online = next((date for kind, date in found if "electronic" in kind or "epub" in kind), "")
    first = next((date for _, date in found if date), "")
    return printed or first, online if printed else ""


def _find_pub_dates(meta: ElementsByName) -> Iterator[Any]:
    return (one for one in meta.all("pub-date") if one.get("date-type", "pub") in {"pub", "collection"})


def _read_jats_history(meta: ElementsByName, online: str) -> tuple[NamedDate, ...]:
    """Read the dates under our names, in our order, followed by other dates."""
    names = [(one.get("date-type", ""), _read_jats_date(one)) for one in meta.inside("history").all("date")]
    past = {_OUR_DATE_NAMES.get(name, name): date for name, date in [*names, ("epublish", online)] if name and date}
    ordered = [name for name in HISTORY_DATE_NAMES if name in past] + [
        name for name in past if name not in HISTORY_DATE_NAMES
    ]
    return tuple(NamedDate(name, past[name]) for name in ordered)


def _read_jats_date(element: Any) -> str:
    parts = ElementsByName(element)
    year, season = parts.text("year"), parts.text("season")
    if season:
        return medline_values.iso_from_medline(f"{year} {season}")
    return medline_values.iso_from_parts(year, parts.text("month"), parts.text("day"))


def _list_ids_by_kind(elements: Sequence[Any], attribute: str) -> dict[str, str]:
    """Return the first identifier of each kind."""
    return {one.get(attribute, ""): text_of_element(one) for one in reversed(elements)}


def _read_jats_conflict(below: ElementsByName) -> str:
    kinds = {"coi-statement", "conflict"}
    return next((text_of_element(one) for one in below.all("fn") if one.get("fn-type") in kinds), "")


def _read_jats_references(article: Any) -> dict[str, Any]:
    cited = [
        (text, doi)
        for ref in article.iterfind("back/ref-list//ref")
        for text, doi in [_read_jats_reference(ref)]
        if text
    ]
    dois = tuple(ReferenceDoi(number, doi) for number, (_, doi) in enumerate(cited, 1) if doi)
    return {"references": tuple(text for text, _ in cited), "reference_dois": dois}


def _read_jats_reference(ref: Any) -> tuple[str, str]:
    """Read the text of a reference, without the DOI of a link that we added, and its DOI."""
    ids = [one for one in ref.iter("pub-id") if one.get("pub-id-type") == "doi"]
    text = text_at(ref, "mixed-citation") or text_at(ref, "element-citation")
    for one in ids:
        if one.get("specific-use") == _LINKED_DOI:
            text = text.removesuffix(text_of_element(one)).rstrip()
    return text, next(map(text_of_element, ids), "")


def _read_award_groups(meta: Any) -> Iterator[Grant]:
    """Read each number of an award with its sources; sources alone if it has no number."""
    for group in elements_at(meta, "funding-group/award-group"):
        funder = ", ".join(dict.fromkeys(texts_at(group, "funding-source")))
        numbers = texts_at(group, "award-id") or ((), ("",))[bool(funder)]
        yield from (Grant(funder, number) for number in numbers)
