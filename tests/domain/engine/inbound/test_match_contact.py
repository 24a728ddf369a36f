"""Which of the people we know an inbound item is about."""

from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from app.core.db import transaction
from app.domain.engine.inbound import match_contact
from app.domain.leads import lists
from app.domain.senders import accounts
from app.models.accounts import Account, Channel
from app.models.campaigns import CampaignLead
from app.models.leads import ERASED, Lead
from app.models.ledger import Action
from app.models.workspaces import Workspace
from app.ports import Accepted, Bounced, ByHand, Received
from tests.domain.outreach import a_campaign, email

pytestmark = [pytest.mark.databases("in turn"), pytest.mark.usefixtures("clock")]
AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
ADA = {"publicId": "ada", "email": "ada@people.example"}


def wrote(person: str, token: str = "") -> Received:
    """An e-mail that came in."""
    return Received(person, "email", "Hello", AT, f"<{person}{token}>", token=token)


@pytest.fixture
def mailbox(acme: Workspace) -> Account:
    """A real mailbox, from which Ada is written to."""
    a_campaign(acme, [ADA], [email()])
    found = next(one for one in accounts.every(acme) if one.channel == Channel.EMAIL)
    with transaction() as current:
        own = current.get_one(Account, found.id)
        own.provider = "smtp"
        current.execute(sa.update(CampaignLead).values(mailbox_id=own.id))
        return own


def test_an_email_is_of_the_person_with_that_address(mailbox: Account) -> None:
    (item,) = match_contact.match(mailbox, [wrote("ada@people.example")])
    assert item.person == "ada"


def test_private_mail_is_dropped(mailbox: Account) -> None:
    """Neither from a person this mailbox writes to nor an answer to a message of ours."""
    assert match_contact.match(mailbox, [wrote("mother@family.example"), wrote("")]) == []


def test_a_lead_that_the_mailbox_never_wrote_to_is_private(acme: Workspace, mailbox: Account) -> None:
    with transaction() as current:
        current.execute(sa.update(CampaignLead).values(mailbox_id=None))
    assert match_contact.match(mailbox, [wrote("ada@people.example")]) == []


def test_an_answer_to_our_message_is_of_its_recipient_whoever_writes_it(acme: Workspace, mailbox: Account) -> None:
    """An assistant answers from another address; the message answered says who it is about."""
    with transaction() as current:
        known = {"workspace_id": acme.id, "sender_id": mailbox.id, "step": 0, "kind": "email", "budget": "email"}
        current.add(Action(**known, person="ada", state="sent", token="ours", at=AT))
    found = match_contact.match(mailbox, [wrote("assistant@people.example", token="ours"), wrote("", token="other")])
    assert [item.person for item in found] == ["ada"]


def test_a_returned_message_is_of_its_recipient(mailbox: Account) -> None:
    bounced = Bounced("ada@people.example", AT, "<b>", "No such address.", True)
    (item,) = match_contact.match(mailbox, [bounced])
    assert (item.person, type(item)) == ("ada", Bounced)


def test_of_people_who_share_an_address_the_latest_is_meant(acme: Workspace, mailbox: Account) -> None:
    a_campaign(acme, [{**ADA, "publicId": "zoe"}], [email()])
    with transaction() as current:
        current.execute(sa.update(CampaignLead).values(mailbox_id=mailbox.id))
    (item,) = match_contact.match(mailbox, [wrote("ada@people.example")])
    assert item.person == "zoe"


def test_a_message_to_a_person_who_was_erased_is_dropped(acme: Workspace, mailbox: Account) -> None:
    with transaction() as current:
        known = {"workspace_id": acme.id, "sender_id": mailbox.id, "step": 0, "kind": "email", "budget": "email"}
        current.add(Action(**known, person=ERASED, state="sent", token="ours", at=AT))
    assert match_contact.match(mailbox, [wrote("other@people.example", token="ours")]) == []


def test_the_other_name_of_a_person_is_used_only_where_they_are_a_lead_of_ours(acme: Workspace) -> None:
    account = accounts.every(acme)[0]
    founders = lists.create_list(acme, "Founders")
    with transaction() as current:
        current.add(Lead(workspace_id=acme.id, list_id=founders.id, person="ada", created_at=AT))
    items = [
        Accepted("ACo1", AT, "1", alias="ada"),
        ByHand("ACo2", "message", AT, "2", alias="bob"),
        Accepted("cleo", AT, "3"),
    ]
    assert [item.person for item in match_contact.match(account, items)] == ["ada", "ACo2", "cleo"]


def test_a_lead_of_another_workspace_lends_no_name(acme: Workspace, rival: Workspace) -> None:
    founders = lists.create_list(rival, "Founders")
    with transaction() as current:
        current.add(Lead(workspace_id=rival.id, list_id=founders.id, person="ada", created_at=AT))
    item = Accepted("ACo1", AT, "1", alias="ada")
    assert match_contact.match(accounts.every(acme)[0], [item]) == [item]
