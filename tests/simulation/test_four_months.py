"""Six campaigns one after the other over the same people: whoever answered, or should rest, is left alone."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import sqlalchemy as sa
from flask import Flask

from app.core.clock import Movable
from app.core.db import session
from app.domain.campaign_leads import campaign_leads
from app.domain.campaigns import campaigns
from app.domain.exclusions import never_contact
from app.domain.leads import leads, lists
from app.domain.operations import sandbox_clock
from app.domain.rules.contact_rules import TOUCHES
from app.domain.senders import accounts
from app.domain.workspace import workspaces
from app.models.campaigns import CampaignLead
from app.models.exclusions import CompanyHold, ContactProof
from app.models.ledger import Action, ActionState
from app.models.people import Person
from app.models.workspaces import Workspace
from app.providers.sandbox.store import SandboxEffect
from tests.conftest import PASSWORD
from tests.simulation.world import ABSENCES, BROAD, NARROW

BEGIN = datetime(2026, 3, 2, 6, tzinfo=UTC)
PEOPLE, COMPANIES, CAMPAIGNS, APART = 100, 25, 6, 20  # days between the starts
HEARD = timedelta(minutes=15)  # until the answer to one sender is known to the others
DAY = timedelta(days=1)


class Touch(NamedTuple):
    """A contact as the ledger has it."""

    at: datetime
    person: str
    company: str
    campaign_id: int


def someone(number: int) -> dict[str, str]:
    """One of the people, of whom some answer and some write down that they are away."""
    kind = ("replies-positive-", "replies-negative-", "accepts-", "away-", "accepts-", "ignores-")[number % 6]
    name = f"{kind}person-{number}"
    host = f"company-{number % COMPANIES}.example"
    return {
        "publicId": name,
        "firstName": f"First{number}",
        "companyName": f"Company {number % COMPANIES}",
        "companyUrl": f"https://{host}",
        "email": f"{name}@{host}",
    }


def touches(workspace: Workspace) -> list[Touch]:
    """Every contact that a campaign made, oldest first; the parts of a message are one."""
    query = (
        sa.select(Action.at, Person.public_id, Person.company_name, Action.campaign_id)
        .join(Person, Person.id == Action.person_id)
        .where(Action.workspace_id == workspace.id, Action.kind.in_(TOUCHES), Action.part == 0)
        .where(Action.state.in_([ActionState.SENT, ActionState.UNKNOWN]), Action.step >= 0)
    )
    return [Touch(*row) for row in session().execute(query.order_by(Action.at, Action.id))]


def answers() -> dict[str, datetime]:
    """When each person answered first, by the network's own record."""
    query = sa.select(SandboxEffect.person, SandboxEffect.at, SandboxEffect.text)
    first: dict[str, datetime] = {}
    for person, at, text in session().execute(query.where(SandboxEffect.kind == "received").order_by(SandboxEffect.at)):
        if not text.startswith(ABSENCES):
            first.setdefault(person, at)
    return first


def breaches(found: list[Touch], most: int, within: timedelta) -> Iterator[Touch]:
    """The contacts with which a person was contacted too often."""
    theirs: defaultdict[str, list[datetime]] = defaultdict(list)
    for touch in found:
        lately = [at for at in theirs[touch.person] if at > touch.at - within]
        if len(lately) >= most:
            yield touch
        theirs[touch.person].append(touch.at)


def test_four_months_of_campaigns_leave_everyone_alone_who_is_to_be_left_alone(app: Flask, clock: Movable) -> None:
    clock.to(BEGIN)
    workspace = workspaces.create("Acme", "ada@acme.example", PASSWORD, sandbox=True, seed=4)
    senders = [account.id for account in accounts.every(workspace)]
    people = lists.create_list(workspace, "Everyone")
    leads.add(workspace, people.id, [someone(number) for number in range(PEOPLE)])
    barred = someone(4)["publicId"]
    stopped: dict[str, datetime] = {}
    for number in range(CAMPAIGNS):
        draft = campaigns.create(
            workspace,
            name=f"Campaign {number}",
            list_id=people.id,
            account_ids=senders,
            sequence=NARROW if number % 2 else BROAD,
        )
        campaigns.start(workspace, draft.id)
        sandbox_clock.advance(workspace, APART * 24)
        session().expire_all()
        if number == 0:
            never_contact.add(workspace, [barred])
            stopped[barred] = workspace.now()
            one = next(
                way for way, _ in session().execute(campaign_leads.page(workspace, draft.id)) if way.state == "active"
            )
            campaign_leads.stop(workspace, draft.id, one.id)
    found, answered = touches(workspace), answers()
    assert len(found) > 100
    assert len(answered) >= 8
    assert [touch for touch in found if touch.at > answered.get(touch.person, touch.at)] == []
    assert [touch for touch in found if touch.at > stopped.get(touch.person, touch.at)] == []
    first: dict[str, tuple[datetime, str]] = {}
    for person, at in sorted(answered.items(), key=lambda one: one[1]):
        first.setdefault(f"Company {int(person.rpartition('-')[2]) % COMPANIES}", (at, person))
    held = [
        touch
        for touch in found
        if touch.company in first and touch.person != first[touch.company][1]
        if touch.at > first[touch.company][0] + HEARD
    ]
    assert held == []
    assert session().scalar(sa.select(sa.func.count()).select_from(CompanyHold)) == len(first)
    assert list(breaches(found, 1, DAY)) == []
    assert list(breaches(found, 4, 14 * DAY)) == []
    both = Counter(touch.person for touch in {touch._replace(at=BEGIN) for touch in found})
    assert max(both.values()) <= 1 + CAMPAIGNS * APART // 90
    proofs = session().scalar(sa.select(sa.func.count()).select_from(ContactProof))
    assert (proofs or 0) >= len(found)
    reasons = Counter(session().scalars(sa.select(CampaignLead.reason).where(CampaignLead.state == "excluded")))
    assert {"replied_before", "said_no", "contacted_lately"} <= set(reasons)
