"""Loader reports read back: PMIDs into the store's records, refusals beside the deliveries they are of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from medharvest.deliver.loader_report import Loaded, read_report
from medharvest.deliver.parcels import Receipt, State
from medharvest.records import Citation
from medharvest.run.deliver import Told
from medharvest.store import Delivered, Span, Store

_MOST = 100_000  # records of one target that reports may be about, the oldest first
_SHORTEST = 4  # characters of an identifier that no chance word is


def take_reports(store: Store, target: str, reports: Iterable[tuple[str, bytes]]) -> Iterator[Told]:
    """Read reports on what was sent to a target; each record that one of them speaks of comes out once."""
    sent = {one.article: one for one in store.deliveries.listed(target, Span(), limit=_MOST)}
    citations = {number: store.citation(number) for number in sent}
    known = _identifiers(citations)
    done: set[int] = set()
    for name, body in reports:
        for loaded in read_report(body.decode("utf-8", "replace"), known):
            if loaded.article not in done:
                done.add(loaded.article)
                yield _take(store, target, loaded, sent[loaded.article], citations[loaded.article], name)


def _identifiers(citations: dict[int, Citation]) -> dict[str, int]:
    """DOIs and PIIs by which reports name records; one that two records have names neither."""
    found: dict[str, int] = {}
    for number, citation in citations.items():
        for text in {citation.doi.lower(), citation.pii.lower()}:
            if len(text) >= _SHORTEST:
                found[text] = number if text not in found else 0
    return {text: number for text, number in found.items() if number}


def _take(store: Store, target: str, loaded: Loaded, sent: Delivered, citation: Citation, report: str) -> Told:
    if loaded.pmid and citation.pmid and citation.pmid != loaded.pmid:
        detail = f"{report} says PMID {loaded.pmid}, the record says {citation.pmid}"
        return _told(loaded.article, State.REFUSED, citation, detail)
    if loaded.pmid:
        if not citation.pmid:
            store.write([(loaded.article, replace(citation, pmid=loaded.pmid))], who=f"report of {target}")
        store.deliveries.keep(target, [replace(sent, remote_id=loaded.pmid, detail=report)])
        return _told(loaded.article, State.SENT, citation, report, loaded.pmid)
    store.deliveries.keep(target, [replace(sent, state=State.REFUSED, detail=loaded.refused)])
    return _told(loaded.article, State.REFUSED, citation, loaded.refused)


def _told(number: int, state: State, citation: Citation, detail: str, pmid: str = "") -> Told:
    return Told(receipt=Receipt(article=number, state=state, detail=detail, remote_id=pmid), citation=citation)
