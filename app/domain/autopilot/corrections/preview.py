"""What a correction of the profile would change: customer types, targets, plays, campaigns and drafts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core.db import end_read, session
from app.core.errors import AppError
from app.domain.autopilot import plays, profile_corrections, serialization, setup_state
from app.domain.autopilot.corrections import kept_texts, old_words, plan, play_texts
from app.domain.autopilot.corrections.kept_texts import KeptText
from app.domain.autopilot.corrections.play_texts import Steps
from app.domain.autopilot.play_steps import BUILT_IN, said
from app.models.approvals import Approval, ApprovalStatus
from app.models.autopilot import Play, Setup
from app.models.campaigns import ENDED_CAMPAIGNS, Campaign
from app.models.workspaces import Workspace
from app.ports import ProviderError
from app.ports.writer import Brief, Profile

SHOWN = 3  # texts, before and after


@dataclass(frozen=True)
class NewText:
    """A text as it is, and as it would be."""

    play: Play
    kind: str
    before: Sequence[str]  # text and subject
    after: Sequence[str]


@dataclass
class Effect:
    """What a correction would change. With a model only the first play is written for it, and the rest is counted.

    `types` and `targets` hold what was and what would be, None if they stay or, with a model, while they are unknown;
    `drafts` wait for approval, and `approved` ones would wait again.
    """

    fields: Sequence[Sequence[str]]
    exact: bool = True
    types: tuple[Sequence[str], Sequence[str]] | None = None
    chosen: tuple[str, str] | None = None
    targets: tuple[Mapping[str, Any], Mapping[str, Any]] | None = None
    plays: list[Play] = field(default_factory=list)
    campaigns: list[Campaign] = field(default_factory=list)
    texts: int = 0
    drafts: int = 0
    approved: int = 0
    first: list[NewText] = field(default_factory=list)
    kept: list[KeptText] = field(default_factory=list)
    note: str = ""


def preview(workspace: Workspace, given: Mapping[str, Any]) -> Effect:
    """Return what a correction would change; nothing is changed. Calls the writer, so never in a transaction."""
    setup = setup_state.get(workspace)
    before, after = profile_corrections.applied(setup, given)
    return of_profiles(workspace, setup, before, after)


def of_profiles(workspace: Workspace, setup: Setup, before: Profile, after: Profile) -> Effect:
    """Return what the change of the profile would mean."""
    effect = Effect(profile_corrections.changes(before, after), exact=ports.writer().name == BUILT_IN)
    names = [name for name, _, _ in effect.fields]
    if not profile_corrections.is_followed(names):
        return effect
    every = [play for play in plays.every(workspace) if play.steps]
    briefs = {play.id: setup_state.brief(workspace, setup, channel=play.channel, profile=after) for play in every}
    earlier = {play.id: setup_state.brief(workspace, setup, channel=play.channel, profile=before) for play in every}
    length = plays.note_length(workspace)
    open_documents = plan.open_kinds(workspace)
    brief, ours = setup_state.brief(workspace, setup, profile=after), plan.targets_are_ours(setup)
    end_read()
    changed: dict[int, kept_texts.Changed] = {}
    try:
        planned = plan.make(brief, names, ours=ours) if effect.exact else None
        for play in every:
            written = planned.brief(briefs[play.id], open_documents) if planned else briefs[play.id]
            changed[play.id] = _texts(effect, play, earlier[play.id], written, "language" in names, length)
        effect.note = ports.writer().last().note
    except ProviderError as failure:
        effect.note = failure.sentence
        planned = None
    if planned is not None:
        _note_plan(effect, setup, planned)
    for play in every:
        _count(effect, play, changed.get(play.id, ()))
    now = old_words.of_fields(workspace, effect.fields, serialization.profile_json(after))
    effect.kept = kept_texts.every(workspace, now, changed)
    return effect


def _texts(
    effect: Effect, play: Play, before: Brief, after: Brief, plain: bool, length: int
) -> Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Return the play's texts that would change; with a model, after the first text, those that it would write."""
    idea = serialization.idea_of(play)
    known = play_texts.ours(play, before, idea)
    if not effect.exact and effect.first:
        return [(step, {**step, "text": "", "subject": ""}) for step in _of_ours(play.steps, known)]
    anew = play_texts.fresh(after, idea, [] if plain else play_texts.wishes(play))
    try:
        changed = play_texts.rewritten(play.steps, known, anew, length).changed
    except AppError:
        return []
    for old, new in changed[: SHOWN - len(effect.first)]:
        effect.first.append(NewText(play, old["kind"], said(old), said(new)))
    return changed


def _of_ours(steps: Steps, known: play_texts.Texts) -> list[Mapping[str, Any]]:
    return [one for one in steps if any(said(one)) and known.get(one["id"]) == said(one)]


def _note_plan(effect: Effect, setup: Setup, planned: plan.Plan) -> None:
    old, new = [one["title"] for one in setup.customer_types], [one.title for one in planned.types]
    effect.types = (old, new) if old != new else None
    customer = serialization.customer_of(setup)
    if customer and planned.chosen and customer.id != planned.chosen.id:
        effect.chosen = (customer.title, planned.chosen.title)
    if (targets := plan.changed_targets(setup, planned)) is not None:
        effect.targets = (setup.targets or {}, targets)


def _count(effect: Effect, play: Play, changed: kept_texts.Changed) -> None:
    """Count the play's texts that change, or those of its campaign, with the drafts that were written from them."""
    campaign = session().get(Campaign, play.campaign_id) if play.campaign_id else None
    if campaign is None or campaign.status in ENDED_CAMPAIGNS:
        if changed:
            effect.plays.append(play)
            effect.texts += len(changed)
        return
    keys = play_texts.keys_with(campaign.sequence, [old for old, _ in changed])
    if not keys:
        return
    effect.campaigns.append(campaign)
    effect.texts += len(keys)
    mine = sa.and_(Approval.campaign_id == campaign.id, Approval.step.in_(keys), Approval.edited.is_(False))
    query = sa.select(Approval.status, sa.func.count()).where(mine).group_by(Approval.status)
    counted: dict[str, int] = {row[0]: row[1] for row in session().execute(query)}
    effect.drafts += counted.get(ApprovalStatus.PENDING, 0)
    effect.approved += counted.get(ApprovalStatus.APPROVED, 0)
