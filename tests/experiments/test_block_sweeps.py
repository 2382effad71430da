"""Thresholds of link blocks are swept over folders of index and content pages."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from experiments.block_sweeps import SWEEPS, draw_sweeps, run_sweeps, tabulate_sweeps
from medharvest.errors import OutputError, QualityError
from medharvest.evaluate.page_sets import load_block_folder

MENU = "<a href=/1>one</a> <a href=/2>two</a> <a href=/3>three</a> "
PAGE = f"<html><body>{MENU}<p>The harbour was closed for a day.</p></body></html>"


def silent(_done: int, _total: int) -> None:
    pass


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("index/manual/a.html", "index/random/b.html", "content/c.html", "content/d.htm"):
        file = tmp_path / "blocks" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(PAGE if "content" in name else MENU * 3, encoding="utf-8")
    return tmp_path


def test_every_sweep_with_pages_has_a_table(folder: Path) -> None:
    tables = tabulate_sweeps(load_block_folder(folder), silent)
    assert [table.header[0] for table in tables] == [sweep.title for sweep in SWEEPS]


def test_a_sweep_has_a_series_for_each_group_and_one_for_all(folder: Path) -> None:
    found = run_sweeps(load_block_folder(folder), silent)
    assert list(found["figure-4"]) == ["manual", "all", "random"]
    assert list(found["figure-5"]) == ["all"]
    whole = found["figure-7"]["all"]
    assert [point.blocks for point in whole] == [1] * 8 + [0] * 3  # nine links: no block where ten are asked for
    assert [point.lcr for point in whole] == [1] * 8 + [0] * 3
    assert whole[0].ccr == pytest.approx(1, abs=0.02)


def test_the_sweeps_are_those_of_the_paper() -> None:
    settings = {sweep.name: sweep.settings for sweep in SWEEPS}
    assert settings["figure-4"] == tuple((threshold, 3) for threshold in range(5, 61, 5))
    assert settings["figure-6"] == tuple((threshold, 3) for threshold in range(10, 121, 10))
    assert settings["figure-8"] == tuple((40, least) for least in range(2, 13))
    assert settings["code-links-content"] == tuple((80, least) for least in range(2, 13))


def test_figures_are_drawn_as_svg_and_png(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    series = run_sweeps(load_block_folder(folder), silent)["figure-4"]
    svg, png = draw_sweeps({"figure-4": series}, tmp_path / "figures")
    assert (svg.name, png.name) == ("figure-4.svg", "figure-4.png")
    assert svg.read_text(encoding="utf-8").startswith("<?xml")
    assert png.read_bytes().startswith(b"\x89PNG")
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(OutputError):
        draw_sweeps({}, tmp_path / "file")


def test_without_matplotlib_one_line_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(QualityError) as raised:
        draw_sweeps({}, tmp_path)
    assert raised.value.hint == "pip install 'medharvest[figures]'"
