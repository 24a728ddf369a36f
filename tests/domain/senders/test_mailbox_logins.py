"""How mailboxes sign in: servers that are found by the address, tokens that are kept sealed, and another login."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa
from flask import Flask
from pytest_httpserver import HTTPServer

from app import ports
from app.core.db import end_read, session
from app.core.errors import InvalidRequest
from app.domain.engine.inbound import poll
from app.domain.platform import secret_rotation
from app.domain.senders import accounts, mailbox_logins, provider_credentials
from app.domain.senders.mailbox_logins import Servers as Login
from app.models.accounts import Account, AccountStatus, MailboxLogin
from app.models.workspaces import Workspace
from app.providers.dns import Dns
from app.providers.http import HttpClient
from app.providers.json_api import JsonApi
from app.providers.mail import MailSystem
from app.providers.mail.connections import Rules
from app.providers.mail.tokens import Tokens
from tests.domain.engine.test_mailbox_campaign import connected, live, login, post
from tests.providers.mail.mailservers import Post, Servers
from tests.providers.mail.test_mail_tokens import Office
from tests.providers.nameserver import Nameserver
from tests.support.movable import Movable

__all__ = ["live", "post"]


@pytest.fixture
def names(app: Flask) -> Iterator[Nameserver]:
    """A name server that knows who takes the mail of two domains."""
    records = {
        ("founders.example", "MX"): ["1 aspmx.l.google.com."],
        ("tenants.example", "MX"): ["0 tenants-example.mail.protection.outlook.com."],
        ("lonely.example", "MX"): ["0 mail.lonely.example.", "9 notgoogle.com."],
    }
    running = Nameserver(records)
    ports.domain_records.connect(Dns(running.place, within=30))
    yield running
    running.close()


@pytest.fixture
def office(app: Flask, httpserver: HTTPServer, post: Post) -> Office:
    """Where tokens come from; mailboxes take nothing else."""
    api = JsonApi(HttpClient(allow_private=True, plain=True), "Google", httpserver.url_for(""))
    ports.connect({"smtp": MailSystem(Rules(allow_private=True), tokens=Tokens(api, api), whole_call=30)})
    post.token = "none yet"
    return Office(httpserver, post)


def test_servers_follow_from_the_address_unless_given(names: Nameserver) -> None:
    """Or from who takes its domain's mail; a name server that is silent guesses nothing, and the form asks."""
    for address, smtp, imap in (
        ("ines@gmail.com", "smtp.gmail.com", "imap.gmail.com"),
        ("ines@founders.example", "smtp.gmail.com", "imap.gmail.com"),
        ("ines@tenants.example", "smtp.office365.com", "outlook.office365.com"),
        ("ines@lonely.example", "", ""),
        ("ines@nowhere.example", "", ""),
        ("", "", ""),
    ):
        found = Login("", "", address, "x").completed(address)
        assert (found.smtp_host, found.imap_host) == (smtp, imap), address
        given = Login("smtp.mine.example", "", address, "x", smtp_port=465).completed(address)
        assert (given.smtp_host, given.smtp_port, given.imap_host) == ("smtp.mine.example", 465, imap)
    names.silent = True
    ports.domain_records.connect(Dns(names.place, within=0.05))
    found = Login("", "", "ines", "x").completed("ines@founders.example")
    assert [path for path, _ in found.problems()] == ["smtpHost", "imapHost"]


def test_what_is_missing_or_refused_is_named_at_its_field(servers: Servers, live: Workspace, office: Office) -> None:
    outlook = {"auth": "microsoft", "client_id": "x", "refresh_token": "y"}
    for changed, paths in (
        ({"auth": "magic"}, ["auth"]),
        ({"auth": "google"}, ["clientId", "refreshToken", "clientSecret"]),
        (outlook, []),
        (outlook | {"tenant": "a/../b"}, ["tenant"]),
        (outlook | {"refresh_token": "y\n"}, ["refreshToken"]),
        ({"password": ""}, ["password"]),
    ):
        assert [path for path, _ in login(servers, **changed).problems()] == paths
    for status, error, field in ((400, "invalid_grant", "refreshToken"), (401, "invalid_client", "clientId")):
        office.refuse = status, {"error": error}
        with pytest.raises(InvalidRequest) as refusal:
            by_token(live, servers)
        assert [one.path for one in refusal.value.fields] == [field]
        assert session().scalars(sa.select(MailboxLogin)).all() == []


def by_token(live: Workspace, servers: Servers) -> Account:
    """The mailbox of Ines, which signs in with a token."""
    given = {"auth": "google", "client_id": "an id", "client_secret": "a secret", "refresh_token": "a refresh token"}
    return connected(live, servers, **given)


def test_tokens_are_sealed_and_a_replaced_one_is_kept(live: Workspace, servers: Servers, office: Office) -> None:
    """All but what may be shown; it is replaced when connecting, and later from whichever thread used it."""
    office.renewed = "the second"
    mailbox = by_token(live, servers)
    kept = session().scalars(sa.select(MailboxLogin)).one()
    assert not any(secret in (kept.sealed or b"") for secret in (b"the second", b"a secret"))
    assert not {"refresh_token", "client_secret", "password"} & set(kept.settings)
    assert mailbox_logins.credentials_for(mailbox.id)["refresh_token"] == "the second"
    assert mailbox_logins.public_settings(mailbox.id)["client_id"] == "an id"
    known = provider_credentials.to_account_ref(mailbox, live.now())
    assert "the second" not in repr(known)
    assert [one.shut for one in secret_rotation.rotate() if one.column == "mailbox_login.sealed"] == [0]
    office.renewed = "the third"
    end_read()
    with ThreadPoolExecutor(1) as pool:
        pool.submit(ports.sender("smtp").status, known).result()
    session().expire_all()
    assert mailbox_logins.credentials_for(mailbox.id)["refresh_token"] == "the third"
    assert mailbox_logins.credentials_for(mailbox.id)["client_secret"] == "a secret"


def test_an_ended_sign_in_stops_the_mailbox(live: Workspace, servers: Servers, office: Office, clock: Movable) -> None:
    """It says what to do, and goes on with another token."""
    mailbox = by_token(live, servers)
    clock.forward(hours=2)
    office.refuse = 400, {"error": "invalid_grant"}
    poll.poll_due()
    stopped = accounts.get(live, mailbox.id)
    assert stopped.status == AccountStatus.DISCONNECTED
    assert "Allow access again" in stopped.status_reason
    office.refuse = None
    given = {"auth": "google", "client_id": "an id", "client_secret": "a secret", "refresh_token": "another"}
    assert accounts.renew_login(live, mailbox.id, login(servers, **given)).status == AccountStatus.CONNECTED
    assert mailbox_logins.credentials_for(mailbox.id)["refresh_token"] == "another"


def test_another_login_is_tried_and_then_kept(live: Workspace, servers: Servers, post: Post) -> None:
    """A wrong one changes nothing."""
    mailbox = connected(live, servers)
    post.password = "another app password"
    with pytest.raises(InvalidRequest) as refusal:
        accounts.renew_login(live, mailbox.id, login(servers, password="wrong"))
    assert [one.path for one in refusal.value.fields] == ["password"]
    assert mailbox_logins.credentials_for(mailbox.id)["password"] == "an app password"
    accounts.renew_login(live, mailbox.id, login(servers, password="another app password"))
    assert mailbox_logins.credentials_for(mailbox.id)["password"] == "another app password"
