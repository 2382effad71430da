"""What an article's link promises, abstract, full text, PDF or other: by its words, its ending, its company."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import TypeVar

from medharvest.links.captions import TOKEN, Caption
from medharvest.links.features import Described
from medharvest.links.targets import FILE, IMAGE, PDF, Target, is_resolver
from medharvest.records import Kind

K = TypeVar("K", bound=Hashable)

# Words by the kind they promise, tested in this order: "Supplementary PDF" is a supplement, "Full text PDF" a PDF.
_WORDS: tuple[tuple[Kind, frozenset[str]], ...] = (
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
_SUPPLEMENT = re.compile(r"(?<=\w\w\w)sup{1,2}\d")  # `ab0206sup1`
_PHRASES = (("first page", Kind.ABSTRACT), ("3d view", Kind.SUPPLEMENT), ("read article", Kind.FULLTEXT))
_CJK = ("摘要", "全文", "抄録", "要旨")  # written without blanks
_FEW = 2  # pairs of words; a longer text that may be a title is one, whatever words it holds
_WRITTEN = frozenset({"htm", "html", "shtml", "xhtml"})  # endings of pages that are files, not made when asked for
_SAID = 0.05  # the share of titles that must be spoken of before the others are what they are
_LONGEST = 600  # characters of an address looked at
_MOST = 12  # links one article may have; an entry with more holds several articles
_LANDING = (Kind.ABSTRACT, Kind.FULLTEXT)


def promised_kinds(described: Described, articles: Sequence[bool]) -> tuple[Kind | None, ...]:
    """The kind of each article link; None for the others.

    Words decide first, then words of another link to the same address, then what such words say of other titles whose
    addresses have the same shape.
    A title alone is the full text where it leads to a file that is a page and no other full text is offered beside
    it, or where its abstract is; elsewhere it leads to the page about the article, which shows the abstract.
    """
    targets, texts = described.targets, described.texts
    said = [
        _said(text, target, shown) if article else None
        for text, target, shown, article in zip(texts, targets, described.captions, articles, strict=True)
    ]
    by_address = _common(said, [target.url for target in targets], articles)
    titles = [
        article and bool(shown.title) and kind is None
        for article, shown, kind in zip(articles, described.captions, said, strict=True)
    ]
    by_shape = _common(
        [by_address.get(target.url) for target in targets], [target.shape for target in targets], titles, least=_SAID
    )
    company = _company(described, said, articles)
    return tuple(
        (
            kind
            or by_address.get(targets[i].url)
            or by_shape.get(targets[i].shape)
            or _by_company(targets[i], company[i])
        )
        if articles[i]
        else None
        for i, kind in enumerate(said)
    )


def _said(text: str, target: Target, shown: Caption) -> Kind | None:
    """What the words of a link say, those of its text before those of its address."""
    if target.ending == IMAGE:
        return Kind.IMAGE
    spoken = _in_text(text) if not shown.title or shown.words <= _FEW else None
    if spoken:
        return spoken
    if target.ending == PDF:
        return Kind.SUPPLEMENT if _SUPPLEMENT.search(target.url) else Kind.PDF
    if target.ending == FILE:
        return Kind.SUPPLEMENT
    return _in_address(target) if target.form or "sup" in target.url else None


def _in_text(text: str) -> Kind | None:
    low = text.lower()
    words = {*TOKEN.findall(low), *(word for word in _CJK if word in low)}
    for phrase, kind in _PHRASES:
        if phrase in low:
            return kind
    return _first(words)


def _in_address(target: Target) -> Kind | None:
    place = target.url.partition("://")[2].partition("/")[2] if "://" in target.url else target.url
    place = place[:_LONGEST].lower()
    if _SUPPLEMENT.search(place):
        return Kind.SUPPLEMENT
    return _first(set(TOKEN.findall(place)) - _NOT_IN_ADDRESSES)


def _first(words: set[str]) -> Kind | None:
    return next((kind for kind, promise in _WORDS if not promise.isdisjoint(words)), None)


def _common(
    said: Sequence[Kind | None], keys: Sequence[K], articles: Sequence[bool], *, least: float = 0
) -> dict[K, Kind]:
    """The kind most often said of each key, where at least this share of its links says it."""
    counts: dict[K, Counter[Kind]] = {}
    for kind, key, article in zip(said, keys, articles, strict=True):
        if article and kind:
            counts.setdefault(key, Counter())[kind] += 1
    links = Counter(key for key, article in zip(keys, articles, strict=True) if article) if counts else Counter()
    found = {key: kinds.most_common(1)[0] for key, kinds in counts.items()}
    return {key: kind for key, (kind, count) in found.items() if kind in _LANDING and count >= least * links[key]}


def _company(described: Described, said: Sequence[Kind | None], articles: Sequence[bool]) -> list[frozenset[Kind]]:
    """The kinds the article links in the same entry of a list promise, in words or by leading to a resolver."""
    entries: dict[int, list[int]] = {}
    for place, (stand, article) in enumerate(zip(described.standings, articles, strict=True)):
        if article and stand.unit >= 0:
            entries.setdefault(stand.unit, []).append(place)
    kinds = {
        unit: frozenset(kind for place in entry if (kind := said[place] or _resolved(described.targets[place])))
        for unit, entry in entries.items()
        if len(entry) <= _MOST
    }
    nobody: frozenset[Kind] = frozenset()
    return [kinds.get(stand.unit, nobody) for stand in described.standings]


def _resolved(target: Target) -> Kind | None:
    return Kind.ABSTRACT if is_resolver(target.url) else None


def _by_company(target: Target, company: frozenset[Kind]) -> Kind:
    """What a title promises beside the kinds others promise."""
    if is_resolver(target.url) or Kind.FULLTEXT in company:
        return Kind.ABSTRACT
    return Kind.FULLTEXT if Kind.ABSTRACT in company or target.suffix in _WRITTEN else Kind.ABSTRACT
