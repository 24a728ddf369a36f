"""The home page: one queue of what waits for someone and, for new users, the next step."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from flask import Blueprint, Response, g

from app.core.db import session
from app.domain.autopilot import setup_state as autopilot
from app.domain.autopilot.monitors import found_people
from app.domain.billing import credits, subscriptions
from app.domain.campaigns import campaigns, statistics
from app.domain.campaigns.forecasts import pipeline
from app.domain.conversations import threads
from app.domain.installation.go_live import checklist, live_workspace
from app.domain.leads import lists
from app.domain.leads.campaign_leads import filters, why_waiting
from app.domain.leads.campaign_leads.filters import LeadFilter
from app.domain.people.exclusions import company_holds
from app.domain.rules.reasons import WaitReason
from app.domain.senders import accounts, deliverability
from app.domain.workspace import notices
from app.domain.workspace.workspaces import User, Workspace
from app.pages.conversations import view
from app.pages.framework import page_permissions
from app.pages.framework.base import keep_in_browser, redirect_to, redirect_to_path, render, safe_path
from app.pages.framework.forms import Form, Text
from app.pages.framework.shell import THEMES
from app.pages.framework.words import many
from app.pages.home import statistics as numbers
from app.pages.home import waiting
from app.pages.senders import accounts as sender_pages
from app.pages.tasks import follow_up

area = Blueprint("home", __name__)
LIVE = ("running", "starting", "scheduled", "paused", "locked", "failed")
MOST_LIVE = 5  # campaigns whose problems stand in the queue
FEW_REPLIES = 20  # below that, hours of replies say nothing
FEW_CREDITS = 20
MENDING = {
    "challenged": "LinkedIn needs a security check for this account.",
    "disconnected": "The account was signed out. Reconnect the sender. People keep their place in their campaigns.",
}


@dataclass(frozen=True)
class Task:
    """What needs attention: what, why, and the one button for it: a link, or with `post` a form with these fields."""

    icon: str
    title: str
    detail: str
    href: str
    tone: str = ""
    verb: str = "Open"
    post: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)
    at: datetime | None = None  # since when; without it, it is none of the newest


@area.get("/")
def index(workspace: Workspace, user: User) -> Response:
    live, _ = campaigns.first_of(workspace, LIVE, MOST_LIVE)
    drafts, drafted = campaigns.first_of(workspace, ["draft"], 1)
    whys = why_waiting.of_campaigns(workspace, live)
    stats, pilot = campaigns.stats(workspace, [campaign.id for campaign in live]), autopilot.glance(workspace)
    known = waiting.of_workspace(workspace, user)
    due = follow_up.due(workspace)
    ended, _ = campaigns.first_of(workspace, ["finished"], 1)
    begun = bool(live or ended)
    todo = [
        *_senders(workspace),
        *_alerts(pilot),
        *_unsent(workspace),
        *_campaigns(live, whys),
        *_failed(live, stats),
        *_unreachable(workspace, [*live, *ended]),
        *_lost(workspace, ended),
        *_held(workspace),
        *_found(workspace),
        *_credits(workspace),
        *_drafts(drafts, drafted),
        *_more_tasks(due["now"] - len(due["due"])),
        *_go_live(workspace),
    ]
    funnel = pipeline.pipeline(workspace) if begun else None
    return render(
        "home/index.html",
        part="home/_now.html",
        queue=_queue(todo, known, due["due"]),
        draft_href=next((task.href for task in todo if task.icon == "pencil"), "/campaigns"),
        notices=notices.of_workspace(workspace) if g.role == "owner" else {},
        may=follow_up.may_change(),
        week=statistics.week(workspace),
        hours=numbers.hours(workspace) if funnel and funnel.replied >= FEW_REPLIES else None,
        **known,
        begun_autopilot=pilot.begun,
        at_work=any(one.status in ("running", "starting") for one in live),
        next_moment=why_waiting.next_moment(list(whys.values())),
        has_people=any(found.lead_count for found in session().scalars(lists.people_lists(workspace))),
        has_draft=bool(drafts),
        has_begun=begun,
    )


def _queue(todo: Sequence[Task], known: Mapping[str, Any], due: Sequence[Any]) -> list[tuple[str, Any]]:
    """Return what waits, each with its kind: replies, the positive ones first, then the rest, newest first.

    A person who wants to talk waits for no draft; what has no moment stands behind.
    """
    found = [("due", one.task.due_at, one) for one in due] + [("task", one.at, one) for one in todo]
    if draft := known["draft"]:
        found.append(("draft", draft.Approval.created_at, draft))
    found.sort(key=lambda item: (item[1] is not None, item[1] and item[1].timestamp()), reverse=True)
    return [("reply", one) for one in known["replies"]] + [(kind, one) for kind, _, one in found]


@area.post("/notices/<kind>/dismiss")
def dismiss(workspace: Workspace, kind: str) -> Response:
    """Close a notice for all owners."""
    notices.dismiss(workspace, kind)
    return redirect_to(".index")


def _go_live(workspace: Workspace) -> list[Task]:
    """Return the rest of the way to real people; a sandbox names it beside its clock."""
    run = None if workspace.sandbox else live_workspace.find(workspace)
    if run is None or run.finished_at or not page_permissions.may(g.role, "pages.go_live.create", change=True):
        return []
    steps = checklist.items(workspace, run)
    said = f"{sum(one.settled for one in steps)} of {len(steps)} steps done."
    return [Task("rocket", "Finish going live", said, "/go-live", verb="Continue")]


def _more_tasks(number: int) -> list[Task]:
    """Return that more tasks are due than stand here."""
    if number <= 0:
        return []
    return [Task("square-check", f"Due: {many(number, 'more task')}", "", "/tasks")]


def _held(workspace: Workspace) -> list[Task]:
    number = sum(company_holds.held_in(workspace).values())
    if not number:
        return []
    title = f"{many(number, 'person is', 'people are')} waiting for your decision"
    return [Task("building-2", title, "Someone else at their company replied.", "/company-holds", verb="Decide")]


def _found(workspace: Workspace) -> list[Task]:
    """Return the people whom monitors found, who wait for a decision."""
    number = found_people.waiting(workspace)
    if not number:
        return []
    title = f"Your monitors found {many(number, 'person', 'people')}"
    return [Task("eye", title, "Accept people to add them to their list.", "/monitors", verb="Decide")]


def _alerts(pilot: autopilot.Glance) -> list[Task]:
    if not pilot.trouble:
        return []
    title = "Notifications are not being delivered" if pilot.broken else "The last notification was not delivered"
    return [Task("bell", title, pilot.trouble, "/autopilot/alerts", "warn", "Check notifications")]


def _failed(live: Sequence[Any], stats: Mapping[int, Any]) -> list[Task]:
    """Count failed people of running campaigns where they are one in twenty or more; fewer need no one.

    Some profiles are always gone, and the campaign's own page says so.
    """
    failed = {one: row.failed for one, row in stats.items() if 20 * row.failed >= row.leads}
    return [
        Task(
            "circle-alert",
            f"Failed in {each.name}: {many(failed[each.id], 'person', 'people')}",
            "Nothing more is sent to them.",
            f"/campaigns/{each.id}/people?show=failed",
            "warn",
            "See why",
        )
        for each in live
        if each.status == "running" and failed.get(each.id)
    ]


def _unreachable(workspace: Workspace, some: Sequence[Any]) -> list[Task]:
    """Return the campaigns whose addresses take no mail for half of their people."""
    rows, found = campaigns.stats(workspace, [one.id for one in some]), []
    for one in some:
        row = rows.get(one.id)
        if row and 2 * row.excluded >= row.leads:
            number = filters.count(workspace, one, LeadFilter("excluded", why="undeliverable"))
            if number and 2 * number >= row.leads:
                title = f"{one.name}: the email addresses of {many(number, 'person', 'people')} don’t work"
                found.append(Task("mail", title, "They get no emails.", f"/campaigns/{one.id}", "warn", "See why"))
    return found


def _lost(workspace: Workspace, ended: Sequence[Any]) -> list[Task]:
    """Return the campaigns that finished lately after too many of their emails had bounced."""
    since = workspace.now() - deliverability.WINDOW
    return [
        Task("mail", f"{one.name} has finished", why, f"/campaigns/{one.id}", "warn", "Open", at=one.ended_at)
        for one in ended
        if one.ended_at and one.ended_at > since and (why := deliverability.lost(workspace, one))
    ]


def _credits(workspace: Workspace) -> list[Task]:
    free = credits.balance(workspace).free
    if free >= FEW_CREDITS:
        return []
    return [
        Task(
            "credit-card",
            f"{free:,} credits left",
            "Lookups stop at 0 credits.",
            "/settings/credits",
            verb="Add credits" if subscriptions.is_offered(workspace) else "See credits",
        )
    ]


def _senders(workspace: Workspace) -> list[Task]:
    """Return the senders that are signed out or asked for a check, and the inboxes that can't be read."""
    may, found = page_permissions.may(g.role, "pages.senders.reconnect", change=True), []
    for one in accounts.every(workspace):
        href = f"/senders/{one.id}"
        if one.status in accounts.STUCK:
            verb, post, fields = sender_pages.MENDING[one.status][1], f"{href}/reconnect", {}
            if one.provider == sender_pages.HOSTED:
                verb, post, fields = "Sign in again", "/senders/sign-in", {"account": one.id}
            said = one.status_reason or MENDING[one.status]
            title = f"{one.name} needs attention"
            found.append(Task("unplug", title, said, href, "warn", verb, post if may else "", fields, one.status_at))
        elif one.status_reason and not one.active:
            title = f"{one.name} needs attention"
            found.append(Task("unplug", title, one.status_reason, href, "warn", at=one.status_at))
        elif one.silent_at and one.active:
            title = f"The inbox of {one.name} can't be read"
            said = "New replies won't come in until it's fixed."
            post = f"{href}/read" if may else ""
            found.append(Task("mail", title, said, href, "warn", "Read it now", post, at=one.silent_at))
    return found


def _unsent(workspace: Workspace) -> list[Task]:
    """Return the conversations with a manual message that did not reach the person."""
    if not page_permissions.may(g.role, "pages.conversations.index"):
        return []
    may, found = page_permissions.may(g.role, "pages.conversations.reopen", change=True), []
    for row in threads.unsent(workspace):
        title, href = f"Your message to {view.name_of(row)} was not delivered", f"/conversations/{row.id}"
        act = ("Dismiss", f"{href}/open", {"next": "/"}) if may else ("Open", "", {})
        found.append(Task("circle-alert", title, row.why, href, "warn", *act, row.remind_at))
    return found


def _campaigns(live: Sequence[Any], whys: dict[int, WaitReason]) -> list[Task]:
    may, found = page_permissions.may(g.role, "pages.campaigns.act", change=True), []
    for one in live:
        paused = one.status == "paused"
        # Drafts that wait stand below by themselves.
        mine = whys[one.id].who == "you" and whys[one.id].code != "awaiting_approval"
        if not paused and one.status not in ("locked", "failed") and not mine:
            continue
        href = f"/campaigns/{one.id}"
        icon, tone = ("pause", "") if paused else ("triangle-alert", "warn")
        verb, post = ("Resume", f"{href}/resume") if paused and may else ("Open", "")
        found.append(Task(icon, one.name, whys[one.id].sentence, href, tone, verb, post))
    return found


def _drafts(drafts: Sequence[Any], number: int) -> list[Task]:
    """Return the draft campaign to finish; several as one line, because none is urgent."""
    if number > 1:
        waits = "Nothing is sent until you start them."
        return [Task("pencil", f"{number:,} draft campaigns", waits, "/campaigns?status=draft", verb="See drafts")]
    waits = "A draft. Nothing is sent until you start it."
    return [Task("pencil", draft.name, waits, f"/campaigns/{draft.id}", verb="Open the draft") for draft in drafts]


class ThemeForm(Form):
    """The colours, and the page to return to."""

    theme = Text()
    next = Text()


@area.post("/theme")
def theme() -> Response:
    """Save the colours for this browser."""
    form = ThemeForm.posted()
    response = redirect_to_path(safe_path(form.next.data))
    chosen = form.theme.data
    keep_in_browser(response, "theme", chosen if chosen in THEMES else "")
    return response
