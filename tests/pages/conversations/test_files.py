"""Emails keep whom they went to and their files, on the page, over `/v1` and through real SMTP and IMAP dialogues."""

import io
from base64 import b64decode, b64encode
from email import policy
from email.message import EmailMessage
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask

from app.core import clock as clocks
from app.core.db import session, transaction
from app.domain.conversations import attachments
from app.domain.engine import manual_send
from app.domain.engine.inbound import effects, poll
from app.domain.engine.manual import compose
from app.domain.leads import lists
from app.domain.people import identities
from app.domain.people.exclusions import never_contact
from app.domain.privacy import erasure
from app.domain.tasks import referrals
from app.domain.workspace import api_keys
from app.models.accounts import Account
from app.models.conversations import Attachment, Conversation, Message
from app.models.leads import Lead, NeverContact
from app.models.ledger import BY_HAND_STEP, Action
from app.models.signals import AddressCheck
from app.models.tasks import Referral
from app.models.webhooks import Event
from app.models.workspaces import Workspace
from app.ports import Bounced
from tests.domain.engine.test_mailbox_campaign import connected, later, live, post, sent, started
from tests.pages.conftest import Web, must_have
from tests.providers.mail.mailservers import Post, Servers
from tests.support.clients import Api
from tests.support.movable import Movable

__all__ = ["live", "post"]
PDF, PICTURE = b"%PDF-1.7 offer", b"\x89PNG\r\n\x1a\n" + b"0" * 40_000
HOSTILE = b"<script>alert(1)</script>"


@pytest.fixture
def mailbox(live: Workspace, servers: Servers, clock: Movable) -> Account:
    """A mailbox that has written to Ada."""
    found = connected(live, servers)
    started(live, found, "an-ada")
    later(clock, hours=12)
    return found


@pytest.fixture
def signed_in(web: Web, mailbox: Account) -> Web:
    web.sign_in("ada@live.example")
    return web


def letter(post: Post, sender: str = "Ada <an-ada@example.com>", *, answers: bool = True, filler: int = 0) -> None:
    """A letter with a Cc and four files comes in."""
    mail = EmailMessage(policy=policy.SMTP)
    mail["From"], mail["To"] = sender, "ines@acme.example"
    mail["Cc"] = "Bob Miller <bob@example.com>, Ines <INES@acme.example>, zoe@acme.example"
    mail["Subject"], mail["Message-ID"] = "Re: A question", f"<l{len(post.folders['INBOX'])}@example.com>"
    if answers:
        mail["In-Reply-To"] = sent(post, "an-ada@example.com")[0]["Message-ID"]
    mail.set_content("Yes, gladly. The brief is attached.")
    mail.add_attachment(b"x" * filler + PDF, maintype="application", subtype="pdf", filename="../the brief.pdf")
    mail.add_attachment(PICTURE, maintype="image", subtype="png", filename="plan.png")
    mail.add_attachment(HOSTILE, maintype="image", subtype="png", filename="evil.png")
    mail.add_attachment(b"logo", maintype="image", subtype="gif", disposition="inline", cid="<1>", filename="logo.gif")
    post.put("INBOX", mail.as_bytes())
    account = session().scalars(sa.select(Account).where(Account.provider == "smtp")).one()
    assert not poll.poll([account], clocks.now())


def the_message() -> Message:
    return session().scalars(sa.select(Message).where(Message.direction == "in")).one()


def test_a_reply_keeps_its_people_and_files(signed_in: Web, live: Workspace, mailbox: Account, post: Post) -> None:
    letter(post)
    said = the_message()
    path = f"/conversations/{said.conversation_id}"
    files = (said.letter or {})["files"]
    assert [one["name"] for one in files] == [".._the brief.pdf".strip(" ."), "plan.png", "evil.png"]
    page = signed_in.get(path)
    must_have(
        page,
        "To ines@acme.example · Cc Bob Miller &lt;bob@example.com&gt;",
        "_the brief.pdf",
        "40.0 kB",
        "Reply all",
        "Only Ada",
    )
    shown = {one["name"]: signed_in.get(f"{path}/files/{one['id']}") for one in files}
    assert shown["plan.png"].content_type == "image/png"
    assert shown["evil.png"].content_type == "application/octet-stream", "a label proves nothing"
    assert shown["evil.png"].headers["Content-Disposition"].startswith("attachment")
    assert all("default-src 'none'" in one.headers["Content-Security-Policy"] for one in shown.values())
    assert "sandbox" in shown["plan.png"].headers["Content-Security-Policy"]
    assert signed_in.get(f"{path}/files/{files[0]['id']}?download=1").data == PDF
    (offered,) = session().scalars(sa.select(Referral)).all()
    assert (offered.name, offered.email) == ("Bob Miller", "bob@example.com"), "nobody of our own domain is new"
    made = lists.create_list(live, "Named")
    assert (
        referrals.add(live, offered.id, made.id, {"firstName": "Bob", "email": "bob@example.com"}).first_name == "Bob"
    )
    (event,) = session().scalars(sa.select(Event.body).where(Event.kind == "every_reply")).all()
    assert '"name":"plan.png","mediaType":"image/png","size":40008' in event
    assert '"cc":[{"name":"Bob Miller","address":"bob@example.com"}' in event


def test_home_answers_all_who_got_the_reply_and_names_its_files(
    signed_in: Web, live: Workspace, mailbox: Account, post: Post
) -> None:
    letter(post)
    to_all = 'name="to" value="all" checked'
    must_have(signed_in.get("/"), to_all, "Cc: Bob Miller", "plan.png")
    never_contact.add(live, ["bob@example.com"])
    must_have(signed_in.get("/"), "bob@example.com is on the do-not-contact list", without=to_all)


def test_a_reply_to_all_reaches_each_with_its_files(
    signed_in: Web, mailbox: Account, post: Post, clock: Movable, monkeypatch: pytest.MonkeyPatch
) -> None:
    letter(post)
    path = f"/conversations/{the_message().conversation_id}"
    upload: dict[str, Any] = {"files": (io.BytesIO(PDF), "offer.pdf", "application/pdf"), "text": "Here it is."}
    signed_in.post(f"{path}/files", upload)
    signed_in.post(f"{path}/files", {"files": (io.BytesIO(b"x"), "wrong.txt"), "text": "Here it is."})
    must_have(signed_in.get(path), "offer.pdf", "wrong.txt", "Here it is.")
    wrong = session().scalars(sa.select(Attachment.id).where(Attachment.name == "wrong.txt")).one()
    signed_in.post(f"{path}/files/{wrong}/remove", text="Here it is.")
    large = {"files": (io.BytesIO(b"x" * 101), "large.zip"), "text": "Here it is."}
    with monkeypatch.context() as patched:
        patched.setattr(attachments, "MOST_BYTES", 100)
        refused = signed_in.post(f"{path}/files", large, htmx=True)
    must_have(refused, "at most 10 MB", "required><span>Send without this file</span>")
    signed_in.post(f"{path}/messages", text="Here it is.", to="all")
    message = session().scalars(sa.select(Message).where(Message.by_hand.is_(True))).one()
    signed_in.post(f"{path}/messages/{message.id}/discard")
    must_have(signed_in.get(path), "offer.pdf", "Here it is.")
    signed_in.post(f"{path}/messages", text="Here it is.", to="all")
    clock.forward(minutes=1)
    manual_send.run_due()
    by_whom = {one: sent(post, one)[-1] for one in ("an-ada@example.com", "bob@example.com", "zoe@acme.example")}
    mail = by_whom["bob@example.com"]
    assert (mail["To"], mail["Cc"]) == ("Ada <an-ada@example.com>", "Bob Miller <bob@example.com>, zoe@acme.example")
    assert [(one.get_filename(), one.get_content()) for one in mail.iter_attachments()] == [("offer.pdf", PDF)]
    assert mail.get_body(("plain",)).get_content().strip() == "Here it is."
    assert not sent(post, "ines@acme.example")


def test_a_reply_has_a_cc_of_its_writer(
    signed_in: Web, live: Workspace, mailbox: Account, post: Post, clock: Movable
) -> None:
    """Each address once, whether the reply goes to all or not; it comes back when the message is taken back."""
    letter(post)
    path = f"/conversations/{the_message().conversation_id}"
    form = {"text": "Thanks.", "to": "all"}
    for wrong in ("kim@", ",".join(f"kim{number}@example.com" for number in range(19))):
        must_have(signed_in.post(f"{path}/messages", form, cc=wrong), 422, f'value="{wrong}"', "Thanks.")
    never_contact.add(live, ["kim@example.com"])
    answer = signed_in.post(f"{path}/messages", form, cc="jo@example.com kim@example.com")
    must_have(answer, 409, 'value="jo@example.com kim@example.com"')
    signed_in.post(f"{path}/messages", form, cc="Jo@example.com; bob@example.com, an-ada@example.com")
    message = session().scalars(sa.select(Message).where(Message.by_hand.is_(True))).one()
    must_have(signed_in.post(f"{path}/messages/{message.id}/discard", htmx=True), 'value="jo@example.com"')
    must_have(signed_in.get(path), 'value="jo@example.com"', 'value="all" checked')
    signed_in.post(f"{path}/messages", form, to="one", cc="jo@example.com")
    message = session().scalars(sa.select(Message).where(Message.by_hand.is_(True))).one()
    signed_in.post(f"{path}/messages/{message.id}/discard")
    must_have(signed_in.get(path), 'value="jo@example.com"', 'value="one" checked')
    signed_in.post(f"{path}/messages", form, to="one", cc="jo@example.com")
    clock.forward(minutes=1)
    manual_send.run_due()
    assert sent(post, "jo@example.com")[0]["Cc"] == "jo@example.com"
    assert not sent(post, "bob@example.com")


def test_a_reply_goes_where_they_last_wrote_from(
    signed_in: Web, live: Workspace, mailbox: Account, post: Post, clock: Movable
) -> None:
    """Their other address is no one else's in Cc; an address that bounces is the only one given up."""
    thread = session().scalars(sa.select(Conversation)).one()
    with transaction():
        identities.give(live.id, [(one, thread.person_id) for one in identities.of_email("ada@home.example")])
    letter(post, "Ada <Ada@home.example>")
    path = f"/conversations/{the_message().conversation_id}"
    must_have(signed_in.get(path), "From Ada &lt;Ada@home.example&gt;", "Cc: Bob Miller, zoe@acme.example")
    signed_in.post(f"{path}/messages", text="Thanks.", to="all")
    clock.forward(minutes=1)
    manual_send.run_due()
    [mail] = sent(post, "Ada@home.example")
    assert (mail["To"], mail["Cc"]) == ("Ada <Ada@home.example>", "Bob Miller <bob@example.com>, zoe@acme.example")
    token = session().scalars(sa.select(Action.token).where(Action.step == BY_HAND_STEP)).one()
    for address in ("zoe@acme.example", "ada@home.example"):
        item = Bounced(address, clocks.now(), f"<{address}>", "No such user.", True, token=token)
        with transaction():
            effects.apply_inbound(session().get_one(Account, mailbox.id), [item], clocks.now())
        message = session().scalars(sa.select(Message).where(Message.by_hand.is_(True))).one()
        assert (message.status == "failed") == (address != "zoe@acme.example")
    blocked = session().scalars(sa.select(NeverContact.label).order_by(NeverContact.id)).all()
    assert blocked == ["zoe@acme.example", "ada@home.example"]


def test_nobody_on_the_do_not_contact_list_gets_a_copy(
    signed_in: Web, live: Workspace, mailbox: Account, post: Post
) -> None:
    letter(post)
    talk = the_message().conversation_id
    compose.write(live, talk, "Thanks.", reply_all=True)
    never_contact.add(live, ["bob@example.com"])
    manual_send.run_due()
    waiting = session().scalars(sa.select(Message).where(Message.by_hand.is_(True))).one()
    assert (waiting.status, waiting.error) == ("failed", "bob@example.com in Cc is on the do-not-contact list.")
    answer = signed_in.post(f"/conversations/{talk}/messages", text="Thanks.", to="all")
    assert (answer.status_code, len(post.taken)) == (409, 1)
    must_have(signed_in.get(f"/conversations/{talk}"), "bob@example.com is on the do-not-contact list.")


def test_files_over_the_interface(app: Flask, live: Workspace, mailbox: Account, post: Post) -> None:
    letter(post)
    api = Api(app.test_client(), api_keys.create(live, "Script", ["conversations:write"])[1])
    path = f"conversations/{the_message().conversation_id}"
    said = api.get(f"{path}/messages").json["data"][0]
    assert said["author"] == {"name": "Ada", "address": "an-ada@example.com"}
    assert [one["address"] for one in said["cc"]] == ["bob@example.com", "INES@acme.example", "zoe@acme.example"]
    whole = api.get(f"{path}/attachments/{said['attachments'][1]['id']}").json
    assert (whole["name"], b64decode(whole["content"])) == ("plan.png", PICTURE)
    file = {"name": "offer.pdf", "content": b64encode(PDF).decode(), "mediaType": "application/pdf"}
    wrong = api.post(f"{path}/messages", {"text": "Here.", "attachments": [{**file, "content": "?"}]})
    assert wrong.json["error"]["fields"][0]["path"] == "attachments[0].content"
    said = {"text": "Here.", "replyAll": True, "attachments": [file]}
    assert api.post(f"{path}/messages", {**said, "cc": ["jo"]}).json["error"]["fields"][0]["path"] == "cc"
    assert api.post(f"{path}/messages", {**said, "cc": ["jo@example.com"]}).status_code == 202
    manual_send.run_due()
    mail = sent(post, "bob@example.com")[0]
    assert mail["Cc"] == "Bob Miller <bob@example.com>, zoe@acme.example, jo@example.com"
    assert [one.get_filename() for one in mail.iter_attachments()] == ["offer.pdf"]


def test_an_address_that_wrote_to_us_needs_no_check(live: Workspace, mailbox: Account, post: Post) -> None:
    letter(post)
    with transaction() as current:
        current.execute(sa.delete(AddressCheck))
    compose.write(live, the_message().conversation_id, "Thanks.")
    manual_send.run_due()
    assert len(sent(post, "an-ada@example.com")) == 2
    assert session().scalar(sa.select(sa.func.count()).select_from(AddressCheck)) == 0


def test_large_letters_are_read_whole_from_people_alone(mailbox: Account, post: Post) -> None:
    letter(post, answers=False, filler=600_000)
    letter(post, "A stranger <who@elsewhere.example>", answers=False, filler=600_000)
    assert [one["size"] for one in (the_message().letter or {})["files"]] == [600_000 + len(PDF), len(PICTURE), 25]


def test_an_erased_person_is_in_nobodys_cc(live: Workspace, mailbox: Account, post: Post) -> None:
    letter(post)
    made = lists.create_list(live, "Named")
    offered = session().scalars(sa.select(Referral)).one()
    bob = referrals.add(live, offered.id, made.id, {"firstName": "Bob", "lastName": "Miller", "email": offered.email})
    erasure.erase(live, session().scalars(sa.select(Lead.id).where(Lead.person_id == bob.id)).one())
    session().expire_all()
    assert "bob" not in str(the_message().letter).lower()
    ada = session().scalars(sa.select(Conversation.person_id)).one()
    erasure.erase(live, session().scalars(sa.select(Lead.id).where(Lead.person_id == ada)).one())
    assert session().scalar(sa.select(sa.func.count()).select_from(Attachment)) == 0
