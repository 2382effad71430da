"""Small records that the tests deliver."""

from __future__ import annotations

from dataclasses import replace

from medharvest.deliver.parcels import DeliveryTarget, Parcel, payload_digest
from medharvest.formats import find_format
from medharvest.records import Author, Citation, Evidence, OtherAbstract, Section

ONE = Citation(
    url="https://tides.example/12/3/1",
    title="Tides and gout <b>",
    authors=(Author(family="Marsh", given="Ada", suffix="Jr"), Author(collective="Shore Group"), Author(family="Oke")),
    abstract="Aim: to know & tell.",
    sections=(Section("Aim", "to know & tell."),),
    other_abstracts=(OtherAbstract("plain", "en", "It is about tides."),),
    journal="Journal of Tides",
    abbreviation="J Tides",
    publisher="Harbour Press",
    issn=("2049-3630",),
    volume="12",
    issue="3",
    first_page="45",
    last_page="50",
    date="2024-02-09",
    doi="10.9999/tides.1",
    pii="S1-22",
    language="en",
    keywords=("gout", "tides"),
    evidence=(
        Evidence(
            field="abstract",
            page="p",
            source="zone",
            path="/",
            start=0,
            end=3,
            text="Aim: to know & tell.",
            method="m",
            score=1.0,
        ),
    ),
)
TWO = replace(ONE, url="https://tides.example/12/3/2", title="Moons and sleep", doi="10.9999/tides.2", pii="S1-23")
THREE = replace(ONE, title="Sand", volume="13", issue="1", doi="10.9999/tides.3", pii="S1-24", date="2025")
RECORDS = (ONE, TWO, THREE)


def parcel(number: int, citation: Citation, target: DeliveryTarget | None = None, **known: object) -> Parcel:
    """A parcel for a target, or one of publisher XML."""
    text = target.encode(number, citation) if target else "".join(find_format("pubmed").write([citation])).encode()
    return Parcel(article=number, citation=citation, body=text, digest=payload_digest(text), **known)  # type: ignore[arg-type]
