"""Concepts of a file that a user names: a text, or an article page by its title and abstract."""

from __future__ import annotations

from pathlib import Path

from medharvest.errors import InputError
from medharvest.run.read import read_bytes
from medharvest.settings import Read
from medharvest.topics import FoundConcept, ListedVocabulary, Vocabulary, find_concepts

_LOOK = 2048
_PAGE_MARKS = (b"<html", b"<!doctype html", b"<head", b"<body", b"<article", b"<meta")


def concepts_of_file(
    path: Path, vocabulary: Vocabulary, *, settings: Read, limit: int = 20
) -> tuple[FoundConcept, ...]:
    """The concepts that a file speaks of; of a text file the first line is the title."""
    if not isinstance(vocabulary, ListedVocabulary):
        raise InputError(
            f"vocabulary {vocabulary.name} cannot be looked for in a text",
            name=vocabulary.name,
            hint="use --vocabulary embedded, or a file",
        )
    title, text = _parts(_body(path, settings.max_bytes), path, settings)
    return find_concepts(text, vocabulary, title=title, limit=limit)


def _parts(body: bytes, path: Path, settings: Read) -> tuple[str, str]:
    head = body[:_LOOK].lower()
    if body.startswith(b"%PDF") or any(mark in head for mark in _PAGE_MARKS):
        citation = read_bytes(body, name=str(path), settings=settings)
        return citation.title, citation.abstract
    title, _, text = body.decode("utf-8", "replace").strip().partition("\n")
    return title, text


def _body(path: Path, limit: int) -> bytes:
    try:
        with path.open("rb") as file:
            body = file.read(limit + 1)
    except OSError as error:
        raise InputError(f"cannot be read: {path}", name=str(path), hint=error.strerror or str(error)) from error
    if len(body) > limit:
        raise InputError(f"too large: {path}", name=str(path), hint=f"the limit is {limit:,} bytes")
    return body
