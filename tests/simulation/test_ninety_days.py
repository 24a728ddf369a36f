"""Ninety days of three senders on three continents, through the real engine: what must never happen did not."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from app.core.clock import Movable
from app.core.db import in_transaction, session
from app.domain import accounts, campaigns, doctor, leads, people, sandbox, suppression, waiting, workspaces
from app.domain.reasons import REASONS
from app.models.accounts import Account, AccountStatus, Channel
from app.models.campaigns import ENDED_STATES, Campaign, CampaignLead
from app.models.ledger import Action, ActionState
from app.models.workspaces import Workspace
from app.providers.sandbox.store import SandboxAct, SandboxEffect
from tests.conftest import PASSWORD
from tests.simulation import witness
from tests.simulation.witness import Seen, hours

BEGIN = datetime(
    2026, 2, 23, 6, tzinfo=UTC
)  # New York changes its clocks on 8 March, Berlin on 29 March, Sydney on 5 April
DAYS, SEED = 90, 11
ZONES = ["America/New_York", "Europe/Berlin", "Australia/Sydney"]
# Every 25th person makes some trouble that a real network makes too.
TROUBLE = (
    "lost-answer lost-request cannot-tell unreachable limits weekly-limits away replies-unsubscribe refuses"
    " soft-bounces bounces late-accepts connected challenges"
).split()
BROAD: list[dict[str, Any]] = [
    {"type": "view_profile"},
    {"type": "connection_request", "delay": {"value": 1, "unit": "days"}, "message": "Hello {{first_name|there}}"},
    {
        "type": "message",
        "delay": {"value": 2, "unit": "days"},
        "message": "Thank you.\n---\nOne question, {{first_name}}.",
    },
    {"type": "follow", "delay": {"value": 4, "unit": "hours"}},
    {"type": "message", "delay": {"value": 4, "unit": "days"}, "message": "Still curious about {{company_name|you}}."},
]
NARROW: list[dict[str, Any]] = [
    {"type": "connection_request", "message": ""},
    {
        "type": "email",
        "delay": {"value": 1, "unit": "days"},
        "subject": "A question",
        "message": "Hello {{first_name}}",
    },
    {"type": "message", "delay": {"value": 1, "unit": "days"}, "message": "Thank you for connecting."},
    {"type": "email", "delay": {"value": 5, "unit": "days"}, "message": "May I ask again?"},
]


def profile(number: int, trouble: bool = True) -> dict[str, Any]:
    """Somebody of the sandbox network; some make trouble."""
    prefix = f"{TROUBLE[number // 25 % len(TROUBLE)]}-" if trouble and number % 25 == 7 else ""
    name = f"{prefix}person-{number}"
    return {
        "publicId": name,
        "firstName": f"First{number}",
        "lastName": "Last",
        "companyName": f"Company {number % 200}",
        "companyUrl": f"https://company-{number % 200}.example",
        "email": f"{name}@company-{number % 200}.example",
    }


@dataclass
class World:
    """The workspace on its way, and what happened to whom when."""

    workspace: Workspace
    clock: Movable
    campaigns: list[Campaign]
    silence: dict[str, datetime] = field(default_factory=dict)  # never-contact, by person
    reconnected: int = 0

    def acts(self) -> list[Seen]:
        """The network's log, with the campaign each act was done for."""
        query = sa.select(SandboxAct, Action.campaign_id).join(
            Action, sa.and_(Action.token == SandboxAct.token, Action.sender_id == SandboxAct.account_id)
        )
        return [
            Seen(act.account_id, campaign, act.kind, act.person, act.at)
            for act, campaign in session().execute(query.order_by(SandboxAct.id))
        ]

    def day(self, number: int) -> None:
        """One day passes; every third day somebody asks not to be contacted, and senders in trouble are helped."""
        sandbox.advance(self.workspace, 24)
        self.clock.forward(minutes=15)  # real time passes too: outcomes that were lost are looked up after a while
        if number % 3 == 2:
            self._silence(number)
        for account in accounts.every(self.workspace):
            if account.status != AccountStatus.CONNECTED:
                accounts.reconnect(self.workspace, account.id)
                self.reconnected += 1
        assert not in_transaction()

    def _silence(self, number: int) -> None:
        """A person, an address, a domain or a company, in turn; whom that covers is known from how they are made."""
        at, kind = self.workspace.now(), number // 3 % 4
        company, one = number * 2 % 200, number * 13 + 1
        if kind == 0:
            entry, covered = ("person", profile(one)["publicId"]), [one]
        elif kind == 1:
            entry, covered = ("email", profile(one)["email"]), [one]
        elif kind == 2:
            entry, covered = ("domain", f"company-{company}.example"), list(range(company, 2000, 200))
        else:
            entry, covered = ("company", f"Company {company}"), list(range(company, 2000, 200))
        added = suppression.add(self.workspace, [entry])
        assert not added.refused
        for person in covered:
            self.silence.setdefault(profile(person)["publicId"], at)

    def replies(self) -> dict[str, datetime]:
        """When each person first answered, by the network's own record."""
        query = sa.select(SandboxEffect.person, sa.func.min(SandboxEffect.at)).where(
            SandboxEffect.kind == "received",
            SandboxEffect.automatic.is_(False),
            SandboxEffect.at <= self.workspace.now(),
        )
        return dict(session().execute(query.group_by(SandboxEffect.person)))


@pytest.fixture
def world(app: Any, clock: Movable) -> Iterator[World]:
    """Two campaigns that share three senders: a broad one in each sender's hours, a narrow one with e-mail."""
    clock.to(BEGIN)
    workspace = workspaces.create(
        "Acme", "ada@acme.example", PASSWORD, sandbox=True, timezone="Europe/London", seed=SEED
    )
    accounts.connect(workspace, provider="sandbox", name="Third Person")
    social = [each for each in accounts.every(workspace) if each.channel == Channel.SOCIAL]
    for account, zone in zip(social, ZONES, strict=True):
        accounts.edit(workspace, account.id, timezone=zone)
    ids = [account.id for account in social]
    made = []
    for name, numbers in (("Broad", range(1500)), ("Narrow", range(1500, 2000))):
        found = leads.create_list(workspace, name)
        for start in range(0, len(numbers), 1000):
            leads.add(workspace, found.id, [profile(number) for number in numbers[start : start + 1000]])
        made.append(found.id)
    narrow = {"timezone": "Europe/London", "days": [2, 3, 4], "startTime": "08:00", "endTime": "21:30"}
    every_day = {"timezone": "UTC", "days": [1, 2, 3, 4, 5, 6, 7], "startTime": "00:00", "endTime": "23:59"}
    drafts = [("Broad", made[0], BROAD, every_day), ("Narrow", made[1], NARROW, narrow)]
    started = [
        campaigns.create(workspace, name=name, list_id=list_id, account_ids=ids, sequence=sequence, schedule=schedule)
        for name, list_id, sequence, schedule in drafts
    ]
    for campaign in started:
        campaigns.start(workspace, campaign.id)
    return World(workspace, clock, started)


def test_it_works(world: World, tmp_path: Path) -> None:
    """Ninety days pass, and then the network's log is held against every rule."""
    for number in range(DAYS):
        world.day(number)
    acts = world.acts()
    senders = session().scalars(sa.select(Account)).all()
    open_hours = {each.id: hours(each.timezone, each.work_days, each.work_start, each.work_end) for each in senders}
    schedules = {each.id: hours(each.timezone, each.days, each.start_time, each.end_time) for each in world.campaigns}
    assert len(acts) > 4000, Counter(act.kind for act in acts)
    assert witness.outside_hours(acts, open_hours, schedules) == []
    assert witness.over_limit(acts, {each.id: each.limits for each in senders}) == []
    assert witness.too_close(acts) == []
    assert witness.after(acts, world.replies()) == []
    assert len(world.silence) > 100
    assert witness.after(acts, world.silence) == []
    broad, narrow = (campaign.id for campaign in world.campaigns)
    assert witness.repeated(acts, {broad: 3, narrow: 2}) == []
    assert world.reconnected > 0
    _nobody_is_forgotten(world)
    _the_ledger_equals_the_log(world, acts)
    assert [finding for finding in doctor.examine(tmp_path) if not finding.well] == []


def _nobody_is_forgotten(world: World) -> None:
    """Everybody's way has ended, or they can say why they wait, and for whom."""
    counts: Counter[str] = Counter()
    for campaign in world.campaigns:
        rows = session().execute(people.page(world.workspace, campaign.id)).all()
        whys = waiting.of_people(world.workspace, campaign, [person for person, _ in rows])
        for person, _ in rows:
            why = whys[person.id]
            counts[person.state] += 1
            assert why.code in REASONS
            assert why.sentence
            if person.state not in ENDED_STATES:
                assert why.until is None or why.until > world.workspace.now() - timedelta(minutes=10), (person.id, why)
                assert why.until is not None or why.who != "nobody", (person.id, why)
    assert counts.total() == 2000
    assert counts["finished"] + counts["stopped"] + counts["excluded"] + counts["failed"] > 1000, counts


def _the_ledger_equals_the_log(world: World, acts: list[Seen]) -> None:
    """What the ledger says was sent is in the network's log and the other way round; what is unknown may be."""
    states = dict(session().execute(sa.select(Action.token, Action.state)).all())
    logged = set(session().scalars(sa.select(SandboxAct.token)))
    sent = {token for token, state in states.items() if state == ActionState.SENT}
    unknown = {token for token, state in states.items() if state in (ActionState.UNKNOWN, ActionState.SENDING)}
    repeatable = set(
        session().scalars(sa.select(Action.token).where(Action.kind.in_(["view_profile", "follow", "like_post"])))
    )
    assert sent - logged == set()
    assert logged - sent - unknown - repeatable == set()
    assert len(acts) == len(logged)
    assert session().scalar(sa.select(sa.func.count()).where(CampaignLead.replied.is_(True))) or 0 > 50
