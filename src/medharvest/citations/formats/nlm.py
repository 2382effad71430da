"""What MEDLINE and PubMed's two XML forms share: titles in brackets, sections, grants, publication types."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence

from medharvest.citations.abstracts import nlm_category
from medharvest.citations.formats.markup import cut_marked, escape, from_marked
from medharvest.records import Citation, Section

_GRANT = re.compile(
    r"(?P<grantor>[^,;(]{3,150}?)[,;]?\s*\(?\b(?:grants?|project|award|contract|agreement|no|nos|number)\b[\w\s.]{0,20}?:?\s*"
    r"(?P<id>[\w/.-]{0,20}[0-9][\w/.-]{0,20}?)\)?\.?"
)
_LABEL = re.compile(r"(?:^|(?<=[.?!)\]] ))([A-Z][A-Z0-9 ,/&()'’-]{2,80}): ")
# NLM's publication types that a page may name, with their identifiers.
PUBLICATION_TYPES = {
    "Address": "D019484",
    "Biography": "D019215",
    "Case Reports": "D002363",
    "Clinical Study": "D000068397",
    "Clinical Trial": "D016430",
    "Clinical Trial Protocol": "D000078325",
    "Clinical Trial, Phase I": "D017426",
    "Clinical Trial, Phase II": "D017427",
    "Clinical Trial, Phase III": "D017428",
    "Clinical Trial, Phase IV": "D017429",
    "Comment": "D016420",
    "Comparative Study": "D003160",
    "Congress": "D016423",
    "Consensus Development Conference": "D016446",
    "Controlled Clinical Trial": "D018848",
    "Dataset": "D064886",
    "Editorial": "D016421",
    "English Abstract": "D004740",
    "Evaluation Study": "D023362",
    "Guideline": "D016431",
    "Historical Article": "D016456",
    "Interview": "D017203",
    "Introductory Journal Article": "D054711",
    "Journal Article": "D016428",
    "Lecture": "D019531",
    "Letter": "D016422",
    "Meta-Analysis": "D017418",
    "Multicenter Study": "D016448",
    "News": "D016433",
    "Observational Study": "D064888",
    "Personal Narrative": "D062210",
    "Portrait": "D019477",
    "Practice Guideline": "D017065",
    "Pragmatic Clinical Trial": "D065007",
    "Preprint": "D000076942",
    "Published Erratum": "D016425",
    "Randomized Controlled Trial": "D016449",
    "Retracted Publication": "D016441",
    "Retraction of Publication": "D016440",
    "Review": "D016454",
    "Systematic Review": "D000078182",
    "Technical Report": "D016427",
    "Validation Study": "D023361",
    "Video-Audio Media": "D059040",
}


def with_stop(title: str, *, translated: bool) -> str:
    """A title as MEDLINE has it: a stop at its end unless it asks or exclaims, brackets around a translation."""
    if not title:
        return ""
    if translated:
        return f"[{title.removesuffix('.')}]."
    return title if title.endswith((".", "?", "!", "?</i>", "!</i>")) else f"{title}."


def without_stop(text: str, tagged: str = "") -> tuple[str, str]:
    """The title of what MEDLINE has, plain and tagged, without brackets and stop."""
    bare = tagged or text
    if bare.startswith("[") and bare.endswith(("].", "]")):
        bare = bare.removesuffix(".")[1:-1]
    elif bare.endswith(".") and not bare.endswith(".."):
        bare = bare[:-1]
    return from_marked(bare) if tagged else (bare, "")


@functools.lru_cache(maxsize=4096)
def category(label: str) -> str:
    """NLM's category of a label of an abstract: METHODS for "Patients and methods"."""
    return nlm_category(label)


def joined(sections: Iterable[Section]) -> str:
    """The text of an abstract with its labels, `AIM: … METHODS: …`."""
    return " ".join(f"{section.label}: {section.text}" if section.label else section.text for section in sections)


def tagged_sections(citation: Citation) -> list[tuple[Section, str]]:
    """The parts of an abstract, each with its text tagged; bare where the tagged abstract is not the parts' own."""
    sections = citation.sections
    if not citation.abstract_html or from_marked(citation.abstract_html)[0] != joined(sections):
        return [(section, "") for section in sections]
    spans, at = [], 0
    for section in sections:
        start = at + (len(section.label) + 2 if section.label else 0)
        at = start + len(section.text)
        spans.append((start, at))
        at += 1
    tagged = cut_marked(citation.abstract_html, spans) or [""] * len(sections)
    return list(zip(sections, tagged, strict=True))


def joined_tagged(parts: Sequence[tuple[str, str, str]]) -> tuple[str, str, tuple[Section, ...]]:
    """The abstract, the same with tags where it has any, and its sections, of label, text and tagged text of each."""
    sections = tuple(Section(label, text) for label, text, _ in parts)
    abstract = joined(sections)
    if not any(tagged for *_, tagged in parts):
        return abstract, "", sections
    whole = joined(Section(escape(label), tagged or escape(text)) for label, text, tagged in parts)
    return abstract, whole if from_marked(whole)[0] == abstract else "", sections


def cut_sections(text: str) -> tuple[Section, ...]:
    """The parts of an abstract that begins with a label in capitals; nothing for any other."""
    pieces = _LABEL.split(text)
    if len(pieces) == 1 or pieces[0]:
        return ()
    return tuple(Section(label, part.strip()) for label, part in zip(pieces[1::2], pieces[2::2], strict=True))


def grant(text: str) -> tuple[str, str]:
    """Grantor and number of a line of funding; empty where it names no number, for a sentence is no grantor."""
    found = _GRANT.fullmatch(text.strip()) if len(text) < 400 else None  # noqa: PLR2004  (a longer one is a story)
    return (found["grantor"].strip(), found["id"]) if found else ("", "")


def from_grant(grantor: str, number: str) -> str:
    """A line of funding of a grantor and a number."""
    return ", ".join(part for part in (grantor, f"grant {number}" if number else "") if part)
