"""Changes of a play: proposed, shown beside its steps, then applied or rejected; the last one can be undone.

Before the launch, a member asks for a change in words; at any time, the texts can be rewritten from the current
profile. After the launch, a rewrite also changes the campaign's unsent steps, and an undo reverts both.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core.db import end_read, get_owned, session, transaction
from app.core.errors import Conflict, InvalidRequest, NotFound, Unavailable
from app.domain.autopilot import (
    differences,
    draft_provenance,
    play_build,
    play_steps,
    plays,
    serialization,
    setup_state,
)
from app.domain.autopilot.differences import StepChange
from app.domain.autopilot.play_steps import IN_A_CAMPAIGN, said
from app.domain.autopilot.plays import View
from app.domain.campaigns.changes import changes, revision_log
from app.domain.campaigns.changes.revision_log import Wanted
from app.domain.platform import jobs
from app.domain.platform.undo import Undoable
from app.domain.rules.sequences import step_keys
from app.domain.rules.variants import assignment
from app.models.autopilot import PLAY, Play, PlayStatus, message_fields
from app.models.campaigns import ENDED_CAMPAIGNS, Campaign
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace
from app.ports import ProviderError
from app.ports.writer import Brief, Choice, PlayIdea, named_change

MOST_RULES, LONGEST_RULE = 50, 500
LONGEST_WISH = 2000
LONGEST_WAIT = 50.0  # seconds that a person waits for the page
THINKING = "Working on your change"
NOTHING = "Nothing changed: {why}"
MEANWHILE = "the steps were edited in the meantime. Ask again."
LEFT = "Nothing changed."
REWRITTEN = "Rewritten for your corrected profile."
_BEING_BUILT = (PlayStatus.DESIGNED, PlayStatus.FINDING, PlayStatus.WRITING)
_UNDONE = ("steps", "channel", "written", "written_by", "written_from", "note")
Steps = Sequence[Mapping[str, Any]]
Texts = Mapping[str, list[str]]  # text and subject, by the step's id


@dataclass(frozen=True)
class Proposal:
    """A change that waits to be applied or rejected: what was asked for, and what it would change."""

    wish: str
    changes: Sequence[StepChange]

    @property
    def says(self) -> str:
        """Return what it would change, in a sentence."""
        return differences.report(self.changes)


@dataclass(frozen=True)
class Made:
    """The changed steps, or why nothing changed, and who wrote them."""

    steps: list[Any]
    why: str = ""
    by: str = ""


@dataclass(frozen=True)
class Standing:
    """How a play can be changed: changes offered by name, the proposed one, and whether the last can be undone."""

    offered: Sequence[Choice] = ()
    proposal: Proposal | None = None
    can_undo: bool = False


def standing(workspace: Workspace, play: Play) -> Standing:
    """Return how a play can be changed; also in a transaction."""
    kept = CHANGED.offered(workspace, [str(play.id)]).get(str(play.id))
    can_undo = kept is not None and not _why_not_undone(play, _campaign(play), kept)
    if not PLAY.allows(play, "edit"):
        return Standing(can_undo=can_undo)
    setup = setup_state.find(workspace)
    profile = serialization.profile_of((setup and setup.profile) or {"business": "", "summary": ""})
    offered = ports.writer().offered(serialization.steps_of(play.steps), profile.language)
    return Standing(offered, _proposal(play), can_undo)


def takes_words() -> bool:
    """Return whether members can ask for a change in their own words, which needs an AI model."""
    return ports.writer().takes_words


def ask(workspace: Workspace, play_id: int, wish: str, *, preview: bool = False) -> View:
    """Make the change, or only propose it. One that a model writes is queued, any other is done at once."""
    return prepare(workspace, play_id, wish, preview=preview)()


def prepare(workspace: Workspace, play_id: int, wish: str, *, preview: bool = False) -> Callable[[], View]:
    """Ask the writer now, outside of any transaction; return a function that records the change, to call inside one."""
    wish = wish.strip()
    if not 1 <= len(wish) <= LONGEST_WISH or "\0" in wish:
        raise InvalidRequest.of(("text", f"Describe the change in 1 to {LONGEST_WISH:,} characters."))
    play = get_owned(Play, workspace, play_id)
    given, queued = _given(workspace, play), takes_words() and named_change(wish) is None
    made = Made(given.steps) if queued else _made(given, wish)

    def record() -> View:
        with transaction():
            play = _open(workspace, play_id)
            if play.working == THINKING:
                raise Conflict("The play is already being changed.", recovery="Wait for that change, then ask again.")
            _leave(workspace, play)
            play.log = [*play.log, play_build.entry(workspace, "user", wish)]
            if queued:
                play.working = THINKING
                payload = {"play": play.id, "wish": wish, "preview": preview}
                jobs.add(workspace, "autopilot_change", str(play.id), payload)
            else:
                _settle(workspace, play, wish, given.steps, made, preview=preview)
            return plays.get(workspace, play_id)

    return record


def change_steps(workspace: Workspace, payload: dict[str, Any], job: Job) -> None:
    """Make the change that a model writes, or log why not, and end it in any case."""
    try:
        play = get_owned(Play, workspace, payload["play"])
    except NotFound:
        return
    if not play.working or not PLAY.allows(play, "edit"):
        return
    jobs.renew_lease(job, ports.models().longest())
    given = _given(workspace, play)
    end_read()
    made = _made(given, payload["wish"])
    with transaction():
        play = play_build.locked(workspace, payload["play"])
        if PLAY.allows(play, "edit"):
            _settle(workspace, play, payload["wish"], given.steps, made, preview=payload.get("preview", False))
            play_build.thought(workspace, play)
        else:
            play.working = ""


def answer(workspace: Workspace, payload: dict[str, Any], sentence: str) -> None:
    """End a change that failed repeatedly, and log the sentence."""
    with transaction():
        try:
            play = play_build.locked(workspace, payload["play"])
        except NotFound:
            return
        _say(workspace, play, sentence)
        play_build.thought(workspace, play)


def of_campaign(workspace: Workspace, campaign: Campaign) -> Play | None:
    """Return the play that this campaign was created from, if the play's texts are outdated; else None."""
    query = sa.select(Play).where(Play.workspace_id == workspace.id, Play.campaign_id == campaign.id)
    play = session().scalars(query.limit(1)).first()
    if play is None or campaign.status in ENDED_CAMPAIGNS:
        return None
    return play if play.is_outdated(setup_state.get(workspace).profile) else None


def rewrite(workspace: Workspace, play_id: int) -> Play:
    """Propose texts for the play, written from the current profile. Calls out, so never in a transaction.

    If no text would change, the play is marked as up to date instead.
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
        play.proposed = {"texts": texts, "from": rests_on, "by": last.by, "note": last.note} if texts else None
        if not texts:
            play.written_from = rests_on
        return play


def use(workspace: Workspace, play_id: int, step_ids: Sequence[str] | None = None) -> View:
    """Apply the proposed change; of a rewrite only these steps, by default all that no person edited."""
    with transaction():
        play = play_build.locked(workspace, play_id)
        kept = play.proposed
        if kept is None:
            raise Conflict("There is no change to apply.", recovery="Ask for the change again.")
        if "texts" in kept:
            _use_texts(workspace, play, kept, step_ids)
        elif step_ids is not None:
            raise InvalidRequest.of(("stepIds", "Only a rewritten play lets you choose steps."))
        else:
            PLAY.move(play, "edit")
            if _proposal(play) is None:
                raise Conflict("The steps have been edited since then.", recovery="Ask for the change again.")
            _use_steps(workspace, play, Made(kept["after"], by=kept["by"]))
        return plays.get(workspace, play_id)


def leave(workspace: Workspace, play_id: int) -> View:
    """Reject the proposed change."""
    with transaction():
        play = _open(workspace, play_id)
        _leave(workspace, play)
        return plays.get(workspace, play_id)


def undo(workspace: Workspace, play_id: int) -> View:
    """Undo the last change, also in the play's running campaign."""
    get_owned(Play, workspace, play_id)
    return CHANGED.undo(workspace, str(play_id))


def _proposal(play: Play) -> Proposal | None:
    kept = play.proposed
    if not kept or "texts" in kept or kept["before"] != play.steps:
        return None
    return Proposal(kept["wish"], differences.compare(play.steps, kept["after"]))


def _why_not_undone(play: Play, campaign: Campaign | None, kept: Mapping[str, Any]) -> str:
    """Return why the last change can't be undone; '' when it can."""
    if play.steps != kept["after"]:
        return "The steps have changed in the meantime."
    if kept["revision"] is None:
        return "The campaign already has the new messages. Change the messages there." if campaign else ""
    if campaign is None:
        return "The campaign has ended."
    revision = revision_log.get(campaign, kept["revision"])
    return "" if revision.undone_by else changes.why_not_undone(campaign, revision)


def _restore(workspace: Workspace, kept: dict[str, Any]) -> View:
    play = play_build.locked(workspace, kept["play"])
    campaign, before = _campaign(play), kept["before"]
    if why := _why_not_undone(play, campaign, kept):
        raise Conflict(why, recovery=CHANGED.instead)
    report = differences.report(differences.compare(play.steps, before["steps"]))
    for name, value in before.items():
        setattr(play, name, value)
    _show(workspace, play, f"Undone. {report}")
    if campaign is not None and not revision_log.get(campaign, kept["revision"]).undone_by:
        changes.undo(workspace, campaign.id, kept["revision"])
    return plays.get(workspace, play.id)


CHANGED = Undoable("play_changed", _restore, "Edit the steps instead.", lasts=timedelta(days=7))


def _open(workspace: Workspace, play_id: int) -> Play:
    play = play_build.locked(workspace, play_id)
    PLAY.move(play, "edit")
    return play


@dataclass(frozen=True)
class _Given:
    """What a change is made from."""

    brief: Brief
    idea: PlayIdea
    steps: list[Any]
    note_length: int


def _given(workspace: Workspace, play: Play) -> _Given:
    brief = setup_state.brief(workspace, setup_state.get(workspace), channel=play.channel)
    return _Given(brief, serialization.idea_of(play), play.steps, plays.note_length(workspace))


def _made(given: _Given, wish: str) -> Made:
    """Return the steps after the wish, checked."""
    writer = ports.writer()
    try:
        change = writer.change(given.brief, given.idea, serialization.steps_of(given.steps), wish)
        steps = play_steps.check(serialization.steps_json(change.steps), note_length=given.note_length)
    except ProviderError as failure:
        return Made(given.steps, failure.sentence)
    except InvalidRequest as refusal:
        return Made(given.steps, refusal.fields[0].message)
    written = writer.last()
    return Made(steps, f"{change.reply} {written.note}".strip(), written.by)


def _settle(workspace: Workspace, play: Play, wish: str, before: list[Any], made: Made, *, preview: bool) -> None:
    """Apply or propose the changed steps, or log why nothing changed. Inside a transaction that locks the play."""
    if play.steps != before:
        _say(workspace, play, NOTHING.format(why=MEANWHILE))
    elif made.steps == before:
        _say(workspace, play, NOTHING.format(why=made.why))
    elif preview:
        play.proposed = {"wish": wish, "before": before, "after": made.steps, "by": made.by}
    else:
        _use_steps(workspace, play, made)


def _use_steps(workspace: Workspace, play: Play, made: Made) -> None:
    before = _kept(play)
    play_build.put_steps(play, made.steps, by=made.by)
    _show(workspace, play, differences.report(differences.compare(before["steps"], made.steps)))
    _offer_undo(workspace, play, before)


def _kept(play: Play) -> dict[str, Any]:
    return {name: getattr(play, name) for name in _UNDONE}


def _offer_undo(workspace: Workspace, play: Play, before: dict[str, Any], revision: int | None = None) -> None:
    kept = {"play": play.id, "before": before, "after": play.steps, "revision": revision}
    CHANGED.offer(workspace, kept, f"change of play {play.id}", name=str(play.id))


def _show(workspace: Workspace, play: Play, words: str) -> None:
    """Log the change, and show the sample people's messages and the drafts' sources as they are now."""
    play.proposed = None
    if PLAY.allows(play, "edit"):
        play.approved_at = None
    play_build.rewrite_messages(workspace, play)
    _say(workspace, play, words)
    session().flush()
    draft_provenance.forget()


def _use_texts(workspace: Workspace, play: Play, kept: dict[str, Any], step_ids: Sequence[str] | None) -> None:
    _refuse_while_busy(play)
    shown = {one["step"]: one for one in kept["texts"]}
    chosen = [one for one in shown if not shown[one]["edited"]] if step_ids is None else step_ids
    if not shown.keys() >= set(chosen):
        raise InvalidRequest.of(("stepIds", f"Choose from the rewritten steps: {', '.join(shown)}."))
    campaign = _campaign(play)
    standing = _standing(play, campaign)
    if any(standing.get(one) != shown[one]["before"] for one in chosen):
        raise Conflict("These messages have since changed.", recovery="Rewrite the play to see the new ones.")
    new, before, revision = {one: shown[one]["after"] for one in chosen}, _kept(play), None
    sequence = _in_campaign(campaign, play.steps, standing, new) if campaign else []
    play.proposed, play.written_from = None, kept["from"]
    if not new:
        return
    _put_texts(workspace, play, kept, new)
    _show(workspace, play, REWRITTEN)
    if campaign is not None and sequence != campaign.sequence:
        changes.apply(workspace, campaign.id, Wanted(sequence=sequence, keyed=True))
        revision = revision_log.newest(campaign, 1)[0].number
    _offer_undo(workspace, play, before, revision)


def _refuse_while_busy(play: Play) -> None:
    if play.status in _BEING_BUILT or play.build or play.working:
        raise Conflict("This play is busy.", recovery="Wait until the play is ready, then try again.")


def _campaign(play: Play) -> Campaign | None:
    """Return the play's campaign unless it has ended."""
    found = session().get(Campaign, play.campaign_id) if play.campaign_id else None
    return None if found is None or found.status in ENDED_CAMPAIGNS else found


def _counterparts(steps: Steps, written: Steps) -> dict[str, Mapping[str, Any]]:
    """Return each step's rewritten version, by the step's id; without a matching id, the next one of the same kind."""
    by_id = {one["id"]: one for one in written}
    if any(step["id"] in by_id for step in steps):
        return {one["id"]: by_id[one["id"]] for one in steps if by_id.get(one["id"], {}).get("kind") == one["kind"]}
    kinds = defaultdict[str, list[Mapping[str, Any]]](list)
    for one in written:
        kinds[one["kind"]].append(one)
    return {step["id"]: kinds[step["kind"]].pop(0) for step in steps if kinds[step["kind"]]}


def _standing(play: Play, campaign: Campaign | None) -> dict[str, list[str]]:
    """Return, by id, each step's text in the campaign, without steps that have only variants written by a person."""
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
    """Return the play's steps still in the campaign, each with its index there; its key there is its index here."""
    placed = [(step, step_keys.place_of(campaign.sequence, key)) for key, step in enumerate(steps)]
    return [
        (step, place)
        for step, place in placed
        if place is not None and campaign.sequence[place]["type"] == IN_A_CAMPAIGN[step["kind"]]
    ]


def _in_campaign(campaign: Campaign, steps: Steps, standing: Texts, new: Texts) -> list[Any]:
    """Return the campaign's steps with the old texts replaced by the new ones."""
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


def _put_texts(workspace: Workspace, play: Play, kept: Mapping[str, Any], new: Texts) -> None:
    made = [_with_words(step, new.get(step["id"], said(step))) for step in play.steps]
    play.steps = play_steps.check(made, note_length=plays.note_length(workspace))
    written = play.written or {"steps": {}, "by": {}}
    by = {**written["by"], **dict.fromkeys(new, kept["by"])}
    play.written = {**written, "steps": {**written["steps"], **new}, "by": by}
    play.written_by, play.note = kept["by"], kept["note"]


def _with_words(step: Mapping[str, Any], texts: list[str]) -> dict[str, Any]:
    return {**step, **{name: text for name, text in zip(("text", "subject"), texts, strict=True) if name in step}}


def _leave(workspace: Workspace, play: Play) -> None:
    if "wish" in (play.proposed or {}):
        _say(workspace, play, LEFT)
    play.proposed = None


def _say(workspace: Workspace, play: Play, words: str) -> None:
    play.log = [*play.log, play_build.entry(workspace, "agent", words)]
