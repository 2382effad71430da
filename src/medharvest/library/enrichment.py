"""Complete records with what services such as Crossref know about their DOIs.

Gaps are filled; everything else becomes evidence and alternatives.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from io import BytesIO
from urllib.parse import quote

from medharvest.citations import normalise_citation
from medharvest.citations.identifiers import parse_doi
from medharvest.citations.record_differences import Difference, Origin, absorb_record, find_differences
from medharvest.citations.service_answers import ANSWER_READERS, read_esearch_pmid, read_service_answer
from medharvest.errors import MedharvestError, SettingsError
from medharvest.fetch import Fetcher
from medharvest.formats import find_format
from medharvest.records import Citation, Miss, Response
from medharvest.settings import Enrich
from medharvest.store import Store

ENRICH_SERVICES = (*ANSWER_READERS, "pubmed")
_SERVICE_CONFIDENCE = 0.75  # score of a service's value; it usually comes from the publisher


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceAnswer:
    """A service's answer about a record: the differences, or why nothing came."""

    citation: Citation
    service: str
    differences: tuple[Difference, ...] = ()
    missing: str = ""


async def enrich_records(
    records: Iterable[tuple[int, Citation]],
    services: Sequence[str],
    *,
    fetcher: Fetcher,
    settings: Enrich,
    store: Store | None,
) -> AsyncIterator[ServiceAnswer]:
    """Ask the services about each record with a DOI, and save what they add; nothing is saved if `store` is None."""
    for number, citation in records:
        doi = parse_doi(citation.doi)
        fuller = citation
        for service in services if doi else ():
            answer = await _ask_service(service, doi, fetcher, settings)
            if isinstance(answer, str):
                yield ServiceAnswer(citation=citation, service=service, missing=answer)
                continue
            url, found = answer
            yield ServiceAnswer(citation=citation, service=service, differences=find_differences(citation, found))
            fuller = absorb_record(fuller, found, Origin(service, url, _SERVICE_CONFIDENCE))
        if store is not None and fuller != citation:
            store.records.write([(number, fuller)], who=f"enrich {' '.join(services)}", bases={number: citation})


async def _ask_service(service: str, doi: str, fetcher: Fetcher, settings: Enrich) -> tuple[str, Citation] | str:
    """Return the address and the record of a service's answer, or why there is none."""
    url = getattr(settings, service).replace("{doi}", quote(doi, safe=""))
    answer = await fetcher(url)
    if service == "pubmed" and isinstance(answer, Response):
        pmid = read_esearch_pmid(answer.body)
        if not pmid:
            return "nothing known"
        url = settings.pubmed_record.replace("{pmid}", pmid)
        answer = await fetcher(url)
    if isinstance(answer, Miss):
        return f"{answer.reason.value}: {answer.detail}".removesuffix(": ")
    found = _read_pubmed_answer(answer.body) if service == "pubmed" else read_service_answer(service, answer.body)
    if found is None:
        return "nothing known"
    if parse_doi(found.doi) != doi:
        return f"the answer is about another DOI: {found.doi or 'none'}"
    return url, found


def _read_pubmed_answer(body: bytes) -> Citation | None:
    """Read the single record of a PubMed answer; None if there is not exactly one."""
    read = find_format("pubmedset").read
    assert read is not None
    try:
        records = list(read(BytesIO(body)))
    except MedharvestError:
        return None
    return normalise_citation(records[0]) if len(records) == 1 else None


def parse_services(names: str) -> tuple[str, ...]:
    """Parse a list of services such as `crossref,pubmed`."""
    wanted = tuple(dict.fromkeys(names.replace(",", " ").split()))
    unknown = [name for name in wanted if name not in ENRICH_SERVICES]
    if unknown:
        hint = f"the services are {', '.join(ENRICH_SERVICES)}"
        raise SettingsError(f"no such service: {unknown[0]}", setting="enrich", hint=hint)
    return wanted
