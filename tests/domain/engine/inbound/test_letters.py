"""Letters as people, mail programs and machines send them, through IMAP into a running campaign.

Each is judged by what is sent afterwards, and by whether the person may still be contacted.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import pytest
import sqlalchemy as sa
from flask import Flask

from app.core.db import session
from app.core.errors import Conflict
from app.domain.engine import lifecycle, turns
from app.domain.engine.inbound import poll
from app.domain.engine.outbound import reconcile
from app.domain.people.exclusions import never_contact
from app.domain.senders import accounts
from app.domain.senders.mailbox_logins import Servers as Login
from app.domain.tasks import opt_out_questions, reply_rereading, tasks
from app.domain.workspace import workspaces
from app.models.accounts import Account
from app.models.campaigns import CampaignLead
from app.models.conversations import Message
from app.models.leads import NeverContact
from app.models.tasks import Task, TaskKind
from app.models.workspaces import Workspace
from tests.conftest import PASSWORD
from tests.domain import outreach
from tests.providers.mail.mailservers import Post, Servers
from tests.support.movable import Movable
from tests.support.unruled import unruled

FIRST = "Hi Anna, a short question.\nIf you want no more mails, unsubscribe here: https://own.example/u/x\nInes"
STEPS = [outreach.email(FIRST, "Quick question"), outreach.email("Once more", "", days=3)]
ADDRESS = "anna.berg+work@gmail.com"
QUOTED = (
    "\n\nVào Th 6, 27 thg 11, 2026 lúc 10:00 Ines <ines@own.example> đã viết:\n\n"
    "If you want no more mails, unsubscribe here: https://own.example/u/x\nInes"
)
CALENDAR = (
    'Content-Type: multipart/alternative; boundary="b"\n\n--b\nContent-Type: text/plain\n\n\n'
    "--b\nContent-Type: text/calendar; method=REPLY\n\nBEGIN:VCALENDAR\nMETHOD:REPLY\nBEGIN:VEVENT\n"
    "ATTENDEE;PARTSTAT=DECLINED:mailto:x@y.example\nEND:VEVENT\nEND:VCALENDAR\n\n--b--\n"
)
RECEIPT = (
    'Content-Type: multipart/report; report-type=disposition-notification; boundary="b"\n\n--b\n'
    "Content-Type: text/plain\n\nYour message was read.\n\n--b\nContent-Type: message/disposition-notification\n\n"
    "Disposition: manual-action/MDN-sent-manually; displayed\n\n--b--\n"
)
GMAIL = (
    'Content-Type: text/html; charset=utf-8\n\n<div dir="ltr">Sounds good.</div><div class="gmail_quote"><div '
    'class="gmail_attr">On Fri Ines wrote:<br></div><blockquote>Take me off your list, please.</blockquote></div>'
)
AUTO = "Auto-Submitted: auto-replied\n"
PLAIN = "Content-Type: text/plain; charset=utf-8\n\n"


class Became(NamedTuple):
    """Whether a second email followed within the month, the person may never be contacted, and it counts as a reply."""

    again: bool
    never: bool
    replied: bool


STOPPED, ANSWERED = Became(False, True, True), Became(False, False, True)
GONE, LATER = Became(False, True, False), Became(True, False, False)
LETTERS: list[tuple[str, str, Became]] = [
    ("a wish", PLAIN + "Prosím, vymažte ma zo zoznamu a už mi nepíšte.", STOPPED),
    ("a wish under a machine's header", "X-Auto-Response-Suppress: All\n" + PLAIN + "Stop emailing me.", STOPPED),
    ("a lone stop after a greeting", PLAIN + "Guten Tag,\nStopp bitte!\nJan", STOPPED),
    ("a friend who speaks of data protection", PLAIN + "We need help with the GDPR. Can we talk?", ANSWERED),
    ("our own line, quoted", PLAIN + "Sounds good." + QUOTED, ANSWERED),
    ("our own line, in HTML", GMAIL, ANSWERED),
    ("our own words without a mark", PLAIN + "Sounds good.\n\n" + FIRST, ANSWERED),
    ("an answer to a calendar", CALENDAR, ANSWERED),
    ("not before a day", PLAIN + "Don't contact me before Tuesday.", ANSWERED),
    ("a person who left", AUTO + PLAIN + "Anna no longer works here. Please write to Tom (tom@x.example).", GONE),
    ("an absence", AUTO + PLAIN + "Olen lomalla 14.12.2026 asti.", LATER),
    ("an absence without a header", PLAIN + "12月11日まで不在にしております。12月14日に戻ります。", LATER),
    ("a receipt", RECEIPT, LATER),
    ("a ticket", PLAIN + "Your request (#4821) has been received. To add comments, reply to this email.", LATER),
    ("an encoding that lies", "Content-Type: text/plain; charset=us-ascii\n\nСпасибо, давайте созвонимся!", ANSWERED),
]


@pytest.fixture
def post() -> Post:
    return Post(folders={"INBOX": [], "Sent": [], "Junk": []})


@pytest.fixture
def live(app: Flask, clock: Movable) -> Workspace:
    clock.to(datetime(2026, 11, 27, 9, tzinfo=UTC))
    return unruled(workspaces.create("Live", "ada@live.example", PASSWORD))


def connected(live: Workspace, servers: Servers, address: str = "ines@own.example") -> Account:
    login = Login(
        **{"smtp_host": "127.0.0.1", "imap_host": "127.0.0.1", "username": "ines", "password": "an app password"},
        smtp_port=servers.smtp_port,
        imap_port=servers.imap_port,
    )
    return accounts.connect_mailbox(live, provider="smtp", address=address, name="Ines", servers=login)


def started(live: Workspace, mailbox: Account, name: str = "First") -> int:
    anna = {"publicId": "anna-berg", "firstName": "Anna", "email": ADDRESS}
    return outreach.a_campaign(live, [anna], STEPS, senders=[mailbox.id], name=name).id


def later(clock: Movable, days: int) -> None:
    for _ in range(days * 2):
        clock.forward(hours=12)
        poll.poll_due()
        turns.run_due()
        reconcile.run_due()
        lifecycle.run_due()


def sent(live: Workspace, servers: Servers, post: Post, clock: Movable) -> str:
    """The Message-ID of the first email of a campaign."""
    started(live, connected(live, servers))
    while not post.taken:
        later(clock, 1)
    return post.taken[0][2].partition(b"Message-ID: ")[2].partition(b"\r\n")[0].decode()


def arrives(post: Post, letter: str, answers: str, folder: str = "INBOX", sender: str = ADDRESS, **head: str) -> None:
    named = {"From": f"Anna <{sender}>", "Message-ID": f"<{len(post.folders[folder])}@x.example>"} | head
    named = {"Subject": "Re: Quick question", "In-Reply-To": answers} | named
    lines = "".join(f"{name}: {value}\n" for name, value in named.items() if value)
    post.put(folder, (lines + letter).replace("\n", "\r\n").encode())


def person(live: Workspace) -> CampaignLead:
    return session().scalars(sa.select(CampaignLead).where(CampaignLead.workspace_id == live.id)).one()


def became(live: Workspace, post: Post) -> Became:
    session().expire_all()
    lead = person(live)
    blocked = never_contact.find(live, lead.person_id) is not None
    return Became(len(post.taken) > 1, blocked, bool(lead.replied))


@pytest.mark.parametrize(("letter", "expected"), [one[1:] for one in LETTERS], ids=[one[0] for one in LETTERS])
def test_what_follows_a_letter(
    live: Workspace, servers: Servers, post: Post, clock: Movable, letter: str, expected: Became
) -> None:
    first = sent(live, servers, post, clock)
    clock.to(datetime(2026, 11, 28, 9, tzinfo=UTC))
    arrives(post, letter, first)
    later(clock, 18)
    assert became(live, post) == expected


def test_an_absence_ends_on_its_day(live: Workspace, servers: Servers, post: Post, clock: Movable) -> None:
    first = sent(live, servers, post, clock)
    clock.to(datetime(2026, 11, 28, 9, tzinfo=UTC))
    arrives(post, PLAIN + "Я у відпустці до 14 грудня 2026 року.", first, Auto_Submitted="")
    later(clock, 14)
    assert len(post.taken) == 1
    later(clock, 3)
    assert len(post.taken) == 2


def asked(live: Workspace) -> Sequence[Task]:
    return session().scalars(sa.select(Task).where(Task.workspace_id == live.id, Task.kind == TaskKind.OPT_OUT)).all()


def test_what_may_be_a_wish_holds_them_until_a_member_decides(
    live: Workspace, servers: Servers, post: Post, clock: Movable
) -> None:
    """In every campaign, for them alone; the same sentence is not asked about again."""
    first = sent(live, servers, post, clock)
    mailbox = session().scalars(sa.select(Account).where(Account.workspace_id == live.id)).one()
    arrives(post, PLAIN + "Where did you get my address?", first)
    later(clock, 1)
    (task,) = asked(live)
    assert task.text == "Where did you get my address?"
    assert not never_contact.find(live, task.person_id)
    started(live, mailbox, "Second")
    later(clock, 5)
    assert len(post.taken) == 1
    with pytest.raises(Conflict):
        tasks.finish(live, task.id)
    with pytest.raises(Conflict):
        tasks.remove(live, task.id)
    opt_out_questions.decide(live, task.id, contact=True)
    arrives(post, PLAIN + "Where did you get my address?", first, Date="x")
    later(clock, 1)
    assert len(asked(live)) == 1
    with pytest.raises(Conflict):
        opt_out_questions.decide(live, task.id, contact=False)


def test_a_member_who_reads_a_wish_ends_it(live: Workspace, servers: Servers, post: Post, clock: Movable) -> None:
    first = sent(live, servers, post, clock)
    arrives(post, PLAIN + "This is spam.", first)
    later(clock, 1)
    (task,) = asked(live)
    opt_out_questions.decide(live, task.id, contact=False)
    entry = never_contact.find(live, task.person_id)
    assert entry is not None
    assert "This is spam." in entry.reason


def test_a_wish_by_mail_counts_in_any_mailbox_and_from_any_address(
    live: Workspace, servers: Servers, post: Post, clock: Movable
) -> None:
    """The List-Unsubscribe header names whose it is; without it another spelling of the address is enough."""
    sent(live, servers, post, clock)
    head = post.taken[0][2].decode().replace("\r\n ", " ")
    subject = head.partition("?subject=")[2].partition(">")[0].replace("%20", " ").replace("%23", "#")
    arrives(
        post, PLAIN + "This message was automatically generated.", "", "Junk", "someone@else.example", Subject=subject
    )
    later(clock, 5)
    assert became(live, post)[:2] == (False, True)


def test_another_spelling_of_an_address_is_the_same_person(
    live: Workspace, servers: Servers, post: Post, clock: Movable
) -> None:
    sent(live, servers, post, clock)
    arrives(post, PLAIN, "", "Junk", "AnnaBerg@googlemail.com", Subject="Unsubscribe")
    later(clock, 5)
    assert became(live, post)[:2] == (False, True)
    blocked = session().scalars(sa.select(NeverContact.label).where(NeverContact.workspace_id == live.id)).all()
    assert len(blocked) == 1


def test_a_letter_that_cannot_be_read_is_kept_and_stops_the_sequence(
    live: Workspace, servers: Servers, post: Post, clock: Movable
) -> None:
    first = sent(live, servers, post, clock)
    nest = "".join(f"Content-Type: multipart/mixed; boundary=b{at}\n\n--b{at}\n" for at in range(1500))
    arrives(post, nest, first)
    later(clock, 5)
    assert became(live, post) == ANSWERED
    (text,) = session().scalars(sa.select(Message.text).where(Message.direction == "in"))
    assert "can't be read" in text


def test_earlier_letters_are_read_again_once(live: Workspace, servers: Servers, post: Post, clock: Movable) -> None:
    """Who asked to hear no more is blocked; who was silenced wrongly is listed, not released."""
    first = sent(live, servers, post, clock)
    arrives(post, PLAIN + "Ja, gerne. Wir helfen selbst bei der DSGVO.", first)
    later(clock, 1)
    lead = person(live)
    never_contact.add_person(live, lead.person_id, reply_rereading.ASKED)
    assert [one.what for one in reply_rereading.apply(live)] == ["wrongly_silenced"]
    assert reply_rereading.is_done(live)
    assert never_contact.find(live, lead.person_id)
    entry = session().scalars(sa.select(NeverContact).where(NeverContact.workspace_id == live.id)).one()
    never_contact.remove(live, entry.id)
    session().execute(sa.update(Message).where(Message.direction == "in").values(text="Non scrivetemi più."))
    session().commit()
    assert [one.what for one in reply_rereading.apply(live)] == ["opted_out"]
    assert never_contact.find(live, lead.person_id)
    assert reply_rereading.apply(live) == []
