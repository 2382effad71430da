"""What is kept of links somebody judged: enough to judge the links of later pages by."""

from __future__ import annotations

from collections.abc import Mapping

from medharvest.links.scan import scan_links
from medharvest.links.traits import link_traits
from medharvest.links.vector import link_vector
from medharvest.records import Kind, LinkExample, Page

Labels = Mapping[int, tuple[bool, Kind | None]]


def examples_of(page: Page, labels: Labels) -> tuple[LinkExample, ...]:
    """The examples a page gives, in document order; `labels` says by index what is an article, and of what kind.

    An index that no link of the page has is passed over.
    """
    links = scan_links(page)
    traits = link_traits(page, links)
    return tuple(
        LinkExample(
            page=page.url or page.digest,
            index=link.index,
            article=labels[link.index][0],
            kind=labels[link.index][1],
            vector=link_vector(page, link),
            traits=traits[place],
        )
        for place, link in enumerate(links)
        if link.index in labels
    )
