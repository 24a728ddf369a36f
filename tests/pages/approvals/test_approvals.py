"""The approval inbox without a browser: what is shown, who may decide, and that it works without scripts."""

import re
from datetime import timedelta
from typing import Any

import pytest

from app.core.db import session, transaction
from app.domain.approvals import approvals
from app.domain.approvals.approvals import Filters
from app.domain.campaigns import campaigns
from app.domain.leads.campaign_leads import campaign_leads
from app.models.accounts import Account
from app.models.approvals import Approval, ApprovalStatus
from app.models.campaigns import CampaignLead
from app.models.workspaces import Workspace
from app.pages.approvals import wording
from tests.domain.autopilot.writers import with_model
from tests.domain.outreach import INVITE, a_campaign, email, forward, message, the_account
from tests.domain.reviewing import drafts, held, opener, the_draft
from tests.pages.conftest import Web, become, found_in, must_have

pytestmark = pytest.mark.usefixtures("clock")


@pytest.fixture
def draft(acme: Workspace) -> Approval:
    """A first e-mail to Ada, waiting."""
    return opener(acme, "Dear {{first_name}}", subject="For you")


def test_only_those_who_may_decide(acme: Workspace, web: Web, draft: Approval) -> None:
    become(acme, "reviewer")
    assert "Approve" in web.get("/approvals").text
    assert web.post(f"/approvals/campaigns/{draft.campaign_id}", do="free").status_code == 403
    become(acme, "integrator")
    must_have(web.get(f"/approvals/{draft.id}"), 200, without="<textarea")
    assert web.post(f"/approvals/{draft.id}", text="x").status_code == 403
    assert web.post("/approvals/many", draft=draft.id, do="approve").status_code == 403


def test_a_warning_has_to_be_seen_first(acme: Workspace, web: Web, draft: Approval) -> None:
    """The second press counts, and only for what was seen."""
    path, text = f"/approvals/{draft.id}", "Hi Bob, how are you?"
    first = web.post(path, text=text, subject="")
    must_have(first, 422, "The text greets Bob, but the profile says Ada.", "Approve anyway")
    seen = re.search(r'name="seen" value="([^"]+)"', first.text)
    assert seen
    assert web.post(path, text=text, subject="", seen="name").status_code == 422
    assert the_draft(acme).text == text
    assert web.post(path, text=text, subject="", seen=seen[1]).status_code == 303
    assert the_draft(acme, "approved").text == text


def test_what_cannot_be_sent_is_said_and_kept(acme: Workspace, web: Web, draft: Approval) -> None:
    path = f"/approvals/{draft.id}"
    must_have(web.post(path, text="Dear {{name}}", subject="For you"), 422, "No value for {{name}}")
    assert the_draft(acme).text == "Dear {{name}}"
    answer = web.post(path, text="x" * 8001, subject="For you")
    assert (answer.status_code, "Use at most 8000 characters." in answer.text) == (422, True)
    assert "x" * 8001 in answer.text
    assert web.post(path, text="Dear Ada, later", subject="For you", do="save").status_code == 303
    assert the_draft(acme).text == "Dear Ada, later"


def test_htmx_gets_the_next_draft(acme: Workspace, web: Web) -> None:
    held(acme, ["quiet-ada", "quiet-bob"], [email()])
    ada, bob = (draft.id for draft in drafts(acme))
    answer = web.post(f"/approvals/{bob}", text="Dear Bob", subject="A question", htmx=True)
    assert answer.status_code == 200
    assert answer.headers["HX-Replace-Url"] == f"/approvals/{ada}"
    assert f'<hx-partial hx-target="#row-{bob}" hx-swap="delete">' in answer.text
    for text in (f'id="text-{ada}"', "1 waiting", "Approved for Bob", f'hx-post="/approvals/{bob}/undo"', "autofocus"):
        assert text in answer.text
    assert 'class="toast ok"' in answer.text
    assert 'class="toast warn"' not in answer.text
    late = web.post(f"/approvals/{bob}", text="Dear Bob", subject="A question", htmx=True)
    assert late.status_code == 409
    assert 'class="toast warn"' in late.text
    back = web.post(f"/approvals/{bob}/undo", htmx=True)
    assert back.headers["HX-Push-Url"] == f"/approvals/{bob}"
    assert f'id="row-{bob}"' in back.text
    assert "All caught up" in [web.post(f"/approvals/{one}/skip", htmx=True) for one in (bob, ada)][-1].text


def test_a_decision_after_that_of_someone_else_is_refused(acme: Workspace, web: Web, draft: Approval) -> None:
    path = f"/approvals/{draft.id}"
    web.post(path, text="Dear Ada", subject="For you")
    late = web.post(path, text="Dear Ada, too late", subject="For you", htmx=True)
    must_have(late, 409, "ada approved this now.", f'hx-target="#row-{draft.id}" hx-swap="delete"')
    assert web.post(path + "/skip").headers["Location"] == "/approvals"
    assert web.post(path + "/text", text="x", htmx=True).status_code == 204
    forward(acme, hours=1)
    undone = web.post(path + "/undo", htmx=True)
    assert (undone.status_code, "A done draft can&#39;t be brought back." in undone.text) == (409, True)


def test_a_stale_draft_says_why(acme: Workspace, web: Web, draft: Approval) -> None:
    campaign_leads.stop(acme, draft.campaign_id, draft.campaign_lead_id)
    must_have(web.get(f"/approvals/{draft.id}"), "Stopped by you or a teammate", without="Move back to waiting")
    assert "No longer needed," in web.post(f"/approvals/{draft.id}", text="Dear Ada", subject="For you", htmx=True).text


def test_what_is_typed_into_a_draft_is_kept(acme: Workspace, web: Web, draft: Approval) -> None:
    answer = web.post(f"/approvals/{draft.id}/text", text="Hi Bob, well", subject="For you", htmx=True)
    must_have(answer, 200, "Draft text saved", "The text greets Bob", "Edited", f"#checks-{draft.id}")
    assert "Hi Bob, well" in web.get(f"/approvals/{draft.id}").text
    too_long = web.post(f"/approvals/{draft.id}/text", text="x" * 8001, subject="For you", htmx=True)
    assert "Not saved: Use at most 8000 characters." in too_long.text
    web.post(f"/approvals/{draft.id}/reset")
    assert the_draft(acme).edited is False


def test_many_at_once_leave_those_with_warnings(acme: Workspace, web: Web) -> None:
    held(acme, ["quiet-ada", "quiet-cleo", {"publicId": "bob", "email": "b@b.example"}], [email("Dear {{first_name}}")])
    ids = [draft.id for draft in drafts(acme)]
    web.client.post("/approvals/many", data={"csrf_token": web.token(), "draft": ids, "do": "approve"})
    assert "2 approved. Open 1 draft with warnings." in web.get("/approvals").text
    web.post("/approvals/many", do="approve")
    assert "Select at least one draft." in web.get("/approvals").text
    (left,) = (draft.id for draft in drafts(acme, ApprovalStatus.PENDING))
    web.post("/approvals/many", draft=str(left), do="skip", reason="Not <now>")
    must_have(web.get(f"/approvals/{left}?show=skipped"), "ada skipped this now: “Not &lt;now&gt;”")


def test_many_decided_at_once_are_moved_back_together(acme: Workspace, web: Web) -> None:
    """By the undo of the message, or selected under Approved; what is being sent stays, and the page says so."""
    held(acme, ["quiet-ada", "quiet-bob", "quiet-cleo"], [email("Dear {{first_name}}")])
    ids = [str(draft.id) for draft in drafts(acme)]
    web.post("/approvals/many?kind=email", draft=ids, do="approve")
    undo = found_in(web.get("/approvals").text, r'action="(/approvals/many/undo\?[^"]+)"')
    answer = web.post(undo)
    assert answer.headers["Location"] == "/approvals?kind=email"
    must_have(web.get("/approvals"), "3 drafts moved back to waiting.")
    assert approvals.count(acme) == 3
    web.post("/approvals/many", draft=ids, do="approve")
    approvals.undo(acme, int(ids[2]))
    must_have(
        web.get("/approvals?show=approved"),
        f'value="{ids[0]}" form="many"',
        "Move back to waiting",
        '<span class="at">Sends ',
    )
    become(acme, "viewer")
    assert web.post(undo).status_code == 403
    become(acme, "reviewer")
    forward(acme, hours=2)
    web.post("/approvals/many/undo", draft=ids[:2])
    must_have(web.get("/approvals"), "0 drafts moved back to waiting. Can&#39;t be undone any more: 2 drafts.")


def test_the_list_says_of_an_approved_draft_what_the_draft_says(acme: Workspace, web: Web) -> None:
    """When it is sent as the sender's hours have it, not a time that is over; without one, that it waits."""
    held(acme, ["quiet-ada"], [email("Dear {{first_name}}")])
    approvals.edit(acme, the_draft(acme).id, text="Dear Ada", approve=True)
    for release, said in (
        (acme.now() - approvals.UNDO, "Sends within seconds"),
        (acme.now() + timedelta(days=4, hours=20), "Sends Mon 9 Mar, "),
    ):
        with transaction() as current:
            current.query(Approval).update({"release_at": release})
        must_have(web.get("/approvals?show=approved"), f'<span class="at">{said}', f'class="hint small muted">{said}')
    with transaction() as current:
        current.query(CampaignLead).update({"state": "paused"})
    must_have(web.get("/approvals?show=approved"), '<span class="at">Waiting</span>')


def test_each_view_of_the_drafts_has_an_address(acme: Workspace, web: Web, draft: Approval) -> None:
    held(acme, [{"publicId": "bob", "email": "b@b.example"}], [email("Dear {{first_name}}")], name="Other")
    bob = drafts(acme)[-1]
    for query, shown in (
        (f"campaign={draft.campaign_id}", {draft.id}),
        ("kind=email", {draft.id, bob.id}),
        ("kind=inmail", set()),
        ("warned=1", {bob.id}),
        (f"sender={draft.sender_id}", {draft.id, bob.id}),
        ("show=approved", set()),
        ("show=nonsense&campaign=x", {draft.id, bob.id}),
    ):
        page = web.get(f"/approvals?{query}").text
        assert {int(found) for found in re.findall(r'id="row-(\d+)"', page)} == shown, query
    approvals.skip(acme, draft.id)
    must_have(web.get(f"/approvals/{draft.id}?show=skipped"), "Move back to waiting", "ada")


def test_a_long_list_of_drafts_is_loaded_page_by_page(acme: Workspace, web: Web) -> None:
    held(acme, [f"quiet-{number}" for number in range(30)], [email()])
    page = web.get("/approvals").text
    more = found_in(page, r'hx-get="(/approvals\?cursor=[^"]+)"')
    rest = web.get(more, htmx=True).text
    rows = re.findall(r'id="row-(\d+)"', page) + re.findall(r'id="row-(\d+)"', rest)
    assert len(rows) == len(set(rows)) == 30
    assert "cursor=" not in rest


def test_drafts_that_are_loaded_later_can_be_selected_like_the_first(acme: Workspace, web: Web) -> None:
    held(acme, [f"quiet-{number}" for number in range(30)], [email()])
    page = web.get("/approvals").text
    rest = web.get(found_in(page, r'hx-get="(/approvals\?cursor=[^"]+)"'), htmx=True).text
    for shown in (page, rest):
        assert re.findall(r'name="draft" value="(\d+)"', shown) == re.findall(r'id="row-(\d+)"', shown) != []


def test_without_drafts_the_page_says_how_to_get_some(web: Web) -> None:
    assert "To approve messages before they are sent, turn on approval" in web.get("/approvals").text


def test_the_first_people_are_named_and_no_other_draft_goes_without_a_word(acme: Workspace, web: Web) -> None:
    """Before the start, while they wait, and when the last of them is approved."""
    with transaction() as current:
        current.merge(acme).approve_first = 2
    names, steps = [f"quiet-{name}" for name in ("ada", "bob", "cleo")], [email("Hi {{first_name}}, a question.")]
    draft = a_campaign(acme, names, steps, start=False)
    must_have(web.get(f"/campaigns/{draft.id}"), "1 email, to the first 2 people")
    must_have(web.get(f"/campaigns/{draft.id}/edit"), "You approve the first 2 people", without="Sent without approval")
    campaigns.start(acme, draft.id)
    must_have(web.get(f"/campaigns/{draft.id}"), "You approve messages to the first 2 people.")
    (one, two, *_) = drafts(acme, "pending")
    must_have(web.get(f"/approvals/{one.id}"), "After that, its other drafts are sent automatically.")
    web.post(f"/approvals/{one.id}", text=one.text)
    web.post(f"/approvals/{two.id}", text=two.text)
    rest = "Sent automatically, because the first people are approved: 1 draft."
    must_have(web.get("/approvals"), "2 reviewed today.", rest)


def test_the_question_before_a_start_names_the_first_people(acme: Workspace, web: Web) -> None:
    with transaction() as current:
        ours = current.merge(acme)
        ours.approve_first, ours.sandbox = 2, False
    draft = a_campaign(acme, ["quiet-ada"], [email("Hi {{first_name}}, a question.")], start=False)
    said = "You approve messages to the first 2 people. After that, messages are sent automatically."
    must_have(web.get(f"/campaigns/{draft.id}"), "Start with real people?", said)


def test_a_campaign_is_switched_on_its_settings(acme: Workspace, web: Web) -> None:
    campaign = held(acme, ["quiet-ada", {"publicId": "bob", "email": "b@b.example"}], [email("Dear {{first_name}}")])
    settings, switch = f"/campaigns/{campaign.id}/settings", f"/approvals/campaigns/{campaign.id}"
    assert "Turn off approval" in web.get(settings).text
    assert web.post(switch, do="free").headers["Location"] == settings
    assert "Still waiting for a decision: 2 drafts" in web.get(settings).text
    web.post(switch, do="send")
    assert "1 draft will be sent without approval. Waiting for a missing value: 1 draft." in web.get(settings).text
    web.post(switch, do="hold")
    assert "Notes and messages now need approval. 1 draft to review." in web.get(settings).text
    assert approvals.count(acme, Filters(status="approved")) == 1
    copy = campaigns.duplicate(acme, campaign.id)
    assert re.search(r'name="approval"[^>]* checked', web.get(f"/campaigns/{copy.id}/edit").text)


def test_the_navigation_counts_what_waits(acme: Workspace, web: Web, draft: Approval) -> None:
    assert re.search(r'id="count-a"[^>]*>1<', web.get("/lists").text)
    approvals.skip(acme, draft.id)
    assert not re.search(r'id="count-a"[^>]*>1<', web.get("/lists").text)


def test_the_person_page_says_they_wait(acme: Workspace, web: Web) -> None:
    campaign = held(acme, ["accepts-ada"], [INVITE, message()])
    forward(acme, days=1)
    page: Any = web.get(f"/campaigns/{campaign.id}/people").text
    assert "waiting for your approval" in page
    session().expire_all()


def test_a_draft_is_rewritten_as_asked(acme: Workspace, web: Web) -> None:
    become(acme, "reviewer")
    draft = opener(acme, "Dear {{first_name}}", subject="For you")
    typed = "Dear Ada,\n\nI saw your courses. They look good to me. Shall we talk?"
    answer = web.post(f"/approvals/{draft.id}/rewrite", text=typed, subject="For you", wish="shorter", htmx=True)
    must_have(answer, "Rewritten.", f'action="/approvals/{draft.id}/rewrite/undo"')
    assert len(the_draft(acme).text) < len(typed)
    assert "The previous text is back." in web.post(f"/approvals/{draft.id}/rewrite/undo", htmx=True).text
    assert the_draft(acme).text == typed
    assert web.post(f"/approvals/{draft.id}/rewrite", wish="less formal").status_code == 303
    assert "Describe the change in 1 to 500" in web.post(f"/approvals/{draft.id}/rewrite", wish="").text
    page = web.post(f"/approvals/{draft.id}/rewrite", wish="a poem, please", htmx=True).text
    assert "Nothing changed: this request needs an AI model" in page
    must_have(page, 'name="wish" value="Shorter"', 'value="Question first"', without="What to change")
    assert f'id="heading-{draft.id}" tabindex="-1" autofocus' in page
    short = web.post(f"/approvals/{draft.id}/text", text="Dear Ada, shall we talk?", subject="For you", htmx=True)
    must_have(short, f'hx-target="#rewrite-{draft.id}"', without=('class="rewrite"', 'value="Shorter"'))
    with_model()
    must_have(web.get(f"/approvals/{draft.id}"), "What to change", without='value="Question first"')


def test_a_refusal_is_said_once_and_goes_when_the_text_passes(acme: Workspace, web: Web, draft: Approval) -> None:
    path, wrong = f"/approvals/{draft.id}", "Hi, {{company}} is nice"
    assert web.post(path, text=wrong, subject="For you", htmx=True).text.count("No value for {{company}}") == 1
    saved = web.post(f"{path}/text", text="Dear Ada, a question.", subject="For you", htmx=True)
    must_have(saved, f'hx-target="#problem-{draft.id}" hx-swap="innerHTML"></hx-partial>', without="No value for")


def test_a_draft_that_expires_soon_says_when_and_an_expired_one_that_it_did(
    acme: Workspace, web: Web, draft: Approval
) -> None:
    must_have(web.get("/approvals"), f'id="row-{draft.id}"', without='class="warned small"')
    forward(acme, days=12, hours=20)
    must_have(web.get("/approvals"), '<span class="warned small">', "Expires <time")
    forward(acme, days=2)
    assert "no decision in 14 days" in web.get(f"/approvals/{draft.id}").text
    assert "Resume to get a new draft" in web.get(f"/campaigns/{draft.campaign_id}/people").text


def test_what_follows_an_expired_draft_is_chosen_with_the_campaign(acme: Workspace, web: Web, draft: Approval) -> None:
    settings = f"/campaigns/{draft.campaign_id}/settings"
    assert "waits until you resume them" in web.get(settings).text
    web.post(f"/approvals/campaigns/{draft.campaign_id}", do="skip_expired")
    assert "continues without the message" in web.get(settings).text
    web.post(f"/approvals/campaigns/{draft.campaign_id}", do="keep_expired")
    assert "waits until you resume them" in web.get(settings).text


def test_the_note_of_an_invitation_says_what_it_is(acme: Workspace, web: Web) -> None:
    sender = the_account(acme)
    with transaction() as current:
        basic = current.get_one(Account, sender.id)
        basic.has_sales_navigator, basic.monthly_notes = False, 0
    campaign = held(acme, ["ignores-ada"], [{**INVITE, "message": "Hi {{first_name}}"}])
    page = web.get("/approvals?kind=connection_request").text
    for text in ("Connection request to", "Hi Ada", 'data-limit="200"', "while-editing", "no personal notes left"):
        assert text in page
    assert 'name="subject"' not in page
    web.post(f"/approvals/{the_draft(acme).id}", text="Hi Ada")
    forward(acme, hours=1)
    assert "Sent without a note" in web.get(f"/approvals/{drafts(acme)[0].id}").text
    assert "Connection requests without a note" in web.get(f"/campaigns/{campaign.id}/settings").text


def test_a_sequence_says_what_is_sent_automatically() -> None:
    sequence = [{"type": "view_profile"}, INVITE, {**INVITE, "message": "Hi"}, message(), message(), email()]
    sequence += [{"type": "task", "taskType": "call", "message": "Ask them"}] * 2
    with_approval = wording.sending(sequence)
    assert with_approval.automatic == "1 profile view, 1 connection request without a note"
    assert with_approval.waits == "1 connection request with a note, 2 messages, 1 email"
    assert wording.sending(sequence, approval=False).waits == ""
    assert with_approval.by_hand == "2 tasks"
