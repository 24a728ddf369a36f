"""Follow a correction: types and targets first, then each play with its campaign and drafts, in a resumable job."""

from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core.actor import Actor, actor
from app.core.db import end_read, session, transaction
from app.core.errors import Conflict, InvalidRequest, NotFound
from app.domain.approvals import correction as corrected_drafts
from app.domain.autopilot import (
    documents,
    draft_provenance,
    play_build,
    plays,
    profile_corrections,
    serialization,
    setup_state,
)
from app.domain.autopilot.corrections import draft_check, old_words, plan, play_texts
from app.domain.autopilot.corrections.play_texts import Rewritten
from app.domain.campaigns import campaigns, changes, revision_log, revisions, validation
from app.domain.platform import jobs
from app.domain.rules.sequences import step_keys
from app.models.autopilot import PLAY, CorrectedPlay, Phase, Play, PlayStatus, ProfileCorrection, Setup
from app.models.campaigns import ENDED_CAMPAIGNS, Campaign, CampaignStatus
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace
from app.ports import ANGLES
from app.ports.writer import PlayIdea

SOON, LATER = timedelta(seconds=5), timedelta(minutes=10)
AGAIN = "I wrote this again for your corrected profile."
BACK = "I took this back to what it was before your correction."
_IDEA = ("name", "pitch", "why", "strategy", "reaches", "chips")
_BEING_BUILT = (PlayStatus.FINDING, PlayStatus.WRITING)
_OPEN = (CampaignStatus.SCHEDULED, CampaignStatus.RUNNING, CampaignStatus.PAUSED)


def follow(workspace: Workspace, payload: dict[str, Any], job: Job) -> object:
    """Write again what the correction changes; what was done is kept, so that a killed job goes on from there."""
    correction = _open(workspace, payload["correction"])
    if correction is None:
        return None
    logged_as = actor.set(Actor(correction.by))
    try:
        if setup_state.get(workspace).phase not in ("", Phase.BUILD) or not _lay_out(workspace, correction.id):
            return SOON
        waits: list[timedelta] = []
        for row_id in _left(correction.id):
            jobs.renew_lease(job, ports.models().longest())
            wait = _follow_play(workspace, row_id)
            waits += [wait] if wait is not None else []
        if waits:
            return min(waits)
        _close(workspace, correction.id)
    finally:
        actor.reset(logged_as)
    return None


def _open(workspace: Workspace, correction_id: int, *, lock: bool = False) -> ProfileCorrection | None:
    """Return the correction while there is something left to do for it."""
    query = sa.select(ProfileCorrection).where(
        ProfileCorrection.workspace_id == workspace.id,
        ProfileCorrection.id == correction_id,
        ProfileCorrection.is_open,
    )
    found: ProfileCorrection | None = session().scalar(query.with_for_update() if lock else query)
    return found


def _left(correction_id: int) -> list[int]:
    mine = sa.and_(CorrectedPlay.correction_id == correction_id, CorrectedPlay.is_open)
    found = list(session().scalars(sa.select(CorrectedPlay.id).where(mine).order_by(CorrectedPlay.id)))
    end_read()
    return found


def _close(workspace: Workspace, correction_id: int) -> None:
    with transaction():
        setup_state.locked(workspace)
        correction = _open(workspace, correction_id, lock=True)
        if correction is not None:
            correction.is_open = False


def _lay_out(workspace: Workspace, correction_id: int) -> bool:
    """Set types, targets and documents, and note the plays to follow; return False when the profile changed meanwhile.

    Customer types are suggested again; the targets follow unless a person edited them.
    """
    correction = _open(workspace, correction_id)
    if correction is None or correction.after is not None:
        return True
    setup = setup_state.get(workspace)
    read, brief = setup.profile, setup_state.brief(workspace, setup)
    fields, ours = [name for name, _, _ in correction.fields], plan.targets_are_ours(setup)
    end_read()
    planned = plan.make(brief, fields, ours=ours)
    note = ports.writer().last().note
    with transaction():
        setup = setup_state.locked(workspace)
        correction = _open(workspace, correction_id, lock=True)
        if correction is None:
            return True
        if setup.profile != read or setup.phase not in ("", Phase.BUILD):
            return False
        former = _undone(workspace, correction)
        targets = plan.changed_targets(setup, planned)
        if former and former.after and _built(setup) == former.after["built"]:
            for name, value in former.before.items():
                if name != "profile":
                    setattr(setup, name, value)
        else:
            setup.customer_types, setup.note = serialization.types_json(planned.types), note
            setup.customer_type_id = planned.chosen.id if planned.chosen else ""
            if targets is not None:
                setup.targets = setup.targets_written = targets
        documents.write(workspace, planned.documents)
        before = correction.before["targets"]
        correction.after = {"built": _built(setup), "aimed": setup.targets != before}
        session().add_all(
            CorrectedPlay(
                workspace_id=workspace.id,
                correction_id=correction.id,
                play_id=play.id,
                campaign_id=play.campaign_id,
                is_open=True,
            )
            for play in session().scalars(sa.select(Play).where(Play.workspace_id == workspace.id).order_by(Play.id))
            if play.steps
        )
        return True


def _built(setup: Setup) -> dict[str, Any]:
    return {name: getattr(setup, name) for name in ("customer_types", "customer_type_id", "targets")}


def _undone(workspace: Workspace, correction: ProfileCorrection) -> ProfileCorrection | None:
    """Return the correction that this one takes back, if any."""
    mine = sa.select(ProfileCorrection).where(ProfileCorrection.workspace_id == workspace.id)
    found: ProfileCorrection | None = session().scalar(mine.where(ProfileCorrection.number == correction.undoes))
    return found


def _follow_play(workspace: Workspace, row_id: int) -> timedelta | None:
    """Write a play's texts again, in its campaign too; return when to try again, None when it is done."""
    try:
        return _rewrite(workspace, row_id)
    except NotFound:
        return None  # the play, with what was noted of it, was deleted
    except Conflict:
        return SOON  # something is being sent, or the campaign was changed meanwhile
    except InvalidRequest as refusal:
        _refuse(workspace, row_id, refusal.fields[0].message if refusal.fields else refusal.message)
        return None
    finally:
        end_read()


def _refuse(workspace: Workspace, row_id: int, sentence: str) -> None:
    with transaction():
        setup_state.locked(workspace)
        row = session().get(CorrectedPlay, row_id)
        if row is not None and row.is_open:
            row.is_open, row.error = False, sentence


def _rewrite(workspace: Workspace, row_id: int) -> timedelta | None:
    row = session().get(CorrectedPlay, row_id)
    if row is None:
        return None
    play, correction = plays.get(workspace, row.play_id)[0], session().get_one(ProfileCorrection, row.correction_id)
    campaign = session().get(Campaign, play.campaign_id) if play.campaign_id else None
    if play.status in _BEING_BUILT or (campaign is not None and campaign.status == CampaignStatus.STARTING):
        return SOON
    if campaign is not None and campaign.status == CampaignStatus.LOCKED:
        return LATER
    if campaign is not None and campaign.status in _OPEN:
        revisions.wait_for_the_network(campaign)
    setup, former = setup_state.get(workspace), _row_of_undone(workspace, row, correction)
    read = (play.steps, play.written, play.status, setup.profile)
    brief = setup_state.brief(workspace, setup, channel=play.channel)
    earlier = serialization.profile_of(correction.before["profile"])
    before = setup_state.brief(workspace, setup, channel=play.channel, profile=earlier)
    asked = [] if any(name == "language" for name, _, _ in correction.fields) else play_texts.wishes(play)
    aimed = bool((correction.after or {}).get("aimed")) and play.status == PlayStatus.REVIEW
    idea, length, kept = serialization.idea_of(play), plays.note_length(workspace), play
    restore = former is not None and former.after is not None and _of_play(play) == former.after
    end_read()
    known = {} if restore else play_texts.ours(kept, before, idea)
    anew = {} if restore else play_texts.fresh(brief, idea, asked)
    by = ports.writer().last().by
    if aimed and not restore:
        angles = [one for one in ANGLES if one.code == idea.angle]
        idea = ports.writer().plays(brief, angles)[0] if angles else idea
    with transaction():
        setup = setup_state.locked(workspace)
        play = play_build.locked(workspace, play.id)
        row = session().get_one(CorrectedPlay, row_id, populate_existing=True, with_for_update=True)
        if not row.is_open:
            return None
        if (play.steps, play.written, play.status, setup.profile) != read:
            return SOON
        row.before = _of_play(play)
        changed = play_texts.rewritten(play.steps, known, anew, length)
        if restore and former is not None:
            _take_back(play, former)
        else:
            _put(play, changed, idea, by)
        row.campaign_id = play.campaign_id
        _in_campaign(workspace, play, row, former if restore else None, changed)
        if _of_play(play) != row.before:
            row.after, row.texts = _of_play(play), max(row.texts, len(changed.changed))
            play.log = [*play.log, play_build.entry(workspace, "agent", BACK if restore else AGAIN)]
            play_build.rewrite_messages(workspace, play)
            if PLAY.allows(play, "edit"):
                play.approved_at = None
        if aimed:
            play_build.start(workspace, play)
            play_build.show_progress(workspace, setup)
        row.is_open = False
    return None


def _row_of_undone(workspace: Workspace, row: CorrectedPlay, correction: ProfileCorrection) -> CorrectedPlay | None:
    """Return what the correction that is taken back did to the same play."""
    former = _undone(workspace, correction) if correction.undoes is not None else None
    if former is None:
        return None
    mine = sa.select(CorrectedPlay).where(CorrectedPlay.correction_id == former.id)
    found: CorrectedPlay | None = session().scalar(mine.where(CorrectedPlay.play_id == row.play_id))
    return found


def _of_play(play: Play) -> dict[str, Any]:
    """Return what a correction may change of a play."""
    return {"steps": play.steps, "written": play.written} | {name: getattr(play, name) for name in _IDEA}


def _take_back(play: Play, former: CorrectedPlay) -> None:
    for name, value in (former.before or {}).items():
        setattr(play, name, value)


def _put(play: Play, changed: Rewritten, idea: PlayIdea, by: str) -> None:
    """Set the texts, and the idea where the targets changed; a name that a person gave stays."""
    kept = play.written or {"name": "", "steps": {}, "by": {}}
    name = kept["name"]
    if play.written is not None or changed.changed:
        anew = {new["id"]: by for _, new in changed.changed}
        play.written = {**kept, "steps": dict(changed.ours), "by": {**kept["by"], **anew}}
    if changed.changed:
        play.steps, play.written_by = changed.steps, by
    if idea == serialization.idea_of(play):
        return
    for field in _IDEA[1:5]:
        setattr(play, field, getattr(idea, field))
    play.chips = list(idea.chips)
    if play.name == name:
        play.name = idea.name
        play.written = {**(play.written or kept), "name": idea.name}


def _in_campaign(
    workspace: Workspace, play: Play, row: CorrectedPlay, former: CorrectedPlay | None, changed: Rewritten
) -> None:
    """Make the change in the play's campaign as one revision, for everyone who has not had the text yet.

    Drafts that wait are written again, approved ones wait again, and what is being sent goes on.
    """
    draft_provenance.forget()
    draft_check.forget()
    if play.campaign_id is None:
        return
    campaign = campaigns.locked(workspace, play.campaign_id)
    if campaign.status in ENDED_CAMPAIGNS:
        return
    words = old_words.of_workspace(workspace)
    number = former.revision if former is not None and former.campaign_id == campaign.id else None
    undone = revision_log.get(campaign, number) if number else None
    if undone is not None and changes.why_not_undone(campaign, undone):
        undone = None
    after = undone.before["sequence"] if undone else play_texts.in_campaign(campaign.sequence, _pairs(row, play))
    keys = _keys_of_changed(campaign.sequence, after)
    if campaign.status == CampaignStatus.DRAFT:
        _edit(workspace, campaign, after)
        return
    held = corrected_drafts.hold(workspace, campaign, keys, lambda text: bool(words.found(text)))
    if undone is not None:
        row.revision = changes.undo(workspace, campaign.id, undone.number).number
    elif keys:
        revisions.revise(workspace, campaign.id, after, "all", keyed=True)
        row.revision = revision_log.newest(campaign, 1)[0].number
    row.texts, row.drafts = len(keys), len(held)
    corrected_drafts.settle(workspace, campaign, held, revised=bool(keys))


def _pairs(row: CorrectedPlay, play: Play) -> list[tuple[Any, Any]]:
    """Return the play's steps whose texts changed, as they were and as they are."""
    now = {one["id"]: one for one in play.steps}
    before = (row.before or {}).get("steps", [])
    return [(one, now[one["id"]]) for one in before if one["id"] in now and one != now[one["id"]]]


def _keys_of_changed(before: list[Any], after: list[Any]) -> set[int]:
    """Return the keys of the steps whose texts differ."""
    places = {step_keys.key_of(after, place): step for place, step in enumerate(after)}
    found = {step_keys.key_of(before, place): step for place, step in enumerate(before)}
    return {key for key, step in found.items() if key in places and places[key] != step}


def _edit(workspace: Workspace, campaign: Campaign, after: list[Any]) -> None:
    """Change the steps of a campaign that is about to start."""
    campaigns.edit(
        workspace,
        campaign.id,
        name=campaign.name,
        list_id=campaign.list_id or 0,
        account_ids=campaign.account_ids,
        sequence=after,
        schedule=validation.changed_schedule(campaign, {}),
    )


def fail(workspace: Workspace, payload: dict[str, Any], sentence: str) -> None:
    """Say that the correction is saved, and that texts could not be written again."""
    setup_state.locked(workspace).error = profile_corrections.NOT_DONE
    correction = _open(workspace, payload["correction"], lock=True)
    if correction is not None:
        correction.is_open = False
        mine = sa.and_(CorrectedPlay.correction_id == correction.id, CorrectedPlay.is_open)
        left = sa.update(CorrectedPlay).where(mine).values(is_open=False, error=sentence)
        session().execute(left.execution_options(synchronize_session=False))
