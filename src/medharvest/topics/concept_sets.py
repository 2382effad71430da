"""Build the concept set of a topic, its weighted terms, from a vocabulary; write it to a file and read it back."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType

from medharvest.errors import InputError
from medharvest.vocabularies.interface import Concept, Kin, Relation, Vocabulary
from medharvest.vocabularies.spelling import concept_name_key, is_acronym, to_natural_name

_MIN_NAME_LETTERS = 3  # of a name that the user did not type; shorter names are too ambiguous
_MAX_CONCEPT_NAMES = 1_000  # of the concept itself
_MAX_CONCEPT_FILE_BYTES = 5_000_000


class Category(StrEnum):
    """How close a term is to its topic, the closest first."""

    EXACT = "exact"
    SYNONYM = "synonym"
    PARTIAL = "partial"
    CONTEXT = "context"


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedTerm:
    """A term to look for and the reason; `concept` is the concept that it names."""

    text: str
    weight: float
    category: Category
    concept: str = ""
    why: str = ""

    @property
    def cased(self) -> bool:
        """Whether the term matches only in its own case: a short word in capitals, such as AIDS."""
        return is_acronym(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptSet:
    """The terms of a topic without duplicates, the heaviest first.

    `concept` is the concept that the topic was taken for, `""` if none was found; `others` have the same name.
    """

    topic: str
    terms: tuple[WeightedTerm, ...]
    concept: str = ""
    preferred: str = ""
    vocabulary: str = ""
    profile: str = ""
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExpansionProfile:
    """The weight of each category, and which relatives count: all, or only parents and siblings."""

    weights: Mapping[Category, float]
    all_kin: bool = False


_THESIS_WEIGHTS = MappingProxyType(
    {Category.EXACT: 15.0, Category.SYNONYM: 12.0, Category.PARTIAL: 8.0, Category.CONTEXT: 5.0}
)


_REQUIREMENTS_WEIGHTS = MappingProxyType(
    {Category.EXACT: 15.0, Category.SYNONYM: 12.0, Category.PARTIAL: 5.0, Category.CONTEXT: 3.0}
)


PROFILES: Mapping[str, ExpansionProfile] = MappingProxyType(
    {
        "default": ExpansionProfile(_THESIS_WEIGHTS, all_kin=True),
        "thesis": ExpansionProfile(_THESIS_WEIGHTS),
        "requirements": ExpansionProfile(_REQUIREMENTS_WEIGHTS),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TermLimits:
    """The limits that keep a concept set close to its topic."""

    partial: int = 100  # terms of this category
    context: int = 80  # terms of this category
    names: int = 8  # names of one relative
    below: int = 150  # concepts below a relative; one with more is too broad
    children: int = 60  # children of a parent; with more, its other children are left out


TERM_LIMITS = TermLimits()


_TermDraft = tuple[str, Category, str, str]  # text, category, concept, why


def build_concept_set(
    topic: str, vocabulary: Vocabulary, *, profile: str = "default", concept: str = "", limits: TermLimits = TERM_LIMITS
) -> ConceptSet:
    """Look up a topic and gather its terms; if the vocabulary does not know it, its own words are the only term.

    `concept` chooses the concept by identifier or by another name.
    """
    weights = _find_profile(profile).weights
    found = vocabulary.find(concept or topic)
    if concept and not found:
        raise InputError(f"no such concept: {concept}", name=concept, hint=f"not in vocabulary {vocabulary.name}")
    drafts = itertools.chain(
        _draft_topic_words(topic, found[:1]),
        *(
            _draft_concept_names(best, vocabulary, all_kin=_find_profile(profile).all_kin, limits=limits)
            for best in found[:1]
        ),
    )
    terms = [
        WeightedTerm(text=text, weight=weights[category], category=category, concept=source, why=why)
        for text, category, source, why in _drop_repeated_terms(drafts, limits)
    ]
    return ConceptSet(
        topic=topic,
        terms=tuple(terms),
        concept=found[0].id if found else "",
        preferred=found[0].preferred if found else "",
        vocabulary=vocabulary.version(),
        profile=profile,
        others=tuple(f"{other.id} {other.preferred}" for other in found[1:]),
    )


def _find_profile(name: str) -> ExpansionProfile:
    if name not in PROFILES:
        raise InputError(f"no such profile: {name}", name=name, hint=f"one of {', '.join(PROFILES)}")
    return PROFILES[name]


def _draft_topic_words(topic: str, found: Iterable[Concept]) -> Iterator[_TermDraft]:
    """Yield the user's words in the spelling of the vocabulary, since capitals show acronyms.

    For an identifier it is the preferred name, since no text contains identifiers.
    """
    words = " ".join(topic.split())
    for concept in found:
        if words.casefold() == concept.id.casefold():
            words = to_natural_name(concept.preferred)
        for name in (concept.preferred, *concept.names):
            if concept_name_key(to_natural_name(name)) == concept_name_key(to_natural_name(words)):
                yield to_natural_name(name), Category.EXACT, concept.id, "the topic"
    yield words, Category.EXACT, "", "the topic"


def _draft_concept_names(
    concept: Concept, vocabulary: Vocabulary, *, all_kin: bool, limits: TermLimits
) -> Iterator[_TermDraft]:
    for name in (concept.preferred, *concept.names):
        yield to_natural_name(name), Category.SYNONYM, concept.id, f"name of {concept.preferred}"
    parents = [one for one in vocabulary.relations(concept.id, {Kin.BROADER}) if not _is_too_broad(one.concept, limits)]
    yield from _draft_relatives(parents, Category.PARTIAL, f"above {concept.preferred}", limits)
    if all_kin:
        yield from _draft_relatives(
            _find_partial_relatives(concept, vocabulary), Category.PARTIAL, f"below {concept.preferred}", limits
        )
    beside = [(parent, list(vocabulary.relations(parent.concept.id, {Kin.NARROWER}))) for parent in parents]
    for parent, siblings in beside:
        if len(siblings) <= limits.children:
            yield from _draft_relatives(siblings, Category.CONTEXT, f"sibling below {parent.concept.preferred}", limits)
    if all_kin:
        yield from _draft_relatives(
            _find_context_relatives(concept, vocabulary), Category.CONTEXT, f"near {concept.preferred}", limits
        )


def _find_partial_relatives(concept: Concept, vocabulary: Vocabulary) -> Iterator[Relation]:
    yield from vocabulary.relations(concept.id, {Kin.NARROWER}, 2)
    yield from vocabulary.relations(concept.id, {Kin.RELATED})


def _find_context_relatives(concept: Concept, vocabulary: Vocabulary) -> Iterator[Relation]:
    yield from (one for one in vocabulary.relations(concept.id, {Kin.BROADER}, 2) if one.depth > 1)
    yield from vocabulary.relations(concept.id, {Kin.CONTEXT})


def _draft_relatives(
    found: Iterable[Relation], category: Category, why: str, limits: TermLimits
) -> Iterator[_TermDraft]:
    for one in found:
        if not _is_too_broad(one.concept, limits):
            names = (one.concept.preferred, *one.concept.names)[: limits.names]
            yield from ((to_natural_name(name), category, one.concept.id, why) for name in names)


def _is_too_broad(concept: Concept, limits: TermLimits) -> bool:
    return (concept.below or 0) > limits.below


def _drop_repeated_terms(drafts: Iterable[_TermDraft], limits: TermLimits) -> Iterator[_TermDraft]:
    """Yield each name once, in its heaviest category, up to the limit of each category."""
    seen: set[str] = set()
    left = dict.fromkeys(Category, _MAX_CONCEPT_NAMES) | {
        Category.PARTIAL: limits.partial,
        Category.CONTEXT: limits.context,
    }
    order = list(Category)
    for draft in sorted(drafts, key=lambda draft: order.index(draft[1])):
        text, category, *_ = draft
        found = concept_name_key(text)
        if (
            not found
            or found in seen
            or not left[category]
            or (len(text) < _MIN_NAME_LETTERS and category is not Category.EXACT)
        ):
            continue
        seen.add(found)
        left[category] -= 1
        yield draft


def concept_lines(concepts: ConceptSet) -> list[str]:
    """Return a concept set as lines that people can edit and `read_concepts` reads back."""
    head = [
        f"# topic: {concepts.topic}",
        f"# concept: {concepts.concept} {concepts.preferred}".rstrip(),
        f"# vocabulary: {concepts.vocabulary}; profile: {concepts.profile}",
        "# category\tweight\tterm\twhy\tconcept",
    ]
    return head + [
        f"{term.category}\t{term.weight:g}\t{term.text}\t{term.why}\t{term.concept}".rstrip() for term in concepts.terms
    ]


def load_concepts(path: Path) -> ConceptSet:
    """Read a concept set from a file in the format of `medharvest concepts`."""
    try:
        with path.open("rb") as file:
            return read_concepts(file.read(_MAX_CONCEPT_FILE_BYTES).decode(), name=str(path))
    except OSError as error:
        raise InputError(f"cannot be read: {path}", name=str(path), hint=error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise InputError(f"not a concept set: {path}", name=str(path), hint="the file is not UTF-8 text") from error


def read_concepts(text: str, *, name: str) -> ConceptSet:
    """Read tab-separated lines of category, weight, term, why and concept; the last two may be missing."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    heads = dict(line[1:].strip().partition(": ")[::2] for _, line in lines if line.startswith("#"))
    terms = tuple(_parse_term_line(line, number, name) for number, line in lines if not line.startswith("#"))
    if not terms:
        raise InputError(f"no terms in {name}", name=name, hint="`medharvest concepts NAME` prints such a file")
    concept, _, preferred = heads.get("concept", "").partition(" ")
    topic = heads.get("topic") or terms[0].text
    return ConceptSet(topic=topic, terms=terms, concept=concept, preferred=preferred, profile="file")


def _parse_term_line(line: str, number: int, name: str) -> WeightedTerm:
    try:
        category, weight, text, *more = line.split("\t")
        why, concept = (*map(str.strip, more), "", "")[:2]
        term = WeightedTerm(
            text=text.strip(), weight=float(weight), category=Category(category.strip()), why=why, concept=concept
        )
    except ValueError as error:
        raise _make_term_line_error(name, number) from error
    if not term.text or not 0 < term.weight < float("inf"):
        raise _make_term_line_error(name, number)
    return term


def _make_term_line_error(name: str, number: int) -> InputError:
    kinds = ", ".join(Category)
    return InputError(
        f"line {number} of {name} is not a valid term",
        name=name,
        hint=f"write category ({kinds}), weight above 0 and term, tab-separated",
    )
