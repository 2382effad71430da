"""The estimator `adaptive`: it starts with the concept set and learns from the pages of the crawl."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import chain
from typing import Any, NamedTuple

from medharvest.topics.concept_sets import Category, ConceptSet
from medharvest.topics.estimates import Estimate, PageOrigin, TopicLink, TopicPage
from medharvest.topics.term_matcher import (
    TermHit,
    bag_of_words,
    find_likely_terms,
    find_terms,
    matcher,
    split_each_text,
    stem_keywords,
)
from medharvest.vocabularies.spelling import split_words

_TOP_WORDS = 5  # the fifth best word sets the scale of a good word
# Weights are rescaled when the pages have grown by this factor, later every so many pages: the first change most.
_SCALE_PACE, _SCALE_STEP = 1.3, 25
_MAX_COUNTED = 2000  # higher counts count as this; logarithms up to here are precomputed
_LOGARITHMS = [math.log(count + 0.5) for count in range(_MAX_COUNTED + 1)]
_DAMPED_COUNTS = [0.0, *(1 + math.log(times) for times in range(1, _MAX_COUNTED + 1))]
_START_RELEVANCE = 0.03  # assumed for an unknown place: most of the web is about something else
_PLACE_TRUST = 3.0  # this assumption counts as much as this many pages of a place
_SOURCE_TRUST = 2.0  # the same for the pages that a page links to
_PLACE_SHARES = (1 / 3, 2 / 3, 1.0)  # weight of a page of the same host, of the same first folder, of the same folder


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkWeights:
    """How much each signal adds to the value of a link."""

    text: float = 1.0  # concepts in its text
    url: float = 0.3  # concepts in its address
    around: float = 0.2  # concepts in the text around it
    words: float = 0.6  # words in its text that relevant pages have
    page: float = 0.4  # relevance of the page with the link
    listed: float = 0.2  # share of what a link inherits from its page if it is in a block of links
    siblings: float = 0.3  # relevance of the pages that other links of that page led to
    place: float = 0.4  # relevance of earlier pages of its host and folder
    letter: float = 0.5  # an alphabetical index, at the first letter of a name of the topic
    guide: float = 0.1  # its text names a page that lists other pages
    menu: float = 0.1  # a link on all pages of a host: it leads elsewhere if nothing better is left


LINK_WEIGHTS = LinkWeights()
_TITLE_GAIN = 3.0  # a concept in the title counts as much as this many in the text
_EMPHASIS_GAIN = 1.0  # added for a concept in a heading or in bold type
_CHARACTERS_PER_CONCEPT = 1000  # in a text of this length one concept counts half
_MAX_READ_CHARACTERS = 4_000  # of a page, for its bag of words
_MAX_LIKENESS = 0.6  # the most relevance that similar words alone can give
_USUAL_LIKENESS, _LIKENESS_SPAN = 0.1, 0.4  # similarity of any page to the profile, and the range above it that counts
_HALF_TRUST_LINKS = 30  # a seed with this many links is trusted half: it may be a list of anything
_TEACHING_RELEVANCE = 0.2  # the profile learns the words of pages with more relevance by concepts
_MIN_RELEVANCE = 0.05  # a page with less is about something else
_REVALUE_EVERY_PAGES = 100  # all waiting links are valued again after this many pages, the first in line more often
_WAITING_LINKS_PER_PAGE = 2000  # large crawls wait one page per this many waiting links instead
_MAX_MENTIONS = 8  # links kept per address
_FEW_PAGES = 2  # the menu of a host is known after more pages than this
_ENGLISH_WORDS = frozenset("the of and to in is for that with are was by from".split())
_FOREIGN_SHARE = 0.15  # factor for a page in another language: the vocabulary is English
_MIN_ENGLISH_SHARE, _MIN_LANGUAGE_WORDS = 0.06, 40  # share of these words in English text; words needed to tell
_INDEX_LETTER = re.compile(r"(?:^|[^A-Za-z])([A-Za-z])\Z")
_GUIDE_NAMES = frozenset(
    "all az browse categories conditions contents directory diseases encyclopedia health index library list map "
    "sitemap topic topics".split()
)
_GUIDE_WORDS = frozenset({*map(str.encode, _GUIDE_NAMES), b"z"})  # the last word of "A-Z"
_MAX_GUIDE_WORDS, _MAX_GUIDE_CHARACTERS = 4, 60  # of the text of a link to a guide
_NEAREST_CATEGORIES = frozenset({Category.EXACT, Category.SYNONYM})
_INITIAL_WORD_WEIGHT = 0.5  # of the words in the topic's names before the first page


class _Mention(NamedTuple):
    """A link to an address: its page and host, its words, its value by its own text, and its share of the page's."""

    source: str
    host: str
    words: tuple[str, ...]
    said: float
    share: float = 1.0  # plans that older versions saved have none


class Adaptive:
    """Values a link by its text, its page, its address, and what similar links led to before.

    Every topic starts from the beginning: the profile knows only the words of the concept set.
    """

    seed_value = math.inf

    def __init__(self, concepts: ConceptSet, *, weights: LinkWeights = LINK_WEIGHTS) -> None:
        self.weights = weights
        self._matcher = matcher(concepts)
        self._full = max(self._matcher.weights, default=1.0)
        near = [term.text for term in concepts.terms if term.category in _NEAREST_CATEGORIES]
        self._letters = frozenset(name[0].casefold() for name in (concepts.topic, *near) if name)
        self._profile = WordProfile(
            dict.fromkeys((word for name in near for word in bag_of_words(name)), _INITIAL_WORD_WEIGHT)
        )
        self._priors = PlaceStatistics()
        self._mentions: dict[str, list[_Mention]] = {}
        self._owns: dict[str, float] = {}  # relevance of the fetched pages
        self._menus: dict[str, Counter[str]] = {}  # host -> number of its pages that link to an address
        self._pages: Counter[str] = Counter()  # fetched pages per host
        self._passed: dict[str, float] = {}  # what links inherit, by page; valid until the next page
        self._all, self._due = 0, _REVALUE_EVERY_PAGES

    def judge(self, page: TopicPage, standing: PageOrigin) -> Estimate:
        """Value a page, learn from it, and value its links."""
        counts = bag_of_words(f"{page.title}\n{page.text[:_MAX_READ_CHARACTERS]}")
        tokens = split_words(page.text)
        found = self._matcher.hits_among(tokens, page.text)
        clear, own = self._relevance(page, counts, self._find_in_body(page, found))
        itself = own if own >= _MIN_RELEVANCE else 0.0
        if standing.seed:
            trust = prose_share(page) * _HALF_TRUST_LINKS / (_HALF_TRUST_LINKS + len(page.links))
            clear, own = max(clear, trust), max(own, trust)
        mentions = self._mentions.pop(page.url, [])
        self._learn(page, counts, clear)
        self._owns[page.url] = own
        if not standing.seed:
            self._priors.learn(page.url, tuple(dict.fromkeys(mention.source for mention in mentions)), own)
        self._passed.clear()
        ahead = [link for link in page.links if link.url not in self._owns]
        self._mention(page.url, ahead, self._said(ahead, {tokens[start] for _, start, _ in found}))
        values = {url: self.value(url) for url in dict.fromkeys(link.url for link in ahead)}
        return Estimate(itself, values)

    def revalue(self, url: str, value: float) -> float:
        """Return the current value of a waiting link."""
        return self.value(url) if url in self._mentions else value

    def revalued(self) -> Mapping[str, float]:
        """Return all waiting links from time to time, else none."""
        if self._all < self._due:
            return {}
        self._due = self._all + max(_REVALUE_EVERY_PAGES, len(self._mentions) // _WAITING_LINKS_PER_PAGE)
        return {url: self.value(url) for url in self._mentions}

    def value(self, url: str) -> float:
        """Return the value of an address by the best link to it."""
        place = self.weights.place * self._priors.place(url)
        first, *more = self._mentions[url]
        worth = self._worth(url, first)
        return place + (max(worth, *(self._worth(url, mention) for mention in more)) if more else worth)

    def _worth(self, url: str, mention: _Mention) -> float:
        source, host, words, said, share = mention
        inherited = self._passed.get(source)
        if inherited is None:
            inherited = self._passed[source] = self._passes_on(source)
        named = self.weights.words * self._profile.strength(words)
        menu = self._menu(url, host)
        return said + named + (1 - menu) * share * inherited + menu * self.weights.menu

    def _passes_on(self, source: str) -> float:
        """Return what a link inherits from its page: the page's relevance, and that of what its other links led to."""
        return self.weights.page * self._owns[source] + self.weights.siblings * self._priors.source(source)

    def _menu(self, url: str, host: str) -> float:
        """Return the share of a host's pages that link to an address, not counting the first."""
        pages = self._pages[host]
        return (self._menus[host][url] - 1) / pages if pages > _FEW_PAGES else 0.0

    def _find_in_body(self, page: TopicPage, found: Sequence[TermHit]) -> Sequence[TermHit]:
        """Return the hits in the running text: those in lists of links say what other pages are about."""
        return self._matcher.hits(page.body) if found and page.body is not None else found

    def _relevance(self, page: TopicPage, counts: Mapping[str, int], found: Sequence[TermHit]) -> tuple[float, float]:
        """Return the relevance of a page by its concepts alone, and with its other words; `found` are text hits.

        The other words are those of the whole text: lists of related pages tell a topic better than the few words of a
        short page do.
        """
        room = 1 + len(page.text if page.body is None else page.body) / _CHARACTERS_PER_CONCEPT
        above = ((page.title, _TITLE_GAIN / room), (page.strong, _EMPHASIS_GAIN / room))
        named = [(hit[0], gain) for text, gain in above for hit in self._matcher.hits(text)]
        clear = self._strength(named + [(hit[0], 1 / room) for hit in found])
        alike = 0.0
        if self._all > _FEW_PAGES:
            alike = _MAX_LIKENESS * min(
                1.0, max(0.0, self._profile.similarity(counts) - _USUAL_LIKENESS) / _LIKENESS_SPAN
            )
        part = _FOREIGN_SHARE if is_foreign_text(page.text) else 1.0
        return part * clear, part * (1 - (1 - clear) * (1 - alike))

    def _strength(self, named: Iterable[tuple[int, float]]) -> float:
        """Return how strongly weighted occurrences of terms indicate the topic, 0 to 1.

        Each weight saturates at its own share: a page that names a broader concept many times is still not the topic.
        """
        counts: dict[float, float] = {}
        for term, gain in named:
            weight = self._matcher.weights[term]
            counts[weight] = counts.get(weight, 0.0) + gain
        return 1 - math.prod(1 - weight / self._full * _saturate_count(count) for weight, count in counts.items())

    def _learn(self, page: TopicPage, counts: Mapping[str, int], clear: float) -> None:
        self._all += 1
        self._profile.learn(counts, clear if clear > _TEACHING_RELEVANCE else 0.0)
        host = places_of_url(page.url)[0]
        self._pages[host] += 1
        self._menus.setdefault(host, Counter()).update({link.url for link in page.links})

    def _mention(self, source: str, links: Sequence[TopicLink], said: Sequence[float]) -> None:
        """Remember the links of a page."""
        host = places_of_url(source)[0]
        fresh = []
        for link, tokens, worth in zip(links, split_each_text([link.text for link in links]), said, strict=False):
            known = self._mentions.setdefault(link.url, [])
            if len(known) >= _MAX_MENTIONS:
                continue
            named = stem_keywords(tokens)
            if not known:
                fresh.append(named)
            share = self.weights.listed if link.listed else 1.0
            known.append(_Mention(source, host, named, worth + self._shape(link.text, tokens), share))
        self._profile.learn_links(fresh)

    def _said(self, links: Sequence[TopicLink], likely: Collection[bytes]) -> list[float]:
        """Return the value of each link by the concepts in its text, in its address and around it.

        `likely` are the first words of the terms in the page's text.
        """
        weights = self.weights
        ways = (
            (weights.text, 1.5, find_likely_terms(self._matcher, [link.text for link in links], likely)),
            (weights.url, 1.0, find_terms(self._matcher, [link.url for link in links])),
            (weights.around, 0.5, find_likely_terms(self._matcher, [link.around for link in links], likely)),
        )
        said = [0.0] * len(links)
        for weight, gain, named in ways:
            for place, terms in named.items():
                said[place] += weight * self._strength((term, gain) for term in terms)
        return said

    def _shape(self, text: str, tokens: Sequence[bytes]) -> float:
        """Return the value of a link as a guide: an alphabetical index at a letter of the topic, or another list."""
        letter = text[-1:].casefold() in self._letters and _INDEX_LETTER.search(text[-2:]) is not None
        guide = not _GUIDE_WORDS.isdisjoint(tokens) and is_guide_link(text)
        return self.weights.letter * letter + self.weights.guide * guide

    def memory(self) -> dict[str, Any]:
        """Return what was learnt, as JSON."""
        return {
            "all": [self._all, self._due],
            "pages": self._pages,
            "menus": self._menus,
            "owns": self._owns,
            "mentions": self._mentions,
            "profile": self._profile.memory(),
            "priors": self._priors.memory(),
        }

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Restore what was learnt."""
        self._all, self._due = memory["all"]
        self._pages, self._owns = Counter(memory["pages"]), dict(memory["owns"])
        self._menus = {host: Counter(menu) for host, menu in memory["menus"].items()}
        self._mentions = {
            url: [_Mention(source, host, tuple(words), said, *share) for source, host, words, said, *share in mentions]
            for url, mentions in memory["mentions"].items()
        }
        self._profile.recall(memory["profile"])
        self._priors.recall(memory["priors"])


def is_foreign_text(text: str) -> bool:
    """Whether a text is long enough to tell its language, and not English."""
    words = text[:6000].casefold().split()
    return len(words) >= _MIN_LANGUAGE_WORDS and len(
        [*filter(_ENGLISH_WORDS.__contains__, words)]
    ) < _MIN_ENGLISH_SHARE * len(words)


def is_guide_link(text: str) -> bool:
    """Whether a link seems to lead to a list of pages: an index, topics, a site map."""
    if len(text) > _MAX_GUIDE_CHARACTERS:
        return False
    words = text.casefold().replace("a-z", "az").split()
    return len(words) <= _MAX_GUIDE_WORDS and not _GUIDE_NAMES.isdisjoint(words)


def prose_share(page: TopicPage) -> float:
    """Return the share of a page's words outside links: low for a list of links, high for an article."""
    linked = sum(len(link.text.split()) for link in page.links)
    return max(0.0, 1 - linked / max(1, len(page.text.split())))


def _saturate_count(value: float) -> float:
    return 1 - math.exp(-value)


class WordProfile:
    """Weights of words, learnt page by page; `words` are those of the topic, known from the start."""

    def __init__(self, words: Mapping[str, float]) -> None:
        self.pages = 0
        self._seen: Counter[str] = Counter()  # pages with a word
        self._links = 0
        self._linked: Counter[str] = Counter()  # links with a word
        self._weights: dict[str, float] = dict(words)
        self._scale()

    def learn(self, words: Mapping[str, int], relevance: float) -> None:
        """Count the words of a page, and add to their weights by its relevance."""
        self.pages += 1
        self._seen.update(words.keys())
        if relevance:
            length = math.sqrt(sum(_DAMPED_COUNTS[min(times, _MAX_COUNTED)] ** 2 for times in words.values())) or 1.0
            for word, times in words.items():
                gain = relevance * _DAMPED_COUNTS[min(times, _MAX_COUNTED)] / length
                self._weights[word] = self._weights.get(word, 0.0) + gain
        if self.pages >= self._due:
            self._scale()

    def learn_links(self, texts: Sequence[tuple[str, ...]]) -> None:
        """Count the words in link texts: words of many links do not distinguish them."""
        self._links += len(texts)
        self._linked.update(chain.from_iterable(map(dict.fromkeys, texts)))

    def similarity(self, words: Mapping[str, int]) -> float:
        """Return the cosine similarity of a page and the profile; rare words count more."""
        common = length = 0.0
        seen, weights, most = self._seen.get, self._weights.get, math.log(self.pages + 1)
        for word, times in words.items():
            rarity = most - _LOGARITHMS[min(seen(word, 0), _MAX_COUNTED)]
            value = _DAMPED_COUNTS[min(times, _MAX_COUNTED)] * rarity
            length += value * value
            common += value * rarity * weights(word, 0.0)
        return max(0.0, common) / (math.sqrt(length) * self._length) if length else 0.0

    def strength(self, words: tuple[str, ...]) -> float:
        """Return how strongly a few words indicate the topic, 0 to 1."""
        if not words:
            return 0.0
        known = self._known
        total = 0.0
        for word in words:
            value = known.get(word)
            if value is None:
                value = known[word] = self._value(word)
            total += value
        return 1 - math.exp(-total / (self._good * math.sqrt(len(words))))

    def memory(self) -> dict[str, Any]:
        """Return what was learnt, as JSON."""
        scale = [self._length, self._good, self._due]
        return {
            "pages": self.pages,
            "links": self._links,
            "seen": self._seen,
            "linked": self._linked,
            "weights": self._weights,
            "known": self._known,
            "scale": scale,
        }

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Restore what was learnt."""
        self.pages, self._links = memory["pages"], memory["links"]
        self._seen, self._linked = Counter(memory["seen"]), Counter(memory["linked"])
        self._weights = dict(memory["weights"])
        self._known = dict(memory["known"])
        self._length, self._good, self._due = memory["scale"]

    def _value(self, word: str) -> float:
        """Return the value of a word in a link's text."""
        weight = self._weights.get(word, 0.0)
        if not weight:
            return 0.0
        linked = math.log((self._links + 1) / (self._linked.get(word, 0) + 0.5)) / math.log(self._links + 10)
        return weight * self._rarity(word) * max(0.0, linked)

    def _rarity(self, word: str) -> float:
        return max(0.0, math.log((self.pages + 1) / (self._seen.get(word, 0) + 0.5)))

    def _scale(self) -> None:
        """Recompute the length of the profile, the values of its words, and the scale of a good word."""
        self._due = min(self.pages * _SCALE_PACE + 1, self.pages + _SCALE_STEP)
        values = [weight * self._rarity(word) for word, weight in self._weights.items()]
        self._length = math.sqrt(sum(value * value for value in values)) or 1.0
        self._known = {word: self._value(word) for word in self._weights}
        self._good = min(nlargest(_TOP_WORDS, self._known.values()), default=1.0) or 1.0


class PlaceStatistics:
    """Running means of the relevance of pages, by place and by the page that links to them."""

    def __init__(self) -> None:
        self._places: dict[str, list[float]] = {}
        self._sources: dict[str, list[float]] = {}
        self._means: dict[str, float] = {}  # by folder; valid until the next page is counted

    def learn(self, url: str, sources: tuple[str, ...], relevance: float) -> None:
        """Count the relevance of a page for its places and for the pages that link to it."""
        self._means.clear()
        for place in places_of_url(url):
            _add_relevance(self._places, place, relevance)
        for source in sources:
            _add_relevance(self._sources, source, relevance)

    def place(self, url: str) -> float:
        """Return the mean relevance of pages near an address; closer ones count more."""
        slash = url.rfind("/", len("https://"), url.find("?") if "?" in url else len(url))
        folder = url[:slash] if slash > 0 else url
        mean = self._means.get(folder)
        if mean is None:
            mean = self._means[folder] = self._mean(url)
        return mean

    def _mean(self, url: str) -> float:
        total, count = _START_RELEVANCE * _PLACE_TRUST, _PLACE_TRUST
        for part, place in zip(_PLACE_SHARES, places_of_url(url), strict=True):
            known = self._places.get(place)
            if known:
                total += part * known[0]
                count += part * known[1]
        return total / count

    def source(self, url: str) -> float:
        """Return the mean relevance of the pages that a page links to."""
        total, count = self._sources.get(url, (0.0, 0.0))
        return (total + _START_RELEVANCE * _SOURCE_TRUST) / (count + _SOURCE_TRUST)

    def memory(self) -> dict[str, Any]:
        """Return what was learnt, as JSON."""
        return {"places": self._places, "sources": self._sources}

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Restore what was learnt."""
        self._places = {place: [*sums] for place, sums in memory["places"].items()}
        self._sources = {source: [*sums] for source, sums in memory["sources"].items()}
        self._means.clear()


def places_of_url(url: str) -> tuple[str, ...]:
    """Return the host of an address, its first folder and its last folder."""
    _, _, rest = url.partition("?")[0].partition("://")
    host, *steps = rest.split("/")
    return host, "/".join((host, *steps[:-1][:1], "")), "/".join((host, *steps[:-1], "..."))


def _add_relevance(means: dict[str, list[float]], key: str, relevance: float) -> None:
    sums = means.setdefault(key, [0.0, 0.0])
    sums[0] += relevance
    sums[1] += 1
