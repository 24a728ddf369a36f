"""The people of a campaign, one by one: what may be done to whom, and where they go on."""

from datetime import timedelta
from typing import Any

import pytest

from app.core.db import session, transaction
from app.core.errors import Conflict, NotFound
from app.domain.campaigns import campaigns
from app.domain.engine import lifecycle
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.people.exclusions import never_contact
from app.models.campaigns import CAMPAIGN_LEAD, ENDED_STATES, OPEN_STATES, LeadState
from app.models.workspaces import Workspace
from app.ports import Accepted
from tests.domain.outreach import (
    INVITE,
    VIEW,
    a_campaign,
    acts,
    assert_counters_hold,
    begun,
    everyone,
    forward,
    ledger,
    message,
    only,
    put,
    takes_in,
    the_account,
)
from tests.support.movable import Movable

pytestmark = pytest.mark.usefixtures("clock")
VERBS: dict[str, Any] = {"pause": campaign_leads.pause, "resume": campaign_leads.resume, "stop": campaign_leads.stop}


def test_only_an_owner_or_an_undo_leaves_an_end_and_every_open_state_has_a_way_out() -> None:
    leaves = [name for name, move in CAMPAIGN_LEAD.moves.items() if move.sources & set(ENDED_STATES)]
    assert leaves == ["let_in", "reopen"]
    for verb in ("pause", "stop"):
        assert set(OPEN_STATES) <= set(CAMPAIGN_LEAD.moves[verb].sources)


def test_a_verb_works_from_exactly_the_states_its_move_allows(acme: Workspace) -> None:
    """And for people of its own campaign alone."""
    first, campaign = a_campaign(acme, ["accepts-bob"]), a_campaign(acme, name="Second")
    for verb in (*VERBS.values(), campaign_leads.get):
        with pytest.raises(NotFound):
            verb(acme, first.id, only(campaign).id)
    for verb, act in VERBS.items():
        for state in LeadState:
            paused_from = LeadState.PENDING if state == LeadState.PAUSED else ""
            person = put(campaign, state=state, paused_from=paused_from, finished_at=None, reason="")
            if state in CAMPAIGN_LEAD.moves[verb].sources:
                act(acme, campaign.id, person.id)
            else:
                with pytest.raises(Conflict):
                    act(acme, campaign.id, person.id)
                assert only(campaign).state == state
            assert_counters_hold(campaign)


def test_a_pause_during_a_wait_keeps_the_rest_of_the_wait(acme: Workspace) -> None:
    """A wait that passed during the pause is over."""
    campaign = a_campaign(acme, ["accepts-ada"], [VIEW, {**VIEW, "delay": {"value": 3, "unit": "days"}}])
    forward(acme, hours=1)
    due = only(campaign).due_at
    campaign_leads.pause(acme, campaign.id, only(campaign).id)
    forward(acme, days=1)
    assert campaign_leads.resume(acme, campaign.id, only(campaign).id).due_at == due
    campaign_leads.pause(acme, campaign.id, only(campaign).id)
    forward(acme, days=10)
    assert len(acts(acme)) == 1
    campaign_leads.resume(acme, campaign.id, only(campaign).id)
    forward(acme, hours=1)
    assert len(acts(acme)) == 2


def test_an_acceptance_during_a_pause_is_gone_on_from(acme: Workspace) -> None:
    """Not from the day on which the invitation would have been withdrawn."""
    campaign = a_campaign(acme, ["ignores-ada"], [INVITE, message(days=2)])
    forward(acme, hours=1)
    campaign_leads.pause(acme, campaign.id, only(campaign).id)
    accepted = acme.now()
    takes_in(acme, the_account(acme), Accepted("ignores-ada", accepted, "acceptance"))
    assert only(campaign).state == LeadState.PAUSED
    forward(acme, days=1)
    person = campaign_leads.resume(acme, campaign.id, only(campaign).id)
    assert (person.state, person.due_at) == (LeadState.ACTIVE, accepted + timedelta(days=2))
    assert_counters_hold(campaign)


def test_a_pause_after_the_last_step_lets_time_go_on(acme: Workspace) -> None:
    campaign = a_campaign(acme, ["accepts-ada"], [INVITE, message()])
    forward(acme, days=2)
    assert only(campaign).next_budget == "end"
    campaign_leads.pause(acme, campaign.id, only(campaign).id)
    with transaction() as current:
        current.get_one(Workspace, acme.id).clock_offset += 10 * 86_400
    session().refresh(acme)
    assert lifecycle.run(acme) == 0
    assert only(campaign).state == LeadState.PAUSED
    campaign_leads.resume(acme, campaign.id, only(campaign).id)
    assert lifecycle.run(acme) == 2
    assert only(campaign).reason == "no_reply"
    assert_counters_hold(campaign)


def test_a_withdrawal_in_flight_is_not_begun_again_by_resuming(acme: Workspace, clock: Movable) -> None:
    campaign = a_campaign(acme, ["ignores-ada"], [INVITE, message()])
    forward(acme, hours=1)
    with transaction() as current:
        current.get_one(Workspace, acme.id).clock_offset += 22 * 86_400
    session().refresh(acme)
    assert begun(acme).intended[0].action.kind == "withdraw"
    campaign_leads.pause(acme, campaign.id, only(campaign).id)
    person = campaign_leads.resume(acme, campaign.id, only(campaign).id)
    assert (person.reason, person.due_at) == ("in_flight", None)
    clock.forward(minutes=5)
    forward(acme, hours=1)
    assert [kind for kind, _ in acts(acme)] == ["connection_request", "withdraw"]
    assert_counters_hold(campaign)


def test_a_step_that_the_ledger_has_already_is_left_to_a_human(acme: Workspace) -> None:
    campaign = a_campaign(acme, ["ignores-ada"], [INVITE, message()])
    forward(acme, hours=1)
    put(campaign, state=LeadState.PENDING, step=0, next_budget="invite", due_at=acme.now(), reason="")
    forward(acme, days=1)
    assert (only(campaign).state, only(campaign).reason) == (LeadState.PAUSED, "unknown_outcome")
    assert [action.attempts for action in ledger(acme)] == [1]
    assert_counters_hold(campaign)


def test_a_new_entry_takes_the_people_it_names_out_of_every_campaign(acme: Workspace, rival: Workspace) -> None:
    ours, theirs = a_campaign(acme, ["accepts-ada", "accepts-bob"]), a_campaign(rival, ["accepts-ada"])
    never_contact.add(acme, ["accepts-ada@example.com"])
    campaign_leads.exclude_many(acme, [person.id for person in everyone(theirs).values()], "never_contact")
    campaign_leads.exclude_many(acme, [everyone(ours)["accepts-ada"].id], "never_contact")
    campaign_leads.exclude_many(acme, [everyone(ours)["accepts-ada"].id], "never_contact")
    assert everyone(ours)["accepts-ada"].state == LeadState.EXCLUDED
    assert everyone(ours)["accepts-bob"].state == LeadState.PENDING
    assert only(theirs).state == LeadState.PENDING
    assert_counters_hold(ours)


def test_someone_of_a_paused_campaign_can_be_resumed_and_still_waits_for_it(acme: Workspace) -> None:
    campaign = a_campaign(acme, sequence=[INVITE])
    campaign_leads.pause(acme, campaign.id, only(campaign).id)
    campaigns.pause(acme, campaign.id)
    campaign_leads.resume(acme, campaign.id, only(campaign).id)
    forward(acme, days=2)
    assert acts(acme) == []
    campaigns.resume(acme, campaign.id)
    forward(acme, hours=1)
    assert acts(acme) == [("connection_request", "accepts-ada")]
