"""A query cut into tokens, each with its place."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from medharvest.errors import QueryError
from medharvest.search.fields import FIELDS, TAGS

LONGEST = 20_000  # characters of a query: two hundred names are some ten thousand
_QUOTES = str.maketrans("“”„‟«»", '""""""')
_WORD = r'[^\s()"\[\]\x00-\x1f]'
_TOKEN = re.compile(
    r'(?P<space>[\s\x00-\x1f]+)|(?P<open>\()|(?P<close>\))|"(?P<quoted>[^"]*)"(?P<star>\*?)|(?P<quote>")'
    r"|\[(?P<tag>[^\]\[()\"]*)\]|(?P<bracket>[\[\]])|#(?P<ref>[0-9]{1,4})(?![^\s()])"
    # A title has a colon before a blank, an address one before a stroke.
    rf'|(?P<field>[^\W\d_]+):(?:(?=[("])|(?=[^/]){_WORD}+)|{_WORD}+'
)
_FIELDS: Mapping[str, str] = MappingProxyType({name: name for name in FIELDS})


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a query: its kind, what it says, and where it begins, from 1."""

    kind: str
    text: str
    at: int


def tokens(query: str) -> list[Token]:
    """The tokens of a query; a quote that stays open or an unknown field is an error."""
    if len(query) > LONGEST:
        long = f"query is too long: {len(query):,} characters"
        raise QueryError(long, query=query, position=LONGEST, hint=f"at most {LONGEST:,}; keep fewer terms")
    text = query.translate(_QUOTES)
    return [token for match in _TOKEN.finditer(text) for token in _tokens(match, query)]


def _tokens(match: re.Match[str], query: str) -> Iterator[Token]:
    kind, at = match.lastgroup, match.start() + 1
    if kind == "star":
        yield Token("prefix phrase" if match["star"] else "phrase", match["quoted"], at)
    elif kind == "quote":
        raise QueryError(f"quote is not closed, position {at}", query=query, position=at, hint='end the phrase with "')
    elif kind == "bracket":
        hint = f'tags are written like [ti]; put text with {match[0]} in quotes ("")'
        raise QueryError(f"{match[0]} without its counterpart, position {at}", query=query, position=at, hint=hint)
    elif kind == "tag":
        # [mh:noexp] and the like: what follows the colon is PubMed's own business.
        yield Token("tag", _named(match["tag"].strip().casefold().partition(":")[0], TAGS, query, at), at)
    elif kind == "field":
        yield Token("field", _named(match["field"].casefold(), _FIELDS, query, at), at)
        if value := match[0][len(match["field"]) + 1 :]:
            yield Token("word", value, at + len(match["field"]) + 1)
    elif kind in {"open", "close", "ref"}:
        yield Token(kind, match[kind], at)
    elif kind != "space":
        yield Token(match[0] if match[0] in {"AND", "OR", "NOT"} else "word", match[0], at)


def _named(name: str, known: Mapping[str, str], query: str, at: int) -> str:
    if name in known:
        return known[name]
    what = "tag" if known is TAGS else "field"
    near = "".join(f"did you mean {one}? " for one in difflib.get_close_matches(name, known, n=1))
    hint = f'{near}one of {", ".join(known)}; put text with such a mark in quotes ("")'
    raise QueryError(f"no such {what}: {name}, position {at}", query=query, position=at, hint=hint)
