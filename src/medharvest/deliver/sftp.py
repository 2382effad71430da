"""A folder on an SFTP server: files put under a temporary name and renamed, reports read back."""

from __future__ import annotations

import base64
import hashlib
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medharvest.errors import DeliveryError
from medharvest.settings import secret_variable

if TYPE_CHECKING:
    import paramiko

PART = ".part"
_REPORTS = 200  # reports read at most, the newest
_MAX_REPORT = 5_000_000  # bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class SftpAddress:
    """Where an SFTP target is and how to log in; `fingerprint` is that of the host's key, where it is told."""

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
    """The folder; it connects when it is first needed, and again after a failure."""

    def __init__(self, address: SftpAddress) -> None:
        self.address = address
        self._client: paramiko.SSHClient | None = None
        self._sftp: paramiko.SFTPClient | None = None

    def put(self, name: str, body: bytes) -> None:
        """Put a file under a temporary name, compare its size, rename it: a name without `.part` is a whole file."""
        with self._connected() as sftp:
            path = f"{self.address.folder.rstrip('/')}/{name}"
            self._upload(sftp, path + PART, body)
            _rename(sftp, path + PART, path)

    def reports(self) -> Iterator[tuple[str, bytes]]:
        """The files in the folder of reports, the newest first."""
        folder = self.address.reports or self.address.folder
        try:
            yield from self._reports(folder)
        except OSError as error:
            message = f"reports in {folder} cannot be read: {error.strerror or error}"
            hint = "name their folder in the target's address, ?reports=FOLDER"
            raise DeliveryError(message, target=self.address.name, hint=hint) from error

    def _reports(self, folder: str) -> Iterator[tuple[str, bytes]]:
        with self._connected() as sftp:
            found = sorted(sftp.listdir_attr(folder), key=lambda one: one.st_mtime or 0, reverse=True)
            for entry in found[:_REPORTS]:
                if not entry.filename.endswith((PART, ".xml")) and 0 < (entry.st_size or 0) <= _MAX_REPORT:
                    with sftp.open(f"{folder.rstrip('/')}/{entry.filename}", "rb") as file:
                        yield entry.filename, file.read(_MAX_REPORT)

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
            _check_size(sftp.stat(path).st_size, len(body))
        except BaseException:
            with suppress(Exception):  # the connection may be what failed; the next delivery takes the same name
                sftp.remove(path)
            raise

    @contextmanager
    def _connected(self) -> Iterator[paramiko.SFTPClient]:
        """An open connection; any failure of it is an `OSError`, and the next use connects anew."""
        ssh = _library(self.address.name)
        try:
            if self._sftp is None:
                self._client, self._sftp = _connect(ssh, self.address)
            yield self._sftp
        except (OSError, EOFError, ssh.SSHException) as error:
            if not isinstance(error, OSError) or isinstance(error, ConnectionError | TimeoutError):
                self.close()
            raise error if isinstance(error, OSError) else OSError(str(error) or "connection lost") from error


def _library(target: str) -> Any:
    try:
        import paramiko
    except ImportError as error:
        hint = "pip install 'medharvest[sftp]'"
        raise DeliveryError("SFTP needs the package paramiko", target=target, hint=hint) from error
    return paramiko


def _connect(ssh: Any, address: SftpAddress) -> tuple[Any, Any]:
    client = ssh.SSHClient()
    client.set_missing_host_key_policy(_unknown_host(ssh, address))
    own = Path(address.known_hosts or Path.home() / ".ssh" / "known_hosts")
    if own.is_file() and not address.fingerprint:
        client.load_host_keys(str(own))
    try:
        client.connect(address.host, address.port, **_login(address))
        sftp = client.open_sftp()
        sftp.get_channel().settimeout(address.timeout)
    except ssh.BadHostKeyException as error:
        client.close()
        raise _other_key(address, fingerprint(error.key.asbytes())) from error
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


def _login(address: SftpAddress) -> dict[str, Any]:
    alone = not address.secret and not address.key_file  # only then are the agent and the user's own keys asked
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


def _unknown_host(ssh: Any, address: SftpAddress) -> Any:
    """What is done with a host whose key is not known: taken where its fingerprint was told, else refused."""

    class Told(ssh.MissingHostKeyPolicy):  # type: ignore[misc]
        def missing_host_key(self, client: Any, hostname: str, key: Any) -> None:  # noqa: ARG002
            if fingerprint(key.asbytes()) != address.fingerprint:
                raise _other_key(address, fingerprint(key.asbytes()))

    return Told()


def _other_key(address: SftpAddress, shown: str) -> DeliveryError:
    message = f"{address.host} shows a key that is not known: {shown}"
    hint = f"ask whoever keeps the server whether it is theirs, then add hostkey={shown} to the target"
    return DeliveryError(message, target=address.name, hint=hint)


def fingerprint(key: bytes) -> str:
    """A host key as `ssh` shows it: `SHA256:` and the digest."""
    return "SHA256:" + base64.b64encode(hashlib.sha256(key).digest()).decode().rstrip("=")


def _rename(sftp: paramiko.SFTPClient, old: str, new: str) -> None:
    """Rename in one step where the server can; else what stands there, of the same content, is taken away first."""
    rename: Callable[[str, str], None] = sftp.posix_rename
    try:
        rename(old, new)
    except OSError:
        with suppress(OSError):
            sftp.remove(new)
        sftp.rename(old, new)


def _check_size(there: int | None, sent: int) -> None:
    if there != sent:
        raise OSError(f"{there} of {sent} bytes arrived")
