"""Journal policies: set by the user, found for a record, and obeyed wherever records leave this machine."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlsplit

from medharvest.citations.identifiers import parse_issn
from medharvest.errors import InputError
from medharvest.fields import field_group
from medharvest.journals.catalogue import check_journal_name, find_journal_title, find_named_journal
from medharvest.records import Citation, JournalTitle, Policy, title_key
from medharvest.store import Journal, Store
from medharvest.store.journals import host_key, issn_key

# Every field of a record that may hold an abstract.
_ABSTRACT_FIELDS = (*field_group("abstract"), "other_abstracts")
_PUBLISHED_DATE = re.compile(r"([0-9]{4})(?:-([0-9]{2}))?(?:-([0-9]{2}))?")
_DECEMBER = 12
_HOST_NAME = re.compile(r"(?:[a-z0-9-]+\.)+[a-z0-9-]+", re.IGNORECASE)
_EMBARGO_MONTHS = re.compile(r"([1-9][0-9]{0,2}) ?(?:m|months?)")


@dataclass(frozen=True, slots=True)
class PermittedRecord:
    """A record as it may leave, with a note on what was left out; `withheld` says why it may not leave at all."""

    citation: Citation
    note: str = ""
    withheld: str = ""


class JournalPolicies:
    """The policies of a store's journals, as they apply on a day."""

    def __init__(self, journals: Iterable[Journal], today: date) -> None:
        self._journals = tuple(journals)
        self._today = today
        first = tuple(reversed(self._journals))  # if two journals claim a name, the first one wins
        self._by_issn = {issn: one for one in first for issn in one.issn}
        self._by_name = {key: one for one in first for key in (title_key(one.title), title_key(one.name)) if key}
        hosts = Counter(host for one in self._journals for host in one.hosts)
        self._by_host = {host: one for one in first for host in one.hosts if hosts[host] == 1}

    @property
    def fingerprint(self) -> tuple[object, ...]:
        """Everything the policies depend on: while it is equal, each record is permitted as before."""
        return (self._today, *((journal.name, journal.policy) for journal in self._journals))

    def permit(self, citation: Citation) -> PermittedRecord:
        """Return what may leave of a record under its journal's policy; everything if the journal has none."""
        found = self.journal_of(citation)
        if found is None:
            return PermittedRecord(citation)
        until = embargo_end(found.policy.embargo, citation.date)
        if until and self._today < until:
            return PermittedRecord(citation, withheld=f"embargo of {found.name} until {until.isoformat()}")
        if not found.policy.abstracts and has_any_abstract(citation):
            return PermittedRecord(without_abstract(citation), note=f"without its abstract: policy of {found.name}")
        return PermittedRecord(citation)

    def journal_of(self, citation: Citation) -> Journal | None:
        """Find the journal with a policy for a record: by ISSN, by name, or by host if the record has no ISSN."""
        issn = [key for text in citation.issn if (key := issn_key(text))]
        names = [key for text in (citation.journal, citation.abbreviation) if (key := title_key(text))]
        hosts = [] if issn else [host_key(urlsplit(citation.url).hostname or "")]
        known = ((self._by_issn, issn), (self._by_name, names), (self._by_host, hosts))
        return next((found[key] for found, keys in known for key in keys if key in found), None)


def load_policies(store: Store, today: date) -> JournalPolicies:
    """Load the policies of a store's journals for a day, each journal with all its known names.

    A journal whose policy holds only the `reminded` flag counts as one without a policy.
    """
    noted = [journal for journal in store.journals.all() if replace(journal.policy, reminded=False) != Policy()]
    return JournalPolicies([_with_known_names(store, journal) for journal in noted], today)


def _with_known_names(store: Store, journal: Journal) -> Journal:
    """Add the known title and ISSNs to a journal; its short name may itself be an ISSN."""
    known = find_journal_title(store, journal.name) or JournalTitle()
    issn = [issn_key(text) for text in (*journal.issn, *known.issn, parse_issn(journal.name)) if text]
    return replace(journal, title=journal.title or known.title, issn=tuple(dict.fromkeys(issn)))


def embargo_end(embargo: str, published: str) -> date | None:
    """Return the day an embargo ends: the day it names, or months after publication; None without an embargo.

    A year or a season counts as the end of that year. For a record without a date, an embargo in months never ends.
    """
    found = _EMBARGO_MONTHS.fullmatch(embargo)
    if not found:
        return date.fromisoformat(embargo) if embargo else None
    parts = _PUBLISHED_DATE.fullmatch(published.partition("/")[0])
    year, month, day = (int(part or 0) for part in parts.groups()) if parts else (0, 0, 0)
    if not 1 <= month <= _DECEMBER:
        month, day = _DECEMBER, 31
    try:
        return _add_months(year, month, day or 31, int(found[1])) if year else date.max
    except ValueError:
        return date.max


def _add_months(year: int, month: int, day: int, months: int) -> date:
    """Return the same day some months later, or the last day of that month if it is shorter."""
    years, place = divmod(month - 1 + months, 12)
    following = date(year + years + (place + 1) // 12, (place + 1) % 12 + 1, 1)
    last = following - timedelta(days=1)
    return last.replace(day=min(day, last.day))


def has_any_abstract(citation: Citation) -> bool:
    """Whether a record has any abstract."""
    return any(getattr(citation, name) for name in _ABSTRACT_FIELDS)


def without_abstract(citation: Citation) -> Citation:
    """Return the record without its abstracts, and without evidence and alternatives that quote them."""
    return replace(
        citation,
        abstract="",
        abstract_html="",
        sections=(),
        other_abstracts=(),
        evidence=tuple(proof for proof in citation.evidence if proof.field not in _ABSTRACT_FIELDS),
        alternatives=tuple(other for other in citation.alternatives if other.field not in _ABSTRACT_FIELDS),
    )


def set_policy(store: Store, name: str, changes: dict[str, Any]) -> Journal:
    """Change the policy of a journal, given by short name, title or ISSN; what is not given stays as it was."""
    if changes.get("embargo"):
        _check_embargo(changes["embargo"])
    found = find_named_journal(store, name)
    if found is None:
        found = _make_journal(store, name)
        store.journals.save(found)
    store.journals.save_policy(found.name, replace(found.policy, **changes))
    return store.journals.get(found.name)


def _check_embargo(text: str) -> None:
    try:
        embargo_end(text, "2000")
    except ValueError as error:
        hint = "a day such as 2027-01-31, or a time after publication such as `12 months`"
        raise InputError(f"not an embargo: {text}", name=text, hint=hint) from error


def _make_journal(store: Store, name: str) -> Journal:
    """Make a journal from an ISSN, a host or a title."""
    issn = parse_issn(name)
    if issn or _HOST_NAME.fullmatch(name):
        return Journal(name=check_journal_name(name), issn=(issn,) if issn else (), hosts=() if issn else (name,))
    known = find_journal_title(store, name)
    return Journal(
        name=check_journal_name("-".join(name.lower().split())[:100]), title=name, issn=known.issn if known else ()
    )


def check_download(store: Store, url: str, name: str) -> None:
    """Raise if the policy of the journal at an address forbids downloading."""
    found = _find_journal_at(store, url, name, ())
    if found is not None and not found.policy.download:
        noted = found.policy.terms or found.policy.robots
        raise InputError(
            f"downloading from {found.name} is not permitted by its policy" + (f" ({noted})" if noted else ""),
            name=url,
            hint=f"if that has changed: medharvest journals set {shlex.quote(found.name)} --download",
        )


def permission_reminder(store: Store, url: str, *, name: str = "", issn: Sequence[str] = ()) -> str:
    """Return a reminder, once per journal, that no permission is noted for it; empty if none is due."""
    found = _find_journal_at(store, url, name, issn)
    if found is None:
        host = host_key(urlsplit(url).hostname or "")
        runs = [run for run in store.runs.all() if host_key(urlsplit(run.url).hostname or "") == host]
        return _reminder_text(next(iter(issn), host)) if len(runs) == 1 else ""
    if found.policy.permission or found.policy.reminded:
        return ""
    store.journals.save_policy(found.name, replace(found.policy, reminded=True))
    return _reminder_text(found.name)


def _reminder_text(name: str) -> str:
    command = f'medharvest journals set {shlex.quote(name)} --permission "…"'
    return f"no permission or subscription is noted for {name}; where you have one, note it: {command}"


def _find_journal_at(store: Store, url: str, name: str, issn: Sequence[str]) -> Journal | None:
    return store.journals.get(name) if name else store.journals.find(host=urlsplit(url).hostname or "", issn=issn)
