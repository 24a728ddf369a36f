"""Campaigns: list, statistics, and the start, pause and end buttons."""

from typing import Any
from urllib.parse import parse_qs

from flask import Blueprint, Response, request, url_for

from app.core import installation, text
from app.core.db import session
from app.core.errors import (
    AppError,
    Conflict,
    InvalidRequest,
    PlanLimitExceeded,
    SubscriptionRequired,
    WorkspaceSuspended,
)
from app.domain.approvals import approvals, release
from app.domain.autopilot import play_changes
from app.domain.campaigns import campaigns, exclusion_preview, statistics, variants
from app.domain.enrichment import address_checks
from app.domain.leads import lists
from app.domain.leads.campaign_leads import filters
from app.domain.leads.campaign_leads.filters import FILTERS, PERIODS
from app.domain.ledger.charts import Chart
from app.domain.people.exclusions import company_holds, contact_settings
from app.domain.rules.contact_rules import ContactRules
from app.domain.senders import accounts
from app.domain.workspace import saved_views
from app.domain.workspace.workspaces import User, Workspace
from app.pages.approvals import wording
from app.pages.campaigns import frame as campaign_frame
from app.pages.campaigns import variant_view
from app.pages.campaigns.frame import Frame, Notice
from app.pages.framework import charts
from app.pages.framework.base import (
    came_from,
    htmx,
    redirect_to,
    redirect_to_path,
    render,
    show_toast,
    unless_unchanged,
)
from app.pages.framework.tables import Column, Table, chips
from app.pages.framework.words import STATUS_WORDS, people_count, share, status_word

area = Blueprint("campaigns", __name__, url_prefix="/campaigns")

MOVES = {"start": campaigns.start, "pause": campaigns.pause, "resume": campaigns.resume, "cancel": campaigns.cancel}
SAID = {
    "pause": "Paused. Nothing is sent until you resume.",
    "resume": "Resumed.",
    "cancel": "Campaign ended. Nothing else will be sent.",
}
STARTED = {
    "starting": "Started. People are being enrolled.",
    "scheduled": "Scheduled. The campaign starts on its first day.",
}
REFUSALS = (Conflict, InvalidRequest, PlanLimitExceeded, SubscriptionRequired, WorkspaceSuspended)


TABLE = Table(
    "campaigns",
    (
        Column("name", "Name", sort="name", fixed=True),
        Column("status", "Status", sort="status"),
        Column("progress", "Progress"),
        Column("people", "People", "n opt-m", sort="people"),
        Column("messages", "Messages", "n opt-l", sort="messages", usual=False),
        Column("accepted", "Accepted", "n", sort="accepted"),
        Column("replies", "Replies", "n", sort="replies"),
        Column("positive", "Positive", "n", sort="positive"),
        Column("senders", "Senders", "opt-l"),
        Column("started", "Started", "n opt-m", sort="started"),
    ),
)


@area.get("")
def index(workspace: Workspace, user: User) -> Response:
    """Show the campaigns; for htmx those that a search finds, or their next page."""
    status, words = request.args.get("status", ""), text.squeeze(request.args.get("q", ""))[:200]
    status = status if status in STATUS_WORDS["campaign"] else ""
    filters = {name: value for name, value in (("status", status), ("q", words)) if value}
    found = campaigns.table(workspace, status, words)
    page, seen = TABLE.page(workspace, "/campaigns", found, campaigns.SORTS, filters, _without(workspace))
    rows = _rows(workspace, page)
    if not seen["table"].sort:
        rows.sort(key=lambda row: not (row["drafts"] or row["held"]))
    seen |= {"rows": rows, "heads": [*seen["heads"], {"label": "Actions", "hidden": True}]}
    if htmx().partial and request.args.get("cursor"):
        return render("campaigns/index.html", part="campaigns/_rows.html", **seen)
    counts = campaigns_by_status(workspace)
    return render(
        "campaigns/index.html",
        part="campaigns/_searched.html",
        **seen,
        views=saved_views.of_member(workspace, user, TABLE.place),
        chips=_chips(counts, seen["query"]),
        total=sum(counts.values()),
        held=company_holds.count(workspace),
        has_people=any(found.lead_count for found in session().scalars(lists.people_lists(workspace))),
    )


def _without(workspace: Workspace) -> list[str]:
    """Return the columns that have nothing to show."""
    return [] if any(one.channel == "social" for one in accounts.every(workspace)) else ["accepted"]


def _chips(counts: dict[str, int], query: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the filter by status; search, order and columns stay."""
    labels = {"": "All"} | {status: status_word("campaign", status).label for status in counts}
    numbers = [sum(counts.values()), *counts.values()]
    found = chips("/campaigns", query, "status", labels)
    return [chip | {"count": number} for chip, number in zip(found, numbers, strict=True)]


def campaigns_by_status(workspace: Workspace) -> dict[str, int]:
    """Return the number of campaigns in each status, in the order of the page."""
    found = statistics.campaigns_by_status(workspace)
    return {status: found[status] for status in STATUS_WORDS["campaign"] if found.get(status)}


def _rows(workspace: Workspace, found: Any) -> list[dict[str, Any]]:
    ids = [campaign.id for campaign in found]
    stats, drafts = campaigns.stats(workspace, ids), approvals.by_campaign(workspace, ids)
    names, wanted = accounts.names(accounts.every(workspace)), statistics.wanted(stats)
    held = company_holds.held_in(workspace)
    drafted = lists.lists_by_id(workspace, [one.list_id or 0 for one in found if one.status == "draft"])
    return [
        {
            "campaign": one,
            "list": drafted.get(one.list_id or 0) if one.status == "draft" else None,
            "stats": stats[one.id],
            "drafts": drafts.get(one.id, 0),
            "held": held.get(one.id, 0),
            "wanted": wanted[one.id],
            "senders": list(dict.fromkeys(names[by] for by in one.sender_ids if by in names)),
            "live": one.status in ("starting", "running"),
        }
        for one in found
    ]


@area.get("/<int:campaign_id>/row")
def row(workspace: Workspace, campaign_id: int) -> Response:
    """Show one line of the table."""
    campaign = campaigns.get(workspace, campaign_id)
    if not htmx().partial:
        return redirect_to("pages.campaigns.show", campaign_id=campaign_id)
    table = TABLE.read(request.args, [], _without(workspace))
    return render("campaigns/_row.html", row=_rows(workspace, [campaign])[0], table=table, query=table.query)


@area.get("/<int:campaign_id>")
def show(workspace: Workspace, campaign_id: int) -> Response:
    return overview(workspace, campaign_id)


def overview(workspace: Workspace, campaign_id: int, refusal: AppError | None = None) -> Response:
    """Render the overview, with a refusal on top if there is one."""
    frame = campaign_frame.frame_of(workspace, campaign_id, "overview")
    status = 200 if refusal is None else 422 if refusal.status == 400 else refusal.status
    if frame.campaign.status == "draft":
        context = _draft(workspace, frame)
        return render("campaigns/draft.html", frame=frame, refusal=refusal, status=status, **context)
    if compared := variants.compare(workspace, frame.campaign):
        frame.notices += variant_view.offer(frame, compared)
    if play := play_changes.of_campaign(workspace, frame.campaign):
        frame.notices.append(
            Notice("Written before you corrected your profile.", href=f"/plays/{play.id}", label="Open the play")
        )
    period = _period(frame)
    context = _numbers(workspace, frame, period)
    response = render(
        "campaigns/show.html",
        part="campaigns/_overview_part.html",
        status=status,
        frame=frame,
        period=period,
        refusal=refusal,
        **context,
    )
    return unless_unchanged(response) if request.method == "GET" else response


def _period(frame: Frame) -> str:
    """Return the period in the address, also of the page whose button was pressed."""
    here = parse_qs(text.url_parts(str(htmx().current_url or "")).query).get("period", [""])[0]
    asked = request.args.get("period") or here
    return asked if asked in PERIODS else "all" if frame.ended else "30"


def _numbers(workspace: Workspace, frame: Frame, period: str) -> dict[str, Any]:
    campaign, days = frame.campaign, PERIODS[period]
    chart = statistics.chart(workspace, campaign, days)
    whole, totals = statistics.totals(workspace, campaign, frame.stats, days)
    return {
        "chart": chart,
        "days": charts.days(chart),
        "legend": charts.legend(chart, lambda name: frame.people(name, period=period)),
        "tiles": _tiles(frame, totals, chart, period),
        "funnel": [
            {"label": label, "count": count, "href": frame.people(name)}
            for label, name, count in statistics.funnel(campaign, frame.stats.leads, whole)
        ],
        "tones": [
            {"label": name.capitalize(), "count": whole[name], "tone": tone, "href": frame.people(name)}
            for name, tone in zip(statistics.TONES, ("ok", "neutral", "danger"), strict=True)
        ],
        "standings": filters.position_counts(workspace, campaign),
        "uncontacted": whole["uncontacted"],
        "now": workspace.now(),
    }


def _tiles(frame: Frame, totals: statistics.Totals, chart: Chart, period: str) -> list[dict[str, Any]]:
    """Return the numbers on top, each with the people it counts; what went wrong comes last, if anything did."""
    now, before = totals.now, totals.before or {}

    def people(name: str) -> dict[str, Any]:
        return {"people": now[name], "href": frame.people(name, period=period)}

    def rate(part: str, whole: str) -> dict[str, Any]:
        shown = share(now[part], now[whole]) if now[part] <= now[whole] else now[part]
        change = charts.share_delta(now[part], now[whole], before.get(part, 0), before.get(whole, 0))
        base = f" out of {now[whole]:,} {'requests' if whole == 'invited' else whole}" if now[part] else ""
        return {"value": shown, **change, **people(part), "rest": base}

    mails = "email" in campaigns.budgets(frame.campaign)
    troubles = [name for name in statistics.TROUBLE if mails or name != "bounced"]
    contacted = {"value": now["contacted"], **charts.growth(now["contacted"], before.get("contacted", 0))}
    positive = {"value": now["positive"], **charts.delta(now["positive"], before.get("positive"))}
    of_contacted = f", {share(now['positive'], now['contacted'])} of contacted" if now["positive"] else ""
    second = {"label": "Accepted", **rate("accepted", "invited")}
    if not statistics.invites(frame.campaign):
        second = {"label": "Messages sent", "value": chart.sums[0]}
    return [
        {"label": "People contacted", **contacted, **people("contacted"), "rest": f" out of {frame.stats.leads}"},
        second,
        {"label": "Replied", **rate("replied", "contacted")},
        {"label": "Positive replies", **positive, **people("positive"), "rest": of_contacted},
        *({"label": FILTERS[name][0], "value": now[name], **people(name)} for name in troubles if now[name]),
    ]


def _draft(workspace: Workspace, frame: Frame) -> dict[str, Any]:
    campaign = frame.campaign
    first = release.first_people(workspace, campaign.approval)
    sending = wording.sending(campaign.sequence, campaign.approval or first > 0)
    mails = campaign.list_id and "email" in campaigns.budgets(campaign)
    checked = address_checks.of_lists(workspace, [campaign.list_id]) if mails else None
    steps = campaign_frame.steps(campaign)
    shown = {"steps": steps, "sending": sending, "checked": checked, "no_links": installation.no_links([mails])}
    return shown | left_out_of(workspace, campaign) | {"asked": "start" in request.args, "first": first}


def left_out_of(
    workspace: Workspace, campaign: Any, most: int = exclusion_preview.CHUNK, **before: Any
) -> dict[str, Any]:
    """Return who is left out of a campaign that has not started, and where to count on, on top of what was counted."""
    counted = exclusion_preview.count(workspace, campaign, most=most, **before)
    found = lists.lists_by_id(workspace, [campaign.list_id]) if campaign.list_id else {}
    named = accounts.names(accounts.every(workspace))
    so_far: dict[str, Any] = {"after": counted.after, "checked": counted.checked, **counted.reasons}
    return {
        "campaign": campaign,
        "counted": counted,
        "list": found.get(campaign.list_id),
        "hear_from": ", ".join(named[one] for one in campaign.sender_ids if one in named),
        "reason": campaign_frame.reason,
        "on": "" if counted.complete else url_for("pages.campaigns.left_out", campaign_id=campaign.id, **so_far),
        "rules_line": rules_in_words(contact_settings.of_campaign(workspace, campaign)),
    }


def rules_in_words(exclude: dict[str, Any]) -> str:
    """Return who is left out in one line."""
    rules = ContactRules.of(exclude)
    said = ", ".join(rules.in_words(bool(exclude.get("company_stop"))))
    return said[:1].upper() + said[1:] or "No one except people on the do-not-contact list"


@area.post("/<int:campaign_id>/<any(start, pause, resume, cancel):move>")
def act(workspace: Workspace, campaign_id: int, move: str) -> Response:
    """Pause, resume, start or end the campaign, or show why that is not possible."""
    try:
        campaign = MOVES[move](workspace, campaign_id)
    except REFUSALS as refusal:
        return overview(workspace, campaign_id, refusal)
    enrolled = campaigns.stats(workspace, [campaign.id])[campaign.id].leads
    said = SAID.get(move) or STARTED.get(campaign.status) or f"Started with {people_count(enrolled)}."
    back = {"pause": "resume", "resume": "pause"}.get(move)
    show_toast(said, undo=f"/campaigns/{campaign_id}/{back}" if back else "")
    return overview(workspace, campaign_id) if htmx().partial else redirect_to_path(back_to(campaign_id))


def back_to(campaign_id: int) -> str:
    """Return the page whose button was pressed: the campaign's, the table or Home."""
    own = f"/campaigns/{campaign_id}"
    path = came_from(own)
    is_theirs = path.startswith(own) and "/edit" not in path
    return path if is_theirs or path.partition("?")[0] in ("/", "/campaigns") else own


@area.post("/<int:campaign_id>/duplicate")
def duplicate(workspace: Workspace, campaign_id: int) -> Response:
    """Create a draft with the same list, senders, steps and hours."""
    copy = campaigns.duplicate(workspace, campaign_id)
    show_toast("Copied as a draft. Nothing is sent until you start it.")
    return redirect_to("pages.campaigns.edit", campaign_id=copy.id)


@area.post("/<int:campaign_id>/delete")
def delete(workspace: Workspace, campaign_id: int) -> Response:
    """Delete a draft or an ended campaign."""
    name = campaigns.get(workspace, campaign_id).name
    campaigns.delete(workspace, campaign_id)
    show_toast(f"“{name}” deleted.")
    return redirect_to("pages.campaigns.index")
