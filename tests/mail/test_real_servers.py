"""Mailboxes against real Dovecot, Postfix and OpenDKIM: the contract of senders, and what only real servers do."""

import email
import json
import os
import smtplib
import ssl
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from email import policy
from email.message import EmailMessage
from typing import Any

import pytest
from flask import Flask
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from app import ports
from app.domain.engine import lifecycle, turns
from app.domain.engine.inbound import poll
from app.domain.engine.outbound import reconcile
from app.domain.people.exclusions import never_contact
from app.domain.senders import accounts, mailbox_logins
from app.domain.senders.mailbox_logins import Servers
from app.domain.workspace import workspaces
from app.models.campaigns import LeadState
from app.ports import (
    AccountRef,
    Bounced,
    File,
    Incoming,
    LoggedOut,
    Parties,
    Party,
    PersonRef,
    Received,
    Refused,
    SenderAction,
)
from app.providers.http import HttpClient
from app.providers.json_api import JsonApi
from app.providers.mail import MailSystem
from app.providers.mail.connections import Rules
from app.providers.mail.tokens import Tokens
from tests.conftest import PASSWORD as OWNERS
from tests.domain import outreach
from tests.mail import dkim
from tests.mail.daemons import INES, MAREK, PASSWORD, Daemons
from tests.providers.contract import SenderContract
from tests.support.movable import Movable
from tests.support.processes import free_port

ADA = PersonRef("ada", first_name="Ada", email="ada@people.example")
TAKEN = f"from=<{INES}>"  # a line of Postfix's log for each message of hers
GONE = PersonRef("gone", email="gone@people.example")


@pytest.fixture(scope="module")
def daemons() -> Iterator[Daemons]:
    running = Daemons(free_port)
    yield running
    running.close()


@pytest.fixture(autouse=True)
def empty(daemons: Daemons) -> None:
    """Mailboxes without mail."""
    daemons.empty()


@pytest.fixture
def network(app: Flask, daemons: Daemons) -> MailSystem:
    """The adapter, which trusts their certificate."""
    return MailSystem(trusting(daemons), base="https://overture.example", whole_call=30)


def trusting(daemons: Daemons) -> Rules:
    """Connections that take their certificate."""
    return Rules(allow_private=True, tls=lambda: ssl.create_default_context(cafile=daemons.folder / "cert.pem"))


@pytest.fixture
def account(daemons: Daemons) -> AccountRef:
    """The mailbox of Ines, now."""
    return AccountRef(
        1, 1, INES, "Inês Duarte", datetime.now(UTC).replace(microsecond=0), INES, settings=daemons.login()
    )


def action(person: PersonRef = ADA, token: str = "0" * 31 + "1", **more: Any) -> SenderAction:
    """An e-mail of a campaign."""
    given = {"text": "Dear Ada,\n.one dot\nGrüße", "subject": "Fünf Fragen", "way_out": "opaque"} | more
    return SenderAction("email", person, token, **given)


def writes(daemons: Daemons, text: str, **headers: str) -> None:
    """Ada writes to Ines, by way of Postfix."""
    given = {
        "From": "Ada <ada@people.example>",
        "To": INES,
        "Subject": "Re: Hi",
        "Content-Type": "text/plain; charset=utf-8",
    }
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in given.items())
    with smtplib.SMTP("127.0.0.1", daemons.ports["inward"]) as server:
        server.sendmail("ada@people.example", INES, f"{head}\r\n{text}\r\n".encode())


def heard(network: MailSystem, account: AccountRef, cursor: str, daemons: Daemons) -> list[Incoming]:
    """What came in, once something did."""
    daemons.arrived(INES)
    later = replace(account, at=datetime.now(UTC))
    return list(network.inbound(later, cursor).items)


class TestContract(SenderContract):
    """What every sender promises, of real servers."""

    kind = "email"

    @pytest.fixture
    def willing(self) -> PersonRef:
        """Someone with a mailbox."""
        return ADA

    @pytest.fixture
    def unwilling(self) -> PersonRef:
        """Someone whom Postfix refuses at once."""
        return PersonRef("nobody", email="nobody@people.example")

    def test_what_comes_in_comes_once_per_cursor(
        self, network: Any, account: AccountRef, willing: PersonRef, daemons: Daemons
    ) -> None:
        """The same cursor gives the same items again; the next one only what is new."""
        begun = network.inbound(account, "").cursor
        writes(daemons, "Yes, gladly.")
        daemons.arrived(INES)
        first = network.inbound(account, begun)
        assert [item.person for item in first.items] == [willing.email]
        assert network.inbound(account, begun) == first
        assert list(network.inbound(account, first.cursor).items) == []


def test_a_message_arrives_whole_and_signed(network: MailSystem, account: AccountRef, daemons: Daemons) -> None:
    """Both parts, its name, the way out, and OpenDKIM's signature over all of it; the copy is no draft any more."""
    done = network.act(account, action())
    [raw] = daemons.arrived("ada@people.example")
    message = email.message_from_bytes(raw, policy=policy.default)
    assert message["Message-ID"] == done.ref
    assert message.get_body(("plain",)).get_content().rstrip() == "Dear Ada,\n.one dot\nGrüße"  # type: ignore[attr-defined]
    assert "Grüße</div>" in message.get_body(("html",)).get_content()  # type: ignore[attr-defined]
    assert "<https://overture.example/u/opaque>" in message["List-Unsubscribe"]
    ours = raw[raw.index(b"DKIM-Signature") :]
    assert {"list-unsubscribe", "list-unsubscribe-post"} <= {*dkim.verified(ours, daemons.key.public_key())}
    [copy] = (daemons.folder / "mail" / INES / ".Sent" / "cur").glob("*")
    assert copy.name.endswith(":2,S")


def test_a_file_goes_to_everyone_and_a_large_one_comes_back_whole(
    network: MailSystem, account: AccountRef, daemons: Daemons
) -> None:
    begun, large = network.inbound(account, "").cursor, os.urandom(3_000_000)
    files = [File("offer.pdf", "application/pdf", len(large), large)]
    network.act(account, action(cc=[Party("Marek", MAREK)], files=files))
    for who in ("ada@people.example", MAREK):
        message = email.message_from_bytes(daemons.arrived(who)[0], policy=policy.default)
        assert [one.get_content() for one in message.iter_attachments()] == [large]  # type: ignore[attr-defined]
    answer = EmailMessage(policy=policy.SMTP)
    answer["From"], answer["To"], answer["Cc"] = "Ada <ada@people.example>", INES, f"Marek <{MAREK}>"
    answer["Subject"], answer["In-Reply-To"] = "Re: Hi", message["Message-ID"]
    answer.set_content("Yes, gladly.")
    answer.add_attachment(large, maintype="image", subtype="png", filename="plan.png")
    with smtplib.SMTP("127.0.0.1", daemons.ports["inward"]) as server:
        server.send_message(answer, to_addrs=[INES])
    [item] = heard(network, account, begun, daemons)
    assert isinstance(item, Received)
    assert [one.content for one in item.files] == [large]
    assert item.parties == Parties(Party("Ada", "ada@people.example"), [Party("", INES)], [Party("Marek", MAREK)])


def test_a_bounce_of_postfix_is_final(network: MailSystem, account: AccountRef, daemons: Daemons) -> None:
    """Taken first and given back later, with our name of it inside."""
    begun = network.inbound(account, "").cursor
    network.act(account, action(GONE))
    [item] = heard(network, account, begun, daemons)
    assert isinstance(item, Bounced)
    assert (item.person, item.token, item.final) == (GONE.email, action().token, True)


def test_a_vacation_of_sieve_is_automatic(network: MailSystem, account: AccountRef, daemons: Daemons) -> None:
    """It answers a letter written by hand by its name, is no one's, and says when they are back."""
    daemons.is_away("ada@people.example", "I am out of the office until 16 March.")
    begun = network.inbound(account, "").cursor
    network.act(account, action(way_out=""))
    [item] = heard(network, account, begun, daemons)
    assert isinstance(item, Received)
    assert (item.automatic, item.token, item.subject) == (True, action().token, "Away")
    assert "16 March" in item.text


def test_who_is_not_let_in_is_told_so(network: MailSystem, account: AccountRef, daemons: Daemons) -> None:
    """By both servers, in their words."""
    with pytest.raises(LoggedOut, match="user name and password"):
        network.status(replace(account, settings=daemons.login(password="wrong")))
    with pytest.raises(LoggedOut, match="certificate"):
        MailSystem(Rules(allow_private=True)).status(account)
    with pytest.raises(Refused, match=r"5\.1\.1"):
        network.act(account, action(PersonRef("nobody", email="nobody@people.example")))


def test_a_token_opens_both_servers(daemons: Daemons) -> None:
    """XOAUTH2 as Dovecot and Postfix speak it; a token that was withdrawn is refused in words."""
    good = {"good"}

    def about(asked: Request) -> Response:
        token = asked.form["token"]
        return Response(json.dumps({"active": token in good, "username": INES}), content_type="application/json")

    with HTTPServer("127.0.0.1", daemons.ports["tokens"]) as authority:
        authority.expect_request("/introspect").respond_with_handler(about)
        authority.expect_request("/token").respond_with_json({"access_token": "good", "expires_in": 3600})
        api = JsonApi(HttpClient(allow_private=True, plain=True), "Google", authority.url_for(""))
        system = MailSystem(trusting(daemons), tokens=Tokens(api, api), whole_call=30)
        login = daemons.login(auth="google", client_id="ours", refresh_token="lasting", password="")
        ines = AccountRef(1, 1, INES, "Ines", datetime.now(UTC).replace(microsecond=0), INES, settings=login)
        system.status(ines)
        done = system.act(ines, action())
        [raw] = daemons.arrived("ada@people.example")
        assert email.message_from_bytes(raw)["Message-ID"] == done.ref
        good.clear()
        with pytest.raises(LoggedOut, match="rejected this token"):
            system.status(ines)


def test_a_campaign_runs_end_to_end(app: Flask, network: MailSystem, daemons: Daemons, clock: Movable) -> None:
    """One answers, one does not exist: no one gets anything twice, and each is where they belong."""
    clock.to(datetime.now(UTC))
    ports.connect({"smtp": network})
    live = workspaces.create("Live", "lea@live.example", OWNERS)
    said = daemons.login()
    servers = Servers(
        said["smtp_host"], said["imap_host"], INES, PASSWORD, int(said["smtp_port"]), int(said["imap_port"])
    )
    mailbox = accounts.connect_mailbox(live, provider="smtp", address=INES, name="Ines Duarte", servers=servers)
    assert mailbox_logins.credentials_for(mailbox.id)["password"] == PASSWORD
    people = [
        {"publicId": name, "firstName": name.title(), "email": f"{name}@people.example"} for name in ("ada", "gone")
    ]
    steps = [outreach.email("Dear {{first_name}}", "A question"), outreach.email("Once more", "", days=3)]
    campaign = outreach.a_campaign(live, people, steps, senders=[mailbox.id])
    before = daemons.log().count(TAKEN)
    _until(clock, daemons, lambda: daemons.log().count(TAKEN) >= before + 2, hours=1)
    daemons.arrived(INES)
    [first] = daemons.arrived("ada@people.example")
    name = str(email.message_from_bytes(first, policy=policy.default)["Message-ID"])
    writes(daemons, "Yes, gladly.\n\n> Dear Ada", In_Reply_To=name)
    daemons.arrived(INES, 2)
    for _ in range(30):
        _step(clock, hours=6)
    states = {one.person.handle: (one.state, one.reason) for one in outreach.everyone(campaign).values()}
    assert states == {"ada": (LeadState.FINISHED, "replied"), "gone": (LeadState.FAILED, "bounced")}
    assert len(daemons.arrived("ada@people.example")) == 1
    assert daemons.log().count(TAKEN) == before + 2
    assert never_contact.count(live) == 1


def _step(clock: Movable, **span: float) -> None:
    """So much later, with everything done that fell due."""
    clock.forward(**span)
    poll.poll_due()
    turns.run_due()
    reconcile.run_due()
    lifecycle.run_due()


def _until(clock: Movable, daemons: Daemons, done: Callable[[], bool], **span: float) -> None:
    for _ in range(80):
        _step(clock, **span)
        if done():
            return
    raise AssertionError(daemons.log()[-2000:])
