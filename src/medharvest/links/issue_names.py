"""What a short text says about an issue: volume, number, year and month, in the words of many languages.

`read_issue_name("Vol. 12, No. 3 (2019)")` has volume `12`, issue `3` and year `2019`.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

_MAX_NAME_CHARS = 200  # characters of a text that are read
_FIRST_YEAR, _LAST_YEAR = 1650, 2099  # the first journals began in 1665
_MAX_PLAIN_DIGITS = 4  # of a volume or an issue; longer numbers are identifiers
_VOLUME_WORDS = """
    vol vols volume volumes v volumen volumenes volumi volumul band bande bd bde jahrgang jahrgange jg jhg tome tomes
    tomo tomos tom tomus rocznik rocnik arg argang evfolyam evf cilt cilts jaargang jilid letnik godiste vuosikerta
    том тома т 卷 巻 권
"""
_ISSUE_WORDS = """
    issue issues iss is number numbers no nos nr nrs num n numero numeros nro ausgabe ausgaben heft hefte h fascicolo
    fascicoli fasc fascicule fascicules fasciculo cahier cahiers caderno cuaderno zeszyt cislo cis sayi sayisi nummer
    nomor broj stevilka szam lehti hafte edicion edicao edizione
    выпуск выпуски вып номер номера ном 期 号 號 호
"""
# These follow their number, or stand before it in a sentence; in front of a number they say something else.
_FOLLOWING_WORDS = frozenset("卷 巻 권 期 号 號 호".split())
_SUPPLEMENT_WORDS = """
    suppl supplement supplements supl suplemento supplemento supplementum beiheft sonderheft приложение
    增刊
"""
_SPECIAL_WORDS = "special sonderausgabe especial speciale specjalny ozel спецвыпуск"
_YEAR_WORDS = "year years jahr jahre annee annees ano anos anno annata rok roky yil god год годы г 年 年度 년"
_MONTH_LANGUAGES = (
    "january february march april may june july august september october november december",
    "jan feb mar apr may jun jul aug sep oct nov dec",
    "januar februar marz april mai juni juli august sept oktober november dezember",
    "janner febr mrz apr mai jun jul aug sep okt nov dez",
    "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
    "janv fevr mars avr mai juin juil aout sept oct nov dec",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "ene feb mar abr may jun jul ago set oct nov dic",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "gen feb mar apr mag giu lug ago set ott nov dic",
    "janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro",
    "jan fev mar abr mai jun jul ago set out nov dez",
    "januari februari maart april mei juni juli augustus september oktober november december",
    "januari februari mars april maj juni juli augusti september oktober november december",
    "styczen luty marzec kwiecien maj czerwiec lipiec sierpien wrzesien pazdziernik listopad grudzien",
    "leden unor brezen duben kveten cerven cervenec srpen zari rijen listopad prosinec",
    "ocak subat mart nisan mayis haziran temmuz agustos eylul ekim kasim aralik",
    "январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь",
    "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
)
_SEASONS = (  # each with a month that sorts it among the others
    (4, "spring printemps fruhjahr fruhling primavera lente весна wiosna"),
    (7, "summer ete sommer verano estate zomer verao лето lato"),
    (10, "autumn fall automne herbst otono autunno herfst outono осень jesien"),
    (12, "winter hiver invierno inverno зима zima"),
)
# Words that say nothing against a text being the name of an issue.
_FILLER_WORDS = """
    the of and a to in for der die das des dem von und de du le la les et del los las el y do da dos das e en il lo gli
    i di van het och og 第 第一 current latest new view browse see open show read full whole entire complete cover image
    content contents table toc online print journal articles article papers pdf html part pt th st nd rd
    inhalt inhaltsverzeichnis sommaire sumario indice содержание 目 录 次 当 本 最 新 aktuelle dernier actual attuale
"""
_TOKEN = re.compile(r"\d+|[^\W\d_]+|[^\w\s]|_")
_IDEOGRAPHS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_ROMAN = re.compile(r"(?=[ivxlc])(?:c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
_DASHES = frozenset("-‐‑‒–—/&+")
_UNNUMBERED = frozenset({"Suppl", "Special"})  # names of issues only together with a volume or a year
_ORDINALS = frozenset({"第"})
_CHINESE_NUMBER = re.compile("([一二三四五六七八九十]{1,3})(?=[卷巻期号號])")
_CHINESE_DIGITS = " 一二三四五六七八九"


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueName:
    """The parts of an issue's name as printed; `month` is a number that sorts the issues of a year, 0 if unknown."""

    volume: str = ""
    issue: str = ""
    year: str = ""
    month: int = 0

    def __bool__(self) -> bool:
        """Whether anything is known."""
        return bool(self.volume or self.issue or self.year or self.month)

    @property
    def is_issue(self) -> bool:
        """Whether it names one issue, not a volume or a year."""
        return bool(self.issue or self.month)

    def filled_from(self, other: IssueName) -> IssueName:
        """Return the name with what only the other one says."""
        return IssueName(
            volume=self.volume or other.volume,
            issue=self.issue or other.issue,
            year=self.year or other.year,
            month=self.month or other.month,
        )

    def contradicts(self, other: IssueName) -> bool:
        """Whether both name a volume or a year, and different ones."""
        volumes, years = (self.volume, other.volume), (self.year, other.year)
        return _are_apart(*volumes) or _are_apart(*years)


NO_NAME = IssueName()


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueWording:
    """A text read as the name of an issue: `worded` by words such as "volume"; `rest` counts the other words.

    `opens`: the text begins with the name. `numbers` are those that no word explains.
    """

    name: IssueName
    worded: bool = False
    opens: bool = False
    rest: int = 0
    numbers: tuple[str, ...] = ()


def fold_words(text: str) -> str:
    """Return a text in small letters without accents, so that one spelling stands for all."""
    flat = unicodedata.normalize("NFKD", text).casefold().replace("\u0131", "i")  # the Turkish i without a dot
    return unicodedata.normalize("NFKC", "".join(mark for mark in flat if unicodedata.category(mark) != "Mn"))


def _fold_all(words: str) -> frozenset[str]:
    return frozenset(fold_words(words).split())


_VOLUMES, _ISSUES = _fold_all(_VOLUME_WORDS), _fold_all(_ISSUE_WORDS)
_SUPPLEMENTS, _SPECIALS = _fold_all(_SUPPLEMENT_WORDS), _fold_all(_SPECIAL_WORDS)
_YEARS, _FILLERS = _fold_all(_YEAR_WORDS), _fold_all(_FILLER_WORDS)
_PAGES = _fold_all("page pages pp p pg seite seiten página páginas págs pag pagine стр 页")
_MONTHS = {word: number for names in _MONTH_LANGUAGES for number, word in enumerate(fold_words(names).split(), 1)} | {
    word: number for number, names in _SEASONS for word in fold_words(names).split()
}


def first_number(text: str) -> int:
    """Return the first number of a volume or issue, also a Roman one; -1 if there is none."""
    if found := re.search(r"\d{1,9}", text):
        return int(found.group())
    return _roman_value(text.casefold())


def last_number(text: str) -> int:
    """Return the last number of a span such as `161-168`; -1 if there is none."""
    found = re.findall(r"\d{1,9}", text)
    return int(found[-1]) if found else first_number(text)


def _are_apart(one: str, other: str) -> bool:
    """Whether two volumes or years, or spans of them, have nothing in common."""
    if not one or not other or one == other:
        return False
    spans = (first_number(one), last_number(one)), (first_number(other), last_number(other))
    return spans[0][1] < spans[1][0] or spans[1][1] < spans[0][0]


def read_issue_name(text: str) -> IssueName:
    """Return what a text says about an issue."""
    return word_issue(text).name


@functools.lru_cache(maxsize=8192)
def word_issue(text: str) -> IssueWording:
    """Read a text as the name of an issue."""
    return _IssueNameReader(_split_tokens(fold_words(text[:_MAX_NAME_CHARS]))).read()


def _split_tokens(text: str) -> list[str]:
    """Split a text into numbers, words and marks; ideographs are words of one character each."""
    tokens: list[str] = []
    for token in _TOKEN.findall(_CHINESE_NUMBER.sub(lambda found: str(_chinese_value(found[1])), text)):
        if _IDEOGRAPHS.search(token):
            tokens += token
        else:
            tokens.append(token)
    return tokens


def _chinese_value(number: str) -> int:
    """Return the value of a number below 100: `二十三` is 23."""
    tens, ten, ones = number.rpartition("十")
    return 10 * (max(_CHINESE_DIGITS.find(tens), 1) if ten else 0) + max(_CHINESE_DIGITS.find(ones or " "), 0)


class _IssueNameReader:
    """Reads the tokens of a text from left to right; a word says what the next number is."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.at = 0
        self.name = IssueName()
        self.expects = ""  # what the next number is
        self.explained = ""  # the word that said what the number before it is
        self.worded = False
        self.rest = 0
        self.numbers: list[str] = []

    def read(self) -> IssueWording:
        """Read all tokens."""
        opens = False
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            if token.isdecimal():
                self._take_number()
            else:
                self._take_word(token)
                self.at += 1
            opens = opens or (bool(self.name) and not self.rest)
        self._place_plain_numbers()
        if self.name.issue in _UNNUMBERED and not (self.name.volume or self.name.year):
            self._set("issue", "")
        return IssueWording(
            name=self.name, worded=self.worded, opens=opens, rest=self.rest, numbers=tuple(self.numbers)
        )

    def _take_word(self, word: str) -> None:
        explained, self.explained = self.explained, self.explained if word == "." else ""
        if word in _FOLLOWING_WORDS or word == explained:
            return
        if word in _SUPPLEMENTS:
            self.expects, self.worded = "supplement", True
            self._set("issue", f"{self.name.issue} Suppl".strip())
        elif word in _VOLUMES and self._is_used_as_word(word):
            self.expects = "volume"
        elif word in _ISSUES and self._is_used_as_word(word):
            self.expects = "issue"
        elif word in _PAGES and self._following_number(1) is not None:
            self.expects = "page"
        elif word in _MONTHS:
            self.expects = ""
            self.name = replace(self.name, month=self.name.month or _MONTHS[word])
        elif self.expects == "volume" and not self.name.volume and _roman_value(word) > 0:
            self._set("volume", word.upper())
            self.expects, self.worded = "", True
        elif word in _SPECIALS:
            self._set("issue", self.name.issue or "Special")
        elif word[0].isalpha() and word not in _ORDINALS:
            self.rest += word not in _FILLERS and word not in _YEARS and word not in _PAGES
            self.expects = ""

    def _is_used_as_word(self, word: str) -> bool:
        """Whether a short word such as "n" or "is" stands before a number, not in a sentence."""
        return len(word) > 2 or self._following_number(1) is not None  # noqa: PLR2004

    def _following_number(self, step: int) -> str | None:
        """Return the number after the token, behind at most two marks."""
        for token in self.tokens[self.at + step : self.at + step + 3]:
            if token.isdecimal():
                return token
            if token[0].isalnum():
                return None
        return None

    def _take_number(self) -> None:
        number, after = self._span(self.at)
        kind = self.expects
        if not kind:
            kind, self.explained = self._explained_by(after)
        is_year = _is_year(number)
        self.at = after
        if is_year and kind != "volume":
            self._set("year", self.name.year or number)
        elif len(number.partition("-")[0]) > _MAX_PLAIN_DIGITS:
            self.rest += 1
        elif kind == "volume":
            self._set("volume", self.name.volume or number)
            if is_year:
                self._set("year", self.name.year or number)
            self.expects, self.worded = "", True
        elif kind == "issue":
            self._set("issue", self.name.issue or number)
            self.expects, self.worded = "", True
        elif kind == "supplement":
            self._set("issue", f"{self.name.issue} {number}")
            self.expects = ""
        elif kind == "page":
            self.expects = ""
        else:
            self.numbers.append(number)

    def _span(self, at: int) -> tuple[str, int]:
        """Return the number at a place, with the end of its span, such as `1-2`; and the place after it."""
        first = self.tokens[at]
        rest = self.tokens[at + 1 : at + 3]
        if len(rest) == 2 and rest[0] in _DASHES and rest[1].isdecimal():  # noqa: PLR2004
            short_year = _is_year(first) and len(rest[1]) == 2 and rest[0] != "/" and not self.expects  # noqa: PLR2004
            alike = len(rest[1]) in {len(first), len(first) + 1} and int(first) < int(rest[1]) <= int(first) + 400
            both = _is_year(first) == _is_year(rest[1])
            slash = rest[0] == "/" and not self.expects  # 12/13 is a volume and its issue, unless a word says more
            if short_year:
                return f"{first}-{first[:2]}{rest[1]}", at + 3
            if alike and both and not (slash and not _is_year(first)):
                return f"{first}-{rest[1]}", at + 3
        return first, at + 1

    def _explained_by(self, after: int) -> tuple[str, str]:
        """Return what a number is by the word behind it, with the word: `12. Jahrgang`, `3rd issue`, `第3期`."""
        following = [token for token in self.tokens[after : after + 3] if token not in {".", "st", "nd", "rd", "th"}]
        if not following or (len(following[0]) < 2 and following[0] not in _FOLLOWING_WORDS):  # noqa: PLR2004
            return "", ""
        word = following[0]
        # "Volume 12 issue 3": the word belongs to the number behind it.
        if word not in _FOLLOWING_WORDS and len(following) > 1 and following[1].isdecimal():
            return "", ""
        return ("volume", word) if word in _VOLUMES else ("issue", word) if word in _ISSUES else ("", "")

    def _set(self, field: Literal["volume", "issue", "year"], value: str) -> None:
        volume, issue, year = self.name.volume, self.name.issue, self.name.year
        parts = {"volume": volume, "issue": issue, "year": year, field: value}
        self.name = replace(self.name, volume=parts["volume"], issue=parts["issue"], year=parts["year"])

    def _place_plain_numbers(self) -> None:
        """Place numbers without a word: `12(3)`, `12/3`, `3/2019`, `12 (2019)`, `12, No. 3`."""
        name, numbers = self.name, self.numbers
        if name.month or self.rest or not 1 <= len(numbers) <= 2:  # noqa: PLR2004  (a day stands beside a month)
            return
        if len(numbers) == 2 and not (name.volume or name.issue):  # noqa: PLR2004
            self.name = replace(name, volume=numbers[0], issue=numbers[1])
        elif name.issue and not name.volume:
            self.name = replace(name, volume=numbers[0])
        elif name.volume and not name.issue and _is_bracketed(self.tokens, numbers[0], "(/:,"):
            self.name = replace(name, issue=numbers[0])
        elif name.year and not name.volume and not name.issue:
            if _is_bracketed(self.tokens, numbers[0], "("):  # 2021 (444): how many there are
                return
            slashed = not {"/", ".", "-"}.isdisjoint(self.tokens)
            self._set("issue" if slashed else "volume", numbers[0])
        else:
            return
        self.numbers = []


def _is_bracketed(tokens: list[str], number: str, marks: str) -> bool:
    """Whether one of these marks stands before a number."""
    at = tokens.index(number) if number in tokens else 0
    return at > 0 and tokens[at - 1] in marks


def _is_year(number: str) -> bool:
    first = number.partition("-")[0]
    return len(first) == 4 and _FIRST_YEAR <= int(first) <= _LAST_YEAR  # noqa: PLR2004


_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


def _roman_value(word: str) -> int:
    """Return the value of a Roman number below 400; -1 for any other word."""
    if not word or not _ROMAN.fullmatch(word):
        return -1
    values = [_ROMAN_VALUES[letter] for letter in word]
    return sum(
        -one if one < (values[place + 1] if place + 1 < len(values) else 0) else one for place, one in enumerate(values)
    )


def newest_first(names: Iterable[IssueName]) -> list[int]:
    """Return the places of names from the newest to the oldest.

    If some lack year and volume, the given order is kept, or reversed if what is known of it ascends.
    """
    listed = list(names)
    places = list(range(len(listed)))
    for known in (lambda name: name.year, lambda name: name.volume):
        if all(map(known, listed)):
            return sorted(places, key=lambda place: _sorting_key(listed[place]), reverse=True)
    keys = [_sorting_key(name) for name in listed if name.year or name.volume]
    return places[::-1] if len(keys) > 1 and keys[0] < keys[-1] else places


def _sorting_key(name: IssueName) -> tuple[int, int, int, int]:
    return last_number(name.year), last_number(name.volume), name.month, last_number(name.issue)
