"""Drafts read together on a page: each text once, what differs marked, and only what was shown is approved."""

import re

import pytest

from app.core.db import end_read
from app.domain.approvals import approvals
from app.domain.senders import accounts
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, email, forward, message
from tests.domain.reviewing import A, drafts, held
from tests.pages.conftest import Web, found_in, must_have

PLACE = "/approvals/together"
pytestmark = pytest.mark.usefixtures("clock")
VALUE = re.compile(r'name="draft"\s+value="(\d+:[0-9a-f]+)"')


@pytest.fixture
def three(acme: Workspace) -> list[int]:
    """The drafts for three people."""
    held(acme, ["quiet-ada", "quiet-bob", "quiet-cleo"], [email("Dear {{first_name}}, a question & more.")])
    return [draft.id for draft in drafts(acme)]


def post(web: Web, values: list[str], place: str = PLACE) -> str:
    answer = web.client.post(place, data={"csrf_token": web.token(), "draft": values})
    assert answer.status_code == 303
    return web.get(answer.headers["Location"]).text


def test_a_text_stands_once_and_each_person_can_be_read(web: Web, three: list[int]) -> None:
    page = web.get(PLACE).text
    assert page.count("Email to 3 people") == 1
    assert '<mark title="First name">Ada</mark>, a question &amp; more.' in page
    assert [int(one.partition(":")[0]) for one in VALUE.findall(page)] == three


def test_the_list_says_a_text_once_and_leads_to_the_drafts_of_a_step(
    acme: Workspace, web: Web, three: list[int]
) -> None:
    page = web.get("/approvals").text
    assert page.count('class="snip"') == 1
    campaign = drafts(acme)[0].campaign_id
    must_have(page, "3 drafts of the same step", f'href="{PLACE}?campaign={campaign}"', without=f'href="{PLACE}"')
    approvals.edit(acme, three[1], text="Dear Bob, something else.")
    end_read()
    assert web.get("/approvals").text.count('class="snip"') == 3
    after = web.client.post(
        f"/approvals/{three[2]}/skip", data={"csrf_token": web.token()}, headers={"HX-Request": "true"}
    )
    must_have(after.text, 'id="together" hidden', without="drafts of the same step")
    must_have(web.get("/approvals"), "Review in bulk", without="drafts of the same step")


def test_what_was_shown_is_approved_and_what_changed_is_not(acme: Workspace, web: Web, three: list[int]) -> None:
    first, second, third = VALUE.findall(web.get(PLACE).text)
    approvals.edit(acme, three[1], text="Dear Bob, something else.")
    end_read()
    page = post(web, [first, second])
    assert "1 approved. Check 1 draft that changed since you looked." in page
    assert (
        found_in(page, r'action="(/approvals/many/undo[^"]+)"')
        == f"/approvals/many/undo?draft={three[0]}&next=%2Fapprovals%2Ftogether"
    )
    assert [one.id for one in drafts(acme, A.APPROVED)] == three[:1]
    assert third in VALUE.findall(page)
    assert "Select at least one draft." in post(web, [])
    assert "Already decided before" in post(web, [first, "x", "999999:aa"])


def test_the_drafts_of_one_campaign_are_read_alone(acme: Workspace, web: Web, three: list[int]) -> None:
    held(acme, ["quiet-dan"], [email("Hello {{first_name}}")], name="Other")
    other = drafts(acme)[-1]
    page = web.get(f"{PLACE}?campaign={other.campaign_id}").text
    assert [int(one.partition(":")[0]) for one in VALUE.findall(page)] == [other.id]
    assert "All caught up" in post(web, VALUE.findall(page), f"{PLACE}?campaign={other.campaign_id}")
    assert len(drafts(acme, A.PENDING)) == 3


def test_a_text_of_several_messages_is_shown_as_it_is_sent(acme: Workspace, web: Web) -> None:
    held(acme, ["accepts-ada"], [INVITE, message("Hi {{first_name}}\n---\nOne question.")])
    forward(acme, days=3)
    (draft,) = drafts(acme, A.PENDING)
    must_have(web.get(f"/approvals/{draft.id}"), "Sent as 2 messages:", '<div class="bubble">One question.</div>')
    saved = web.post(f"/approvals/{draft.id}/text", htmx=True, text="Hi Ada").text
    must_have(saved, f'hx-target="#sent-{draft.id}"', without="Sent as")
    web.post(f"/approvals/{draft.id}", text="Hi Ada\n---\nA question.")
    assert "---" not in web.get(f"/approvals/{draft.id}").text.partition("<main")[2]


def test_an_email_is_shown_with_its_markup_and_signature(acme: Workspace, web: Web) -> None:
    held(acme, ["quiet-ada"], [email("Dear **{{first_name}}** <b>")])
    (draft,) = drafts(acme, A.PENDING)
    assert draft.sender_id
    accounts.edit(acme, draft.sender_id, signature="[Ines](https://acme.example)")
    end_read()
    shown = "<div>Dear <strong>Ada</strong> &lt;b&gt;</div>", '<a href="https://acme.example">Ines</a>'
    must_have(
        web.get(f"/approvals/{draft.id}"), *shown, "Dear Ada &lt;b&gt;\n\nInes &lt;https://acme.example&gt;</pre>"
    )
    accounts.edit(acme, draft.sender_id, signature="")
    end_read()
    saved = web.post(f"/approvals/{draft.id}/text", htmx=True, text="Dear Ada, 5*3*2").text
    must_have(saved, f'hx-target="#sent-{draft.id}"', without="bubble")
