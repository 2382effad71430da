"""A correction and what it teaches, kept or taken back in one transaction: lesson, journal, records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from medharvest.records import Citation
from medharvest.store import articles, changes, journals, templates
from medharvest.store.acts import Act
from medharvest.store.changes import Ties
from medharvest.store.judging import Desk


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLesson:
    """What a page, named by its digest, teaches a journal; the journal gets the host.

    A journal that is new is made; one without ISSNs gets these. A page without a text teaches nothing any more.
    """

    journal: str
    host: str
    page: str
    text: str
    issn: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Teaching:
    """What a corrected record teaches, as somebody saw it before: `versions` are those of all its articles then.

    `values` are corrected with it; where they are none, `act` is the act that did so before. `others` are other records
    as the lesson makes them.
    """

    article: int
    values: Mapping[str, Any]
    act: int
    lesson: PageLesson
    others: Mapping[int, Citation]
    versions: Mapping[int, int]


def teach(connection: Connection, teaching: Teaching, *, who: str, at: str, reason: str, url: str) -> int:
    """Keep what a record teaches; the act that taught it, by which all of it is undone."""
    act = Act(connection, who=who, at=at, reason=reason, ties=Ties(page=teaching.lesson.page))
    desk = Desk(connection, act, url=url)
    desk.require(teaching.versions)
    if teaching.values:
        desk.correct(teaching.article, teaching.values, who=who, version=None)
    else:
        changes.tie_page(connection, teaching.act, teaching.lesson.page)
    _keep(connection, teaching.lesson, at=at)
    cause = act.batch if teaching.values else teaching.act
    why = f"taught by article {teaching.article}"
    caused = Act(connection, who=who, at=at, reason=why, ties=Ties(caused_by=cause))
    for number, citation in teaching.others.items():
        articles.rewrite(connection, caused, number, citation)
    return cause


def take_back(
    connection: Connection, batch: int, act: Act, *, lesson: PageLesson | None, versions: Mapping[int, int], url: str
) -> None:
    """Take back an act and all it caused; the page it taught teaches another lesson, or none.

    Without a lesson, what the page teaches stays where another act that taught it stands.
    """
    taught = changes.taught_page(connection, batch)
    desk = Desk(connection, act, url=url)
    desk.require(versions)
    desk.undo(batch)
    if taught is not None and (lesson is not None or not taught.stands):
        templates.unteach(connection, taught.page)
    if lesson is not None and lesson.text:
        _keep(connection, lesson, at=act.at)


def _keep(connection: Connection, lesson: PageLesson, *, at: str) -> None:
    id_ = journals.make_known(connection, lesson.journal, lesson.host, issn=lesson.issn, at=at)
    templates.teach_by_act(connection, id_, lesson.page, lesson.text, at=at)
