"""Which links are articles, by constraint sets: tables of words tested on the address and the displayed text."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType

import ada_url

from medharvest.links.scan import scan_links
from medharvest.pages import classify
from medharvest.records import ARTICLE_KINDS, JudgedLink, Kind, Link, Page, Verdict

# Links that lead away from articles: navigation, services, accounts.
EXCLUDED = frozenset(
    """home subscriptions subscribe subscription archive archives mailto help login signin search feedback findex shtml
    lookup about contact contacts advertise advertising advertisement alerts rss feed cart permissions reprints
    javascript privacy terms sitemap instructions submit register faq share""".split()
)
# What a link promises, tested in this order.
PROMISES: Mapping[Kind, frozenset[str]] = MappingProxyType(
    {
        Kind.SUPPLEMENT: frozenset({"supplement", "supplementary", "supplemental", "suppl", "dc1"}),
        Kind.PDF: frozenset({"pdf", "epdf", "reprint"}),
        Kind.ABSTRACT: frozenset({"abstract", "abs", "list", "summary"}),
        Kind.FULLTEXT: frozenset({"full", "fulltext", "full text", "references"}),
    }
)
_FORMS = frozenset().union(*PROMISES.values(), {"htm"})
# Displayed texts, of any length, of links to something about the journal or to all of an issue.
_ABOUT = re.compile(
    r"\b(?:complete|current|entire|full|list of|next|of the|of this|past|previous|whole) issues?\b|\bmasthead\b|"
    r"\b(?:advisory|editorial) board\b|\b(?:for|to) (?:authors|librarians|reviewers)\b|\bguidelines\W+pdf\b|"
    r"\bview (?:all|more)\b|^\W*(?:issue|vol|volume)\.?\s*\d",
    re.IGNORECASE,
)
_IMAGE = re.compile(r"\.(?:gif|jpe?g|png|svg|webp|tiff?)$", re.IGNORECASE)
_TOKEN = re.compile(r"[^\W_]+")
_TITLE_WORDS, _TITLE_CHARS = 4, 25  # a displayed text this long reads like an article's title
_ALIKE = 3  # so many titles with addresses of one shape make a shorter text with such an address a title too
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_ARTICLE = frozenset({"promise", "title", "shape"})  # the reasons that make an article


def judge_links(page: Page) -> tuple[JudgedLink, ...]:
    """Judge every link of a page; only links on the page's own server can be articles.

    On an article's own page a title names another article: there the links to other forms of this one count.
    """
    links = scan_links(page)
    # A word in the page's own address excludes nothing: the issue may stand below `/archive/` itself.
    excluded = EXCLUDED - _phrases(_path(page.url))
    reasons = [_reason(link, page.url, excluded) for link in links]
    if classify(page).label in ARTICLE_KINDS:
        reasons = [_on_article(link, reason) for link, reason in zip(links, reasons, strict=True)]
    else:
        reasons = _by_shape(links, reasons)
    return tuple(_judged(link, reason) for link, reason in zip(links, reasons, strict=True))


def _judged(link: Link, reason: str) -> JudgedLink:
    article, kind = reason in _ARTICLE, promised_kind(link)
    return JudgedLink(
        link=link,
        article=article,
        kind=Kind.ABSTRACT if article and kind is None else kind,
        verdict=Verdict("article" if article else "other", 0.7, reason),
        article_key=article_key(link.url or link.href) if article else "",
    )


def promised_kind(link: Link) -> Kind | None:
    """The kind a link promises: an image by its address, the others by the words of text and address."""
    path = _path(link.url or link.href)
    if _IMAGE.search(path):
        return Kind.IMAGE
    for words in (_phrases(link.text) if len(link.text) < _TITLE_CHARS else frozenset(), _phrases(path)):
        for kind, promise in PROMISES.items():
            if words & promise:
                return kind
    return None


def _reason(link: Link, page_url: str, excluded: frozenset[str]) -> str:
    """Why a link is an article or not; the first reason that holds."""
    if is_trap(link):
        return "trap"
    if not same_server(link.url, page_url) or link.url == page_url != "" or link.href.startswith("#"):
        return "server"
    if _is_excluded(link, page_url, excluded):
        return "excluded"
    kind = promised_kind(link)
    if kind is Kind.IMAGE:
        return "image"
    return "promise" if kind is not None else "title" if _reads_like_title(link) else "short"


def _is_excluded(link: Link, page_url: str, excluded: frozenset[str]) -> bool:
    if _phrases(_path(link.url or link.href)) & excluded:
        return True
    if len(link.text) < _TITLE_CHARS and _phrases(link.text) & EXCLUDED:
        return True
    above = link.url.endswith("/") and page_url.startswith(link.url)  # the journal's own page, the site's
    return above or bool(_ABOUT.search(link.text))


def _reads_like_title(link: Link) -> bool:
    return len(link.text) >= _TITLE_CHARS and len(link.text.split()) >= _TITLE_WORDS


def _on_article(link: Link, reason: str) -> str:
    """On an article's page: its figures belong to it, titles do not, whatever their addresses promise."""
    if reason == "image":
        return "promise"
    return "other-title" if reason in _ARTICLE and _reads_like_title(link) else reason


def _by_shape(links: tuple[Link, ...], reasons: list[str]) -> list[str]:
    """On a contents page: a link is an article too where its address looks like those of many titles."""
    shapes = Counter(_shape(link.url) for link, reason in zip(links, reasons, strict=True) if reason == "title")
    known = {shape for shape, count in shapes.items() if shape and count >= _ALIKE}
    return [
        "shape" if reason == "short" and _shape(link.url) in known else reason
        for link, reason in zip(links, reasons, strict=True)
    ]


def _shape(url: str) -> str:
    """An address with its numbers levelled; empty where it has none."""
    shape = re.sub(r"\d+", "0", url)
    return shape if shape != url else ""


def is_trap(link: Link) -> bool:
    """Whether nobody could see the link: no text, no picture, or hidden by its own style."""
    attributes = dict(link.attributes)
    if _HIDDEN.search(attributes.get("style", "")) or "hidden" in attributes:
        return True
    return not link.text and not {"IMG", "SVG", "PICTURE", "I", "SPAN"} & set(link.content_tags)


def same_server(url: str, other: str) -> bool:
    """Whether two addresses are on one server, `www.` or not; a page without address is everybody's."""
    return not other or _host(url) == _host(other)


def article_key(url: str) -> str:
    """The address without the words that tell the forms of one article apart."""
    words = [word.lower() for word in _TOKEN.findall(_path(url)) if word.lower() not in _FORMS]
    return "/".join([_host(url), *words])


def _phrases(text: str) -> frozenset[str]:
    """Whole tokens in lower case, and each pair of neighbours: "research" does not hold "search"."""
    words = [word.lower() for word in _TOKEN.findall(text)]
    return frozenset([*words, *(f"{a} {b}" for a, b in itertools.pairwise(words))])


def _path(url: str) -> str:
    try:
        parsed = ada_url.URL(url)
    except ValueError:
        return url
    return str(parsed.pathname + parsed.search)


def _host(url: str) -> str:
    try:
        return str(ada_url.URL(url).host).removeprefix("www.")
    except ValueError:
        return ""
