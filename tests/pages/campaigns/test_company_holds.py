"""Held companies: where people wait for a decision, and one press that decides."""

import re

import pytest

from app.core.db import transaction
from app.domain.senders import accounts
from app.models.campaigns import Campaign, LeadState
from app.models.workspaces import Workspace
from app.ports import Received
from tests.domain.outreach import VIEW, a_campaign, everyone, takes_in
from tests.pages.conftest import Web
from tests.support.unruled import RULES

pytestmark = pytest.mark.usefixtures("clock")
LONG = "Wool and Iron Trading Company of the Northern Provinces " * 4


def held(workspace: Workspace, company: str = "Wool Ltd") -> Campaign:
    """A campaign in which two are held, for their colleague replied."""
    with transaction() as current:
        current.merge(workspace).contact_rules = {**RULES, "company_stop": True}
    people = [
        {
            "publicId": f"ignores-{name}",
            "firstName": name.title(),
            "email": f"{name}@wool.example",
            "companyName": company,
        }
        for name in ("ann", "bea", "cy")
    ]
    campaign = a_campaign(workspace, people, [VIEW, {**VIEW, "delay": {"value": 3, "unit": "days"}}])
    sender = accounts.every(workspace)[0]
    takes_in(workspace, sender, Received("ignores-ann", "message", "Sounds great.", workspace.now(), "1"))
    return campaign


def the_path(page: str, verb: str = "decide") -> str:
    """Where the page sends the decision."""
    found = re.search(rf'action="(/company-holds/\d+/{verb})"', page)
    assert found, page
    return found[1]


def test_nothing_waits_before_a_reply(web: Web) -> None:
    assert "Nothing to decide" in web.get("/company-holds").text
    assert "No companies" in web.get("/company-holds?show=decided").text
    assert "held after a reply" not in web.get("/").text


def test_who_replied_and_who_is_held_is_shown_where_people_look(web: Web, acme: Workspace) -> None:
    campaign = held(acme)
    page = web.get("/company-holds").text
    assert all(word in page for word in ("Wool Ltd", "wool.example", "Ann", f"to {accounts.every(acme)[0].name}"))
    assert f'href="/campaigns/{campaign.id}/people?why=company_held">First</a> 2' in page
    assert "1 company is held after a reply" in web.get("/").text
    conversation = re.search(r'href="(/conversations/\d+)"', page)
    assert conversation
    assert "2 colleagues at Wool Ltd are held." in web.get(conversation[1]).text
    people = web.get(f"/campaigns/{campaign.id}/people?why=company_held").text
    assert people.count('href="/company-holds">Decide</a>') == 2


@pytest.mark.parametrize(("decision", "state"), [("go_on", LeadState.PENDING), ("end", LeadState.STOPPED)])
def test_one_press_decides(web: Web, acme: Workspace, decision: str, state: str) -> None:
    campaign = held(acme)
    answer = web.post(the_path(web.get("/company-holds").text), decision=decision)
    assert answer.headers["Location"] == "/company-holds"
    assert {one.state for name, one in everyone(campaign).items() if name != "ignores-ann"} == {state}
    assert "Nothing to decide" in web.get("/company-holds").text
    decided = web.get("/company-holds?show=decided").text
    assert "ada@acme.example" in decided
    assert ("/undo" in decided) == (decision == "go_on")


def test_a_decision_is_undone(web: Web, acme: Workspace) -> None:
    campaign = held(acme)
    web.post(the_path(web.get("/company-holds").text), decision="go_on")
    web.post(the_path(web.get("/company-holds?show=decided").text, "undo"))
    assert "is held again" in web.get("/company-holds").text
    assert everyone(campaign)["ignores-bea"].reason == "company_held"


def test_what_can_not_be_done_is_said_and_changes_nothing(web: Web, acme: Workspace) -> None:
    campaign = held(acme)
    path = the_path(web.get("/company-holds").text)
    accounts.switch(acme, accounts.every(acme)[0].id, active=False)
    web.post(path, decision="hand_over")
    assert "switched off or not connected" in web.get("/company-holds").text
    web.post(path, decision="x")
    assert "Use one of go_on, end, hand_over." in web.get("/company-holds").text
    assert everyone(campaign)["ignores-bea"].reason == "company_held"


def test_a_stranger_sees_and_decides_nothing(web: Web, stranger: Web, acme: Workspace) -> None:
    campaign = held(acme)
    path = the_path(web.get("/company-holds").text)
    assert "Wool" not in stranger.get("/company-holds?show=all").text
    assert stranger.post(path, decision="go_on").status_code == 404
    assert everyone(campaign)["ignores-bea"].reason == "company_held"


def test_a_long_name_is_cut(web: Web, acme: Workspace) -> None:
    held(acme, LONG[:200])
    assert web.get("/company-holds").text.count(LONG[:120]) == 1  # in the tooltip alone


def test_who_counts_as_the_company_is_shown_and_corrected(web: Web, acme: Workspace) -> None:
    campaign = held(acme)
    page = web.get("/company-holds").text
    (path,) = set(re.findall(r'href="(/company-holds/\d+)"', page))
    shown = web.get(path).text
    assert all(word in shown for word in ("Ann", "Bea", "Cy", "wool.example", "Replied"))
    lead_id = everyone(campaign)["ignores-bea"].lead_id
    answer = web.post(f"/people/{lead_id}/company", company="", next=path)
    assert answer.headers["Location"] == path
    after = web.get(path).text
    assert "Bea counts as no one&#39;s colleague." in after
    assert f'href="/people/{lead_id}"' not in after
    assert everyone(campaign)["ignores-bea"].reason != "company_held"
    undo = re.search(rf'action="(/people/{lead_id}/company\?[^"]+)"', after)
    assert undo
    web.post(undo[1].replace("&amp;", "&"))
    assert everyone(campaign)["ignores-bea"].reason == "company_held"
