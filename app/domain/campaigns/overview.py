"""What happened in the workspace lately, all campaigns together."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from app.core.statements import rows
from app.domain.rules.step_kinds import STEPS
from app.models.campaigns import Campaign
from app.models.conversations import Conversation, Sentiment
from app.models.ledger import Action, ActionState
from app.models.workspaces import Workspace

WEEK = timedelta(days=7)
REACHING = [step.name for step in STEPS.values() if step.reaches]
_ACTIONS: Any = Action.__table__
_CAMPAIGNS: Any = Campaign.__table__
_TALKS: Any = Conversation.__table__
_SINCE: Any = sa.bindparam("since", type_=_ACTIONS.c.at.type)
_BEFORE: Any = sa.bindparam("before", type_=_ACTIONS.c.at.type)
_TONES: Any = [sa.literal_column(f"'{tone}'") for tone in Sentiment]
_OURS: Any = sa.bindparam("workspace")
# By campaign, because that is how the ledger's index begins.
_SENT = sa.select(
    sa.func.count(sa.case((_ACTIONS.c.at >= _SINCE, 1))).label("now"),
    sa.func.count(sa.case((_ACTIONS.c.at < _SINCE, 1))).label("before"),
).where(
    _ACTIONS.c.campaign_id.in_(sa.select(_CAMPAIGNS.c.id).where(_CAMPAIGNS.c.workspace_id == _OURS)),
    _ACTIONS.c.at >= _BEFORE,
    _ACTIONS.c.state == ActionState.SENT,
    _ACTIONS.c.kind.in_(REACHING),
)
# By tone, so that an index alone tells.
_ACTIVE = sa.select(
    sa.func.count().label("answered"),
    sa.func.count(sa.case((_TALKS.c.sentiment == Sentiment.POSITIVE, 1))).label("positive"),
).where(_TALKS.c.workspace_id == _OURS, _TALKS.c.sentiment.in_(_TONES), _TALKS.c.last_message_at >= _SINCE)


@dataclass(frozen=True)
class Week:
    """The last seven days: what went out to people, the seven days before that, and talks that were alive."""

    sent: int
    sent_before: int
    answered: int
    positive: int


def week(workspace: Workspace) -> Week:
    """The last seven days on the workspace's clock."""
    since = workspace.now() - WEEK
    (sent,) = rows(_SENT, workspace=workspace.id, since=since, before=since - WEEK)
    (talks,) = rows(_ACTIVE, workspace=workspace.id, since=since)
    return Week(sent.now, sent.before, talks.answered, talks.positive)
