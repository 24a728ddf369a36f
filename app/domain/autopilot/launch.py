"""Launch a reviewed play: a job fills its list, then the campaign starts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core.actor import refuse_unapproved
from app.core.db import end_read, session, transaction
from app.core.errors import AppError, Conflict, Field, InvalidRequest, NotFound, PlanLimitExceeded
from app.domain.autopilot import people_search, play_build, play_people, play_steps, serialization, setup_state
from app.domain.autopilot.setup_state import Superseded
from app.domain.billing import credits
from app.domain.campaigns import approved_start, campaigns, validation
from app.domain.leads import leads, lists
from app.domain.people.sources import Source
from app.domain.platform import audit_log, jobs
from app.domain.senders import accounts
from app.models.accounts import Account, AccountStatus, Channel
from app.models.autopilot import PLAY, SETUP, Play, PlaySample, PlayStatus, SetupStatus
from app.models.campaigns import CAMPAIGN, Campaign, CampaignStatus
from app.models.leads import LeadList
from app.models.people import SourceKind
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace
from app.ports import FoundPerson, ProviderError

MOST_LISTS = 200  # to choose from
MOST_PEOPLE = 500  # of one launch: weeks of work for a few senders
PAID_PEOPLE = 100  # if each costs credits and no number is given
BATCH = 50
LOOK_AT_MOST = 3  # read at most so many times the wanted people, as some may not be contacted
_BEGUN = [
    CampaignStatus.STARTING,
    CampaignStatus.RUNNING,
    CampaignStatus.PAUSED,
    CampaignStatus.LOCKED,
]
EMPTY = "No one left to contact: every person found is on your do-not-contact list or isn't a fit."


def launch(
    workspace: Workspace,
    play_id: int,
    *,
    start_at: datetime | None = None,
    approval: bool = True,
    account_ids: Sequence[int] = (),
    list_id: int | None = None,
    most_people: int | None = None,
    max_credits: int | None = None,
) -> tuple[Play, Sequence[PlaySample]]:
    """Launch the play: create its campaign, fill its list, then start now or at the given time.

    Use the given list, or find up to `most_people`; finding never costs more than `max_credits`. With `approval` each
    message waits for approval.
    """
    campaigns.check_may_contact(workspace)
    if most_people is not None and not 1 <= most_people <= MOST_PEOPLE:
        raise InvalidRequest.of(("mostPeople", f"Use a whole number from 1 to {MOST_PEOPLE}."))
    with transaction():
        setup = setup_state.locked(workspace)
        play = play_build.locked(workspace, play_id)
        if not approval:
            refuse_unapproved()
        PLAY.move(play, "launch")
        SETUP.move(setup, "launch")
        if list_id is None and without_people(workspace, [play.angle]):
            raise Conflict(
                "No people search is connected, so no real people can be found.",
                recovery="Choose one of your lists, or connect a people search.",
            )
        at = workspace.now()
        play.start_at = start_at if start_at and start_at > at else None
        found = lists.create_list(workspace, play.name) if list_id is None else _own_list(workspace, list_id)
        play.list_id = found.id
        play.campaign_id = _campaign(workspace, play, approval, account_ids).id
        play.launched_at, play.working, play.error = at, "", ""
        play.approved_at, play.skipped_at = play.approved_at or at, None
        play.run += 1
        play.launch = {"seen": 0, "cursor": "", "added": 0, "paused": False, "own": list_id is not None}
        of = most(workspace, play, most_people, max_credits) if list_id is None else found.lead_count
        play.build = {"label": "Adding people", "step": 0, "of": of}
        setup.started_at = setup.started_at or at
        setup.error = None
        key = f"{play.id}:{play.run}"
        jobs.add(workspace, "autopilot_launch", key, {"play": play.id, "run": play.run})
        audit_log.record(workspace, "campaign.launched", play.name)
        return play, play_people.samples(workspace, play_id)


def launch_with_approval(workspace: Workspace, play_id: int, **options: Any) -> tuple[Play, Sequence[PlaySample]]:
    """Launch the play so that a member approves every message; Forbidden if a step has no text to approve."""
    with transaction():
        approved_start.refuse_unreadable(play_steps.campaign_steps(play_build.locked(workspace, play_id).steps))
        return launch(workspace, play_id, approval=True, **options)


def _own_list(workspace: Workspace, list_id: int) -> LeadList:
    try:
        return lists.people_list(workspace, list_id)
    except NotFound:
        raise InvalidRequest.of(("listId", validation.NO_SUCH_LIST)) from None


@dataclass(frozen=True)
class Audiences:
    """Return the possible audiences of a play: found people, if a people search is connected, and own lists."""

    found: bool
    lists: Sequence[LeadList]


def audiences(workspace: Workspace, angle: str) -> Audiences:
    """Return the audience choices for a play of that angle, with the newest lists that have people."""
    query = lists.people_lists(workspace).where(LeadList.lead_count > 0).order_by(LeadList.id.desc()).limit(MOST_LISTS)
    return Audiences(not without_people(workspace, [angle]), session().scalars(query).all())


def without_people(workspace: Workspace, angles: Iterable[str]) -> set[str]:
    """Return the angles that find no real people because they need a people search and none is connected."""
    if workspace.sandbox or people_search.search_for(workspace):
        return set()
    return {angle for angle in angles if people_search.people_for(workspace, angle) is None}


def most(workspace: Workspace, play: Play, asked: int | None = None, cap: int | None = None) -> int:
    """Return how many people a launch would find, limited by audience, credits and `cap`."""
    usual = PAID_PEOPLE if play.credits_per_lead else MOST_PEOPLE
    number = min(play.audience, usual if asked is None else asked)
    if number < 1:
        raise Conflict("No people match this play.", recovery="Broaden the targeting and build the play again.")
    if play.credits_per_lead:
        if cap is not None:
            number = min(number, cap // play.credits_per_lead)
            if number < 1:
                raise InvalidRequest.of(("maxCredits", f"Use at least {play.credits_per_lead}, for one person."))
        number = min(number, credits.balance(workspace).free // play.credits_per_lead)
        if number < 1:
            raise PlanLimitExceeded(
                f"Each person costs {play.credits_per_lead} credits, and you don't have enough.",
                recovery="Launch a play without lookups, or wait until your plan's credits renew.",
            )
    return number


def _campaign(workspace: Workspace, play: Play, approval: bool, account_ids: Sequence[int]) -> Campaign:
    try:
        return campaigns.create(
            workspace,
            name=play.name,
            list_id=play.list_id or 0,
            account_ids=list(account_ids) or _senders(workspace, play),
            sequence=play_steps.campaign_steps(play.steps),
            schedule={"timezone": workspace.timezone, "startDate": play.start_at},
            approval=approval,
        )
    except InvalidRequest as refusal:
        fields = [Field(one.path.replace("sequence[", "steps["), one.message) for one in refusal.fields]
        raise InvalidRequest(refusal.message, fields=fields) from None


def _senders(workspace: Workspace, play: Play) -> list[int]:
    """Return the senders that can act on the play's channels."""
    social = any(step["kind"] != "email" for step in play.steps)
    email = any(step["kind"] == "email" for step in play.steps)

    def takes_part(account: Account) -> bool:
        can_act = account.active and account.status == AccountStatus.CONNECTED
        return can_act and (social if account.channel == Channel.SOCIAL else email)

    chosen = [account.id for account in accounts.every(workspace) if takes_part(account)]
    if not chosen:
        raise InvalidRequest.of(("accountIds", "No sender is connected. Connect a sender, then launch."))
    return chosen


def start_campaign(workspace: Workspace, payload: dict[str, Any], job: Job) -> None:
    """Fill the list and start the campaign, or fail the play with a sentence."""
    try:
        while _fill(workspace, payload):
            jobs.renew_lease(job)
        _start(workspace, payload)
    except Superseded:
        return
    except AppError as refusal:
        _give_up(workspace, payload, refusal.fields[0].message if refusal.fields else refusal.message)
    except ProviderError as failure:
        _give_up(workspace, payload, failure.sentence)


def _on_its_way(workspace: Workspace, payload: dict[str, Any]) -> Play:
    """Lock and return the play if this job still launches it; else raise Superseded."""
    found = (
        session()
        .scalars(sa.select(Play).where(Play.id == payload["play"], Play.workspace_id == workspace.id).with_for_update())
        .one_or_none()
    )
    if found is None or found.run != payload["run"] or found.status != PlayStatus.SCHEDULED or found.build is None:
        raise Superseded
    return found


def _fill(workspace: Workspace, payload: dict[str, Any]) -> bool:
    """Add the next people to the list; return whether there may be more."""
    with transaction():
        setup = setup_state.locked(workspace)
        play = _on_its_way(workspace, payload)
        seen, added, of = play.launch["seen"], play.launch["added"], (play.build or {}).get("of", 0)
        if play.launch["own"] or added >= of or seen >= LOOK_AT_MOST * of:
            return False
        wanted, cursor = serialization.wanted(workspace, setup, play.angle), play.launch["cursor"]
        votes = play_people.votes(play_people.samples(workspace, play.id))
        brief, idea = setup_state.brief(workspace, setup, channel=play.channel), serialization.idea_of(play)
    end_read()
    found = play_people.search(workspace, wanted.angle).find(wanted, min(BATCH, of), cursor)
    writer = ports.writer()
    fit = found.people
    if votes:
        named = [(one, votes.get(play_people.handle(one))) for one in found.people]
        fit = [
            one
            for one, vote in named
            if vote == "good" or (vote is None and writer.judge(brief, idea, one, votes).fits)
        ]
    with transaction():
        setup_state.locked(workspace)
        play = _on_its_way(workspace, payload)
        added += _add(workspace, play, fit[: of - added], seen)
        play.launch = {**play.launch, "seen": seen + max(len(found.people), 1), "cursor": found.cursor, "added": added}
        play.build = {"label": "Adding people", "step": min(added, of), "of": of}
    return bool(found.cursor)


def _add(workspace: Workspace, play: Play, found: Sequence[FoundPerson], seen: int) -> int:
    """Add and charge the people who may be contacted; return how many. Inside a transaction."""
    source = Source(SourceKind.SEARCH, play.name)
    result = leads.add(workspace, play.list_id or 0, [play_people.profile(one) for one in found], source, by_email=True)
    if result.added and play.credits_per_lead:
        ref = f"play:{play.id}:{play.run}:{seen}"
        amount = result.added * play.credits_per_lead
        credits.hold(workspace, amount, ref=ref, purpose="play", note=play.name)
        credits.capture(workspace, ref, amount, purpose="play", note=play.name)
    return result.added


def _start(workspace: Workspace, payload: dict[str, Any]) -> None:
    """Start or schedule the campaign; pause it at once if the autopilot is paused."""
    with transaction():
        setup = setup_state.locked(workspace)
        play = _on_its_way(workspace, payload)
        if not play.launch["own"] and lists.get_list(workspace, play.list_id or 0).lead_count == 0:
            raise InvalidRequest.of(("listId", EMPTY))
        campaign = campaigns.start(workspace, play.campaign_id or 0)
        play.build = None
        if campaign.status != CampaignStatus.SCHEDULED:
            PLAY.move(play, "run")
        if setup.status == SetupStatus.PAUSED:
            campaigns.pause(workspace, campaign.id)
            play.launch = {**play.launch, "paused": True}


def _give_up(workspace: Workspace, payload: dict[str, Any], sentence: str) -> None:
    with transaction():
        setup = setup_state.locked(workspace)
        try:
            play = _on_its_way(workspace, payload)
        except Superseded:
            return
        _end_campaign(workspace, play)
        PLAY.move(play, "fail")
        play.error, play.build = sentence, None
        play.log = [*play.log, play_build.entry(workspace, "agent", sentence)]
        setup.error = f"{play.name}: {sentence}"


def fail_launch(workspace: Workspace, payload: dict[str, Any], sentence: str) -> None:
    """Fail a play whose launch failed repeatedly."""
    _give_up(workspace, payload, play_build.BROKEN)


def _end_campaign(workspace: Workspace, play: Play) -> None:
    campaign = session().get(Campaign, play.campaign_id) if play.campaign_id else None
    if campaign is not None and CAMPAIGN.allows(campaign, "cancel"):
        campaigns.cancel(workspace, campaign.id)


def stop(workspace: Workspace, play_id: int) -> tuple[Play, Sequence[PlaySample]]:
    """Stop a play and cancel its campaign."""
    follow(workspace)
    with transaction():
        play = play_build.locked(workspace, play_id)
        PLAY.move(play, "stop")
        play.build = None
        _end_campaign(workspace, play)
        return play, play_people.samples(workspace, play_id)


def pause(workspace: Workspace) -> None:
    """Pause the campaigns of the autopilot's plays."""
    follow(workspace)
    with transaction():
        setup = setup_state.locked(workspace)
        SETUP.move(setup, "pause")
        setup.paused_at = workspace.now()
        for play, campaign in _live(workspace):
            if CAMPAIGN.allows(campaign, "pause"):
                campaigns.pause(workspace, campaign.id)
                play.launch = {**play.launch, "paused": True}


def resume(workspace: Workspace) -> None:
    """Resume the campaigns that the autopilot paused."""
    campaigns.check_may_contact(workspace)
    follow(workspace)
    with transaction():
        setup = setup_state.locked(workspace)
        SETUP.move(setup, "resume")
        setup.paused_at = None
        for play, campaign in _live(workspace):
            if play.launch.get("paused"):
                play.launch = {**play.launch, "paused": False}
                if CAMPAIGN.allows(campaign, "resume"):
                    campaigns.resume(workspace, campaign.id)


def _live(workspace: Workspace) -> Sequence[tuple[Play, Campaign]]:
    query = (
        sa.select(Play, Campaign)
        .join(Campaign, Campaign.id == Play.campaign_id)
        .where(Play.workspace_id == workspace.id, Play.status.in_([PlayStatus.SCHEDULED, PlayStatus.RUNNING]))
    )
    return [(row[0], row[1]) for row in session().execute(query.order_by(Play.id))]


def follow(workspace: Workspace) -> None:
    """Set each play's state from its campaign: running after the start, stopped after the end."""
    if not any(_next_move(play, campaign) for play, campaign in _live(workspace)):
        return
    with transaction():
        setup_state.locked(workspace)
        for play, campaign in _live(workspace):
            while move := _next_move(play, campaign):
                PLAY.move(play, move)


def _next_move(play: Play, campaign: Campaign) -> str:
    if play.build is not None:
        return ""
    if campaign.status in campaigns.ENDED:
        return "stop" if PLAY.allows(play, "stop") else ""
    if campaign.status in _BEGUN and campaign.started_at is not None and PLAY.allows(play, "run"):
        return "run"
    return ""
