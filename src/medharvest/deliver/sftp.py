"""Delivery by SFTP, as PubMed requires it, and the loader reports that PubMed returns."""

from __future__ import annotations

import base64
import hashlib
import re
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medharvest.errors import DeliveryError
from medharvest.records import unescape_html
from medharvest.settings import secret_variable

if TYPE_CHECKING:
    import paramiko

PART_SUFFIX = ".part"
_MAX_REPORTS = 200  # the newest ones
_MAX_REPORT_BYTES = 5_000_000  # larger reports are not read
_MAX_REPORT_LINE = 2_000  # characters of a line that are searched
_NAMED_PMID = re.compile(r"\b(?:PMID|PubMed ?ID)\b[\s\"':=#>]{0,10}([1-9][0-9]{3,8})(?![0-9])", re.IGNORECASE)
_BARE_PMID = re.compile(r"(?<![\w./-])[1-9][0-9]{6,7}(?![\w/-]|\.[0-9])")
_REFUSAL_WORD = re.compile(
    r"\b(?:reject\w*|refus\w*|errors?|fail\w*|invalid|not (?:loaded|accepted|added)|cannot)\b", re.IGNORECASE
)
_REPORT_WORD = re.compile(r"[^\s\"'<>|,;=()\[\]]+")
_IDENTIFIER_PREFIX = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:|pii:)", re.IGNORECASE)
_DOI_START = re.compile(r"\b10\.[0-9]{4,9}/\S")
_CONTINUATION_WORD = re.compile(r"(?:PMID|PubMed ?ID|status|result|errors?|warnings?|message|reason)\b", re.IGNORECASE)
_MAX_CONTINUATION_LINES = 4  # lines after the first line of a record that may still be about it


@dataclass(frozen=True, slots=True, kw_only=True)
class SftpAddress:
    """Where an SFTP target is and how to log in; `fingerprint` is that of the host's key, if it is known."""

    name: str
    host: str
    port: int = 22
    user: str = ""
    folder: str = "."
    reports: str = ""
    key_file: str = ""
    fingerprint: str = ""
    known_hosts: str = ""
    timeout: float = 30.0
    secret: str = field(default="", repr=False)


class SftpFolder:
    """A folder on a server; it connects on first use, and again after a failure."""

    def __init__(self, address: SftpAddress) -> None:
        self.address = address
        self._client: paramiko.SSHClient | None = None
        self._sftp: paramiko.SFTPClient | None = None

    def put(self, name: str, body: bytes) -> None:
        """Upload under a temporary name, check the size, rename: a file without `.part` is always complete."""
        with self._connected() as sftp:
            path = f"{self.address.folder.rstrip('/')}/{name}"
            self._upload(sftp, path + PART_SUFFIX, body)
            _rename_remote_file(sftp, path + PART_SUFFIX, path)

    def reports(self) -> Iterator[tuple[str, bytes]]:
        """Yield name and content of the loader reports, the newest first."""
        folder = self.address.reports or self.address.folder
        try:
            yield from self._reports(folder)
        except OSError as error:
            message = f"reports in {folder} cannot be read: {error.strerror or error}"
            hint = "name their folder in the address of the target: ?reports=FOLDER"
            raise DeliveryError(message, target=self.address.name, hint=hint) from error

    def _reports(self, folder: str) -> Iterator[tuple[str, bytes]]:
        with self._connected() as sftp:
            found = sorted(sftp.listdir_attr(folder), key=lambda one: one.st_mtime or 0, reverse=True)
            for entry in found[:_MAX_REPORTS]:
                if not entry.filename.endswith((PART_SUFFIX, ".xml")) and 0 < (entry.st_size or 0) <= _MAX_REPORT_BYTES:
                    with sftp.open(f"{folder.rstrip('/')}/{entry.filename}", "rb") as file:
                        yield entry.filename, file.read(_MAX_REPORT_BYTES)

    def close(self) -> None:
        """Log out."""
        client, self._client, self._sftp = self._client, None, None
        if client is not None:
            client.close()

    def _upload(self, sftp: paramiko.SFTPClient, path: str, body: bytes) -> None:
        try:
            with sftp.open(path, "wb") as file:
                file.set_pipelined(pipelined=True)
                file.write(body)
            _check_uploaded_size(sftp.stat(path).st_size, len(body))
        except BaseException:
            with suppress(Exception):  # the connection itself may have failed; the next delivery uses the same name
                sftp.remove(path)
            raise

    @contextmanager
    def _connected(self) -> Iterator[paramiko.SFTPClient]:
        """Yield an open connection; its failures become `OSError`, and the next use connects again."""
        ssh = _import_paramiko(self.address.name)
        try:
            if self._sftp is None:
                self._client, self._sftp = _connect_sftp(ssh, self.address)
            yield self._sftp
        except (OSError, EOFError, ssh.SSHException) as error:
            if not isinstance(error, OSError) or isinstance(error, ConnectionError | TimeoutError):
                self.close()
            raise error if isinstance(error, OSError) else OSError(str(error) or "connection lost") from error


def _import_paramiko(target: str) -> Any:
    try:
        import paramiko
    except ImportError as error:
        hint = "pip install 'medharvest[sftp]'"
        raise DeliveryError("SFTP needs the package paramiko", target=target, hint=hint) from error
    return paramiko


def _connect_sftp(ssh: Any, address: SftpAddress) -> tuple[Any, Any]:
    client = ssh.SSHClient()
    client.set_missing_host_key_policy(_host_key_policy(ssh, address))
    own = Path(address.known_hosts or Path.home() / ".ssh" / "known_hosts")
    if own.is_file() and not address.fingerprint:
        client.load_host_keys(str(own))
    try:
        client.connect(address.host, address.port, **_sftp_login_options(address))
        sftp = client.open_sftp()
        sftp.get_channel().settimeout(address.timeout)
    except ssh.BadHostKeyException as error:
        client.close()
        raise _unknown_key_error(address, host_key_fingerprint(error.key.asbytes())) from error
    except ssh.AuthenticationException as error:
        client.close()
        hint = f"check user and key file; the password is taken from {secret_variable(address.name)}"
        raise DeliveryError(f"{address.host} refuses the login", target=address.name, hint=hint) from error
    except socket.gaierror as error:
        client.close()
        hint = "check the address of the target"
        raise DeliveryError(f"no such host: {address.host}", target=address.name, hint=hint) from error
    except BaseException:
        client.close()
        raise
    return client, sftp


def _sftp_login_options(address: SftpAddress) -> dict[str, Any]:
    alone = not address.secret and not address.key_file  # only then use the agent and the user's own keys
    return {
        "username": address.user or None,
        "password": address.secret if address.secret and not address.key_file else None,
        "passphrase": address.secret if address.secret and address.key_file else None,
        "key_filename": address.key_file or None,
        "allow_agent": alone,
        "look_for_keys": alone,
        "timeout": address.timeout,
        "banner_timeout": address.timeout,
        "auth_timeout": address.timeout,
    }


def _host_key_policy(ssh: Any, address: SftpAddress) -> Any:
    """Make the policy for unknown host keys: accept the one with the given fingerprint, refuse all others."""

    class AcceptFingerprint(ssh.MissingHostKeyPolicy):  # type: ignore[misc]
        def missing_host_key(self, client: Any, hostname: str, key: Any) -> None:  # noqa: ARG002
            if host_key_fingerprint(key.asbytes()) != address.fingerprint:
                raise _unknown_key_error(address, host_key_fingerprint(key.asbytes()))

    return AcceptFingerprint()


def _unknown_key_error(address: SftpAddress, shown: str) -> DeliveryError:
    message = f"{address.host} has an unknown host key: {shown}"
    hint = f"ask the administrator of the server whether it is right, then add hostkey={shown} to the target"
    return DeliveryError(message, target=address.name, hint=hint)


def host_key_fingerprint(key: bytes) -> str:
    """Write a host key as `ssh` does: `SHA256:` and the digest."""
    return "SHA256:" + base64.b64encode(hashlib.sha256(key).digest()).decode().rstrip("=")


def _rename_remote_file(sftp: paramiko.SFTPClient, old: str, new: str) -> None:
    """Rename in one step if the server can; else first remove the old file, which has the same content."""
    rename: Callable[[str, str], None] = sftp.posix_rename
    try:
        rename(old, new)
    except OSError:
        with suppress(OSError):
            sftp.remove(new)
        sftp.rename(old, new)


def _check_uploaded_size(there: int | None, sent: int) -> None:
    if there != sent:
        raise OSError(f"{there} of {sent} bytes arrived")


@dataclass(frozen=True, slots=True)
class LoaderResult:
    """What a report says of an article: its PMID, or the line that says why it was refused."""

    article: int
    pmid: str = ""
    refused: str = ""


def parse_loader_report(text: str, known: Mapping[str, int]) -> Iterator[LoaderResult]:
    """Yield one result per article found by its lower-case identifiers in `known`; a PMID wins over an error."""
    found: dict[int, LoaderResult] = {}
    for article, lines in _split_report_entries(text, known):
        said = _interpret_report_entry(article, lines, known)
        if said and (article not in found or said.pmid):
            found[article] = said
    yield from found.values()


def _split_report_entries(text: str, known: Mapping[str, int]) -> Iterator[tuple[int, list[str]]]:
    """Yield each article with its line and the lines that continue it: indented, or starting with a known word."""
    current: tuple[int, list[str]] | None = None
    for line in (unescape_html(line[:_MAX_REPORT_LINE]) for line in text.splitlines()):
        articles = {known[word] for word in _identifiers_in_line(line) if word in known}
        if len(articles) == 1:
            article = articles.pop()
            if current and (current[0] != article or len(current[1]) > _MAX_CONTINUATION_LINES):
                yield current
                current = None
            current = current or (article, [])
            current[1].append(line)
        elif (
            current
            and not articles
            and len(current[1]) <= _MAX_CONTINUATION_LINES
            and _continues_entry(current[1][0], line)
        ):
            current[1].append(line)
        elif current:
            yield current
            current = None
    if current:
        yield current


def _continues_entry(first: str, line: str) -> bool:
    """Whether a line is about the same record as the first one; a line with another DOI is not."""
    further_in = len(line) - len(line.lstrip()) > len(first) - len(first.lstrip())
    return bool(line.strip()) and not _DOI_START.search(line) and (further_in or bool(_CONTINUATION_WORD.match(line)))


def _identifiers_in_line(line: str) -> Iterator[str]:
    for word in _REPORT_WORD.findall(line):
        bare = _IDENTIFIER_PREFIX.sub("", word).lower()
        yield bare
        yield bare.rstrip(".:")


def _interpret_report_entry(article: int, lines: list[str], known: Mapping[str, int]) -> LoaderResult | None:
    whole = "\n".join(lines)
    named = set(_NAMED_PMID.findall(whole))
    if not named:
        bare = " ".join(
            word for word in _REPORT_WORD.findall(whole) if _IDENTIFIER_PREFIX.sub("", word).lower() not in known
        )
        named = set(_BARE_PMID.findall(bare))
    if len(named) == 1:
        return LoaderResult(article, pmid=named.pop())
    wrong = next((line for line in lines if _REFUSAL_WORD.search(line)), "")
    return LoaderResult(article, refused=" ".join(wrong.split())[:300]) if wrong and not named else None
