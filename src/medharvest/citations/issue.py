"""What a contents page tells about all its articles: journal, ISSN, volume, issue, date."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from medharvest.citations.build import build_citation
from medharvest.citations.merge import WEAKER
from medharvest.fields import ISSUE_FIELDS
from medharvest.records import Citation, Kind, LabelledZone, MetaItem, Page


def read_issue(page: Page, *, items: Sequence[MetaItem], zones: Sequence[LabelledZone]) -> Citation:
    """The fields that a contents page shares with its articles."""
    read = build_citation(page, kind=Kind.ISSUE, items=items, zones=zones)
    return Citation(
        url=page.url,
        kind=Kind.ISSUE,
        **{name: getattr(read, name) for name in ISSUE_FIELDS},
        evidence=tuple(
            replace(proof, method="contents-page", score=proof.score * WEAKER)
            for proof in read.evidence
            if proof.field in ISSUE_FIELDS
        ),
    )
