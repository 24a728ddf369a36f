"""Held companies: where people wait for a decision, and one press that decides."""

import re

import pytest

from app.core.db import transaction
from app.domain.senders import accounts
from app.models.campaigns import Campaign, LeadState
from app.models.workspaces import Workspace
from app.ports import Received
from tests.domain.outreach import VIEW, a_campaign, everyone, takes_in
from tests.pages.conftest import Web, found_in, must_have
from tests.support.unruled import RULES

pytestmark = pytest.mark.usefixtures("clock")
DONE = {"go_on": "continue", "end": "stopped"}
LONG = "Wool and Iron Trading Company of the Northern Provinces " * 4


def held(workspace: Workspace, company: str = "Wool Ltd") -> Campaign:
    """A campaign in which two are held, for their colleague replied."""
    with transaction() as current:
        current.merge(workspace).contact_rules = {**RULES, "company_stop": True}
    names, at = ("ann", "bea", "cy"), {"companyName": company}
    people = [
        {"publicId": f"ignores-{one}", "firstName": one.title(), "email": f"{one}@wool.example"} | at for one in names
    ]
    campaign = a_campaign(workspace, people, [VIEW, {**VIEW, "delay": {"value": 3, "unit": "days"}}])
    sender = accounts.every(workspace)[0]
    takes_in(workspace, sender, Received("ignores-ann", "message", "Sounds great.", workspace.now(), "1"))
    return campaign


def the_path(page: str, verb: str = "decide") -> str:
    """Where the page sends the decision."""
    found = re.search(rf'action="(/company-holds/\d+/{verb}|/{verb}/company_decision/\d+[^"]*)"', page)
    assert found, page
    return found[1]


def test_who_replied_and_who_is_held_is_shown_where_people_look(web: Web, acme: Workspace) -> None:
    assert "Nothing to decide" in web.get("/company-holds").text
    assert "No companies" in web.get("/company-holds?show=decided").text
    assert "waiting for your decision" not in web.get("/").text
    campaign = held(acme)
    page = web.get("/company-holds").text
    assert all(word in page for word in ("Wool Ltd", "wool.example", "Ann", f"to {accounts.every(acme)[0].name}"))
    assert f'href="/campaigns/{campaign.id}/people?why=company_held">First</a> 2' in page
    both = f"Continue for 2 people, from {accounts.every(acme)[0].name}"
    must_have(web.get("/company-holds"), ">Continue for 2 people<", both, "Stop for 2 people")
    assert "2 people are waiting for your decision" in web.get("/").text
    talk = web.get(found_in(page, r'href="(/conversations/\d+)"'))
    must_have(talk, "Ann replied, so 2 colleagues at Wool Ltd are waiting for your decision.")
    must_have(web.get("/campaigns"), "2 wait for you", "1 company on hold")
    for move in ("pause", "resume"):
        web.post(f"/campaigns/{campaign.id}/{move}")
        must_have(web.get(f"/campaigns/{campaign.id}"), "Waiting for you: 2 people.", 'href="/company-holds"')
    people = web.get(f"/campaigns/{campaign.id}/people?why=company_held").text
    assert people.count('href="/company-holds">Decide</a>') == 2


def test_one_press_decides_and_who_goes_on_can_be_held_again(web: Web, acme: Workspace) -> None:
    campaign = held(acme)
    for decision, state in (("go_on", LeadState.PENDING), ("end", LeadState.STOPPED)):
        answer = web.post(the_path(web.get("/company-holds").text), decision=decision)
        assert answer.headers["Location"] == "/company-holds"
        must_have(web.get("/company-holds"), f"Campaigns {DONE[decision]} for 2 people")
        assert {one.state for name, one in everyone(campaign).items() if name != "ignores-ann"} == {state}
        assert "Nothing to decide" in web.get("/company-holds").text
        decided = web.get("/company-holds?show=decided").text
        assert "ada@acme.example" in decided
        assert ("/undo" in decided) == (decision == "go_on")
        if decision == "go_on":
            web.post(the_path(decided, "undo"))
            assert "is on hold again" in web.get("/company-holds").text
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


def test_a_long_name_is_cut(web: Web, acme: Workspace) -> None:
    held(acme, LONG[:200])
    assert web.get("/company-holds").text.count(LONG[:120]) == 1  # in the tooltip alone


def test_who_counts_as_the_company_is_shown_and_corrected(web: Web, acme: Workspace) -> None:
    campaign = held(acme)
    page = web.get("/company-holds").text
    (path,) = set(re.findall(r'href="(/company-holds/\d+)"', page))
    must_have(web.get(path), "Ann", "Bea", "Cy", "wool.example", "Replied")
    lead_id = everyone(campaign)["ignores-bea"].lead_id
    assert web.post(f"/people/{lead_id}/company", company="", next=path).headers["Location"] == path
    after = web.get(path).text
    must_have(after, "Company removed.", without=f'href="/people/{lead_id}"')
    assert everyone(campaign)["ignores-bea"].reason != "company_held"
    undo = found_in(after, rf'action="(/people/{lead_id}/company\?[^"]+)"')
    web.post(undo)
    assert everyone(campaign)["ignores-bea"].reason == "company_held"
