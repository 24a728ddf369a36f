"""Which of the people we know an inbound item is about."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from app.core.db import transaction
from app.domain.engine.inbound import match_contact
from app.domain.people import people
from app.domain.senders import accounts
from app.models.accounts import Account, Channel
from app.models.campaigns import CampaignLead
from app.models.ledger import Action
from app.models.people import Person
from app.models.workspaces import Workspace
from app.ports import Accepted, Bounced, ByHand, Parties, Party, Received
from tests.domain.outreach import a_campaign, a_list, email, person_id

pytestmark = pytest.mark.usefixtures("clock")
AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
ADA = {"publicId": "ada", "email": "ada@people.example"}


def wrote(person: str, token: str = "") -> Received:
    return Received(person, "email", "Hello", AT, f"<{person}{token}>", token=token)


def wrote_to(mailbox: Account, who: int) -> None:
    known = {"workspace_id": mailbox.workspace_id, "sender_id": mailbox.id, "kind": "email", "budget": "email"}
    with transaction() as current:
        current.add(Action(**known, person_id=who, step=0, state="sent", token="ours", at=AT))


@pytest.fixture
def mailbox(acme: Workspace) -> Account:
    a_campaign(acme, [ADA], [email()])
    found = next(one for one in accounts.every(acme) if one.channel == Channel.EMAIL)
    with transaction() as current:
        own = current.get_one(Account, found.id)
        own.provider = "smtp"
        current.execute(sa.update(CampaignLead).values(mailbox_id=own.id))
        return own


def test_an_email_is_of_the_person_with_that_address_to_whom_the_mailbox_wrote(
    acme: Workspace, mailbox: Account
) -> None:
    """All other mail is private; of people who share an address the latest is meant."""
    ada = person_id(acme, "ada")
    bounced = Bounced("ada@people.example", AT, "<b>", "No such address.", True)
    private = [wrote("mother@family.example"), wrote("")]
    found = match_contact.match(mailbox, [wrote("ada@people.example"), *private, bounced])
    assert [one.person_id for one in found] == [ada, ada]
    assert found[1] == (bounced, ada)
    a_campaign(acme, [{**ADA, "publicId": "zoe"}], [email()])
    for known in (mailbox.id, None):
        with transaction() as current:
            current.execute(sa.update(CampaignLead).values(mailbox_id=known))
        found = match_contact.match(mailbox, [wrote("ada@people.example")])
        assert [one.person_id for one in found] == ([person_id(acme, "zoe")] if known else [])


def test_an_answer_to_our_message_is_of_its_recipient_whoever_writes_it(acme: Workspace, mailbox: Account) -> None:
    """An assistant answers from another address; an answer about someone who was erased is dropped."""
    wrote_to(mailbox, ada := person_id(acme, "ada"))
    found = match_contact.match(mailbox, [wrote("assistant@people.example", token="ours"), wrote("", token="other")])
    assert [one.person_id for one in found] == [ada]
    with transaction() as current:
        current.get_one(Person, ada).erased_at = AT
    assert match_contact.match(mailbox, [wrote("assistant@people.example", token="ours")]) == []


def test_an_address_is_theirs_who_write_from_it_under_their_own_name(acme: Workspace, mailbox: Account) -> None:
    """In our thread from anywhere, else from their company; a colleague, a stranger and a desk teach nothing."""
    with transaction() as current:
        person = current.get_one(Person, ada := person_id(acme, "ada"))
        person.first_name, person.last_name, person.company_url = "Ada", "King", "https://people.example"
        people.compare(person)
    wrote_to(mailbox, ada)

    def by(name: str, address: str, token: str = "") -> Received:
        return replace(wrote(address, token), parties=Parties(Party(name, address)))

    def known(*letters: Received) -> list[str]:
        with transaction():
            matched = match_contact.match(mailbox, letters)
        assert {one.person_id for one in matched} <= {ada}
        return [one.item.person for one in matched]

    assert known(by("Bob Ray", "bob@people.example", "ours")) == ["bob@people.example"]
    for name, address in [
        ("Bob Ray", "bob@people.example"),
        ("Ada", "ada.k@people.example"),
        ("Ada King", "ada@elsewhere.example"),
    ]:
        assert known(by(name, address)) == [], address
    assert known(by("King, Ada", "info@people.example")) == ["info@people.example"]
    assert known(by("ADA KING", "ada.king@people.example")) == ["ada.king@people.example"]
    assert known(by("Ada King", "ada@gmail.com", "ours")) == ["ada@gmail.com"]
    assert known(wrote("ada@gmail.com"), wrote("ada.king@people.example")) == [
        "ada@gmail.com",
        "ada.king@people.example",
    ]
    assert known(wrote("info@people.example"), wrote("bob@people.example")) == []


def test_either_name_of_a_person_finds_them_and_names_no_one_else(acme: Workspace) -> None:
    a_list(acme, ["ada", "cleo"])
    items = [
        Accepted("ACo1", AT, "1", alias="ada"),
        ByHand("ACo2", "message", AT, "2", alias="bob"),
        Accepted("cleo", AT, "3"),
        Received("", "message", "From no one.", AT, "4"),
    ]
    with transaction():
        found = match_contact.match(accounts.every(acme)[0], items)
    assert [one.person_id for one in found] == [person_id(acme, "ada"), None, person_id(acme, "cleo")]
    assert person_id(acme, "ACo1") == person_id(acme, "ada")
    with transaction():
        bob = match_contact.person_of(acme, found[1])
    assert bob == person_id(acme, "ACo2") == person_id(acme, "bob")


def test_of_two_people_whom_the_network_says_are_one_it_is_the_lead(acme: Workspace) -> None:
    """The other one only wrote to us, under the name that the list does not have."""
    a_list(acme, ["ada"])
    person_id(acme, "ACo1")
    names = [Accepted("ACo1", AT, "1", alias="ada"), Accepted("ada", AT, "2", alias="ACo1")]
    with transaction():
        found = match_contact.match(accounts.every(acme)[0], names)
    assert [one.person_id for one in found] == [person_id(acme, "ada")] * 2


def test_a_person_of_another_workspace_is_unknown(acme: Workspace, rival: Workspace) -> None:
    a_list(rival, ["ada"])
    item = Accepted("ACo1", AT, "1", alias="ada")
    with transaction():
        assert match_contact.match(accounts.every(acme)[0], [item]) == [(item, None)]
