"""Records beside what services know of their DOIs: gaps filled, the rest further evidence and alternatives."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from io import BytesIO
from urllib.parse import quote

from medharvest.citations import find_format, reformat
from medharvest.citations.answers import READERS, read_answer, read_pmid
from medharvest.citations.difference import Difference, Origin, absorb, differences
from medharvest.citations.identifiers import parse_doi
from medharvest.errors import MedharvestError, SettingsError
from medharvest.fetch import Fetcher
from medharvest.records import Citation, Miss, Response
from medharvest.settings import Enrich
from medharvest.store import Store

SERVICES = (*READERS, "pubmed")
_BELIEVED = 0.75  # score of what a service says: it has it from the publisher, as a rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a service said of a record: what it says otherwise, or why nothing came."""

    citation: Citation
    service: str
    differences: tuple[Difference, ...] = ()
    missing: str = ""


def checked_services(names: str) -> tuple[str, ...]:
    """The services of a list such as `crossref,pubmed`."""
    wanted = tuple(dict.fromkeys(names.replace(",", " ").split()))
    unknown = [name for name in wanted if name not in SERVICES]
    if unknown:
        hint = f"the services are {', '.join(SERVICES)}"
        raise SettingsError(f"no such service: {unknown[0]}", setting="enrich", hint=hint)
    return wanted


async def enrich(
    records: Iterable[tuple[int, Citation]],
    services: Sequence[str],
    *,
    fetcher: Fetcher,
    settings: Enrich,
    store: Store | None,
) -> AsyncIterator[Asked]:
    """Ask the services about each record that has a DOI, and keep in the store what they add; None keeps nothing."""
    for number, citation in records:
        doi = parse_doi(citation.doi)
        fuller = citation
        for service in services if doi else ():
            answer = await _ask(service, doi, fetcher, settings)
            if isinstance(answer, str):
                yield Asked(citation=citation, service=service, missing=answer)
                continue
            url, found = answer
            yield Asked(citation=citation, service=service, differences=differences(citation, found))
            fuller = absorb(fuller, found, Origin(service, url, _BELIEVED))
        if store is not None and fuller != citation:
            store.write([(number, fuller)], who=f"enrich {' '.join(services)}", bases={number: citation})


async def _ask(service: str, doi: str, fetcher: Fetcher, settings: Enrich) -> tuple[str, Citation] | str:
    """The address and the record of a service's answer, or why there is none."""
    url = getattr(settings, service).replace("{doi}", quote(doi, safe=""))
    answer = await fetcher(url)
    if service == "pubmed" and isinstance(answer, Response):
        pmid = read_pmid(answer.body)
        if not pmid:
            return "nothing known"
        url = settings.pubmed_record.replace("{pmid}", pmid)
        answer = await fetcher(url)
    if isinstance(answer, Miss):
        return f"{answer.reason.value}: {answer.detail}".removesuffix(": ")
    found = _read_pubmed(answer.body) if service == "pubmed" else read_answer(service, answer.body)
    if found is None:
        return "nothing known"
    if parse_doi(found.doi) != doi:
        return f"the answer is about another DOI: {found.doi or 'none'}"
    return url, found


def _read_pubmed(body: bytes) -> Citation | None:
    """The one record of PubMed's XML."""
    read = find_format("pubmedset").read
    assert read is not None
    try:
        records = list(read(BytesIO(body)))
    except MedharvestError:
        return None
    return reformat(records[0]) if len(records) == 1 else None
