"""A topic as a concept set: its terms, how much each weighs and why it is there."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from medharvest.errors import InputError
from medharvest.topics.names import is_acronym


class Category(StrEnum):
    """How near a term is to its topic, the nearest first."""

    EXACT = "exact"
    SYNONYM = "synonym"
    PARTIAL = "partial"
    CONTEXT = "context"


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedTerm:
    """A term to look for, and why; `concept` is whose name it is."""

    text: str
    weight: float
    category: Category
    concept: str = ""
    why: str = ""

    @property
    def cased(self) -> bool:
        """Whether it counts only as it is written: a short word in capitals, such as AIDS."""
        return is_acronym(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptSet:
    """The terms of a topic, no text twice, the weightiest first.

    `concept` is what its name was taken for, `""` for its words alone; `others` are further concepts of that name.
    """

    topic: str
    terms: tuple[WeightedTerm, ...]
    concept: str = ""
    preferred: str = ""
    vocabulary: str = ""
    profile: str = ""
    others: tuple[str, ...] = ()


def concept_lines(concepts: ConceptSet) -> list[str]:
    """The set as lines that people can edit and `read_concepts` takes back."""
    head = [
        f"# topic: {concepts.topic}",
        f"# concept: {concepts.concept} {concepts.preferred}".rstrip(),
        f"# vocabulary: {concepts.vocabulary}; profile: {concepts.profile}",
        "# category\tweight\tterm\twhy\tconcept",
    ]
    return head + [
        f"{term.category}\t{term.weight:g}\t{term.text}\t{term.why}\t{term.concept}".rstrip() for term in concepts.terms
    ]


def read_concepts(text: str, *, name: str) -> ConceptSet:
    """Read a set from lines of category, weight, term, why and concept, parted by tabs; the last two may be missing."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    heads = dict(line[1:].strip().partition(": ")[::2] for _, line in lines if line.startswith("#"))
    terms = tuple(_read_term(line, number, name) for number, line in lines if not line.startswith("#"))
    if not terms:
        raise InputError(f"no term in {name}", name=name, hint="`medharvest concepts NAME` prints such a file")
    concept, _, preferred = heads.get("concept", "").partition(" ")
    topic = heads.get("topic") or terms[0].text
    return ConceptSet(topic=topic, terms=terms, concept=concept, preferred=preferred, profile="file")


def _read_term(line: str, number: int, name: str) -> WeightedTerm:
    try:
        category, weight, text, *more = line.split("\t")
        why, concept = (*map(str.strip, more), "", "")[:2]
        term = WeightedTerm(
            text=text.strip(), weight=float(weight), category=Category(category.strip()), why=why, concept=concept
        )
    except ValueError as error:
        raise _wrong_line(name, number) from error
    if not term.text or not 0 < term.weight < float("inf"):
        raise _wrong_line(name, number)
    return term


def _wrong_line(name: str, number: int) -> InputError:
    kinds = ", ".join(Category)
    return InputError(
        f"line {number} of {name} is no term", name=name, hint=f"category ({kinds}), weight above 0, term; tabs between"
    )
