"""Long work that the app starts: harvests and deliveries in threads of their own, one line of progress each."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from medharvest.errors import MedharvestError

_KEPT = 50  # works that are remembered


@dataclass(slots=True)
class Work:
    """One piece of work: what it is, how far it got, how it ended."""

    number: int
    what: str
    who: str
    done: int = 0
    waiting: int = 0
    latest: str = ""
    result: str = ""
    problem: str = ""
    hint: str = ""
    ended: bool = False
    points: list[tuple[float, float]] = field(default_factory=list)  # pages that arrived, records so far
    stop: threading.Event = field(default_factory=threading.Event)

    def tell(self, latest: str, *, done: int, waiting: int = 0) -> None:
        """Say how far it is."""
        self.latest, self.done, self.waiting = latest, done, waiting


class Doing:
    """The works of one server; each runs in a thread, and as many as there are may be watched."""

    def __init__(self) -> None:
        self._works: dict[int, Work] = {}
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()

    def start(self, what: str, who: str, do: Callable[[Work], str]) -> Work:
        """Begin a work; `do` gives the line that tells its result."""
        with self._lock:
            work = Work(max(self._works, default=0) + 1, what, who)
            self._works[work.number] = work
            for old in sorted(self._works)[:-_KEPT]:
                del self._works[old]
            thread = threading.Thread(target=_carry_out, args=(work, do), name=what, daemon=True)
            self._threads = [one for one in self._threads if one.is_alive()] + [thread]
        thread.start()
        return work

    def all(self) -> tuple[Work, ...]:
        """The works, the newest first."""
        return tuple(self._works[number] for number in sorted(self._works, reverse=True))

    def get(self, number: int) -> Work | None:
        """One of them."""
        return self._works.get(number)

    def close(self, seconds: float = 10.0) -> None:
        """Ask every work to stop, and wait for them; what they wrote is kept, they can be gone on with."""
        for work in self._works.values():
            work.stop.set()
        for thread in self._threads:
            thread.join(seconds)


def _carry_out(work: Work, do: Callable[[Work], str]) -> None:
    try:
        work.result = do(work)
    except MedharvestError as error:
        work.problem, work.hint = error.message, error.hint
    except Exception as error:  # noqa: BLE001  (a work must not end in silence)
        work.problem, work.hint = f"{what_of(error)}", "the log of the server says more"
    finally:
        work.ended = True


def what_of(error: Exception) -> str:
    """An unforeseen error in one line."""
    return f"{type(error).__name__}: {error}"[:300]
