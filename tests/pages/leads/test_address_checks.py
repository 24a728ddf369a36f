"""Addresses are checked once before their first email; what bounces too much pauses itself until a member goes on."""

from datetime import timedelta

import sqlalchemy as sa

from app import ports
from app.core import clock as clocks
from app.core.db import session
from app.domain.approvals import approvals
from app.domain.campaigns import campaigns, exclusion_preview
from app.domain.engine import manual_send
from app.domain.engine.manual import compose
from app.domain.enrichment import address_checks
from app.domain.notifications import happenings
from app.domain.people.exclusions import never_contact
from app.domain.platform import jobs
from app.domain.senders import accounts, deliverability
from app.models.accounts import Account
from app.models.campaigns import LeadState
from app.models.conversations import Message
from app.models.ledger import Action
from app.models.signals import AddressCheck
from app.models.workspaces import Workspace
from app.ports import Bounced, Unreachable, Verdict
from tests.domain import outreach
from tests.domain.engine.test_mailbox_campaign import connected, later, live, post, started
from tests.domain.reviewing import drafts
from tests.pages.conftest import Web, must_have
from tests.providers.mail.mailservers import Post, Servers
from tests.support.movable import Movable
from tests.support.names import EveryDomain

__all__ = ["live", "post"]
FOUND = [
    ("ada@example.com", Verdict.UNCHECKED, "domain"),
    ("ada@gone.invalid", Verdict.UNDELIVERABLE, "no_server"),
    ("ada", Verdict.UNDELIVERABLE, "syntax"),
    ("Kunden.Service@example.com", Verdict.RISKY, "role"),
    ("info+x@example.com", Verdict.RISKY, "role"),
    ("infobell@example.com", Verdict.UNCHECKED, "domain"),
    ("ada@mailinator.com", Verdict.RISKY, "disposable"),
]


class Closed(EveryDomain):
    """A name server that says of one domain that it takes no mail, and answers nothing about another."""

    def mail_servers(self, domain: str) -> list[str]:
        if domain == "silent.example":
            raise Unreachable("No answer.")
        return ["."] if domain == "closed.example" else []

    def addresses(self, host: str) -> list[str]:
        return ["192.0.2.1"] if host == "bare.example" else []


class Open(EveryDomain):
    """A name server that knows every domain, also those that others say do not exist."""

    def mail_servers(self, domain: str) -> list[str]:
        return [f"mx.{domain}"]

    def addresses(self, host: str) -> list[str]:
        return ["192.0.2.1"]


def test_an_address_is_judged_by_what_can_be_known(live: Workspace) -> None:
    assert [(address, *address_checks.look(live, address)[:2]) for address, _, _ in FOUND] == FOUND
    ports.domain_records.connect(Closed())
    hosts = ("closed.example", "bare.example", "nothing.example", "silent.example")
    found = [address_checks.look(live, f"ada@{host}").reason for host in hosts]
    assert found == ["no_server", "domain", "no_server", "no_answer"]


def test_no_email_goes_to_an_address_that_takes_none(
    live: Workspace, servers: Servers, post: Post, clock: Movable
) -> None:
    mailbox = connected(live, servers)
    steps = [outreach.email("Hello", "A question"), outreach.email("Again", "", days=2)]
    people = [{"email": "ada@example.com"}, {"email": "bob@gone.invalid"}]
    made = outreach.a_campaign(live, people, steps, senders=[mailbox.id])
    later(clock, days=4)
    assert [to for _, to, _ in post.taken] == ["ada@example.com"] * 2
    found = {one.state: one for one in outreach.everyone(made).values()}
    assert found[LeadState.EXCLUDED].error == "bob@gone.invalid can't receive email: the domain doesn't accept email."
    assert never_contact.count(live) == 0
    checks = session().scalars(sa.select(AddressCheck).order_by(AddressCheck.address)).all()
    assert [(one.address, one.reason) for one in checks] == [
        ("ada@example.com", "domain"),
        ("bob@gone.invalid", "no_server"),
    ]
    assert checks[0].checked_at < live.now() - timedelta(days=3), "checked once"


def test_a_list_whose_addresses_do_not_work_is_named_where_it_is_missed(
    web: Web, live: Workspace, servers: Servers, clock: Movable
) -> None:
    """Nobody is on the do-not-contact list for it, and who was found out before does not even join."""
    mailbox = connected(live, servers)
    people = [{"email": f"{name}@gone.invalid"} for name in ("ada", "bob")]
    list_id = outreach.a_list(live, people)
    made = outreach.a_campaign(
        live, list_id, [outreach.email("Hello", "A question")], senders=[mailbox.id], approval=True
    )
    for draft in drafts(live, "pending"):
        approvals.edit(live, draft.id, text=draft.text, approve=True)
    later(clock, hours=6)
    web.sign_in("ada@live.example")
    must_have(web.get(f"/campaigns/{made.id}"), "The email addresses of 2 people don’t work.", "Check addresses")
    must_have(web.get("/"), "the email addresses of 2 people don’t work", "See why")
    must_have(web.get("/approvals"), "Left out today because their email address doesn’t work: 2 people.")
    must_have(web.get("/approvals?show=approved"), without="have been sent")
    again = outreach.a_campaign(
        live, list_id, [outreach.email("Hello", "A question")], senders=[mailbox.id], start=False
    )
    assert exclusion_preview.of_list(live, again.id, list_id, most=10).reasons == {"undeliverable": 2}
    assert never_contact.count(live) == 0


def test_a_mail_by_hand_says_why_it_was_refused_and_goes_once_the_domain_answers(
    live: Workspace, servers: Servers, post: Post, clock: Movable
) -> None:
    """Retry is not offered to someone on the do-not-contact list, because it can't work."""
    mailbox = connected(live, servers)
    made = compose.begin(live, outreach.person_id(live, "ada@gone.invalid"), mailbox.id, "Hello", "A question")
    clock.forward(minutes=5)
    manual_send.run_due()
    message = session().get_one(Message, made.id, populate_existing=True)
    assert message.error == "ada@gone.invalid can't receive email: the domain doesn't accept email."
    assert compose.moves(message) == {"retry", "discard"}
    ports.domain_records.connect(Open())
    compose.retry(live, message.conversation_id, message.id)
    clock.forward(minutes=5)
    manual_send.run_due()
    assert [to for _, to, _ in post.taken] == ["ada@gone.invalid"]
    second = compose.write(live, message.conversation_id, "One more thing")
    never_contact.add(live, ["ada@gone.invalid"])
    clock.forward(minutes=5)
    manual_send.run_due()
    assert compose.moves(session().get_one(Message, second.id, populate_existing=True)) == {"discard"}


def test_a_list_is_checked_in_the_background(web: Web, live: Workspace, rival: Workspace, servers: Servers) -> None:
    addresses = ("ada@example.com", "bob@gone.invalid", "info@example.com")
    list_id = outreach.a_list(live, [{"email": address} for address in addresses])
    web.sign_in("ada@live.example")
    page = f"/lists/{list_id}/look-ups/addresses"
    must_have(web.get(f"/lists/{list_id}"), page)
    must_have(web.get(page), "<b>0</b> of 3 addresses checked", "Check 3 addresses", "about 5.0%")
    web.post(page)
    must_have(web.get(page), "Checking…")
    while jobs.run_due():
        pass
    must_have(web.get(page), "<b>3</b> of 3 addresses checked", "about 6.5%", without="Check 3")
    must_have(web.get(page), f'href="/lists/{list_id}?reach=risky">1</a>')
    must_have(web.get(f"/lists/{list_id}?reach=risky"), "info@example.com", "Risky email", without="ada@example.com")
    found = address_checks.of_lists(live, [list_id])
    assert (found.plausible, found.risky, found.undeliverable, found.unchecked) == (1, 1, 1, 0)
    draft = outreach.a_campaign(live, list_id, [outreach.email()], start=False, senders=[connected(live, servers).id])
    must_have(web.get(f"/campaigns/{draft.id}"), "About 6.5% of", "doesn’t work: 1 person")
    again = web.post(page, campaign=draft.id).headers["Location"]
    must_have(web.get(again), f'href="/campaigns/{draft.id}"', "Back to the campaign")
    assert address_checks.of_address(rival, "ada@example.com") is None


def bounces(live: Workspace, mailbox: Account, number: int) -> None:
    """The first emails that did not come back yet do."""
    ours = (Action.sender_id == mailbox.id, Action.error == "")
    mails = session().scalars(sa.select(Action).where(*ours).order_by(Action.id).limit(number)).all()
    for one in mails:
        back = Bounced(f"{one.id}@example.com", clocks.now(), f"b{one.id}", "550 5.1.1 No such user", True, one.token)
        outreach.takes_in(live, mailbox, back)


def test_what_bounces_too_much_pauses_itself(
    web: Web, live: Workspace, servers: Servers, post: Post, clock: Movable
) -> None:
    mailbox = connected(live, servers)
    campaign = started(live, mailbox, *(f"an-ada{number}" for number in range(8)))
    later(clock, days=3)
    number = len(post.taken)
    assert number >= 6
    bounces(live, mailbox, 4)
    assert session().get_one(Account, mailbox.id, populate_existing=True).active
    bounces(live, mailbox, 1)
    session().expire_all()
    assert (mailbox.active, campaign.status) == (False, "paused")
    why = f"5 of the last {number} emails bounced. Check the addresses, then"
    assert (mailbox.status_reason, campaign.error) == (f"{why} switch it on.", f"{why} resume.")
    told = [one.title for one in happenings.latest(live, "owner")]
    assert {"“First” was paused", "Ines Duarte needs attention"} <= {*told}
    web.sign_in("ada@live.example")
    must_have(web.get(f"/campaigns/{campaign.id}"), "Too many emails bounced.", why)
    must_have(web.get(f"/senders/{mailbox.id}"), why, f"<b>5</b> of the last {number} emails bounced")
    must_have(web.get("/"), f"{why} switch it on.", f"{why} resume.")
    campaigns.resume(live, campaign.id)
    must_have(web.get(f"/campaigns/{campaign.id}"), "Ines Duarte is switched off.", f"{why} switch it on.")
    accounts.switch(live, mailbox.id, True)
    bounces(live, mailbox, 1)  # of before
    session().expire_all()
    assert deliverability.recent_of(mailbox).bounced == 0
    assert (mailbox.active, campaign.status, campaign.error) == (True, "running", "")


def test_a_campaign_that_finished_with_too_many_bounces_says_so(
    web: Web, live: Workspace, rival: Workspace, servers: Servers, post: Post, clock: Movable
) -> None:
    """On its page and on Home, for a month; nothing can be paused any more."""
    mailbox = connected(live, servers)
    campaign = started(live, mailbox, *(f"an-ada{number}" for number in range(6)))
    later(clock, days=24)
    number = len(post.taken)
    session().expire_all()
    assert campaign.status == "finished"
    web.sign_in("ada@live.example")
    must_have(web.get(f"/campaigns/{campaign.id}"), "Finished", without="Too many emails bounced")
    bounces(live, mailbox, 5)
    why = f"5 of the last {number} emails bounced. Check the addresses, then use the list again."
    check = f'href="/lists/{campaign.list_id}/look-ups/addresses"'
    must_have(web.get(f"/campaigns/{campaign.id}"), "Too many emails bounced.", why, check)
    must_have(web.get("/"), "First has finished", why)
    clock.forward(days=31)
    web.sign_in("ada@live.example")
    must_have(web.get("/"), without=why)
    web.sign_in("rob@rival.example")
    must_have(web.get("/"), without="emails bounced")
