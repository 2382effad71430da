"""Fields read from embedded metadata: `citation_…` tags, JSON-LD, Dublin Core and others.

Each field has a table of rules in order of preference. Authors come with their affiliations.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple

from medharvest.citations.author_names import (
    MAX_NAME_LIST_CHARS,
    NameOrder,
    find_name_order,
    parse_author_name,
    parse_group_name,
    parse_name_suffix,
)
from medharvest.citations.identifiers import find_doi, find_issns, find_orcid
from medharvest.citations.printed_dates import parse_date
from medharvest.citations.zone_fields import parse_article_type
from medharvest.records import Author, MetaItem

# Scores of the sources, used until calibration replaces them.
METADATA_TRUST = MappingProxyType(
    {
        "citation": 0.9,
        "jsonld": 0.85,
        "state": 0.8,
        "prism": 0.85,
        "dc": 0.75,
        "microdata": 0.7,
        "opengraph": 0.5,
        "meta": 0.4,
    }
)

# Field -> rules in order of preference: a source, and a regular expression for the whole name of an item.
# `<Periodical>` stands for the path at which JSON-LD describes the journal.
METADATA_RULES: MappingProxyType[str, tuple[tuple[str, str], ...]] = MappingProxyType(
    {
        "title": (
            ("citation", "citation_title"),
            ("jsonld", "headline"),
            ("dc", r"dc\.title"),
            ("prism", r"prism\.title"),
            ("jsonld", "name"),
            ("opengraph", "og:title"),
        ),
        "journal": (
            ("citation", "citation_journal_title"),
            ("prism", r"prism\.publicationname"),
            ("jsonld", "<Periodical>name"),
            ("citation", "citation_conference_title"),
        ),
        "abbreviation": (("citation", "citation_journal_abbrev"), ("jsonld", "<Periodical>alternateName")),
        "publisher": (
            ("citation", "citation_publisher"),
            ("jsonld", r"publisher\.name"),
            ("jsonld", r"<Periodical>publisher\.name"),
            ("dc", r"dc\.publisher"),
        ),
        "volume": (
            ("citation", "citation_volume"),
            ("prism", r"prism\.volume"),
            ("jsonld", r"(?:.*\.)?volumeNumber"),
        ),
        "issue": (
            ("citation", "citation_issue"),
            ("prism", r"prism\.number"),
            ("jsonld", r"(?:.*\.)?issueNumber"),
        ),
        "first_page": (
            ("citation", "citation_firstpage"),
            ("prism", r"prism\.startingpage"),
            ("jsonld", "pageStart"),
        ),
        "last_page": (
            ("citation", "citation_lastpage"),
            ("prism", r"prism\.endingpage"),
            ("jsonld", "pageEnd"),
        ),
        "doi": (
            ("citation", "citation_doi"),
            ("prism", r"prism\.doi"),
            ("dc", r"dc\.identifier(?:\.doi)?"),
            ("jsonld", r"(?:identifier|sameAs)(?:\.\d+)?(?:\.value)?"),
            ("jsonld", r"@id|url"),
        ),
        "pmid": (("citation", "citation_pmid"),),
        "date": (
            ("citation", "citation_publication_date"),
            ("citation", "citation_date"),
            ("citation", "citation_cover_date"),
            ("citation", "citation_online_date"),
            ("prism", r"prism\.publicationdate"),
            ("jsonld", "datePublished"),
            ("dc", r"dc\.date(?:\.issued)?"),
            ("citation", "citation_year"),
        ),
        "language": (("citation", "citation_language"), ("jsonld", "inLanguage"), ("dc", r"dc\.language")),
        "licence": (("jsonld", "license"), ("dc", r"dc\.rights\.license")),
        "article_number": (("citation", "citation_article_number"), ("citation", "citation_elocation_id")),
        "issn": (
            ("citation", r"citation_.*issn.*"),
            ("prism", r"prism\..*issn.*"),
            ("jsonld", r"(?:.*\.)?issn(?:\.\d+)?"),
            ("dc", r"dc\..*issn.*"),
            ("meta", r".*issn.*"),
        ),
        "keywords": (
            ("citation", "citation_keywords"),
            ("jsonld", r"keywords(?:\.\d+)?"),
            ("dc", r"dc\.subject"),
        ),
        "abstract": (
            ("citation", "citation_abstract"),
            ("jsonld", "abstract"),
            ("jsonld", "description"),
            ("dc", r"dc\.description(?:\.abstract)?"),
            ("opengraph", "og:description"),
            ("meta", "description"),
        ),
    }
)
# JSON-LD keys that describe other works: cited, contained or mentioned.
_OTHER_WORK_KEYS = frozenset({"citation", "hasPart", "isBasedOn", "mentions"})
_METADATA_LANGUAGE_CODES = {
    "english": "en",
    "eng": "en",
    "french": "fr",
    "fre": "fr",
    "fra": "fr",
    "german": "de",
    "ger": "de",
    "deu": "de",
    "spanish": "es",
    "spa": "es",
    "chinese": "zh",
    "chi": "zh",
    "zho": "zh",
}
_MONTH_FIRST_DATE = re.compile(r"\s*(\d{1,2})/(\d{1,2})/(\d{4})\b")
_METADATA_INLINE_TAG = re.compile(r"<[^<>]{1,80}>")
# Items that may state the kind of article; most also have values such as `Text`.
_ARTICLE_TYPE_NAME = re.compile(
    r"citation_(?:article_type|section|categories)|prism\.section|dc\.type|article:section|eprints\.type|"
    r"(?:articleSection|genre)(?:\.\d{1,3})?"
)
_EMPTY_VALUES = frozenset({"undefined", "null", "None", "N/A", "n/a"})  # what programs print for a missing value
_NESTED_SOURCES = ("jsonld", "microdata")  # both use the names of schema.org
_CITATION_AFFILIATION_TAGS = frozenset({"citation_author_institution", "citation_author_affiliation"})
_JSONLD_PERSON = re.compile(r"author(?:\.(\d+))?(?:\.([^\d.].*))?")
_JSONLD_AFFILIATION = re.compile(r"affiliation(?:\.\d+)?(?:\.name)?")
_JSONLD_PERSON_PARTS = {
    None: "name",
    "name": "name",
    "familyName": "family",
    "givenName": "given",
    "honorificSuffix": "suffix",
    "email": "email",
}


class MetadataValue(NamedTuple):
    """A value of a field and the item it came from."""

    text: str
    item: MetaItem
    score: float


class MetadataValues(NamedTuple):
    """The values of a list field and the items they came from."""

    texts: tuple[str, ...] = ()
    items: tuple[MetaItem, ...] = ()


class MetadataPeople(NamedTuple):
    """Authors, their affiliations, and the items that both came from."""

    authors: tuple[Author, ...] = ()
    affiliations: tuple[str, ...] = ()
    author_items: tuple[MetaItem, ...] = ()
    affiliation_items: tuple[MetaItem, ...] = ()


@dataclass(slots=True)
class _MetadataPerson:
    """An author being collected from several items."""

    item: MetaItem
    name: str = ""
    family: str = ""
    given: str = ""
    suffix: str = ""
    orcid: str = ""
    email: str = ""
    group: bool = False
    places: list[MetaItem] = field(default_factory=list)


def own_article_items(items: Iterable[MetaItem]) -> tuple[MetaItem, ...]:
    """Return the items about the page's own article, without those about works it cites or lists and empty ones."""
    return tuple(
        item
        for item in items
        if item.value not in _EMPTY_VALUES
        and (item.source not in _NESTED_SOURCES or _OTHER_WORK_KEYS.isdisjoint(item.name.split(".")))
    )


def metadata_values(items: Iterable[MetaItem], field: str) -> Iterator[MetadataValue]:
    """Yield every value that the metadata has for a field, best first."""
    clean = _VALUE_CLEANERS.get(field, str.strip)
    for named in _items_by_rule(items, field):
        for item in named:
            text = _clean_metadata_date(item) if field == "date" else clean(item.value)
            if text:
                yield MetadataValue(text, item, METADATA_TRUST[item.source])


def script_state_values(items: Iterable[MetaItem], field: str) -> Iterator[MetadataValue]:
    """Yield the title or abstract in the data that the page keeps for its scripts."""
    name = {"title": "headline"}.get(field, field)
    for item in items:
        text = _VALUE_CLEANERS[field](item.value) if (item.source, item.name) == ("state", name) else ""
        if text:
            yield MetadataValue(text, item, METADATA_TRUST[item.source])


def read_metadata_issns(items: Iterable[MetaItem]) -> MetadataValues:
    """Return the ISSNs of all sources: one may have the print ISSN and another the electronic one."""
    named = [item for group in _items_by_rule(items, "issn") for item in group if find_issns(item.value)]
    return MetadataValues(tuple(dict.fromkeys(issn for item in named for issn in find_issns(item.value))), tuple(named))


def read_metadata_type(items: Iterable[MetaItem]) -> MetadataValues:
    """Return MEDLINE's name for the kind of article that the first telling item states."""
    for item in items:
        if _ARTICLE_TYPE_NAME.fullmatch(item.name) and (name := parse_article_type(item.value)):
            return MetadataValues((name,), (item,))
    return MetadataValues()


def read_metadata_keywords(items: Iterable[MetaItem]) -> MetadataValues:
    """Return the keywords of the first source that has any."""
    for named in _items_by_rule(items, "keywords"):
        # If each keyword has its own item, or semicolons separate them, a comma is part of a keyword.
        separator = ";" if len(named) > 1 or any(";" in item.value for item in named) else ","
        words = (word.strip(" ,") for item in named for word in item.value.split(separator))
        texts = tuple(dict.fromkeys(word for word in words if word))
        if texts:
            return MetadataValues(texts, tuple(named))
    return MetadataValues()


def _items_by_rule(items: Iterable[MetaItem], field: str) -> Iterator[list[MetaItem]]:
    """Yield the items that match each rule of a field, rule by rule; microdata follows the rules of JSON-LD."""
    items = tuple(items)
    marked_up = [item for item in items if item.source == "microdata"]
    yield from _items_fitting_rules([item for item in items if item.source != "microdata"], METADATA_RULES[field])
    yield from _items_fitting_rules(
        marked_up, [("microdata", name) for source, name in METADATA_RULES[field] if source == "jsonld"]
    )


def _items_fitting_rules(items: Sequence[MetaItem], rules: Iterable[tuple[str, str]]) -> Iterator[list[MetaItem]]:
    by_source: dict[str, list[MetaItem]] = {}
    for item in items:
        by_source.setdefault(item.source, []).append(item)
    periodical = _find_periodical_path(items)
    for source, name in rules:
        if "<Periodical>" in name and periodical is None:
            continue
        pattern = re.compile(name.replace("<Periodical>", re.escape(periodical or "")))
        yield [item for item in by_source.get(source, ()) if pattern.fullmatch(item.name)]


def _find_periodical_path(items: Iterable[MetaItem]) -> str | None:
    """Return the path, with its final dot, at which JSON-LD or microdata describe the journal; empty for the root."""
    for item in items:
        if item.source in _NESTED_SOURCES and item.value == "Periodical":
            place, kind, index = item.name.rpartition("@type")
            if kind and re.fullmatch(r"(?:\.\d+)?", index):
                return place
    return None


def _clean_metadata_language(text: str) -> str:
    code = text.strip().lower()
    return _METADATA_LANGUAGE_CODES.get(code, code[:2] if re.fullmatch(r"[a-z]{2}(?:[-_].*)?", code) else "")


def _clean_metadata_abstract(text: str) -> str:
    """Clean an abstract; empty for a teaser, which is too short or cut off."""
    text = " ".join(_METADATA_INLINE_TAG.sub(" ", text).split())
    return "" if len(text) < 150 or text.endswith(("...", "…")) else text  # noqa: PLR2004


def _clean_metadata_date(item: MetaItem) -> str:
    """Parse a date; `citation_…` tags write the month first, as in 11/01/2013."""
    found = _MONTH_FIRST_DATE.match(item.value) if item.source == "citation" else None
    american = parse_date(f"{found[3]}-{found[1]}-{found[2]}") if found else ""
    return max(american, parse_date(item.value), key=len)


def _clean_metadata_title(text: str) -> str:
    return " ".join(_METADATA_INLINE_TAG.sub("", text).split())


_VALUE_CLEANERS: dict[str, Callable[[str], str]] = {
    "doi": find_doi,
    "language": _clean_metadata_language,
    "abstract": _clean_metadata_abstract,
    "title": _clean_metadata_title,
}


def read_metadata_people(items: Iterable[MetaItem]) -> MetadataPeople:
    """Return authors and affiliations of the first source with authors, or of the scripts if it has no affiliations."""
    items = tuple(items)
    sources = (
        _collect_named_people(items, "citation_author"),
        _collect_named_people(items, "citation_authors"),
        _collect_jsonld_people(items, "jsonld"),
        _collect_named_people(items, "dc.creator"),
        _collect_named_people(items, "dc.contributor.author"),
        _collect_jsonld_people(items, "microdata"),
        _collect_named_people(items, "author"),
    )
    first = next((people for collected in sources if (people := _to_people(collected)).authors), MetadataPeople())
    state = _to_people(_collect_jsonld_people(items, "state"))
    more = len(state.authors) >= len(first.authors) and (state.affiliations or not first.authors)
    return state if more and not first.affiliations else first


def _collect_named_people(items: Iterable[MetaItem], name: str) -> list[_MetadataPerson]:
    """Collect people from the items of one name (semicolons separate several) and details from the items after them."""
    people: list[_MetadataPerson] = []
    for item in items:
        if item.name == name and len(item.value) <= MAX_NAME_LIST_CHARS:
            people += [_MetadataPerson(item, name=part) for part in item.value.split(";") if part.strip()]
        elif people:
            _add_person_detail(people[-1], item)
    return people


def _add_person_detail(person: _MetadataPerson, item: MetaItem) -> None:
    if item.name in _CITATION_AFFILIATION_TAGS:
        person.places.append(item)
    elif item.name == "citation_author_orcid":
        person.orcid = find_orcid(item.value)
    elif item.name == "citation_author_email":
        person.email = item.value


def _collect_jsonld_people(items: Iterable[MetaItem], source: str) -> list[_MetadataPerson]:
    people: dict[str, _MetadataPerson] = {}
    for item in items:
        found = _JSONLD_PERSON.fullmatch(item.name) if item.source == source else None
        if not found:
            continue
        person = people.setdefault(found.group(1) or "", _MetadataPerson(item))
        part = found.group(2)
        if part in _JSONLD_PERSON_PARTS:
            setattr(person, _JSONLD_PERSON_PARTS[part], item.value)
        elif part == "@type":
            person.group = item.value == "Organization"
        elif _JSONLD_AFFILIATION.fullmatch(part):
            person.places.append(item)
        else:
            person.orcid = person.orcid or find_orcid(item.value)
    return list(people.values())


def _to_people(collected: Iterable[_MetadataPerson]) -> MetadataPeople:
    """Turn the collected people into authors; their affiliations are numbered in one shared list."""
    numbers: dict[str, int] = {}
    pairs: list[tuple[Author, _MetadataPerson]] = []
    collected = tuple(collected)
    order = find_name_order(person.name for person in collected if not person.family and not person.group)
    for person in collected:
        author = _to_metadata_author(person, order)
        if author is not None:
            places = dict.fromkeys(numbers.setdefault(item.value, len(numbers)) for item in person.places)
            pairs.append((replace(author, affiliations=tuple(places)), person))
    return MetadataPeople(
        tuple(author for author, _ in pairs),
        tuple(numbers),
        tuple(dict.fromkeys(person.item for _, person in pairs)),
        tuple(dict.fromkeys(item for _, person in pairs for item in person.places)),
    )


def _to_metadata_author(person: _MetadataPerson, order: NameOrder) -> Author | None:
    if person.group:
        author = Author(collective=parse_group_name(person.name)) if person.name else None
    elif person.family:
        author = parse_author_name(f"{person.family}, {person.given}", NameOrder.INVERTED)
    else:
        author = parse_author_name(person.name, order)
    if author is None:
        return None
    suffix = author.suffix or parse_name_suffix(person.suffix)
    return replace(author, suffix=suffix, orcid=person.orcid, email=person.email)
