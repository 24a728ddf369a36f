"""The other tabs of a campaign: steps, activity and settings."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from flask import Response, g, request

from app.core import text
from app.core.errors import InvalidRequest
from app.domain.approvals import approvals
from app.domain.approvals.approvals import Filters
from app.domain.campaigns import campaigns, statistics, variants
from app.domain.campaigns.changes import change_lists
from app.domain.leads import lists
from app.domain.ledger import activity as ledger_activity
from app.domain.ledger.activity import Cursor, Entry, Filter
from app.domain.people.exclusions import contact_settings
from app.domain.rules.step_kinds import action_words
from app.domain.workspace.workspaces import Workspace
from app.pages.campaigns import frame as campaign_frame
from app.pages.campaigns import variant_view
from app.pages.campaigns.campaigns import area as campaigns_area
from app.pages.campaigns.campaigns import rules_in_words
from app.pages.campaigns.reply_rules import rule_lines
from app.pages.framework import words
from app.pages.framework.base import errors_of, htmx, redirect_to, render, show_toast

KINDS = (
    ("", "All"),
    ("invites", "Connection requests"),
    ("accepted", "Accepted"),
    ("messages", "Messages"),
    ("emails", "Emails"),
    ("reactions", "Reactions"),
    ("replies", "Replies"),
    ("failures", "Failures"),
)
ON_LINKEDIN = ("invites", "accepted", "messages", "reactions")
AFTER_REPLY = "after_reply_"  # kinds of events of what a campaign does because a reply has a tone
TONES = {"positive": ("ok", "Positive"), "negative": ("danger", "Negative"), "generic": ("neutral", "Neutral")}
AFTER = {"accepted": "After they accept", "resumed": "After you resume", "profile": "When a profile is known"}


@campaigns_area.get("/<int:campaign_id>/sequence")
def sequence(workspace: Workspace, campaign_id: int) -> Response:
    """Show each step with the people reached, waiting there, and their results."""
    frame = campaign_frame.frame_of(workspace, campaign_id, "sequence")
    rows = statistics.steps(workspace, frame.campaign)
    behind = statistics.finished_sequence(frame.campaign)
    ending = f"{words.people_count(behind)} may still reply" if behind else ""
    shown = campaign_frame.steps(frame.campaign, rows)
    for place, found in variants.compare(workspace, frame.campaign).items():
        shown[place]["compared"] = variant_view.shown(frame, found)
    return render("campaigns/sequence.html", frame=frame, steps=shown, ending=ending)


@campaigns_area.get("/<int:campaign_id>/activity")
def activity(workspace: Workspace, campaign_id: int) -> Response:
    """Show the log, newest first; filtered by kind or sender."""
    frame = campaign_frame.frame_of(workspace, campaign_id, "activity")
    kind, sender_id = request.args.get("kind", ""), text.number(request.args.get("sender", "")) or None
    kind = kind if kind in ledger_activity.KINDS else ""
    place = Cursor.of(request.args.get("cursor", ""))
    entries, cursor = ledger_activity.page(workspace, frame.campaign, Filter(kind, sender_id, place=place))
    query: dict[str, Any] = {name: value for name, value in (("kind", kind), ("sender", sender_id)) if value}
    days = by_day(workspace, entries)
    more = frame.path("activity", **query, cursor=cursor, day=days[-1][0]) if cursor else ""
    context: dict[str, Any] = {
        "frame": frame,
        "days": days,
        "senders": frame.names,
        "more": more,
        "last_day": request.args.get("day", ""),
    }
    if htmx().partial:
        return render("campaigns/activity.html", part="campaigns/_log.html", level=2, **context)
    context |= {"kind": kind, "kinds": _kinds(frame), "sender_id": sender_id, "query": query}
    return render("campaigns/activity.html", **context)


def _kinds(frame: campaign_frame.Frame) -> list[tuple[str, str]]:
    """Return the kinds to filter by; those of LinkedIn only where the campaign has such steps."""
    return [one for one in KINDS if one[0] not in ON_LINKEDIN or frame.on_linkedin]


def by_day(workspace: Workspace, entries: Sequence[Entry]) -> list[tuple[str, list[dict[str, Any]]]]:
    """Group the entries by day."""
    today = workspace.now().astimezone(g.zone).date()

    def name(entry: Entry) -> str:
        local = entry.at.astimezone(g.zone).date()
        return {0: "Today", 1: "Yesterday"}.get((today - local).days, words.day(entry.at, g.zone))

    return [(day, [line(entry) for entry in group]) for day, group in groupby(entries, key=name)]


def line(entry: Entry) -> dict[str, Any]:
    """Return an entry as the log shows it: icon, tone, and the words around the person's name."""
    shown: dict[str, Any] = {"entry": entry, "what": "", "time": f"{entry.at.astimezone(g.zone):%H:%M}", "badge": None}
    if entry.kind == "accepted":
        return shown | {"icon": "user-check", "tone": "ok", "before": "", "after": "accepted the connection request"}
    if entry.kind == "variant":
        chosen = "was taken back" if entry.state == "undone" else "is used for everyone else"
        by = ", automatically" if entry.automatic and entry.state != "undone" else ""
        after = f"{chosen}, step {(entry.step or 0) + 1}{by}"
        return shown | {"icon": "check", "tone": "ok", "before": "", "what": f"Variant {entry.variant}", "after": after}
    if entry.kind == "received":
        after = "is out of the office" if entry.automatic else "replied"
        return shown | {
            "icon": "reply",
            "tone": "ok" if entry.sentiment == "positive" else "",
            "before": "",
            "after": after,
            "badge": TONES.get(entry.sentiment),
        }
    if entry.kind.startswith(AFTER_REPLY):
        return shown | _after_reply(entry)
    said = action_words(entry.kind)
    channel = "" if entry.kind == "withdraw" else words.step_word(entry.kind).channel
    shown |= {"icon": said.icon, "tone": channel, "before": said.did, "after": "", "badge": None}
    if entry.state == "failed":
        return shown | {"icon": "circle-x", "tone": "danger", "before": f"could not {said.do}"}
    if entry.state == "unknown":
        return shown | {"badge": ("warn", "Not confirmed")}
    if entry.state == "sending":
        return shown | {"badge": ("info", "In progress")}
    if entry.state == "skipped":
        icon = "user-check" if entry.kind == "connection_request" else said.icon
        return shown | {"icon": icon, "tone": "", "before": words.needless(entry.kind, entry.error), "badge": None}
    if entry.state == "again":
        return shown | {"before": f"will retry to {said.do}"}
    return shown


def _after_reply(entry: Entry) -> dict[str, Any]:
    """Return what was done because a reply had a tone, as the log shows it."""
    icon, said = {
        "tag": ("tag", f"got the tag {entry.subject} after the reply"),
        "list": ("list", f"was added to {entry.subject or 'a list'} after the reply"),
        "task": ("square-check", f"replied, task created: {entry.subject}"),
        "alert": ("bell", "replied, you were notified" + (f": {entry.subject}" if entry.subject else "")),
    }[entry.kind.removeprefix(AFTER_REPLY)]
    return {"icon": icon, "tone": "danger" if entry.error else "", "before": "", "after": said}


@campaigns_area.get("/<int:campaign_id>/settings")
def settings(workspace: Workspace, campaign_id: int) -> Response:
    return _settings(workspace, campaign_id)


@campaigns_area.post("/<int:campaign_id>/settings")
def rename(workspace: Workspace, campaign_id: int) -> Response:
    try:
        campaigns.rename(workspace, campaign_id, request.form.get("name", ""))
    except InvalidRequest as refusal:
        return _settings(workspace, campaign_id, refusal)
    show_toast("Name saved.")
    return redirect_to("pages.campaigns.settings", campaign_id=campaign_id)


def _settings(workspace: Workspace, campaign_id: int, refusal: InvalidRequest | None = None) -> Response:
    frame = campaign_frame.frame_of(workspace, campaign_id, "settings")
    campaign = frame.campaign
    listed = change_lists.list_ids(campaign)
    found = lists.lists_by_id(workspace, listed)
    return render(
        "campaigns/settings.html",
        drafts=approvals.count(workspace, Filters(status="pending", campaign_id=campaign_id)),
        status=422 if refusal else 200,
        frame=frame,
        lists=[found[one] for one in listed if one in found],
        rules=rule_lines(workspace, campaign),
        rules_line=rules_in_words(contact_settings.of_campaign(workspace, campaign)),
        name=request.form.get("name", "") if refusal else campaign.name,
        errors=errors_of(refusal),
    )
