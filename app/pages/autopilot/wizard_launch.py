"""The wizard's later steps: channel, plays and launch."""

from collections.abc import Sequence
from typing import Any

from flask import Response, g, request

from app.core import installation
from app.core.errors import AppError, InvalidRequest
from app.domain.approvals import approvals, reading
from app.domain.autopilot import launch as autopilot_launch
from app.domain.autopilot import play_steps, plays, setup, setup_state
from app.domain.billing import credits
from app.domain.campaigns import campaigns
from app.domain.installation.sandbox import first_days, sandbox_clock
from app.domain.leads.campaign_leads import why_waiting
from app.domain.rules.step_kinds import STEPS
from app.domain.senders import accounts, standing
from app.domain.workspace import roles
from app.domain.workspace.workspaces import Workspace
from app.pages.approvals import wording
from app.pages.autopilot.plays import chosen_list
from app.pages.autopilot.wizard import NUMBERS, forward, open_to, show
from app.pages.autopilot.wizard import area as wizard
from app.pages.framework.base import error_text, htmx, redirect_to_path, render, try_verb
from app.pages.framework.forms import Form, Text, Tick
from app.pages.framework.words import many


def _too_early(view: setup.View, slug: str) -> Response | None:
    return redirect_to_path("/autopilot") if open_to(view) < NUMBERS[slug] else None


@wizard.get("/autopilot/reach")
def reach(workspace: Workspace) -> Response:
    view = setup.view(workspace)
    return _too_early(view, "reach") or _reach(workspace, view)


class ReachForm(Form):
    PATHS = {"offer.kind": "offer", "offer.text": "offer_text"}
    channel = Text()
    country = Text()
    offer = Text(default="call")
    offer_text = Text(name="offerText")


def _reach(workspace: Workspace, view: setup.View, sent: ReachForm | None = None) -> Response:
    found = view.setup
    offer = found.offer or {"kind": "call", "text": ""}
    channel = found.channel or setup_state.usual_channel(workspace)
    kept = ReachForm.of(channel=channel, country=found.country, offer=offer["kind"], offer_text=offer["text"])
    return show(workspace, "reach", view, 422 if sent else 200, form=sent or kept)


@wizard.post("/autopilot/reach")
def answer_reach(workspace: Workspace) -> Response:
    """Save the answers and start designing plays."""
    form = ReachForm.posted()
    offer = {"kind": form.offer.data, "text": form.offer_text.data if form.offer.data == "other" else ""}
    try:
        setup.save(workspace, channel=form.channel.data, country=form.country.data, offer=offer)
    except InvalidRequest as refusal:
        return _reach(workspace, setup.view(workspace), form.take_errors(refusal))
    return forward(workspace, "reach")


@wizard.get("/autopilot/plays")
def designed(workspace: Workspace) -> Response:
    """Show the plays while they are built and when they are ready for review."""
    view = setup.view(workspace)
    at_work = any(play.status in ("finding", "writing") or play.build for play in view.plays)
    shown: dict[str, Any] = {
        "moves_of": plays.moves,
        "kinds": play_steps.IN_A_CAMPAIGN,
        "without_people": autopilot_launch.without_people(workspace, [play.angle for play in view.plays]),
        "at_work": at_work or bool(view.setup.phase),
    }
    return _too_early(view, "plays") or show(workspace, "plays", view, **shown)


@wizard.post("/autopilot/plays")
def design(workspace: Workspace) -> Response:
    """Design all plays again, or continue."""
    if request.form.get("do") != "again":
        return forward(workspace, "plays")
    try_verb(lambda: setup.design(workspace))
    return redirect_to_path("/autopilot/plays")


@wizard.post("/autopilot/plays/<int:play_id>/retry")
def retry(workspace: Workspace, play_id: int) -> Response:
    """Build a failed play again."""
    try_verb(lambda: plays.retry(workspace, play_id))
    return redirect_to_path("/autopilot/plays")


@wizard.get("/autopilot/launch")
def launch(workspace: Workspace) -> Response:
    """Show what is ready, what is missing, and what a launch does."""
    view = setup.view(workspace)
    if not _ready(view) and any(play.campaign_id for play in view.plays):
        return redirect_to_path("/autopilot/launched")
    return _too_early(view, "launch") or _launch(workspace, view)


def _launch(workspace: Workspace, view: setup.View, status: int = 200, blocked: str = "") -> Response:
    chosen = _ready(view)
    goes_to = [(play, autopilot_launch.audiences(workspace, play.angle)) for play in chosen]
    senders = [one for one in accounts.every(workspace) if one.active and one.status == "connected"]
    senders = _needed(senders, chosen)
    return show(
        workspace,
        "launch",
        view,
        status,
        chosen=chosen,
        goes_to=goes_to,
        sending=[(play, wording.sending(play_steps.campaign_steps(play.steps))) for play in chosen],
        searchless=any(not one.found for _, one in goes_to),
        checks=_checks(workspace, view, chosen),
        paces=standing.pace(senders, workspace.now()),
        senders=len(senders),
        no_links=installation.no_links(one.channel == "email" for one in senders),
        blocked=blocked,
    )


def _needed(senders: Sequence[Any], chosen: Sequence[Any]) -> list[Any]:
    """Return the senders that the chosen plays use; all of them before a play is chosen."""
    kinds = {play_steps.IN_A_CAMPAIGN[step["kind"]] for play in chosen for step in play.steps}
    channels = {STEPS[kind].channel for kind in kinds}
    return [one for one in senders if not channels or one.channel in channels]


def _ready(view: setup.View) -> list[Any]:
    return [play for play in view.plays if play.status == "review" and play.approved_at]


def _checks(workspace: Workspace, view: setup.View, chosen: list[Any]) -> list[dict[str, Any]]:
    """Return what is ready or missing before a launch, and where what is missing is mended."""
    social, email = view.senders["social"], view.senders["email"]
    boxes = many(email, "mailbox", "mailboxes")
    only_email = bool(chosen) and all(play.channel == "email" for play in chosen)
    connected = boxes if only_email else f"{many(social, 'LinkedIn account')}, {boxes}"
    names = ", ".join(play.name for play in chosen)
    paid = [one for one in chosen if not autopilot_launch.without_people(workspace, [one.angle])]
    price = sum(play.credits_per_lead * min(play.audience, autopilot_launch.MOST_PEOPLE) for play in paid)
    free = credits.balance(workspace).free
    cost = f"{free:,} available, {min(price, free):,} needed at most" if price else "These plays use no credits"
    can_send = bool(email if only_email else social or email)
    several = (
        ("Senders connected", connected, can_send, "/senders", "Connect a sender"),
        ("Play approved", names or "None yet", bool(chosen), "/autopilot/plays", "Review a play"),
        ("Credits", cost, not price or free > 0, "/settings/credits", "See the credits"),
        ("Do not contact", f"{view.never_contact:,} excluded", True, "/never-contact", "See the list"),
    )
    return [dict(zip(("title", "detail", "ok", "href", "fix"), one, strict=True)) for one in several]


@wizard.post("/autopilot/launch")
def start(workspace: Workspace) -> Response:
    """Launch every approved play."""
    view = setup.view(workspace)
    chosen = _ready(view)
    if not chosen:
        return _launch(workspace, view, 409, blocked="Approve a play first.")
    lists = {f"list_{play.id}": Text(name=f"list-{play.id}") for play in chosen}
    launch_form: type[Form] = type("LaunchForm", (Form,), {"approval": Tick(), **lists})
    form = launch_form.posted()
    try:
        for play in chosen:
            list_id = chosen_list(form[f"list_{play.id}"].data)
            autopilot_launch.launch(workspace, play.id, approval=form["approval"].data, list_id=list_id)
    except AppError as refusal:
        return _launch(workspace, setup.view(workspace), 409, blocked=error_text(refusal))
    return redirect_to_path("/autopilot/launched")


@wizard.get("/autopilot/launched")
def launched(workspace: Workspace) -> Response:
    """Show what was launched; in the sandbox the first days go by, and end in the inbox."""
    days = first_days.view(workspace)
    if days and days.reply and request.args.get("then") == "inbox":
        return redirect_to_path(f"/conversations/{days.reply.conversation_id}")
    return show_launched(workspace, days)


def show_launched(workspace: Workspace, days: first_days.FirstDays | None) -> Response:
    """Render the launched plays."""
    view = setup.view(workspace)
    on_the_way = [play for play in view.plays if play.campaign_id]
    if not on_the_way:
        return redirect_to_path("/autopilot")
    launched = [campaigns.get(workspace, play.campaign_id or 0) for play in on_the_way]
    by_campaign = why_waiting.of_campaigns(workspace, launched)
    whys = {play.id: by_campaign[play.campaign_id or 0] for play in on_the_way}
    filling = any(play.build for play in on_the_way)
    state = _state(workspace, days, filling) if days else ""
    return render(
        "autopilot/launched.html",
        part="autopilot/_launched.html",
        plays=on_the_way,
        whys=whys,
        filling=filling,
        drafts=approvals.count(workspace),
        days=days,
        state=state,
        reading=reading.look(workspace, first_days.launched_campaigns(workspace)) if state == "drafts" else None,
        may_decide=roles.may(g.role, "autopilot", change=True),
        to_inbox=bool(days and days.reply and htmx().partial),
    )


def _state(workspace: Workspace, days: first_days.FirstDays, filling: bool) -> str:
    """Return what the first days wait for; `ready` begins by itself."""
    skip = sandbox_clock.latest_skip(workspace)
    if days.reply:
        return "replied"
    if skip and skip.running:
        return "moving"
    if filling:
        return "building"
    if days.waits:
        return "drafts"
    if skip and skip.watched and skip.stopped:
        return "stopped"
    quiet = skip and skip.watched and skip.goal <= workspace.now()
    return ("drafts" if days.drafts else "quiet") if quiet else "ready"
