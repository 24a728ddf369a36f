"""Going live from the dashboard: for owners only, within their own workspaces, and shown until it is done."""

import pytest
from flask import Flask
from selectolax.parser import HTMLParser

from app.core.db import end_read, session, transaction
from app.domain.installation.go_live import checklist, live_workspace
from app.domain.people.exclusions import never_contact
from app.domain.platform import jobs
from app.domain.workspace import workspaces
from app.models.accounts import Account
from app.models.workspaces import GoLive, Workspace
from tests.e2e.test_every_page import signed_in_client
from tests.pages.conftest import must_have
from tests.support.clients import Client

FORM = {"name": "Acme live", "timezone": "Europe/Berlin"}


@pytest.fixture
def owner(app: Flask, acme: Workspace) -> Client:
    """The owner of the sandbox, signed in."""
    return signed_in_client(app, "ada@acme.example")


def posted(client: Client, path: str, **fields: str) -> int:
    page = client.get("/")
    token = HTMLParser(page.text).css_first("meta[name=csrf]")
    assert token
    end_read()
    return int(client.post(path, data={"csrf_token": token.attributes["content"], **fields}).status_code)


def live_of(acme: Workspace) -> tuple[Workspace, GoLive]:
    found = live_workspace.beside(session().get_one(Workspace, acme.id))
    assert found
    return found


def test_an_owner_makes_a_live_workspace_and_stands_in_it(owner: Client, acme: Workspace) -> None:
    never_contact.add(acme, ["rude@blocked.example"])
    assert "Ready for real people?" in owner.get("/").text
    assert posted(owner, "/go-live/workspace", **FORM) == 303
    page = owner.get("/go-live").text
    must_have(page, "Acme live", "Do-not-contact entries (1)")
    assert posted(owner, "/go-live/copy", parts="never_contact") == 303
    while jobs.run_due():
        pass
    live, run = live_of(acme)
    assert (run.state, run.error, run.copied) == ("done", "", {"never_contact": 1})
    line = HTMLParser(owner.get("/go-live").text).css_first("#go-copy")
    assert line
    assert "Copied: 1 do-not-contact entries" in line.text()
    assert posted(owner, "/go-live/copy/keep") == 303
    live, run = live_of(acme)
    assert run.state == "kept"
    must_have(owner.get("/"), "Finish going live", "steps done.")
    assert posted(owner, "/go-live/finish") == 303
    assert "Finish going live" not in owner.get("/").text
    assert never_contact.count(live) == 1


def test_a_name_is_not_used_twice(owner: Client, acme: Workspace) -> None:
    """So a second press of the button makes no second workspace."""
    assert posted(owner, "/go-live/workspace", **FORM) == 303
    assert posted(owner, "/go-live/workspace", **FORM) == 422
    assert len(workspaces.of_user(workspaces.user_of("ada@acme.example"))) == 2


def test_the_checklist_follows_what_is_there(owner: Client, acme: Workspace) -> None:
    posted(owner, "/go-live/workspace", **FORM)
    live, run = live_of(acme)
    ada = workspaces.user_of("ada@acme.example")
    for name in ("copy", "social", "mailbox"):
        checklist.skip(live, ada, name)
    checklist.confirm_limits(live, ada)
    assert not checklist.is_ready(checklist.items(live, run))
    checklist.skip(live, ada, "mailbox", on=False)
    with transaction() as current:
        mailbox = {"channel": "email", "provider": "smtp", "provider_ref": "ada@acme.example", "limits": {"email": 50}}
        current.add(
            Account(workspace_id=live.id, name="Ada", address="ada@acme.example", created_at=live.now(), **mailbox)
        )
    assert checklist.is_ready(checklist.items(live, live_of(acme)[1]))
    checklist.approve_first(live, ada, on=False)
    assert "Off. Campaigns without approval" in owner.get("/go-live").text
