"""A live workspace with a real mailbox: connecting it, a campaign over it, and what comes back."""

import email
from datetime import timedelta
from email import policy
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask

from app import ports
from app.core.db import session
from app.core.errors import Conflict, InvalidRequest, NotFound, NotSupported
from app.domain.campaigns import campaigns
from app.domain.conversations import inbox, threads
from app.domain.engine import lifecycle, manual_send, turns
from app.domain.engine.inbound import poll
from app.domain.engine.manual import compose
from app.domain.engine.outbound import reconcile
from app.domain.enrichment import address_checks
from app.domain.people.exclusions import never_contact
from app.domain.senders import accounts, deliverability, mailbox_logins
from app.domain.senders.mailbox_logins import Servers as Login
from app.domain.workspace import workspaces
from app.models.accounts import Account, AccountStatus, MailboxLogin
from app.models.campaigns import Campaign, LeadState
from app.models.conversations import Conversation, Message
from app.models.ledger import Action
from app.models.workspaces import Workspace
from tests.conftest import PASSWORD
from tests.domain import outreach
from tests.providers.mail.mailservers import Post, Servers
from tests.support.movable import Movable
from tests.support.unruled import unruled

STEPS = [outreach.email("Dear {{first_name}}", "A question"), outreach.email("Once more", "", days=3)]


@pytest.fixture
def post() -> Post:
    return Post()


@pytest.fixture
def live(app: Flask, clock: Movable) -> Workspace:
    return unruled(workspaces.create("Live", "ada@live.example", PASSWORD))


def login(servers: Servers, **changed: Any) -> Login:
    ours: dict[str, Any] = {"smtp_port": servers.smtp_port, "imap_port": servers.imap_port, "username": "ines"}
    ours |= {"smtp_host": "127.0.0.1", "imap_host": "127.0.0.1", "password": "an app password"}
    return Login(**(ours | changed))


def connected(live: Workspace, servers: Servers, **changed: Any) -> Account:
    given = {"provider": "smtp", "address": "ines@acme.example", "name": "Ines Duarte"}
    return accounts.connect_mailbox(live, **given, servers=login(servers, **changed))


def started(live: Workspace, mailbox: Account, *people: str) -> Campaign:
    return outreach.a_campaign(live, people, STEPS, senders=[mailbox.id])


def later(clock: Movable, **span: float) -> None:
    """So much later, with everything done that fell due, some hours at a time."""
    for _ in range(int(timedelta(**span) / timedelta(hours=3))):
        clock.forward(hours=3)
        poll.poll_due()
        turns.run_due()
        reconcile.run_due()
        lifecycle.run_due()


def sent(post: Post, to: str) -> list[Any]:
    return [email.message_from_bytes(raw, policy=policy.default) for _, who, raw in post.taken if who == to]


def test_a_campaign_sends_its_second_email_in_the_thread_of_the_first(
    live: Workspace, servers: Servers, post: Post, clock: Movable
) -> None:
    campaign = started(live, connected(live, servers), "an-ada")
    later(clock, days=6)
    first, second = sent(post, "an-ada@example.com")
    assert (first["Subject"], second["Subject"]) == ("A question", "Re: A question")
    assert second["In-Reply-To"] == second["References"] == first["Message-ID"]
    assert first.get_body(("plain",)).get_content().strip() == "Dear Ada"
    assert [one.flags for one in post.folders["Sent"]] == [{"\\Seen"}, {"\\Seen"}]
    assert outreach.only(campaign).messages_sent == 2


def test_a_reply_ends_the_way(live: Workspace, servers: Servers, post: Post, clock: Movable) -> None:
    """Whatever address it comes from; the same mail read twice is one message."""
    mailbox = connected(live, servers)
    campaign = started(live, mailbox, "an-ada")
    later(clock, hours=12)
    (first,) = sent(post, "an-ada@example.com")
    post.arrives("Ada <ada@home.example>", "Yes, gladly.\n\n> Dear Ada", In_Reply_To=first["Message-ID"])
    later(clock, days=6)
    person = outreach.only(campaign)
    assert (person.state, person.reason, person.replied) == (LeadState.FINISHED, "replied", True)
    assert len(post.taken) == 1
    post.validity += 1  # the server numbers its messages anew: everything of the last days is read again
    later(clock, hours=3)
    heard = session().scalars(sa.select(Message.text).where(Message.direction == "in")).all()
    assert [text.split("\n")[0] for text in heard] == ["Yes, gladly."]


def test_a_link_to_unsubscribe_is_their_own(live: Workspace, servers: Servers, post: Post, clock: Movable) -> None:
    mailbox = connected(live, servers)
    text = "Dear {{first_name}}\n\nNo more of this: {{unsubscribe_link}}"
    outreach.a_campaign(live, ["an-ada"], [outreach.email(text, "A question")])
    later(clock, hours=12)
    (mail,) = sent(post, "an-ada@example.com")
    own = mail["List-Unsubscribe"].partition("<")[2].partition(">")[0]
    assert "/u/" in own
    assert f"No more of this: {own}" in mail.get_body(("plain",)).get_content()
    assert mailbox.status == AccountStatus.CONNECTED


def test_a_formatted_email_is_signed_and_what_a_reply_quotes_of_it_is_ours(
    live: Workspace, servers: Servers, post: Post, clock: Movable
) -> None:
    mailbox = connected(live, servers)
    signature = (
        "**Ines Duarte**\nDo not contact me again: [a form](https://acme.example/off), or take me off your list."
    )
    accounts.edit(live, mailbox.id, signature=signature, reply_to="desk@acme.example")
    text = (
        "Dear {{first_name}},\n\n- **one**\n- two\n\nStop emailing me: [click](https://a.example), or delete my data."
    )
    campaign = outreach.a_campaign(live, ["an-ada"], [outreach.email(text, "A question")])
    later(clock, hours=12)
    (mail,) = sent(post, "an-ada@example.com")
    assert (mail["From"], mail["Reply-To"]) == ("Ines Duarte <ines@acme.example>", "Ines Duarte <desk@acme.example>")
    assert "<mailto:ines@acme.example?" in mail["List-Unsubscribe"]
    said, shown = (mail.get_body((kind,)).get_content() for kind in ("plain", "html"))
    assert said.replace("\r", "").strip() == (
        "Dear Ada,\n\n- one\n- two\n\nStop emailing me: click <https://a.example>, or delete my data.\n\nInes Duarte\n"
        "Do not contact me again: a form <https://acme.example/off>, or take me off your list."
    )
    for part in ("<ul><li><strong>one</strong></li><li>two</li></ul>", '<a href="https://a.example">click</a>'):
        assert part in shown
    assert "<strong>Ines Duarte</strong>" in shown
    quoted = "Stop emailing me: click, or delete my data.\n\n*Ines Duarte*\n"  # as programs write HTML into a text
    quoted += "Do not contact me again: a form, or take me off your list."
    post.arrives("Ada <an-ada@example.com>", f"Gladly, call me.\n\n{quoted}", In_Reply_To=mail["Message-ID"])
    later(clock, hours=6)
    person = outreach.only(campaign)
    assert (person.replied, never_contact.is_empty(live.id)) == (True, True)


@pytest.mark.parametrize("at_once", [False, True])
def test_a_bounce_is_final(at_once: bool, live: Workspace, servers: Servers, post: Post, clock: Movable) -> None:
    """No one lives there: the person has failed, and the address is not written to again.

    It is the same whether the host says so when it is handed the email or in a report afterwards.
    """
    mailbox = connected(live, servers)
    if at_once:
        post.replies["RCPT an-ada@example.com"] = "550 5.1.1 No such user"
    campaign = started(live, mailbox, "an-ada")
    later(clock, hours=12)
    if not at_once:
        (first,) = sent(post, "an-ada@example.com")
        post.put("INBOX", bounce("an-ada@example.com", first["Message-ID"], "5.1.1", "550 5.1.1 No such user"))
    later(clock, days=6)
    person = outreach.only(campaign)
    assert (person.state, person.reason) == (LeadState.FAILED, "bounced")
    assert person.error == "The email to an-ada@example.com bounced: 550 5.1.1 No such user."
    assert never_contact.count(live) == 1
    checked = address_checks.of_address(live, "an-ada@example.com")
    assert checked is not None
    assert (checked.verdict, checked.reason) == ("undeliverable", "refused")
    assert deliverability.recent_of(mailbox) == deliverability.Recent(1, 1)
    assert len(outreach.told(live, "email_bounced")) == 1
    assert len(post.taken) == (0 if at_once else 1)


def test_the_fifth_refused_address_pauses_mailbox_and_campaign(
    live: Workspace, servers: Servers, post: Post, clock: Movable
) -> None:
    """Refused because of its sender or its content, an email is no bounce; after the fifth that is, none is sent."""
    mailbox = connected(live, servers)
    for number, answer in enumerate(("550 5.7.1 rejected by policy", "552 5.3.4 too large")):
        post.replies[f"RCPT a-spared{number}@example.com"] = answer
    for number in range(5):
        post.replies[f"RCPT b-dead{number}@example.com"] = "550 5.1.1 User unknown"
    people = ["a-spared0", "a-spared1", *(f"b-dead{number}" for number in range(5)), "c-ada", "c-bob"]
    campaign = started(live, mailbox, *people)
    for _ in range(40):  # the mailbox takes its time between two people
        if not session().get_one(Account, mailbox.id, populate_existing=True).active:
            break
        assert never_contact.count(live) < 5
        later(clock, hours=3)
    stopped = session().get_one(Account, mailbox.id, populate_existing=True)
    why = "5 of the last 5 emails bounced. Check the addresses, then"
    assert (stopped.active, stopped.status_reason) == (False, f"{why} switch it on.")
    paused = campaigns.get(live, campaign.id)
    assert (paused.status, paused.error) == ("paused", f"{why} resume.")
    later(clock, days=3)
    assert post.taken == []
    assert never_contact.count(live) == 5
    reasons = {name: one.reason for name, one in outreach.everyone(campaign).items()}
    assert {reasons[f"a-spared{number}"] for number in range(2)} == {"refused"}
    assert {reasons[f"b-dead{number}"] for number in range(5)} == {"bounced"}


def test_a_manual_email_that_is_refused_comes_back_to_its_writer(
    live: Workspace, rival: Workspace, servers: Servers, post: Post, clock: Movable
) -> None:
    """It is a bounce, too: the address is dead, the mailbox has one more, and a second try is not offered."""
    mailbox = connected(live, servers)
    post.replies["RCPT an-ada@example.com"] = "550 5.1.1 User unknown"
    campaign = started(live, mailbox, "an-ada")
    written = compose.begin(live, outreach.person_id(live, "an-ada"), mailbox.id, "Dear Ada", "A question")
    later(clock, hours=3)
    manual_send.run_due()
    message = session().get_one(Message, written.id, populate_existing=True)
    why = "The email to an-ada@example.com bounced: 550 5.1.1 User unknown."
    assert (message.status, message.error, compose.moves(message)) == ("failed", why, {"discard"})
    assert [(one.id, one.why) for one in threads.unsent(live)] == [(message.conversation_id, why)]
    assert threads.unsent(rival) == []
    rows, _ = inbox.page(live, threads.ThreadFilter(state="open"))
    assert [(row.id, row.last_status) for row in rows] == [(message.conversation_id, "failed")]
    assert never_contact.count(live) == 1
    assert deliverability.recent_of(mailbox) == deliverability.Recent(1, 1)
    person = outreach.only(campaign)
    assert (person.state, person.reason, person.error) == (LeadState.FAILED, "bounced", why)
    with pytest.raises(Conflict, match="bounced"):
        compose.retry(live, message.conversation_id, message.id)
    compose.discard(live, message.conversation_id, message.id)
    assert threads.unsent(live) == []
    assert post.taken == []


def test_a_manual_email_to_a_full_mailbox_can_be_sent_again(
    live: Workspace, rival: Workspace, servers: Servers, post: Post, clock: Movable
) -> None:
    """As an email of its own: the first stays in the ledger, and its late report changes nothing."""
    mailbox = connected(live, servers)
    post.replies["RCPT an-ada@example.com"] = "552 5.2.2 Mailbox full"
    outreach.a_list(live, ["an-ada"])
    written = compose.begin(live, outreach.person_id(live, "an-ada"), mailbox.id, "Dear Ada", "A question")
    clock.forward(hours=1)
    manual_send.run_due()
    message = session().get_one(Message, written.id, populate_existing=True)
    assert (message.status, compose.moves(message)) == ("failed", {"retry", "discard"})
    assert never_contact.count(live) == 0
    with pytest.raises(NotFound):
        compose.retry(rival, message.conversation_id, message.id)
    del post.replies["RCPT an-ada@example.com"]
    compose.retry(live, message.conversation_id, message.id)
    clock.forward(hours=1)
    manual_send.run_due()
    message = session().get_one(Message, written.id, populate_existing=True)
    assert (message.status, message.error, compose.moves(message)) == ("sent", "", set())
    assert len(sent(post, "an-ada@example.com")) == 1
    first, second = outreach.ledger(live)
    assert ("Mailbox full" in first.error, second.error, first.token == second.token) == (True, "", False)
    assert deliverability.recent_of(mailbox) == deliverability.Recent(2, 1)
    late = bounce("an-ada@example.com", f"<{first.token}@acme.example>", "5.2.2", "552 5.2.2 Mailbox full")
    post.put("INBOX", late)
    clock.forward(minutes=6)
    poll.poll_due()
    assert session().get_one(Message, written.id, populate_existing=True).status == "sent"


def bounce(address: str, message_id: str, status: str, diagnosis: str) -> bytes:
    """The report of a mail server (RFC 3464)."""
    return (
        "From: MAILER-DAEMON@post.example\r\nMessage-ID: <b1@post.example>\r\nSubject: Undelivered\r\n"
        'Content-Type: multipart/report; report-type=delivery-status; boundary="b"\r\n\r\n'
        "--b\r\nContent-Type: text/plain\r\n\r\nI am sorry.\r\n"
        "--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; post.example\r\n\r\n"
        f"Final-Recipient: rfc822; {address}\r\nAction: failed\r\nStatus: {status}\r\n"
        f"Diagnostic-Code: smtp; {diagnosis}\r\n\r\n"
        f"--b\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID: {message_id}\r\n\r\n--b--\r\n"
    ).encode()


def test_what_is_the_senders_fault_stops_the_sender_and_spares_the_people(
    live: Workspace, servers: Servers, post: Post, clock: Movable
) -> None:
    """The mail of two people came back because of it: no address is given up, and a member has to look."""
    mailbox = connected(live, servers)
    campaign = outreach.a_campaign(live, ["an-ada", "a-bob", "a-cy"], STEPS)
    while len(post.taken) < 3:
        later(clock, hours=3)
    for number, who in enumerate(("an-ada", "a-bob"), 1):
        assert session().get_one(Account, mailbox.id, populate_existing=True).active
        (mail,) = sent(post, f"{who}@example.com")
        why = bounce(f"{who}@example.com", mail["Message-ID"], "5.1.1", "550 5.1.1 blocked using Spamhaus")
        post.put("INBOX", why.replace(b"b1@", b"b%d@" % number))
        clock.forward(minutes=6)
        poll.poll_due()
    stopped = session().get_one(Account, mailbox.id, populate_existing=True)
    assert (stopped.active, stopped.status) == (False, AccountStatus.CONNECTED)
    assert "Spamhaus" in stopped.status_reason
    assert never_contact.count(live) == 0
    assert {one.state for one in outreach.everyone(campaign).values()} == {LeadState.ACTIVE}
    accounts.switch(live, mailbox.id, True)
    (mail,) = sent(post, "a-cy@example.com")
    post.put("INBOX", bounce("a-cy@example.com", mail["Message-ID"], "5.1.1", "550 5.1.1 blocked using Spamhaus"))
    clock.forward(minutes=6)
    poll.poll_due()
    again = session().get_one(Account, mailbox.id, populate_existing=True)
    assert (again.active, again.status_reason) == (True, "")


def test_a_full_mailbox_is_tried_again_but_not_for_ever(
    live: Workspace, servers: Servers, post: Post, clock: Movable
) -> None:
    """Three e-mails that came back within a month are enough; a report that comes twice counts once."""
    connected(live, servers)
    steps = [outreach.email("Dear Ada", "A question"), *(outreach.email("Once more", "", days=5) for _ in range(4))]
    campaign = outreach.a_campaign(live, ["an-ada"], steps)
    for number in (1, 2, 3):
        while len(mails := sent(post, "an-ada@example.com")) < number:
            later(clock, hours=3)
        assert outreach.only(campaign).state == LeadState.ACTIVE
        for _ in range(2):
            full = bounce("an-ada@example.com", mails[-1]["Message-ID"], "5.2.2", "552 5.2.2 Mailbox full")
            post.put("INBOX", full)
        later(clock, hours=3)
        clock.forward(days=4)
    person = outreach.only(campaign)
    assert (person.state, person.reason) == (LeadState.FAILED, "bounced")
    assert person.error.startswith("3 emails to an-ada@example.com bounced within 30 days.")
    assert all("Mailbox full" in action.error for action in outreach.ledger(live))
    assert never_contact.count(live) == 1
    later(clock, days=2)
    assert len(post.taken) == 3


def test_long_ago_is_not_often(live: Workspace, servers: Servers, post: Post, clock: Movable) -> None:
    connected(live, servers)
    steps = [outreach.email("Dear Ada", "A question"), *(outreach.email("Once more", "", days=20) for _ in range(3))]
    campaign = outreach.a_campaign(live, ["an-ada"], steps)
    for number in (1, 2, 3):
        while len(mails := sent(post, "an-ada@example.com")) < number:
            later(clock, hours=3)
        post.put("INBOX", bounce("an-ada@example.com", mails[-1]["Message-ID"], "4.2.2", "452 4.2.2 Mailbox full"))
        later(clock, hours=3)
        clock.forward(days=19)
    assert outreach.only(campaign).state == LeadState.ACTIVE
    assert never_contact.count(live) == 0


def test_mail_of_others_stays_in_the_mailbox(live: Workspace, servers: Servers, post: Post, clock: Movable) -> None:
    """We keep nothing that is neither an answer nor of someone whom this mailbox deals with."""
    started(live, connected(live, servers), "an-ada")
    later(clock, hours=12)
    post.arrives("bank@elsewhere.example", "Your balance")
    post.arrives("an-ada@example.com", "A new mail, not in the thread", Subject="Hello")
    later(clock, hours=3)
    heard = session().scalars(sa.select(Message.text).where(Message.direction == "in")).all()
    assert heard == ["A new mail, not in the thread"]
    assert session().scalar(sa.select(sa.func.count(Conversation.id))) == 1


def test_a_lost_answer_is_not_sent_again(live: Workspace, servers: Servers, post: Post, clock: Movable) -> None:
    campaign = started(live, connected(live, servers), "an-ada")
    post.drop_at = "dot"
    later(clock, hours=12)
    post.drop_at = ""
    later(clock, days=6)
    assert len(post.taken) == 1
    assert outreach.only(campaign).reason == "unknown_outcome"


def test_a_changed_password_stops_the_mailbox(live: Workspace, servers: Servers, post: Post, clock: Movable) -> None:
    mailbox = connected(live, servers)
    campaign = started(live, mailbox, "an-ada")
    post.password = "another"
    later(clock, hours=12)
    stopped = accounts.get(live, mailbox.id)
    assert (stopped.status, post.taken) == (AccountStatus.DISCONNECTED, [])
    assert "rejected this user name and password" in stopped.status_reason
    assert outreach.only(campaign).state == LeadState.PENDING
    post.password = "an app password"
    accounts.reconnect(live, mailbox.id)
    later(clock, hours=12)
    assert len(post.taken) == 1


def test_a_password_is_sealed_and_no_sandbox_gets_a_mailbox(acme: Workspace, live: Workspace, servers: Servers) -> None:
    mailbox = connected(live, servers)
    kept = session().scalars(sa.select(MailboxLogin)).one()
    assert b"an app password" not in (kept.sealed or b"")
    assert "password" not in kept.settings
    assert mailbox_logins.credentials_for(mailbox.id)["password"] == "an app password"
    assert "an app password" not in repr(login(servers))
    assert mailbox_logins.credentials_for(mailbox.id + 1) == {}
    with pytest.raises(NotSupported):
        connected(acme, servers)
    with pytest.raises(NotSupported):
        accounts.connect(live, provider="smtp", name="Ines")
    assert "smtp" in ports.senders()
    assert session().scalar(sa.select(sa.func.count(Action.id))) == 0


def test_a_mailbox_that_does_not_answer_is_not_kept(live: Workspace, servers: Servers) -> None:
    cases: list[tuple[dict[str, Any], str, str]] = [
        ({"password": "wrong"}, "password", "rejected this user name and password"),
        ({"password": ""}, "password", "Enter the password"),
        ({"smtp_host": "nowhere.invalid"}, "smtpHost", "couldn't find nowhere.invalid"),
        ({"imap_host": "nowhere.invalid"}, "imapHost", "couldn't find nowhere.invalid"),
        ({"imap_host": "a b"}, "imapHost", "not a mail server"),
        ({"smtp_port": 0}, "smtpPort", "Enter a port number."),
        ({"smtp_port": 1}, "smtpHost", "doesn't respond on port 1"),
    ]
    for changed, field, words in cases:
        with pytest.raises(InvalidRequest) as refusal:
            connected(live, servers, **changed)
        (problem,) = refusal.value.fields
        assert problem.path in (field, "imapHost", "smtpHost"), changed
        assert words in problem.message
    assert session().scalar(sa.select(sa.func.count(Account.id)).where(Account.workspace_id == live.id)) == 0
