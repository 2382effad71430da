"""`python -m training` trains a model on a corpus and writes its file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.waiting import LONG

from medharvest.evaluate.results import Result
from training import __main__ as program


@pytest.fixture(autouse=True)
def _no_corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    """The loaders say what they would load."""
    for name in ("all_articles", "all_pdfs", "corpus_issues", "block_folder"):
        monkeypatch.setattr(program, f"load_{name}", lambda corpus, name=name: f"{name} of {corpus}")


class _Trainer:
    def __init__(self, pages: str) -> None:
        self.pages = pages

    def package(self) -> tuple[str, str]:
        return f"zones: {self.pages}", f"people: {self.pages}"


def test_the_models_that_read_and_the_calibration_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "ReadingTrainer", _Trainer)
    monkeypatch.setattr(program, "package_calibration", lambda pages: f"calibration: {pages}")
    program.main(["reading", "C", str(tmp_path)])
    program.main(["calibration", "C", str(tmp_path / "calibration")])
    assert (tmp_path / "models.json").read_text("utf-8") == "zones: all_articles of C\n"
    assert (tmp_path / "people.json").read_text("utf-8") == "people: all_articles of C\n"
    assert (tmp_path / "calibration").read_text("utf-8") == "calibration: all_articles of C\n"


def test_the_models_of_pdfs_are_written_with_those_of_their_folds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("pdf_models.json", "pdf_people.json", "pdf_masthead.json", "pdf_calibration.json", "pdf-folds.json.gz")
    monkeypatch.setattr(program, "records_of_pages", lambda pages: f"records of {pages}")
    monkeypatch.setattr(
        program, "package_pdf_models", lambda *given: tuple(f"{name}: {', '.join(given)}".encode() for name in names)
    )
    program.main(["pdfs", "C", str(tmp_path)])
    assert {name: (tmp_path / name).read_text("utf-8") for name in names} == {
        name: f"{name}: all_pdfs of C, records of all_articles of C" for name in names
    }


def test_the_model_of_links_is_written_and_its_score_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def train(_pages, *, progress):
        progress(1, 1)
        return "model", Result(stage="links", data="issues", digest="", pages=7, figures=(("accuracy", 0.5),))

    monkeypatch.setattr(program, "train_shipped_link_model", train)
    program.main(["links", "C", str(tmp_path / "links")])
    out, err = capsys.readouterr()
    assert (tmp_path / "links").read_text("utf-8") == "model"
    assert "links/issues  7 pages" in out
    assert "trained without group 1 of 1" in err
    assert f"wrote {tmp_path / 'links'}" in err


def test_the_model_of_body_text_is_written_and_its_score_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def train(pages, articles, *, progress):
        progress(1, 1)
        return f"{pages}, {articles}", Result(stage="blocks", data="out of fold", digest="", pages=7, figures=())

    monkeypatch.setattr(program, "train_shipped_body_model", train)
    program.main(["body", "C", str(tmp_path / "body")])
    assert (tmp_path / "body").read_text("utf-8") == "block_folder of C, all_articles of C"
    assert "blocks/out of fold  7 pages" in capsys.readouterr().out


def test_the_files_are_those_of_the_package() -> None:
    paths = [path for model in program.MODEL_FILES.values() for path in program.as_tuple(model.path)]
    assert all(path.is_file() for path in paths)


@pytest.mark.parametrize("arguments", [[], ["links"], ["cook", "C"], ["reading", "C", "out", "more"]])
def test_wrong_arguments_print_the_usage(arguments: list[str]) -> None:
    with pytest.raises(SystemExit, match="usage: python -m training links CORPUS"):
        program.main(arguments)


@pytest.mark.skipif(sys.platform == "win32", reason="not run: no POSIX shell")
@pytest.mark.parametrize("script", ["train-links", "train-reading", "calibrate"])
def test_the_scripts_start_it_from_any_folder(script: str, root: Path, tmp_path: Path) -> None:
    if not (root / ".venv" / "bin" / "python").exists():
        pytest.skip("not run: no .venv made by the launcher")
    (tmp_path / "training").mkdir()
    (tmp_path / "training" / "__init__.py").write_text("raise SystemExit('the wrong package')\n", encoding="utf-8")
    done = subprocess.run(
        [root / "scripts" / script], cwd=tmp_path, capture_output=True, encoding="utf-8", timeout=LONG, check=False
    )
    assert done.returncode == 1
    assert "usage: python -m training" in done.stderr
