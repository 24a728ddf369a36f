"""The shared frame of campaign pages: head, blockers, tabs and a running fast-forward."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from flask import g, url_for

from app.domain.campaigns import campaigns, statistics
from app.domain.engine import joiners
from app.domain.installation.sandbox import sandbox_clock
from app.domain.leads.campaign_leads import filters, why_waiting
from app.domain.leads.campaign_leads.filters import LeadFilter
from app.domain.rules import message_templates
from app.domain.rules.reasons import WaitReason
from app.domain.rules.sequences import conditions
from app.domain.rules.sequences.branches import WHEN, Flow, drawn, side_at
from app.domain.rules.sequences.step_keys import place_of
from app.domain.rules.step_kinds import STEPS, TASK_TYPES
from app.domain.senders import accounts, deliverability
from app.domain.workspace import roles
from app.domain.workspace.workspaces import Workspace
from app.pages.framework import words
from app.pages.framework.base import latest_skip
from app.pages.framework.words import people_count

LIVE = ("scheduled", "starting", "running", "paused", "locked")
UNDER_WAY = ("scheduled", "starting", "running")
OVER = ("finished", "failed", "stopped", "excluded")  # states in which a person gets nothing more
ENDED = ("finished", "canceled", "failed")
TABS = (("overview", "Overview"), ("people", "People"), ("sequence", "Sequence"), ("activity", "Activity"))
STUCK = {
    "challenged": ("account_challenged", "{name} needs a security check."),
    "disconnected": ("account_disconnected", "{name} was signed out."),
    "connecting": ("account_connecting", "{name} is still connecting."),
    "inactive": ("account_inactive", "{name} is switched off."),
}


@dataclass(frozen=True)
class Notice:
    """A problem that blocks the campaign, and the one way to fix it."""

    title: str
    text: str = ""
    tone: str = "warn"
    href: str = ""
    label: str = ""


@dataclass
class Frame:
    """What all tabs of a campaign show: its head, its numbers and its allowed actions."""

    workspace: Workspace
    campaign: Any
    tab: str
    stats: Any
    senders: Sequence[Any]
    moves: set[str]
    why: WaitReason | None = None
    notices: list[Notice] = field(default_factory=list)
    skip: sandbox_clock.FastForward | None = None

    @property
    def editable(self) -> bool:
        """Return whether the user may change anything."""
        return roles.may(g.role, "campaigns", change=True)

    @property
    def invites(self) -> bool:
        """Return whether it sends connection requests, or did before its steps were changed."""
        return statistics.invites(self.campaign) or bool(self.stats.invites_sent)

    @property
    def on_linkedin(self) -> bool:
        """Return whether any of its steps is on LinkedIn."""
        return self.invites or any(STEPS[step["type"]].channel == "social" for step in self.campaign.sequence)

    @property
    def ended(self) -> bool:
        """Return whether nothing more will happen."""
        return self.campaign.status in ENDED

    @property
    def drafted(self) -> bool:
        """Return whether the campaign has not been started."""
        return bool(self.campaign.status == "draft")

    @property
    def under_way(self) -> bool:
        """Return whether it contacts people, or soon will."""
        return self.campaign.status in UNDER_WAY

    @property
    def every(self) -> str:
        """Return how often the page polls, "" while its numbers don't change."""
        if self.skip and self.skip.running:
            return "1s"
        return {"starting": "2s", "running": "15s"}.get(self.campaign.status, "")

    @property
    def tabs(self) -> list[dict[str, Any]]:
        """Return the tabs; People with its count."""
        shown = [*TABS, ("settings", "Settings")]
        return [
            {
                "label": label,
                "href": self.path(name),
                "current": name == self.tab,
                "count": self.stats.leads if name == "people" else None,
            }
            for name, label in shown
        ]

    def path(self, tab: str = "overview", **query: Any) -> str:
        """Return the address of a tab."""
        endpoint = "show" if tab == "overview" else tab
        return url_for(f"pages.campaigns.{endpoint}", campaign_id=self.campaign.id, **query)

    def people(self, show: str = "", **query: Any) -> str:
        """Return the address of the filtered people."""
        wanted = {name: value for name, value in query.items() if value not in (None, "", "all")}
        return self.path("people", **({"show": show} if show else {}), **wanted)

    @property
    def joined(self) -> joiners.Today | None:
        """Return who joined today, when the campaign is open for new people of its lists."""
        is_open = self.campaign.joins_per_day is not None and not self.drafted
        return joiners.today(self.workspace, self.campaign) if is_open else None

    @property
    def names(self) -> dict[int, str]:
        """Return the senders' names by id, mailboxes marked as such."""
        return accounts.names(self.senders)

    @property
    def meta(self) -> list[tuple[str, str]]:
        """Return the start, the author and the hours."""
        return [
            ("calendar", self._days()),
            ("user-round", sender_names(self.senders) or "No sender"),
            ("clock", self._hours()),
        ]

    def _hours(self) -> str:
        campaign = self.campaign
        one = {"days": campaign.days, "start": campaign.start_time, "end": campaign.end_time}
        windows = campaign.windows or [one]
        return hours(windows, campaign.timezone, self.workspace, recipient_time=campaign.recipient_time)

    def clock(self, moment: datetime) -> str:
        """Return a time such as Tue 24 Nov, 09:00."""
        return words.clock_time(moment, g.zone, self.workspace.now())

    def moment(self, moment: datetime) -> str:
        """Return a coming time such as: in 5 min, today at 14:10, Tue 24 Nov, 09:00."""
        local, now = moment.astimezone(g.zone), self.workspace.now().astimezone(g.zone)
        if local - now < timedelta(hours=1):
            return words.distance(moment, now) or "now"
        if local.date() == now.date():
            return f"today at {local:%H:%M}"
        return f"on {self.clock(moment)}"

    def first_day(self) -> str:
        """Return the chosen first day of a draft."""
        return words.day(self.campaign.start_date, ZoneInfo(self.campaign.timezone)) if self.campaign.start_date else ""

    def last_day(self) -> str:
        """Return the chosen last day."""
        ends = self.campaign.end_date
        return words.day(ends - timedelta(seconds=1), ZoneInfo(self.campaign.timezone)) if ends else ""

    def _days(self) -> str:
        campaign, now = self.campaign, self.workspace.now().astimezone(g.zone)
        if campaign.status == "scheduled" and campaign.start_date:
            return f"Starts {short(campaign.start_date)}"
        if campaign.started_at is None:
            return f"Created {short(campaign.created_at)}, not started"
        began = campaign.started_at.astimezone(g.zone)
        if campaign.ended_at:
            ended = campaign.ended_at.astimezone(g.zone)
            return f"{short(began)} to {short(ended)}, {words.many((ended.date() - began.date()).days + 1, 'day')}"
        return f"Day {(now.date() - began.date()).days + 1}, since {short(began)}"


def hours(windows: Sequence[Any], timezone: str, workspace: Workspace, *, recipient_time: bool) -> str:
    """Return working hours such as Mon–Fri, 09:00–17:30, with the time zone when it differs from the workspace's."""
    zone = "" if timezone == workspace.timezone else f" ({timezone})"
    if recipient_time:
        zone = ", in each person's time zone"
    days = [words.days_text([day for day in one["days"] if 1 <= day <= 7]) or "No days" for one in windows]
    return "; ".join(f"{on}, {one['start']}–{one['end']}" for on, one in zip(days, windows, strict=True)) + zone


def sender_names(senders: Sequence[Any]) -> str:
    """Return the names of the first senders, and how many more there are; beside accounts the mailbox's address."""
    social = [one.name for one in senders if one.channel != "email"]
    mailboxes = [one.address for one in senders if one.channel == "email"] if social else []
    names = list(dict.fromkeys(social or [one.name for one in senders]))
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    if not social and len(names) < len(senders):
        return f"{shown} ({words.many(len(senders), 'mailbox', 'mailboxes')})"
    return " and ".join([shown, *(mailboxes if len(mailboxes) < 2 else [f"{len(mailboxes)} mailboxes"])])


def steps(campaign: Any, rows: Sequence[Any] = ()) -> list[dict[str, Any]]:
    """Return the steps for reading: when each comes, on what condition, its messages and its numbers if any.

    `before` and `behind` say what is drawn around a step where branches open, have their other side, and close.
    """
    sequence = campaign.sequence
    before, behind = _drawn(campaign.branches or ())
    shown = []
    for index, step in enumerate(sequence):
        kind = STEPS[step["type"]]
        delay = step.get("delay") or {"value": 0, "unit": "hours"}
        unit = delay["unit"][:-1] if delay["value"] == 1 else delay["unit"]
        earlier = [one["type"] for one in sequence[:index]]
        around = [(one["when"], side_at(one, index) == WHEN) for _, one in Flow.of(campaign).around(index)]
        connected = any(conditions.implies_connection(when, holds=holds) for when, holds in around)
        first = not any(STEPS[name].needs_connection for name in earlier)
        waits_for_accept = kind.needs_connection and first and not connected
        shown.append(
            {
                "number": index + 1,
                "type": kind.name,
                "title": f"Task: {TASK_TYPES[step['taskType']].label}" if kind.by_hand else "",
                "when": f"+{delay['value']:g} {unit}" if delay["value"] else "Immediately",
                "note": "After they accept" if waits_for_accept else "",
                "parts": message_templates.split(step.get("message", "")),
                "subject": step.get("subject", ""),
                "variants": [
                    {**one, "parts": message_templates.split(one["message"])} for one in step.get("variants") or []
                ],
                "row": rows[index] if rows else None,
                "soft": kind.soft,
                "only_if": f"Only if the person {conditions.in_words(step['when'])}" if step.get("when") else "",
                "before": before.get(index, ()),
                "behind": behind.get(index, ()),
            }
        )
    return shown


def _drawn(branches: Sequence[Any]) -> tuple[dict[int, list[tuple[str, str]]], dict[int, list[tuple[str, str]]]]:
    """Return what is drawn before and behind steps, as (what, words)."""
    before: dict[int, list[tuple[str, str]]] = {}
    behind: dict[int, list[tuple[str, str]]] = {}
    for what, place, number in drawn(branches):
        branch = branches[number]
        said = "" if what == "close" else side_words(branch, holds=what == "open")
        after = what == "close" or (what == "middle" and place == branch["join"])
        (behind.setdefault(place - 1, []) if after else before.setdefault(place, [])).append((what, said))
    return before, behind


def side_words(branch: Any, *, holds: bool) -> str:
    """Return which people one side of a branch is for."""
    said = conditions.in_words(branch["when"], holds=holds)
    return said[:1].upper() + said[1:]


def route_words(campaign: Any, person: Any) -> list[tuple[str, str, datetime]]:
    """Return what was decided for the person on the way: the side they took or the step passed over, why, and when."""
    route = person.route or {}
    found = []
    for name, branch in Flow.of(campaign).splits():
        if taken := route.get("splits", {}).get(name):
            said = side_words(branch, holds=taken["side"] == "when")
            found.append((f"Split before step {branch['at'] + 1}", said, datetime.fromisoformat(taken["at"])))
    for key, passed in route.get("passed", {}).items():
        place = place_of(campaign.sequence, int(key))
        step = {} if place is None else campaign.sequence[place]
        why = f"Only if the person {conditions.in_words(step['when'])}" if step.get("when") else "Not for this person"
        what = "A removed step" if place is None else f"Step {place + 1}"
        found.append((f"{what} skipped", why, datetime.fromisoformat(passed["at"])))
    return sorted(found, key=lambda one: one[2])


def reason(code: str) -> str:
    """Return a reason as a label: its first sentence, without the full stop."""
    return WaitReason(code).sentence.partition(". ")[0].rstrip(".")


def short(moment: datetime) -> str:
    """Return a date such as 28 Oct, in the workspace's time zone."""
    local = moment.astimezone(g.zone)
    return f"{local.day} {local:%b}"


def frame_of(workspace: Workspace, campaign_id: int, tab: str) -> Frame:
    """Return the frame of the campaign, or raise NotFound."""
    campaign, stats = campaigns.get_counted(workspace, campaign_id)
    known = {account.id: account for account in accounts.every(workspace)}
    wanted = dict.fromkeys([*campaign.account_ids, *campaign.mailbox_ids])
    senders = [known[account_id] for account_id in wanted if account_id in known]
    frame = Frame(workspace, campaign, tab, stats, senders, filters.campaign_moves(campaign))
    frame.skip = latest_skip(workspace)
    if campaign.status in LIVE:
        frame.why = why_waiting.of_campaign(workspace, campaign)
    frame.notices = [*_standstill(frame), *_stuck(frame), *_clock(frame)]
    return frame


def _standstill(frame: Frame) -> list[Notice]:
    """Return the notice that says why the whole campaign does nothing; None if it does."""
    campaign, stats = frame.campaign, frame.stats
    if campaign.status == "paused" and campaign.error:
        return [Notice("Too many emails bounced.", campaign.error)]
    if campaign.status == "paused":
        states = {"pending": stats.pending, "active": stats.active, "awaiting_accept": stats.awaiting_accept}
        parts = [f"{words.status_word('person', name).label} {n:,}" for name, n in states.items() if n]
        waits = f"Waiting: {people_count(sum(states.values()))} ({', '.join(parts)}). " if parts else ""
        return [Notice("Campaign paused.", f"{waits}Nothing is sent until you resume.", "info")]
    if campaign.status == "finished" and (why := deliverability.lost(frame.workspace, campaign)):
        check = f"/lists/{campaign.list_id}/look-ups/addresses" if campaign.list_id else ""
        return [Notice("Too many emails bounced.", why, href=check, label="Check addresses")]
    if campaign.status == "locked":
        return [Notice("Campaign locked.", campaign.error)]
    if campaign.status == "failed":
        return [Notice("Campaign failed.", campaign.error, "danger")]
    if campaign.status == "starting":
        return [Notice("People are being enrolled.", f"{words.people_count(stats.leads)} so far.", "info")]
    return []


def _stuck(frame: Frame) -> list[Notice]:
    """Return the senders of a running campaign that need attention, with the number of people who wait."""
    if frame.campaign.status != "running":
        return []
    found = []
    for sender in frame.senders:
        code, title = STUCK.get(sender.status if sender.active else "inactive", ("", ""))
        if not code:
            continue
        waiting_for_it = filters.count(frame.workspace, frame.campaign, LeadFilter(why=code))
        others = len(frame.senders) - 1
        going_on = "; the other senders continue." if others > 1 else "; the other sender continues." if others else "."
        text = f"Waiting: {words.people_count(waiting_for_it)}{going_on}" if waiting_for_it else ""
        why = f"{'' if sender.active else sender.status_reason} {text}".strip()
        found.append(Notice(title.format(name=sender.name), why, "warn", f"/senders/{sender.id}", "Open the sender"))
    return found


def _clock(frame: Frame) -> list[Notice]:
    """Return the running fast-forward for the overview, or one that failed until the next begins."""
    skip = frame.skip
    if skip and skip.running and frame.tab != "overview":
        text = "This page may be out of date."
        return [Notice("Fast-forwarding.", text, "info", frame.path(), "View progress")]
    if skip and not skip.running and skip.error:
        return [Notice("Fast-forward stopped early.", f"{skip.error} Fast-forward again to continue.", "danger")]
    return []
