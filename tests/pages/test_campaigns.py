"""Pages of campaigns: what they show, whom their numbers link to, what they refuse, and whose they are."""

import html
import re
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy.orm import Session

from app.core.db import leave_database
from app.domain import accounts, campaigns, people, skips
from app.models.campaigns import Campaign, CampaignStatus
from app.models.workspaces import Membership, Workspace
from tests.domain.outreach import INVITE, VIEW, a_campaign, a_list, email, everyone, forward, fresh, message
from tests.pages.conftest import Web

PEOPLE = [f"person-{number}" for number in range(30)]
STEPS = [VIEW, INVITE, message("Hi {{first_name|there}}\n---\nBye", days=1), message("And?", days=3)]
BUTTONS = {"Pause": "/pause", "Resume": "/resume", "Start in sandbox": "/start"}


def form(acme: Workspace, list_id: int, **changed: Any) -> dict[str, Any]:
    """The fields of a campaign that can be saved."""
    fields = {
        "do": "save",
        "name": "New heads of support",
        "listId": list_id,
        "accountIds": [account.id for account in accounts.every(acme)[:2]],
        "sequence[0].type": "connection_request",
        "sequence[0].key": "aaaaaaaa",
        "sequence[0].message": "Hi {{first_name|there}}",
        "sequence[1].type": "message",
        "sequence[1].key": "bbbbbbbb",
        "sequence[1].message": "Hello\r\n---\r\nAgain",
        "sequence[1].delay.value": "2",
        "sequence[1].delay.unit": "days",
        "schedule.timezone": "Europe/Berlin",
        "schedule.days": ["1", "2", "3"],
        "schedule.startTime": "10:00",
        "schedule.endTime": "16:00",
        "schedule.startDate": "",
        "schedule.endDate": "",
    }
    return fields | changed


def links(page: str, base: str) -> list[tuple[str, int]]:
    """The links of a page to people of the campaign, each with the number that it shows."""
    found = re.findall(
        rf'<a[^>]*href="({re.escape(base)}/people[^"]*)"[^>]*>\s*([\d\u202f]+)(?:\s+(?:people|person))?\s*</a>', page
    )
    return [(html.unescape(href), int(shown.replace("\u202f", ""))) for href, shown in found]


def listed(web: Web, href: str) -> int:
    """How many people the list behind a link has, loaded to its end."""
    number, htmx = 0, False
    while href:
        page = web.get(href, htmx=htmx).text
        number += len(re.findall(r'<tr role="row" id="person-\d+"', page))
        more = re.search(r'<a class="btn secondary sm" href="([^"]+)"[^>]*>Load more', page)
        href, htmx = (html.unescape(more[1]), True) if more else ("", False)
    return number


def test_it_works(web: Web, acme: Workspace, clock: Any) -> None:
    list_id = a_list(acme, PEOPLE[:3])
    leave_database()
    answer = web.post("/campaigns/new", form(acme, list_id))
    assert answer.status_code == 303
    [campaign] = [campaigns.get(acme, int(answer.location.rpartition("/")[2]))]
    assert campaign.status == "draft"
    assert campaign.sequence[1] == {
        "type": "message",
        "delay": {"value": 2, "unit": "days"},
        "message": "Hello\n---\nAgain",
    }
    assert (campaign.timezone, campaign.days, campaign.start_time, campaign.end_time) == (
        "Europe/Berlin",
        [1, 2, 3],
        "10:00",
        "16:00",
    )
    page = web.get(answer.location).text
    assert "A draft. It contacts nobody until you start it." in page
    assert "Mon–Wed, 10:00–16:00 (Europe/Berlin)" in page
    assert web.post(f"{answer.location}/start").status_code == 303
    page = web.get(answer.location).text
    assert "Running" in page
    assert "Day 1, since 2 Mar" in page
    assert "Nobody was contacted yet." in page


def test_every_number_of_people_leads_to_exactly_those(web: Web, acme: Workspace, clock: Any) -> None:
    campaign = a_campaign(acme, PEOPLE, STEPS, senders=2)
    forward(acme, days=6)
    leave_database()
    base = f"/campaigns/{campaign.id}"
    found = [
        link for path in ("?period=7", "?period=all", "/sequence") for link in links(web.get(base + path).text, base)
    ]
    found += links(web.get("/campaigns").text, base)
    assert len(found) > 25
    for href, number in dict.fromkeys(found):
        assert listed(web, href) == number, href


@pytest.mark.parametrize("status", CampaignStatus)
def test_buttons_are_those_that_the_state_allows(
    web: Web, acme: Workspace, db_session: Session, clock: Any, status: str
) -> None:
    campaign = a_campaign(acme, PEOPLE[:2], STEPS, start=False)
    campaign.status = status
    if status not in ("draft", "scheduled"):
        campaign.started_at = acme.now()
    db_session.commit()
    page = web.get(f"/campaigns/{campaign.id}").text
    base = f"/campaigns/{campaign.id}"
    shown = {path for path in ("/start", "/pause", "/resume", "/cancel", "/delete") if f'action="{base}{path}"' in page}
    allowed = {
        "draft": {"/start", "/cancel", "/delete"},
        "scheduled": {"/pause", "/cancel"},
        "starting": {"/pause", "/cancel"},
        "running": {"/pause", "/cancel"},
        "paused": {"/resume", "/cancel"},
        "locked": {"/cancel"},
    }.get(status, {"/delete"})
    assert shown == allowed
    assert ("/sandbox/skip" in page) == (status in ("scheduled", "starting", "running"))
    for path in ("/people", "/sequence", "/activity", "/settings"):
        assert web.get(base + path).status_code == 200


@pytest.mark.parametrize(
    ("changed", "place", "sentence"),
    [
        ({"name": " "}, "f-name", "Give a name of 1 to 200 characters."),
        ({"listId": ""}, "f-listId", "Choose a list."),
        ({"accountIds": []}, "f-accountIds", "Choose at least one sender."),
        ({"accountIds": ["999"]}, "sender-999", "There is no such account in this workspace."),
        ({"sequence[0].message": "{{nickname}}"}, "text-aaaaaaaa", "There is no variable {{nickname}}."),
        ({"sequence[1].delay.value": "-1"}, "wait-bbbbbbbb-value", "Use a whole number from 0 to 365."),
        ({"sequence[1].delay.unit": "weeks"}, "wait-bbbbbbbb-unit", "Use hours or days."),
        ({"sequence[0].type": "view_profile", "sequence[0].message": ""}, "step-bbbbbbbb", "Put a connection request"),
        ({"schedule.days": []}, "f-schedule-days", "Name at least one day"),
        ({"schedule.endTime": "09:00"}, "f-schedule-endTime", "later than the start"),
        ({"schedule.timezone": "Mars"}, "f-schedule-timezone", "IANA time zone"),
        ({"schedule.startDate": "soon"}, "f-schedule-startDate", "Use a date"),
        ({"schedule.startDate": "2026-05-02", "schedule.endDate": "2026-05-01"}, "f-schedule-endDate", "later than"),
    ],
)
def test_a_problem_stands_at_its_field(
    web: Web, acme: Workspace, changed: dict[str, Any], place: str, sentence: str
) -> None:
    list_id = a_list(acme, PEOPLE[:1])
    leave_database()
    answer = web.post("/campaigns/new", form(acme, list_id, **changed))
    page = html.unescape(answer.text)
    assert answer.status_code == 422
    assert f'<a href="#{place}">' in page
    assert sentence in page.split("Check the marked fields.")[1].split("</ul>")[0]
    assert "Hello\n---\nAgain</textarea>" in page.replace("\r\n", "\n")
    if "999" not in place:
        assert f'id="{place}"' in page
    assert campaigns_of(acme) == []


def campaigns_of(workspace: Workspace) -> list[Campaign]:
    """The campaigns of a workspace."""
    from app.core.db import session

    return list(session().scalars(campaigns.page(workspace)))


def test_a_list_of_another_workspace_is_no_list(web: Web, acme: Workspace, rival: Workspace) -> None:
    theirs = a_list(rival, PEOPLE[:1])
    leave_database()
    assert "There is no such list" in web.post("/campaigns/new", form(acme, theirs)).text
    sender = accounts.every(rival)[0].id
    assert web.post("/campaigns/new", form(acme, theirs, accountIds=[sender])).status_code == 422
    assert "Heads" not in web.get(f"/campaigns/new?list={theirs}").text


@pytest.mark.parametrize(
    ("do", "order"),
    [
        ("up:2", ["message", "connection_request"]),
        ("down:1", ["message", "connection_request"]),
        ("copy:1", ["connection_request", "connection_request", "message"]),
        ("remove:1", ["message"]),
        ("add:1:email", ["connection_request", "email", "message"]),
        ("add:0:view_profile", ["view_profile", "connection_request", "message"]),
        ("up:1", ["connection_request", "message"]),
        ("remove:9", ["connection_request", "message"]),
        ("add:1:fax", ["connection_request", "message"]),
        ("nonsense", ["connection_request", "message"]),
    ],
)
def test_step_buttons_change_the_form_and_save_nothing(web: Web, acme: Workspace, do: str, order: list[str]) -> None:
    answer = web.post("/campaigns/new", form(acme, 0, do=do))
    assert answer.status_code == 200
    assert re.findall(r'name="sequence\[\d+\]\.type" value="(\w+)"', answer.text) == order
    assert campaigns_of(acme) == []


def test_a_removed_step_can_be_put_back(web: Web, acme: Workspace) -> None:
    page = web.post("/campaigns/new", form(acme, 0, do="remove:2")).text
    removed = html.unescape(re.search(r'name="removed" value="([^"]+)"', page)[1])  # type: ignore[index]
    fields = {name: value for name, value in form(acme, 0).items() if not name.startswith("sequence[1]")}
    page = web.post("/campaigns/new", fields | {"do": "restore", "removed": removed}).text
    assert "Hello" in page
    assert re.findall(r'name="sequence\[\d+\]\.key" value="(\w+)"', page) == ["aaaaaaaa", "bbbbbbbb"]
    assert web.post("/campaigns/new", fields | {"do": "restore", "removed": '{"at": 1}'}).status_code == 200


def test_a_draft_is_edited_as_it_was_saved(web: Web, acme: Workspace, clock: Any) -> None:
    list_id = a_list(acme, PEOPLE[:1])
    leave_database()
    days = {"schedule.startDate": "2026-03-10", "schedule.endDate": "2026-03-20"}
    made = web.post("/campaigns/new", form(acme, list_id, **days)).location
    page = web.get(f"{made}/edit").text
    for value in ("New heads of support", "2026-03-10", "2026-03-20", "Europe/Berlin", "10:00"):
        assert f'value="{value}"' in page
    assert web.post(f"{made}/edit", form(acme, list_id, name="Another", **days)).status_code == 303
    [campaign] = campaigns_of(acme)
    assert campaign.name == "Another"
    assert campaign.start_date == datetime(2026, 3, 9, 23, tzinfo=UTC)
    assert campaign.end_date == datetime(2026, 3, 20, 23, tzinfo=UTC)
    campaigns.start(acme, campaign.id)
    leave_database()
    assert web.get(f"{made}/edit").location.endswith("/settings")
    assert web.post(f"{made}/edit", form(acme, list_id)).status_code == 409


def test_the_preview_is_of_a_person_of_the_list(web: Web, acme: Workspace) -> None:
    list_id = a_list(acme, ["x-ada", "x-bob", {"publicId": "nobody"}])
    leave_database()
    fields = form(acme, list_id, **{"sequence[1].message": "Dear {{first_name}}"})
    page = html.unescape(web.post("/campaigns/preview", fields, htmx=True).text)
    assert "<html" not in page
    assert "Dear Ada" in page
    assert "1 person has no first name" in page
    bob = re.search(r'value="(\d+)">Bob', page)
    assert bob
    assert "Dear Bob" in web.post("/campaigns/preview", fields | {"preview": bob[1]}, htmx=True).text


def test_a_campaign_that_cannot_start_says_why(web: Web, acme: Workspace) -> None:
    campaign = a_campaign(acme, [], STEPS, start=False)
    leave_database()
    answer = web.post(f"/campaigns/{campaign.id}/start")
    assert answer.status_code == 422
    assert "The list has no people." in answer.text
    assert "Edit the draft" in answer.text


def test_a_refused_move_answers_the_same_part(web: Web, acme: Workspace) -> None:
    campaign = a_campaign(acme, PEOPLE[:1], STEPS)
    leave_database()
    answer = web.post(f"/campaigns/{campaign.id}/resume", htmx=True)
    assert answer.status_code == 409
    assert answer.text.lstrip().startswith('<div id="campaign"')
    assert "A running campaign cannot be resumed." in answer.text
    answer = web.post(f"/campaigns/{campaign.id}/pause", htmx=True)
    assert answer.status_code == 200
    assert "hx-partial" in answer.text
    assert fresh(campaign).status == "paused"


def test_numbers_are_asked_for_again_only_while_they_change(web: Web, acme: Workspace) -> None:
    campaign = a_campaign(acme, PEOPLE[:1], STEPS)
    leave_database()
    path = f"/campaigns/{campaign.id}"
    first = web.get(path, htmx=True)
    assert "every 15s" in first.text
    assert web.get(path, htmx=True, If_None_Match=first.headers["ETag"]).status_code == 304
    assert "every 30s" in web.get("/campaigns").text
    assert "every 30s" in web.get(f"{path}/row", htmx=True).text
    campaigns.pause(acme, campaign.id)
    leave_database()
    again = web.get(path, htmx=True, If_None_Match=first.headers["ETag"])
    assert again.status_code == 200
    assert "every" not in again.text
    assert "every" not in web.get("/campaigns").text


def test_the_clock_is_skipped_ahead_in_the_background(web: Web, acme: Workspace) -> None:
    campaign = a_campaign(acme, PEOPLE[:1], STEPS)
    leave_database()
    answer = web.post("/sandbox/skip", hours=24, campaign=campaign.id, htmx=True)
    assert "Skipping ahead" in answer.text
    assert "every 1s" in answer.text
    assert skips.latest(acme).running  # type: ignore[union-attr]
    answer = web.post("/sandbox/skip", hours=24, campaign=campaign.id, htmx=True)
    assert answer.status_code == 409
    assert "The clock is already moving." in answer.text
    assert web.post("/sandbox/skip", hours="many").status_code == 400


def test_only_a_sandbox_has_a_clock_to_move(web: Web, acme: Workspace, db_session: Session) -> None:
    acme.sandbox = False
    db_session.commit()
    assert web.post("/sandbox/skip", hours=24).status_code == 303
    assert acme.clock_offset == 0
    assert "Only a sandbox workspace" in web.get("/campaigns").text


def test_people_are_filtered_by_state_and_words(web: Web, acme: Workspace, clock: Any) -> None:
    campaign = a_campaign(acme, PEOPLE[:3], STEPS)
    first = everyone(campaign)["person-0"]
    people.pause(acme, campaign.id, first.id)
    leave_database()
    base = f"/campaigns/{campaign.id}/people"
    assert listed(web, f"{base}?show=paused") == 1
    assert listed(web, f"{base}?show=pending&q=person-2") == 1
    assert "Nobody matches “zed”" in web.get(f"{base}?q=zed").text
    assert listed(web, f"{base}?show=nonsense&period=5&step=x&why=because") == 3
    assert web.get(f"{base}?cursor=nonsense").status_code == 400
    assert "Paused by somebody of this workspace." in web.get(f"{base}?show=paused").text


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
    answer = web.post(base, do=f"stop:{ids[2]}")
    assert "Stop 1 person?" in answer.text
    assert web.post(base, do="stop", person=ids[2], sure="1").status_code == 303
    assert everyone(campaign)["person-2"].state == "stopped"
    answer = web.post(base, do=f"pause:{ids[2]}", htmx=True)
    assert answer.status_code == 409
    assert "This person is stopped and cannot be paused." in answer.text


def test_a_person_has_a_page_with_past_and_future(web: Web, acme: Workspace, clock: Any) -> None:
    campaign = a_campaign(acme, ["accepts-ada", "refuses-eve"], STEPS)
    forward(acme, hours=30)
    found = everyone(campaign)
    base = f"/campaigns/{campaign.id}/people"
    page = web.get(f"{base}/{found['accepts-ada'].id}").text
    assert "viewed" in page
    assert "invited" in page
    assert "What comes next" in page
    assert "Hi Ada" in page
    page = html.unescape(web.get(f"{base}/{found['refuses-eve'].id}").text)
    assert found["refuses-eve"].error in page
    assert "What comes next" not in page


def test_the_log_is_loaded_on(web: Web, acme: Workspace, clock: Any) -> None:
    campaign = a_campaign(acme, PEOPLE, STEPS, senders=2)
    forward(acme, days=3)
    leave_database()
    page = web.get(f"/campaigns/{campaign.id}/activity").text
    assert page.count('class="at num"') == 50
    more = html.unescape(re.search(r'href="([^"]+cursor=[^"]+)"', page)[1])  # type: ignore[index]
    older = web.get(more, htmx=True).text
    assert "<html" not in older
    assert 'class="at num"' in older
    assert " invited <a" in page
    assert " invited <a" not in web.get(f"/campaigns/{campaign.id}/activity?kind=reactions").text
    assert web.get(f"/campaigns/{campaign.id}/activity?cursor=x").status_code == 400


def test_a_campaign_is_renamed_copied_and_deleted(web: Web, acme: Workspace) -> None:
    campaign = a_campaign(acme, PEOPLE[:1], STEPS)
    leave_database()
    path = f"/campaigns/{campaign.id}"
    assert web.post(f"{path}/settings", name="").status_code == 422
    assert web.post(f"{path}/settings", name="<b>Bold</b>").status_code == 303
    assert "<b>Bold" not in web.get(path).text
    copy = web.post(f"{path}/duplicate").location
    assert "Copy of &lt;b&gt;Bold&lt;/b&gt;" in web.get(copy).text
    assert web.post(f"{path}/delete").status_code == 409
    assert web.post(f"{path}/cancel").status_code == 303
    assert web.post(f"{path}/delete").status_code == 303
    assert web.get(path).status_code == 404


def test_campaigns_are_filtered_and_loaded_on(web: Web, acme: Workspace) -> None:
    list_id = a_list(acme, PEOPLE[:1])
    sender = accounts.every(acme)[0].id
    for number in range(27):
        campaigns.create(acme, name=f"No {number}", list_id=list_id, account_ids=[sender], sequence=[INVITE])
    leave_database()
    page = web.get("/campaigns").text
    assert page.count('<tr role="row" id="campaign-') == 25
    more = html.unescape(re.search(r'href="([^"]+cursor=[^"]+)"', page)[1])  # type: ignore[index]
    assert web.get(more, htmx=True).text.count('<tr role="row" id="campaign-') == 2
    assert "No campaign is running" in web.get("/campaigns?status=running").text


def test_a_sender_in_trouble_is_named_with_those_who_wait(
    web: Web, acme: Workspace, db_session: Session, clock: Any
) -> None:
    campaign = a_campaign(acme, PEOPLE[:4], STEPS, senders=2)
    account = accounts.every(acme)[1]
    account.status = "challenged"
    db_session.commit()
    page = web.get(f"/campaigns/{campaign.id}").text
    assert f"{account.name} needs a security check." in page
    assert "2 people wait; the other sender goes on." in page
    assert listed(web, f"/campaigns/{campaign.id}/people?why=account_challenged") == 2


def test_a_stranger_finds_nothing(stranger: Web, web: Web, acme: Workspace, rival: Workspace, clock: Any) -> None:
    campaign = a_campaign(acme, PEOPLE[:2], STEPS, senders=3)
    theirs = a_campaign(rival, PEOPLE[:2], STEPS)
    person = everyone(campaign)["person-0"].id
    base = f"/campaigns/{campaign.id}"
    for path in ("", "/row", "/edit", "/people", f"/people/{person}", "/sequence", "/activity", "/settings"):
        assert stranger.get(base + path).status_code == 404, path
    for path in ("/start", "/pause", "/resume", "/cancel", "/duplicate", "/delete", "/settings", "/edit"):
        assert stranger.post(base + path, name="Mine").status_code == 404, path
    assert stranger.post(f"/campaigns/{theirs.id}/people", do=f"stop:{person}", sure="1", htmx=True).status_code == 409
    assert stranger.get(f"/campaigns/{theirs.id}/people/{person}").status_code == 404
    assert everyone(campaign)["person-0"].state == "pending"
    assert campaign.name in web.get("/campaigns").text


def test_a_reviewer_looks_and_changes_nothing(web: Web, acme: Workspace, db_session: Session) -> None:
    campaign = a_campaign(acme, PEOPLE[:1], STEPS)
    db_session.query(Membership).filter_by(workspace_id=acme.id).update({"role": "reviewer"})
    db_session.commit()
    page = web.get(f"/campaigns/{campaign.id}").text
    assert "/pause" not in page
    assert "Skip a day" not in page
    assert "Stop " not in web.get(f"/campaigns/{campaign.id}/people").text
    for path in (
        "/campaigns/new",
        f"/campaigns/{campaign.id}/pause",
        f"/campaigns/{campaign.id}/people",
        "/sandbox/skip",
    ):
        assert web.post(path).status_code == 403, path


def test_e_mail_campaigns_count_messages(web: Web, acme: Workspace, clock: Any) -> None:
    campaign = a_campaign(acme, PEOPLE[:2], [email()], senders=3)
    forward(acme, days=1)
    leave_database()
    page = web.get(f"/campaigns/{campaign.id}").text
    assert "Messages sent" in page
    assert "Accepted" not in page.split("People by state")[0]
