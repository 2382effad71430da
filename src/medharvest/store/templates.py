"""Statements about what pages taught of the layout of their journal; a lesson is JSON text that the reader makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import Connection, delete, insert, select, update

from medharvest.store.rows import plain
from medharvest.store.tables import layout

if TYPE_CHECKING:
    from collections.abc import Mapping


def teach(connection: Connection, journal: int, lessons: Mapping[str, str], *, at: str) -> None:
    """Keep the lessons of pages, each by its digest, in place of what the same pages taught before."""
    for page, lesson in lessons.items():
        connection.execute(delete(layout).where(layout.c.journal == journal, layout.c.page == plain(page)))
        row = {"journal": journal, "page": plain(page), "lesson": plain(lesson), "taught": at}
        connection.execute(insert(layout), row)


def teach_by_act(connection: Connection, journal: int, page: str, lesson: str, *, at: str) -> None:
    """Keep the lesson that an act gives a page; what it taught before by other means comes back with `unteach`."""
    where = (layout.c.journal == journal, layout.c.page == plain(page))
    known = connection.execute(select(layout.c.lesson, layout.c.earlier).where(*where)).first()
    earlier = "" if known is None else known.lesson if known.earlier is None else known.earlier
    teach(connection, journal, {page: lesson}, at=at)
    connection.execute(update(layout).where(*where).values(earlier=earlier))


def read(connection: Connection, journal: int) -> tuple[str, ...]:
    """The lessons of a journal's pages, the oldest first."""
    query = select(layout.c.lesson).where(layout.c.journal == journal).order_by(layout.c.taught, layout.c.page)
    return tuple(connection.scalars(query))


def unteach(connection: Connection, page: str) -> None:
    """Remove what acts had a page teach; what it taught before by other means is taught again."""
    own = layout.c.page == plain(page)
    connection.execute(delete(layout).where(own, layout.c.earlier == ""))
    again = update(layout).where(own, layout.c.earlier.is_not(None))
    connection.execute(again.values(lesson=layout.c.earlier, earlier=None))


def forget(connection: Connection, journal: int, page: str = "") -> None:
    """Remove what one page taught of a journal's layout, or all that pages did."""
    only = (layout.c.page == page,) if page else ()
    connection.execute(delete(layout).where(layout.c.journal == journal, *only))
