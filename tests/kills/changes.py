"""A running campaign that is changed while the processes that change it are killed."""

import signal
import time
from typing import Any

import sqlalchemy as sa

from app.core.db import end_read, session
from app.domain.campaigns import enrolment
from app.domain.installation.sandbox import sandbox_clock
from app.domain.leads import leads, lists
from app.domain.workspace import workspaces
from app.models.campaigns import Campaign, CampaignLead, CampaignRevision
from tests.bench.stock import profile
from tests.kills import made_changes
from tests.kills.campaign import Ordeal

PATIENCE = 60.0
PEOPLE, MORE = 900, enrolment.CHUNK + 200


class Change:
    """A campaign whose people are on their way when it is changed."""

    def __init__(self, ordeal: Ordeal) -> None:
        self.ordeal = ordeal

    def begin(self) -> None:
        """Some have had steps."""
        self.ordeal.begin(PEOPLE)
        with self.ordeal.inside():
            workspace = workspaces.get(self.ordeal.workspace)
            sandbox_clock.advance(workspace, 12)
            more = lists.create_list(workspace, made_changes.MORE).id
            everyone = [profile(number) for number in range(PEOPLE, PEOPLE + MORE)]
            for first in range(0, MORE, leads.MOST_PROFILES):
                leads.add(workspace, more, everyone[first : first + leads.MOST_PROFILES])
            end_read()

    def seen(self) -> tuple[Any, ...]:
        """The campaign and its people, as a change finds them and leaves them."""
        with self.ordeal.inside():
            campaign = session().scalars(sa.select(Campaign)).one()
            people = sa.select(CampaignLead.id, CampaignLead.state, CampaignLead.step, CampaignLead.due_at)
            found = (campaign.revision, [tuple(row) for row in session().execute(people.order_by(CampaignLead.id))])
            end_read()
            return found

    def noted(self) -> CampaignRevision | None:
        """The change, when it was made."""
        with self.ordeal.inside():
            found = session().scalars(sa.select(CampaignRevision)).one_or_none()
            end_read()
            session().expunge_all()
            return found

    def run(self, what: str, kill_after: float | None) -> None:
        """A process makes the change or carries it out, until it has or is killed."""
        with self.ordeal.start(what) as process:
            if kill_after is not None:
                time.sleep(kill_after)
                process.signal(signal.SIGKILL)
                process.ended()
            elif what == "advance":
                end = time.monotonic() + PATIENCE
                while (noted := self.noted()) and noted.is_open and time.monotonic() < end:
                    time.sleep(0.05)
            else:
                assert process.ended() == 0, process.output
