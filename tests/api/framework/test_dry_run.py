"""Dry runs of what contacts people: the answer is that of the real request, and nothing has changed."""

from typing import Any

import sqlalchemy as sa
from flask import Flask

from app.api.framework.declarations import ENDPOINTS
from app.core.db import Base, end_read, session
from app.models.workspaces import Workspace
from tests.api.posts import Asked
from tests.api.stock import Stock, entered, script
from tests.domain.outreach import a_campaign, acts
from tests.support.clients import Api, Client, paths

DRY = [one for one in ENDPOINTS if one.dry]
NOTED = {"api_request", "rate_bucket", "api_key"}  # of every request


def everything() -> dict[str, list[str]]:
    tables = [table for table in Base.metadata.sorted_tables if table.name not in NOTED]
    found = {table.name: sorted(map(repr, session().connection().execute(sa.select(table)))) for table in tables}
    end_read()
    return found


def test_what_contacts_people_can_be_tried() -> None:
    assert {one.name for one in DRY} == {
        *("campaigns.start", "campaigns.resume", "campaign_leads.enrol", "plays.launch"),
        *("campaign_leads.resume", "campaign_leads.let_in", "campaign_leads.decide_company_hold", "monitors.decide"),
        *("conversations.send", "conversations.start", "conversations.retry", "approvals.decide", "approvals.bulk"),
    }


def test_a_dry_run_changes_nothing_and_answers_as_the_real_one(client: Client, app: Flask) -> None:
    """It uses up no idempotency key, and without `dryRun=true` the request is done."""
    for one in (one for one in DRY if one.method == "POST"):
        workspace = entered(one.name)
        api, asked = script(client, workspace), Asked(one, Stock(workspace))
        before = everything()
        headers = {"Idempotency-Key": "k"}
        dry = api.call("POST", f"{asked.path}?dryRun=true", headers=headers, **asked.options)
        assert (dry.status_code, dry.headers["Dry-Run"]) == (one.status, "true"), one.name
        assert everything() == before, one.name
        done = api.call("POST", f"{asked.path}?dryRun=false", headers=headers, **asked.options)
        assert (done.status_code, "Dry-Run" in done.headers) == (one.status, False), one.name
        assert shape(done.json) == shape(dry.json), one.name
        assert everything() != before, one.name


def shape(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: shape(each) for name, each in value.items()}
    return [shape(each) for each in value] if isinstance(value, list) else None


def test_a_start_is_tried_with_its_numbers(api: Api, acme: Workspace) -> None:
    campaign = a_campaign(acme, ["accepts-ada", "never-bob"], start=False)
    tried = api.post(f"campaigns/{campaign.id}/start?dryRun=true").json
    assert (tried["status"], tried["stats"]["leads"]) == ("running", 2)
    assert api.get(f"campaigns/{campaign.id}").json["status"] == "draft"
    assert api.get("events").json["data"] == []
    assert acts(acme) == []


def test_a_decision_is_tried(api: Api, acme: Workspace) -> None:
    stock = Stock(acme)
    here = f"approvals/{stock.id_of('approval_id')}"
    before = api.get(here).json
    tried = api.patch(f"{here}?dryRun=true", {"text": before["text"], "approve": True})
    assert tried.status_code == 200, tried.json["error"]["fields"]
    assert (tried.json["status"], tried.headers["Dry-Run"]) == ("approved", "true")
    assert api.get(here).json == before


def test_a_refusal_is_the_same(api: Api, rival_api: Api, acme: Workspace) -> None:
    campaign = a_campaign(acme)
    assert api.post(f"campaigns/{campaign.id}/start?dryRun=true").status_code == 409
    assert rival_api.post(f"campaigns/{campaign.id}/start?dryRun=true").status_code == 404
    assert paths(api.post(f"campaigns/{campaign.id}/start?dryRun=maybe")) == ["dryRun"]
    spaced = api.post(f"campaigns/{campaign.id}/start?dryRun=true", idempotency_key="a b")
    assert paths(spaced) == ["Idempotency-Key"]
