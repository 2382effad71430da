"""Requests to a vocabulary service: rate-limited and cached; no message ever contains the key."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

from medharvest.errors import FetchError
from medharvest.fetch import AnswerCache, HttpFetcher
from medharvest.records import Miss, Reason, Response
from medharvest.settings import Fetch

_MAX_TRIES = 3  # of a request that failed for a passing reason
_MAX_ANSWER_BYTES = 20_000_000
MAX_EXPANDED_RELATIVES = 40  # relatives whose own relatives are requested, one request each
_MAX_QUESTIONS = 500  # requests per vocabulary
_PASSING_REASONS = frozenset({Reason.SERVER_ERROR, Reason.TIMEOUT, Reason.RATE_LIMITED, Reason.BROKEN_TRANSFER})
_BAD_KEY_REASONS = frozenset({Reason.LOGIN_WALL, Reason.FORBIDDEN})
_BAD_ADDRESS_REASONS = frozenset({Reason.MALFORMED_URL, Reason.NO_PROTOCOL})
_NO_HOST_REASONS = frozenset({Reason.UNKNOWN_HOST})
_EMPTY_REASONS = frozenset({Reason.NOT_FOUND})
Announce = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceAddress:
    """The address of a service, its rate and its key; `secret` parameters are sent with every request, never shown."""

    base: str
    name: str
    rate: float  # requests per second
    secret: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    key_hint: str = ""


class VocabularyService:
    """A service that answers in JSON; the first successful answer is announced."""

    def __init__(self, address: ServiceAddress, fetch: Fetch, *, answers: AnswerCache, announce: Announce) -> None:
        self.base = address.base.rstrip("/")
        self.name = address.name
        self._answers = answers
        self._secret = dict(address.secret)
        self._key_hint = address.key_hint
        self._announce: Announce | None = announce
        self._asked = 0
        # The user names the service, so robots.txt does not apply; a redirect could send the key elsewhere.
        delay = 1 / address.rate
        settings = replace(fetch, robots=False, delay=delay, per_host=1, max_redirects=0, max_bytes=_MAX_ANSWER_BYTES)
        self._runner = asyncio.Runner()
        self._fetcher = self._runner.run(HttpFetcher(settings).__aenter__())

    def ask(self, path: str, **parameters: str | int) -> Any:
        """Return the JSON answer; None if the service has nothing at this path."""
        public = f"{self.base}{path}" + (f"?{urlencode(parameters)}" if parameters else "")
        kept = self._answers.get(public)
        if kept is not None:
            with suppress(ValueError):  # a damaged cache file is requested again
                return json.loads(kept)
        answer = self._try(f"{self.base}{path}?{urlencode({**parameters, **self._secret})}".rstrip("?"))
        if isinstance(answer, Miss):
            if answer.reason in _EMPTY_REASONS:
                return None
            raise self._error(answer, public)
        data = self._read(answer, public)
        if self._announce:
            self._announce(f"{self.name}: connected to {self.base}")
            self._announce = None
        with suppress(OSError):  # a read-only cache is not an error
            self._answers.put(public, answer.body)
        return data

    def close(self) -> None:
        """Close the connections."""
        self._runner.run(self._fetcher.__aexit__(None, None, None))
        self._runner.close()

    def _try(self, url: str) -> Response | Miss:
        """Send a request; retry passing failures, after the pause of the fetcher."""
        self._asked += 1
        if self._asked > _MAX_QUESTIONS:
            return Miss(url, Reason.BUDGET, f"more than {_MAX_QUESTIONS} requests")
        answer: Response | Miss = Miss(url, Reason.TIMEOUT)
        for _ in range(_MAX_TRIES):
            answer = self._runner.run(self._fetcher(url))
            if isinstance(answer, Response) or answer.reason not in _PASSING_REASONS:
                break
        return answer

    def _read(self, answer: Response, public: str) -> Any:
        try:
            return json.loads(answer.body)
        except (ValueError, RecursionError) as error:
            raise FetchError(
                f"{self.name} did not answer with JSON ({answer.media_type}): {public}",
                url=public,
                reason=Reason.UNREADABLE,
                hint="check the address of the service",
            ) from error

    def _error(self, miss: Miss, public: str) -> FetchError:
        """Return an error by cause: a rejected key, a wrong address, an unknown host, or an unreachable service."""
        detail = miss.detail
        for value in self._secret.values():
            detail = detail.replace(value, "***")
        if miss.reason in _BAD_KEY_REASONS:
            message, hint = f"{self.name} rejects the key ({detail})", self._key_hint or "the service asks for a login"
        elif miss.reason in _BAD_ADDRESS_REASONS:
            message, hint = (
                f"address of {self.name} is wrong: {self.base}",
                "an address begins with http:// or https://",
            )
        elif miss.reason in _NO_HOST_REASONS:
            message, hint = f"host of {self.name} is unknown: {self.base}", "check the address and the network"
        else:
            message = f"{self.name} cannot be reached ({miss.reason}): {self.base}"
            hint = detail or "try again later, or use --vocabulary embedded"
        return FetchError(message, url=public, reason=miss.reason, hint=hint)
