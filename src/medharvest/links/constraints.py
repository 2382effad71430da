"""Which links are articles, by constraint sets: tables of words tested on the address and the displayed text."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from types import MappingProxyType

import ada_url

from medharvest.links.scan import scan_links
from medharvest.records import JudgedLink, Kind, Link, Page, Verdict

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
_IMAGE = re.compile(r"\.(?:gif|jpe?g|png|svg|webp|tiff?)$", re.IGNORECASE)
_TOKEN = re.compile(r"[^\W_]+")
_TITLE_WORDS, _TITLE_CHARS = 4, 25  # a displayed text this long reads like an article's title
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


def judge_links(page: Page) -> tuple[JudgedLink, ...]:
    """Judge every link of a page; only links on the page's own server can be articles."""
    return tuple(_judge(link, page.url) for link in scan_links(page))


def _judge(link: Link, page_url: str) -> JudgedLink:
    kind = promised_kind(link)
    article, why = _is_article(link, page_url, kind)
    if article and kind is None:
        kind = Kind.ABSTRACT
    key = article_key(link.url or link.href) if article else ""
    return JudgedLink(
        link=link,
        article=article,
        kind=kind,
        verdict=Verdict("article" if article else "other", 0.7, why),
        article_key=key,
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


def _is_article(link: Link, page_url: str, kind: Kind | None) -> tuple[bool, str]:
    if is_trap(link):
        return False, "trap"
    if not same_server(link.url, page_url) or link.url == page_url != "" or link.href.startswith("#"):
        return False, "server"
    # A word in the page's own address excludes nothing: the issue may stand below `/archive/` itself.
    excluded = EXCLUDED - _phrases(_path(page_url))
    if kind is Kind.IMAGE or _phrases(_path(link.url or link.href)) & excluded:
        return False, "excluded"
    if len(link.text) < _TITLE_CHARS and _phrases(link.text) & EXCLUDED:
        return False, "excluded"
    if kind is not None:
        return True, "promise"
    return len(link.text) >= _TITLE_CHARS and len(link.text.split()) >= _TITLE_WORDS, "title"


def is_trap(link: Link) -> bool:
    """Whether nobody could see the link: no text, no picture, or hidden by its own style."""
    attributes = dict(link.attributes)
    if _HIDDEN.search(attributes.get("style", "")) or "hidden" in attributes or attributes.get("aria-hidden") == "true":
        return True
    return not link.text and not {"IMG", "SVG", "PICTURE", "I", "SPAN"} & set(link.content_tags)


def same_server(url: str, other: str) -> bool:
    """Whether two addresses are on one server, `www.` or not; a page without address is everybody's."""
    return not other or _host(url) == _host(other)


def article_key(url: str) -> str:
    """The address without the words that tell the forms of one article apart."""
    forms = frozenset().union(*PROMISES.values())
    words = [word.lower() for word in _TOKEN.findall(_path(url)) if word.lower() not in forms | {"htm"}]
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
