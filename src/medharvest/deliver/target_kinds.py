"""Delivery targets: the URLs that name them, the table of their kinds, and the functions that open them.

A new kind needs a row in `TARGET_KINDS` and a class that satisfies `DeliveryTarget`.
"""

from __future__ import annotations

import base64
import difflib
import hashlib
import json
import os.path
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit, urlunsplit

from medharvest.deliver.files import FileTarget, make_folder_writer
from medharvest.deliver.oai import OaiListTarget
from medharvest.deliver.parcels import DeliveryTarget
from medharvest.deliver.sftp import SftpAddress, SftpFolder
from medharvest.errors import DeliveryError
from medharvest.formats import find_format
from medharvest.settings import Deliver, Fetch, Settings, secret_variable

if TYPE_CHECKING:
    from medharvest.deliver.web_targets import TargetSite

OAI_KIND = "oai"
_SQL_OPTIONS = ("table", "host", "sslmode", "connect_timeout")
_LOCAL_KINDS = frozenset({"folder", "parquet", "sqlite"})  # on this machine, so that a path says where
# Options of a web address that look like a secret: a new key is no new address.
_SECRET_OPTION = re.compile(r"key|token|secret|pass|sig|auth|code", re.IGNORECASE)
_TARGET_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
_TABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,59}")
_INDEX_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,99}")
_ZOTERO_LIBRARY = re.compile(r"(?:users|groups)/[0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetAddress:
    """The name and URL of a target; a `trusted` one is named in the settings and may be in the private network."""

    name: str
    url: str
    trusted: bool = False
    options: Mapping[str, str] = field(default_factory=dict)
    parts: SplitResult = field(default=urlsplit(""))

    @property
    def kind(self) -> str:
        """The kind of target: the scheme of the URL up to a plus."""
        return self.parts.scheme.partition("+")[0]

    @property
    def port(self) -> int:
        """The port, 0 if none is named."""
        try:
            return self.parts.port or 0
        except ValueError as error:
            raise self.wrong("not a valid port", str(error)) from error

    def path(self, example: str) -> Path:
        """Return the path of the folder or file."""
        text = unquote(self.parts.netloc + self.parts.path)
        if not text:
            raise self.wrong("the folder or file is missing", f"such as {example}")
        return Path(text).expanduser()

    def web_url(self, example: str, *, query: bool = False) -> str:
        """Return the web address after the plus, with its query if `query` is set."""
        scheme = self.parts.scheme.partition("+")[2]
        if scheme not in {"http", "https"} or not self.parts.hostname:
            raise self.wrong("not a web address", f"such as {example}")
        return urlunsplit(self.parts._replace(scheme=scheme, query=self.parts.query if query else "", fragment=""))

    def wrong(self, message: str, hint: str) -> DeliveryError:
        """Build the error for a wrong address."""
        return DeliveryError(f"{message}: {self.name} = {self.url}", target=self.name, hint=hint)


@dataclass(frozen=True, slots=True)
class TargetKind:
    """A kind of target: an example of its URL, the options of its query, and the function that opens it."""

    form: str
    options: tuple[str, ...] | None  # None: the query belongs to the receiver and is passed on
    open: Callable[[TargetAddress, str, Settings], DeliveryTarget]
    secret: str = ""  # what the environment variable must contain
    place: tuple[str, ...] = ()  # those of the options that say where records go


def configured_targets(settings: Settings) -> dict[str, TargetAddress]:
    """Return the targets of the settings by name, in their order."""
    lines = filter(str.strip, settings.targets.splitlines())
    return {one.name: replace(one, trusted=True) for one in map(parse_target, lines)}


def parse_target(text: str) -> TargetAddress:
    """Parse and check a target such as `library=folder:/srv/records`; it is not opened."""
    address = split_target_text(text)
    if address.kind not in TARGET_KINDS:
        near = difflib.get_close_matches(address.kind, TARGET_KINDS, n=1)
        hint = f"did you mean {near[0]}:" if near else f"a URL begins with one of {', '.join(TARGET_KINDS)}"
        raise address.wrong("no such kind of target", hint)
    known = TARGET_KINDS[address.kind].options
    for option in address.options if known is not None else ():
        if option not in (known or ()):
            hint = f"options after ? are {', '.join(known)}" if known else "this kind has no options after ?"
            raise address.wrong(f"no such option of {address.kind}: {option}", hint)
    return address


def split_target_text(text: str) -> TargetAddress:
    """Split `library=folder:/srv/records` into its parts; a password in it is an error, which does not show it."""
    name, between, url = (part.strip() for part in text.partition("="))
    if not between or not _TARGET_NAME.fullmatch(name) or not url:
        hint = "NAME=URL expected, such as library=folder:/srv/records; a name has letters, digits, - and _"
        raise DeliveryError(f"not a target: {_mask_password(text)}", target=name, hint=hint)
    try:
        parts = urlsplit(url)
        password = parts.password
        options = dict(parse_qsl(parts.query, keep_blank_values=True))
    except ValueError as error:
        raise DeliveryError(f"not a target: {_mask_password(text)}", target=name, hint=str(error)) from error
    if password is not None:
        hint = f"remove it and set the environment variable {secret_variable(name)}"
        raise DeliveryError(f"the address of {name} contains a password", target=name, hint=hint)
    return TargetAddress(name=name, url=url, options=options, parts=parts)


def _mask_password(text: str) -> str:
    return re.sub(r"(?<=://)([^:@/]*):[^@/]*@", r"\1:***@", text)[:200]


def digest_target_address(address: TargetAddress) -> str:
    """Return a digest of where a target is, to tell two targets of one name apart; empty for an OAI list.

    It contains no secrets and no options that do not say where records go, such as the format.
    """
    if address.kind == OAI_KIND:
        return ""
    kind = TARGET_KINDS[address.kind]
    options = {
        name: value
        for name, value in address.options.items()
        if (name in kind.place if kind.options is not None else not _SECRET_OPTION.search(name))
    }
    where = _local_path(address) if address.kind in _LOCAL_KINDS else _remote_place(address)
    text = json.dumps([address.parts.scheme, where, options], sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _local_path(address: TargetAddress) -> str:
    bare = address.url.partition("?")[0]
    path = bare.partition(":///")[2] if address.kind == "sqlite" else bare.partition(":")[2]
    return os.path.abspath(os.path.expanduser(unquote(path)))  # noqa: PTH100, PTH111  (these never raise)


def _remote_place(address: TargetAddress) -> str:
    """Return host and path; with the user only for SFTP, where each user has a folder."""
    user = f"{address.parts.username or ''}@" if address.kind == "sftp" else ""
    return f"{user}{address.parts.netloc.rpartition('@')[2].lower()}/{address.parts.path.strip('/')}"


def open_target(address: TargetAddress, settings: Settings, environment: Mapping[str, str]) -> DeliveryTarget:
    """Open a target; its password or key is taken from the environment. Nothing is sent yet."""
    return TARGET_KINDS[address.kind].open(address, environment.get(secret_variable(address.name), ""), settings)


def open_report_folder(address: TargetAddress, settings: Settings, environment: Mapping[str, str]) -> SftpFolder:
    """Open the folder of loader reports of an SFTP target; other targets have none."""
    if address.kind != "sftp":
        raise address.wrong("this kind of target has no reports", "give the report as a file: --report-file FILE")
    secret = environment.get(secret_variable(address.name), "")
    return SftpFolder(sftp_address(address, secret, settings.deliver))


def _open_folder_target(address: TargetAddress, _secret: str, _settings: Settings) -> DeliveryTarget:
    form = find_format(address.options.get("format", "pubmed"))
    return FileTarget(
        form, make_folder_writer(address.path(TARGET_KINDS["folder"].form)), pattern=address.options.get("name", "")
    )


def _open_sftp_target(address: TargetAddress, secret: str, settings: Settings) -> DeliveryTarget:
    form = find_format(address.options.get("format", "pubmed"))
    folder = SftpFolder(sftp_address(address, secret, settings.deliver))
    return FileTarget(form, folder.put, pattern=address.options.get("name", ""), close=folder.close)


def sftp_address(address: TargetAddress, secret: str, settings: Deliver) -> SftpAddress:
    """Build the address and the login of an SFTP target."""
    parts, options = address.parts, address.options
    if not parts.hostname:
        raise address.wrong("the host is missing", f"such as {TARGET_KINDS['sftp'].form}")
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


def _open_sql_target(address: TargetAddress, secret: str, _settings: Settings) -> DeliveryTarget:
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    from medharvest.deliver.table_targets import SqlTarget

    table = address.options.get("table", "citation")
    if not _TABLE_NAME.fullmatch(table):
        raise address.wrong(f"not a valid table name: {table}", "use letters, digits and _")
    bare = address.url.partition("?")[0]
    try:
        url = make_url(bare)
    except (ArgumentError, ValueError) as error:
        raise address.wrong("not a valid database URL", f"such as {TARGET_KINDS[address.kind].form}") from error
    others = {name: value for name, value in address.options.items() if name != "table"}
    if secret and address.kind != "sqlite":
        url = url.set(password=secret)
    return SqlTarget(url.update_query_dict(others), table)


def _open_parquet_target(address: TargetAddress, _secret: str, _settings: Settings) -> DeliveryTarget:
    from medharvest.deliver.table_targets import ParquetTarget

    return ParquetTarget(address.name, address.path(TARGET_KINDS["parquet"].form))


def _open_webhook_target(address: TargetAddress, secret: str, settings: Settings) -> DeliveryTarget:
    from medharvest.deliver.web_targets import WebhookTarget

    key = _require_secret(address, secret)
    return WebhookTarget(
        _make_target_site(address, settings), address.web_url(TARGET_KINDS["webhook"].form, query=True), key
    )


def _open_opensearch_target(address: TargetAddress, secret: str, settings: Settings) -> DeliveryTarget:
    from medharvest.deliver.web_targets import OpenSearchTarget

    server, _, index = address.web_url(TARGET_KINDS["opensearch"].form).rstrip("/").rpartition("/")
    if not _INDEX_NAME.fullmatch(index) or not urlsplit(server).netloc:
        raise address.wrong("the index is missing", f"such as {TARGET_KINDS['opensearch'].form}")
    login = {}
    if secret:
        kind, value = ("Basic", base64.b64encode(secret.encode()).decode()) if ":" in secret else ("ApiKey", secret)
        login = {"Authorization": f"{kind} {value}"}
    return OpenSearchTarget(_make_target_site(address, settings), server, index, login)


def _open_zotero_target(address: TargetAddress, secret: str, settings: Settings) -> DeliveryTarget:
    from medharvest.deliver.zotero import ZOTERO_SERVER, ZoteroTarget

    library = address.parts.path.strip("/")
    if not _ZOTERO_LIBRARY.fullmatch(library):
        raise address.wrong(
            "the library is missing", f"such as {TARGET_KINDS['zotero'].form}; zotero.org shows its number"
        )
    collection = address.options.get("collection", "")
    server = address.options.get("server", ZOTERO_SERVER)
    key = _require_secret(address, secret)
    return ZoteroTarget(_make_target_site(address, settings), library, key, server=server, collection=collection)


def _open_oai_target(_address: TargetAddress, _secret: str, _settings: Settings) -> DeliveryTarget:
    return OaiListTarget()


def _require_secret(address: TargetAddress, secret: str) -> str:
    if not secret:
        variable = secret_variable(address.name)
        raise DeliveryError(
            f"{address.name} needs {TARGET_KINDS[address.kind].secret}",
            target=address.name,
            hint=f"set the environment variable {variable}",
        )
    return secret


def _make_target_site(address: TargetAddress, settings: Settings) -> TargetSite:
    from medharvest.deliver.web_targets import TargetSite

    hint = f"it is taken from the environment variable {secret_variable(address.name)}"
    return TargetSite(address.name, fetch_settings_of_target(address, settings), hint=hint)


def fetch_settings_of_target(address: TargetAddress, settings: Settings) -> Fetch:
    """Return the fetch settings for a target: private addresses if the settings name it, and the delivery timeout."""
    fetch, seconds = settings.fetch, settings.deliver.timeout
    return replace(
        fetch,
        allow_private=fetch.allow_private or address.trusted,
        connect_timeout=seconds,
        read_timeout=seconds,
    )


TARGET_KINDS: Mapping[str, TargetKind] = MappingProxyType(
    {
        "folder": TargetKind("folder:/srv/records?format=ris", ("format", "name"), _open_folder_target),
        "sftp": TargetKind(
            "sftp://name@host.example/folder?format=pubmed&reports=reports",
            ("format", "name", "reports", "key", "hostkey", "known_hosts"),
            _open_sftp_target,
            "the password, or the passphrase of the key file",
        ),
        "sqlite": TargetKind(
            "sqlite:////srv/records.db?table=citation", _SQL_OPTIONS[:1], _open_sql_target, place=("table",)
        ),
        "postgresql": TargetKind(
            "postgresql://name@host.example/database?table=citation",
            _SQL_OPTIONS,
            _open_sql_target,
            "the password",
            place=("table", "host"),
        ),
        "zotero": TargetKind(
            "zotero:users/123456",
            ("collection", "server"),
            _open_zotero_target,
            "a Zotero API key",
            place=("collection", "server"),
        ),
        "opensearch": TargetKind(
            "opensearch+https://host.example/index", (), _open_opensearch_target, "name:password or an API key"
        ),
        "webhook": TargetKind("webhook+https://host.example/hook", None, _open_webhook_target, "the key that signs"),
        "parquet": TargetKind("parquet:/srv/records.parquet", (), _open_parquet_target),
        OAI_KIND: TargetKind("oai:", (), _open_oai_target),
    }
)
