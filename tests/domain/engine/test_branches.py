"""Sequences that split and join, run on the sandbox network."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from app.core.db import session, transaction
from app.domain.campaigns import campaigns, upcoming
from app.domain.campaigns.forecasts import forecast
from app.domain.engine import lifecycle
from app.domain.leads import tags
from app.domain.leads.campaign_leads import campaign_leads, why_waiting
from app.domain.rules.sequences import branches
from app.domain.senders import accounts
from app.models.accounts import Account, AccountStatus
from app.models.campaigns import Campaign, CampaignLead, LeadState
from app.models.leads import Lead
from app.models.signals import Signal
from app.models.workspaces import Workspace
from tests.domain.outreach import (
    INVITE,
    VIEW,
    a_campaign,
    acts,
    assert_counters_hold,
    effect_of,
    email,
    everyone,
    forward,
    fresh,
    ledger,
    message,
    only,
    revise,
)
from tests.domain.reviewing import the_draft

pytestmark = pytest.mark.usefixtures("clock")

ACCEPTED = {"is": "accepted", "within": {"value": 4, "unit": "days"}}
SPLIT = [{"at": 1, "otherwise": 2, "join": 3, "when": ACCEPTED}]
STEPS = [INVITE, message("Thanks"), email("No luck"), email("Bye", subject="Bye", days=1)]


def started(
    workspace: Workspace,
    people: Sequence[str | dict[str, Any]],
    sequence: Sequence[dict[str, Any]] = STEPS,
    branches: Sequence[dict[str, Any]] = SPLIT,
    tagged: str = "",
    **more: Any,
) -> Campaign:
    campaign = a_campaign(workspace, people, sequence, start=False, name="Split", branches=branches, **more)
    if tagged:
        first = session().scalar(sa.select(sa.func.min(Lead.id)).where(Lead.list_id == campaign.list_id))
        tags.tag(workspace, [first or 0], add=[tagged])
    return campaigns.start(workspace, campaign.id)


def sides(campaign: Campaign) -> dict[str, str]:
    at = str((campaign.branches or [])[0]["at"])
    return {
        handle: ((one.route or {}).get("splits", {}).get(at) or {"side": ""})["side"]
        for handle, one in everyone(campaign).items()
    }


def done_for(workspace: Workspace, handle: str) -> list[str]:
    return [kind for kind, person in acts(workspace) if person in (handle, f"{handle}@example.com")]


def test_who_accepts_in_time_gets_one_side_and_who_does_not_the_other(acme: Workspace) -> None:
    campaign = started(acme, ["accepts-ada", "ignores-bo"])
    forward(acme, days=3)
    assert sides(campaign) == {"accepts-ada": "when", "ignores-bo": ""}
    waiting = everyone(campaign)["ignores-bo"]
    assert (waiting.state, waiting.step, waiting.next_budget) == (LeadState.AWAITING_ACCEPT, 1, "ask")
    assert waiting.invited_at is not None
    assert waiting.due_at == waiting.invited_at + timedelta(days=4)
    [why] = why_waiting.of_people(acme, campaign, [waiting]).values()
    assert (why.code, why.until) == ("awaiting_accept", waiting.due_at)
    forward(acme, days=4)
    assert sides(campaign) == {"accepts-ada": "when", "ignores-bo": "otherwise"}
    assert done_for(acme, "accepts-ada") == ["connection_request", "message", "email"]
    assert done_for(acme, "ignores-bo") == ["connection_request", "email", "email"]
    assert [one.text for one in ledger(acme) if one.kind == "email" and one.step == 2] == ["No luck"]
    assert_counters_hold(campaign)


@pytest.mark.postgres
def test_branches_inside_branches_give_each_person_one_way_through_three_levels(acme: Workspace) -> None:
    """Accepted: VIPs by whether they have an address, others a message. Not accepted: an email, then a longer wait."""
    later = {**ACCEPTED, "within": {"value": 40, "unit": "days"}}
    invite = {**INVITE, "withdrawAfter": {"value": 50, "unit": "days"}}
    steps = [
        *(invite, email("VIP email"), message("VIP message"), message("Thanks")),
        *(email("No luck"), message("At last"), email("Bye", subject="Bye"), VIEW),
    ]
    nested = [
        {"at": 1, "otherwise": 4, "join": 7, "when": ACCEPTED},
        {"at": 1, "otherwise": 3, "join": 4, "when": {"is": "tag", "value": "vip"}},
        {"at": 1, "otherwise": 2, "join": 3, "when": {"is": "has_email"}},
        {"at": 5, "otherwise": 6, "join": 7, "when": later},
    ]
    people = ["accepts-ada", {"publicId": "accepts-bo"}, "accepts-cy", "ignores-di", "late-accepts-ed"]
    campaign = started(acme, people, steps, nested, tagged="vip")
    tags.tag(acme, [everyone(campaign)["accepts-bo"].lead_id], add=["vip"])
    forward(acme, days=6)
    waiting = everyone(campaign)["ignores-di"]
    assert (waiting.step, waiting.next_budget, list((waiting.route or {})["splits"])) == (5, "ask", ["1"])
    forward(acme, days=60)
    texts = {
        handle: [one.text or one.kind for one in ledger(acme) if one.campaign_lead_id == person.id]
        for handle, person in everyone(campaign).items()
    }
    assert texts == {
        "accepts-ada": ["connection_request", "VIP email", "view_profile"],
        "accepts-bo": ["connection_request", "VIP message", "view_profile"],
        "accepts-cy": ["connection_request", "Thanks", "view_profile"],
        "ignores-di": ["connection_request", "No luck", "Bye", "view_profile", "withdraw"],
        "late-accepts-ed": ["connection_request", "No luck", "At last", "view_profile"],
    }
    assert fresh(campaign).status == "finished"
    assert_counters_hold(campaign)


def test_an_acceptance_after_the_split_is_counted_and_pulls_no_one_back(acme: Workspace) -> None:
    invite = {**INVITE, "withdrawAfter": {"value": 60, "unit": "days"}}
    split = [{**SPLIT[0], "join": 4}]
    last = message("After both")
    campaign = started(acme, ["late-accepts-bo"], [invite, *STEPS[1:3], email("Still here", days=30), last], split)
    forward(acme, days=28)
    person = only(campaign)
    assert (person.connection, person.step, sides(campaign)) == ("accepted", 3, {"late-accepts-bo": "otherwise"})
    assert assert_counters_hold(campaign).accepted == 1
    forward(acme, days=12)
    assert done_for(acme, "late-accepts-bo") == ["connection_request", "email", "email", "message"]


def test_a_change_after_the_split_moves_no_one(acme: Workspace) -> None:
    steps = [VIEW, email("For VIPs"), email("For all others"), VIEW]
    split = [{"at": 1, "otherwise": 2, "join": 3, "when": {"is": "tag", "value": "VIP"}}]
    campaign = started(acme, ["ignores-ada", "ignores-bo"], steps, split, tagged="vip")
    forward(acme, hours=0.5)
    taken = sides(campaign)
    assert taken == {"ignores-ada": "when", "ignores-bo": "otherwise"}
    leads = {one.person.public_id: one.lead_id for one in everyone(campaign).values()}
    tags.tag(acme, [leads["ignores-ada"]], remove=["vip"])
    tags.tag(acme, [leads["ignores-bo"]], add=["vip"])
    forward(acme, days=3)
    assert sides(campaign) == taken
    assert sorted(one.text for one in ledger(acme) if one.kind == "email") == ["For VIPs", "For all others"]


def test_what_a_condition_asks_is_looked_up_when_people_join(acme: Workspace) -> None:
    """Custom fields, signals about the company, and the kind of sender decide on the first side at once."""
    with transaction() as current:
        asked: dict[str, Any] = {"workspace_id": acme.id, "domain": "acme.example", "fingerprint": "f"}
        asked |= {"credits": 2, "answer": {}, "created_at": acme.now()}
        current.add(Signal(kind="hiring", found=True, **asked))
        current.add(Signal(kind="funding", found=False, **asked))
    person = {"publicId": "ignores-ada", "email": "ada@acme.example", "customFields": {"tier": "gold"}}
    person |= {"phone": "+49 341 1", "headline": "Head of HR", "companyName": "Acme GmbH", "location": "Leipzig"}
    for number, (when, holds) in enumerate(
        [
            ({"is": "custom_field", "name": "tier", "equals": "Gold"}, True),
            ({"is": "custom_field", "name": "tier", "equals": "silver"}, False),
            ({"is": "signal", "kind": "hiring"}, True),
            ({"is": "signal", "kind": "funding"}, False),
            ({"is": "sender", "value": "sales_navigator"}, True),
            ({"is": "sender", "value": "mailbox"}, False),
            ({"is": "has_profile"}, True),
            ({"is": "has_phone"}, True),
            ({"is": "title", "value": "hr"}, True),
            ({"is": "company", "value": "AG"}, False),
            ({"is": "country", "value": "Germany"}, True),
            ({"is": "has_email", "not": True}, False),
        ]
    ):
        named = {**person, "publicId": f"ignores-ada{number}", "email": f"ada{number}@acme.example"}
        split = [{"at": 0, "otherwise": 1, "join": 2, "when": when}]
        exclude = {"company_days": 0, "colleague_talks": False, "company_stop": False}
        campaign = started(acme, [named], [VIEW, {"type": "follow"}], split, exclude=exclude)
        assert sides(campaign) == {f"ignores-ada{number}": "when" if holds else "otherwise"}, when


def test_a_step_that_is_not_for_a_person_is_passed_over_without_a_row(acme: Workspace) -> None:
    """Who can get no step is left out without a failure."""
    for_vips = {**VIEW, "when": {"is": "tag", "value": "vip"}}
    some = started(acme, ["ignores-eve", "ignores-ada"], [for_vips], (), tagged="vip")
    ada = everyone(some)["ignores-ada"]
    assert (ada.state, ada.reason) == (LeadState.EXCLUDED, "no_step")
    assert_counters_hold(some)
    campaign = started(acme, ["ignores-bo"], [for_vips, email(days=1)], ())
    person = only(campaign)
    assert (person.step, person.state) == (1, LeadState.PENDING)
    assert list((person.route or {})["passed"]) == ["0"]
    forward(acme, days=2)
    assert [one.kind for one in ledger(acme) if one.campaign_id == campaign.id] == ["email"]


def test_a_known_connection_is_not_invited_by_another_campaign(acme: Workspace) -> None:
    """Also on the side that only asks whether someone is connected."""
    started(acme, ["accepts-ada"], [INVITE], ())
    forward(acme, days=9)
    before = len(ledger(acme))
    steps = [VIEW, INVITE, message("Hello again")]
    split = [{"at": 0, "otherwise": 1, "join": 2, "when": {"is": "connected"}}]
    exclude = {"contacted_days": 0, "replied": False}
    campaign = started(acme, ["accepts-ada"], steps, split, exclude=exclude)
    assert (only(campaign).connection, sides(campaign)) == ("accepted", {"accepts-ada": "when"})
    forward(acme, days=1)
    assert [one.kind for one in ledger(acme)[before:]] == ["view_profile", "message"]
    assert_counters_hold(campaign)


def test_a_pause_at_the_split_keeps_the_time_and_a_late_resume_decides(acme: Workspace) -> None:
    """A draft is written for the step of that side."""
    campaign = started(acme, ["ignores-bo"], approval=True)
    forward(acme, days=1)
    person = campaign_leads.pause(acme, campaign.id, only(campaign).id)
    forward(acme, days=9)
    assert sides(campaign) == {"ignores-bo": ""}
    person = campaign_leads.resume(acme, campaign.id, person.id)
    assert (person.step, sides(campaign)) == (2, {"ignores-bo": "otherwise"})
    forward(acme, hours=1)
    draft = the_draft(acme)
    assert (draft.step, draft.text, only(campaign).reason) == (2, "No luck", "awaiting_approval")


def test_the_end_of_the_wait_is_decided_once_whatever_runs_it(acme: Workspace, clock: Any) -> None:
    """The timer, run twice and by two processes, writes the side with the place it leads to."""
    campaign = started(acme, ["ignores-bo"])
    forward(acme, days=3)
    with transaction() as current:
        current.execute(sa.update(CampaignLead).values(due_at=acme.now()))
        current.execute(sa.update(CampaignLead).values(invited_at=acme.now() - timedelta(days=4)))
    assert lifecycle.run_one(acme.id) == 1
    assert lifecycle.run_one(acme.id) == 0
    person = only(campaign)
    assert (person.step, person.next_budget, sides(campaign)) == (2, "email", {"ignores-bo": "otherwise"})


def test_a_follow_up_answers_the_email_that_the_person_got(acme: Workspace) -> None:
    steps = [email("One", subject="First"), email("Two", subject="Second"), email("Three", subject="", days=1)]
    split = [{"at": 0, "otherwise": 1, "join": 2, "when": {"is": "tag", "value": "vip"}}]
    started(acme, ["ignores-ada", "ignores-bo"], steps, split, tagged="vip")
    forward(acme, days=3)
    assert sorted(one.subject for one in ledger(acme) if one.step == 2) == ["Re: First", "Re: Second"]


def test_the_plan_of_a_person_shows_their_side_and_for_whom_the_other_is(acme: Workspace) -> None:
    campaign = started(acme, ["ignores-bo"])
    forward(acme, days=1)
    person = only(campaign)
    lead = session().get_one(Lead, person.lead_id)
    why = upcoming.reason_for(acme, campaign, person)
    ahead = upcoming.upcoming_for(acme, campaign, person, lead, why)
    assert [(one.index, one.after, one.skipped) for one in ahead] == [
        (1, "accepted", ""),
        (2, "", "Only if the person did not accept within 4 days"),
        (3, "accepted", ""),
    ]
    forward(acme, days=4)
    person = only(campaign)
    lead = session().get_one(Lead, person.lead_id)
    ahead = upcoming.upcoming_for(acme, campaign, person, lead, upcoming.reason_for(acme, campaign, person))
    assert 1 not in [one.index for one in ahead]
    assert not any(one.skipped for one in ahead)


def test_the_forecast_sends_people_to_both_sides(acme: Workspace) -> None:
    campaign = started(acme, [f"p-{number}" for number in range(10)])
    found = forecast.forecast(acme, campaign.id)
    steps = [action.step for action in found.actions]
    assert steps.count(0) == steps.count(1) + steps.count(2) == 10
    assert steps.count(1) in (2, 3)  # the usual 30 % accept, most of them in time
    assert steps.count(3) <= 10
    assert found.left == 0


def test_an_inmail_is_sent_from_the_sender_that_can(acme: Workspace) -> None:
    """With a condition on the sender, the others need no Sales Navigator."""
    basic, navigator = accounts.every(acme)[:2]
    with transaction() as current:
        current.execute(sa.update(Account).where(Account.id == basic.id).values(has_sales_navigator=False))
    inmail = {"type": "inmail", "message": "Hi", "subject": "Hi", "when": {"is": "sender", "value": "sales_navigator"}}
    campaign = a_campaign(acme, ["ignores-ada", "ignores-bo"], [inmail, VIEW], senders=2)
    forward(acme, days=2)
    senders = {one.account_id: handle for handle, one in everyone(campaign).items()}
    assert done_for(acme, senders[navigator.id]) == ["inmail", "view_profile"]
    assert done_for(acme, senders[basic.id]) == ["view_profile"]


def test_texts_that_change_places_in_a_sequence_with_branches_are_new_texts_not_moved_steps(acme: Workspace) -> None:
    campaign = started(acme, ["accepts-1", "ignores-2"])
    forward(acme, hours=1)
    steps = fresh(campaign).sequence
    swapped = [*steps[:2], {**steps[2], "message": "Bye"}, {**steps[3], "message": "No luck"}]
    effect = effect_of(acme, campaign.id, swapped, "all")
    assert [(one.index, one.change) for one in effect.steps] == [(2, "text"), (3, "text")]
    revise(acme, campaign.id, swapped, "all")
    assert all("key" not in step for step in fresh(campaign).sequence)


def test_a_step_whose_condition_did_not_hold_is_passed_wherever_it_moves(acme: Workspace) -> None:
    later = {"type": "like_post", "delay": {"value": 3, "unit": "days"}}
    steps = [VIEW, {"type": "follow", "when": {"is": "tag", "value": "vip"}}, later]
    campaign = started(acme, ["ignores-1"], steps, branches=[])
    forward(acme, hours=2)
    (key,) = (only(campaign).route or {})["passed"]
    assert key == "1"
    revise(acme, campaign.id, [steps[0], steps[2], steps[1]], "all")
    flow = branches.Flow.of(fresh(campaign))
    assert [flow.on_route(only(campaign).route, place) for place in range(3)] == [True, True, False]


INVITE_7 = {**INVITE, "withdrawAfter": {"value": 7, "unit": "days"}}
LONG_WAIT = [INVITE_7, message("Thanks"), email("No luck"), email("Still here", days=30)]


def moments(workspace: Workspace) -> dict[str, int]:
    """Whole days after the invitation until the last action of each kind."""
    rows = ledger(workspace)
    return {row.kind: (row.at - rows[0].at).days for row in rows}


def test_a_sender_who_cannot_withdraw_holds_no_step_up(acme: Workspace) -> None:
    campaign = started(acme, ["ignores-bo"], LONG_WAIT, [{**SPLIT[0], "join": 4}])
    forward(acme, days=5)
    account_id = only(campaign).account_id
    with transaction():
        session().get_one(Account, account_id).status = AccountStatus.DISCONNECTED
    forward(acme, days=31)
    person = only(campaign)
    assert moments(acme) == {"connection_request": 0, "email": 35}
    assert (person.step, person.next_budget, person.step_due_at) == (4, "withdraw", None)


def test_who_accepts_in_a_long_wait_waits_no_longer_for_the_step(acme: Workspace) -> None:
    invite = {**INVITE, "withdrawAfter": {"value": 26, "unit": "days"}}
    campaign = started(acme, ["late-accepts-bo"], [invite, *LONG_WAIT[1:]], [{**SPLIT[0], "join": 4}])
    forward(acme, days=10)
    due = only(campaign).step_due_at
    assert (only(campaign).state, only(campaign).next_budget) == (LeadState.AWAITING_ACCEPT, "withdraw")
    forward(acme, days=16)
    person = only(campaign)
    assert (person.connection, person.state, person.due_at) == ("accepted", LeadState.ACTIVE, due)


def test_the_forecast_withdraws_in_a_long_wait_as_well(acme: Workspace) -> None:
    campaign = started(acme, [f"p-{number}" for number in range(10)], LONG_WAIT, [{**SPLIT[0], "join": 4}])
    found = forecast.forecast(acme, campaign.id)
    invited = {one.person_id: one.at for one in found.actions if one.step == 0}
    withdrawn = {one.person_id: one.at - invited[one.person_id] for one in found.actions if one.step == -1}
    last = {one.person_id: one.at - invited[one.person_id] for one in found.actions if one.step == 3}
    assert min(len(withdrawn), len(last)) > 4
    assert all(7 <= wait.days <= 9 for wait in withdrawn.values())
    assert all(34 <= wait.days <= 37 for wait in last.values())
