"""The fields a query may name, by their own names and by PubMed's tags."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from medharvest.fields import BY_NAME, searched_in

# The columns of the index, in its order, each with its weight: a word in a title says more than one in a text.
COLUMNS: Mapping[str, float] = MappingProxyType(
    {
        "title": 8.0,
        "text": 1.0,
        "subjects": 4.0,
        "authors": 4.0,
        "journal": 2.0,
        "place": 0.5,
        "concepts": 4.0,
        "marks": 0.0,
    }
)
EVERYWHERE = ("title", "text", "subjects", "authors", "journal")


@dataclass(frozen=True, slots=True)
class Field:
    """Where a field is looked for: columns, or a word of `marks` made from the whole value."""

    columns: tuple[str, ...]
    tags: tuple[str, ...] = ()
    marked: bool = False
    about: str = ""


_OWN: Mapping[str, Field] = MappingProxyType(
    {
        "all": Field(EVERYWHERE, ("all", "tw"), about="title, abstract or text, keywords, authors, journal"),
        "title": Field(("title",), ("ti", "title"), about="title, also a translated one"),
        "abstract": Field(("text",), ("ab",), about="abstract; of a page its text"),
        "tiab": Field(("title", "text"), ("tiab",), about="title or abstract"),
        "author": Field(("authors",), ("au", "author", "1au", "cn"), about="name; initials may go on: `smith j`"),
        "journal": Field(("journal",), ("ta", "jour", "journal"), about="title or abbreviation"),
        "affiliation": Field(("place",), ("ad",), about="where authors work"),
        "url": Field(("place",), about="words of the address"),
        "keyword": Field(("subjects",), ("ot",), about="authors' keywords and headings"),
        "mesh": Field(
            ("subjects",), ("mh", "mesh", "majr"), about="a heading, in keywords or found in the text; narrower too"
        ),
        "concept": Field(("concepts",), marked=True, about="identifier of a concept found in the text"),
        "year": Field(("marks",), ("dp", "pdat", "year"), marked=True, about="2014, 2010-2015, 2010- or -2015"),
        "doi": Field(("marks",), ("doi", "aid"), marked=True, about="whole, or its beginning with *"),
        "pmid": Field(("marks",), ("pmid", "uid"), marked=True, about="number in PubMed"),
        "issn": Field(("marks",), ("is", "issn"), marked=True, about="of the journal"),
        "volume": Field(("marks",), ("vi",), marked=True, about="of the journal"),
        "issue": Field(("marks",), ("ip",), marked=True, about="of the journal"),
        "language": Field(("marks",), ("la", "lang"), marked=True, about="code such as en"),
        "kind": Field(("marks",), marked=True, about="citation or page"),
    }
)
# Any other field that is one word of the index can be asked for by its name.
_OTHERS = {name: Field(("marks",), marked=True, about=BY_NAME[name].label) for name in searched_in("marks")}
FIELDS: Mapping[str, Field] = MappingProxyType({**_OWN, **{n: one for n, one in _OTHERS.items() if n not in _OWN}})
TAGS: Mapping[str, str] = MappingProxyType({tag: name for name, field in FIELDS.items() for tag in field.tags})
