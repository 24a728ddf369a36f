"""Variants of a campaign's steps: who gets which, what came of them, and the winner."""

from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from app.core.db import end_read, session, transaction
from app.core.errors import Conflict, InvalidRequest
from app.domain.approvals import approvals, bulk, drafting
from app.domain.campaigns import campaigns, preview, statistics, upcoming, variants
from app.domain.campaigns.forecasts import forecast
from app.domain.engine import lifecycle
from app.domain.leads.campaign_leads.filters import REACHING
from app.domain.platform import audit_log
from app.domain.rules.variants.assignment import draw
from app.models.accounts import Account
from app.models.approvals import Approval
from app.models.campaigns import Campaign, CampaignLead, VariantChoice
from app.models.leads import Lead
from app.models.ledger import Action, ActionState
from app.models.workspaces import Workspace
from tests.domain.campaigns.changes.test_revisions import problems
from tests.domain.outreach import (
    INVITE,
    Meanwhile,
    a_campaign,
    a_list,
    begun,
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
    the_intent,
)

pytestmark = pytest.mark.usefixtures("clock")

PEOPLE = [f"accepts-{number}" for number in range(24)]


def with_variants(step: dict[str, Any], *texts: str, shares: tuple[int, ...] = ()) -> dict[str, Any]:
    given = shares or (None,) * len(texts)
    several = [{"message": text, "share": share} for text, share in zip(texts, given, strict=True)]
    return {"type": step["type"], "delay": step.get("delay"), "variants": several}


TWO = [INVITE, with_variants(message(), "Alpha {{first_name}}", "Beta {{first_name}}"), message("Still?", days=3)]


def got(workspace: Workspace, step: int = 1) -> dict[int, tuple[str, str]]:
    """The variant and the first word of the text that each person has in the ledger at that step."""
    return {
        action.campaign_lead_id or 0: (action.variant, action.text.split(" ")[0])
        for action in ledger(workspace)
        if action.step == step and action.part == 0
    }


def shares(campaign: Campaign, step: int = 1) -> dict[str, int]:
    return {one["key"]: one["share"] for one in fresh(campaign).sequence[step]["variants"]}


def ended(campaign: Campaign, numbers: dict[str, tuple[int, int, int]], name: str = "ended") -> None:
    """So many more people got each variant of step 1 twenty days ago: (people, replies, positive ones)."""
    workspace = session().get_one(Workspace, campaign.workspace_id)
    whole = sum(people for people, _, _ in numbers.values())
    listed = a_list(workspace, [f"{name}-{number}" for number in range(whole)], name)
    leads = list(session().scalars(sa.select(Lead).where(Lead.list_id == listed).order_by(Lead.id)))
    sender, at = campaign.account_ids[0], workspace.now() - timedelta(days=20)
    ours: dict[str, Any] = {"workspace_id": workspace.id, "campaign_id": campaign.id}
    with transaction() as current:
        for key, (people, replies, positive) in numbers.items():
            for number in range(people):
                lead, replied = leads.pop(), number < replies
                who = {"lead_id": lead.id, "person_id": lead.person_id}
                tone = "positive" if number < positive else "generic" if replied else ""
                answer = {
                    "replied": replied,
                    "sentiment": tone,
                    "replied_at": at + timedelta(days=1) if replied else None,
                }
                person = CampaignLead(**ours, **who, **answer, state="finished", account_id=sender)
                current.add(person)
                current.flush()
                sent = {"kind": "message", "budget": "message", "state": ActionState.SENT, "at": at}
                place = {"step": 1, "variant": key, "token": f"{name}{key}{number}"}
                current.add(Action(**ours, **who, **sent, **place, sender_id=sender, campaign_lead_id=person.id))
    end_read()


def test_variants_are_stored_with_keys_and_shares_and_the_first_is_the_steps_own_text(acme: Workspace) -> None:
    stored = a_campaign(acme, sequence=TWO, start=False).sequence[1]
    assert stored["message"] == "Alpha {{first_name}}"
    assert stored["variants"] == [
        {"key": "A", "message": "Alpha {{first_name}}", "subject": "", "share": 50},
        {"key": "B", "message": "Beta {{first_name}}", "subject": "", "share": 50},
    ]
    again = a_campaign(acme, sequence=[INVITE, stored], start=False, name="Again").sequence[1]
    assert again == stored
    two_letters = [INVITE, {"type": "message", "variants": [{"key": "B", "message": "b"}, {"message": "a"}]}]
    found = a_campaign(acme, sequence=two_letters, start=False, name="Letters").sequence[1]["variants"]
    assert [one["key"] for one in found] == ["B", "A"]
    original = a_campaign(acme, sequence=TWO, start=False, name="Original")
    variants.switch(acme, original.id, on=True)
    copy = campaigns.duplicate(acme, original.id)
    assert (copy.sequence, copy.pick_winner_at is None) == (original.sequence, False)


WRONG: tuple[tuple[dict[str, Any], str, str], ...] = (
    ({"variants": [{"message": "a"}]}, "variants", "Use 2 to 5"),
    ({"variants": [{"message": "a"}] * 6}, "variants", "Use 2 to 5"),
    ({"type": "view_profile", "variants": [{}, {}]}, "variants", "can't have variants"),
    ({"variants": [{"message": "a"}, {"message": ""}]}, "variants[1].message", "Write the text"),
    ({"variants": [{"message": "a"}, {"message": "{{frist_name}}"}]}, "variants[1].message", "first_name"),
    ({"variants": [{"message": "a"}, {"message": "{a|b"}]}, "variants[1].message", "not closed"),
    ({"variants": [{"message": "a"}, {"message": "x" * 8001}]}, "variants[1].message", "8000"),
    ({"variants": [{"message": "a"}, {"message": "b", "subject": "s"}]}, "variants[1].subject", "can't have"),
    ({"variants": [{"message": "a", "key": "A"}, {"message": "b", "key": "A"}]}, "variants[1].key", "Two variants"),
    ({"variants": [{"message": "a", "key": "F"}, {"message": "b"}]}, "variants[0].key", "A to E"),
    ({"variants": [{"message": "a", "share": 0}, {"message": "b", "share": 0}]}, "variants[0].share", "at least one"),
    ({"variants": [{"message": "a", "share": 1}, {"message": "b"}]}, "variants[1].share", "whole number"),
    ({"variants": [{"message": "a", "share": 1}, {"message": "b", "share": 101}]}, "variants[1].share", "0 to 100"),
    ({"message": "c", "variants": [{"message": "a"}, {"message": "b"}]}, "message", "the same as in variant A"),
)


def test_each_variant_is_checked_with_its_own_path(acme: Workspace) -> None:
    """Also that all variants of an email have a subject or none, so that it is a reply for everyone, or for no one."""
    for step, path, words in WRONG:
        with pytest.raises(InvalidRequest) as refused:
            a_campaign(acme, sequence=[INVITE, {"type": "message", **step}], start=False)
        assert words in problems(refused)[f"sequence[1].{path}"], step
    mail = {"type": "email", "variants": [{"message": "a", "subject": "s"}, {"message": "b"}]}
    with pytest.raises(InvalidRequest) as refused:
        a_campaign(acme, sequence=[mail], start=False)
    assert problems(refused)["sequence[0].variants"] == "Give every variant a subject, or none."


def test_people_get_the_variant_that_preview_and_plan_showed_and_the_ledger_keeps_it(acme: Workspace) -> None:
    campaign = a_campaign(acme, PEOPLE, TWO, start=False, senders=2)
    leads = {lead.id: lead for lead in session().scalars(sa.select(Lead))}
    shown = {one: preview.preview_for(acme, campaign.id, one)[1] for one in leads}
    campaigns.start(acme, campaign.id)
    planned = {}
    for one in everyone(campaign).values():
        plan = upcoming.upcoming_for(acme, campaign, one, leads[one.lead_id], upcoming.reason_for(acme, campaign, one))
        said = next(step for step in plan if step.index == 1).said
        assert said.parts[0].startswith({"A": "Alpha", "B": "Beta"}[said.variant])
        planned[one.lead_id] = said.variant
    forward(acme, days=8)
    found = got(acme)
    assert Counter(key for key, _ in found.values()).keys() == {"A", "B"}
    people = {one.id: one for one in everyone(campaign).values()}
    for person, (key, word) in found.items():
        step = shown[people[person].lead_id]
        assert (step.variant, step.parts[0].split(" ")[0]) == (key, word)
        assert [one.variant for one in step.others] == ["B" if key == "A" else "A"]
        assert word == {"A": "Alpha", "B": "Beta"}[key]
        assert planned[people[person].lead_id] == key
    assert {action.variant for action in ledger(acme) if action.step != 1} == {""}


NOTES = [with_variants(INVITE, "Alpha", "Beta"), message()]


def test_what_dies_between_text_and_send_is_taken_up_with_the_same_variant(acme: Workspace) -> None:
    """The ledger has it before the network is called, so a retry says the same after a winner, and after a restart."""
    campaign = a_campaign(acme, PEOPLE[:1], NOTES)
    the_intent(begun(acme))
    (kept,) = got(acme, 0).values()
    person = only(campaign)
    with transaction() as current:
        action = current.scalars(sa.select(Action)).one()
        action.state, action.check_at = ActionState.AGAIN, None
        row = current.get_one(CampaignLead, person.id)
        row.due_at, row.reason = acme.now(), ""
        sender = current.get_one(Account, row.account_id)
        sender.claimed_until, sender.turn_at = None, acme.now()
    variants.choose(acme, campaign.id, 0, "B" if kept[0] == "A" else "A")
    forward(acme, days=1)
    assert got(acme, 0) == {only(campaign).id: kept}
    assert next(action.state for action in ledger(acme)) == "sent"


def test_the_second_message_of_a_text_is_of_the_same_variant(acme: Workspace) -> None:
    long = [INVITE, with_variants(message(), "Alpha one\n---\nAlpha two", "Beta one\n---\nBeta two\n---\nBeta three")]
    campaign = a_campaign(acme, PEOPLE[:8], long, senders=2)
    first: list[Any] = []

    def choose() -> None:
        found = [action for action in ledger(acme) if action.step == 1]
        if found and not first:
            first.append(found[0])
            variants.choose(acme, campaign.id, 1, "B" if found[0].variant == "A" else "A")

    network(Meanwhile(acting=choose))
    forward(acme, days=9)
    (one,) = first
    texts = [
        action.text for action in ledger(acme) if (action.campaign_lead_id, action.step) == (one.campaign_lead_id, 1)
    ]
    word, parts = {"A": ("Alpha", 2), "B": ("Beta", 3)}[one.variant]
    assert texts == [f"{word} {part}" for part in ("one", "two", "three")[:parts]]
    assert {key for key, _ in got(acme).values()} == {"A", "B"}


def test_a_draft_keeps_its_variant_whatever_the_shares_become(acme: Workspace) -> None:
    campaign = a_campaign(acme, [f"accepts-{number}" for number in range(40)], TWO, start=False)
    bulk.switch(acme, campaign.id, True)
    campaigns.start(acme, campaign.id)
    forward(acme, days=3)

    def drafts() -> dict[int, tuple[str, str]]:
        rows = session().scalars(sa.select(Approval).execution_options(populate_existing=True)).all()
        return {row.campaign_lead_id: (row.variant, row.text.split(" ")[0]) for row in rows if row.step == 1}

    before = drafts()
    assert {key for key, _ in before.values()} == {"A", "B"}
    variants.choose(acme, campaign.id, 1, "A")
    drafting.refresh(acme, [one.person_id for one in everyone(campaign).values()])
    assert {one: drafts()[one] for one in before} == before
    some = sorted(before)[:4]
    waiting = session().scalars(sa.select(Approval).where(Approval.campaign_lead_id.in_(some))).all()
    for draft in waiting:
        approvals.edit(acme, draft.id, text=draft.text, approve=True)
    forward(acme, days=3)
    later = {one: found for one, found in drafts().items() if one not in before}
    assert {key for key, _ in later.values()} == {"A"}
    assert {one: key for one, (key, _) in got(acme).items()} == {one: before[one][0] for one in some}
    bulk.switch(acme, campaign.id, False)
    approvals.send_without(acme, campaign.id)
    forward(acme, days=3)
    sent = {one: found for one, found in got(acme).items() if one in before}
    assert len(sent) > len(some)
    assert sent == {one: before[one] for one in sent}


MAIL = [
    {"type": "email", "variants": [{"message": "Alpha", "subject": "s"}, {"message": "Beta", "subject": "t"}]},
    email("Still?", subject="", days=9),
]


def test_a_winner_reaches_only_people_without_a_text_and_can_be_undone(acme: Workspace) -> None:
    campaign = a_campaign(acme, [f"person-{number}" for number in range(45)], MAIL, senders=3)
    forward(acme, hours=2)
    before, revision = got(acme, 0), fresh(campaign).revision
    assert {key for key, _ in before.values()} == {"A", "B"}
    variants.choose(acme, campaign.id, 0, "B")
    assert shares(campaign, 0) == {"A": 0, "B": 100}
    assert fresh(campaign).revision == revision + 1
    found = variants.compare(acme, campaign)[0]
    assert found.verdict is None
    assert found.choice
    assert (found.choice.variant, found.choice.automatic) == ("B", False)
    with pytest.raises(Conflict):
        variants.choose(acme, campaign.id, 0, "B")
    forward(acme, days=2)
    after = got(acme, 0)
    assert {one: after[one] for one in before} == before
    assert {key for one, (key, _) in after.items() if one not in before} == {"B"}
    variants.undo(acme, campaign.id, 0)
    assert shares(campaign, 0) == {"A": 50, "B": 50}
    with pytest.raises(Conflict):
        variants.undo(acme, campaign.id, 0)
    kinds = [row.kind for row in session().scalars(audit_log.page(acme))]
    assert {"campaign.variant_chosen", "campaign.variant_undone"} <= {*kinds}


def test_only_an_open_campaign_has_a_choice(acme: Workspace, rival: Workspace) -> None:
    campaign = a_campaign(acme, sequence=TWO, start=False)
    with pytest.raises(Conflict):
        variants.choose(acme, campaign.id, 1, "B")
    campaigns.start(acme, campaign.id)
    for step, key, path in ((0, "B", "step"), (9, "B", "step"), (1, "C", "variant")):
        with pytest.raises(InvalidRequest) as refused:
            variants.choose(acme, campaign.id, step, key)
        assert path in problems(refused)
    campaigns.cancel(acme, campaign.id)
    with pytest.raises(Conflict):
        variants.choose(acme, campaign.id, 1, "B")


def recounted(workspace: Workspace, campaign: Campaign) -> dict[str, list[int]]:
    """Sent, replies and positive ones of step 1 by variant, counted person by person."""
    found: dict[str, list[int]] = {}
    actions = ledger(workspace)
    for person in session().scalars(sa.select(CampaignLead).where(CampaignLead.campaign_id == campaign.id)).all():
        theirs = [one for one in actions if one.campaign_lead_id == person.id and one.state == "sent"]
        for one in theirs:
            if one.variant and one.part == 0:
                found.setdefault(one.variant, [0, 0, 0])[0] += 1
        if person.replied and person.replied_at:
            before = [one for one in theirs if one.kind in REACHING and one.at <= person.replied_at]
            last = max(before, key=lambda one: (one.step, -one.part))
            if last.variant:
                found[last.variant][1] += 1
                found[last.variant][2] += person.sentiment == "positive"
    return found


def test_the_numbers_equal_a_recount_and_add_up_to_the_steps(acme: Workspace) -> None:
    """A reply counts for the last text before it; a reply to the third step counts for no variant of the second."""
    people = [f"person-{number}" for number in range(40)]
    campaign = a_campaign(acme, people, TWO, senders=2)
    for days in (6, 6, 8):
        forward(acme, days=days)
        found = variants.compare(acme, fresh(campaign))[1]
        assert {one.key: [one.sent, one.replies, one.positive] for one in found.variants if one.sent} == recounted(
            acme, campaign
        )
        row = statistics.steps(acme, campaign)[1]
        assert (sum(one.sent for one in found.variants), sum(one.replies for one in found.variants)) == (
            row.sent,
            row.answered,
        )
    assert sum(one.replies for one in found.variants) > 0
    assert all(one.people <= one.sent for one in found.variants)


def test_a_person_counts_once_their_time_to_answer_is_over(acme: Workspace) -> None:
    campaign = a_campaign(acme, ["accepts-silent-ada", "accepts-silent-bob"], TWO[:2], senders=2)
    forward(acme, days=4)
    if not got(acme):
        forward(acme, days=3)
    (sent, *_) = [action.at for action in ledger(acme) if action.step == 1]

    def counted() -> int:
        return sum(one.people for one in variants.compare(acme, campaign)[1].variants)

    assert acme.now() - sent < timedelta(days=7)
    assert counted() == 0
    forward(acme, days=8)
    assert counted() == len(got(acme))


def test_a_later_text_ends_the_time_to_answer(acme: Workspace) -> None:
    campaign = a_campaign(acme, ["accepts-silent-ada"], TWO)
    while not any(action.step == 2 for action in ledger(acme)):
        forward(acme, hours=12)
    first = next(action.at for action in ledger(acme) if action.step == 1)
    assert acme.now() - first < timedelta(days=7)
    found = variants.compare(acme, campaign)[1]
    assert sum(one.people for one in found.variants) == 1


def test_notes_of_invitations_are_compared_by_acceptances(acme: Workspace) -> None:
    people = [f"person-{number}" for number in range(30)]
    campaign = a_campaign(acme, people, [with_variants(INVITE, "Hi A", ""), message("Thanks")], senders=2)
    forward(acme, days=9)
    found = variants.compare(acme, campaign)[0]
    assert found.goal == "accepted"
    accepted = [action for action in ledger(acme) if action.step == 0 and action.accepted_at]
    assert {one.key: one.accepted for one in found.variants} == {
        key: sum(action.variant == key for action in accepted) for key in "AB"
    }
    assert accepted
    assert {action.text for action in ledger(acme) if action.variant == "B"} == {""}


CLEAR = {"A": (300, 30, 6), "B": (300, 66, 20)}


def test_a_winner_is_taken_where_that_is_switched_on_and_what_a_human_took_back_is_not_taken_again(
    acme: Workspace,
) -> None:
    campaign = a_campaign(acme, PEOPLE[:2], TWO)
    variants.switch(acme, campaign.id, on=True)
    ended(campaign, {"A": (90, 5, 0), "B": (90, 30, 9)}, "few")
    forward(acme, days=1.5)
    found = variants.compare(acme, campaign)[1]
    assert found.verdict
    assert (found.winner, found.verdict.missing) == (None, "people")
    assert shares(campaign) == {"A": 50, "B": 50}
    variants.switch(acme, campaign.id, on=False)
    ended(campaign, CLEAR)
    found = variants.compare(acme, campaign)[1]
    assert found.winner
    assert found.winner.key == "B"
    lifecycle.run(acme)
    assert shares(campaign) == {"A": 50, "B": 50}
    variants.switch(acme, campaign.id, on=True)
    assert [one.key for one in lifecycle.due(50)] == [acme.id]
    lifecycle.run(acme)
    assert shares(campaign) == {"A": 0, "B": 100}
    assert lifecycle.due(50) == []
    choice = session().scalars(sa.select(VariantChoice)).one()
    assert (choice.automatic, choice.actor, choice.step, choice.shares) == (True, "", 1, {"A": 50, "B": 50})
    assert choice.chance > 0.99
    assert "campaign.winner_taken" in [row.kind for row in session().scalars(audit_log.page(acme))]
    variants.undo(acme, campaign.id, 1)
    forward(acme, days=3)
    assert shares(campaign) == {"A": 50, "B": 50}
    assert fresh(campaign).pick_winner_at > acme.now()
    variants.choose(acme, campaign.id, 1, "B")
    assert shares(campaign) == {"A": 0, "B": 100}


def test_who_keeps_the_old_version_keeps_its_variants(acme: Workspace) -> None:
    """They are drawn by the shares of then; what is chosen of the new text reaches them if it has the same letter."""
    campaign = a_campaign(acme, PEOPLE[:12], [INVITE, message("Hello"), {**TWO[1], "delay": DAYS}], senders=2)
    while not (waiting := [one for one in everyone(campaign).values() if one.step == 2 and one.state == "active"]):
        forward(acme, hours=12)
    former = campaign.sequence[2]
    revise(acme, campaign.id, [INVITE, message("Hello"), {**message("New"), "delay": DAYS}], "new")
    forward(acme, days=3)
    found = got(acme, 2)
    kept = {one.id: draw(former, one.person_id, 2) for one in waiting if one.id in found}
    assert kept
    assert {one: found[one][0] for one in kept} == kept
    assert all(found[one][1] == {"A": "Alpha", "B": "Beta"}[key] for one, key in kept.items())


DAYS = {"value": 2, "unit": "days"}


def test_an_email_that_follows_up_has_the_subject_its_person_got(acme: Workspace) -> None:
    first = {
        "type": "email",
        "variants": [{"message": "a", "subject": "Apples"}, {"message": "b", "subject": "Bananas"}],
    }
    campaign = a_campaign(acme, PEOPLE[:10], [first, email("And?", subject="", days=1)], senders=3)
    forward(acme, hours=20)
    had = {one: key for one, (key, _) in got(acme, 0).items()}
    assert {*had.values()} == {"A", "B"}
    variants.choose(acme, campaign.id, 0, "A")
    forward(acme, days=5)
    subjects = {action.campaign_lead_id: action.subject for action in ledger(acme) if action.step == 1}
    assert subjects
    for person, subject in subjects.items():
        assert subject == {"A": "Re: Apples", "B": "Re: Bananas"}[had.get(person or 0, "A")]


def test_the_forecast_counts_the_messages_of_each_persons_variant(acme: Workspace) -> None:
    long = [INVITE, with_variants(message(), "One", "One\n---\nTwo\n---\nThree")]
    campaign = a_campaign(acme, PEOPLE, long, start=False)
    found = forecast.forecast(acme, campaign.id)
    per_person = Counter(action.person_id for action in found.actions if action.step == 1)
    people = {lead.id: lead.person_id for lead in session().scalars(sa.select(Lead))}
    stored = campaign.sequence[1]
    assert per_person
    for person, number in per_person.items():
        assert number == {"A": 1, "B": 3}[draw(stored, people[-person >> 32], 1)]  # as who is still to come is numbered


def test_a_step_that_moves_keeps_its_variants_numbers_and_winner(acme: Workspace) -> None:
    """A new text is a change of the text, which new shares are not."""
    campaign = a_campaign(acme, PEOPLE[:12], TWO)
    forward(acme, days=3)
    texts = ("Alpha {{first_name}}", "Beta {{first_name}}")
    other_shares = [INVITE, with_variants(message(), *texts, shares=(10, 90)), TWO[2]]
    effect = effect_of(acme, campaign.id, other_shares, "new")
    assert ([(one.index, one.change) for one in effect.steps if one.index == 1], effect.kept) == ([(1, "shares")], 0)
    other_text = [INVITE, with_variants(message(), "Alpha {{first_name}}", "Gamma"), TWO[2]]
    effect = effect_of(acme, campaign.id, other_text, "all")
    assert (1, "text") in [(one.index, one.change) for one in effect.steps]
    before, numbers = got(acme), variants.compare(acme, campaign)[1].variants
    revise(acme, campaign.id, other_shares, "new")
    variants.choose(acme, campaign.id, 1, "B")
    steps = fresh(campaign).sequence
    revise(acme, campaign.id, [steps[0], {"type": "view_profile"}, *steps[1:]], "all")
    forward(acme, days=3)
    assert {one: said for one, said in got(acme).items() if one in before} == before
    found = variants.compare(acme, fresh(campaign))
    assert set(found) == {2}
    assert found[2].choice
    assert [one.sent for one in found[2].variants] >= [one.sent for one in numbers]
    variants.undo(acme, campaign.id, 2)
    assert shares(campaign, 2) == {"A": 10, "B": 90}
