"""docs/reference/block-uses.md: what link blocks and body text bring to links, zones, crawls and searches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any


def uses_page(result: dict[str, Any]) -> str:
    """The page."""
    rows = [*_link_rows(result["links"]), *_topic_rows(result["topics"]), *_search_rows(result["search"])]
    lines = [
        "# What blocks bring",
        "",
        "<!-- rendered by bench/render.py from bench/results; edit neither by hand -->",
        "",
        "The same pages without and with [link blocks and body text](../concepts/blocks.md). Links: contents pages of",
        "platforms that the model did not learn from, each link judged alone, and the links of a uniform list judged",
        "together. Topical crawls and searches: an offline web of 58,846 pages and ten topics, means over topics;",
        "relevance by the whole text, by body text, and with less inheritance for links in blocks too. P and R are",
        "precision and recall of what the crawler itself holds relevant.",
        "",
        "Links: the model knows the list and the entry of each link; numbers of link blocks beside these made it no",
        "better, so it has none. Searches in body text find a little less, with fewer hits, and show no menus.",
        "",
        "| what | figure | without | body text | with |",
        "|---|---|---:|---:|---:|",
        *rows,
        "",
        *_zone_lines(result["zones"]),
        "",
        f"Measured with `{result['command']}` at commit {result['commit'][:7]}, Python {result['versions']['python']}.",
    ]
    return "\n".join(lines) + "\n"


def _link_rows(links: dict[str, dict[str, float]]) -> Iterator[str]:
    names = {"accuracy": "links right", "macro": "mean over journals", "article-recall": "articles found"}
    for name, shown in (names | {"article-precision": "found articles that are some"}).items():
        yield _row("links", shown, links["without"][name], None, links["with"][name])


def _topic_rows(topics: dict[str, dict[str, dict[str, float]]]) -> Iterator[str]:
    names = {"harvest_100": "HR@100", "harvest_500": "HR@500", "harvest_1000": "HR@1000", "recall_800": "TR@800"}
    for seeds, ways in topics.items():
        for name, shown in (names | {"precision_1000": "P@1000", "held_1000": "R@1000"}).items():
            yield _row(f"crawls from {seeds} seeds", shown, *(ways[way][name] for way in ways))


def _search_rows(search: dict[str, dict[str, dict[str, float]]]) -> Iterator[str]:
    for way, shown in (("bare", "searches"), ("near", "searches, widened")):
        for name, figure in (("recall", "recall"), ("precision", "P@20")):
            yield _row(shown, figure, search["without"][way][name], None, search["with"][way][name])
        yield _row(shown, "hits", search["without"][way]["found"], None, search["with"][way]["found"], digits=0)


def _row(what: str, figure: str, *values: float | None, digits: int = 3) -> str:
    shown: Sequence[str] = ["" if value is None else f"{value:.{digits}f}" for value in values]
    return f"| {what} | {figure} | {' | '.join(shown)} |"


def _zone_lines(zones: dict[str, Any]) -> Iterator[str]:
    yield "Zones do not use blocks: authors are often links that stand together, so that a block alone does not tell"
    yield "them from what is wrong. A zone without a true value shares no telling word with the people of the article."
    yield ""
    yield f"On {zones['pages']} article pages of layouts that the labeller did not learn from:"
    yield ""
    yield "| label | zones with a true value | of these in link blocks | zones without | of these in link blocks |"
    yield "|---|---:|---:|---:|---:|"
    for label, one in zones["labels"].items():
        yield f"| {label} | {' | '.join(str(count) for count in one.values())} |"
