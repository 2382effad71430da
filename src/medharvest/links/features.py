"""The features of links for the zero-shot model: what tells an article link from others on a site never taught.

Nothing here names a site. A link is described by itself, by its place, by what it repeats, and by the groups it belongs
to: links with the same appearance, shape of address, list, list entry or section. All features are small integers, so
that many links of a page share one vector. `describe_links(page, links).vectors` has them in the order `LINK_FEATURES`.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from medharvest.links.link_words import (
    MAX_TITLE_ISSUE_TENTHS,
    WORD_TOKEN,
    Caption,
    LinkTarget,
    TargetReader,
    describe_caption,
    shown_text,
    tenths_of_whole,
)
from medharvest.links.surroundings import ListPosition, OpenTag, Surrounding, find_list_positions, find_surroundings
from medharvest.links.urls import normal_url, path_of
from medharvest.records import Link, Page

_REGION_WORDS = frozenset(
    """ad ads advert aside banner breadcrumb breadcrumbs dropdown footer header leftnav login masthead menu menus nav
    navbar navigation popular related rightnav search secondary share sidebar social submenu subnav tabs tags toolbar
    toplinks topnav utility widget""".split()
)
_CONTENTS_WORDS = frozenset(
    """abstract article articles citation cite content contents entry hit issue item list main manifest paper papers
    publication record result results teaser title titles toc""".split()
)
_TITLE_CLASS_WORDS = frozenset("headline heading name title titles".split())
_HEADING_TAGS = frozenset(f"h{level}" for level in range(1, 7))
_BESIDE_CONTENTS = frozenset(
    """about account archive archived archives browse cited connect contact events follow help information journals
    links menu most multimedia navigation news past popular previous quick related resources search sections shared
    site subscribe tools topics""".split()
)
_OVER_CONTENTS = frozenset(
    """abstracts article articles brief case commentary communication communications contents editorial editorials
    issue letter letters original papers perspectives proceedings recommendations report reports research review
    reviews session table volume""".split()
)
_PAGE_NUMBERS = re.compile(r"\b[a-z]?\d{1,5}\s?[-–—]\s?[a-z]?\d{1,5}\b|\bpp?\.? ?\d", re.IGNORECASE)
_PEOPLE_BESIDE_LINK = re.compile(r"\b[A-Z]\.|\bet al|\band [A-Z][a-z]+ [A-Z]|\bby [A-Z]")
_CAMEL_CASE_EDGE = re.compile(r"(?<=[a-z])(?=[A-Z])")
_FEATURE_NUMBER = re.compile(r"\d+")
_FEATURE_PATH_TAGS = 12  # innermost tags whose names and classes are examined
_FARTHEST_STEPS = 9  # the distance if no such tag is around the link
_MAIN_PART_SHARE = 0.6  # the main part of a page has at least this share of its title text
_MAX_KIN_ADDRESSES = 12  # an identifier in more addresses does not identify an article
_MAX_ARTICLE_CODE = 6_000  # characters of code between the first and the last link of one article
_SINGLE_TEXT = (1, 10)  # of a text that occurs once, with one address

_CAPTION_FIELDS = tuple(name for name in Caption._fields if name != "whole")  # a rule decides by `whole` alone
_TARGET_FIELDS = tuple(
    name for name in LinkTarget._fields if name not in {"url", "shape", "key", "identifiers", "suffix", "leaves"}
)
_PLACE_FIELDS = tuple(
    """index offset level region contents titled own_title own_region main listed tabled beside over heading before
    after pages_after pages_before people_after people_before picture""".split()
)
_REPEAT_FIELDS = tuple(
    "same same_chars same_title text text_targets key key_title key_form kin kin_forms".split(),
)
_GROUP_NAMES = ("sign", "shape", "rows", "unit", "units", "section")
_GROUP_STAT_NAMES = ("size", "chars", "titles", "forms", "services", "names", "issues", "numbered", "people", "targets")

LINK_FEATURES: tuple[str, ...] = (
    *(f"caption_{name}" for name in _CAPTION_FIELDS),
    *(f"target_{name}" for name in _TARGET_FIELDS),
    *(f"place_{name}" for name in _PLACE_FIELDS),
    *(f"repeat_{name}" for name in _REPEAT_FIELDS),
    *(f"{group}_{stat}" for group in _GROUP_NAMES for stat in _GROUP_STAT_NAMES),
)
_TARGET_FIELD_PLACES = tuple(LinkTarget._fields.index(name) for name in _TARGET_FIELDS)

FeatureVector = tuple[int, ...]
H = TypeVar("H", bound=Hashable)


class LinkDescriptions(NamedTuple):
    """The feature vectors of the links of a page, and what they were computed from."""

    vectors: tuple[FeatureVector, ...]
    texts: tuple[str, ...]  # the text that each link shows
    captions: tuple[Caption, ...]
    targets: tuple[LinkTarget, ...]
    places: tuple[Surrounding, ...]
    list_positions: tuple[ListPosition, ...]
    signs: tuple[Hashable, ...]  # links with the same sign look alike to a reader
    home: bool = False  # whether this is the front page of its server


def describe_links(page: Page, links: Sequence[Link]) -> LinkDescriptions:
    """Describe the links of a page, in their order."""
    places = find_surroundings(page, links)
    look = TargetReader(page.url)
    texts = tuple(shown_text(link, page.text) for link in links)
    captions = tuple(map(describe_caption, texts))
    targets = tuple(look(link) for link in links)
    positions = find_list_positions(places)
    signs = _share_equal_values(_sign_of_link(link, place) for link, place in zip(links, places, strict=True))
    after = [_describe_text_beside(place.after) for place in places]
    shown = _share_equal_values(
        _count_in_groups(one, target, beside[2]) for one, target, beside in zip(captions, targets, after, strict=True)
    )
    groups = (
        signs,
        [target.shape for target in targets],
        [position.rows for position in positions],
        [position.unit for position in positions],
        [position.units for position in positions],
        [place.heading_start for place in places],
    )
    parts = (
        (one[: len(_CAPTION_FIELDS)] for one in captions),
        ([target[field] for field in _TARGET_FIELD_PLACES] for target in targets),
        _place_features(page, links, captions, places, after),
        _repeat_features(links, captions, targets),
        *(_group_features(group, shown, targets) for group in groups),
    )
    vectors = _share_equal_values(tuple(itertools.chain.from_iterable(rows)) for rows in zip(*parts, strict=True))
    home = bool(page.url) and path_of(normal_url(page.url)) == "/"
    return LinkDescriptions(vectors, texts, captions, targets, places, positions, signs, home)


def _share_equal_values(values: Iterable[H]) -> tuple[H, ...]:
    """Replace equal values by one object, which saves memory on pages with thousands of links."""
    known: dict[H, H] = {}
    return tuple([known.setdefault(value, value) for value in values])


def _sign_of_link(link: Link, place: Surrounding) -> Hashable:
    """The innermost tags with their classes, the class of the link and the tags inside it; numbers count as 0."""
    own = next((value for name, value in link.attributes if name == "class"), "")
    return (
        tuple([(tag.name, _level_numbers(tag.classes)) for tag in place.path[-3:]]),
        _level_numbers(own),
        link.content_tags[:2],
    )


@functools.lru_cache(maxsize=4_096)
def _level_numbers(text: str) -> str:
    return _FEATURE_NUMBER.sub("0", text)


def _count_in_groups(one: Caption, target: LinkTarget, people: int) -> FeatureVector:
    """The numbers of a link that are summed up in its groups."""
    return (
        one.chars,
        one.title,
        int(one.form > 0),
        int(one.service > 0),
        one.name,
        int(one.issue > MAX_TITLE_ISSUE_TENTHS),
        target.numbered,
        people,
    )


def _place_features(
    page: Page,
    links: Sequence[Link],
    captions: Sequence[Caption],
    places: Sequence[Surrounding],
    after: list[FeatureVector],
) -> Iterator[FeatureVector]:
    """The features of the place of each link on the page."""
    main, code, count = _find_main_part(captions, places), max(1, len(page.text)), max(1, len(links))
    for number, (link, place) in enumerate(zip(links, places, strict=True)):
        before, (after_chars, after_pages, after_people) = _describe_text_beside(place.before[-160:]), after[number]
        yield (
            20 * number // count,
            20 * link.offset // code,
            min(len(place.path), 24),
            *_measure_path_regions(place.path[-_FEATURE_PATH_TAGS:]),
            *_own_classes(link),
            int(any(tag.start == main for tag in place.path)),
            *_is_in_list_or_table(place.path),
            *_classify_heading_words(place.heading),
            place.heading_level,
            before[0],
            after_chars,
            after_pages,
            before[1],
            after_people,
            before[2],
            int("IMG" in link.content_tags),
        )


def _find_main_part(captions: Sequence[Caption], places: Sequence[Surrounding]) -> int:
    """The offset of the smallest element with most of the title text."""
    mass: dict[int, int] = {}
    total = 0
    for one, place in zip(captions, places, strict=True):
        if one.title:
            total += one.chars
            for tag in place.path:
                mass[tag.start] = mass.get(tag.start, 0) + one.chars
    return max((start for start, held in mass.items() if held >= _MAIN_PART_SHARE * total), default=-1)


@functools.lru_cache(maxsize=4_096)
def _describe_text_beside(text: str) -> FeatureVector:
    """The length of a text beside a link, and whether it has page numbers or names of people."""
    return min(len(text), 120) // 20, int(bool(_PAGE_NUMBERS.search(text))), int(bool(_PEOPLE_BESIDE_LINK.search(text)))


def _measure_path_regions(path: tuple[OpenTag, ...]) -> FeatureVector:
    """The steps up to the nearest region and contents element, and whether a near tag says title."""
    region = contents = _FARTHEST_STEPS
    titled = 0
    for steps, tag in enumerate(reversed(path)):
        is_region, is_contents, is_title = _classify_tag(tag.name, tag.classes, tag.id)
        if is_region:
            region = min(region, steps)
        if is_contents:
            contents = min(contents, steps)
        if is_title and steps <= 1:
            titled = 1
    return region, contents, titled


@functools.lru_cache(maxsize=4_096)
def _classify_tag(name: str, classes: str, identity: str) -> tuple[bool, bool, bool]:
    words = frozenset(WORD_TOKEN.findall(_CAMEL_CASE_EDGE.sub(" ", f"{classes} {identity}"[:400]).lower()))
    return (
        name in {"aside", "footer", "header", "nav"} or not words.isdisjoint(_REGION_WORDS),
        name in {"article", "main"} or not words.isdisjoint(_CONTENTS_WORDS),
        name in _HEADING_TAGS or not words.isdisjoint(_TITLE_CLASS_WORDS),
    )


def _own_classes(link: Link) -> FeatureVector:
    said = " ".join([value for name, value in link.attributes if name in {"class", "id"}])
    region, _, title = _classify_tag("", said, "") if said else (False, False, False)
    return int(title), int(region)


def _is_in_list_or_table(path: tuple[OpenTag, ...]) -> FeatureVector:
    names = {tag.name for tag in path[-_FEATURE_PATH_TAGS:]}
    return int("li" in names), int("table" in names)


@functools.lru_cache(maxsize=4_096)
def _classify_heading_words(text: str) -> FeatureVector:
    words = frozenset(WORD_TOKEN.findall(text[:200].lower()))
    return int(not words.isdisjoint(_BESIDE_CONTENTS)), int(not words.isdisjoint(_OVER_CONTENTS))


def _repeat_features(
    links: Sequence[Link], captions: Sequence[Caption], targets: Sequence[LinkTarget]
) -> Iterator[FeatureVector]:
    """What other links share with each link: the target, the text, the key of the address, an identifier."""
    lower = [link.text.lower() for link in links]
    same = {
        url: (min(len(of), 9), *_combine_captions([captions[i] for i in of])[:2])
        for url, of in _places_of_repeated_keys([target.url for target in targets]).items()
    }
    text = {
        shown: (_count_in_doublings(len(of)), tenths_of_whole(len({targets[i].url for i in of}), len(of)))
        for shown, of in _places_of_repeated_keys(lower).items()
    }
    key = {
        name: (min(len({targets[i].url for i in of}), 5), *_combine_captions([captions[i] for i in of])[1:])
        for name, of in _places_of_repeated_keys([target.key for target in targets]).items()
    }
    kin = _count_kin_addresses(links, captions, targets)
    for i, (one, target) in enumerate(zip(captions, targets, strict=True)):
        yield (
            *(same.get(target.url) or (1, one.chars, one.title)),
            *text.get(lower[i], _SINGLE_TEXT),
            *(key.get(target.key) or (1, one.title, one.form)),
            *kin[i],
        )


def _combine_captions(captions: list[Caption]) -> FeatureVector:
    """The length of the longest caption, and whether any is a title or names a form."""
    chars, _, titles, forms, *_ = map(max, zip(*captions, strict=True))
    return chars, titles, forms


def _count_kin_addresses(
    links: Sequence[Link], captions: Sequence[Caption], targets: Sequence[LinkTarget]
) -> list[FeatureVector]:
    """How many addresses near a link share an identifier with it, and how many of their captions are telling."""
    holders: dict[str, list[int]] = {}
    for number, target in enumerate(targets):
        for identifier in target.identifiers:
            holders.setdefault(identifier, []).append(number)
    counts = {}
    for identifier, of in holders.items():
        addresses = len({targets[i].url for i in of}) if len(of) <= 4 * _MAX_KIN_ADDRESSES else 0
        if 1 < addresses <= _MAX_KIN_ADDRESSES and links[of[-1]].offset - links[of[0]].offset < _MAX_ARTICLE_CODE:
            counts[identifier] = (min(addresses, 6), min(sum(captions[i].title or captions[i].form > 0 for i in of), 4))
    none = (0, 0)
    return [
        max([counts.get(identifier, none) for identifier in target.identifiers], default=none) for target in targets
    ]


def _group_features(
    keys: Iterable[Hashable], shown: Sequence[FeatureVector], targets: Sequence[LinkTarget]
) -> list[FeatureVector]:
    """The statistics of the group of each link; links with equal keys form a group."""
    keys = list(keys)
    stats = {
        key: _group_stats([shown[i] for i in of], len({targets[i].url for i in of}))
        if len(of) > 1
        else _single_link_stats(shown[of[0]])
        for key, of in _places_by_key(keys).items()
    }
    return [stats[key] for key in keys]


def _group_stats(shown: list[FeatureVector], targets: int) -> FeatureVector:
    """The size of a group on a scale of doublings, the mean length, and shares in tenths."""
    count = len(shown)
    chars, *shares = map(sum, zip(*shown, strict=True))
    return (
        _count_in_doublings(count),
        chars // count,
        *[tenths_of_whole(part, count) for part in shares],
        tenths_of_whole(targets, count),
    )


@functools.lru_cache(maxsize=4_096)
def _single_link_stats(shown: FeatureVector) -> FeatureVector:
    return _group_stats([shown], 1)


def _places_by_key(keys: Iterable[Hashable]) -> dict[Hashable, list[int]]:
    """The places of each key."""
    found: dict[Hashable, list[int]] = {}
    for place, key in enumerate(keys):
        found.setdefault(key, []).append(place)
    return found


def _places_of_repeated_keys(keys: Sequence[Hashable]) -> dict[Hashable, list[int]]:
    """The places of each key that occurs more than once."""
    counts = Counter(keys)
    found: dict[Hashable, list[int]] = {key: [] for key, count in counts.items() if count > 1}
    for place, key in enumerate(keys if found else ()):
        if key in found:
            found[key].append(place)
    return found


def _count_in_doublings(count: int) -> int:
    """The number of doublings in a count, at most 10."""
    return min(count.bit_length(), 10)
