"""Every setting, typed, with its default and its sentence; defaults < file < environment < option."""

from __future__ import annotations

import difflib
import tomllib
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from medharvest.errors import SettingsError

VARIABLE_PREFIX = "MEDHARVEST_"
# Read elsewhere: where the settings file is, and which Python the launcher takes.
_OTHER_VARIABLES = frozenset({"MEDHARVEST_SETTINGS", "MEDHARVEST_PYTHON"})
# Passwords and keys of targets, read where one of them is opened and nowhere else.
SECRET_PREFIX = "MEDHARVEST_SECRET_"  # noqa: S105  (the name of a variable, no secret)


def declare_setting(default: Any, doc: str) -> Any:
    """Declare one setting: its default and the sentence its reference page shows."""
    return field(default=default, metadata={"doc": doc})


def declare_secret(default: str, doc: str) -> Any:
    """Declare a setting that may hold a password: no message and no `repr` shows its value."""
    return field(default=default, repr=False, metadata={"doc": doc, "secret": True})


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetch:
    """How pages are asked for."""

    contact: str = declare_setting("", "Address in the User-Agent where a webmaster can reach you, an e-mail or a page")
    delay: float = declare_setting(
        1.0, "Seconds between two requests to one host; a longer Crawl-delay of its robots.txt wins"
    )
    per_host: int = declare_setting(1, "Requests to one host at the same time, at least 1")
    rate: float = declare_setting(0.0, "Requests a second over all hosts together; 0 means no limit")
    backoff: float = declare_setting(
        2.0, "Seconds a host is left alone after it failed (429, 5xx, time-out); each further failure doubles them"
    )
    max_backoff: float = declare_setting(60.0, "Longest back-off after failures, in seconds")
    max_retry_after: float = declare_setting(
        300.0, "Longest Retry-After that is waited for, in seconds; a host that wants more is not asked again"
    )
    connect_timeout: float = declare_setting(15.0, "Seconds to wait for a connection")
    read_timeout: float = declare_setting(30.0, "Seconds to wait for the next bytes of an answer")
    total_timeout: float = declare_setting(120.0, "Seconds one page may take in all")
    max_bytes: int = declare_setting(50_000_000, "Largest page that is kept, in bytes, before and after decompression")
    max_redirects: int = declare_setting(10, "Redirects followed for one page")
    robots: bool = declare_setting(True, "Whether robots.txt is obeyed")  # noqa: FBT003  (the default of the setting)
    allow_private: bool = declare_setting(
        False,  # noqa: FBT003
        "Whether loopback, private and link-local addresses may be asked; off guards your own network",
    )
    proxy: str = declare_secret(
        "", "HTTP proxy that all requests go through, such as http://name:password@proxy.example:3128"
    )
    headers: str = declare_secret("", "Further request headers, one `Name: value` a line; not sent on to another host")
    scripts: bool = declare_setting(
        False,  # noqa: FBT003
        "Whether pages are shown in a browser first, so that what their scripts write is there; needs extra `browser`",
    )
    browser: str = declare_setting(
        "", "Program file of Chromium for pages made by scripts; empty means the installed one"
    )
    browser_timeout: float = declare_setting(30.0, "Seconds a page may take in the browser once it has arrived")


class Links(StrEnum):
    """Which links of a page a crawl follows."""

    ARTICLE = "article"
    CONSTRAINTS = "constraints"


@dataclass(frozen=True, slots=True, kw_only=True)
class Crawl:
    """How far a crawl goes."""

    links: Links = declare_setting(  # noqa: RUF009  (a field, like every setting)
        Links.ARTICLE, "Links followed: `article` ones only, or all that the `constraints` pass"
    )
    learn: bool = declare_setting(
        True,  # noqa: FBT003
        "Whether a run teaches the store which links are articles, for a journal that nobody taught",
    )
    journal: str = declare_setting("", "Journal whose taught links judge an issue; empty means found by host and ISSN")
    constraints: str = declare_setting(
        "", "Words that judge links: empty for ours, `paper` for the paper's, or a TOML file"
    )
    workers: int = declare_setting(4, "Pages asked for at a time; each host still has its own limit and delay")
    read: bool = declare_setting(True, "Whether the pages are read into citations at the end")  # noqa: FBT003
    max_pages: int = declare_setting(500, "Pages one issue may cost")
    max_depth: int = declare_setting(4, "Links between the issue page and the farthest page followed")
    max_url: int = declare_setting(2000, "Longest URL followed, in characters")
    max_bytes: int = declare_setting(
        5_000_000_000, "Bytes one issue may cost, all its pages together, after decompression"
    )
    max_seconds: float = declare_setting(
        21_600.0, "Seconds one issue may take, from the first request on; a run that is gone on with counts anew"
    )
    max_share: float = declare_setting(
        0.4,
        "Share of max_pages that addresses may take which differ in numbers or dates only, but 50 at least; it stops "
        "calendars, article pages are not counted; 1 means no such limit",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What may be read."""

    max_bytes: int = declare_setting(50_000_000, "Largest file that is read, in bytes")
    max_pdf_pages: int = declare_setting(40, "Pages of a PDF that are read, from the first")
    workers: int = declare_setting(0, "Processes that read the pages of a run or of several files; 0 means one a core")
    max_seconds: float = declare_setting(20.0, "Seconds a page may take in such a process; 0 means no limit")
    max_memory: int = declare_setting(
        2_000, "Megabytes of memory such a process may ask for, where the system can hold it to that; 0 means no limit"
    )
    resolver: str = declare_setting("https://doi.org/", "Address that a DOI is appended to, to get its page")


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """When two records are of one article; two different DOIs never are, whatever is set here."""

    rules: str = declare_setting(
        "pmid doi pii pages journal title",
        "Rules that are asked, in this order: pmid, doi, pii, pages, journal, title; leave out what shall not count",
    )
    title: float = declare_setting(92.0, "How alike two titles must be for the rule `title`, from 0 to 100")
    surnames: int = declare_setting(1, "Surnames that two records must share for the rule `title`")
    years: int = declare_setting(1, "Years that two records may lie apart for the rule `title`")


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrich:
    """Services that `enrich` asks about a DOI, `{doi}` or `{pmid}` in the address; none is asked unless it is named."""

    crossref: str = declare_setting("https://api.crossref.org/works/{doi}", "Address of Crossref's answer, JSON")
    openalex: str = declare_setting("https://api.openalex.org/works/doi:{doi}", "Address of OpenAlex's answer, JSON")
    doaj: str = declare_setting("https://doaj.org/api/search/articles/doi:{doi}", "Address of DOAJ's answer, JSON")
    pubmed: str = declare_setting(
        "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/esearch.fcgi?db=pubmed&retmode=json&term=%22{doi}%22%5Bdoi%5D",
        "Address of PubMed's search for a DOI, JSON",
    )
    pubmed_record: str = declare_setting(
        "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/efetch.fcgi?db=pubmed&retmode=xml&id={pmid}",
        "Address of PubMed's record, XML",
    )
    days: int = declare_setting(30, "Days an answer is kept and used again before a service is asked once more")


@dataclass(frozen=True, slots=True, kw_only=True)
class Topics:
    """What is known of a medical topic."""

    vocabulary: str = declare_setting(
        "embedded", "Vocabulary that topics are looked up in: a name that `concepts --help` lists, or a file or folder"
    )
    profile: str = declare_setting(
        "default", "Weights and relatives of a concept set: `default`, `thesis` or `requirements`"
    )
    umls_key: str = declare_secret("", "Key of your UMLS account, for the vocabulary `umls`")
    umls_url: str = declare_setting("https://uts-ws.nlm.nih.gov/rest", "Address of the UMLS service")
    umls_release: str = declare_setting("current", "Release of the UMLS that is asked, such as `2025AB`")
    umls_sources: str = declare_setting("MSH,SNOMEDCT_US", "Sources of the UMLS whose names and relatives count")
    language: str = declare_setting("ENG", "Language of the names in the UMLS, by its own three letters")
    mesh_url: str = declare_setting("https://id.nlm.nih.gov/mesh", "Address of the MeSH service")
    cache_hours: float = declare_setting(
        24.0, "Hours that answers of a vocabulary service are kept and not asked for again"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Deliver:
    """How records are sent to other databases."""

    tries: int = declare_setting(4, "How often a record is sent that fails for a passing reason, at least once")
    backoff: float = declare_setting(2.0, "Seconds before the second try; each further one waits twice as long")
    max_backoff: float = declare_setting(60.0, "Longest pause between two tries, in seconds")
    timeout: float = declare_setting(30.0, "Seconds to wait for a target's connection or answer")
    oai_name: str = declare_setting("medharvest", "Name of your collection for OAI-PMH harvesters")
    oai_email: str = declare_setting("", "Address of whoever keeps the collection; harvesters are told it")
    oai_url: str = declare_setting(
        "", "Address of the collection for harvesters, where another server stands before it"
    )
    oai_domain: str = declare_setting(
        "medharvest.invalid", "Your domain name, the middle of OAI identifiers; keep it once set"
    )
    oai_batch: int = declare_setting(100, "Records in one OAI-PMH answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The whole tree."""

    store: str = declare_setting("", "Store URL; empty means a SQLite file in the user's data folder")
    corpus: str = declare_setting("", "Folder with labelled pages that `evaluate` scores beside the bundled journals")
    fetch: Fetch = Fetch()
    crawl: Crawl = Crawl()
    read: Read = Read()
    match: Match = Match()
    enrich: Enrich = Enrich()
    topics: Topics = Topics()
    deliver: Deliver = Deliver()
    targets: str = declare_setting(
        "", "Where records are delivered, `NAME = URL` a line; in the file a table `[targets]`"
    )


def load_settings(
    *, file: Path | None = None, environment: Mapping[str, str], options: Mapping[str, Any] | None = None
) -> Settings:
    """Merge defaults, a TOML file, `MEDHARVEST_*` variables and options named like `fetch.delay`."""
    settings = Settings()
    for layer in (
        _read_settings_file(file) if file else {},
        _read_settings_environment(environment),
        {name: value for name, value in (options or {}).items() if value is not None},
    ):
        for name, value in layer.items():
            settings = _with_setting(settings, name, value)
    return settings


@dataclass(frozen=True, slots=True)
class SettingDescription:
    """One setting as the reference shows it."""

    name: str
    type: str
    default: Any
    variable: str
    doc: str
    secret: bool = False


def describe_settings(tree: Any = None, prefix: str = "") -> Iterator[SettingDescription]:
    """Every setting in the order of the tree."""
    tree = Settings() if tree is None else tree
    for item in fields(tree):
        name, value = prefix + item.name, getattr(tree, item.name)
        if is_dataclass(value):
            yield from describe_settings(value, name + ".")
        else:
            yield SettingDescription(name, type(value).__name__, value, setting_variable(name), **item.metadata)


def setting_variable(name: str) -> str:
    """The environment variable of a setting: `fetch.delay` is `MEDHARVEST_FETCH_DELAY`."""
    return VARIABLE_PREFIX + name.upper().replace(".", "_")


def secret_variable(target: str) -> str:
    """The environment variable with the password or key of a target."""
    return SECRET_PREFIX + target.upper().replace("-", "_")


def _read_settings_file(file: Path) -> dict[str, Any]:
    try:
        return dict(_flatten_toml_tree(tomllib.loads(file.read_text(encoding="utf-8"))))
    except OSError as error:
        raise SettingsError(
            f"settings file cannot be read: {file}", setting=str(file), hint=error.strerror or str(error)
        ) from error
    # Wrong syntax and wrong UTF-8 are ValueErrors, and so are numbers too long to be read.
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"settings file is not TOML: {file}", setting=str(file), hint=str(error)) from error


def _flatten_toml_tree(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from _flatten_toml_tree(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def _read_settings_environment(environment: Mapping[str, str]) -> dict[str, str]:
    known = {described.variable: described.name for described in describe_settings()}
    for key in environment:
        other = key in _OTHER_VARIABLES or key.startswith(SECRET_PREFIX)
        if key.startswith(VARIABLE_PREFIX) and key not in known and not other:
            near = difflib.get_close_matches(key, known, n=1)
            hint = f"did you mean {near[0]}" if near else "the reference of settings lists them all"
            raise SettingsError(f"no such setting: {key}", setting=key, hint=hint)
    return {known[key]: value for key, value in environment.items() if key in known}


def _with_setting(settings: Settings, name: str, value: Any) -> Settings:
    if name.startswith("targets."):  # the only table whose names are the user's
        line = f"{name.partition('.')[2]} = {_convert_setting(name, value, str)}"
        return replace(settings, targets=f"{settings.targets}\n{line}".strip())
    names = [described.name for described in describe_settings()]
    if name not in names:
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]}" if near else "the reference of settings lists them all"
        raise SettingsError(f"no such setting: {name}", setting=name, hint=hint)
    group, _, leaf = name.rpartition(".")
    part: Any = getattr(settings, group) if group else settings
    changed: Any = replace(part, **{leaf: _convert_setting(name, value, typing.get_type_hints(type(part))[leaf])})
    if not group:
        return typing.cast("Settings", changed)
    return replace(settings, **{group: changed})


_BOOLEAN_WORDS = {
    "1": True,
    "true": True,
    "yes": True,
    "on": True,
    "0": False,
    "false": False,
    "no": False,
    "off": False,
}


_SETTING_PARSERS: dict[type, Callable[[str], Any]] = {
    str: str,
    int: int,
    float: float,
    bool: lambda text: _BOOLEAN_WORDS[text.lower()],
    Links: Links,
}


def _convert_setting(name: str, value: Any, wanted: type) -> Any:
    """The value in the wanted type: text is read, a whole number may stand for a float, nothing else is bent."""
    try:
        converted = _SETTING_PARSERS[wanted](value) if isinstance(value, str) else value
        if wanted is float and type(converted) is int:
            converted = float(converted)
    except (KeyError, OverflowError, ValueError) as error:
        raise _wrong_setting_error(name, value, f"{wanted.__name__} expected") from error
    if type(converted) is not wanted:
        raise _wrong_setting_error(name, value, f"{wanted.__name__} expected")
    if isinstance(converted, int | float) and not 0 <= converted < float("inf"):
        raise _wrong_setting_error(name, value, "0 or more expected")
    return converted


def _wrong_setting_error(name: str, value: Any, hint: str) -> SettingsError:
    shown = (
        "(not shown)"
        if any(described.name == name and described.secret for described in describe_settings())
        else value
    )
    return SettingsError(f"wrong value for {name}: {shown}", setting=name, hint=hint)
