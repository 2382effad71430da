"""Find the article links of a journal that was never taught.

The shipped model, the rules that hold on every site, and the kind each link promises.
"""

from __future__ import annotations

import functools
import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any, TypeVar

from medharvest.errors import InputError
from medharvest.links.examples import Guess
from medharvest.links.features import LINK_FEATURES, FeatureVector, LinkDescriptions, describe_links
from medharvest.links.judge import is_trap
from medharvest.links.link_words import (
    IMAGE_ENDING,
    OTHER_FILE_ENDING,
    PDF_ENDING,
    WORD_TOKEN,
    Caption,
    LinkTarget,
    is_resolver,
)
from medharvest.links.surroundings import ListPosition, Surrounding
from medharvest.records import Kind, Link, Page

ZERO_SHOT_METHOD = "zero-shot"
_MIN_ARTICLE_PROBABILITY = 0.5
_RULED_OUT_PROBABILITY = 0.005  # a link ruled out is no article, whatever the model says
_MAX_AGREEING_LINKS = 4  # an address with more links on the page is rarely an article's
_TITLE_MARGIN_SHARE = 0.75  # how much a link without telling words is what a title to the same address is
_LINK_MODEL_FILE = "articles.json"
# A node is (feature, limit, node where the value is at most the limit, node where it is more), or a leaf's value.
LinkTreeNode = tuple[int, int, Any, Any] | float
# As in the file: nodes in a list, children after their parents, named by their places; a leaf is [value].
FlatLinkTree = Sequence[Sequence[float]]
K = TypeVar("K", bound=Hashable)

# Words by the kind they promise, tested in this order: "Supplementary PDF" is a supplement, "Full text PDF" a PDF.
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
_MAX_PROMISE_WORD_PAIRS = 2  # pairs of words; a longer text that may be a title is one, whatever words it holds
_PAGE_FILE_SUFFIXES = frozenset(
    {"htm", "html", "shtml", "xhtml"}
)  # endings of pages that are files, not made when asked for
_MIN_SAID_SHARE = 0.05  # the share of titles that must be spoken of before the others are what they are
_MAX_PROMISE_ADDRESS_CHARS = 600  # characters of an address looked at
_MAX_ARTICLE_LINKS = 12  # links one article may have; an entry with more holds several articles
_LANDING_KINDS = (Kind.ABSTRACT, Kind.FULLTEXT)
_POPULAR_LABEL = re.compile(
    r"(?:^|\W)(?:most|top|popular|trending|recently)[\s-](?:\w+[\s-]){0,3}?"
    r"(?:accessed|articles?|cited|discussed|downloaded|papers|popular|read|shared|viewed|visited)"
    r"(?:\s(?:articles?|papers|content|this (?:week|month|year)))?\W*$|"
    r"(?:^|\W)(?:related|recommended|similar) (?:articles?|content|papers|reading)\W*$",
    re.IGNORECASE,
)
_MAX_POPULAR_LABEL_CHARS = 48  # characters a label may have
_WHOLE_PAGE_TAGS = frozenset({"body", "form", "html", "main"})  # what holds all of a page is no box


def judge_zero_shot(page: Page, links: Sequence[Link], model: LinkModel | None = None) -> tuple[Guess, ...]:
    """For each link how probable it is an article, and the kind it then promises; without a model, the shipped one."""
    return guess_links(links, describe_links(page, links), model or shipped_link_model())


def guess_links(links: Sequence[Link], described: LinkDescriptions, model: LinkModel) -> tuple[Guess, ...]:
    """What a model says of links that were described."""
    margins = margins_of(links, described, model)
    chances = [_RULED_OUT_PROBABILITY if margin is None else model.probability(margin) for margin in margins]
    kinds = promised_kinds(described, [chance > _MIN_ARTICLE_PROBABILITY for chance in chances])
    return tuple(zip(chances, kinds, strict=True))


def margins_of(links: Sequence[Link], described: LinkDescriptions, model: LinkModel) -> list[float | None]:
    """The margin of each link, before any calibration; None for one that is ruled out."""
    out = ruled_out(links, described)
    agreed = _agree_on_margins(described, model.margins(described.vectors), out)
    return [None if no else margin for no, margin in zip(out, agreed, strict=True)]


def ruled_out(links: Sequence[Link], described: LinkDescriptions) -> list[bool]:
    """Links that are no article of the page: to no other page, seen by nobody, to a whole issue, in a box of most read.

    A picture over an address that is called an issue elsewhere on the page leads to that issue too.
    """
    issues = {target.url for target, shown in zip(described.targets, described.captions, strict=True) if shown.whole}
    popular = find_popular_links(described.places, described.standings)
    return [
        not target.leaves
        or place.hidden
        or (
            is_trap(link) and target.ending != IMAGE_ENDING
        )  # figures are shown by their thumbnails, which a style may draw
        or (target.url in issues and not shown.title)
        or boxed
        for link, target, shown, place, boxed in zip(
            links, described.targets, described.captions, described.places, popular, strict=True
        )
    ]


def _agree_on_margins(described: LinkDescriptions, margins: list[float], out: list[bool]) -> list[float]:
    """Margins once links to one address have agreed: what says little is drawn to what says most there."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkModel:
    """Trees whose leaves add up to a margin, the line that turns margins into probabilities, and a card."""

    base: float
    trees: tuple[LinkTreeNode, ...]
    slope: float = 1.0
    offset: float = 0.0
    card: Mapping[str, Any]
    digest: str = ""

    def margins(self, vectors: Iterable[FeatureVector]) -> list[float]:
        """The margin of each vector; equal ones are worked out once."""
        known: dict[FeatureVector, float] = {}
        found = []
        for vector in vectors:
            margin = known.get(vector)
            if margin is None:
                margin = known[vector] = self._margin(vector)
            found.append(margin)
        return found

    def _margin(self, vector: FeatureVector) -> float:
        total = self.base
        for tree in self.trees:
            node = tree
            while type(node) is tuple:
                node = node[2] if vector[node[0]] <= node[1] else node[3]
            total += node  # type: ignore[operator]  # no tuple, hence a leaf's value
        return total

    def probability(self, margin: float) -> float:
        """How probable an article is at a margin."""
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, self.slope * margin + self.offset))))


@functools.cache
def shipped_link_model() -> LinkModel:
    """The model that comes with the package."""
    return read_link_model(
        (resources.files("medharvest.links") / "data" / _LINK_MODEL_FILE).read_text(encoding="utf-8"),
        name=_LINK_MODEL_FILE,
    )


def read_link_model(text: str, *, name: str) -> LinkModel:
    """Read a model; one whose digest or features are not those stated cannot be used."""
    try:
        data = json.loads(text)
        stated = data.pop("digest")
        model = _build_link_model(data, stated)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise InputError(
            f"not a model of links: {name}", name=name, hint="train one with scripts/train-links"
        ) from error
    if stated != digest_of_link_model(data):
        raise InputError(f"model of links was changed: {name}", name=name, hint="the digest does not fit")
    if tuple(data["features"]) != LINK_FEATURES:
        raise InputError(
            f"model of links is of another version: {name}", name=name, hint="train one with scripts/train-links"
        )
    return model


def write_link_model(model: LinkModel, trees: Sequence[FlatLinkTree]) -> str:
    """A model as text, its trees as they were trained."""
    data = {
        "card": dict(model.card),
        "features": list(LINK_FEATURES),
        "base": model.base,
        "slope": model.slope,
        "offset": model.offset,
        "trees": trees,
    }
    return json.dumps({"digest": digest_of_link_model(data), **data}, ensure_ascii=False, separators=(",", ":")) + "\n"


def digest_of_link_model(data: Mapping[str, Any]) -> str:
    """The SHA-256 of a model's data."""
    return hashlib.sha256(json.dumps(data, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _build_link_model(data: Mapping[str, Any], digest: str) -> LinkModel:
    return LinkModel(
        base=float(data["base"]),
        trees=tuple(map(build_link_tree, data["trees"])),
        slope=float(data["slope"]),
        offset=float(data["offset"]),
        card=data["card"],
        digest=digest,
    )


def build_link_tree(flat: FlatLinkTree) -> LinkTreeNode:
    """A tree from its list, the last nodes first: a child stands after its parent, so no tree runs in a circle."""
    built: list[LinkTreeNode] = [0.0] * len(flat)
    for place in range(len(flat) - 1, -1, -1):
        if len(flat[place]) == 1:
            built[place] = float(flat[place][0])
            continue
        feature, limit, left, right = map(int, flat[place])
        if not (0 <= feature < len(LINK_FEATURES) and place < left and place < right):
            raise ValueError(flat[place])
        built[place] = (feature, limit, built[left], built[right])
    return built[0]


def promised_kinds(described: LinkDescriptions, articles: Sequence[bool]) -> tuple[Kind | None, ...]:
    """The kind of each article link; None for the others.

    Words decide first, then words of another link to the same address, then what such words say of other titles whose
    addresses have the same shape.
    A title alone is the full text where it leads to a file that is a page and no other full text is offered beside
    it, or where its abstract is; elsewhere it leads to the page about the article, which shows the abstract.
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
    """What the words of a link say, those of its text before those of its address."""
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
    """The kind most often said of each key, where at least this share of its links says it."""
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
    """The kinds the article links in the same entry of a list promise, in words or by leading to a resolver."""
    entries: dict[int, list[int]] = {}
    for place, (stand, article) in enumerate(zip(described.standings, articles, strict=True)):
        if article and stand.unit >= 0:
            entries.setdefault(stand.unit, []).append(place)
    kinds = {
        unit: frozenset(kind for place in entry if (kind := said[place] or _kind_of_resolver(described.targets[place])))
        for unit, entry in entries.items()
        if len(entry) <= _MAX_ARTICLE_LINKS
    }
    nobody: frozenset[Kind] = frozenset()
    return [kinds.get(stand.unit, nobody) for stand in described.standings]


def _kind_of_resolver(target: LinkTarget) -> Kind | None:
    return Kind.ABSTRACT if is_resolver(target.url) else None


def _kind_beside_others(target: LinkTarget, company: frozenset[Kind]) -> Kind:
    """What a title promises beside the kinds others promise."""
    if is_resolver(target.url) or Kind.FULLTEXT in company:
        return Kind.ABSTRACT
    return Kind.FULLTEXT if Kind.ABSTRACT in company or target.suffix in _PAGE_FILE_SUFFIXES else Kind.ABSTRACT


def find_popular_links(places: Sequence[Surrounding], stands: Sequence[ListPosition]) -> list[bool]:
    """For each link whether it stands in such a box.

    A box is the list, or else the element, of the first link after a heading or a line of text that names it; links
    outside that list do not belong to it, even if no other heading stands before them.
    """
    boxes: set[int] = set()
    seen: set[int] = set()
    for place, stand in zip(places, stands, strict=True):
        headed = place.heading_start not in seen and is_popular_label(place.heading)
        seen.add(place.heading_start)
        if headed or is_popular_label(place.before):
            boxes.add(_find_popular_box(place, stand))
    boxes.discard(-1)
    if not boxes:
        return [False] * len(places)
    return [any(tag.start in boxes for tag in place.path) for place in places]


def is_popular_label(text: str) -> bool:
    """Whether a text, or the end of a longer one, names such a box."""
    return bool(_POPULAR_LABEL.search(text[-_MAX_POPULAR_LABEL_CHARS:]))


def _find_popular_box(place: Surrounding, stand: ListPosition) -> int:
    """Where the list or the element of a link begins; -1 where only the whole page holds it."""
    names = {tag.start: tag.name for tag in place.path}
    for start in (stand.rows[0], place.path[-1].start if place.path else -1):
        if names.get(start, "body") not in _WHOLE_PAGE_TAGS:
            return start
    return -1
