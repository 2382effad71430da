"""Names as NLM writes them: `van Bueren ES` in AU, `van Bueren, Eric S` in FAU, the initials alone."""

from __future__ import annotations

import re

from medharvest.records import Author

# AU counts the generations; everywhere else they stand as published.
ORDINALS = {"II": "2nd", "III": "3rd", "IV": "4th", "V": "5th", "VI": "6th"}
_ARTICLE = re.compile(r"(?:the|la|le|les|die|der|das|el|los|las|il)\s+(?=\S)", re.IGNORECASE)
_BEHALF = re.compile(r"(?:and\s+)?(?:on\s+behalf\s+of|for|from)\s+(?=the\b)", re.IGNORECASE)
_STOP = re.compile(r"\.(?=[^\W\d_])|\.")
_CAPITALS = re.compile(r"[^\W\d_a-zß-öø-ÿ]{2,4}")


def short_name(author: Author) -> str:
    """The author as AU has it: surname, initials, suffix; a group by its name."""
    if author.collective:
        return group_name(author.collective)
    suffix = ORDINALS.get(author.suffix, author.suffix).rstrip(".")
    return " ".join(part for part in (author.family, initials(author.given), suffix) if part)


def long_name(author: Author) -> str:
    """The author as FAU has it: `Family, Given M Jr`; a group by its name."""
    if author.collective:
        return group_name(author.collective)
    behind = " ".join(part for part in (fore_name(author.given), author.suffix.rstrip(".")) if part)
    return ", ".join(part for part in (author.family, behind) if part)


def fore_name(given: str) -> str:
    """Given names without stops: `J.R.R.` is `J R R`, `J.-P.` is `J-P`."""
    spaced = _STOP.sub(lambda stop: " " if stop.end() < len(given) and given[stop.end()].isalpha() else "", given)
    return " ".join(spaced.split())


def initials(given: str) -> str:
    """The first letter of each given name, also behind a hyphen: `Jean-Louis` is `JL`; `JM` stays."""
    words = re.split(r"[\s-]+", fore_name(given))
    return "".join(word if _CAPITALS.fullmatch(word) else _first(word) for word in words)


def _first(word: str) -> str:
    return next((letter.upper() for letter in word if letter.isalpha()), "")


def group_name(name: str) -> str:
    """The exact name of a group without "on behalf of" and the article in front."""
    text = " ".join(name.split())
    text = text[found.end() :] if (found := _BEHALF.match(text)) else text
    return text[found.end() :] if (found := _ARTICLE.match(text)) else text
