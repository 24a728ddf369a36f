"""The raw limits: the same work with the driver alone, by hand, without a check, an object or a rule."""

import json
import sqlite3
from typing import Any

from tests.bench import stock
from tests.bench.stock import AT, LEAD_COLUMNS

CHANGED = [name for name in LEAD_COLUMNS if name not in ("workspace_id", "list_id", "person", "created_at")]
MERGE = (
    f"INSERT INTO lead ({', '.join(LEAD_COLUMNS)}) SELECT * FROM given WHERE true"
    f" ON CONFLICT (list_id, person) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in CHANGED)}"
)
PAGE = (
    "SELECT id, public_id, profile_url, first_name, last_name, headline, position, company_name, company_url,"
    " location, image_url, email, phone, tags, custom_fields, created_at FROM lead"
    " WHERE list_id = ? AND id > ? ORDER BY id LIMIT ?"
)
NAMES = (
    "id publicId profileUrl firstName lastName headline position companyName companyUrl location imageUrl email phone"
    " tags customFields createdAt"
).split()


def add_leads(connection: sqlite3.Connection, profiles: list[dict[str, Any]], workspace: int, list_id: int) -> None:
    """The profiles are in the list, merged through a temporary table in one transaction."""
    rows = [stock.lead(int(given["publicId"].split("-")[1]), workspace, list_id) for given in profiles]
    connection.execute(f"CREATE TEMP TABLE IF NOT EXISTS given ({', '.join(LEAD_COLUMNS)})")
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("DELETE FROM given")
    connection.executemany(f"INSERT INTO given VALUES ({', '.join('?' * len(LEAD_COLUMNS))})", rows)
    connection.execute(MERGE)
    connection.execute("UPDATE lead_list SET lead_count = lead_count + ? WHERE id = ?", (len(rows) // 2, list_id))
    connection.execute("COMMIT")


def page(connection: sqlite3.Connection, list_id: int, after: int, limit: int) -> bytes:
    """A page of leads as JSON."""
    rows = connection.execute(PAGE, (list_id, after, limit)).fetchall()
    leads = []
    for row in rows:
        lead = dict(zip(NAMES, row, strict=True))
        lead["tags"], lead["customFields"] = json.loads(row[13]), json.loads(row[14])
        leads.append(lead)
    return json.dumps({"data": leads, "nextCursor": str(rows[-1][0]) if rows else ""}, ensure_ascii=False).encode()


STEPS = """
CREATE TABLE step (id INTEGER PRIMARY KEY, sender INTEGER, state TEXT, due_at TEXT, sent INTEGER);
CREATE INDEX ix_step ON step (state, due_at);
CREATE TABLE log (id INTEGER PRIMARY KEY, sequence INTEGER UNIQUE, body TEXT, at TEXT);
CREATE TABLE tally (id INTEGER PRIMARY KEY, sent INTEGER);
INSERT INTO tally VALUES (1, 0);
"""
CLAIM = (
    "UPDATE step SET state = 'taken' WHERE id IN"
    " (SELECT id FROM step WHERE state = 'due' AND due_at <= ? ORDER BY due_at LIMIT ?) RETURNING id"
)
BODY = json.dumps({"type": "invite_sent", "data": {"campaign": {"id": 1}, "lead": {"id": 1, "name": "A" * 200}}})


class Steps:
    """The bare minimum of an engine: claim, do nothing, record result, event, next moment and counter."""

    def __init__(self, connection: sqlite3.Connection, waiting: int) -> None:
        self._connection, self._sequence = connection, 0
        connection.executescript(STEPS)
        connection.execute("BEGIN")
        rows = ((number, number % 1000, "due", f"{AT}{number:09d}", 0) for number in range(waiting))
        connection.executemany("INSERT INTO step VALUES (?, ?, ?, ?, ?)", rows)
        connection.execute("COMMIT")

    def run(self, batches: int, batch: int) -> int:
        """That many batches, each of them one transaction; the number of steps."""
        done = 0
        for _ in range(batches):
            self._connection.execute("BEGIN IMMEDIATE")
            ids = [row[0] for row in self._connection.execute(CLAIM, ("9", batch))]
            first = self._sequence
            self._sequence += len(ids)
            log = [(first + number, BODY, AT) for number in range(len(ids))]
            self._connection.executemany("INSERT INTO log (sequence, body, at) VALUES (?, ?, ?)", log)
            later = [(f"{AT}{first + number:012d}", one) for number, one in enumerate(ids)]
            self._connection.executemany(
                "UPDATE step SET state = 'due', due_at = ?, sent = sent + 1 WHERE id = ?", later
            )
            self._connection.execute("UPDATE tally SET sent = sent + ?", (len(ids),))
            self._connection.execute("COMMIT")
            done += len(ids)
        return done
