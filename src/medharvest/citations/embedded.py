"""Embedded metadata to fields: one table of rules, first answer wins."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from types import MappingProxyType
from typing import NamedTuple

from medharvest.citations.dates import parse_date
from medharvest.citations.names import parse_name, parse_suffix
from medharvest.records import Author, MetaItem


class Value(NamedTuple):
    """A field's value with the item it came from."""

    text: str
    item: MetaItem
    score: float


# How far each source is to be trusted until scores are calibrated.
TRUST = MappingProxyType({"citation": 0.9, "jsonld": 0.85, "prism": 0.85, "dc": 0.75, "opengraph": 0.5, "meta": 0.4})

# Field -> names in order of preference; a name may be a regular expression over a JSON-LD path.
RULES: MappingProxyType[str, tuple[tuple[str, str], ...]] = MappingProxyType(
    {
        "title": (
            ("citation", "citation_title"),
            ("jsonld", "headline"),
            ("dc", "dc.title"),
            ("prism", "prism.title"),
            ("jsonld", "name"),
            ("opengraph", "og:title"),
        ),
        "journal": (
            ("citation", "citation_journal_title"),
            ("prism", "prism.publicationname"),
            ("jsonld", "<Periodical>.name"),
            ("citation", "citation_conference_title"),
        ),
        "abbreviation": (("citation", "citation_journal_abbrev"), ("jsonld", "<Periodical>.alternateName")),
        "publisher": (
            ("citation", "citation_publisher"),
            ("jsonld", r"publisher\.name"),
            ("jsonld", r"<Periodical>.publisher.name"),
            ("dc", "dc.publisher"),
        ),
        "volume": (
            ("citation", "citation_volume"),
            ("prism", "prism.volume"),
            ("jsonld", r"(?:.*\.)?volumeNumber"),
        ),
        "issue": (
            ("citation", "citation_issue"),
            ("prism", "prism.number"),
            ("jsonld", r"(?:.*\.)?issueNumber"),
        ),
        "first_page": (
            ("citation", "citation_firstpage"),
            ("prism", "prism.startingpage"),
            ("jsonld", "pageStart"),
        ),
        "last_page": (
            ("citation", "citation_lastpage"),
            ("prism", "prism.endingpage"),
            ("jsonld", "pageEnd"),
        ),
        "doi": (
            ("citation", "citation_doi"),
            ("prism", "prism.doi"),
            ("dc", r"dc\.identifier(?:\.doi)?"),
            ("jsonld", r"(?:sameAs|identifier|@id|identifier\.value|identifier\.\d+\.value|sameAs\.\d+|url)"),
        ),
        "pmid": (("citation", "citation_pmid"),),
        "date": (
            ("citation", "citation_publication_date"),
            ("citation", "citation_date"),
            ("citation", "citation_online_date"),
            ("prism", "prism.publicationdate"),
            ("jsonld", "datePublished"),
            ("dc", r"dc\.date(?:\.issued)?"),
            ("citation", "citation_year"),
        ),
        "language": (("citation", "citation_language"), ("jsonld", "inLanguage"), ("dc", "dc.language")),
        "licence": (("jsonld", "license"), ("dc", "dc.rights.license")),
        "article_number": (("citation", "citation_article_number"), ("citation", "citation_elocation_id")),
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
_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>?#]+")
_ISSN = re.compile(r"\b\d{4}-?\d{3}[\dXx]\b")
_ORCID = re.compile(r"\b\d{4}-\d{4}-\d{4}-\d{3}[\dXx]\b")


def scalar(items: Iterable[MetaItem], field: str) -> Iterator[Value]:
    """Every value the metadata has for a field, best first."""
    items = tuple(items)
    periodical = _prefix_of(items, "Periodical")
    for source, name in RULES[field]:
        if "<Periodical>" in name and periodical is None:
            continue
        pattern = re.compile(name.replace("<Periodical>.", re.escape(f"{periodical}.") if periodical else ""))
        for item in items:
            if item.source == source and pattern.fullmatch(item.name):
                text = _CLEAN[field](item.value) if field in _CLEAN else item.value
                if text:
                    yield Value(text, item, TRUST[source])


def _prefix_of(items: tuple[MetaItem, ...], kind: str) -> str | None:
    found = (item.name for item in items if item.source == "jsonld" and item.value == kind)
    return next((name.removesuffix(".@type").removesuffix("@type") for name in found if "@type" in name), None)


def find_doi(text: str) -> str:
    """The first DOI in a text, bare."""
    found = _DOI.search(text)
    return found.group().rstrip(".,;)]") if found else ""


def find_issns(text: str) -> tuple[str, ...]:
    """Every ISSN in a text whose check digit is right, with its hyphen."""
    found = (f"{raw[:4]}-{raw[-4:]}".upper() for raw in _ISSN.findall(text))
    return tuple(dict.fromkeys(issn for issn in found if _checks(issn)))


def _checks(issn: str) -> bool:
    digits = [10 if character == "X" else int(character) for character in issn.replace("-", "")]
    return sum(digit * weight for digit, weight in zip(digits, range(8, 0, -1), strict=True)) % 11 == 0


def _language(text: str) -> str:
    known = {
        "english": "en",
        "french": "fr",
        "chinese": "zh",
        "german": "de",
        "spanish": "es",
        "eng": "en",
        "fre": "fr",
    }
    code = text.strip().lower()
    return known.get(code, code[:2] if re.fullmatch(r"[a-z]{2}([-_].*)?", code) else "")


def _abstract(text: str) -> str:
    """A teaser is no abstract: too short, or cut off."""
    text = re.sub(r"<[^<>]{1,80}>", " ", text)
    return "" if len(text) < 150 or text.rstrip().endswith(("...", "…")) else " ".join(text.split())  # noqa: PLR2004


def _title(text: str) -> str:
    return " ".join(re.sub(r"<[^<>]{1,80}>", "", text).split())


_CLEAN: dict[str, Callable[[str], str]] = {
    "doi": find_doi,
    "date": parse_date,
    "language": _language,
    "abstract": _abstract,
    "title": _title,
}


def issns(items: Iterable[MetaItem]) -> tuple[tuple[str, ...], MetaItem | None]:
    """The ISSNs of the metadata and the item that named the first."""
    named = [item for item in items if re.search(r"issn", item.name, re.IGNORECASE)]
    found = tuple(dict.fromkeys(issn for item in named for issn in find_issns(item.value)))
    return found, next((item for item in named if find_issns(item.value)), None)


def keywords(items: Iterable[MetaItem]) -> tuple[tuple[str, ...], MetaItem | None]:
    """The keywords of the first source that has some."""
    wanted = (("citation", "citation_keywords"), ("jsonld", r"keywords(?:\.\d+)?"), ("dc", r"dc\.subject"))
    items = tuple(items)
    for source, name in wanted:
        named = [item for item in items if item.source == source and re.fullmatch(name, item.name)]
        words = [word.strip() for item in named for word in re.split(r"[;,]", item.value)]
        if any(words):
            return tuple(dict.fromkeys(word for word in words if word)), named[0]
    return (), None


class _Person:
    """An author being collected: its parts in the order the metadata gives them."""

    def __init__(self, item: MetaItem) -> None:
        self.item = item
        self.name = self.family = self.given = self.suffix = self.orcid = self.email = ""
        self.group = False
        self.places: list[str] = []

    def author(self, places: list[str]) -> Author | None:
        """The finished author; its places are entered into the shared list."""
        if self.group:
            author: Author | None = Author(collective=self.name)
        elif self.family:
            author = parse_name(f"{self.family}, {self.given}" if self.given else self.family)
        else:
            author = parse_name(self.name)
        if author is None:
            return None
        for place in self.places:
            if place not in places:
                places.append(place)
        indexes = tuple(dict.fromkeys(places.index(place) for place in self.places))
        return Author(
            family=author.family,
            given=author.given,
            suffix=author.suffix or parse_suffix(self.suffix),
            collective=author.collective,
            orcid=self.orcid,
            email=self.email,
            affiliations=indexes,
        )


def authors(items: Iterable[MetaItem]) -> tuple[tuple[Author, ...], tuple[str, ...], MetaItem | None]:
    """Authors and affiliations of the first source that names authors."""
    items = tuple(items)
    for collect in (_citation_people, _jsonld_people, _creators):
        people = collect(items)
        places: list[str] = []
        found = [author for person in people if (author := person.author(places)) is not None]
        if found:
            return tuple(found), tuple(places), people[0].item
    return (), (), None


def _citation_people(items: tuple[MetaItem, ...]) -> list[_Person]:
    people: list[_Person] = []
    for item in items:
        if item.name == "citation_author":
            people.append(_Person(item))
            people[-1].name = item.value
        elif people and item.name in {"citation_author_institution", "citation_author_affiliation"}:
            people[-1].places.append(item.value)
        elif people and item.name == "citation_author_orcid":
            people[-1].orcid = _orcid(item.value)
        elif people and item.name == "citation_author_email":
            people[-1].email = item.value
    if not people:
        people = _listed(items)
    return people


def _listed(items: tuple[MetaItem, ...]) -> list[_Person]:
    """`citation_authors`: all in one value, by semicolons."""
    people = []
    for item in items:
        if item.name == "citation_authors":
            for name in item.value.split(";"):
                people.append(_Person(item))
                people[-1].name = name.strip()
    return people


_PART = re.compile(r"author(?:\.(\d+))?\.(.+)")


_PERSON_PARTS = {
    "name": "name",
    "familyName": "family",
    "givenName": "given",
    "honorificSuffix": "suffix",
    "email": "email",
}


def _jsonld_people(items: tuple[MetaItem, ...]) -> list[_Person]:
    people: dict[str, _Person] = {}
    for item in items:
        found = _PART.fullmatch(item.name) if item.source == "jsonld" else None
        if not found:
            continue
        person = people.setdefault(found.group(1) or "", _Person(item))
        part = found.group(2)
        if part in _PERSON_PARTS:
            setattr(person, _PERSON_PARTS[part], item.value)
        elif part == "@type":
            person.group = item.value == "Organization"
        elif re.fullmatch(r"affiliation(?:\.\d+)?(?:\.name)?", part):
            person.places.append(item.value)
        elif _orcid(item.value):
            person.orcid = _orcid(item.value)
    return [person for person in people.values() if person.name or person.family]


def _creators(items: tuple[MetaItem, ...]) -> list[_Person]:
    people = []
    for item in items:
        if item.name in {"dc.creator", "dc.contributor.author"} or (item.source == "meta" and item.name == "author"):
            people.append(_Person(item))
            people[-1].name = item.value
    return people


def _orcid(text: str) -> str:
    found = _ORCID.search(text)
    return found.group().upper() if found else ""
