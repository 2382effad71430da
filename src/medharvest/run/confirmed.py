"""What a run teaches of its journal: links whose pages turned out to be articles, and links that surely are none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from medharvest.records import ARTICLE_KINDS, JudgedLink, Kind

Label = tuple[bool, Kind | None]
_LEAST = 3  # articles of a page that must have come before it is believed
_RIGHT = 0.8  # share of the articles asked for that must have turned out to be some
_SURE = 0.9  # how sure a verdict must be of a link that nobody followed


def confirmed_labels(judged: Sequence[JudgedLink], found: Mapping[str, Kind]) -> dict[int, Label]:
    """Labels for the links of a page by index, from what the pages behind them are; none where too little is sure."""
    asked = [one for one in judged if one.article and one.link.url in found]
    articles = {one.link.index: found[one.link.url] for one in asked if found[one.link.url] in ARTICLE_KINDS}
    if len(articles) < _LEAST or len(articles) < _RIGHT * len(asked):
        return {}
    others = [one.link.index for one in judged if not one.article and one.verdict.score >= _SURE]
    return {**dict.fromkeys(others, (False, None)), **{index: (True, kind) for index, kind in articles.items()}}
