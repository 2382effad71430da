"""Citations to files, whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from medharvest.citations import Format
from medharvest.errors import FormatError, OutputError
from medharvest.fields import OF_JOURNAL
from medharvest.records import Citation


def write_citations(citations: Sequence[Citation], form: Format, path: Path) -> tuple[Citation, ...]:
    """Write the records a format can hold; return those it cannot. Raise if none is left."""
    fit, unfit = split_by_fit(citations, form)
    write_file(path, pieces_of(fit, form))
    return unfit


def split_by_fit(
    citations: Iterable[Citation], form: Format, *, empty: str = "harvest an issue first"
) -> tuple[tuple[Citation, ...], tuple[Citation, ...]]:
    """The records a format can hold and those that lack something it demands; `empty` is the hint for none at all.

    What only the journal lacks does not count where the format has a draft.
    """
    fit: list[Citation] = []
    unfit: list[Citation] = []
    for citation in citations:
        (unfit if _lacks(citation, form) else fit).append(citation)
    if not fit:
        lacking = sorted({name for citation in unfit for name in form.lacks(citation)})
        why = f"each lacks {', '.join(lacking)}" if unfit else "there are none"
        raise FormatError(
            f"no record for {form.name}: {why}",
            format=form.name,
            hint="export ris or jsonl, which take every record" if unfit else empty,
        )
    return tuple(fit), tuple(unfit)


def _lacks(citation: Citation, form: Format) -> tuple[str, ...]:
    return tuple(name for name in form.lacks(citation) if not (form.draft and name in OF_JOURNAL))


def pieces_of(citations: Sequence[Citation], form: Format) -> Iterator[str]:
    """The file piece by piece: a draft where what is known of a journal would not do to deliver it."""
    return form.draft(citations) if form.draft and draft_note(citations, form) else form.write(citations)


def draft_note(citations: Iterable[Citation], form: Format) -> str:
    """Why a file is a draft and what the user can do about it; empty where it is none."""
    for citation in citations:
        lacking = [name for name in OF_JOURNAL if name in form.lacks(citation)]
        if lacking:
            return f"{journal_wants(citation, lacking, form)}; hint: {set_journal(citation, lacking)}"
    return ""


def journal_wants(citation: Citation, lacking: Sequence[str], form: Format) -> str:
    """What a format wants to know of a record's journal, as a sentence."""
    name = citation.journal or citation.abbreviation or "a journal without a name"
    *most, last = lacking
    return f"{form.name} wants the {', '.join(most)}{' and ' if most else ''}{last} of {name}"


def set_journal(citation: Citation, lacking: Sequence[str]) -> str:
    """The command that tells it."""
    name = citation.journal or citation.abbreviation or "JOURNAL"
    return f'medharvest journals set "{name}" {" ".join(f"--{option} …" for option in lacking)}'


def write_file(path: Path, pieces: Iterable[str]) -> None:
    """Write a text file under a temporary name, then rename it: a reader never sees half of it."""
    make_folder(path.parent)
    try:
        if path.is_dir():
            raise OutputError(f"is a folder: {path}", path=str(path), hint="name a file in it")
        if path.exists() and not path.is_file():  # a device or pipe is written to, never replaced
            _write_text(path, pieces)
        else:
            _write_and_rename(path, pieces)
    except OSError as error:
        raise _unwritable(path, error) from error


def _write_and_rename(path: Path, pieces: Iterable[str]) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        _write_text(temporary, pieces)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _write_text(path: Path, pieces: Iterable[str]) -> None:
    # Half a surrogate pair, which a page's scripts can spell, has no UTF-8 form and becomes `?`.
    with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
        file.writelines(pieces)


def write_bytes(path: Path, body: bytes) -> None:
    """Write a file of bytes, its folder made as needed."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    except OSError as error:
        raise _unwritable(path, error) from error


def make_folder(path: Path) -> Path:
    """Make a folder that can be written to, or raise."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(path, error) from error
    if not os.access(path, os.W_OK):
        raise OutputError(f"folder cannot be written: {path}", path=str(path), hint="choose a folder of your own")
    return path


def _unwritable(path: Path, error: OSError) -> OutputError:
    return OutputError(f"cannot be written: {path}", path=str(path), hint=error.strerror or str(error))
