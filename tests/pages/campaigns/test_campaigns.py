"""Pages of campaigns: what they show, which people their numbers link to, what they refuse, and whose they are."""

import html
import re
from typing import Any

import sqlalchemy as sa

from app.core.db import end_read, session, transaction
from app.domain.campaigns import campaigns
from app.domain.installation.sandbox import sandbox_clock
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.people.exclusions import never_contact
from app.domain.platform import jobs
from app.domain.senders import accounts
from app.models.accounts import Account
from app.models.campaigns import CampaignStatus
from app.models.workspaces import Membership, Workspace
from tests.domain.outreach import INVITE, VIEW, a_campaign, a_list, email, everyone, forward, fresh, message
from tests.pages.conftest import Web, must_have
from tests.support.movable import Movable

PEOPLE = [f"person-{number}" for number in range(30)]
STEPS = [VIEW, INVITE, message("Hi {{first_name|there}}\n---\nBye", days=1), message("And?", days=3)]


def links(page: str, base: str) -> list[tuple[str, int]]:
    """The links of a page to people of the campaign, each with the number that it shows."""
    found = re.findall(
        rf'<a[^>]*href="({re.escape(base)}/people[^"]*)"[^>]*>\s*([\d,]+)(?:\s+(?:people|person)| · [\d.]+%)?\s*</a>',
        page,
    )
    return [(html.unescape(href), int(shown.replace(",", ""))) for href, shown in found]


def listed(web: Web, href: str) -> int:
    """How many people the list behind a link has, loaded to its end."""
    number, htmx = 0, False
    while href:
        page = web.get(href, htmx=htmx).text
        number += len(re.findall(r'<tr role="row" id="person-\d+"', page))
        more = re.search(r'<a class="btn secondary sm" href="([^"]+)"[^>]*>Load more', page)
        href, htmx = (html.unescape(more[1]), True) if more else ("", False)
    return number


def test_every_number_of_people_leads_to_exactly_those(web: Web, acme: Workspace, clock: Any) -> None:
    campaign = a_campaign(acme, PEOPLE, STEPS, senders=2)
    forward(acme, days=6)
    end_read()
    base = f"/campaigns/{campaign.id}"
    found = [
        link for path in ("?period=7", "?period=all", "/sequence") for link in links(web.get(base + path).text, base)
    ]
    found += links(web.get("/campaigns").text, base)
    assert len(found) > 25
    for href, number in dict.fromkeys(found):
        assert listed(web, href) == number, href


def test_a_person_who_is_excluded_after_a_message_still_counts_in_the_progress(web: Web, acme: Workspace) -> None:
    never_contact.add(acme, [("person", "person-3")])
    campaign = a_campaign(acme, PEOPLE[:4], [VIEW, INVITE])
    forward(acme, days=3)
    campaign_leads.remove(acme, campaign.id, everyone(campaign)["person-0"].id)
    end_read()
    must_have(web.get("/campaigns"), "3 of 3 contacted")


def test_campaigns_with_drafts_to_approve_come_first_and_rows_have_a_menu(web: Web, acme: Workspace) -> None:
    waits = a_campaign(acme, PEOPLE[:2], [INVITE | {"message": "Hi"}], name="Waits", approval=True)
    others = [a_campaign(acme, [one], [INVITE], name=one) for one in PEOPLE[2:4]]
    forward(acme, hours=1)
    end_read()

    def order(address: str) -> list[int]:
        return [int(one) for one in re.findall(r'<tr role="row" id="campaign-(\d+)"', web.get(address).text)]

    assert order("/campaigns") == [waits.id, others[1].id, others[0].id]
    assert order("/campaigns?sort=name")[-1] == waits.id, "unless the page is sorted"
    page = web.get("/campaigns").text
    must_have(page, "2 to approve", f'href="/approvals?campaign={waits.id}"')
    assert page.count("Running") - page.count(">Running<b>") >= 3, "its state stays Running"
    assert f'action="/campaigns/{waits.id}/pause"' in page
    here = {"Referer": "http://localhost/campaigns?sort=name"}
    paused = web.client.post(f"/campaigns/{waits.id}/pause", data={"csrf_token": web.token()}, headers=here)
    assert paused.headers["Location"] == "/campaigns?sort=name"


def test_buttons_are_those_that_the_state_allows(web: Web, acme: Workspace, clock: Any) -> None:
    campaign = a_campaign(acme, PEOPLE[:2], STEPS, start=False)
    base, verbs = f"/campaigns/{campaign.id}", ("/start", "/pause", "/resume", "/cancel", "/delete")
    must_have(web.get("/campaigns"), f'data-label="People"><a href="/lists/{campaign.list_id}">2</a>')
    allowed = {
        "draft": {"/start", "/cancel", "/delete"},
        "scheduled": {"/pause", "/cancel"},
        "starting": {"/pause", "/cancel"},
        "running": {"/pause", "/cancel"},
        "paused": {"/resume", "/cancel"},
        "locked": {"/cancel"},
    }
    for status in CampaignStatus:
        campaign.status = status
        campaign.started_at = None if status in ("draft", "scheduled") else acme.now()
        session().commit()
        page = web.get(base).text
        shown = {path for path in verbs if f'action="{base}{path}"' in page}
        assert (status, shown) == (status, allowed.get(status, {"/delete"}))
        assert ("Fast-forward 2 weeks" in page) == (status in ("scheduled", "starting", "running"))
        for path in ("/people", "/sequence", "/activity", "/settings"):
            assert web.get(base + path).status_code == 200, (status, path)


def test_a_refused_move_answers_the_same_part(web: Web, acme: Workspace) -> None:
    campaign = a_campaign(acme, PEOPLE[:1], STEPS)
    end_read()
    answer = web.post(f"/campaigns/{campaign.id}/resume", htmx=True)
    assert answer.status_code == 409
    assert answer.text.lstrip().startswith('<div id="campaign"')
    assert "A running campaign can&#39;t be resumed." in answer.text
    must_have(web.post(f"/campaigns/{campaign.id}/pause", htmx=True), 200, "hx-partial")
    assert fresh(campaign).status == "paused"


def test_numbers_are_asked_for_again_only_while_they_change(web: Web, acme: Workspace, clock: Movable) -> None:
    campaign = a_campaign(acme, PEOPLE[:1], STEPS)
    end_read()
    path = f"/campaigns/{campaign.id}"
    first = web.get(path, htmx=True)
    assert "every 15s" in first.text
    assert web.get(path, htmx=True, If_None_Match=first.headers["ETag"]).status_code == 304
    assert "every 30s" in web.get("/campaigns").text
    assert "every 30s" in web.get(f"{path}/row", htmx=True).text
    campaigns.pause(acme, campaign.id)
    end_read()
    must_have(web.get(path, htmx=True, If_None_Match=first.headers["ETag"]), 200, without="every")
    assert "every 30s" not in web.get("/campaigns").text.partition("<main")[2]


def test_the_clock_is_skipped_ahead_in_the_background(web: Web, acme: Workspace) -> None:
    campaign = a_campaign(acme, PEOPLE[:1], STEPS)
    end_read()
    must_have(web.post("/sandbox/skip", hours=24, campaign=campaign.id, htmx=True), "Fast-forwarding", "every 1s")
    assert sandbox_clock.latest_skip(acme).running  # type: ignore[union-attr]
    answer = web.post("/sandbox/skip", hours=24, campaign=campaign.id, htmx=True)
    must_have(answer, 409, "Time is already being fast-forwarded.")
    assert web.post("/sandbox/skip", hours="many").status_code == 400
    jobs.run_due()
    must_have(web.get(f"/campaigns/{campaign.id}", htmx=True), "Sandbox time:", without="Fast-forwarding")
    with transaction() as current:
        current.merge(acme).sandbox = False
    web.post("/sandbox/skip", hours=24)
    assert "You can only fast-forward sandbox workspaces." in web.get("/campaigns").text


def test_one_page_has_the_numbers_of_all_campaigns(web: Web, acme: Workspace, clock: Any) -> None:
    must_have(web.get("/campaigns/statistics"), "Nothing sent in this period")
    campaign = a_campaign(acme, ["replies-positive-ada"], [INVITE, message("Hi")])
    forward(acme, days=5)
    end_read()
    for period in ("", "?period=30", "?period=x"):
        must_have(web.get(f"/campaigns/statistics{period}"), "By sender", campaign.name, "2 Mar 2026")
    must_have(web.get(f"/campaigns/{campaign.id}"), "Positive replies", without="Unsubscribed")


def test_the_log_is_loaded_on(web: Web, acme: Workspace, clock: Any) -> None:
    campaign = a_campaign(acme, PEOPLE, STEPS, senders=2)
    forward(acme, days=3)
    end_read()
    page = web.get(f"/campaigns/{campaign.id}/activity").text
    assert page.count('class="at num"') == 50
    more = html.unescape(re.search(r'href="([^"]+cursor=[^"]+)"', page)[1])  # type: ignore[index]
    must_have(web.get(more, htmx=True), 'class="at num"', without="<html")
    assert " sent a connection request to <a" in page
    assert " invited <a" not in web.get(f"/campaigns/{campaign.id}/activity?kind=reactions").text
    assert web.get(f"/campaigns/{campaign.id}/activity?cursor=x").status_code == 400


def test_a_campaign_is_renamed_copied_and_deleted(web: Web, acme: Workspace) -> None:
    campaign = a_campaign(acme, PEOPLE[:1], STEPS)
    end_read()
    path = f"/campaigns/{campaign.id}"
    assert web.post(f"{path}/settings", name="").status_code == 422
    assert web.post(f"{path}/settings", name="<b>Bold</b>").status_code == 303
    assert "<b>Bold" not in web.get(path).text
    assert "Copy of &lt;b&gt;Bold&lt;/b&gt;" in web.get(web.post(f"{path}/duplicate").location).text
    assert web.post(f"{path}/delete").status_code == 409
    assert web.post(f"{path}/cancel").status_code == 303
    assert web.post(f"{path}/delete").status_code == 303
    assert web.get(path).status_code == 404


def test_campaigns_are_filtered_and_loaded_on(web: Web, acme: Workspace) -> None:
    list_id = a_list(acme, PEOPLE[:1])
    sender = accounts.every(acme)[0].id
    for number in range(27):
        campaigns.create(acme, name=f"No {number}", list_id=list_id, account_ids=[sender], sequence=[INVITE])
    end_read()
    page = web.get("/campaigns").text
    assert page.count('<tr role="row" id="campaign-') == 25
    more = html.unescape(re.search(r'href="([^"]+cursor=[^"]+)"', page)[1])  # type: ignore[index]
    assert web.get(more, htmx=True).text.count('<tr role="row" id="campaign-') == 2
    assert "No campaign is running" in web.get("/campaigns?status=running").text


def test_campaigns_are_sorted_searched_and_kept_as_a_view(web: Web, acme: Workspace, clock: Any) -> None:
    """Every order holds page after page, and those without a value come last in either."""
    ran = a_campaign(acme, ["replies-positive-ada"], [INVITE, message("Hi")])
    forward(acme, days=5)
    list_id, sender = a_list(acme, PEOPLE[:1]), accounts.every(acme)[0].id
    for number in range(29, -1, -1):
        campaigns.create(acme, name=f"Fair {number:02}", list_id=list_id, account_ids=[sender], sequence=[INVITE])
    end_read()

    def walk(path: str) -> list[str]:
        found, htmx = [], False
        while path:
            page = web.get(path, htmx=htmx).text
            found += re.findall(r'class="anywhere" href="/campaigns/\d+"\s+title="([^"]+)"', page)
            more = re.search(r'hx-get="(/campaigns\?[^"]*cursor=[^"]+)"', page)
            path, htmx = (html.unescape(more[1]), True) if more else ("", False)
        return found

    fairs, name = [f"Fair {number:02}" for number in range(30)], ran.name
    assert walk("/campaigns?sort=name&q=fair") == fairs
    assert walk("/campaigns?sort=-name&q=fair") == fairs[::-1]
    for by in campaigns.SORTS:
        up, down = walk(f"/campaigns?sort={by}"), walk(f"/campaigns?sort=-{by}")
        assert sorted(up) == sorted(down) == sorted([*fairs, name]), by
        if by in ("people", "accepted", "replies", "positive", "messages", "started"):
            assert up[0] == down[0] == name, by
    page = web.get("/campaigns?sort=name&cols=messages.status&status=draft").text
    assert "Messages" in page
    assert '<th role="columnheader" scope="col" class="n">' not in web.get("/campaigns?cols=status").text
    assert "No matches for “nothing”" in web.get("/campaigns?q=nothing").text
    saved = web.post("/views", place="campaigns", name="Fairs", query="q=fair&sort=-name", next="/campaigns")
    assert saved.headers["Location"] == "/campaigns?q=fair&sort=-name"
    assert 'href="/campaigns?q=fair&amp;sort=-name" aria-current="true"' in web.get(saved.headers["Location"]).text
    assert ">Messages<" in page
    row = web.get(f"/campaigns/{ran.id}/row?cols=messages", htmx=True).text
    must_have(row, 'data-label="Messages"', without='data-label="People"')


def test_a_sender_in_trouble_is_named_with_those_who_wait(web: Web, acme: Workspace, clock: Any) -> None:
    campaign = a_campaign(acme, PEOPLE[:4], STEPS, senders=2)
    account = accounts.every(acme)[1]
    account.status = "challenged"
    session().commit()
    page = web.get(f"/campaigns/{campaign.id}").text
    must_have(page, f"{account.name} needs a security check.", "Waiting: 2 people; the other sender continues.")
    assert listed(web, f"/campaigns/{campaign.id}/people?why=account_challenged") == 2
    forward(acme, hours=2)
    assert "You’re all caught up." not in web.get(f"/campaigns/{campaign.id}").text
    account.status = "connected"
    session().commit()
    assert "You’re all caught up." in web.get(f"/campaigns/{campaign.id}").text


def test_an_integrator_is_offered_no_change(web: Web, acme: Workspace) -> None:
    campaign = a_campaign(acme, PEOPLE[:1], STEPS)
    session().query(Membership).filter_by(workspace_id=acme.id).update({"role": "integrator"})
    session().commit()
    page = web.get(f"/campaigns/{campaign.id}").text
    assert "/pause" not in page
    assert "Fast-forward 1 day" not in page
    assert "Stop " not in web.get(f"/campaigns/{campaign.id}/people").text


def test_a_campaign_of_emails_has_no_words_of_linkedin(web: Web, acme: Workspace, clock: Any) -> None:
    campaign = a_campaign(acme, PEOPLE[:2], [email()], senders=3)
    forward(acme, days=1)
    end_read()
    base = f"/campaigns/{campaign.id}"
    assert "Messages sent" in web.get(base).text
    words = "Accepted|accept and|acceptances|Request pending|Not connected|Connection request|Reactions"
    for path in ("", "/people", "/activity", "/forecast?now=1"):
        page = web.get(base + path).text.partition("<main")[2]
        assert not re.findall(words, page), path
    accepted = ">Accepted<"
    assert accepted in web.get("/campaigns").text
    with transaction() as current:
        current.execute(sa.delete(Account).where(Account.workspace_id == acme.id, Account.channel == "social"))
    assert accepted not in web.get("/campaigns").text
