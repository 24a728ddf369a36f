"""An installation of any size in the middle of its work, on a network that does nothing: each table filled at once."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
import sqlalchemy as sa

from app import ports
from app.models.accounts import MAILBOX_LIMITS, SOCIAL_LIMITS, Account, Channel
from app.models.campaigns import Campaign, CampaignAccount, CampaignLead, CampaignStats, CampaignStatus, LeadState
from app.models.leads import Lead, LeadList
from app.models.ledger import Action, ActionState
from app.models.people import Person
from app.models.workspaces import Subscription, Workspace
from app.ports import AccountRef, Answer, Inbound, Receipt, SenderAction
from tests.bench.stock import Row, identify, in_bulk, keep_ids, person, put, table_of, whole

MIDNIGHT = datetime(2026, 3, 2, tzinfo=UTC)  # a Monday
NETWORK = "nothing"
IN_LISTS = (
    "INSERT INTO lead (id, workspace_id, list_id, person_id, created_at)"
    " SELECT id, workspace_id, workspace_id, id, created_at FROM person ORDER BY id"
)
BY_NETWORK: list[Row] = [
    {"type": "connection_request", "message": ""},
    {"type": "message", "delay": {"value": 1, "unit": "days"}, "message": "Hello {{first_name|there}}"},
    {"type": "message", "delay": {"value": 3, "unit": "days"}, "message": "One more thing, {{first_name|there}}"},
]
BY_MAIL: list[Row] = [
    {"type": "email", "subject": "A question", "message": "Hello {{first_name|there}}"},
    {"type": "email", "delay": {"value": 3, "unit": "days"}, "message": "One more thing, {{first_name|there}}"},
]


class Nothing:
    """A network on which everything works at once and no one ever answers."""

    quarantine, lateness, patience, parallel = 120, 0, 1, 1

    def act(self, account: AccountRef, action: SenderAction) -> Receipt:
        return Receipt(action.token, account.at)

    def find(self, account: AccountRef, action: SenderAction) -> Receipt | None:
        """Never heard of it."""
        return None

    def inbound(self, account: AccountRef, cursor: str) -> Inbound:
        return Inbound([], cursor)

    def next_inbound(self, account: AccountRef, cursor: str) -> datetime | None:
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


def connect_nothing() -> None:
    """Every network of this process is that one."""
    nothing = Nothing()
    ports.connect({NETWORK: nothing, "sandbox": nothing})
    ports.webhook_client.connect(nothing)


@dataclass(frozen=True)
class Size:
    """Groups of senders with people of their own: a campaign by network, and one by e-mail where mailboxes are.

    Each group is a workspace, and its people are anywhere on their way. `at_once` they are all in one workspace, and
    everyone has accepted long ago and is due.
    """

    groups: int
    socials: int = 8
    mailboxes: int = 2
    people: int = 100  # of a sender
    at_once: bool = False

    @property
    def senders(self) -> int:
        return self.groups * (self.socials + self.mailboxes)


class Team(NamedTuple):
    """A campaign with its senders."""

    campaign: int
    workspace: int
    mail: bool
    senders: list[int]


class One(NamedTuple):
    """A person: their number among all and among those of the sender, and whose they are."""

    number: int
    place: int
    sender: int
    team: Team

    @property
    def theirs(self) -> Row:
        """What each row of theirs says."""
        return {"workspace_id": self.team.workspace, "campaign_id": self.team.campaign, "lead_id": self.number}


def _teams(size: Size) -> Iterator[Team]:
    for group in range(1, size.groups + 1):
        first = (group - 1) * (size.socials + size.mailboxes) + 1
        then = first + size.socials
        workspace = 1 if size.at_once else group
        for mail, senders in ((False, range(first, then)), (True, range(then, then + size.mailboxes))):
            if senders:
                yield Team(2 * group - (not mail), workspace, mail, [*senders])


def _everyone(size: Size) -> Iterator[One]:
    for team in _teams(size):
        for sender in team.senders:
            for place in range(size.people):
                number = (sender - 1) * size.people + place + 1
                yield One(number, place, sender, team)


def fill(url: str, size: Size) -> None:
    """Put an installation of that size into a migrated, empty database."""
    keep_ids(url)
    made = sa.make_url(url)
    tables = {model: rows for model, rows in TABLES.items() if not (size.at_once and model is Action)}
    if made.drivername == "sqlite":
        with in_bulk(Path(str(made.database))) as lite:
            for model, rows in tables.items():
                put(lite, model, rows(size))
            for statement in (*identify(), IN_LISTS):
                lite.execute(statement)
            lite.execute("ANALYZE")
        return
    conninfo = made.set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(conninfo) as connection:
        connection.execute("SET LOCAL session_replication_role = replica")  # what refers to what is right as made
        for model, rows in tables.items():
            names, values = whole(model, rows(size))
            into = f"COPY {table_of(model)} ({', '.join(names)}) FROM STDIN"
            with connection.cursor() as cursor, cursor.copy(into) as copy:
                for row in values:
                    copy.write_row(row)
        for text in (*identify(), IN_LISTS):
            connection.execute(text.encode())
        for model in (Workspace, Account, LeadList, Person, Lead, Campaign, CampaignLead):
            counted = (
                f"SELECT setval(pg_get_serial_sequence('{table_of(model)}', 'id'), max(id)) FROM {table_of(model)}"
            )
            connection.execute(counted.encode())
    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")


def _workspaces(size: Size) -> Iterator[Row]:
    for number in range(1, 2 if size.at_once else size.groups + 1):
        active = {"subscription": Subscription.ACTIVE, "plan": "team"}
        yield {"id": number, "name": f"Workspace {number}", **active, "created_at": MIDNIGHT}


def _accounts(size: Size) -> Iterator[Row]:
    for team in _teams(size):
        for number in team.senders:
            name = f"sender-{number}"
            yield {
                "id": number,
                "workspace_id": team.workspace,
                "channel": Channel.EMAIL if team.mail else Channel.SOCIAL,
                "provider": NETWORK,
                "provider_ref": name,
                "name": name,
                "public_id": "" if team.mail else name,
                "address": f"{name}@example.com" if team.mail else "",
                "has_sales_navigator": not team.mail,
                "limits": MAILBOX_LIMITS if team.mail else SOCIAL_LIMITS,
                "turn_at": MIDNIGHT,
                "polled_at": None if size.at_once else MIDNIGHT - timedelta(seconds=number % 300),
                "created_at": MIDNIGHT,
            }


def _lists(size: Size) -> Iterator[Row]:
    for row in _workspaces(size):
        count = size.senders * size.people // (1 if size.at_once else size.groups)
        known = {"name": "People", "lead_count": count, "created_at": MIDNIGHT}
        yield {"id": row["id"], "workspace_id": row["id"], **known}


def _people(size: Size) -> Iterator[Row]:
    for one in _everyone(size):
        given = person(one.number, one.team.workspace)
        yield given | {
            "id": one.number,
            "company_domain": f"c{one.number}.example",  # at most five people of a company are contacted at once
            "name_key": f"{given['first_name']} {given['last_name']}".lower(),
            "created_at": MIDNIGHT,
        }


def _campaigns(size: Size) -> Iterator[Row]:
    hours = {"timezone": "UTC", "days": [1, 2, 3, 4, 5], "start_time": "09:00", "end_time": "17:30"}
    for team in _teams(size):
        yield {
            "id": team.campaign,
            "workspace_id": team.workspace,
            "name": "By e-mail" if team.mail else "By network",
            "status": CampaignStatus.RUNNING,
            "list_id": team.workspace,
            "account_ids": [] if team.mail else team.senders,
            "mailbox_ids": team.senders if team.mail else [],
            "sequence": BY_MAIL if team.mail else BY_NETWORK,
            "enrolled_to": size.senders * size.people,
            "created_at": MIDNIGHT,
            "started_at": MIDNIGHT,
            **hours,
        }


def _lanes(size: Size) -> Iterator[Row]:
    for team in _teams(size):
        for sender in team.senders:
            yield {"campaign_id": team.campaign, "workspace_id": team.workspace, "account_id": sender}


def _stats(size: Size) -> Iterator[Row]:
    for team in _teams(size):
        total = len(team.senders) * size.people
        waits = 0 if size.at_once else total // 2
        asked = 0 if team.mail or size.at_once else total * 3 // 10
        done = {"messages_sent": total - waits} if team.mail else {"invites_sent": total - waits}
        accepted = 0 if team.mail else total - waits - asked
        states = {"pending": waits, "awaiting_accept": asked, "active": total - waits - asked, "accepted": accepted}
        whose = {"campaign_id": team.campaign, "workspace_id": team.workspace}
        yield whose | {"leads": total, "contacted": total - waits, **states, **done}


def _standing(size: Size, one: One) -> tuple[str, datetime, Row]:
    """Whether a person waits for the first action, was invited or goes on; when that was done; and what is next.

    Half of them wait, almost a third has not answered the invitation, the others get a message within two days.
    """
    before = MIDNIGHT - timedelta(days=one.place % 20 + 3, minutes=one.place)
    going = {"state": LeadState.ACTIVE, "connection": "none" if one.team.mail else "accepted"}
    going |= {"next_budget": "email" if one.team.mail else "message", "accepted_at": None if one.team.mail else before}
    if size.at_once:
        early = timedelta(days=one.number % 27, microseconds=one.number % 10**6)
        return "goes on", before, going | {"due_at": MIDNIGHT - early}
    if one.place < size.people // 2:
        first = "email" if one.team.mail else "invite"
        return "waits", before, {"due_at": MIDNIGHT - timedelta(minutes=one.place), "next_budget": first}
    if not one.team.mail and one.place < size.people * 4 // 5:
        due = {"due_at": MIDNIGHT + timedelta(days=one.place % 20 + 1), "next_budget": "withdraw"}
        return "invited", before, {"state": LeadState.AWAITING_ACCEPT, "connection": "sent", **due}
    due_at = MIDNIGHT + timedelta(hours=one.place % 2 * 24, minutes=one.place)
    return "goes on", before, going | {"due_at": due_at}


def _campaign_leads(size: Size) -> Iterator[Row]:
    for one in _everyone(size):
        where, before, standing = _standing(size, one)
        row: Row = {
            **one.theirs,
            "id": one.number,
            "person_id": one.number,
            ("mailbox_id" if one.team.mail else "account_id"): one.sender,
            "sender_id": one.sender,
            "enrolled_at": MIDNIGHT,
        }
        if where != "waits":
            done = {"messages_sent": 1} if one.team.mail else {"invited_at": before}
            row |= {"step": 1, "contacted": True, "last_action_at": before, **done}
        yield row | standing


def _actions(size: Size) -> Iterator[Row]:
    for one in _everyone(size):
        where, before, standing = _standing(size, one)
        if where != "waits":
            kind, budget = ("email", "email") if one.team.mail else ("connection_request", "invite")
            yield {
                **one.theirs,
                "sender_id": one.sender,
                "campaign_lead_id": one.number,
                "person_id": one.number,
                "kind": kind,
                "budget": budget,
                "state": ActionState.SENT,
                "token": f"{one.number:032x}",
                "at": before,
                "settled_at": before,
                "accepted_at": standing.get("accepted_at"),
            }


TABLES = {
    Workspace: _workspaces,
    Account: _accounts,
    LeadList: _lists,
    Person: _people,
    Campaign: _campaigns,
    CampaignAccount: _lanes,
    CampaignStats: _stats,
    CampaignLead: _campaign_leads,
    Action: _actions,
}
