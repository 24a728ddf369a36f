"""A campaign whose sender is replaced while the processes that hand its people over are killed."""

import signal
import time

import sqlalchemy as sa

from app.core.db import end_read, session
from app.domain.campaigns import change_senders, changes
from app.domain.campaigns.revision_log import Wanted
from app.domain.operations import sandbox_clock
from app.domain.workspace import workspaces
from app.models.campaigns import OPEN_STATES, CampaignLead, CampaignRevision, LeadState
from tests.kills.campaign import Ordeal

PEOPLE = 2 * change_senders.CHUNK + 500
PATIENCE = 60.0
STILL_OPEN = [*OPEN_STATES, LeadState.PAUSED]


class HandOver:
    """A campaign of three chunks of people whose sender is replaced while processes die."""

    def __init__(self, ordeal: Ordeal) -> None:
        self.ordeal = ordeal
        self.theirs: set[int] = set()  # people of the sender who leaves
        self.former = self.next = 0  # senders
        self._engine = sa.create_engine(ordeal.url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)

    def begin(self) -> None:
        """Some people are invited; then the sender is replaced, which looks at the first chunk."""
        self.ordeal.begin(PEOPLE, senders=1)
        self.former, self.next = self.ordeal.senders[:2]
        with self.ordeal.inside():
            workspace = workspaces.get(self.ordeal.workspace)
            sandbox_clock.advance(workspace, 12)
            mine = sa.select(CampaignLead.id).where(CampaignLead.account_id == self.former)
            self.theirs = set(session().scalars(mine.where(CampaignLead.state.in_(STILL_OPEN))))
            end_read()
            wanted = Wanted(account_ids=[self.next], replace={self.former: self.next})
            changes.apply(workspace, self.ordeal.campaign, wanted)

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
