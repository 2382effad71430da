"""Tables, `issue` and `export` say which records are sure and which need a look."""

from __future__ import annotations

import io
import sys
from dataclasses import replace

import pytest

from medharvest.cli.display import doubtful_fields, print_citation_table, readiness_line
from medharvest.demo import list_demo_issues, serve
from medharvest.records import Citation, Evidence
from medharvest.store import open_store

ISSUE = next(issue for issue in list_demo_issues() if issue.id == "a3")
SURE = Evidence(
    field="title", page="", path="", start=0, end=0, text="", source="meta", method="m", score=0.999, accepted=True
)
TITLE = "A title that is much too long for one line of a terminal, and one that says so twice"
READY = Citation(title=TITLE, evidence=(SURE,))
DOUBTFUL = Citation(title="Other", date="2010", first_page="7", journal="Tides", evidence=(SURE,))


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_without_a_terminal_a_table_is_lines_with_tabs(capsys):
    print_citation_table([READY, replace(DOUBTFUL, title="Two\tparts\n")])
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert rows == [[TITLE, "", "", "", "", "ready"], ["Two parts", "", "Tides", "2010", "7", "3 fields"]]


def test_a_record_that_somebody_accepted_is_ready(capsys):
    print_citation_table([DOUBTFUL], accepted={DOUBTFUL})
    assert capsys.readouterr().out.endswith("\tready\n")


@pytest.mark.parametrize("columns", [80, 120])
def test_in_a_terminal_each_record_is_one_line_that_fits(columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "dumb")
    screen = Terminal()
    monkeypatch.setattr(sys, "stdout", screen)
    records = [replace(DOUBTFUL, title=TITLE), replace(DOUBTFUL, date="2010-09-01", first_page="201", last_page="210")]
    print_citation_table(records)
    lines = [line for line in screen.getvalue().splitlines() if line.strip()]
    assert max(map(len, lines)) <= columns
    assert lines[0].strip() == "Tides"
    assert [line.split()[-2:] for line in lines[3:]] == [["3", "fields"], ["3", "fields"]]
    assert "201-210" in lines[4]


@pytest.mark.parametrize(
    ("total", "waiting", "line"),
    [
        (11, 4, "7 of 11 ready; 4 need a look: medharvest review"),
        (1, 1, "0 of 1 ready; 1 needs a look: medharvest review"),
        (3, 0, "3 of 3 ready"),
    ],
)
def test_the_line_counts_and_names_the_command(total, waiting, line):
    assert readiness_line(total, waiting) == line


@pytest.fixture
def harvested(medharvest, monkeypatch, tmp_path):
    monkeypatch.setenv("MEDHARVEST_FETCH_ALLOW_PRIVATE", "1")
    monkeypatch.setenv("MEDHARVEST_FETCH_DELAY", "0")
    store = tmp_path / "s.sqlite"
    with serve() as server:
        yield medharvest("issue", server.url + ISSUE.path, "--store", store, "--into", tmp_path / "run"), store


def test_an_issue_and_an_export_say_what_needs_a_look(medharvest, harvested):
    ran, store = harvested
    with open_store(str(store)) as opened:
        numbers = [number for number, record in opened.records.numbered() if doubtful_fields(record)]
        total = sum(1 for _ in opened.records.numbered())
    assert 0 < len(numbers) < total
    rows = [line for line in ran.out.splitlines() if "\t" in line]
    assert sum(line.endswith("\tready") for line in rows) == total - len(numbers)
    line = f"{total - len(numbers)} of {total} ready; {len(numbers)} need a look: medharvest review --store {store}\n"
    assert line in ran.err
    exported = medharvest("export", "ris", "--store", store)
    assert exported.err == line
    assert "need a look" not in exported.out
    with open_store(str(store)) as opened:
        opened.accept(numbers, who="ada")
    assert medharvest("export", "ris", "--store", store, "--run", 1).err == f"{total} of {total} ready\n"
    assert medharvest("export", "ris", "--store", store, "--status", "accepted").err == (
        f"{len(numbers)} of {len(numbers)} ready\n"
    )
