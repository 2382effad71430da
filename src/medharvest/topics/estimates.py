"""What a topical crawl sees of a page, and what an estimator answers: values for the page and its links."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol


class TopicLink(NamedTuple):
    """A link: its address, its own text, and the words that stand around it."""

    url: str
    text: str = ""
    around: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicPage:
    """A page as estimators see it; `text` has the link texts too, `strong` what headings and bold type say again."""

    url: str
    title: str = ""
    text: str = ""
    strong: str = ""
    links: tuple[TopicLink, ...] = ()


@dataclass(frozen=True, slots=True)
class Standing:
    """How the crawl came to a page: the value of the link that led there, how many links from a seed, or a seed."""

    value: float = 1.0
    depth: int = 0
    seed: bool = False


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a page is worth by itself, and its links by address; those that are not to be followed are missing."""

    own: float
    links: Mapping[str, float] = field(default_factory=dict)


class Estimator(Protocol):
    """Values the links of a crawl; what it learns on the way it can write down and take up again."""

    seed_value: float

    def judge(self, page: TopicPage, standing: Standing) -> Estimate:
        """Value a page that arrived and its links."""
        ...

    def revalue(self, url: str, value: float) -> float:
        """What a waiting link is worth now that more is known."""
        ...

    def revalued(self) -> Mapping[str, float]:
        """After a page: the waiting links whose values changed."""
        ...

    def memory(self) -> dict[str, Any]:
        """What it has learnt, as JSON."""
        ...

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Take up what was learnt."""
        ...


class Forgetful:
    """An estimator whose values never change once given, and that has nothing to remember."""

    seed_value = math.inf  # seeds come before anything they lead to

    def revalue(self, url: str, value: float) -> float:  # noqa: ARG002  (part of the protocol)
        """The value it has."""
        return value

    def revalued(self) -> Mapping[str, float]:
        """None."""
        return {}

    def memory(self) -> dict[str, Any]:
        """Nothing."""
        return {}

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Nothing to take up."""
