"""`medharvest search`: search the collection by words, phrases and fields, with synonyms if wanted."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path

import click

from medharvest.cli.concepts import VOCABULARY_OPTION
from medharvest.cli.display import first_author_text, journal_place
from medharvest.cli.files import report_policy, report_withheld, write_formats
from medharvest.cli.options import (
    JSON_OPTION,
    QUIET_OPTION,
    STORE_OPTION,
    cache_folder,
    load_cli_settings,
    make_announcer,
)
from medharvest.cli.output_gate import clean_output, print_trusted
from medharvest.codec import format_json
from medharvest.fields import list_notices
from medharvest.formats import find_format
from medharvest.library.collection_search import (
    SearchAnswer,
    SearchQuestion,
    chart_search,
    count_strategy_lines,
    flow_chart_lines,
    load_strategy,
    records_of_hits,
    save_strategy,
    search_collection,
    tag_new_documents,
)
from medharvest.library.export import open_exporter
from medharvest.records import Citation
from medharvest.search import StrategyGroup, render_query
from medharvest.store import HIT_MARKS, Hit, Store, current_store_time, open_existing
from medharvest.topics.text_concepts import REACHES
from medharvest.vocabularies.selection import open_vocabulary

_NAMES_SHOWN = 12  # names shown per category


@click.command("search", short_help="Search the collection.")
@click.argument("words", metavar="QUERY", nargs=-1)
@click.option("--expand", is_flag=True, help="Also search for synonyms and related concepts, and show them.")
@click.option("--reach", type=click.Choice(REACHES), default="near", show_default=True, help="How far --expand goes.")
@VOCABULARY_OPTION
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="Hits to print.")
@click.option(
    "--save-strategy", type=click.Path(path_type=Path), metavar="FILE", help="Write the search strategy to a file."
)
@click.option("--strategy", type=click.Path(path_type=Path), metavar="FILE", help="Search by a saved strategy.")
@click.option("--flow", "with_flow", is_flag=True, help="Go through all hits and count them for a flow chart.")
@click.option(
    "--export", "formats", multiple=True, metavar="FORMAT", help="Write all citations found in this format; repeatable."
)
@click.option("--into", type=click.Path(path_type=Path), default=Path(), metavar="DIR", help="Folder for --export.")
@STORE_OPTION
@JSON_OPTION
@QUIET_OPTION
def command(  # noqa: PLR0913  (one parameter per option)
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

    QUERY has words, "phrases", truncated words such as vasectom*, AND, OR, NOT and brackets, and fields: author:NAME,
    title:, abstract:, journal:, mesh:, keyword:, year:2010-2015, doi:, kind:page and more, or PubMed's tags such as
    asthma[ti]. Put it in single quotes to protect it from the shell.
    """
    if bool(words) == bool(strategy):
        raise click.UsageError("give a QUERY, or --strategy FILE")
    if strategy and expand:
        raise click.UsageError("--expand needs a QUERY; a strategy is searched as it is")
    for name in formats:
        find_format(name)  # an unknown format is reported before anything is done
    question = SearchQuestion(
        text=" ".join(words), strategy=load_strategy(strategy) if strategy else None, reach=reach if expand else ""
    )
    settings = load_cli_settings(store=store, topics__vocabulary=vocabulary)
    with (
        open_existing(settings.store) as opened,
        open_vocabulary(settings, cache=cache_folder(), announce=make_announcer(quiet=quiet)) as known,
    ):
        tag_new_documents(opened, known, announce=make_announcer(quiet=quiet))
        answer = search_collection(question, opened, known, limit=limit)
        if save_strategy:
            _save_found_strategy(answer, opened, save_strategy, quiet=quiet)
        _show_answer(answer, opened, as_json=as_json, quiet=quiet)
        if with_flow or formats:
            _write_found_records(answer, opened, formats, into, quiet=quiet)


def _save_found_strategy(answer: SearchAnswer, store: Store, path: Path, *, quiet: bool) -> None:
    save_strategy(count_strategy_lines(answer.strategy, store, made=current_store_time()), path)
    again = f"medharvest search --strategy {shlex.quote(str(path))}"
    make_announcer(quiet=quiet)(f"strategy: {path}; edit it and search by it: {again}")


def _show_answer(answer: SearchAnswer, store: Store, *, as_json: bool, quiet: bool) -> None:
    say = make_announcer(quiet=quiet)
    for number, group in enumerate(answer.strategy.groups, 1):
        for line in _describe_group(number, group):
            say(line)
    for n, (hit, citation) in enumerate(records_of_hits(answer.found.hits, store), 1):
        if as_json:
            click.echo(format_json(_hit_row(hit, citation)))
        else:
            _print_hit_card(_hit_card(n, hit, citation))
    if as_json:
        click.echo(format_json(_search_summary(answer)))
    say(_total_line(answer))


def _describe_group(number: int, group: StrategyGroup) -> Iterable[str]:
    """Describe what a group searches for, by category."""
    own, *others = group.lines
    yield f"#{number} {render_query(own.query)}"
    for category in REACHES:
        found = [render_query(line.query) for line in others if line.category == category]
        if found:
            more = f" and {len(found) - _NAMES_SHOWN} more" if len(found) > _NAMES_SHOWN else ""
            yield f"   {category}: {', '.join(found[:_NAMES_SHOWN])}{more}"


def _total_line(answer: SearchAnswer) -> str:
    found, strategy = answer.found, answer.strategy
    if not found.total:
        widened = "" if strategy.groups else "; try --expand, which also searches for synonyms"
        return f"nothing found: {render_query(strategy.joined)}{widened}"
    ranked = f", the newest {found.ranked:,} ranked; narrow the query to rank all" if found.ranked < found.total else ""
    shown = f"{len(found.hits)} shown" if len(found.hits) < found.total else "all shown"
    return f"{found.total:,} found, {shown}{ranked}"


def _hit_card(n: int, hit: Hit, citation: Citation | None) -> str:
    about = [f"{n:3}. {hit.title or '(no title)'}"]
    if citation is None:
        about.append(f"page  {hit.url}")
    else:
        known = (first_author_text(citation.authors), journal_place(citation), hit.year, citation.doi)
        about.append(f"citation {hit.number}  " + ". ".join(part for part in known if part))
        about += [notice.upper() for notice in list_notices(citation)]
    if HIT_MARKS[0] in hit.snippet:
        about.append(hit.snippet)
    return "\n     ".join(about)


def _print_hit_card(card: str) -> None:
    """Show the matches in bold on a terminal, between stars elsewhere."""
    bold = ("\x1b[1m", "\x1b[0m") if _is_terminal() else ("**", "**")
    marked = {HIT_MARKS[0]: bold[0], HIT_MARKS[1]: bold[1]}
    pieces = re.split(f"([{''.join(HIT_MARKS)}])", f"{card}\n")
    print_trusted("".join(marked.get(piece) or clean_output(piece) for piece in pieces))


def _is_terminal() -> bool:
    return sys.stdout.isatty()


def _hit_row(hit: Hit, citation: Citation | None) -> dict[str, object]:
    row: dict[str, object] = {
        "kind": hit.kind,
        "number": hit.number,
        "title": hit.title.replace(HIT_MARKS[0], "").replace(HIT_MARKS[1], ""),
        "url": hit.url,
        "year": hit.year,
        "score": round(hit.score, 4),
        "snippet": hit.snippet.replace(HIT_MARKS[0], "**").replace(HIT_MARKS[1], "**"),
    }
    if citation is not None:
        row |= {"authors": first_author_text(citation.authors), "journal": citation.journal, "doi": citation.doi}
        row |= {"notices": list(list_notices(citation))} if list_notices(citation) else {}
    return row


def _search_summary(answer: SearchAnswer) -> dict[str, object]:
    """Return the last JSON line: the number of hits, and the lines of the search."""
    lines = [
        {"group": number, "category": line.category, "query": render_query(line.query), "why": line.why}
        for number, group in enumerate(answer.strategy.groups, 1)
        for line in group.lines
    ]
    found = answer.found
    joined = render_query(answer.strategy.joined)
    return {"found": found.total, "ranked": found.ranked, "query": joined, "lines": lines}


def _write_found_records(
    answer: SearchAnswer, store: Store, formats: tuple[str, ...], into: Path, *, quiet: bool
) -> None:
    counts, citations = chart_search(answer.query, store)
    for line in flow_chart_lines(counts):
        make_announcer(quiet=quiet)(line)
    if citations and formats:
        tell = report_withheld if quiet else report_policy
        records = open_exporter(store).release(lambda: citations, tell)
        write_formats(records, formats, into, said=click.echo)
    elif formats:
        make_announcer(quiet=quiet)("no citation to write")
