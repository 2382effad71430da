"""Functions of `training` and `experiments` are loaded from a checkout; the installed package says that it has none."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from medharvest.errors import QualityError
from medharvest.evaluate import load_from_checkout, stages
from training.invented_pages import generate_contents_page


def test_a_function_is_loaded_whatever_the_working_directory_is(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path != str(root)])
    load = load_from_checkout("training.invented_pages", "generate_contents_page", stage="links")
    assert sys.path[0] == str(root)
    assert load(3) == generate_contents_page(3)


def test_the_installed_package_says_what_it_lacks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(stages, "_CHECKOUT_ROOT", tmp_path)
    with pytest.raises(QualityError, match=r"not in the installed package: training\.link_folds") as raised:
        load_from_checkout("training.link_folds", "score_unseen_links", stage="links")
    assert raised.value.stage == "links"
    assert "checkout" in raised.value.hint


@pytest.mark.parametrize(("missing", "extra"), [("sklearn.ensemble", "train"), ("matplotlib", "figures")])
def test_a_package_that_is_not_installed_is_named_with_its_extra(
    missing: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise ModuleNotFoundError(missing, name=missing)

    monkeypatch.setattr("training.link_models.fit_boosted_trees", fail)
    load = load_from_checkout("training.link_models", "fit_boosted_trees", stage="links")
    with pytest.raises(QualityError, match=f"package is missing: {missing.partition('.')[0]}") as raised:
        load()
    assert raised.value.hint == f"pip install 'medharvest[{extra}]'"


def test_any_other_missing_module_is_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise ModuleNotFoundError("nonesuch", name="nonesuch")

    monkeypatch.setattr("training.link_models.fit_boosted_trees", fail)
    with pytest.raises(ModuleNotFoundError):
        load_from_checkout("training.link_models", "fit_boosted_trees", stage="links")()
