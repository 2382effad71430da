"""The wording of headings, institutions and names, as rules and features look for it in a zone."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence

from medharvest.pages.word_lists import ABSTRACT_OR_BODY_HEADING, BODY_HEADING, COUNTRY_NAME, names_institution
from medharvest.records import MAX_REMEMBERED_TEXT, Zone, fold_ascii, keep_alphanumerics

# What a heading announces, in the languages of medical journals; compared with the whole heading in lower case without
# numbers and colons.
_ANNOUNCING_HEADINGS = {
    "abstract": """abstract|summary|structured abstract|resumen|resumo|résumé|zusammenfassung|riassunto|sommario|
        streszczenie|аннотация|резюме|реферат|özet|öz|abstrak|intisari|摘要|要旨|抄録|초록|چکیده|الملخص|ملخص|sažetak|
        abstrakt|souhrn|samenvatting|sammanfattning|sammendrag|resumé|opsomming|rezumat|összefoglalás|povzetek""",
    "other_abstract": """plain language summary|lay summary|lay abstract|graphical abstract|highlights|key points|
        author summary|editor's summary|elife digest""",
    "keywords": """keywords|key words|index terms|palabras clave|palabras-clave|palavras-chave|palavras chave|mots-clés|
        mots clés|schlüsselwörter|schlagwörter|parole chiave|słowa kluczowe|ключевые слова|anahtar kelimeler|
        anahtar sözcükler|kata kunci|关键词|關鍵詞|キーワード|کلیدواژه|کلمات کلیدی|klíčová slova|ključne riječi|
        trefwoorden|nyckelord|descriptores|descritores""",
    "reference": """references|literature cited|bibliography|references and notes|notes and references|works cited|
        referencias|referencias bibliográficas|referências|referências bibliográficas|bibliografía|bibliografia|
        références|références bibliographiques|bibliographie|literatur|literaturverzeichnis|piśmiennictwo|литература|
        список литературы|kaynaklar|kaynakça|daftar pustaka|参考文献|參考文獻|منابع|literatura|literatuur|referenser""",
    "funding": """funding|funding information|funding sources|funding statement|financial support|grant support|
        financiación|financiamiento|financiamento|financement|finanzierung|finanziamento|finansowanie|финансирование|
        sources of funding|source of funding|role of the funding source""",
    "conflict": """conflict of interest|conflicts of interest|competing interests|competing interest|
        conflict of interest statement|conflict of interest disclosure|declaration of competing interest|
        declaration of competing interests|declaration of interest|declaration of interests|
        declaration of conflicting interests|disclosure of interest|conflicto de intereses|conflictos de intereses|
        conflictos de interés|conflito de interesses|conflitos de interesse|conflit d'intérêts|conflits d'intérêts|
        interessenkonflikt|conflitto di interessi|conflitto d'interessi|konflikt interesów|конфликт интересов|
        çıkar çatışması""",
    "data_availability": """data availability|data availability statement|availability of data and materials|
        availability of data and material|data sharing|data sharing statement|data access statement|
        data accessibility|availability of data|data and code availability|data and materials availability|
        disponibilidad de datos|disponibilidad de los datos|disponibilidade de dados|disponibilité des données|
        datenverfügbarkeit""",
}
ANNOUNCED_LABELS = {
    heading.strip(): label for label, headings in _ANNOUNCING_HEADINGS.items() for heading in headings.split("|")
}
# Headings inside a structured abstract: they begin a section and do not end the abstract.
SECTION_WORDS = frozenset(
    """aim aims background conclusion conclusions context design discussion findings importance interpretation
    interventions introduction measurements method methods objective objectives outcome participants patients purpose
    rationale results setting settings subjects significance relevance measures main and exposures materials hypothesis
    motivation limitation limitations intervention exposure outcomes primary secondary endpoint endpoints study trial
    data source sources selection extraction synthesis eligibility criteria registration funding implications
    introducción antecedentes contexto objetivo objetivos método métodos metodología material materiales y diseño
    pacientes resultados discusión conclusión conclusiones
    introdução objectivo objectivos materiais e doentes resultado discussão conclusão conclusões metodologia
    contexte objectif objectifs méthode méthodes matériel et résultats conclusions but
    hintergrund einleitung ziel ziele fragestellung methode methoden methodik ergebnisse schlussfolgerung
    schlussfolgerungen diskussion patienten und
    introduzione obiettivo obiettivi scopo metodi materiali risultati conclusione conclusioni pazienti
    wstęp cel pracy materiał i metody metoda wyniki wnioski
    введение цель цели материалы методы и результаты выводы заключение актуальность
    giriş amaç gereç yöntem yöntemler ve bulgular sonuç sonuçlar tartışma
    tujuan metode hasil kesimpulan latar belakang pendahuluan
    目的 方法 结果 結果 结论 結論 背景 简介 簡介 引言 前言 讨论 討論 对象 對象 材料 緒言 考察 対象と方法
    مقدمه هدف روش روش‌ها نتایج یافته‌ها نتیجه‌گیری""".split()
)
# How a line begins that names affiliations, authors, or whom to write to.
AFFILIATION_LEAD = re.compile(
    r"\W{0,5}(?:authors?['’]?s?['’]? )?(?:affilia\w+|afilia\w+|filia\w+|zugehörigkeit\w*|przynależność|"
    r"from the (?:\w{1,20} )?(?:department|division|institut|universit|school|center|clinic|hospital))",
    re.IGNORECASE,
)
AUTHOR_LEAD = re.compile(
    r"\W{0,5}(?:by |authors?\b ?[:：]|author\(s\)|autor(?:es|i|en)?\b ?:|auteurs?\b ?:|автор\w*\b ?:|penulis\b|"
    r"yazar\w*\b ?:|作者)",
    re.IGNORECASE,
)
CONTACT_LEAD = re.compile(
    r"\W{0,5}(?:correspond|address(?:es)? (?:for|all|correspond)|reprint|e-?mail|contact|present address|"
    r"current address|correspond[eê]ncia|korrespondenz|autor de correspond|yazışma)",
    re.IGNORECASE,
)
ABSTRACT_WORD = re.compile(
    r"\W{0,5}(?:abstract|summary|resumen|resumo|résumé|zusammenfassung|riassunto|streszczenie|аннотация|реферат|özet|"
    r"abstrak|摘要|要旨|抄録|چکیده|الملخص|sažetak|abstrakt|samenvatting|sammanfattning|sammendrag|opsomming|резюме|"
    r"rezumat|souhrn|초록)\b",
    re.IGNORECASE,
)
# Words of such headings that are none by themselves.
_JOINING_WORDS = frozenset(
    "and main but y e et und i и ve primary secondary study trial data source sources funding registration".split()
)
# The language of a text, by words of its sentences or by its script.
_MAX_GUESS_CHARACTERS = 1_500
_FUNCTION_WORDS = {
    "english": "the of and in with was were to",
    "spanish": "el los las que con del una para",
    "french": "les des une dans est pour sur et",
    "german": "der die und mit eine bei wurde von",
    "portuguese": "os dos uma com foi não em ao",
    "italian": "gli della sono nel che degli una con",
    "dutch": "het een van zijn werd voor met niet",
    "swedish": "och att som med för var inte av",
    "polish": "się jest oraz nie została były przez na",
    "turkish": "ve bir olarak için ile bu olan değil",
    "indonesian": "yang dan pada dengan adalah untuk dari ini dalam tidak",
    "norwegian": "og som er til ikke ble var hos",
    "croatian": "je su koji kod nije bila bolesnika te",
    "czech": "byla bylo jsou při nebo které pacientů jako",
    "romanian": "și este sunt pentru care prin fost au",
    "hungarian": "és az hogy egy nem volt vagy betegek",
    "catalan": "els amb és dels pacients són aquest seva",
    "vietnamese": "và của các được trong là có cho",
    "finnish": "ja oli ovat että sekä joka eli potilaiden",
}
_LANGUAGES_BY_WORD: Mapping[str, Sequence[str]] = {
    word: [name for name, others in _FUNCTION_WORDS.items() if word in others.split()]
    for words in _FUNCTION_WORDS.values()
    for word in words.split()
}
NO_LANGUAGE = "other"
_SCRIPT_SHARE = 0.3  # of the letters of a text in its script
_SCRIPTS = {"ideographs": ("\u2e80", "\u9fff"), "cyrillic": ("\u0400", "\u04ff"), "arabic": ("\u0600", "\u06ff")}
_HEADING_RANKS = {f"h{number}": number for number in range(1, 7)}
_PERSONAL_NAME = re.compile(r"[^\W\d_][\w'’.-]*(?: [\w'’.-]+){0,5}")
_NO_NAME_SIGNS = re.compile(r"[@:?!]|\b(?:the|with|from|using|journal|volume|vol|issue|received|accepted|doi)\b")
_PROSE_WORDS = ("the ", "with ", "from ", "using ")
_PROSE_PATTERN = re.compile(r"\b(?:the|with|from|using) ")
# Words of sentences in other languages; names of people and institutions hardly ever have two of them.
_OTHER_PROSE = re.compile(
    r"\s(?:que|para|por|una|uma|fue|fueron|foi|foram|não|com|con|se|dans|une|est|sont|avec|qui|été|wurde|wurden|"
    r"eine|einer|sind|mit|durch|nicht|che|sono|stato|stati|nel|het|een|zijn|werd|att|som|är|på|się|jest|nie|były|"
    r"która|bir|olarak|için|bu|yang|pada|dengan|adalah|untuk|что|при|были|было|это|как|byla|byly|jsou|že|در|که|است|"
    r"من|في|على)(?=\s)"
)
_MIN_PROSE_CHARACTERS = 60  # of a text in another language
_SMALL_WORD = re.compile(r"[^\W\d_]+")
_NAME_SEPARATOR = re.compile(r",|;|&|a(?<!\wa)nd\b|e(?<!\we)t\b")  # by first letters: faster than by boundaries
# What pages print before, between and after names.
_AROUND_NAMES = re.compile(
    r"^(?:by|authors?)\b ?:?|\b(?:view )?orcid(?: profile)?|e-?mail(?: authors?)?|"
    r"\b(?:show|view) (?:all|more)(?: authors)?\b|\bet al\b\.?|[\d*†‡§¶#∥\u200b]+",
    re.IGNORECASE,
)
_AROUND_MARK = re.compile(r"[\d*†‡§¶#∥\u200b]")
_NAME_LEADS, _AROUND_WORDS = ("by", "author"), ("orcid", "mail", "show", "view", "et al")
_MIN_NAMES_ALONE_SHARE = 0.6  # names among the parts of a list of names; the rest is what pages print between them
_LISTING_SIGNS = (",", ";", "&", " and ")  # a list of people has one of these
_GLUED_TAGS = frozenset({"a", "span", "b", "i"})  # inline tags whose texts may touch without a space
_IDEOGRAPH = re.compile("[\u2e80-\u9fff\uac00-\ud7af]")
_IDEOGRAPH_WIDTH = 3  # characters
_MAX_REMEMBERED_TEXTS = 4096  # short texts cached per test: every step asks again
_MAX_NAMES_CHARACTERS, MAX_NAME_CHARACTERS = 6_000, 60  # of a list of names, of one name
_MIN_UNCACHED_CHARACTERS = 2_001  # longer texts would fill the cache


def share_of_names(zone: Zone) -> float:
    """Return the share of a zone's parts between commas that read like names; -1 if it cannot list names."""
    return find_names_in_zone(zone)[0]


def find_names_in_zone(zone: Zone) -> tuple[float, str]:
    """Return the same share as `share_of_names`, and the parts that read like names."""
    if len(zone.text) > _MAX_NAMES_CHARACTERS or is_prose_text(zone.text) or is_article_heading(zone.text):
        return -1.0, ""
    text = _strip_raised_parts(zone)
    return _find_names(text) if len(text) < _MIN_UNCACHED_CHARACTERS else _find_names.__wrapped__(text)


@functools.lru_cache(maxsize=_MAX_REMEMBERED_TEXTS)
def _find_names(text: str) -> tuple[float, str]:
    """Return the share of names and the names, for a text that is neither prose nor a heading."""
    if _has_text_around_names(text):
        text = _AROUND_NAMES.sub(";", text)
    if has_no_name(text):
        return -1.0, ""
    if " " not in text:
        return 0.0, ""
    pieces = [piece for part in _NAME_SEPARATOR.split(text) if (piece := part.strip(" *†‡."))]
    names = [p for p in pieces if _PERSONAL_NAME.fullmatch(p) and is_capitalised(p) and len(p.split()) <= 6]  # noqa: PLR2004
    if not any(len(p.split()) >= 2 for p in names):  # noqa: PLR2004
        return 0.0, ""
    return len(names) / len(pieces), ", ".join(names)


def has_no_name(text: str) -> bool:
    """Whether a text has words or signs that no list of names has."""
    return _NO_NAME_SIGNS.search(text.lower()) is not None


def _has_text_around_names(text: str) -> bool:
    """Whether a text may contain what pages print around names: a cheap test before the pattern."""
    small = text.lower()
    held = any(map(small.__contains__, _AROUND_WORDS))
    return held or small.startswith(_NAME_LEADS) or _AROUND_MARK.search(text) is not None


def is_prose_text(text: str) -> bool:
    """Whether a text has the function words of sentences."""
    return _is_prose_cached(text) if len(text) < _MIN_UNCACHED_CHARACTERS else _is_prose_cached.__wrapped__(text)


@functools.lru_cache(maxsize=_MAX_REMEMBERED_TEXTS)
def _is_prose_cached(text: str) -> bool:
    if any(map(text.__contains__, _PROSE_WORDS)) and _PROSE_PATTERN.search(text):
        return True
    if len(text) < _MIN_PROSE_CHARACTERS:
        return False
    first = _OTHER_PROSE.search(text)
    return first is not None and _OTHER_PROSE.search(text, first.end()) is not None


def _strip_raised_parts(zone: Zone) -> str:
    """Return the text without raised parts, with a semicolon where two inline parts touch."""
    if not zone.marks:
        return zone.text
    pieces: list[str] = []
    at = 0
    for place, end in sorted(
        {(m.start, m.end) for m in zone.marks if m.tag == "sup"} | {(p, p) for p in find_glued_positions(zone)}
    ):
        if place >= at:
            pieces += [zone.text[at:place], ";" if place == end else " "]
            at = end
    return "".join([*pieces, zone.text[at:]])


def find_glued_positions(zone: Zone) -> list[int]:
    """Return where words of different inline tags touch: `Anna Berg` and `E-mail` in `Anna BergE-mail`."""
    text = zone.text
    places = {place for mark in zone.marks if mark.tag in _GLUED_TAGS for place in (mark.start, mark.end)}
    return sorted(p for p in places if 0 < p < len(text) and text[p].isupper() and text[p - 1].islower())


def mentions_place(zone: Zone) -> bool:
    """Whether a zone names an institution or a country."""
    return names_institution(zone.text) or COUNTRY_NAME.search(zone.text) is not None


def may_hold_people(zone: Zone) -> bool:
    """Whether a zone may name people: it lists something, ends like a name, or names an institution."""
    text = zone.text
    if any(map(text.__contains__, _LISTING_SIGNS)) or (" " in text and is_capitalised(text)):
        return True
    return any(mark.tag == "sup" for mark in zone.marks) or mentions_place(zone)


def is_names_alone(zone: Zone) -> bool:
    """Whether a zone lists names, but no institution or country."""
    return share_of_names(zone) > _MIN_NAMES_ALONE_SHARE and not mentions_place(zone)


def is_one_name(zone: Zone) -> bool:
    """Whether a zone is one name and nothing else; items with several names are authors of other articles."""
    return is_names_alone(zone) and "," not in find_names_in_zone(zone)[1]


def is_article_heading(text: str) -> bool:
    """Whether a text is worded like a heading of an article: `Case Presentation` is not a name."""
    return len(text) < MAX_NAME_CHARACTERS and _is_heading_text(text)


@functools.lru_cache(maxsize=_MAX_REMEMBERED_TEXTS)
def _is_heading_text(text: str) -> bool:
    key = heading_key(text)
    return (
        key in ANNOUNCED_LABELS
        or is_abstract_section(text)
        or BODY_HEADING.fullmatch(key) is not None
        or ABSTRACT_OR_BODY_HEADING.fullmatch(key) is not None
    )


def is_abstract_section(text: str) -> bool:
    """Whether a text is a heading inside a structured abstract."""
    return len(text) < MAX_NAME_CHARACTERS and _is_section_text(text)


@functools.lru_cache(maxsize=_MAX_REMEMBERED_TEXTS)
def _is_section_text(text: str) -> bool:
    words = _SMALL_WORD.findall(text.lower())
    known = 0 < len(words) <= 6 and SECTION_WORDS.issuperset(words)  # noqa: PLR2004
    return known and not _JOINING_WORDS.issuperset(words)


def is_capitalised(name: str) -> bool:
    """Whether the last word of a name is capitalised; the first may be a particle."""
    return name.rsplit(maxsplit=1)[-1][:1].isupper()


def heading_rank(zone: Zone) -> int:
    """Return 1 to 6 for the headings H1 to H6, 0 for other zones."""
    return _HEADING_RANKS.get(zone.tag, 0)


def heading_key(text: str) -> str:
    """Return a heading in lower case without number and colon; empty if it is too long for a heading."""
    return _strip_heading_key(text) if len(text) < 40 else ""  # noqa: PLR2004


@functools.lru_cache(maxsize=_MAX_REMEMBERED_TEXTS)
def _strip_heading_key(text: str) -> str:
    return text.lower().lstrip("0123456789. ").rstrip(" :.—-0123456789()")


def text_width(text: str) -> int:
    """Return the length of a text as if it were in an alphabet: an ideograph says as much as a short word."""
    return len(text) if text.isascii() else len(text) + (_IDEOGRAPH_WIDTH - 1) * count_ideographs(text)


def count_ideographs(text: str) -> int:
    """Return the number of ideographs and Korean syllables, which stand for words or parts of words."""
    return len(_IDEOGRAPH.findall(text))


def fold_letters(text: str) -> str:
    """Return the letters and digits of a text in one case, for comparison."""
    if len(text) <= MAX_REMEMBERED_TEXT and text.isascii():
        return fold_ascii(text)
    return (
        _fold_letters_cached(text) if len(text) < _MIN_UNCACHED_CHARACTERS else _fold_letters_cached.__wrapped__(text)
    )


@functools.lru_cache(maxsize=_MAX_REMEMBERED_TEXTS)
def _fold_letters_cached(text: str) -> str:
    return keep_alphanumerics(text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold())


@functools.lru_cache(maxsize=512)
def guess_language(text: str) -> str:
    """Return the language of a text by its function words, else its script; `other` if neither tells."""
    sample = text[:_MAX_GUESS_CHARACTERS].lower()
    counts = Counter([name for word in sample.split() for name in _LANGUAGES_BY_WORD.get(word, ())])
    best, count = next(iter(counts.most_common(1)), ("", 0))
    if count > 1:
        return best
    found = (name for name, (low, high) in _SCRIPTS.items() if _share_between(sample, low, high) > _SCRIPT_SHARE)
    return next(found, NO_LANGUAGE)


def may_be_same_language(one: str, other: str) -> bool:
    """Whether two guesses may be of one language; an unclear one may be any that has no script of its own."""
    if NO_LANGUAGE in {one, other}:
        return _SCRIPTS.keys().isdisjoint({one, other})
    return one == other


def _share_between(text: str, low: str, high: str) -> float:
    return sum(low <= letter <= high for letter in text) / max(1, len(text))
