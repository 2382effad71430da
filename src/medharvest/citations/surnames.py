"""Where the surname begins in a name as printed: tables of particles, surnames and given names, and each reading."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

PARTICLES = frozenset(
    """af al av bin da das de del della den der des di do dos du el ibn la le ten ter van vande vander von zu zum zur
    und""".split()
)
LINKS = frozenset({"e", "i", "y"})  # they join two family names: "Mier y Teran"
# Behind a first surname these go on with it, the French ones most often: "Halley des Fontaines". Others begin one.
_GOING_ON = frozenset("da das de del della des di do dos du la le".split())
_FRENCH = frozenset({"des", "du"})

# Words that begin a surname behind a given name, whatever their case: "Ciarán Mac Giolla", "Leïla Ben Amor".
_OPENING = frozenset("abou abu ait aït ben bint bou fitz mac mc ní nic ould saint sainte san santa st".split())

# Spanish surnames that stand first of two; names in -ez, -az, -iz and -oz are known by their ending.
_SPANISH = frozenset(
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
# Given names that end so.
_NO_PATRONYMIC = frozenset(
    """abdulaziz ayaz aziz beatriz faiz fayaz fayyaz feroz firoz hafeez hafiz ijaz imtiaz inez liz moiz mumtaz nawaz
    niaz parvez pervez ramiz riaz roz sarfaraz shahbaz shahnawaz shiraz tabrez""".split()
)
# Given names that often stand second: after these the surname has begun for certain.
_GIVEN = frozenset(
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
_INITIAL = re.compile(r"(?:[^\W\d_]\.-?){1,4}[^\W\d_]?|[^\W\d_]|[A-Z]{2,3}")

SURE, LIKELY, OPEN = 0.95, 0.6, 0.5


def surname_starts(words: Sequence[str]) -> tuple[tuple[int, float], ...]:
    """Where the surname may begin among the words of a name in natural order, each with its score, the best first.

    "Elizabeth Scott Parker" may be Parker or Scott Parker: nothing on the page tells, so both are given.
    """
    last = max(len(words) - 1, 0)
    if not words or words[0] in PARTICLES:
        return ((0, SURE),)
    for position in range(1, last):
        if words[position] in LINKS:
            return ((max(position - 1, 1), SURE),)
        if _begins_surname(words[position]):
            return ((position, SURE),)
        if words[position].lower() in PARTICLES:
            return _at_particle(words, position)
    return _without_particle(words, last)


def _begins_surname(word: str) -> bool:
    """Whether no given name in the middle is written so: "Mac", "Ben", "Saint-Clair"; capitals may be initials."""
    return word.partition("-")[0].rstrip(".").lower() in _OPENING and word[:1].isupper() and not word.isupper()


def _at_particle(words: Sequence[str], position: int) -> tuple[tuple[int, float], ...]:
    """A particle begins the surname, or goes on with one: "Halley des Fontaines"."""
    before = words[position - 1]
    if position == 1 or words[position].lower() not in _GOING_ON or not _may_be_surname(before):
        return ((position, SURE),)
    if words[position].lower() in _FRENCH or _is_spanish(before):
        return ((position - 1, LIKELY), (position, 1 - LIKELY))
    return ((position, OPEN), (position - 1, 1 - LIKELY))


def _without_particle(words: Sequence[str], last: int) -> tuple[tuple[int, float], ...]:
    """The last word is the surname; the one before it may be its first half, and is in Spanish names."""
    # Behind initials, or a short form with its stop, stands the name that somebody is called by: "M. Aaron Holt".
    called = all(word.endswith(".") or _INITIAL.fullmatch(word) for word in words[: last - 1])
    if last <= 1 or called or not _may_be_surname(words[last - 1]):
        return ((last, SURE),)
    if _is_patronymic(words[last - 1]) or (_is_spanish(words[last - 1]) and _is_spanish(words[last])):
        return ((last - 1, LIKELY), (last, 1 - LIKELY))
    return ((last, OPEN), (last - 1, 1 - LIKELY))


def _may_be_surname(word: str) -> bool:
    """Whether a word in the middle may belong to the surname: no initial, no known given name, Latin letters."""
    plain = folded(word)
    return (
        bool(plain) and plain.isascii() and word[:1].isupper() and not _INITIAL.fullmatch(word) and not _is_given(word)
    )


def _is_given(word: str) -> bool:
    return all(part.lower() in _GIVEN or folded(part) in _GIVEN for part in word.split("-"))


def _is_spanish(word: str) -> bool:
    plain = folded(word)
    return plain in _SPANISH or bool(_SPANISH_ENDING.fullmatch(plain))


def _is_patronymic(word: str) -> bool:
    """Whether a word is a surname by its ending, as Muñoz and Ruiz are."""
    plain = folded(word)
    return bool(_SPANISH_ENDING.fullmatch(plain)) and plain not in _NO_PATRONYMIC


def folded(word: str) -> str:
    """Letters alone, without marks and case."""
    letters = unicodedata.normalize("NFKD", word.casefold())
    return "".join(letter for letter in letters if letter.isalpha() and not unicodedata.combining(letter))
