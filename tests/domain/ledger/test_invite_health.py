"""How a sender's invitations fare, and what follows from it until it is measured anew."""

from datetime import datetime, timedelta

import pytest

from app.core.clock import Movable
from app.core.db import transaction
from app.domain.engine import turns
from app.domain.ledger import invite_health
from app.models.accounts import Account
from app.models.ledger import Action, ActionState
from app.models.workspaces import Workspace
from app.ports import Accepted
from tests.domain.outreach import INVITE, VIEW, a_campaign, acts, forward, person_id, takes_in, the_account

pytestmark = pytest.mark.usefixtures("clock")
DAY = timedelta(days=1)


def invited(workspace: Workspace, number: int, at: datetime, *, accepted: int = 0, withdrawn: int = 0) -> None:
    """The first sender invited so many people at that moment."""
    sender = the_account(workspace)
    people = [person_id(workspace, f"zoe-{place}") for place in range(number)]
    with transaction() as current:
        for place in range(number):
            current.add(
                Action(
                    workspace_id=workspace.id,
                    sender_id=sender.id,
                    person_id=people[place],
                    kind="connection_request",
                    budget="invite",
                    state=ActionState.SENT,
                    token=f"{at.isoformat()}|{place}",
                    at=at,
                    accepted_at=at if place < accepted else None,
                    withdrawn_at=at if accepted <= place < accepted + withdrawn else None,
                )
            )


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
    assert measured(acme) == {"pending": 9, "decided": 11, "accepted": 4}


def test_a_withdrawn_invitation_counts_by_how_long_it_was_open(acme: Workspace) -> None:
    """These were withdrawn at once, so that they say nothing."""
    invited(acme, 10, acme.now() - 20 * DAY, withdrawn=10)
    assert measured(acme) == {"pending": 0, "decided": 0, "accepted": 0}


def test_invitations_that_no_one_accepts_stop_a_sender_within_days(acme: Workspace) -> None:
    invited(acme, 40, acme.now() - DAY)
    assert not invite_health.blocks_invites(measured(acme))
    forward(acme, days=2)
    assert invite_health.blocks_invites(measured(acme))


def test_a_sender_without_invitations_has_none(acme: Workspace) -> None:
    assert measured(acme) == {"pending": 0, "decided": 0, "accepted": 0}
    with transaction():
        assert invite_health.refresh_invite_health([], acme.now()) == {}


def test_what_is_older_than_two_months_is_forgotten(acme: Workspace) -> None:
    invited(acme, 30, acme.now() - 61 * DAY)
    assert measured(acme)["decided"] == 0


@pytest.mark.parametrize(
    ("health", "closed"),
    [
        ({}, False),
        ({"decided": 19, "accepted": 0}, False),
        ({"decided": 20, "accepted": 2}, True),
        ({"decided": 20, "accepted": 3}, False),
        ({"pending": 499}, False),
        ({"pending": 500}, True),
    ],
)
def test_few_acceptances_and_many_open_invitations_close_them(health: dict[str, int], closed: bool) -> None:
    assert invite_health.blocks_invites(health) is closed


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


def test_an_acceptance_is_measured_at_once(acme: Workspace) -> None:
    a_campaign(acme, ["ignores-ada"], [INVITE])
    forward(acme, hours=1)
    takes_in(acme, the_account(acme), Accepted("ignores-ada", acme.now(), "acceptance"))
    assert the_account(acme).health == {"pending": 0, "decided": 1, "accepted": 1}


def test_other_actions_go_on_meanwhile(acme: Workspace, clock: Movable) -> None:
    sender = the_account(acme)
    with transaction() as current:
        current.get_one(Account, sender.id).health = {"pending": 500}
    a_campaign(acme, ["ignores-ada"], [VIEW])
    turns.run_due()
    assert acts(acme) == [("view_profile", "ignores-ada")]
