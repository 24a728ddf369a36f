"""`kill -9` between the chunks of a hand-over, and within them: it goes on by itself, and each person is met once."""

import random
from pathlib import Path

import sqlalchemy as sa

from app.core.db import end_read, session
from app.domain.campaigns import campaigns
from app.domain.workspace import workspaces
from app.models.campaigns import CampaignLead, CampaignRevision, Connection
from app.models.ledger import Action, ActionState
from tests.kills.campaign import Ordeal
from tests.kills.hand_overs import PEOPLE, STILL_OPEN, HandOver


def test_a_killed_hand_over_goes_on_and_meets_each_person_once(url: str, tmp_path: Path, chance: random.Random) -> None:
    """No one is counted twice or forgotten, no one is invited by two senders at a time, every number is right."""
    ordeal = Ordeal(url, tmp_path, chance)
    trial = HandOver(ordeal)
    trial.begin()
    assert trial.looked()[0]
    killed_open = [trial.kill(chance.uniform(0, 0.3), until_it_moved=False), trial.kill(0, until_it_moved=True)]
    trial.finish()
    assert any(killed_open)
    with ordeal.inside():
        revision = session().scalars(sa.select(CampaignRevision)).one()
        assert sum(revision.effect.values()) == len(trial.theirs)
        people = session().scalars(sa.select(CampaignLead)).all()
        assert len(people) == PEOPLE
        for person in people:
            withdrawn = person.hand_over_to == trial.next and person.connection == Connection.SENT
            ended = person.state not in STILL_OPEN
            assert person.account_id == trial.next or withdrawn or ended or person.connection == Connection.ACCEPTED
        assert sorted(campaigns.get(workspaces.get(ordeal.workspace), ordeal.campaign).account_ids) == [trial.next]
        end_read()
    ordeal.verdict(days=2).hold()
    with ordeal.inside():
        invitations = sa.select(Action).where(Action.kind == "connection_request", Action.state == ActionState.SENT)
        former: dict[int | None, Action] = {}
        inviting = set()
        for action in session().scalars(invitations.order_by(Action.at, Action.id)):
            if before := former.get(action.campaign_lead_id):
                assert before.withdrawn_at is not None
                assert before.withdrawn_at <= action.at
            former[action.campaign_lead_id] = action
            inviting.add(action.sender_id)
        assert inviting == {trial.former, trial.next}
        end_read()
