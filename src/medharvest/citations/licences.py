"""Open licences by their short names: CC BY 4.0 from an address, an abbreviation or the words of a notice."""

from __future__ import annotations

import re
from collections.abc import Iterable

from medharvest.citations.visible import Line
from medharvest.records import LabelledZone

_VERSION = r"(?P<version>[1-4]\.[0-9])"
_AND = r"[ \u2010\u2011–-]{1,3}"
_MORE = r"non-?commercial|no-?deriv\w{0,9}|share-?alike"
_PORT = "(?: international| unported| generic)?"
# The forms in which licences are named; `by` and what follows it, or the words for it.
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"creativecommons\.org/licenses/(?P<terms>by(?:-(?:nc|nd|sa))*)(?:/{_VERSION})?",
        rf"\bCC[ -](?P<terms>BY(?:[ -](?:NC|ND|SA))*)\b(?:[ -]?{_VERSION})?",
        rf"\bcreative commons (?:licen[cs]e )?\(?(?P<terms>attribution(?:{_AND}(?:{_MORE}))*)(?:{_PORT} ?{_VERSION})?",
        rf"creativecommons\.org/publicdomain/(?P<terms>zero)(?:/{_VERSION})?",
        rf"\b(?P<terms>CC-?0)\b(?: ?{_VERSION})?",
    )
)
_WORDS = (("attribution", "BY"), ("noncommercial", "NC"), ("noderiv", "ND"), ("sharealike", "SA"))
_TOLD = re.compile(r"creative ?commons|\bcc[ -]?(?:by|0)\b")  # of a text in small letters
_LONGEST = 3_000  # characters of a notice


def parse_licence(text: str) -> str:
    """The short name of the licence that a text names, such as `CC BY-NC 4.0`; empty where it names none."""
    found = next((found for form in _FORMS if (found := form.search(text[:_LONGEST]))), None)
    if found is None:
        return ""
    name = _short(found["terms"])
    return f"{name} {found['version']}" if found["version"] else name


def _short(terms: str) -> str:
    plain = re.sub(r"[\s\u2010\u2011–-]+", "", terms.lower())
    if plain.endswith(("zero", "0")):
        return "CC0"
    if plain.startswith("attribution"):
        return f"CC {'-'.join(letters for word, letters in _WORDS if word in plain)}"
    return f"CC {'-'.join(plain[i : i + 2] for i in range(0, len(plain), 2)).upper()}"


def printed_licence(zones: Iterable[LabelledZone]) -> Line | None:
    """The licence that a notice of the page names; a waiver for its data counts where nothing else is named."""
    notices = (zone for zone in zones if zone.verdict.label != "reference" and _speaks_of_one(zone.zone.text))
    named = [Line(name, zone, 0, len(zone.zone.text)) for zone in notices if (name := parse_licence(zone.zone.text))]
    own = (line for line in named if not line.text.startswith("CC0"))
    return next(own, named[0] if named else None)


def _speaks_of_one(text: str) -> bool:
    """Whether a text names an open licence; most hold neither word, which is quicker to tell."""
    small = text[:_LONGEST].lower()
    return ("creative" in small or "cc" in small) and _TOLD.search(small) is not None
