"""Servers on the loopback address, each in a process of its own, that log what they were asked.

.venv/bin/python bench/servers.py files LOG --folder FOLDER [--port 8000]    our own small server for a generated site
.venv/bin/python bench/servers.py journals LOG [--port 8000]                 the bundled journals
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TextIO

LOOPBACK = "127.0.0.1"


def main() -> None:
    """Serve until told to stop."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("files", "journals"))
    parser.add_argument("log", type=Path)
    parser.add_argument("--folder", type=Path, default=Path())
    parser.add_argument("--port", type=int, default=8000)
    given = parser.parse_args()
    with given.log.open("w", encoding="utf-8") as lines:
        if given.what == "files":
            files = [file for file in given.folder.rglob("*") if file.suffix in (".html", ".txt")]
            bodies = {f"/{file.relative_to(given.folder).as_posix()}": file.read_bytes() for file in files}
            asyncio.run(_serve_files(bodies, lines, given.port))
        else:
            _serve_journals(lines, given.port)


@contextlib.contextmanager
def serving(folder: Path | None, log: Path, *, limit: float, nginx: bool = True) -> Iterator[str]:
    """Serve a folder, or without one the bundled journals: the address; the process stops by itself in the end.

    The log is whole once the server has stopped.
    """
    log.touch()
    port = _free_port()
    own = [sys.executable, __file__, "--port", str(port)]
    with tempfile.TemporaryDirectory(prefix="bench-server-") as work:
        if folder is None:
            command = [*own, "journals", str(log)]
        elif nginx and (program := shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")):
            command = [program, "-p", work, "-e", "errors", "-c", str(_nginx_file(Path(work), folder, log, port))]
        else:
            command = [*own, "files", str(log), "--folder", str(folder)]
        process = subprocess.Popen(["timeout", str(limit), *command])
        try:
            _wait_for(port, process)
            yield f"http://{LOOPBACK}:{port}"
            if process.poll() is not None:
                raise RuntimeError(f"the server has ended before its time, status {process.returncode}")
        finally:
            process.terminate()
            process.wait()


def asked(log: Path) -> list[str]:
    """The path of every request that was answered with a page, in order."""
    lines = (line.split(" ", 1) for line in log.read_text(encoding="utf-8").splitlines())
    return [path for status, path in lines if status == "200" and path != "/robots.txt"]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    for _ in range(200):
        if process.poll() is not None:
            break
        with socket.socket() as probe:
            if probe.connect_ex((LOOPBACK, port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError(f"the server did not start, status {process.poll()}")


def _nginx_file(work: Path, folder: Path, log: Path, port: int) -> Path:
    """The settings of nginx: one worker, everything it writes in one folder."""
    parts = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    folders = " ".join(f"{part}_temp_path {work}/{part};" for part in parts)
    file = work / "nginx.conf"
    file.write_text(
        f"""{"user root;" if os.geteuid() == 0 else ""} worker_processes 1; daemon off; pid "{work}/pid";
events {{ worker_connections 256; }}
http {{
  {folders}
  log_format paths '$status $request_uri';
  access_log "{log}" paths;
  types {{ text/html html; text/plain txt; }}
  charset utf-8; keepalive_requests 1000000; sendfile on; tcp_nopush on;
  server {{ listen {LOOPBACK}:{port}; root "{folder.resolve()}"; }}
}}
""",
        encoding="utf-8",
    )
    return file


async def _serve_files(files: Mapping[str, bytes], lines: TextIO, port: int) -> None:
    """Answer with files that are in memory: no more than a crawl needs."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError), contextlib.closing(writer):
            while request := await reader.readuntil(b"\r\n\r\n"):
                path = request.split(b" ", 2)[1].decode("ascii")
                status, body = (200, files[path]) if path in files else (404, b"no such page\n")
                media = "text/html" if path.endswith(".html") else "text/plain"
                head = f"HTTP/1.1 {status} -\r\nContent-Type: {media}; charset=utf-8\r\nContent-Length: {len(body)}"
                lines.write(f"{status} {path}\n")
                writer.write(head.encode() + b"\r\n\r\n" + body)
                await writer.drain()

    stopped = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopped.set)
    await asyncio.start_server(answer, LOOPBACK, port)
    await stopped.wait()


def _serve_journals(lines: TextIO, port: int) -> None:
    """Serve the bundled journals without their faults."""
    from medharvest.demo import serve

    # The signal only sets a switch: `timeout` sends it twice, and a second one must not cut the log short.
    stopped = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopped.set())
    with serve({}, port=port) as server:
        stopped.wait()
        lines.writelines(f"{request.status} {request.path}\n" for request in server.log)


if __name__ == "__main__":
    main()
