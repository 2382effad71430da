"""Every regular expression of the package, and the texts that drive one into backtracking."""

from __future__ import annotations

import ast
import functools
import gc
import importlib
import pkgutil
import re
import signal
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from types import FrameType
from typing import Any

import medharvest

METHODS = ("search", "match", "fullmatch", "findall", "finditer", "sub", "split")
_METHODS_OF_UNNAMED = frozenset({"search", "match", "fullmatch"})  # a pattern in a tuple is called through a variable
_MAX_NESTING = 4
# Runs of one character, of two in turn, and openers without an end.
BAD_RUNS = (
    *" aA1,-.<\n",
    "a1",
    "a ",
    "1,",
    " \n",
    "Aa ",
    "<!---->",
    "<!--",
    "<a ",
    '"(',
    "{\\",
    "é",
)
_CANDIDATES = "a1 -,.AxZ<>\"'/:;(\n=é|中"
_LONG_REPEAT = 20  # a repeat of fewer does not grow
# Patterns whose callers cut the text, and where: they are tried with that many characters.
CUT_TEXTS = {
    "medharvest.citations.identifiers._PMID_PATTERN": 100,
    "medharvest.citations.nlm_style._PAGES_LEAD": 200,
    "medharvest.citations.nlm_style._PAGE_DASH": 200,
    "medharvest.formats.medline_values._GRANT_LINE": 400,
    "medharvest.links.link_words._CODED_WORD": 600,
    "medharvest.pages.page._META_CHARSET": 4_096,
}
# Not `evaluate`, which only reads labelled pages of the user.
PACKAGES = [
    f"medharvest.{info.name}"
    for info in pkgutil.iter_modules(medharvest.__path__)
    if info.name not in {"__main__", "evaluate"}
]


class TooSlowError(Exception):
    """A pattern used more processor time than a linear search could."""


@dataclass(frozen=True, slots=True)
class UsedPattern:
    """A pattern, where it is defined, and the methods that the module calls on it."""

    name: str
    pattern: re.Pattern[Any]
    methods: frozenset[str]


@functools.cache
def collect_patterns(package: str) -> list[UsedPattern]:
    """Return the patterns of a package or module: those it defines, and those in calls such as `re.split(r"…")`."""
    found: dict[tuple[object, int], UsedPattern] = {}
    for name in _module_names(package):
        module = importlib.import_module(name)
        source = Path(str(module.__file__)).read_text(encoding="utf-8")
        for used in [*_defined_patterns(name, vars(module), source), *_written_patterns(name, source)]:
            key = (used.pattern.pattern, used.pattern.flags)
            first = found.get(key, used)
            found[key] = UsedPattern(first.name, first.pattern, first.methods | used.methods)
    return list(found.values())


def _module_names(package: str) -> list[str]:
    folder = Path(medharvest.__path__[0]) / package.partition(".")[2]
    below = [info.name for info in pkgutil.walk_packages([str(folder)], f"{package}.")] if folder.is_dir() else []
    return [package, *(name for name in below if ".migrations" not in name)]


def _defined_patterns(module: str, names: Mapping[str, object], source: str) -> Iterator[UsedPattern]:
    for name, value in names.items():
        if name.startswith("__"):
            continue
        calls = set(re.findall(rf"\b{name}\b(?:\[[^\]]*\])?\.({'|'.join(METHODS)})\b", source))
        for pattern in _patterns_within(value):
            yield UsedPattern(f"{module}.{name}", pattern, frozenset(calls) or _METHODS_OF_UNNAMED)


def _patterns_within(value: object, depth: int = 0) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth < _MAX_NESTING and not isinstance(value, type):
        for part in _parts_of(value):
            yield from _patterns_within(part, depth + 1)


def _parts_of(value: object) -> list[object]:
    if isinstance(value, Mapping):
        return list(value.values())
    if isinstance(value, tuple | list | AbstractSet):
        return list(value)
    return [getattr(value, field.name, None) for field in fields(value)] if is_dataclass(value) else []


def _written_patterns(module: str, source: str) -> Iterator[UsedPattern]:
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="re"), attr=method), args=[ast.Constant(value=text), *_]
            ) if method in METHODS:
                yield UsedPattern(f"{module}:{node.lineno}", re.compile(text), frozenset({method}))


def bad_texts(pattern: re.Pattern[Any], length: int) -> list[str]:
    """Return texts that nearly match: each repeat of the pattern pumped up after what it needs before it."""
    text = pattern.pattern.decode("latin-1") if isinstance(pattern.pattern, bytes) else pattern.pattern
    pumps: list[tuple[str, str]] = []
    _write_example(parser.parse(text, pattern.flags & re.VERBOSE), "", pumps)
    texts = [run * (length // len(run)) for run in BAD_RUNS]
    for before, body in dict.fromkeys(pumps):
        texts.append(before + body * (length // len(body)) + "\0")
        texts.append((before + body) * (length // len(before + body)))
    return texts


def _write_example(tree: Any, before: str, pumps: list[tuple[str, str]]) -> str:
    """Return the text before and a short text that the tree matches; note each repeat with what stands before it."""
    text = before
    for code, argument in tree:
        if code is codes.BRANCH:
            text, *_ = [_write_example(branch, text, pumps) for branch in argument[1]]
        elif code is codes.SUBPATTERN:
            text = _write_example(argument[3], text, pumps)
        elif code is codes.ATOMIC_GROUP:
            text = _write_example(argument, text, pumps)
        elif code is codes.ASSERT:
            _write_example(argument[1], text, pumps)
        elif code in {codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT}:
            text = _write_repeat(argument, text, pumps)
        elif code in {codes.LITERAL, codes.NOT_LITERAL, codes.ANY, codes.IN}:
            text += _characters_of(code, argument)[0]
    return text


def _write_repeat(argument: Any, before: str, pumps: list[tuple[str, str]]) -> str:
    least, most, tree = int(argument[0]), argument[1], argument[2]
    body = _write_example(tree, before, pumps)[len(before) :]
    if most < _LONG_REPEAT or not body:
        return before + body * max(least, 1)
    bodies = _characters_of(*tree[0])[:2] if len(tree) == 1 and tree[0][0] is codes.IN else [body]
    pumps += [(before, body) for body in bodies]
    return before + body * least


def _characters_of(code: Any, argument: Any) -> list[str]:
    """Return characters that one step of a pattern takes, the usual ones first."""
    if code is codes.LITERAL:
        return [chr(argument)]
    if code is not codes.IN:
        return [sign for sign in "xy" if code is codes.ANY or ord(sign) != argument]
    takes = [sign for sign in _CANDIDATES if _is_in_set(argument, sign)]
    return takes or [chr(argument[0][1] if argument[0][0] is codes.LITERAL else argument[0][1][0])]


def _is_in_set(items: Any, sign: str) -> bool:
    hits = False
    for code, argument in items:
        if code is codes.LITERAL:
            hits |= ord(sign) == argument
        elif code is codes.RANGE:
            hits |= argument[0] <= ord(sign) <= argument[1]
        elif code is codes.CATEGORY:
            hits |= _is_in_category(str(argument).lower(), sign)
    return hits is not (items[0][0] is codes.NEGATE)


def _is_in_category(name: str, sign: str) -> bool:
    inside = {"digit": sign.isdigit(), "space": sign.isspace(), "word": sign.isalnum() or sign == "_"}
    return inside[name.rpartition("_")[2]] is not ("not_" in name)


def call_method(pattern: re.Pattern[Any], method: str, text: str) -> None:
    """Call a method of a pattern on a text, and take all that it finds."""
    subject: Any = text.encode() if isinstance(pattern.pattern, bytes) else text
    call = getattr(pattern, method)
    found = call(subject[:0], subject) if method == "sub" else call(subject)
    _ = list(found) if method == "finditer" else found


@contextmanager
def limited_cpu(seconds: float) -> Iterator[None]:
    """Raise when the block has used too much processor time; a search lets signals through.

    No garbage is collected meanwhile: a library that listens to the collector would get the error instead of the block.
    """

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise TooSlowError

    before = signal.signal(signal.SIGVTALRM, stop)
    gc.disable()
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        gc.enable()
        signal.signal(signal.SIGVTALRM, before)
