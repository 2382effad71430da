"""Find the article links of a journal that was never taught: the shipped model, and rules that hold on every site.

`guess_links(links, describe_links(page, links), shipped_link_model())` gives, for each link, the probability that it is
an article link and the kind that it promises.
"""

from __future__ import annotations

import functools
import json
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any, TypeVar

from medharvest.boosted_trees import FlatTree, TreeNode, build_tree, digest_of_data, log_odds, logistic, sum_leaves
from medharvest.errors import InputError
from medharvest.links.examples import Guess
from medharvest.links.features import LINK_FEATURES, FeatureVector, LinkDescriptions
from medharvest.links.judge import is_trap
from medharvest.links.link_words import (
    IMAGE_ENDING,
    MAX_TITLE_SERVICE_TENTHS,
    OTHER_FILE_ENDING,
    PDF_ENDING,
    WORD_TOKEN,
    Caption,
    LinkTarget,
    is_resolver,
)
from medharvest.links.surroundings import ListPosition, Surrounding
from medharvest.records import Kind, Link

_MIN_ARTICLE_PROBABILITY = 0.5  # more likely an article link than not
_MIN_LIKELIEST_PROBABILITY = 0.05  # of the title that is an article link if no link of the page is likelier to be one
_LIKELIEST_MARGIN = 1.0  # log-odds by which other links may be less likely and still be article links with it
_BARELY_LIKELY = 0.501  # what their probability is raised to
_RULED_OUT_PROBABILITY = 0.005  # of a link that the rules exclude, whatever the model says
_MAX_AGREEING_LINKS = 4  # an address with more links on the page is rarely that of an article
_TITLE_MARGIN_SHARE = 0.75  # weight of the best link to the same address for a link without telling words
_MIN_UNIFORM_LINKS = 5  # links of one appearance, each in an entry of its own, that make a list uniform
# Share of the links of a uniform list that decide for all. A list that names people behind its links is one of works,
# so that a few clear titles among short ones are enough.
_DECIDING_SHARE, _DECIDING_SHARE_WITH_PEOPLE = 0.25, 0.1
_PEOPLE_AFTER = LINK_FEATURES.index("place_people_after")
_MIN_COMMON_ENTRIES = 6  # list entries with an address that is none of an article
_LINK_MODEL_FILE = "articles.json"
K = TypeVar("K", bound=Hashable)

# Words by the kind that they promise, tested in this order: "Supplementary PDF" is a supplement, "Full text PDF" a PDF.
_WORDS_BY_KIND: tuple[tuple[Kind, frozenset[str]], ...] = (
    (Kind.OTHER, frozenset({"epub", "epub3", "audio", "video", "mobi"})),
    (
        Kind.SUPPLEMENT,
        frozenset(
            """appendix cif cif2 dataset dc1 esm hkl suppl supplement supplemental supplementary supplements supporting
            anexo anhang annexe""".split()
        ),
    ),
    (Kind.IMAGE, frozenset({"figure", "figures", "image", "images", "thumbnail"})),
    (Kind.PDF, frozenset({"pdf", "epdf", "pdfs", "reprint"})),
    (
        Kind.ABSTRACT,
        frozenset(
            """abs abstract abstracts summary resumen resumo résumé resume zusammenfassung riassunto sommaire
            samenvatting resumé аннотация реферат 摘要 抄録 要旨 초록""".split()
        ),
    ),
    (
        Kind.FULLTEXT,
        frozenset("""full fulltext fulltexthtml html volltext intégral integral completo complet 全文 본문""".split()),
    ),
)
_NOT_IN_ADDRESSES = frozenset(
    {"html", "image", "images", "figure", "figures", "resume", "integral", "epub", "audio", "video"}
)
_SUPPLEMENT_ADDRESS = re.compile(r"(?<=\w\w\w)sup{1,2}\d")  # `ab0206sup1`
_KIND_PHRASES = (("first page", Kind.ABSTRACT), ("3d view", Kind.SUPPLEMENT), ("read article", Kind.FULLTEXT))
_CJK_KIND_WORDS = ("摘要", "全文", "抄録", "要旨")  # written without blanks
_MAX_PROMISE_WORD_PAIRS = 2  # pairs of words; a longer text that may be a title is a title, whatever words are in it
_PAGE_FILE_SUFFIXES = frozenset({"htm", "html", "shtml", "xhtml"})  # pages that are stored as files
_MIN_SAID_SHARE = 0.05  # share of titles with a known kind before the others of the same shape take it over
_MAX_PROMISE_ADDRESS_CHARS = 600  # characters of an address that are examined
_MAX_ARTICLE_LINKS = 12  # links of one article; a list entry with more has several articles
_LANDING_KINDS = (Kind.ABSTRACT, Kind.FULLTEXT)
_POPULAR_LABEL = re.compile(
    r"(?:^|\W)(?:most|top|popular|trending|recently)[\s-](?:\w+[\s-]){0,3}?"
    r"(?:accessed|articles?|cited|discussed|downloaded|papers|popular|read|shared|viewed|visited)"
    r"(?:\s(?:articles?|papers|content|this (?:week|month|year)))?\W*$|"
    r"(?:^|\W)(?:related|recommended|similar) (?:articles?|content|papers|reading)\W*$",
    re.IGNORECASE,
)
_MAX_POPULAR_LABEL_CHARS = 48
_LATEST = re.compile(r"\b(?:latest|newest|recent|current|new)\b", re.IGNORECASE)  # such a box also has new articles
_WHOLE_PAGE_TAGS = frozenset({"body", "form", "html", "main"})  # these contain the whole page, so they are not boxes


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkModel:
    """Boosted trees whose leaves add up to a margin, the calibration to a probability, and the model card."""

    base: float
    trees: tuple[TreeNode, ...]
    slope: float = 1.0
    offset: float = 0.0
    card: Mapping[str, Any]
    digest: str = ""

    def margins(self, vectors: Iterable[FeatureVector]) -> list[float]:
        """Return the margin of each vector; equal vectors are computed once."""
        known: dict[FeatureVector, float] = {}
        found = []
        for vector in vectors:
            margin = known.get(vector)
            if margin is None:
                margin = known[vector] = self._margin(vector)
            found.append(margin)
        return found

    def _margin(self, vector: FeatureVector) -> float:
        return self.base + sum_leaves(self.trees, vector)

    def probability(self, margin: float) -> float:
        """Return the probability of an article link at a margin."""
        return logistic(self.slope * margin + self.offset)


def guess_links(links: Sequence[Link], described: LinkDescriptions, model: LinkModel) -> tuple[Guess, ...]:
    """Return for each link the probability that it is an article link, and the kind that it then promises."""
    margins = margins_of(links, described, model)
    said = [_RULED_OUT_PROBABILITY if margin is None else model.probability(margin) for margin in margins]
    chances = _raise_likeliest(said, described.captions)
    kinds = promised_kinds(described, [chance > _MIN_ARTICLE_PROBABILITY for chance in chances])
    return tuple(zip(chances, kinds, strict=True))


def _raise_likeliest(chances: Sequence[float], captions: Sequence[Caption]) -> list[float]:
    """Raise the likeliest title, and links nearly as likely, above one half if no other link is.

    An unusual contents page has articles too, if only one.
    """
    best = max((chance for chance, shown in zip(chances, captions, strict=True) if shown.title), default=0.0)
    if best < _MIN_LIKELIEST_PROBABILITY or max(chances) > _MIN_ARTICLE_PROBABILITY:
        return list(chances)
    raised = log_odds(best) - _LIKELIEST_MARGIN - log_odds(_BARELY_LIKELY)
    return [logistic(log_odds(chance) - raised) for chance in chances]


def margins_of(links: Sequence[Link], described: LinkDescriptions, model: LinkModel) -> list[float | None]:
    """Return the margin of each link, before calibration; None for a link that is ruled out."""
    out = find_ruled_out_links(links, described)
    in_lists = _agree_in_lists(described, model.margins(described.vectors), out)
    agreed = _agree_on_margins(described, in_lists, out)
    return [None if no else margin for no, margin in zip(out, agreed, strict=True)]


def find_ruled_out_links(links: Sequence[Link], described: LinkDescriptions) -> list[bool]:
    """Whether each link cannot be an article link of the page.

    Such links stay on the page, are invisible, lead to a whole issue or are in a box such as "most read". A picture
    with an address that another link calls an issue leads to that issue too. On the front page of a server no issue is
    contrasted with such a box: what a journal recommends there are its articles. What every entry of a list leads to,
    beside its own title, is help.
    """
    common = _find_common_addresses(described)
    issues = {target.url for target, shown in zip(described.targets, described.captions, strict=True) if shown.whole}
    popular = [False] * len(links) if described.home else find_popular_links(described.places, described.list_positions)
    return [
        not target.leaves
        or place.hidden
        # A link to a figure may seem empty: a style may draw its thumbnail.
        or (is_trap(link) and target.ending != IMAGE_ENDING)
        or (target.url in issues and not shown.title)
        or target.url in common
        or boxed
        for link, target, shown, place, boxed in zip(
            links, described.targets, described.captions, described.places, popular, strict=True
        )
    ]


def _find_common_addresses(described: LinkDescriptions) -> set[str]:
    """The addresses that many list entries lead to, most of which have a title with an address of its own."""
    entries: dict[str, set[int]] = {}
    for target, position in zip(described.targets, described.list_positions, strict=True):
        if target.leaves and position.unit >= 0:
            entries.setdefault(target.url, set()).add(position.unit)
    many = {url: units for url, units in entries.items() if len(units) >= _MIN_COMMON_ENTRIES}
    if not many:
        return set()
    titled = {
        position.unit
        for target, position, shown in zip(described.targets, described.list_positions, described.captions, strict=True)
        if shown.title and len(entries.get(target.url, ())) == 1
    }
    return {url for url, units in many.items() if 2 * len(units & titled) >= len(units)}


def find_popular_links(places: Sequence[Surrounding], positions: Sequence[ListPosition]) -> list[bool]:
    """Whether each link is in a box of popular or related articles.

    A box is the list, or else the element, of the first link after a heading or a line of text that names it. Links
    outside that list do not belong to it, even if no other heading comes before them, nor do links before its name.
    """
    boxes: dict[int, int] = {}  # the first link of each box
    seen: set[int] = set()
    around = [frozenset(tag.start for tag in place.path) for place in places]
    for number, (place, position) in enumerate(zip(places, positions, strict=True)):
        headed = place.heading_start not in seen and is_popular_label(place.heading)
        seen.add(place.heading_start)
        if headed or is_popular_label(place.before):
            before = around[number - 1] if number else frozenset[int]()
            after = around[number + 1] if number + 1 < len(places) else frozenset[int]()
            boxes.setdefault(_find_popular_box(place, position, before, after), number)
    boxes.pop(-1, None)
    if not boxes:
        return [False] * len(places)
    return [
        any(boxes.get(tag.start, len(places)) <= number for tag in place.path) for number, place in enumerate(places)
    ]


def is_popular_label(text: str) -> bool:
    """Whether a text ends with the name of a box of popular or related articles, such as "Most read"."""
    label = text[-_MAX_POPULAR_LABEL_CHARS:]
    return bool(_POPULAR_LABEL.search(label)) and not _LATEST.search(label)


def _find_popular_box(place: Surrounding, position: ListPosition, before: frozenset[int], after: frozenset[int]) -> int:
    """The offset of the list or element of a link, -1 if only the whole page contains it.

    `before` and `after` are the elements around the links before and after. An element that has the next link too, but
    not the one before, is a better box than a list that began earlier.
    """
    names = {tag.start: tag.name for tag in place.path}
    own = (tag.start for tag in place.path if tag.start in after and tag.start not in before)
    rows = position.rows[0]
    begun = rows if rows not in before else next(own, rows)
    for start in (begun, place.path[-1].start if place.path else -1):
        if names.get(start, "body") not in _WHOLE_PAGE_TAGS:
            return start
    return -1


def _agree_in_lists(described: LinkDescriptions, margins: list[float], out: list[bool]) -> list[float]:
    """Raise the margins in each uniform list to that of its likeliest links, so that a share of them decides for all.

    The model knows where a link is on the page, which tells the end of the page from its contents, and how long its
    text is. Inside a list of equal entries both mean little: the last entries and the short titles are articles if the
    others are.
    """
    agreed = list(margins)
    for links in find_uniform_lists(described, out):
        people = sum(described.vectors[i][_PEOPLE_AFTER] for i in links)
        share = _DECIDING_SHARE_WITH_PEOPLE if 2 * people >= len(links) else _DECIDING_SHARE
        decisive = sorted(margins[i] for i in links)[int((1 - share) * (len(links) - 1))]
        for i in links:
            agreed[i] = max(agreed[i], decisive)
    return agreed


def find_uniform_lists(described: LinkDescriptions, out: Sequence[bool]) -> list[list[int]]:
    """Return the places of the links of each uniform list, without those that are `out`.

    These are links of one list with the same appearance and shape of address, one in each entry. Links that name a
    service of the site, such as "Help", are left alone.
    """
    groups: dict[Hashable, list[int]] = {}
    for i, position in enumerate(described.list_positions):
        if position.row >= 0 and not out[i] and described.captions[i].service <= MAX_TITLE_SERVICE_TENTHS:
            key = (position.rows, described.signs[i], described.targets[i].shape)
            groups.setdefault(key, []).append(i)
    return [
        links
        for links in groups.values()
        if len(links) >= _MIN_UNIFORM_LINKS and len({described.list_positions[i].row for i in links}) == len(links)
    ]


def _agree_on_margins(described: LinkDescriptions, margins: list[float], out: list[bool]) -> list[float]:
    """Raise the margin of links with few words towards the best margin of a link to the same address."""
    links = Counter(target.url for target in described.targets)
    best: dict[str, float] = {}
    for target, shown, margin, no in zip(described.targets, described.captions, margins, out, strict=True):
        if not no and _has_telling_caption(shown) and links[target.url] <= _MAX_AGREEING_LINKS:
            best[target.url] = max(margin, best.get(target.url, margin))
    return [
        max(margin, _TITLE_MARGIN_SHARE * best.get(target.url, margin) + (1 - _TITLE_MARGIN_SHARE) * margin)
        if not shown.service
        else margin
        for target, shown, margin in zip(described.targets, described.captions, margins, strict=True)
    ]


def _has_telling_caption(shown: Caption) -> bool:
    return bool(shown.title or shown.form)


def promised_kinds(described: LinkDescriptions, articles: Sequence[bool]) -> tuple[Kind | None, ...]:
    """Return the kind that each article link promises; None for other links.

    The words of the link decide first, then the words of another link to the same address, then the kind that is most
    common among titles whose addresses have the same shape. A title without any of these leads to the full text if an
    abstract is offered beside it, or if it leads to an HTML file and no full text is offered beside it; otherwise it
    leads to the page about the article, which shows the abstract.
    """
    targets, texts = described.targets, described.texts
    said = [
        _kind_in_words(text, target, shown) if article else None
        for text, target, shown, article in zip(texts, targets, described.captions, articles, strict=True)
    ]
    by_address = _most_common_kinds(said, [target.url for target in targets], articles)
    titles = [
        article and bool(shown.title) and kind is None
        for article, shown, kind in zip(articles, described.captions, said, strict=True)
    ]
    by_shape = _most_common_kinds(
        [by_address.get(target.url) for target in targets],
        [target.shape for target in targets],
        titles,
        least=_MIN_SAID_SHARE,
    )
    company = _kinds_in_entry(described, said, articles)
    return tuple(
        (
            kind
            or by_address.get(targets[i].url)
            or by_shape.get(targets[i].shape)
            or _kind_beside_others(targets[i], company[i])
        )
        if articles[i]
        else None
        for i, kind in enumerate(said)
    )


def _kind_in_words(text: str, target: LinkTarget, shown: Caption) -> Kind | None:
    """The kind in the words of a link, those of its text before those of its address."""
    if target.ending == IMAGE_ENDING:
        return Kind.IMAGE
    spoken = _kind_in_text(text) if not shown.title or shown.words <= _MAX_PROMISE_WORD_PAIRS else None
    if spoken:
        return spoken
    if target.ending == PDF_ENDING:
        return Kind.SUPPLEMENT if _SUPPLEMENT_ADDRESS.search(target.url) else Kind.PDF
    if target.ending == OTHER_FILE_ENDING:
        return Kind.SUPPLEMENT
    return _kind_in_address(target) if target.form or "sup" in target.url else None


def _kind_in_text(text: str) -> Kind | None:
    low = text.lower()
    words = {*WORD_TOKEN.findall(low), *(word for word in _CJK_KIND_WORDS if word in low)}
    for phrase, kind in _KIND_PHRASES:
        if phrase in low:
            return kind
    return _first_promised_kind(words)


def _kind_in_address(target: LinkTarget) -> Kind | None:
    place = target.url.partition("://")[2].partition("/")[2] if "://" in target.url else target.url
    place = place[:_MAX_PROMISE_ADDRESS_CHARS].lower()
    if _SUPPLEMENT_ADDRESS.search(place):
        return Kind.SUPPLEMENT
    return _first_promised_kind(set(WORD_TOKEN.findall(place)) - _NOT_IN_ADDRESSES)


def _first_promised_kind(words: set[str]) -> Kind | None:
    return next((kind for kind, promise in _WORDS_BY_KIND if not promise.isdisjoint(words)), None)


def _most_common_kinds(
    said: Sequence[Kind | None], keys: Sequence[K], articles: Sequence[bool], *, least: float = 0
) -> dict[K, Kind]:
    """The most common kind of each key, if at least this share of its links has that kind."""
    counts: dict[K, Counter[Kind]] = {}
    for kind, key, article in zip(said, keys, articles, strict=True):
        if article and kind:
            counts.setdefault(key, Counter())[kind] += 1
    links = Counter(key for key, article in zip(keys, articles, strict=True) if article) if counts else Counter()
    found = {key: kinds.most_common(1)[0] for key, kinds in counts.items()}
    return {key: kind for key, (kind, count) in found.items() if kind in _LANDING_KINDS and count >= least * links[key]}


def _kinds_in_entry(
    described: LinkDescriptions, said: Sequence[Kind | None], articles: Sequence[bool]
) -> list[frozenset[Kind]]:
    """The kinds that article links in the same list entry promise, in words or by leading to a resolver."""
    entries: dict[int, list[int]] = {}
    for place, (position, article) in enumerate(zip(described.list_positions, articles, strict=True)):
        if article and position.unit >= 0:
            entries.setdefault(position.unit, []).append(place)
    kinds = {
        unit: frozenset(kind for place in entry if (kind := said[place] or _kind_of_resolver(described.targets[place])))
        for unit, entry in entries.items()
        if len(entry) <= _MAX_ARTICLE_LINKS
    }
    no_kinds: frozenset[Kind] = frozenset()
    return [kinds.get(position.unit, no_kinds) for position in described.list_positions]


def _kind_of_resolver(target: LinkTarget) -> Kind | None:
    return Kind.ABSTRACT if is_resolver(target.url) else None


def _kind_beside_others(target: LinkTarget, company: frozenset[Kind]) -> Kind:
    """The kind of a title, given the kinds that other links in its list entry promise."""
    if is_resolver(target.url) or Kind.FULLTEXT in company:
        return Kind.ABSTRACT
    return Kind.FULLTEXT if Kind.ABSTRACT in company or target.suffix in _PAGE_FILE_SUFFIXES else Kind.ABSTRACT


@functools.cache
def shipped_link_model() -> LinkModel:
    """Return the model that comes with the package."""
    return read_link_model(
        (resources.files("medharvest.links") / "data" / _LINK_MODEL_FILE).read_text(encoding="utf-8"),
        name=_LINK_MODEL_FILE,
    )


def read_link_model(text: str, *, name: str) -> LinkModel:
    """Read a model; raise `InputError` if it is broken, was changed, or has other features."""
    try:
        data = json.loads(text)
        stated = data.pop("digest")
        model = _build_link_model(data, stated)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise InputError(f"not a link model: {name}", name=name, hint="train one with scripts/train-links") from error
    if stated != digest_of_data(data):
        raise InputError(f"link model was changed: {name}", name=name, hint="its digest does not match its content")
    if tuple(data["features"]) != LINK_FEATURES:
        raise InputError(
            f"link model is of another version: {name}", name=name, hint="train one with scripts/train-links"
        )
    return model


def _build_link_model(data: Mapping[str, Any], digest: str) -> LinkModel:
    return LinkModel(
        base=float(data["base"]),
        trees=tuple(build_tree(flat, len(LINK_FEATURES)) for flat in data["trees"]),
        slope=float(data["slope"]),
        offset=float(data["offset"]),
        card=data["card"],
        digest=digest,
    )


def write_link_model(model: LinkModel, trees: Sequence[FlatTree]) -> str:
    """Write a model as text, with its trees as they were trained."""
    data = {
        "card": dict(model.card),
        "features": list(LINK_FEATURES),
        "base": model.base,
        "slope": model.slope,
        "offset": model.offset,
        "trees": trees,
    }
    return json.dumps({"digest": digest_of_data(data), **data}, ensure_ascii=False, separators=(",", ":")) + "\n"
