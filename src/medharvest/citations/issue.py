"""What a contents page tells about all its articles: journal, ISSN, volume, issue, date."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from medharvest.citations import embedded
from medharvest.citations.build import build_citation
from medharvest.citations.merge import ISSUE_FIELDS
from medharvest.records import Citation, Kind, LabelledZone, MetaItem, Page

_WEAKER = 0.7  # what the contents page says of an article counts less than what its own page says


def read_issue(page: Page, *, items: Sequence[MetaItem], zones: Sequence[LabelledZone]) -> Citation:
    """The fields that a contents page shares with its articles."""
    whole = build_citation(page, kind=Kind.ISSUE, items=items, zones=zones)
    issns = whole.issn or next((found for zone in zones if (found := _printed_issns(zone))), ())
    return Citation(
        url=page.url,
        kind=Kind.ISSUE,
        **{**{name: getattr(whole, name) for name in ISSUE_FIELDS}, "issn": issns},
        evidence=tuple(
            replace(proof, method="contents-page", score=proof.score * _WEAKER)
            for proof in whole.evidence
            if proof.field in ISSUE_FIELDS
        ),
    )


def _printed_issns(zone: LabelledZone) -> tuple[str, ...]:
    return embedded.find_issns(zone.zone.text) if "issn" in zone.zone.text.lower() else ()
