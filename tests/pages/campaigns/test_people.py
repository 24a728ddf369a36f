"""The people of a campaign: found, looked at, paused, resumed and stopped."""

import html
import re
from typing import Any

from app.core.db import end_read
from app.domain.engine import lifecycle
from app.domain.leads import leads
from app.domain.leads.campaign_leads import campaign_leads
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign, everyone, forward, message
from tests.pages.campaigns.test_campaigns import PEOPLE, STEPS, listed
from tests.pages.conftest import Web, must_have


def test_people_are_filtered_by_state_and_words(web: Web, acme: Workspace, clock: Any) -> None:
    campaign = a_campaign(acme, PEOPLE[:3], STEPS)
    first = everyone(campaign)["person-0"]
    campaign_leads.pause(acme, campaign.id, first.id)
    end_read()
    base = f"/campaigns/{campaign.id}/people"
    assert listed(web, f"{base}?show=paused") == 1
    assert listed(web, f"{base}?show=pending&q=person-2") == 1
    assert "No matches for “zed”" in web.get(f"{base}?q=zed").text
    assert listed(web, f"{base}?show=nonsense&period=5&step=x&why=because") == 3
    for page in (web.get(f"{base}?q=person-2").text, web.get(f"{base}?q=person-2", htmx=True).text):
        assert re.search(r'id="export".*</svg>Export 1 person</button>', page)
        assert "people.csv?q=person-2&amp;format=xlsx" in page
    assert web.get(f"{base}?cursor=nonsense").status_code == 400
    assert "Paused by you or a teammate" in web.get(f"{base}?show=paused").text


def test_people_are_paused_resumed_and_stopped_together(web: Web, acme: Workspace, clock: Any) -> None:
    campaign = a_campaign(acme, PEOPLE[:3], STEPS)
    ids = [person.id for person in everyone(campaign).values()]
    base = f"/campaigns/{campaign.id}/people"
    answer = web.post(base, do="pause", person=ids[:2], htmx=True)
    assert len(re.findall(r'hx-target="#person-\d+"', answer.text)) == 2
    assert f"do=resume&amp;person={ids[0]}&amp;person={ids[1]}" in answer.text
    assert web.post(f"{base}?do=resume&person={ids[0]}").status_code == 303
    states = {person.id: person.state for person in everyone(campaign).values()}
    assert states == {ids[0]: "pending", ids[1]: "paused", ids[2]: "pending"}
    assert "Stop 1 person?" in web.post(base, do=f"stop:{ids[2]}").text
    assert web.post(base, do="stop", person=ids[2], sure="1").status_code == 303
    assert everyone(campaign)["person-2"].state == "stopped"
    must_have(web.post(base, do=f"pause:{ids[2]}", htmx=True), 409, "This person is stopped and can&#39;t be paused.")


def test_those_without_a_first_contact_are_named_and_a_pause_of_ones_own_needs_no_attention(
    web: Web, acme: Workspace, clock: Any
) -> None:
    campaign = a_campaign(acme, PEOPLE[:3], STEPS)
    base = f"/campaigns/{campaign.id}"
    must_have(web.get(base).text, "3 not contacted yet")
    assert listed(web, f"{base}/people?show=uncontacted") == 3
    web.post(f"{base}/pause")
    page = web.get(base).text
    must_have(page, "Campaign paused", without="Needs attention")
    assert page.count('class="notice ') == 1
    must_have(web.get(f"{base}/people").text, "Campaign paused", without="Needs attention")


def test_a_pending_request_says_when_it_ends_and_a_pause_who_waits(web: Web, acme: Workspace, clock: Any) -> None:
    campaign = a_campaign(acme, ["ignores-ann", "ignores-bob"], [INVITE, message("Hello")])
    forward(acme, hours=6)
    base = f"/campaigns/{campaign.id}"
    assert re.search(r"first withdrawn <time[^>]*>[^<]*</time> if not accepted", web.get(base).text)
    people = web.get(f"{base}/people").text
    assert len(re.findall(r"Withdrawn <time[^>]*>[^<]*</time> if not accepted", people)) == 2
    must_have(people, "Request pending <b>2</b>", without="Stopped <b>0</b>")
    web.post(f"{base}/pause")
    must_have(web.get(base), "Waiting: 2 people (Request pending 2). Nothing is sent until you resume.")


def test_a_person_has_a_page_with_past_and_future(web: Web, acme: Workspace, clock: Any) -> None:
    campaign = a_campaign(acme, ["accepts-ada", "refuses-eve"], STEPS)
    forward(acme, hours=30)
    found = everyone(campaign)
    base = f"/campaigns/{campaign.id}/people"
    said = ("viewed", "sent a connection request to", "Next steps", "Hi Ada")
    must_have(web.get(f"{base}/{found['accepts-ada'].id}"), *said)
    page = html.unescape(web.get(f"{base}/{found['refuses-eve'].id}").text)
    assert found["refuses-eve"].error in page
    assert "Next steps" not in page


def test_the_page_says_who_joined_today_and_why_others_did_not(web: Web, acme: Workspace, clock: Any) -> None:
    """The switch is in a campaign's settings and on its draft, and works without a script."""
    draft = a_campaign(acme, [], STEPS, start=False, name="Draft")
    must_have(web.get(f"/campaigns/{draft.id}"), "New people in these lists join")
    assert web.post(f"/campaigns/{draft.id}/joiners", join="1", perDay="7").headers["Location"].endswith(f"/{draft.id}")
    must_have(web.get(f"/campaigns/{draft.id}"), 'value="7"')
    campaign = a_campaign(acme, PEOPLE[:1], STEPS)
    assert "joined today" not in web.get(f"/campaigns/{campaign.id}").text
    web.post(f"/campaigns/{campaign.id}/joiners", join="1", perDay="1")
    a_campaign(acme, PEOPLE[3:4], STEPS, name="Other")
    leads.add(acme, campaign.list_id or 0, [{"publicId": one} for one in (PEOPLE[3], *PEOPLE[1:3])])
    for _ in range(3):
        lifecycle.run(acme)
    end_read()
    for address in (f"/campaigns/{campaign.id}", f"/campaigns/{campaign.id}/settings"):
        page = web.get(address)
        must_have(
            page,
            "1 of 1 joined today",
            "Already in another running campaign",
            "limit is reached",
            "1 person will join later",
        )
    web.post(f"/campaigns/{campaign.id}/joiners", perDay="1")
    assert "joined today" not in web.get(f"/campaigns/{campaign.id}/settings").text
    web.post(f"/campaigns/{campaign.id}/joiners", join="1", perDay="none")
    must_have(web.get(f"/campaigns/{campaign.id}/settings"), "Use a number from 1 to 10,000.")
