"""The kinds of targets: how the URL of each looks, and what opens it; adding one adds a row here and its module."""

from __future__ import annotations

import base64
import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from medharvest.citations import find_format
from medharvest.deliver.addresses import Address, parse_address
from medharvest.deliver.files import FileTarget, folder_put
from medharvest.deliver.listing import ListingTarget
from medharvest.deliver.parcels import Target
from medharvest.deliver.sftp import SftpAddress, SftpFolder
from medharvest.errors import DeliveryError
from medharvest.settings import Deliver, Fetch, Settings, secret_variable

if TYPE_CHECKING:
    from medharvest.deliver.web import Site

_TABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,59}")
_INDEX = re.compile(r"[a-z0-9][a-z0-9._-]{0,99}")
_LIBRARY = re.compile(r"(?:users|groups)/[0-9]+")
OAI = "oai"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of target: how its URL looks, what its query may say, and what opens it."""

    form: str
    options: tuple[str, ...] | None  # None where the query is the receiver's own
    open: Callable[[Address, str, Settings], Target]
    secret: str = ""  # what the environment variable holds


def addresses(settings: Settings) -> dict[str, Address]:
    """The targets that the settings name, in their order."""
    lines = filter(str.strip, settings.targets.splitlines())
    return {one.name: replace(one, trusted=True) for one in map(read_address, lines)}


def read_address(text: str) -> Address:
    """A target of a text such as `library=folder:/srv/records`, checked but not opened."""
    address = parse_address(text)
    if address.kind not in KINDS:
        near = difflib.get_close_matches(address.kind, KINDS, n=1)
        hint = f"did you mean {near[0]}:" if near else f"a URL begins with one of {', '.join(KINDS)}"
        raise address.wrong("no such kind of target", hint)
    known = KINDS[address.kind].options
    for option in address.options if known is not None else ():
        if option not in (known or ()):
            hint = f"after ? may stand {', '.join(known)}" if known else "nothing may stand after ?"
            raise address.wrong(f"no such option of {address.kind}: {option}", hint)
    return address


def open_target(address: Address, settings: Settings, environment: Mapping[str, str]) -> Target:
    """Open a target; its password or key comes from the environment. Nothing is sent yet."""
    return KINDS[address.kind].open(address, environment.get(secret_variable(address.name), ""), settings)


def open_reports(address: Address, settings: Settings, environment: Mapping[str, str]) -> SftpFolder:
    """The folder of reports of a target that has one."""
    if address.kind != "sftp":
        raise address.wrong("no reports can be read there", "give the report as a file: --report-file FILE")
    secret = environment.get(secret_variable(address.name), "")
    return SftpFolder(sftp_address(address, secret, settings.deliver))


def _folder(address: Address, _secret: str, _settings: Settings) -> Target:
    form = find_format(address.options.get("format", "pubmed"))
    return FileTarget(form, folder_put(address.path(KINDS["folder"].form)), pattern=address.options.get("name", ""))


def _sftp(address: Address, secret: str, settings: Settings) -> Target:
    form = find_format(address.options.get("format", "pubmed"))
    folder = SftpFolder(sftp_address(address, secret, settings.deliver))
    return FileTarget(form, folder.put, pattern=address.options.get("name", ""), close=folder.close)


def sftp_address(address: Address, secret: str, settings: Deliver) -> SftpAddress:
    """Where an SFTP target is and how to log in."""
    parts, options = address.parts, address.options
    if not parts.hostname:
        raise address.wrong("no host is named", f"such as {KINDS['sftp'].form}")
    return SftpAddress(
        name=address.name,
        host=parts.hostname,
        port=address.port or 22,
        user=unquote(parts.username or ""),
        folder=unquote(parts.path).removeprefix("/~/") or ".",
        reports=options.get("reports", ""),
        key_file=str(Path(options["key"]).expanduser()) if options.get("key") else "",
        fingerprint=options.get("hostkey", "").replace(" ", "+"),
        known_hosts=options.get("known_hosts", ""),
        timeout=settings.timeout,
        secret=secret,
    )


def _sql(address: Address, secret: str, _settings: Settings) -> Target:
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    from medharvest.deliver.sql import SqlTarget

    table = address.options.get("table", "citation")
    if not _TABLE.fullmatch(table):
        raise address.wrong(f"not the name of a table: {table}", "letters, digits and _")
    bare = address.url.partition("?")[0]
    try:
        url = make_url(bare)
    except (ArgumentError, ValueError) as error:
        raise address.wrong("not the URL of a database", f"such as {KINDS[address.kind].form}") from error
    others = {name: value for name, value in address.options.items() if name != "table"}
    if secret and address.kind != "sqlite":
        url = url.set(password=secret)
    return SqlTarget(url.update_query_dict(others), table)


def _parquet(address: Address, _secret: str, _settings: Settings) -> Target:
    from medharvest.deliver.parquet import ParquetTarget

    return ParquetTarget(address.name, address.path(KINDS["parquet"].form))


def _webhook(address: Address, secret: str, settings: Settings) -> Target:
    from medharvest.deliver.webhook import WebhookTarget

    key = _demanded(address, secret)
    return WebhookTarget(_site(address, settings), address.web_url(KINDS["webhook"].form, query=True), key)


def _opensearch(address: Address, secret: str, settings: Settings) -> Target:
    from medharvest.deliver.opensearch import OpenSearchTarget

    server, _, index = address.web_url(KINDS["opensearch"].form).rstrip("/").rpartition("/")
    if not _INDEX.fullmatch(index) or not urlsplit(server).netloc:
        raise address.wrong("no index is named", f"such as {KINDS['opensearch'].form}")
    login = {}
    if secret:
        kind, value = ("Basic", base64.b64encode(secret.encode()).decode()) if ":" in secret else ("ApiKey", secret)
        login = {"Authorization": f"{kind} {value}"}
    return OpenSearchTarget(_site(address, settings), server, index, login)


def _zotero(address: Address, secret: str, settings: Settings) -> Target:
    from medharvest.deliver.zotero import SERVER, ZoteroTarget

    library = address.parts.path.strip("/")
    if not _LIBRARY.fullmatch(library):
        raise address.wrong("no library is named", f"such as {KINDS['zotero'].form}; its number is on zotero.org")
    collection = address.options.get("collection", "")
    server = address.options.get("server", SERVER)
    key = _demanded(address, secret)
    return ZoteroTarget(_site(address, settings), library, key, server=server, collection=collection)


def _oai(_address: Address, _secret: str, _settings: Settings) -> Target:
    return ListingTarget()


def _demanded(address: Address, secret: str) -> str:
    if not secret:
        variable = secret_variable(address.name)
        raise DeliveryError(
            f"{address.name} needs {KINDS[address.kind].secret}",
            target=address.name,
            hint=f"set the environment variable {variable}",
        )
    return secret


def _site(address: Address, settings: Settings) -> Site:
    from medharvest.deliver.web import Site

    hint = f"it is taken from the environment variable {secret_variable(address.name)}"
    return Site(address.name, web_settings(address, settings), hint=hint)


def web_settings(address: Address, settings: Settings) -> Fetch:
    """The settings of requests: a target that the settings name may be private, and is given its own time."""
    fetch, seconds = settings.fetch, settings.deliver.timeout
    return replace(
        fetch,
        allow_private=fetch.allow_private or address.trusted,
        connect_timeout=seconds,
        read_timeout=seconds,
    )


_SQL = ("table", "host", "sslmode", "connect_timeout")
KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "folder": Kind("folder:/srv/records?format=ris", ("format", "name"), _folder),
        "sftp": Kind(
            "sftp://name@host.example/folder?format=pubmed&reports=reports",
            ("format", "name", "reports", "key", "hostkey", "known_hosts"),
            _sftp,
            "the password, or that of the key file",
        ),
        "sqlite": Kind("sqlite:////srv/records.db?table=citation", _SQL[:1], _sql),
        "postgresql": Kind("postgresql://name@host.example/database?table=citation", _SQL, _sql, "the password"),
        "zotero": Kind("zotero:users/123456", ("collection", "server"), _zotero, "a key of Zotero's API"),
        "opensearch": Kind("opensearch+https://host.example/index", (), _opensearch, "name:password or an API key"),
        "webhook": Kind("webhook+https://host.example/hook", None, _webhook, "the key that signs"),
        "parquet": Kind("parquet:/srv/records.parquet", (), _parquet),
        OAI: Kind("oai:", (), _oai),
    }
)
