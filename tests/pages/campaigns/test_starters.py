"""The chooser of starter sequences in the editor, steps that are dragged, and variables by their names."""

import html
from html.parser import HTMLParser
from typing import Any

import pytest

from app.core.db import end_read, session, transaction
from app.domain.autopilot import templates
from app.domain.campaigns import campaigns, starters
from app.domain.senders import accounts
from app.models.accounts import Channel
from app.models.autopilot import PlayTemplate
from app.models.campaigns import Campaign
from app.models.workspaces import Workspace
from app.pages.framework import words
from tests.domain.outreach import VIEW, a_campaign, a_list
from tests.pages.conftest import Web, must_have

pytestmark = pytest.mark.usefixtures("clock")
THREE = {
    "sequence[0].type": "connection_request",
    "sequence[0].key": "aaaaaaaa",
    "sequence[0].message": "Hi {{first_name|there}}",
    "sequence[1].type": "message",
    "sequence[1].key": "bbbbbbbb",
    "sequence[1].message": "One",
    "sequence[2].type": "message",
    "sequence[2].key": "cccccccc",
    "sequence[2].message": "Two",
}


class Fields(HTMLParser):
    """What a browser sends of the page's fields: by name, the last one typed or picked."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.sent: dict[str, Any] = {}
        self.name = self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        name, value = given.get("name") or "", given.get("value") or ""
        if tag in ("textarea", "select"):
            self.name, self.text = name, ""
        elif tag == "option" and "selected" in given:
            self.sent[self.name] = value
        elif tag == "input" and name and (given.get("type") not in ("checkbox", "radio") or "checked" in given):
            self.sent[name] = [*self.sent.get(name, []), value] if name in ("accountIds", "schedule.days") else value

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self.sent[self.name] = self.text.removeprefix("\n")


def page_after(web: Web, do: str, **fields: Any) -> str:
    return html.unescape(web.post("/campaigns/new", {"do": do} | fields, htmx=True).text)


def test_an_empty_draft_offers_every_starter_as_one_person_gets_it(web: Web, acme: Workspace) -> None:
    mailboxes = [one for one in accounts.every(acme) if one.channel == Channel.EMAIL]
    for one in mailboxes:
        accounts.edit(acme, one.id, active=False)
    page = html.unescape(web.get("/campaigns/new").text)
    for one in starters.every():
        assert f'value="starter:{one.key}"' in page
        assert all(reason in page for reason in one.reasons)
    assert "Hi Ada, I have a question about your work at Acme. Shall we connect?" in page
    assert page.count("Connect a mailbox first") == 3
    assert "no recent hiring signals" in page
    assert 'id="starters"' not in page_after(web, "refresh", **THREE)
    for one in accounts.every(acme):
        accounts.edit(acme, one.id, active=False)
    assert "\n\nYour name" in html.unescape(web.get("/campaigns/new").text)


def test_with_mailboxes_alone_a_campaign_begins_with_emails_and_what_needs_linkedin_comes_last(
    web: Web, acme: Workspace
) -> None:
    mailbox, *_ = [one.id for one in accounts.every(acme) if one.channel == Channel.EMAIL]
    for one in accounts.every(acme):
        accounts.edit(acme, one.id, active=one.id == mailbox)
    page = web.get("/campaigns/new").text
    sent = Fields(page).sent
    assert [sent[f"sequence[{number}].type"] for number in (0, 1)] == ["email", "email"]
    assert sent["accountIds"] == [str(mailbox)]
    ready, *others = page.split('<details id="starter-')[1:]
    assert ready.startswith("email-three")
    assert all("Needs LinkedIn" in one for one in others)


def test_a_starter_becomes_the_steps_of_the_draft(web: Web, acme: Workspace) -> None:
    fresh = Fields(web.get("/campaigns/new").text).sent | {"accountIds": []}
    page = web.post("/campaigns/new", fresh | {"do": "starter:invite-or-email", "topic": "invoice processing"}).text
    must_have(page, "Two paths", "I work on invoice processing and would like", without='id="starters"')
    sent = Fields(page).sent | {"do": "save", "name": "Either", "listId": a_list(acme, ["accepts-ada"])}
    end_read()
    assert web.post("/campaigns/new", sent).status_code == 303
    (campaign,) = session().query(Campaign).filter_by(workspace_id=acme.id)
    one = next(one for one in starters.every("invoice processing") if one.key == "invite-or-email")
    assert [step["type"] for step in campaign.sequence] == one.kinds
    assert [step.get("message", "") for step in campaign.sequence] == [step["message"] for step in one.sequence]
    assert len(campaign.branches or ()) == 1
    assert campaign.mailbox_ids
    assert campaign.account_ids


def test_a_starter_never_takes_a_text_away_and_a_wrong_topic_is_said(web: Web) -> None:
    assert "One" in page_after(web, "starter:email-three", **THREE)
    page = page_after(web, "starter:email-three", topic="{{first_name}}")
    must_have(page, "without braces", 'value="starter:email-three"')
    assert 'id="starters"' in page_after(web, "starter:another")


def test_a_saved_sequence_begins_the_next_campaign(web: Web, acme: Workspace) -> None:
    """From a campaign in any state, or from a play; what is deleted is offered no more."""
    listed = a_list(acme, ["accepts-ada"])
    sender = next(one.id for one in accounts.every(acme) if one.channel == Channel.SOCIAL)
    split = [{"at": 1, "otherwise": 2, "join": 2, "when": {"is": "has_email"}}]
    first = a_campaign(acme, listed, [VIEW, {"type": "follow"}], senders=[sender], branches=split)
    play = {"kind": "invite", "text": "From a play", "after": "previous", "delay": {"count": 0, "unit": "days"}}
    with transaction() as current:
        kept = {"name": "Of a play", "channel": "social", "steps": [play], "created_at": acme.now()}
        saved = PlayTemplate(workspace_id=acme.id, **kept)
        current.add(saved)
        current.flush()
        of_play = saved.id
    end_read()
    must_have(web.get(f"/campaigns/{first.id}").text, "Save as template")
    assert web.post(f"/campaigns/{first.id}/template", {"name": "Good one"}).status_code == 303
    (of_first,) = [one.id for one in templates.sequences(acme)]
    end_read()
    page = html.unescape(web.get("/campaigns/new").text)
    assert page.index("Good one") < page.index("Of a play") < page.index("Connection request only")
    must_have(web.get(f"/campaigns/new?starter=play-template-{of_play}").text, "From a play", without='id="starters"')
    page = web.get(f"/campaigns/new?starter=template-{of_first}").text
    must_have(page, "Two paths", "Has an email address")
    sent = Fields(page).sent | {"do": "save", "name": "Next", "listId": listed, "accountIds": [sender]}
    assert web.post("/campaigns/new", sent).status_code == 303
    newest = campaigns.newest(acme)[0]
    made = campaigns.get(acme, newest.id)
    assert (made.name, made.sequence, made.branches) == ("Next", first.sequence, split)
    end_read()
    must_have(web.get("/templates").text, "2 steps from a campaign", "Good one", "1 step from a play", "Of a play")
    assert web.post(f"/campaigns/templates/{of_first}/delete").status_code == 303
    assert f"starter:template-{of_first}" not in web.get("/campaigns/new").text


def test_a_step_is_taken_to_the_place_of_another(web: Web) -> None:
    def order(do: str) -> list[str]:
        page = page_after(web, do, **THREE)
        return sorted(["aaaaaaaa", "bbbbbbbb", "cccccccc"], key=lambda key: page.index(f'id="step-{key}"'))

    assert order("to:3:1") == ["cccccccc", "aaaaaaaa", "bbbbbbbb"]
    assert order("to:1:3") == ["bbbbbbbb", "cccccccc", "aaaaaaaa"]
    assert order("to:2:2") == order("to:1:9") == order("to:9:1") == ["aaaaaaaa", "bbbbbbbb", "cccccccc"]
    assert "Hi [First name]" in page_after(web, "refresh", **THREE)


def test_a_variable_is_read_and_written_by_its_name() -> None:
    for text, shown in [
        ("Hi {{first_name|there}}", "Hi [First name]"),
        ("{Hi|Hello} {{custom.deal_size}}", "[Hi / Hello] [Deal size]"),
        ("{{#if company_name}}at {{company_name}}{{else}}here{{/if}}", "[if company]at [Company][else]here[end]"),
        ("No variables", "No variables"),
    ]:
        assert words.readable(text) == shown
    for stored, edited in [
        ("Hi {{first_name|there}} of {{ company_name }}", "Hi {{First name|there}} of {{ Company }}"),
        (
            "{{#if company_name}}at {{company_name}}{{else}}here{{/if}}",
            "{{#if Company}}at {{Company}}{{else}}here{{/if}}",
        ),
        ("{{custom.deal_size}}, {{custom.dealSize}}", "{{Custom: deal size}}, {{Custom: dealSize}}"),
        ("{{custom.Deal size}}", "{{custom.Deal size}}"),
        (r"\{{first_name}} {Hi|Hello} {{nickname}}", r"\{{first_name}} {Hi|Hello} {{nickname}}"),
    ]:
        assert words.with_names(stored) == edited
        assert words.with_keys(edited) == words.with_keys(stored) == stored
    assert words.with_keys("{{FIRST NAME}}") == "{{first_name}}"
    assert words.by_names("No value for first_name.") == "No value for First name."
