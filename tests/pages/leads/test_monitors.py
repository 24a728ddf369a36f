"""Monitors as pages: the form, the runs, the people found, and who may do what."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask

from app.core.db import session, transaction
from app.domain.autopilot.monitors import fit_words, found_people, monitors, reading
from app.domain.leads import lists
from app.domain.senders import accounts
from app.models.autopilot import Setup
from app.models.monitors import Monitor
from app.models.workspaces import Role, Workspace
from tests.domain.autopilot.monitors.watching import a_monitor, again, look, rows
from tests.domain.outreach import a_campaign, a_list
from tests.pages.conftest import Web, become, found_in, must_have
from tests.support.movable import Movable
from tests.support.searches import ADDRESS, Shown, showing


@pytest.fixture(autouse=True)
def shown(acme: Workspace) -> Iterator[Shown]:
    """What the network shows."""
    with showing(Shown(people=4)) as shown:
        yield shown


def form(acme: Workspace, **other: Any) -> dict[str, Any]:
    usual = {"kind": "search", "address": ADDRESS, "accountId": accounts.every(acme)[0].id, "titles": "Founder\nCEO"}
    return usual | {"listId": lists.create_list(acme, "Watched").id, "every": "day", "mostPerDay": "3"} | other


def test_a_monitor_is_made_with_the_form(web: Web, acme: Workspace, clock: Movable) -> None:
    assert "No monitors yet" in web.get("/monitors").text
    campaign = a_campaign(acme, name="Spring")
    assert "Spring (running)" in web.get("/monitors/new").text
    answer = web.post("/monitors", form(acme, campaignId=campaign.id))
    made = session().scalars(sa.select(Monitor)).one()
    assert answer.headers["Location"] == f"/monitors/{made.id}"
    assert (made.name, made.most_per_day, made.campaign_id) == ("People search: founder", 3, campaign.id)
    assert made.targeting == {"titles": ["Founder", "CEO"]}
    assert "Looking for people." in web.get(f"/monitors/{made.id}").text
    assert "People search: founder" in web.get("/monitors").text


def test_what_is_wrong_stands_at_its_field_and_what_was_typed_stays(web: Web, acme: Workspace) -> None:
    answer = web.post("/monitors", form(acme, address="https://example.com", listId="", mostPerDay="none"))
    must_have(answer, 422, "https://example.com", "Choose a list.", "Use a number from 1 to 200.")
    signal = web.post("/monitors", form(acme, kind="signal", signal="hiring", titles=""))
    assert "Enter at least one word, or set up your target audience in the autopilot." in signal.text


def test_the_targeting_of_the_autopilot_is_used_and_shown(web: Web, acme: Workspace, clock: Movable) -> None:
    rows_ = [{"key": "titles", "chips": [{"label": "Chief of Staff", "on": True}]}]
    with transaction() as current:
        blank = {"customer_types": [], "rules": [], "site_key": "ovs_x", "created_at": clock.at}
        current.add(Setup(workspace_id=acme.id, targets={"summary": "", "rows": rows_, "evenBetter": []}, **blank))
    assert "Chief of Staff" in web.get("/monitors/new?kind=signal").text
    assert web.post("/monitors", form(acme, kind="signal", signal="hiring", titles="")).status_code == 303


def test_held_people_are_accepted_and_declined_singly_and_in_bulk(web: Web, acme: Workspace, clock: Movable) -> None:
    monitor = a_monitor(acme, targeting={"titles": ["Founder"]})
    path = f"/monitors/{monitor.id}"
    look(clock, monitor)
    page = web.get(path).text
    assert page.count('name="person"') == 4
    assert "4 new people out of 4 scanned." in page
    first, second, third, _ = [row.id for row in rows(monitor)]
    web.post(f"{path}/people", do=f"accept-{first}")
    assert "1 person accepted." in web.get(path).text
    web.post(f"{path}/people", {"do": "decline", "person": [second, third]})
    page = web.get(path).text
    assert "2 people declined." in page
    assert page.count('name="person"') == 1
    web.post(f"{path}/people?state=declined", do=f"accept-{second}")
    web.post(f"{path}/people", do="accept-all")
    assert found_people.counts([monitor])[monitor.id] == {"added": 3, "declined": 1}
    assert "No decisions waiting" in web.get(path).text
    added = web.get(f"{path}?state=added").text
    assert re.search(r'href="/people/\d+" title="Ada Number0"', added)
    assert "by ada@acme.example" in added or "by Ada" in added
    web.post(f"{path}/people", do="accept")
    assert "Select people first." in web.get(path).text


def test_who_is_left_out_is_told_with_the_reason(web: Web, acme: Workspace, clock: Movable) -> None:
    campaign = a_campaign(acme, [{"publicId": "ada-1"}])
    monitor = a_monitor(acme, campaign_id=campaign.id)
    look(clock, monitor)
    assert "1 left out: Already in the campaign" in web.get(f"/monitors/{monitor.id}").text
    other = a_campaign(acme, [{"publicId": "ada-2"}], name="Other")
    web.post(f"/monitors/{monitor.id}/people", do="accept-all")
    page = web.get(f"/monitors/{monitor.id}?state=added").text
    must_have(page, "1 person left out: Already in another running campaign.", "left out of the campaign")
    assert other.id


def test_a_monitor_is_paused_resumed_run_edited_and_deleted(web: Web, acme: Workspace, clock: Movable) -> None:
    monitor = a_monitor(acme)
    path = f"/monitors/{monitor.id}"
    web.post(f"{path}/pause")
    assert "Paused." in web.get(path).text
    web.post(f"{path}/pause")
    assert "This monitor is already paused." in web.get(path).text
    web.post(f"{path}/resume")
    look(clock, monitor)
    web.post(f"{path}/run")
    assert again(monitor).due_at == clock.at
    assert ADDRESS in web.get(f"{path}/edit").text
    web.post(f"{path}/edit", form(acme, name="Founders", every="hour"))
    assert (again(monitor).name, again(monitor).every, again(monitor).targeting["titles"]) == (
        *("Founders", "hour"),
        ["Founder", "CEO"],
    )
    wrong = web.post(f"{path}/edit", form(acme, name="Founders", mostPerDay="0"))
    assert (wrong.status_code, again(monitor).most_per_day) == (422, 3)
    web.post(f"{path}/delete")
    assert web.get(path).status_code == 404
    assert "No monitors yet" in web.get("/monitors").text


def test_a_monitor_that_cannot_go_on_says_why(web: Web, acme: Workspace, shown: Shown, clock: Movable) -> None:
    monitor = a_monitor(acme)
    lists.delete_list(acme, monitor.list_id or 0)
    reading.run_due()
    said = "The list was deleted. Choose another list, then resume."
    assert said in web.get(f"/monitors/{monitor.id}").text
    assert said in web.get("/monitors").text


def test_only_an_owner_lets_a_monitor_add_people_itself(web: Web, acme: Workspace, clock: Movable) -> None:
    monitor = a_monitor(acme)
    look(clock, monitor)
    path = f"/monitors/{monitor.id}"
    web.post(f"{path}/automatic", automatic="1")
    assert again(monitor).automatic
    assert "New people are added automatically." in web.get(f"{path}/edit").text
    web.post(f"{path}/automatic", automatic="0")
    assert not again(monitor).automatic
    become(acme, Role.OPERATOR)
    assert web.post(f"{path}/automatic", automatic="1").status_code == 403
    assert "Only an owner can change this setting." in web.get(f"{path}/edit").text
    become(acme, Role.REVIEWER)
    must_have(web.get(path), "Accept all", without="Run now")
    become(acme, Role.INTEGRATOR)
    assert "Accept" not in re.sub("Accepted", "", web.get(f"{path}?state=declined").text)


def test_while_it_looks_the_page_asks_again_and_tells_of_new_people(
    web: Web, acme: Workspace, shown: Shown, clock: Movable
) -> None:
    shown.people = 15
    monitor = a_monitor(acme)
    reading.run_due()
    poll = found_in(web.get(f"/monitors/{monitor.id}").text, r'hx-get="(/monitors/[^"]+)"')
    look(clock, monitor)
    asked = web.get(poll, htmx=True).text
    must_have(asked, "5 new people are waiting for your decision.", without="hx-get")


def test_home_says_who_waits(web: Web, acme: Workspace, clock: Movable) -> None:
    monitor = a_monitor(acme)
    assert "Your monitors found" not in web.get("/").text
    look(clock, monitor)
    assert "Your monitors found 4 people" in web.get("/").text
    monitors.delete(acme, monitor.id)
    assert "Your monitors found" not in web.get("/").text


def test_a_person_tells_the_fit_and_a_list_what_differs(web: Web, acme: Workspace, clock: Movable) -> None:
    imported = a_list(acme, [{"publicId": "bob", "position": "Baker"}], "Imported")
    assert ">Fit<" not in web.get(f"/lists/{imported}").text
    monitor = a_monitor(acme, targeting={"titles": ["Founder"], "location": ["Germany"], "size": ["11-50"]})
    look(clock, monitor)
    found_people.decide(acme, monitor.id, True)
    page = web.get(f"/lists/{monitor.list_id}").text
    must_have(page, ">Fit<", without="1 of 1")  # the only known part fits: that says nothing in a row
    person = found_in(page, r'href="(/people/\d+)"')
    must_have(web.get(person), "Fit with your targeting", "Not known")


def test_a_row_says_nothing_of_the_fit_while_the_job_title_is_unknown(app: Flask) -> None:
    targeting = {"titles": ["Founder"], "location": ["Germany"]}
    with app.test_request_context():
        short = app.jinja_env.get_template("monitors/_fit.html").make_module({}).short
        said = [
            short(fit_words.measure(targeting, fit_words.Known(*known))) for known in (("",), ("Baker",), ("Founder",))
        ]
        abroad = [
            short(fit_words.measure(targeting, fit_words.Known(title, location="Paris, France")))
            for title in ("", "Baker")
        ]
    assert ["No fit" in one for one in (*said, *abroad)] == [False, True, False, False, True]
    assert str(abroad[0]).strip() == ""
