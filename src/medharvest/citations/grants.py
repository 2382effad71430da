"""Grants with their numbers, from metadata and from printed statements of funding.

`find_printed_grants(zones)` reads `supported by the Wellcome Trust (grant 098504/Z/12/Z)`, in a dozen languages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from medharvest.citations.identifiers import find_doi
from medharvest.citations.zone_fields import PrintedValue
from medharvest.records import Grant, LabelledZone, MetaItem, title_key

# Words in front of a number: each names a grant or says "number".
_NUMBER_WORDS = frozenset(
    """grant grants grantno award awards contract contracts agreement agreements project projects programme program no
    nos num number numbers nr nrs ref reference code id under fellowship fellowships scholarship scheme protocol
    förderkennzeichen kennzeichen fkz förderung projekt projektnummer nummer zuschuss vertrag
    subvention subventions projet projets contrat convention bourse numéro numéros numero
    beca becas proyecto proyectos contrato contratos convenio número números código expediente ayuda ayudas
    proceso procesos bolsa bolsas processo processos projeto projetos auxílio edital subvención
    progetto progetti contratto finanziamento codice bando borsa
    subsidie dossiernummer dnr diarienummer bidrag bevilling
    grantu projektu nr-u umowa umowy dotacja numer numeru
    proje numarası nolu hibe
    hibah kontrak nomor
    грант гранта гранты проект проекта договор номер соглашение
    基金 项目 批准号 编号 課題番号 計畫 計畫編號 과제번호 연구비""".split()
)
_NUMBER_SIGN = re.compile(r"(?:n\s?[°ºo]s?\.?|№|#|no\.|nos?\.?:)+", re.IGNORECASE)
_TOKEN = re.compile(r"[^\s,;()\[\]{}\"“”«»，；（）、：]+|[,;()\[\]，；（）、：]")
_OPENING, _CLOSING = frozenset("([（"), frozenset(")]）")
_LIST_WORDS = frozenset(
    {",", ";", "，", "；", "、", "and", "&", "und", "et", "y", "e", "en", "ve", "и", "和", "及", "/"}
)
_YEARS = re.compile(r"(?:FP\d/)?(?:19|20)\d\ds?(?:[-–/](?:19|20)?\d\d)?")
_NO_NUMBER = re.compile(
    r"(?:NCT|ISRCTN|ACTRN|ChiCTR|DRKS|UMIN)\W?\d|(?:covid|sars|h2020|cov)\W?\d|.*[@%$€£=<>]|https?:|www\.|10\.\d{4,9}/|"
    r"\d{4}-\d{4}-\d{4}-\d{3}[\dX]|\d{1,2}(?:st|nd|rd|th)\b|\d+(?:\.\d+)?(?:mg|ml|kg|km|nm|am|pm)\b",
    re.IGNORECASE,
)
_ACTIVITY_CODE = re.compile(r"[1-9]?[A-Z]{1,2}[A-Z0-9]\d?|[A-Z]\d{2}|[A-Z]{2}")  # R01, UL1, K23: the first half
_CAPITALS = re.compile(r"[A-Z]{2,6}")
_OTHER_STEMS = tuple("örder 基金 资助 資助 助成 科研費 课题 연구비 грант oject royecto rojeto".split())
# What a sentence outside a labelled statement must say before a number in it is that of a grant.
_SUPPORT = re.compile(
    r"\b(?:support|fund|financ|sponsor|finanz|subven|grant|award|contract|förder|geförder|unterstützt|bolsa|beca|"
    r"apoi|apoy|souten|soutien|bourse|destekle|didanai|hibah|грант|поддерж|финанс)|基金|资助|資助|助成|科研費|지원|연구비",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?。；])(?:\s+(?=[^\W\d_a-zа-я])|(?<=[。；]))")
_ABBREVIATED = re.compile(
    r"(?:\b(?:nos?|nrs?|st|drs?|prof|ref|refs|proj|dept|univ|inc|ltd|co|num|m[rs]s?|e\.g|i\.e)|\b\w)\.$", re.IGNORECASE
)
# What stands in front of a funder; its name begins behind the last of these.
_BEFORE_FUNDER = re.compile(
    r".*(?:\b(?:support|fund|financ|sponsor|award|grant|provid|obtain|receiv|contribut|gefördert|finan[cz])\w{0,12}\s"
    r"(?:[\w-]{1,20}\s){0,4}(?:by|from|por|pelo|pela|par|da|do|del|van|door|von|vom|durch|with)\b:?|"
    r"\b(?:agreements?|contracts?|fellowships?|scholarships?|grants?) (?:from|of|with|by)\b|"
    r"\backnowledges?\b|\bthanks?\b(?: to\b)?|"
    r"\bsupport (?:of|from)\b|\b(?:and|also|part|partly|partially) (?:by|from)\b|[,;] (?:by|from)\b|"
    r"\b(?:durch|vom|tarafından|oleh|pelo|pela|dalla)\b|\)(?:[,;](?: and)?| and)|:|;)\s",
    re.DOTALL | re.IGNORECASE,
)
_ITEM_OF_LIST = re.compile(
    r".*(?:,|\band\b|\bund\b|\bet\b|\by\b)\s(?:and |und |et |y |e )?"
    r"(?:(?:the|der|die|das|dem|la|le|el)\s|(?=[A-Z]{2,8}$))",
    re.DOTALL,
)
# Behind a funder: the scheme or the institution that handed its money on.
_BEHIND_FUNDER = re.compile(
    r",? (?:under|through|within|via|as part of|awarded|entitled|titled|funded|bajo|sob|unter|sous|dans le cadre|"
    r"in the framework)\b| to (?=[A-Z]\.|[A-Z]{2,3}\b|Dr)|"
    r", (?!(?:and|the|et|und|y|e|la|le|les|el|der|die|das|dem)\b)(?=[a-z])"
)
_FUNDER_LEAD = re.compile(
    r"^(?:[\W_]|(?:and|und|et|y|e|by|from|the|a|an|in part|partially|der|die|das|dem|la|le|les|el|o|grants?|award|"
    r"project|to|for|as well as|also|own|its|their)\b)++",
    re.IGNORECASE,
)
_FUNDER_TAIL_WORDS = frozenset(
    """under via through with and by the of a an in for to no nos nr grant grants award awards contract contracts
    project projects number numbers agreement reference ref code id fellowship category ii iii iv proceso processo
    projeto proyecto projekt förderkennzeichen 批准号 项目 编号 編號""".split()
)
_FUNDER_TAIL_SIGNS = " ,.:;(#-–"
_FUNDER_BEHIND = re.compile(
    r"[\s)\]\"”,]*+(?:(?:grants?|awards?|funds)\s)?(?:\([^()]{0,60}\)\s{0,3})?"
    r"(?:to [A-Z](?:[^.;()]|(?<=\b[A-Z])\.){0,80}?\s(?=from ))?(?:awarded |provided |given |funded |granted )?"
    r"(?:from|by|of|des|der|vom|von|du|de la|da|do|del|dell['’])\s{1,3}(?:the |a |an )?"
    r"(?P<funder>[^\W\d_a-z](?:[^.;()\[\]]|(?<=\b[A-Z])\.){1,150})"
)
_BEHIND_END = re.compile(
    r",? (?:to (?:the )?[A-Z]|and (?:by|from|the|a)\b|awarded|under|through|which|who|as part|"
    r"for the (?:project|study)|with\b|given)|, [^A-Z]|, (?:and )?(?:the )?[A-Z][^,]{0,80}\bgrant",
    re.DOTALL,
)
# Who paid: the work, or the authors, and a verb of support with a name behind it.
_FUNDED_WORK = re.compile(
    r"\b(?:work|study|research|project|trial|publication|survey|program|programme|investigation|experiments?|authors?|"
    r"paper|[A-Z]\.\s?[A-Z]\.)s?\b[^.;]{0,80}?\b(?:was|were|is|are|been)\s(?:\w{2,15}\s){0,3}"
    r"(?:supported|funded|financed|sponsored)\s"
    r"(?:\w{2,15}\s){0,5}(?:by|through|from)\s[^.]{0,60}?(?-i:[A-Z]{2}|[A-Z][a-z])|"
    r"\b(?:received|with) (?:financial support|funding|grants?)\b[^.]{0,40}\bfrom (?:the )?(?-i:[A-Z])|"
    r"\b(?:supported|funded|financed) (?:in part )?by (?:the |a |an )?(?:\w{2,15}\s){0,4}grants?\b|"
    r"\bno (?:specific |external )?(?:funding|financial support)\b|"
    r"\bfinan(?:ciad|cé|ziert|ciat|ziat)\w{0,3}\s(?:\w{2,15}\s){0,3}(?:por|pel[oa]|par|durch|von|dal)|(?:资助|資助|助成)",
    re.IGNORECASE,
)
_SCHEMA_FUNDING = re.compile(r"(?P<kind>funding|funder)(?P<number>(?:\.\d{1,4})?)(?:\.(?P<part>[^\d].{0,60}))?")
_DIGITS = re.compile(r"\d\d")
# One of these is in every sentence about support.
_FUNDED_STEMS = tuple(
    "upported unded unding Support inanc inanz ponsored grant Grant award Award ontract olsa beca Beca".split()
)
_MAX_STATEMENTS = 6  # sentences of a page
_MAX_STATEMENT_CHARS, _MIN_STATEMENT_CHARS = 6_000, 30
_MAX_FUNDER_CHARS = 160
_MAX_LEFT_CHARS = 400
_MIN_DIGITS = 3  # of a grant's number
_PLAIN_DIGITS = 7  # of a number without letters in a sentence that has the word "grant"
_STRONG_DIGITS = 5  # of a number that no word announces
_LOOK_BACK = 4  # tokens in which a word may announce a number
_SKIPPED_LABELS = frozenset({"reference", "title", "author", "affiliation", "both", "keywords", "conflict"})


_NO_GRANT = re.compile(
    r"\bethic|\bIRB\b|\bapprov|\baprob|\baprov|\béthique|\bethik\b|\bstrain|伦理|倫理", re.IGNORECASE
)
_SCHEME = re.compile(
    r"(?:grants?|awards?|projects?|programme|fellowship|studentship|scholarship|contracts?|in-aid)\b", re.IGNORECASE
)
_SCHEME_IN_SENTENCE = re.compile(r"\bgrants?\b|grants?-in-aid|科研費|基金|项目", re.IGNORECASE)
_LOWER_WORD = re.compile(
    r"\b(?!(?:of|for|and|the|de|la|do|da|del|des|für|und|et|in|on|to|at|a|von|der)\b)[a-zß-ÿ]{2,30}\b"
)
_DATE_LEAD = re.compile(r"^(?:In|During|Since|From) [^,]{0,20}(?:19|20)\d\d,\s")
_NAME_AT_START = re.compile(
    r"[A-ZÀ-Þ][\w’'&-]*(?:\s(?:(?:of|for|and|the|de|la|do|da|des|für|und|et|on)\s){0,2}[A-ZÀ-Þ][\w’'&-]*)+"
)
_RANGE = re.compile(r"\d{1,4}\W\d{1,4}")  # of pages, or of numbered references
_SENTENCE_START = re.compile(
    r"(?:This|The|These|Our|We|It|Funding|Supported|Financial|Part|Parts|Grant|Research|Work)\b"
)
_CAPITAL_WORD = re.compile(r"[A-ZÀ-Þ][\w’'-]+")
_MAX_LOWER_WORDS = 3  # of a funder in a sentence that may say something else


class _Number(NamedTuple):
    """A grant's number in a sentence: its tokens from the word that announces it, and its characters."""

    text: str
    announced: int  # where the words in front of it begin
    start: int
    end: int
    bracket: int  # where the bracket that holds it opens, -1 if none does


def read_metadata_grants(items: Sequence[MetaItem]) -> tuple[tuple[Grant, ...], tuple[MetaItem, ...]]:
    """Return the grants that `citation_funding_source` tags or JSON-LD state, and the items."""
    for found in (_read_citation_grants(items), _read_schema_grants(items)):
        pairs = [(grant, item) for grant, item in found if grant != Grant()]
        if pairs:
            return tuple(dict.fromkeys(one for one, _ in pairs)), tuple(dict.fromkeys(item for _, item in pairs))
    return (), ()


def _read_citation_grants(items: Iterable[MetaItem]) -> Iterator[tuple[Grant, MetaItem]]:
    """Yield grants of tags such as `citation_funder=…;citation_grant_number=…`; the number may be a tag of its own."""
    waiting: tuple[str, MetaItem] | None = None
    for item in items:
        if item.name in {"citation_grant_number", "citation_award_number"}:
            yield Grant(waiting[0] if waiting else "", item.value), item
            waiting = None
        elif item.name in {"citation_funding_source", "citation_funder"}:
            if waiting:
                yield Grant(waiting[0]), waiting[1]
            funder, numbers = _split_funding_source(item.value)
            waiting = None if numbers else (funder, item)
            for number in numbers:
                yield Grant(funder, number), item
    if waiting:
        yield Grant(waiting[0]), waiting[1]


def _split_funding_source(text: str) -> tuple[str, list[str]]:
    """Return funder and numbers of `citation_funding_source=A; citation_grant_number=1`, or of a plain name."""
    parts = [part.partition("=") for part in text.split(";") if part.strip()]
    named = [(key.strip().lower(), value.strip()) for key, sign, value in parts if sign]
    bare = [key.strip() for key, sign, _ in parts if not sign]
    funders = [value for key, value in named if key in {"citation_funder", "citation_funding_source"}]
    numbers = [value for key, value in named if "number" in key and value]
    return next(filter(None, (*funders, *bare)), ""), numbers


def _read_schema_grants(items: Iterable[MetaItem]) -> Iterator[tuple[Grant, MetaItem]]:
    """Yield the grants of `funding` in JSON-LD or microdata; without any, the names of `funder`."""
    parts: dict[str, dict[str, MetaItem]] = {}
    for item in items:
        found = _SCHEMA_FUNDING.fullmatch(item.name) if item.source in {"jsonld", "microdata"} else None
        if found:
            parts.setdefault(f"{found['kind']}{found['number']}", {})[found["part"] or ""] = item
    for key in sorted(parts, key=lambda name: (name.startswith("funder"), 0)):
        values = {name: item.value for name, item in parts[key].items()}
        number = values.get("identifier", "") or values.get("identifier.value", "")
        own = values.get("name", "") if key.startswith("funder") or not number else ""
        funder = values.get("funder.name", "") or values.get("funder.0.name", "") or own
        known = key.startswith("funder") and any(name.startswith("funding") for name in parts)
        if not known:
            yield Grant(funder, number), next(iter(parts[key].values()))


def select_funding_zones(zones: Iterable[LabelledZone]) -> list[LabelledZone]:
    """Return the zones that may name grants; plain words are looked for because every zone of a page is tried."""
    return [zone for zone in zones if zone.verdict.label not in _SKIPPED_LABELS and _may_state_grants(zone)]


def find_printed_grants(zones: Iterable[LabelledZone]) -> tuple[tuple[Grant, ...], list[PrintedValue]]:
    """Find the grants that the selected zones print with their numbers, in order, each once."""
    found: dict[str, tuple[Grant, PrintedValue]] = {}
    for zone in zones:
        for grant, start, end in read_grants(zone.zone.text, stated=zone.verdict.label == "funding"):
            found.setdefault(grant.number, (grant, PrintedValue(zone.zone.text[start:end], zone, start, end)))
    return tuple(grant for grant, _ in found.values()), [line for _, line in found.values()]


def join_grants(printed: Sequence[Grant], stated: Iterable[Grant]) -> tuple[Grant, ...]:
    """Return printed grants, with the funder that metadata states for the same number, and those it adds."""
    funders = {title_key(one.number): one.funder for one in stated if one.number}
    whole = [Grant(one.funder or funders.get(title_key(one.number), ""), one.number) for one in printed]
    known = {title_key(one.number) for one in whole}
    return (*whole, *(one for one in stated if one.number and title_key(one.number) not in known))


def find_funding_statements(zones: Iterable[LabelledZone]) -> list[PrintedValue]:
    """Return the sentences of a page without a statement of its own that say who paid for the work."""
    found: dict[str, PrintedValue] = {}
    for zone in zones:
        if zone.verdict.label != "abstract":
            for start, sentence in _split_sentences(zone.zone.text[:_MAX_STATEMENT_CHARS]):
                if any(map(sentence.__contains__, _FUNDED_STEMS)) and _FUNDED_WORK.search(sentence):
                    end = start + len(sentence)
                    found.setdefault(sentence, PrintedValue(zone.zone.text[start:end], zone, start, end))
    return list(found.values())[:_MAX_STATEMENTS]


def _may_state_grants(zone: LabelledZone) -> bool:
    text = zone.zone.text
    if zone.verdict.label == "funding":
        return True
    if len(text) < _MIN_STATEMENT_CHARS and text.isascii():
        return False
    # One by one: a loop over the words takes three times as long.
    latin = "grant" in text or "Grant" in text or "upported" in text or "unded" in text or "unding" in text
    latin = latin or "Support" in text
    if latin or "inanc" in text or "inanz" in text or text.isascii():
        return latin or "inanc" in text or "inanz" in text
    return any(map(text.__contains__, _OTHER_STEMS))


def read_grants(text: str, *, stated: bool) -> Iterator[tuple[Grant, int, int]]:
    """Yield the grants of a text with the place of each number; `stated` says that the text is about funding alone."""
    for start, sentence in _split_sentences(text[:_MAX_STATEMENT_CHARS]):
        if _DIGITS.search(sentence) and (stated or _tells_of_support(sentence)):
            for grant, number in _read_sentence(sentence, stated=stated):
                yield grant, start + number.start, start + number.end


def _tells_of_support(sentence: str) -> bool:
    likely = not sentence.isascii() or any(map(sentence.__contains__, _FUNDED_STEMS))
    return likely and _SUPPORT.search(sentence) is not None


def _split_sentences(text: str) -> Iterator[tuple[int, str]]:
    """Yield the sentences with their places; `Nos. AB 1` and `St. Mary` are not divided."""
    start = 0
    for mark in _SENTENCE_END.finditer(text):
        if not _ABBREVIATED.search(text[max(start, mark.start() - 8) : mark.start()]):
            yield start, text[start : mark.start()]
            start = mark.end()
    yield start, text[start:]


def _read_sentence(sentence: str, *, stated: bool) -> Iterator[tuple[Grant, _Number]]:
    groups: list[list[_Number]] = []
    for number in _find_numbers(sentence, stated=stated):
        between = sentence[groups[-1][-1].end : number.announced] if groups else ""
        if groups and _is_list_joint(between) and (not number.bracket >= 0 or number.bracket == groups[-1][-1].bracket):
            groups[-1].append(number)
        else:
            groups.append([number])
    last, bracket, funder = 0, -1, ""
    for place, group in enumerate(groups):
        following = groups[place + 1][0].announced if place + 1 < len(groups) else len(sentence)
        if group[0].bracket < 0 or group[0].bracket != bracket:  # in one bracket are grants of one funder
            funder = _find_funder(sentence, last, group, following)
        prose = len(_LOWER_WORD.findall(funder)) > _MAX_LOWER_WORDS
        sure = stated or not prose or group[0].announced < group[0].start
        if sure and not _NO_GRANT.search(sentence, last, group[0].start):
            yield from ((Grant(_name_at_start(funder) if prose else funder, number.text), number) for number in group)
        last, bracket = group[-1].end, group[0].bracket


def _is_list_joint(text: str) -> bool:
    return all(word.lower().strip(".:") in _LIST_WORDS | _NUMBER_WORDS for word in _TOKEN.findall(text))


def _find_numbers(sentence: str, *, stated: bool) -> Iterator[_Number]:
    tokens = list(_TOKEN.finditer(sentence))
    words = [token.group() for token in tokens]
    open_at: list[int] = []
    accepted = -9
    scheme = _SCHEME_IN_SENTENCE.search(sentence) is not None
    for place, (token, word) in enumerate(zip(tokens, words, strict=True)):
        if word in _OPENING:
            open_at.append(place)
        elif word in _CLOSING:
            open_at = open_at[:-1]
        bare, lead = _strip_number_sign(word)
        if not _looks_like_number(bare):
            continue
        first = place - 1 if _is_first_half(words, place, bare) else place
        announced = _find_announcement(words, first)
        listed = place - accepted <= 3 and all(one in _LIST_WORDS for one in words[accepted + 1 : first])  # noqa: PLR2004
        strong = _is_strong(bare, in_bracket=bool(open_at), stated=stated) or (
            scheme and bare.isdecimal() and len(bare) >= _PLAIN_DIGITS
        )
        if not (lead or announced < first or listed or strong):
            continue
        accepted = place
        start = tokens[first].start() if first < place else token.start() + word.index(bare)
        bracket = tokens[open_at[-1]].start() if open_at else -1
        end = token.start() + word.index(bare) + len(bare)
        whole = " ".join(sentence[start:end].split())
        if _NO_NUMBER.match(whole):
            continue
        yield _Number(whole, tokens[announced].start(), start, end, bracket)


def _strip_number_sign(word: str) -> tuple[str, bool]:
    """Return a word without `#`, `n°` and the like in front, and whether it had one."""
    lead = _NUMBER_SIGN.match(word)
    rest = word[lead.end() :] if lead and any(map(str.isdigit, word[lead.end() :])) else word
    return rest.strip(".:'’‘*#-–/"), rest != word


def _looks_like_number(word: str) -> bool:
    """Whether a word may be a grant's number: enough digits, no year, no unit, no identifier of another kind."""
    if sum(map(str.isdigit, word)) < _MIN_DIGITS or len(word) > 40:  # noqa: PLR2004
        return "/" in word and sum(map(str.isdigit, word)) > 1 and len(word) > 4 and not _NO_NUMBER.match(word)  # noqa: PLR2004
    return not (_YEARS.fullmatch(word) or _NO_NUMBER.match(word) or find_doi(word))


def _is_first_half(words: Sequence[str], place: int, number: str) -> bool:
    """Whether the word before a number belongs to it: `R01 HL123456`, `grant RMU 5080016`."""
    before = words[place - 1] if place else ""
    if _ACTIVITY_CODE.fullmatch(before) and before not in {"AND", "NO", "II", "ID", "UK", "US", "EU"}:
        return any(map(str.isdigit, before)) or number[:1].isdigit()
    announced = place > 1 and words[place - 2].lower().strip(".:#") in _NUMBER_WORDS
    return (
        bool(_CAPITALS.fullmatch(before)) and announced and number[:1].isdigit() and before.lower() not in _NUMBER_WORDS
    )


def _find_announcement(words: Sequence[str], place: int) -> int:
    """Return where the words that announce a number begin; its own place if nothing announces it."""
    best, skipped = place, 0
    for at in range(place - 1, max(-1, place - 1 - _LOOK_BACK), -1):
        word = words[at].lower().strip(".:#°ºs")
        if (
            words[at].lower().strip(".:#") in _NUMBER_WORDS
            or word in _NUMBER_WORDS
            or words[at] in {"#", "№", "n°", "nº"}
        ):
            best = at
        elif best < place or words[at] in _LIST_WORDS or words[at] in _CLOSING:
            break
        elif words[at] not in _OPENING:
            skipped += 1
            if skipped > 1:
                break
    return best


def _is_strong(word: str, *, in_bracket: bool, stated: bool) -> bool:
    """Whether a word is the number of a grant though nothing announces it."""
    digits = sum(map(str.isdigit, word))
    mixed = digits < len(word)
    if _RANGE.fullmatch(word):
        return False
    if in_bracket:
        return digits >= _STRONG_DIGITS or (mixed and digits >= _MIN_DIGITS and word[:1].isupper())
    return mixed and digits >= _STRONG_DIGITS and (stated or any(map(str.isupper, word)))


def _find_funder(sentence: str, last: int, group: Sequence[_Number], following: int) -> str:
    """Return who gave a group of grants: who is named in front of it, or behind it after `from` or `by`."""
    first = group[0]
    bracketed = last <= first.bracket <= first.announced
    left = _clean_funder(sentence[last : first.bracket if bracketed else first.announced])
    if bracketed and left and not _SCHEME.match(left) and _is_name_alone(left):
        return left
    behind = _FUNDER_BEHIND.match(sentence, group[-1].end, following)
    if behind:
        return _cut_funder_behind(behind["funder"])
    return left


def _is_name_alone(text: str) -> bool:
    """Whether a text is an acronym, a name of several words, or in a script without capitals."""
    capitals = (word for word in text.split()[:-1] if _CAPITAL_WORD.match(word))
    return text.isupper() or not text[:1].isascii() or next(capitals, None) is not None


def _cut_funder_behind(text: str) -> str:
    found = _BEHIND_END.search(text)
    return _cut_tail_words(text[: found.start()] if found else text)


def _clean_funder(text: str) -> str:
    """Return the name of a funder at the end of a text: without the verb, the funders before it, and articles."""
    text = _DATE_LEAD.sub("", _cut_before_funder(text[-_MAX_LEFT_CHARS:].rpartition("：")[2].rstrip(" :,")))
    start = _SENTENCE_START.match(text)
    heads = (text[: end.start()] for end in _BEHIND_FUNDER.finditer(text))
    text = next((head for head in heads if _CAPITAL_WORD.search(head, start.end() if start else 0)), text)
    item = _ITEM_OF_LIST.match(text)
    text = text[item.end() :] if item else text
    name = _cut_tail_words(_FUNDER_LEAD.sub("", text))
    start = _SENTENCE_START.match(name)
    named = not name.isascii() or any(map(str.isupper, name[start.end() :] if start else name))
    return name if named and len(name) <= _MAX_FUNDER_CHARS else ""


def _cut_tail_words(text: str) -> str:
    """Cut words such as `grant` and `under the` behind a name."""
    text = text.strip(_FUNDER_TAIL_SIGNS)
    while text and text[text.rfind(" ") + 1 :].lower() in _FUNDER_TAIL_WORDS:
        text = text[: text.rfind(" ") + 1].rstrip(_FUNDER_TAIL_SIGNS)
    return text


def _name_at_start(text: str) -> str:
    """Return the words with capitals at the start of a text that is not all a name; empty for a single one."""
    found = _NAME_AT_START.match(text)
    return found[0] if found else ""


def _cut_before_funder(text: str) -> str:
    """Cut what stands in front of a funder; an acronym in brackets at the end belongs to it."""
    end = len(text) - 1 if text.endswith(")") else len(text)
    found = _BEFORE_FUNDER.match(f"{text} ", 0, end + 1)
    return text[found.end() :] if found else text
