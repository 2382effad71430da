"""Languages: two-letter codes for codes and names, and a guess from script or common words."""

from __future__ import annotations

import re
import unicodedata

# The two-letter code, then everything that means it: three-letter codes (MEDLINE's first) and names.
_LANGUAGE_TABLE = """
af afr afrikaans
ar ara arabic
bg bul bulgarian
bs bos bosnian
ca cat catalan català
cs cze ces czech čeština
cy wel cym welsh
da dan danish dansk
de ger deu german deutsch allemand alemán
el gre ell greek
en eng english anglais englisch inglés inglese
eo epo esperanto
es spa spanish español castellano espagnol
et est estonian
eu baq eus basque
fa per fas persian farsi
fi fin finnish suomi
fr fre fra french français französisch francés
gl glg galician
he heb hebrew
hi hin hindi
hr hrv scr croatian
hu hun hungarian magyar
id ind indonesian
is ice isl icelandic
it ita italian italiano
ja jpn japanese 日本語
ka geo kat georgian
ko kor korean 한국어
la lat latin
lt lit lithuanian
lv lav latvian
mk mac mkd macedonian
ms may msa malay
nl dut nld dutch nederlands flemish
no nor norwegian norsk nob nno
pl pol polish polski
pt por portuguese português
ro rum ron romanian română
ru rus russian русский
sk slo slk slovak
sl slv slovenian slovene
sq alb sqi albanian
sr srp scc serbian
sv swe swedish svenska
th tha thai
tr tur turkish türkçe
uk ukr ukrainian
ur urd urdu
vi vie vietnamese
zh chi zho chinese 中文
"""
_LANGUAGE_ROWS = [line.split() for line in _LANGUAGE_TABLE.strip().splitlines()]
_CODE_BY_LANGUAGE = {word: row[0] for row in _LANGUAGE_ROWS for word in row} | {"nb": "no", "nn": "no"}

# Words that are in nearly every longer text of a language, and in few other languages.
_COMMON_WORDS = {
    language: frozenset(words.split())
    for language, words in {
        "en": "the of and in to with was were for that is are from by this not which",
        "de": "der die und das von mit den des eine ist bei für wurde auf nicht wurden durch zu",
        "fr": "le la les des et une est dans du avec pour par que sur ont était chez ces au",
        "es": "el los las del una con para por que fue en y se como más entre pacientes son",
        "it": "il della dei con per una che nel sono delle è gli alla dal di e nei stato",
        "pt": "os as dos das uma com para foi não em e se por que mais entre foram ao",
        "nl": "het een van en de met voor werd bij zijn niet aan op dat te werden door",
        "sv": "och att som för med av är en på det inte till hos vid från den",
        "pl": "w i z na do się nie jest oraz u przez po dla od które była",
        "tr": "ve ile bir bu için olarak olan da de daha göre",
    }.items()
}
# First word of a letter's Unicode name -> language; the first script with a third of the letters wins.
_SCRIPT_LANGUAGES = {
    "HIRAGANA": "ja",
    "KATAKANA": "ja",
    "HANGUL": "ko",
    "CJK": "zh",
    "CYRILLIC": "ru",
    "GREEK": "el",
    "ARABIC": "ar",
    "HEBREW": "he",
    "THAI": "th",
}
_MAX_GUESS_CHARS = 3_000  # more text would not change the result
_SCRIPT_SAMPLE_CHARS = 300  # enough to recognise the script
_MIN_COMMON_WORDS = 4  # fewer common words are no proof of a language
_MIN_LANGUAGE_LEAD = 1.5  # times the common words of the next language


def parse_language(text: str) -> str:
    """Return the two-letter code of a language given by code or name: `en-GB`, `ENG` and `English` are `en`."""
    word = unicodedata.normalize("NFC", text[:100]).strip().lower()
    return _CODE_BY_LANGUAGE.get(word) or _CODE_BY_LANGUAGE.get(re.split(r"[-_,;\s(]", word, maxsplit=1)[0], "")


def guess_language(text: str) -> str:
    """Guess the language of a text from its script or its common words; empty if neither is clear."""
    text = text[:_MAX_GUESS_CHARS]
    script = _guess_by_script(text)
    if script:
        return script
    words = re.findall(r"[^\W\d_]+", text.lower())
    counts = sorted(
        ((sum(word in common for word in words), code) for code, common in _COMMON_WORDS.items()), reverse=True
    )
    (most, code), (next_most, _) = counts[:2]
    return code if most >= _MIN_COMMON_WORDS and most >= _MIN_LANGUAGE_LEAD * next_most else ""


def _guess_by_script(text: str) -> str:
    """Return the language of a non-Latin script that has a third of the letters."""
    if text.isascii():
        return ""
    letters = [
        unicodedata.name(letter, "").partition(" ")[0] for letter in text[:_SCRIPT_SAMPLE_CHARS] if letter.isalpha()
    ]
    return next((code for name, code in _SCRIPT_LANGUAGES.items() if 3 * letters.count(name) > len(letters)), "")
