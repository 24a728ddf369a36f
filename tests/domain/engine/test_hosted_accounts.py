"""Accounts that are signed in elsewhere: connected, brought back, and what the network tells of them."""

import hmac
import json
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest

from app.core.clock import now
from app.core.db import end_read, session, transaction
from app.core.errors import Conflict, InvalidRequest, NotFound, NotSupported, Unauthorized
from app.domain.engine import turns
from app.domain.engine.inbound import poll, provider_webhooks
from app.domain.ledger import usage
from app.domain.platform import jobs, services
from app.domain.senders import accounts, hosted_sign_in
from app.models.accounts import Account
from app.models.conversations import Message
from app.models.hosted_sign_ins import NetworkHook
from app.models.ledger import Action
from app.models.workspaces import Workspace
from app.ports import ByHand
from tests.domain.outreach import INVITE, a_campaign, ledger, message, only, person_id, takes_in, the_account
from tests.providers.unipile.unipile_server import UnipileServer
from tests.providers.unipile.unipile_world import World, member_id
from tests.support import networked
from tests.support.movable import Movable
from tests.support.networked import BASE_URL, live, there

__all__ = ["live", "there"]


@pytest.fixture
def world(there: UnipileServer) -> World:
    return there.world


def begun(workspace: Workspace, account_id: int | None = None) -> Any:
    return hosted_sign_in.begin(workspace, "unipile", BASE_URL, BASE_URL, account_id=account_id)


def token_of(sign_in: Any) -> str:
    return hosted_sign_in.page(sign_in).rpartition("/")[2]


def work() -> None:
    end_read()
    while jobs.run_due():
        pass


def hook(workspace: Workspace) -> NetworkHook:
    return session().query(NetworkHook).filter_by(workspace_id=workspace.id).one()


def call(workspace: Workspace, **body: Any) -> int:
    """A call as v2 makes it, with the right secret."""
    raw, at = json.dumps(body).encode(), str(int(workspace.now().timestamp()))
    secret = "ours-to-choose"
    signature = hmac.new(secret.encode(), f"{at}.".encode() + raw, sha256).hexdigest()
    headers = {"Unipile-Signature": f"t={at},v0={signature}"}
    return provider_webhooks.take("unipile", hook(workspace).token, headers, raw)


def test_a_hosted_account_is_connected_with_its_profile_and_a_ramp_up(live: Workspace, world: World) -> None:
    made = accounts.connect_hosted(live, provider="unipile", ref="acc_ines")
    assert (made.name, made.public_id, made.provider_ref) == ("Ines Duarte", "ines-duarte", "acc_ines")
    assert (made.profile_url, made.headline) == ("https://www.linkedin.com/in/ines-duarte", "Founder")
    assert (made.has_sales_navigator, made.ramp_from, made.status) == (True, live.now(), "connected")
    assert made.inbound_cursor


def test_only_what_is_connected_can_be_signed_in(live: Workspace, acme: Workspace, world: World) -> None:
    """Not what is not there, in a sandbox, without the service, by a name, twice, or while it needs a human."""
    for ref in ("", "acc_gone", "x" * 201):
        with pytest.raises(InvalidRequest) as refusal:
            accounts.connect_hosted(live, provider="unipile", ref=ref)
        assert [field.path for field in refusal.value.fields] == ["ref"]
    with pytest.raises(NotSupported):
        accounts.connect_hosted(acme, provider="unipile", ref="acc_ines")
    with pytest.raises(NotSupported, match="sign"):
        accounts.connect(live, provider="unipile", name="Ines")
    networked.ines(live)
    with pytest.raises(InvalidRequest, match="not valid"):
        accounts.connect_hosted(live, provider="unipile", ref="acc_ines")
    other = world.account("Marek Novák", "acc_marek")
    other.status = "disconnected"
    with pytest.raises(InvalidRequest):
        accounts.connect_hosted(live, provider="unipile", ref="acc_marek")
    services.disconnect(live, "unipile")
    with pytest.raises(NotSupported, match="not connected"):
        accounts.connect_hosted(live, provider="unipile", ref="acc_marek")


@pytest.mark.parametrize("generation", ["v2", "v1"])
def test_someone_signs_in(there: UnipileServer, world: World, clock: Movable, generation: str) -> None:
    """Without any call to us: the page looks until the account is there. One that was there before is left alone."""
    live = networked.workspace(there, generation)
    clock.forward(hours=1)
    sign_in = begun(live)
    assert hosted_sign_in.look(live, sign_in.id).status == "open"
    assert accounts.every(live) == []
    made = world.sign_in(token_of(sign_in))
    done = hosted_sign_in.look(live, sign_in.id)
    assert (done.status, hosted_sign_in.page(done)) == ("done", "")
    assert the_account(live).provider_ref == made.id
    assert hosted_sign_in.look(live, sign_in.id).account_id == the_account(live).id


def test_a_sign_in_ends(live: Workspace, there: UnipileServer, clock: Movable) -> None:
    """After an hour, when it is canceled, and when the network says that it came to nothing; then it stays ended."""
    other, late, canceled, failed = networked.workspace(there, name="Other"), begun(live), begun(live), begun(live)
    with pytest.raises(NotFound):
        hosted_sign_in.finish(other, late.state, "acc_ines")
    hosted_sign_in.cancel(live, canceled.id)
    hosted_sign_in.fail(live, failed.state, "Canceled there.")
    clock.forward(hours=1, minutes=1)
    found = [hosted_sign_in.look(live, one.id).status for one in (late, canceled, failed)]
    assert found == ["failed", "canceled", "failed"]
    assert hosted_sign_in.finish(live, canceled.state, "acc_ines").status == "canceled"
    assert accounts.every(live) == []


def test_an_account_is_signed_in_again(live: Workspace, world: World) -> None:
    account = networked.ines(live)
    with pytest.raises(Conflict, match="already connected"):
        begun(live, account.id)
    world.stands(world.accounts["acc_ines"], "partial")
    poll.poll([the_account(live)], live.now())
    assert the_account(live).status == "challenged"
    wrong = begun(live, account.id)
    world.account("Marek Novák", "acc_marek")
    assert hosted_sign_in.finish(live, wrong.state, "acc_marek").status == "failed"
    sign_in = begun(live, account.id)
    assert hosted_sign_in.look(live, sign_in.id).status == "open"
    world.sign_in(token_of(sign_in))
    assert hosted_sign_in.look(live, sign_in.id).status == "done"
    assert [one.status for one in accounts.every(live)] == ["connected"]


def test_an_acceptance_is_told_at_once_and_once(live: Workspace, world: World, clock: Movable) -> None:
    networked.ines(live, hooked=True)
    campaign = a_campaign(live, ["ada"], [INVITE, message()])
    turns.run_due()
    assert only(campaign).connection == "sent"
    user = {"id": member_id("ada"), "public_identifier": "ada", "display_name": "Ada"}
    for number in range(3):
        told = {
            "id": f"evt{number}",
            "type": "relation.new",
            "account_id": "acc_ines",
            "payload": {"id": "r", "user": user},
        }
        assert call(live, **told) == 1
    assert only(campaign).connection == "accepted"


def test_other_calls_say_where_to_look(live: Workspace, world: World) -> None:
    networked.ines(live, hooked=True)
    account_id = the_account(live).id
    with transaction() as current:
        current.get_one(Account, account_id).polled_at = live.now()
    call(live, id="e1", type="message.new", account_id="acc_ines", payload={"id": "m"})
    assert the_account(live).polled_at is None
    call(live, id="old", type="account.status.disconnected", account_id="acc_ines", payload={})
    work()
    assert the_account(live).status == "connected"  # it is asked, not believed
    for status, ours in (("disconnected", "disconnected"), ("partial", "disconnected"), ("running", "connected")):
        world.accounts["acc_ines"].status = status
        call(live, id="e2", type="account.status.any", account_id="acc_ines", payload={"timestamp": "now"})
        if status == "running" or ours == "disconnected":
            work()
        assert the_account(live).status == ours
    for body in (  # an error would make the network send it again and again
        {},
        {"type": "email.new", "account_id": "acc_ines", "payload": {}},
        {"type": "message.new", "payload": {}},
        {"type": "message.new", "account_id": "acc_of_somebody", "payload": {}},
    ):
        assert call(live, **body) == 0


def test_forged_calls_change_nothing(live: Workspace, world: World) -> None:
    networked.ines(live, hooked=True)
    token, raw = hook(live).token, b'{"type": "message.new", "account_id": "acc_ines", "payload": {}}'

    def signed(secret: str, body: bytes, at: int) -> dict[str, str]:
        mark = hmac.new(secret.encode(), f"{at}.".encode() + body, sha256).hexdigest()
        return {"unipile-signature": f"t={at},v0={mark}"}

    at = int(live.now().timestamp())
    for headers in (
        {},
        {"unipile-signature": ""},
        {"unipile-signature": "t=²,v0=é"},
        {"overture-secret": ""},
        {"overture-secret": "wrong"},
        signed("wrong", raw, at),
        signed("ours-to-choose", raw, at - 301),
        signed("ours-to-choose", b"other", at),
    ):
        with pytest.raises(Unauthorized):
            provider_webhooks.take("unipile", token, headers, raw)
    with pytest.raises(NotFound):
        provider_webhooks.take("unipile", "x" * 40, signed("ours-to-choose", raw, at), raw)
    assert provider_webhooks.take("unipile", token, signed("ours-to-choose", raw, at), raw) == 1
    assert provider_webhooks.take("unipile", token, {"Overture-Secret": "ours-to-choose"}, b"not json") == 0


def test_a_sign_in_may_be_told_of(live: Workspace, world: World, clock: Movable) -> None:
    """By its state, which no one can guess; the account is asked, and may need some moments until it can act."""
    sign_in = begun(live)
    made = world.sign_in(token_of(sign_in))
    made.status = "connecting"
    with pytest.raises(Unauthorized):
        provider_webhooks.take_sign_in("unipile", hook(live).token, {"name": "guessed", "account_id": made.id})
    provider_webhooks.take_sign_in("unipile", hook(live).token, {"name": sign_in.state, "account_id": made.id})
    work()
    assert hosted_sign_in.get(live, sign_in.id).status == "open"
    made.status = "running"
    clock.forward(seconds=11)
    work()
    assert hosted_sign_in.get(live, sign_in.id).status == "done"
    assert the_account(live).provider_ref == made.id


def by_hand(person: str = "ada", text: str = "", kind: str = "message", ref: str = "m1") -> ByHand:
    return ByHand(person, kind, now(), ref, text)


def test_what_the_owner_wrote_is_kept_and_counted(live: Workspace, world: World) -> None:
    """Once, in the conversation, against the limits, and for the person whom we know by the network's own name."""
    account, own = networked.ines(live), member_id("ada").casefold()
    a_campaign(live, [own], start=False)
    for _ in range(2):
        takes_in(live, account, ByHand("ada", "message", now(), "m1", "Dear Ada", alias=own))
    said = session().query(Message).filter_by(workspace_id=live.id).all()
    assert [(one.text, one.direction, one.kind) for one in said] == [("Dear Ada", "out", "message")]
    assert usage.usage_of([account], live.now())[account.id].day["message"].count == 1
    assert [action.person.handle for action in ledger(live)] == [own]


def test_what_we_did_is_not_taken_for_the_owners(live: Workspace, world: World, clock: Movable) -> None:
    """By the network's name of it, by its words, and while its answer is on the way."""
    account = networked.ines(live)
    ada = person_id(live, "ada")
    ours = {"workspace_id": live.id, "sender_id": account.id, "person_id": ada, "budget": "message", "at": live.now()}
    with transaction() as current:
        current.add(Action(**ours, kind="message", token="1", text="Hello  there", state="sending"))
        current.add(Action(**ours, kind="message", token="2", text="Other", state="sent", provider_ref="m2"))
        current.add(Action(**ours, kind="connection_request", token="3", text="A note", state="sent"))
    takes_in(
        live, account, by_hand(text="Hello there", ref="m1"), by_hand(text="Altered on the way", ref="m2"),
        by_hand(text="A note", ref="m3"), by_hand(kind="connection_request", ref="i1")
    )  # fmt: skip
    assert len(ledger(live)) == 3
    assert session().query(Message).count() == 0
    clock.forward(days=2)
    takes_in(live, account, by_hand(kind="connection_request", ref="i2"))
    assert len(ledger(live)) == 4


def test_another_workspace_hears_nothing(live: Workspace, there: UnipileServer, rival: Workspace) -> None:
    networked.ines(live, hooked=True)
    other = networked.workspace(there, name="Other")
    theirs = accounts.connect_hosted(other, provider="unipile", ref="acc_ines")
    with transaction() as current:
        for account in current.query(Account).filter_by(provider="unipile"):
            account.polled_at = live.now() - timedelta(seconds=1)
    call(live, id="e", type="message.new", account_id="acc_ines", payload={"id": "m"})
    session().expire_all()
    assert the_account(live).polled_at is None
    assert accounts.get(other, theirs.id).polled_at is not None
