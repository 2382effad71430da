"""The store as an OAI-PMH collection: entered and withdrawn as records and policies change, shown as these permit."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import date

from medharvest.deliver.listing import ListingTarget
from medharvest.deliver.oai import About, Entry, answer
from medharvest.deliver.sending import Patience
from medharvest.records import Citation
from medharvest.run.deliver import Delivery
from medharvest.run.export import Outlet, open_outlet
from medharvest.run.policy import Policies
from medharvest.settings import Settings
from medharvest.store import Delivered, Span, Store, utc_now

NAME = "oai"
_ONCE = Patience(tries=1)
_LARGEST = 1000  # records in one answer
_MANY = 5000  # changed records that are not picked one by one


def about(settings: Settings, url: str) -> About:
    """What the collection says of itself, served at an address unless the settings name another."""
    own = settings.deliver
    email = own.oai_email or (settings.fetch.contact if "@" in settings.fetch.contact else "nobody@medharvest.invalid")
    return About(
        name=own.oai_name,
        url=own.oai_url or url,
        email=email,
        domain=own.oai_domain,
        batch=min(max(own.oai_batch, 1), _LARGEST),
    )


class Collection:
    """What harvesters are shown of a store; each request sees the changes made before it."""

    def __init__(self, store: Store, *, now: Callable[[], str] = utc_now) -> None:
        self._store = store
        self._kept = store.deliveries
        self._now = now
        self._lock = threading.Lock()
        self._seen = 0  # batch of the last change that was entered
        self._outlet = Outlet(store, Policies((), date.min))
        self._known: tuple[object, ...] = ()  # what all records depend on

    def answer(self, pairs: Sequence[tuple[str, str]], about: About) -> bytes:
        """Bring the list up to date, then answer a request."""
        self.refresh()
        return answer(pairs, self, about, now=self._now())

    def refresh(self) -> None:
        """Enter what changed; all records are looked at the first time, and where a policy, title or the day is new."""
        with self._lock:
            outlet = open_outlet(self._store, date.fromisoformat(self._now()[:10]))
            last, changed = self._kept.changed(self._seen)
            known = (outlet.policies.fingerprint, self._store.title_lists())
            whole = not self._seen or len(changed) > _MANY or known != self._known
            if whole or changed:
                chosen = self._store.outgoing() if whole else self._store.outgoing(numbers=changed)
                for _ in Delivery(outlet, NAME, ListingTarget()).send(chosen, patience=_ONCE):
                    pass
            self._outlet, self._known, self._seen = outlet, known, last

    def entries(self, *, after: int, since: str, until: str, limit: int) -> Sequence[Entry]:
        """Some of what is listed, in the order it was changed."""
        found = self._kept.listed(NAME, Span(after=after, since=since, until=until), limit=limit)
        wanted = self._store.outgoing(numbers=[one.article for one in found])
        records = {record.number: record.citation for record in wanted}
        return [self._entry(one, records.get(one.article)) for one in found]

    def count(self, *, since: str, until: str) -> int:
        """How many are listed."""
        return self._kept.count(NAME, Span(since=since, until=until))

    def entry(self, article: int) -> Entry | None:
        """One of them."""
        found = self._kept.find(NAME, [article]).get(article)
        return None if found is None else self._entry(found, self._kept.record(article))

    def earliest(self) -> str:
        """When the oldest of them was changed; now where there is none."""
        return self._kept.earliest(NAME) or self._now()

    def _entry(self, item: Delivered, citation: Citation | None) -> Entry:
        """An entry as it may leave."""
        if item.state == "deleted" or citation is None:
            return Entry(item.article, item.n, item.at, None)
        found = self._outlet.permit(citation)
        return Entry(item.article, item.n, item.at, None if found.withheld else found.citation)
