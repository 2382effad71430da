"""Personal names as pages print them, to family, given and suffix; degrees off, particles kept."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import dropwhile

from medharvest.citations.surnames import PARTICLES, SURE, surname_starts
from medharvest.pages.degrees import DEGREES
from medharvest.records import Author

SUFFIXES = {"jr": "Jr", "sr": "Sr", "ii": "II", "iii": "III", "iv": "IV", "2nd": "II", "3rd": "III"}
TITLES = frozenset({"dr", "prof", "professor", "mr", "mrs", "ms", "sir"})
GROUP = re.compile(
    r"\b(?:group|consortium|collaborat\w+|investigators|committee|network|editors|team|initiative|society|"
    r"association|council|programme|program|trialists|task force)\b",
    re.IGNORECASE,
)
_LEAD = re.compile(r"(?:(?:and|on behalf of|for) )+(?:the )?", re.IGNORECASE)
_BETWEEN = re.compile(r"[;,·•∙|]|(?<=\s)\.(?=\s)|(?:(?<=\s)|^)(?:and|und(?!\s+zu)|et|y|&|on behalf of(?: the)?)(?=\s)")
LONGEST_LIST = 100_000  # characters; the names of three thousand authors take half of it
_LONGEST = 300  # characters; what is longer, even for a group with its whole mission, is no name
_CREDENTIAL = re.compile(r"[A-Z]{2}[A-Za-z]{0,7}(?:-[A-Z]{1,3})?")
_INITIALS = re.compile(r"(?:[^\W\d_]\.-?){1,4}|[^\W\d_]")


def parse_name(text: str) -> Author | None:
    """One author: a person, or a group by its words; nothing where no name is left."""
    text = " ".join(text.split()).strip(" ,;*†‡§¶")
    if len(text) > _LONGEST or not any(character.isalpha() for character in text):
        return None
    if GROUP.search(text):
        return Author(collective=parse_group(text))
    family, _, rest = text.partition(",")
    author = _straight(family, rest) if is_tail(rest) else _inverted(family, rest)
    return author if author.family else None


def name_readings(text: str) -> tuple[tuple[Author, float], ...]:
    """Every way to read one author's name, each with its score, the best first; more than one where it is open."""
    author = parse_name(text)
    if author is None or author.collective or not author.given:
        return ((author, SURE),) if author else ()
    words = f"{author.given} {author.family}".split()
    if " ".join(words).casefold() not in " ".join(text.split()).casefold():  # "Parker, Elizabeth" says it itself
        return ((author, SURE),)
    return tuple(
        (replace(author, family=" ".join(words[cut:]), given=" ".join(words[:cut])), score)
        for cut, score in surname_starts(words)
    )


def is_natural(names: Sequence[str]) -> bool:
    """Whether names stand as "Given Family", the family name last: most have two words before any comma."""
    return 2 * sum(len(name.partition(",")[0].split()) > 1 for name in names) >= len(names)


def parse_listed(text: str) -> Author | None:
    """One author of a byline in natural order, where capitals after a comma are credentials and no initials."""
    name, _, rest = text.partition(",")
    if is_tail(rest) or not is_tail(rest, name=name):
        return parse_name(text)
    suffix = parse_suffix(rest)
    return parse_name(f"{name}, {suffix}" if suffix else name)


def parse_group(text: str) -> str:
    """The name of a group without "and", "for the" and "on behalf of the"."""
    return text[lead.end() :] if (lead := _LEAD.match(text)) else text


def parse_suffix(text: str) -> str:
    """The generation in a text such as "MD, Jr."; degrees are none."""
    return _suffix_of(text.split())


def split_names(text: str) -> tuple[str, ...]:
    """Cut a byline into its names; degrees and suffixes stay with theirs."""
    return tuple(text[start:end] for start, end in name_spans(text))


def name_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Where each name of a byline begins and ends: between commas, semicolons and "and".

    In "Berg, Anna; Cole, Robert" only the semicolons stand between names. A text too long for a byline has none.
    """
    if len(text) > LONGEST_LIST:
        return ()
    cuts = list(_BETWEEN.finditer(text))
    if ";" in text and "," in text:
        spans = _joined(text, _pieces(text, [cut.span() for cut in cuts if cut.group() != ","]))
        if len(spans) > 1 and all(_is_inverted(text[start:end]) for start, end in spans):
            return spans
    return _joined(text, _pieces(text, [cut.span() for cut in cuts]))


def _pieces(text: str, cuts: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """What stands between the cuts, blanks off; nothing where only blanks do."""
    starts = [0, *(end for _, end in cuts)]
    ends = [*(start for start, _ in cuts), len(text)]
    for start, end in zip(starts, ends, strict=True):
        piece = text[start:end]
        if piece.strip():
            left = len(piece) - len(piece.lstrip())
            yield start + left, start + len(piece.rstrip())


def _joined(text: str, pieces: Iterator[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Degrees and suffixes put back to the name they follow, and groups such as "Nordic and Baltic Consortium"."""
    out: list[tuple[int, int]] = []
    for start, end in pieces:
        last = text[slice(*out[-1])] if out else ""
        if out and (is_tail(text[start:end], name=last) or _goes_on(last, text[out[-1][1] : start], text[start:end])):
            out[-1] = (out[-1][0], end)
        else:
            out.append((start, end))
    return tuple(out)


def _goes_on(last: str, between: str, piece: str) -> bool:
    """Whether "and" stands inside a group's name: one word before it, the word for a group behind it."""
    return between.strip() in {"and", "&"} and len(last.split()) == 1 and bool(GROUP.search(piece))


def _is_inverted(piece: str) -> bool:
    """Whether a piece reads "Family, Given", degrees aside; a group may stand among such names."""
    names = [part for part in piece.split(",") if not is_tail(part)]
    return len(names) == 2 or bool(GROUP.search(piece))  # noqa: PLR2004


def _straight(name: str, tail: str) -> Author:
    """`Given Family Suffix`, then a comma and degrees."""
    words = _without_titles(name.split())
    # "MA" and "MS" alone may be initials: only what follows two words is a degree.
    words = [*words[:2], *(word for word in words[2:] if not _is_degree(word))]
    words, suffix = _take_suffix(words)
    suffix = suffix or parse_suffix(tail)
    if len(words) > 1 and words[-1].isupper() and _INITIALS.fullmatch(words[-1]):  # "Berg A.B.": turned round
        return Author(family=" ".join(words[:-1]), given=words[-1], suffix=suffix)
    cut = surname_starts(words)[0][0]
    return Author(family=" ".join(words[cut:]), given=" ".join(words[:cut]), suffix=suffix)


def _inverted(family: str, rest: str) -> Author:
    """`Family, Given Suffix`; what stands before the comma is the family name as it is."""
    names, suffix = _take_suffix(_named(family.split()))
    words = _without_titles(rest.replace(",", " ").split())
    suffix = suffix or _suffix_of(words)
    words = [*words[:1], *(word for word in words[1:] if not _is_degree(word))]
    words = [word for word in words if _plain(word) not in SUFFIXES]
    # Particles at the end of the given names belong to the family: "Berg, Anna van den".
    cut = len(words)
    while cut > 1 and words[cut - 1] in PARTICLES:
        cut -= 1
    return Author(family=" ".join([*words[cut:], *names]), given=" ".join(words[:cut]), suffix=suffix)


def is_tail(text: str, *, name: str = "") -> bool:
    """Whether a text holds nothing but degrees and suffixes, and after a whole name in small letters also capitals."""
    whole = len(name.partition(",")[0].split()) > 1 and not name.isupper()
    return all(
        _is_degree(word) or _plain(word) in SUFFIXES or (whole and _is_credential(word))
        for word in text.replace(",", " ").split()
    )


def _is_credential(word: str) -> bool:
    """Whether a word looks like letters after a name, such as MRCPsych or R.N., which no list holds all of."""
    return bool(_CREDENTIAL.fullmatch(word.replace(".", "")))


def _is_degree(word: str) -> bool:
    """Whether a word is a degree; "Do" and "Ma" are names, "DO" and "MA" are not."""
    return _plain(word) in DEGREES and (len(_plain(word)) > 2 or word.isupper())  # noqa: PLR2004


def _without_titles(words: Sequence[str]) -> list[str]:
    kept = list(dropwhile(lambda word: _plain(word) in TITLES, _named(words)))
    return kept or list(words[-1:])


def _named(words: Sequence[str]) -> list[str]:
    """Words that hold a letter: what is left of footnote numbers is none."""
    return [word for word in words if any(character.isalpha() for character in word)]


def _take_suffix(words: list[str]) -> tuple[list[str], str]:
    if len(words) > 1 and _plain(words[-1]) in SUFFIXES:
        return words[:-1], SUFFIXES[_plain(words[-1])]
    return words, ""


def _suffix_of(words: Sequence[str]) -> str:
    return next((SUFFIXES[_plain(word)] for word in words if _plain(word) in SUFFIXES), "")


def _plain(word: str) -> str:
    return word.replace(".", "").strip(",;()").lower()
