"""An SFTP server on loopback over a folder, which can break off, lie about sizes, or know no rename in one step."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import paramiko
from paramiko import common, sftp

from medharvest.deliver.sftp import host_key_fingerprint

USER, PASSWORD = "publisher", "secret word"
KEY = paramiko.ECDSAKey.generate()


@dataclass
class Served:
    """A running server: where it is, what it did, and how it misbehaves."""

    folder: Path
    port: int = 0
    break_after: int = -1  # bytes of a file after which the connection ends; below 0 never
    lie: int = 0  # bytes that sizes are told too small
    posix: bool = True
    renames: list[tuple[str, str]] = field(default_factory=list)
    transports: list[paramiko.Transport] = field(default_factory=list)

    @property
    def key(self) -> str:
        return host_key_fingerprint(KEY.asbytes())

    def url(self, path: str = "/", **options: str) -> str:
        query = "&".join(f"{name}={value}" for name, value in {"hostkey": self.key, **options}.items())
        return f"sftp://{USER}@127.0.0.1:{self.port}{path}?{query}"

    def names(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir() if path.is_file())


class _Login(paramiko.ServerInterface):
    def check_auth_password(self, username: str, password: str) -> int:
        fine = (username, password) == (USER, PASSWORD)
        return common.AUTH_SUCCESSFUL if fine else common.AUTH_FAILED

    def get_allowed_auths(self, username: str) -> str:  # noqa: ARG002  (their signature, as below)
        return "password"

    def check_channel_request(self, kind: str, chanid: int) -> int:  # noqa: ARG002
        return common.OPEN_SUCCEEDED


class _File(paramiko.SFTPHandle):
    def __init__(self, served: Served, path: Path, flags: int) -> None:
        super().__init__(flags)
        self.served = served
        self.path = path
        mode = "r+b" if flags & os.O_WRONLY else "rb"
        if flags & os.O_TRUNC:
            mode = "w+b"
        self.readfile = self.writefile = path.open(mode)

    def stat(self) -> paramiko.SFTPAttributes:
        return _attributes(self.served, self.path)

    def write(self, offset: int, data: Any) -> int:
        limit = self.served.break_after
        if 0 <= limit < offset + len(data):
            super().write(offset, data[: max(0, limit - offset)])
            self.writefile.flush()
            self.served.transports[-1].close()
            return sftp.SFTP_FAILURE
        return super().write(offset, data)


def _attributes(served: Served, path: Path) -> paramiko.SFTPAttributes:
    found = paramiko.SFTPAttributes.from_stat(path.stat())
    found.st_size = (found.st_size or 0) - served.lie
    found.filename = path.name
    return found


class _Files(paramiko.SFTPServerInterface):
    def __init__(self, server: Any, served: Served) -> None:
        super().__init__(server)
        self.served = served

    def _path(self, path: str) -> Path:
        return self.served.folder / path.lstrip("/")

    def list_folder(self, path: str) -> Any:
        try:
            return [_attributes(self.served, one) for one in self._path(path).iterdir()]
        except OSError as error:
            return paramiko.SFTPServer.convert_errno(error.errno or 0)

    def stat(self, path: str) -> Any:
        try:
            return _attributes(self.served, self._path(path))
        except OSError as error:
            return paramiko.SFTPServer.convert_errno(error.errno or 0)

    def open(self, path: str, flags: int, attr: Any) -> Any:  # noqa: ARG002
        try:
            return _File(self.served, self._path(path), flags)
        except OSError as error:
            return paramiko.SFTPServer.convert_errno(error.errno or 0)

    def remove(self, path: str) -> int:
        self._path(path).unlink(missing_ok=True)
        return sftp.SFTP_OK

    def rename(self, oldpath: str, newpath: str) -> int:
        if self._path(newpath).exists():
            return sftp.SFTP_FAILURE
        return self._move(oldpath, newpath)

    def posix_rename(self, oldpath: str, newpath: str) -> int:
        return self._move(oldpath, newpath) if self.served.posix else sftp.SFTP_OP_UNSUPPORTED

    def _move(self, old: str, new: str) -> int:
        self._path(old).replace(self._path(new))
        self.served.renames.append((old, new))
        return sftp.SFTP_OK


@contextmanager
def sftp_server(folder: Path) -> Iterator[Served]:
    """Serve a folder until the block ends."""
    folder.mkdir(parents=True, exist_ok=True)
    served, listener = Served(folder), socket.create_server(("127.0.0.1", 0))
    served.port = listener.getsockname()[1]

    def accept() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                transport = paramiko.Transport(connection)
                transport.add_server_key(KEY)
                transport.set_subsystem_handler("sftp", paramiko.SFTPServer, _Files, served)
                served.transports.append(transport)
                with suppress(EOFError, paramiko.SSHException):
                    transport.start_server(server=_Login())

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield served
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        for transport in served.transports:
            transport.close()
