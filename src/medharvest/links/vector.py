"""The paper's feature vector of a link: nine components, five of its attributes and four of its content."""

from __future__ import annotations

import re

from medharvest.links.scan import attributes, starts, tags
from medharvest.records import Link, Page

COMPONENTS = (
    "attribute-name",
    "attribute-value",
    "href-scheme",
    "href-fragment",
    "href-query-name",
    "content-tag",
    "content-tag-attribute",
    "content-tag-attribute-value",
    "content-caption",
)
Component = tuple[str, ...]
Vector = tuple[Component, ...]
_ANY = starts(r"/?[a-z][^\s/>]*+")
_SEPARATOR = re.compile(r"[&;]")


def link_vector(page: Page, link: Link) -> Vector:
    """The nine components of a link, each a list of items in the order of the page.

    Of the content each tag is one item: `[src][alt]` holds its attributes, `""` says that it has none.
    """
    scheme, fragment, query = take_apart(link.href)
    return (
        tuple([name for name, _ in link.attributes]),
        tuple([value for _, value in link.attributes]),
        _item(scheme),
        _item(fragment),
        query,
        *(_content(page.text[link.offset : link.end]) if link.content_tags else ((), (), ())),
        _item(link.text),
    )


def printed(vector: Vector) -> tuple[str, ...]:
    """The nine lines the paper prints for a vector: `(1) <href><target>`."""
    return tuple(
        f"({number}) " + ("".join(f"<{item}>" for item in component) or "<>")
        for number, component in enumerate(vector, 1)
    )


def take_apart(href: str) -> tuple[str, str, Component]:
    """Scheme, fragment and query names of an address, cut from its end: at the last `#`, `?` and `://`."""
    rest, _, fragment = href.rpartition("#") if "#" in href else (href, "", "")
    rest, _, query = rest.rpartition("?") if "?" in rest else (rest, "", "")
    scheme = rest.rpartition("://")[0]
    names = [part.partition("=")[0].strip().lower() for part in _SEPARATOR.split(query)]
    return scheme, fragment, tuple([name for name in names if name])


def _item(text: str) -> Component:
    return (text,) if text else ()


def _content(code: str) -> tuple[Component, Component, Component]:
    """The names, attributes and values of the tags inside a link."""
    within = [tag for tag in tags(code, _ANY) if tag.name != "hidden" and not tag.name.startswith("/")][1:]
    values = [dict(reversed(attributes(tag).items())) for tag in within]  # as they stand on the page
    return (
        tuple([tag.name.upper() for tag in within]),
        tuple(["".join(f"[{name}]" for name in named) for named in values]),
        tuple(["".join(f"[{value}]" for value in named.values()) for named in values]),
    )
