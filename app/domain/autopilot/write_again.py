"""Write a play's texts again from the profile as it is now: first beside the old ones, then in their place."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core.db import end_read, get_owned, session, transaction
from app.core.errors import Conflict, InvalidRequest, Unavailable
from app.domain.autopilot import draft_provenance, play_build, play_steps, plays, serialization, setup_state
from app.domain.autopilot.play_steps import IN_A_CAMPAIGN, said
from app.domain.campaigns import changes, revision_log
from app.domain.campaigns.revision_log import Wanted
from app.domain.rules.sequences import step_keys
from app.domain.rules.variants import assignment
from app.models.autopilot import PLAY, Play, PlayStatus, message_fields
from app.models.campaigns import ENDED_CAMPAIGNS, Campaign
from app.models.workspaces import Workspace
from app.ports import ProviderError

LONGEST_WAIT = 50.0  # seconds that a person waits for the page
AGAIN = "Rewritten for your corrected profile."
BACK = "New messages undone."
_BEING_BUILT = (PlayStatus.DESIGNED, PlayStatus.FINDING, PlayStatus.WRITING)
_UNDONE = ("steps", "written", "written_by", "written_from", "note")
Steps = Sequence[Mapping[str, Any]]
Texts = Mapping[str, list[str]]  # text and subject, by the step's id


def of_campaign(workspace: Workspace, campaign: Campaign) -> Play | None:
    """Return the play that the campaign was made of if its texts are outdated."""
    query = sa.select(Play).where(Play.workspace_id == workspace.id, Play.campaign_id == campaign.id)
    play = session().scalars(query.limit(1)).first()
    if play is None or campaign.status in ENDED_CAMPAIGNS:
        return None
    return play if play.is_outdated(setup_state.get(workspace).profile) else None


def preview(workspace: Workspace, play_id: int) -> Play:
    """Write the play's texts again and keep them beside the old ones. Calls out, so never in a transaction.

    A play whose texts would stay as they are is up to date.
    """
    play = get_owned(Play, workspace, play_id)
    _refuse_while_busy(play)
    setup = setup_state.get(workspace)
    brief, idea = setup_state.brief(workspace, setup, channel=play.channel), serialization.idea_of(play)
    steps, standing, ours = play.steps, _standing(play, _campaign(play)), (play.written or {}).get("steps")
    end_read()
    writer = ports.writer()
    try:
        written = serialization.steps_json(writer.sequence(brief, idea, LONGEST_WAIT))
    except ProviderError as failure:
        raise Unavailable(failure.sentence, recovery="Nothing was changed. Try again in a moment.") from None
    last, fresh = writer.last(), _counterparts(steps, written)
    texts = [
        {
            "step": step["id"],
            "number": number,
            "kind": step["kind"],
            "before": standing[step["id"]],
            "after": said(fresh[step["id"]]),
            "edited": ours is not None and ours.get(step["id"]) != standing[step["id"]],
        }
        for number, step in enumerate(steps, 1)
        if step["id"] in standing and step["id"] in fresh and said(fresh[step["id"]]) != standing[step["id"]]
    ]
    with transaction():
        play = play_build.locked(workspace, play_id)
        rests_on = message_fields(serialization.profile_json(brief.profile))
        play.anew = {"texts": texts, "from": rests_on, "by": last.by, "note": last.note} if texts else None
        if not texts:
            play.written_from = rests_on
        return play


def use(workspace: Workspace, play_id: int, step_ids: Sequence[str] | None = None) -> plays.View:
    """Put the new texts of these steps in place, by default of all that no person edited; the others stay.

    In a campaign on its way it is one change of its steps, for everyone who has not had them.
    """
    with transaction():
        play = play_build.locked(workspace, play_id)
        if play.anew is None:
            raise Conflict("There are no new messages.", recovery="Rewrite the play first.")
        _refuse_while_busy(play)
        shown = {one["step"]: one for one in play.anew["texts"]}
        chosen = [one for one in shown if not shown[one]["edited"]] if step_ids is None else step_ids
        if not shown.keys() >= set(chosen):
            raise InvalidRequest.of(("stepIds", f"Choose from the rewritten steps: {', '.join(shown)}."))
        campaign = _campaign(play)
        standing = _standing(play, campaign)
        if any(standing.get(one) != shown[one]["before"] for one in chosen):
            raise Conflict("These messages have since changed.", recovery="Rewrite the play to see the new ones.")
        new = {one: shown[one]["after"] for one in chosen}
        sequence = _in_campaign(campaign, play.steps, standing, new) if campaign else []
        _put(workspace, play, new)
        _say(workspace, play, AGAIN if new else "")
        if campaign is not None and sequence != campaign.sequence:
            changes.apply(workspace, campaign.id, Wanted(sequence=sequence, keyed=True))
            number = revision_log.newest(campaign, 1)[0].number
            play.former = {**(play.former or {}), "revision": number}
        return plays.get(workspace, play_id)


def why_not_undone(play: Play) -> str:
    """Return why the new texts can't be taken back; '' when they can."""
    if play.former is None:
        return "Nothing was rewritten."
    if play.steps != play.former["steps"]:
        return "The messages have changed in the meantime."
    campaign = _campaign(play)
    if play.former["revision"] is None:
        return "The campaign was launched with the new messages. Change them in the campaign." if campaign else ""
    if campaign is None:
        return "The campaign has ended."
    revision = revision_log.get(campaign, play.former["revision"])
    return "" if revision.undone_by else changes.why_not_undone(campaign, revision)


def undo(workspace: Workspace, play_id: int) -> plays.View:
    """Take the new texts back, in the campaign by the undo of its change."""
    with transaction():
        play = play_build.locked(workspace, play_id)
        if why := why_not_undone(play):
            raise Conflict(why, recovery="Edit the messages instead.")
        former, campaign = play.former or {}, _campaign(play)
        for name in _UNDONE:
            setattr(play, name, former["play"][name])
        play.former = None
        _say(workspace, play, BACK)
        if campaign is not None and not revision_log.get(campaign, former["revision"]).undone_by:
            changes.undo(workspace, campaign.id, former["revision"])
        return plays.get(workspace, play_id)


def _refuse_while_busy(play: Play) -> None:
    if play.status in _BEING_BUILT or play.build or play.working:
        raise Conflict("This play is busy.", recovery="Wait until it's done, then try again.")


def _campaign(play: Play) -> Campaign | None:
    """Return the play's campaign unless it has ended."""
    found = session().get(Campaign, play.campaign_id) if play.campaign_id else None
    return None if found is None or found.status in ENDED_CAMPAIGNS else found


def _counterparts(steps: Steps, written: Steps) -> dict[str, Mapping[str, Any]]:
    """Return what was written again for each step, by its id; where no id is known, the next one of its kind."""
    by_id = {one["id"]: one for one in written}
    if any(step["id"] in by_id for step in steps):
        return {one["id"]: by_id[one["id"]] for one in steps if by_id.get(one["id"], {}).get("kind") == one["kind"]}
    kinds = defaultdict[str, list[Mapping[str, Any]]](list)
    for one in written:
        kinds[one["kind"]].append(one)
    return {step["id"]: kinds[step["kind"]].pop(0) for step in steps if kinds[step["kind"]]}


def _standing(play: Play, campaign: Campaign | None) -> dict[str, list[str]]:
    """Return what each step says, by its id, as it stands in the campaign; variants of a person's own are left out."""
    if campaign is None:
        return {step["id"]: said(step) for step in play.steps}
    found = {}
    for step, place in _places(campaign, play.steps):
        texts = [list(one) for one in assignment.texts(campaign.sequence[place])]
        if said(step) in texts:
            found[step["id"]] = said(step)
        elif len(texts) == 1:
            found[step["id"]] = texts[0]
    return found


def _places(campaign: Campaign, steps: Steps) -> list[tuple[Mapping[str, Any], int]]:
    """Return the steps that are still in the campaign, with their place; the keys there are their numbers here."""
    placed = [(step, step_keys.place_of(campaign.sequence, key)) for key, step in enumerate(steps)]
    return [
        (step, place)
        for step, place in placed
        if place is not None and campaign.sequence[place]["type"] == IN_A_CAMPAIGN[step["kind"]]
    ]


def _in_campaign(campaign: Campaign, steps: Steps, standing: Texts, new: Texts) -> list[Any]:
    """Return the campaign's steps with the new texts where the old ones stand."""
    sequence = list(campaign.sequence)
    for step, place in _places(campaign, steps):
        if after := new.get(step["id"]):
            sequence[place] = _with_text(sequence[place], standing[step["id"]], after)
    return sequence


def _with_text(step: Mapping[str, Any], before: list[str], after: list[str]) -> dict[str, Any]:
    made = dict(step)
    if [step.get("message", ""), step.get("subject", "")] == before:
        texts = zip(("message", "subject"), after, strict=True)
        made |= {name: text for name, text in texts if text or name in step}
    if "variants" in step:
        made["variants"] = [_with_text(one, before, after) for one in step["variants"]]
    return made


def _put(workspace: Workspace, play: Play, new: Texts) -> None:
    """Put the new texts into the play, and keep what was there for the undo."""
    anew, before = play.anew or {}, {name: getattr(play, name) for name in _UNDONE}
    play.anew, play.written_from = None, anew["from"]
    if not new:
        return
    made = [_worded(step, new.get(step["id"], said(step))) for step in play.steps]
    play.steps = play_steps.check(made, note_length=plays.note_length(workspace))
    kept = play.written or {"steps": {}, "by": {}}
    by = {**kept["by"], **dict.fromkeys(new, anew["by"])}
    play.written = {**kept, "steps": {**kept["steps"], **new}, "by": by}
    play.written_by, play.note = anew["by"], anew["note"]
    play.former = {"play": before, "steps": play.steps, "revision": None}


def _worded(step: Mapping[str, Any], texts: list[str]) -> dict[str, Any]:
    return {**step, **{name: text for name, text in zip(("text", "subject"), texts, strict=True) if name in step}}


def _say(workspace: Workspace, play: Play, words: str) -> None:
    """Log it, and show the sample people's messages and the drafts' sources as they are now."""
    if words:
        play.log = [*play.log, play_build.entry(workspace, "agent", words)]
        play_build.rewrite_messages(workspace, play)
        if PLAY.allows(play, "edit"):
            play.approved_at = None
    session().flush()
    draft_provenance.forget()
