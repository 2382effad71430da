"""One act: articles written together, every change of them in the log under one batch; the only way to write one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict

from sqlalchemy import Connection, update

from medharvest.store import changes, documents, values, zones
from medharvest.store.contents import Content, Step, steps
from medharvest.store.identity import Keys, key_values
from medharvest.store.issues import Issues
from medharvest.store.rows import Status, dump, plain
from medharvest.store.tables import article, change
from medharvest.store.transactions import insert_rows, next_numbers


class Act:
    """What somebody does to articles in one transaction."""

    def __init__(self, connection: Connection, *, who: str, at: str, reason: str = "") -> None:
        self._connection = connection
        self._at = at
        self.batch = changes.next_batch(connection)
        self._who = plain(who)
        self._reason = plain(reason)
        self._issues = Issues(connection)

    def add(self, new: Sequence[tuple[Keys, Content]]) -> list[int]:
        """Make articles; their numbers, in the same order."""
        ids = next_numbers(self._connection, article, len(new)) if new else []
        told = [steps(None, content) for _, content in new]
        issues = [self._issues.number(content.citation, keys) for keys, content in new]
        rows = [
            (id_, *key_values(keys), first[0].after, self._at, self._at, content.status.value, 1, self.batch, issue)
            for id_, (keys, content), first, issue in zip(ids, new, told, issues, strict=True)
        ]
        insert_rows(self._connection, article, rows)
        self._note(zip(ids, told, strict=True))
        values.write(self._connection, zip(ids, (content for _, content in new), strict=True))
        zones.note(self._connection, (content.citation for _, content in new), at=self._at)
        documents.add(self._connection, zip(ids, (content.citation for _, content in new), strict=True))
        return ids

    def change(self, id_: int, keys: Keys, before: Content, after: Content) -> bool:
        """Change an article; whether there was anything to change."""
        told = steps(before, after)
        if not told:
            return False
        row = asdict(keys) | {"citation": dump(after.citation), "updated": self._at, "status": after.status.value}
        row |= {"changed": self.batch, "issue_id": self._issues.number(after.citation, keys)}
        self._connection.execute(
            update(article).where(article.c.id == id_).values(**row, version=article.c.version + 1)
        )
        self._note([(id_, told)])
        values.rewrite(self._connection, id_, after)
        if before.citation.evidence != after.citation.evidence:
            zones.note(self._connection, [after.citation], at=self._at)
        documents.change(self._connection, id_, None if after.status is Status.DELETED else after.citation)
        return True

    def _note(self, told: Iterable[tuple[int, Sequence[Step]]]) -> None:
        """Add lines to the log."""
        rows = [
            (self._at, self._who, id_, step.field, step.before, step.after, self._reason, self.batch)
            for id_, all_ in told
            for step in all_
        ]
        insert_rows(self._connection, change, rows, but=("id",))
