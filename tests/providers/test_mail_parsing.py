"""What comes in by mail: people, machines, bounces and garbage, each taken for what it is."""

from datetime import UTC, datetime

import pytest

from app.ports import Bounced, Incoming, Received
from app.providers.mail import parsing

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
TOKEN = "0123456789abcdef0123456789abcdef"
OURS = f"<{TOKEN}@acme.example>"


def read(body: str | bytes = "Yes, gladly.", **headers: str) -> Incoming | None:
    """A message with these headers as it is understood; underscores are hyphens."""
    given = {"From": "Ada <Ada@People.example>", "Message_ID": "<1@people.example>", "Subject": "Re: Hi"} | headers
    named = {name.replace("_", "-"): value for name, value in given.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in named.items() if value)
    return parsing.incoming(
        head.encode() + b"\r\n" + (body.encode() if isinstance(body, str) else body), AT, "ines@acme.example"
    )


def test_it_works() -> None:
    """A reply is that of its address, and knows what it answers."""
    found = read(In_Reply_To=OURS)
    assert found == Received(
        "ada@people.example", "email", "Yes, gladly.", AT, "<1@people.example>", "Re: Hi", False, TOKEN
    )
    assert read(References=f"<other@x> {OURS}") == found


@pytest.mark.parametrize(
    ("kind", "body", "text"),
    [
        ("text/plain; charset=iso-8859-1", "Grüße".encode("latin-1"), "Grüße"),
        ("text/plain; charset=utf-8", b"Gr\xfc\xdfe", "Grüße"),
        ("text/plain; charset=klingon", "Grüße".encode(), "Grüße"),
        ("text/plain", b"a\0b", "ab"),
        (
            "text/html; charset=utf-8",
            b"<style>p{}</style><p>Ja,<br>gern</p><blockquote>alt</blockquote>",
            "Ja,\ngern",
        ),
        ("text/plain", b"", "Re: Hi"),
        ("multipart/mixed; boundary=b", b"--b\r\nContent-Type: text/plain\r\n\r\nInside\r\n--b--", "Inside"),
        ("multipart/mixed", b"no boundary at all", "Re: Hi"),
    ],
)
def test_any_charset_is_read(kind: str, body: bytes, text: str) -> None:
    """Whatever it claims to be."""
    found = read(body, Content_Type=kind)
    assert isinstance(found, Received)
    assert found.text == text


def test_headers_are_decoded() -> None:
    """Encoded words, broken ones, and none."""
    found = read(Subject="=?utf-8?q?Gr=C3=BC=C3=9Fe?=")
    assert isinstance(found, Received)
    assert found.subject == "Grüße"
    assert isinstance(read(Subject="=?nope?x?zzz?="), Received)
    unnamed = read(Message_ID="")
    assert isinstance(unnamed, Received)
    assert unnamed.ref.startswith("mail:")


def test_what_is_long_is_cut() -> None:
    """A person's own words stand at the beginning."""
    found = read("word " * 100_000)
    assert isinstance(found, Received)
    assert len(found.text) <= parsing.LONGEST


@pytest.mark.parametrize(
    "headers",
    [
        {"Auto_Submitted": "auto-replied"},
        {"Auto_Submitted": "auto-generated (vacation)"},
        {"X_Autoreply": "yes"},
        {"Precedence": "auto_reply"},
        {"Return_Path": "<>"},
        {"Subject": "Automatic reply: Hi"},
        {"Subject": "Automatische Antwort: Hi"},
        {"Subject": "Out of Office Re: Hi"},
    ],
)
def test_machines_are_told_from_people(headers: dict[str, str]) -> None:
    """By what RFC 3834 asks for, and what others write instead."""
    found = read(**headers)
    assert isinstance(found, Received)
    assert found.automatic


def test_people_are_no_machines() -> None:
    """Whatever they write about."""
    for headers in ({"Auto_Submitted": "no"}, {"Subject": "Re: your automatic reply"}, {"Precedence": "normal"}):
        found = read("The mail bounced: 550 user unknown, out of office?", **headers)
        assert isinstance(found, Received)
        assert not found.automatic


@pytest.mark.parametrize("sender", ["", "nobody", "Ines <ines@acme.example>", "undisclosed: ;"])
def test_mail_of_nobody_is_nothing(sender: str) -> None:
    """Nor is our own."""
    assert read(From=sender) is None


def report(status: str, diagnosis: str = "", action: str = "failed", kind: str = "delivery-status") -> Incoming | None:
    """The report of a mail server."""
    reason = f"Diagnostic-Code: smtp; {diagnosis}\r\n" if diagnosis else ""
    body = (
        "--b\r\nContent-Type: text/plain\r\n\r\nSorry\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\n"
        f"Reporting-MTA: dns; mx\r\n\r\nFinal-Recipient: rfc822; ada@people.example\r\nAction: {action}\r\n"
        f"Status: {status}\r\n{reason}\r\n--b\r\nContent-Type: message/rfc822\r\n\r\n"
        f"Message-ID: {OURS}\r\n\r\nHi\r\n--b--\r\n"
    )
    return read(body, From="MAILER-DAEMON@mx", Content_Type=f"multipart/report; report-type={kind}; boundary=b")


@pytest.mark.parametrize(
    ("status", "diagnosis", "final"),
    [
        ("5.1.1", "550 5.1.1 User unknown", True),
        ("5.1.10", "", True),
        ("5.0.0", "550 No such user here", True),
        ("5.0.0", "", True),
        ("5.2.1", "550 account is disabled", True),
        ("5.4.4", "", True),
        ("5.2.2", "552 mailbox full", False),
        ("5.7.1", "550 blocked", False),
        ("5.0.0", "550 5.7.26 unauthenticated mail", False),
        ("5.0.0", "554 message looks like spam", False),
        ("4.4.7", "expired", False),
    ],
)
def test_a_bounce_is_final_when_nobody_lives_there(status: str, diagnosis: str, final: bool) -> None:
    """And not when the mail was unwanted, the mailbox full or the time too short."""
    found = report(status, diagnosis)
    assert isinstance(found, Bounced)
    assert (found.person, found.token, found.final) == ("ada@people.example", TOKEN, final)
    assert found.sentence.endswith(".")


def test_a_delay_is_no_bounce() -> None:
    """Nor is a success."""
    assert report("4.4.1", action="delayed") is None
    assert report("2.0.0", action="delivered") is None


def test_a_postman_may_write_in_words() -> None:
    """Servers without reports say it in the text, or in a header of their own."""
    words = f"The following address failed: no such user\r\n\r\nMessage-ID: {OURS}\r\n"
    found = read(words, From="Mail Delivery <MAILER-DAEMON@mx.example>", X_Failed_Recipients="ada@people.example")
    assert isinstance(found, Bounced)
    assert (found.person, found.token, found.final) == ("ada@people.example", TOKEN, True)
    assert read("Your mailbox is nearly full", From="postmaster@acme.example") is None


def test_a_complaint_ends_it() -> None:
    """Whoever calls us spam is not written to again (RFC 5965)."""
    found = report("", kind="feedback-report")
    assert isinstance(found, Bounced)
    assert (found.token, found.final) == (TOKEN, True)


def test_garbage_never_fails() -> None:
    """Whatever bytes come, the inbox goes on."""
    for raw in (
        b"",
        b"\0",
        b"\xff" * 500,
        b"From: \xff@\xff\r\n\r\nx",
        b"Content-Type: multipart/report\r\n\r\n",
        b"From: =?",
    ):
        parsing.incoming(raw, AT, "ines@acme.example")
