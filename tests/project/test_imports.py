"""The public interface, and how light it is."""

from __future__ import annotations

import functools
import json
import subprocess
import sys

import pytest

import medharvest

HEAVY = {
    "aiohttp", "alembic", "argon2", "httpx", "jinja2", "lxml", "multipart", "numpy", "psycopg", "pypdfium2",
    "python_multipart", "requests", "rich", "selectolax", "sqlalchemy", "sqlite3", "starlette", "urllib.request",
    "uvicorn",
}  # fmt: skip


@functools.cache
def modules_after(statement: str) -> set[str]:
    """The modules a fresh interpreter has loaded after a statement."""
    code = f"{statement}\nimport json, sys; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize(
    ("statement", "allowed"),
    [
        ("import medharvest", set()),
        ("import medharvest.cli", set()),
        ("from medharvest import Citation, parse_page, judge_links", {"pypdfium2", "selectolax"}),
        ("import medharvest.cli.read", {"pypdfium2", "selectolax"}),
        ("import medharvest.cli.concepts", set()),
    ],
)
def test_importing_loads_no_driver_client_framework_or_model_it_does_not_need(statement, allowed):
    assert modules_after(statement) & HEAVY <= allowed


def test_a_verb_that_needs_no_vocabulary_loads_none():
    for verb in ("read", "links", "issue", "export"):
        loaded = modules_after(f"import medharvest.cli.{verb}")
        assert not {"medharvest.topics", "medharvest.vocabularies"} & loaded


def test_no_other_verb_loads_the_review_app():
    framework = {"argon2", "jinja2", "starlette", "uvicorn", "medharvest.web"}
    for verb in ("demo", "issue", "export", "review"):
        assert not modules_after(f"import medharvest.cli.{verb}") & framework


def test_the_probe_itself_sees_heavy_modules():
    assert "sqlalchemy" in modules_after("import medharvest.store")


def test_the_public_names_are_sorted_and_resolve():
    names = [name for name in medharvest.__all__ if name != "__version__"]
    assert names == sorted(names, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    assert all(getattr(medharvest, name) is not None for name in names)
    assert set(dir(medharvest)) == set(medharvest.__all__)
    assert set(medharvest._MODULES) == set(names)


def test_a_name_that_is_not_public_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'no_such_name'"):
        medharvest.no_such_name  # noqa: B018
