"""Find and parse DOIs, ISSNs, ORCIDs and PMIDs: without prefixes, check digits verified.

`find_…` searches a text for an identifier; `parse_…` takes a text that is nothing else, and is empty for any other.
"""

from __future__ import annotations

import re

# A DOI may contain a SICI: "10.1892/0891-6640(2003)017<0680:DPFICK>2.3.CO;2".
_DOI_PATTERN = re.compile(r"\b10\.[0-9]{4,9}/(?:[^\s\"<>?#]|<[^\s\"<>?#/]{1,40}>(?=[0-9]\.[0-9])){1,300}")
# The first word of the next sentence, where the blank before it is lost: "10.1000/a.12.this version".
_NEXT_SENTENCE = re.compile(
    r"(?<=[0-9])\.(?:this|the|available|accepted|received|published|copyright|citation)$", re.IGNORECASE
)
_ESCAPED_ANGLES = {"%3c": "<", "%3e": ">", "&lt;": "<", "&gt;": ">"}
_ESCAPED_ANGLE = re.compile("|".join(_ESCAPED_ANGLES), re.IGNORECASE)
_DOI_RESOLVER_LEAD = re.compile(r"\s*(?:https?://(?:[\w-]+\.){0,3}doi\.org/|doi\s*:?\s*)?", re.IGNORECASE)
_ISSN_PATTERN = re.compile(r"[0-9]{4}-?[0-9]{3}[0-9Xx]")
_WHOLE_ISSN_PATTERN = re.compile(rf"\b{_ISSN_PATTERN.pattern}\b")
_PMID_PATTERN = re.compile(
    r"(?:\s*(?:pmid\s*:?|https?://pubmed\.ncbi\.nlm\.nih\.gov/))?\s*([1-9][0-9]{0,7})\s*/?\s*", re.IGNORECASE
)
_ORCID_PATTERN = re.compile(r"\b[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9Xx]\b")


def find_doi(text: str) -> str:
    """Return the first DOI in a text, without prefix; empty if there is none."""
    if "10." not in text:  # faster than the pattern
        return ""
    found = _DOI_PATTERN.search(_ESCAPED_ANGLE.sub(lambda escape: _ESCAPED_ANGLES[escape[0].lower()], text))
    if not found:
        return ""
    # A closing bracket belongs to the DOI only if it was opened in it: "10.1000/s0140(05)12".
    doi = _NEXT_SENTENCE.sub("", found.group().rstrip(".,;]"))
    while doi.endswith(")") and doi.count(")") > doi.count("("):
        doi = doi[:-1].rstrip(".,;]")
    return "" if doi.endswith("/") else doi


def parse_doi(text: str) -> str:
    """Return a text as a DOI: without prefix, in lower case for comparison; empty if it is not one."""
    lead = _DOI_RESOLVER_LEAD.match(text)
    rest = text[lead.end() if lead else 0 :]
    return find_doi(rest).lower() if rest.startswith("10.") else ""


def parse_issn(text: str) -> str:
    """Return the only ISSN in a text, with its hyphen; empty if there are several or the check digit is wrong."""
    found = find_issns(text)
    return found[0] if len(found) == 1 else ""


def parse_pmid(text: str) -> str:
    """Return a text as a PMID: one to eight digits without a leading zero; empty if it is not one."""
    found = _PMID_PATTERN.fullmatch(text[:100])
    return found.group(1) if found else ""


def find_issns(text: str) -> tuple[str, ...]:
    """Return every ISSN in a text with a correct check digit, with its hyphen."""
    found = (f"{raw[:4]}-{raw[-4:]}".upper() for raw in _WHOLE_ISSN_PATTERN.findall(text))
    return tuple(dict.fromkeys(issn for issn in found if _issn_checksum(issn) % 11 == 0))


def find_unchecked_issns(text: str) -> tuple[str, ...]:
    """Return everything in a text that has the form of an ISSN, unchanged."""
    return tuple(dict.fromkeys(_ISSN_PATTERN.findall(text)))


def find_orcid(text: str) -> str:
    """Return the first ORCID in a text with a correct check digit, without prefix."""
    found = (raw.upper() for raw in _ORCID_PATTERN.findall(text))
    return next((orcid for orcid in found if _orcid_check_digit(orcid) == orcid[-1]), "")


def _issn_checksum(issn: str) -> int:
    digits = [10 if character == "X" else int(character) for character in issn.replace("-", "")]
    return sum(digit * weight for digit, weight in zip(digits, range(8, 0, -1), strict=True))


def _orcid_check_digit(orcid: str) -> str:
    """Compute ISO 7064 mod 11-2 over the first fifteen digits."""
    total = 0
    for digit in orcid.replace("-", "")[:-1]:
        total = (total + int(digit)) * 2
    return "0123456789X"[(12 - total % 11) % 11]
