"""Note of a keying which fields its person looked at, which were decided since, and whether it is finished."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

_LOOKED, _DECIDED = "fields the person looked at, by blanks", "fields that were decided since, by blanks"
_COLUMNS = (
    sa.Column("looked", sa.Text, nullable=False, server_default="", comment=_LOOKED),
    sa.Column("decided", sa.Text, nullable=False, server_default="", comment=_DECIDED),
    sa.Column("done", sa.Integer, nullable=False, server_default="1", comment="0 while the person is at it"),
)


def upgrade() -> None:
    """Add the columns; of earlier keyings nobody knows what was looked at, so that they agree on nothing."""
    for column in _COLUMNS:
        op.add_column("keying", column)
