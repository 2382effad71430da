"""A query's text to its tree. Whatever is wrong with it is a `QueryError` that names place, reason and way out."""

from __future__ import annotations

import re

from medharvest.errors import QueryError
from medharvest.search.fields import FIELDS
from medharvest.search.nodes import FIRST_YEAR, LAST_YEAR, And, Or, Query, Ref, Text, Without, Years
from medharvest.search.tokens import Token, tokens
from medharvest.search.words import STOP, fold

DEEPEST = 40  # brackets within brackets
MOST = 500  # things to look for
_LEAST = 3  # letters before a *: fewer would mean half the index
_YEAR = r"\s*([12][0-9]{3})(?:/[0-9]{1,2}){0,2}\s*"
_RANGE = re.compile(rf"(?:{_YEAR})?([-:–])(?:{_YEAR})?|{_YEAR}")


def parse_query(text: str, *, groups: int = 0) -> Query:
    """Read a query; `groups` is how many groups of lines it may name as `#1`, `#2` and so on."""
    return _Reader(text, groups).read()


class _Reader:
    """Goes over the tokens once, from the left."""

    def __init__(self, text: str, groups: int) -> None:
        self._text = text
        self._groups = groups
        found = tokens(text)
        self._tokens = found if groups else [_as_word(token) for token in found]
        self._place = 0
        self._depth = 0
        self._leaves = 0

    def read(self) -> Query:
        found = self._or()
        if self._next.kind == "close":
            raise self._error(") without its (", self._next, "remove it, or open a bracket before")
        if found is None:
            raise self._error(
                "nothing to look for", self._next, 'give words, a "phrase" or a field such as author:NAME'
            )
        return found

    @property
    def _next(self) -> Token:
        end = Token("end", "", len(self._text) + 1)
        return self._tokens[self._place] if self._place < len(self._tokens) else end

    def _take(self) -> Token:
        token = self._next
        self._place += 1
        return token

    def _or(self) -> Query | None:
        """Alternatives."""
        parts = [self._and()]
        while self._next.kind == "OR":
            operator = self._take()
            parts.append(self._and())
            if parts[0] is None or parts[-1] is None:
                raise self._lonely(operator)
        return _joined(Or, [part for part in parts if part is not None])

    def _and(self) -> Query | None:
        """What must all be there; NOT takes away from what stands before it."""
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
                    Without(found, other) if denied and found else _joined(And, [found, other] if found else [other])
                )
        return found

    def _unit(self) -> Query | None:
        """A bracket, a field, or words; None for marks without a word."""
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
        if self._depth > DEEPEST:
            raise self._error("too many brackets within brackets", opened, f"at most {DEEPEST}")
        found = self._or()
        if self._take().kind != "close":
            raise self._error("bracket is not closed", opened, "add a )")
        self._depth -= 1
        return _in_field(found, field) if found is not None and field else found

    def _fielded(self, field: Token) -> Query | None:
        if self._next.kind == "open":
            if field.text == "year":
                raise self._error("a year is no bracket", field, "write year:2014, year:2010-2015 or several with OR")
            return self._bracket(field.text)
        return self._leaf(field.text)

    def _ref(self, token: Token) -> Query:
        number = int(token.text)
        if not 1 <= number <= self._groups:
            raise self._error(f"no lines of group #{number}", token, f"groups are #1 to #{self._groups}")
        return Ref(number)

    def _leaf(self, field: str) -> Query | None:
        """A phrase or word, or a run of plain words, and the tag that may follow."""
        first = self._take()
        run = [first]
        if not field and _is_plain(first):
            while _is_plain(self._next):
                run.append(self._take())
        if self._next.kind == "tag":
            field = self._take().text
        self._leaves += 1
        if self._leaves > MOST:
            raise self._error("too much to look for at once", first, f"at most {MOST} terms; split the query")
        if field == "year":
            return self._years(first, " ".join(token.text for token in run))
        return self._made(run, field)

    def _made(self, run: list[Token], field: str) -> Query | None:
        first = run[0]
        if FIELDS[field or "all"].marked:
            return self._marked(first, " ".join(token.text for token in run), field)
        text, prefix = self._unstarred(first) if len(run) == 1 else (" ".join(token.text for token in run), False)
        if not fold(text):
            self._require(first, field)
            return None
        together = first.kind != "word" or (field == "author" and len(run) > 1)  # as PubMed takes `smith j[au]`
        kept = text.split() if together else _telling(text)
        return Text(text=" ".join(kept), field=_short(field), phrase=together, prefix=prefix)

    def _marked(self, token: Token, text: str, field: str) -> Query:
        text = text.strip()
        value, prefix = text.rstrip("* "), text.endswith("*") or token.kind == "prefix phrase"
        if not fold(value):
            self._require(token, field)
        return Text(text=value, field=field, prefix=prefix)

    def _unstarred(self, token: Token) -> tuple[str, bool]:
        """A word without the * at its end, and whether it had one."""
        text = token.text.strip()
        prefix = token.kind == "prefix phrase" or (len(text) > 1 and text.endswith("*"))
        text = text.rstrip("* ") if prefix else text
        if "*" in text and token.kind == "word" and fold(text):
            raise self._error("* stands for the end of a word only", token, "write it last: vasectom*")
        if prefix and sum(map(len, fold(text)[-1:])) < _LEAST:
            raise self._error("too little before *", token, f"give at least {_LEAST} letters")
        return text, prefix

    def _require(self, token: Token, field: str) -> None:
        """Complain about marks without a word; where they stand for themselves they are passed over."""
        if field or token.kind != "word":
            raise self._error("no word to look for", token, "give letters or digits")

    def _years(self, token: Token, text: str) -> Query:
        match = _RANGE.fullmatch(text)
        if match is None or not any((match[1], match[3], match[4])):
            raise self._error(f"no year: {text[:40]}", token, "write 2014, 2010-2015, 2010- or -2015")
        if match[4]:
            return Years(int(match[4]), int(match[4]))
        first, last = int(match[1] or FIRST_YEAR), int(match[3] or LAST_YEAR)
        if first > last:
            raise self._error(f"years run backwards: {text}", token, f"write {last}-{first}")
        return Years(first, last)

    def _lonely(self, operator: Token) -> QueryError:
        what = f"{operator.text} has nothing to join" if operator.kind != "NOT" else "NOT has nothing to take from"
        return self._error(
            what, operator, f'put terms before and after it; the word itself goes in quotes: "{operator.text.lower()}"'
        )

    def _error(self, what: str, token: Token, hint: str) -> QueryError:
        return QueryError(f"{what}, position {token.at}", query=self._text, position=token.at, hint=hint)


def _as_word(token: Token) -> Token:
    """A number of a group as the text it is where there are no groups."""
    return Token("word", f"#{token.text}", token.at) if token.kind == "ref" else token


def _is_plain(token: Token) -> bool:
    """Whether a word stands for itself."""
    return token.kind == "word" and "*" not in token.text


def _telling(text: str) -> list[str]:
    """The words that tell texts apart; all, where none does."""
    words = [word for word in text.split() if fold(word)]
    return [word for word in words if not set(fold(word)) <= STOP] or words


def _short(field: str) -> str:
    return "" if field == "all" else field


def _joined(kind: type[And | Or], parts: list[Query]) -> Query | None:
    """The parts as one: those of the same kind side by side, a single one as it is."""
    flat: list[Query] = []
    for part in parts:
        flat += part.parts if isinstance(part, And | Or) and isinstance(part, kind) else (part,)
    return kind(tuple(flat)) if len(flat) > 1 else flat[0] if flat else None


def _in_field(query: Query, field: str) -> Query:
    """The query with every text that names no field in this one."""
    if isinstance(query, And | Or):
        return type(query)(tuple(_in_field(part, field) for part in query.parts))
    if isinstance(query, Without):
        return Without(_in_field(query.kept, field), _in_field(query.dropped, field))
    if isinstance(query, Text) and not query.field:
        return Text(text=query.text, field=field, phrase=query.phrase, prefix=query.prefix)
    return query
