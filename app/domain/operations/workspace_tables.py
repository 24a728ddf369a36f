"""Workspace tables: which rows and columns of a workspace move to another server, and where ids hide in them.

Foreign keys say most of it by themselves. What only a reader of the code knows stands here: what stays behind and why,
and ids in numbers without a key, in JSON and in texts. A test fails for a table or column that nothing is said about.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from pydantic_core import to_json

from app.core.db import Base
from app.domain.operations import table_rows
from app.domain.platform.secret_rotation import SEALED

# Tables of which no row moves, with the reason.
LEFT_OUT = {
    "api_key": "keys are signed with the SECRET_KEY of their server; create new ones",
    "api_request": "the log of the other server's requests",
    "billing_event": "what Stripe told the other server",
    "bulk_change": "of the last minutes, for its undo",
    "browser_session": "sign-ins on the other server",
    "calendar_forecast": "made again when it is looked at",
    "campaign_forecast": "made again when it is looked at",
    "crm_activity": "a place in a CRM's flow; connect the CRM again on the other server",
    "crm_company": "read again once the CRM is connected",
    "crm_connection": "the CRM is connected again on the other server, with the key of its service",
    "crm_contact": "read again once the CRM is connected",
    "crm_flow": "a place in a CRM's flow; connect the CRM again on the other server",
    "crm_list": "a list is followed again once the CRM is connected",
    "crm_member": "read again once the CRM is connected",
    "copied_row": "of a sandbox on the other server",
    "conversation_words": "made again from the messages",
    "drafted_reply": "made again when the conversation is opened",
    "engine_process": "processes of the other server",
    "engine_seat": "which of them runs its engine",
    "former_id": "names of rows in links to the other server",
    "go_live": "the copy of a sandbox on the other server",
    "idempotency_key": "stored responses of the other server, with its ids",
    "invitation": "links to the other server; invite again",
    "job": "a workspace moves when nothing is under way in it",
    "kept_key": "the other server's",
    "model_choice": "the other server's",
    "model_use": "the other server's",
    "network_hook": "an address of the other server; made again when a sender is connected",
    "password_reset": "links to the other server",
    "rate_bucket": "requests of the last seconds",
    "recovery_code": "the way in on the other server",
    "restore": "which backup the other server was restored from",
    "second_factor": "the way in on the other server",
    "sign_in": "a sign-in of a few minutes",
    "throttle": "tries of the last minutes",
}
# Columns that are empty in the other server, with the reason. Of secrets, see SECRETS.
BLANK: dict[str, tuple[Any, str]] = {
    "user_account.password_hash": ("", "a new user sets a password with “Forgot password”; a known one has theirs"),
    "user_account.session_epoch": (0, "sign-ins on the other server"),
    "user_account.server_admin": (False, "a right on the other server"),
    "user_account.email_confirmed_at": (None, "a file proves no address"),
    "workspace.billing_customer": ("", "Stripe bills one server for it"),
    "workspace.billing_subscription": ("", "Stripe bills one server for it"),
    "audit_entry.digest": (b"", "signed anew"),
    "monitor.cursor": ("", "a place in a search of the other server; it is read from the beginning"),
}
SECRETS = {f"{column.class_.__tablename__}.{column.key}": column for column in SEALED}
# Rows that say nothing without their secret, so that they move only with it.
ONLY_WITH_SECRET = ("service_login",)
# Numbers that name a row, or a place among rows, without a foreign key.
NUMBERS = {
    "audit_entry.user_id": "user_account",
    "campaign.enrolled_to": "lead",
    "campaign_lead.approval_id": "approval",
    "campaign_lead.hand_over_to": "account",
    "campaign_list.enrolled_to": "lead",
    "campaign_revision.looked_to": "campaign_lead",
    "event.lead_id": "lead",
    "message.seen_id": "message",
    "sandbox_act.account_id": "account",
    "sandbox_effect.account_id": "account",
    "sandbox_standing.account_id": "account",
}
LISTS = {  # of ids, in JSON
    "campaign.account_ids": "account",
    "campaign.mailbox_ids": "account",
    "webhook.campaign_ids": "campaign",
}
_REVISED = {
    **dict.fromkeys(("account_ids", "mailbox_ids", "account", "by", "social", "email", "joining"), "account"),
    **dict.fromkeys(("list_ids", "added", "removed"), "lead_list"),
    "campaign_ids": "campaign",
}
OBJECTS: dict[str, dict[str, str]] = {  # of ids under these names, however deep
    "account.absences": {"handOverTo": "account"},
    "action.asked": {"list_ids": "lead_list", "campaign_ids": "campaign"},
    "campaign.contact_rules": {"list_ids": "lead_list", "campaign_ids": "campaign"},
    "campaign.on_reply": {"listId": "lead_list"},
    "campaign_revision.before": _REVISED,
    "campaign_revision.after": _REVISED,
    "company_hold.former_senders": {"campaign_lead": "campaign_lead", "account": "account", "mailbox": "account"},
    "marked_answer.before": {
        "campaign_lead": "campaign_lead",
        "held": "campaign_lead",
        "hold": "company_hold",
        "task": "task",
        "conversation": "conversation",
    },
    "person.origins": {"source": "data_source"},
}
_LOOKUP = r"(?:email|phone|missed):(\d+)"
_CREDITS = (
    (r"enrichment:(\d+)", ("enrichment",)),
    (r"enrichment:(\d+)/rest", ("enrichment",)),
    (rf"enrichment:(\d+)/{_LOOKUP}", ("enrichment", "contact_lookup")),
    (r"bounce:(\d+)", ("contact_lookup",)),
    (r"play:(\d+):\d+:\d+(?:/rest)?", ("play",)),
)
# Texts that name a row: patterns, and for each of their groups the table.
TEXTS = {
    "audit_entry.subject": (
        (r"person (\d+)", ("lead",)),
        (r"people (\d+) and (\d+)", ("person", "person")),
        (r"campaign person (\d+)", ("campaign_lead",)),
        (r"person id (\d+)", ("person",)),
    ),
    "credit_entry.ref": _CREDITS,
    "credit_entry.resolves": _CREDITS,
    "credit_hold.ref": _CREDITS,
    "reply_action.rule": ((r"list:(\d+)", ("lead_list",)),),
    "event.once": (
        (r"campaign_completed:(\d+)", ("campaign",)),
        (r"email_bounced:(\d+)", ("action",)),
        (r"email_bounced:(\d+):.+", ("account",)),
        (r"meeting:(\d+)", ("meeting",)),
    ),
    "meeting.ref": ((r"conversation:(\d+)", ("conversation",)),),
}
# Texts of JSON that name rows: the way to an id, and the table, or that of each `kind`; or to an address, and its
# pattern.
BODIES: dict[str, dict[tuple[str, ...], str | Mapping[str, str] | tuple[str, tuple[str, ...]]]] = {
    "event.body": {
        ("workspaceId",): "workspace",
        ("data", "campaign", "id"): "campaign",
        ("data", "lead", "id"): "lead",
        ("data", "lead", "list", "id"): "lead_list",
        ("data", "lead", "conversationUrl"): (r".+/conversations/(\d+)", ("conversation",)),
        ("data", "approval", "id"): "approval",
        ("data", "approval", "url"): (r".+/approvals/(\d+)", ("approval",)),
        ("data", "import", "id"): {"file": "lead_import", "search": "search_import"},
        ("data", "import", "list", "id"): "lead_list",
        ("data", "enrichment", "id"): "enrichment",
        ("data", "enrichment", "list", "id"): "lead_list",
        ("data", "account", "id"): "account",
        ("data", "meeting", "id"): "meeting",
        ("data", "message", "id"): "message",
        ("data", "message", "conversationId"): "conversation",
    },
    "delivery.test_body": {("workspaceId",): "workspace"},  # the rest is an example
}
Find = Callable[[str, int], int | None]


def parts() -> list[table_rows.Part]:
    """Return the tables that move, each behind those that it refers to."""
    return [part for part in table_rows.parts() if part.table.name not in LEFT_OUT]


def of_workspace(table: sa.Table, workspace_id: int) -> sa.ColumnElement[bool]:
    """Return the condition that a row belongs to that workspace; there is no table without one."""
    if table.name == "workspace":
        return table.c.id == workspace_id
    if table.name == "user_account":
        member = Base.metadata.tables["membership"]
        return table.c.id.in_(sa.select(member.c.user_id).where(member.c.workspace_id == workspace_id))
    return table.c.workspace_id == workspace_id


def named_table(column: sa.Column[Any]) -> str:
    """Return the table of which this column holds an id; '' for a column without ids."""
    return next((key.column.table.name for key in column.foreign_keys), NUMBERS.get(str(column), ""))


def renumber(column: sa.Column[Any], value: Any, find: Find) -> Any:
    """Return the value with the ids that `find` gives for those in it."""
    name = str(column)
    if value is None:
        return None
    if named := named_table(column):
        return find(named, value)
    if name in LISTS:
        return [find(LISTS[name], one) for one in value]
    if name in OBJECTS:
        return _renumber_object(OBJECTS[name], value, find)
    if name in TEXTS:
        return _renumber_text(TEXTS[name], value, find)
    if name in BODIES and value:
        return _renumber_body(BODIES[name], value, find)
    return value


def _renumber_object(names: Mapping[str, str], value: Any, find: Find) -> Any:
    def renumbered(key: str, one: Any) -> Any:
        if key not in names or one is None:
            return _renumber_object(names, one, find)
        return [find(names[key], each) for each in one] if isinstance(one, list) else find(names[key], one)

    if isinstance(value, list):
        return [_renumber_object(names, one, find) for one in value]
    return {key: renumbered(key, one) for key, one in value.items()} if isinstance(value, dict) else value


def _renumber_text(patterns: Sequence[tuple[str, tuple[str, ...]]], text: str, find: Find) -> str:
    for pattern, named in patterns:
        if found := re.fullmatch(pattern, text):
            for group, table in reversed([*enumerate(named, 1)]):
                begin, end = found.span(group)
                text = f"{text[:begin]}{find(table, int(found[group]))}{text[end:]}"
            return text
    return text


def _renumber_body(ways: Mapping[tuple[str, ...], Any], text: str, find: Find) -> str:
    body = json.loads(text)
    for way, table in ways.items():
        part = body
        for name in way[:-1]:
            part = (part or {}).get(name)
        if not part or part.get(way[-1]) is None:
            continue
        value = part[way[-1]]
        if isinstance(table, tuple):
            part[way[-1]] = _renumber_text([table], value, find)
        else:
            part[way[-1]] = find(table if isinstance(table, str) else table[part["kind"]], value)
    return to_json(body).decode()
