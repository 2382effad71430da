"""Every setting, typed, with its default and a sentence for the reference.

Later sources win: defaults, the TOML file, `MEDHARVEST_*` variables, options of the command line.

    settings = load_settings(file=Path("medharvest.toml"), environment=os.environ, options={"fetch.delay": 2.0})
"""

from __future__ import annotations

import difflib
import re
import tomllib
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from medharvest.errors import SettingsError

VARIABLE_PREFIX = "MEDHARVEST_"
# Not settings: the path of the settings file, the Python that the launcher uses, and how the launcher was called.
_OTHER_VARIABLES = frozenset({"MEDHARVEST_SETTINGS", "MEDHARVEST_PYTHON", "MEDHARVEST_COMMAND"})
# Passwords and keys of delivery targets; only the code that opens a target reads them.
SECRET_PREFIX = "MEDHARVEST_SECRET_"  # noqa: S105  (the name of a variable, no secret)
# As browsers read an address: the login ends at the last `@` before the path, and backslashes count as slashes.
_LOGIN_IN_ADDRESS = re.compile(r"\s*+(?P<scheme>(?:https?|ftp):[/\\]*)(?P<login>[^/?#\\]*)@[^/?#\\@]*+", re.IGNORECASE)
# A password with a slash that is not escaped: what stands after the colon is no port.
_UNESCAPED_LOGIN = re.compile(
    r"\s*+(?P<scheme>(?:https?|ftp):[/\\]*+)(?P<login>(?!\[)[^/?#\\@:]*+:(?!\d*+(?:[/?#\\]|$))[^@]*+)@[^/?#\\@]*+",
    re.IGNORECASE,
)
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


def declare_setting(default: Any, doc: str) -> Any:
    """Declare one setting: its default and the sentence its reference page shows."""
    return field(default=default, metadata={"doc": doc})


def declare_secret(default: str, doc: str) -> Any:
    """Declare a setting that may hold a password: no message and no `repr` shows its value."""
    return field(default=default, repr=False, metadata={"doc": doc, "secret": True})


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetch:
    """How pages are fetched."""

    contact: str = declare_setting("", "Your e-mail address or web page for webmasters; it is sent in the User-Agent")
    delay: float = declare_setting(
        1.0, "Seconds between two requests to one host; a longer Crawl-delay of its robots.txt wins"
    )
    per_host: int = declare_setting(1, "Requests to one host at the same time, at least 1")
    rate: float = declare_setting(0.0, "Requests per second to all hosts together; 0 means no limit")
    backoff: float = declare_setting(
        2.0, "Seconds to wait after a host failed (429, 5xx, timeout); each further failure doubles the wait"
    )
    max_backoff: float = declare_setting(60.0, "Longest back-off after failures, in seconds")
    max_retry_after: float = declare_setting(
        300.0, "Longest Retry-After that is obeyed, in seconds; a host that asks for more gets no further requests"
    )
    connect_timeout: float = declare_setting(15.0, "Seconds to wait for a connection")
    read_timeout: float = declare_setting(30.0, "Seconds to wait for the next bytes of an answer")
    total_timeout: float = declare_setting(120.0, "Seconds one page may take in all")
    max_bytes: int = declare_setting(50_000_000, "Largest page that is kept, in bytes, before and after decompression")
    max_redirects: int = declare_setting(10, "Redirects followed for one page")
    robots: bool = declare_setting(True, "Whether robots.txt is obeyed")  # noqa: FBT003  (the default of the setting)
    allow_private: bool = declare_setting(
        False,  # noqa: FBT003
        "Whether pages at loopback, private and link-local addresses may be fetched; off protects your own network",
    )
    proxy: str = declare_secret(
        "", "HTTP proxy that all requests go through, such as http://name:password@proxy.example:3128"
    )
    headers: str = declare_secret(
        "",
        "Further request headers, one per line: `https://journal.example Name: value` is sent only to that host, port "
        "and scheme; `Name: value` to every site whose pages are fetched, also those that pages link to, but not to "
        "another one after a redirect",
    )
    logins: str = declare_secret(
        "",
        "Logins of web sites, one `https://name:password@journal.example` per line, each sent only to its host, port "
        "and scheme; a login in an address that you give is used in the same way and not stored",
    )
    scripts: bool = declare_setting(
        False,  # noqa: FBT003
        "Whether pages are loaded in a browser, so that their scripts run; needs the extra `browser`",
    )
    browser: str = declare_setting(
        "", "Path of the Chromium program for pages with scripts; empty means the installed one"
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
        Links.ARTICLE, "Links followed: only `article` links, or all that pass the `constraints`"
    )
    learn: bool = declare_setting(
        True,  # noqa: FBT003
        "Whether a run teaches the store the article links of a journal that no one has taught yet",
    )
    journal: str = declare_setting(
        "", "Journal whose taught links judge an issue; empty means that host and ISSN decide"
    )
    constraints: str = declare_setting(
        "", "Constraint words that judge links: empty for the default, `paper` for those of the paper, or a TOML file"
    )
    workers: int = declare_setting(4, "Pages fetched at the same time; each host still has its own limit and delay")
    read: bool = declare_setting(True, "Whether the pages are read into citations at the end")  # noqa: FBT003
    max_pages: int = declare_setting(500, "Most pages fetched for one issue")
    max_depth: int = declare_setting(4, "Most links between the contents page and a page that is followed")
    max_url: int = declare_setting(2000, "Longest URL followed, in characters")
    max_bytes: int = declare_setting(
        5_000_000_000, "Most bytes fetched for one issue, all its pages together, after decompression"
    )
    max_seconds: float = declare_setting(
        21_600.0, "Seconds one issue may take, from the first request; a resumed run starts again at 0"
    )
    max_share: float = declare_setting(
        0.4,
        "Share of max_pages, but at least 50 pages, for addresses that differ only in numbers or dates, such as those "
        "of calendars; article pages do not count; 1 means no such limit",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """How pages are read, and within which limits."""

    max_bytes: int = declare_setting(50_000_000, "Largest file that is read, in bytes")
    max_pdf_pages: int = declare_setting(40, "Pages of a PDF that are read, from the first one")
    workers: int = declare_setting(0, "Processes that read the pages of a run or of files; 0 means one per core")
    max_seconds: float = declare_setting(
        20.0,
        "Seconds of processor time a page may take in such a process; one that gives no answer in ten times as many "
        "seconds is stopped too; 0 means no limit",
    )
    max_memory: int = declare_setting(
        600, "Megabytes of memory such a process may use, if the system can enforce it; 0 means no limit"
    )
    resolver: str = declare_setting("https://doi.org/", "Address of the DOI resolver; the DOI is appended to it")


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """When two records are of the same article; records with different DOIs never are, whatever is set here."""

    rules: str = declare_setting(
        "pmid doi pii fields",
        "Rules in the order they are tried: pmid, doi, pii, fields; leave out those not to be used",
    )
    same: float = declare_setting(0.9, "Least score of the rule `fields` for the same article, from 0 to 1")
    uncertain: float = declare_setting(0.3, "Least score of the rule `fields` for a pair that is offered for review")


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrich:
    """Services that `enrich` queries, with `{doi}` or `{pmid}` in the address; only those that you name are queried."""

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
    days: int = declare_setting(30, "Days that an answer is cached before the service is queried again")


@dataclass(frozen=True, slots=True, kw_only=True)
class Topics:
    """How a medical topic becomes a concept set."""

    vocabulary: str = declare_setting(
        "embedded", "Vocabulary in which topics are looked up: a name listed by `concepts --help`, or a file or folder"
    )
    profile: str = declare_setting(
        "default", "Weights and related concepts of a concept set: `default`, `thesis` or `requirements`"
    )
    umls_key: str = declare_secret("", "Key of your UMLS account, for the vocabulary `umls`")
    umls_url: str = declare_setting("https://uts-ws.nlm.nih.gov/rest", "Address of the UMLS service")
    umls_release: str = declare_setting("current", "Release of the UMLS that is queried, such as `2025AB`")
    umls_sources: str = declare_setting(
        "MSH,SNOMEDCT_US", "Sources of the UMLS whose names and related concepts are used"
    )
    language: str = declare_setting("ENG", "Language of the names in the UMLS, by its three-letter code")
    mesh_url: str = declare_setting("https://id.nlm.nih.gov/mesh", "Address of the MeSH service")
    cache_hours: float = declare_setting(24.0, "Hours that answers of a vocabulary service are cached")


@dataclass(frozen=True, slots=True, kw_only=True)
class Deliver:
    """How records are sent to other databases."""

    tries: int = declare_setting(4, "How often a record is tried that fails for a temporary reason, at least once")
    backoff: float = declare_setting(2.0, "Seconds before the second try; each further one waits twice as long")
    max_backoff: float = declare_setting(60.0, "Longest pause between two tries, in seconds")
    timeout: float = declare_setting(30.0, "Seconds to wait for a target's connection or answer")
    oai_name: str = declare_setting("medharvest", "Name of your collection for OAI-PMH harvesters")
    oai_email: str = declare_setting(
        "", "E-mail address of whoever maintains the collection; OAI-PMH harvesters are given it"
    )
    oai_url: str = declare_setting("", "Public address of the OAI-PMH server, if it is behind another server")
    oai_domain: str = declare_setting(
        "medharvest.invalid", "Your domain name, the middle part of OAI identifiers; do not change it once set"
    )
    oai_batch: int = declare_setting(100, "Records in one OAI-PMH answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings, as one tree."""

    store: str = declare_setting("", "Store URL; empty means a SQLite file in the user's data folder")
    corpus: str = declare_setting(
        "", "Folder of labelled pages that `evaluate` scores in addition to the bundled journals"
    )
    fetch: Fetch = Fetch()
    crawl: Crawl = Crawl()
    read: Read = Read()
    match: Match = Match()
    enrich: Enrich = Enrich()
    topics: Topics = Topics()
    deliver: Deliver = Deliver()
    targets: str = declare_setting(
        "", "Delivery targets, one `NAME = URL` per line; in the settings file the table `[targets]`"
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


def move_logins(urls: Iterable[str], settings: Settings) -> tuple[tuple[str, ...], Settings]:
    """Take the logins off addresses and add them to the setting, the only place that holds them."""
    split = [split_login(url) for url in urls]
    return tuple(bare for bare, _ in split), add_logins((login for _, login in split), settings)


def add_logins(logins: Iterable[str], settings: Settings) -> Settings:
    """Return the settings with further logins, as `split_login` returns them."""
    lines = "\n".join(filter(None, [settings.fetch.logins, *logins]))
    return replace(settings, fetch=replace(settings.fetch, logins=lines))


def split_login(url: str) -> tuple[str, str]:
    """Return an address without its login, and the login as a line of `fetch.logins`; empty if there is none."""
    found = _LOGIN_IN_ADDRESS.match(url) or _UNESCAPED_LOGIN.match(url)
    if found is None:
        return url, ""
    return found["scheme"] + url[found.end("login") + 1 :], found[0].strip()


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
    """Yield every setting, in the order of the tree."""
    tree = Settings() if tree is None else tree
    for item in fields(tree):
        name, value = prefix + item.name, getattr(tree, item.name)
        if is_dataclass(value):
            yield from describe_settings(value, name + ".")
        else:
            yield SettingDescription(name, type(value).__name__, value, setting_variable(name), **item.metadata)


def setting_variable(name: str) -> str:
    """Return the environment variable of a setting: `MEDHARVEST_FETCH_DELAY` for `fetch.delay`."""
    return VARIABLE_PREFIX + name.upper().replace(".", "_")


def secret_variable(target: str) -> str:
    """Return the environment variable that contains the password or key of a target."""
    return SECRET_PREFIX + target.upper().replace("-", "_")


def _read_settings_file(file: Path) -> dict[str, Any]:
    try:
        return dict(_flatten_toml_tree(tomllib.loads(file.read_text(encoding="utf-8"))))
    except OSError as error:
        raise SettingsError(
            f"settings file cannot be read: {file}", setting=str(file), hint=error.strerror or str(error)
        ) from error
    # Wrong syntax and wrong UTF-8 are ValueErrors, and so are numbers with too many digits.
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
            hint = f"did you mean {near[0]}" if near else "the settings reference lists all of them"
            raise SettingsError(f"no such setting: {key}", setting=key, hint=hint)
    return {known[key]: value for key, value in environment.items() if key in known}


def _with_setting(settings: Settings, name: str, value: Any) -> Settings:
    if name.startswith("targets."):  # the only table whose keys the user chooses
        line = f"{name.partition('.')[2]} = {_convert_setting(name, value, str)}"
        return replace(settings, targets=f"{settings.targets}\n{line}".strip())
    names = [described.name for described in describe_settings()]
    if name not in names:
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]}" if near else "the settings reference lists all of them"
        raise SettingsError(f"no such setting: {name}", setting=name, hint=hint)
    group, _, leaf = name.rpartition(".")
    part: Any = getattr(settings, group) if group else settings
    changed: Any = replace(part, **{leaf: _convert_setting(name, value, typing.get_type_hints(type(part))[leaf])})
    if not group:
        return typing.cast("Settings", changed)
    return replace(settings, **{group: changed})


_SETTING_PARSERS: dict[type, Callable[[str], Any]] = {
    str: str,
    int: int,
    float: float,
    bool: lambda text: _BOOLEAN_WORDS[text.lower()],
    Links: Links,
}


def _convert_setting(name: str, value: Any, wanted: type) -> Any:
    """Convert a value to the wanted type: text is parsed, an int becomes a float; other mismatches are errors."""
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
