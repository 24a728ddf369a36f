"""Mailboxes over real dialogues: what is sent, what is known of it when an answer is lost, and who may be dialled."""

import email
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email import policy
from functools import partial
from typing import Any

import pytest
from flask import Flask

from app import ports
from app.ports import AccountRef, PersonRef, SenderAction
from app.providers import addresses
from app.providers.mail import MailSystem, writing
from app.providers.mail.connections import Rules
from tests.providers.contract import SenderContract
from tests.providers.failing import differs, failure_of
from tests.providers.mail.mailservers import Post, Servers
from tests.support.movable import Movable

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
ADA = PersonRef("ada", first_name="Ada", last_name="Lovelace", email="ada@people.example")
TOKEN = "0123456789abcdef0123456789abcdef"
NAME = f"<{TOKEN}@acme.example>"


@pytest.fixture
def post() -> Post:
    """A mailbox whose copies of what is sent are ours to keep."""
    return Post()


@pytest.fixture
def network(app: Flask) -> MailSystem:
    return MailSystem(Rules(allow_private=True), whole_call=30)


@pytest.fixture
def account(servers: Servers) -> AccountRef:
    address = "ines@acme.example"
    return AccountRef(1, 1, address, "Inês Duarte", AT, address=address, settings=servers.login())


def action(token: str = TOKEN, **more: Any) -> SenderAction:
    given = {"text": "Dear Ada,\n.one dot\nGrüße", "subject": "Fünf Fragen"} | more
    return SenderAction(
        "email", more.pop("person", ADA), token, **{name: given[name] for name in given if name != "person"}
    )


class TestContract(SenderContract):
    """What every sender promises, of a mailbox."""

    kind = "email"

    @pytest.fixture
    def willing(self) -> PersonRef:
        return ADA

    @pytest.fixture
    def unwilling(self, post: Post) -> PersonRef:
        post.replies["RCPT nobody@people.example"] = "550 5.1.1 No such user here"
        return PersonRef("nobody", email="nobody@people.example")

    def test_what_comes_in_comes_once_per_cursor(
        self, network: Any, account: AccountRef, willing: PersonRef, post: Post
    ) -> None:
        """The same cursor gives the same items again; the next one only what is new."""
        begun = network.inbound(account, "").cursor
        post.arrives("Ada <ada@people.example>", "Yes, gladly.", at=AT)
        first = network.inbound(account, begun)
        assert [item.person for item in first.items] == ["ada@people.example"]
        assert network.inbound(account, begun) == first
        assert list(network.inbound(account, first.cursor).items) == []


def test_an_unreadable_letter_is_told_and_the_next_one_is_read(
    network: MailSystem, account: AccountRef, post: Post
) -> None:
    """Parts nested deeper than the parser of the standard library goes. Its writer has answered, whatever it says."""
    begun = network.inbound(account, "").cursor
    nest = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (at, at) for at in range(1500))
    post.put("INBOX", b"From: Mallory <m@people.example>\r\nSubject: Deep\r\n" + nest, at=AT)
    post.arrives("Ada <ada@people.example>", "Yes, gladly.", at=AT)
    found = network.inbound(account, begun)
    assert [(item.person, item.form) for item in found.items] == [  # type: ignore[union-attr]
        ("m@people.example", "unreadable"),
        ("ada@people.example", ""),
    ]
    assert [(one.sender, one.subject) for one in found.unreadable] == [("Mallory <m@people.example>", "Deep")]
    assert network.inbound(account, found.cursor).unreadable == []


class TestContractWhereTheServerKeepsCopies(TestContract):
    """The same of a provider that puts what it sends into the Sent folder itself, late or elsewhere at times."""

    proves_absence = False

    @pytest.fixture
    def post(self) -> Post:
        return Post(saves=True)


def test_a_message_has_everything_it_needs(network: MailSystem, account: AccountRef, post: Post) -> None:
    """Its name is made of the token, it belongs to its thread, and by hand it is no one's list."""
    former, thread = "<former@acme.example>", ("<first@acme.example>", "<former@acme.example>")
    assert network.act(account, action(in_reply_to=former, thread=thread)) == ports.Receipt(NAME, AT)
    ((sender, recipient, raw),) = post.taken
    message = email.message_from_bytes(raw, policy=policy.default)
    assert (sender, recipient) == ("ines@acme.example", "ada@people.example")
    assert (message["Message-ID"], message["In-Reply-To"], message["References"]) == (NAME, former, " ".join(thread))
    assert message["From"] == "Inês Duarte <ines@acme.example>"
    assert message["To"] == "Ada Lovelace <ada@people.example>"
    assert message["Subject"] == "Fünf Fragen"
    assert message["Date"].datetime == AT
    assert not {"Auto-Submitted", "Precedence", "List-Unsubscribe", "List-Unsubscribe-Post"} & set(message)
    assert plain(raw) == "Dear Ada,\n.one dot\nGrüße"


def plain(raw: bytes) -> str:
    part = email.message_from_bytes(raw, policy=policy.default).get_body(("plain",))  # type: ignore[attr-defined]
    return str(part.get_content()).replace("\r", "").rstrip()


def test_a_campaign_offers_a_way_out(account: AccountRef) -> None:
    """With one click where the page can be reached (RFC 8058), by mail anyhow."""
    raw = writing.written(account, action(way_out="opaque-token"), "https://overture.example/")
    message = email.message_from_bytes(raw, policy=policy.default)
    assert message["List-Unsubscribe"] == (
        "<https://overture.example/u/opaque-token>, <mailto:ines@acme.example?subject=unsubscribe%20%23opaque-token>"
    )
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert raw.isascii()  # seven bits and short lines give no server on the way a reason to change what is signed
    assert all(len(line) < 998 for line in raw.split(b"\r\n"))
    without = email.message_from_bytes(writing.written(account, action(way_out="opaque-token")), policy=policy.default)
    assert without["List-Unsubscribe"] == "<mailto:ines@acme.example?subject=unsubscribe%20%23opaque-token>"
    assert "List-Unsubscribe-Post" not in without


def test_every_attempt_is_the_same_message(account: AccountRef) -> None:
    """Byte by byte, so that whoever keeps the first keeps the second; a long thread is named by its first and last."""
    names = tuple(f"<{number}@acme.example>" for number in range(40))
    raw = writing.written(account, action(in_reply_to=names[-1], thread=names))
    found = email.message_from_bytes(raw, policy=policy.default)["References"].split()
    assert found == [names[0], *names[-19:]]
    later = replace(account, at=AT + timedelta(hours=1))
    again = [writing.written(one, action(intended_at=AT, way_out="w"), "https://o.example") for one in (account, later)]
    assert again[0] == again[1]


def test_the_html_says_what_the_text_says(account: AccountRef) -> None:
    """Plainly, as a person's mail program does it, and with nothing of theirs as a tag."""
    text = "Hi <b>Ada</b> & co,\n\n  see https://acme.example/a?b=1&c=2.\njavascript:alert(1)"
    raw = writing.written(account, action(text=text))
    message = email.message_from_bytes(raw, policy=policy.default)
    assert message.get_content_type() == "multipart/alternative"
    assert plain(raw) == text
    html = message.get_body(("html",)).get_content()  # type: ignore[attr-defined]
    assert "Hi &lt;b&gt;Ada&lt;/b&gt; &amp; co," in html
    assert '<a href="https://acme.example/a?b=1&amp;c=2">https://acme.example/a?b=1&amp;c=2</a>.' in html
    assert html.count("<a ") == 1
    assert "<div><br></div>" in html


def test_a_header_is_its_value_and_an_address_one_address(network: MailSystem, account: AccountRef, post: Post) -> None:
    """A line break never adds a header, and what no mail server takes is refused before anyone is called."""
    broken = ("Hi\r\nBcc: all@rival.example", "Hi\nX: y", "Hi\0")
    refused = [(account, action(subject=one)) for one in broken]
    refused += [(account, action(person=replace(ADA, first_name=one))) for one in broken]
    refused += [(replace(account, name=one), action()) for one in broken]
    for address in ("", "ada", "a b@x.example", "a@x.example>\r\nRCPT TO:<b@x.example", "ü@x.example"):
        refused.append((account, action(person=replace(ADA, email=address))))
    for sender, deed in refused:
        with pytest.raises(ports.Refused):
            network.act(sender, deed)
    assert post.taken == []
    for number, one in enumerate(broken):
        network.act(account, action(f"{number}" * 32, in_reply_to=f"<x@y>{one}"))
        assert b"In-Reply-To" not in post.taken[-1][2]


def test_the_way_out_stands_where_its_writer_wants_it(account: AccountRef) -> None:
    """Their own link in both parts; what someone wrote by hand has no such thing."""
    told = "Hello.\nNo more of this: {{ unsubscribe_link }}"
    for base, way in (
        ("https://overture.example", "https://overture.example/u/opaque-token"),
        ("", "mailto:ines@acme.example?subject=unsubscribe"),
    ):
        raw = writing.written(account, action(text=told, way_out="opaque-token"), base)
        message = email.message_from_bytes(raw, policy=policy.default)
        for kind in ("plain", "html"):
            body = message.get_body((kind,)).get_content()  # type: ignore[attr-defined]
            assert way in body
            assert "{{" not in body
        assert b"{{ unsubscribe_link }}" in writing.written(account, action(text=told), base)


def test_a_connection_lost_before_the_dot_sent_nothing(network: MailSystem, account: AccountRef, post: Post) -> None:
    """It may be tried again, once; the copy is gone until then."""
    for number, place in enumerate(("greeting", "rcpt"), 1):
        deed, post.drop_at = action(f"{number}" * 32), place
        with pytest.raises(ports.Unreachable):
            network.act(account, deed)
        assert network.find(account, deed) is None
        post.drop_at = ""
        network.act(account, deed)
        assert len(post.taken) == len(post.folders["Sent"]) == number


def test_who_slept_before_the_dot_sends_nothing(app: Flask, account: AccountRef, post: Post, clock: Movable) -> None:
    """Only the wall clock goes on while it sleeps; another worker has had the mailbox meanwhile."""

    def resolve(host: str, port: int) -> list[Any]:
        clock.forward(minutes=15)
        return addresses.look_up(host, port)

    asleep = MailSystem(Rules(allow_private=True, resolve=resolve), whole_call=30)
    with pytest.raises(ports.Unreachable):
        asleep.act(account, action())
    assert post.taken == []
    assert post.folders["Sent"] == []


def test_a_connection_lost_after_the_dot_is_unknown(network: MailSystem, account: AccountRef, post: Post) -> None:
    """Only a Sent folder which the server fills itself can tell; otherwise it is never sent again by itself."""
    keeping = replace(account, settings={**account.settings, "copies": "server"})
    post.drop_at = "dot"
    for mailbox, token, post.saves in ((account, "e" * 32, False), (keeping, TOKEN, True)):
        with pytest.raises(ports.Unknown):
            network.act(mailbox, action(token))
    with pytest.raises(ports.Unknown):
        network.find(account, action("e" * 32))
    assert network.find(keeping, action()) == ports.Receipt(NAME, AT)
    with pytest.raises(ports.Unknown):
        network.find(keeping, action("f" * 32))
    del post.folders["Sent"]
    post.drop_at, post.saves = "", False
    network.act(account, action("d" * 32))
    with pytest.raises(ports.Unknown):
        network.find(account, action("d" * 32))


def test_a_flagged_draft_surely_did_not_leave(network: MailSystem, account: AccountRef, post: Post) -> None:
    """Someone who died before the dot left it behind: it is sent now, under the same copy. A copy that cannot be marked
    would say that a message did not leave, and so it is not sent."""
    copy = post.put("Sent", writing.written(account, action()), "\\Seen", "\\Draft", "\\Flagged")
    assert network.find(account, action()) is None
    network.act(account, action())
    assert (len(post.taken), post.folders["Sent"], copy.flags) == (1, [copy], {"\\Seen"})
    post.replies["STORE -FLAGS"] = "NO read only"
    with pytest.raises(ports.Unreachable, match="read only"):
        network.act(account, action("f" * 32))
    assert len(post.taken) == 1


MEANINGS = [
    ("RCPT", "550 5.1.1 no such user", ports.RecipientRefused),
    ("RCPT", "553 mailbox name not allowed", ports.RecipientRefused),
    ("RCPT", "552 5.2.2 mailbox full", ports.RecipientRefused),
    ("RCPT", "552 5.3.4 message too big", ports.Refused),
    ("RCPT", "550 5.7.1 rejected by policy", ports.Refused),
    ("RCPT", "451 4.7.1 greylisted", ports.Throttled),
    ("RCPT", "450 4.2.0 try later", ports.Unreachable),
    ("RCPT", "550 5.4.5 Daily user sending limit exceeded", ports.Throttled),
    ("MAIL", "550 5.7.60 not allowed to send as this sender", ports.LoggedOut),
    ("MAIL", "421 too many messages", ports.Throttled),
    ("DATA", "554 5.6.0 no", ports.Refused),
    ("DATA", "452 4.3.1 disk full", ports.Unreachable),
    ("dot", "554 5.7.1 looks like spam", ports.Refused),
    ("dot", "550 5.1.1 user unknown", ports.RecipientRefused),
    ("dot", "421 4.3.0 going down", ports.Unreachable),
    ("AUTH", "454 4.7.0 Temporary authentication failure", ports.Throttled),
    ("AUTH", "535 5.7.8 no", ports.LoggedOut),
    ("greeting", "554 your address is not welcome", ports.LoggedOut),
    ("greeting", "421 busy", ports.Unreachable),
]


def test_every_answer_has_its_meaning(network: MailSystem, account: AccountRef, post: Post) -> None:
    """Each of the failures before the final yes leaves nothing, neither sent nor in the folder."""
    for command, reply, kind in MEANINGS:
        post.replies = {command: reply}
        found = failure_of(partial(network.act, account, action()))
        assert type(found) is kind, (command, reply, found)
        assert not differs(found, kind, "" if command == "AUTH" else reply[:3]), (command, reply, found)
        assert (post.taken, post.folders["Sent"]) == ([], [])


def test_an_unclear_answer_to_the_last_dot_leaves_it_open(
    app: Flask, network: MailSystem, account: AccountRef, post: Post
) -> None:
    """The server had the whole message: only a plain no says that it was not taken."""
    hasty = MailSystem(Rules(allow_private=True), whole_call=1)
    for number, reply in enumerate(("taken", "354 go ahead", "999 strange", "2²0 taken", "")):
        post.replies["dot"] = reply
        with pytest.raises(ports.Unknown):
            (network if reply else hasty).act(account, action(f"{number}" * 32))


def test_a_number_of_a_folder_that_is_none_is_unreachable(network: MailSystem, account: AccountRef, post: Any) -> None:
    for odd in ("x", "²", "7 7"):
        post.validity = odd
        for call in (lambda: network.inbound(account, ""), lambda: network.act(account, action())):
            with pytest.raises(ports.Unreachable, match="couldn't read"):
                call()
    assert post.taken == []


def test_a_wrong_password_is_said_and_never_shown(network: MailSystem, account: AccountRef) -> None:
    wrong = replace(account, settings={**account.settings, "password": "canary-secret"})
    for call in (network.status, lambda ref: network.act(ref, action()), lambda ref: network.inbound(ref, "")):
        with pytest.raises(ports.LoggedOut) as caught:
            call(wrong)
        assert caught.value.sentence.startswith("127.0.0.1 rejected this user name and password: [AUTH")
        assert "canary-secret" not in str(caught.value)


def test_a_copy_is_known_whatever_its_server_calls_it(network: MailSystem, account: AccountRef, post: Post) -> None:
    """By our header where the server writes a Message-ID of its own, else by what it says; never another's copy.

    Not even when the server finds any message for a header.
    """
    keeping = replace(account, settings={**account.settings, "copies": "server"})
    raw = writing.written(account, action())
    renamed = raw.replace(NAME.encode(), b"<AM0PR01@outlook.example>")
    post.put("Sent", renamed, "\\Seen")
    assert network.find(keeping, action()) == ports.Receipt(NAME, AT)
    post.folders["Sent"].clear()
    bare = b"\r\n".join(line for line in renamed.split(b"\r\n") if not line.startswith(b"X-Entity-Ref-ID"))
    post.put("Sent", bare, "\\Seen")
    assert network.find(keeping, action()) == ports.Receipt(NAME, AT)
    post.folders["Sent"].clear()
    post.put("Sent", writing.written(account, action("b" * 32)), "\\Seen")
    with pytest.raises(ports.Unknown):
        network.find(keeping, action())
    post.finds_anything = True
    with pytest.raises(ports.Unknown):
        network.find(keeping, action())
    post.put("Sent", writing.written(account, action()), "\\Seen")
    assert network.find(keeping, action()) == ports.Receipt(NAME, AT)


def test_answers_in_the_folder_for_spam_are_read_once(network: MailSystem, account: AccountRef, post: Post) -> None:
    """From when the mailbox was connected on, also with a cursor from before the folder was read."""
    post.folders["Junk"] = []
    post.put("Junk", b"From: Old <old@people.example>\r\n\r\nBefore", at=AT)
    begun = network.inbound(account, "").cursor
    post.put("Junk", b"From: Ada <ada@people.example>\r\n\r\nYes", at=AT)
    found = network.inbound(account, begun)
    assert [item.person for item in found.items] == ["ada@people.example"]
    assert list(network.inbound(account, found.cursor).items) == []
    assert list(network.inbound(account, begun.partition(";")[0]).items) == []


def test_a_folder_for_spam_that_is_made_later_is_read_from_the_day_of_connecting(
    network: MailSystem, account: AccountRef, post: Post
) -> None:
    """An answer that was moved there keeps the day on which it came in."""
    post.folders.pop("Junk", None)
    begun = network.inbound(account, "").cursor
    begun = network.inbound(account, begun).cursor
    post.folders["Junk"] = []
    post.put("Junk", b"From: Old <old@people.example>\r\n\r\nBefore", at=AT - timedelta(days=9))
    post.put("Junk", b"From: Ada <ada@people.example>\r\n\r\nYes", at=AT)
    later = replace(account, at=AT + timedelta(days=18))
    found = network.inbound(later, begun)
    assert [item.person for item in found.items] == ["ada@people.example"]
    assert list(network.inbound(later, found.cursor).items) == []
