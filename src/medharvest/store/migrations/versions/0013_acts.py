"""Add what ties acts together, which stood in the reasons of their changes."""

from __future__ import annotations

import re

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

_REASONS = sa.text(
    "SELECT DISTINCT batch, reason FROM change "
    "WHERE reason LIKE 'taught by %' OR reason LIKE 'undo of %' OR reason LIKE 'labelled %' ORDER BY batch"
)
_ROW = sa.text("INSERT INTO act (batch, caused_by, undoes, page) VALUES (:batch, :caused_by, :undoes, :page)")
_BY_ACT = sa.text("UPDATE layout SET earlier = '' WHERE page IN (SELECT page FROM act WHERE page <> '')")
_TIE = re.compile(r"taught by (?P<caused_by>[0-9]{1,10})|undo of (?P<undoes>[0-9]{1,10})|labelled .* on (?P<page>\S+)")


def upgrade() -> None:
    """Create the table and fill it from what older versions wrote."""
    op.create_table(
        "act",
        sa.Column("batch", sa.Integer, nullable=False, autoincrement=False, comment="that the changes of the act have"),
        sa.Column("caused_by", sa.Integer, comment="batch of the act that taught what this one did to other records"),
        sa.Column("undoes", sa.Integer, comment="batch of the act that this one takes back"),
        sa.Column(
            "page", sa.Text, nullable=False, comment="digest of the page whose lesson the act taught; empty where none"
        ),
        sa.PrimaryKeyConstraint("batch", name="pk_act"),
        sa.CheckConstraint("batch > 0", name="ck_act_batch"),
        sa.CheckConstraint("caused_by > 0 AND caused_by < batch", name="ck_act_caused_by"),
        sa.CheckConstraint("undoes > 0 AND undoes < batch", name="ck_act_undoes"),
        comment="acts that are tied to other acts or to a page; most are not",
    )
    op.create_index("ix_act_caused_by", "act", ["caused_by"])
    op.create_index("ix_act_undoes", "act", ["undoes"])
    note = "what the page taught before an act taught it; empty for nothing, null where no act did"
    op.add_column("layout", sa.Column("earlier", sa.Text, comment=note))
    connection = op.get_bind()
    rows = {row["batch"]: row for row in map(_tied, connection.execute(_REASONS)) if row}
    if rows:
        connection.execute(_ROW, list(rows.values()))
        connection.execute(_BY_ACT)


def _tied(row: sa.Row[tuple[int, str]]) -> dict[str, object] | None:
    """The ties that a reason tells of; None for the words of a person that only begin alike."""
    found = _TIE.fullmatch(row.reason)
    numbers = {name: int(found[name]) for name in ("caused_by", "undoes") if found and found[name]}
    if not found or not all(0 < number < row.batch for number in numbers.values()):
        return None
    return {"batch": row.batch, "caused_by": None, "undoes": None, "page": found["page"] or "", **numbers}
