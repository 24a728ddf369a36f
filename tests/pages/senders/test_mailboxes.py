"""Connecting a mailbox by hand, giving it another login, and looking at its domain."""

import re

import pytest
from flask import Flask

from app import ports
from app.domain.senders import accounts
from app.domain.workspace import workspaces
from app.models.workspaces import Workspace
from app.providers.dns import Dns
from tests.api.test_senders import names, servers
from tests.conftest import PASSWORD
from tests.pages.conftest import Web, must_have, signed_in
from tests.providers.mail.mailservers import Servers
from tests.providers.nameserver import Nameserver
from tests.support.movable import Movable

__all__ = ["names", "servers"]


@pytest.fixture
def live(app: Flask) -> Workspace:
    """A workspace that reaches real people."""
    return workspaces.create("Live", "lea@live.example", PASSWORD)


@pytest.fixture
def web(app: Flask, live: Workspace) -> Web:
    """Its owner, signed in."""
    return signed_in(app, "lea@live.example")


def form(servers: Servers, **changed: str) -> dict[str, str]:
    """What is filled in."""
    ports_of = {"smtpPort": str(servers.smtp_port), "imapPort": str(servers.imap_port)}
    given = {"kind": "email", "name": "Ines Duarte", "address": "ines@acme.com", "timezone": "UTC", "auth": "password"}
    return (
        given | ports_of | {"smtpHost": "127.0.0.1", "imapHost": "127.0.0.1", "password": "canary password"} | changed
    )


def test_nothing_is_lost_but_secrets(web: Web, live: Workspace, servers: Servers, names: Nameserver) -> None:
    answer = web.post(
        "/senders", form(servers, password="canary-secret", clientId="an-id", refreshToken="canary-token")
    )
    must_have(answer, 422, "rejected this user name and password", "Enter passwords and keys again", without="canary")
    for kept in ("Ines Duarte", "ines@acme.com", "an-id", str(servers.smtp_port)):
        assert f'value="{kept}"' in answer.text
    assert accounts.every(live) == []
    answer = web.post("/senders", form(servers, smtpHost="", imapHost=""))
    must_have(answer, 422, "Enter the SMTP server", "We couldn't find the servers of", without='class="fold-out" open')
    answer = web.post("/senders", form(servers, address="", password="", smtpHost="", imapHost=""))
    must_have(answer, 422, "Enter an email address", "Enter the password.", without="Enter the SMTP server")


def test_an_unknown_user_name_is_marked_where_it_was_typed(web: Web, live: Workspace, servers: Servers) -> None:
    servers.post.replies["AUTH"] = "535 5.7.8 Unknown user"
    for username, marked in (("", "address"), ("ines", "username")):
        servers.post.username = username or "ines@acme.com"
        answer = web.post("/senders", form(servers, username=username))
        must_have(answer, 422, "127.0.0.1 rejected this user name: 5.7.8 Unknown user.")
        assert re.findall(r'id="f-(\w+)"[^>]*aria-invalid="true"', answer.text) == [marked]


def test_microsoft_is_named_with_the_way_to_its_sign_in(web: Web, live: Workspace, names: Nameserver) -> None:
    names.records[("acme.com", "MX")] = ["0 acme-com.mail.protection.outlook.com."]
    for address in ("ines@outlook.com", "ines@acme.com"):
        shown = web.get(f"/senders/new?address={address}")
        must_have(shown, "Microsoft needs its own sign-in", without="Create an app password at")
    must_have(web.get("/senders/new?address=ines@gmail.com"), "Create an app password at", without="needs its own")


def test_the_servers_that_did_not_answer_are_shown(web: Web, live: Workspace, servers: Servers) -> None:
    answer = web.post("/senders", form(servers, address="ines@outlook.com", smtpHost="", imapHost="no.invalid"))
    must_have(answer, 422, 'value="smtp.office365.com"', 'value="no.invalid"', without="find the servers of")


def test_a_mailbox_gets_another_login_once_it_was_tested(
    web: Web, live: Workspace, stranger: Web, servers: Servers
) -> None:
    web.post("/senders", form(servers))
    [made] = accounts.every(live)
    path = f"/senders/{made.id}/login"
    must_have(web.get(path), f'value="{servers.imap_port}"', without="canary")
    servers.post.password = "another"
    assert web.post(path, form(servers)).status_code == 422
    assert web.post(path, form(servers, password="another")).status_code == 303
    assert stranger.get(path).status_code == stranger.post(path, form(servers)).status_code == 404


def test_the_domain_is_looked_at_again(web: Web, live: Workspace, servers: Servers, names: Nameserver) -> None:
    web.post("/senders", form(servers))
    [made] = accounts.every(live)
    assert web.post(f"/senders/{made.id}/records").status_code == 303
    shown = web.get(f"/senders/{made.id}").text
    assert "acme.com has no SPF record." in shown
    assert "No DKIM key found under the usual names. Your key may have a different name." in shown
    assert "Check again" in shown
    names.silent = True
    ports.domain_records.connect(Dns(names.place, within=0.05))
    assert web.post(f"/senders/{made.id}/records").status_code == 303
    assert "could not be looked up" in web.get(f"/senders/{made.id}").text


def test_a_sandbox_mailbox_has_neither(app: Flask, acme: Workspace) -> None:
    web = signed_in(app, "ada@acme.example")
    mailbox = next(one for one in accounts.every(acme) if one.channel == "email")
    assert "Email deliverability" not in web.get(f"/senders/{mailbox.id}").text
    assert web.get(f"/senders/{mailbox.id}/login").status_code == 404
    assert web.post(f"/senders/{mailbox.id}/records").status_code == 404


def test_a_signature_is_saved_and_seen_and_other_replies_need_the_password(
    app: Flask, acme: Workspace, clock: Movable
) -> None:
    web = signed_in(app, "ada@acme.example")
    mailbox = next(one for one in accounts.every(acme) if one.channel == "email")
    place = f"/senders/{mailbox.id}"
    assert web.post(f"{place}/signature", signature="**Ines** <Acme>").status_code == 303
    must_have(web.get(place), "<strong>Ines</strong> &lt;Acme&gt;", "Ines &lt;Acme&gt;</pre>")
    assert web.post(f"{place}/signature", signature="{{first_name}}").status_code == 422
    clock.forward(minutes=10)
    confirmation = web.post(f"{place}/signature", replyTo="desk@acme.example")
    must_have(confirmation, "password_again")
    web.post(f"{place}/signature", replyTo="desk@acme.example", password_again=PASSWORD)
    assert accounts.get(acme, mailbox.id).reply_to == "desk@acme.example"
    social = next(one for one in accounts.every(acme) if one.channel != "email")
    assert "<textarea" not in web.get(f"/senders/{social.id}").text
    assert web.post(f"/senders/{social.id}/signature", signature="x").status_code == 404
