"""Start a campaign so that a member approves every contact: for those who may not contact people on their own.

Approval holds what can be read. An invitation without a note can't be, so a campaign with one is started by a member.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from app.core.db import transaction
from app.core.errors import Forbidden
from app.domain.approvals import bulk
from app.domain.campaigns import campaigns
from app.domain.rules import message_templates
from app.domain.rules.step_kinds import STEPS
from app.models.campaigns import Campaign, CampaignStatus
from app.models.workspaces import Workspace


def start(workspace: Workspace, campaign_id: int) -> Campaign:
    """Start or resume the campaign with its approval switched on."""
    with transaction():
        campaign = campaigns.locked(workspace, campaign_id)
        refuse_unreadable(campaign.sequence)
        if not campaign.approval or campaign.approve_first is not None:
            bulk.switch(workspace, campaign_id, True)
        act = campaigns.resume if campaign.status == CampaignStatus.PAUSED else campaigns.start
        return act(workspace, campaign_id)


def refuse_unreadable(sequence: Sequence[Mapping[str, Any]]) -> None:
    """Raise Forbidden for steps that reach people without a text that a member could approve."""
    named = [str(number) for number, step in enumerate(sequence, 1) if STEPS[step["type"]].reaches and _silent(step)]
    if named:
        raise Forbidden(
            f"Step {', '.join(named)} can send connection requests without a note, so there is nothing to approve.",
            recovery="Add a note to the connection request, or ask a member to start the campaign.",
        )


def _silent(step: Mapping[str, Any]) -> bool:
    return any(not text.strip() or message_templates.may_be_empty(text) for text in _texts(step))


def _texts(step: Mapping[str, Any]) -> Iterator[str]:
    yield step.get("message", "")
    for variant in step.get("variants") or ():
        yield variant.get("message") or ""
