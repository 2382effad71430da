"""Authors in the forms of the formats: `DeVita, Vincent T, Jr`, suffixes as MEDLINE counts them; and back."""

from __future__ import annotations

import functools
import re

from medharvest.citations import nlm_names
from medharvest.citations.names import GROUP
from medharvest.citations.surnames import PARTICLES
from medharvest.records import Author

_PRINTED = {counted: roman for roman, counted in nlm_names.ORDINALS.items()}
_SUFFIX = re.compile(r"(?:Jr|Sr|I{2,3}|IV|VI?|[2-6](?:nd|rd|th))\.?", re.IGNORECASE)


initials = functools.lru_cache(maxsize=4096)(nlm_names.initials)
fore_name = functools.lru_cache(maxsize=4096)(nlm_names.fore_name)


def counted(suffix: str) -> str:
    """The suffix as MEDLINE has it: `Jr`, `2nd`."""
    bare = suffix.strip().rstrip(".")
    return nlm_names.ORDINALS.get(bare, bare)


def from_counted(suffix: str) -> str:
    """The suffix as pages have it: `II` for `2nd`."""
    bare = suffix.strip().rstrip(".")
    return _PRINTED.get(bare.lower(), bare)


def inverted(author: Author) -> str:
    """`DeVita, Vincent T., Jr`; one name alone; a group with a comma at its end, so that no reader splits it."""
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
    if not family:
        family, given = given, ""
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
