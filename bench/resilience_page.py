"""The page docs/reference/resilience.md: what was thrown at the program, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bench.plot import draw_lines
from bench.render_clients import describe_clients
from bench.render_fuzz import describe_fuzz
from bench.render_kills import describe_kills
from bench.render_patterns import describe_patterns
from bench.render_poison import describe_poison
from bench.render_soak import describe_soak, soak_chart

# The parts of the page, by their result files.
TRIALS: Mapping[str, Callable[[dict[str, Any]], list[str]]] = {
    "poison": describe_poison,
    "kills": describe_kills,
    "fuzz": describe_fuzz,
    "patterns": describe_patterns,
    "review_clients": describe_clients,
    "soak": describe_soak,
}
_HEAD = """# Resilience

<!-- rendered by bench/render.py from bench/results; edit neither by hand -->

What was thrown at medharvest, and what came of it. Quick versions of these trials are in `tests/hostile` and run with
every change; these are the long ones.
"""


def resilience_files(results: Mapping[str, Any]) -> dict[str, str]:
    """The page and its plot, from the results that there are; nothing without any."""
    known = {name: result for name, result in results.items() if result}
    if not known:
        return {}
    parts = [line for name, result in known.items() for line in TRIALS[name](result)]
    plot = {"soak-memory.svg": draw_lines(soak_chart(known["soak"]))} if "soak" in known else {}
    return {"resilience.md": "\n".join([_HEAD, *parts]), **plot}
