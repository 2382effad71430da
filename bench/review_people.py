"""People at work in the review app, each with a browser's ways; what the app acknowledged is kept and checked.

diary = Diary("person-1")
with Reviewer(url, token, diary, pause=1.0, seed=1) as person:
    person.review(17)
failures = check_writes(store, [diary])
"""

from __future__ import annotations

import json
import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from html import unescape
from typing import Self

import httpx2
from bench.records import word

from medharvest.store import Store
from medharvest.web.request_checks import SESSION_COOKIE

_VERSION = re.compile(r'data-version="(\d+)"')
_OFFER = re.compile(r'data-offer="([^"]+)"')
_CSRF = re.compile(r'name="csrf" content="([^"]+)"')
_FIELDS = ("title", "authors", "abstract", "journal", "volume", "doi")
CORRECTED = "title"
_OFTEN_CORRECTED = 0.25  # of the records that are reviewed
_WORDS = 2000  # that people search for
_CONFLICT = 409
_MAX_ANSWER_SHOWN = 300  # characters of an answer that is a failure


@dataclass(frozen=True, slots=True)
class Write:
    """A write that the app acknowledged: the accepted or corrected field, empty for a whole record."""

    record: int
    field: str
    value: str = ""  # of a correction; no two have the same


@dataclass
class Diary:
    """What one person did: the seconds of every request by kind, what was acknowledged, refused and wrong."""

    who: str
    times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    writes: list[Write] = field(default_factory=list)
    conflicts: int = 0  # another person, or a run, was faster
    failures: list[str] = field(default_factory=list)


class _StopReview(Exception):  # noqa: N818  (no error: the person goes on with another record)
    """A record that cannot be reviewed any further."""


class Reviewer:
    """One person in the app; `until` is the monotonic time at which the person goes home."""

    def __init__(
        self, url: str, token: str, diary: Diary, *, pause: float, seed: int, until: float = float("inf")
    ) -> None:
        self.diary, self.pause, self.until = diary, pause, until
        self.dice = random.Random(seed)  # noqa: S311  (nothing secret)
        self._client = httpx2.Client(
            base_url=url, cookies={SESSION_COOKIE: token}, timeout=60, follow_redirects=True, trust_env=False
        )
        self._url = url
        self._seed, self._corrections = seed, 0

    def __enter__(self) -> Self:
        csrf = _CSRF.findall(self._client.get("/help").text)[0]
        self._client.headers |= {"x-csrf": csrf, "origin": self._url, "x-fragment": "1"}
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def search(self) -> None:
        """Search for a word."""
        self.get("search", f"/search?q={word(self.dice.randrange(_WORDS))}")

    def review(self, number: int) -> None:
        """Open a record, accept two fields of it, correct its title now and then, and accept the whole."""
        try:
            version = self._version(self.get("record", f"/records/{number}"))
            for name in self.dice.sample(_FIELDS, 2):
                version = self._write(Write(number, name), version) or version
            if self.dice.random() < _OFTEN_CORRECTED:
                version = self.correct(number, version) or version
            self._write(Write(number, ""), version)
        except _StopReview:
            self.rest()

    def correct(self, number: int, version: str) -> str:
        """Give a record a title that no other has."""
        self._corrections += 1
        value = f"{word(self.dice.randrange(_WORDS))} {self.diary.who} {self._seed}-{self._corrections}"
        return self._write(Write(number, CORRECTED, value), version)

    def get(self, kind: str, path: str) -> str:
        """Look at a page, then think about it; empty if it does not come."""
        try:
            return self._ask(kind, path, {})
        except _StopReview:
            return ""
        finally:
            self.rest()

    def rest(self) -> None:
        """Wait as people do: mostly a short time, sometimes a long one."""
        pause = self.dice.expovariate(1) * self.pause
        time.sleep(max(0.0, min(pause, self.until - time.monotonic())))

    def _write(self, write: Write, version: str) -> str:
        """Send a write; once it is acknowledged it is kept. The version after it, empty if the app goes elsewhere."""
        if time.monotonic() >= self.until:
            raise _StopReview
        act = "/accept" if not write.value else ""
        path = f"/records/{write.record}" + (f"/fields/{write.field}" if write.field else "") + act
        kind = "correct field" if write.value else "accept field" if write.field else "accept record"
        form = {"version": version} | ({"value": write.value} if write.value else {})
        text = self._ask(kind, path, form)
        self.diary.writes.append(write)
        for offer in _OFFER.findall(text):  # the browser asks what a correction teaches
            self._ask("lesson", unescape(offer), {})
        self.rest()
        return next(iter(_VERSION.findall(text)), "") if write.field else ""

    def _version(self, text: str) -> str:
        found = _VERSION.findall(text)
        if not found:  # a record that another person has open, or a deleted one
            raise _StopReview
        return str(found[0])

    def _ask(self, kind: str, path: str, form: dict[str, str]) -> str:
        begun = time.perf_counter()
        try:
            answer = self._client.post(path, data=form) if form else self._client.get(path)
        except httpx2.HTTPError as error:
            self.diary.failures.append(f"{kind} {path}: {type(error).__name__} {error}")
            raise _StopReview from error
        self.diary.times[kind].append(time.perf_counter() - begun)
        if answer.status_code == _CONFLICT:
            self.diary.conflicts += 1
            raise _StopReview
        if answer.status_code != httpx2.codes.OK:
            shown = " ".join(answer.text.split())[:_MAX_ANSWER_SHOWN]
            self.diary.failures.append(f"{kind} {path}: {answer.status_code} {shown}")
            raise _StopReview
        return answer.text


def check_writes(store: Store, diaries: Iterable[Diary]) -> list[str]:
    """What is wrong in a store after people worked in it: acknowledged writes that are lost, or there twice.

    The log must have each correction exactly once, and each acceptance of a field or a record exactly once, whoever it
    was that accepted it first, and once more for each time that a run undid it. No person may have more acts on a
    record than were acknowledged.
    """
    written: dict[str, list[Write]] = defaultdict(list)
    for diary in diaries:
        written[diary.who] += diary.writes
    log = _Log(store, written.keys())
    wrong = [message for who, writes in written.items() for write in writes if (message := log.judge(who, write))]
    allowed = Counter((who, write.record) for who, writes in written.items() for write in writes)
    for key, batches in log.acts.items():
        if len(batches) > allowed[key]:
            wrong.append(f"{key[0]}, record {key[1]}: {len(batches)} acts in the log, {allowed[key]} acknowledged")
    for number, title in log.titles.items():
        if (now := store.citation(number).title) != title:
            wrong.append(f"record {number}: its title is {now!r}, the log says {title!r}")
    return wrong


class _Log:
    """What the log of a store says of the acts of these people."""

    def __init__(self, store: Store, people: Collection[str]) -> None:
        self.acts: dict[tuple[str, int], set[int]] = defaultdict(set)
        self.titles: dict[int, str] = {}
        self._corrections: Counter[tuple[str, int, str]] = Counter()
        self._judged: dict[tuple[int, str], list[str]] = defaultdict(list)
        self._undone: Counter[tuple[int, str]] = Counter()
        for line in store.changes():
            judged = line.field.endswith(".state") or line.field == "status"
            if line.who not in people:
                self._undone[line.article, line.field] += judged
                continue
            self.acts[line.who, line.article].add(line.batch)
            value = json.loads(line.after)
            if line.field == CORRECTED:
                self._corrections[line.who, line.article, value] += 1
                self.titles[line.article] = value
            elif judged:
                self._judged[line.article, line.field].append(value)

    def judge(self, who: str, write: Write) -> str:
        """What is wrong with a write; empty if nothing is."""
        if write.value:
            count = self._corrections[who, write.record, write.value]
            return "" if count == 1 else f"{who}, record {write.record}: {write.value!r} is {count} times in the log"
        key = (write.record, f"{write.field}.state" if write.field else "status")
        states = self._judged[key]
        if states and states.count("accepted") <= 1 + self._undone[key]:
            return ""
        return f"{who}, record {write.record}, {write.field or 'whole'}: accepted, and the log has {states}"
