"""Building a campaign: what is saved, where problems stand, and what the buttons of the form do without saving."""

import html
import re
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from app.core.db import end_read, session, transaction
from app.domain.campaigns import campaigns
from app.domain.people.exclusions import never_contact
from app.domain.senders import accounts
from app.models.campaigns import Campaign
from app.models.platform.audit import AuditEntry
from app.models.workspaces import Workspace
from tests.domain.outreach import a_list
from tests.pages.conftest import Web, found_in, must_have

PEOPLE = ["person-1", "person-2", "person-3"]


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


def test_the_form_makes_a_draft_with_its_steps_and_hours(web: Web, acme: Workspace, clock: Any) -> None:
    list_id = a_list(acme, PEOPLE[:3])
    end_read()
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
    must_have(page, "A draft. Nothing is sent until you start it.", "Mon–Wed, 10:00–16:00 (Europe/Berlin)")
    assert web.post(f"{answer.location}/start").status_code == 303
    must_have(web.get(answer.location), "Running", "Day 1, since 2 Mar", "No one contacted yet.")


def test_a_test_saves_the_draft_that_is_tested(web: Web, acme: Workspace, clock: Any) -> None:
    list_id = a_list(acme, PEOPLE[:1])
    end_read()
    must_have(web.get("/campaigns/new"), 'value="test:2"')
    answer = web.post("/campaigns/new", form(acme, list_id, do="test:2"))
    assert re.fullmatch(r"/campaigns/\d+/steps/2/test", answer.location)
    must_have(web.get(answer.location), "Hello")


def test_a_draft_saves_itself_before_it_is_finished(web: Web, acme: Workspace, clock: Any) -> None:
    """The first time makes the draft, the next ones change it; its start asks for what is not written yet."""
    given = form(acme, a_list(acme, PEOPLE[:3]), **{"do": "keep", "name": " ", "sequence[1].message": ""})
    web.post("/settings/workspace", workspace="Acme", timezone="Asia/Tokyo")
    end_read()
    kept = web.post("/campaigns/new", given, htmx=True)
    [draft] = session().scalars(sa.select(Campaign)).all()
    there = acme.now().astimezone(ZoneInfo("Asia/Tokyo"))
    must_have(kept, f"Saved {there:%H:%M}", f'name="draft" id="draft" value="{draft.id}"')
    assert kept.headers["HX-Replace-Url"] == f"/campaigns/{draft.id}/edit"
    assert (draft.name, draft.sequence[1].get("message", "")) == ("New campaign", "")
    for page in ("", "/edit", "/forecast"):
        assert web.get(f"/campaigns/{draft.id}{page}").status_code == 200
    must_have(web.post(f"/campaigns/{draft.id}/start"), 422, "Write the text of this step.")
    written = given | {"draft": draft.id, "name": "Spring", "sequence[0].message": "Hello"}
    must_have(web.post("/campaigns/new", written, htmx=True), "Saved ")
    must_have(web.post("/campaigns/new", written | {"do": "save"}, htmx=True), 422, "Write the text of this step.")
    must_have(web.post("/campaigns/new", written | {"listId": ""}, htmx=True), "Not saved. List: Choose a list.")
    must_have(web.post("/campaigns/new", written | {"sequence[0].message": "{{a"}, htmx=True), "Not saved. Step 1: ")
    [draft] = session().scalars(sa.select(Campaign)).all()
    assert (draft.name, draft.sequence[0]["message"], draft.status) == ("Spring", "Hello", "draft")
    logged = session().scalars(sa.select(AuditEntry.kind).where(AuditEntry.kind.startswith("campaign."))).all()
    assert logged == ["campaign.created", "campaign.edited"], "a text alone is not an entry"


def test_a_campaign_on_its_way_does_not_save_itself(web: Web, acme: Workspace, clock: Any) -> None:
    list_id = a_list(acme, PEOPLE[:3])
    end_read()
    own = web.post("/campaigns/new", form(acme, list_id)).location
    web.post(f"{own}/start")
    must_have(web.get(f"{own}/sequence/edit"), "Save changes", without='id="saved"')
    given = form(acme, list_id, do="keep", name="Other")
    must_have(web.post(f"{own}/edit", given, htmx=True), "Not saved. ")
    assert campaigns.get(acme, int(own.rpartition("/")[2])).name == "New heads of support"


def test_the_steps_say_what_happens_to_those_who_do_not_accept(web: Web, acme: Workspace) -> None:
    given = form(acme, a_list(acme, PEOPLE[:3]), **{"sequence[0].withdraw": "14"})
    page = web.post("/campaigns/new", given | {"do": "preview"})
    must_have(page, "Not accepted: ends after 14 days.", 'value="split:1"')
    must_have(web.post("/campaigns/new", given | {"do": "split:1"}), "Did not accept", without="Not accepted: ends")
    later = given | {"do": "preview", "sequence[1].type": "email", "sequence[1].subject": "Hello"}
    must_have(web.post("/campaigns/new", later), without="Not accepted: ends")


def test_a_wait_may_be_a_fraction(web: Web, acme: Workspace, clock: Any) -> None:
    list_id = a_list(acme, PEOPLE[:1])
    end_read()
    answer = web.post("/campaigns/new", form(acme, list_id, **{"sequence[1].delay.value": "1.5"}))
    made = int(answer.location.rpartition("/")[2])
    assert campaigns.get(acme, made).sequence[1]["delay"] == {"value": 1.5, "unit": "days"}
    assert "+1.5 days" in web.get(answer.location).text
    assert 'name="sequence[1].delay.value" value="1.5"' in web.get(f"{answer.location}/edit").text


def test_a_problem_stands_at_its_field(web: Web, acme: Workspace) -> None:
    for changed, place, sentence in [
        ({"name": " "}, "f-name", "Enter a name of 1 to 200 characters."),
        ({"listId": ""}, "f-listId", "Choose a list."),
        ({"accountIds": []}, "f-accountIds", "Choose at least one sender."),
        ({"accountIds": ["999"]}, "sender-999", "Account not found in this workspace."),
        ({"sequence[0].message": "{{nickname}}"}, "text-aaaaaaaa", "Unknown variable {{nickname}}."),
        ({"sequence[1].delay.value": "-1"}, "wait-bbbbbbbb-value", "Use a number from 0 to 365."),
        ({"sequence[1].delay.value": str(2**63 - 1)}, "wait-bbbbbbbb-value", "Use a number from 0 to 365."),
        ({"sequence[1].delay.unit": "weeks"}, "wait-bbbbbbbb-unit", "Use hours or days."),
        (
            {"sequence[0].type": "view_profile", "sequence[0].message": ""},
            "step-bbbbbbbb",
            "Add a connection request before this message. Only connections can be messaged.",
        ),
        ({"schedule.days": []}, "f-schedule-days", "Choose at least one day."),
        ({"schedule.endTime": "10:00"}, "f-schedule-endTime", "must differ from the start"),
        ({"schedule.timezone": "Mars"}, "f-schedule-timezone", "IANA time zone"),
        ({"schedule.startDate": "soon"}, "f-schedule-startDate", "Use a date"),
        ({"schedule.startDate": "0001-01-01"}, "f-schedule-startDate", "Use a date"),
        ({"schedule.endDate": "9999-12-31"}, "f-schedule-endDate", "Use a date"),
        ({"schedule.startDate": "2026-05-02", "schedule.endDate": "2026-05-01"}, "f-schedule-endDate", "later than"),
    ]:
        list_id = a_list(acme, PEOPLE[:1])
        end_read()
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
    return list(session().scalars(campaigns.page(workspace)))


def test_a_list_of_another_workspace_is_no_list(web: Web, acme: Workspace, rival: Workspace) -> None:
    theirs = a_list(rival, PEOPLE[:1])
    end_read()
    assert "List not found in this workspace." in web.post("/campaigns/new", form(acme, theirs)).text
    assert web.post("/campaigns/new", form(acme, theirs, accountIds=[accounts.every(rival)[0].id])).status_code == 422
    assert "Heads" not in web.get(f"/campaigns/new?list={theirs}").text


def test_a_removed_step_can_be_put_back(web: Web, acme: Workspace) -> None:
    page = web.post("/campaigns/new", form(acme, 0, do="remove:2")).text
    removed = html.unescape(re.search(r'name="removed" value="([^"]+)"', page)[1])  # type: ignore[index]
    fields = {name: value for name, value in form(acme, 0).items() if not name.startswith("sequence[1]")}
    page = web.post("/campaigns/new", fields | {"do": "restore", "removed": removed}).text
    assert "Hello" in page
    assert re.findall(r'name="sequence\[\d+\]\.key" value="(\w+)"', page) == ["aaaaaaaa", "bbbbbbbb"]
    for odd in ('{"at": 1}', '{"at": 1e400}', '{"at": 9999999999999999999, "type": "message"}', "[" * 99999):
        assert web.post("/campaigns/new", fields | {"do": "restore", "removed": odd}).status_code == 200
    for do, order in [
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
    ]:
        answer = web.post("/campaigns/new", form(acme, 0, do=do))
        assert answer.status_code == 200
        assert re.findall(r'name="sequence\[\d+\]\.type" value="(\w+)"', answer.text) == order
        assert campaigns_of(acme) == []


def test_a_draft_is_edited_as_it_was_saved(web: Web, acme: Workspace, clock: Any) -> None:
    list_id = a_list(acme, PEOPLE[:1])
    end_read()
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
    end_read()
    assert web.get(f"{made}/edit").location.endswith("/settings")
    assert web.post(f"{made}/edit", form(acme, list_id)).status_code == 409


def test_the_preview_is_of_a_person_of_the_list(web: Web, acme: Workspace) -> None:
    list_id = a_list(acme, ["x-ada", "x-bob", {"publicId": "nobody"}])
    end_read()
    fields = form(acme, list_id, **{"sequence[1].message": "Dear {{first_name}}"})
    page = html.unescape(web.post("/campaigns/preview", fields, htmx=True).text)
    must_have(page, "Dear Ada", "Step 2: 1 person has no first name", without="<html")
    bob = found_in(page, r'value="(\d+)">Bob')
    assert "Dear Bob" in web.post("/campaigns/preview", fields | {"preview": bob}, htmx=True).text
    blocked = never_contact.add(acme, [("person", "x-ada")]).ids
    end_read()
    assert "Dear Bob" in web.post("/campaigns/preview", fields, htmx=True).text, "Ada would not be written to"
    never_contact.remove(acme, blocked[0])
    for message, is_typed in (("Hi Bob, {{first_name}}", True), ("Hi {{first_name|Bob}}, Bobby", False)):
        given = fields | {"preview": bob, "sequence[1].message": message}
        page = html.unescape(web.post("/campaigns/preview", given, htmx=True).text)
        assert ("“Bob” is typed, so everyone gets it. Use First name instead." in page) == is_typed
    list_id = a_list(acme, ["x-ada"])
    end_read()
    message = {"sequence[1].message": "Dear {{first_name}}, {{custom.nope}}"}
    pressed = html.unescape(web.post("/campaigns/new", form(acme, list_id, do="preview", **message)).text)
    mine = pressed.partition('data-of="bbbbbbbb"')[2].partition("</section>")[0]
    assert "Dear Ada," in mine.partition("This message would be held")[0]
    typed = html.unescape(web.post("/campaigns/preview", form(acme, list_id, **message), htmx=True).text)
    must_have(
        typed,
        "Custom: nope and no fallback",
        'hx-target="#gist-bbbbbbbb" hx-swap="innerHTML">Dear Ada,',
        "People (1 person)",
    )
    mailbox = next(account for account in accounts.every(acme) if account.channel == "email")
    accounts.edit(acme, mailbox.id, signature="*Ines*")
    end_read()
    mail = {"sequence[1].type": "email", "sequence[1].message": "Dear **{{first_name}}**, **what** now?"}
    typed = html.unescape(web.post("/campaigns/preview", form(acme, list_id, **mail), htmx=True).text)
    must_have(typed, "<strong>Ada</strong>", "<em>Ines</em>", "what now?\n\nInes</pre>", ">Dear Ada, what now?</hx")
    must_have(web.post("/campaigns/new", form(acme, list_id, do="preview", **mail)), "**Bold**, lists and [links]")
    assert "Choose a list to preview" in web.post("/campaigns/preview", form(acme, 0, **message), htmx=True).text


def test_the_sentence_names_the_mailbox_that_sends_the_email_step(web: Web, acme: Workspace) -> None:
    social, mailbox = (
        next(one for one in accounts.every(acme) if one.channel == channel) for channel in ("social", "email")
    )
    given = form(acme, a_list(acme, PEOPLE), accountIds=[social.id])
    email = {"sequence[1].type": "email", "sequence[1].subject": "Hello"}
    senders = '<span class="vh">Senders: </span>'
    must_have(web.post("/campaigns/preview", given, htmx=True), f"{senders}{social.name}</button>")
    page = web.post("/campaigns/preview", given | email, htmx=True)
    must_have(page, f"{senders}{social.name} and {mailbox.address}</button>")


def test_a_list_of_addresses_opens_with_emails_and_says_what_a_step_lacks(web: Web, acme: Workspace) -> None:
    emails = a_list(acme, [{"email": "ada@x.example", "firstName": "Ada"}, {"email": "bo@x.example", "phone": "1"}])
    opened = web.get(f"/campaigns/new?list={emails}")
    must_have(opened, 'value="email"', "Each person takes at least", without='value="connection_request"')
    page = web.post("/campaigns/preview", form(acme, emails), htmx=True)
    must_have(page, "2 of 2 left out", "Add profile links, or email steps.", without="Each person takes")
    call = {"sequence[0].type": "task", "sequence[0].task": "call"}
    ring = {"sequence[0].when[0].is": "has_phone"}
    lacks = "1 person has no phone number"
    must_have(web.post("/campaigns/preview", form(acme, emails, **call), htmx=True), lacks)
    must_have(
        web.post("/campaigns/preview", form(acme, emails, **call, **ring), htmx=True),
        "Not sent to Ada. Only if the person has a phone number.",
        without=lacks,
    )


def test_everything_but_the_steps_is_a_sentence(web: Web, acme: Workspace) -> None:
    list_id = a_list(acme, PEOPLE)
    end_read()
    changed = {"approval": "1", "schedule.newPeoplePerDay": "15", "schedule.recipientTime": "1"}
    page = web.post("/campaigns/preview", form(acme, list_id, **changed), htmx=True).text
    line = re.sub(
        r"\s+",
        " ",
        re.sub(
            r"<span class=\"vh\">.*?</span>|<option value.*?</option>|<[^>]+>", "", page.partition('id="facts">')[2]
        ),
    )
    assert "Mon–Wed, 10:00–16:00, in each person&#39;s time zone, up to 15 new people a day. You" in line
    assert "No one left out yet." in line
    assert "takes at least 2 days." in line


def test_the_step_that_was_changed_is_open(web: Web, acme: Workspace) -> None:
    def opened(**changed: Any) -> str:
        return found_in(web.post("/campaigns/new", form(acme, 0, **changed)).text, r'panel step open" id="step-(\w+)"')

    assert opened(do="refresh") == "aaaaaaaa"
    assert opened(do="refresh", open="bbbbbbbb") == opened(do="remove:1", open="aaaaaaaa") == "bbbbbbbb"
    assert opened(do="down:1", open="bbbbbbbb") == "aaaaaaaa"
    assert (
        opened(**{"sequence[1].message": "{{nickname}}", "name": "Named", "listId": a_list(acme, PEOPLE[:1])})
        == "bbbbbbbb"
    )


def test_start_saves_first_and_real_people_are_asked_about(web: Web, acme: Workspace) -> None:
    list_id = a_list(acme, PEOPLE[:1])
    end_read()
    started = web.post("/campaigns/new", form(acme, list_id, do="start")).location
    assert campaigns_of(acme)[0].status == "running"
    assert web.post("/campaigns/new", form(acme, list_id, do="start", name=" ")).status_code == 422
    with transaction() as current:
        current.merge(acme).sandbox = False
    asked = web.post("/campaigns/new", form(acme, list_id, do="start", name="Real")).location
    assert asked.endswith("?start=1")
    assert started != asked
    assert {one.name: one.status for one in campaigns_of(acme)}["Real"] == "draft"
    assert re.search(r'<dialog id="ask-start"[^>]* open>', web.get(asked).text)
