"""One act: articles written together, every change of them in the log under one batch; the only way to write one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, bindparam, select, update

from medharvest.json_text import dump
from medharvest.records import Citation
from medharvest.store import changes, documents, values, zones
from medharvest.store.changes import NO_TIES, Ties
from medharvest.store.contents import Content, Step, steps
from medharvest.store.identity import NAMES, Keys, key_values
from medharvest.store.issues import Issues
from medharvest.store.rows import Status, plain
from medharvest.store.tables import article, change
from medharvest.store.transactions import insert_rows, next_numbers


class Act:
    """What somebody does to articles in one transaction."""

    def __init__(self, connection: Connection, *, who: str, at: str, reason: str = "", ties: Ties = NO_TIES) -> None:
        self._connection = connection
        self.at = at
        self.batch = changes.next_batch(connection)
        self._who = plain(who)
        self._reason = plain(reason)
        self._ties = ties
        self._issues = Issues(connection)

    def add(self, new: Sequence[tuple[Keys, Content]]) -> list[int]:
        """Make articles; their numbers, in the same order."""
        if not new:
            return []
        ids = next_numbers(self._connection, article, len(new))
        told = [steps(None, content) for _, content in new]
        issues = self._issues.numbers([(keys, content.citation) for keys, content in new])
        rows = (
            (id_, *key_values(keys), first[0].after, self.at, self.at, content.status.value, 1, self.batch, issue)
            for id_, (keys, content), first, issue in zip(ids, new, told, issues, strict=True)
        )
        insert_rows(self._connection, article, rows)
        self._note(zip(ids, told, strict=True))
        values.write(self._connection, zip(ids, (content for _, content in new), strict=True))
        zones.note(self._connection, (content.citation for _, content in new), at=self.at)
        documents.add(self._connection, zip(ids, (content.citation for _, content in new), strict=True))
        return ids

    def change(self, id_: int, keys: Keys, before: Content, after: Content) -> bool:
        """Change an article; whether there was anything to change."""
        told = steps(before, after)
        if not told:
            return False
        row = {"wanted": id_, "updated": self.at, "status": after.status.value, "changed": self.batch}
        if before.citation != after.citation:  # most acts only judge it
            row |= {"citation": dump(after.citation), "issue_id": self._issues.number(after.citation, keys)}
            row |= zip(NAMES, key_values(keys), strict=True)
        self._connection.execute(_UPDATE, row)
        self._note([(id_, told)])
        values.rewrite(self._connection, id_, after)
        if before.citation.evidence != after.citation.evidence:
            zones.note(self._connection, [after.citation], at=self.at)
        if _shown(before) != _shown(after):
            documents.change(self._connection, id_, _shown(after))
        return True

    def _note(self, told: Iterable[tuple[int, Sequence[Step]]]) -> None:
        """Add lines to the log; an act without any has no ties either."""
        rows = (
            (self.at, self._who, id_, step.field, step.before, step.after, self._reason, self.batch)
            for id_, all_ in told
            for step in all_
        )
        insert_rows(self._connection, change, rows, but=("id",))
        if self._ties != NO_TIES:
            changes.tie(self._connection, self.batch, self._ties)
            self._ties = NO_TIES


def _shown(content: Content) -> Citation | None:
    """What search finds of an article."""
    return None if content.status is Status.DELETED else content.citation


# An article by its number, and its change, which sets the columns that it is given, too.
ARTICLE = select(article).where(article.c.id == bindparam("wanted"))
_UPDATE = update(article).where(article.c.id == bindparam("wanted")).values(version=article.c.version + 1)
