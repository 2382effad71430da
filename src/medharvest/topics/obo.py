"""OBO files: terms with their synonyms, parents and relationships; obsolete ones are left out."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from medharvest.topics.memory import Entry

_SYNONYM = re.compile(r'"((?:[^"\\]|\\.)*)"\s+(EXACT|NARROW|BROAD|RELATED)?')
# A broad or related synonym names something else.
_KEPT_SCOPES = frozenset({"", "EXACT", "NARROW"})


def read_obo(lines: Iterable[str]) -> Iterator[Entry]:
    """The terms of an OBO file, one after the other."""
    stanza: dict[str, list[str]] | None = None
    for raw in lines:
        line = raw.rstrip()
        if line.startswith("["):
            yield from _entry(stanza)
            stanza = defaultdict(list) if line == "[Term]" else None
        elif stanza is not None and ": " in line:
            tag, _, value = line.partition(": ")
            stanza[tag].append(value)
    yield from _entry(stanza)


def _entry(stanza: dict[str, list[str]] | None) -> Iterator[Entry]:
    if not stanza or not stanza["id"] or not stanza["name"] or stanza["is_obsolete"] == ["true"]:
        return
    found = filter(None, map(_SYNONYM.match, stanza["synonym"]))
    synonyms = [_plain(match[1]) for match in found if (match[2] or "") in _KEPT_SCOPES]
    yield Entry(
        id=stanza["id"][0].split(" ")[0],
        names=(_plain(stanza["name"][0]), *synonyms),
        broader=tuple(value.split()[0] for value in stanza["is_a"] if value.split()),
        context=tuple(parts[1] for value in stanza["relationship"] if len(parts := value.split()) > 1),
    )


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)
