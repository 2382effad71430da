"""`medharvest evaluate search`: the names of topics searched in an offline web, bare and widened."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import click


def evaluate_search(
    web: Path | None, topics: Path | None, *, as_json: bool, progress: Callable[[int, int], None]
) -> None:
    """Load the web as a collection, search it for its topics and print the figures."""
    from medharvest.evaluate.offline_web import OfflineWeb, load_topics
    from medharvest.evaluate.results import render_table
    from medharvest.evaluate.search import score_search, search_json, search_table

    if web is None or topics is None:
        raise click.UsageError("search needs --web FILE and --topics FILE")
    scores = score_search(OfflineWeb(web), load_topics(topics), progress)
    if as_json:
        click.echo(json.dumps(search_json(scores)))
        return
    click.echo("\n".join(render_table(search_table(scores))))
    click.echo(_LEGEND)


_LEGEND = (
    "recall: share of the topic's relevant pages that the query finds; P@20: relevant share of the first twenty; "
    "bare is the name as typed, the others what --expand --reach makes of it"
)
