"""The first message to a person by hand, on their page and over `/v1`: the same gates, ledger and limits."""

import io

import pytest
import sqlalchemy as sa

from app.core.db import session
from app.domain.engine import manual_send
from app.domain.leads import leads, lists
from app.domain.people.exclusions import never_contact
from app.domain.senders import accounts
from app.models.accounts import Account
from app.models.conversations import Conversation, Message
from app.models.leads import Lead
from app.models.ledger import Action
from app.models.workspaces import Workspace
from tests.domain import outreach
from tests.domain.engine.test_mailbox_campaign import connected, live, login, post, sent
from tests.pages.conftest import Web, must_have
from tests.providers.mail.mailservers import Post, Servers
from tests.support.clients import Api
from tests.support.movable import Movable

__all__ = ["live", "post"]


@pytest.fixture
def mailbox(live: Workspace, servers: Servers, clock: Movable) -> Account:
    return connected(live, servers)


def a_person(live: Workspace, address: str) -> Lead:
    made = lists.create_list(live, f"Warm: {address}").id
    leads.add(live, made, [{"email": address, "firstName": "Ada"}], by_email=True)
    return session().scalars(sa.select(Lead).where(Lead.list_id == made)).one()


def test_a_first_email_is_written_on_the_persons_page(
    web: Web, live: Workspace, mailbox: Account, servers: Servers, post: Post, clock: Movable
) -> None:
    """The next one goes on in its conversation, and another sender is not chosen without a word."""
    ada = a_person(live, "ada@example.com")
    web.sign_in("ada@live.example")
    must_have(web.get(f"/people/{ada.id}"), f"/people/{ada.id}/write")
    must_have(web.get(f"/people/{ada.id}/write"), 'name="cc"', 'name="files"', without="InMail")
    form = {"account": mailbox.id, "text": "Hello {{first_name}}, we met.", "cc": "jo@example.com"}
    refused = web.post(f"/people/{ada.id}/write", form)
    assert refused.status_code == 422
    must_have(refused, "Write a subject.", "Hello {{first_name}}, we met.")
    assert session().scalar(sa.select(sa.func.count()).select_from(Conversation)) == 0
    accounts.edit(live, mailbox.id, signature="[Ines](https://acme.example)")
    seen = web.post(f"/people/{ada.id}/write/gets", form | {"text": "Dear **{{first_name}}**"}, htmx=True)
    must_have(seen, "<strong>Ada</strong>", ">Ines</a>", "Dear Ada\n\nInes &lt;https://acme.example&gt;</pre>")
    accounts.edit(live, mailbox.id, signature="")
    offer = (io.BytesIO(b"%PDF-1.7"), "offer.pdf", "application/pdf")
    answer = web.post(f"/people/{ada.id}/write", form, subject="Nice to meet you", files=offer)
    talk = session().scalars(sa.select(Conversation).where(Conversation.workspace_id == live.id)).one()
    assert answer.headers["Location"] == f"/conversations/{talk.id}"
    message = session().scalars(sa.select(Message)).one()
    web.post(f"/conversations/{talk.id}/messages/{message.id}/discard")
    must_have(web.get(f"/conversations/{talk.id}"), "Hello Ada, we met.", 'value="Nice to meet you"')
    must_have(web.get(f"/conversations/{talk.id}"), "**Bold**, lists and [links]")
    seen = web.post(f"/conversations/{talk.id}/typed", {"text": "1. *One*\n2. Two"}, htmx=True)
    must_have(seen, "<ol><li><em>One</em></li>", "As plain text")
    typed = {"text": "Hello **Ada**, we met.", "subject": "Nice to meet you", "cc": "jo@example.com"}
    web.post(f"/conversations/{talk.id}/messages", typed)
    clock.forward(minutes=1)
    manual_send.run_due()
    (mail,) = sent(post, "ada@example.com")
    assert (mail["Cc"], [one.get_filename() for one in mail.iter_attachments()]) == ("jo@example.com", ["offer.pdf"])
    assert (mail["Subject"], mail["List-Unsubscribe"]) == ("Nice to meet you", None)
    assert mail.get_body(("plain",)).get_content().strip() == "Hello Ada, we met."
    (action,) = outreach.ledger(live)
    assert (action.kind, action.state, action.person_id) == ("email", "sent", ada.person_id)
    must_have(web.get(f"/people/{ada.id}"), "Hello <strong>Ada</strong>, we met.")
    assert web.get(f"/people/{ada.id}/write").location == f"/conversations/{talk.id}#reply"
    accounts.connect_mailbox(live, provider="smtp", address="tom@acme.example", name="Tom", servers=login(servers))
    must_have(web.get(f"/people/{ada.id}/write"), "Continue from ", "Write from another sender")


def test_a_first_message_passes_the_gates(
    web: Web, live: Workspace, mailbox: Account, post: Post, clock: Movable
) -> None:
    ada, bob = a_person(live, "ada@example.com"), a_person(live, "bob@gone.invalid")
    web.sign_in("ada@live.example")
    form = {"account": mailbox.id, "text": "Hello.", "subject": "A question"}
    never_contact.add(live, ["ada@example.com"])
    assert web.post(f"/people/{ada.id}/write", form).status_code == 409
    must_have(web.get(f"/people/{ada.id}/write"), "Do not contact.", without='name="subject"')
    web.post(f"/people/{bob.id}/write", form)
    clock.forward(minutes=1)
    manual_send.run_due()
    message = session().scalars(sa.select(Message)).one()
    refused = "bob@gone.invalid can't receive email: the domain doesn't accept email."
    assert (message.status, message.error) == ("failed", refused)
    accounts.switch(live, mailbox.id, False)
    assert web.post(f"/people/{a_person(live, 'eve@example.com').id}/write", form).status_code == 409
    assert post.taken == []


def test_a_first_message_over_the_interface(
    web: Web, api: Api, rival_api: Api, acme: Workspace, clock: Movable
) -> None:
    campaign = outreach.a_campaign(acme, ["accepts-zoe"], [outreach.INVITE])
    person, sender = outreach.only(campaign).person_id, outreach.the_account(acme)
    body = {"personId": person, "accountId": sender.id, "text": "Hello {{first_name|there}}"}
    wrong = rival_api.post("conversations", body).json["error"]["fields"]
    assert [one["path"] for one in wrong] == ["accountId"], "a sender of another workspace"
    wrong = api.post("conversations", {**body, "personId": 999}).json["error"]["fields"]
    assert [one["path"] for one in wrong] == ["personId"]
    stranger = a_person(acme, "joanne@example.com")
    refused = api.post("conversations", {**body, "personId": stranger.person_id})
    assert (refused.status_code, refused.json["error"]["message"]) == (409, "Ada has no LinkedIn profile.")
    must_have(web.get(f"/people/{stranger.id}/write"), "Mailboxes", without="LinkedIn")
    assert api.post("conversations?dryRun=true", body).status_code == 202
    answer = api.post("conversations", body)
    assert answer.status_code == 202
    manual_send.run_due()
    said = api.get(f"conversations/{answer.json['conversationId']}/messages").json["data"]
    assert [(one["text"], one["byHand"]) for one in said] == [("Hello Zoe", True)]
    again = api.post("conversations", body)
    assert again.json["conversationId"] == answer.json["conversationId"]
    by_hand = session().scalars(sa.select(Action).where(Action.person_id == person, Action.kind == "message")).all()
    assert len(by_hand) == 1
