"""Split text into folded words; put names in natural order; form singular, plural and other spellings.

Words are bytes. An error handler of the ASCII codec replaces characters outside ASCII, which is the fastest way for
texts with few of them.
"""

from __future__ import annotations

import codecs
import functools
import re
import unicodedata

_ASCII_LETTERS = frozenset(b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_KEEP_TABLE = bytes(code if code in _ASCII_LETTERS or code > 127 else 32 for code in range(256))  # noqa: PLR2004
_FOLD_TABLE = _KEEP_TABLE.lower()
_NON_WORD = re.compile(r"[\W_]+")
# Remarks that thesauri add to a name and authors never write.
_CATALOGUE_REMARK = re.compile(
    r"(?<!\s)\s*(?:\((?:disease|disorder|finding|procedure|qualifier value|situation|body structure)\)|\[[A-Z]{1,4}\]"
    r"|,? (?:NOS|NEC|unspecified|not otherwise specified|not elsewhere classified|with other manifestations))\s*$",
    re.IGNORECASE,
)
# After a comma, these words show an enumeration or a remark, not an inverted name.
_NO_INVERSION = frozenset("and or with without of in on by due type not other from for to excluding including".split())
_MAX_NAME_CHARACTERS = 300  # a longer text is not a name
_MAX_NAME_PARTS = 3  # between commas, of an inverted name
_MAX_ACRONYM_LETTERS = 5
_MIN_PLURAL_LETTERS = 4  # a shorter word is not a plural: `gas`, `his`


def split_words(text: str) -> list[bytes]:
    """Split a text into words in lower case: runs of letters and digits, separated by anything else."""
    return fold_to_words(text).split()


def fold_to_words(text: str) -> bytes:
    """Return the words of a text in lower case, separated by spaces."""
    return text.encode("ascii", "medharvest.fold").translate(_FOLD_TABLE)


def split_cased_words(text: str) -> list[bytes]:
    """Split a text into the same words in their own case; each has the same index as in `split_words`."""
    return text.encode("ascii", "medharvest.keep").translate(_KEEP_TABLE).split()


@functools.lru_cache(maxsize=10_000)
def _spell_in_ascii(characters: str) -> bytes:
    """Spell characters outside ASCII: `é` as `e` however it is composed, a dash or a quote as a space."""
    parts = unicodedata.normalize("NFKD", characters)
    bare = "".join(part for part in parts if not unicodedata.combining(part))
    return _NON_WORD.sub(" ", bare).encode()


@functools.lru_cache(maxsize=10_000)
def _fold_characters(characters: str) -> bytes:
    return _spell_in_ascii(characters).decode().casefold().encode()


def _handle_fold_error(error: UnicodeError) -> tuple[bytes, int]:
    assert isinstance(error, UnicodeEncodeError)
    return _fold_characters(error.object[error.start : error.end]), error.end


def _handle_keep_error(error: UnicodeError) -> tuple[bytes, int]:
    assert isinstance(error, UnicodeEncodeError)
    return _spell_in_ascii(error.object[error.start : error.end]), error.end


codecs.register_error("medharvest.fold", _handle_fold_error)
codecs.register_error("medharvest.keep", _handle_keep_error)


def to_natural_name(name: str) -> str:
    """Return a name as texts write it: `Enuresis, Nocturnal` as `Nocturnal Enuresis`, without remarks."""
    bare = " ".join(name.split())
    if len(bare) > _MAX_NAME_CHARACTERS:
        return bare
    while (shorter := _CATALOGUE_REMARK.sub("", bare)) != bare and shorter:
        bare = shorter
    parts = bare.split(", ")
    inverted = 1 < len(parts) <= _MAX_NAME_PARTS and not any(_is_catalogue_remark(part) for part in parts[1:])
    return " ".join(reversed(parts)) if inverted else bare


def _is_catalogue_remark(part: str) -> bool:
    found = part.casefold().split()
    return not found or found[0] in _NO_INVERSION or any(word.isdigit() for word in found)


def concept_name_key(name: str) -> str:
    """Return a key that is equal for names that differ only in case, accents, hyphens or a plural at the end."""
    *front, last = b" ".join(split_words(name)).decode().split(" ")
    return " ".join([*front, to_singular(last)])


def is_acronym(name: str) -> bool:
    """Whether a name is short and all in capitals: in another case it may be a different word."""
    return len(name) <= _MAX_ACRONYM_LETTERS and name.isupper() and not name.isdigit()


def to_singular(word: str) -> str:
    """Return the singular of a word that looks like a plural; any other word unchanged."""
    if len(word) < _MIN_PLURAL_LETTERS or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > _MIN_PLURAL_LETTERS:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "ruses", "tuses", "nuses")):
        return word[:-2]
    if word.endswith("itides"):
        return word[:-3] + "s"
    return word[:-2] + "is" if word.endswith(("oses", "yses", "eses", "cuses")) else word[:-1]


def to_plural(word: str) -> str:
    """Return the plural of a word that looks like a singular; any other word unchanged."""
    if len(word) < _MIN_PLURAL_LETTERS - 1 or not word.isalpha() or to_singular(word) != word:
        return word
    if word.endswith("is"):
        return word[:-1] + "des" if word.endswith("itis") else word[:-2] + "es"
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "z", "ch", "sh")) else "s")


def list_spellings(text: str) -> tuple[str, ...]:
    """Return spellings that a vocabulary may have for what a user typed, the likeliest first."""
    typed = " ".join(text.split())
    bare = to_natural_name(typed)
    *front, last = bare.split(" ")
    numbers = [" ".join([*front, form]) for form in (to_singular(last), to_plural(last))]
    joined = [bare.replace("-", " "), bare.replace(" ", "-"), bare.replace(" ", ""), bare.replace("-", "")]
    inner = [" ".join(map(to_singular, bare.replace("-", " ").split()))]
    return tuple(dict.fromkeys(filter(None, [typed, bare, *numbers, *joined, *inner])))
