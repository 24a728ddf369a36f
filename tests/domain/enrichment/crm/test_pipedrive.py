"""Pipedrive as a second CRM: the same flows, through another adapter that keeps no unique keys."""

from collections.abc import Iterator

import pytest
import sqlalchemy as sa
from flask import Flask

from app import ports
from app.core.db import session
from app.core.errors import InvalidRequest
from app.domain.enrichment.crm import connection, lists
from app.domain.leads import edit
from app.models.leads import Lead
from app.models.workspaces import Workspace
from app.providers.crm import Pipedrive
from app.providers.http import HttpClient
from tests.domain.enrichment.crm.test_writing import happens
from tests.providers.crm.pipedrive_server import PipedriveServer
from tests.support.crms import activities, connect, contacts, people_of, read_again, read_all, write_all
from tests.support.movable import Movable


@pytest.fixture
def pipedrive(app: Flask, clock: Movable) -> Iterator[PipedriveServer]:
    """An account at Pipedrive, which can be connected."""
    server = PipedriveServer(clock=clock)
    ports.connect_services([Pipedrive(HttpClient(allow_private=True, plain=True), server.url)])
    yield server
    server.stop()


def followed(workspace: Workspace, pipedrive: PipedriveServer, *names: str) -> list[Lead]:
    """People of a filter that is followed."""
    ids = [pipedrive.add(f"{name}@acme.example", first_name=name.title()) for name in names]
    pipedrive.filters[5] = {"name": "Warm", "members": ids}
    connect(workspace, "pipedrive", token="good")
    row = lists.follow(workspace, "5")
    read_all(workspace)
    return list(session().scalars(sa.select(Lead).where(Lead.list_id == row.list_id).order_by(Lead.id)))


def test_people_lists_and_customers_come_in(live: Workspace, pipedrive: PipedriveServer) -> None:
    """Filters are its lists, won deals make customers, unsubscribed people are not contacted."""
    list_id = followed(live, pipedrive, "ada", "bob")[0].list_id or 0
    bob = next(key for key, one in pipedrive.persons.items() if one["first_name"] == "Bob")
    pipedrive.deals[1] = {"id": 1, "status": "open", "person_id": bob, "org_id": None}
    pipedrive.put(bob, job_title="Head", won_deals_count=1, marketing_status="unsubscribed")
    read_again(live)
    known = contacts(live)["bob@acme.example"]
    assert (known.customer, known.open_deal, known.opted_out) == (True, True, True)
    assert people_of(list_id)["bob@acme.example"].position == "Head"
    pipedrive.filters[5]["members"] = [bob]
    read_again(live)
    assert set(people_of(list_id)) == {"bob@acme.example"}


def test_an_activity_is_there_once_whatever_answer_is_lost(
    live: Workspace, pipedrive: PipedriveServer, clock: Movable
) -> None:
    """It is looked up by its key before it is repeated."""
    [ada] = followed(live, pipedrive, "ada")
    for number in range(3):
        happens(live, "message_sent", ada, text=f"Message {number}")
    lost = [False, True]
    pipedrive.lose = lambda method, path: method == "POST" and bool(lost) and lost.pop(0)
    for _ in range(3):
        write_all(live, clock)
        clock.forward(minutes=2)
    assert [one.state for one in activities(live)] == ["sent"] * 3
    notes = [one["note"].splitlines()[0] for one in pipedrive.activities.values()]
    assert sorted(notes) == ["Message 0", "Message 1", "Message 2"]


def test_a_meeting_is_still_to_come(live: Workspace, pipedrive: PipedriveServer, clock: Movable) -> None:
    """What was said is done, a meeting is not."""
    [ada] = followed(live, pipedrive, "ada")
    happens(live, "message_sent", ada)
    happens(live, "meeting_booked", ada)
    write_all(live, clock)
    there = {one["type"]: one for one in pipedrive.activities.values()}
    assert (there["task"]["done"], there["meeting"]["done"]) == (True, False)
    assert (there["meeting"]["due_date"], there["meeting"]["due_time"]) == ("2026-01-20", "09:00")


def test_only_empty_values_are_filled(live: Workspace, pipedrive: PipedriveServer, clock: Movable) -> None:
    """It does not say which values people typed, so that ours never win."""
    [ada] = followed(live, pipedrive, "ada")
    [person_id] = pipedrive.persons
    pipedrive.put(person_id, job_title="Theirs")
    with pytest.raises(InvalidRequest):
        connection.change(live, {"fields": {"phone": {"incoming": "fill", "outgoing": "ours"}}})
    edit.change(live, ada.id, {"phone": "+351 3", "position": "Ours"})
    write_all(live, clock)
    there = pipedrive.persons[person_id]
    assert (there["job_title"], there["phones"][0]["value"]) == ("Theirs", "+351 3")
