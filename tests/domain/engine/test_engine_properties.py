"""The engine under everything at once: people step in, processes die, time passes; what must always hold, holds."""

import os
import random
from collections import Counter
from contextlib import suppress
from datetime import timedelta
from itertools import count
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from app.core.db import end_read, fetch, session, transaction
from app.core.errors import Conflict, InvalidRequest
from app.domain.campaigns import campaigns
from app.domain.campaigns.changes import revisions
from app.domain.engine import turns
from app.domain.engine.inbound import poll
from app.domain.installation.sandbox import sandbox_clock
from app.domain.leads.campaign_leads import campaign_leads, why_waiting
from app.domain.ledger import recount
from app.domain.people.exclusions import never_contact
from app.domain.senders import accounts
from app.domain.workspace import workspaces
from app.models.accounts import Account
from app.models.campaigns import CAMPAIGN, CAMPAIGN_LEAD, OPEN_STATES, TIMERS, Campaign, CampaignLead, CampaignStats
from app.models.ledger import Action
from app.models.webhooks import Event
from app.models.workspaces import Workspace
from app.ports import Accepted, ProviderError, Received
from app.providers.sandbox.store import SandboxAct
from tests.domain.outreach import INVITE, VIEW, a_campaign, do_it, email, happens, message, revise
from tests.support.movable import Movable

pytestmark = pytest.mark.postgres

PEOPLE = (
    "accepts-ada ignores-bob replies-positive-cleo replies-unsubscribe-dan away-eve refuses-finn lost-answer-gus"
    " lost-request-hal unreachable-ida never-reachable-joe limits-kim challenges-lea late-accepts-max bounces-nan"
    " cannot-tell-ola replies-question-pia"
).split()
INMAIL = {"type": "inmail", "message": "Hello", "subject": "Hi"}
SEQUENCES = (
    [INVITE, message("One\n---\nTwo"), email(days=1)],
    [VIEW, INVITE, message(days=1), message("Again", days=2)],
    [email(), INVITE],
    [INMAIL, {"type": "follow", "delay": {"value": 5, "unit": "hours"}}, email("More", days=2)],
)
NUMBERS = count()
EXAMPLES = int(os.environ.get("FUZZ_STORIES", "3"))
A_DAY, QUIET = timedelta(days=1), ("nobody", "network", "them")


def able(account: Account) -> bool:
    """Whether the sender may act; one that may not is woken when it may again."""
    return account.active and account.status == "connected"


STORIES = settings(
    deadline=None,
    phases=[Phase.generate],
    report_multiple_bugs=False,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
"""The same stories every time; the first one that goes wrong is told."""


def any_change(campaign: Campaign, fixed: int, rng: random.Random) -> list[dict[str, Any]]:
    """Steps that may follow from the present ones: the fixed ones in place, or none of them, all else as it comes."""
    fixed = rng.choice([0, fixed])
    texts = (message(f"Text {next(NUMBERS)}", days=rng.randint(0, 3)) for _ in range(4))
    stay = [dict(step) for step in campaign.sequence[:fixed]]
    for step in stay:
        if step["type"] == "message" and rng.random() < 0.5:
            step["message"] = f"Text {next(NUMBERS)}"
    later = [dict(step) for step in campaign.sequence[fixed:] if rng.random() < 0.7]
    later += rng.sample([VIEW, {"type": "follow"}, *texts, email()], rng.randint(0, 3))
    rng.shuffle(later)
    if not any(step["type"] == "connection_request" for step in stay):
        later = [INVITE, *(step for step in later if step["type"] != "connection_request")]
    return [*stay, *later] or [INVITE]


class Engine(RuleBasedStateMachine):
    """A sandbox workspace in which anything may happen at any moment."""

    clock: Movable

    def __init__(self) -> None:
        super().__init__()
        number = next(NUMBERS)
        self.workspace = workspaces.create(
            "Engine", f"engine-{number}@example.com", "four unrelated quiet words", sandbox=True
        )
        self.silent: dict[str, int] = {}  # who must hear nothing more: the number of the last act before

    # --- what people of the workspace do

    @precondition(lambda self: len(self.campaigns()) < 3)
    @rule(chosen=st.sets(st.sampled_from(PEOPLE), min_size=1, max_size=4), steps=st.sampled_from(SEQUENCES))
    def start_a_campaign(self, chosen: set[str], steps: list[dict[str, Any]]) -> None:
        known = [one for one in sorted(chosen) if one not in self.silent]
        if known:
            a_campaign(self.workspace, known, steps, senders=3, name=f"Campaign {next(NUMBERS)}")

    @rule(draw=st.integers(0, 99), verb=st.sampled_from(["pause", "resume", "cancel", "delete"]))
    def change_a_campaign(self, draw: int, verb: str) -> None:
        possible = [campaign for campaign in self.campaigns() if CAMPAIGN.allows(campaign, verb)]
        if possible:
            getattr(campaigns, verb)(self.workspace, possible[draw % len(possible)].id)

    @precondition(lambda self: any(one.status in ("running", "paused") for one in self.campaigns()))
    @rule(draw=st.integers(0, 10**6), apply_to=st.sampled_from(["new", "all"]))
    def change_the_steps(self, draw: int, apply_to: str) -> None:
        possible = [one for one in self.campaigns() if one.status in ("running", "paused")]
        campaign = possible[draw % len(possible)]
        wanted = any_change(campaign, revisions.steps_had(campaign, apply_to), random.Random(draw))
        # What cannot be sent by anyone, or is still being checked, is refused and leaves everything as it is.
        with suppress(InvalidRequest, Conflict):
            revise(self.workspace, campaign.id, wanted, apply_to)
        end_read()

    @rule(draw=st.integers(0, 99), verb=st.sampled_from(["pause", "resume", "resume", "stop"]))
    def change_a_person(self, draw: int, verb: str) -> None:
        possible = [person for person in self.people() if CAMPAIGN_LEAD.allows(person, verb)]
        if possible:
            person = possible[draw % len(possible)]
            getattr(campaign_leads, verb)(self.workspace, person.campaign_id, person.id)

    @rule(person=st.sampled_from(PEOPLE))
    def never_contact_someone(self, person: str) -> None:
        never_contact.add(self.workspace, [("person", person)])
        self.silent.setdefault(person, self.last_act())

    @rule(number=st.integers(0, 2), active=st.booleans())
    def switch_a_sender(self, number: int, active: bool) -> None:
        accounts.switch(self.workspace, self.senders()[number].id, active)

    @rule(number=st.integers(0, 2))
    def do_what_the_network_asks_for(self, number: int) -> None:
        accounts.reconnect(self.workspace, self.senders()[number].id)

    # --- what others do

    @rule(person=st.sampled_from(PEOPLE), number=st.integers(0, 2))
    def someone_writes(self, person: str, number: int) -> None:
        kind = "email" if number == 2 else "message"
        at, ref = self.workspace.now(), f"word-{next(NUMBERS)}"
        happens(self.workspace, self.senders()[number], Received(person, kind, "Who are you?", at, ref))

    @rule(draw=st.integers(0, 99), kind=st.sampled_from(["accepts", "away"]))
    def someone_does_something_of_their_own(self, draw: int, kind: str) -> None:
        invited = [person for person in self.people() if person.connection == "sent" and person.account_id]
        if invited:
            person = invited[draw % len(invited)]
            at, ref = self.workspace.now(), f"word-{next(NUMBERS)}"
            sender = next(account for account in self.senders() if account.id == person.account_id)
            away = Received(person.person.handle, "message", "I am out of the office for two days.", at, ref)
            happens(self.workspace, sender, Accepted(person.person.handle, at, ref) if kind == "accepts" else away)

    @rule(hours=st.sampled_from([0.3, 1, 5, 26, 70, 400]))
    def time_passes(self, hours: float) -> None:
        sandbox_clock.advance(self.workspace, hours)

    @rule(did_it=st.lists(st.booleans(), min_size=3, max_size=3))
    def the_process_dies(self, did_it: list[bool]) -> None:
        """At the next turn, between intending and recording; some of the intents have reached the network."""
        moments = [account.turn_at for account in self.senders() if account.turn_at]
        if not moments or min(moments) > self.workspace.now() + 3 * A_DAY:
            return
        with transaction() as current:
            ahead = int((min(moments) - self.workspace.now()).total_seconds()) + 1
            current.get_one(Workspace, self.workspace.id).clock_offset += max(0, ahead)
        session().refresh(self.workspace)
        poll.poll([account for account in self.senders() if account.status == "connected"], self.workspace.now())
        with transaction():
            found = turns.begin_round(self.workspace.id, self.workspace.now())
        for intent, done in zip(found.intended, did_it, strict=False):
            if done:
                with suppress(ProviderError):  # no one is left to hear of it
                    do_it(self.workspace, intent)
        self.clock.forward(minutes=5)

    # --- what must always hold

    @invariant()
    def nothing_is_done_twice(self) -> None:
        done = Counter(fetch(sa.select(SandboxAct.token).where(*self.mine(SandboxAct), SandboxAct.kind != "try")))
        assert max(done.values(), default=1) == 1
        steps = sa.select(Action.campaign_id, Action.person_id, Action.step, Action.part).where(
            *self.mine(Action), Action.campaign_id.is_not(None)
        )
        assert max(Counter(fetch(steps)).values(), default=1) == 1
        texts = sa.select(Action.person_id, Action.text).where(*self.mine(Action), Action.text.like("Text %"))
        assert max(Counter(fetch(texts)).values(), default=1) == 1

    @invariant()
    def counters_are_what_a_recount_says(self) -> None:
        for campaign in self.campaigns():
            stats = session().get_one(CampaignStats, campaign.id, populate_existing=True)
            assert {name: getattr(stats, name) for name in recount.COUNTERS} == recount.campaigns(campaign.id)[
                campaign.id
            ]

    @invariant()
    def no_one_hears_from_us_who_must_not(self) -> None:
        acts = fetch(
            sa.select(SandboxAct.id, SandboxAct.person, SandboxAct.at, SandboxAct.kind).where(*self.mine(SandboxAct))
        )
        for act in acts:
            assert act.id <= self.silent.get(act.person, act.id), act
        replied = {person.person.handle: person.replied_at for person in self.people() if person.replied}
        for act in acts:
            if act.kind not in ("withdraw", "try") and act.person in replied:
                assert act.at <= replied[act.person], act

    @invariant()
    def everyone_on_their_way_is_looked_after(self) -> None:
        at = self.workspace.now()
        turn_at = {account.id: account.turn_at for account in self.senders() if able(account)}
        for campaign in self.campaigns():
            mine = [person for person in self.people() if person.campaign_id == campaign.id]
            whys = why_waiting.of_people(self.workspace, campaign, mine)
            for person in mine:
                why = whys[person.id]
                assert why.sentence
                waits = person.state in OPEN_STATES and campaign.status == "running" and why.who in QUIET
                if waits and (person.sender_id is None or person.sender_id in turn_at):
                    self.someone_will_act(person, why, turn_at, at)

    def someone_will_act(self, person: CampaignLead, why: Any, turn_at: dict[int, Any], at: Any) -> None:
        """Time alone, the sender's next turn, or the look-up of an outcome brings this person on."""
        if person.next_budget in TIMERS:
            assert person.due_at is not None
        elif person.due_at is None:
            unsettled = sa.select(Action.id).where(Action.campaign_lead_id == person.id, Action.check_at.is_not(None))
            assert fetch(unsettled), (person.person.handle, why)
        else:
            assert person.sender_id is not None
            turn = turn_at[person.sender_id]
            assert turn is not None, (person.person.handle, why)
            assert why.until is None or turn <= max(why.until, at), (person.person.handle, why, turn)

    @invariant()
    def events_are_numbered_without_a_gap(self) -> None:
        numbers = [row[0] for row in fetch(sa.select(Event.sequence).where(*self.mine(Event)).order_by(Event.sequence))]
        assert numbers == list(range(1, len(numbers) + 1))

    def teardown(self) -> None:
        """When no one steps in any more, everyone reaches an end, or waits for a human with a reason."""
        for number, _ in enumerate(self.senders()):
            self.switch_a_sender(number, True)
            self.do_what_the_network_asks_for(number)
        for campaign in self.campaigns():
            if CAMPAIGN.allows(campaign, "resume"):
                campaigns.resume(self.workspace, campaign.id)
        for _ in range(9):
            for person in self.people():
                if CAMPAIGN_LEAD.allows(person, "resume"):
                    campaign_leads.resume(self.workspace, person.campaign_id, person.id)
            if not self.on_their_way():
                break
            sandbox_clock.advance(self.workspace, 24 * 10)
            for number, _ in enumerate(self.senders()):
                self.do_what_the_network_asks_for(number)
        assert self.on_their_way() == []
        end_read()

    # --- looking

    def mine(self, model: Any) -> tuple[Any, ...]:
        return (model.workspace_id == self.workspace.id,)

    def _all(self, model: Any) -> list[Any]:
        query = sa.select(model).where(*self.mine(model)).order_by(model.id)
        found = list(session().scalars(query.execution_options(populate_existing=True)))
        end_read()
        return found

    def campaigns(self) -> list[Campaign]:
        return self._all(Campaign)

    def people(self) -> list[CampaignLead]:
        return self._all(CampaignLead)

    def on_their_way(self) -> list[Any]:
        return [(p.person.handle, p.state, p.next_budget, p.reason) for p in self.people() if p.state in OPEN_STATES]

    def senders(self) -> list[Account]:
        return self._all(Account)

    def last_act(self) -> int:
        return max((row[0] for row in fetch(sa.select(SandboxAct.id).where(*self.mine(SandboxAct)))), default=0)


@pytest.fixture
def engine(acme: Workspace, clock: Movable) -> type[Engine]:
    """The machine, in this test's database and on its clock."""
    Engine.clock = clock
    return Engine


def test_any_story_keeps_the_engines_rules(engine: type[Engine]) -> None:
    """The same stories every time; a longer search finds more of them."""
    run_state_machine_as_test(engine, settings=settings(STORIES, max_examples=EXAMPLES, stateful_step_count=14))
