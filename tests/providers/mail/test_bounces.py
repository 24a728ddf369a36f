"""Bounces and complaints of real mail servers: a dead address, the sender's fault, or something that passes."""

import json
import lzma
import re
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from app.ports import Bounced, Received
from app.providers.mail import bounce_causes, parsing
from app.providers.mail.bounce_causes import GONE, OURS, PASSING, UNSAID

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
MAILS: dict[str, Any] = json.loads(lzma.decompress((Path(__file__).parent / "bounces" / "mails.json.xz").read_bytes()))
UNKNOWN = re.compile(
    r"unknown|no such user|invalid recipient|does not exist|not found|unavailable|have an? [\w.]+ account"
)


@cache
def told(name: str) -> list[Any]:
    return parsing.incoming(MAILS[name]["mail"].encode("latin-1"), AT, "someone@ours.example")


def is_clear(name: str) -> bool:
    """Whether Sisimai's answer is the only right one: a filter may say in words that the user is unknown."""
    kinds = [reason for reason, _ in MAILS[name]["reasons"]]
    return "feedback" not in kinds and not ("filtered" in kinds and UNKNOWN.search(MAILS[name]["mail"].lower()))


def test_dead_addresses_are_told_from_the_rest() -> None:
    right = wrong = missed = 0
    for name in filter(is_clear, MAILS):
        dead = sum(final for _, final in MAILS[name]["reasons"])
        found = sum(isinstance(one, Bounced) and one.final for one in told(name))
        right, wrong, missed = right + min(dead, found), wrong + max(0, found - dead), missed + max(0, dead - found)
    assert right / (right + wrong) >= 0.95
    assert right / (right + missed) >= 0.93


def test_bounces_are_no_replies_of_people() -> None:
    people = [name for name in MAILS if any(isinstance(one, Received) and not one.automatic for one in told(name))]
    assert people == ["lhost-fml-02", "lhost-sendmail-14"]  # a mailing list's answer, and a forwarded report


def test_complaints_are_read_in_every_form() -> None:
    complaints = [name for name in MAILS if MAILS[name]["reasons"][0][0] == "feedback" and not MAILS[name]["unseen"]]
    assert len(complaints) >= 3
    for name in complaints:
        found = told(name)
        assert found
        assert all(one.ours for one in found)


CAUSES = [
    ("5.0.0", "550 Unauthenticated senders not allowed", OURS),
    ("5.0.0", "552 Too many recipients", OURS),
    ("5.1.1", "550 5.1.1 <ada@x.example> 203.0.113.2 has sent to too many recipients this hour", OURS),
    ("5.1.3", "553 http://www.spamhaus.org/query/bl?ip=192.0.2.222", OURS),
    ("5.7.26", "550-5.7.26 This mail is unauthenticated: SPF did not pass", OURS),
    ("5.7.1", "550 5.7.1 Message rejected due to local policy", OURS),
    ("4.7.0", "421 4.7.0 [TSS04] Messages temporarily deferred due to user complaints", OURS),
    ("5.1.8", "553 5.1.8 Domain of sender address x@y.example does not exist", OURS),
    ("5.0.0", "554 Service currently unavailable", PASSING),
    ("5.2.2", "552 5.2.2 The email account is over quota", PASSING),
    ("5.2.1", "550 5.2.1 The email account that you tried to reach is disabled", PASSING),
    ("5.1.1", "550 5.1.1 The email account that you tried to reach does not exist. Please try", GONE),
    ("5.1.10", "550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP lookup", GONE),
    ("5.4.1", "550 5.4.1 Recipient address rejected: Access denied. [AM0.protection.outlook.com]", GONE),
    ("5.1.2", "Host or domain name not found. Name service error for name=x.example: Host not found", GONE),
    ("5.0.0", "DNS lookup failure: host x.example not found.", GONE),
    ("5.1.1", "550 5.1.1 <ada@x.example>: inactive email address.", GONE),
    ("5.5.0", "mail.local: unknown user: ada 554 <ada@x.example>... Service unavailable", GONE),
    ("5.0.0", "", UNSAID),
    ("5.3.0", "mysterious", UNSAID),
]


def test_only_a_certain_no_such_user_is_a_dead_address() -> None:
    assert [(status, why, bounce_causes.judge(status, why)) for status, why, _ in CAUSES] == CAUSES


NOTIFICATION = {
    "notificationType": "Complaint",
    "complaint": {"complainedRecipients": [{"emailAddress": "Ada@people.example"}]},
}


def test_a_notification_of_amazon_ses_is_read() -> None:
    for text in (json.dumps(NOTIFICATION), json.dumps({"Type": "Notification", "Message": json.dumps(NOTIFICATION)})):
        raw = f"From: AWS <no-reply@sns.amazonaws.com>\r\nSubject: AWS Notification\r\n\r\n{text}\r\n--\r\nStop: x"
        (found,) = parsing.incoming(raw.encode(), AT, "ines@acme.example")
        assert (found.person, found.final, found.ours) == ("ada@people.example", True, True)
    for text in ("{", "[]", '{"bounce": 3}', '{"bounce": {"bouncedRecipients": [4, {}]}}', "{" * 5000):
        raw = f"From: no-reply@sns.amazonaws.com\r\n\r\n{text}"
        assert parsing.incoming(raw.encode(), AT, "ines@acme.example") == []


def test_a_report_of_several_gives_each_its_own_cause() -> None:
    raw = (
        b"From: MAILER-DAEMON@post.example\r\nSubject: Undelivered\r\n\r\nThese failed:\r\n\r\n"
        b"<ada@people.example>: 550 5.1.1 User unknown\r\n<bob@people.example>: 550 blocked using Spamhaus\r\n"
        b"<cy@people.example>:\r\n    552 mailbox full\r\n"
    )
    found = parsing.incoming(raw, AT, "ines@acme.example")
    assert [(one.person[:2], one.final, one.ours) for one in found] == [  # type: ignore[union-attr]
        ("ad", True, False),
        ("bo", False, True),
        ("cy", False, False),
    ]
