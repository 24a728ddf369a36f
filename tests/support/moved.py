"""What a workspace holds, without what is another one on every server: two that are equal are the same workspace."""

import json
from typing import Any

import sqlalchemy as sa

from app.core.db import Base
from app.domain.installation import workspace_rows

# What an import puts to rest, and what belongs to a server.
HELD = {
    "account": {"claimed_until", "status", "status_at", "status_reason", "turn_at", "active"},
    "action": {"token"},
    "audit_entry": {"digest"},
    "autopilot_setup": {"status", "paused_at"},
    "campaign": {"status"},
    "delivery": {"state", "due_at", "claimed_until", "done_at", "last_error"},
    "event": {"ref"},
    "message": {"status", "due_at", "error"},
    "play": {"launch"},
    "source_connection": {"due_at", "failed_at", "failure"},
    "user_account": {"password_hash", "session_epoch", "created_at", "server_admin", "email_confirmed_at"},
    "webhook": {"active", "off_at", "off_reason", "probe_at"},
    "workspace": {"billing_customer", "billing_subscription"},
}
Rows = dict[str, list[dict[str, Any]]]


def content(url: str, workspace_id: int) -> Rows:
    """Every row of the workspace in the order of ids; in place of an id stands the place of what it names."""
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    with engine.connect() as connection:
        rows = {
            table: [
                dict(row)
                for row in connection.execute(
                    sa.select(table)
                    .where(workspace_rows.of_workspace(table, workspace_id))
                    .order_by(*table.primary_key)
                ).mappings()
            ]
            for table in workspace_rows.tables()
        }
        places = {
            table.name: {row["id"]: place for place, row in enumerate(several)}
            for table, several in rows.items()
            if "id" in table.c
        }
        places["user_account"] = {row["id"]: row["email"] for row in rows[Base.metadata.tables["user_account"]]}
        return {table.name: [plain(table, row, places) for row in several] for table, several in rows.items()}


def plain(table: sa.Table, row: dict[str, Any], places: dict[str, dict[int, Any]]) -> dict[str, Any]:
    """The row without what is another one on every server."""

    def find(named: str, number: int) -> Any:
        return places[named].get(number, "gone")

    kept = {}
    for column in table.columns:
        name = str(column)
        if column.name in HELD.get(table.name, ()) or column.name == "id":
            continue
        if "sealed" in column.info:
            kept[column.name] = bool(row[column.name])
        elif name in ("campaign.enrolled_to", "campaign.joined_to"):
            kept[column.name] = sum(number <= row[column.name] for number in places["lead"])
        else:
            kept[column.name] = workspace_rows.renumber(column, row[column.name], find)
    if table.name == "event":
        kept["body"] = json.loads(kept["body"]) | {"id": ""}
    return kept
