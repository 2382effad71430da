"""Teach a journal its layout: pages whose values are known to lessons in the store, and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medharvest import json_text
from medharvest.errors import InputError
from medharvest.pages import parse_page
from medharvest.records import LabelledZone, Page
from medharvest.run.inputs import Source, load
from medharvest.run.taught import Lesson, teach_pages
from medharvest.run.teaching import make_known
from medharvest.settings import Read, Settings
from medharvest.zones import label_zones
from medharvest.zones.known import Known, known_from_row
from medharvest.zones.modern import apply_template, make_template
from medharvest.zones.segment import segment_all

if TYPE_CHECKING:
    from medharvest.store import Store

KnownPage = tuple[str, Page, Known]  # with its name, and the values to be found on it
Lessons = Mapping[str, Sequence[Lesson]]  # by the journal they were taught of
_ENDINGS = ("", ".html", ".htm", ".pdf")  # of a file that a line names by `id`


@dataclass(frozen=True, slots=True)
class Learnt:
    """What one page taught: which of the four labels were found on it, and which of its values were not."""

    page: str
    labels: tuple[str, ...]
    missed: tuple[str, ...]


def learn_zones(
    store: Store, journal: str, rows: Iterable[Mapping[str, Any]], folder: Path, limits: Read
) -> tuple[Learnt, ...]:
    """Teach a journal by lines of truth and the pages they are about; a page taught again replaces what it taught."""
    return teach(store, journal, [_known_page(row, folder, limits) for row in rows])


def teach(store: Store, journal: str, pages: Sequence[KnownPage]) -> tuple[Learnt, ...]:
    """Keep what pages teach of a journal's layout; a journal that is not there is made."""
    make_known(store, journal)
    before = [lesson.layout for lesson in lessons_of(store, journal)]
    lessons = teach_pages([(page, known) for _, page, known in pages], before=before)
    store.teach_layouts(journal, {lesson.layout.page: json_text.dump(lesson) for lesson in lessons})
    return tuple(_learnt(name, known, lesson) for (name, _, known), lesson in zip(pages, lessons, strict=True))


def open_lessons(journals: Iterable[str], settings: Settings) -> Lessons:
    """What was taught of the layouts of journals; without a journal the store stays closed."""
    named = {name for name in journals if name}
    if not named:
        return {}
    from medharvest.store import open_store  # a driver and its tables: only where a journal is named

    with open_store(settings.store) as store:
        return {name: lessons_of(store, name) for name in named}


def lessons_of(store: Store, journal: str) -> tuple[Lesson, ...]:
    """What pages taught of a journal's layout."""
    return tuple(json_text.load(Lesson, text) for text in store.layouts(journal))


def load_truth(file: Path, *, limits: Read | None = None) -> tuple[Mapping[str, Any], ...]:
    """Read lines of truth: JSON objects with `id` or `file` and the known fields."""
    body = load(file, name=str(file), max_bytes=(limits or Read()).max_bytes)
    return tuple(_row(file, number, line) for number, line in enumerate(body.split(b"\n"), 1) if line.strip())


def label_page(page: Page, lessons: Sequence[Lesson] = ()) -> tuple[LabelledZone, ...]:
    """The labelled zones of a page, by what was taught of its journal where anything was."""
    labelled = label_zones(page)
    if not lessons:
        return labelled
    return apply_template(segment_all(page), labelled, make_template(lesson.layout for lesson in lessons))


def _known_page(row: Mapping[str, Any], folder: Path, limits: Read) -> KnownPage:
    source = _source(str(row.get("file") or row["id"]), folder)
    body = load(Path(source.path), name=source.name, max_bytes=limits.max_bytes)
    page = parse_page(body, url=source.url, charset=source.encoding, name=source.name)
    return source.name, page, known_from_row(row)


def _source(name: str, folder: Path) -> Source:
    if Path(name).is_absolute() or ".." in Path(name).parts:
        raise InputError(f"not in the folder of pages: {name}", name=name, hint="truth names files below --pages")
    found = (folder / f"{name}{ending}" for ending in _ENDINGS)
    return replace(Source(name), path=str(next((path for path in found if path.is_file()), folder / name)))


def _row(file: Path, number: int, line: bytes) -> Mapping[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict) or not isinstance(row.get("file") or row.get("id"), str):
        hint = 'each line is {"id" or "file": "…", "title": "…", "authors": […], "affiliations": […], "abstract": "…"}'
        raise InputError(f"truth line is wrong: {file}:{number}", name=str(file), hint=hint)
    return row


def _learnt(name: str, known: Known, lesson: Lesson) -> Learnt:
    labels = lesson.layout.labels
    return Learnt(name, labels, tuple(label for label, values in known.items() if values and label not in labels))
