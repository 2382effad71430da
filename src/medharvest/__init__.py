"""From a journal issue, or a medical topic, to validated citation records with evidence for every field.

The names below are the public interface. They load on first use, so `import medharvest` itself is light.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from medharvest.citations import FORMATS, build_citation, check_citation, detect_format, find_format, merge, report
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
    from medharvest.links import judge_links, scan_links
    from medharvest.pages import classify, embedded, parse_page
    from medharvest.records import Author, Citation, Evidence, Kind, Link, Page, Verdict, Zone, from_json, to_json
    from medharvest.run.export import write_citations
    from medharvest.run.harvest import harvest_issue
    from medharvest.run.read import read_bytes, read_page
    from medharvest.settings import Settings, load_settings
    from medharvest.store import Store, open_store
    from medharvest.topics import ConceptSet, build_concept_set, embedded_vocabulary, find_concepts, matcher
    from medharvest.zones import label_zones, segment

__version__ = "0.1.0"

_HOMES = {
    "citations": ("FORMATS", "build_citation", "check_citation", "detect_format", "find_format", "merge", "report"),
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
    "links": ("judge_links", "scan_links"),
    "pages": ("classify", "embedded", "parse_page"),
    "records": (
        "Author",
        "Citation",
        "Evidence",
        "Kind",
        "Link",
        "Page",
        "Verdict",
        "Zone",
        "from_json",
        "to_json",
    ),
    "run.export": ("write_citations",),
    "run.harvest": ("harvest_issue",),
    "run.read": ("read_bytes", "read_page"),
    "settings": ("Settings", "load_settings"),
    "store": ("Store", "open_store"),
    "topics": ("ConceptSet", "build_concept_set", "embedded_vocabulary", "find_concepts", "matcher"),
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
    """Load a public name from the package that gives it."""
    if name not in _MODULES:
        raise AttributeError(f"module 'medharvest' has no attribute {name!r}")
    return getattr(importlib.import_module(f"medharvest.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    """The public names."""
    return list(__all__)
