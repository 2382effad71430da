"""Embedded metadata to fields: one table of rules, first answer wins."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import MappingProxyType
from typing import NamedTuple

from medharvest.citations.dates import parse_date
from medharvest.citations.identifiers import find_doi, find_issns
from medharvest.records import MetaItem


class Value(NamedTuple):
    """A field's value with the item it came from."""

    text: str
    item: MetaItem
    score: float


class Values(NamedTuple):
    """The values of a list field with the items they came from."""

    texts: tuple[str, ...] = ()
    items: tuple[MetaItem, ...] = ()


# How far each source is to be trusted until scores are calibrated.
TRUST = MappingProxyType(
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

# Field -> rules in order of preference, the first answer wins: a source, and a regular expression for the whole name.
# `<Periodical>` stands for the place where JSON-LD describes the journal.
RULES: MappingProxyType[str, tuple[tuple[str, str], ...]] = MappingProxyType(
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
# JSON-LD keys under which other works are described: those cited, contained or mentioned.
_OTHER_WORKS = frozenset({"citation", "hasPart", "isBasedOn", "mentions"})
_LANGUAGES = {
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
_MONTH_FIRST = re.compile(r"\s*(\d{1,2})/(\d{1,2})/(\d{4})\b")
_INLINE_TAG = re.compile(r"<[^<>]{1,80}>")
_NESTED = ("jsonld", "microdata")  # sources that use the same names


def own_items(items: Iterable[MetaItem]) -> tuple[MetaItem, ...]:
    """The items that speak of the page's own article, not of those it cites or lists."""
    return tuple(item for item in items if item.source not in _NESTED or _OTHER_WORKS.isdisjoint(item.name.split(".")))


def scalar(items: Iterable[MetaItem], field: str) -> Iterator[Value]:
    """Every value the metadata has for a field, best first."""
    clean = _CLEAN.get(field, str.strip)
    for named in _by_rule(items, field):
        for item in named:
            text = _date(item) if field == "date" else clean(item.value)
            if text:
                yield Value(text, item, TRUST[item.source])


def from_state(items: Iterable[MetaItem], field: str) -> Iterator[Value]:
    """What the page carries for its scripts of a title or an abstract."""
    name = {"title": "headline"}.get(field, field)
    for item in items:
        text = _CLEAN[field](item.value) if (item.source, item.name) == ("state", name) else ""
        if text:
            yield Value(text, item, TRUST[item.source])


def issns(items: Iterable[MetaItem]) -> Values:
    """The ISSNs of all sources: one may have the printed journal's and another the electronic one's."""
    named = [item for group in _by_rule(items, "issn") for item in group if find_issns(item.value)]
    return Values(tuple(dict.fromkeys(issn for item in named for issn in find_issns(item.value))), tuple(named))


def keywords(items: Iterable[MetaItem]) -> Values:
    """The keywords of the first source that has some."""
    for named in _by_rule(items, "keywords"):
        # Where each keyword has an item of its own, or a semicolon behind it, a comma stands inside one.
        marks = ";" if len(named) > 1 or any(";" in item.value for item in named) else ","
        words = (word.strip(" ,") for item in named for word in item.value.split(marks))
        texts = tuple(dict.fromkeys(word for word in words if word))
        if texts:
            return Values(texts, tuple(named))
    return Values()


def _by_rule(items: Iterable[MetaItem], field: str) -> Iterator[list[MetaItem]]:
    """The items that fit each rule of a field, rule by rule."""
    items = tuple(items)
    marked_up = [item for item in items if item.source == "microdata"]
    yield from _fitting([item for item in items if item.source != "microdata"], RULES[field])
    yield from _fitting(marked_up, [("microdata", name) for source, name in RULES[field] if source == "jsonld"])


def _fitting(items: Sequence[MetaItem], rules: Iterable[tuple[str, str]]) -> Iterator[list[MetaItem]]:
    by_source: dict[str, list[MetaItem]] = {}
    for item in items:
        by_source.setdefault(item.source, []).append(item)
    periodical = _place_of_periodical(items)
    for source, name in rules:
        if "<Periodical>" in name and periodical is None:
            continue
        pattern = re.compile(name.replace("<Periodical>", re.escape(periodical or "")))
        yield [item for item in by_source.get(source, ()) if pattern.fullmatch(item.name)]


def _place_of_periodical(items: Iterable[MetaItem]) -> str | None:
    """The path, with its dot, below which JSON-LD or microdata describe the journal; empty for the whole block."""
    for item in items:
        if item.source in _NESTED and item.value == "Periodical":
            place, kind, index = item.name.rpartition("@type")
            if kind and re.fullmatch(r"(?:\.\d+)?", index):
                return place
    return None


def _language(text: str) -> str:
    code = text.strip().lower()
    return _LANGUAGES.get(code, code[:2] if re.fullmatch(r"[a-z]{2}(?:[-_].*)?", code) else "")


def _abstract(text: str) -> str:
    """A teaser is no abstract: too short, or cut off."""
    text = " ".join(_INLINE_TAG.sub(" ", text).split())
    return "" if len(text) < 150 or text.endswith(("...", "…")) else text  # noqa: PLR2004


def _date(item: MetaItem) -> str:
    """A date; of 11/01/2013 in a `citation_…` tag the month is first, as those tags have it."""
    found = _MONTH_FIRST.match(item.value) if item.source == "citation" else None
    american = parse_date(f"{found[3]}-{found[1]}-{found[2]}") if found else ""
    return max(american, parse_date(item.value), key=len)


def _title(text: str) -> str:
    return " ".join(_INLINE_TAG.sub("", text).split())


_CLEAN: dict[str, Callable[[str], str]] = {
    "doi": find_doi,
    "language": _language,
    "abstract": _abstract,
    "title": _title,
}
