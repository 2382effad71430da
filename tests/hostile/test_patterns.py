"""No regular expression that meets foreign text grows faster than its text."""

from __future__ import annotations

import gc
import pkgutil
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest
from tests.hostile.patterns import UsedPattern, bad_texts, collect_patterns

import medharvest
from medharvest.errors import InputError
from medharvest.formats.registry import FORMAT_HEAD_BYTES, FORMATS, detect_format

_LENGTH = 200_000  # characters; backtracking takes minutes with them, a linear search a fraction of a second
_CPU_SECONDS = 5  # of this process alone, so a busy machine does not count; ten times what the slowest takes
_AT_ONCE = 0.01  # seconds for 20,000 characters; a quadratic search takes ten times as long even on a fast machine
# Patterns whose callers cut the text, and where: they are tried with that many characters.
_CUT_TEXTS = {
    "form.begins": FORMAT_HEAD_BYTES,
    "medharvest.citations.identifiers._PMID_PATTERN": 100,
    "medharvest.citations.nlm_style._CONTACT_NOTE": 900,
    "medharvest.citations.nlm_style._COPYRIGHT_LINE": 900,
    "medharvest.citations.nlm_style._PAGES_LEAD": 200,
    "medharvest.citations.nlm_style._PAGE_DASH": 200,
    "medharvest.formats.medline_values._GRANT_LINE": 400,
    "medharvest.links.link_words._CODED_WORD": 600,
    "medharvest.pages.page._META_CHARSET": 4_096,
    "medharvest.vocabularies.spelling._CATALOGUE_REMARK": 300,
}
# Not `evaluate`, which only reads labelled pages of the user.
_PACKAGES = [
    f"medharvest.{info.name}"
    for info in pkgutil.iter_modules(medharvest.__path__)
    if info.name not in {"__main__", "evaluate"}
]


class _TooSlowError(Exception):
    """A pattern used more processor time than a linear search could."""


def test_forty_empty_comments_are_no_format() -> None:
    with _limited_cpu(), pytest.raises(InputError, match="not recognised"):
        detect_format(b"<!---->\n" * 40 + b"<x", name="comments.xml")


def test_a_prolog_is_skipped_before_the_root_is_recognised() -> None:
    prolog = b'<?xml version="1.0"?>\n<!-- a -- > b --><!---->\n<!DOCTYPE ArticleSet [<!ENTITY a "b">] >\n<?x y?>'
    assert detect_format(prolog + b"<ArticleSet>", name="set.xml").name == "pubmed"


@pytest.mark.no_cover
@pytest.mark.parametrize("form", [form for form in FORMATS.values() if form.read], ids=lambda form: form.name)
def test_no_beginning_of_a_file_holds_up_the_detection_of_its_format(form: Any) -> None:
    _try_pattern(UsedPattern("form.begins", re.compile(form.begins), frozenset({"match"})))


@pytest.mark.no_cover
@pytest.mark.parametrize("package", _PACKAGES)
def test_every_pattern_ends_on_every_bad_text(package: str) -> None:
    for used in collect_patterns(package):
        _try_pattern(used)


def test_the_patterns_of_the_package_are_found() -> None:
    names = {used.name for package in _PACKAGES for used in collect_patterns(package)}
    assert set(_CUT_TEXTS) - {"form.begins"} <= names
    assert len(names) > 300


@pytest.mark.no_cover
@pytest.mark.parametrize("bad", [r"\s*;\s*", r"(?:\w+,?)+;", r"a@\S+@\S+\.\w"])
def test_a_pattern_that_backtracks_is_caught(bad: str) -> None:
    used = UsedPattern("bad", re.compile(bad), frozenset({"search"}))
    with pytest.raises(pytest.fail.Exception, match="bad"):
        _try_pattern(used, seconds=1)


def _try_pattern(used: UsedPattern, *, seconds: int = _CPU_SECONDS) -> None:
    length = _CUT_TEXTS.get(used.name, _LENGTH)
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
    subject: Any = text.encode() if isinstance(used.pattern.pattern, bytes) else text
    for method in sorted(used.methods):
        call = getattr(used.pattern, method)
        try:
            with _limited_cpu(seconds):
                found = call(subject[:0], subject) if method == "sub" else call(subject)
                _ = list(found) if method == "finditer" else found
        except _TooSlowError:
            return method
    return ""


@contextmanager
def _limited_cpu(seconds: float = _CPU_SECONDS) -> Iterator[None]:
    """Raise when the block has used too much processor time; a search lets signals through.

    No garbage is collected meanwhile: a library that listens to the collector would get the error instead of the block.
    """

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise _TooSlowError

    before = signal.signal(signal.SIGVTALRM, stop)
    gc.disable()
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        gc.enable()
        signal.signal(signal.SIGVTALRM, before)
