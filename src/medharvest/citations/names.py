"""Personal names as pages print them, to family, given and suffix; degrees off, particles kept."""

from __future__ import annotations

import re

from medharvest.records import Author

DEGREES = frozenset(
    """ba bs bsc bchir bds bm bmbs chb chm dds dm dmd do dphil dpharm drph dsc dvm edd faan facc facp facs fracp frcp
    frcs frcpc frcpath frcpch frcpsych jd llm ma mb mba mbbs mbchb md mdres med meng mph mphil mrcp mrcs ms msc msn mscn
    np pa pharmd phd psyd pt rd rn rnc scd vmd""".split()
)
SUFFIXES = {"jr": "Jr", "sr": "Sr", "ii": "II", "iii": "III", "iv": "IV", "2nd": "II", "3rd": "III"}
PARTICLES = frozenset(
    "af al av bin da de del della den der di dos du el ibn la le ten ter van vande vander von zu zum zur und y".split()
)
TITLES = frozenset({"dr", "prof", "professor", "mr", "mrs", "ms", "sir"})
_GROUP = re.compile(
    r"\b(?:group|consortium|collaborat\w+|investigators|committee|network|editors|team|initiative|society|"
    r"association|council|programme|program|trialists|task force)\b",
    re.IGNORECASE,
)


def parse_name(text: str) -> Author | None:
    """One author: a person, or a group by its words; nothing where no name is left."""
    text = " ".join(text.replace("\xa0", " ").split()).strip(" ,;*†‡§¶")
    if not any(character.isalpha() for character in text):
        return None
    if _GROUP.search(text):
        return Author(collective=_strip_lead(text))
    family, comma, rest = text.partition(",")
    if comma and not _is_tail(rest):
        return _inverted(family, rest)
    words = _without_extras([*family.split(), *rest.replace(",", " ").split()])
    words, suffix = _take_suffix(words)
    if not words:
        return None
    cut = _family_start(words)
    return Author(family=" ".join(words[cut:]), given=" ".join(words[:cut]), suffix=suffix)


def split_names(text: str) -> tuple[str, ...]:
    """Cut a byline at commas, semicolons and "and"; degrees and suffixes stay with their name."""
    pieces: list[str] = []
    for piece in re.split(r"\s*[;,]\s*|\s+(?:and|und|et|y|&)\s+|^(?:and|&)\s+", text):
        words = piece.split()
        if not words:
            continue
        if pieces and all(_plain(word) in DEGREES or _plain(word) in SUFFIXES for word in words):
            pieces[-1] += f", {piece}"
        else:
            pieces.append(piece)
    return tuple(pieces)


def parse_suffix(text: str) -> str:
    """The generation in a text such as "MD, Jr."; degrees are none."""
    return next((SUFFIXES[_plain(word)] for word in text.split() if _plain(word) in SUFFIXES), "")


def _inverted(family: str, rest: str) -> Author | None:
    """`Family, Given Suffix`; what stands before the comma is the family name as it is."""
    words, suffix = _take_suffix(_without_extras(rest.replace(",", " ").split()))
    names, family_suffix = _take_suffix(family.split())
    if not names:
        return None
    # Particles at the end of the given names belong to the family: "Berg, Anna van den".
    cut = len(words)
    while cut > 1 and words[cut - 1] in PARTICLES:
        cut -= 1
    return Author(family=" ".join([*words[cut:], *names]), given=" ".join(words[:cut]), suffix=suffix or family_suffix)


def _is_tail(rest: str) -> bool:
    return all(_plain(word) in DEGREES or _plain(word) in SUFFIXES for word in rest.replace(",", " ").split())


def _without_extras(words: list[str]) -> list[str]:
    while len(words) > 1 and _plain(words[0]) in TITLES:
        words = words[1:]
    # "MA" and "MS" alone may be initials: only what follows a name is a degree.
    return [word for i, word in enumerate(words) if i < 2 or _plain(word) not in DEGREES]  # noqa: PLR2004


def _take_suffix(words: list[str]) -> tuple[list[str], str]:
    if len(words) > 1 and _plain(words[-1]) in SUFFIXES:
        return words[:-1], SUFFIXES[_plain(words[-1])]
    return words, ""


def _family_start(words: list[str]) -> int:
    """Where the family name begins: at its first particle, else at the last word."""
    for position in range(1, len(words) - 1):
        if words[position].lower() in PARTICLES:
            return position
    return len(words) - 1


def _strip_lead(text: str) -> str:
    return re.sub(r"^(?:and |on behalf of |for )+(?:the )?", "", text, flags=re.IGNORECASE)


def _plain(word: str) -> str:
    return word.replace(".", "").strip(",;()").lower()
