"""Names as people write them: the right way round, without a catalogue's remarks, in singular and plural."""

from __future__ import annotations

import re

from medharvest.topics.words import words

# What thesauri add to a name and no author writes.
_REMARK = re.compile(
    r"\s*(?:\((?:disease|disorder|finding|procedure|qualifier value|situation|body structure)\)|\[[A-Z]{1,4}\]"
    r"|,? (?:NOS|NEC|unspecified|not otherwise specified|not elsewhere classified|with other manifestations))\s*$",
    re.IGNORECASE,
)
# After a comma, these words show an enumeration or a remark and not an inverted name.
_NO_INVERSION = frozenset("and or with without of in on by due type not other from for to excluding including".split())
_LONGEST = 300  # characters; what is longer is no name, and not worth the search
_MOST_PARTS = 3
_ACRONYM = 5
_SHORT = 4  # letters; a shorter word is no plural: `gas`, `his`


def spoken(name: str) -> str:
    """The name as a text has it: `Enuresis, Nocturnal` is `Nocturnal Enuresis`, and remarks go."""
    bare = " ".join(name.split())
    if len(bare) > _LONGEST:
        return bare
    while (shorter := _REMARK.sub("", bare)) != bare and shorter:
        bare = shorter
    parts = bare.split(", ")
    inverted = 1 < len(parts) <= _MOST_PARTS and not any(_is_remark(part) for part in parts[1:])
    return " ".join(reversed(parts)) if inverted else bare


def _is_remark(part: str) -> bool:
    found = part.casefold().split()
    return not found or found[0] in _NO_INVERSION or any(word.isdigit() for word in found)


def key(name: str) -> str:
    """What two names share that differ in case, accents, hyphens or the number of their last word only."""
    *front, last = b" ".join(words(name)).decode().split(" ")
    return " ".join([*front, singular(last)])


def is_acronym(name: str) -> bool:
    """Whether a name is so short and all in capitals that any case would take it for another word."""
    return len(name) <= _ACRONYM and name.isupper() and not name.isdigit()


def singular(word: str) -> str:
    """The singular of a word that looks like a plural; any other word as it is."""
    if len(word) < _SHORT or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > _SHORT:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "ruses", "tuses", "nuses")):
        return word[:-2]
    if word.endswith("itides"):
        return word[:-3] + "s"
    return word[:-2] + "is" if word.endswith(("oses", "yses", "eses", "cuses")) else word[:-1]


def plural(word: str) -> str:
    """The plural of a word that looks like a singular; any other word as it is."""
    if len(word) < _SHORT - 1 or not word.isalpha() or singular(word) != word:
        return word
    if word.endswith("is"):
        return word[:-1] + "des" if word.endswith("itis") else word[:-2] + "es"
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "z", "ch", "sh")) else "s")


def spellings(text: str) -> tuple[str, ...]:
    """Ways a vocabulary may write what a user typed, the likeliest first."""
    typed = " ".join(text.split())
    bare = spoken(typed)
    *front, last = bare.split(" ")
    numbers = [" ".join([*front, form]) for form in (singular(last), plural(last))]
    joined = [bare.replace("-", " "), bare.replace(" ", "-"), bare.replace(" ", ""), bare.replace("-", "")]
    inner = [" ".join(map(singular, bare.replace("-", " ").split()))]
    return tuple(dict.fromkeys(filter(None, [typed, bare, *numbers, *joined, *inner])))
