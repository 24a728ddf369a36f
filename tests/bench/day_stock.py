"""A Postgres installation of any size in the middle of its work: one function per table, each a single COPY."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import sqlalchemy as sa

from app.core.db import Base
from app.models.accounts import MAILBOX_LIMITS, SOCIAL_LIMITS, Account, Channel
from app.models.campaigns import Campaign, CampaignAccount, CampaignLead, CampaignStats, CampaignStatus, LeadState
from app.models.leads import Lead, LeadList
from app.models.ledger import Action, ActionState
from app.models.people import IdentityKind, Person, PersonIdentity
from app.models.workspaces import Subscription, Workspace
from tests.bench.stock import keep_ids, profile

MIDNIGHT = datetime(2026, 3, 2, tzinfo=UTC)  # a Monday
SOCIALS, MAILBOXES = 8, 2  # of a workspace
SENDERS = SOCIALS + MAILBOXES
PEOPLE = 100  # of a sender
NETWORK = "nothing"
BY_NETWORK: list[dict[str, Any]] = [
    {"type": "connection_request", "message": ""},
    {"type": "message", "delay": {"value": 1, "unit": "days"}, "message": "Hello {{first_name|there}}"},
    {"type": "message", "delay": {"value": 3, "unit": "days"}, "message": "One more thing, {{first_name|there}}"},
]
BY_MAIL: list[dict[str, Any]] = [
    {"type": "email", "subject": "A question", "message": "Hello {{first_name|there}}"},
    {"type": "email", "delay": {"value": 3, "unit": "days"}, "message": "One more thing, {{first_name|there}}"},
]
Row = dict[str, Any]


@dataclass(frozen=True)
class Placed:
    """Where one person of a campaign stands, by the place among the people of the sender."""

    workspace: int
    sender: int
    number: int
    place: int

    @property
    def mail(self) -> bool:
        """Whether a mailbox writes to this person."""
        return (self.sender - 1) % SENDERS >= SOCIALS

    @property
    def campaign(self) -> int:
        """The first campaign of a workspace is by network, the second by e-mail."""
        return 2 * self.workspace - (not self.mail)

    @property
    def waits(self) -> bool:
        """Half of them were not contacted yet."""
        return self.place < PEOPLE // 2

    @property
    def invited(self) -> bool:
        """Almost a third has not answered the invitation."""
        return not self.mail and PEOPLE // 2 <= self.place < PEOPLE * 4 // 5

    @property
    def due_at(self) -> datetime:
        """The others get their next message today, or on one of the next days."""
        if self.waits:
            return MIDNIGHT - timedelta(minutes=self.place)
        if self.invited:
            return MIDNIGHT + timedelta(days=self.place % 20 + 1)
        return MIDNIGHT + timedelta(hours=self.place % 2 * 24, minutes=self.place)

    @property
    def contacted_at(self) -> datetime:
        """Some day of the last three weeks."""
        return MIDNIGHT - timedelta(days=self.place % 20 + 3, minutes=self.place)


@dataclass(frozen=True)
class Size:
    """How many of each."""

    workspaces: int

    @property
    def senders(self) -> int:
        """In all workspaces."""
        return self.workspaces * SENDERS

    @property
    def people(self) -> int:
        """In all campaigns."""
        return self.senders * PEOPLE

    def each(self) -> Iterator[Placed]:
        """Everyone in a campaign."""
        for sender in range(1, self.senders + 1):
            for place in range(PEOPLE):
                number = (sender - 1) * PEOPLE + place + 1
                yield Placed((sender - 1) // SENDERS + 1, sender, number, place)


def fill(url: str, size: Size) -> None:
    """Put an installation of that size into a migrated, empty database."""
    keep_ids(url)
    conninfo = sa.make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(conninfo) as connection:
        connection.execute("SET LOCAL session_replication_role = replica")  # what refers to what is right as made
        for model, rows in TABLES.items():
            _copy(connection, model, rows(size))
    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")


def _copy(connection: psycopg.Connection[Any], model: type[Base], rows: Iterable[Row]) -> None:
    """Columns that a row leaves out get the default of the model."""
    table: Any = model.__table__
    mine = [column for column in table.columns if column.name != "id" or model not in COUNTED]
    columns = [column for column in mine if column.default is not None or column.server_default is None]
    names = ", ".join(column.name for column in columns)
    defaults = {column.name: _default(column) for column in columns}
    structured = {column.name for column in columns if isinstance(column.type, sa.JSON)}
    with connection.cursor() as cursor, cursor.copy(f"COPY {table.name} ({names}) FROM STDIN") as copy:
        for row in rows:
            whole = defaults | row
            copy.write_row([json.dumps(v) if k in structured and v is not None else v for k, v in whole.items()])
    if "id" in table.columns and model not in COUNTED:
        connection.execute(
            f"SELECT setval(pg_get_serial_sequence('{table.name}', 'id'), coalesce(max(id), 1)) FROM {table.name}"
        )


def _default(column: sa.Column[Any]) -> Any:
    given: Any = column.default
    return None if given is None else given.arg(None) if given.is_callable else given.arg


def _workspaces(size: Size) -> Iterator[Row]:
    for number in range(1, size.workspaces + 1):
        active = {"subscription": Subscription.ACTIVE, "plan": "team"}
        yield {"id": number, "name": f"Workspace {number}", **active, "created_at": MIDNIGHT}


def _accounts(size: Size) -> Iterator[Row]:
    for number in range(1, size.senders + 1):
        mail = (number - 1) % SENDERS >= SOCIALS
        yield {
            "id": number,
            "workspace_id": (number - 1) // SENDERS + 1,
            "channel": Channel.EMAIL if mail else Channel.SOCIAL,
            "provider": NETWORK,
            "provider_ref": f"sender-{number}",
            "name": f"Sender {number}",
            "public_id": "" if mail else f"sender-{number}",
            "address": f"sender-{number}@example.com" if mail else "",
            "has_sales_navigator": not mail,
            "limits": MAILBOX_LIMITS if mail else SOCIAL_LIMITS,
            "turn_at": MIDNIGHT,
            "polled_at": MIDNIGHT - timedelta(seconds=number % 300),
            "created_at": MIDNIGHT,
        }


def _lists(size: Size) -> Iterator[Row]:
    for number in range(1, size.workspaces + 1):
        count = SENDERS * PEOPLE
        yield {"id": number, "workspace_id": number, "name": "People", "lead_count": count, "created_at": MIDNIGHT}


def _people(size: Size) -> Iterator[Row]:
    for one in size.each():
        given = profile(one.number)
        yield {
            "id": one.number,
            "workspace_id": one.workspace,
            "public_id": given["publicId"],
            "profile_url": given["profileUrl"],
            "first_name": given["firstName"],
            "last_name": given["lastName"],
            "headline": given["headline"],
            "position": given["position"],
            "company_name": given["companyName"],
            "company_url": given["companyUrl"],
            "location": given["location"],
            "email": given["email"],
            "custom_fields": given["customFields"],
            "company_domain": f"c{one.number}.example",  # at most five people of a company are contacted at once
            "name_key": f"{given['firstName']} {given['lastName']}".lower(),
            "created_at": MIDNIGHT,
        }


def _identities(size: Size) -> Iterator[Row]:
    for one in size.each():
        given = profile(one.number)
        for kind, value in ((IdentityKind.PROFILE, given["publicId"]), (IdentityKind.EMAIL, given["email"])):
            yield {"workspace_id": one.workspace, "kind": kind, "value": value, "person_id": one.number}


def _leads(size: Size) -> Iterator[Row]:
    for one in size.each():
        yield {
            "id": one.number,
            "workspace_id": one.workspace,
            "list_id": one.workspace,
            "person_id": one.number,
            "created_at": MIDNIGHT,
        }


def _senders_of(workspace: int, *, mail: bool) -> list[int]:
    first = (workspace - 1) * SENDERS + 1
    return [*range(first + SOCIALS, first + SENDERS)] if mail else [*range(first, first + SOCIALS)]


def _campaigns(size: Size) -> Iterator[Row]:
    for workspace in range(1, size.workspaces + 1):
        for mail in (False, True):
            senders = _senders_of(workspace, mail=mail)
            yield {
                "id": 2 * workspace - (not mail),
                "workspace_id": workspace,
                "name": "By e-mail" if mail else "By network",
                "status": CampaignStatus.RUNNING,
                "list_id": workspace,
                "account_ids": [] if mail else senders,
                "mailbox_ids": senders if mail else [],
                "sequence": BY_MAIL if mail else BY_NETWORK,
                "timezone": "UTC",
                "days": [1, 2, 3, 4, 5],
                "start_time": "09:00",
                "end_time": "17:30",
                "enrolled_to": workspace * SENDERS * PEOPLE,
                "created_at": MIDNIGHT,
                "started_at": MIDNIGHT,
            }


def _lanes(size: Size) -> Iterator[Row]:
    for workspace in range(1, size.workspaces + 1):
        for mail in (False, True):
            for sender in _senders_of(workspace, mail=mail):
                yield {
                    "campaign_id": 2 * workspace - (not mail),
                    "account_id": sender,
                    "workspace_id": workspace,
                }


def _stats(size: Size) -> Iterator[Row]:
    for workspace in range(1, size.workspaces + 1):
        for mail, senders in ((False, SOCIALS), (True, MAILBOXES)):
            waits, asked = senders * PEOPLE // 2, 0 if mail else senders * PEOPLE * 3 // 10
            total = senders * PEOPLE
            yield {
                "campaign_id": 2 * workspace - (not mail),
                "workspace_id": workspace,
                "leads": total,
                "pending": waits,
                "awaiting_accept": asked,
                "active": total - waits - asked,
                "contacted": total - waits,
                "invites_sent": 0 if mail else total - waits,
                "accepted": 0 if mail else total - waits - asked,
                "messages_sent": total - waits if mail else 0,
            }


def _campaign_leads(size: Size) -> Iterator[Row]:
    for one in size.each():
        first, then = ("email", "email") if one.mail else ("invite", "message")
        row: Row = {
            "id": one.number,
            "workspace_id": one.workspace,
            "campaign_id": one.campaign,
            "lead_id": one.number,
            "person_id": one.number,
            ("mailbox_id" if one.mail else "account_id"): one.sender,
            "sender_id": one.sender,
            "due_at": one.due_at,
            "enrolled_at": MIDNIGHT,
            "next_budget": first,
        }
        if not one.waits:
            accepted = not one.mail and not one.invited
            row |= {
                "state": LeadState.AWAITING_ACCEPT if one.invited else LeadState.ACTIVE,
                "connection": "none" if one.mail else "accepted" if accepted else "sent",
                "step": 1,
                "next_budget": "withdraw" if one.invited else then,
                "contacted": True,
                "messages_sent": int(one.mail),
                "invited_at": None if one.mail else one.contacted_at,
                "accepted_at": one.contacted_at if accepted else None,
                "last_action_at": one.contacted_at,
            }
        yield row


def _actions(size: Size) -> Iterator[Row]:
    for one in size.each():
        if not one.waits:
            kind, budget = ("email", "email") if one.mail else ("connection_request", "invite")
            yield {
                "workspace_id": one.workspace,
                "sender_id": one.sender,
                "campaign_id": one.campaign,
                "campaign_lead_id": one.number,
                "lead_id": one.number,
                "person_id": one.number,
                "kind": kind,
                "budget": budget,
                "state": ActionState.SENT,
                "token": f"{one.number:032x}",
                "at": one.contacted_at,
                "settled_at": one.contacted_at,
                "accepted_at": one.contacted_at if not (one.mail or one.invited) else None,
            }


TABLES: dict[type[Base], Callable[[Size], Iterator[Row]]] = {
    Workspace: _workspaces,
    Account: _accounts,
    LeadList: _lists,
    Person: _people,
    PersonIdentity: _identities,
    Lead: _leads,
    Campaign: _campaigns,
    CampaignAccount: _lanes,
    CampaignStats: _stats,
    CampaignLead: _campaign_leads,
    Action: _actions,
}
COUNTED = (Action,)  # the database numbers these
