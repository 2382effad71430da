"""The fields that a query may name, the columns of the search index, and the spelling of words in it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from medharvest.fields import FIELD_BY_NAME, fields_searched_in

# The columns of the index in order, each with its weight: a word in a title says more than one in a text.
INDEX_COLUMNS: Mapping[str, float] = MappingProxyType(
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
DEFAULT_COLUMNS = ("title", "text", "subjects", "authors", "journal")
_NON_WORD_CHARACTERS = re.compile(r"[\W_]+")
# Words that a title pasted as a query contains; inside quotes they count.
QUERY_STOP_WORDS = frozenset(
    "a an and are as at be been but by can do does for from had has have how in into is it its may no not of on or our "
    "so than that the their them then there these they this to was we were what when which who why will with".split()
)


@dataclass(frozen=True, slots=True)
class SearchField:
    """A field of a query: the columns to search and its PubMed tags; a `marked` value is one word of the index."""

    columns: tuple[str, ...]
    tags: tuple[str, ...] = ()
    marked: bool = False
    about: str = ""


_NAMED_FIELDS: Mapping[str, SearchField] = MappingProxyType(
    {
        "all": SearchField(DEFAULT_COLUMNS, ("all", "tw"), about="title, abstract or text, keywords, authors, journal"),
        "title": SearchField(("title",), ("ti", "title"), about="title, including one in another language"),
        "abstract": SearchField(("text",), ("ab",), about="abstract; for a page, its text"),
        "tiab": SearchField(("title", "text"), ("tiab",), about="title or abstract"),
        "author": SearchField(
            ("authors",),
            ("au", "author", "1au", "cn"),
            about="whole name, or with initials: `smith j`",
        ),
        "journal": SearchField(("journal",), ("ta", "jour", "journal"), about="title or abbreviation"),
        "affiliation": SearchField(("place",), ("ad",), about="affiliations of the authors"),
        "url": SearchField(("place",), about="words of the address"),
        "keyword": SearchField(("subjects",), ("ot",), about="authors' keywords and headings"),
        "mesh": SearchField(
            ("subjects",),
            ("mh", "mesh", "majr"),
            about="a heading or a narrower one, in keywords or found in the text",
        ),
        "concept": SearchField(("concepts",), marked=True, about="identifier of a concept found in the text"),
        "year": SearchField(("marks",), ("dp", "pdat", "year"), marked=True, about="2014, 2010-2015, 2010- or -2015"),
        "doi": SearchField(("marks",), ("doi", "aid"), marked=True, about="DOI, or with * its beginning"),
        "pmid": SearchField(("marks",), ("pmid", "uid"), marked=True, about="PMID"),
        "issn": SearchField(("marks",), ("is", "issn"), marked=True, about="of the journal"),
        "volume": SearchField(("marks",), ("vi",), marked=True, about="of the journal"),
        "issue": SearchField(("marks",), ("ip",), marked=True, about="of the journal"),
        "language": SearchField(("marks",), ("la", "lang"), marked=True, about="code of the language, such as en"),
        "item_type": SearchField(("marks",), marked=True, about="book, chapter, thesis and so on; articles have none"),
        "identifiers": SearchField(("marks",), ("si",), marked=True, about="any other identifier: PMCID, ISBN, trial"),
        "corrections": SearchField(("marks",), marked=True, about="`retracted`, or NLM's kind, such as `ErratumIn`"),
        "kind": SearchField(("marks",), marked=True, about="citation or page"),
    }
)
# Any other field whose whole value is one word of the index can be named too.
_FIELDS_OF_MARKS = {
    name: SearchField(("marks",), marked=True, about=FIELD_BY_NAME[name].label) for name in fields_searched_in("marks")
}
SEARCH_FIELDS: Mapping[str, SearchField] = MappingProxyType(
    {**_NAMED_FIELDS, **{n: one for n, one in _FIELDS_OF_MARKS.items() if n not in _NAMED_FIELDS}}
)
PUBMED_TAGS: Mapping[str, str] = MappingProxyType(
    {tag: name for name, field in SEARCH_FIELDS.items() for tag in field.tags}
)


def fold_words(text: str) -> list[str]:
    """Return the words of a text: runs of letters and digits, case folded, `é` as `e`."""
    return _NON_WORD_CHARACTERS.sub(" ", _strip_case_and_accents(text)).split()


@lru_cache(maxsize=4096)  # records share most values: journal, year, volume
def encode_mark(kind: str, value: str) -> str:
    """Encode a whole value as one word that no text has: `encode_mark("year", "2014")` is `xyear2014`."""
    return f"x{kind.replace('_', '')}{_NON_WORD_CHARACTERS.sub('', _strip_case_and_accents(value))}"


def _strip_case_and_accents(text: str) -> str:
    """Return a text in lower case without accents."""
    parts = text if text.isascii() else unicodedata.normalize("NFKD", text)
    bare = parts if parts.isascii() else "".join(part for part in parts if not unicodedata.combining(part))
    return bare.casefold()
