"""Note with each delivery where its target was, because a name may be given to another target later."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

_COPY = """INSERT INTO delivery (target, address, article, digest, state, remote_id, n, at, detail)
    SELECT target, '', article, digest, state, remote_id, n, at, detail FROM delivery_before"""


def upgrade() -> None:
    """Rebuild the table, whose key has one more column; where earlier deliveries went is not known."""
    op.drop_index("ix_delivery_n", "delivery")
    op.drop_index("ix_delivery_article", "delivery")
    if op.get_bind().dialect.name == "postgresql":  # there the name of a key belongs to the whole schema
        op.drop_constraint("pk_delivery", "delivery", type_="primary")
    op.rename_table("delivery", "delivery_before")
    _create_table()
    op.execute(_COPY)
    op.drop_table("delivery_before")
    op.create_index("ix_delivery_n", "delivery", ["n"], unique=True)
    op.create_index("ix_delivery_article", "delivery", ["article"])


def _create_table() -> None:
    said = "what the target calls it, such as a PMID; empty where nothing"
    where = "digest of the address of the target; empty where not known"
    order = "counts the changes of all rows, in the order they were made"
    op.create_table(
        "delivery",
        sa.Column("target", sa.Text, nullable=False, comment="name of the target, as the user calls it"),
        sa.Column("address", sa.Text, nullable=False, comment=where),
        sa.Column("article", sa.Integer, nullable=False),
        sa.Column("digest", sa.Text, nullable=False, comment="sha256 of the record in the form the target takes"),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("remote_id", sa.Text, nullable=False, comment=said),
        sa.Column("n", sa.Integer, nullable=False, comment=order),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("detail", sa.Text, nullable=False, comment="what the target said"),
        sa.PrimaryKeyConstraint("target", "address", "article", name="pk_delivery"),
        sa.ForeignKeyConstraint(["article"], ["article.id"], name="fk_delivery_article"),
        sa.CheckConstraint("state IN ('sent', 'refused', 'failed', 'deleted')", name="ck_delivery_state"),
        sa.CheckConstraint("length(target) > 0", name="ck_delivery_target"),
        sa.CheckConstraint("length(address) = 0 OR length(address) = 64", name="ck_delivery_address"),
        sa.CheckConstraint("length(digest) = 64", name="ck_delivery_digest"),
        sa.CheckConstraint("length(at) = 20", name="ck_delivery_times"),
        comment="what was last sent of each article to each target",
    )
