"""Erasing a person: nothing that names them stays anywhere, counters stay true, and they are never contacted again."""

import io
from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa

from app.core.db import Base, end_read, session, transaction
from app.core.errors import NotFound
from app.core.row_rules import Erase
from app.domain.engine.manual import compose
from app.domain.leads import csv_import, leads, lists, tags
from app.domain.ledger import recount
from app.domain.people.exclusions import never_contact
from app.domain.platform import jobs
from app.domain.privacy import erasure, export, personal_rows
from app.domain.senders import accounts
from app.domain.webhooks import delivery_log, dispatcher, endpoints
from app.models.accounts import Channel
from app.models.campaigns import Campaign
from app.models.leads import ImportState, Lead
from app.models.platform.requests import ApiRequest
from app.models.signals import ContactLookup, Enrichment, LookupState, Signal
from app.models.webhooks import Event
from app.models.workspaces import Workspace
from app.ports import Received
from tests.domain.outreach import (
    INVITE,
    a_campaign,
    a_list,
    acts,
    begun,
    forward,
    message,
    only,
    person_id,
    takes_in,
    the_account,
    told,
)
from tests.support.clients import Api
from tests.support.movable import Movable
from tests.support.receivers import Receiver

WHO = "replies-positive-canary"
PERSON = {
    "publicId": WHO,
    "profileUrl": f"https://network.example/in/{WHO}",
    "firstName": "Kanarienvogel",
    "lastName": "Zwitscher",
    "headline": "Sings in Zwitscherstadt",
    "companyName": "Wool Ltd",
    "email": "kanarienvogel@zwitscher.example",
    "phone": "+49 30 2719281",
    "customFields": {"pet": "Kanarienvogel"},
}
TRACES = ("canary", "kanarienvogel", "zwitscher", "2719281")
NETWORK = "sandbox_"  # the tables of the invented network, which is not ours to erase from


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver(lambda request: (200, {}, request.body))
    yield receiver
    receiver.stop()


def traces(workspace: Workspace) -> list[str]:
    """Where in the database anything of the person still stands, sealed answers opened."""
    found = []
    for table in Base.metadata.sorted_tables:
        if table.name.startswith(NETWORK):
            continue
        for row in session().execute(sa.select(table)):
            text = repr(tuple(row)).casefold()
            found += [f"{table.name}: {trace}" for trace in TRACES if trace in text]
    end_read()
    return found


def the_lead(campaign: Campaign) -> int:
    return only(campaign).lead_id


def drain() -> None:
    while jobs.run_due():
        pass
    end_read()


def differences() -> list[str]:
    found = [one.sentence for one in (*recount.statistics(), *recount.lists())]
    end_read()
    return found


def test_an_erased_person_leaves_only_hashes(acme: Workspace, rival: Workspace, api: Api, receiver: Receiver) -> None:
    """After a whole life with us, nothing but keyed hashes is left; the stranger's person of that name is theirs."""
    theirs = a_list(rival, [PERSON])
    endpoints.create(acme, name="CRM", url=receiver.url, event="every_reply")
    campaign = a_campaign(acme, [PERSON], [INVITE, message("Hello {{first_name}}, a word about {{custom.pet}}?")])
    lead_id = the_lead(campaign)
    forward(acme, days=14)
    dispatcher.deliver_due()
    assert receiver.requests
    again = a_list(acme, [PERSON, "somebody-else"], "Again")
    tags.tag(acme, [lead_id], add=["Zwitscher"])
    never_contact.add(acme, [PERSON["profileUrl"], "wool.example"])
    api.post("never-contact", {"entries": ["kanarienvogel@"]}, idempotency_key="one")
    refused = f"publicId,email,Title\n{WHO},{PERSON['email']},{'x' * 5000}\n".encode()
    csv_import.start(acme, csv_import.create(acme, again, "p.csv", io.BytesIO(refused)).id)
    waiting = csv_import.create(acme, again, "p.csv", io.BytesIO(refused))
    drain()
    before = only(campaign)
    with_them = traces(acme)
    tables = {trace.partition(":")[0] for trace in with_them}
    assert {"person", "person_identity", "action", "message", "event", "delivery_attempt",
            "import_refusal", "never_contact"} <= tables  # fmt: skip
    done = erasure.erase(acme, lead_id)
    assert (done.leads, done.campaigns, done.finished) == (2, 1, False)
    assert min(done.actions, done.messages, done.events) > 0
    lists.delete_list(rival, theirs)
    assert traces(acme) == []
    assert session().get_one(type(waiting), waiting.id, populate_existing=True).state == ImportState.CANCELED
    after = only(campaign)
    assert (after.contacted, after.messages_sent, after.replied) == (before.contacted, before.messages_sent, True)
    assert differences() == []


def test_they_stay_away(acme: Workspace) -> None:
    """Whoever adds them again, by either name, adds no one; what they write is not kept."""
    campaign = a_campaign(acme, ["replies-positive-canary"], [INVITE, message()])
    forward(acme, days=1)
    erasure.erase(acme, the_lead(campaign))
    done = len(acts(acme))
    forward(acme, days=21)
    assert len(acts(acme)) == done
    assert traces(acme) == []
    list_id = a_list(acme, ["somebody"], "Again")
    result = leads.add(acme, list_id, [{"publicId": WHO}, {"publicId": "x", "email": f"{WHO}@example.com"}])
    assert (result.added, result.skipped) == (0, 2)
    assert differences() == []


def test_what_is_in_the_air_is_waited_for(acme: Workspace, clock: Movable) -> None:
    """Hidden and barred at once; the rest goes when the outcome is known, or when no one can tell any more."""
    campaign = a_campaign(acme, [PERSON], [INVITE])
    lead_id = the_lead(campaign)
    begun(acme)
    end_read()
    assert not erasure.erase(acme, lead_id).finished
    with pytest.raises(NotFound):
        leads.get_visible(acme, lead_id)
    drain()
    assert only(campaign).person.handle == WHO
    clock.forward(minutes=2)
    drain()
    assert only(campaign).person.handle == WHO
    clock.forward(hours=2)
    drain()
    assert traces(acme) == []
    assert differences() == []


@pytest.mark.parametrize("in_campaign", [True, False])
def test_their_events_and_deliveries_say_nothing_of_them_in_a_campaign_or_not(
    acme: Workspace, rival: Workspace, receiver: Receiver, in_campaign: bool
) -> None:
    """What was written by hand goes, too, and their name where they got a copy; a stranger's events stay whole."""
    for workspace in (acme, rival):
        endpoints.create(workspace, name="CRM", url=receiver.url, events=["every_reply", "message_sent"])
        list_id = a_list(workspace, [PERSON, "ignores-bob"])
        if in_campaign:
            a_campaign(workspace, list_id, [INVITE])
        mailbox = next(one for one in accounts.every(workspace) if one.channel == Channel.EMAIL)
        compose.begin(workspace, person_id(workspace, WHO), mailbox.id, "Thank you, Kanarienvogel!", "For Zwitscher")
        copy = {"subject": "A question", "cc": [PERSON["email"]]}
        compose.begin(workspace, person_id(workspace, "ignores-bob"), mailbox.id, "Dear Bob", **copy)
        forward(workspace, hours=1)
        said = Received(WHO, "message", "Sounds good. Kanarienvogel", workspace.now(), "one")
        takes_in(workspace, the_account(workspace), said)
    assert {"every_reply", "message_sent"} <= set(bodies_about_them(acme))
    stranger = bodies_about_them(rival)
    lead = sa.select(Lead.id).where(Lead.workspace_id == acme.id, Lead.person.has(public_id=WHO))
    erasure.erase(acme, session().scalars(lead).one())
    assert bodies_about_them(acme) == []
    assert bodies_about_them(rival) == stranger
    assert any("Dear Bob" in one.body for one in sent(acme))


def test_lists_in_their_events_become_empty(acme: Workspace) -> None:
    """Tags that were added or removed, and who got an email: an empty text among them would be a value."""
    list_id = a_list(acme, [PERSON])
    (lead,) = session().scalars(lists.query_list(acme, list_id))
    tags.tag(acme, [lead.id], add=["Zwitscher", "vip"])
    tags.tag(acme, [lead.id], add=[], remove=["vip"])
    mailbox = next(one for one in accounts.every(acme) if one.channel == Channel.EMAIL)
    compose.begin(acme, lead.person_id, mailbox.id, "Thank you!", "For Zwitscher", cc=["other@x.example"])
    forward(acme, hours=1)
    erasure.erase(acme, lead.id)
    assert [(one["tag"]["added"], one["tag"]["removed"]) for one in told(acme, "lead_tag_updated")] == [([], [])] * 2
    (letter,) = (one["message"] for one in told(acme, "message_sent"))
    assert (letter["to"], letter["cc"], letter["text"]) == ([], [], "")


def sent(workspace: Workspace) -> list[Any]:
    """The deliveries of a workspace's only webhook, as they would be sent again."""
    (webhook,) = session().scalars(endpoints.page(workspace))
    deliveries = session().execute(delivery_log.page(workspace, webhook.id)).all()
    return [delivery_log.get(workspace, one.id) for one in deliveries]


def bodies_about_them(workspace: Workspace) -> list[str]:
    """The kinds of the deliveries that still say something of the person."""
    found = sorted(one.kind for one in sent(workspace) if any(trace in one.body.casefold() for trace in TRACES))
    end_read()
    return found


def test_an_address_that_many_share_names_no_one(acme: Workspace) -> None:
    """Those who merely have the same address stay; two records of one person go together."""
    shared = [{"publicId": f"p{number}", "email": "info@wool.example"} for number in range(5)]
    twice = [{"publicId": one, "email": "ada@x.example"} for one in ("ada", "ada-again")]
    list_id = a_list(acme, [*shared, *twice])
    found = {lead.public_id: lead.id for lead in session().scalars(lists.query_list(acme, list_id))}
    end_read()
    assert erasure.extent(acme, found["p0"]).leads == 1
    assert erasure.erase(acme, found["p0"]).leads == 1
    assert erasure.erase(acme, found["ada"]).leads == 2
    kept = session().scalars(lists.query_list(acme, list_id)).all()
    assert sorted(lead.public_id for lead in kept) == ["p1", "p2", "p3", "p4"]
    assert never_contact.blocked_people(acme.id, [lead.person_id for lead in kept]) == {}


def test_an_export_says_of_each_row_where_it_came_from_and_an_erasure_takes_the_same_rows(acme: Workspace) -> None:
    """Whole or not at all; events keep kind, moment and number, and what is about others."""
    campaign = a_campaign(acme, [PERSON, "replies-positive-bob"], [INVITE, message("Hello {{first_name}}")])
    forward(acme, days=14)
    (lead_id,) = session().scalars(sa.select(Lead.id).where(Lead.person.has(public_id=WHO)))
    with pytest.raises(RuntimeError), transaction():
        erasure.erase(acme, lead_id)
        raise RuntimeError("no")
    session().expire_all()
    assert leads.get_visible(acme, lead_id).public_id == WHO
    assert never_contact.count(acme) == 0
    kept = export.collect(acme, lead_id)
    tables = {one.table: one.rows for one in kept.stored}
    assert {"person_identity", "message", "conversation", "action", "campaign_lead"} <= set(tables)
    assert all(row["origin"] for rows in tables.values() for row in rows)
    query = sa.select(Event.sequence, Event.kind, Event.created_at).order_by(Event.sequence)
    before = session().execute(query).all()
    bodies = sa.select(Event.body).where(Event.body.contains("replies-positive-bob")).order_by(Event.id)
    bobs = session().scalars(bodies).all()
    ours = {model.__tablename__: person_rows(model.__tablename__) for model, _ in personal_rows.tables()}
    end_read()
    erasure.erase(acme, lead_id)
    assert session().execute(query).all() == before
    assert session().scalars(bodies).all() == bobs
    deleted = [model.__tablename__ for model, personal in personal_rows.tables() if personal.erase is Erase.DELETE]
    gone = [name for name in deleted if name in tables]
    left = {name: person_rows(name) for name in gone}
    end_read()
    assert gone
    assert left == {name: ours[name] - len(tables[name]) for name in gone}
    assert campaign.id


def person_rows(table: str) -> int:
    return session().scalar(sa.select(sa.func.count()).select_from(sa.table(table))) or 0


def test_every_table_about_people_is_known_to_erasure() -> None:
    """A new table that names people says so in its model, or has a rule of its own in erasure and a line here."""
    by_rule = {"event", "lead", "person_merge"}  # person_merge: ids alone, so that an old id is known
    about = {"lead_id", "campaign_lead_id", "person", "person_id", "full_name"}
    ours = [table for table in Base.metadata.sorted_tables if not table.name.startswith(NETWORK)]
    tables = {table.name for table in ours if about & set(table.c.keys())}
    assert tables - {model.__tablename__ for model, _ in personal_rows.tables()} == by_rule


ADA = {"publicId": "ada", "firstName": "Ada", "lastName": "Example", "companyName": "Wool", "email": "ada@x.example"}


def all_of(model: Any) -> list[Any]:
    session().expire_all()
    found = list(session().scalars(sa.select(model).order_by(model.id)))
    end_read()
    return found


def looked_up(workspace: Workspace, list_id: int, lead_id: int) -> None:
    """Their address was bought, their new job looked up, and a program was refused."""
    at = workspace.now()
    ours: dict[str, Any] = {"workspace_id": workspace.id, "created_at": at}
    with transaction() as current:
        run = Enrichment(**ours, list_id=list_id, what="email")
        current.add(run)
        current.flush()
        found = {"kind": "email", "state": LookupState.FOUND, "value": "ada@x.example", "credits": 1}
        current.add(ContactLookup(workspace_id=workspace.id, enrichment_id=run.id, lead_id=lead_id, **found))
        for name in ("Ada Example", "Bob Example"):
            asked = {"kind": "jobChange", "full_name": name, "company_name": "wool", "fingerprint": name}
            current.add(Signal(**ours, **asked, found=True, credits=3, answer={"person": name}))
        for sent in ('{"email": "ada@x.example"}', '{"email": "bob@x.example"}'):
            line = {"key_id": 1, "ref": "req_1", "method": "GET", "path": "/v1/leads?email=x", "status": 400}
            current.add(ApiRequest(**ours, **line, refused=True, milliseconds=1, sent=sent))


def test_paid_lookups_stay_counted_without_the_person(acme: Workspace) -> None:
    """What was paid and asked stays counted; who it was about does not stay."""
    list_id = a_list(acme, [ADA])
    (lead,) = session().scalars(lists.query_list(acme, list_id))
    end_read()
    looked_up(acme, list_id, lead.id)
    erasure.erase(acme, lead.id)
    (lookup,) = all_of(ContactLookup)
    assert (lookup.value, lookup.lead_id, lookup.credits) == ("", None, 1)
    assert [(one.full_name, one.answer, one.credits) for one in all_of(Signal)] == [
        ("", {}, 3),
        ("Bob Example", {"person": "Bob Example"}, 3),
    ]
    assert [(one.sent, one.path) for one in all_of(ApiRequest)] == [
        ("", "/v1/leads"),
        ('{"email": "bob@x.example"}', "/v1/leads?email=x"),
    ]
