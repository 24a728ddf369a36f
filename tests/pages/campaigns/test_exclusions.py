"""Who a campaign leaves out, in the pages: in the form, before the start, while it runs, and let in."""

import re
from datetime import timedelta
from typing import Any

import pytest

from app.core import installation
from app.core.db import end_read, session, transaction
from app.models.campaigns import Campaign
from app.models.people import Person
from app.models.workspaces import Workspace
from tests.domain.outreach import VIEW, a_campaign, a_list, email, everyone, person_id
from tests.pages.campaigns.test_form import form
from tests.pages.conftest import Web, must_have

pytestmark = pytest.mark.usefixtures("clock")
ON = ("replied", "saidNo", "colleagueTalks", "customers", "companyStop")
ASIS = {f"exclude.{name}": "1" for name in ON}
ASIS |= {"exclude.contactedDays": "90", "exclude.companyDays": "0", "exclude.tags": ""}


def ours(workspace: Workspace) -> None:
    """The workspace has our rules, and ignores-ada replied once."""
    found = person_id(workspace, "ignores-ada")
    with transaction() as current:
        current.merge(workspace).contact_rules = None
        current.get_one(Person, found).replied_at = workspace.now() - timedelta(days=200)
    end_read()


def stored(campaign_id: int) -> Any:
    """The campaign as it is in the database."""
    found = session().get_one(Campaign, campaign_id, populate_existing=True)
    end_read()
    return found


def test_the_form_keeps_only_what_differs_from_the_workspace(web: Web, acme: Workspace) -> None:
    customers, list_id = a_list(acme, ["one"], "Customers"), a_list(acme, ["ignores-ada"])
    ours(acme)
    changed = {"exclude.contactedDays": "30", "exclude.listIds": [customers], "exclude.tags": "vip, VIP"}
    answer = web.post("/campaigns/new", form(acme, list_id) | ASIS | changed)
    assert answer.status_code == 303, answer.text
    campaign = stored(int(answer.location.rpartition("/")[2]))
    assert campaign.contact_rules == {"contacted_days": 30, "list_ids": [customers], "tags": ["VIP"]}
    assert campaign.stop_company_on_reply
    assert "Contacted in the last 30 days, replied before" in web.get(f"/campaigns/{campaign.id}/edit").text
    web.post(f"/campaigns/{campaign.id}/edit", form(acme, list_id) | ASIS | {"exclude.companyStop": ""})
    assert (stored(campaign.id).contact_rules, stored(campaign.id).stop_company_on_reply) == (None, False)


def test_what_is_wrong_with_the_rules_stands_at_its_field(web: Web, acme: Workspace, rival: Workspace) -> None:
    list_id, theirs = a_list(acme, ["one"]), a_list(rival, ["two"])
    end_read()
    wrong = {"exclude.contactedDays": "9999", "exclude.listIds": [theirs]}
    answer = web.post("/campaigns/new", form(acme, list_id) | ASIS | wrong)
    assert answer.status_code == 422
    assert "Use a number from 0 to 3,650." in answer.text
    assert "List of people not found in this workspace." in answer.text
    assert 'class="fact bad" command="show-modal" commandfor="exclude"' in " ".join(answer.text.split())


def test_a_long_list_says_how_far_the_count_is_and_goes_on(
    web: Web, acme: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.domain.campaigns.exclusion_preview.CHUNK", 1)
    monkeypatch.setattr("app.pages.campaigns.exclusions.AT_ONCE", 1)
    campaign = a_campaign(acme, ["ignores-ada", "ignores-bob"], [VIEW], start=False)
    ours(acme)
    page = web.get(f"/campaigns/{campaign.id}/left-out").text
    assert "1 of 1 person so far, of 2 on the list" in " ".join(page.split())
    on = page.partition("<main")[2].partition('hx-get="')[2].partition('"')[0].replace("&amp;", "&")
    assert "replied_before=1" in on
    assert "1 of 2 people" in web.get(on).text


def test_the_start_counts_only_people_who_will_be_contacted(web: Web, acme: Workspace, rival: Workspace) -> None:
    """The draft, its dialog and the editor say the same number, and progress counts no one who was left out."""
    people = ["ignores-ada", "ignores-bob", {"publicId": "ignores-cyd"}]
    campaign = a_campaign(acme, people, [email()], senders=3, start=False)
    theirs = a_campaign(rival, people, [email()], senders=3, start=False)
    ours(acme)
    with transaction() as current:
        current.merge(acme).sandbox = False
    page = " ".join(web.get(f"/campaigns/{campaign.id}").text.split())
    assert installation.NO_LINKS in page
    assert "2 of 3 people" in page
    assert "1 person on “First” will hear from" in page
    assert "Left out: 2 people." in page
    assert "No email address" in page
    assert "Never checked: 3 addresses" not in page
    assert "Never checked: 2 addresses." in page
    assert "Never checked: 2 email addresses. Emails to addresses that don&#39;t exist bounce" in page
    assert "Check 2 addresses</button>" in page
    assert "2 of 3 left out" in " ".join(re.sub("<[^>]+>", "", web.get(f"/campaigns/{campaign.id}/edit").text).split())
    assert web.get(f"/campaigns/{theirs.id}").status_code == 404

    alone = a_campaign(acme, [{"publicId": "ignores-dee"}], [email()], senders=3, start=False, name="Alone")
    end_read()
    page = " ".join(web.get(f"/campaigns/{alone.id}").text.split())
    assert "No one on “Alone” will hear from you: everyone is left out" in page
    refused = web.post(f"/campaigns/{alone.id}/start")
    assert (refused.status_code, stored(alone.id).status) == (422, "draft")
    assert "has an email address. Find addresses, or add LinkedIn steps." in refused.text
    with transaction() as current:
        current.merge(acme).sandbox = True
    web.post(f"/campaigns/{campaign.id}/start")
    assert "0 of 1 contacted" in web.get("/campaigns").text


def test_a_list_that_may_join_says_who_would_be_left_out(web: Web, acme: Workspace, rival: Workspace) -> None:
    ours(acme)
    campaign = a_campaign(acme, ["ignores-bob"], [VIEW])
    base = f"/campaigns/{campaign.id}/people/add"
    assert "would" not in web.get(base).text
    more = a_list(acme, ["ignores-ada", "ignores-bob", "ignores-cyd"], "More")
    page = web.get(f"{base}?listId={more}", htmx=True).text
    assert "1 of 2 new people would be left out" in " ".join(page.split())
    assert "<html" not in page
    known = a_list(acme, ["ignores-bob"], "Known")
    assert "Everyone on this list is already in the campaign." in web.get(f"{base}?listId={known}").text
    fresh = a_list(acme, ["ignores-dee"], "New")
    assert "1 person would join; no one is left out" in " ".join(web.get(f"{base}?listId={fresh}").text.split())
    theirs = a_list(rival, ["ignores-eve"], "Theirs")
    assert "would" not in web.get(f"{base}?listId={theirs}").text
    page = web.get(web.post(base, listId=more).location).text
    assert (
        "2 people joined. 1 person was already in this campaign. 1 person was excluded; see the reasons below." in page
    )


def test_an_owner_lets_a_person_in(web: Web, acme: Workspace) -> None:
    ours(acme)
    campaign = a_campaign(acme, ["ignores-ada", "ignores-bob"], [VIEW])
    here = f"/campaigns/{campaign.id}/people/{everyone(campaign)['ignores-ada'].id}"
    must_have(web.get(here), "Replied before", f'action="{here}/let-in"')
    web.post(f"{here}/let-in")
    must_have(web.get(here), "Let in. The audit log names you.", "Not started", without=f"{here}/let-in")
