"""Answers from a mapping, with no network; public, because everyone's tests need it."""

from __future__ import annotations

from collections.abc import Mapping

from medharvest.fetch.base import UNSEEN
from medharvest.records import Miss, Reason, Response, Validators


class ReplayFetcher:
    """Answers what it was given; any other URL is not found. `asked` lists the URLs in order."""

    def __init__(self, answers: Mapping[str, Response | Miss]) -> None:
        self.answers = dict(answers)
        self.asked: list[str] = []

    async def __call__(self, url: str, validators: Validators = UNSEEN) -> Response | Miss:  # noqa: ARG002
        """The answer for a URL, whatever was known of it."""
        self.asked.append(url)
        return self.answers.get(url, Miss(url, Reason.NOT_FOUND, "not in the replay"))
