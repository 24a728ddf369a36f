"""The page of the CRM: where it stands, lists to follow, and which side wins for each field."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.core.db import end_read
from app.domain.enrichment.crm import connection
from tests.domain.enrichment.crm.conftest import hubspot
from tests.domain.outreach import a_campaign
from tests.pages.conftest import Web, must_have, signed_in
from tests.providers.crm.hubspot_server import HubSpotServer
from tests.support.crms import connect, people_of, read_all, tame

if TYPE_CHECKING:
    from flask import Flask

    from app.models.workspaces import Workspace

__all__ = ["hubspot"]

PAGE = "/settings/crm"


def test_without_a_crm_the_page_leads_to_services(ours: Web, live: Workspace, hubspot: HubSpotServer) -> None:
    must_have(ours.get(PAGE), 200, "Connect HubSpot in Services")


def test_a_list_is_chosen_followed_and_let_go(ours: Web, live: Workspace, hubspot: HubSpotServer) -> None:
    hubspot.put_in_list("31", "Warm leads", [hubspot.add("contacts", email="ada@acme.example")])
    connect(live)
    read_all(live)
    assert "Warm leads" in ours.get(f"{PAGE}/lists").text
    ours.post(f"{PAGE}/lists", id="31", name="Warm leads")
    read_all(live)
    [row] = connection.status(live).lists
    assert set(people_of(row.list_id or 0)) == {"ada@acme.example"}
    end_read()
    must_have(ours.get(PAGE), f'href="/lists/{row.list_id}"', "1 of them also in Overture")
    ours.post(f"{PAGE}/lists/{row.id}/unfollow")
    end_read()
    assert connection.status(live).lists == []


def test_the_crm_that_does_not_answer_says_so(ours: Web, live: Workspace, hubspot: HubSpotServer) -> None:
    connect(live)
    hubspot.wrong = lambda path: ("", 503)
    must_have(ours.get(f"{PAGE}/lists"), 200, "HubSpot is down")


def test_the_field_table_is_kept_and_its_refusals_shown(ours: Web, live: Workspace, hubspot: HubSpotServer) -> None:
    connect(live)
    names = connection.status(live).settings.fields
    sent = {f"in_{name}": "crm" for name in names} | {f"out_{name}": "off" for name in names}
    sent |= {"create": "all", "activities": "1", "customerStages": "customer, won", "stopStatuses": "UNQUALIFIED"}
    assert ours.post(PAGE, **{**sent, "in_phone": "fill", "out_phone": "ours"}).status_code == 303
    end_read()
    kept = connection.status(live).settings
    assert kept.fields["phone"] == ("fill", "ours")
    assert (kept.create, kept.customer_stages, kept.stop_statuses) == ("all", ("customer", "won"), ("UNQUALIFIED",))
    must_have(
        ours.post(PAGE, **{**sent, "in_phone": "crm", "out_phone": "ours"}), 422, "Only one direction can overwrite"
    )


def test_reading_and_trying_again_can_be_asked_for(ours: Web, live: Workspace, hubspot: HubSpotServer) -> None:
    connect(live)
    assert ours.post(f"{PAGE}/read").status_code == 303
    ours.post(f"{PAGE}/retry")
    assert "No activity has failed" in ours.get(PAGE).text


def test_an_activity_that_the_crm_refused_is_shown_with_its_person(app: Flask, acme: Workspace, stranger: Web) -> None:
    a_campaign(acme, ["accepts-ada"])
    tame(acme)
    must_have(signed_in(app, "ada@acme.example").get(PAGE), "HubSpot rejected the request.", "Replied")
    assert "HubSpot rejected the request." not in stranger.get(PAGE).text
