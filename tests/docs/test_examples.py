"""The examples in the docs run and print what stands below them."""

from __future__ import annotations

import io
import sys
import warnings
from collections.abc import Iterator
from contextlib import redirect_stdout
from itertools import pairwise
from pathlib import Path

import pytest
from tests.docs.pages import Block, blocks, pages, prints

from medharvest import demo
from medharvest.cli import main

ROOT = Path(__file__).resolve().parents[2]
WITH_PYTHON = [
    p for p in pages(ROOT) if p.parent.name != "reference" and any(b.language == "python" for b in blocks(p))
]


def run_python(page: Path) -> list[str]:
    """Run a page's Python blocks one after the other; what each that has its output below it prints amiss."""
    names: dict[str, object] = {"__name__": "__main__"}
    amiss = []
    for block, below in _with_below(page):
        if block.language == "python":
            printed = io.StringIO()
            code = compile("\n" * (block.line - 1) + block.text, str(page), "exec")
            with redirect_stdout(printed):
                exec(code, names)
            if below is not None and not prints(printed.getvalue(), below.text):
                amiss.append(f"line {block.line} printed\n{printed.getvalue()}")
    return amiss


def _with_below(page: Path) -> Iterator[tuple[Block, Block | None]]:
    """Each block and the text block that follows it with nothing in between."""
    last = Block("", "", 0, "end")
    for block, following in pairwise([*blocks(page), last]):
        yield block, following if following.language == "text" and not following.between else None


@pytest.mark.parametrize("page", WITH_PYTHON, ids=[page.stem for page in WITH_PYTHON])
def test_the_python_of_a_page_runs_and_prints_what_stands_below(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run_python(page) == []


def test_readme_and_guides_have_python():
    assert {"README", "first-harvest", "read-pages", "export", "measure-quality"} <= {p.stem for p in WITH_PYTHON}


SHOWN = [
    (page, block.text.strip(), below.text)
    for page in pages(ROOT)
    for block, below in _with_below(page)
    if below is not None and block.language == "sh" and block.text.count("\n") == 1
]


@pytest.mark.parametrize(("page", "command", "output"), SHOWN, ids=[row[1] for row in SHOWN])
def test_a_command_prints_what_stands_below(page, command, output, tmp_path, monkeypatch, capsys):
    """One issue stands for the whole demo: what is shown of it begins with that one, and is quicker made."""
    (tmp_path / "article.html").write_bytes(demo.read_demo_file("estuary/article/240004.html"))
    monkeypatch.chdir(tmp_path)
    words = command.split()[1:]
    if words == ["demo"]:  # a table as a terminal of 80 columns shows it
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        monkeypatch.setenv("COLUMNS", "80")
        monkeypatch.setenv("TERM", "dumb")
    with pytest.raises(SystemExit) as stop:
        main([*words, "a3"] if words == ["demo"] else words)
    printed = capsys.readouterr()
    assert stop.value.code == 0, printed.err
    assert prints(printed.out, output), (page, printed.out)


def test_readme_shows_the_demo():
    assert any(page.stem == "README" and command == "./medharvest demo" for page, command, _ in SHOWN)


@pytest.mark.parametrize(
    ("page", "amiss"),
    [
        ("```python\nx = 1\n```\n\nThen\n\n```python\nprint(x)\n```\n\n```text\n1\n```\n", False),
        ("```python\nprint(1)\n```\n\n```text\n2\n```\n", True),
        ("```python\nprint(1)\n```\n\nNot its output:\n\n```text\n2\n```\n", False),
        ("```python\nprint('a b', 'c')\n```\n```text\na … c\n```\n", False),
        ("```python\nprint('a')\nprint('b')\n```\n```text\nb\na\n```\n", True),
        ("```sh\nrm -r everything\n```\n", False),
    ],
)
def test_what_a_block_prints_is_compared(tmp_path, page, amiss):
    file = tmp_path / "page.md"
    file.write_text(page, encoding="utf-8")
    assert bool(run_python(file)) is amiss


def test_a_block_that_fails_fails_the_page(tmp_path):
    file = tmp_path / "page.md"
    file.write_text("# A page\n\n```python\nfrom medharvest import no_such_name\n```\n", encoding="utf-8")
    with pytest.raises(ImportError), warnings.catch_warnings():
        run_python(file)
