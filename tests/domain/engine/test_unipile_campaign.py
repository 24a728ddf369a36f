"""A campaign of a live workspace over Unipile's contract, and everything that goes wrong. The server's log decides."""

from collections import Counter
from datetime import timedelta

import pytest

from app.core.clock import now
from app.domain.senders import accounts
from app.models.accounts import AccountStatus
from app.models.ledger import ActionState
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, VIEW, a_campaign, assert_counters_hold, everyone, ledger, message, the_account
from tests.providers.unipile.unipile_server import UnipileServer
from tests.support import networked
from tests.support.movable import Movable
from tests.support.networked import pass_time, sign_in_again

TEXT = "Thank you, {{first_name}}.\n---\nOne question, {{first_name}}."
SEQUENCE = [VIEW, {**INVITE, "message": "Hello {{first_name}}"}, message(TEXT), message("Still curious.", days=1)]
KINDS = {"connection_request": "invite", "message": "message", "view_profile": "visit"}


@pytest.fixture
def live(there: UnipileServer) -> Workspace:
    made = networked.workspace(there, there.generation)
    account = networked.ines(made)
    accounts.edit(made, account.id, start="00:00", end="23:59", days=[1, 2, 3, 4, 5, 6, 7])
    return made


def assert_no_one_was_contacted_twice(there: UnipileServer, workspace: Workspace, *open_before: str) -> None:
    """Each invitation and each text once per person in the server's own log, and the ledger says the same.

    Except of invitations that the owner had sent before, which count as ours.
    """
    already = Counter(("invite", person) for person in open_before)
    reached = [one for one in there.world.log if one.kind in ("invite", "message", "inmail")]
    twice = {line: count for line, count in Counter((o.kind, o.person, o.text) for o in reached).items() if count > 1}
    assert twice == {}
    ours = Counter(
        (KINDS[action.kind], action.person.handle)
        for action in ledger(workspace)
        if action.state == ActionState.SENT and action.kind in KINDS and action.kind != "view_profile"
    )
    assert ours - already == Counter((one.kind, one.person) for one in reached)
    assert not [action for action in ledger(workspace) if action.state == ActionState.SENDING or action.check_at]


def test_each_lead_of_a_unipile_campaign_ends_where_it_should(
    live: Workspace, there: UnipileServer, clock: Movable
) -> None:
    people = ["replies-ada", "accepts-grace", "ignores-alan", "refuses-kurt", "nobody-emmy", "connected-mary"]
    campaign = a_campaign(live, people, SEQUENCE)
    pass_time(clock, live, 48)
    assert_no_one_was_contacted_twice(there, live)
    found = {name: (person.state, person.step, person.connection) for name, person in everyone(campaign).items()}
    assert found == {
        "replies-ada": ("finished", 3, "accepted"),
        "accepts-grace": ("active", 4, "accepted"),
        "ignores-alan": ("awaiting_accept", 2, "sent"),
        "refuses-kurt": ("failed", 1, "none"),
        "nobody-emmy": ("failed", 1, "none"),
        "connected-mary": ("active", 4, "accepted"),
    }
    texts = [one.text for one in there.world.log if one.person == "accepts-grace" and one.kind == "message"]
    assert texts == ["Thank you, Grace.", "One question, Grace.", "Still curious."]
    assert_counters_hold(campaign)


@pytest.mark.parametrize("there", ["v2", "v1"], indirect=True)
def test_trouble_of_every_kind_in_one_campaign(live: Workspace, there: UnipileServer, clock: Movable) -> None:
    """Lost answers, a throttling, a limit, an invitation that was open already, a challenge: no one is lost."""
    names = ["accepts-ada", "replies-grace", "accepts-alan", "ignores-mary", "ignores-kurt"]
    by_hand = {"id": "by-hand", "person": "ignores-kurt", "at": now() - timedelta(days=3), "text": ""}
    there.world.accounts["acc_ines"].invitations.append(by_hand)
    campaign = a_campaign(live, names, [{**INVITE, "message": "Hello"}, message(TEXT)])
    there.world.troubles.extend(["drop", "429", "", "limit", "challenge"])
    pass_time(clock, live, 36)
    assert the_account(live).status == AccountStatus.CHALLENGED
    assert "security check" in the_account(live).status_reason
    before = len(there.world.log)
    pass_time(clock, live, 12)
    assert len(there.world.log) == before
    sign_in_again(live, there)
    there.world.troubles.extend(["drop", "", "500", "lose"])
    pass_time(clock, live, 48)
    assert_no_one_was_contacted_twice(there, live, "ignores-kurt")
    found = {name: (person.state, person.step) for name, person in everyone(campaign).items()}
    answered, silent = {"replies-grace": ("finished", 2)}, dict.fromkeys(names[3:], ("awaiting_accept", 1))
    assert found == dict.fromkeys(names, ("active", 2)) | answered | silent
    assert_counters_hold(campaign)


def test_a_network_that_never_does_it_is_asked_ever_more_rarely(
    live: Workspace, there: UnipileServer, clock: Movable
) -> None:
    a_campaign(live, ["ada"], [INVITE])
    there.world.troubles.extend(["lose"] * 40)
    pass_time(clock, live, 12)
    assert 4 <= 40 - len(there.world.troubles) <= 11
