"""What does not belong into an abstract taken off, and NLM's categories for the labels of its parts."""

from __future__ import annotations

import re
from typing import NamedTuple

# The word for an abstract in the languages journals print it in, at the very beginning.
_HEADING = re.compile(
    r"\s*(?i:abstract|summary|r[eé]sum[eé]n?|zusammenfassung|kurzfassung|riassunto|sommario|resumo|samenvatting|"
    r"sammanfattning|streszczenie|аннотация|摘要|要旨|초록)"
    # "Summary statistics were …" is a sentence: a mark, a line's end or a capital parts a heading from the text.
    r"(?:\s*[:.—–|-]+\s*|\s*\n\s*|\s+(?=[A-ZÀ-ÝА-Я]))(?=\S)"
)
_COPYRIGHT = re.compile(
    r"(?:^|(?<=[.!?)\]])\s+|\n\s*)(?P<line>(?:copyright\b|©|\(c\)\s*(?:copyright\s*)?(?=[0-9]{4})|℗|"
    r"this is an open[- ]access article\b|all rights reserved\b)[^\n]{0,600})\s*$",
    re.IGNORECASE,
)
_NOTE = re.compile(
    r"\s*(?:\n|(?<=[.!?)])\s+)(?:(?:e-?mail|correspond\w*(?: author)?|contact)\b\s*:?[^\n]{0,200}?)?"
    r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}\.?\s*$",
    re.IGNORECASE,
)
_MARKS = "*†‡§¶‖"
_LONGEST_TAIL = 900  # characters at the end in which a copyright line or an address may stand


class CleanAbstract(NamedTuple):
    """An abstract, and the copyright line that stood in it."""

    text: str
    copyright: str = ""


def clean_abstract(text: str) -> CleanAbstract:
    """The abstract without its heading, copyright line, e-mail address and footnote marks."""
    text = text.strip().strip(_MARKS).strip()
    text = text[found.end() :] if (found := _HEADING.match(text)) else text
    head, tail = text[:-_LONGEST_TAIL], text[-_LONGEST_TAIL:]
    tail = _NOTE.sub("", tail)
    found = _COPYRIGHT.search(tail)
    # An abstract about copyright may end with a sentence of it: the line is what is left of a page, with its sign.
    line = found["line"].strip() if found and (head or found.start()) else ""
    if found and line:
        tail = tail[: found.start()]
    return CleanAbstract((head + tail).strip().rstrip(_MARKS).strip(), line)


CATEGORIES = ("BACKGROUND", "OBJECTIVE", "METHODS", "RESULTS", "CONCLUSIONS", "UNASSIGNED")
# Words of a label -> category, the first that fits; "patients and methods" is METHODS whatever else it names.
_CATEGORY_WORDS = (
    ("UNASSIGNED", "registration registered funding keywords copyright abbreviations"),
    (
        "CONCLUSIONS",
        """conclusion conclusions interpretation discussion implication implications significance relevance
        recommendation recommendations comment comments summary message messages impact limitations""",
    ),
    (
        "METHODS",
        """method methods methodology design setting settings participants participant patients patient subjects
        subject interventions intervention materials material procedure procedures sample samples population measures
        measurements measurement measure analysis approach data sources source selection extraction synthesis
        eligibility techniques technique experimental study protocol exposure exposures outcomes outcome""",
    ),
    ("RESULTS", "result results finding findings observation observations report case cases"),
    (
        "OBJECTIVE",
        "objective objectives aim aims purpose purposes goal goals hypothesis hypotheses question questions scope",
    ),
    ("BACKGROUND", "background introduction context rationale problem importance motivation overview state"),
)
_CATEGORIES = {word: category for category, words in _CATEGORY_WORDS for word in words.split()}
_ORDER = tuple(category for category, _ in _CATEGORY_WORDS)
# Labels whose words taken one by one would mislead.
_WHOLE = {
    "main results": "RESULTS",
    "case report": "RESULTS",
    "outcome": "RESULTS",
    "outcomes": "RESULTS",
    "what is known": "BACKGROUND",
    "what is already known": "BACKGROUND",
    "summary background data": "BACKGROUND",
    "study objective": "OBJECTIVE",
    "study objectives": "OBJECTIVE",
    "purpose of review": "OBJECTIVE",
    "purpose of the study": "OBJECTIVE",
    "background and aims": "BACKGROUND",
    "background and purpose": "BACKGROUND",
    "background and objectives": "BACKGROUND",
    "results and conclusions": "RESULTS",
    "results and discussion": "RESULTS",
    "recent findings": "RESULTS",
    "main outcome measures": "METHODS",
    "main outcomes and measures": "METHODS",
}


def nlm_category(label: str) -> str:
    """NLM's category of a label of a structured abstract; UNASSIGNED where its words say nothing."""
    words = re.findall(r"[^\W\d_]+", label.lower())
    whole = _WHOLE.get(" ".join(words))
    known = {_CATEGORIES[word] for word in words if word in _CATEGORIES}
    return whole or next((category for category in _ORDER if category in known), "UNASSIGNED")
