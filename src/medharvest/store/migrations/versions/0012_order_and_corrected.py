"""Note the place of each article among those of a run, and let corrected articles be found by an index."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the place and the indexes; articles of earlier runs have none and come in the order they were saved."""
    corrected = sa.text("state = 'corrected'")
    note = "place among those of the run, 0 where not noted"
    op.add_column("article_run", sa.Column("n", sa.Integer, nullable=False, server_default="0", comment=note))
    op.create_index("ix_article_run_n", "article_run", ["run", "n", "article"])
    op.create_index("ix_value_corrected", "value", ["article"], sqlite_where=corrected, postgresql_where=corrected)
