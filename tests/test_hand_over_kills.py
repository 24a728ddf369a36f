"""`kill -9` between the chunks of a hand-over, and within them: it goes on by itself, and each person is met once."""

import random
import signal
import time
from pathlib import Path

import sqlalchemy as sa

from app.core.db import end_read, session
from app.domain.campaigns import campaigns, change_senders
from app.domain.operations import sandbox_clock
from app.domain.workspace import workspaces
from app.models.campaigns import OPEN_STATES, CampaignLead, CampaignRevision, Connection, LeadState
from app.models.ledger import Action, ActionState
from tests.chaos.kills import Ordeal

PEOPLE, FORMER, NEXT = 2 * change_senders.CHUNK + 500, 1, 2
PATIENCE = 60.0
STILL_OPEN = [*OPEN_STATES, LeadState.PAUSED]


class HandOver:
    """A campaign of three chunks of people whose sender is replaced while processes die."""

    def __init__(self, ordeal: Ordeal) -> None:
        self.ordeal = ordeal
        self.theirs: set[int] = set()  # people of the sender who leaves
        self._engine = sa.create_engine(ordeal.url, isolation_level="AUTOCOMMIT")

    def begin(self) -> None:
        """Some people are invited; then the sender is replaced, which looks at the first chunk."""
        self.ordeal.begin(PEOPLE, [FORMER])
        with self.ordeal.application().app_context():
            workspace = workspaces.get(self.ordeal.workspace)
            sandbox_clock.advance(workspace, 12)
            mine = sa.select(CampaignLead.id).where(CampaignLead.account_id == FORMER)
            self.theirs = set(session().scalars(mine.where(CampaignLead.state.in_(STILL_OPEN))))
            end_read()
            change_senders.change(workspace, self.ordeal.campaign, [NEXT], {FORMER: NEXT})

    def looked(self) -> tuple[bool, int]:
        """Whether people are still to be looked at, and the last one who was."""
        with self._engine.connect() as connection:
            row = connection.execute(sa.select(CampaignRevision.is_open, CampaignRevision.looked_to)).one()
            return row.is_open, row.looked_to

    def kill(self, wait: float, *, until_it_moved: bool) -> bool:
        """A process died so long after it began to move, or after it did a chunk; return whether people were left."""
        before = self.looked()
        with self.ordeal.start("advance") as process:
            end = time.monotonic() + PATIENCE
            while until_it_moved and self.looked() == before and time.monotonic() < end:
                time.sleep(0.001)
            time.sleep(wait)
            process.signal(signal.SIGKILL)
            assert process.ended() == -signal.SIGKILL, process.output
        return self.looked()[0]

    def finish(self) -> None:
        """One process goes on by itself, and dies no more."""
        with self.ordeal.start("advance"):
            end = time.monotonic() + PATIENCE
            while self.looked()[0] and time.monotonic() < end:
                time.sleep(0.01)
        assert not self.looked()[0], "It hangs."


def test_a_killed_hand_over_goes_on_and_meets_each_person_once(migrated: str, tmp_path: Path) -> None:
    """No one is counted twice or forgotten, no one is invited by two senders at a time, every number is right."""
    chance = random.Random()
    ordeal = Ordeal(migrated, tmp_path, chance)
    trial = HandOver(ordeal)
    trial.begin()
    assert trial.looked()[0]
    killed_open = [trial.kill(chance.uniform(0, 0.3), until_it_moved=False), trial.kill(0, until_it_moved=True)]
    trial.finish()
    assert any(killed_open)
    with ordeal.application().app_context():
        revision = session().scalars(sa.select(CampaignRevision)).one()
        assert sum(revision.effect.values()) == len(trial.theirs)
        people = session().scalars(sa.select(CampaignLead)).all()
        assert len(people) == PEOPLE
        for person in people:
            withdrawn = person.hand_over_to == NEXT and person.connection == Connection.SENT
            ended = person.state not in STILL_OPEN
            assert person.account_id == NEXT or withdrawn or ended or person.connection == Connection.ACCEPTED
        assert sorted(campaigns.get(workspaces.get(ordeal.workspace), ordeal.campaign).account_ids) == [NEXT]
        end_read()
    ordeal.verdict(days=2).hold()
    with ordeal.application().app_context():
        invitations = sa.select(Action).where(Action.kind == "connection_request", Action.state == ActionState.SENT)
        former: dict[int | None, Action] = {}
        for action in session().scalars(invitations.order_by(Action.at, Action.id)):
            if before := former.get(action.campaign_lead_id):
                assert before.withdrawn_at is not None
                assert before.withdrawn_at <= action.at
            former[action.campaign_lead_id] = action
        assert {action.sender_id for action in former.values()} == {FORMER, NEXT}
        end_read()
