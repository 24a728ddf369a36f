"""One person as pages: what happened, corrections, and erasing them."""

import html
import json
import re

import pytest
import sqlalchemy as sa

from app.core.db import end_read, session, transaction
from app.domain.conversations import threads
from app.domain.leads import leads
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.people.exclusions import never_contact
from app.models.campaigns import CampaignLead
from app.models.conversations import Conversation
from app.models.leads import Lead
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign, a_list, forward, message, only
from tests.pages.conftest import Web, must_have


@pytest.fixture
def ada(acme: Workspace) -> int:
    """The id of someone who accepted and answered."""
    given = {"publicId": "replies-positive-ada", "firstName": "Ada", "customFields": {"tier": "A", "deep": [1]}}
    campaign = a_campaign(acme, [given], [INVITE, message("Hello <b>{{first_name}}</b>")], name="Spring")
    forward(acme, days=12)
    return only(campaign).lead_id


def test_a_lead_shows_their_activity_in_the_order_of_a_mailbox_without_markup(web: Web, ada: int) -> None:
    page = web.get(f"/people/{ada}").text
    must_have(
        page,
        "Added to “Spring”",
        "sent a connection request to Ada",
        "Ada accepted the connection request",
        "wrote to Ada",
        "Ada replied to",
    )
    order = ("Added to “Spring”", "sent a connection request to Ada", "wrote to Ada", "Ada replied to")
    assert sorted(order, key=page.index) == list(order)
    must_have(page, "Positive", without="<b>Ada</b>")


def test_a_reply_without_an_answer_comes_first(web: Web, acme: Workspace, ada: int) -> None:
    talk = threads.with_person(acme, leads.get(acme, ada).person_id)
    end_read()
    reply = f'href="/conversations/{talk.id}#text-{talk.id}" class="btn primary"'
    page = web.get(f"/people/{ada}").text
    must_have(page, 'id="reply"', "<strong>Ada replied", 'href="#reply"', reply)
    assert html.unescape(page).count(talk.last_text) == 1
    must_have(page, "New message", without="Replied elsewhere")
    assert re.search(r"Finished: Replied\s*· Tagged positive", page), "what the reply caused stands behind it"
    web.post(f"/conversations/{talk.id}/done")
    page = web.get(f"/people/{ada}").text
    must_have(page, reply, "New message", without="Replied elsewhere")
    must_have(page, without='id="reply"')
    with transaction() as current:
        current.execute(sa.update(Conversation).values(sentiment=""))
    page = web.get(f"/people/{ada}").text
    must_have(page, reply, ">Write", "New message")


def test_details_come_first_and_the_last_activity_is_of_either_side(web: Web, ada: int) -> None:
    page = web.get(f"/people/{ada}").text
    table = page[page.index('id="campaigns-h"') : page.index('id="log-h"')]
    must_have(table, "Last activity", without='data-label="Reason"')
    replied = session().scalars(sa.select(CampaignLead.replied_at).where(CampaignLead.lead_id == ada)).one()
    assert replied
    must_have(table, f'datetime="{replied.isoformat(timespec="seconds")}"')
    assert page.index("<aside") < page.index('id="follow-up"') < page.index('id="known"') < page.index('id="tags"')


def test_a_waiting_draft_is_one_click_away(web: Web, acme: Workspace) -> None:
    campaign = a_campaign(acme, [{"publicId": "eve", "firstName": "Eve"}], [INVITE | {"message": "Hi"}], approval=True)
    forward(acme, hours=1)
    eve = only(campaign)
    draft, lead_id, person_id, campaign_id = eve.approval_id, eve.lead_id, eve.id, campaign.id
    end_read()
    for page in (f"/people/{lead_id}", f"/campaigns/{campaign_id}/people/{person_id}"):
        must_have(web.get(page).text, f'href="/approvals/{draft}">Read the draft</a>')
    must_have(web.get(f"/people/{lead_id}"), 'data-label="Next"><b class="strong">Connection request</b>')


def test_a_reply_elsewhere_is_marked_for_those_who_have_not_replied_here(web: Web, acme: Workspace) -> None:
    given = {"publicId": "bob", "email": "bob@x.example", "headline": "Clerk at Wool", "position": "Clerk"}
    into = a_list(acme, [given])
    bob = session().scalars(sa.select(Lead.id).where(Lead.list_id == into)).one()
    end_read()
    page = web.get(f"/people/{bob}").text
    must_have(page, "Replied elsewhere", without='id="reply"')
    must_have(page, "<dd>bob<wbr>@x.example</dd>", without="<dt>Title</dt>")
    assert "bob@" not in page.partition('class="phead"')[2].partition('id="campaigns-h"')[0], "details stand there once"


def test_the_past_has_pages(web: Web, acme: Workspace, ada: int) -> None:
    for number in range(30):
        web.post(f"/people/{ada}/tags", add=f"tag {number}")
    page = web.get(f"/people/{ada}").text
    more = page.rpartition('class="btn secondary sm" href="')[2].partition('"')[0].replace("&amp;", "&")
    rest = web.get(more, htmx=True).text
    must_have(rest, "Added to “Spring”", without="<html")
    assert page.count('<h3 class="log-day">Today</h3>') == 1
    assert rest.count("Today</h3>") == 1, "it came in the place of the heading"


def test_a_person_is_corrected(web: Web, acme: Workspace, ada: int) -> None:
    assert 'value="Ada"' in web.get(f"/people/{ada}/edit").text
    fields = {"firstName": "Ada", "email": "nobody", "position": "COO", "own-name": ["tier", "desk"]}
    wrong = web.post(f"/people/{ada}/edit", {**fields, "own-value": ["", "7"]})
    must_have(wrong, 422, "Use a valid email address.", 'value="nobody"')
    must_have(web.post(f"/people/{ada}/edit", {**fields, "email": "ada@x.example", "own-value": ["", "7"]}), 303)
    session().expire_all()
    found = leads.get_visible(acme, ada)
    assert (found.position, found.email, found.custom_fields) == ("COO", "ada@x.example", {"deep": [1], "desk": "7"})


def test_a_person_is_erased_after_a_question(web: Web, acme: Workspace, ada: int) -> None:
    must_have(web.get(f"/people/{ada}/erase"), "Erased data", "1 list entry")
    assert json.loads(web.get(f"/people/{ada}/export.json").text)["publicIds"] == ["replies-positive-ada"]
    done = web.post(f"/people/{ada}/erase")
    assert done.status_code == 303
    assert "Person erased and added to the do-not-contact list." in web.get(done.headers["Location"]).text
    assert web.get(f"/people/{ada}").status_code == 404
    must_have(web.get("/never-contact"), "Erased person", without="/remove")
    end_read()
    assert never_contact.count(acme) == 1
    ((person, campaign),) = campaign_leads.campaigns_of(acme, leads.get(acme, ada).person_id)
    end_read()
    for path in ("", "/people", "/activity", f"/people/{person.id}"):
        must_have(web.get(f"/campaigns/{campaign.id}{path}"), 200, without="replies-positive-ada")
    assert "Erased person" in web.get(f"/campaigns/{campaign.id}/people").text


def test_the_company_of_a_person_is_shown_and_set_by_hand(web: Web, acme: Workspace) -> None:
    given = [{"publicId": one, "companyName": "Wool Ltd"} for one in ("ann", "bea")]
    into = a_list(acme, given)
    ann, bea = session().scalars(sa.select(Lead.id).where(Lead.list_id == into).order_by(Lead.id))
    end_read()
    must_have(web.get(f"/people/{ann}"), "1 other person works there.", "Matched by company name")
    must_have(web.post(f"/people/{ann}/company", company="gmail.com"), 422, "Many companies share this domain.")
    web.post(f"/people/{ann}/company", company="cotton.example")
    assert "Company set to cotton.example." in web.get(f"/people/{ann}").text.replace("ann ", "Ann ")
    assert "Set manually." in web.get(f"/people/{ann}").text
    assert "No one else in this workspace works there." in web.get(f"/people/{bea}").text
    web.post(f"/people/{ann}/company", data="1", company="cotton.example")
    assert "Set manually." not in web.get(f"/people/{ann}").text
