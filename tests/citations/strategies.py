"""Records of any type for properties, and short ways of making zones, items and pages."""

from __future__ import annotations

import functools
import types
import typing
from collections.abc import Sequence
from dataclasses import is_dataclass
from typing import Any

from hypothesis import strategies as st

from medharvest.records import LabelledZone, Mark, MetaItem, Page, Verdict, Zone

SOURCES = ("citation", "jsonld", "prism", "dc", "opengraph", "meta")
LABELS = (
    "title author affiliation abstract heading keywords reference funding conflict other_abstract unidentified".split()
)


@functools.cache
def any_of(hint: Any) -> st.SearchStrategy[Any]:
    """Any value of a type that records are made of, with every field drawn, those with a default too."""
    origin, arms = typing.get_origin(hint), typing.get_args(hint)
    if origin is types.UnionType:
        return st.one_of(*map(any_of, arms))
    if origin is tuple and arms[-1] is Ellipsis:
        return st.lists(any_of(arms[0]), max_size=2).map(tuple)
    if origin is tuple:
        return st.tuples(*map(any_of, arms))
    if is_dataclass(hint):
        assert isinstance(hint, type)
        hints = typing.get_type_hints(hint)
        return st.builds(hint, **{name: any_of(inner) for name, inner in hints.items()})
    if hint is float:
        return st.floats(allow_nan=False, allow_infinity=False)
    return st.from_type(hint)


def page(url: str = "http://journal.example.org/1") -> Page:
    return Page(url=url, text="", digest="d1", encoding="utf-8")


def zone(
    label: str,
    text: str,
    *marks: tuple[int, int, str],
    method: str = "rule",
    score: float = 0.8,
    path: str = "html[1]",
    tag: str = "p",
) -> LabelledZone:
    inner = Zone(level=3, tag=tag, path=path, text=text, marks=tuple(Mark(*mark) for mark in marks))
    return LabelledZone(inner, Verdict(label, score, method))


def marked_zone(label: str, source: str, **verdict: Any) -> LabelledZone:
    """A zone from text with marks written `{sup:1}`."""
    text, marks = "", []
    for piece in source.replace("}", "{").split("{"):
        tag, colon, inner = piece.partition(":")
        if colon and tag in {"sup", "sub", "i", "b"}:
            marks.append((len(text), len(text) + len(inner), tag))
            text += inner
        else:
            text += piece
    return zone(label, text, *marks, **verdict)


def items(*rows: tuple[str, str]) -> tuple[MetaItem, ...]:
    """Items from names and values; the source is told by the name."""
    return tuple(MetaItem(_source(name), name, value) for name, value in rows)


def _source(name: str) -> str:
    starts = {"citation_": "citation", "dc.": "dc", "prism.": "prism", "og:": "opengraph", "meta:": "meta"}
    return next((source for start, source in starts.items() if name.startswith(start)), "jsonld")


@st.composite
def labelled_zones(draw: st.DrawFn) -> Sequence[LabelledZone]:
    """Zones with any text and any marks, nested, crossing and out of range."""
    text = st.text(max_size=60) | st.sampled_from(TEXTS)
    mark = st.builds(
        Mark, st.integers(0, 40), st.integers(0, 80), st.sampled_from(["sup", "i", "b", "sub", "u", "script"])
    )
    inner = st.builds(
        Zone,
        level=st.integers(1, 9),
        tag=st.just("p"),
        path=st.sampled_from(["html[1]/p[1]", "html[1]/p[2]"]),
        text=text,
        marks=st.lists(mark, max_size=4).map(tuple),
    )
    verdict = st.builds(
        Verdict, st.sampled_from(LABELS), st.floats(0, 1), st.sampled_from(["rule", "section", "announced"])
    )
    return draw(st.lists(st.builds(LabelledZone, inner, verdict), max_size=8))


meta_items = st.lists(
    st.builds(
        MetaItem,
        st.sampled_from(SOURCES),
        st.sampled_from(
            """citation_title citation_author citation_authors citation_author_institution citation_author_orcid
            citation_date citation_firstpage citation_lastpage citation_issn citation_doi citation_abstract
            author.0.name author.0.familyName author.0.givenName author.0.@type author.1.affiliation.name author @type
            isPartOf.@type isPartOf.name headline issn dc.creator author og:title description keywords.0
            citation.0.name""".split()
        ),
        st.text(max_size=40) | st.sampled_from(["Periodical", "Organization", "Berg, Anna", "2010/09", "e240011"]),
    ),
    max_size=12,
)
TEXTS = (
    "Anna Berg, MD; Robert Cole Jr",
    "Northmoor Med Q 2010 Sep 15;23(3):201–8",
    "Received 1 May 2009; accepted 3 June 2009. Published online 7 July 2009",
    "Vol. 14, No. 2, March 2001. ISSN 2049-3630",
    "https://doi.org/10.1000/xyz(1).",
    "Background: We looked.",
)
