"""Test sends over real mail servers: marked, with a person's values, counted in the daily limit and nowhere else."""

import email
from collections.abc import Iterator
from datetime import timedelta
from email import policy
from typing import Any

import pytest
import sqlalchemy as sa

from app.core.db import session, transaction
from app.core.errors import Conflict, InvalidRequest, NotFound
from app.domain.engine import manual_send, test_send
from app.domain.engine.inbound import poll
from app.domain.engine.outbound import reconcile
from app.domain.ledger import recount, usage
from app.domain.people.exclusions import never_contact
from app.domain.platform import jobs
from app.domain.privacy import contact_record, unsubscribe
from app.domain.senders import accounts, deliverability
from app.models.accounts import Account
from app.models.campaigns import Campaign
from app.models.conversations import Message
from app.models.leads import Lead
from app.models.ledger import Action
from app.models.workspaces import Workspace
from tests.domain import outreach
from tests.domain.engine.test_mailbox_campaign import bounce, live, login, post
from tests.providers.mail.mailservers import Post, Servers
from tests.support.movable import Movable

__all__ = ["live", "post"]
pytestmark = pytest.mark.postgres
RESULTS = (
    "Authentication-Results: mx.far.example;\r\n dkim=pass header.d=acme.example;\r\n"
    " spf=fail (no dmarc=pass here) smtp.mailfrom=acme.example\r\n"
    "Authentication-Results: mx.far.example; dmarc=none header.from=acme.example\r\n"
    "Authentication-Results: elsewhere.example; dmarc=pass\r\n"
    "DKIM-Signature: v=1; a=rsa-sha256;\r\n d=acme.example; s=x; b=abc\r\n"
)
STEPS = [
    outreach.email("Dear {{first_name}}, out? {{unsubscribe_link}}", "A question"),
    outreach.email("Once more, {{first_name}}", "", days=3),
    outreach.email("Your {{custom.boat}}", "A boat", days=3),
    outreach.message("Hi {{first_name}}"),
    outreach.VIEW,
]


@pytest.fixture
def far() -> Post:
    return Post()


@pytest.fixture
def mailbox(live: Workspace, servers: Servers) -> Account:
    return accounts.connect_mailbox(
        live, provider="smtp", address="ines@acme.example", name="Ines Duarte", servers=login(servers)
    )


@pytest.fixture
def other(live: Workspace, far: Post) -> Iterator[Account]:
    theirs = Servers(far)
    yield accounts.connect_mailbox(live, provider="smtp", address="bo@far.example", name="Bo", servers=login(theirs))
    theirs.close()


@pytest.fixture
def campaign(live: Workspace, mailbox: Account) -> Campaign:
    made = outreach.a_campaign(live, ["an-ada"], STEPS[:3], start=False, senders=[mailbox.id])
    with transaction() as current:  # no account of a network is connected
        current.get_one(Campaign, made.id).sequence = [*made.sequence, *STEPS[3:]]
    return outreach.fresh(made)


def the_lead(campaign: Campaign) -> int:
    return session().scalars(sa.select(Lead.id).where(Lead.list_id == campaign.list_id)).one()


def sends(live: Workspace, campaign: Campaign, mailbox: Account, to: str, step: int = 0) -> test_send.TestSend:
    lead = the_lead(campaign)
    made = test_send.send(live, campaign.id, step, lead, mailbox.id, to)
    assert made.state == "waiting"
    jobs.run_due()
    return test_send.find(live, campaign.id, made.id)


def parsed(post: Post) -> list[Any]:
    return [email.message_from_bytes(raw, policy=policy.default) for _, _, raw in post.taken]


def test_a_test_has_a_persons_values_and_counts_in_the_daily_limit_alone(
    live: Workspace, campaign: Campaign, mailbox: Account, post: Post
) -> None:
    found = sends(live, campaign, mailbox, "ADA@live.example")
    assert (found.state, found.to, found.looking, found.readable) == ("sent", "ada@live.example", False, False)
    found = sends(live, campaign, mailbox, "ada@live.example", step=1)
    found = sends(live, campaign, mailbox, "ada@live.example", step=3)
    first, again, said = parsed(post)
    subjects = ["[Test] A question", "[Test] Re: A question", "[Test] Message to Ada"]
    assert [one["Subject"] for one in (first, again, said)] == subjects
    assert {one["To"] for one in (first, again, said)} == {"ada@live.example"}
    assert "Hi Ada" in said.get_body(("plain",)).get_content()
    link = first["List-Unsubscribe"].partition("/u/")[2].partition(">")[0]
    assert f"/u/{link}" in first.get_body(("plain",)).get_content()
    with pytest.raises(NotFound, match="test email"):
        unsubscribe.read(link)
    assert usage.usage_of([mailbox], live.now())[mailbox.id].day["email"].count == 3
    assert deliverability.recent_of(mailbox).sent == 0
    assert [one.sent for one in deliverability.of_workspace(live)] == [0]
    (person,) = session().scalars(sa.select(Action.person_id).distinct())
    assert contact_record.contacts(live, [person]) == []
    assert recount.campaigns()[campaign.id] == dict.fromkeys(recount.COUNTERS, 0)
    assert session().scalar(sa.select(sa.func.count(Message.id))) == 0


def test_what_arrived_in_another_mailbox_is_shown_and_taken_for_no_reply(
    live: Workspace, campaign: Campaign, mailbox: Account, other: Account, post: Post, far: Post, clock: Movable
) -> None:
    far.folders["Junk"] = []
    outreach.a_campaign(live, [{"email": "ines@acme.example"}], STEPS[:1], senders=[other.id], name="Known")
    poll.poll_due()
    found = sends(live, campaign, mailbox, "bo@far.example")
    assert (found.state, found.looking, found.arrival) == ("sent", True, None)
    raw = post.taken[0][2]
    far.put("Junk", RESULTS.encode() + raw)
    clock.forward(seconds=20)
    jobs.run_due()
    found = test_send.find(live, campaign.id, found.id)
    assert found.arrival
    assert (found.looking, found.arrival.spam, found.arrival.one_click) == (False, True, True)
    verdicts = (found.arrival.spf, found.arrival.dkim, found.arrival.dmarc, found.arrival.signed_by)
    assert verdicts == ("fail", "pass", "none", "acme.example")
    assert "/u/" in found.arrival.unsubscribe
    name = email.message_from_bytes(raw)["Message-ID"]
    post.arrives("Bo <bo@far.example>", "Not interested.", In_Reply_To=name)
    post.put("INBOX", bounce("bo@far.example", name, "5.1.1", "550 5.1.1 No such user"))
    clock.forward(hours=1)
    poll.poll_due()
    assert session().scalar(sa.select(sa.func.count(Message.id))) == 0
    assert never_contact.count(live) == 0
    assert session().scalars(sa.select(Action.error)).all() == [""]


def test_a_test_that_is_nowhere_to_be_found_is_looked_for_five_minutes(
    live: Workspace, campaign: Campaign, mailbox: Account, other: Account, far: Post, clock: Movable
) -> None:
    found = sends(live, campaign, mailbox, "bo@far.example")
    far.away = True  # a mailbox that can't be read looks the same
    for _ in range(30):
        clock.forward(seconds=15)
        jobs.run_due()
    found = test_send.find(live, campaign.id, found.id)
    assert (found.state, found.looking, found.arrival, found.readable) == ("sent", False, None, True)
    assert far.sign_ins < 30


def test_only_ourselves_get_tests_and_only_texts_that_could_be_sent(
    live: Workspace, campaign: Campaign, mailbox: Account, acme: Workspace
) -> None:
    theirs = outreach.a_campaign(acme, start=False)
    lead, foreign = the_lead(campaign), accounts.every(acme)[0].id
    for lead_id, account_id in ((the_lead(theirs), mailbox.id), (lead, foreign)):
        with pytest.raises(InvalidRequest):
            test_send.send(live, campaign.id, 0, lead_id, account_id, "ada@live.example")
    for step, to in ((0, "stranger@far.example"), (9, "ada@live.example")):
        with pytest.raises(Conflict):
            test_send.send(live, campaign.id, step, lead, mailbox.id, to)
    with pytest.raises(NotFound):
        test_send.send(live, theirs.id, 0, 1, mailbox.id, "ada@live.example")
    for step, sentence in ((2, "No value for custom.boat"), (4, "no text")):
        with pytest.raises(Conflict, match=sentence):
            sends(live, campaign, mailbox, "ada@live.example", step)
    made = sends(live, campaign, mailbox, "ada@live.example")
    with pytest.raises(NotFound):
        test_send.find(acme, campaign.id, made.id)


def test_a_test_is_not_sent_twice_when_its_worker_dies_or_the_answer_is_lost(
    live: Workspace, campaign: Campaign, mailbox: Account, post: Post, clock: Movable, monkeypatch: Any
) -> None:
    post.drop_at = "dot"
    found = sends(live, campaign, mailbox, "ada@live.example")
    assert (found.state, len(post.taken)) == ("unknown", 1)
    clock.forward(hours=1)
    reconcile.run_due()
    jobs.run_due()
    assert len(post.taken) == 1
    post.drop_at = ""

    class Killed(BaseException):
        pass

    def die(*given: Any, **more: Any) -> Any:
        raise Killed

    lead = the_lead(campaign)
    made = test_send.send(live, campaign.id, 0, lead, mailbox.id, "ada@live.example")
    with monkeypatch.context() as patched, pytest.raises(Killed):
        patched.setattr(manual_send, "record", die)
        jobs.run_due()
    assert len(post.taken) == 2
    for _ in range(4):
        clock.forward(hours=1)
        reconcile.run_due()
        jobs.run_due()
    assert test_send.find(live, campaign.id, made.id).state == "unknown"
    assert len(post.taken) == 2
    assert session().scalars(sa.select(Action.state).distinct()).all() == ["unknown"]


def test_a_test_that_is_refused_says_why(
    live: Workspace, campaign: Campaign, mailbox: Account, post: Post, clock: Movable
) -> None:
    """By the mail server, by the daily limit, or because the mailbox is switched off meanwhile."""
    post.replies["RCPT"] = "550 5.7.1 not you"
    assert "not you" in sends(live, campaign, mailbox, "ada@live.example").error
    post.replies.clear()
    clock.forward(hours=1)
    with transaction() as current:
        current.execute(sa.update(Account).values(rests={"email": (live.now() + timedelta(hours=5)).isoformat()}))
    found = sends(live, campaign, mailbox, "ada@live.example")
    assert (found.state, post.taken) == ("failed", [])
    assert "slow down" in found.error
    lead = the_lead(campaign)
    made = test_send.send(live, campaign.id, 0, lead, mailbox.id, "ada@live.example")
    accounts.switch(live, mailbox.id, active=False)
    jobs.run_due()
    assert test_send.find(live, campaign.id, made.id).error == "Ines Duarte is not connected."
