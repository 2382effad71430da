"""Judge the links of a contents page by the examples of its journal, or zero-shot, and group them by article.

`judge_contents(page, examples=examples).links` has one `JudgedLink` per link of the page.
"""

from __future__ import annotations

import gc
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from medharvest.links.examples import (
    MAX_COMPARED_EXAMPLES,
    ZERO_SHOT_METHOD,
    Drift,
    TraitExamples,
    find_drift,
    form_opinions,
    judge_by_opinion,
)
from medharvest.links.features import LinkDescriptions, describe_links
from medharvest.links.judge import DEFAULT_SETS, ConstraintSets, article_key, check_followable
from medharvest.links.link_words import (
    IMAGE_ENDING,
    MAX_TITLE_SERVICE_TENTHS,
    OTHER_FILE_ENDING,
    PDF_ENDING,
    describe_caption,
    is_resolver,
    shown_text,
)
from medharvest.links.nearest_neighbour import judge_nearest
from medharvest.links.scan import scan_links
from medharvest.links.surroundings import ListPosition, Surrounding, find_list_positions, find_surroundings
from medharvest.links.traits import link_traits
from medharvest.links.zero_shot import find_ruled_out_links, find_uniform_lists, guess_links, shipped_link_model
from medharvest.records import JudgedLink, Kind, Link, LinkExample, Page, Verdict

PAPER_PROFILE = "paper"
# Links of one page that are judged: 20,000 take a few seconds. The longest contents page of the corpus has 1,251, so a
# page with more is a trap or a whole archive, and would delay the run.
MAX_JUDGED_LINKS = 20_000
_UNJUDGED_NOTE = (
    "links not judged: {count:,}, because the page has more than {links:,}; hint: give the contents page of one issue"
)
_UNCOMPARED_NOTE = (
    "taught links not used: {count:,}, because the journal was taught more than {examples:,} different ones; "
    "hint: teach it again with one page: medharvest learn links"
)
_UNLIKE_SIBLINGS_NOTE = (
    "links not followed although they look like the article links of their list: {count:,}; "
    "hint: `medharvest links --json` shows them, `medharvest learn links` teaches the journal"
)
_MIN_GUESSED_PROBABILITY = 0.5  # more likely an article link than not
# A run tries links of a group with so many titles if its likeliest link is an article link with this probability.
_MIN_DOUBTFUL_TITLES, _MIN_DOUBTFUL_GROUP_PROBABILITY = 4, 0.2
_MIN_DOUBTFUL_PROBABILITY = 0.05  # of every link of such a group; others only look alike
_FILE_ENDINGS = frozenset({IMAGE_ENDING, OTHER_FILE_ENDING, PDF_ENDING})
_MAX_ENTRY_KEYS = 8  # addresses of one article; a list entry with more contains other things too
_MAX_ENTRIES_PER_ADDRESS = 2  # an address in more list entries belongs to none of them


@dataclass(frozen=True, slots=True)
class JudgedContents:
    """The links of a contents page with their verdicts, and what a user should know about them.

    `drift` is set if the page no longer matches the taught layout.
    """

    links: tuple[JudgedLink, ...]
    drift: Drift | None = None
    unjudged: int = 0  # links after the first `MAX_JUDGED_LINKS`, which are not in `links`
    uncompared: int = 0  # taught links after the first `MAX_COMPARED_EXAMPLES`
    unlike_siblings: int = 0  # links of a uniform list that are not article links although others of the list are
    doubtful: tuple[tuple[JudgedLink, ...], ...] = ()  # likeliest group first, its two samples first

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out, as sentences for the operator."""
        counts = {
            _UNJUDGED_NOTE: self.unjudged,
            _UNCOMPARED_NOTE: self.uncompared,
            _UNLIKE_SIBLINGS_NOTE: self.unlike_siblings,
        }
        limits = {"links": MAX_JUDGED_LINKS, "examples": MAX_COMPARED_EXAMPLES}
        return tuple(note.format(count=count, **limits) for note, count in counts.items() if count)


def judge_contents(
    page: Page, *, examples: Sequence[LinkExample] = (), profile: str = "default", sets: ConstraintSets = DEFAULT_SETS
) -> JudgedContents:
    """Judge the links of a contents page.

    A link gets the label of the examples most similar to it; if none is similar, zero-shot decides. Without examples,
    and on a page that no longer matches the taught layout, zero-shot judges every link. Profile `paper` uses the
    nearest neighbour of the paper instead. At most `MAX_JUDGED_LINKS` links are judged.
    """
    with _pause_garbage_collection():
        links = scan_links(page)
        judged = _judge_contents_links(page, links[:MAX_JUDGED_LINKS], examples, profile=profile, sets=sets)
        return replace(judged, unjudged=max(0, len(links) - MAX_JUDGED_LINKS))


@contextmanager
def _pause_garbage_collection() -> Iterator[None]:
    """Pause the garbage collector: a long page creates thousands of records, and none is part of a reference cycle."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _judge_contents_links(
    page: Page, links: Sequence[Link], examples: Sequence[LinkExample], *, profile: str, sets: ConstraintSets
) -> JudgedContents:
    if profile == PAPER_PROFILE:
        return JudgedContents(_add_keys_and_follows(page, judge_nearest(page, links, examples), sets))
    described = describe_links(page, links)
    guesses = guess_links(links, described, shipped_link_model())
    found = tuple(_judge_by_guess(link, chance, kind) for link, (chance, kind) in zip(links, guesses, strict=True))
    drift, uncompared = None, 0
    if examples:
        taught, traits = TraitExamples(examples), link_traits(page, links)
        drift, uncompared = find_drift(taught, traits), taught.left_out
        if drift is None:
            found = tuple(map(judge_by_opinion, links, form_opinions(taught, links, traits, guesses)))
    judged = _add_keys_and_follows(page, found, sets, described.places)
    return JudgedContents(
        judged,
        drift,
        uncompared=uncompared,
        unlike_siblings=_count_unlike_siblings(found, described),
        doubtful=_find_doubtful_groups(judged, described),
    )


def _find_doubtful_groups(
    judged: Sequence[JudgedLink], described: LinkDescriptions
) -> tuple[tuple[JudgedLink, ...], ...]:
    """Group the links of each list that look alike, have addresses of one shape, and may be article links after all.

    Only links that zero-shot judged are doubtful. One link to each address is kept, with an article key.
    """
    seen = {one.link.url for one in judged if one.article}
    groups: dict[Hashable, list[int]] = {}
    for i, one in enumerate(judged):
        target, service = described.targets[i], described.captions[i].service
        is_page = service <= MAX_TITLE_SERVICE_TENTHS and target.ending not in _FILE_ENDINGS
        doubtful = one.verdict.method == ZERO_SHOT_METHOD and _chance_of_article(one) >= _MIN_DOUBTFUL_PROBABILITY
        if doubtful and is_page and one.follows and one.link.url not in seen:
            seen.add(one.link.url)
            groups.setdefault((described.list_positions[i].rows, described.signs[i], target.shape), []).append(i)
    found = [_put_samples_first(judged, links, described) for links in groups.values()]
    likely = [group for group in found if group and _best_chance(group) >= _MIN_DOUBTFUL_GROUP_PROBABILITY]
    return tuple(sorted(likely, key=_best_chance, reverse=True))


def _put_samples_first(
    judged: Sequence[JudgedLink], links: Sequence[int], described: LinkDescriptions
) -> tuple[JudgedLink, ...]:
    """The links of a group, its first and its last title before the others; empty if it has too few titles."""
    titles = [i for i in links if described.captions[i].title]
    if len(titles) < _MIN_DOUBTFUL_TITLES:
        return ()
    samples = (titles[0], titles[-1])
    order = (*samples, *(i for i in links if i not in samples))
    return tuple(replace(judged[i], article_key=article_key(judged[i].link.url)) for i in order)


def _best_chance(group: Sequence[JudgedLink]) -> float:
    return max(map(_chance_of_article, group))


def _chance_of_article(one: JudgedLink) -> float:
    return one.verdict.score if one.article else 1 - one.verdict.score


def _count_unlike_siblings(found: Sequence[JudgedLink], described: LinkDescriptions) -> int:
    """Count the links of uniform lists that zero-shot did not judge like the article links of the same list."""
    count = 0
    for places in find_uniform_lists(described, find_ruled_out_links([one.link for one in found], described)):
        others = [found[i] for i in places if not found[i].article]
        if len(others) < len(places):
            count += sum(one.verdict.method == ZERO_SHOT_METHOD for one in others)
    return count


def _judge_by_guess(link: Link, chance: float, kind: Kind | None) -> JudgedLink:
    article = chance > _MIN_GUESSED_PROBABILITY
    verdict = Verdict("article" if article else "other", chance if article else 1 - chance, ZERO_SHOT_METHOD)
    return JudgedLink(link=link, article=article, kind=kind if article else None, verdict=verdict)


def _add_keys_and_follows(
    page: Page, found: Sequence[JudgedLink], sets: ConstraintSets, places: Sequence[Surrounding] | None = None
) -> tuple[JudgedLink, ...]:
    """Add to each link the key of its article and whether a crawl may follow it; `places` are its surroundings."""
    links = [one.link for one in found]
    keys = assign_article_keys(page, links, [one.article for one in found], places)
    may = check_followable(page.url, links, sets)
    return tuple(
        replace(one, article_key=key, follows=allowed, kind=(one.kind or Kind.ABSTRACT) if one.article else None)
        for one, key, allowed in zip(found, keys, may, strict=True)
    )


def assign_article_keys(
    page: Page, links: Sequence[Link], articles: Sequence[bool], places: Sequence[Surrounding] | None = None
) -> tuple[str, ...]:
    """Return the article key of each link: the same for all links of one article, empty for other links.

    A key is what the addresses of an article have in common, so it is the same on other pages. If the addresses
    differ, as those of a DOI resolver and a PDF do, the links of one list entry share the key of its first link that
    does not go to a resolver. `places` are the surroundings of the links, if they are known.
    """
    chosen = [place for place, article in enumerate(articles) if article]
    keys = {place: article_key(links[place].url or links[place].href) for place in chosen}
    around = find_surroundings(page, links) if places is None else places
    same = _SameArticleKeys()
    for entry in _group_links_by_entry(chosen, keys, find_list_positions([around[place] for place in chosen])):
        if _is_one_article(page, [links[place] for place in entry]):
            first = next((place for place in entry if not is_resolver(links[place].url)), entry[0])
            for place in entry:
                same.join(keys[first], keys[place])
    return tuple(same.first(keys[place]) if place in keys else "" for place in range(len(links)))


def _group_links_by_entry(
    chosen: Sequence[int], keys: dict[int, str], positions: Sequence[ListPosition]
) -> list[list[int]]:
    """Group the article links by list entry; leave out addresses that are in many entries."""
    entries: dict[int, list[int]] = {}
    holders: dict[str, set[int]] = {}
    for place, position in zip(chosen, positions, strict=True):
        if position.unit >= 0:
            entries.setdefault(position.unit, []).append(place)
            holders.setdefault(keys[place], set()).add(position.unit)
    own = [
        [place for place in entry if len(holders[keys[place]]) <= _MAX_ENTRIES_PER_ADDRESS]
        for entry in entries.values()
    ]
    return [entry for entry in own if 1 < len({keys[place] for place in entry}) <= _MAX_ENTRY_KEYS]


def _is_one_article(page: Page, links: Sequence[Link]) -> bool:
    """Whether the links of an entry may belong to one article: one title, and no text that leads to two addresses."""
    targets: dict[str, set[str]] = {}
    titles: set[str] = set()
    for link in links:
        text = shown_text(link, page.text)
        targets.setdefault(text.lower(), set()).add(link.url or link.href)
        if describe_caption(text).title and not describe_caption(text).address:
            titles.add(text.lower())
    return len(titles) <= 1 and all(len(found) == 1 for found in targets.values())


class _SameArticleKeys:
    """Keys that belong to the same article, each mapped to the first of them (a union-find)."""

    def __init__(self) -> None:
        self._under: dict[str, str] = {}

    def join(self, key: str, other: str) -> None:
        """Note that two keys belong to the same article; the first one names it."""
        one, two = self.first(key), self.first(other)
        if one != two:
            self._under[two] = one

    def first(self, key: str) -> str:
        """Return the key that names the article, and shorten the path to it."""
        path = []
        while key in self._under:
            path.append(key)
            key = self._under[key]
        for step in path:
            self._under[step] = key
        return key
