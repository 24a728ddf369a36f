"""A workspace with three senders on three continents on its way through time, and what must be true afterwards."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from app.core.db import in_transaction, session
from app.domain.installation import doctor
from app.domain.installation.sandbox import sandbox_clock
from app.domain.leads.campaign_leads import campaign_leads, why_waiting
from app.domain.people.exclusions import never_contact
from app.domain.platform import jobs
from app.domain.rules.reasons import REASONS
from app.domain.senders import accounts
from app.domain.workspace import workspaces
from app.models.accounts import Account, AccountStatus, Channel
from app.models.campaigns import ENDED_STATES, Campaign
from app.models.ledger import Action, ActionState
from app.models.workspaces import Workspace
from app.providers.sandbox.store import SandboxAct, SandboxEffect
from app.providers.sandbox.texts import AWAY
from tests.conftest import PASSWORD
from tests.domain.outreach import ALWAYS, a_campaign
from tests.simulation import witness
from tests.simulation.witness import Seen, hours
from tests.support.movable import Movable

SEED = 11
ABSENCES = tuple(text.partition("{")[0] for text in AWAY)
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
    """Someone of the sandbox network; some make trouble."""
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
    people: int
    campaigns: list[Campaign] = field(default_factory=list)
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
        """One day passes; every third day someone asks not to be contacted, and senders in trouble are helped."""
        sandbox_clock.advance(self.workspace, 24)
        self.clock.forward(minutes=15)  # real time passes too: outcomes that were lost are looked up after a while
        if number % 3 == 2:
            self._silence(number)
        jobs.run_due()
        for account in accounts.every(self.workspace):
            if account.status != AccountStatus.CONNECTED:
                accounts.reconnect(self.workspace, account.id)
                self.reconnected += 1
        assert not in_transaction()

    def _silence(self, number: int) -> None:
        """A person, an address, a domain or a company, in turn; whom that covers is known from how they are made."""
        at, kind = self.workspace.now(), number // 3 % 4
        company, one = number * 2 % 200, (number * 13 + 1) % self.people
        if kind == 0:
            entry, covered = ("person", profile(one)["publicId"]), [one]
        elif kind == 1:
            entry, covered = ("email", profile(one)["email"]), [one]
        elif kind == 2:
            entry, covered = ("domain", f"company-{company}.example"), list(range(company, self.people, 200))
        else:
            entry, covered = ("company", f"Company {company}"), list(range(company, self.people, 200))
        added = never_contact.add(self.workspace, [entry])
        assert not added.refused
        for person in covered:
            self.silence.setdefault(profile(person)["publicId"], at)

    def replies(self) -> dict[str, datetime]:
        """When each person first answered, by the network's own record. A note of absence is not an answer."""
        query = sa.select(SandboxEffect.person, SandboxEffect.at, SandboxEffect.text).where(
            SandboxEffect.kind == "received", SandboxEffect.at <= self.workspace.now()
        )
        first: dict[str, datetime] = {}
        for person, at, text in session().execute(query.order_by(SandboxEffect.at)):
            if not text.startswith(ABSENCES):
                first.setdefault(person, at)
        return first


def begin(clock: Movable, at: datetime, *, broad: int, narrow: int) -> World:
    """Two campaigns that share three senders: a broad one in each sender's hours, a narrow one with e-mail."""
    clock.to(at)
    workspace = workspaces.create(
        "Acme", "ada@acme.example", PASSWORD, sandbox=True, timezone="Europe/London", seed=SEED
    )
    accounts.connect(workspace, provider="sandbox", name="Third Person")
    social = [each for each in accounts.every(workspace) if each.channel == Channel.SOCIAL]
    for account, zone in zip(social, ZONES, strict=True):
        accounts.edit(workspace, account.id, timezone=zone)
    ids = [account.id for account in social]
    narrow_hours = {"timezone": "Europe/London", "days": [2, 3, 4], "startTime": "08:00", "endTime": "21:30"}
    world = World(workspace, clock, people=broad + narrow)
    drafts = [
        ("Broad", range(broad), BROAD, ALWAYS),
        ("Narrow", range(broad, broad + narrow), NARROW, narrow_hours),
    ]
    for name, numbers, sequence, schedule in drafts:
        people = [profile(number) for number in numbers]
        world.campaigns.append(a_campaign(workspace, people, sequence, senders=ids, schedule=schedule, name=name))
    return world


def hold(world: World, instance: Path) -> list[Seen]:
    """The network's log, held against every rule."""
    acts = world.acts()
    senders = session().scalars(sa.select(Account)).all()
    open_hours = {each.id: hours(each.timezone, each.work_days, each.work_start, each.work_end) for each in senders}
    schedules = {each.id: hours(each.timezone, each.days, each.start_time, each.end_time) for each in world.campaigns}
    _none(witness.outside_hours(acts, open_hours, schedules))
    _none(witness.over_limit(acts, {each.id: each.limits for each in senders}))
    _none(witness.too_close(acts))
    _none(witness.after(acts, world.replies()))
    _none(witness.after(acts, world.silence))
    broad, narrow = (campaign.id for campaign in world.campaigns)
    _none(witness.repeated(acts, {broad: 3, narrow: 2}))
    _no_one_is_forgotten(world)
    _the_ledger_equals_the_log(world, acts)
    _none([finding for finding in doctor.examine(instance) if not finding.well])
    return acts


def _none(found: Sequence[Any]) -> None:
    """Nothing was found; else the first few are shown."""
    assert not found, f"{len(found)} found, such as {found[:3]}"


def _no_one_is_forgotten(world: World) -> None:
    """Everyone's way has ended, or they can say why they wait, and for whom."""
    counts: Counter[str] = Counter()
    for campaign in world.campaigns:
        rows = session().execute(campaign_leads.page(world.workspace, campaign.id)).all()
        whys = why_waiting.of_people(world.workspace, campaign, [person for person, _ in rows])
        for person, _ in rows:
            why = whys[person.id]
            counts[person.state] += 1
            assert why.code in REASONS
            assert why.sentence
            if person.state not in ENDED_STATES:
                assert why.until is None or why.until > world.workspace.now() - timedelta(minutes=20), (person.id, why)
                assert why.until is not None or why.who != "nobody", (person.id, why)
    assert counts.total() == world.people


def _the_ledger_equals_the_log(world: World, acts: list[Seen]) -> None:
    """What the ledger says was sent is in the network's log and the other way round; what is unknown may be."""
    states = dict(session().execute(sa.select(Action.token, Action.state)).all())
    effective = sa.select(SandboxAct.token).where(SandboxAct.token.not_like("try|%"))  # others had no effect
    logged = set(session().scalars(effective))
    sent = {token for token, state in states.items() if state == ActionState.SENT}
    unknown = {token for token, state in states.items() if state in (ActionState.UNKNOWN, ActionState.SENDING)}
    repeatable = set(
        session().scalars(sa.select(Action.token).where(Action.kind.in_(["view_profile", "follow", "like_post"])))
    )
    _none(sorted(sent - logged))
    _none(sorted(logged - sent - unknown - repeatable))
    assert len(acts) == len(logged)
