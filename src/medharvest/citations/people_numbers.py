"""People in numbers, for boosted trees: single names and affiliations, and whole lists of them beside all other lists.

The trees for items tell whether a name is really an author's; lists without the items that they refuse are further
candidates of `people_readings`, and the trees for lists choose among the candidates.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

from medharvest.boosted_trees import log_odds
from medharvest.citations.author_names import is_name_tail
from medharvest.citations.byline import Byline, may_be_author_name
from medharvest.citations.metadata_fields import MetadataPeople
from medharvest.citations.print_comparison import author_match_key, fold_alphanumerics
from medharvest.fields import spoken_name
from medharvest.pages.word_lists import COUNTRY_NAME, names_institution, split_words
from medharvest.records import Author, LabelledZone

_FRONT_REACH = 60  # zones below the title that are its front matter if there is no abstract
_MAX_PAGE_CHARACTERS = 200_000  # in which names are counted
_MAX_COUNTED = 50  # names and affiliations that are looked for on the page
_COUNTED_LETTERS = 80  # of an affiliation that are counted on the page
_SHORT_NAME, _SHORT_GIVEN = 2, 3  # letters
_SITE_WORD = re.compile(
    r"\b(?:search|find|view|click|share|download|pdf|cite|orcid|profile|show|hide|more|related|journal|correspond\w*|"
    r"contact|articles?|authors?)\b",
    re.IGNORECASE,
)
_CONTACT_SIGN = re.compile(
    r"@|correspond|e-?mail|search|\btel\b|fax|orcid|http|\bview|author|article|journal|click|received|copyright",
    re.IGNORECASE,
)
_ORGANISATION = re.compile(r"\b(?:university|hospital|institute|universit\w+|hôpital)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"[.!?。]\s+[A-Z(]|[a-z]{3}\.(?:\s|$)|。")
_DEGREE = re.compile(r"\b(?:M\.?D|Ph\.?D|M\.?P\.?H|M\.?Sc?|Prof\w*|R\.?N|MBBS|Dr)\b")
_POSTCODE = re.compile(r"\b\d{4,6}\b")
_ZONE_NUMBERS = ("chance-author", "chance-affiliation", "chance-both", "below-title", "front", "hidden", "zone-length")
NAME_NUMBERS = (
    *"""items place words length given-letters family-letters collective initials digits upper plain site-word
    institution country known-names known repeats full-repeats linked orcid degree name-like same-case""".split(),
    *_ZONE_NUMBERS,
)
PLACE_NUMBERS = (
    *"""items place length commas institution country contact upper-start digit-start sentence semicolons organisations
    stop degree postcode known-places known known-like linked authors repeats site-word inside begins-with-name plain
    """.split(),
    *_ZONE_NUMBERS,
)
_LEAST_CHANCE = 0.02  # of an item beside others
_PLACE_START = 30  # letters of an affiliation by which a line is known to print it
_COMMON_START = 12  # letters at the start of affiliations that are of one institution
# Ways of reading that the trees are told of.
_WAYS = (
    *("metadata", "verdicts", "trees", "low", "high", "front", "cleaned", "split", "kept", "kept low"),
    *("form", "announced", "unnamed", "lists", "likeliest lists", "split low"),
)
_COMMON_NUMBERS = tuple(
    """items ways lists support at-most-this-long same-list longer-lists shorter-lists known-items known-here here-known
    mean-chance least-chance most-chance zones nearest farthest behind left-out has-abstract mean-item least-item
    doubtful-items missing-items most-missing joint joint-lead unread most-unread""".split()
)
AUTHOR_NUMBERS = (
    *_COMMON_NUMBERS,
    *(f"way {way}" for way in _WAYS),
    *"""distinct mean-repeats least-repeats most-repeats mean-words most-words least-words no-given groups initials
    short-family digits institutions countries plain upper text-share linked affiliations longest-name mean-name orcids
    site-words""".split(),
)
AFFILIATION_NUMBERS = (
    *_COMMON_NUMBERS,
    *(f"way {way}" for way in _WAYS),
    *"""known-like linked authors-linked authors per-author inside institutions all-institutions countries mean-length
    most-length least-length mean-commas most-commas least-commas contacts upper digits sentences semicolons
    organisations hidden repeats stops distinct-starts degrees postcodes
    names-inside""".split(),
)


class PeopleReading(NamedTuple):
    """A byline, and the ways of reading that gave it."""

    ways: tuple[str, ...]
    byline: Byline
    authors_at: tuple[int, ...] = ()  # the zones
    places_at: tuple[int, ...] = ()


class PeoplePage:
    """What all lists of people of a page are compared with."""

    def __init__(self, zones: Sequence[LabelledZone], known: MetadataPeople) -> None:
        self.zones = zones
        self.title = next((i for i, zone in enumerate(zones) if zone.verdict.label == "title"), -1)
        abstract = [i for i, zone in enumerate(zones) if zone.verdict.label == "abstract" and i > self.title]
        self.has_abstract = bool(abstract)
        self.end = min(abstract, default=self.title + _FRONT_REACH)
        self.behind = max(abstract, default=self.title + _FRONT_REACH)
        self.known_names = frozenset(map(author_match_key, known.authors))
        self.known_places = frozenset(map(fold_alphanumerics, known.affiliations))
        self._counts: dict[str, int] = {}
        self._names: frozenset[str] | None = None
        self._described: dict[Author, _NameText] = {}

    @cached_property
    def _text(self) -> str:
        return "\n".join([zone.zone.text for zone in self.zones])[:_MAX_PAGE_CHARACTERS]

    @cached_property
    def letters(self) -> str:
        """Letters and digits of the page, in one case."""
        # Lines in ASCII are folded faster, several at once.
        groups = groupby(self._text.split("\n"), str.isascii)
        return "".join([fold_alphanumerics("\n".join(lines)) for _, lines in groups])

    @cached_property
    def _words(self) -> frozenset[str]:
        if len(self._text) == _MAX_PAGE_CHARACTERS:
            return frozenset(self._text.split())
        shown = split_words("\n".join([zone.zone.text for zone in self.zones if not zone.zone.hidden]))
        hidden = [zone.zone.text for zone in self.zones if zone.zone.hidden]
        return shown.union(" ".join(hidden).split()) if hidden else shown

    def writes_small(self, word: str) -> bool:
        """Whether the page also writes a word in lower case."""
        small = word.lower()
        return small in self._words and small.islower()

    def describe_name(self, author: Author) -> _NameText:
        """Return what the text of a name tells; most readings of a page have the same names."""
        if author not in self._described:
            self._described[author] = _describe_name(author, self)
        return self._described[author]

    def count(self, letters: str) -> int:
        """Return how often letters occur on the page."""
        if letters not in self._counts:
            self._counts[letters] = self.letters.count(letters) if letters else 0
        return self._counts[letters]

    @cached_property
    def people_lines(self) -> list[tuple[int, str]]:
        """The distinct lines that may hold people, with their letters."""
        lines = {fold_alphanumerics(zone.zone.text): i for i, zone in enumerate(self.zones) if zone.chances}
        return [(i, letters) for letters, i in lines.items() if letters]

    def chances(self, i: int) -> tuple[float, ...]:
        """Return the first labeller's probabilities for a zone."""
        return self.zones[i].chances or (0.0, 0.0, 0.0)

    def first_names(self, lists: Sequence[Readings]) -> frozenset[str]:
        """Return the names of all readings as printed, which no affiliation begins with."""
        if self._names is None:
            authors = (author for readings in lists for reading in readings for author in reading.byline.authors)
            self._names = frozenset(name for author in authors if " " in (name := spoken_name(author)))
        return self._names

    def number_zone(self, i: int | None) -> tuple[float, ...]:
        """Return the numbers of the zone that an item was read from; None if it was not found."""
        if i is None:
            return (-1.0,) * len(_ZONE_NUMBERS)
        zone = self.zones[i].zone
        return (*self.chances(i), i - self.title, i < self.end, zone.hidden, len(zone.text))


class _NameText(NamedTuple):
    """What the text of a name tells, wherever it stands in a list."""

    last: str
    form: tuple[float, ...]
    known: bool
    repeats: tuple[float, float]
    tail: bool
    like: bool


def _describe_name(author: Author, page: PeoplePage) -> _NameText:
    text = spoken_name(author)
    words = text.split()
    last = author.family or author.collective
    return _NameText(
        last,
        (
            len(words),
            len(text),
            len(author.given),
            len(author.family),
            bool(author.collective),
            len(author.given.replace(".", "").replace(" ", "")) <= _SHORT_GIVEN,
            any(map(str.isdigit, text)),
            text.isupper(),
            sum(map(page.writes_small, words)) / max(1, len(words)),
            _SITE_WORD.search(text) is not None,
            names_institution(text),
            COUNTRY_NAME.search(text) is not None,
        ),
        author_match_key(author) in page.known_names,
        (page.count(fold_alphanumerics(last)), page.count(fold_alphanumerics(text))),
        bool(words) and is_name_tail(words[-1]),
        bool(words) and may_be_author_name(text),
    )


def number_name(authors: Sequence[Author], place: int, at: Sequence[int], page: PeoplePage) -> tuple[float, ...]:
    """Return the vector of a name in a list that was read from the zones `at`; `NAME_NUMBERS` names its places."""
    author = authors[place]
    text = page.describe_name(author)
    return (
        len(authors),
        place / len(authors),
        *text.form,
        len(page.known_names),
        text.known,
        *(text.repeats if place < _MAX_COUNTED else (-1, -1)),
        len(author.affiliations),
        bool(author.orcid),
        text.tail,
        text.like,
        _mean([text.last.isupper() == (one.family or one.collective).isupper() for one in authors[:_MAX_COUNTED]]),
        *page.number_zone(_find_zone(text.last, at, page)),
    )


def number_place(
    texts: Sequence[str], place: int, authors: Sequence[Author], at: Sequence[int], page: PeoplePage
) -> tuple[float, ...]:
    """Return the vector of an affiliation in a list; `PLACE_NUMBERS` names its places."""
    text = texts[place]
    key = fold_alphanumerics(text)
    words = text.split()
    first = text.partition(",")[0]
    return (
        len(texts),
        place / len(texts),
        len(text),
        text.count(","),
        names_institution(text),
        COUNTRY_NAME.search(text) is not None,
        _CONTACT_SIGN.search(text) is not None,
        text[:1].isupper(),
        text[:1].isdigit(),
        _SENTENCE.search(text) is not None,
        text.count(";"),
        len(_ORGANISATION.findall(text)),
        text.rstrip()[-1:] in {".", ";", ","},
        _DEGREE.search(text) is not None,
        _POSTCODE.search(text) is not None,
        len(page.known_places),
        key in page.known_places,
        any(key in other or other in key for other in page.known_places) if place < _MAX_COUNTED else -1,
        sum([place in author.affiliations for author in authors]),
        len(authors),
        page.count(key[:_COUNTED_LETTERS]) if place < _MAX_COUNTED else -1,
        _SITE_WORD.search(text) is not None,
        any(one != text and text in one for one in texts[:_MAX_COUNTED]),
        2 <= len(first.split()) <= 4 and may_be_author_name(first),  # noqa: PLR2004
        sum(map(page.writes_small, words)) / max(1, len(words)),
        *page.number_zone(_find_zone(text[:_COUNTED_LETTERS], at, page)),
    )


def _find_zone(text: str, at: Sequence[int], page: PeoplePage) -> int | None:
    return next((i for i in at if text in page.zones[i].zone.text), None)


Readings = tuple[PeopleReading, ...]


def _mean(values: Iterable[float]) -> float:
    """Return the mean; -1 of nothing."""
    listed = list(values)
    return sum(listed) / len(listed) if listed else -1.0


class _ItemList(NamedTuple):
    """The items of a list, folded for comparison, and what is known of them."""

    keys: Sequence[Hashable]
    ways: frozenset[str]
    known: frozenset[Hashable]  # items in the metadata
    at: Sequence[int]  # the zones
    labels: tuple[int, ...]  # places of their labels in the chances of a zone
    items: Mapping[Hashable, float]  # the probabilities of all items that any reading has
    printed: Sequence[tuple[str, str]]  # of each item, letters that its line has, and all its letters


def _number_common(own: _ItemList, others: Sequence[frozenset[Hashable]], page: PeoplePage) -> list[float]:
    """Return the numbers that both kinds of lists have."""
    keys, ways, known, at, labels, items, _ = own
    held = frozenset(keys)
    counts = Counter(key for other in others for key in other)
    chances = [sum(page.chances(i)[label] for label in labels) for i in at]
    texts = {page.zones[i].zone.text for i in at}
    left = sum(
        sum(zone.chances[label] for label in labels)
        for zone in page.zones
        if zone.chances and zone.zone.text not in texts
    )
    return [
        len(keys),
        len(ways),
        len(others),
        _mean(counts[key] / len(others) for key in keys),
        _mean(len(other) <= len(held) for other in others),
        sum(other == held for other in others),
        sum(other > held for other in others),
        sum(other < held for other in others),
        len(known),
        _mean(key in held for key in known),
        _mean(key in known for key in keys) if known else -1.0,
        _mean(chances),
        min(chances, default=-1.0),
        max(chances, default=-1.0),
        len(at),
        min((i - page.title for i in at), default=-1),
        max((i - page.title for i in at), default=-1),
        _mean(i > page.behind for i in at),
        left,
        page.has_abstract,
        _mean(items.get(key, 0.0) for key in held),
        min((items.get(key, 0.0) for key in held), default=0.0),
        sum(1 - items.get(key, 0.0) for key in held),
        sum(chance for key, chance in items.items() if key not in held),
        max((chance for key, chance in items.items() if key not in held), default=0.0),
        *_number_joint_odds(held, others, items),
        *_number_unread(own, page),
        *(way in ways for way in _WAYS),
    ]


def _number_joint_odds(
    held: frozenset[Hashable], others: Sequence[frozenset[Hashable]], items: Mapping[Hashable, float]
) -> tuple[float, float]:
    """Return the log-odds that a list has just the right items, and how far they are above those of the other lists.

    An item counts for the lists that have it and against those that leave it out.
    """
    odds = {key: log_odds(min(max(chance, _LEAST_CHANCE), 1 - _LEAST_CHANCE)) for key, chance in items.items()}
    joint = {other: sum([odds.get(key, 0.0) for key in other]) for other in {*others, held}}
    best = max((odds for other, odds in joint.items() if other != held), default=joint[held])
    return joint[held] / max(1, len(held)), joint[held] - best


def _number_unread(own: _ItemList, page: PeoplePage) -> tuple[float, float]:
    """Return how probably lines of people have no item of a list: in sum, and the most probable of them.

    Unlike the zones that a list was read from, this also judges a list of the metadata, and one that is cut.
    """
    unread = [
        chance
        for i, letters in page.people_lines
        if (chance := sum([page.zones[i].chances[label] for label in own.labels])) >= _LEAST_CHANCE
        and not any(start in letters or letters in whole for start, whole in own.printed)
    ]
    return sum(unread), max(unread, default=0.0)


def number_authors(
    own: Readings, lists: Sequence[Readings], page: PeoplePage, items: Mapping[Hashable, float]
) -> tuple[float, ...]:
    """Return the vector of a list of authors, beside all lists of the page; `AUTHOR_NUMBERS` names its places."""
    authors = own[0].byline.authors
    keys = [author_match_key(author) for author in authors]
    others = [frozenset(map(author_match_key, readings[0].byline.authors)) for readings in lists]
    at = max((reading.authors_at for reading in own), key=len)
    texts = [spoken_name(author) for author in authors]
    families = [fold_alphanumerics(author.family or author.collective) for author in authors]
    repeats = [page.count(letters) for letters in families[:_MAX_COUNTED]]
    printed = list(zip(families, map(fold_alphanumerics, texts), strict=True))
    words = [len(text.split()) for text in texts]
    return (
        *_number_common(_ItemList(keys, _ways_of(own), page.known_names, at, (0, 2), items, printed), others, page),
        len(set(keys)) / len(keys),
        _mean(repeats),
        min(repeats),
        max(repeats),
        _mean(words),
        max(words),
        min(words),
        _mean(not author.given for author in authors),
        _mean(bool(author.collective) for author in authors),
        _mean(len(author.given.replace(".", "").replace(" ", "")) <= _SHORT_GIVEN for author in authors),
        _mean(len(author.family) <= _SHORT_NAME for author in authors),
        _mean(any(map(str.isdigit, text)) for text in texts),
        _mean(names_institution(text) for text in texts),
        _mean(COUNTRY_NAME.search(text) is not None for text in texts),
        _mean(_mean(map(page.writes_small, text.split())) for text in texts),
        _mean(map(str.isupper, texts)),
        sum(len(page.zones[i].zone.text) for i in at) / len(authors),
        _mean(bool(author.affiliations) for author in authors),
        max(len(reading.byline.affiliations) for reading in own),
        max(map(len, texts)),
        _mean(map(len, texts)),
        _mean(bool(author.orcid) for author in authors),
        _mean(_SITE_WORD.search(text) is not None for text in texts),
    )


def number_affiliations(
    own: Readings, lists: Sequence[Readings], page: PeoplePage, items: Mapping[Hashable, float]
) -> tuple[float, ...]:
    """Return the vector of a list of affiliations; `AFFILIATION_NUMBERS` names its places."""
    texts = own[0].byline.affiliations
    keys = [fold_alphanumerics(text) for text in texts]
    others = [frozenset(map(fold_alphanumerics, readings[0].byline.affiliations)) for readings in lists]
    at = max((reading.places_at for reading in own), key=len)
    people = max((reading.byline.authors for reading in own), key=count_linked)
    linked = {number for author in people for number in author.affiliations}
    some, some_known = keys[:_MAX_COUNTED], sorted(page.known_places)[:_MAX_COUNTED]
    printed = [(key[:_PLACE_START], key) for key in keys]
    commas = [text.count(",") for text in texts]
    lengths = [len(text) for text in texts]
    named = [names_institution(text) for text in texts]
    return (
        *_number_common(_ItemList(keys, _ways_of(own), page.known_places, at, (1, 2), items, printed), others, page),
        _mean(any(key in other or other in key for other in some_known) for key in some) if some_known else -1.0,
        len(linked) / len(texts),
        count_linked(people) / len(people) if people else -1.0,
        len(people),
        len(texts) / max(1, len(people)),
        sum(one != other and one in other for one in some for other in some),
        _mean(named),
        min(named),
        _mean(COUNTRY_NAME.search(text) is not None for text in texts),
        _mean(lengths),
        max(lengths),
        min(lengths),
        _mean(commas),
        max(commas),
        min(commas),
        _mean(_CONTACT_SIGN.search(text) is not None for text in texts),
        _mean(text[:1].isupper() for text in texts),
        _mean(text[:1].isdigit() for text in texts),
        _mean(_SENTENCE.search(text) is not None for text in texts),
        _mean(text.count(";") for text in texts),
        max(len(_ORGANISATION.findall(text)) for text in texts),
        _mean(page.zones[i].zone.hidden for i in at),
        _mean(page.count(key[:_COUNTED_LETTERS]) for key in some),
        _mean(text.rstrip()[-1:] in {".", ";", ","} for text in texts),
        len({key[:_COMMON_START] for key in keys}) / len(keys),
        _mean(_DEGREE.search(text) is not None for text in texts),
        _mean(_POSTCODE.search(text) is not None for text in texts),
        _mean(any(map(text.startswith, page.first_names(lists))) for text in texts),
    )


def count_linked(authors: Sequence[Author]) -> int:
    """Return how many authors have an affiliation."""
    return sum(bool(author.affiliations) for author in authors)


def _ways_of(readings: Readings) -> frozenset[str]:
    return frozenset(way for reading in readings for way in reading.ways)
