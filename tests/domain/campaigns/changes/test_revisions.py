"""Changing the steps of a campaign on its way: who gets what, and that no one gets anything twice."""

from typing import Any

import pytest

from app.core.errors import Conflict, InvalidRequest
from app.domain.approvals import approvals, bulk
from app.domain.campaigns import campaigns
from app.domain.engine import turns
from app.domain.leads.campaign_leads import campaign_leads
from app.models.workspaces import Workspace
from tests.domain.outreach import (
    INVITE,
    VIEW,
    Meanwhile,
    a_campaign,
    assert_counters_hold,
    effect_of,
    email,
    everyone,
    forward,
    fresh,
    ledger,
    message,
    network,
    only,
    revise,
)
from tests.domain.reviewing import drafts
from tests.support.movable import Movable

STEPS = [INVITE, message("First"), message("Second", days=2), message("Third", days=2)]


def texts(workspace: Workspace, person: str = "accepts-ada") -> list[str]:
    return [action.text for action in ledger(workspace) if action.person.handle == person and action.text]


def problems(refused: Any) -> dict[str, str]:
    return {field.path: field.message for field in refused.value.fields}


def test_a_revision_changes_waiting_steps_for_new_or_all(acme: Workspace, clock: Movable) -> None:
    """Who waits for a step gets it as it was (new) or as it is (all); what comes after is as it is for both."""
    for apply_to, second in (("new", "Second"), ("all", "2nd")):
        campaign = a_campaign(acme, [f"accepts-{apply_to}"], STEPS, name=apply_to)
        forward(acme, days=2)
        assert only(campaign).step == 2
        changed = [INVITE, message("1st"), message("2nd", days=2), message("Between", days=1), message("3rd", days=2)]
        effect = effect_of(acme, campaign.id, changed, apply_to)
        assert (effect.fixed, effect.affected, effect.kept) == ((3, 1, 1) if apply_to == "new" else (2, 1, 0))
        revise(acme, campaign.id, changed, apply_to)
        forward(acme, days=12)
        assert texts(acme, f"accepts-{apply_to}") == ["First", second, "Between", "3rd"]
        assert fresh(campaign).revision == 1
        assert_counters_hold(campaign)


def test_only_what_is_on_its_way_is_revised(acme: Workspace, clock: Movable) -> None:
    """A draft is edited, what has ended is history; a paused one is changed and stays so."""
    draft = a_campaign(acme, sequence=STEPS, start=False)
    with pytest.raises(Conflict, match="draft"):
        revise(acme, draft.id, STEPS, "all")
    running = campaigns.start(acme, draft.id)
    for verb in (revise, effect_of):
        with pytest.raises(InvalidRequest) as refused:
            verb(acme, running.id, STEPS, "some")  # type: ignore[operator]
        assert list(problems(refused)) == ["applyTo"]
    campaigns.pause(acme, running.id)
    assert revise(acme, running.id, STEPS[:2], "all").status == "paused"
    campaigns.cancel(acme, running.id)
    with pytest.raises(Conflict, match="canceled"):
        effect_of(acme, running.id, STEPS, "all")


def test_any_step_can_be_moved_and_removed_and_nothing_comes_twice(acme: Workspace, clock: Movable) -> None:
    """What they had is skipped where it stands now, what was ahead of them is not lost, what is removed never comes."""
    for apply_to in ("all", "new"):
        campaign = a_campaign(acme, [f"accepts-{apply_to}"], STEPS, name=apply_to)
        forward(acme, days=2)
        assert only(campaign).step == 2
        revise(acme, campaign.id, [INVITE, STEPS[3], STEPS[1], message("Late", days=1)], apply_to)
        person = only(campaign)
        assert (person.step, person.skip_steps) == (1, [1])
        assert [step["type"] for step in fresh(campaign).sequence] == ["connection_request", *["message"] * 3]
        forward(acme, days=12)
        assert texts(acme, f"accepts-{apply_to}") == ["First", "Third", "Late"]
        assert_counters_hold(campaign)


def test_a_change_for_chosen_people_leaves_the_others_the_step_they_wait_for(acme: Workspace, clock: Movable) -> None:
    """Only who is chosen gets the new text of it; and only people of the campaign can be chosen."""
    campaign = a_campaign(acme, ["accepts-ada", "accepts-ben"], STEPS)
    forward(acme, days=2)
    ada = next(one for one in everyone(campaign).values() if one.person.public_id == "accepts-ada")
    changed = [INVITE, STEPS[1], message("2nd", days=2), STEPS[3]]
    for wrong in ([], [ada.id + 999]):
        with pytest.raises(InvalidRequest) as refused:
            revise(acme, campaign.id, changed, "chosen", wrong)
        assert all(path.startswith("campaignLeadIds") for path in problems(refused))
    effect = effect_of(acme, campaign.id, changed, "chosen", [ada.id])
    assert (effect.affected, effect.kept) == (1, 1)
    revise(acme, campaign.id, changed, "chosen", [ada.id])
    forward(acme, days=3)
    assert texts(acme, "accepts-ada")[:2] == ["First", "2nd"]
    assert texts(acme, "accepts-ben")[:2] == ["First", "Second"]


def test_later_steps_are_put_in_moved_and_taken_out_also_during_a_pause(acme: Workspace, clock: Movable) -> None:
    """Whoever waits for one of them is placed afresh, with the wait counted from where they came from."""
    campaign = a_campaign(acme, sequence=STEPS)
    forward(acme, days=2)
    before = only(campaign).due_at
    assert before is not None
    revise(acme, campaign.id, [INVITE, STEPS[1], VIEW, message("Third"), message("Second", days=1)], "all")
    after = only(campaign)
    assert (after.step, after.next_budget) == (2, "visit")
    assert after.due_at is not None
    assert (before - after.due_at).days == 2
    forward(acme, hours=8)
    campaign_leads.pause(acme, campaign.id, only(campaign).id)
    steps = [*fresh(campaign).sequence[:4], message("Instead", days=1)]
    revise(acme, campaign.id, steps, "all")
    assert only(campaign).state == "paused"
    campaign_leads.resume(acme, campaign.id, only(campaign).id)
    forward(acme, days=8)
    assert texts(acme) == ["First", "Third", "Instead"]
    assert_counters_hold(campaign)


def test_those_who_have_everything_behind_them_go_on_only_when_it_is_for_all(acme: Workspace, clock: Movable) -> None:
    """New steps at the end: people who only wait for an answer get them with all, not with new."""
    for apply_to, wanted in (("new", ["First"]), ("all", ["First", "More"])):
        campaign = a_campaign(acme, [f"accepts-{apply_to}"], STEPS[:2], name=apply_to)
        forward(acme, days=3)
        assert only(campaign).next_budget == "end"
        revise(acme, campaign.id, [*STEPS[:2], message("More", days=1)], apply_to)
        forward(acme, days=14)
        assert texts(acme, f"accepts-{apply_to}") == wanted
        assert only(campaign).reason == "no_reply"
        assert_counters_hold(campaign)


def test_a_new_text_helps_people_for_which_the_old_one_had_no_value(acme: Workspace, clock: Movable) -> None:
    """Also when it is only for people not there yet: they are stuck, not there. So is who has not accepted."""
    stuck = a_campaign(acme, ["accepts-ada"], [INVITE, message("Your tier: {{custom.tier}}")])
    invited = a_campaign(acme, ["late-accepts-max"], STEPS[:2], name="Invited")
    forward(acme, days=3)
    assert (only(stuck).reason, only(invited).state) == ("missing_value", "awaiting_accept")
    revise(acme, stuck.id, [INVITE, message("Your tier: {{custom.tier|gold}}")], "new")
    revise(acme, invited.id, [INVITE, message("Other")], "new")
    forward(acme, days=1)
    assert texts(acme) == ["Your tier: gold"]
    forward(acme, days=36)
    assert texts(acme, "late-accepts-max") in ([], ["Other"])


def test_steps_by_e_mail_bring_a_mailbox_with_them(acme: Workspace, clock: Movable) -> None:
    campaign = a_campaign(acme, sequence=STEPS[:2])
    forward(acme, days=2)
    revise(acme, campaign.id, [*STEPS[:2], email("By mail", days=1)], "all")
    assert fresh(campaign).mailbox_ids
    forward(acme, days=4)
    assert texts(acme) == ["First", "By mail"]


def test_a_text_that_was_begun_ends_as_it_began(acme: Workspace, clock: Movable) -> None:
    campaign = a_campaign(acme, sequence=[INVITE, message("One\n---\nTwo\n---\nThree")])
    for _ in range(800):
        forward(acme, hours=0.05)
        if only(campaign).part:
            break
    assert only(campaign).part
    revise(acme, campaign.id, [INVITE, message("Eins\n---\nZwei")], "all")
    forward(acme, days=2)
    assert texts(acme) == ["One", "Two", "Three"]


def test_during_a_call_the_steps_stay(acme: Workspace, clock: Movable) -> None:
    """The place after it would be found with the steps of before."""
    campaign = a_campaign(acme, sequence=STEPS)
    refused = []

    def change() -> None:
        try:
            revise(acme, campaign.id, [INVITE, message("Other")], "all")
        except Conflict as refusal:
            refused.append(refusal.message)

    network(Meanwhile(acting=change))
    forward(acme, hours=8)
    assert refused
    assert set(refused) == {"This campaign is sending something right now."}
    network(Meanwhile())
    assert fresh(campaign).sequence == STEPS


def test_steps_changed_while_an_inbox_is_read_are_not_acted_on(acme: Workspace, clock: Movable) -> None:
    """What was chosen by the old steps falls away, and is chosen again by the new ones."""
    campaign = a_campaign(acme, sequence=[message("x") | {"type": "inmail", "subject": "Old"}])
    changed = [message("x") | {"type": "inmail", "subject": "New"}]

    def change() -> None:
        if fresh(campaign).sequence != changed:
            revise(acme, campaign.id, changed, "all")

    network(Meanwhile(reading=change))
    turns.run_due()
    assert ledger(acme) == []
    network(Meanwhile())
    turns.run_due()
    assert {action.subject for action in ledger(acme)} == {"New"}


def test_drafts_for_approval_follow_the_steps(acme: Workspace, clock: Movable) -> None:
    """One that no one decided about says what the step says now; what a human skipped does not come again."""
    campaign = a_campaign(acme, sequence=STEPS)
    bulk.switch(acme, campaign.id, True)
    forward(acme, days=2)
    (first,) = drafts(acme, "pending")
    assert (first.step, first.text) == (1, "First")
    revise(acme, campaign.id, [INVITE, message("1st"), message("2nd")], "all")
    (draft,) = drafts(acme, "pending")
    assert (draft.step, draft.text) == (1, "1st")
    approvals.skip(acme, draft.id)
    (second,) = drafts(acme, "pending")
    assert second.text == "2nd"
    revise(acme, campaign.id, [INVITE, message("1st"), VIEW, message("Other")], "all")
    assert drafts(acme, "pending") == []
    forward(acme, days=1)
    (last,) = drafts(acme, "pending")
    assert (last.step, last.text) == (2, "Other")
    assert texts(acme) == []
    assert_counters_hold(campaign)


def test_what_is_a_follow_up_depends_on_the_person_and_not_on_the_step(acme: Workspace, clock: Movable) -> None:
    """The first thing done is none, also when the first step was replaced; all after it are."""
    campaign = a_campaign(acme, ["accepts-ada", "accepts-bob"], [VIEW, INVITE, message("One\n---\nTwo")], start=False)
    campaigns.start(acme, campaign.id)
    revise(acme, campaign.id, [{"type": "follow"}, INVITE, message("One\n---\nTwo")], "all")
    forward(acme, days=6)
    said = {(one.kind, one.follow_up) for one in ledger(acme)}
    assert said == {("follow", False), ("connection_request", True), ("message", True)}
