"""What a run gave, for a person: counts, sizes and times, what is missing and the command that mends it."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator
from datetime import datetime

from medharvest.records import Outcome, Reason
from medharvest.run.harvest import Harvest

# What a person can get past with a browser and a robot cannot.
_BY_HAND = frozenset(
    {Reason.FORBIDDEN, Reason.LOGIN_WALL, Reason.BLOCKED, Reason.ROBOTS, Reason.CLIENT_ERROR, Reason.RATE_LIMITED}
)
_LISTED = 10  # missing pages that are named; the manifest has all


def summary(harvest: Harvest) -> str:
    """A few lines: articles and files, bytes and speed, what did not arrive."""
    return "\n".join(_lines(harvest))


def figures(harvest: Harvest) -> dict[str, float]:
    """The figures the paper gives of a run: articles, files, Kbytes, seconds, and their ratios."""
    kbytes = sum(page.size for page in harvest.pages) / 1000
    seconds = _seconds(harvest)
    files = len(harvest.pages)
    return {
        "articles": len(harvest.citations),
        "files": files,
        "kbytes": kbytes,
        "seconds": seconds,
        "seconds_per_page": seconds / files if files else 0.0,
        "kbytes_per_second": kbytes / seconds if seconds else 0.0,
    }


def _lines(harvest: Harvest) -> Iterator[str]:
    numbers = figures(harvest)
    kinds = Counter(page.kind for page in harvest.pages)
    per_kind = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())
    yield (
        f"run {harvest.run}: {numbers['articles']:.0f} articles, {numbers['files']:.0f} files ({per_kind}), "
        f"{numbers['kbytes']:,.0f} Kbytes in {numbers['seconds']:.1f} s: {numbers['seconds_per_page']:.2f} s a page, "
        f"{numbers['kbytes_per_second']:,.0f} Kbytes/s"
    )
    if harvest.failures:
        reasons = Counter(str(outcome.reason) for outcome in harvest.failures)
        counts = ", ".join(f"{name} {count}" for name, count in reasons.most_common())
        yield f"{len(harvest.failures)} page{'' if len(harvest.failures) == 1 else 's'} did not arrive ({counts})"
    if harvest.unread:
        yield f"{len(harvest.unread)} page{'' if len(harvest.unread) == 1 else 's'} could not be read"
        yield from (f"  unread: {why(outcome)}" for outcome in harvest.unread[:_LISTED])
    yield from _missing(harvest)
    if harvest.note:
        yield harvest.note
    if harvest.drift:
        yield f"{harvest.drift}; links were judged as those of a new journal; teach it again: medharvest learn links"
    if harvest.taught:
        yield f"learnt which links are articles: medharvest journals show {harvest.taught}"
    if harvest.stopped:
        yield f"stopped; go on with: medharvest runs {harvest.run} resume"


def _missing(harvest: Harvest) -> Iterator[str]:
    """The pages a person can fetch with a browser, each with the command that takes the saved file."""
    by_hand = [outcome for outcome in harvest.failures if outcome.reason in _BY_HAND]
    for outcome in by_hand[:_LISTED]:
        yield f"  blocked: {why(outcome)}"
        yield f"    save it with your browser, then: {supply_command(harvest.run, outcome)}"
    if len(by_hand) > _LISTED:
        yield f"  and {len(by_hand) - _LISTED} more: medharvest runs {harvest.run}"


def supply_command(run: int, outcome: Outcome) -> str:
    """The command to paste once the page is saved."""
    return f"medharvest runs {run} supply {shlex.quote(outcome.wish.url)} SAVED.html"


def why(outcome: Outcome) -> str:
    """An address that did not arrive, with the reason."""
    return f"{outcome.wish.url} ({outcome.reason}{': ' + outcome.detail if outcome.detail else ''})"


def _seconds(harvest: Harvest) -> float:
    """From the first request to the last answer."""
    asked = min((page.asked_at for page in harvest.pages if page.asked_at), default="")
    arrived = max((page.arrived_at for page in harvest.pages if page.arrived_at), default="")
    if not asked or not arrived:
        return 0.0
    return max(0.0, (datetime.fromisoformat(arrived) - datetime.fromisoformat(asked)).total_seconds())
