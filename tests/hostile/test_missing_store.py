"""A mistyped store: verbs that only use one say that it is missing and make nothing; verbs that write make it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.deliver.records import ONE

from medharvest.cli import main
from medharvest.formats import FORMATS

Call = Callable[[list[str]], tuple[int, str]]
USING = {
    "runs": ["runs"],
    "runs ID": ["runs", "1"],
    "runs resume": ["runs", "1", "resume"],
    "export": ["export", "ris"],
    "search": ["search", "tides"],
    "deliver": ["deliver"],
    "deliver TARGET": ["deliver", "x", "--target", "x=folder:{folder}/out"],
    "enrich": ["enrich", "--from", "crossref"],
    "journals": ["journals", "--store", "{store}"],
    "journals find": ["journals", "--store", "{store}", "find", "Lancet"],
    "journals show": ["journals", "--store", "{store}", "show", "tides"],
    "journals export": ["journals", "--store", "{store}", "export", "tides"],
    "journals remove": ["journals", "--store", "{store}", "remove", "tides"],
    "store check": ["store", "check"],
    "store migrate": ["store", "migrate"],
    "store vacuum": ["store", "vacuum"],
    "store backup": ["store", "backup", "{folder}/backup.sqlite"],
    "store copy": ["store", "copy", "{store}", "{folder}/copy.sqlite"],
    "issue --resume": ["issue", "--resume", "1"],
    "topic --resume": ["topic", "--resume", "1"],
    "topic --refresh": ["topic", "tides", "--refresh"],
    "learn zones --run": ["learn", "zones", "tides", "--run", "1"],
    "read --journal": ["read", "{folder}/page.html", "--journal", "tides"],
    "links --journal": ["links", "{folder}/page.html", "--journal", "tides"],
}
MAKING = {
    "import": ["import", "{folder}/records.ris"],
    "journals add": ["journals", "--store", "{store}", "add", "tides"],
    "journals set": ["journals", "--store", "{store}", "set", "tides", "--title", "Tides"],
}


@pytest.fixture
def call(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    """Call a verb with a store that does not exist; return the exit code and what it says on stderr."""
    store = str(tmp_path / "typo.sqlite")
    monkeypatch.setenv("MEDHARVEST_STORE", store)
    (tmp_path / "page.html").write_text("<title>Tides</title><p>Tides", encoding="utf-8")
    (tmp_path / "records.ris").write_text("".join(FORMATS["ris"].write([ONE])), encoding="utf-8")

    def run(words: list[str]) -> tuple[int, str]:
        with pytest.raises(SystemExit) as stop:
            main([word.format(folder=tmp_path, store=store) for word in words])
        return int(stop.value.code or 0), capsys.readouterr().err

    return run


@pytest.mark.parametrize("words", USING.values(), ids=USING)
def test_a_verb_that_uses_a_store_says_that_it_is_missing(call: Call, tmp_path: Path, words: list[str]) -> None:
    code, said = call(words)
    assert (code, "no such store" in said) == (1, True), said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["page.html", "records.ris"]


@pytest.mark.parametrize("words", MAKING.values(), ids=MAKING)
def test_a_verb_that_writes_makes_the_store(call: Call, tmp_path: Path, words: list[str]) -> None:
    code, said = call(words)
    assert code == 0, said
    assert (tmp_path / "typo.sqlite").is_file()


@pytest.mark.parametrize("words", [["journals", "show", "--help"], ["journals", "add", "--help"]], ids=" ".join)
def test_help_needs_and_makes_no_store(call: Call, tmp_path: Path, words: list[str]) -> None:
    assert call(words)[0] == 0
    assert not (tmp_path / "typo.sqlite").exists()


def test_a_dry_run_of_an_import_compares_with_an_empty_store_and_makes_none(call: Call, tmp_path: Path) -> None:
    code, said = call(["import", "--dry-run", "{folder}/records.ris"])
    first, *_, last = said.splitlines()
    assert (code, first) == (0, "the store does not exist yet, so every record is new")
    assert last == "1 new, 0 same, 0 changed (nothing was stored)"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["page.html", "records.ris"]
