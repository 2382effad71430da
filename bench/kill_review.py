"""The case of bench/kills.py in which the server of the review app is killed while people correct and accept."""

# ruff: noqa: D102  (`Trial` says what its methods do)

from __future__ import annotations

import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import Popen

import httpx2
from bench.kill_trial import CopyStore, Make, Problem, Trial, end_group
from bench.review import filled
from tests.waiting import LONG, until

from medharvest.store import open_existing
from medharvest.web.request_checks import SESSION_COOKIE

_PEOPLE = 4  # who review at the same time
_RECORDS = 2000  # more than they come to
_ACTS = 80  # of all of them, then a server that is not killed is ended
_TICK = 0.02
_ACCEPTED = ("abstract", "journal", "volume", "doi")
_VERSION = re.compile(r'data-version="(\d+)"')
_CSRF = re.compile(r'name="csrf" content="([^"]+)"')


class ReviewTrial(Trial):
    """People who correct and accept in the review app; each sends again what was not answered before a kill."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.url = ""
        self.people: list[Reviewer] = []

    def words(self) -> Sequence[object]:
        return () if self.whole else ("review", "--no-open", "--port", 0, "--store", self.url)

    def is_done(self, code: int, said: str) -> bool:  # noqa: ARG002  (a server is ended by a signal)
        self.whole = True
        return True

    def wait(self, process: Popen[bytes]) -> None:
        most = self.trace() + _ACTS
        until(lambda: self.trace() >= most or process.poll() is not None)
        process.terminate()
        process.wait(LONG)

    def trace(self) -> int:
        return sum(len(person.answered) for person in self.people)

    @contextmanager
    def at_work(self, process: Popen[bytes]) -> Iterator[None]:
        threads = [threading.Thread(target=person.work, args=(self, process)) for person in self.people]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            end_group(process)
            for thread in threads:
                thread.join()

    def look(self) -> Iterator[Problem]:
        with open_existing(self.url) as store:
            store.save(None, [])
            yield from (Problem("damaged", line) for line in store.check())
            log = Counter((line.article, line.field, line.after) for line in store.changes() if line.before is not None)
        for person in self.people:
            for act in person.answered:
                if not log[act]:
                    yield Problem("lost", f"answered, and not in the store: {act}")
            yield from (Problem("lost", said) for said in person.wrong)
            person.wrong.clear()
        yield from (Problem("doubled", f"{many} times in the log: {act}") for act, many in log.items() if many > 1)

    def compare(self) -> Iterator[Problem]:
        return self.look()


@dataclass(eq=False)
class Reviewer:
    """A person with records of their own, who corrects the title of each and accepts some fields."""

    token: str
    numbers: Iterator[int]
    answered: list[tuple[int, str, str]] = field(default_factory=list)  # article, field of the log, value after
    wrong: list[str] = field(default_factory=list)
    waiting: list[tuple[int, str, str]] = field(default_factory=list)  # what is to be sent, the first one maybe again
    version: str = ""  # of the record, as the last answer said

    def work(self, trial: ReviewTrial, process: Popen[bytes]) -> None:
        """Send one thing after the other until the server is gone."""
        while not (found := re.search(r"review at (\S+?)/enter", trial.said())):
            if process.poll() is not None:
                return
            time.sleep(_TICK)
        with (
            suppress(httpx2.HTTPError),
            httpx2.Client(base_url=found[1], cookies={SESSION_COOKIE: self.token}, timeout=60) as client,
        ):
            client.headers |= {"origin": found[1], "x-fragment": "1"}
            client.headers["x-csrf"] = _CSRF.findall(client.get("/help").text)[0]
            while process.poll() is None:
                self._send_next(client)

    def _send_next(self, client: httpx2.Client) -> None:
        if not self.waiting:
            number = next(self.numbers)
            self.version = _VERSION.findall(client.get(f"/records/{number}").text)[0]
            self.waiting = [(number, "title", f"Corrected {number}"), *((number, name, "") for name in _ACCEPTED)]
        number, name, value = self.waiting[0]
        where = f"/records/{number}/fields/{name}" + ("" if value else "/accept")
        answer = client.post(where, data={"version": self.version, "value": value})
        if answer.status_code == httpx2.codes.CONFLICT:  # it was saved before the kill, and only the answer is missing
            self.version = _VERSION.findall(client.get(f"/records/{number}").text)[0]
        elif answer.status_code == httpx2.codes.OK:
            self.version = (_VERSION.findall(answer.text) or [self.version])[0]
        else:
            self.wrong.append(f"{where}: {answer.status_code} {answer.text[:200]}")
        self.answered.append((number, name, f'"{value}"') if value else (number, f"{name}.state", '"accepted"'))
        self.waiting.pop(0)


def review_in(
    copies: Callable[[], AbstractContextManager[CopyStore]],
) -> Callable[[Path], AbstractContextManager[Make]]:
    """Prepare reviews in a kind of store."""

    @contextmanager
    def prepare(folder: Path) -> Iterator[Make]:
        file = folder / "reviewed.sqlite"
        tokens = filled(file, _RECORDS, _PEOPLE)
        with copies() as copy:

            def make(place: Path, _: int) -> Trial:
                trial = ReviewTrial(place)
                trial.url = copy(str(file), place)
                trial.people = [
                    Reviewer(token, iter(range(n + 1, _RECORDS + 1, _PEOPLE))) for n, token in enumerate(tokens)
                ]
                return trial

            yield make

    return prepare
