"""What was learnt over `/v1`: rules and their answers, the order of plays, and drafts with what came of them."""

from typing import Any

import pytest

from app.domain.approvals import approvals
from app.domain.autopilot import draft_rewrite
from app.domain.workspace import team
from app.models.workspaces import Workspace
from tests.api.stock import Stock
from tests.domain.outreach import email, forward
from tests.domain.reviewing import drafts, held
from tests.support.clients import Api

pytestmark = pytest.mark.usefixtures("clock")
RULE = "id rule question status applies approvalIds rewritten proposedAt decidedAt".split()
NUMBERS = "people replies positive negative replyRate replyRange goodVotes badVotes".split()
CHANGE = "id angle placeBefore placeAfter numbers at undoneAt".split()
DRAFT = (
    "id campaignId stepType offered offeredSubject sent sentSubject decision wishes reason editedBy decidedBy "
    "outcome tone decidedAt sentAt"
).split()


def test_a_rule_is_read_accepted_and_taken_back(api: Api, acme: Workspace) -> None:
    stock = Stock(acme)
    path = f"autopilot/learnt/rules/{stock.id_of('rule_id')}"
    (rule,) = api.get("autopilot/learnt").json["rules"]
    assert list(rule) == RULE
    assert rule["question"] == "You removed the second question three times. Make it a rule?"
    assert (rule["status"], rule["applies"], len(rule["approvalIds"])) == ("proposed", False, 3)
    accepted = api.post(f"{path}/accept").json
    assert (accepted["status"], accepted["applies"]) == ("on", True)
    assert api.get("autopilot/learnt").json["week"] == [f"A rule was accepted: “{rule['rule']}” New texts follow it."]
    assert api.post(f"{path}/later").status_code == 409
    assert api.post(f"{path}/take-back").json["status"] == "off"
    assert api.post(f"{path}/take-back").status_code == 409


def test_the_order_of_plays_has_its_numbers_and_each_change_its_way_back(api: Api, acme: Workspace) -> None:
    change_id = Stock(acme).id_of("change_id")
    seen = api.get("autopilot/learnt").json
    change = next(one for one in seen["ranking"] if one["id"] == change_id)
    assert (list(change), list(change["numbers"])) == (CHANGE, NUMBERS)
    assert change["placeAfter"] < change["placeBefore"]
    news = next(one for one in seen["angles"] if one["angle"] == "news")
    assert news["place"] < news["usualPlace"]
    play = next(one for one in api.get("autopilot/plays").json["data"] if one["angle"] == "news")
    assert play["numbers"]["goodVotes"] > 0
    assert "good vote" in play["because"]
    taken = api.post(f"autopilot/learnt/ranking/{change_id}/take-back").json
    assert taken["undoneAt"] is not None
    after = next(one for one in api.get("autopilot/learnt").json["angles"] if one["angle"] == "news")
    assert (after["place"], after["numbers"]["goodVotes"]) == (news["usualPlace"], 0)
    assert api.post(f"autopilot/learnt/ranking/{change_id}/take-back").status_code == 409


def outcome(api: Api, draft: int) -> dict[str, Any]:
    (found,) = [one for one in api.get("autopilot/learnt/drafts").json["data"] if one["id"] == draft]
    return dict(found)


def test_drafts_are_kept_with_the_edit_the_decision_and_the_outcome(api: Api, acme: Workspace) -> None:
    """As they were approved, edited by a member, rewritten for a wish, or skipped; answered, or not in seven days."""
    long = "Dear {{first_name}}, we plan courses for you. It takes a week to set up and little else. Shall we talk?"
    held(acme, [f"quiet-{name}" for name in ("ada", "bob", "cy", "di")], [email(long, "Courses")])
    as_it_was, edited, rewritten, skipped = drafts(acme, "pending")
    member = team.member(acme, team.owners(acme)[0])
    approvals.edit(acme, as_it_was.id, text=as_it_was.text, approve=True)
    approvals.edit(acme, edited.id, text="Dear Bob, shall we talk?", approve=True, by=member)
    draft_rewrite.rewrite(acme, rewritten.id, "shorter")
    approvals.edit(acme, rewritten.id, text=drafts(acme, "pending")[0].text, approve=True)
    approvals.skip(acme, skipped.id, member)
    assert outcome(api, edited.id)["outcome"] == "not_sent"
    forward(acme, hours=1)
    found = {one.id: outcome(api, one.id) for one in (as_it_was, edited, rewritten, skipped)}
    assert list(found[edited.id]) == DRAFT
    assert [one["decision"] for one in found.values()] == ["approved", "edited", "rewritten", "skipped"]
    assert found[edited.id]["offered"].startswith("Dear Bob, we plan courses")
    assert (found[edited.id]["sent"], found[edited.id]["editedBy"]) == ("Dear Bob, shall we talk?", member.name)
    assert found[rewritten.id]["wishes"] == ["shorter"]
    assert (found[skipped.id]["reason"], found[skipped.id]["outcome"]) == ("skipped_by_you", "not_sent")
    assert found[edited.id]["outcome"] == "waiting"
    forward(acme, days=8)
    assert outcome(api, edited.id)["outcome"] == "no_answer"
