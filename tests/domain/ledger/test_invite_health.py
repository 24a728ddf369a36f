"""How a sender's invitations fare, and what follows from it until it is measured anew."""

from datetime import datetime, timedelta

import pytest

from app.core.db import transaction
from app.domain.ledger import invite_health
from app.domain.rules import limits
from app.models.accounts import Account
from app.models.ledger import Action, ActionState
from app.models.workspaces import Workspace
from app.ports import Accepted
from tests.domain.outreach import INVITE, VIEW, a_campaign, acts, forward, person_id, takes_in, the_account
from tests.support.movable import Movable

pytestmark = pytest.mark.usefixtures("clock")
DAY = timedelta(days=1)


def invited(workspace: Workspace, number: int, at: datetime, *, accepted: int = 0, withdrawn: int = 0) -> None:
    """The first sender invited so many people at that moment."""
    sender = the_account(workspace)
    people = [person_id(workspace, f"zoe-{place}") for place in range(number)]
    about = {"workspace_id": workspace.id, "sender_id": sender.id, "kind": "connection_request", "budget": "invite"}
    with transaction() as current:
        for place, zoe in enumerate(people):
            made = Action(**about, person_id=zoe, state=ActionState.SENT, token=f"{at.isoformat()}|{place}", at=at)
            made.accepted_at = at if place < accepted else None
            made.withdrawn_at = at if accepted <= place < accepted + withdrawn else None
            current.add(made)


def measured(workspace: Workspace) -> dict[str, int]:
    """What is measured now, and stands in the sender's row."""
    sender = the_account(workspace)
    with transaction():
        found = invite_health.refresh_invite_health([sender.id], workspace.now())[sender.id]
    assert the_account(workspace).health == found
    return found


def test_pending_and_accepted_invitations_are_counted_by_age(acme: Workspace, rival: Workspace) -> None:
    """Open ones of all ages; of those that have had their time, how many were accepted; a stranger's are theirs.

    Those of yesterday have had 28 % of theirs, by the usual delay.
    """
    invited(acme, 10, acme.now() - 20 * DAY, accepted=4)
    invited(acme, 3, acme.now() - DAY)
    invited(rival, 5, rival.now() - 20 * DAY)
    assert measured(acme) == {"sent": 13, "pending": 9, "decided": 11, "accepted": 4}


def test_old_invitations_and_those_withdrawn_at_once_say_nothing(acme: Workspace) -> None:
    """A sender without invitations has none to count, and after two months they are forgotten."""
    none = {"sent": 0, "pending": 0, "decided": 0, "accepted": 0}
    assert measured(acme) == none
    invited(acme, 10, acme.now() - 20 * DAY, withdrawn=10)
    assert measured(acme) == {**none, "sent": 10}
    invited(acme, 30, acme.now() - 61 * DAY)
    assert measured(acme)["decided"] == 0
    with transaction():
        assert invite_health.refresh_invite_health([], acme.now()) == {}


def test_few_acceptances_and_many_open_invitations_close_them_within_days(acme: Workspace) -> None:
    for health, closed in (
        ({}, False),
        ({"decided": 19, "accepted": 0}, False),
        ({"decided": 20, "accepted": 2}, True),
        ({"decided": 20, "accepted": 3}, False),
        ({"pending": 499}, False),
        ({"pending": 500}, True),
    ):
        assert limits.blocks_invites(health) is closed, health
    invited(acme, 40, acme.now() - DAY)
    assert not limits.blocks_invites(measured(acme))
    forward(acme, days=2)
    assert limits.blocks_invites(measured(acme))


def test_a_sender_that_no_one_accepts_begins_again_when_the_bad_days_are_forgotten(acme: Workspace) -> None:
    """Nothing comes in meanwhile and no one acts: time alone brings it on."""
    invited(acme, 40, acme.now() - 40 * DAY)
    measured(acme)
    a_campaign(acme, ["ignores-ada"], [INVITE])
    forward(acme, days=15)
    assert acts(acme) == []
    forward(acme, days=10)
    assert acts(acme) == [("connection_request", "ignores-ada")]


def test_taking_back_invitations_makes_room_for_new_ones(acme: Workspace) -> None:
    a_campaign(acme, ["ignores-ada"], [INVITE])
    forward(acme, hours=1)
    invited(acme, 499, acme.now() - 13 * DAY, accepted=0)
    assert measured(acme)["pending"] == 500
    a_campaign(acme, ["ignores-bob"], [INVITE], name="Second")
    forward(acme, days=20)
    assert acts(acme) == [("connection_request", "ignores-ada")]
    forward(acme, days=2)
    assert ("withdraw", "ignores-ada") in acts(acme)
    assert the_account(acme).health["pending"] == 499


def test_an_acceptance_is_measured_at_once_and_other_actions_go_on(acme: Workspace, clock: Movable) -> None:
    a_campaign(acme, ["ignores-ada"], [INVITE])
    forward(acme, hours=1)
    takes_in(acme, the_account(acme), Accepted("ignores-ada", acme.now(), "acceptance"))
    assert the_account(acme).health == {"sent": 1, "pending": 0, "decided": 1, "accepted": 1}
    sender = the_account(acme).id
    with transaction() as current:
        current.get_one(Account, sender).health = {"pending": 500}
    a_campaign(acme, ["ignores-bo"], [VIEW], name="Second")
    forward(acme, hours=1)
    assert acts(acme)[-1] == ("view_profile", "ignores-bo")
