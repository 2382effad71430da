"""No regular expression that meets foreign text grows faster than its text."""

from __future__ import annotations

import re
from typing import Any

import pytest
from tests.hostile.patterns import (
    CUT_TEXTS,
    PACKAGES,
    TooSlowError,
    UsedPattern,
    bad_texts,
    call_method,
    collect_patterns,
    limited_cpu,
)

from medharvest.errors import InputError
from medharvest.formats.registry import INPUT_FORMATS, detect_format

_LENGTH = 200_000  # characters; backtracking takes minutes with them, a linear search a fraction of a second
_CPU_SECONDS = 5  # of this process alone, so a busy machine does not count; ten times what the slowest takes
_AT_ONCE = 0.01  # seconds for 20,000 characters; a quadratic search takes ten times as long even on a fast machine


def test_forty_empty_comments_are_no_format() -> None:
    with limited_cpu(_CPU_SECONDS), pytest.raises(InputError, match="not recognised"):
        detect_format(b"<!---->\n" * 40 + b"<x", name="comments.xml")


def test_a_prolog_is_skipped_before_the_root_is_recognised() -> None:
    prolog = b'<?xml version="1.0"?>\n<!-- a -- > b --><!---->\n<!DOCTYPE ArticleSet [<!ENTITY a "b">] >\n<?x y?>'
    assert detect_format(prolog + b"<ArticleSet>", name="set.xml").name == "pubmed"


@pytest.mark.no_cover
@pytest.mark.parametrize("form", list(INPUT_FORMATS.values()), ids=lambda form: form.name)
def test_no_beginning_of_a_file_holds_up_the_detection_of_its_format(form: Any) -> None:
    _try_pattern(UsedPattern("form.begins", re.compile(form.begins), frozenset({"match"})))


@pytest.mark.no_cover
@pytest.mark.parametrize("package", PACKAGES)
def test_every_pattern_ends_on_every_bad_text(package: str) -> None:
    for used in collect_patterns(package):
        _try_pattern(used)


def test_the_patterns_of_the_package_are_found() -> None:
    names = {used.name for package in PACKAGES for used in collect_patterns(package)}
    assert set(CUT_TEXTS) <= names
    assert len(names) > 300


@pytest.mark.no_cover
@pytest.mark.parametrize("bad", [r"\s*;\s*", r"(?:\w+,?)+;", r"a@\S+@\S+\.\w"])
def test_a_pattern_that_backtracks_is_caught(bad: str) -> None:
    used = UsedPattern("bad", re.compile(bad), frozenset({"search"}))
    with pytest.raises(pytest.fail.Exception, match="bad"):
        _try_pattern(used, seconds=1)


def _try_pattern(used: UsedPattern, *, seconds: int = _CPU_SECONDS) -> None:
    length = CUT_TEXTS.get(used.name, _LENGTH)
    short = bad_texts(used.pattern, length // 10)
    for text, long in zip(short, bad_texts(used.pattern, length), strict=True):
        # What is done with a tenth of the text at once is not tried with all of it: that would take ten times as long.
        if _find_slow_method(used, text, _AT_ONCE):
            method = _find_slow_method(used, long, seconds)
            if method:
                pytest.fail(
                    f"{used.name}: {method} of {long[:40]!r}…{long[-5:]!r} does not end: {used.pattern.pattern!r}"
                )


def _find_slow_method(used: UsedPattern, text: str, seconds: float) -> str:
    """The first method of a pattern that takes more than its processor time; empty where none does."""
    for method in sorted(used.methods):
        try:
            with limited_cpu(seconds):
                call_method(used.pattern, method, text)
        except TooSlowError:
            return method
    return ""
