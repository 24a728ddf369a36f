"""A lead's coming steps, each with its text and earliest time.

The moments are the earliest possible: what others do meanwhile, and the sender's limits of later days, push them on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from app.core.db import session
from app.domain.campaigns import preview
from app.domain.campaigns.preview import RenderedStep
from app.domain.leads.campaign_leads import why_waiting
from app.domain.ledger import variants
from app.domain.people import condition_facts
from app.domain.rules import next_step, planner
from app.domain.rules.limits import Usage
from app.domain.rules.next_step import LeadStatus, Position
from app.domain.rules.planner import CampaignView, SenderView
from app.domain.rules.reasons import WaitReason
from app.domain.rules.schedules import places, working_hours
from app.domain.rules.schedules.places import Place
from app.domain.rules.sequences import branches, conditions
from app.domain.rules.sequences.branches import WHEN, Flow
from app.domain.rules.sequences.step_keys import key_of, place_of
from app.domain.rules.step_kinds import STEPS
from app.domain.rules.variants.assignment import NONE, any_in, with_kept
from app.models.accounts import Account, Channel
from app.models.campaigns import UNENDED_STATES, Campaign, CampaignLead, Connection, LeadState
from app.models.leads import Lead
from app.models.workspaces import Workspace


@dataclass(frozen=True)
class StepAhead:
    """A step still to come; `at` is the earliest time, None when it is unknown or the step is skipped.

    `after` is the event that must happen first: "" only time, `accepted` the acceptance, `resumed` a resume by a
    human, `profile` a profile that becomes known; `skipped` says why the step is skipped.
    """

    index: int
    at: datetime | None
    after: str
    skipped: str
    said: RenderedStep


def upcoming_for(
    workspace: Workspace, campaign: Campaign, person: CampaignLead, lead: Lead, why: WaitReason
) -> list[StepAhead]:
    """Return the steps this person has not had, in order; [] when the sequence has ended for them."""
    if person.state not in UNENDED_STATES:
        return []
    sequence = apply_kept_step(campaign.sequence, person.kept)
    senders = {
        account.id: account
        for account in (session().get(Account, one) for one in (person.account_id, person.mailbox_id) if one)
        if account is not None and account.workspace_id == workspace.id
    }
    had = variants.had([person.id])[person.id] if any_in(sequence) else NONE
    said = preview.preview(sequence, lead, list(senders.values()), had)
    held = person.state == LeadState.PAUSED and person.reason != "out_of_office"
    flow, now, place = Flow(sequence, campaign.branches or ()), workspace.now(), places.place_of(lead.location)
    standing = condition_facts.standing_of(flow, person, bool(lead.email), now)
    route = _Route(campaign, flow, senders, standing, now, workspace.blackouts, place)
    first = None if held else why.until or person.due_at or workspace.now()
    found = route.from_step(person, first)
    shown = []
    for index in range(person.step, len(sequence)):
        at, after = found.get(index, (None, ""))
        skipped = "" if index in found else _why_not(flow, route.standing, index, person, lead)
        shown.append(StepAhead(index, at, "resumed" if held and not skipped else after, skipped, said[index]))
    if person.part and shown and shown[0].index == person.step:  # the former parts of the message were sent
        shown[0] = replace(shown[0], said=replace(shown[0].said, parts=shown[0].said.parts[person.part :]))
    return shown


def apply_kept_step(sequence: Sequence[Mapping[str, Any]], kept: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    """Return the steps as a person gets them who keeps an old version of one."""
    steps = list(sequence)
    place = place_of(sequence, kept["step"]) if kept else None
    if kept and place is not None:
        steps[place] = with_kept(steps[place], kept["step"], kept)
    return steps


class _Route:
    """One person's path through their remaining steps, at the earliest possible times."""

    def __init__(
        self,
        campaign: Campaign,
        flow: Flow,
        senders: Mapping[int, Account],
        standing: LeadStatus,
        now: datetime,
        blackouts: working_hours.Kept,
        place: Place,
    ) -> None:
        self.flow, self.sequence, self.standing, self.now = flow, flow.sequence, standing, now
        self.campaign = CampaignView.of(campaign, blackouts)
        self.senders = {sender.id: SenderView.of(sender, Usage()) for sender in senders.values()}
        self.place = place
        self.after = ""
        self.known = True

    def from_step(self, person: CampaignLead, first: datetime | None) -> dict[int, tuple[datetime | None, str]]:
        """Return (earliest time, required event) of every step they will get, by its place."""
        found: dict[int, tuple[datetime | None, str]] = {}
        moment, index = first or self.now, person.step
        awaiting = LeadState.AWAITING_ACCEPT in (person.state, person.paused_from) and not person.step_due_at
        if person.step_due_at:
            moment = max(moment, person.step_due_at)
        if awaiting:
            moment = self.now
            index = self._accepted(index, moment)
        elif index < len(self.sequence):
            moment = max(moment, self.now)
        self.known = first is not None
        if self.standing.wait_for_profile and person.reason == "no_profile":
            self._profile_known()
        due = self._due(index, moment) if awaiting else moment
        while index < len(self.sequence):
            due = self._opens(index, due)
            found[index] = (due if self.known else None, self.after)
            self._done(index, due)
            index, due = self._next(index + 1, due)
        return found

    def _done(self, index: int, at: datetime) -> None:
        kind = STEPS[self.sequence[index]["type"]]
        changes: dict[str, Any] = {"last_action_at": at, "contacted": self.standing.contacted or kind.reaches}
        if kind.name == "connection_request" and self.standing.connection != Connection.ACCEPTED:
            changes |= {"connection": Connection.SENT, "invited_at": at}
        self.standing = self.standing._replace(**changes)

    def _next(self, index: int, at: datetime) -> tuple[int, datetime]:
        """Return the next place and its due time; a step that needs a connection is due right after acceptance."""
        place = self._place(index, at)
        if place.step_due_at:  # the open invitation is withdrawn before the step
            self.standing = self.standing._replace(connection=Connection.NONE)
            return place.step, place.step_due_at
        if place.state == LeadState.AWAITING_ACCEPT:
            index = self._accepted(place.step, at)
            return index, self._due(index, at)
        if place.reason == "no_profile":
            self._profile_known()
        return place.step, place.due_at or at

    def _accepted(self, index: int, at: datetime) -> int:
        """Return the place after they accept at that time."""
        self.after = "accepted"
        self.standing = self.standing._replace(connection=Connection.ACCEPTED, accepted_at=at)
        return self._place(index, at).step

    def _place(self, index: int, at: datetime) -> Position:
        place = next_step.next_place(self.flow, index, self.standing, at)
        self.standing = self.standing._replace(route=place.route)
        return place

    def _profile_known(self) -> None:
        """Continue as if the profile were known, at an unknown time, with any sender."""
        self.after, self.known = "profile", False
        self.standing = self.standing._replace(wait_for_profile=False, account_id=0)

    def _due(self, index: int, at: datetime) -> datetime:
        return at + (next_step.delay(self.sequence[index]) if index < len(self.sequence) else timedelta(0))

    def _opens(self, index: int, at: datetime) -> datetime:
        """Return the next time within the hours of the campaign, of the step's sender, and of the person."""
        channel = STEPS[self.sequence[index]["type"]].channel
        sender = self.standing.sender_of(channel)
        if sender not in self.senders:
            return working_hours.next_open([self.campaign.window], at) or at
        windows = planner.windows(self.senders[sender], self.campaign, self.place)
        return working_hours.next_open([window for _, window in windows], at) or at


def _why_not(flow: Flow, standing: LeadStatus, index: int, person: CampaignLead, lead: Lead) -> str:
    """Return why the person does not get that step."""
    if key_of(flow.sequence, index) in standing.skips:
        return "This step was already done for this person"
    return _off_route(flow, standing, index) or _skipped(flow.sequence[index], person, lead)


def _off_route(flow: Flow, standing: LeadStatus, index: int) -> str:
    """Return who gets the step, in words, if this person does not; '' if they do."""
    if flow.on_route(standing.route, index):
        return ""
    for name, branch in flow.around(index):
        side = branches.side_at(branch, index)
        if branches.side_of(standing.route, name) not in ("", side):
            said = conditions.in_words(branch["when"], holds=side == WHEN)
            return said.capitalize() if said == conditions.OTHERS else f"Only if the person {said}"
    return f"Only if the person {conditions.in_words(flow.sequence[index]['when'])}"


def _skipped(step: Mapping[str, Any], person: CampaignLead, lead: Lead) -> str:
    """Return why a step that the person skips is skipped."""
    kind = STEPS[step["type"]]
    if kind.channel == Channel.EMAIL and not lead.email:
        return "No email address"
    if kind.channel == Channel.EMAIL:
        return "No mailbox assigned"
    if kind.name == "connection_request" and person.connection == Connection.ACCEPTED:
        return "Already connected"
    return "Not connected"


def reason_for(workspace: Workspace, campaign: Campaign, person: CampaignLead) -> WaitReason:
    """Return why this person waits or ended."""
    return why_waiting.of_people(workspace, campaign, [person])[person.id]
