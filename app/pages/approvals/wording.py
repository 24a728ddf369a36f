"""Wording of drafts on their page: send time, decision, history and bulk results."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from flask import g

from app.core import text
from app.domain.approvals import drafting, release
from app.domain.rules.next_step import Position
from app.domain.rules.reasons import REASONS, WaitReason
from app.domain.rules.step_kinds import STEPS, action_words
from app.domain.workspace.workspaces import Workspace
from app.pages.framework import words

FACTS = {
    "field": "user-round",
    "profile": "user-round",
    "fallback": "corner-down-right",
    "missing": "circle-help",
    "template": "file-text",
    "starting": "pencil",
    "opener": "pencil",
    "post": "quote",
    "document": "file-text",
    "taken_on": "user-round",
}


@dataclass(frozen=True)
class Line:
    icon: str
    text: str
    quote: str
    at: datetime


def happened(entry: Any, lead: Any) -> Line:
    """Return an entry of the log as a line above the draft."""
    name = lead.first_name or lead.name
    if entry.kind == "accepted":
        return Line("circle-check", f"{name} accepted", "", entry.at)
    if entry.kind == "received":
        return Line("reply", f"{name} wrote", text.shorten(entry.text, 140), entry.at)
    said = action_words(entry.kind)
    label = f"{said.noun} failed" if entry.state == "failed" else said.done
    return Line(said.icon, label, text.shorten(entry.text, 140), entry.at)


def sends(workspace: Workspace, row: Any, why: WaitReason | None) -> str:
    """Return when the draft is sent, or what has to happen first; '' for a skipped one."""
    if row.Approval.status not in ("pending", "approved"):
        return ""
    approved = row.Approval.status == "approved"
    if why is None and not approved:
        return "Sends right after approval (10 s to undo)"
    return sends_at(workspace, why) or f"Waits{'' if approved else ' after approval'}: {why and why.sentence}"


def sends_at(workspace: Workspace, why: WaitReason | None) -> str:
    """Return when an approved draft is sent; '' when no one knows."""
    if why is None:
        return "Sends within seconds"
    return f"Sends {moment(workspace, why.until)}" if why.until else ""


def moment(workspace: Workspace, at: datetime) -> str:
    """Return a time such as: in 5 min, today 14:10, Tue 24 Nov, 09:00."""
    now = workspace.now()
    local, here = at.astimezone(g.zone), now.astimezone(g.zone)
    if at - now < timedelta(minutes=50):
        return words.distance(at, now) or "now"
    if local.date() == here.date():
        return f"today {local:%H:%M}"
    if local.date() == here.date() + timedelta(days=1):
        return f"tomorrow {local:%H:%M}"
    return words.clock_time(at, g.zone, now)


def skipped(workspace: Workspace, row: Any, place: Position) -> str:
    """Return what the person gets next if this draft is skipped."""
    sequence = row.Campaign.sequence
    if place.step >= len(sequence):
        return "Sequence ends"
    label = words.step_word(sequence[place.step]["type"]).label
    due = place.step_due_at or place.due_at
    if due is None or (place.state == "awaiting_accept" and not place.step_due_at):
        return f"{label} once they accept"
    return f"{label} {moment(workspace, due)}"


def decided(workspace: Workspace, row: Any, who: str) -> str:
    """Return the decision as a sentence: Marek approved this 8 s ago."""
    approval = row.Approval
    at = approval.decided_at
    if approval.status == "pending" or at is None:
        return ""
    ago = words.distance(at, workspace.now()) or f"on {words.clock_time(at, g.zone, workspace.now())}"
    if approval.reason == "expired":
        return f"Expired {ago}: no decision in {drafting.FRESH_FOR.days} days."
    if approval.status == "skipped" and approval.reason != "skipped_by_you":
        sentence = REASONS.get(approval.reason, ("", ""))[0]
        return f"No longer needed, {ago}. {sentence}".strip()
    if approval.reason == release.WITHOUT_NOTE and approval.text:
        return REASONS[approval.reason][0] + "."
    verb = "skipped" if approval.status == "skipped" else "approved"
    why = f": “{approval.note}”" if approval.note else "."
    if who:
        return f"{who} {verb} this {ago}{why}"
    return f"{verb.capitalize()} {ago}{why}"


def counted(outcomes: Sequence[str]) -> str:
    """Return the outcomes in words: 5 approved. Open 2 drafts with warnings."""
    found = Counter(outcomes)
    said = [f"{found[name]} {name}." for name in ("approved", "skipped") if found[name]]
    late = found["not_waiting"] + found["not_found"]
    said += [f"Open {words.many(found['has_warnings'], 'draft')} with warnings."] * bool(found["has_warnings"])
    said += [f"Check {words.many(found['changed'], 'draft')} that changed since you looked."] * bool(found["changed"])
    said += [f"Already decided before: {words.many(late, 'draft')}."] * bool(late)
    return " ".join(said)


@dataclass(frozen=True)
class Sending:
    """What of a sequence is sent automatically, what waits for approval, and what a member does, each in words."""

    automatic: str
    waits: str
    by_hand: str


def sending(sequence: Sequence[Mapping[str, Any]], approval: bool = True) -> Sending:
    """Say of each step whether it waits for approval; every step is sent automatically without."""
    automatic: Counter[str] = Counter()
    waits: Counter[str] = Counter()
    by_hand: Counter[str] = Counter()
    for step in sequence:
        silent = release.goes_unread(step)
        counted = by_hand if STEPS[step["type"]].by_hand else automatic if silent or not approval else waits
        counted[_thing(step["type"], silent)] += 1
    return Sending(_several(automatic), _several(waits), _several(by_hand))


def _thing(kind: str, silent: bool) -> str:
    if kind == "connection_request":
        return "connection request without a note" if silent else "connection request with a note"
    noun = action_words(kind).noun.replace("E-mail", "Email")
    return noun if noun == "InMail" else noun.lower()


def _several(things: Counter[str]) -> str:
    """Return the things with their numbers: 1 like, 2 invitations without a note."""
    named = []
    for thing, number in things.items():
        noun, cut, rest = thing.partition(" with")
        named.append(f"{number} {noun}{'s' if number > 1 else ''}{cut}{rest}")
    return ", ".join(named)


def notes(row: Any, left: int | None) -> str:
    """Return what the sender's monthly personal notes mean for the draft; '' where they do not matter."""
    if left is None or row.Approval.status not in ("pending", "approved") or not row.Approval.text.strip():
        return ""
    if left:
        return f"{row.name} can send {words.many(left, 'more note')} this month."
    return f"{row.name} has no personal notes left this month: the connection request would be sent without a note."


def switched(on: bool, waiting: int) -> str:
    """Return what changed for the campaign's drafts."""
    drafts = words.many(waiting, "draft")
    if on:
        return "Notes and messages now need approval." + (f" {drafts} to review." if waiting else "")
    still = f" Still waiting for a decision: {drafts}." if waiting else ""
    return f"Notes and messages are now sent without approval.{still}"


def let_go(sent: int, left: int) -> str:
    """Return how many drafts were approved, and how many lack something."""
    said = f"{words.many(sent, 'draft')} will be sent without approval."
    return f"{said} Waiting for a missing value: {words.many(left, 'draft')}." if left else said
