"""A self-signed certificate."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from pathlib import Path

from tests.needs import lacking


def self_signed(folder: Path) -> ssl.SSLContext:
    """The context of a server that signed its own certificate."""
    program = shutil.which("openssl")
    if program is None:
        lacking("openssl", "no openssl")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    command = [program, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    subprocess.run(
        [*command, "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)],
        check=True,
        capture_output=True,
        timeout=60,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context
