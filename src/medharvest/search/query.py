"""The query language: `parse_query` turns text into a tree, `render_query` a tree into text."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from medharvest.errors import QueryError
from medharvest.search.index_fields import PUBMED_TAGS, QUERY_STOP_WORDS, SEARCH_FIELDS, fold_words

FIRST_SEARCH_YEAR, LAST_SEARCH_YEAR = 1000, 2999  # the ends of an open range
MAX_QUERY_CHARACTERS = 20_000  # two hundred names are about ten thousand
MAX_QUERY_DEPTH = 40  # nested brackets
MAX_QUERY_TERMS = 500
_MIN_PREFIX_LETTERS = 3  # before a *: fewer would match half the index
_QUERY_YEAR_PATTERN = r"\s*([12][0-9]{3})(?:/[0-9]{1,2}){0,2}\s*"
_QUERY_YEAR_RANGE = re.compile(rf"(?:{_QUERY_YEAR_PATTERN})?([-:–])(?:{_QUERY_YEAR_PATTERN})?|{_QUERY_YEAR_PATTERN}")
_STRAIGHT_QUOTES = str.maketrans("“”„‟«»", '""""""')
_QUERY_WORD_CHARACTER = r'[^\s()"\[\]\x00-\x1f]'
_QUERY_TOKEN_PATTERN = re.compile(
    r'(?P<space>[\s\x00-\x1f]+)|(?P<open>\()|(?P<close>\))|"(?P<quoted>[^"]*)"(?P<star>\*?)|(?P<quote>")'
    r"|\[(?P<tag>[^\]\[()\"]*)\]|(?P<bracket>[\[\]])|#(?P<ref>[0-9]{1,4})(?![^\s()])"
    # A colon before a space belongs to a title, one before a slash to an address: neither names a field.
    rf'|(?P<field>[^\W\d_]+(?:_[^\W\d_]+)?):(?:(?=[("])|(?=[^/]){_QUERY_WORD_CHARACTER}+)|{_QUERY_WORD_CHARACTER}+'
)
_SEARCH_FIELD_NAMES: Mapping[str, str] = MappingProxyType({name: name for name in SEARCH_FIELDS})


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """Words to find in a field: side by side in a `phrase`, else anywhere in it.

    With `prefix` the last word may be the beginning of a longer one. `weight` counts in the ranking.
    """

    text: str
    field: str = ""
    phrase: bool = False
    prefix: bool = False
    weight: int = 1


@dataclass(frozen=True, slots=True)
class Years:
    """Publication years, both ends included."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Ref:
    """A reference to a group of a strategy by its number."""

    number: int


@dataclass(frozen=True, slots=True)
class And:
    """Documents that match every part."""

    parts: tuple[Query, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Documents that match at least one part."""

    parts: tuple[Query, ...]


@dataclass(frozen=True, slots=True)
class Without:
    """Documents that match `kept` but not `dropped`."""

    kept: Query
    dropped: Query


Leaf = Text | Years | Ref


Query = Leaf | And | Or | Without


@dataclass(frozen=True, slots=True)
class QueryToken:
    """A token of a query: its kind, its text, and its position from 1."""

    kind: str
    text: str
    at: int


def parse_query(text: str, *, groups: int = 0) -> Query:
    """Parse a query; `groups` is the number of groups that it may name as `#1`, `#2` and so on."""
    return _QueryReader(text, groups).read()


class _QueryReader:
    """A recursive-descent parser: one pass over the tokens from the left."""

    def __init__(self, text: str, groups: int) -> None:
        self._text = text
        self._groups = groups
        found = tokenize_query(text)
        self._tokens = found if groups else [_group_ref_to_word(token) for token in found]
        self._place = 0
        self._depth = 0
        self._leaves = 0

    def read(self) -> Query:
        found = self._or()
        if self._next.kind == "close":
            raise self._error("unmatched )", self._next, "remove it, or open a bracket before")
        if found is None:
            raise self._error(
                "nothing to search for", self._next, 'give words, a "phrase" or a field such as author:NAME'
            )
        return found

    @property
    def _next(self) -> QueryToken:
        end = QueryToken("end", "", len(self._text) + 1)
        return self._tokens[self._place] if self._place < len(self._tokens) else end

    def _take(self) -> QueryToken:
        token = self._next
        self._place += 1
        return token

    def _or(self) -> Query | None:
        """Parse alternatives."""
        parts = [self._and()]
        while self._next.kind == "OR":
            operator = self._take()
            parts.append(self._and())
            if parts[0] is None or parts[-1] is None:
                raise self._lonely(operator)
        return _join_query_parts(Or, [part for part in parts if part is not None])

    def _and(self) -> Query | None:
        """Parse parts that must all match; NOT excludes from what is before it."""
        found = self._unit()
        while self._next.kind not in {"OR", "close", "end"}:
            operator = self._take() if self._next.kind in {"AND", "NOT"} else None
            denied = operator if operator and operator.kind == "NOT" else None
            if operator and operator.kind == "AND" and self._next.kind == "NOT":
                denied = self._take()
            other = self._unit()
            if operator and (other is None or found is None):
                raise self._lonely(denied or operator)
            if other is not None:
                found = (
                    Without(found, other)
                    if denied and found
                    else _join_query_parts(And, [found, other] if found else [other])
                )
        return found

    def _unit(self) -> Query | None:
        """Parse a bracket, a field, or words; None for signs without a word."""
        if self._next.kind == "open":
            return self._bracket("")
        if self._next.kind == "field":
            return self._fielded(self._take())
        if self._next.kind == "ref":
            return self._ref(self._take())
        if self._next.kind in {"AND", "OR", "NOT", "close", "end"}:
            return None
        if self._next.kind == "tag":
            raise self._error(
                "tag without words before it", self._next, "write it after what it belongs to: asthma[ti]"
            )
        return self._leaf("")

    def _bracket(self, field: str) -> Query | None:
        opened = self._take()
        self._depth += 1
        if self._depth > MAX_QUERY_DEPTH:
            raise self._error("too many nested brackets", opened, f"at most {MAX_QUERY_DEPTH}")
        found = self._or()
        if self._take().kind != "close":
            raise self._error("bracket is not closed", opened, "add a )")
        self._depth -= 1
        return _apply_search_field(found, field) if found is not None and field else found

    def _fielded(self, field: QueryToken) -> Query | None:
        if self._next.kind == "open":
            if field.text == "year":
                raise self._error("year takes no brackets", field, "write year:2014, year:2010-2015 or several with OR")
            return self._bracket(field.text)
        return self._leaf(field.text)

    def _ref(self, token: QueryToken) -> Query:
        number = int(token.text)
        if not 1 <= number <= self._groups:
            raise self._error(f"no such group: #{number}", token, f"groups are #1 to #{self._groups}")
        return Ref(number)

    def _leaf(self, field: str) -> Query | None:
        """Parse a phrase or word, or a run of plain words, and an optional tag after it."""
        first = self._take()
        run = [first]
        if not field and _is_plain_query_word(first):
            while _is_plain_query_word(self._next):
                run.append(self._take())
        if self._next.kind == "tag":
            field = self._take().text
        self._leaves += 1
        if self._leaves > MAX_QUERY_TERMS:
            raise self._error("too many terms", first, f"at most {MAX_QUERY_TERMS} terms; split the query")
        if field == "year":
            return self._years(first, " ".join(token.text for token in run))
        return self._made(run, field)

    def _made(self, run: list[QueryToken], field: str) -> Query | None:
        first = run[0]
        if SEARCH_FIELDS[field or "all"].marked:
            return self._marked(first, " ".join(token.text for token in run), field)
        text, prefix = self._unstarred(first) if len(run) == 1 else (" ".join(token.text for token in run), False)
        if not fold_words(text):
            self._require(first, field)
            return None
        together = first.kind != "word" or (field == "author" and len(run) > 1)  # as PubMed reads `smith j[au]`
        kept = text.split() if together else _drop_stop_words(text)
        return Text(text=" ".join(kept), field=_hide_default_field(field), phrase=together, prefix=prefix)

    def _marked(self, token: QueryToken, text: str, field: str) -> Query:
        text = text.strip()
        value, prefix = text.rstrip("* "), text.endswith("*") or token.kind == "prefix phrase"
        if not fold_words(value):
            self._require(token, field)
        return Text(text=value, field=field, prefix=prefix)

    def _unstarred(self, token: QueryToken) -> tuple[str, bool]:
        """Return a word without a final *, and whether it had one."""
        text = token.text.strip()
        prefix = token.kind == "prefix phrase" or (len(text) > 1 and text.endswith("*"))
        text = text.rstrip("* ") if prefix else text
        if "*" in text and token.kind == "word" and fold_words(text):
            raise self._error("* may only be at the end of a word", token, "write it last: vasectom*")
        if prefix and sum(map(len, fold_words(text)[-1:])) < _MIN_PREFIX_LETTERS:
            raise self._error("too few letters before *", token, f"give at least {_MIN_PREFIX_LETTERS} letters")
        return text, prefix

    def _require(self, token: QueryToken, field: str) -> None:
        """Raise an error for signs without a word, except outside fields and quotes, where they are skipped."""
        if field or token.kind != "word":
            raise self._error("no word to search for", token, "give letters or digits")

    def _years(self, token: QueryToken, text: str) -> Query:
        match = _QUERY_YEAR_RANGE.fullmatch(text)
        if match is None or not any((match[1], match[3], match[4])):
            raise self._error(f"not a year: {text[:40]}", token, "write 2014, 2010-2015, 2010- or -2015")
        if match[4]:
            return Years(int(match[4]), int(match[4]))
        first, last = int(match[1] or FIRST_SEARCH_YEAR), int(match[3] or LAST_SEARCH_YEAR)
        if first > last:
            raise self._error(f"years run backwards: {text}", token, f"write {last}-{first}")
        return Years(first, last)

    def _lonely(self, operator: QueryToken) -> QueryError:
        what = f"{operator.text} has nothing to join" if operator.kind != "NOT" else "NOT has nothing to exclude from"
        return self._error(
            what, operator, f'put terms before and after it; the word itself goes in quotes: "{operator.text.lower()}"'
        )

    def _error(self, what: str, token: QueryToken, hint: str) -> QueryError:
        return QueryError(f"{what}, position {token.at}", query=self._text, position=token.at, hint=hint)


def _group_ref_to_word(token: QueryToken) -> QueryToken:
    """Return a group reference as plain text, for a query without groups."""
    return QueryToken("word", f"#{token.text}", token.at) if token.kind == "ref" else token


def _is_plain_query_word(token: QueryToken) -> bool:
    """Whether a token is a word without a *."""
    return token.kind == "word" and "*" not in token.text


def _drop_stop_words(text: str) -> list[str]:
    """Return the words that are not stop words; all words if there are no others."""
    words = [word for word in text.split() if fold_words(word)]
    return [word for word in words if not set(fold_words(word)) <= QUERY_STOP_WORDS] or words


def _hide_default_field(field: str) -> str:
    return "" if field == "all" else field


def _join_query_parts(kind: type[And | Or], parts: list[Query]) -> Query | None:
    """Join parts to one query; parts of the same kind are flattened, a single part stays as it is."""
    flat: list[Query] = []
    for part in parts:
        flat += part.parts if isinstance(part, And | Or) and isinstance(part, kind) else (part,)
    return kind(tuple(flat)) if len(flat) > 1 else flat[0] if flat else None


def _apply_search_field(query: Query, field: str) -> Query:
    """Apply a field to every text of a query that names none."""
    if isinstance(query, And | Or):
        return type(query)(tuple(_apply_search_field(part, field) for part in query.parts))
    if isinstance(query, Without):
        return Without(_apply_search_field(query.kept, field), _apply_search_field(query.dropped, field))
    if isinstance(query, Text) and not query.field:
        return Text(text=query.text, field=field, phrase=query.phrase, prefix=query.prefix)
    return query


def tokenize_query(query: str) -> list[QueryToken]:
    """Split a query into tokens; an open quote or an unknown field is an error."""
    if len(query) > MAX_QUERY_CHARACTERS:
        long = f"query is too long: {len(query):,} characters"
        raise QueryError(
            long, query=query, position=MAX_QUERY_CHARACTERS, hint=f"at most {MAX_QUERY_CHARACTERS:,}; keep fewer terms"
        )
    text = query.translate(_STRAIGHT_QUOTES)
    return [token for match in _QUERY_TOKEN_PATTERN.finditer(text) for token in _tokens_of_match(match, query)]


def _tokens_of_match(match: re.Match[str], query: str) -> Iterator[QueryToken]:
    kind, at = match.lastgroup, match.start() + 1
    if kind == "star":
        yield QueryToken("prefix phrase" if match["star"] else "phrase", match["quoted"], at)
    elif kind == "quote":
        raise QueryError(f"quote is not closed, position {at}", query=query, position=at, hint='end the phrase with "')
    elif kind == "bracket":
        hint = f'tags are written like [ti]; put text with {match[0]} in quotes ("")'
        raise QueryError(f"unmatched {match[0]}, position {at}", query=query, position=at, hint=hint)
    elif kind == "tag":
        # In tags such as [mh:noexp] the part after the colon means something only to PubMed.
        yield QueryToken(
            "tag", _resolve_field_name(match["tag"].strip().casefold().partition(":")[0], PUBMED_TAGS, query, at), at
        )
    elif kind == "field":
        yield QueryToken("field", _resolve_field_name(match["field"].casefold(), _SEARCH_FIELD_NAMES, query, at), at)
        if value := match[0][len(match["field"]) + 1 :]:
            yield QueryToken("word", value, at + len(match["field"]) + 1)
    elif kind in {"open", "close", "ref"}:
        yield QueryToken(kind, match[kind], at)
    elif kind != "space":
        yield QueryToken(match[0] if match[0] in {"AND", "OR", "NOT"} else "word", match[0], at)


def _resolve_field_name(name: str, known: Mapping[str, str], query: str, at: int) -> str:
    if name in known:
        return known[name]
    what = "tag" if known is PUBMED_TAGS else "field"
    near = "".join(f"did you mean {one}? " for one in difflib.get_close_matches(name, known, n=1))
    hint = f'{near}one of {", ".join(known)}; to search for the text itself, put it in quotes ("")'
    raise QueryError(f"no such {what}: {name}, position {at}", query=query, position=at, hint=hint)


def iter_wanted_leaves(query: Query) -> Iterator[Leaf]:
    """Yield the leaves that a document may match, without those after NOT."""
    if isinstance(query, Without):
        yield from iter_wanted_leaves(query.kept)
    elif isinstance(query, And | Or):
        for part in query.parts:
            yield from iter_wanted_leaves(part)
    else:
        yield query


def iter_wanted_terms(query: Query) -> Iterator[Text | Years]:
    """Yield the terms that a document may match, word by word where words need not be side by side."""
    for leaf in iter_wanted_leaves(query):
        assert isinstance(leaf, Text | Years)
        if isinstance(leaf, Years) or leaf.phrase or SEARCH_FIELDS[leaf.field or "all"].marked:
            yield leaf
        else:
            words = [word for word in leaf.text.split() if fold_words(word)]
            yield from (replace(leaf, text=word, phrase=True) for word in words)


def split_year_span(first: int, last: int) -> Iterable[tuple[str, bool]]:
    """Yield the years of a range; whole decades, centuries and millennia as prefixes, marked True."""
    while first <= last:
        size = next(size for size in (1000, 100, 10, 1) if first % size == 0 and first + size - 1 <= last)
        yield (str(first // size), True) if size > 1 else (str(first), False)
        first += size


def render_query(query: Query) -> str:
    """Return the text of a query; weights are not part of it."""
    if isinstance(query, And | Or):
        return f" {'AND' if isinstance(query, And) else 'OR'} ".join(map(_render_inner_query, query.parts))
    if isinstance(query, Without):
        return f"{_render_inner_query(query.kept)} NOT {_render_inner_query(query.dropped)}"
    if isinstance(query, Years):
        return _render_year_span(query)
    return f"#{query.number}" if isinstance(query, Ref) else _render_text_term(query)


def _render_inner_query(query: Query) -> str:
    text = render_query(query)
    return f"({text})" if isinstance(query, And | Or | Without) else text


def _render_year_span(years: Years) -> str:
    if years.first == years.last:
        return f"year:{years.first}"
    first = "" if years.first == FIRST_SEARCH_YEAR and years.last != LAST_SEARCH_YEAR else years.first
    last = "" if years.last == LAST_SEARCH_YEAR and first else years.last
    return f"year:{first}-{last}"


def _render_text_term(text: Text) -> str:
    star = "*" if text.prefix else ""
    if text.phrase or SEARCH_FIELDS[text.field or "all"].marked:
        shown = f'"{text.text}"{star}'
        return f"{text.field}:{shown}" if text.field else shown
    if not text.field:
        return f"{text.text}{star}"
    # Brackets only where needed: inside them a single word such as OR would become an operator.
    together = " " in text.text or text.text.startswith("/")
    return f"{text.field}:({text.text}{star})" if together else f"{text.field}:{text.text}{star}"
