"""Forms of a name on a generated page, and the same name for the truth."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from training.invented_records import Person


def print_name(person: Person, form: str) -> str:
    """A name as a page prints it."""
    return _NAME_FORMS[form](person).replace(" ,", ",").strip(" ,") if person.given else person.family


def true_name(person: Person, form: str) -> str:
    """A printed name for the truth: a family name that stands first is followed by a comma."""
    if not person.given:
        return person.family
    return _TRUE_NAME_FORMS.get(form, _NAME_FORMS[form])(person)


def initials_of(given: str, *, dots: bool) -> str:
    """The initials of given names: `J. K.` or `JK`."""
    letters = [part[0].upper() for part in re.split(r"[\s.\-]+", given) if part]
    return " ".join(f"{letter}." for letter in letters) if dots else "".join(letters)


_NAME_FORMS: Mapping[str, Callable[[Person], str]] = {
    "given_family": lambda person: f"{person.given} {person.family}",
    "initials_family": lambda person: f"{initials_of(person.given, dots=True)} {person.family}",
    "family_initials": lambda person: f"{person.family} {initials_of(person.given, dots=False)}",
    "family_comma_given": lambda person: f"{person.family}, {person.given}",
    "upper_family_given": lambda person: f"{person.family.upper()} {person.given}",
    "given_upper_family": lambda person: f"{person.given} {person.family.upper()}",
    "upper": lambda person: f"{person.given} {person.family}".upper(),
}
_TRUE_NAME_FORMS: Mapping[str, Callable[[Person], str]] = {
    "family_initials": lambda person: f"{person.family}, {initials_of(person.given, dots=False)}",
    "upper_family_given": lambda person: f"{person.family.upper()}, {person.given}",
}
