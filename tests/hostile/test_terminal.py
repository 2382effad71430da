"""No text of a page or a record sends a command to the terminal, or turns around what a reader sees."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import typing
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.hostile.web import Asked, LocalSite, page_answer, serve_site
from tests.waiting import LONG

from medharvest.cli.main import command_group
from medharvest.cli.output_gate import clean_output
from medharvest.codec import format_json
from medharvest.formats import FORMATS
from medharvest.library.export import _journal_fix_command
from medharvest.records import Citation
from medharvest.store import Journal, open_store
from medharvest.store.search_index import document_of_page

pty = pytest.importorskip("pty", reason="not run: no pseudo-terminal on this system")

# A title for the window, colours that are nobody's, a report of the cursor, a C1 sequence, a deletion, overrides and
# isolates, and a carriage return that writes over the line.
ATTACK = "\x1b]0;PWN\x07\x1b[35;45m\x1b[6n\x9b6n\x90q\x9c\x7f\u202egnorw\u202c\u2066x\u2069\x08\x0cz"
KEPT = "\u200d\u200c\u200e\u200f"  # joiners and direction marks, which scripts need
UNSAFE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\r(?!\r*\n)")
# What rich and `search` write themselves: bold, colours, the cursor, a line that is drawn again.
OWN_CODES = re.compile(r"\x1b\[(?!35;45m)(?:[0-9;]*m|\?25[lh]|[12]K|1A)|\r(?=\x1b\[(?:2K|1A))")
DRIVER = """
import json, sys
from medharvest.cli import main
for arguments in json.loads(sys.argv[1]):
    try:
        main(arguments)
    except SystemExit as stop:
        print(f"<<{' '.join(arguments[:2])}: {stop.code}>>".encode("ascii", "replace").decode(), flush=True)
"""


def hostile(text: str) -> str:
    return f"{text} {ATTACK}{KEPT} end"


def hostile_page(name: str) -> str:
    words = {"title": "Sleep of nurses", "journal_title": "Tides", "doi": "10.5555/x", "volume": "7", "firstpage": "3"}
    tags = "".join(f'<meta name="citation_{key}" content="{hostile(value)}">' for key, value in words.items())
    tags += f'<meta name="citation_author" content="{hostile("Berg, Ida")}">'
    return (
        f"<html><head><title>{hostile(name)}</title>{tags}</head><body>"
        f"<h1>{hostile('Sleep of nurses')}</h1><p>{hostile('Ida Berg')}</p><h2>Abstract</h2>"
        f"<p>{hostile('Nothing was found in nurses, twice, in a long winter.')}</p></body></html>"
    )


def hostile_contents() -> str:
    rows = "".join(f'<li>{hostile("Sleep")} <a href="/a/{n}{ATTACK}">{hostile("Abstract")}</a></li>' for n in range(4))
    return f"<html><title>{hostile('Contents')}</title><h1>Tides</h1><p>Volume 7, Number 2</p><ul>{rows}</ul></html>"


def fill_hostile(kind: Any, name: str = "") -> Any:
    """Make a value of a type with the attack in every text."""
    if kind is str:
        return "2010-09-01" if name == "date" else hostile(name)
    if typing.get_origin(kind) is tuple:
        return tuple(fill_hostile(part, name) for part in typing.get_args(kind) if part is not ...)
    if is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        return kind(**{field.name: fill_hostile(hints[field.name], field.name) for field in fields(kind)})  # type: ignore[operator]
    return {int: 1, float: 0.5, bool: True}[kind] if kind in {int, float, bool} else next(iter(kind))


@dataclass(frozen=True)
class Desk:
    """The files, the store and the site that the verbs are tried with."""

    folder: Path
    site: LocalSite

    def verbs(self) -> list[list[str]]:
        page, contents = str(self.folder / "page.html"), str(self.folder / "contents.html")
        store, gone = ["--store", str(self.folder / "s.sqlite")], str(self.folder / f"gone{ATTACK}.html")
        own = [["read", page], ["read", page, gone], ["read", gone], ["zones", page], ["classify", page]]
        forms = [["read", page, "--format", form.name] for form in FORMATS.values()]
        lists = [["links", contents], ["blocks", "--text", contents], ["validate", str(self.folder / "bad.ris")]]
        jsons = [[*verb, "--json"] for verb in (*own, *lists)]
        run = ["issue", f"{self.site.root}/toc", "--into", str(self.folder / "run"), "--export", "ris", *store]
        stored = [["runs", *store], ["runs", *store, "1"], ["journals", *store], ["search", "sleep", *store]]
        more = [["search", "sleep", "--json", *store], ["export", "pubmed", "--all", *store], [f"no{ATTACK}"]]
        brought = [["import", str(self.folder / "bad.ris"), *store], ["export", f"x{ATTACK}", *store]]
        return [*own, *forms, *lists, *jsons, run, *stored, *more, *brought]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.setenv("MEDHARVEST_FETCH_ALLOW_PRIVATE", "true")
    monkeypatch.setenv("MEDHARVEST_FETCH_DELAY", "0")
    monkeypatch.setenv("MEDHARVEST_READ_WORKERS", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    (tmp_path / "page.html").write_text(hostile_page("Page"), encoding="utf-8")
    (tmp_path / "contents.html").write_text(hostile_contents(), encoding="utf-8")
    (tmp_path / "bad.ris").write_text(f"TY  - JOUR\nTI  - {hostile('x')}\nXX{ATTACK}\nER  - \n", encoding="utf-8")
    with open_store(str(tmp_path / "s.sqlite")) as store:
        store.save(None, [fill_hostile(Citation)])
        store.journals.save(Journal(name=hostile("sleep"), title=hostile("Sleep")))
        url = f"http://x.example/{ATTACK}"
        store.collection.put([document_of_page(4, url=url, title=hostile("Sleep"), text=hostile("sleep"))])

    def answer(asked: Asked) -> tuple[int, dict[str, str], bytes]:
        if asked.path == "/robots.txt":
            return page_answer(None)
        return 200, {}, (hostile_contents() if asked.path == "/toc" else hostile_page(asked.path)).encode()

    with serve_site(answer) as site:
        yield Desk(tmp_path, site)


def test_every_verb_on_a_terminal_writes_only_its_own_codes(desk: Desk) -> None:
    verbs = desk.verbs()
    shown = _run_on_terminal([sys.executable, "-c", DRIVER, json.dumps(verbs)])
    parts = re.split(r"<<[^<>\n]*: ([^<>\n]*)>>", shown)
    assert len(parts) // 2 == len(verbs)
    for verb, part in zip(verbs, parts[::2], strict=False):
        assert not UNSAFE.search(OWN_CODES.sub("", part)), (verb, OWN_CODES.sub("", part))
    assert "\x1b[1m" in shown  # the terminal was seen as one
    assert "Sleep of nurses" in shown


def test_every_verb_without_a_terminal_writes_no_codes(desk: Desk) -> None:
    for verb in desk.verbs():
        ran = CliRunner().invoke(command_group, verb)
        assert not UNSAFE.search(ran.output), verb
        assert ran.output or ran.exception


def test_files_of_a_run_have_no_codes(desk: Desk) -> None:
    CliRunner().invoke(command_group, desk.verbs()[[verb[0] for verb in desk.verbs()].index("issue")])
    files = [path for path in (desk.folder / "run").rglob("*") if path.suffix in {".ris", ".jsonl"}]
    assert len(files) == 2
    for path in files:
        assert not UNSAFE.search(path.read_text(encoding="utf-8")), path


@pytest.mark.parametrize("form", FORMATS.values(), ids=lambda form: form.name)
def test_no_format_writes_control_or_bidi_characters(form: Any) -> None:
    written = "".join(form.write([fill_hostile(Citation)]))
    assert not UNSAFE.search(written)
    assert "gnorw" in written
    assert KEPT in written or form.name in {"jsonl", "csl", "jsonld"}


def test_json_keeps_every_character_and_shows_none_that_a_terminal_obeys() -> None:
    shown = format_json({"title": ATTACK})
    assert shown.isprintable()
    assert json.loads(shown) == {"title": ATTACK}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain – text", "plain – text"),
        ("one\ntwo\r\nthree\tfour", "one\ntwo\r\nthree\tfour"),
        ("over\rwritten", "over\ufffdwritten"),
        ("\x1b[1m", "\ufffd[1m"),
        (KEPT, KEPT),
    ],
)
def test_the_gate_keeps_text_and_replaces_codes(text: str, shown: str) -> None:
    assert clean_output(text) == shown


def test_a_command_in_a_hint_quotes_the_title_of_a_journal() -> None:
    command = _journal_fix_command(Citation(journal='Tides"; rm -rf ~; echo $(id) "'), ["issn"])
    assert command == """medharvest journals set 'Tides"; rm -rf ~; echo $(id) "' --issn …"""


def _run_on_terminal(command: list[str]) -> str:
    """Run a command with a pseudo-terminal as its stdout and stderr; return what it wrote."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        pieces = []
        while piece := _read_piece(ours):
            pieces.append(piece)
        process.wait(LONG)
    os.close(ours)
    return b"".join(pieces).decode("utf-8").replace("\r\n", "\n")


def _read_piece(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65_536)
    except OSError:  # the other side is closed
        return b""
