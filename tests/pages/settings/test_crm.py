"""The page of the CRM: where it stands, lists to follow, and which side wins for each field."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from app.core.db import end_read
from app.domain.enrichment.crm import connection
from app.domain.workspace import workspaces
from tests.conftest import PASSWORD
from tests.domain.outreach import a_campaign
from tests.pages.conftest import Web
from tests.providers.crm.hubspot_server import HubSpotServer
from tests.support.crms import connect, hubspot_at, people_of, read_all, tame

if TYPE_CHECKING:
    from flask import Flask

    from app.core.clock import Movable
    from app.models.workspaces import Workspace

PAGE = "/settings/crm"


@pytest.fixture
def hubspot(app: Flask, clock: Movable) -> Iterator[HubSpotServer]:
    """An account at HubSpot, which can be connected."""
    server = HubSpotServer(clock=clock)
    hubspot_at(server)
    yield server
    server.stop()


@pytest.fixture
def live(app: Flask, clock: Movable) -> Workspace:
    """A workspace that reaches the outside."""
    return workspaces.create("Live", "ada@live.example", PASSWORD)


@pytest.fixture
def ours(app: Flask, live: Workspace) -> Web:
    """Its owner, signed in."""
    web = Web(app.test_client())  # type: ignore[arg-type]
    assert web.sign_in("ada@live.example").status_code == 303
    return web


def test_without_a_crm_the_page_leads_to_services(ours: Web, live: Workspace, hubspot: HubSpotServer) -> None:
    """Where one is connected."""
    page = ours.get(PAGE)
    assert page.status_code == 200
    assert "Connect HubSpot at Services" in page.text


def test_a_list_is_chosen_followed_and_let_go(ours: Web, live: Workspace, hubspot: HubSpotServer) -> None:
    """By its name, and it is read at once."""
    hubspot.put_in_list("31", "Warm leads", [hubspot.add("contacts", email="ada@acme.example")])
    connect(live)
    read_all(live)
    assert "Warm leads" in ours.get(f"{PAGE}/lists").text
    ours.post(f"{PAGE}/lists", id="31", name="Warm leads")
    read_all(live)
    [row] = connection.status(live).lists
    assert set(people_of(row.list_id or 0)) == {"ada@acme.example"}
    end_read()
    page = ours.get(PAGE).text
    assert f'href="/lists/{row.list_id}"' in page
    assert "1 of them are people here" in page
    ours.post(f"{PAGE}/lists/{row.id}/unfollow")
    end_read()
    assert connection.status(live).lists == []


def test_the_crm_that_does_not_answer_says_so(ours: Web, live: Workspace, hubspot: HubSpotServer) -> None:
    """On the page, which still shows the rest."""
    connect(live)
    hubspot.wrong = lambda path: ("", 503)
    page = ours.get(f"{PAGE}/lists")
    assert page.status_code == 200
    assert "HubSpot has a problem" in page.text


def test_the_field_table_is_kept_and_its_refusals_shown(ours: Web, live: Workspace, hubspot: HubSpotServer) -> None:
    """At the field."""
    connect(live)
    sent = {f"in_{name}": "crm" for name in connection.status(live).settings.fields}
    sent |= {f"out_{name}": "off" for name in sent_names(sent)}
    sent |= {"create": "all", "activities": "1", "customerStages": "customer, won", "stopStatuses": "UNQUALIFIED"}
    assert ours.post(PAGE, **{**sent, "in_phone": "fill", "out_phone": "ours"}).status_code == 303
    end_read()
    kept = connection.status(live).settings
    assert kept.fields["phone"] == ("fill", "ours")
    assert (kept.create, kept.customer_stages, kept.stop_statuses) == ("all", ("customer", "won"), ("UNQUALIFIED",))
    refused = ours.post(PAGE, **{**sent, "in_phone": "crm", "out_phone": "ours"})
    assert refused.status_code == 422
    assert "Only one side can win." in refused.text


def sent_names(sent: dict[str, str]) -> list[str]:
    """The fields of a form."""
    return [name.removeprefix("in_") for name in sent]


def test_reading_and_trying_again_can_be_asked_for(ours: Web, live: Workspace, hubspot: HubSpotServer) -> None:
    """And say what became of it."""
    connect(live)
    assert ours.post(f"{PAGE}/read").status_code == 303
    ours.post(f"{PAGE}/retry")
    assert "No activity failed" in ours.get(PAGE).text


def test_an_activity_that_the_crm_refused_is_shown_with_its_person(app: Flask, acme: Workspace, stranger: Web) -> None:
    a_campaign(acme, ["accepts-ada"])
    tame(acme)
    ada = Web(app.test_client())  # type: ignore[arg-type]
    ada.sign_in("ada@acme.example")
    shown = ada.get(PAGE).text
    assert "HubSpot refused it." in shown
    assert "Replied" in shown
    assert "HubSpot refused it." not in stranger.get(PAGE).text
