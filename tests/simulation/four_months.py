"""Six campaigns one after the other over the same people, and what the ledger says of it afterwards.

The ledger's rows are held against what the network itself recorded and what was decided here; none of the product's
own rules are asked.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from app.core.clock import Movable
from app.core.db import end_read, session
from app.domain.campaign_leads import campaign_leads, company_decisions
from app.domain.campaigns import campaigns
from app.domain.exclusions import never_contact
from app.domain.leads import leads, lists, tags
from app.domain.operations import sandbox_clock
from app.domain.senders import accounts
from app.domain.tasks import marked_answers
from app.domain.workspace import workspaces
from app.models.campaigns import CAMPAIGN, Campaign, CampaignLead
from app.models.exclusions import CompanyHold, HoldDecision
from app.models.ledger import Action
from app.models.people import Person
from app.models.workspaces import Workspace
from app.providers.sandbox.store import SandboxEffect
from tests.conftest import PASSWORD
from tests.simulation.witness import SPEAKS
from tests.simulation.world import ABSENCES, BROAD, NARROW

BEGIN = datetime(2026, 3, 2, 6, tzinfo=UTC)
HALF = 10 * 24  # hours: a campaign begins every 20 days
DAY = timedelta(days=1)
PER_DAY, MOST, WITHIN, AT_ONCE = 1, 4, 14 * DAY, 5  # contacts a day and in the days; people of a company at once
# What each campaign says of people contacted before; the rest is what every campaign has.
RULES: tuple[dict[str, Any], ...] = (
    {},
    {"contacted_days": 0},
    {"contacted_days": 30},
    {"contacted_days": 0, "tags": ["partner"]},
    {"contacted_days": 5},
    {"contacted_days": 10, "company_days": 3},
)
# One of twenty each; the opt-out asks for silence, the absent says only that they are away.
KINDS = (
    "replies-positive- accepts- ignores- replies-negative- away- accepts- ignores- connected- replies-unsubscribe-"
    " accepts- bounces- replies-question- ignores- accepts- late-accepts- ignores- replies-referral- connected-"
    " soft-bounces- accepts-"
).split()


class Touch(NamedTuple):
    """A contact as the ledger has it; the parts of a message are one."""

    at: datetime
    person: str
    campaign_id: int


class Reply(NamedTuple):
    """An answer as the network has it."""

    at: datetime
    person: str
    sender: int


@dataclass
class Story:
    """A workspace on its way through four months, and what was decided in it."""

    workspace: Workspace
    companies: int
    blocked: dict[str, datetime] = field(default_factory=dict)
    met: dict[str, datetime] = field(default_factory=dict)  # as a member said
    stopped: dict[tuple[int, str], datetime] = field(default_factory=dict)  # in one campaign
    left_out: set[tuple[int, str]] = field(default_factory=set)  # by a list or tag that the campaign names
    decided: list[tuple[datetime, int]] = field(default_factory=list)  # companies whose people go on

    def company_of(self, person: str) -> int:
        """Return the number of the person's company."""
        return int(person.rpartition("-")[2]) % self.companies


def someone(number: int, companies: int) -> dict[str, str]:
    """One of the people, of whom some answer and some write that they are away."""
    name, host = f"{KINDS[number * 7 % 20]}person-{number}", f"company-{number % companies}.example"
    return {
        "publicId": name,
        "firstName": f"First{number}",
        "companyName": f"Company {number % companies}",
        "companyUrl": f"https://{host}",
        "email": f"{name}@{host}",
    }


def live_through(clock: Movable, people: int, companies: int, senders: int = 2) -> Story:
    """Run the six campaigns; after half of each, members stop, block, tag and mark some people."""
    clock.to(BEGIN)
    workspace = workspaces.create("Acme", "ada@acme.example", PASSWORD, sandbox=True, seed=4)
    for number in range(2, senders):
        accounts.connect(workspace, provider="sandbox", name=f"Sender {number}")
    story, chance = Story(workspace, companies), random.Random(people)
    everyone = [someone(number, companies) for number in range(people)]
    some = lists.create_list(workspace, "Everyone").id
    for start in range(0, people, 500):
        leads.add(workspace, some, everyone[start : start + 500])
    customers = chance.sample(everyone, people // 20)
    theirs = lists.create_list(workspace, "Customers").id
    leads.add(workspace, theirs, customers)
    tagged: set[str] = set()
    begun: list[Campaign] = []
    for number, rules in enumerate(RULES):
        named = {"list_ids": [theirs]} if number >= 2 else {}
        draft = campaigns.create(
            workspace,
            name=f"Campaign {number}",
            list_id=some,
            account_ids=[account.id for account in accounts.every(workspace)],
            sequence=NARROW if number % 2 else BROAD,
            exclude=rules | named,
        )
        out = {person["publicId"] for person in customers} if named else set()
        out |= tagged if "tags" in rules else set()
        story.left_out |= {(draft.id, person) for person in out}
        campaigns.start(workspace, draft.id)
        begun.append(draft)
        if number >= 2 and CAMPAIGN.allows(begun[number - 2], "cancel"):
            campaigns.cancel(workspace, begun[number - 2].id)  # else it keeps its people for all four months
        sandbox_clock.advance(workspace, HALF)
        session().expire_all()
        _step_in(story, draft.id, chance, people)
        if "tags" not in rules:
            tagged |= _tag(workspace, chance.sample(everyone, people // 50))
        sandbox_clock.advance(workspace, HALF)
        session().expire_all()
        _decide(story)
    end_read()
    return story


def _step_in(story: Story, campaign_id: int, chance: random.Random, people: int) -> None:
    """Stop some of the campaign, block some, and say of some that they answered elsewhere."""
    workspace, at = story.workspace, story.workspace.now()
    query = sa.select(CampaignLead).where(CampaignLead.campaign_id == campaign_id, CampaignLead.state == "active")
    active = session().scalars(query.order_by(CampaignLead.id)).all()
    most = max(1, people // 100)
    chosen = [
        (one.id, one.person_id, one.person.public_id) for one in chance.sample(active, min(3 * most, len(active)))
    ]
    for number, (campaign_lead_id, person_id, name) in enumerate(chosen):
        if number % 3 == 0:
            campaign_leads.stop(workspace, campaign_id, campaign_lead_id)
            story.stopped[campaign_id, name] = at
        elif number % 3 == 1:
            never_contact.add(workspace, [("person", name)])
            story.blocked[name] = at
        else:
            marked_answers.mark(workspace, person_id, "met")
            story.met[name] = at


def _tag(workspace: Workspace, people: Iterable[dict[str, str]]) -> set[str]:
    names = {person["publicId"] for person in people}
    query = sa.select(CampaignLead.lead_id).join(CampaignLead.person).where(Person.public_id.in_(names)).distinct()
    for lead_id in session().scalars(query).all():
        tags.set_tags(workspace, lead_id, ["partner"])
    return names


def _decide(story: Story) -> None:
    """Let three of four companies go on that were held; the others wait on."""
    workspace = story.workspace
    query = sa.select(CompanyHold).where(CompanyHold.workspace_id == workspace.id)
    for hold in session().scalars(query.where(CompanyHold.decision == HoldDecision.OPEN)).all():
        company = int(hold.name.rpartition(" ")[2])
        if company % 4:
            company_decisions.decide(workspace, hold.id, "go_on")
            story.decided.append((workspace.now(), company))


def touches(workspace: Workspace) -> list[Touch]:
    """Every contact that a campaign made, oldest first."""
    query = (
        sa.select(Action.at, Person.public_id, Action.campaign_id)
        .join(Person, Person.id == Action.person_id)
        .where(Action.workspace_id == workspace.id, Action.kind.in_(SPEAKS), Action.part == 0, Action.step >= 0)
        .where(Action.state.in_(["sending", "sent", "unknown"]))
    )
    return [Touch(*row) for row in session().execute(query.order_by(Action.at, Action.id))]


def replies(workspace: Workspace) -> list[Reply]:
    """Every answer by the network's own record, oldest first; an address stands for its owner."""
    query = sa.select(SandboxEffect).where(
        SandboxEffect.workspace_id == workspace.id, SandboxEffect.kind == "received", SandboxEffect.automatic.is_(False)
    )
    return [
        Reply(effect.at, effect.person.partition("@")[0], effect.account_id)
        for effect in session().scalars(query.order_by(SandboxEffect.at))
        if not effect.text.startswith(ABSENCES)
    ]


def after(found: Iterable[Touch], silence: dict[str, datetime]) -> list[Touch]:
    """Contacts of people who should have been left alone from a moment on."""
    return [touch for touch in found if touch.at > silence.get(touch.person, touch.at)]


def held(story: Story, found: Iterable[Touch], answered: Iterable[Reply]) -> tuple[int, list[Touch]]:
    """How often a company was held, and contacts of others there before it was decided that they go on.

    An opt-out holds no one. Once they go on, answers in the same conversation hold no one again.
    """
    said = [reply for reply in answered if "unsubscribe" not in reply.person]
    said += [Reply(at, person, 0) for person, at in story.met.items()]
    open_now: dict[int, Reply] = {}
    over: set[tuple[str, int]] = set()
    spans: defaultdict[int, list[tuple[datetime, datetime, str]]] = defaultdict(list)
    for at, one in sorted([*((reply.at, reply) for reply in said), *story.decided], key=lambda one: one[0]):
        if isinstance(one, Reply):
            if not one.sender or (one.person, one.sender) not in over:
                open_now.setdefault(story.company_of(one.person), one)
        elif began := open_now.pop(one, None):
            over.add((began.person, began.sender))
            spans[one].append((began.at, at, began.person))
    for company, began in open_now.items():
        spans[company].append((began.at, story.workspace.now(), began.person))
    breaches = [
        touch
        for touch in found
        for since, until, person in spans[story.company_of(touch.person)]
        if since < touch.at < until and touch.person != person
    ]
    return sum(map(len, spans.values())), breaches


def too_often(found: Iterable[Touch], most: int, within: timedelta) -> Iterator[Touch]:
    """Contacts with which a person was contacted too often."""
    theirs: defaultdict[str, list[datetime]] = defaultdict(list)
    for touch in found:
        if len([at for at in theirs[touch.person] if at > touch.at - within]) >= most:
            yield touch
        theirs[touch.person].append(touch.at)


def too_many(story: Story, found: Iterable[Touch], most: int = AT_ONCE) -> Iterator[Touch]:
    """Contacts with which a campaign began with one person too many of a company."""
    query = sa.select(CampaignLead.campaign_id, Person.public_id, CampaignLead.finished_at)
    ended = {
        (campaign_id, person): at
        for campaign_id, person, at in session().execute(query.join(Person, Person.id == CampaignLead.person_id))
    }
    under_way: defaultdict[int, set[tuple[int, str]]] = defaultdict(set)
    for touch in found:
        company, place = story.company_of(touch.person), (touch.campaign_id, touch.person)
        there = {one for one in under_way[company] if (at := ended[one]) is None or at > touch.at}
        if place not in under_way[company] and len({person for _, person in there} - {touch.person}) >= most:
            yield touch
        under_way[company] = there | {place}


class Findings(NamedTuple):
    """What was found: how much happened, and each thing that must not have happened."""

    contacts: int
    by_campaign: dict[int, int]
    people: int
    answered: int
    silent: int
    holds: int
    reasons: Counter[str]
    unasked: int
    breaches: dict[str, list[Touch]]

    def lines(self) -> Iterator[str]:
        """Yield the findings as they are printed."""
        yield f"{self.contacts} contacts of {self.people} people, by campaign {list(self.by_campaign.values())}"
        yield f"{self.answered} people answered, {self.silent} were stopped, blocked or marked; {self.holds} holds"
        yield f"left out: {dict(self.reasons.most_common())}"
        yield from (f"{len(found)} {name}" for name, found in self.breaches.items())


def judge(story: Story) -> Findings:
    """Hold the ledger against what the network recorded and what was decided."""
    workspace = story.workspace
    found, answered = touches(workspace), [one for one in replies(workspace) if one.at <= workspace.now()]
    first: dict[str, datetime] = {}
    for reply in answered:
        first.setdefault(reply.person, reply.at)
    opted_out = {person: at for person, at in first.items() if "unsubscribe" in person}
    holds, at_held = held(story, found, answered)
    stopped = [touch for touch in found if touch.at > story.stopped.get((touch.campaign_id, touch.person), touch.at)]
    query = sa.select(CampaignLead.reason, sa.func.count()).where(CampaignLead.state == "excluded")
    asked = session().scalar(sa.select(sa.func.count(Action.id)).where(Action.asked.is_not(None))) or 0
    breaches = {
        "contacts of people who answered": after(found, first),
        "contacts of people who opted out": after(found, opted_out),
        "contacts of people who were stopped": stopped,
        "contacts of people who were blocked or marked": after(found, story.blocked | story.met),
        "contacts of people whom a list or tag leaves out": [
            touch for touch in found if (touch.campaign_id, touch.person) in story.left_out
        ],
        "contacts at held companies": at_held,
        "contacts over one a day": list(too_often(found, PER_DAY, DAY)),
        "contacts over four in fourteen days": list(too_often(found, MOST, WITHIN)),
        "contacts over five people of a company": list(too_many(story, found)),
    }
    result = Findings(
        contacts=len(found),
        by_campaign=dict(sorted(Counter(touch.campaign_id for touch in found).items())),
        people=len({touch.person for touch in found}),
        answered=len(first),
        silent=len(story.blocked | story.met) + len(story.stopped),
        holds=holds,
        reasons=Counter(dict(session().execute(query.group_by(CampaignLead.reason)).all())),
        unasked=max(0, len(found) - asked),
        breaches=breaches,
    )
    end_read()
    return result
