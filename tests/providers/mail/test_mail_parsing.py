"""What comes in by mail: people, machines, bounces and garbage, each taken for what it is."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from app.ports import Bounced, Incoming, Parties, Party, Received
from app.providers.mail import parsing

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
TOKEN = "0123456789abcdef0123456789abcdef"
OURS = f"<{TOKEN}@acme.example>"


def read_all(body: str | bytes = "Yes, gladly.", **headers: str) -> list[Incoming]:
    given = {"From": "Ada <Ada@People.example>", "Message_ID": "<1@people.example>", "Subject": "Re: Hi"} | headers
    named = {name.replace("_", "-"): value for name, value in given.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in named.items() if value)
    return parsing.incoming(
        head.encode() + b"\r\n" + (body.encode() if isinstance(body, str) else body), AT, "ines@acme.example"
    )


def read(body: str | bytes = "Yes, gladly.", **headers: str) -> Incoming | None:
    """The same of a message that means at most one thing."""
    found = read_all(body, **headers)
    assert len(found) <= 1
    return found[0] if found else None


def test_a_reply_has_its_sender_and_what_it_answers() -> None:
    """A reply is that of its address, and knows what it answers."""
    found = read(In_Reply_To=OURS)
    said = ("ada@people.example", "email", "Yes, gladly.", AT, "<1@people.example>", "Re: Hi", False, TOKEN)
    assert found == Received(*said, proof=OURS, parties=Parties(Party("Ada", "Ada@People.example"), [], []), files=[])
    assert read(References=f"<other@x> {OURS}") == found


CHARSETS = [
    ("text/plain; charset=iso-8859-1", "Grüße".encode("latin-1"), "Grüße"),
    ("text/plain; charset=utf-8", b"Gr\xfc\xdfe", "Grüße"),
    ("text/plain; charset=klingon", "Grüße".encode(), "Grüße"),
    ("text/plain", b"a\0b", "ab"),
    ("text/html", b"<style>p{}</style><p>Ja,<br>gern</p><blockquote>alt</blockquote>", "Ja,\ngern\n> alt"),
    ("text/plain", b"<html><body><p>Ja,<br>gern</p></body></html>", "Ja,\ngern"),
    ("text/plain", b"", "Re: Hi"),
    ("multipart/mixed; boundary=b", b"--b\r\nContent-Type: text/plain\r\n\r\nInside\r\n--b--", "Inside"),
    ("multipart/mixed", b"no boundary at all", "Re: Hi"),
]


def test_any_charset_and_any_header_is_read() -> None:
    """Whatever it claims to be: encoded words, broken ones, and none; what is long is cut at the end."""
    found = [(kind, body, read(body, Content_Type=kind).text) for kind, body, _ in CHARSETS]  # type: ignore[union-attr]
    assert found == CHARSETS
    assert read(Subject="=?utf-8?q?Gr=C3=BC=C3=9Fe?=").subject == "Grüße"  # type: ignore[union-attr]
    assert isinstance(read(Subject="=?nope?x?zzz?="), Received)
    assert read(Message_ID="").ref.startswith("mail:")  # type: ignore[union-attr]
    assert len(read("word " * 100_000).text) <= parsing.LONGEST  # type: ignore[union-attr]


def test_machines_are_told_from_people() -> None:
    """By what RFC 3834 asks for, and what others write instead; not by what people write about."""
    for headers in (
        {"Auto_Submitted": "auto-replied"},
        {"Auto_Submitted": "auto-generated (vacation)"},
        {"X_Autoreply": "yes"},
        {"Precedence": "auto_reply"},
        {"Return_Path": "<>"},
    ):
        assert read(**headers).automatic, headers  # type: ignore[union-attr]
    for headers in ({"Auto_Submitted": "no"}, {"Subject": "Re: your automatic reply"}, {"Precedence": "normal"}):
        found = read("The mail bounced: 550 user unknown, out of office?", **headers)
        assert isinstance(found, Received)
        assert not found.automatic, headers
    for sender in ("", "nobody", "Ines <ines@acme.example>", "undisclosed: ;"):  # of no one, or our own
        assert read(From=sender) is None


def test_a_note_of_outlook_that_a_letter_was_read_is_a_receipt() -> None:
    """It comes as TNEF alone; so may a letter, whose subject says nothing of the kind."""
    tnef = "eJ8+IgAAAQaQCAAEAAAAAAABAAEAAQeQBgAIAAAA"  # how each begins
    told = {"Content_Type": "application/ms-tnef; name=winmail.dat", "Content_Transfer_Encoding": "base64"}
    for subject, form in (("Read: Hi", "receipt"), ("Gelesen: Hallo", "receipt"), ("Re: Hi", "")):
        found = read(tnef, Subject=subject, **told)
        assert isinstance(found, Received)
        assert found.form == form, subject


def test_a_sealed_letter_says_that_it_cannot_be_read_here() -> None:
    """S/MIME and PGP; a signed one is read."""
    sealed = {"Content_Type": "application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m"}
    found = read("MIAGCSqGSIb3DQEHA6CAMIACAQAx", Content_Transfer_Encoding="base64", **sealed)
    assert isinstance(found, Received)
    assert (found.form, found.text) == ("unreadable", parsing.UNREADABLE)
    pgp = "--b\r\nContent-Type: application/pgp-encrypted\r\n\r\nVersion: 1\r\n--b--\r\n"
    assert read(pgp, Content_Type="multipart/encrypted; boundary=b").form == "unreadable"  # type: ignore[union-attr]
    signature = "--b\r\nContent-Type: application/pkcs7-signature\r\n\r\nx\r\n--b--\r\n"
    signed = "--b\r\nContent-Type: text/plain\r\n\r\nYes\r\n" + signature
    assert read(signed, Content_Type="multipart/signed; boundary=b").text == "Yes"  # type: ignore[union-attr]


def report(status: str, diagnosis: str = "", action: str = "failed", kind: str = "delivery-status") -> Incoming | None:
    reason = f"Diagnostic-Code: smtp; {diagnosis}\r\n" if diagnosis else ""
    body = (
        "--b\r\nContent-Type: text/plain\r\n\r\nSorry\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\n"
        f"Reporting-MTA: dns; mx\r\n\r\nFinal-Recipient: rfc822; ada@people.example\r\nAction: {action}\r\n"
        f"Status: {status}\r\n{reason}\r\n--b\r\nContent-Type: message/rfc822\r\n\r\n"
        f"Message-ID: {OURS}\r\n\r\nHi\r\n--b--\r\n"
    )
    return read(body, From="MAILER-DAEMON@mx", Content_Type=f"multipart/report; report-type={kind}; boundary=b")


def test_a_bounce_is_final_when_no_one_lives_there() -> None:
    """And not when the mail was unwanted, the mailbox full or the time too short; a delay or success is no bounce."""
    for status, diagnosis, final in (
        ("5.1.1", "550 5.1.1 User unknown", True),
        ("5.1.10", "", True),
        ("5.0.0", "550 No such user here", True),
        ("5.0.0", "", False),
        ("5.2.1", "550 account is disabled", False),
        ("5.4.4", "", True),
        ("5.2.2", "552 mailbox full", False),
        ("5.7.1", "550 blocked", False),
        ("5.0.0", "550 5.7.26 unauthenticated mail", False),
        ("5.0.0", "554 message looks like spam", False),
        ("4.4.7", "expired", False),
    ):
        found = report(status, diagnosis)
        assert isinstance(found, Bounced)
        assert (found.person, found.token, found.final) == ("ada@people.example", TOKEN, final), (status, diagnosis)
        assert found.sentence.endswith(".")
    assert report("4.4.1", action="delayed") is None
    assert report("2.0.0", action="delivered") is None
    complaint = report("", kind="feedback-report")  # whoever calls us spam is not written to again (RFC 5965)
    assert isinstance(complaint, Bounced)
    assert (complaint.token, complaint.final) == (TOKEN, True)


def test_a_postman_may_write_in_words() -> None:
    """Servers without reports say it in the text, or in a header of their own."""
    words = f"The following address failed: no such user\r\n\r\nMessage-ID: {OURS}\r\n"
    found = read(words, From="Mail Delivery <MAILER-DAEMON@mx.example>", X_Failed_Recipients="ada@people.example")
    assert isinstance(found, Bounced)
    assert (found.person, found.token, found.final) == ("ada@people.example", TOKEN, True)
    assert read("Your mailbox is nearly full", From="postmaster@acme.example") is None


POSTMAN = "Mail Delivery Subsystem <MAILER-DAEMON@people.example>"
IN_WORDS = {
    "names only": "Your mail to the following recipients could not be delivered because\nthey are unknown:\n\tada\n\n",
    "dialogue only": "This message was created automatically by mail delivery software.\n\nSorry.\n"
    "RCPT TO:<ada@people.example>\n<<< 550 no such user\n",
    "copy only": "Your message could not be delivered.\n\n--- Original message follows.\n"
    "From: ines@acme.example\nTo: Ada <ada@people.example>\n",
    "german": "Diese E-Mail konnte nicht zugestellt werden.\n\nada@people.example\n550 5.1.1 unknown user\n",
}


def test_letters_of_mail_servers_name_the_address() -> None:
    """Whichever server wrote it, beside those of `bounces`, and no one else whom it mentions."""
    for kind, words in IN_WORDS.items():
        found = read(words, From=POSTMAN, To="ines@acme.example", Subject="Returned mail")
        assert isinstance(found, Bounced), kind
        assert found.person == "ada@people.example", kind


def test_a_letter_that_only_a_subject_tells_needs_more() -> None:
    """It says that it failed, and for whom; a person's subject alone proves nothing, and a warning is no bounce."""
    given = {"From": "gate@people.example", "Subject": "Undeliverable: A question"}
    assert isinstance(read("Unknown user: ada@people.example", **given), Bounced)
    assert isinstance(read("That is what I call my new play. Coming?", **given), Received)
    words = "Warning message only. You do not need to resend.\nada@people.example: will keep trying for 4 days."
    assert read(words, From=POSTMAN, Subject="Warning: could not send message for past 4 hours") is None


def test_a_report_may_name_several() -> None:
    block = "Final-Recipient: rfc822; {}@people.example\r\nAction: {}\r\nStatus: {}\r\n\r\n"
    ada = ("ada", "failed", "5.1.1")
    rows = [ada, ("bo", "delivered", "2.0.0"), ("cy", "failed", "4.2.2"), ada]
    body = "--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx\r\n\r\n"
    body += "".join(block.format(*row) for row in rows) + "--b--\r\n"
    found = read_all(body, From=POSTMAN, Content_Type="multipart/report; report-type=delivery-status; boundary=b")
    assert [(one.person, one.final) for one in found if isinstance(one, Bounced)] == [
        ("ada@people.example", True),
        ("cy@people.example", False),
    ]


def test_nothing_takes_long_and_garbage_never_fails() -> None:
    """However a text is made to hold the reader up, and whatever bytes come, the inbox goes on."""
    for evil in ("\n" * 50_000, "> " * 25_000, "the following:\n a" * 3000, "delivery " * 6000, "a@" * 25_000):
        for headers in ({"From": POSTMAN}, {"Subject": f"delivery {'x ' * 5000}"}, {}):
            assert len(read_all(evil, **headers)) <= 50
    bad = (
        b"",
        b"\0",
        b"\xff" * 500,
        b"From: \xff@\xff\r\n\r\nx",
        b"Content-Type: multipart/report\r\n\r\n",
        b"From: =?",
    )
    for raw in bad:
        parsing.incoming(raw, AT, "ines@acme.example")


TRAPS = {
    "a charset in the long form": b"Content-Type: text/plain; charset*=utf-8''utf-8\r\n\r\nGr\xc3\xbc\xc3\x9fe",
    "a charset that is none for text": b"Content-Type: text/plain; charset=idna\r\n\r\nGr\xfc\xdfe",
    "a charset that makes bytes": b"Content-Type: text/plain; charset=rot13\r\n\r\nHello",
    "half a character": b"Content-Type: text/plain; charset=utf-7\r\n\r\nHello +2AA- there",
    "half a character in a header": b"Subject: =?utf-7?q?Hello_+2AA-?=\r\n\r\nHello",
    "8-bit signs in the return path": b"Return-Path: <\xe4\xf6@x.example>\r\n\r\nHello",
    "many comments in the sender": b"From: " + b"(" * 600 + b" ada@people.example\r\n\r\nHello",
    "a deep nest of parts": b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (at, at) for at in range(40)
    ),
}


def test_no_letter_of_a_stranger_stops_the_reader() -> None:
    """Each is read, and what is read can be stored."""
    for raw in TRAPS.values():
        head = (
            b"" if raw.startswith(b"From") else b"From: Ada <ada@people.example>\r\nMessage-ID: <1@people.example>\r\n"
        )
        for item in parsing.incoming(head + raw, AT, "ines@acme.example"):
            assert item.person == "ada@people.example"
            repr(item).encode()  # fails for half a character


@given(st.sampled_from(sorted(TRAPS)), st.binary(max_size=200), st.integers(min_value=0, max_value=400))
def test_a_letter_with_odd_bytes_anywhere_is_read(trap: str, odd: bytes, place: int) -> None:
    raw = b"From: Ada <ada@people.example>\r\n" + TRAPS[trap]
    for item in parsing.incoming(raw[:place] + odd + raw[place:], AT, "ines@acme.example"):
        repr(item).encode()


def test_what_could_not_be_read_keeps_its_sender_and_subject() -> None:
    raw = b"From: Ada <ada@people.example>\r\nSubject: Hi\xff\r\n\r\nx"
    aside = parsing.set_aside(raw, AT, ValueError("secret"))
    assert (aside.sender, aside.why) == ("Ada <ada@people.example>", "ValueError")
    assert aside.subject.startswith("Hi")
    assert "secret" not in repr(aside)


def test_addresses_are_parsed_before_they_are_decoded() -> None:
    """What an encoded name holds divides nothing; a help desk's Reply-To and a reference without brackets are known."""
    names = ["=?utf-8?B?QmVyZywgQW5uYSA8eEB5LnpkZT4=?=", "Berg, Anna", '"Berg, Anna"', "=?klingon?Q?Anna?=", "Jörg"]
    for name in names:
        found = read(From=f"{name} <ada@people.example>")
        assert isinstance(found, Received), name
        assert found.person == "ada@people.example", name
    answered = read(From="Desk <desk@help.example>", Reply_To="ada@people.example", In_Reply_To=OURS.strip("<>"))
    assert isinstance(answered, Received)
    assert (answered.person, answered.alias, answered.token) == ("desk@help.example", "ada@people.example", TOKEN)
