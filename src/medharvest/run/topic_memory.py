"""The plan of a crawl on disk: written down as a whole now and then, so that a crawl goes on without its beginning.

The store has every outcome, and the archive every page, before the next page is asked for; a plan follows from them. So
no operation on the frontier is ever lost. What is written here saves the way from the first page: only what came since
is taken in again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from medharvest.crawl.topic import TopicPlan
from medharvest.run.output import write_file

MEMORY = "plan.json"
_LEAST = 5_000  # links and pages between two writings
_A_PAGE = 50  # a page that came takes as much room as so many links, for its words are remembered


class PlanMemory:
    """Writes a plan down when as much was done since the last time as it holds.

    So all writings together cost the crawl a fixed share, however large it grows.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / MEMORY
        self._due = _LEAST

    def read(self, *, known: int) -> dict[str, Any] | None:
        """What was written last, unless it is damaged, or knows more than the first `known` pages of the store.

        The latter may be after a failure of power.
        """
        try:
            memory: dict[str, Any] = json.loads(self.path.read_bytes())
            settled, self._due = memory["spent"] - len(memory["flight"]), memory["work"] + _LEAST
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
        return memory if settled <= known else None

    def keep(self, plan: TopicPlan) -> bool:
        """Write a plan down if it is time to; whether it was."""
        if plan.work < self._due:
            return False
        write_file(self.path, [json.dumps(plan.memory(), separators=(",", ":"))])
        self._due = plan.work + max(_LEAST, plan.waiting + _A_PAGE * len(plan.visited))
        return True

    def forget(self) -> None:
        """Remove it; a crawl that has ended needs it no more."""
        self.path.unlink(missing_ok=True)
