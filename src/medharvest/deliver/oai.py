"""OAI-PMH 2.0, the protocol alone: arguments of a request in, an XML answer out; what is listed comes from a source."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from types import MappingProxyType
from typing import Protocol

from medharvest.citations.formats.xml import attribute, listed, raw, tag, wrap
from medharvest.deliver.oai_forms import FORMS
from medharvest.records import Citation

_HEADER = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
    'xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/ http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd">\n'
)
_DAY = re.compile(r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])")
_SECOND = re.compile(_DAY.pattern + r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z")
_TOKEN = re.compile(r"([a-z_]{1,20})!([0-9TZ:-]{0,20})!([0-9TZ:-]{0,20})!([0-9]{1,18})!([0-9]{1,18})!([0-9]{1,18})")


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a collection says of itself; `domain` is the middle of its identifiers."""

    name: str
    url: str
    email: str
    domain: str
    batch: int = 100


@dataclass(frozen=True, slots=True)
class Entry:
    """A record of the list: `n` orders them by their last change; one without a citation is deleted."""

    article: int
    n: int
    at: str
    citation: Citation | None


class Source(Protocol):
    """What is listed."""

    def entries(self, *, after: int, since: str, until: str, limit: int) -> Sequence[Entry]:
        """Some entries in the order of `n`, those after a number and changed within a time."""
        ...

    def count(self, *, since: str, until: str) -> int:
        """How many there are."""
        ...

    def entry(self, article: int) -> Entry | None:
        """One of them."""
        ...

    def earliest(self) -> str:
        """When the oldest of them was changed."""
        ...


class ProtocolError(Exception):
    """A request that is answered with an error of the protocol's own; never leaves this module."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def answer(pairs: Sequence[tuple[str, str]], source: Source, about: About, *, now: str) -> bytes:
    """The answer to a request, whatever it asks: errors are answers too."""
    given = dict(pairs)
    try:
        _check_once(pairs)
        inner = "".join(_answer(given, source, about))
        shown = {name: value for name, value in pairs if name in _ARGUMENTS}
    except ProtocolError as error:
        inner = raw("error", attribute(str(error)), code=error.code)
        shown = {} if error.code in {"badArgument", "badVerb"} else given
    request = raw("request", attribute(about.url), **shown)
    return (_HEADER + tag("responseDate", now) + request + inner + "</OAI-PMH>\n").encode("utf-8", "replace")


def _check_once(pairs: Sequence[tuple[str, str]]) -> None:
    if len(dict(pairs)) < len(pairs):
        raise ProtocolError("badArgument", "an argument stands twice")


def _answer(given: dict[str, str], source: Source, about: About) -> Iterator[str]:
    verb = given.get("verb", "")
    if verb not in _VERBS:
        raise ProtocolError("badVerb", f"no such verb: {verb}" if verb else "the argument verb is missing")
    required, optional, act = _VERBS[verb]
    names = set(given) - {"verb"}
    if "resumptionToken" in names and verb in _LISTS:
        if len(names) > 1:
            raise ProtocolError("badArgument", "resumptionToken stands alone")
    else:
        _check_names(names, required, optional)
    yield wrap(verb, "".join(act(given, source, about)))


def _check_names(names: set[str], required: Sequence[str], optional: Sequence[str]) -> None:
    missing = [name for name in required if name not in names]
    if missing:
        raise ProtocolError("badArgument", f"the argument {missing[0]} is missing")
    other = sorted(names - set(required) - set(optional))
    if other:
        raise ProtocolError("badArgument", f"no such argument here: {other[0]}")


def _identify(_given: dict[str, str], source: Source, about: About) -> Iterator[str]:
    yield tag("repositoryName", about.name)
    yield tag("baseURL", about.url)
    yield tag("protocolVersion", "2.0")
    yield tag("adminEmail", about.email)
    yield tag("earliestDatestamp", source.earliest())
    yield tag("deletedRecord", "persistent")
    yield tag("granularity", "YYYY-MM-DDThh:mm:ssZ")
    yield wrap(
        "description",
        '<oai-identifier xmlns="http://www.openarchives.org/OAI/2.0/oai-identifier" '
        'xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai-identifier '
        'http://www.openarchives.org/OAI/2.0/oai-identifier.xsd">\n'
        + tag("scheme", "oai")
        + tag("repositoryIdentifier", about.domain)
        + tag("delimiter", ":")
        + tag("sampleIdentifier", f"oai:{about.domain}:1")
        + "</oai-identifier>\n",
    )


def _formats(given: dict[str, str], source: Source, about: About) -> Iterator[str]:
    citation = _entry(given["identifier"], source, about).citation if "identifier" in given else None
    fit = [form for form in FORMS.values() if citation is None or form.write(citation)]
    for form in fit:
        yield wrap(
            "metadataFormat",
            tag("metadataPrefix", form.prefix) + tag("schema", form.schema) + tag("metadataNamespace", form.namespace),
        )


def _sets(given: dict[str, str], _source: Source, _about: About) -> Iterator[str]:
    if "resumptionToken" in given:
        raise ProtocolError("badResumptionToken", "there are no sets to go on with")
    raise ProtocolError("noSetHierarchy", "this collection has no sets")


def _record(given: dict[str, str], source: Source, about: About) -> Iterator[str]:
    prefix = _prefix(given["metadataPrefix"])
    entry = _entry(given["identifier"], source, about)
    written = _written(entry, prefix, about)
    if not written:
        raise ProtocolError("cannotDisseminateFormat", f"this record cannot be given as {prefix}")
    yield written


def _prefix(prefix: str) -> str:
    if prefix not in FORMS:
        raise ProtocolError("cannotDisseminateFormat", f"no such format: {prefix}")
    return prefix


def _entry(identifier: str, source: Source, about: About) -> Entry:
    found = re.fullmatch(rf"oai:{re.escape(about.domain)}:([1-9][0-9]{{0,17}})", identifier)
    entry = source.entry(int(found[1])) if found else None
    if entry is None:
        raise ProtocolError("idDoesNotExist", f"no such record: {identifier}")
    return entry


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where a list goes on: its format and times, after which change, how many were given, how many there are."""

    prefix: str
    since: str = ""
    until: str = ""
    after: int = 0
    cursor: int = 0
    size: int = 0

    def __str__(self) -> str:
        return f"{self.prefix}!{self.since}!{self.until}!{self.after}!{self.cursor}!{self.size}"


def _listing(write: Callable[[Entry, str, About], str]) -> Callable[[dict[str, str], Source, About], Iterator[str]]:
    """A list of what `write` makes of each entry, some at a time."""

    def act(given: dict[str, str], source: Source, about: About) -> Iterator[str]:
        place = _place(given, source)
        entries = _entries(place, source, about.batch + 1)
        # What a format cannot hold is passed over; deleted records stand in every format.
        written = ((entry.n, text) for entry in entries if (text := write(entry, place.prefix, about)))
        found = list(islice(written, about.batch + 1))
        if not found and place.cursor:
            raise ProtocolError("badResumptionToken", "the rest of this list has changed; begin anew")
        if not found:
            raise ProtocolError("noRecordsMatch", "no record fits these arguments")
        given_now = found[: about.batch]
        yield from (text for _, text in given_now)
        following = replace(place, after=given_now[-1][0], cursor=place.cursor + len(given_now))
        yield _token(place, following, more=len(found) > about.batch)

    return act


def _entries(place: _Place, source: Source, batch: int) -> Iterator[Entry]:
    """All entries from a place on."""
    after = place.after
    while some := source.entries(after=after, since=place.since, until=place.until, limit=batch):
        yield from some
        after = some[-1].n


def _token(place: _Place, following: _Place, *, more: bool) -> str:
    """The token that goes on with a list; an empty one ends a list that came in parts."""
    size = f'completeListSize="{place.size}" cursor="{place.cursor}"'
    if more:
        return f"<resumptionToken {size}>{following}</resumptionToken>\n"
    return f"<resumptionToken {size}/>\n" if place.cursor else ""


def _place(given: dict[str, str], source: Source) -> _Place:
    if "resumptionToken" in given:
        found = _TOKEN.fullmatch(given["resumptionToken"])
        if not found or found[1] not in FORMS:
            raise ProtocolError("badResumptionToken", "this token is none of ours")
        return _Place(
            prefix=found[1],
            since=found[2],
            until=found[3],
            after=int(found[4]),
            cursor=int(found[5]),
            size=int(found[6]),
        )
    if "set" in given:
        raise ProtocolError("noSetHierarchy", "this collection has no sets")
    since, until = _times(given.get("from", ""), given.get("until", ""))
    size = source.count(since=since, until=until)
    return _Place(prefix=_prefix(given["metadataPrefix"]), since=since, until=until, size=size)


def _times(since: str, until: str) -> tuple[str, str]:
    """Both ends of a time, to the second; days count from their first to their last."""
    kinds = {bool(_DAY.fullmatch(text)) for text in (since, until) if text}
    wrong = [text for text in (since, until) if text and not _DAY.fullmatch(text) and not _SECOND.fullmatch(text)]
    if wrong:
        raise ProtocolError("badArgument", f"not a date: {wrong[0]}")
    if len(kinds) > 1:
        raise ProtocolError("badArgument", "from and until are of different granularity")
    if since and until and since > until:
        raise ProtocolError("badArgument", "from is after until")
    if True in kinds:
        return since and f"{since}T00:00:00Z", until and f"{until}T23:59:59Z"
    return since, until


def _written(entry: Entry, prefix: str, about: About) -> str:
    """A record with its metadata; empty where it has none in this format."""
    if entry.citation is None:
        return wrap("record", _header(entry, prefix, about))
    metadata = FORMS[prefix].write(entry.citation)
    return wrap("record", _header(entry, prefix, about) + wrap("metadata", metadata)) if metadata else ""


def _header_of(entry: Entry, prefix: str, about: About) -> str:
    """The header alone; empty where the record has nothing in this format."""
    there = entry.citation is None or FORMS[prefix].write(entry.citation)
    return _header(entry, prefix, about) if there else ""


def _header(entry: Entry, _prefix: str, about: About) -> str:
    opening = "header" if entry.citation is not None else 'header status="deleted"'
    return listed(opening, (tag("identifier", f"oai:{about.domain}:{entry.article}"), tag("datestamp", entry.at)))


_LISTS = frozenset({"ListIdentifiers", "ListRecords", "ListSets"})
_ARGUMENTS = frozenset({"verb", "identifier", "metadataPrefix", "from", "until", "set", "resumptionToken"})
Act = Callable[[dict[str, str], Source, About], Iterator[str]]
# Verb -> arguments it needs, arguments it may have, what it does.
_VERBS: Mapping[str, tuple[Sequence[str], Sequence[str], Act]] = MappingProxyType(
    {
        "Identify": ((), (), _identify),
        "ListMetadataFormats": ((), ("identifier",), _formats),
        "ListSets": ((), (), _sets),
        "GetRecord": (("identifier", "metadataPrefix"), (), _record),
        "ListIdentifiers": (("metadataPrefix",), ("from", "until", "set"), _listing(_header_of)),
        "ListRecords": (("metadataPrefix",), ("from", "until", "set"), _listing(_written)),
    }
)
