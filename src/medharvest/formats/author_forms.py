"""Write and read authors as the formats have them: inverted names, MEDLINE's suffixes, numbered affiliations."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence

from medharvest.citations import nlm_style
from medharvest.citations.author_names import GROUP_WORD, NAME_PARTICLES, find_name_order, parse_author_name
from medharvest.fields import contributor_name
from medharvest.records import Author, Citation, Contributor

_ROMAN_SUFFIXES = {counted: roman for roman, counted in nlm_style.NAME_ORDINALS.items()}
_NAME_SUFFIX = re.compile(r"(?:Jr|Sr|I{2,3}|IV|VI?|[2-6](?:nd|rd|th))\.?", re.IGNORECASE)
_LONGEST_SUFFIX = 4  # characters, of `III.`
_NOBODY = Author()
_NAME_WITH_INITIALS = re.compile(r"\S.{0,80}\s[A-Z][A-Z.-]{0,7}")  # "Berg AB", "van den Berg A.-B."
_IDEOGRAPHIC_NAME = re.compile(r"[\u3400-\u9fff\uac00-\ud7af]{1,3} [\u3400-\u9fff\uac00-\ud7af]{1,4}")  # family first
_LIST_STOP = re.compile(r"(?<=[^\W\d_]{5})\.$")  # after the last name of a list; "Inc." keeps its own
_ENDS_WITH_INITIALS = re.compile(r" (?:[A-Z]\.?[ -]?){1,4}$")
# Words of bodies that sign as author; GROUP_WORD has those that pages print in a byline.
_ORGANISATION_WORD = re.compile(
    r"(?i)\b(?:organi[sz]ations?|organi[sz]acion|organização|ministry|minist[eè]re?io?|universit\w+|institut\w*|"
    r"department|foundation|agency|hospital|cent(?:er|re) (?:for|of)|bureau|board|academy|federation|authority|"
    r"administration|corporation|company|laborator(?:y|ies)|commission|office|inc|ltd|gmbh|llc)\b"
)

cached_initials = functools.lru_cache(maxsize=4096)(nlm_style.nlm_initials)
cached_fore_name = functools.lru_cache(maxsize=4096)(nlm_style.nlm_fore_name)


def suffix_to_medline(suffix: str) -> str:
    """Return the suffix as in MEDLINE: `Jr`, `2nd`."""
    bare = suffix.strip().rstrip(".")
    return nlm_style.NAME_ORDINALS.get(bare, bare)


def suffix_from_medline(suffix: str) -> str:
    """Return the suffix as on pages: `II` for `2nd`."""
    bare = suffix.strip().rstrip(".")
    return _ROMAN_SUFFIXES.get(bare.lower(), bare)


def author_to_inverted(author: Author) -> str:
    """Write `DeVita, Vincent T., Jr`, or a single name; a group gets a final comma, so that no reader splits it."""
    if author.collective:
        return f"{author.collective},"
    if author.suffix:
        return f"{author.family}, {author.given}, {author.suffix}"  # its position identifies the suffix
    return ", ".join(part for part in (author.family, author.given) if part)


def author_from_inverted(text: str) -> Author:
    """Read a name as written by `author_to_inverted`, or by other programs, whose groups are recognised by words."""
    family, comma, given = text.partition(",")
    if comma and len(given := given.strip()) > _LONGEST_SUFFIX and "," not in given and (family := family.strip()):
        return Author(family=family, given=given)  # most names
    pieces = [piece.strip() for piece in text.split(",")]
    if len(pieces) > 1 and not any(pieces[1:]):
        return Author(collective=text.strip().removesuffix(",").rstrip())
    if len(pieces) == 1 or (len(pieces) == 2 and GROUP_WORD.search(pieces[0]) and not pieces[1]):  # noqa: PLR2004
        return _author_from_single_name(text.strip())
    family, given, *rest = pieces
    if not family:
        family, given = given, ""
    if not rest and _NAME_SUFFIX.fullmatch(given) and not given.rstrip(".").isupper():  # "Cole, V" has an initial
        return Author(family=family, suffix=suffix_from_medline(given))
    suffix = ", ".join(piece for piece in rest if piece)
    return Author(
        family=family, given=given, suffix=suffix_from_medline(suffix) if _NAME_SUFFIX.fullmatch(suffix) else suffix
    )


def authors_from_names(names: Sequence[str]) -> tuple[Author, ...]:
    """Read the names of one list; one without a comma is an organisation, or written `Anna Berg` or `Berg A`."""
    if all("," in name or " " not in name.strip() for name in names):
        return tuple(author for name in names if (author := author_from_inverted(name)) != _NOBODY)
    order = find_name_order(names)
    inverted = sum("," in name for name in names)
    found = []
    for name in names:
        bare = name.strip()
        if _IDEOGRAPHIC_NAME.fullmatch(bare):
            family, _, given = bare.partition(" ")
            found.append(Author(family=family, given=given.strip()))
        elif "," in bare or " " not in bare:
            found.append(author_from_inverted(bare))
        elif is_organisation(bare) or (inverted * 2 > len(names) and not _ENDS_WITH_INITIALS.search(bare)):
            found.append(Author(collective=_LIST_STOP.sub("", bare)))
        else:
            found.append(parse_author_name(bare, order) or Author(collective=bare))
    return tuple(author for author in found if author != Author())


def split_name_list(text: str, *separators: str) -> list[str]:
    """Split a text into names: at the separators, semicolons or "and", else at commas between names with initials."""
    for separator in (*separators, ";", "//", " and "):
        if separator in text:
            pieces = [name.strip() for name in text.split(separator)]
            return [name for piece in pieces if piece for name in _split_initialled_names(piece)]
    return _split_initialled_names(text.strip())


def _split_initialled_names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    if len(names) > 1 and all(_NAME_WITH_INITIALS.fullmatch(name) for name in names if name):
        if not any(name.endswith(".") for name in names[:-1]):  # the full stop ends the list
            names[-1] = names[-1].removesuffix(".")
        return [name for name in names if name]
    return [text] if text else []


def is_organisation(text: str) -> bool:
    """Whether a name has a word of organisations and groups."""
    return bool(_ORGANISATION_WORD.search(text) or GROUP_WORD.search(text))


def _author_from_single_name(text: str) -> Author:
    return Author(collective=text) if GROUP_WORD.search(text) else Author(family=text)


def author_from_full_name(text: str) -> Author:
    """Read the author of MEDLINE's FAU, `DeVita, Vincent T Jr`."""
    family, _, rest = text.partition(",")
    words = rest.split()
    suffix = suffix_from_medline(words.pop()) if words and _NAME_SUFFIX.fullmatch(words[-1]) and len(words) > 1 else ""
    return Author(family=family.strip(), given=" ".join(words), suffix=suffix)


def split_particle(family: str) -> tuple[str, str]:
    """Split a family name into particle and name: `van de` and `Kamp`."""
    words = family.split()
    cut = 0
    while cut < len(words) - 1 and words[cut] in NAME_PARTICLES:
        cut += 1
    return " ".join(words[:cut]), " ".join(words[cut:])


def _add_affiliations(author: Author, own: tuple[int, ...]) -> Author:
    """Return the author with affiliations; several times faster than `replace`, and called for most authors."""
    return Author(
        family=author.family,
        given=author.given,
        suffix=author.suffix,
        collective=author.collective,
        orcid=author.orcid,
        email=author.email,
        corresponding=author.corresponding,
        equal=author.equal,
        affiliations=own,
    )


def number_affiliations(
    people: Iterable[tuple[Author, Iterable[str]]], known: Iterable[str] = ()
) -> tuple[tuple[Author, ...], tuple[str, ...]]:
    """Return the authors with the indexes of their affiliations, and the affiliations: known ones, then new ones."""
    numbers = {place: number for number, place in enumerate(dict.fromkeys(known))}
    authors = []
    for author, places in people:
        own = tuple(dict.fromkeys(numbers.setdefault(place, len(numbers)) for place in places if place))
        authors.append(_add_affiliations(author, own) if own else author)
    return tuple(authors), tuple(numbers)


def list_people(citation: Citation, role: str) -> list[Author]:
    """Return the names of the contributors of a role."""
    return [contributor_name(one) for one in citation.contributors if one.role == role]


def make_contributors(role: str, authors: Iterable[Author]) -> tuple[Contributor, ...]:
    """Return contributors of a role from names."""
    return tuple(
        Contributor(role=role, family=one.family, given=one.given, suffix=one.suffix, collective=one.collective)
        for one in authors
        if one.family or one.given or one.collective
    )
