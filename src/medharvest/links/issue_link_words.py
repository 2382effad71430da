"""The words with which sites of many languages link to the current issue, the archive and articles in press."""

from __future__ import annotations

import functools
import re

from medharvest.links.issue_names import fold_words
from medharvest.links.urls import path_of

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
