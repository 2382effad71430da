"""Parse printed personal names into family name, given names and suffix.

    parse_author_name("Anna van den Berg, MD")  # Author(family="van den Berg", given="Anna")

Where the surname begins may be ambiguous: `find_surname_starts` gives every possibility with a score.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import dropwhile

from medharvest.pages.word_lists import ACADEMIC_DEGREES
from medharvest.records import Author

_NAME_SUFFIXES = {"jr": "Jr", "sr": "Sr", "ii": "II", "iii": "III", "iv": "IV", "2nd": "II", "3rd": "III"}
_HONORIFICS = frozenset({"dr", "prof", "professor", "mr", "mrs", "ms", "sir"})
GROUP_WORD = re.compile(
    r"\b(?:group|consortium|collaborat\w+|investigators|committee|network|editors|team|initiative|society|"
    r"association|council|programme|program|trialists|task force)\b",
    re.IGNORECASE,
)
_GROUP_LEAD = re.compile(r"(?:(?:and|on behalf of|for) )+(?:the )?", re.IGNORECASE)
_BETWEEN_NAMES = re.compile(
    r"[;,·•∙|]|(?<=\s)\.(?=\s)|(?:(?<=\s)|^)(?:and|und(?!\s+zu)|et|y|&|on behalf of(?: the)?)(?=\s)"
)
MAX_NAME_LIST_CHARS = 100_000  # twice what the names of three thousand authors take
_MAX_NAME_CHARS = 300  # longer than any name, even of a group
_CREDENTIAL_WORD = re.compile(r"[A-Z]{2}[A-Za-z]{0,7}(?:-[A-Z]{1,3})?")
_INITIALS_PATTERN = re.compile(r"(?:[^\W\d_]\.-?){1,4}|[^\W\d_]")
NAME_PARTICLES = frozenset(
    """af al av bin da das de del della den der des di do dos du el ibn la le ten ter van vande vander von zu zum zur
    und""".split()
)
_SURNAME_LINKS = frozenset({"e", "i", "y"})  # link two family names: "Mier y Teran"
# After a first surname these may continue it, most often the French ones: "Halley des Fontaines". Others begin one.
_CONTINUING_PARTICLES = frozenset("da das de del della des di do dos du la le".split())
_FRENCH_PARTICLES = frozenset({"des", "du"})

# Words that begin a surname after a given name: "Ciarán Mac Giolla", "Leïla Ben Amor".
_SURNAME_OPENINGS = frozenset("abou abu ait aït ben bint bou fitz mac mc ní nic ould saint sainte san santa st".split())

# Spanish surnames that are often the first of two; names in -ez, -az, -iz and -oz are recognised by their ending.
_SPANISH_SURNAMES = frozenset(
    """acosta aguilar aguirre alonso arias arroyo ayala benitez blanco bravo cabrera calderon calvo campos cano
    cardenas carmona carrasco carrillo castillo castro cortes cruz delgado diaz duran escobar espinosa esteban
    estrada flores fuentes gallardo gallego garcia garrido guerra guerrero herrera herrero hidalgo ibarra iglesias
    jara lara leon lozano luna marin marquez medina mejia mendoza merino molina montero mora morales moreno moya
    navarro nieto ocampo ojeda ortega otero pacheco palacios parra pascual pastor pena pineda prieto quintero ramos
    rangel redondo rey reyes rios rivas rivera robles rojas roman romero rosales rubio salazar salinas sanchis santana
    santiago santos segura serrano sierra silva solano soler solis soto suarez tapia tejada torres trujillo valencia
    vargas vega velasco vera vicente vidal villa villalobos villanueva villar zamora zapata zarate""".split()
)
_SPANISH_ENDING = re.compile(r".{2,}(?:ez|az|iz|oz)$")
# Given names with the same endings.
_GIVEN_NAMES_LIKE_PATRONYMICS = frozenset(
    """abdulaziz ayaz aziz beatriz faiz fayaz fayyaz feroz firoz hafeez hafiz ijaz imtiaz inez liz moiz mumtaz nawaz
    niaz parvez pervez ramiz riaz roz sarfaraz shahbaz shahnawaz shiraz tabrez""".split()
)
# Common second given names: the surname cannot begin with one of these.
_COMMON_GIVEN_NAMES = frozenset(
    """abdul adam adele agnes aisha alan alberto alejandra alejandro alexander alexandra alfred alice alison amanda
    amelia amy ana anders andre andrea andreas andres andrew ángel angela anita ann anna anne annette antonia antonio
    arthur astrid augusto barbara beatriz ben benjamin bernard betty birgit björn brian bruno carl carla carlos carmen
    carol caroline catherine cecilia charles charlotte chris christian christina christine christopher clara claire
    claude claudia cristina daniel daniela david deborah denis diana diane diego dimitri dominique donald dorothy
    eduardo edward elena eleanor elisa elisabeth elise elizabeth ella ellen emil emilio emily emma enrique eric erica
    erik ernst esther eugene eva evelyn fatima felipe felix fernanda fernando florence francesca francesco francis
    francisco françois franz fred frederick friedrich gabriel gabriela georg george gerard gerhard giovanni giulia
    gloria grace gregory guillermo gunnar gustavo hans harald harold harry hassan heather hector heinrich helen helena
    helene henri henry herbert hugo ian ignacio ines ingrid irene isabel isabella ivan jack jacob jacques james jan jane
    janet javier jean jennifer jens jeremy jesus joan joao johan johann johannes john jonas jonathan jorge jose josef
    joseph josephine juan judith julia julian julie julio jürgen karen karin karl kate katharina katherine kathleen
    keith kenneth klaus kristina lars laura laurence lea lee leo leonardo lena lewis lily lin linda lisa lorenzo louis
    louise lucas lucia lucy luigi luis luisa luiz lukas lydia magdalena manuel marc marcel marco marcos margaret
    margarita maria marie mario marion mark marta martha martin martina mary mateo mathias matthew maurice max mercedes
    michael michel michelle miguel mikael mohamed mohammad mohammed monica muhammad nancy natalia natalie nicholas
    nicolas nicole nils nina nora ole olga oliver oscar otto pablo pamela paola paolo patricia patrick paul paula paulo
    pedro per peter petra philip philippe pierre pilar rachel rafael ramon raul raymond rebecca renata rené ricardo
    richard rita robert roberta roberto roger roland rolf ronald rosa rose ruth samuel sandra sara sarah sebastian
    sergio simon sofia sonia sophia sophie stefan stephan stephen steven susan susanne sven sylvia teresa theodore
    theresa therese thomas tim timothy tobias tom ulrich ursula valentina vera veronica victor victoria vincent virginia
    tomas tomás joaquim henrique rui nuno vasco duarte gonçalo inês jaime matteo pieter hendrik cornelis jacobus
    åsa lennart walter werner wilhelm willem william wolfgang xavier yan yvonne""".split()
)
_INITIAL_WORD = re.compile(r"(?:[^\W\d_]\.-?){1,4}[^\W\d_]?|[^\W\d_]|[A-Z]{2,3}")

SURE_NAME_SCORE, _LIKELY_NAME_SCORE, OPEN_NAME_SCORE = 0.95, 0.6, 0.5


def parse_author_name(text: str) -> Author | None:
    """Parse one author: a person, or a group if a word such as "consortium" is in it; None if no name is left."""
    text = " ".join(text.split()).strip(" ,;*†‡§¶")
    if len(text) > _MAX_NAME_CHARS or not any(character.isalpha() for character in text):
        return None
    if GROUP_WORD.search(text):
        return Author(collective=parse_group_name(text))
    family, _, rest = text.partition(",")
    author = _parse_natural_name(family, rest) if is_name_tail(rest) else _parse_inverted_name(family, rest)
    return author if author.family else None


def _parse_natural_name(name: str, tail: str) -> Author:
    """Parse `Given Family Suffix`, followed by degrees after a comma."""
    words = _strip_honorifics(name.split())
    # "MA" and "MS" may be initials: only words after the second can be degrees.
    words = [*words[:2], *(word for word in words[2:] if not _is_degree_word(word))]
    words, suffix = _split_off_suffix(words)
    suffix = suffix or parse_name_suffix(tail)
    if len(words) > 1 and words[-1].isupper() and _INITIALS_PATTERN.fullmatch(words[-1]):  # "Berg A.B."
        return Author(family=" ".join(words[:-1]), given=words[-1], suffix=suffix)
    cut = find_surname_starts(words)[0][0]
    return Author(family=" ".join(words[cut:]), given=" ".join(words[:cut]), suffix=suffix)


def _parse_inverted_name(family: str, rest: str) -> Author:
    """Parse `Family, Given Suffix`; everything before the comma is the family name."""
    names, suffix = _split_off_suffix(_words_with_letters(family.split()))
    words = _strip_honorifics(rest.replace(",", " ").split())
    suffix = suffix or _find_name_suffix(words)
    words = [*words[:1], *(word for word in words[1:] if not _is_degree_word(word))]
    words = [word for word in words if _plain_name_word(word) not in _NAME_SUFFIXES]
    # Particles at the end of the given names belong to the family: "Berg, Anna van den".
    cut = len(words)
    while cut > 1 and words[cut - 1] in NAME_PARTICLES:
        cut -= 1
    return Author(family=" ".join([*words[cut:], *names]), given=" ".join(words[:cut]), suffix=suffix)


def parse_group_name(text: str) -> str:
    """Return the name of a group without "and", "for the" and "on behalf of the"."""
    return text[lead.end() :] if (lead := _GROUP_LEAD.match(text)) else text


def is_name_tail(text: str, *, name: str = "") -> bool:
    """Whether a text has only degrees and suffixes; after a whole `name` not in capitals, also other credentials."""
    whole = len(name.partition(",")[0].split()) > 1 and not name.isupper()
    return all(
        _is_degree_word(word) or _plain_name_word(word) in _NAME_SUFFIXES or (whole and _is_credential(word))
        for word in text.replace(",", " ").split()
    )


def _is_credential(word: str) -> bool:
    """Whether a word looks like a credential such as MRCPsych or R.N.; no list is complete."""
    return bool(_CREDENTIAL_WORD.fullmatch(word.replace(".", "")))


def _is_degree_word(word: str) -> bool:
    """Whether a word is a degree; "DO" and "MA" are degrees, "Do" and "Ma" are names."""
    return _plain_name_word(word) in ACADEMIC_DEGREES and (len(_plain_name_word(word)) > 2 or word.isupper())  # noqa: PLR2004


def _strip_honorifics(words: Sequence[str]) -> list[str]:
    kept = list(dropwhile(lambda word: _plain_name_word(word) in _HONORIFICS, _words_with_letters(words)))
    return kept or list(words[-1:])


def _words_with_letters(words: Sequence[str]) -> list[str]:
    """Return the words with a letter, without remains of footnote numbers."""
    return [word for word in words if any(character.isalpha() for character in word)]


def _split_off_suffix(words: list[str]) -> tuple[list[str], str]:
    if len(words) > 1 and _plain_name_word(words[-1]) in _NAME_SUFFIXES:
        return words[:-1], _NAME_SUFFIXES[_plain_name_word(words[-1])]
    return words, ""


def parse_name_suffix(text: str) -> str:
    """Return the generation suffix in a text such as "MD, Jr."; degrees are ignored."""
    return _find_name_suffix(text.split())


def _find_name_suffix(words: Sequence[str]) -> str:
    return next(
        (_NAME_SUFFIXES[_plain_name_word(word)] for word in words if _plain_name_word(word) in _NAME_SUFFIXES), ""
    )


def _plain_name_word(word: str) -> str:
    return word.replace(".", "").strip(",;()").lower()


def find_surname_starts(words: Sequence[str]) -> tuple[tuple[int, float], ...]:
    """Return where the surname may begin in a name in natural order, with scores, best first.

    "Elizabeth Scott Parker" may be Parker or Scott Parker: the name itself does not tell, so both are returned.
    """
    last = max(len(words) - 1, 0)
    if not words or words[0] in NAME_PARTICLES:
        return ((0, SURE_NAME_SCORE),)
    for position in range(1, last):
        if words[position] in _SURNAME_LINKS:
            return ((max(position - 1, 1), SURE_NAME_SCORE),)
        if _begins_surname(words[position]):
            return ((position, SURE_NAME_SCORE),)
        if words[position].lower() in NAME_PARTICLES:
            return _starts_at_particle(words, position)
    return _starts_without_particle(words, last)


def _begins_surname(word: str) -> bool:
    """Whether a word such as "Mac", "Ben" or "Saint-Clair" begins a surname; all capitals may be initials."""
    return word.partition("-")[0].rstrip(".").lower() in _SURNAME_OPENINGS and word[:1].isupper() and not word.isupper()


def _starts_at_particle(words: Sequence[str], position: int) -> tuple[tuple[int, float], ...]:
    """Return the starts for a name with a particle, which begins the surname or continues "Halley des Fontaines"."""
    before = words[position - 1]
    if position == 1 or words[position].lower() not in _CONTINUING_PARTICLES or not _may_be_surname(before):
        return ((position, SURE_NAME_SCORE),)
    if words[position].lower() in _FRENCH_PARTICLES or _is_spanish_surname(before):
        return ((position - 1, _LIKELY_NAME_SCORE), (position, 1 - _LIKELY_NAME_SCORE))
    return ((position, OPEN_NAME_SCORE), (position - 1, 1 - _LIKELY_NAME_SCORE))


def _starts_without_particle(words: Sequence[str], last: int) -> tuple[tuple[int, float], ...]:
    """Return the starts for a name without particles: the last word, or the one before it, as in Spanish names."""
    # A word after initials or an abbreviation is the given name in use: "M. Aaron Holt".
    called = all(word.endswith(".") or _INITIAL_WORD.fullmatch(word) for word in words[: last - 1])
    if last <= 1 or called or not _may_be_surname(words[last - 1]):
        return ((last, SURE_NAME_SCORE),)
    if _is_patronymic(words[last - 1]) or (_is_spanish_surname(words[last - 1]) and _is_spanish_surname(words[last])):
        return ((last - 1, _LIKELY_NAME_SCORE), (last, 1 - _LIKELY_NAME_SCORE))
    return ((last, OPEN_NAME_SCORE), (last - 1, 1 - _LIKELY_NAME_SCORE))


def _may_be_surname(word: str) -> bool:
    """Whether a middle word may belong to the surname: Latin letters, not an initial, not a known given name."""
    plain = _fold_name_letters(word)
    return (
        bool(plain)
        and plain.isascii()
        and word[:1].isupper()
        and not _INITIAL_WORD.fullmatch(word)
        and not _is_given_name(word)
    )


def _is_given_name(word: str) -> bool:
    return all(
        part.lower() in _COMMON_GIVEN_NAMES or _fold_name_letters(part) in _COMMON_GIVEN_NAMES
        for part in word.split("-")
    )


def _is_spanish_surname(word: str) -> bool:
    plain = _fold_name_letters(word)
    return plain in _SPANISH_SURNAMES or bool(_SPANISH_ENDING.fullmatch(plain))


def _is_patronymic(word: str) -> bool:
    """Whether a word has the ending of a Spanish surname, such as Muñoz or Ruiz."""
    plain = _fold_name_letters(word)
    return bool(_SPANISH_ENDING.fullmatch(plain)) and plain not in _GIVEN_NAMES_LIKE_PATRONYMICS


def _fold_name_letters(word: str) -> str:
    """Return the letters alone, without accents and case."""
    letters = unicodedata.normalize("NFKD", word.casefold())
    return "".join(letter for letter in letters if letter.isalpha() and not unicodedata.combining(letter))


def author_name_readings(text: str) -> tuple[tuple[Author, float], ...]:
    """Return every way to divide one author's name, with scores, best first; several only if it is ambiguous."""
    author = parse_author_name(text)
    if author is None or author.collective or not author.given:
        return ((author, SURE_NAME_SCORE),) if author else ()
    words = f"{author.given} {author.family}".split()
    if " ".join(words).casefold() not in " ".join(text.split()).casefold():  # "Parker, Elizabeth" is not ambiguous
        return ((author, SURE_NAME_SCORE),)
    return tuple(
        (replace(author, family=" ".join(words[cut:]), given=" ".join(words[:cut])), score)
        for cut, score in find_surname_starts(words)
    )


def is_natural_order(names: Sequence[str]) -> bool:
    """Whether names have the order "Given Family": most have two words before any comma."""
    return 2 * sum(len(name.partition(",")[0].split()) > 1 for name in names) >= len(names)


def parse_listed_name(text: str) -> Author | None:
    """Parse one name of a byline in natural order, where capitals after a comma are credentials, not initials."""
    name, _, rest = text.partition(",")
    if is_name_tail(rest) or not is_name_tail(rest, name=name):
        return parse_author_name(text)
    suffix = parse_name_suffix(rest)
    return parse_author_name(f"{name}, {suffix}" if suffix else name)


def find_name_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Find where each name of a byline begins and ends; commas, semicolons and "and" separate names.

    In "Berg, Anna; Cole, Robert" only the semicolon does. A text too long for a byline has no names.
    """
    if len(text) > MAX_NAME_LIST_CHARS:
        return ()
    cuts = list(_BETWEEN_NAMES.finditer(text))
    if ";" in text and "," in text:
        spans = _rejoin_name_tails(text, _split_at_separators(text, [cut.span() for cut in cuts if cut.group() != ","]))
        if len(spans) > 1 and all(_is_inverted_name(text[start:end]) for start, end in spans):
            return spans
    return _rejoin_name_tails(text, _split_at_separators(text, [cut.span() for cut in cuts]))


def _split_at_separators(text: str, cuts: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the pieces between the separators, stripped, without empty ones."""
    starts = [0, *(end for _, end in cuts)]
    ends = [*(start for start, _ in cuts), len(text)]
    for start, end in zip(starts, ends, strict=True):
        piece = text[start:end]
        if piece.strip():
            left = len(piece) - len(piece.lstrip())
            yield start + left, start + len(piece.rstrip())


def _rejoin_name_tails(text: str, pieces: Iterator[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Join degrees and suffixes to the name before them, and the parts of "Nordic and Baltic Consortium"."""
    out: list[tuple[int, int]] = []
    for start, end in pieces:
        last = text[slice(*out[-1])] if out else ""
        if out and (
            is_name_tail(text[start:end], name=last)
            or _continues_group_name(last, text[out[-1][1] : start], text[start:end])
        ):
            out[-1] = (out[-1][0], end)
        else:
            out.append((start, end))
    return tuple(out)


def _continues_group_name(last: str, between: str, piece: str) -> bool:
    """Whether "and" is part of a group's name: one word before it, a word such as "consortium" after it."""
    return between.strip() in {"and", "&"} and len(last.split()) == 1 and bool(GROUP_WORD.search(piece))


def _is_inverted_name(piece: str) -> bool:
    """Whether a piece reads "Family, Given", apart from degrees; a group among such names counts too."""
    names = [part for part in piece.split(",") if not is_name_tail(part)]
    return len(names) == 2 or bool(GROUP_WORD.search(piece))  # noqa: PLR2004
