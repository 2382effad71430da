"""Judge links by constraint sets and by whether their text reads like a title; no examples and no model are used.

The sets are words that exclude a link, or tell which kind of page it promises: `DEFAULT_SETS` and `PAPER_SETS` are
built in, and `load_constraints` reads sets that a user changed in a TOML file. `judge_links(page)` gives one
`JudgedLink` per link; the method of its verdict names the rule that decided.
"""

from __future__ import annotations

import difflib
import functools
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from medharvest.errors import InputError
from medharvest.links.scan import HIDING_STYLE, scan_links
from medharvest.links.urls import normal_url, path_of, server_of
from medharvest.records import ARTICLE_KINDS, JudgedLink, Kind, Link, Page, Verdict


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


# Texts of links to pages about the journal or to a whole issue; they may be as long as a title.
_ABOUT_JOURNAL = re.compile(
    r"\b(?:complete|current|entire|full|list of|next|of the|of this|past|previous|whole) issues?\b|\bmasthead\b|"
    r"\b(?:advisory|editorial) board\b|\b(?:for|to) (?:authors|librarians|reviewers)\b|\bguidelines\W+pdf\b|"
    r"\bview (?:all|more)\b|^\W*(?:issue|vol|volume)\.?\s*\d",
    re.IGNORECASE,
)
# Only a text with one of these words is matched against the pattern above, which is slow.
_ABOUT_WORDS = ("issue", "vol", "view", "board", "authors", "librarians", "masthead", "guidelines")
_IMAGE_SUFFIXES = tuple(".gif .jpg .jpeg .png .svg .webp .tif .tiff".split())
_JUDGE_TOKEN = re.compile(r"[^\W_]+")
_MIN_LINK_TITLE_WORDS, _MIN_LINK_TITLE_CHARS = 4, 25  # a link text this long reads like the title of an article
# If this many titles have addresses of one shape, a shorter text with such an address is a title too.
_MIN_TITLES_OF_SHAPE = 3
_NUMBER_IN_PATH = re.compile(r"\d+")
_PICTURE_TAGS = frozenset({"IMG", "SVG", "PICTURE", "I", "SPAN"})  # content that may be visible without text
_ARTICLE_REASONS = frozenset({"promise", "title", "shape"})  # reasons for an article link
_UNFOLLOWED_REASONS = frozenset({"excluded", "server", "trap"})  # reasons that keep a link out of the paper's {S}
_NO_WORDS_FOUND: frozenset[str] = frozenset()


def judge_links(
    page: Page,
    *,
    kind: Kind | None = None,
    sets: ConstraintSets = DEFAULT_SETS,
    skip: Callable[[str], bool] | None = None,
) -> tuple[JudgedLink, ...]:
    """Judge the links of a page; only links to its own server can be article links.

    `kind` is the kind of the page. On an article page a title belongs to another article, so only links to other forms
    of this article count; any other page is treated as a contents page. Links for whose address `skip` returns true
    are left out before they are judged.
    """
    links = scan_links(page, skip=skip)
    judge = _LinkJudge(page.url, sets)
    looks = [judge.look(link) for link in links]
    reasons = [look[0] for look in looks]
    if kind in ARTICLE_KINDS:
        reasons = [_reason_on_article_page(link, reason) for link, reason in zip(links, reasons, strict=True)]
    else:
        reasons = _accept_title_shapes(links, reasons)
    return _agree_on_promised_kinds(tuple(map(judge.answer, links, looks, reasons)))


def _reason_on_article_page(link: Link, reason: str) -> str:
    """On an article page: its figures belong to the article, titles do not, whatever their addresses promise."""
    if reason == "image":
        return "promise"
    return "other-title" if reason in _ARTICLE_REASONS and _reads_like_title(link.text) else reason


def _accept_title_shapes(links: Sequence[Link], reasons: list[str]) -> list[str]:
    """On a contents page: accept short texts whose addresses have the shape of many titles' addresses."""
    short = {_shape_of_address(link.url) for link, reason in zip(links, reasons, strict=True) if reason == "short"}
    short.discard("")
    if not short:
        return reasons
    titles = Counter(
        _shape_of_address(link.url) for link, reason in zip(links, reasons, strict=True) if reason == "title"
    )
    known = {shape for shape in short if titles[shape] >= _MIN_TITLES_OF_SHAPE}
    return [
        "shape" if reason == "short" and _shape_of_address(link.url) in known else reason
        for link, reason in zip(links, reasons, strict=True)
    ]


def _shape_of_address(url: str) -> str:
    """Replace the numbers of an address by 0; empty if it has none."""
    path = path_of(url)
    shape = _NUMBER_IN_PATH.sub("0", path)
    return shape if shape != path else ""


def _agree_on_promised_kinds(judged: tuple[JudgedLink, ...]) -> tuple[JudgedLink, ...]:
    """Give links to one address the same kind: what one promises in words, a title to the same page promises too."""
    promised = {one.link.url: one.kind for one in judged if one.article and one.verdict.method == "promise"}
    if not promised:
        return judged
    return tuple(
        replace(one, kind=promised[one.link.url])
        if one.article and one.verdict.method != "promise" and one.link.url in promised
        else one
        for one in judged
    )


# What a link says by itself: the first reason that applies, the promised kind, the words of its address.
_LinkLook = tuple[str, Kind | None, list[str]]


class _LinkJudge:
    """Judges the links of one page."""

    def __init__(self, page_url: str, sets: ConstraintSets) -> None:
        self._page_url = page_url
        self._sets = sets
        self._finder = _word_finder(sets)
        normal = normal_url(page_url)
        self._own = server_of(normal)
        self._servers = {self._own, *sets.servers}
        self._begins = tuple(f"{scheme}://{www}{self._own}/" for scheme in ("http", "https") for www in ("", "www."))
        # A word in the page's own address excludes nothing: the issue itself may be below `/archive/`.
        self._excluded = sets.excluded - self._finder.in_words(_words_in_text(path_of(normal or page_url)))

    def look(self, link: Link) -> _LinkLook:
        """Why a link is an article link or not, as far as the link alone can tell."""
        path = path_of(link.url or link.href).lower()
        words = _JUDGE_TOKEN.findall(path)
        in_text, in_address = self._finder.in_link(link, words)
        kind = self._promised(path, in_text, in_address)
        if is_trap(link):
            reason = "trap"
        elif not self.is_own(link):
            reason = "server"
        elif in_text & self._sets.excluded or in_address & self._excluded:
            reason = "excluded"
        elif self._is_about(link):
            reason = "about"
        elif kind is not None:
            reason = "image" if kind is Kind.IMAGE else "promise"
        else:
            reason = "title" if not self._sets.literal and _reads_like_title(link.text) else "short"
        return reason, kind, words

    def answer(self, link: Link, look: _LinkLook, reason: str) -> JudgedLink:
        """Build the verdict of a link, after the other links of the page were considered."""
        by_itself, kind, words = look
        article = reason in _ARTICLE_REASONS
        return JudgedLink(
            link=link,
            article=article,
            kind=Kind.ABSTRACT if article and kind is None else kind,
            verdict=_verdict_for_reason(reason),
            article_key=self._finder.key(self._server(link.url), words) if article else "",
            follows=by_itself not in _UNFOLLOWED_REASONS,
        )

    def _server(self, url: str) -> str:
        return self._own if url.startswith(self._begins) else server_of(url)

    def _promised(self, path: str, in_text: frozenset[str], in_address: frozenset[str]) -> Kind | None:
        """The kind a link promises: an image by its address, others by the words of the text, then of the address."""
        if path.endswith(_IMAGE_SUFFIXES):
            return Kind.IMAGE
        for found in (in_text, in_address):
            for kind, promise in self._finder.promises if found else ():
                if found & promise:
                    return kind
        return None

    def is_own(self, link: Link) -> bool:
        """Whether a link stays on the server and leaves the page."""
        if self._page_url == "":
            return not link.href.startswith("#")
        if link.url == self._page_url or link.href.startswith("#"):
            return False
        return self._server(link.url) in self._servers

    def is_banned(self, link: Link) -> bool:
        """Whether a link contains an excluded word that the user added."""
        added = self._sets.excluded - DEFAULT_SETS.excluded
        if not added:
            return False
        in_text, in_address = self._finder.in_link(link, _words_in_text(path_of(link.url or link.href)))
        return not added.isdisjoint(in_text | in_address)

    def _is_about(self, link: Link) -> bool:
        """Whether a link leads to a page about the journal, or up to the journal's own page."""
        if self._sets.literal:
            return False
        if link.url.endswith("/") and self._page_url.startswith(link.url):
            return True
        text = link.text.lower()
        for word in _ABOUT_WORDS:
            if word in text:
                return bool(_ABOUT_JOURNAL.search(link.text))
        return False


class _ConstraintFinder:
    """Finds the words of constraint sets in the text and address of a link."""

    def __init__(self, sets: ConstraintSets) -> None:
        self._literal = sets.literal
        self.promises = sets.promises
        promised = frozenset[str]().union(*(words for _, words in self.promises))
        self._all = sets.excluded | promised
        self._phrases = tuple(f" {word} " for word in self._all if " " in word)
        self._heads = frozenset(phrase.split()[0] for phrase in self._phrases)
        # Words that tell the forms of one article apart.
        self._forms = frozenset(word.lower() for word in promised) | {"htm"}
        self._in_text = functools.lru_cache(maxsize=4_096)(lambda text: self.in_words(_words_in_text(text)))

    def in_link(self, link: Link, words: list[str]) -> tuple[frozenset[str], frozenset[str]]:
        """The words in the displayed text, unless it is a title, and those in the address."""
        if self._literal:
            return frozenset(word for word in self._all if word in link.text or word in link.href), _NO_WORDS_FOUND
        text = link.text
        return self._in_text(text) if len(text) < _MIN_LINK_TITLE_CHARS else _NO_WORDS_FOUND, self.in_words(words)

    def in_words(self, words: list[str]) -> frozenset[str]:
        """Words and phrases that are in a set; whole words only, so "research" does not contain "search"."""
        found = self._all.intersection(words)
        if self._heads.isdisjoint(words):
            return found
        text = f" {' '.join(words)} "
        return found.union(phrase.strip() for phrase in self._phrases if phrase in text)

    def key(self, server: str, words: list[str]) -> str:
        """The article key: an address without the words that tell the forms of one article apart."""
        return "/".join([server, *[word for word in words if word not in self._forms]])


@functools.lru_cache(maxsize=16)
def _word_finder(sets: ConstraintSets) -> _ConstraintFinder:
    return _ConstraintFinder(sets)


@functools.cache
def _verdict_for_reason(reason: str) -> Verdict:
    return Verdict("article" if reason in _ARTICLE_REASONS else "other", 0.7, reason)


def check_followable(page_url: str, links: Sequence[Link], sets: ConstraintSets = DEFAULT_SETS) -> list[bool]:
    """Whether a crawl may follow each link: it is visible, leaves the page and stays on the server.

    Words that a user added to the sets exclude a link too. The default words do not: examples or the model decided
    which links are article links, not these words.
    """
    judge = _LinkJudge(page_url, sets)
    return [judge.is_own(link) and not is_trap(link) and not judge.is_banned(link) for link in links]


def article_key(url: str, sets: ConstraintSets = DEFAULT_SETS) -> str:
    """Return what the addresses of all forms of one article have in common."""
    return _word_finder(sets).key(server_of(url), _words_in_text(path_of(url)))


def is_trap(link: Link) -> bool:
    """Whether a reader cannot see the link: it has neither text nor picture, or its own style hides it."""
    for name, value in link.attributes:
        if name == "hidden" or (name == "style" and HIDING_STYLE.search(value)):
            return True
    return not link.text and _PICTURE_TAGS.isdisjoint(link.content_tags)


def _reads_like_title(text: str) -> bool:
    return len(text) >= _MIN_LINK_TITLE_CHARS and len(text.split()) >= _MIN_LINK_TITLE_WORDS


def _words_in_text(text: str) -> list[str]:
    return _JUDGE_TOKEN.findall(text.lower())
