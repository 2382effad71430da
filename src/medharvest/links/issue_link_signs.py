"""Signs of where a link about issues leads: its words, in many languages, and what stands above and beside it.

`PageStream(page, links).contexts[link.offset].name` is what the texts before a link say: volume, year, issue.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from medharvest.links.issue_names import NO_NAME, IssueName, fold_words, word_issue
from medharvest.links.scan import content_of_code, iterate_tags, tag_start_pattern
from medharvest.links.urls import path_of
from medharvest.records import Link, Page

_WORD = re.compile(r"[^\W\d_]+")
_LEADING_WORDS = frozenset("view go to the read see our browse show visit zur zum la le el ver voir".split())
_CURRENT_PHRASES = tuple(
    tuple(fold_words(phrase).split())
    for phrase in (
        "current issue|current volume|current|latest issue|newest issue|most recent issue|this issue|new issue|"
        "aktuelle ausgabe|aktuelles heft|neueste ausgabe|dernier numéro|numéro en cours|numéro actuel|"
        "numéro courant|dernière parution|número actual|número corriente|último número|edición actual|"
        "edição atual|número atual|última edição|numero corrente|ultimo numero|numero attuale|fascicolo corrente|"
        "huidig nummer|laatste nummer|aktuellt nummer|senaste numret|siste nummer|aktuelle nummer|seneste nummer|"
        "bieżący numer|aktualny numer|aktuální číslo|son sayı|güncel sayı|terbitan terkini|edisi terkini|"
        "текущий номер|текущий выпуск|последний номер|последний выпуск|свежий номер|новый номер|поточний номер|"
        "当期目录|当前期|本期目录|最新一期|最新目录|当期|最新号|現在の号|최신호|현재호"
    ).split("|")
)
_ARCHIVE_WORDS = frozenset(
    """archive archives archived all back past previous older earlier issue issues volume volumes number numbers list
    of in by year years date journal journals content contents complete full online browse and index""".split()
)
_ARCHIVE_KEYS = frozenset("archive archives archived issues volumes".split())
_ARCHIVE_PHRASES = frozenset(
    fold_words(
        "archiv|heftarchiv|ausgaben|alle ausgaben|frühere ausgaben|ältere ausgaben|alle hefte|ausgabenarchiv|jahrgänge|"
        "numéros|anciens numéros|tous les numéros|numéros précédents|numéros parus|archives de la revue|archivos|"
        "archivo|números|números anteriores|todos los números|ediciones anteriores|ediciones|arquivo|arquivos|"
        "edições|edições anteriores|todas as edições|archivio|numeri|numeri precedenti|tutti i numeri|fascicoli|"
        "archief|eerdere nummers|arkiv|tidigare nummer|tidligere numre|tidligere utgaver|arkisto|archiwum|"
        "numery archiwalne|starší čísla|archív|arhiv|arhiva|arşiv|tüm sayılar|arsip|архив|архив номеров|"
        "архив выпусков|выпуски|все выпуски|номера|все номера|архів|"
        "过刊浏览|过刊|往期目录|往期|期刊目录|期刊浏览|归档|全部期刊|过往期刊|バックナンバー|巻号一覧|과거호|지난호|전체호"
    ).split("|")
)
_EARLY_PHRASES = frozenset(
    fold_words(
        "articles in press|in press|online first|onlinefirst|ahead of print|publish ahead of print|epub ahead of print|"
        "early view|early access|advance articles|advance access|advance online publication|just accepted|"
        "just published|latest articles|recent articles|new articles|first online|online ahead of print|forthcoming|"
        "accepted articles|vorab online|artículos en prensa|en prensa|ahead of print articles|articles sous presse|"
        "à paraître|no prelo|in stampa|в печати|网络首发|优先出版|最新文章"
    ).split("|")
)
_CONTENTS_WORDS = frozenset(
    fold_words(
        "contents content toc issue view browse open inhalt inhaltsverzeichnis sommaire sumario índice ausgabe heft "
        "numéro número numero содержание 目录 目次 выпуск номер"
    ).split()
)
_PREVIOUS_WORDS = frozenset(
    fold_words(
        "previous prev preceding vorherige vorheriges voriges précédent précédente anterior precedente предыдущий"
    ).split()
)
_CURRENT_ADDRESSES = frozenset("current currentissue latestissue currentissues lastissue newissue".split())
# Words in the addresses of pages that are neither issues nor articles, although they have dates and numbers.
_OTHER_ADDRESS_WORDS = frozenset(
    """news blog blogs event events press podcast podcasts video videos multimedia announcement announcements author
    authors login signin register cart user profile about help faq contact share facebook twitter linkedin
    search advanced calendar meeting meetings conference conferences job jobs career careers submit submission
    submissions subscribe subscription alert alerts policy policies privacy terms editorial reviewer reviewers
    rss feed feeds atom citation citations cite export download pdf epub supplement supplements figure figures comment
    comments tag tags category""".split()
)
_FILE_ENDING = re.compile(r"(?:html?|aspx?|php|jsp)$")
_MAX_PREVIOUS_WORDS = 4  # previous vol / issue


@functools.lru_cache(maxsize=8192)
def split_words(text: str) -> tuple[str, ...]:
    """Return the words of a link's text in one spelling, without those that only say to go there."""
    words = _WORD.findall(fold_words(text))
    start = next((place for place, word in enumerate(words) if word not in _LEADING_WORDS), len(words))
    return tuple(words[start:])


def says_current(text: str) -> bool:
    """Whether a text begins with the words for the current issue."""
    words = split_words(text)
    return any(words[: len(phrase)] == phrase for phrase in _CURRENT_PHRASES)


def is_current_address(stem: str) -> bool:
    """Whether the last part of an address, its letters alone, says that it is the current issue."""
    return _FILE_ENDING.sub("", stem) in _CURRENT_ADDRESSES


def says_archive(text: str) -> bool:
    """Whether a text says no more than that there are the issues of a journal."""
    words = split_words(text)
    if " ".join(words) in _ARCHIVE_PHRASES:
        return True
    return bool(words) and _ARCHIVE_WORDS.issuperset(words) and not _ARCHIVE_KEYS.isdisjoint(words)


def says_early(text: str) -> bool:
    """Whether a text is the name of a list of articles that belong to no issue yet."""
    return " ".join(split_words(text)) in _EARLY_PHRASES


def says_previous(text: str) -> bool:
    """Whether a text leads to the issue before this one."""
    words = split_words(text)
    return bool(words) and words[0] in _PREVIOUS_WORDS and 1 < len(words) <= _MAX_PREVIOUS_WORDS


def says_contents(text: str) -> bool:
    """Whether a text has a word for the contents of an issue."""
    return not _CONTENTS_WORDS.isdisjoint(split_words(text) or _WORD.findall(fold_words(text)))


def is_other_address(url: str, own_words: frozenset[str] = frozenset()) -> bool:
    """Whether a word in the path of an address says that it is neither issue nor article; `own_words` do not count."""
    return not _OTHER_ADDRESS_WORDS.isdisjoint(words_of_address(url) - own_words)


def words_of_address(url: str) -> frozenset[str]:
    """Return the words in the path of an address."""
    return frozenset(_WORD.findall(path_of(url).lower().partition("?")[0]))


MAX_OTHER_WORDS = 2  # words beside the name of an issue, unless the text begins with it
_MAX_PIECE_CHARS = 90  # a longer text is no heading of a list of issues
_ANY_TAG = tag_start_pattern(r"a|(?!/a[\s>])/?[a-z][a-z0-9:-]*+")
_INLINE_NAMES = "a b em i strong sub sup u wbr span small img font abbr time label bdi".split()
_INLINE_TAGS = frozenset([*_INLINE_NAMES, *(f"/{name}" for name in _INLINE_NAMES)])


@dataclass(frozen=True, slots=True)
class IssueContext:
    """What stands before a link; `of_issue`: the text of the issue before it said so, no heading.

    `behind` is what the text says that follows the link on its line.
    """

    name: IssueName = NO_NAME
    of_issue: bool = False
    behind: IssueName = NO_NAME


class PageStream:
    """The texts of a page in reading order, and for each link what stands before it."""

    def __init__(self, page: Page, links: Sequence[Link]) -> None:
        self.contexts: dict[int, IssueContext] = {}
        self.title = self.heading = ""
        self._context = IssueContext()
        self._part = NO_NAME  # the volume or year that the last link named, if it named nothing else
        self._before_parts = self._context
        self._last = -1  # offset of the link that the next text follows on its line
        self._walk(page.text, {link.offset: link for link in links})

    def own_name(self) -> IssueName:
        """Return the issue, or the volume or year, that the title or the first heading names."""
        read = [word_issue(text) for text in (self.heading, self.title)]
        names = [said.name for said in read if said.name and (said.worded or said.rest == 0)]
        return next((name for name in names if name.is_issue), next(iter(names), NO_NAME))

    def _walk(self, code: str, links: dict[int, Link]) -> None:
        pieces: list[str] = []
        position, block, link_end = 0, "", 0
        for tag in iterate_tags(code, _ANY_TAG):
            if tag.start >= link_end:
                pieces.append(code[max(position, link_end) : tag.start])
            link = links.get(tag.start)
            if link is not None or tag.name not in _INLINE_TAGS:
                self._take_text("".join(pieces), block)
                pieces = []
            if link is not None:
                self.contexts[link.offset] = self._context
                link_end, self._last = link.end, link.offset
                self._take_link(link)
            elif tag.name not in _INLINE_TAGS and tag.start >= link_end:
                block, self._last = tag.name, -1
            position = tag.end

    def _take_text(self, code: str, tag: str) -> None:
        if not code.strip():
            return
        text, _ = content_of_code(code)
        if tag == "title":
            self.title = self.title or text
            return
        if tag in {"h1", "h2"} and not self.heading:
            self.heading = text
        if name := _name_of_piece(text):
            if self._last >= 0:
                self.contexts[self._last] = replace(self.contexts[self._last], behind=name)
            self._part = NO_NAME
            known = self._context.name
            self._set(name, year=name.year or known.year, volume=name.volume or _volume_in_year(known, name))

    def _take_link(self, link: Link) -> None:
        name = _name_of_piece(link.text)
        if not name or is_other_address(link.url):
            return
        known = self._context.name
        if name.is_issue:  # "Vol. 12 No. 3" is followed by "No. 2" of the same volume
            above = IssueName(volume=name.volume or known.volume, year=name.year or known.year)
            self._part, self._context = NO_NAME, IssueContext(above, of_issue=name.volume != known.volume)
        elif self._part and self._part != name:  # one such link after the other: a menu, not headings
            self._part, self._context = name, self._before_parts
        else:
            self._part, self._before_parts = name, self._context
            year = known.year if not name.volume or name.volume == known.volume else ""
            self._set(name, year=name.year or year, volume=name.volume or _volume_in_year(known, name))

    def _set(self, name: IssueName, *, year: str, volume: str) -> None:
        self._context = IssueContext(IssueName(volume=volume, year=year, issue=name.issue, month=name.month))


def _name_of_piece(text: str) -> IssueName:
    """Return what a text says about an issue, if it says little else."""
    if not 0 < len(text) <= _MAX_PIECE_CHARS:
        return NO_NAME
    said = word_issue(text)
    return said.name if said.rest <= MAX_OTHER_WORDS else NO_NAME


def _volume_in_year(known: IssueName, name: IssueName) -> str:
    """Return the volume so far, unless another year begins."""
    return known.volume if not name.year or known.year in {"", name.year} else ""
