"""What targets on the web share: a request, and what its answer or failure means for a batch."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

from medharvest.deliver.parcels import Batch, Receipt, State, receipts
from medharvest.errors import DeliveryError
from medharvest.fetch import Sender, Sending
from medharvest.fetch.turns import retry_after
from medharvest.records import Miss, Reason, Response
from medharvest.settings import Fetch

_MAX_ANSWER = 20_000_000  # bytes
_PASSING = frozenset({Reason.TIMEOUT, Reason.BROKEN_TRANSFER, Reason.NO_ROUTE, Reason.REFUSED})
_LOGIN = frozenset({401, 403})
_BUSY = 429
_SHOWN = 200  # characters of an answer in a message


class Site:
    """A site that is sent to; it connects when it is first needed."""

    def __init__(self, name: str, settings: Fetch, *, hint: str = "") -> None:
        self.name = name
        self._settings = replace(settings, max_bytes=_MAX_ANSWER)
        self._hint = hint
        self._runner: asyncio.Runner | None = None
        self._sender = Sender(self._settings)

    def ask(self, sending: Sending) -> Response | Miss:
        """Send a request and wait for its answer."""
        if self._runner is None:
            self._runner = asyncio.Runner()
            self._runner.run(self._sender.__aenter__())
        return self._runner.run(self._sender(sending))

    def close(self) -> None:
        """Let go of the connections."""
        if self._runner is not None:
            self._runner.run(self._sender.__aexit__(None, None, None))
            self._runner.close()
            self._runner = None

    def trouble(self, batch: Batch, answer: Response | Miss) -> tuple[Receipt, ...]:
        """The receipts of a batch that the site did not take: failed, or refused; a wrong key stops everything."""
        if isinstance(answer, Miss):
            if answer.reason is Reason.PRIVATE_ADDRESS:
                raise DeliveryError(
                    f"the address of {self.name} is private: {answer.detail}",
                    target=self.name,
                    hint="name the target in the settings file, under [targets], to allow it",
                )
            detail = f"{answer.reason.value}: {answer.detail}"
            return receipts(batch, State.FAILED, detail, again=answer.reason in _PASSING)
        detail = f"HTTP {answer.status} {shown(answer.body)}".strip()
        if answer.status in _LOGIN:
            raise DeliveryError(f"{self.name} refuses the key or login ({detail})", target=self.name, hint=self._hint)
        if answer.status >= 500 or answer.status == _BUSY:  # noqa: PLR2004
            return receipts(batch, State.FAILED, detail, again=True, wait=wanted_pause(answer))
        if 300 <= answer.status < 400:  # noqa: PLR2004
            return receipts(batch, State.FAILED, f"{detail}: it points elsewhere; name that address itself")
        return receipts(batch, State.REFUSED, detail)


def is_fine(answer: Response | Miss) -> bool:
    """Whether a site took what it was sent."""
    return isinstance(answer, Response) and 200 <= answer.status < 300  # noqa: PLR2004


def wanted_pause(answer: Response) -> float:
    """Seconds that a site wants to be left alone; 0 where it does not say."""
    headers: Mapping[str, str] = {name.lower(): value for name, value in answer.headers}
    wished = (retry_after(headers.get(name, ""), datetime.now(UTC)) for name in ("retry-after", "backoff"))
    return max((seconds for seconds in wished if seconds), default=0.0)


def shown(body: bytes) -> str:
    """The beginning of an answer, fit for a message."""
    return " ".join(body[: 4 * _SHOWN].decode("utf-8", "replace").split())[:_SHOWN]
