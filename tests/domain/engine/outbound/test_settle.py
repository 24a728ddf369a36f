"""After the action: each outcome counts once, whatever happened during the call."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from app.core.db import transaction
from app.domain.campaigns import campaigns
from app.domain.engine import turns
from app.domain.engine.outbound import reconcile, settle
from app.domain.engine.outbound.settle import Outcome
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.ledger import recount, usage
from app.models.accounts import Account
from app.models.campaigns import LeadState
from app.models.workspaces import Workspace
from app.ports import Accepted, Received, Refused, Unknown, Unreachable
from tests.domain.outreach import (
    INVITE,
    VIEW,
    a_campaign,
    acts,
    assert_counters_hold,
    begun,
    do_it,
    email,
    events,
    everyone,
    forward,
    fresh,
    ledger,
    message,
    only,
    takes_in,
    the_account,
    the_intent,
)
from tests.support.movable import Movable

pytestmark = pytest.mark.postgres


def record(outcome: Outcome) -> None:
    with transaction():
        settle.record_results([outcome])


def unknown_so_far(workspace: Workspace, clock: Movable) -> Any:
    """A turn whose action took effect and whose answer was lost: the intent."""
    intent = the_intent(found := begun(workspace))
    do_it(workspace, intent)
    record(Outcome(intent, failure=Unknown("The answer was lost.")))
    with transaction() as current:
        current.execute(sa.update(Account).where(Account.id.in_(found.accounts)).values(claimed_until=None))
    return intent


def test_a_sent_action_moves_the_person_on_and_frees_the_sender(acme: Workspace, clock: Movable) -> None:
    campaign = a_campaign(acme, ["accepts-ada"])
    assert turns.finish_round(begun(acme)) == 1
    assert [action.state for action in ledger(acme)] == ["sent"]
    assert only(campaign).state == LeadState.AWAITING_ACCEPT
    assert the_account(acme).claimed_until is None
    assert_counters_hold(campaign)


def test_an_outcome_that_was_found_out_meanwhile_changes_nothing(acme: Workspace, clock: Movable) -> None:
    campaign = a_campaign(acme, ["accepts-ada"])
    intent = the_intent(begun(acme))
    receipt = do_it(acme, intent)
    clock.forward(minutes=5)
    assert reconcile.run_due() == 1
    record(Outcome(intent, receipt=receipt))
    assert assert_counters_hold(campaign).invites_sent == 1
    assert events(acme)["invite_sent"] == 1


def test_what_was_taken_for_lost_and_was_done_after_all_is_not_done_again(acme: Workspace, clock: Movable) -> None:
    campaign = a_campaign(acme, ["ignores-ada"])
    intent = the_intent(begun(acme))
    clock.forward(minutes=5)
    reconcile.run_due()
    assert only(campaign).due_at is not None
    record(Outcome(intent, receipt=do_it(acme, intent)))
    assert ledger(acme)[0].state == "sent"
    assert (only(campaign).state, only(campaign).connection) == (LeadState.AWAITING_ACCEPT, "sent")
    forward(acme, days=1)
    assert [action.attempts for action in ledger(acme)] == [1]
    assert_counters_hold(campaign)


def test_an_answer_that_comes_after_the_next_try_began_is_left_to_that_try(acme: Workspace, clock: Movable) -> None:
    campaign = a_campaign(acme, ["ignores-ada"])
    first = the_intent(begun(acme))
    clock.forward(minutes=5)
    reconcile.run_due()
    second = begun(acme)
    assert the_intent(second).attempts == 2
    record(Outcome(first, failure=Refused("No.")))
    turns.finish_round(second)
    assert only(campaign).state == LeadState.AWAITING_ACCEPT
    assert_counters_hold(campaign)


def test_what_cannot_begin_within_the_lease_is_left_for_another_turn(acme: Workspace, clock: Movable) -> None:
    campaign = a_campaign(acme, ["ignores-ada"])
    found = begun(acme)
    clock.forward(minutes=1)
    turns.finish_round(found)
    assert acts(acme) == []
    assert only(campaign).due_at is not None
    forward(acme, hours=1)
    assert acts(acme) == [("connection_request", "ignores-ada")]


def test_a_turn_that_lost_its_lease_leaves_the_sender_to_the_one_that_has_it(acme: Workspace, clock: Movable) -> None:
    a_campaign(acme, ["ignores-ada", "ignores-bob"])
    first = begun(acme)
    clock.forward(minutes=1)
    second = begun(acme)
    assert the_intent(first).campaign_lead_id != the_intent(second).campaign_lead_id
    turns.finish_round(first)
    assert the_account(acme).claimed_until == the_intent(second).until
    turns.finish_round(second)
    assert the_account(acme).claimed_until is None


def test_a_campaign_deleted_during_the_call_takes_no_other_outcome_with_it(acme: Workspace, clock: Movable) -> None:
    gone = a_campaign(acme, ["ignores-ada"])
    kept = a_campaign(acme, ["ignores-bob", "ignores-eve"], senders=2, name="Second")
    found = begun(acme)
    assert len(found.intended) == 2
    campaigns.cancel(acme, gone.id)
    campaigns.delete(acme, gone.id)
    turns.finish_round(found)
    assert sorted(acts(acme)) == [("connection_request", "ignores-ada"), ("connection_request", "ignores-eve")]
    assert {action.person.handle: action.state for action in ledger(acme)} == {
        "ignores-ada": "sent",
        "ignores-eve": "sent",
    }
    assert assert_counters_hold(kept).invites_sent == 1


def test_a_deleted_campaign_frees_no_limits_and_no_one_waits_for_its_outcomes(acme: Workspace, clock: Movable) -> None:
    campaign = a_campaign(acme, ["ignores-ada"])
    forward(acme, hours=1)
    campaigns.cancel(acme, campaign.id)
    campaigns.delete(acme, campaign.id)
    account = the_account(acme)
    assert usage.usage_of([account], acme.now())[account.id].day["invite"].count == 1
    campaign = a_campaign(acme, ["ignores-bob"], name="Second")
    begun(acme)
    campaigns.cancel(acme, campaign.id)
    campaigns.delete(acme, campaign.id)
    clock.forward(minutes=5)
    assert reconcile.run_due() == 1
    assert reconcile.run_due() == 0
    assert [action.state for action in ledger(acme)] == ["sent", "unknown"]


def test_one_outcome_that_cannot_be_recorded_takes_no_other_with_it(acme: Workspace, clock: Movable) -> None:
    campaign = a_campaign(acme, ["ignores-ada", "ignores-bob"], [VIEW], senders=2)
    found = begun(acme)
    broken = found.intended[0]
    found.intended[0] = broken._replace(action=replace(broken.action, kind="dance"))
    turns.finish_round(found)
    states = {action.id: action.state for action in ledger(acme)}
    assert states.pop(broken.action_id) == "sending"
    assert [*states.values()] == ["sent"]
    assert_counters_hold(campaign)


@pytest.mark.parametrize("outcome", ["withdrawn", "refused", "unreachable"])
def test_an_acceptance_during_the_withdrawal_wins(acme: Workspace, clock: Movable, outcome: str) -> None:
    campaign = a_campaign(acme, ["ignores-ada"], [INVITE, message("Hello", days=2)])
    forward(acme, hours=1)
    with transaction() as current:
        current.get_one(Workspace, acme.id).clock_offset += 22 * 86_400
    intent = the_intent(begun(acme))
    assert intent.action.kind == "withdraw"
    takes_in(acme, the_account(acme), Accepted("ignores-ada", acme.now(), "acceptance"))
    due = only(campaign).due_at
    outcomes = {
        "withdrawn": lambda: Outcome(intent, receipt=do_it(acme, intent)),
        "refused": lambda: Outcome(intent, failure=Refused("There is no open connection request.")),
        "unreachable": lambda: Outcome(intent, failure=Unreachable("LinkedIn is not reachable.")),
    }
    record(outcomes[outcome]())
    person = only(campaign)
    assert (person.state, person.connection, person.due_at) == (LeadState.ACTIVE, "accepted", due)
    assert_counters_hold(campaign)


def test_someone_who_is_away_comes_back_although_the_outcome_was_settled_meanwhile(
    acme: Workspace, clock: Movable
) -> None:
    campaign = a_campaign(acme, ["ignores-ada"], [email(), email("More", days=1)], senders=3)
    unknown_so_far(acme, clock)
    mailbox = the_account(acme, 2)
    takes_in(acme, mailbox, Received("ignores-ada", "email", "Out of office until 9 March.", acme.now(), "away"))
    reconcile.run_due()
    person = only(campaign)
    assert (person.state, person.reason, person.next_budget, person.step) == ("paused", "out_of_office", "back", 1)
    forward(acme, days=8)
    assert acts(acme) == [("email", "ignores-ada"), ("email", "ignores-ada")]
    assert_counters_hold(campaign)


def test_an_invitation_accepted_before_its_own_answer_is_known_is_accepted(acme: Workspace, clock: Movable) -> None:
    campaign = a_campaign(acme, ["ignores-ada"], [INVITE, message("Hello", days=1)])
    unknown_so_far(acme, clock)
    assert list(recount.statistics()) == []
    takes_in(acme, the_account(acme), Accepted("ignores-ada", acme.now(), "acceptance"))
    reconcile.run_due()
    assert list(recount.statistics()) == []
    person = only(campaign)
    assert (person.state, person.connection, person.next_budget) == (LeadState.ACTIVE, "accepted", "message")
    stats = assert_counters_hold(campaign)
    assert (stats.invites_sent, stats.accepted) == (1, 1)


def test_someone_who_is_a_connection_already_gets_what_needs_one(acme: Workspace, clock: Movable) -> None:
    campaign = a_campaign(acme, ["connected-ada"], [INVITE, message(), VIEW])
    forward(acme, hours=2)
    assert [kind for kind, _ in acts(acme)] == ["message", "view_profile"]
    stats = assert_counters_hold(campaign)
    assert (stats.invites_sent, stats.accepted, stats.messages_sent) == (0, 0, 1)
    assert list(recount.statistics()) == []


def test_what_no_one_can_tell_keeps_the_wait_before_the_next_step(acme: Workspace, clock: Movable) -> None:
    campaign = a_campaign(acme, ["cannot-tell-ada"], [VIEW, INVITE, {**VIEW, "delay": {"value": 3, "unit": "days"}}])
    forward(acme, hours=1)
    person = only(campaign)
    assert (person.state, person.reason) == (LeadState.PAUSED, "unknown_outcome")
    campaign_leads.resume(acme, campaign.id, person.id)
    due = only(campaign).due_at
    assert due is not None
    assert due > acme.now() + timedelta(days=2)


def test_someone_who_can_never_be_reached_does_not_hold_up_others_and_fails_in_the_end(
    acme: Workspace, clock: Movable
) -> None:
    campaign = a_campaign(acme, ["never-reachable-ada", *(f"accepts-{number}" for number in range(4))], [INVITE])
    forward(acme, hours=4)
    assert len(acts(acme)) == 4
    forward(acme, days=14)
    ada = everyone(campaign)["never-reachable-ada"]
    assert (ada.state, ada.reason) == (LeadState.FAILED, "refused")
    assert {one.attempts for one in ledger(acme) if one.campaign_lead_id == ada.id} == {settle.MOST_ATTEMPTS}
    forward(acme, days=30)
    assert fresh(campaign).status == "finished"


def test_parts_that_were_not_sent_wait_or_stay_unsent_when_someone_steps_in(acme: Workspace, clock: Movable) -> None:
    campaign = a_campaign(acme, ["accepts-ada"], [INVITE, message("One\n---\nTwo\n---\nThree")])

    def texts() -> list[str]:
        return [action.text for action in ledger(acme) if action.kind == "message"]

    def until(number: int) -> None:
        while len(texts()) < number:
            forward(acme, hours=0.01)

    forward(acme, hours=0.9)
    until(1)
    campaign_leads.pause(acme, campaign.id, only(campaign).id)
    forward(acme, hours=3)
    assert texts() == ["One"]
    campaign_leads.resume(acme, campaign.id, only(campaign).id)
    until(2)
    campaign_leads.stop(acme, campaign.id, only(campaign).id)
    forward(acme, hours=3)
    assert texts() == ["One", "Two"]
    assert_counters_hold(campaign)
