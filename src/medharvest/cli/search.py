"""`medharvest search`: the collection by words, phrases and fields, widened by a vocabulary on request."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

import click

from medharvest.citations import find_format
from medharvest.cli.concepts import VOCABULARY_OPTION
from medharvest.cli.files import tell_policy, tell_withheld, write_formats
from medharvest.cli.options import JSON_OPTION, QUIET_OPTION, STORE_OPTION, cache_folder, settings_from
from medharvest.cli.table import names, place
from medharvest.records import Citation
from medharvest.run.export import open_outlet
from medharvest.run.flow import flow_lines, search_flow
from medharvest.run.searching import (
    Answer,
    Question,
    counted,
    load_strategy,
    references,
    save_strategy,
    search,
    tag_documents,
)
from medharvest.run.vocabularies import open_vocabulary
from medharvest.search import Group, render_query
from medharvest.store import MARKS, Hit, Store, open_store, utc_now
from medharvest.topics.widen import REACHES

_SHOWN = 12  # names of a category that are shown


@click.command("search", short_help="Search the collection.")
@click.argument("words", metavar="QUERY", nargs=-1)
@click.option("--expand", is_flag=True, help="Look for synonyms and relatives of the concepts named, and show them.")
@click.option("--reach", type=click.Choice(REACHES), default="near", show_default=True, help="How far --expand goes.")
@VOCABULARY_OPTION
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="Hits to print.")
@click.option("--save-strategy", type=click.Path(path_type=Path), metavar="FILE", help="Write the lines of the search.")
@click.option("--strategy", type=click.Path(path_type=Path), metavar="FILE", help="Search by such a file again.")
@click.option("--flow", "with_flow", is_flag=True, help="Go through all hits and count them for a flow chart.")
@click.option("--export", "formats", multiple=True, metavar="FORMAT", help="Write all citations found; repeatable.")
@click.option("--into", type=click.Path(path_type=Path), default=Path(), metavar="DIR", help="Folder for --export.")
@STORE_OPTION
@JSON_OPTION
@QUIET_OPTION
def command(  # noqa: PLR0913  (one parameter an option)
    *,
    words: tuple[str, ...],
    expand: bool,
    reach: str,
    vocabulary: str | None,
    limit: int,
    save_strategy: Path | None,
    strategy: Path | None,
    with_flow: bool,
    formats: tuple[str, ...],
    into: Path,
    store: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Search citations, and the pages that topical crawls kept.

    QUERY has words, "phrases", beginnings such as vasectom*, AND, OR, NOT and brackets, and fields: author:NAME,
    title:, abstract:, journal:, mesh:, keyword:, year:2010-2015, doi:, kind:page and more, or PubMed's tags such as
    asthma[ti]. Put it in single quotes, so that the shell leaves it alone.
    """
    if bool(words) == bool(strategy):
        raise click.UsageError("give a QUERY, or --strategy FILE")
    if strategy and expand:
        raise click.UsageError("--expand goes with a QUERY; a strategy is searched as it stands")
    for name in formats:
        find_format(name)  # an unknown one is told before anything is done
    question = Question(
        text=" ".join(words), strategy=load_strategy(strategy) if strategy else None, reach=reach if expand else ""
    )
    settings = settings_from(store=store, topics__vocabulary=vocabulary)
    with (
        open_store(settings.store) as opened,
        open_vocabulary(settings, cache=cache_folder(), announce=_say(quiet=quiet)) as known,
    ):
        tag_documents(opened, known, announce=_say(quiet=quiet))
        answer = search(question, opened, known, limit=limit)
        if save_strategy:
            _save(answer, opened, save_strategy, quiet=quiet)
        _show(answer, opened, as_json=as_json, quiet=quiet)
        if with_flow or formats:
            _write_all(answer, opened, formats, into, quiet=quiet)


def _say(*, quiet: bool) -> _Say:
    return _Say(quiet)


class _Say:
    """Tells on stderr what goes on, unless it shall be quiet."""

    def __init__(self, quiet: bool) -> None:  # noqa: FBT001  (what it is made from)
        self._quiet = quiet

    def __call__(self, message: str) -> None:
        if not self._quiet:
            click.echo(message, err=True)


def _save(answer: Answer, store: Store, path: Path, *, quiet: bool) -> None:
    save_strategy(counted(answer.strategy, store, made=utc_now()), path)
    _say(quiet=quiet)(f"strategy: {path}; edit it and search by it: medharvest search --strategy {path}")


def _show(answer: Answer, store: Store, *, as_json: bool, quiet: bool) -> None:
    say = _say(quiet=quiet)
    for number, group in enumerate(answer.strategy.groups, 1):
        for line in _group_lines(number, group):
            say(line)
    for n, (hit, citation) in enumerate(references(answer.found.hits, store), 1):
        click.echo(json.dumps(_row(hit, citation), ensure_ascii=False) if as_json else _card(n, hit, citation))
    if as_json:
        click.echo(json.dumps(_summary(answer), ensure_ascii=False))
    say(_total(answer))


def _group_lines(number: int, group: Group) -> Iterable[str]:
    """What a group looks for, by category."""
    own, *others = group.lines
    yield f"#{number} {render_query(own.query)}"
    for category in REACHES:
        found = [render_query(line.query) for line in others if line.category == category]
        if found:
            more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
            yield f"   {category}: {', '.join(found[:_SHOWN])}{more}"


def _total(answer: Answer) -> str:
    found, strategy = answer.found, answer.strategy
    if not found.total:
        widened = "" if strategy.groups else "; try --expand, which looks for other names too"
        return f"nothing found: {render_query(strategy.joined)}{widened}"
    ranked = f", the newest {found.ranked:,} ranked: narrow it for all" if found.ranked < found.total else ""
    shown = f"{len(found.hits)} shown" if len(found.hits) < found.total else "all shown"
    return f"{found.total:,} found, {shown}{ranked}"


def _card(n: int, hit: Hit, citation: Citation | None) -> str:
    about = [f"{n:3}. {_marked(hit.title) or '(no title)'}"]
    if citation is None:
        about.append(f"page  {hit.url}")
    else:
        known = (names(citation.authors), place(citation), hit.year, citation.doi)
        about.append(f"citation {hit.number}  " + ". ".join(part for part in known if part))
    if MARKS[0] in hit.snippet:
        about.append(_marked(hit.snippet))
    return "\n     ".join(about)


def _marked(text: str) -> str:
    """What was found in bold on a terminal, between stars elsewhere."""
    bold = ("\x1b[1m", "\x1b[0m") if _is_terminal() else ("**", "**")
    return text.replace(MARKS[0], bold[0]).replace(MARKS[1], bold[1])


def _is_terminal() -> bool:
    return sys.stdout.isatty()


def _row(hit: Hit, citation: Citation | None) -> dict[str, object]:
    row: dict[str, object] = {
        "kind": hit.kind,
        "number": hit.number,
        "title": hit.title.replace(MARKS[0], "").replace(MARKS[1], ""),
        "url": hit.url,
        "year": hit.year,
        "score": round(hit.score, 4),
        "snippet": hit.snippet.replace(MARKS[0], "**").replace(MARKS[1], "**"),
    }
    if citation is not None:
        row |= {"authors": names(citation.authors), "journal": citation.journal, "doi": citation.doi}
    return row


def _summary(answer: Answer) -> dict[str, object]:
    """The last line: how much was found, and by which lines."""
    lines = [
        {"group": number, "category": line.category, "query": render_query(line.query), "why": line.why}
        for number, group in enumerate(answer.strategy.groups, 1)
        for line in group.lines
    ]
    found = answer.found
    joined = render_query(answer.strategy.joined)
    return {"found": found.total, "ranked": found.ranked, "query": joined, "lines": lines}


def _write_all(answer: Answer, store: Store, formats: tuple[str, ...], into: Path, *, quiet: bool) -> None:
    counts, citations = search_flow(answer.query, store)
    for line in flow_lines(counts):
        _say(quiet=quiet)(line)
    if citations and formats:
        tell = tell_withheld if quiet else tell_policy
        records = open_outlet(store).release(lambda: citations, tell)
        write_formats(records, formats, into, said=click.echo)
    elif formats:
        _say(quiet=quiet)("no citation to write")
