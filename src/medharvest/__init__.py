"""From a journal issue, or a medical topic, to validated citation records with evidence for every field.

The names below are the public interface. They load on first use, so `import medharvest` itself is light.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from medharvest.citations import build_citation, merge
    from medharvest.codec import from_json, to_json
    from medharvest.crawl import IssuePlan
    from medharvest.errors import (
        ConflictError,
        FetchError,
        FormatError,
        InputError,
        MedharvestError,
        OutputError,
        QualityError,
        SettingsError,
        StoreError,
    )
    from medharvest.fetch import HttpFetcher, ReplayFetcher
    from medharvest.formats import FORMATS, check_citation, detect_format, find_format, report
    from medharvest.harvest.issue_run import harvest_issue
    from medharvest.journals.article_reader import read_bytes, read_page
    from medharvest.library.export import write_citations
    from medharvest.links import judge_links, scan_links
    from medharvest.pages import classify, embedded, parse_page
    from medharvest.records import Author, Citation, Evidence, Kind, Link, Page, Verdict, Zone
    from medharvest.settings import Settings, load_settings
    from medharvest.store import Store, open_store
    from medharvest.topics import ConceptSet, build_concept_set, find_concepts, matcher
    from medharvest.vocabularies import embedded_vocabulary
    from medharvest.zones import label_zones, segment

__version__ = "0.1.0"

_HOMES = {
    "citations": ("build_citation", "merge"),
    "codec": ("from_json", "to_json"),
    "crawl": ("IssuePlan",),
    "errors": (
        "ConflictError",
        "FetchError",
        "FormatError",
        "InputError",
        "MedharvestError",
        "OutputError",
        "QualityError",
        "SettingsError",
        "StoreError",
    ),
    "fetch": ("HttpFetcher", "ReplayFetcher"),
    "formats": ("FORMATS", "check_citation", "detect_format", "find_format", "report"),
    "harvest.issue_run": ("harvest_issue",),
    "journals.article_reader": ("read_bytes", "read_page"),
    "library.export": ("write_citations",),
    "links": ("judge_links", "scan_links"),
    "pages": ("classify", "embedded", "parse_page"),
    "records": ("Author", "Citation", "Evidence", "Kind", "Link", "Page", "Verdict", "Zone"),
    "settings": ("Settings", "load_settings"),
    "store": ("Store", "open_store"),
    "topics": ("ConceptSet", "build_concept_set", "find_concepts", "matcher"),
    "vocabularies": ("embedded_vocabulary",),
    "zones": ("label_zones", "segment"),
}
_MODULES = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "FORMATS",
    "Author",
    "Citation",
    "ConceptSet",
    "ConflictError",
    "Evidence",
    "FetchError",
    "FormatError",
    "HttpFetcher",
    "InputError",
    "IssuePlan",
    "Kind",
    "Link",
    "MedharvestError",
    "OutputError",
    "Page",
    "QualityError",
    "ReplayFetcher",
    "Settings",
    "SettingsError",
    "Store",
    "StoreError",
    "Verdict",
    "Zone",
    "__version__",
    "build_citation",
    "build_concept_set",
    "check_citation",
    "classify",
    "detect_format",
    "embedded",
    "embedded_vocabulary",
    "find_concepts",
    "find_format",
    "from_json",
    "harvest_issue",
    "judge_links",
    "label_zones",
    "load_settings",
    "matcher",
    "merge",
    "open_store",
    "parse_page",
    "read_bytes",
    "read_page",
    "report",
    "scan_links",
    "segment",
    "to_json",
    "write_citations",
]


def __getattr__(name: str) -> Any:
    """Load a public name from its module on first use."""
    if name not in _MODULES:
        raise AttributeError(f"module 'medharvest' has no attribute {name!r}")
    return getattr(importlib.import_module(f"medharvest.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    """List the public names."""
    return list(__all__)
