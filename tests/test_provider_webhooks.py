"""Calls of a network over HTTP: proven, small, not too many, and told again without harm."""

from urllib.request import urlopen

import pytest

from app import provider_webhooks
from app.domain.engine import turns
from app.domain.engine.inbound import poll
from app.domain.platform import jobs, rate_limits
from app.domain.senders import hosted_sign_in, webhook_registration
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign, message, only, the_account
from tests.providers.unipile.unipile_server import UnipileServer
from tests.support import networked
from tests.support.clients import Client
from tests.support.movable import Movable
from tests.support.networked import BASE_URL, deliver, there

__all__ = ["there"]
BOTH = pytest.mark.parametrize("there", ["v2", "v1"], indirect=True)


@pytest.fixture
def live(there: UnipileServer) -> Workspace:
    """A live workspace that Unipile calls about Ines."""
    made = networked.workspace(there, there.generation)
    networked.ines(made, hooked=True)
    there.world.told.clear()
    return made


@pytest.fixture
def path(live: Workspace) -> str:
    return webhook_registration.address(live, "unipile", "")


def work() -> None:
    """Every job and every look that is due."""
    while jobs.run_due() + poll.poll_due():
        pass


@BOTH
def test_provider_webhooks_report_acceptance_messages_and_status_once(
    live: Workspace, there: UnipileServer, client: Client, clock: Movable
) -> None:
    """Acceptance, message and status of the account, each as Unipile tells it, some of it twice."""
    campaign, world = a_campaign(live, ["ada"], [INVITE, message()]), there.world
    turns.run_due()
    world.accept(world.accounts["acc_ines"], "ada")
    told = list(world.told)
    assert deliver(there, client) == [200]
    assert only(campaign).connection == "accepted"
    clock.forward(minutes=1)
    world.say(world.accounts["acc_ines"], "ada", "Sounds great, tell me more.")
    assert deliver(there, client) == [200]
    work()
    assert (only(campaign).state, only(campaign).replied) == ("finished", True)
    world.stands(world.accounts["acc_ines"], "disconnected")
    world.told += told
    assert deliver(there, client) == [200, 200]
    work()
    assert the_account(live).status == "disconnected"
    assert the_account(live).status_at == live.now()
    world.stands(world.accounts["acc_ines"], "running")
    deliver(there, client)
    work()
    assert the_account(live).status == "connected"


@BOTH
def test_a_sign_in_is_told_of(live: Workspace, there: UnipileServer, client: Client) -> None:
    """While no one looks at its page."""
    made = hosted_sign_in.begin(live, "unipile", BASE_URL, BASE_URL)
    token = hosted_sign_in.page(made).rpartition("/")[2]
    with pytest.raises(OSError), urlopen(f"{there.url}/wizard/{token}/done", timeout=120):
        pass  # no one answers where it sends the browser
    assert set(deliver(there, client)) == {200}
    work()
    assert hosted_sign_in.get(live, made.id).status == "done"


def test_forged_calls_are_refused(live: Workspace, client: Client, path: str) -> None:
    """With a word, and without a trace; nothing tells which address is someone's."""
    for headers in ({}, {"Overture-Secret": "wrong"}, {"unipile-signature": "t=1,v0=00"}):
        answer = client.post(path, data=b"{}", headers=headers)
        assert (answer.status_code, answer.json) == (401, {"message": "The webhook secret is wrong."})
    assert client.post("/hooks/unipile/" + "x" * 40, data=b"{}").status_code == 404
    assert client.post(path.replace("unipile", "other"), data=b"{}").status_code == 404
    assert client.get(path).status_code == 405
    for body in (b"", b"[]", b"{", b'{"name": 1}'):
        assert client.post(f"{path}/sign-in", data=body).status_code == 401


def test_large_calls_are_not_read(live: Workspace, client: Client, path: str) -> None:
    """What they tell is small."""
    assert client.post(path, data=b"x" * (256 * 1024 + 1)).status_code == 413


def test_too_many_wrong_calls_wait(live: Workspace, there: UnipileServer, client: Client, path: str) -> None:
    """Wrong ones are told how long, whatever address they call; a right one from there is taken."""
    rate_limits.reset()
    assert (client.post(path, data=b"{}").status_code, client.post(f"{path[:-1]}_", data=b"{}").status_code) == (
        401,
        404,
    )
    for _ in range(provider_webhooks.WRONG.burst):
        rate_limits.consume(provider_webhooks.WRONG, "127.0.0.1")
    answers = [client.post(one, data=b"{}") for one in (path, f"{path[:-1]}_", f"{path[:-1]}-")]
    assert [one.status_code for one in answers] == [429, 429, 429]
    assert int(answers[0].headers["Retry-After"]) >= 1
    there.world.stands(there.world.accounts["acc_ines"], "disconnected")
    assert deliver(there, client) == [200]
    rate_limits.reset()
