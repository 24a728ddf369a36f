"""Approvals over `/v1`: reading, editing, releasing, skipping, taking back; one by one and many at once."""

from hashlib import sha256
from typing import Any

import pytest

from app.core.db import session, transaction
from app.domain.approvals import approvals
from app.domain.workspace import team
from app.models.approvals import Approval
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, email, forward
from tests.domain.reviewing import held
from tests.support.clients import Api, paths

pytestmark = pytest.mark.usefixtures("clock")


def drafts(api: Api, **query: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = api.get("approvals", **query).json["data"]
    return found


@pytest.fixture
def draft(acme: Workspace, api: Api) -> dict[str, Any]:
    held(acme, ["quiet-ada"], [email("Dear {{first_name}}", "Hello")])
    return drafts(api)[0]


def test_a_draft_is_read_edited_and_approved(acme: Workspace, api: Api, draft: dict[str, Any]) -> None:
    assert list(draft["lead"]) == ["id", "name", "title", "company", "imageUrl"]
    assert (draft["kind"], draft["status"], draft["text"], draft["subject"]) == (
        "email",
        "pending",
        "Dear Ada",
        "Hello",
    )
    assert (draft["campaignName"], draft["edited"], draft["sender"]) == ("Held", False, "Ada")
    assert draft["research"] is None
    path = f"approvals/{draft['id']}"
    assert api.get(path).json == draft
    edited = api.patch(path, {"text": "Dear Ada, one more thing", "subject": "Hi"})
    assert edited.status_code == 200
    assert edited.json == draft | {"text": "Dear Ada, one more thing", "subject": "Hi", "edited": True}
    approved = api.patch(path, {"text": "Dear Ada, one more thing", "approve": True})
    assert (approved.status_code, approved.json["status"], approved.json["subject"]) == (200, "approved", "Hi")
    forward(acme, hours=1)
    assert api.get(path).json["status"] == "done"


def test_the_same_again_is_fine_and_anything_else_is_not(api: Api, draft: dict[str, Any]) -> None:
    path, body = f"approvals/{draft['id']}", {"text": "Yes", "approve": True}
    assert [api.patch(path, body).status_code for _ in range(3)] == [200] * 3
    for other in ({"text": "No", "approve": True}, {"text": "Yes", "subject": "X", "approve": True}, {"text": "Yes"}):
        refused = api.patch(path, other)
        assert refused.status_code == 400
        assert refused.json["error"]["code"] == "invalid_request"
        message = "This draft is no longer waiting (status: approved)."
        assert refused.json["error"]["fields"] == [{"path": "id", "message": message}]


def test_a_precondition_keeps_two_from_editing_the_same(api: Api, draft: dict[str, Any]) -> None:
    path = f"approvals/{draft['id']}"
    tag = sha256(f"{draft['subject']}\n{draft['text']}".encode()).hexdigest()
    assert api.patch(path, {"text": "First"}, if_match=tag).status_code == 200
    assert paths(api.patch(path, {"text": "Second"}, if_match=tag)) == ["If-Match"]
    tag = sha256(f"{draft['subject']}\nFirst".encode()).hexdigest()
    assert api.patch(path, {"text": "Second"}, if_match=f'"{tag}"').json["text"] == "Second"


def test_pages_are_newest_first_and_filtered(acme: Workspace, api: Api) -> None:
    one = held(acme, [f"quiet-{number}" for number in range(5)], [email()], name="One")
    held(acme, ["quiet-zoe"], [email()], name="Two")
    first = api.get("approvals", limit=4).json
    second = api.get("approvals", limit=4, cursor=first["nextCursor"]).json
    ids = [found["id"] for found in [*first["data"], *second["data"]]]
    assert ids == sorted(ids, reverse=True)
    assert (len(ids), second["nextCursor"]) == (6, "")
    assert len(drafts(api, campaignId=one.id)) == 5
    api.post(f"approvals/{ids[0]}/skip")
    assert [found["id"] for found in drafts(api, status="skipped")] == [ids[0]]
    assert len(drafts(api, status="pending")) == 5
    for bad in ({"status": "open"}, {"campaignId": "x"}, {"campaignId": "0"}):
        assert api.get("approvals", **bad).status_code == 400


def test_many_at_once(acme: Workspace, api: Api) -> None:
    people = ["quiet-ada", {"publicId": "bob", "email": "b@b.example"}]
    held(acme, people, [email("Dear {{first_name}}")])
    bob, ada = (found["id"] for found in drafts(api))
    answer = api.post("approvals/bulk", {"ids": [ada, bob, 10**6], "action": "approve"}, idempotency_key="many")
    outcomes = [(one["id"], one["outcome"]) for one in answer.json["results"]]
    assert outcomes == [(ada, "approved"), (bob, "has_warnings"), (10**6, "not_found")]
    again = api.post("approvals/bulk", {"ids": [ada, bob, 10**6], "action": "approve"}, idempotency_key="many")
    assert again.json == answer.json
    assert again.headers["Idempotent-Replayed"] == "true"
    for bad in (
        {"ids": [], "action": "skip"},
        {"ids": [ada] * 101, "action": "skip"},
        {"ids": [ada], "action": "send"},
        {"ids": [bob], "action": "approve", "reason": "Late"},
    ):
        assert api.post("approvals/bulk", bad).status_code == 400
    api.post("approvals/bulk", {"ids": [bob], "action": "skip", "reason": " Wrong  person "})
    assert api.get(f"approvals/{bob}").json["note"] == "Wrong person"
    assert api.post(f"approvals/{bob}/undo").json["note"] == ""


def test_with_confirm_false_a_warning_is_named_before_the_draft_is_approved(acme: Workspace, api: Api) -> None:
    held(acme, [{"publicId": "bob", "firstName": "Bob", "email": "b@b.example"}], [email("Dear {{first_name}}")])
    (bob,) = drafts(api)
    body = {"text": "Dear Zoe, good to meet you.", "subject": "Hello", "approve": True}
    refused = api.patch(f"approvals/{bob['id']}", {**body, "confirm": False})
    assert refused.status_code == 400
    assert refused.json["error"]["fields"] == [
        {"path": "confirm", "message": "The text greets Zoe, but the profile says Bob."}
    ]
    assert api.get(f"approvals/{bob['id']}").json == bob
    assert api.patch(f"approvals/{bob['id']}", body).json["status"] == "approved"


def test_only_a_member_takes_on_a_claim(acme: Workspace, api: Api) -> None:
    """A stranger is refused, and nothing is changed; a draft without claims needs no one."""
    held(acme, [{"publicId": "bob", "firstName": "Bob", "email": "b@b.example"}], [email("Dear {{first_name}}")])
    (bob,) = drafts(api)
    body = {"text": "Dear Bob, good to meet you.", "subject": "Hello", "approve": True}
    refused = api.patch(f"approvals/{bob['id']}", {**body, "takenOnBy": "stranger@else.example"})
    assert refused.json["error"]["fields"] == [
        {"path": "takenOnBy", "message": "No member of this workspace has this email address."}
    ]
    assert api.get(f"approvals/{bob['id']}").json == bob
    member = team.members(acme)[0].email
    assert api.patch(f"approvals/{bob['id']}", {**body, "takenOnBy": member}).json["status"] == "approved"


def test_a_campaign_is_made_to_hold_its_messages(acme: Workspace, api: Api) -> None:
    """The switch is taken and shown, in any state."""
    campaign = held(acme, ["quiet-ada"], [email()], approval=False)
    shown = api.get(f"campaigns/{campaign.id}").json
    assert shown["approval"] is False
    body = {"name": "Held too", "listId": shown["listId"], "accountIds": shown["accountIds"], "sequence": [email()]}
    made = api.post("campaigns", body | {"approval": True})
    assert (made.status_code, made.json["approval"]) == (201, True)
    assert api.post("campaigns", body | {"approval": "yes"}).status_code == 400
    assert approvals.count(acme) == 0
    assert api.patch(f"campaigns/{campaign.id}", {"approval": True}).status_code == 200
    assert len(drafts(api, campaignId=campaign.id)) == 1
    renamed = api.patch(f"campaigns/{campaign.id}", {"approval": False, "name": "By itself"})
    assert renamed.json["name"] == "By itself"
    forward(acme, hours=1)
    assert [found["status"] for found in drafts(api)] == ["pending"]


def test_an_expired_draft_says_so_and_its_person_waits_as_the_campaign_says(
    acme: Workspace, api: Api, draft: dict[str, Any]
) -> None:
    campaign = f"campaigns/{draft['campaignId']}"
    assert api.get(campaign).json["skipExpired"] is False
    assert api.patch(campaign, {"skipExpired": True}).json["skipExpired"] is True
    assert api.patch(campaign, {"skipExpired": False}).json["skipExpired"] is False
    forward(acme, days=15)
    expired = api.get(f"approvals/{draft['id']}").json
    assert (expired["status"], expired["reason"]) == ("skipped", "expired")
    (person,) = api.get(f"{campaign}/leads").json["data"]
    assert (person["state"], person["reason"]) == ("paused", "draft_expired")
    assert api.post(f"{campaign}/leads/{person['id']}/resume").status_code == 200
    assert drafts(api, status="pending")[0]["text"] == "Dear Ada"


def test_the_note_of_an_invitation_is_a_message_of_its_own_step_type(acme: Workspace, api: Api) -> None:
    """An old client sees a message; a new one is told which step it is, and can ask for those alone."""
    held(acme, ["quiet-ada"], [email("Dear {{first_name}}", "Hello")], name="Mail")
    held(acme, ["ignores-bob"], [{**INVITE, "message": "Hi {{first_name}}"}], name="Notes")
    (note,) = drafts(api, stepType="connection_request")
    assert (note["kind"], note["stepType"], note["text"], note["subject"]) == (
        *("message", "connection_request", "Hi Bob"),
        "",
    )
    assert [one["kind"] for one in drafts(api, stepType="email")] == ["email"]
    assert api.get("approvals", stepType="like_post").status_code == 400
    assert paths(api.patch(f"approvals/{note['id']}", {"text": "x" * 301})) == ["text"]
    assert api.patch(f"approvals/{note['id']}", {"text": "", "approve": True}).json["status"] == "approved"


def test_the_research_about_a_person_comes_with_their_draft(acme: Workspace, api: Api, draft: dict[str, Any]) -> None:
    """Each sentence names its facts, and each fact its words, its day and its address."""
    quote = "Lark Dairy opened a second plant in 2026."
    fact = {"id": 2, "about": "company", "label": "Website of Lark Dairy", "quote": quote}
    fact |= {"address": "https://lark.example/about", "date": "2026-11-20"}
    said = [{"text": "I read that you opened a second plant.", "facts": [2]}]
    with transaction():
        kept = session().get_one(Approval, draft["id"])
        kept.opener = {"by": "tiny", "note": "", "recipient": "Ada", "sentences": said, "facts": [fact]}
    research = api.get(f"approvals/{draft['id']}").json["research"]
    assert research == {"writtenBy": "tiny", "note": "", "sentences": said, "facts": [fact]}
