"""The probability that a field was read correctly, from signs in its evidence and their fitted weights."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources

from medharvest.citations.byline import CUT_METHOD
from medharvest.citations.journal_lists import find_title_of_issn, is_built_in_name, journal_title_key
from medharvest.citations.nlm_style import is_abbreviation_of
from medharvest.records import Citation, Evidence, Kind

_SCORE_STEPS = (0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999)  # of the labeller's score, finer near the top
_COUNT_STEPS = (1, 2, 3, 5, 8, 15)  # items of a list
_ABSTRACT_LENGTH_STEPS = (300, 800, 1500, 2500)  # characters of an abstract
_MAX_LOGIT = 30.0  # beyond it the logistic curve is flat
_VISIBLE_SOURCES = frozenset({"zone", "microdata"})  # sources whose text a reader of the page sees
REPEATED = ", repeated"  # at the end of a method, if other lines say the same
_CODES = frozenset({"doi", "issn"})
_PAGE_NUMBERS = frozenset({"first_page", "last_page"})
_COMPARED_ISSNS = 2  # of print and online
_MAX_LOST_SCORE = 0.5  # alternatives above it come from another reading, not from the same page
_LONG_AFFILIATION_CHARS, _LONG_KEYWORD_CHARS = 250, 60  # a longer one is often two


@dataclass(frozen=True, slots=True)
class Calibration:
    """The weight of each sign, and the score from which a field is accepted without review, by calibration key.

    A field without weights keeps the scores of its evidence. A field without a threshold is never accepted without
    review, because too few pages support one. `pages` are the digests of the pages that the weights were fitted on.
    """

    weights: Mapping[str, Mapping[str, float]]
    thresholds: Mapping[str, float] = field(default_factory=dict)
    pages: frozenset[str] = frozenset()


PDF_KEY, PRINTED_KEY = "pdf:", "printed:"  # before the names of fields that are calibrated on their own
REPEATED_PDF_KEY = f"{PDF_KEY}repeated:"
UNCALIBRATED = Calibration({})


def calibrate_citation(citation: Citation, calibration: Calibration | None = None) -> Citation:
    """Replace the scores of the evidence by probabilities, with the shipped calibration or another."""
    known = calibration or shipped_calibration()
    chances = {
        name: (score, score >= known.thresholds.get(key, math.inf))
        for name, seen in evidence_signs(citation).items()
        if (key := calibration_key(citation, name)) in known.weights
        for score in [logistic_probability(known.weights[key], seen)]
    }
    refused = find_refused_fields(citation)
    chances |= {name: (score, False) for name, (score, _) in chances.items() if name in refused}
    evidence = tuple(
        replace(proof, score=chances[proof.field][0], accepted=chances[proof.field][1])
        if proof.field in chances
        else proof
        for proof in citation.evidence
    )
    return replace(citation, evidence=evidence)


def find_refused_fields(citation: Citation) -> set[str]:
    """Return the fields that are not accepted whatever their score is."""
    sources = _sources_by_field(citation)
    repeated = {proof.field for proof in citation.evidence if proof.method.endswith(REPEATED)}
    refused = {name for name, own in sources.items() if not _may_be_accepted(name, own) and name not in repeated}
    if any(author.family and not author.given for author in citation.authors):  # half a name, or none at all
        refused.add("authors")
    if any(proof.field == "authors" and proof.method == CUT_METHOD for proof in citation.evidence):
        refused.add("authors")
    # A name that neither print confirms nor a table of journals has may be that of the site or of a section.
    if len(sources.get("journal", ())) == 1 and "journal" not in repeated and not is_built_in_name(citation.journal):
        refused.add("journal")
    return refused


def _sources_by_field(citation: Citation) -> dict[str, set[str]]:
    """Return the sources of the evidence of each field."""
    sources: dict[str, set[str]] = {}
    for proof in citation.evidence:
        sources.setdefault(proof.field, set()).add(proof.source)
    return sources


def _may_be_accepted(name: str, sources: set[str]) -> bool:
    """Whether such sources are enough: page numbers need print and metadata, affiliations must be printed."""
    printed = "zone" in sources
    if name in _PAGE_NUMBERS:
        return printed and len(sources) > 1
    return printed or name != "affiliations"


@functools.cache
def shipped_calibration() -> Calibration:
    """Return the calibration that the package ships."""
    html, pdf = (_read_calibration_file(name) for name in ("calibration.json", "pdf_calibration.json"))
    return Calibration({**html.weights, **pdf.weights}, {**html.thresholds, **pdf.thresholds}, html.pages | pdf.pages)


def _read_calibration_file(name: str) -> Calibration:
    text = resources.files("medharvest.citations").joinpath("data").joinpath(name).read_text("utf-8")
    content = json.loads(text)
    return Calibration(content["weights"], content["thresholds"], frozenset(content["pages"]))


def accepted_fields(citation: Citation) -> tuple[str, ...]:
    """Return the fields that may be accepted without review; none that another reading disputes."""
    disputed = {other.field for other in citation.alternatives if other.score > _MAX_LOST_SCORE}
    fields = dict.fromkeys(proof.field for proof in citation.evidence if proof.accepted)
    return tuple(name for name in fields if name not in disputed)


def calibration_key(citation: Citation, name: str) -> str:
    """Return the name under which a field is calibrated; printed fields and fields of PDFs have their own."""
    if citation.kind is Kind.PDF:
        return (REPEATED_PDF_KEY if name in _confirmed_fields(citation) else PDF_KEY) + name
    shown = all(proof.source in _VISIBLE_SOURCES for proof in citation.evidence if proof.field == name)
    return PRINTED_KEY + name if shown else name


def _confirmed_fields(citation: Citation) -> set[str]:
    """Return the fields that a PDF prints more than once, and codes, whose form shows that they are read right."""
    return {proof.field for proof in citation.evidence if proof.method.endswith(REPEATED)} | _CODES


def logistic_probability(weights: Mapping[str, float], seen: Iterable[str]) -> float:
    """Return the logistic function of the sum of the signs' weights; a sign without a weight counts as 0."""
    total = sum(weights.get(sign, 0.0) for sign in seen)
    return round(1 / (1 + math.exp(-max(-_MAX_LOGIT, min(_MAX_LOGIT, total)))), 4)


def evidence_signs(citation: Citation) -> dict[str, tuple[str, ...]]:
    """Return the signs of each field: its sources, the labeller's scores, alternatives, the form of the value."""
    by_field: dict[str, list[Evidence]] = {}
    for proof in citation.evidence:
        by_field.setdefault(proof.field, []).append(proof)
    disputed = {other.field for other in citation.alternatives}
    return {
        name: (
            "any",
            f"disputed={name in disputed}",
            *_source_signs(proofs),
            *_FIELD_SIGNS.get(name, _no_signs)(citation),
        )
        for name, proofs in by_field.items()
    }


def _source_signs(proofs: Sequence[Evidence]) -> Iterator[str]:
    zones = [proof for proof in proofs if proof.source == "zone"]
    sources = sorted({proof.source for proof in proofs})
    yield f"first={proofs[0].source}"
    yield f"both={bool(zones) and len(sources) > 1}"
    yield f"sources={min(3, len(sources))}"
    if zones:
        yield from (f"method={method}" for method in sorted({proof.method for proof in zones}))
    surest, least = (bound(proof.score for proof in zones or proofs) for bound in (max, min))
    yield from (f"all>={step}" for step in _SCORE_STEPS if least >= step)
    yield from (f"one>={step}" for step in _SCORE_STEPS if surest >= step)


def _author_signs(citation: Citation) -> Iterator[str]:
    authors = citation.authors
    yield from (f"count>{count}" for count in _COUNT_STEPS if len(authors) > count)
    linked = sum(bool(author.affiliations) for author in authors)
    yield f"linked={'all' if linked == len(authors) else 'some' if linked else 'none'}"
    yield f"one-name={any(author.family and not author.given for author in authors)}"
    yield f"group={any(bool(author.collective) for author in authors)}"
    yield f"long={any(len(author.family.split()) > 2 for author in authors)}"  # noqa: PLR2004


def _affiliation_signs(citation: Citation) -> Iterator[str]:
    texts = citation.affiliations
    used = {number for author in citation.authors for number in author.affiliations}
    unlinked = sum(not author.affiliations for author in citation.authors)
    yield from (f"count>{count}" for count in _COUNT_STEPS if len(texts) > count)
    yield f"used={'all' if len(used) == len(texts) else 'some' if used else 'none'}"
    yield f"unlinked={'none' if not unlinked else 'some' if unlinked < len(citation.authors) else 'all'}"
    yield f"more={len(texts) > len(citation.authors)}"
    yield f"bare={any(',' not in text for text in texts)}"
    yield f"long={any(len(text) > _LONG_AFFILIATION_CHARS for text in texts)}"
    yield f"pieces={any(';' in text for text in texts)}"


def _abstract_signs(citation: Citation) -> Iterator[str]:
    text = citation.abstract
    yield from (f"length>{length}" for length in _ABSTRACT_LENGTH_STEPS if len(text) > length)
    yield f"ends={text.rstrip()[-1:] in {'.', '!', '?', ')', '。'}}"
    yield f"begins={text[:1].isupper() or text[:1].isdigit()}"
    yield f"sections={bool(citation.sections)}"


def _title_signs(citation: Citation) -> Iterator[str]:
    words = len(citation.title.split())
    yield from (f"words>{count}" for count in (1, 3, 6, 25) if words > count)
    yield f"sign={any(sign in citation.title for sign in '|»')}"


def _keyword_signs(citation: Citation) -> Iterator[str]:
    words = citation.keywords
    yield from (f"count>{count}" for count in _COUNT_STEPS if len(words) > count)
    yield f"long={any(len(word) > _LONG_KEYWORD_CHARS for word in words)}"
    yield f"pieces={any(sign in word for word in words for sign in ',;:')}"


def _journal_signs(citation: Citation) -> Iterator[str]:
    """Tell whether the name is that of a known journal, and whether an ISSN of the page is one of that journal."""
    titles = [title for issn in citation.issn[:_COMPARED_ISSNS] if (title := find_title_of_issn(issn))]
    agrees = any(
        journal_title_key(title) == journal_title_key(citation.journal) or is_abbreviation_of(citation.journal, title)
        for title in titles
    )
    yield f"known={is_built_in_name(citation.journal)}"
    yield f"issn-agrees={agrees if titles else 'unknown'}"
    yield from (f"words>{count}" for count in (1, 2, 5) if len(citation.journal.split()) > count)


def _date_signs(citation: Citation) -> Iterator[str]:
    yield f"parts={citation.date.count('-')}"
    yield f"history={bool(citation.dates)}"


def _no_signs(_citation: Citation) -> Iterator[str]:
    return iter(())


_FIELD_SIGNS: Mapping[str, Callable[[Citation], Iterator[str]]] = {
    "authors": _author_signs,
    "affiliations": _affiliation_signs,
    "abstract": _abstract_signs,
    "title": _title_signs,
    "keywords": _keyword_signs,
    "journal": _journal_signs,
    "date": _date_signs,
}
