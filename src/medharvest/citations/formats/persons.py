"""Authors in the forms of the formats: initials, `van de Kamp JM Jr`, `DeVita, Vincent T, Jr`; and back."""

from __future__ import annotations

import functools
import re

from medharvest.citations.names import GROUP, PARTICLES
from medharvest.records import Author

# MEDLINE counts generations; pages and publisher XML print them.
COUNTED = {"II": "2nd", "III": "3rd", "IV": "4th", "V": "5th", "VI": "6th"}
_PRINTED = {counted: roman for roman, counted in COUNTED.items()}
_SUFFIX = re.compile(r"(?:Jr|Sr|I{2,3}|IV|VI?|[2-6](?:nd|rd|th))\.?", re.IGNORECASE)
_PIECES = re.compile(r"[\s.\-‐‑–]+")


@functools.lru_cache(maxsize=4096)
def initials(given: str) -> str:
    """`JL` of "Jean-Louis", `JRR` of "J. R. R.", `D` of "D'Arcy"."""
    return "".join(letters[0].upper() for piece in _PIECES.split(given) if (letters := _letters(piece)))


def _letters(piece: str) -> str:
    return "".join(character for character in piece if character.isalnum())


@functools.lru_cache(maxsize=4096)
def fore_name(given: str) -> str:
    """Given names as MEDLINE has them: no stops, `Jiddeke M`."""
    return " ".join(given.replace(".", " ").split())


def counted(suffix: str) -> str:
    """The suffix as MEDLINE has it: `Jr`, `2nd`."""
    bare = suffix.strip().rstrip(".")
    return COUNTED.get(bare, bare)


def from_counted(suffix: str) -> str:
    """The suffix as pages have it: `II` for `2nd`."""
    bare = suffix.strip().rstrip(".")
    return _PRINTED.get(bare.lower(), bare)


def short_name(author: Author) -> str:
    """`van de Kamp JM Jr`, the form of MEDLINE's AU; a group keeps its name."""
    words = (author.family or author.given, initials(author.given) if author.family else "", counted(author.suffix))
    return author.collective or " ".join(word for word in words if word)


def inverted(author: Author) -> str:
    """`DeVita, Vincent T., Jr`; one name alone; a group with a comma at its end, which keeps readers from splitting it."""
    if author.collective:
        return f"{author.collective},"
    if author.suffix:
        return f"{author.family}, {author.given}, {author.suffix}"  # the suffix is known by its place
    return ", ".join(part for part in (author.family, author.given) if part)


def from_inverted(text: str) -> Author:
    """The author of a name as `inverted` writes it, or as other programs do: a group is then known by its words."""
    pieces = [piece.strip() for piece in text.split(",")]
    if len(pieces) > 1 and not any(pieces[1:]):
        return Author(collective=text.strip().removesuffix(",").rstrip())
    if len(pieces) == 1 or (len(pieces) == 2 and GROUP.search(pieces[0]) and not pieces[1]):  # noqa: PLR2004
        return _single(text.strip())
    family, given, *rest = pieces
    if not rest and _SUFFIX.fullmatch(given):
        return Author(family=family, suffix=from_counted(given))
    suffix = ", ".join(piece for piece in rest if piece)
    return Author(family=family, given=given, suffix=from_counted(suffix) if _SUFFIX.fullmatch(suffix) else suffix)


def _single(text: str) -> Author:
    return Author(collective=text) if GROUP.search(text) else Author(family=text)


def from_full(text: str) -> Author:
    """The author of MEDLINE's FAU, `DeVita, Vincent T Jr`."""
    family, _, rest = text.partition(",")
    words = rest.split()
    suffix = from_counted(words.pop()) if words and _SUFFIX.fullmatch(words[-1]) and len(words) > 1 else ""
    return Author(family=family.strip(), given=" ".join(words), suffix=suffix)


def split_particle(family: str) -> tuple[str, str]:
    """The small words before a family name, and the name: `van de` and `Kamp`."""
    words = family.split()
    cut = 0
    while cut < len(words) - 1 and words[cut] in PARTICLES:
        cut += 1
    return " ".join(words[:cut]), " ".join(words[cut:])
