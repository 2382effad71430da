"""Targets that take files: one file per issue and delivery, in any format, written completely or not at all."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from medharvest.atomic_file import replace_file
from medharvest.deliver.parcels import Batch, DeliveryState, Parcel, Receipt, payload_digest, receipts_for_batch
from medharvest.errors import DeliveryError
from medharvest.formats import Format
from medharvest.records import Citation

FILE_NAME_PATTERN = "{journal}_{volume}_{issue}_{digest}"
_MAX_NAME_PART = 9  # characters per part of a file name: PubMed accepts at most 32, suffix included
_PATTERN_FIELDS = ("journal", "volume", "issue", "year", "digest")
_NOT_IN_FILE_NAMES = re.compile(r"[^A-Za-z0-9-]+")
_JOURNAL_END = "</Journal>\n"


class PutFile(Protocol):
    """Put a file somewhere under its name, so that no one ever sees half of it."""

    def __call__(self, name: str, body: bytes) -> None:
        """Put the file; raise `OSError` if that fails."""
        ...


class FileTarget:
    """Files of one format, one per issue and delivery; the name has a digest, so that no file replaces another."""

    lists = False

    def __init__(
        self, form: Format, put: PutFile, *, pattern: str = "", close: Callable[[], None] = lambda: None
    ) -> None:
        self.format = form.name
        self.close = close
        self._form = form
        self._put = put
        self._pattern = check_name_pattern(pattern or FILE_NAME_PATTERN)

    def encode(self, article: int, citation: Citation) -> bytes:  # noqa: ARG002  (files do not contain our numbers)
        """Encode a file of this record alone."""
        return _encode_file(self._form, [citation])

    def pack(self, parcels: Sequence[Parcel]) -> Iterator[Batch]:
        """Make one file per issue; a record that PubMed already has is marked as a replacement."""
        issues: dict[tuple[str, str, str], list[Parcel]] = {}
        for parcel in parcels:
            one = parcel.citation
            issues.setdefault((one.journal or one.abbreviation, one.volume, one.issue), []).append(parcel)
        for group in issues.values():
            body = _mark_replacements(group) if self.format == "pubmed" else b""
            body = body or _encode_file(self._form, [parcel.citation for parcel in group])
            yield Batch(self._name(group[0].citation, body), tuple(group), body)

    def send(self, batch: Batch) -> tuple[Receipt, ...]:
        """Put the file."""
        try:
            self._put(batch.name, batch.body)
        except OSError as error:
            return receipts_for_batch(
                batch, DeliveryState.FAILED, error.strerror or str(error) or type(error).__name__, again=True
            )
        return receipts_for_batch(batch, DeliveryState.SENT, batch.name)

    def _name(self, citation: Citation, body: bytes) -> str:
        parts = {
            "journal": citation.abbreviation or citation.journal,
            "volume": citation.volume,
            "issue": citation.issue,
            "year": citation.date[:4],
            "digest": payload_digest(body)[:6],
        }
        filled = self._pattern.format(**{name: _clean_name_part(text) for name, text in parts.items()})
        return re.sub(r"([_-])[_-]+", r"\1", filled).strip("_-") + self._form.suffix


def check_name_pattern(pattern: str) -> str:
    """Return a pattern for file names, or raise: it needs `{digest}`, and may have the other fields but no folder."""
    with suppress(KeyError, ValueError, IndexError, AttributeError):
        shown = pattern.format(**dict.fromkeys(_PATTERN_FIELDS, "x"))
        if "{digest}" in pattern and re.fullmatch(r"[A-Za-z0-9._-]+", shown) and not shown.startswith("."):
            return pattern
    fields = ", ".join(f"{{{name}}}" for name in _PATTERN_FIELDS)
    hint = f"use letters, digits, `_`, `-` and {fields}; {{digest}} is required"
    raise DeliveryError(f"not a valid pattern for file names: {pattern}", target=pattern, hint=hint)


def _clean_name_part(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return _NOT_IN_FILE_NAMES.sub("", plain)[:_MAX_NAME_PART]


def _encode_file(form: Format, citations: Sequence[Citation]) -> bytes:
    return "".join(form.write(citations)).encode("utf-8", "replace")


def _mark_replacements(parcels: Sequence[Parcel]) -> bytes:
    """Write publisher XML in which records with a PMID replace those of PubMed; empty if none has a PMID."""
    if not any(_pmid_of_parcel(parcel) for parcel in parcels):
        return b""
    head, end = "<ArticleSet>\n", "</ArticleSet>\n"
    texts = [parcel.body.decode() for parcel in parcels]
    articles = [text.partition(head)[2].removesuffix(end) for text in texts]
    marked = [
        article.replace(
            _JOURNAL_END, f'{_JOURNAL_END}<Replaces IdType="pubmed">{_pmid_of_parcel(parcel)}</Replaces>\n', 1
        )
        if _pmid_of_parcel(parcel)
        else article
        for article, parcel in zip(articles, parcels, strict=True)
    ]
    return (texts[0].partition(head)[0] + head + "".join(marked) + end).encode()


def _pmid_of_parcel(parcel: Parcel) -> str:
    return parcel.remote_id if re.fullmatch(r"[1-9][0-9]{0,8}", parcel.remote_id) else ""


def make_folder_writer(folder: Path) -> PutFile:
    """Make a function that puts files into a folder: under a temporary name, flushed to disk, then renamed."""

    def put(name: str, body: bytes) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        with replace_file(folder / name, durable=True) as temporary:
            temporary.write_bytes(body)

    return put
