"""Home: what needs someone, what runs, and how to begin."""

from sqlalchemy.orm import Session

from app.core.clock import Movable
from app.core.db import transaction
from app.domain.approvals import bulk
from app.domain.autopilot import setup_state
from app.domain.campaigns import campaigns, statistics
from app.domain.leads import leads, lists
from app.domain.notifications import destinations
from app.domain.senders import accounts
from app.models.campaigns import Campaign
from app.models.workspaces import Role, Workspace
from tests.domain.outreach import INVITE, VIEW, a_campaign, forward, message
from tests.pages.conftest import Web
from tests.pages.settings.test_release import become

SEQUENCE = [{"type": "connection_request", "message": "Hi {{first_name|there}}"}]


def draft(workspace: Workspace, name: str = "New heads of support") -> Campaign:
    """A campaign that could start."""
    people = lists.create_list(workspace, f"List of {name}")
    leads.add(workspace, people.id, [{"publicId": f"person-{number}", "firstName": "Aoife"} for number in range(3)])
    senders = [account.id for account in accounts.every(workspace) if account.channel == "social"]
    return campaigns.create(workspace, name=name, list_id=people.id, account_ids=senders, sequence=SEQUENCE)


def test_home_shows_running_campaigns_and_what_needs_attention(web: Web, acme: Workspace) -> None:
    campaign = draft(acme)
    campaigns.start(acme, campaign.id)
    page = web.get("/").text
    assert "Needs your attention" in page
    assert "New heads of support" in page
    assert "Running" in page
    assert "0 of 3" in page


def test_a_newcomer_is_led_step_by_step(web: Web, acme: Workspace) -> None:
    assert _step(web) == "Import people"
    lists.create_list(acme, "Empty")
    assert _step(web) == "Import people"
    people = lists.create_list(acme, "Founders")
    leads.add(acme, people.id, [{"publicId": "aoife"}])
    assert _step(web) == "Build a campaign"
    campaign = draft(acme)
    assert _step(web) == "Start it"
    assert f'href="/campaigns/{campaign.id}"' in web.get("/").text
    campaigns.start(acme, campaign.id)
    assert "From people to replies" not in web.get("/").text


def test_a_sender_in_trouble_comes_first_and_marks_the_navigation(
    web: Web, acme: Workspace, db_session: Session
) -> None:
    account = accounts.every(acme)[0]
    account.status = "challenged"
    db_session.commit()
    page = web.get("/").text
    assert f"{account.name} needs attention" in page
    assert "The network needs a security check" in page


def test_a_paused_campaign_waits_for_someone(web: Web, acme: Workspace) -> None:
    campaign = draft(acme)
    campaigns.start(acme, campaign.id)
    assert "You're all caught up." in web.get("/").text
    campaigns.pause(acme, campaign.id)
    page = web.get("/").text
    assert "You're all caught up." not in page
    assert "Campaign paused" in page


def test_only_what_runs_is_asked_for_again(web: Web, acme: Workspace) -> None:
    campaign = draft(acme)
    assert "every 30s" not in web.get("/").text
    campaigns.start(acme, campaign.id)
    assert "every 30s" in web.get("/").text
    assert "every 30s" in web.get("/", htmx=True).text


def test_what_runs_comes_first_and_the_rest_is_counted(web: Web, acme: Workspace) -> None:
    """Five campaigns: the running ones, the newest first, then the paused ones; several drafts are one line."""
    made = [draft(acme, f"Campaign {number}") for number in range(9)]
    for each in made[:7]:
        campaigns.start(acme, each.id)
    for each in made[4:7]:
        campaigns.pause(acme, each.id)
    table = web.get("/").text.partition('id="live-h"')[2]
    places = [table.index(f">Campaign {number}<") for number in (3, 2, 1, 0, 6)]
    assert places == sorted(places)
    assert "Campaign 5<" not in table
    assert "2 more" in table
    assert "2 draft campaigns" in web.get("/").text


def test_a_stranger_sees_nothing_of_ours(stranger: Web, acme: Workspace) -> None:
    campaigns.start(acme, draft(acme).id)
    draft(acme, "Second try")
    page = stranger.get("/").text
    assert "New heads of support" not in page
    assert "Second try" not in page
    assert _step(stranger) == "Import people"


def _step(web: Web) -> str:
    page = web.get("/").text
    return page.split('aria-current="step"')[1].split("<h3>")[1].split("<")[0]


def test_drafts_and_replies_come_before_everything_else(web: Web, acme: Workspace, clock: Movable) -> None:
    """What people wait for is on top; the figures beside it lead to the people."""
    campaign = a_campaign(acme, ["replies-positive-cleo", "ignores-bob"], [VIEW, INVITE, message("Hello", days=1)])
    forward(acme, days=21)
    page = web.get("/").text
    assert "1 reply unread" in page
    assert "of 1 who replied" in page
    assert campaign.name in page
    held = draft(acme, "Held")
    bulk.switch(acme, held.id, True)
    assert "drafts to approve" not in web.get("/").text


def test_nothing_of_a_stranger_is_counted(web: Web, acme: Workspace, rival: Workspace, clock: Movable) -> None:
    a_campaign(rival, ["replies-positive-cleo"], [VIEW, INVITE, message("Hello", days=1)])
    forward(rival, days=4)
    assert statistics.week(rival).sent > 0
    assert statistics.week(acme) == statistics.Week(0, 0, 0, 0)
    assert "unread" not in web.get("/").text.partition('id="main"')[2]


def test_alerts_that_do_not_arrive_are_said(web: Web, acme: Workspace, db_session: Session) -> None:
    """With the reason, until they do; looking makes no setup."""
    assert "Alerts are not being delivered" not in web.get("/").text
    assert setup_state.find(acme) is None
    destinations.set_destination(acme, "chat", "https://hooks.slack.com/services/T/B/x")
    with transaction():
        destinations.give_up_sending(acme, setup_state.locked(acme), "Slack says that this webhook was removed.")
    page = web.get("/").text
    assert "Alerts are not being delivered" in page
    assert "this webhook was removed" in page


def test_an_owner_is_told_once_what_an_update_changed(web: Web, acme: Workspace) -> None:
    told = "The company stop is on."
    assert told not in web.get("/").text
    with transaction() as current:
        current.merge(acme).notices = ["company_stop"]
    become(acme, Role.OPERATOR)
    assert told not in web.get("/").text
    assert web.post("/notices/company_stop/dismiss").status_code == 403
    become(acme, Role.OWNER)
    assert told in web.get("/").text
    web.post("/notices/company_stop/dismiss")
    assert told not in web.get("/").text
