"""What was shown to somebody before it is applied, kept for a while under a word that only they got."""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")
_MOST = 20  # previews; each may hold a hundred records
_LASTS = 1800.0  # seconds; whoever comes later looks again


class Previews(Generic[T]):
    """Previews of one server, in its memory: the oldest go first, and all of them when it stops."""

    def __init__(
        self, *, most: int = _MOST, seconds: float = _LASTS, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._most = most
        self._seconds = seconds
        self._now = now
        self._kept: OrderedDict[str, tuple[float, str, T]] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, who: str, preview: T) -> str:
        """Keep what a person is shown; the word to take it by."""
        word = secrets.token_urlsafe(16)
        with self._lock:
            self._kept[word] = (self._now(), who, preview)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return word

    def take(self, who: str, word: str) -> T | None:
        """What a person was shown under a word, once; None where it is gone, too old or somebody else's."""
        with self._lock:
            at, owner, preview = self._kept.get(word, (0.0, "", None))
            if owner != who or preview is None:
                return None
            del self._kept[word]
        return preview if self._now() - at <= self._seconds else None
