"""Render the pages of docs/reference that bench/results gives: speed, resilience, search, harvest, imports; and plots.

.venv/bin/python -m bench.render [--check]
"""

from __future__ import annotations

import itertools
import json
import statistics
import sys
import textwrap
from pathlib import Path
from typing import Any

from bench.harvest_page import harvest_page
from bench.plot import Chart, draw
from bench.render_blocks import uses_page
from bench.render_duplicates import describe_duplicates
from bench.render_foreign import foreign_page
from bench.render_reading import reading_files
from bench.render_review import reviewing
from bench.render_search import searching
from bench.resilience_page import TRIALS, resilience_files
from bench.round_trips import round_trips_page
from bench.store_tables import lasting, storing

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "reference"
LIMITS = {"import medharvest": 0.1, "medharvest --version": 0.3, "medharvest read PAGE": 1.0}
OURS = "medharvest"
_FEW = 0.1  # of all pages


def main() -> int:
    """Write the page and its plots, or with `--check` say whether they are current."""
    wanted = {FOLDER / name: text for name, text in files().items()}
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(f"not what bench/results gives: {path.relative_to(ROOT)}")
        return 1 if stale else 0
    for path in stale:
        path.write_text(wanted[path], encoding="utf-8")
    return 0


def files() -> dict[str, str]:
    """Every file that is rendered, by its name in docs/reference."""
    startup, crawl, scale, blocks = (_result(name) for name in ("startup", "crawl", "scale", "blocks"))
    head = ["# Speed", "", "<!-- rendered by bench/render.py from bench/results; edit neither by hand -->", ""]
    parts = [*starting(startup), *(crawling(crawl) if crawl else []), *(growing(scale) if scale else [])]
    parts += scanning(blocks) if blocks else []
    match = _result("match")
    parts += matching(match) if match else []
    topics = _result("topics")
    parts += scoring(topics) if topics else []
    read, mutate, export = _result("read"), _result("mutate"), _result("export")
    parts += [*(reading(read) if read else []), *(breaking(mutate) if mutate else [])]
    parts += exporting(export) if export else []
    duplicates = _result("duplicates")
    parts += describe_duplicates(duplicates) if duplicates else []
    deliver = _result("deliver")
    parts += delivering(deliver) if deliver else []
    store, durability = _result("store"), _result("durability")
    parts += [*(storing(store) if store else []), *(lasting(durability) if durability else [])]
    review = _result("review")
    parts += reviewing(review) if review else []
    plots = {"speed-pages.svg": _pages_chart, "speed-frontier.svg": _frontier_chart} if scale else {}
    harvest = _result("harvest")
    searched = searching(_result("search"), _result("recall"))
    pages = {"speed.md": "\n".join([*head, *parts]), "search.md": searched}
    pages |= {"harvest.md": harvest_page(harvest)} if harvest else {}
    foreign = _result("foreign")
    pages |= {"imports.md": foreign_page(foreign)} if foreign else {}
    uses = _result("block_uses")
    pages |= {"block-uses.md": uses_page(uses)} if uses else {}
    read_unseen = _result("reading")
    pages |= reading_files(read_unseen) if read_unseen else {}
    trips = _result("round_trips")
    pages |= {"round-trips.md": round_trips_page(trips)} if trips else {}
    return {
        **pages,
        **resilience_files({name: _result(name) for name in TRIALS}),
        **{name: draw(chart(scale)) for name, chart in plots.items()},
    }


def _result(name: str) -> Any:
    path = ROOT / "bench" / "results" / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def starting(result: dict[str, Any]) -> list[str]:
    """Medians of each case, and their ratio to the bare interpreter of the same rounds."""
    runs = result["runs"]
    base = _median(runs["bare interpreter"], "cpu")
    return [
        "## Starting",
        "",
        f"Medians of {_rounds(runs)} interleaved rounds, {_versions(result)}. The ratio is CPU time against the",
        "bare interpreter in the same rounds; the import alone is its row less that one.",
        "",
        "| case | wall s | CPU s | ratio | aim, wall s |",
        "|---|---:|---:|---:|---:|",
        *(_case(name, rows, base) for name, rows in runs.items()),
        "",
        f"Measured with `{result['command']}`.",
        "",
    ]


def _case(name: str, runs: list[dict[str, float]], base: float) -> str:
    cpu = _median(runs, "cpu")
    return f"| `{name}` | {_median(runs, 'wall'):.3f} | {cpu:.3f} | {cpu / base:.1f} | {LIMITS.get(name, '')} |"


def crawling(result: dict[str, Any]) -> list[str]:
    """Each contender on the generated site, and the same pages on both kinds of site."""
    runs = result["runs"]
    return [
        "## Crawling, beside others",
        "",
        *_prose(
            f"A generated site of {result['pages']:,} pages, 64 KB and 143 links each on average, mostly repeated,",
            f"on nginx over the loopback address; medians of {_rounds(runs)} interleaved rounds, {_versions(result)}.",
            "CPU is user and system time of the crawler with its children, from start to end of the process; memory is",
            "the peak of what was resident, children counted. What was fetched is what the server's log says.",
        ),
        "",
        *_prose(
            "medharvest runs `issue --links constraints --workers 16 --delay 0` and reads no page afterwards.",
            "It obeys robots.txt, keeps its state in SQLite, one transaction a page, and writes a WARC archive",
            "and a file for each page. Scrapy does none of these; it has 16 connections as well, and its log is off.",
            "The idiomatic spider calls `response.follow` for every link; the tuned one finds links with Lexbor, joins",
            "them with Ada and drops duplicates before it makes a request. wget has one connection and writes files.",
        ),
        "",
        "| crawler | CPU ms a page | medharvest to it | CPU s of each run | wall s | memory MB | pages | same pages |",
        "|---|---:|---:|---|---:|---:|---:|---|",
        *(_contender(name, runs) for name in runs),
        "",
        *_same_journals(result["journals"]),
        "",
        f"Measured with `{result['command']}`.",
        "",
    ]


def _contender(name: str, runs: dict[str, list[dict[str, Any]]]) -> str:
    rows = runs[name]
    cpu, own = _median(rows, "cpu"), _median(runs[OURS], "cpu")
    same = {row["digest"] for row in rows} == {runs[OURS][0]["digest"]}
    cells = [
        name,
        f"{1000 * cpu / rows[0]['pages']:.2f}",
        f"{own / cpu:.2f}",
        ", ".join(f"{row['cpu']:.1f}" for row in rows),
        f"{_median(rows, 'wall'):.1f}",
        f"{_median(rows, 'megabytes'):.0f}",
        f"{rows[0]['pages']:,}",
        "yes" if same else "no",
    ]
    return f"| {' | '.join(cells)} |"


def _same_journals(journals: list[dict[str, Any]]) -> list[str]:
    pages = sum(row["pages"] for row in journals)
    return _prose(
        f"The {len(journals)} issues of the bundled journals, {pages} pages in all, by one rule, the links that the",
        "constraint sets let pass: Scrapy's spider asks our `judge_links`, and of all that wget archived, the pages",
        "count that the rule reaches.",
        *(_differences(journals, peer) for peer in ("Scrapy", "wget")),
    )


def _differences(journals: list[dict[str, Any]], peer: str) -> str:
    other = [f"`{path}` of `{row['issue']}`" for row in journals for path in row[peer]]
    return f"{peer} and medharvest differ in {', '.join(other)}." if other else f"{peer} has exactly the same pages."


def growing(result: dict[str, Any]) -> list[str]:
    """The cost of a page as the crawl grows."""
    return [
        "## Crawling, as it grows",
        "",
        *_prose(
            "The whole engine on small pages that are made where they are asked for, so that no server is the limit:",
            "plan, WARC archive, files and SQLite state as in any run, each crawl in its own process;",
            f"{_versions(result)}.",
        ),
        "",
        "![CPU time for a page against the pages of the crawl](speed-pages.svg)",
        "",
        "| pages | CPU ms a page | memory MB |",
        "|---:|---:|---:|",
        *(f"| {row['pages']:,} | {_cost(row):.2f} | {row['megabytes']:.0f} |" for row in result["sizes"]),
        "",
        "And when each page brings a hundred new addresses, which wait:",
        "",
        "![CPU time for a page against the addresses that wait](speed-frontier.svg)",
        "",
        "| pages | addresses waiting | CPU ms a page since the row before |",
        "|---:|---:|---:|",
        *(f"| {pages:,} | {waiting:,} | {cost:.2f} |" for pages, waiting, cost in _windows(result["frontier"])),
        "",
        f"Memory at the end: {result['frontier']['megabytes']:.0f} MB. Measured with `{result['command']}`.",
        "",
    ]


def scanning(result: dict[str, Any]) -> list[str]:
    """Blocks beside a parser, body texts beside those of others."""
    scans, speeds = result["scans"], result["speeds"]
    parser, own = statistics.median(scans["selectolax"]), statistics.median(speeds[OURS])
    return [
        "## Link blocks and body text, beside others",
        "",
        *_prose(
            f"{result['pages']} saved pages with {result['links']:,} links, {result['characters'] / 1e6:.0f} million",
            f"characters; CPU time, medians of {_rounds(scans)} rounds in one process, the contenders taking turns at",
            f"every page, {_versions(result)}.",
        ),
        "",
        "| | CPU ms for all pages | to the parser |",
        "|---|---:|---:|",
        *(f"| {name} | {1000 * _middle(runs):.0f} | {_middle(runs) / parser:.2f} |" for name, runs in scans.items()),
        "",
        *_prose(
            f"The body text of the {result['content']} content pages among them. Token F1, precision and recall are",
            "means over the pages whose text people wrote down; of the others people gave snippets that belong to the",
            "text (kept) and that do not (left out). Our own figures are out of fold: each page is judged by a model",
            "that did not learn from its site. One site in three was kept aside: no model learnt from their pages. The",
            "last column is the F1 of these pages alone.",
        ),
        "",
        "| | CPU ms for all pages | to medharvest | F1 | precision | recall | kept | left out | F1 aside |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
        *(
            _extractor(name, _middle(runs), own, {**result["texts"][name], "aside": result["aside"][name]["f1"]})
            for name, runs in speeds.items()
        ),
        "",
        f"Measured with `{result['command']}`.",
        "",
    ]


def _extractor(name: str, seconds: float, own: float, figures: dict[str, float]) -> str:
    names = ("f1", "precision", "recall", "kept", "left_out", "aside")
    shares = " | ".join(f"{figures[figure]:.3f}" for figure in names)
    return f"| {name} | {1000 * seconds:.0f} | {seconds / own:.1f} | {shares} |"


def matching(result: dict[str, Any]) -> list[str]:
    """What the vocabulary costs to load, and finding terms beside others."""
    load, crawl = result["load"], result["crawl"]
    seconds, megabytes = _median(load, "seconds"), _median(load, "megabytes")
    page, anchor = 1000 * _median(crawl, "page"), 1e6 * _median(crawl, "anchor")
    rows = [_matcher(int(count), name, runs) for count, runs in result["runs"].items() for name in runs]
    return [
        "## Vocabulary and matching, beside others",
        "",
        *_prose(
            f"Loading the embedded vocabulary and looking up one name takes {seconds:.2f} s of CPU time and",
            f"{megabytes:.0f} MB. For one topic of {crawl[0]['terms']} terms, a page of 50 kB takes {page:.2f} ms and",
            f"the text of a link {anchor:.1f} µs. All are medians of {len(load)} rounds, {_versions(result)}.",
        ),
        "",
        *_prose(
            "Whole words in ten megabytes of English abstracts. The others match the text as it stands, so they miss",
            "terms across hyphens and line breaks, plurals and accents; str.count finds parts of words too.",
        ),
        "",
        "| terms | | MB a CPU second | to medharvest | seconds to build | hits a MB |",
        "|---:|---|---:|---:|---:|---:|",
        *rows,
        "",
        f"Measured with `{result['command']}`.",
        "",
    ]


def _matcher(count: int, name: str, runs: dict[str, list[dict[str, float]]]) -> str:
    rate, build, hits = (_median(runs[name], figure) for figure in ("rate", "build", "hits"))
    return f"| {count:,} | {name} | {rate:.1f} | {rate / _median(runs[OURS], 'rate'):.2f} | {build:.2f} | {hits:.0f} |"


def scoring(result: dict[str, Any]) -> list[str]:
    """What a page costs a topical crawl, and what its frontier does."""
    best = {name: statistics.mean(pages) for name, pages in result["scoring"].items()}
    frontier, kept = result["frontier"], result["durable"]
    return [
        "## Topical crawls",
        "",
        *_prose(
            "Made up pages of 50 kB with 150 links, scored for one topic in one process: text and links of the page,",
            f"its value and those of all its links. Of each page the best of {result['rounds']} interleaved rounds,",
            f"{_versions(result)}.",
        ),
        "",
        "| | CPU ms a page | pages a CPU second | to the bare parse |",
        "|---|---:|---:|---:|",
        *(
            f"| {name} | {1000 * spent:.2f} | {1 / spent:.0f} | {spent / best['bare parse']:.1f} |"
            for name, spent in best.items()
        ),
        "",
        *_prose(
            f"The frontier in memory does {frontier['rate']:,.0f} operations a CPU second with",
            f"{frontier['addresses']:,} addresses. On disk it does {kept['rate']:,.0f} a CPU second,",
            f"{kept['wall rate']:,.0f} by the clock: in a crawl that grows to {kept['waiting']:,} addresses, with",
            f"every outcome in the store before the next page and the plan written down {kept['written']} times.",
            f"To restore the plan at the end takes {kept['restore']:.1f} s.",
        ),
        "",
        f"Measured with `{result['command']}`.",
        "",
    ]


def _middle(runs: list[float]) -> float:
    return statistics.median(runs)


def _cost(row: dict[str, Any]) -> float:
    return float(1000 * row["cpu crawl"] / row["arrived"])


def _windows(row: dict[str, Any]) -> list[tuple[int, int, float]]:
    """Pages, addresses waiting, and CPU milliseconds a page in between, from one mark to the next.

    A last stretch of a few pages is counted with the one before it.
    """
    *marks, near, last = row["marks"]
    marks += [last] if last[0] - near[0] < _FEW * last[0] else [near, last]
    pairs = itertools.pairwise(marks)
    return [(one[0], one[1], 1000 * (one[2] - before[2]) / (one[0] - before[0])) for before, one in pairs]


def _pages_chart(result: dict[str, Any]) -> Chart:
    line = [(row["pages"], _cost(row)) for row in result["sizes"]]
    return Chart("Cost of a page by the size of the crawl", "pages of the crawl", "CPU ms a page", line)


def _frontier_chart(result: dict[str, Any]) -> Chart:
    line = [(waiting, cost) for _, waiting, cost in _windows(result["frontier"])]
    return Chart("Cost of a page by the size of the frontier", "addresses waiting", "CPU ms a page", line)


def reading(result: dict[str, Any]) -> list[str]:
    """Each tool on the same pages, and how much more or less it takes than ours."""
    runs = {name: statistics.median(seconds) for name, seconds in result["runs"].items()}
    pdfs = runs.pop("medharvest read, PDFs")
    own, parse = runs["medharvest read"], runs["selectolax, parsing alone"]
    return [
        "## Reading, beside others",
        "",
        *_prose(
            f"{result['pages']} article pages, {result['bytes'] / result['pages'] / 1000:.0f} KB on average; medians",
            f"of {_rounds(result['runs'])} interleaved passes after one to warm up, {_versions(result)}. `read` runs",
            "as it is shipped for many pages, in a process of its own, and the cost of handing pages over is counted.",
            "`bare_extraction` is asked for metadata too; `extract_metadata` reads no text.",
        ),
        "",
        "| tool | CPU ms a page | pages per CPU s | its time to that of read |",
        "|---|---:|---:|---:|",
        *(_reader(name, seconds / result["pages"], seconds / own) for name, seconds in runs.items()),
        "",
        *_prose(
            f"Reading takes {own / parse:.0f} times as long as parsing the HTML alone. PDFs: {result['pdfs']} files of",
            f"{result['pdf pages']} pages, {result['pdf pages'] / pdfs:.0f} pages per CPU second.",
        ),
        "",
        f"Measured with `{result['command']}`.",
        "",
    ]


def _reader(name: str, seconds: float, ratio: float) -> str:
    return f"| {name} | {1000 * seconds:.1f} | {1 / seconds:.0f} | {ratio:.2f} |"


def exporting(result: dict[str, Any]) -> list[str]:
    """Each format written and read back, and the memory it took after few and after all records."""
    number = result["records"]
    return [
        "## Writing and reading files of citations",
        "",
        *_prose(
            f"{number:,} records in each format, {_versions(result)}, each format in a process of its own; the time",
            "of making the records is taken off. The peak of memory is taken after 1,000 records written, after all of",
            "them, and after up to 10,000 were read back. An import also puts each record into normal form. The aim is",
            "5,000 records a second written in memory that does not grow, and 2,000 imported, 3,000 of RIS.",
        ),
        "",
        "| format | written per CPU s | read | imported | MB a file | MB early | MB at the end | MB with reading |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
        *(_format(name, run, number) for name, run in result["runs"].items()),
        "",
        f"Measured with `{result['command']}`.",
        "",
    ]


def _format(name: str, run: dict[str, float], number: int) -> str:
    read, normal = (f"{run['back'] / run[part]:,.0f}" if run.get(part) else "" for part in ("read", "normal"))
    return (
        f"| `{name}` | {number / run['write']:,.0f} | {read} | {normal} | {run['bytes'] / 1e6:.0f} | "
        f"{run['early']:.0f} | {run['late']:.0f} | {run['all']:.0f} |"
    )


def delivering(result: dict[str, Any]) -> list[str]:
    """Each target twice, SFTP broken off, and a harvest while records change."""
    broken, harvest = result["broken"], result["harvest"]
    return [
        "## Delivering",
        "",
        *_prose(
            f"{result['records']:,} records to servers of the tests on the loopback address, then the same delivery",
            f"again, {_versions(result)}. The CPU time is that of both ends. Publisher XML, in `folder` and `sftp`,",
            "is checked by rules and schema before it goes.",
        ),
        "",
        "| target | sent | CPU ms a record | sent again | CPU ms a record, again |",
        "|---|---:|---:|---:|---:|",
        *(_delivered(name, run, result["records"]) for name, run in result["twice"].items()),
        "",
        *_prose(
            f"An SFTP delivery was killed {broken['kills']} times and its connection cut {broken['cuts']} times, at",
            f"random: {broken['half_files']} files were there in part under their final name. After one more delivery",
            f"{broken['arrived']:,} of {broken['records']:,} records had arrived, {broken['arrived_twice']} of them",
            f"twice, {broken['left_over_parts']} temporary files were left, and a further delivery sent",
            f"{broken['sent_by_a_further_delivery']} files.",
        ),
        "",
        *_prose(
            "Sickle harvested the same records over OAI-PMH while another thread changed them:",
            f"{harvest['valid']} answers were valid and {harvest['invalid']} were not, by {_both(harvest)}.",
        ),
        "",
        "| format | records | harvested | changes meanwhile | seen again as changed |",
        "|---|---:|---:|---:|---:|",
        *(_harvested(name, run) for name, run in harvest["formats"].items()),
        "",
        f"Measured with `{result['command']}`.",
        "",
    ]


def _delivered(name: str, run: dict[str, float], number: int) -> str:
    first, again = (1000 * run[cost] / number for cost in ("cpu", "cpu_again"))
    return f"| `{name}` | {run['sent']:,} | {first:.2f} | {run['sent_again']:,} | {again:.2f} |"


def _both(harvest: dict[str, Any]) -> str:
    return " and ".join(f"`{Path(name).name}`" for name in harvest["checked_by"])


def _harvested(name: str, run: dict[str, int]) -> str:
    return (
        f"| `{name}` | {run['records']:,} | {run['harvested']:,} | {run['changes_meanwhile']:,} | "
        f"{run['seen_again_as_changed']:,} |"
    )


def breaking(result: dict[str, Any]) -> list[str]:
    """What became of broken pages, and the most that one of each sort took."""
    return [
        "## Reading broken pages",
        "",
        *_prose(
            f"{result['pages']:,} pages made from {result['originals']} by chance, each read in a process of its own:",
            f"{len(result['failures'])} of them crashed, raised, or took more than 2 s of CPU time or 1 GB;",
            f"{_versions(result)}.",
        ),
        "",
        "| pages that are | pages | a record | a reason | longest, CPU s | most MB |",
        "|---|---:|---:|---:|---:|---:|",
        *(_broken(name, row) for name, row in result["mutations"].items()),
        "",
        f"Measured with `{result['command']}`.",
        "",
    ]


def _broken(name: str, row: dict[str, Any]) -> str:
    counts = " | ".join(f"{row.get(key, 0):,}" for key in ("pages", "record", "reason"))
    return f"| {name} | {counts} | {row['seconds']:.2f} | {row['megabytes']:.0f} |"


def _prose(*parts: str) -> list[str]:
    return textwrap.wrap(" ".join(parts), width=118, break_long_words=False, break_on_hyphens=False)


def _versions(result: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    return f"{versions}, commit `{result['commit'][:12]}`"


def _rounds(runs: dict[str, list[Any]]) -> int:
    return len(next(iter(runs.values())))


def _median(runs: list[dict[str, float]], key: str) -> float:
    return statistics.median(run[key] for run in runs)


if __name__ == "__main__":
    sys.exit(main())
