"""The constraint sets: words that exclude a link, or tell which kind of page it promises.

`DEFAULT_SETS` and `PAPER_SETS` are built in; `load_constraints` reads sets that a user changed in a TOML file.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from medharvest.errors import InputError
from medharvest.records import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstraintSets:
    """Words to find in the address and text of a link, and further servers that count as the page's own.

    Whole words are compared, in any case; with `literal`, any part of a text is, in the exact spelling.
    """

    excluded: frozenset[str]
    abstract: frozenset[str]
    fulltext: frozenset[str]
    pdf: frozenset[str]
    supplement: frozenset[str] = frozenset()
    servers: frozenset[str] = frozenset()
    literal: bool = False

    @property
    def promises(self) -> tuple[tuple[Kind, frozenset[str]], ...]:
        """The kinds with the words that promise them, in the order they are tested."""
        return (
            (Kind.SUPPLEMENT, self.supplement),
            (Kind.PDF, self.pdf),
            (Kind.ABSTRACT, self.abstract),
            (Kind.FULLTEXT, self.fulltext),
        )


DEFAULT_SETS = ConstraintSets(
    # Links that lead away from articles: navigation, services, accounts.
    excluded=frozenset(
        """home subscriptions subscribe subscription archive archives mailto help login signin search feedback findex
        shtml lookup about contact contacts advertise advertising advertisement alerts rss feed cart permissions
        reprints javascript privacy terms sitemap instructions submit register faq share""".split()
    ),
    abstract=frozenset({"abstract", "abs", "list", "summary"}),
    fulltext=frozenset({"full", "fulltext", "full text", "references"}),
    pdf=frozenset({"pdf", "epdf", "reprint"}),
    supplement=frozenset({"supplement", "supplementary", "supplemental", "suppl", "dc1"}),
)
# The sets of the WebMARS downloader.
PAPER_SETS = ConstraintSets(
    excluded=frozenset(
        "home subscriptions archive mailto help login search feedback findex shtml lookup".split(),
    ),
    abstract=frozenset({"abstract", "abs", "list", "[Abstract]", "Abstract"}),
    fulltext=frozenset({"full", "Full Text", "Full text", "References"}),
    pdf=frozenset({"PDF", "pdf"}),
    literal=True,
)
_SETS_BY_NAME = {"default": DEFAULT_SETS, "paper": PAPER_SETS}
_CONSTRAINT_SET_NAMES = ("excluded", "abstract", "fulltext", "pdf", "supplement", "servers")
_CONSTRAINT_TABLE_EXAMPLE = 'write a table as: [excluded] add = ["careers"] remove = ["share"]'


def load_constraints(path: Path) -> ConstraintSets:
    """Read sets from a TOML file: `base` is "default" or "paper", each table adds and removes the words of one set."""
    tables = _read_constraint_toml(path)
    base = tables.pop("base", "default")
    if not isinstance(base, str) or base not in _SETS_BY_NAME:
        raise _constraint_error(path, f"no such base sets: {base}", 'base is "default" or "paper"')
    sets = _SETS_BY_NAME[base]
    for name, table in tables.items():
        if name not in _CONSTRAINT_SET_NAMES:
            near = difflib.get_close_matches(name, _CONSTRAINT_SET_NAMES, n=1)
            raise _constraint_error(
                path,
                f"no such set: {name}",
                f"did you mean {near[0]}" if near else f"sets: {', '.join(_CONSTRAINT_SET_NAMES)}",
            )
        changed: Any = {name: _change_constraint_set(path, name, table, sets)}
        sets = replace(sets, **changed)
    return sets


def _read_constraint_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        message = f"constraint sets cannot be read: {path}"
        raise InputError(message, name=str(path), hint=error.strerror or str(error)) from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"not TOML: {path}", name=str(path), hint=str(error)) from error


def _change_constraint_set(path: Path, name: str, table: Any, sets: ConstraintSets) -> frozenset[str]:
    """Add and remove the words that a table names."""
    if not isinstance(table, Mapping) or not table.keys() <= {"add", "remove"}:
        raise _constraint_error(path, f"{name} is not a table of words to add and remove", _CONSTRAINT_TABLE_EXAMPLE)
    words: frozenset[str] = getattr(sets, name)
    add, remove = (
        _parse_constraint_words(path, name, table.get(verb, []), literal=sets.literal) for verb in ("add", "remove")
    )
    unknown = sorted(remove - words)
    if unknown:
        near = difflib.get_close_matches(unknown[0], words, n=1)
        hint = f"did you mean {near[0]}" if near else f"words there: {', '.join(sorted(words))}"
        raise _constraint_error(path, f"word to remove is not in {name}: {unknown[0]}", hint)
    return words - remove | add


def _parse_constraint_words(path: Path, name: str, words: Any, *, literal: bool) -> frozenset[str]:
    if not isinstance(words, list) or not all(isinstance(word, str) and word.strip() for word in words):
        raise _constraint_error(path, f"add and remove of {name} must be lists of words", _CONSTRAINT_TABLE_EXAMPLE)
    return frozenset(word if literal else " ".join(word.lower().split()) for word in words)


def _constraint_error(path: Path, message: str, hint: str) -> InputError:
    return InputError(f"{path}: {message}", name=str(path), hint=hint)
