"""What a page says of other addresses beside its links: next pages, its own canonical one, a refresh, feeds."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from medharvest.links.judge import is_trap
from medharvest.links.scan import Tag, attributes, scan_links, starts, tags
from medharvest.links.urls import Resolver, canonical_url, path_of, same_server
from medharvest.records import Page

_HEAD = starts("base|link|meta|body")
_MAX_PAGES = 100  # pages one contents list may have
_MAX_HEAD = 1_000  # tags of a head that are looked at
_MAX_DELAY = 10  # seconds; a page that waits longer is one to be read
_REFRESH = re.compile(
    r"\s*(\d{1,3})(?:\.[\d.]*)?\s*(?:[;,]\s*|\s)\s*(?:url\s*=\s*)?(?:\"([^\"]*)|'([^']*)|(.*))",
    re.IGNORECASE | re.DOTALL,
)
_FEED_TYPES = frozenset({"application/rss+xml", "application/atom+xml", "application/rdf+xml"})
# Texts of links from page to page of one list, and of no others: "Next issue" is another list.
_PAGING = re.compile(
    r"\W*(?:(?:next|older|more)(?: (?:page|results|articles|entries|posts))?|page \d+|\d{1,4})\W*|[»\u203a→>]+",
    re.IGNORECASE,
)
# Where an address says which page of a list it is.
_PAGE_NUMBER = re.compile(
    r"(?<=[?&])(?:page|pg|p|pageno|page_?num(?:ber)?|start|offset|from|first|skip)=\d+(?:&|$)|"
    r"[/_.,-](?:page[/_-]?|pg[_-]?|p)\d+(?=[/.?]|$)",
    re.IGNORECASE,
)


def next_pages(page: Page) -> tuple[str, ...]:
    """The further pages of a contents list, on the same server, in the order they are named.

    A page says so by `rel=next`, or by a text such as "Next page" or a number over an address that differs from
    its own in the page number alone.
    """
    found = (url for url in _next_pages(page) if url and same_server(url, page.url))
    own = canonical_url(page.url)
    different = {canonical_url(url): url for url in itertools.islice(found, _MAX_PAGES) if canonical_url(url) != own}
    return tuple(different.values())


def _next_pages(page: Page) -> Iterator[str]:
    for values, resolve in _head(page, "link"):
        if "next" in _relations(values):
            yield _web(values, resolve)
    stem = _stem(page.url)
    for link in scan_links(page):
        relations = _relations(dict(link.attributes))
        leads_on = "next" in relations or (page.url and _PAGING.fullmatch(link.text) and _is_page_of(stem, link.url))
        if leads_on and link.url.startswith("http") and not is_trap(link):
            yield link.url


def _is_page_of(stem: str, url: str) -> bool:
    return bool(_PAGE_NUMBER.search(url)) and _stem(url) == stem


def _stem(url: str) -> str:
    """An address without its page number."""
    return _PAGE_NUMBER.sub("", canonical_url(url)).rstrip("?&/")


def canonical_link(page: Page) -> str:
    """The address a page itself calls canonical; empty where it names none."""
    for values, resolve in _head(page, "link"):
        if "canonical" in _relations(values):
            return _web(values, resolve)
    return ""


def own_address(page: Page) -> str:
    """The canonical address of this very page; empty where it may be another page's.

    The forms of one article often name one of them as canonical. Only an address that lacks parameters of the page's,
    those that a reader's session or way there added, and has no others is the page's own.
    """
    url = canonical_link(page) if "canonical" in page.text else ""
    (path, named), (own_path, own) = _parts(url), _parts(page.url)
    return url if same_server(url, page.url) and path == own_path and named <= own else ""


def _parts(url: str) -> tuple[str, frozenset[str]]:
    """The path of an address without its parameters, and the parameters of its query."""
    path, _, query = path_of(url).partition("?")
    return path.partition(";")[0], frozenset(query.split("&")) - {""}


def refresh_target(page: Page) -> str:
    """Where a page sends its reader by itself within ten seconds; empty for nowhere, or only to itself again."""
    for values, resolve in _head(page, "meta"):
        found = _REFRESH.match(values.get("content", "")) if _is_refresh(values) else None
        if found:
            delay, *targets = found.groups("")
            url = _web({"href": "".join(targets).strip()}, resolve)
            return url if int(delay) <= _MAX_DELAY and url != page.url.partition("#")[0] else ""
    return ""


def _is_refresh(values: dict[str, str]) -> bool:
    return values.get("http-equiv", "").strip().lower() == "refresh"


def feeds(page: Page) -> tuple[str, ...]:
    """The RSS and Atom feeds a page names."""
    found = (
        _web(values, resolve)
        for values, resolve in _head(page, "link")
        if "alternate" in _relations(values) and values.get("type", "").strip().lower() in _FEED_TYPES
    )
    return tuple(dict.fromkeys(url for url in found if url))


def _head(page: Page, name: str) -> Iterator[tuple[dict[str, str], Resolver]]:
    """The attributes of the tags of one name in a page's head."""
    resolve, based = Resolver(page.url), False
    for tag in itertools.islice(_until_body(page), _MAX_HEAD):
        if tag.name not in {"base", name}:
            continue
        values = attributes(tag)
        if tag.name == name:
            yield values, resolve
        elif not based and values.get("href"):
            resolve, based = resolve.rebased(values["href"]), True


def _until_body(page: Page) -> Iterator[Tag]:
    return itertools.takewhile(lambda tag: tag.name != "body", tags(page.text, _HEAD))


def _relations(values: dict[str, str]) -> list[str]:
    return values.get("rel", "").lower().split()


def _web(values: dict[str, str], resolve: Resolver) -> str:
    """The web address in the `href` of a tag; empty where there is none."""
    url = resolve(values["href"]) if values.get("href") else ""
    return url if url.startswith(("http://", "https://")) else ""
