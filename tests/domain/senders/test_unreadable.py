"""What could not be read is set aside and shown once, and an inbox that can't be read says since when."""

from app.core.db import transaction
from app.domain.engine.inbound import poll
from app.domain.senders import unreadable
from app.models.workspaces import Workspace
from app.ports import Unreachable, Unreadable
from app.providers.sandbox.network import SandboxNetwork
from tests.domain.engine.inbound.test_poll import Broken, read
from tests.domain.outreach import network, the_account
from tests.support.movable import Movable


def aside(workspace: Workspace, ref: str = "one", sender: str = "Ada <ada@people.example>") -> None:
    """A message of that sender was set aside, as an adapter tells it."""
    account = the_account(workspace)
    with transaction():
        unreadable.set_aside(account, [Unreadable(ref, workspace.now(), sender, "Hi", "ValueError")])


def test_what_was_set_aside_is_shown_until_it_is_put_away(acme: Workspace) -> None:
    aside(acme)
    aside(acme)
    account = the_account(acme)
    assert [one.subject for one in unreadable.of_account(acme, account.id)] == ["Hi"]
    assert unreadable.put_away(acme, account.id) == 1
    assert list(unreadable.of_account(acme, account.id)) == []
    aside(acme)
    assert list(unreadable.of_account(acme, account.id)) == []


def test_an_erasure_takes_what_names_the_person(acme: Workspace, rival: Workspace) -> None:
    aside(acme)
    aside(acme, "two", "Bo <bo@people.example>")
    aside(rival)
    with transaction():
        unreadable.erase(acme, {"ADA@people.example"})
    assert [one.ref for one in unreadable.of_account(acme, the_account(acme).id)] == ["two"]
    assert len(unreadable.of_account(rival, the_account(rival).id)) == 1


def test_an_inbox_unread_for_an_hour_is_told_and_a_good_look_ends_it(acme: Workspace, clock: Movable) -> None:
    network(Broken(Unreachable("No answer.")))
    began = acme.now()
    read(acme)
    assert (the_account(acme).unread_since, the_account(acme).silent_at) == (began, None)
    clock.forward(minutes=30)
    read(acme)
    assert (the_account(acme).unread_since, the_account(acme).silent_at) == (began, None)
    clock.forward(minutes=30)
    read(acme)
    assert the_account(acme).silent_at == acme.now()
    network(SandboxNetwork())
    assert poll.poll([the_account(acme)], acme.now()) == set()
    assert (the_account(acme).unread_since, the_account(acme).silent_at) == (None, None)
