"""Stores as each older medharvest left them: made by the migrations up to its revision, filled as it filled them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from sqlalchemy import Connection, text

from medharvest.codec import to_json
from medharvest.records import Citation
from medharvest.store import database
from medharvest.store.backends import BACKENDS
from medharvest.store.identity import KEY_NAMES, article_key_values, article_keys_of

AT = "2025-01-01T00:00:00Z"
EBB = Citation(title="Ebb", journal="Shore", volume="2", issue="4", date="2024-03", doi="10.5555/ebb")
LATER = Citation(title="Ebb", journal="Shore", volume="2", issue="4", date="2024-03", doi="10.5555/ebb", pmid="7")
FLOOD = Citation(title="Flood", journal="x" * 900, volume="v" * 900)
EXAMPLE = '{"page":"p","index":0,"article":true}'
# Acts on the second article, from batch 4 on: the language before and after, and a reason that tied them together.
ACTS = (
    ("", "en", "labelled title, author on 9f86d0"),
    ("en", "fr", "taught by 4"),
    ("fr", "en", "undo of 5"),
    ("en", "", "undo of 4"),
    ("", "de", "undo of 99999999999"),
    ("de", "", "taught by hand, labelled nothing"),
)
NUMBERED: Mapping[str, Any] = MappingProxyType({})  # the database numbers the article
WIDE = "0005"  # since then changes are noted field by field
ADDRESSED = "0014"  # since then the address of a target is noted
_UNPLACED, _PLACED = "INTO delivery VALUES ('shelf', ", "INTO delivery VALUES ('shelf', '', "
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
    "0003": (f"INSERT INTO layout (journal, page, lesson, taught) SELECT id, 'd', 'lesson', '{AT}' FROM journal",),
    "0004": (
        f"INSERT INTO journal_title VALUES ('user', 1, 'Shore', 'Sh', '', '', '', '', '{AT}')",
        "INSERT INTO journal_key VALUES ('shore', 'user', 1)",
    ),
    "0005": (
        "INSERT INTO issue (journal, volume, number, title, date) VALUES ('shore', '2', '4', 'Shore', '')",
        "INSERT INTO value VALUES (1, 'title', 0, NULL, '', '', 'zone', 'm', 0.5, 'proposed')",
        f"INSERT INTO zone VALUES ('d', 'html[1]', 'title', 0.5, 'm', '{AT}')",
    ),
    "0006": (
        f"INSERT INTO topic_page VALUES (1, 'u', 'Ebb', 'Ebb', 'tides', 0.5, '[]', 1, '{AT}', NULL)",
        "INSERT INTO page_topic VALUES (1, 'tides', 0.5, '[]', 1)",
    ),
    "0007": (f"INSERT INTO search_log (query, at, hits) VALUES ('tides', '{AT}', 1)",),
    "0008": (f"INSERT INTO delivery VALUES ('shelf', 1, '{'d' * 64}', 'sent', '', 1, '{AT}', '')",),
    "0009": (
        f"INSERT INTO person VALUES ('ada', 'reviewer', '', '{AT}', 0)",
        f"INSERT INTO note (article, person, at, text, flag, done) VALUES (1, 'ada', '{AT}', 'Look', 1, 0)",
    ),
    "0010": (
        f"INSERT INTO issue (journal, volume, number, title, date) VALUES ('inlet', '9', '', 'Inlet', '{'2' * 5000}')",
    ),
    "0011": (
        "UPDATE issue SET date = substr(date, 1, 40)",  # no longer one was kept
        *(
            "INSERT INTO change (at, who, article, field, before, after, reason, batch) "
            f"VALUES ('{AT}', 'ada', 2, 'language', '\"{before}\"', '\"{after}\"', '{reason}', {batch})"
            for batch, (before, after, reason) in enumerate(ACTS, 4)
        ),
        f"UPDATE article SET version = {1 + len(ACTS)}, changed = {3 + len(ACTS)} WHERE id = 2",
    ),
    "0012": ("UPDATE article_run SET n = 2 WHERE run = 1",),
    "0013": (f"INSERT INTO delivery VALUES ('shelf', 2, '{'e' * 64}', 'refused', '', 2, '{AT}', 'no')",),
    "0014": (),
    "0015": (f"INSERT INTO keying VALUES (1, 'ada', '{AT}', '{{}}')",),
}


def make(url: str, revision: str, more: Iterable[Citation] = ()) -> None:
    """Make a store of a revision with rows in each of its tables, and more articles if any are given."""
    place = database._parse_store_url(url)
    backend = BACKENDS[place.get_backend_name()]
    engine = backend.make_engine(place)
    with backend.begin_migration(engine) as connection:
        database.upgrade_schema(connection, to=revision)
        for step in [step for step in ROWS if step <= revision]:
            for statement in ROWS[step]:
                shelf = _PLACED if revision >= ADDRESSED else _UNPLACED
                connection.exec_driver_sql(statement.replace(_UNPLACED, shelf))
            if step == "0001":
                _save(connection, 1, [EBB, LATER], revision)
                _save(connection, 2, [FLOOD], revision)
        for number, citation in enumerate(more, 100):  # far from the batches of the acts
            _save(connection, number, [citation], revision, {"id": number})
    engine.dispose()


def _save(
    connection: Connection, number: int, readings: list[Citation], revision: str, own: Mapping[str, Any] = NUMBERED
) -> None:
    """An article and its trail as they were written then: up to 0004 whole records, before and after."""
    texts = [json.dumps(to_json(reading)) for reading in readings]
    row = dict(zip(KEY_NAMES, article_key_values(article_keys_of(readings[-1])), strict=True))
    row |= {"citation": texts[-1], "created": AT, "updated": AT, **own}
    steps: list[dict[str, Any]] = [
        {"before": before, "after": after} for before, after in zip([None, *texts], texts, strict=False)
    ]
    if revision < WIDE:
        row |= {"journal": readings[-1].journal.lower(), "volume": readings[-1].volume}
    else:
        batches = [number + n * 2 for n in range(len(steps))]
        row |= {"status": "proposed", "version": len(steps), "changed": batches[-1]}
        steps = [{**steps[0], "field": ""}, *({"field": "pmid", "before": '""', "after": '"7"'} for _ in steps[1:])]
        steps = [{**step, "reason": "", "batch": batch} for step, batch in zip(steps, batches, strict=True)]
    _insert(connection, "article", row)
    _insert(connection, "article_run", {"run": 1, "article": number})
    for step in steps:
        _insert(connection, "change", {"at": AT, "who": "medharvest", "article": number, **step})


def _insert(connection: Connection, table: str, row: dict[str, Any]) -> None:
    names, marks = ", ".join(row), ", ".join(f":{name}" for name in row)
    connection.execute(text(f"INSERT INTO {table} ({names}) VALUES ({marks})"), row)
