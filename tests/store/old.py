"""Stores as each older medharvest left them: made by the migrations up to its revision, filled as it filled them."""

from __future__ import annotations

import json

from sqlalchemy import Connection, text

from medharvest.records import Citation, to_json
from medharvest.store import opening, schema
from medharvest.store.identity import NAMES, key_values, keys_of

AT = "2025-01-01T00:00:00Z"
EBB = Citation(title="Ebb", journal="Shore", volume="2", issue="4", date="2024-03", doi="10.5555/ebb")
LATER = Citation(title="Ebb", journal="Shore", volume="2", issue="4", date="2024-03", doi="10.5555/ebb", pmid="7")
FLOOD = Citation(title="Flood", journal="x" * 900, volume="v" * 900)
EXAMPLE = '{"page":"p","index":0,"article":true}'
ROWS = {
    "0001": (
        f"INSERT INTO run VALUES (1, 'u', 'f', 'running', '{AT}', NULL, '{{}}', 7)",
        "INSERT INTO node VALUES (1, 1, 'u', 'pdf', '', 0, '', 'closed', 1, 1, 0, NULL, '')",
        f"INSERT INTO page VALUES (1, 1, 5, 'u', 'pdf', 200, 'd', 9, '{AT}', '{AT}', '', '')",
    ),
    "0002": (
        f"INSERT INTO journal (name, title, issn, hosts, policy, created) VALUES ('tides', '', '', '', '', '{AT}')",
        f"""INSERT INTO link_example SELECT id, 1, 'p', '', '{EXAMPLE}', '{AT}' FROM journal""",
    ),
    "0003": (f"INSERT INTO layout SELECT id, 'd', 'lesson', '{AT}' FROM journal",),
    "0004": (
        f"INSERT INTO journal_title VALUES ('user', 1, 'Shore', 'Sh', '', '', '', '', '{AT}')",
        "INSERT INTO journal_key VALUES ('shore', 'user', 1)",
    ),
}


def make(url: str, revision: str) -> None:
    """Make a store of a revision with rows in each of its tables."""
    place = opening._parse(url)
    backend = opening.BACKENDS[place.get_backend_name()]
    engine = backend.make_engine(place)
    with backend.migrating(engine) as connection:
        schema.upgrade(connection, to=revision)
        for step in sorted(ROWS):
            if step <= revision:
                for statement in ROWS[step]:
                    connection.exec_driver_sql(statement)
        _save(connection, 1, [EBB, LATER])
        _save(connection, 2, [FLOOD])
    engine.dispose()


def _save(connection: Connection, number: int, readings: list[Citation]) -> None:
    """An article and its trail as they were written up to revision 0004: whole records, before and after."""
    texts = [json.dumps(to_json(reading)) for reading in readings]
    row = dict(zip(NAMES, key_values(keys_of(readings[-1])), strict=True))
    row |= {"journal": readings[-1].journal.lower(), "volume": readings[-1].volume}
    row |= {"citation": texts[-1], "created": AT, "updated": AT}
    columns = ", ".join(row)
    marks = ", ".join(f":{name}" for name in row)
    connection.execute(text(f"INSERT INTO article ({columns}) VALUES ({marks})"), row)
    connection.execute(text("INSERT INTO article_run (run, article) VALUES (1, :n)"), {"n": number})
    for before, after in zip([None, *texts], texts, strict=False):
        line = {"at": AT, "who": "medharvest", "article": number, "before": before, "after": after}
        query = "INSERT INTO change (at, who, article, before, after) VALUES (:at, :who, :article, :before, :after)"
        connection.execute(text(query), line)
