"""Parse printed personal names into family name, given names and suffix.

    parse_author_name("Anna van den Berg, MD")  # Author(family="van den Berg", given="Anna")

Where the surname begins may be ambiguous: `find_surname_starts` gives every possibility with a score.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from enum import Enum
from itertools import dropwhile

from medharvest.pages.word_lists import ACADEMIC_DEGREES, CONTRIBUTOR_ROLE
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
_WRITTEN_SUFFIXES = frozenset({"Jr", "Jr.", "Sr", "Sr.", "II", "III", "IV", "2nd", "3rd", "4th"})
_DOTTED_DEGREE = re.compile(r"(?:[A-Z][A-Za-z]{1,4}\.){2,3}")  # "Msc.Ed."
_DOTTED_LETTERS = re.compile(r"(?:[A-Z]\.){2,4}")  # "Q.C."
_MAX_INITIALS = 4  # letters
_CLOSED_INITIALS = re.compile(rf"[^\W\d_]{{1,{_MAX_INITIALS}}}(?:-[^\W\d_]{{1,2}})?")  # "AB", "J-P"
_LOOSE_INITIALS = re.compile(r"[A-Z][a-z]|(?=\w{2,5}$)(?:[A-Z]+[a-z]{1,2})+[A-Z]+")  # "Yh", "MdP"
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

_ARABIC_SIGNS = str.maketrans({"\u060c": ",", "\u061b": ";"})

SURE_NAME_SCORE, _LIKELY_NAME_SCORE, OPEN_NAME_SCORE = 0.95, 0.6, 0.5


class NameOrder(Enum):
    """How the names of one list are written."""

    INVERTED = "Berg, Anna B."
    INITIALS_LAST = "Berg AB"
    NATURAL = "Anna B. Berg"


def parse_author_name(text: str, order: NameOrder | None = None) -> Author | None:
    """Parse one author: a person, or a group if a word such as "consortium" is in it; None if no name is left.

    `order` is that of the list the name is from, see `find_name_order`; a name that cannot have it is parsed by itself.
    """
    text = " ".join(text.translate(_ARABIC_SIGNS).split()).strip(" ,;*†‡§¶\u200b\u200c")
    if len(text) > _MAX_NAME_CHARS or not any(character.isalpha() for character in text):
        return None
    if GROUP_WORD.search(text):
        return Author(collective=parse_group_name(text))
    if is_degree(text) or CONTRIBUTOR_ROLE.fullmatch(text):
        return None
    family, _, rest = text.partition(",")
    if _has_name_after_comma(family, rest, order):
        author = _parse_inverted_name(family, rest)
    elif cut := _find_initials(family.split(), order or find_name_order([text])):
        author = _parse_initials_last(family.split(), cut, rest)
    else:
        author = _parse_natural_name(family, rest)
    return author if author.family else None


def parse_author_names(texts: Sequence[str]) -> list[Author | None]:
    """Parse the names of one list, all in the order that most of them show."""
    order = find_name_order(texts)
    return [parse_author_name(text, order) for text in texts]


def find_name_order(names: Iterable[str]) -> NameOrder:
    """Find how the names of one list are written; capitals alone do not tell initials from degrees and suffixes."""
    votes = dict.fromkeys(NameOrder, 0)
    shouted = False  # whether family names are printed in capitals: a short one then looks like initials
    for name in names:
        family, _, rest = name.partition(",")
        words = _words_with_letters(family.split())
        if GROUP_WORD.search(name) or not words:
            continue
        if _words_with_letters(rest.split()):
            votes[NameOrder.INVERTED] += _has_name_after_comma(family, rest, None)
        elif len(words) > 1 and not _has_unclear_end(words):
            shouted = shouted or (len(words[-1]) > _MAX_INITIALS and words[-1].isupper() and not words[0].isupper())
            votes[NameOrder.INITIALS_LAST if _initials_start(words) else NameOrder.NATURAL] += 1
    if shouted:
        votes[NameOrder.INITIALS_LAST] = 0
    most = max(votes.values())
    return next(order for order in NameOrder if votes[order] == most) if most else NameOrder.NATURAL


def _has_unclear_end(words: Sequence[str]) -> bool:
    """Whether a name such as "Anna Berg MD", "Robert Cole II" or "Anna LEE" does not tell if initials end it."""
    last = words[-1]
    if len(words) > 2 and is_name_tail(last):  # noqa: PLR2004
        return True
    return len(last) > 2 and _are_initials(last) and not set("AEIOUY").isdisjoint(last)  # noqa: PLR2004


def _has_name_after_comma(family: str, rest: str, order: NameOrder | None) -> bool:
    """Whether the given names follow the comma, not degrees or a suffix: "Berg, M.D." may be either.

    Dotted letters behind a single word, and all in a list of inverted names, are given names.
    """
    words = _words_with_letters(rest.split())
    if not words:
        return False
    before = _words_with_letters(family.split())
    if order is NameOrder.INVERTED:
        return True
    if not is_name_tail(rest):
        return not _has_credentials(before, rest)
    return len(before) == 1 and "." in words[0]


def _has_credentials(name: Sequence[str], rest: str) -> bool:
    """Whether a name in natural order is followed by several credentials: "John P. Doe, CLU, CFP"."""
    several = "," in rest or (len(name) > 2 and _DOTTED_LETTERS.fullmatch(name[-1]) is not None)  # noqa: PLR2004
    return len(name) > 1 and several and is_name_tail(rest, name=" ".join(name))


def _are_initials(word: str, *, loose: bool = False) -> bool:
    """Whether a word may be initials without full stops; `loose` ones have small letters."""
    closed = word.isupper() and _CLOSED_INITIALS.fullmatch(word)
    return bool(closed or (loose and _LOOSE_INITIALS.fullmatch(word)))


def _initials_start(words: Sequence[str], *, loose: bool = False) -> int:
    """Return where the initials begin that end a name such as "van den Berg AB" or "Berg A B Jr"; 0 if none do."""
    end = len(words)
    while end > 2 and (words[end - 1] in _WRITTEN_SUFFIXES or _is_degree_word(words[end - 1])):  # noqa: PLR2004
        if not _are_initials(words[end - 2], loose=loose):
            break
        end -= 1
    start = end
    while start > 1 and _are_initials(words[start - 1], loose=loose):
        start -= 1
    return start if start < end and not _INITIAL_WORD.fullmatch(words[0]) else 0


def _find_initials(words: Sequence[str], order: NameOrder) -> int:
    """Return where initials begin if a list has them last; in such a list also "Huang Yh" and "Lopez MdP" have them."""
    if order is not NameOrder.INITIALS_LAST:
        return 0
    return _initials_start(words) or _initials_start(words, loose=True)


def _parse_initials_last(words: Sequence[str], cut: int, tail: str) -> Author:
    """Parse `Family AB`, also with a suffix before or after the initials."""
    given = [word for word in words[cut:] if word not in _WRITTEN_SUFFIXES] or list(words[cut:])
    if len(given) > 1 and len(given[-1]) > 1 and _is_degree_word(given[-1]):
        given.pop()
    names, suffix = _split_off_suffix(list(words[:cut]))
    written = [word for word in words[cut:] if word not in given and word in _WRITTEN_SUFFIXES]
    suffix = suffix or _find_name_suffix(written) or parse_name_suffix(tail)
    return Author(family=" ".join(names), given=" ".join(given), suffix=suffix)


def _parse_natural_name(name: str, tail: str) -> Author:
    """Parse `Given Family Suffix`, followed by degrees after a comma."""
    words = _strip_honorifics(name.split())
    # "MA" and "MS" may be initials: only words after the second can be degrees.
    kept = [*words[:2], *(word for word in words[2:] if not _is_written_degree(word))]
    words = words if all(_INITIAL_WORD.fullmatch(word) for word in kept) else kept  # "T. H. Meng" is no engineer
    words, suffix = _split_off_suffix(words) if len(words) > 2 else (words, "")  # noqa: PLR2004
    suffix = suffix or parse_name_suffix(tail)
    if len(words) > 1 and words[-1].isupper() and _INITIALS_PATTERN.fullmatch(words[-1]):  # "Berg A.B."
        return Author(family=" ".join(words[:-1]), given=words[-1], suffix=suffix)
    cut = find_surname_starts(words)[0][0]
    return Author(family=" ".join(words[cut:]), given=" ".join(words[:cut]), suffix=suffix)


def _parse_inverted_name(family: str, rest: str) -> Author:
    """Parse `Family, Given Suffix`; everything before the comma is the family name."""
    names = _words_with_letters(family.split())
    while len(names) > 1 and len(names[-1]) > 1 and names[-1].isupper() and _is_degree_word(names[-1]):
        names.pop()  # "Washington Jr. MD, Franklin"
    names, suffix = _split_off_suffix(names)
    first, *more = rest.split(",")
    if any(more) and _plain_name_word(first.strip()) in _NAME_SUFFIXES and not first.strip().isupper():
        (first, *more), suffix = more, suffix or parse_name_suffix(first)  # "Cole, Jr., Robert"
    credentials = [piece for piece in more if is_name_tail(piece, name="Anna Berg")]
    words = _strip_honorifics(" ".join([first, *(piece for piece in more if piece not in credentials)]).split())
    # The first word is always a given name: "Berg, M.D." and "Berg, J.R." have initials.
    suffix = suffix or _find_name_suffix([*words[1:], *" ".join(credentials).split()])
    words = [*words[:1], *(word for word in words[1:] if not _is_degree_word(word))]
    words = [*words[:1], *(word for word in words[1:] if _plain_name_word(word) not in _NAME_SUFFIXES)]
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


def _is_written_degree(word: str) -> bool:
    """Whether a word after a name is a degree, also one of several parts such as "Msc.Ed."; or dotted letters."""
    return _is_degree_word(word) or bool(_DOTTED_DEGREE.fullmatch(word)) or bool(_DOTTED_LETTERS.fullmatch(word))


def is_degree(text: str) -> bool:
    """Whether a text is nothing but a degree printed with blanks, such as "Ph. D."."""
    return " " in text and "." in text and _is_degree_word(text.replace(" ", ""))


def _strip_honorifics(words: Sequence[str]) -> list[str]:
    # "M.S." are initials, not a title.
    kept = list(dropwhile(lambda word: word.rstrip(".").lower() in _HONORIFICS, _words_with_letters(words)))
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
        if words[position] in _SURNAME_LINKS and position > 1:  # "John e Smith" has an initial
            return ((position - 1, SURE_NAME_SCORE),)
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
    if last <= 1 or not _may_be_surname(words[last - 1]):
        return ((last, SURE_NAME_SCORE),)
    if all(word.endswith(".") or _INITIAL_WORD.fullmatch(word) for word in words[: last - 1]):
        return _starts_after_initials(words, last)
    if _is_patronymic(words[last - 1]) or (_is_spanish_surname(words[last - 1]) and _is_spanish_surname(words[last])):
        return ((last - 1, _LIKELY_NAME_SCORE), (last, 1 - _LIKELY_NAME_SCORE))
    return ((last, OPEN_NAME_SCORE), (last - 1, 1 - _LIKELY_NAME_SCORE))


def _starts_after_initials(words: Sequence[str], last: int) -> tuple[tuple[int, float], ...]:
    """Return the starts for "M. Aaron Holt" or "P. A. Cascales Campos": with several initials, rarely a given name."""
    initials = sum(len(word.replace(".", "")) if _INITIAL_WORD.fullmatch(word) else 1 for word in words[: last - 1])
    if initials > 1 or _is_spanish_surname(words[last - 1]):
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


@functools.lru_cache(maxsize=256)  # the readings of a page have the same names
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
