"""A campaign's people in any number, all of them due, spread over many senders on a network that does nothing."""

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from flask import Flask

from app import ports
from app.core.db import db, session
from app.domain.workspace import workspaces
from app.models.accounts import SOCIAL_LIMITS
from app.ports import AccountRef, Answer, Inbound, Receipt, SenderAction
from tests.bench import stock

AT = datetime(2026, 3, 2, 10, tzinfo=UTC)  # a Monday, and everyone works
STAMP = "2026-03-02 09:00:00.000000"
SENDERS_OF_A_CAMPAIGN = 50
MESSAGES: list[dict[str, Any]] = [
    {"type": "connection_request", "message": ""},
    *(
        {"type": "message", "delay": {"value": 1, "unit": "days"}, "message": "Hello {{first_name|there}}"}
        for _ in range(9)
    ),
]
VISITS: list[dict[str, Any]] = [{"type": "view_profile"}] * 10


class Nothing:
    """A network on which everything works at once and no one ever answers."""

    quarantine, lateness, patience, parallel = 120, 0, 1, 1

    def act(self, account: AccountRef, action: SenderAction) -> Receipt:
        """Done."""
        return Receipt(action.token, account.at)

    def find(self, account: AccountRef, action: SenderAction) -> Receipt | None:
        """Never heard of it."""
        return None

    def inbound(self, account: AccountRef, cursor: str) -> Inbound:
        """Silence."""
        return Inbound([], cursor)

    def next_inbound(self, account: AccountRef, cursor: str) -> datetime | None:
        """Never."""
        return None

    def status(self, account: AccountRef) -> None:
        """All is well."""

    def reconnect(self, account: AccountRef) -> None:
        """As before."""

    def objection(self, url: str) -> str:
        """As a webhook client: nothing against it."""
        return ""

    def post(self, url: str, headers: Any, body: bytes) -> Answer:
        """As a webhook client: received."""
        return Answer(200, "", 1)


@dataclass
class Engine:
    """A database with so many people waiting for so many senders."""

    app: Flask
    file: Path
    waiting: int
    senders: int
    campaigns: list[int] = field(default_factory=list)

    def close(self) -> None:
        """Its connections are gone."""
        with self.app.app_context():
            db.session.remove()
            db.engine.dispose()


def engine(folder: Path, *, waiting: int, senders: int, sequence: list[dict[str, Any]]) -> Engine:
    """Every sender is due, and has its share of the people who are due."""
    file = folder / f"engine-{waiting}-{sequence[-1]['type']}.db"
    app = stock.empty(file)
    nothing = Nothing()
    ports.connect({"sandbox": nothing, "nothing": nothing})
    ports.webhook_client.connect(nothing)
    with app.app_context():
        workspace = workspaces.create("Bench", "bench@example.com", stock.PASSWORD).id
        session().commit()
        db.session.remove()
        db.engine.dispose()
    made = Engine(app, file, waiting, senders)
    connection = stock.connect(file)
    connection.execute("PRAGMA synchronous=OFF")
    connection.execute("BEGIN IMMEDIATE")
    _senders(connection, workspace, senders)
    connection.execute(
        "INSERT INTO lead_list (id, workspace_id, name, type, lead_count, created_at)"
        " VALUES (1, ?, 'L', 'people', 0, ?)",
        (workspace, STAMP),
    )
    first = stock.put_people(connection, waiting, workspace)
    stock.put_in_list(connection, 1, first, waiting)
    made.campaigns = list(_campaigns(connection, workspace, senders, waiting, sequence))
    _people(connection, workspace, made, sequence, first)
    connection.execute("COMMIT")
    connection.execute("ANALYZE")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return made


def _insert(connection: sqlite3.Connection, table: str, rows: Iterator[dict[str, Any]]) -> None:
    """Rows as dicts; columns that have a default on our side but not in the schema must be given."""
    first = next(rows)
    names = list(first)
    statement = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
    connection.execute(statement, tuple(first.values()))
    connection.executemany(statement, (tuple(row.values()) for row in rows))


def _senders(connection: sqlite3.Connection, workspace: int, senders: int) -> None:
    texts = dict.fromkeys(("profile_url", "headline", "image_url", "address", "status_reason", "inbound_cursor"), "")
    _insert(
        connection,
        "account",
        (
            {
                "id": number,
                "workspace_id": workspace,
                "channel": "social",
                "provider": "nothing",
                "provider_ref": f"sender-{number}",
                "name": f"Sender {number}",
                "public_id": f"sender-{number}",
                "status": "connected",
                "active": True,
                "has_sales_navigator": True,
                "timezone": "UTC",
                "work_start": "09:00",
                "work_end": "17:30",
                "work_days": "[1, 2, 3, 4, 5]",
                "limits": json.dumps(SOCIAL_LIMITS),
                "rests": "{}",
                "health": "{}",
                "turn_at": STAMP,
                "created_at": STAMP,
                **texts,
            }
            for number in range(1, senders + 1)
        ),
    )


def _campaigns(
    connection: sqlite3.Connection, workspace: int, senders: int, waiting: int, sequence: list[dict[str, Any]]
) -> Iterator[int]:
    count = max(1, senders // SENDERS_OF_A_CAMPAIGN)
    for number in range(1, count + 1):
        mine = [sender for sender in range(1, senders + 1) if sender % count == number % count]
        row = {
            "id": number,
            "workspace_id": workspace,
            "name": f"Campaign {number}",
            "status": "running",
            "list_id": 1,
            "account_ids": json.dumps(mine),
            "mailbox_ids": "[]",
            "sequence": json.dumps(sequence),
            "timezone": "UTC",
            "days": "[1, 2, 3, 4, 5]",
            "start_time": "09:00",
            "end_time": "17:30",
            "stop_company_on_reply": False,
            "enrolled_to": waiting,
            "error": "",
            "created_at": STAMP,
            "started_at": STAMP,
        }
        _insert(connection, "campaign", iter([row]))
        lanes = ({"campaign_id": number, "account_id": sender, "workspace_id": workspace} for sender in mine)
        _insert(connection, "campaign_account", lanes)
        zero = [column[1] for column in connection.execute("PRAGMA table_info(campaign_stats)")]
        stats = dict.fromkeys(zero, 0) | {"campaign_id": number, "workspace_id": workspace}
        share = waiting // count
        _insert(connection, "campaign_stats", iter([stats | {"leads": share, "active": share}]))
        yield number


def _people(
    connection: sqlite3.Connection, workspace: int, made: Engine, sequence: list[dict[str, Any]], first: int
) -> None:
    visits = sequence[0]["type"] == "view_profile"
    standing = {
        "state": "active",
        "paused_from": "",
        "connection": "none" if visits else "accepted",
        "replied": False,
        "sentiment": "",
        "step": 0 if visits else 1,
        "part": 0,
        "next_budget": "visit" if visits else "message",
        "contacted": not visits,
        "messages_sent": 0,
        "reason": "",
        "error": "",
        "accepted_at": None if visits else STAMP,
    }
    _insert(
        connection,
        "campaign_lead",
        (
            {
                "workspace_id": workspace,
                "campaign_id": number % made.senders % len(made.campaigns) or len(made.campaigns),
                "lead_id": number,
                "person_id": first + number,
                "account_id": number % made.senders or made.senders,
                "sender_id": number % made.senders or made.senders,
                "due_at": f"2026-02-{1 + number % 27:02d} 09:00:00.{number % 10**6:06d}",
                **standing,
            }
            for number in range(1, made.waiting + 1)
        ),
    )
