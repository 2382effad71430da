"""The shape of a package, counted; and that of this one, held within bounds."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.package_shape import describe_shape, find_cycles, find_package, main, read_modules

ONE = """
import re
from made.sub import two

def read(text):
    return re.findall("a", text)

def read_all(texts):
    def inner():
        from made import __version__
    return [read(text) for text in texts]
"""
TWO = """
def read(text): return text
def _write_all(): from made import one
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "made"
    (folder / "sub" / "tests").mkdir(parents=True)
    for name, text in {
        "__init__": "",
        "one": ONE,
        "sub/__init__": "",
        "sub/two": TWO,
        "sub/tests/three": "x = 1",
    }.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return folder


def test_modules_functions_and_names_are_counted(package: Path) -> None:
    shape = describe_shape(read_modules(package))
    assert (shape["modules"], shape["module-level functions"], shape["functions and methods"]) == ("4", "4", "5")
    assert (shape["one-word names"], shape["shared names"]) == ("50 %", "50 %")
    assert shape["modules with at most one importer"] == "2"
    assert shape["most modules in a folder"] == "2 (made)"


def test_an_import_inside_a_function_closes_no_cycle_but_one_at_the_top_does(package: Path) -> None:
    assert find_cycles(read_modules(package)) == set()
    (package / "sub" / "two.py").write_text("from made import one", encoding="utf-8")
    assert find_cycles(read_modules(package)) == {"made.one", "made.sub.two"}


def test_packages_stand_side_by_side(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([str(package), "experiments"])
    head, rule, first, *_ = capsys.readouterr().out.splitlines()
    assert (head, rule) == (f"| | {package} | experiments |", "|---|---:|---:|")
    assert first.startswith("| modules | 4 | ")


def test_a_name_that_is_no_package_is_an_error() -> None:
    with pytest.raises(SystemExit, match="not a package: no_such_package; hint: install it"):
        find_package("no_such_package")


def test_this_package_keeps_its_shape() -> None:
    modules = read_modules(find_package("medharvest"))
    shape = describe_shape(modules)
    assert int(shape["modules"]) <= 270
    assert int(shape["one-word names"].split()[0]) <= 25
    assert int(shape["shared names"].split()[0]) <= 15
    assert find_cycles(modules) == set()
