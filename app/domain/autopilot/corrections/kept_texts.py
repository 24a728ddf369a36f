"""Texts that still say what was corrected: a person edited them, so only a person changes them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from app.core.db import session
from app.domain.autopilot import templates
from app.domain.autopilot.corrections import play_texts
from app.domain.autopilot.corrections.old_words import OldWords
from app.domain.autopilot.play_steps import said
from app.domain.rules.variants import assignment
from app.models.approvals import LIVE, Approval
from app.models.autopilot import Play
from app.models.campaigns import ENDED_CAMPAIGNS, Campaign
from app.models.leads import Lead
from app.models.workspaces import Workspace

MOST_DRAFTS = 500  # that are looked at
CAMPAIGN, PLAY, DRAFT, TEMPLATE = "campaign", "play", "draft", "template"
Changed = Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]


@dataclass(frozen=True)
class KeptText:
    """A text that still says old words: of which campaign, play, draft or template, and of which step, from 1."""

    kind: str
    id: int
    name: str
    step: int | None
    words: str


def every(workspace: Workspace, words: OldWords, changed: Mapping[int, Changed] | None = None) -> list[KeptText]:
    """Return the texts that say old words, or would once these texts of plays are changed."""
    return [
        *_of_plays(workspace, words, changed or {}),
        *_of_drafts(workspace, words),
        *_of_templates(workspace, words),
    ]


def _of_plays(workspace: Workspace, words: OldWords, changed: Mapping[int, Changed]) -> Iterator[KeptText]:
    query = sa.select(Play, Campaign).outerjoin(Campaign, Campaign.id == Play.campaign_id)
    mine = query.where(Play.workspace_id == workspace.id).order_by(Play.rank, Play.id)
    for play, campaign in session().execute(mine).all():
        again = changed.get(play.id, ())
        if campaign is not None and campaign.status not in ENDED_CAMPAIGNS:
            for place, step in enumerate(play_texts.in_campaign(campaign.sequence, again), 1):
                if found := words.found("\n".join(" ".join(texts) for texts in assignment.texts(step))):
                    yield KeptText(CAMPAIGN, campaign.id, campaign.name, place, found[0])
            continue
        anew = {one["id"]: new for one, new in again}
        for place, step in enumerate(play.steps, 1):
            if found := words.found(" ".join(said(anew.get(step["id"], step)))):
                yield KeptText(PLAY, play.id, play.name, place, found[0])


def _of_drafts(workspace: Workspace, words: OldWords) -> Iterator[KeptText]:
    query = sa.select(Approval.id, Approval.subject, Approval.text, Lead).join(Lead, Lead.id == Approval.lead_id)
    query = query.join(Play, Play.campaign_id == Approval.campaign_id)
    mine = query.where(Approval.workspace_id == workspace.id, Approval.status.in_(LIVE), Approval.edited)
    for row in session().execute(mine.order_by(Approval.id).limit(MOST_DRAFTS)).all():
        if found := words.found(f"{row.subject}\n{row.text}"):
            yield KeptText(DRAFT, row.id, row.Lead.name, None, found[0])


def _of_templates(workspace: Workspace, words: OldWords) -> Iterator[KeptText]:
    for template in templates.every(workspace):
        for place, step in enumerate(template.steps, 1):
            if found := words.found(" ".join(said(step))):
                yield KeptText(TEMPLATE, template.id, template.name, place, found[0])
