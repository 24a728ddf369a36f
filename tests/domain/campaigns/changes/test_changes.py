"""Schedule, senders, lists and exclusions that change on the way: who is meant, and what is taken back."""

from collections import Counter
from typing import Any

import pytest
import sqlalchemy as sa

from app.core.db import end_read, session, transaction
from app.core.errors import Conflict, InvalidRequest
from app.domain.campaigns import campaigns, enrolment, let_in
from app.domain.campaigns.changes import change_exclusions, change_lists, change_senders, changes, revision_log
from app.domain.campaigns.changes.revision_log import Wanted
from app.domain.engine import lifecycle
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.senders import accounts
from app.models.accounts import Account, AccountStatus
from app.models.campaigns import Campaign, CampaignAccount, CampaignLead, CampaignRevision, CampaignStatus, RevisionKind
from app.models.platform.audit import AuditEntry
from app.models.workspaces import Workspace
from app.ports import Received
from tests.domain.outreach import (
    ALWAYS,
    INVITE,
    VIEW,
    a_campaign,
    a_list,
    assert_counters_hold,
    everyone,
    forward,
    fresh,
    ledger,
    message,
    only,
    revise,
    takes_in,
)
from tests.support.movable import Movable

STEPS = [INVITE, message("First"), message("Second", days=2)]
NIGHT = {**ALWAYS, "startTime": "15:00", "endTime": "16:00"}


def noted(campaign: Campaign) -> list[CampaignRevision]:
    end_read()
    return list(revision_log.newest(fresh(campaign), 50))[::-1]


def two(workspace: Workspace) -> tuple[int, int]:
    first, second = [one.id for one in accounts.every(workspace) if one.channel == "social"][:2]
    return first, second


def stands(workspace: Workspace, account_id: int, status: str) -> None:
    with transaction() as current:
        current.get_one(Account, account_id).status = status


def test_a_sender_who_leaves_hands_people_over_and_no_two_write_to_one_person(acme: Workspace, clock: Movable) -> None:
    """A connection stays with its sender, an open invitation is withdrawn first, all others go on with the next."""
    first, second = two(acme)
    people = ["accepts-ada", "ignores-bob", *(f"accepts-later{number}" for number in range(30))]
    campaign = a_campaign(acme, people, STEPS, senders=1)
    forward(acme, days=1)
    ada, bob = everyone(campaign)["accepts-ada"], everyone(campaign)["ignores-bob"]
    assert (ada.connection, bob.connection) == ("accepted", "sent")
    (part,) = changes.preview(acme, campaign.id, Wanted(account_ids=[second]))
    assert part.counts["stays"] >= 1
    assert part.counts["withdrawn"] >= 1
    assert part.counts["moved"] >= 10
    assert any("conversation" in one for one in part.says)
    changes.apply(acme, campaign.id, Wanted(account_ids=[second]))
    (revision,) = noted(campaign)
    assert (revision.kind, revision.is_open) == (RevisionKind.SENDERS, False)
    assert {name: number for name, number in part.counts.items() if number} == revision.effect
    forward(acme, days=12)
    bobs = [one for one in ledger(acme) if one.person.handle == "ignores-bob" and one.kind == "connection_request"]
    assert [one.sender_id for one in sorted(bobs, key=lambda one: one.at)] == [first, second]
    assert everyone(campaign)["accepts-ada"].account_id == first
    assert everyone(campaign)["ignores-bob"].account_id == second
    after = [one for one in ledger(acme) if one.at > revision.at and one.kind == "connection_request"]
    assert {one.sender_id for one in after} == {second}
    forward(acme, days=20)
    wrote = {(one.person.handle, one.sender_id) for one in ledger(acme) if one.kind == "message"}
    assert max(Counter(handle for handle, _ in wrote).values()) == 1
    said = Counter((one.person.handle, one.text) for one in ledger(acme) if one.text)
    assert max(said.values()) == 1
    assert_counters_hold(campaign)


def test_who_only_a_disconnected_sender_reaches_waits_or_goes_on_without(acme: Workspace, clock: Movable) -> None:
    """The choice is yours; people with whom nothing began are handed over in either case."""
    first, second = two(acme)
    for stranded in ("wait", "skip"):
        campaign = a_campaign(acme, [f"accepts-{stranded}"], STEPS, name=stranded)
        forward(acme, days=1)
        stands(acme, first, AccountStatus.DISCONNECTED)
        (part,) = changes.preview(acme, campaign.id, Wanted(account_ids=[second], stranded=stranded))
        assert part.counts["waits" if stranded == "wait" else "skipped"] == 1
        changes.apply(acme, campaign.id, Wanted(account_ids=[second], stranded=stranded))
        person = only(campaign)
        assert person.account_id == (first if stranded == "wait" else None)
        if stranded == "skip":
            assert person.next_budget == "end"
        stands(acme, first, AccountStatus.CONNECTED)
        forward(acme, days=5)
        texts = [one.text for one in ledger(acme) if one.person.handle == f"accepts-{stranded}" and one.text]
        assert ("Second" in texts) == (stranded == "wait")
        assert_counters_hold(campaign)


def test_a_sender_who_joins_takes_an_even_part_of_those_not_begun(acme: Workspace, clock: Movable) -> None:
    first, second = two(acme)
    campaign = a_campaign(acme, [f"accepts-p{number}" for number in range(40)], STEPS)
    changes.apply(acme, campaign.id, Wanted(account_ids=[first, second]))
    parts = Counter(one.account_id for one in everyone(campaign).values())
    assert parts == {first: 20, second: 20}
    revision = noted(campaign)[-1]
    assert revision.effect == {"moved": 20}
    undone = changes.undo(acme, campaign.id, revision.number)
    assert {one.account_id for one in everyone(campaign).values()} == {first}
    assert (undone.undoes, noted(campaign)[0].undone_by) == (1, 2)


def test_who_takes_over_and_who_leaves_are_named_by_their_places(acme: Workspace) -> None:
    first, second = two(acme)
    campaign = a_campaign(acme, ["accepts-ada"], STEPS)
    with pytest.raises(InvalidRequest) as refused:
        changes.apply(acme, campaign.id, Wanted(account_ids=[second], replace={first: first, second: first}))
    assert [field.path for field in refused.value.fields] == ["replace[0].by", "replace[1].accountId"]


def test_several_changes_are_made_together_or_not_at_all(acme: Workspace) -> None:
    campaign = a_campaign(acme, ["accepts-ada"], STEPS)
    with pytest.raises(InvalidRequest):
        changes.apply(acme, campaign.id, Wanted(schedule=NIGHT, account_ids=[987654321]))
    assert noted(campaign) == []


def test_a_hand_over_in_chunks_goes_on_where_it_was_left(
    acme: Workspace, clock: Movable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each chunk is a transaction; the next begins behind the last person who was looked at."""
    first, second = two(acme)
    monkeypatch.setattr(change_senders, "CHUNK", 7)
    campaign = a_campaign(acme, [f"accepts-p{number}" for number in range(20)], STEPS)
    (part,) = changes.preview(acme, campaign.id, Wanted(account_ids=[second]))
    changes.apply(acme, campaign.id, Wanted(account_ids=[second], replace={first: second}))
    assert Counter(one.account_id for one in everyone(campaign).values()) == {first: 13, second: 7}
    with pytest.raises(InvalidRequest):
        changes.apply(acme, campaign.id, Wanted(account_ids=[first]))
    with pytest.raises(Conflict):
        changes.undo(acme, campaign.id, 1)
    for left in (6, 0):
        lifecycle.run(acme)
        assert Counter(one.account_id for one in everyone(campaign).values())[first] == left
    assert (noted(campaign)[0].is_open, noted(campaign)[0].effect) == (False, {"moved": part.counts["moved"]})
    lanes = sa.select(CampaignAccount.account_id).where(CampaignAccount.campaign_id == campaign.id)
    assert list(session().scalars(lanes)) == [second]


def test_hours_change_at_once_and_the_preview_says_for_how_many(acme: Workspace, clock: Movable) -> None:
    """The time of the next step follows the new hours; what was before comes back with the undo."""
    campaign = a_campaign(acme, [f"accepts-p{number}" for number in range(5)], [VIEW, *STEPS], start=False)
    campaign = campaigns.start(acme, campaign.id)
    (part,) = changes.preview(acme, campaign.id, Wanted(schedule=NIGHT))
    assert (part.counts["waiting"], part.counts["later"]) == (5, 5)
    changes.apply(acme, campaign.id, Wanted(schedule=NIGHT))
    forward(acme, hours=2)
    assert ledger(acme) == []
    (revision,) = noted(campaign)
    assert (revision.before["start_time"], revision.after["start_time"]) == ("00:00", "15:00")
    changes.undo(acme, campaign.id, 1)
    assert fresh(campaign).start_time == "00:00"
    forward(acme, hours=2)
    assert ledger(acme)
    for wrong in ({**ALWAYS, "startDate": acme.now()}, {**ALWAYS, "endDate": campaign.started_at}, {"days": []}):
        with pytest.raises(InvalidRequest):
            changes.apply(acme, campaign.id, Wanted(schedule=wrong))


def test_a_list_is_added_in_chunks_through_the_same_gate_and_taken_back(
    acme: Workspace, clock: Movable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who is in the campaign already is not in it twice; the first list stays the first."""
    campaign = a_campaign(acme, ["accepts-ada"], STEPS)
    more = a_list(acme, ["accepts-ada", *(f"accepts-m{number}" for number in range(5))], "More")
    first = campaign.list_id
    assert first is not None
    monkeypatch.setattr(enrolment, "CHUNK", 2)
    (part,) = changes.preview(acme, campaign.id, Wanted(list_ids=[first, more]))
    assert part.counts["left_out"] == 0
    changes.apply(acme, campaign.id, Wanted(list_ids=[first, more]))
    assert len(everyone(campaign)) == 2
    while noted(campaign)[0].is_open:
        lifecycle.run(acme)
    assert (len(everyone(campaign)), noted(campaign)[0].effect) == (6, {"added": 5, "left_out": 0})
    assert change_lists.list_ids(fresh(campaign)) == [first, more]
    for wrong in ([more], [first, more, more], [first, more, 999]):
        with pytest.raises(InvalidRequest):
            changes.apply(acme, campaign.id, Wanted(list_ids=wrong))
    changes.undo(acme, campaign.id, 1)
    assert change_lists.list_ids(fresh(campaign)) == [first]
    assert Counter(one.state for one in everyone(campaign).values())["excluded"] == 5
    assert_counters_hold(campaign)


def test_a_list_added_to_a_paused_campaign_is_enrolled_when_it_runs(acme: Workspace, clock: Movable) -> None:
    campaign = a_campaign(acme, ["accepts-ada"], STEPS)
    campaigns.pause(acme, campaign.id)
    wanted = [campaign.list_id or 0, a_list(acme, ["accepts-ben"], "More")]
    changes.apply(acme, campaign.id, Wanted(list_ids=wanted))
    assert len(everyone(campaign)) == 1
    campaigns.resume(acme, campaign.id)
    for _ in range(3):
        lifecycle.run(acme)
    assert (len(everyone(campaign)), fresh(campaign).status) == (2, "running")
    assert not noted(campaign)[0].is_open


def test_looser_rules_let_in_whom_no_rule_leaves_out(
    acme: Workspace, clock: Movable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The preview counts them, nobody is let in unasked, they come in chunks, and the rules come back with the undo."""
    earlier = a_campaign(acme, ["accepts-ada", "accepts-ben"], [INVITE], name="Earlier")
    forward(acme, days=1)
    campaigns.cancel(acme, earlier.id)
    campaign = a_campaign(acme, ["accepts-ada", "accepts-ben"], STEPS, name="Later", start=False)
    campaigns.change_exclusions(acme, campaign.id, {"contacted_days": 30})
    campaigns.start(acme, campaign.id)
    assert {one.reason for one in everyone(campaign).values()} == {"contacted_lately"}
    changes_wanted = Wanted(exclude={"contacted_days": 0}, let_in=True)
    (part,) = changes.preview(acme, campaign.id, changes_wanted)
    assert part.counts == {"stopped": 0, "let_in": 2, "could_be_let_in": 2}
    with monkeypatch.context() as patched:
        patched.setattr(change_exclusions, "CHUNK", 1)
        changes.apply(acme, campaign.id, changes_wanted)
        assert (noted(campaign)[0].effect, noted(campaign)[0].is_open) == ({"let_in": 1}, True)
        for _ in range(2):
            lifecycle.run(acme)
    assert {one.state for one in everyone(campaign).values()} <= {"pending", "active"}
    assert (noted(campaign)[0].effect, noted(campaign)[0].is_open) == ({"let_in": 2}, False)
    (part,) = changes.preview(acme, campaign.id, Wanted(exclude={"contacted_days": 30}))
    assert part.counts["stopped"] == 2
    changes.undo(acme, campaign.id, 1)
    assert fresh(campaign).contact_rules == {"contacted_days": 30}
    assert_counters_hold(campaign)


def test_a_removed_step_that_is_put_back_does_not_come_again(acme: Workspace, clock: Movable) -> None:
    campaign = a_campaign(acme, ["accepts-ada", "late-accepts-max"], STEPS)
    forward(acme, days=1)
    revise(acme, campaign.id, [INVITE, STEPS[2]], "all")
    changes.undo(acme, campaign.id, 1)
    assert [step.get("message") for step in fresh(campaign).sequence] == [None, "First", "Second"]
    forward(acme, days=40)
    said = Counter((one.person.handle, one.text) for one in ledger(acme) if one.text)
    assert max(said.values()) == 1
    assert said["accepts-ada", "Second"] == 1
    with pytest.raises(Conflict, match="already"):
        changes.undo(acme, campaign.id, 1)


def test_a_failed_campaign_goes_on_when_its_sender_is_connected_again(acme: Workspace, clock: Movable) -> None:
    """Nothing is repeated; who replied meanwhile or is in another campaign by now is left alone."""
    first, _ = two(acme)
    campaign = a_campaign(acme, ["accepts-ada", "ignores-bob", "accepts-cleo", "accepts-dan"], STEPS)
    forward(acme, days=1)
    with transaction() as current:
        sender = current.get_one(Account, first)
        sender.status, sender.status_at, sender.turn_at = AccountStatus.DISCONNECTED, acme.now(), None
    forward(acme, days=8)
    assert fresh(campaign).status == "failed"
    assert {one.state for one in everyone(campaign).values()} == {"stopped"}
    other = a_campaign(acme, ["accepts-cleo"], [VIEW], name="Other")
    campaigns.pause(acme, other.id)
    takes_in(acme, sender, Received("accepts-dan", "message", "Who are you?", acme.now(), "word-1"))
    stands(acme, first, AccountStatus.CONNECTED)
    forward(acme, days=20)
    assert fresh(campaign).status in ("running", "finished")
    (revision,) = noted(campaign)
    assert (revision.kind, revision.effect, revision.is_open) == ("resumed", {"resumed": 2, "elsewhere": 1}, False)
    assert everyone(campaign)["accepts-dan"].state == "stopped"
    said = Counter((one.person.handle, one.kind, one.text) for one in ledger(acme))
    assert said["accepts-ada", "message", "Second"] == 1
    assert said["accepts-dan", "message", "Second"] == 0
    assert max(said.values()) == 1
    assert_counters_hold(campaign)


def test_who_was_left_out_before_steps_moved_goes_on_behind_what_they_had(acme: Workspace, clock: Movable) -> None:
    """Their place follows the steps, so that nothing comes twice when they are let in again."""
    campaign = a_campaign(acme, ["accepts-ada"], STEPS)
    forward(acme, days=1)
    person = only(campaign)
    with transaction() as current:
        campaign_leads.finish(current.get_one(CampaignLead, person.id), "exclude", "replied_before", acme.now())
    had = Counter((one.step, one.kind) for one in ledger(acme))
    revise(acme, campaign.id, [VIEW, STEPS[0], STEPS[2], STEPS[1]], "all")
    let_in.let_in(acme, campaign.id, person.id)
    forward(acme, days=20)
    done = Counter((one.step, one.kind) for one in ledger(acme))
    assert max(done.values()) == 1
    assert set(had) <= set(done)
    assert sorted(one.text for one in ledger(acme) if one.text) == ["First", "Second"]
    assert only(campaign).reason != "unknown_outcome"


STATES: dict[str, Any] = {
    "draft": lambda acme, campaign: None,
    "scheduled": lambda acme, campaign: _scheduled(acme, campaign),
    "starting": lambda acme, campaign: _set(campaign, CampaignStatus.STARTING),
    "running": lambda acme, campaign: campaigns.start(acme, campaign.id),
    "paused": lambda acme, campaign: (campaigns.start(acme, campaign.id), campaigns.pause(acme, campaign.id)),
    "finished": lambda acme, campaign: _set(campaign, CampaignStatus.FINISHED),
    "canceled": lambda acme, campaign: campaigns.cancel(acme, campaign.id),
    "failed": lambda acme, campaign: _set(campaign, CampaignStatus.FAILED),
    "locked": lambda acme, campaign: _set(campaign, CampaignStatus.LOCKED),
}


def _set(campaign: Campaign, status: str) -> None:
    with transaction() as current:
        current.get_one(Campaign, campaign.id).status = status


def _scheduled(acme: Workspace, campaign: Campaign) -> None:
    with transaction() as current:
        current.get_one(Campaign, campaign.id).start_date = acme.now().replace(year=2030)
    campaigns.start(acme, campaign.id)


def test_every_change_in_every_state(acme: Workspace, clock: Movable) -> None:
    first, second = two(acme)
    for state in CampaignStatus:
        for kind in set(RevisionKind) - {RevisionKind.RESUMED}:
            campaign = a_campaign(acme, [f"accepts-{state}{kind}"], STEPS, start=False, name=f"{state} {kind}")
            STATES[state](acme, campaign)
            before = fresh(campaign)
            more = a_list(acme, [f"accepts-{state}{kind}more"], f"{state} {kind} more")
            hours = {**ALWAYS, "endTime": "22:00", "startDate": before.start_date}
            wanted = {
                RevisionKind.SCHEDULE: Wanted(schedule=hours),
                RevisionKind.SENDERS: Wanted(account_ids=[first, second]),
                RevisionKind.LISTS: Wanted(list_ids=[before.list_id or 0, more]),
                RevisionKind.EXCLUSIONS: Wanted(exclude={"contacted_days": 3}),
            }

            def act(kind: RevisionKind = kind, campaign: Campaign = campaign, wanted: Any = wanted) -> None:
                if kind == RevisionKind.STEPS:
                    revise(acme, campaign.id, [*STEPS, message("More")], "all")
                else:
                    changes.apply(acme, campaign.id, wanted[kind])

            allowed = state in ("scheduled", "running", "paused")
            if allowed or (kind == RevisionKind.EXCLUSIONS and state in ("draft", "starting", "locked")):
                act()
                assert len(noted(campaign)) == (state != "draft")
            else:
                with pytest.raises(Conflict):
                    act()
                assert noted(campaign) == []
            assert fresh(campaign).status == state
            _set(campaign, CampaignStatus.CANCELED)
            end_read()
    audited = set(session().scalars(sa.select(AuditEntry.kind).where(AuditEntry.workspace_id == acme.id)))
    assert audited >= {"campaign.schedule", "campaign.exclusions", "campaign.steps"}
