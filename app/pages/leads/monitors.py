"""Monitors: make and change them, follow their runs, and decide about the people they found."""

from typing import Any

from flask import Blueprint, Response, g, request, url_for

from app.core import text
from app.core.errors import AppError, InvalidRequest
from app.domain.autopilot.monitors import fit, found_people, monitors, shown, watched_signals
from app.domain.autopilot.monitors.found_people import Decided
from app.domain.campaigns import campaigns
from app.domain.leads import lists, search_reading
from app.domain.workspace import roles
from app.domain.workspace.workspaces import Workspace
from app.pages.framework.base import error_text, may_change, redirect_to, render, show_toast, try_verb
from app.pages.framework.forms import Form, Lines, Numbers, Text, Whole
from app.pages.framework.tables import page_of
from app.pages.framework.words import people_count

area = Blueprint("monitors", __name__, url_prefix="/monitors")
TABS = {"held": "To decide", "added": "Added", "declined": "Declined", "left_out": "Left out"}
KINDS = {"search": "A search", "signal": "A signal"}
EVERY = [("day", "Every day"), ("hour", "Every hour")]
ROWS = {"titles": "Job titles", "companyType": "Company types", "size": "Company sizes", "location": "Locations"}
FACTS = {  # names of `ports.FACTS` that say something by themselves
    "started": "Started in",
    "opening": "Looking for:",
    "round": "Raised:",
    "technology": "Uses",
    "news": "In the news for",
    "visited_page": "Read the page:",
    "ended": "Subscription ended in",
}
CAMPAIGN_STATES = ("running", "paused", "scheduled", "starting", "draft", "locked")


class MonitorForm(Form):
    """What is watched, where people go, and how many."""

    PATHS = {"targeting": "titles"} | {f"targeting.{row}": row for row in ROWS}

    kind = Text(default="search")
    name = Text()
    address = Text(strip=True)
    account_id = Whole(name="accountId")
    signal = Text()
    titles = Lines()
    companyType = Lines()
    size = Lines()
    location = Lines()
    list_id = Whole(name="listId")
    campaign_id = Whole(name="campaignId")
    every = Text(default="day")
    most_per_day = Whole(name="mostPerDay", default=monitors.USUAL)

    @property
    def given(self) -> dict[str, Any]:
        """Return what the verbs take."""
        own = ("address", "account_id") if self.kind.data == "search" else ("signal",)
        names = (*own, "name", "list_id", "campaign_id", "every", "most_per_day")
        return {name: self[name].data for name in names} | {"targeting": {row: self[row].data for row in ROWS}}


class PeopleForm(Form):
    """The people who were picked, and what to do with them."""

    do = Text()
    people = Numbers(name="person")


@area.get("")
def index(workspace: Workspace) -> Response:
    page, more = page_of(shown.Monitors(workspace))
    return render(
        "monitors/index.html",
        part="monitors/_rows.html",
        page=page,
        more=more,
        lists=lists.lists_by_id(workspace, [one.monitor.list_id for one in page.rows if one.monitor.list_id]),
    )


@area.get("/new")
@may_change
def new(workspace: Workspace) -> Response:
    """Show the form of a new monitor."""
    kind = request.args.get("kind", "")
    readers = search_reading.readers(workspace)
    usual = {"account_id": readers[0].id if readers else 0, "list_id": text.number(request.args.get("list", ""))}
    return _form(workspace, MonitorForm.of(kind=kind if kind in KINDS else "search", **usual))


@area.post("")
def create(workspace: Workspace) -> Response:
    form = MonitorForm.posted()
    kind = form.kind.data if form.kind.data in KINDS else "search"
    try:
        made = monitors.create(workspace, kind=kind, **form.given)
    except InvalidRequest as refusal:
        return _form(workspace, form.take_errors(refusal), status=422)
    except AppError as refusal:
        show_toast(error_text(refusal), "danger")
        return redirect_to(".index")
    show_toast("Monitor created. Searching now.")
    return redirect_to(".show", monitor_id=made.id)


@area.get("/<int:monitor_id>/edit")
@may_change
def edit(workspace: Workspace, monitor_id: int) -> Response:
    """Show the form of a monitor, the switch to automatic, and its deletion."""
    monitor = monitors.get(workspace, monitor_id)
    names = ("kind", "name", "address", "signal", "every", "most_per_day", "account_id", "list_id", "campaign_id")
    form = MonitorForm.of(**{name: getattr(monitor, name) for name in names} | monitor.targeting)
    return _form(workspace, form, monitor)


@area.post("/<int:monitor_id>/edit")
def save(workspace: Workspace, monitor_id: int) -> Response:
    form, monitor = MonitorForm.posted(), monitors.get(workspace, monitor_id)
    form.kind.data = monitor.kind
    try:
        monitors.change(workspace, monitor_id, **form.given)
    except InvalidRequest as refusal:
        return _form(workspace, form.take_errors(refusal), monitors.get(workspace, monitor_id), status=422)
    show_toast("Saved.")
    return redirect_to(".show", monitor_id=monitor_id)


def _form(workspace: Workspace, form: MonitorForm, monitor: Any = None, status: int = 200) -> Response:
    open_ones, _ = campaigns.first_of(workspace, CAMPAIGN_STATES, campaigns.MOST_TO_CHOOSE)
    usual = fit.words_of(workspace)
    return render(
        "monitors/form.html",
        status=status,
        form=form,
        kind=form.kind.data,
        kinds=KINDS,
        monitor=monitor,
        readers=[(one.id, one.name) for one in search_reading.readers(workspace)],
        signals=[(name, one.label) for name, one in watched_signals.SIGNALS.items()],
        lists=[(one.id, one.name) for one in lists.newest(workspace)],
        campaigns=[(one.id, f"{one.name} ({one.status})") for one in open_ones],
        every=EVERY,
        most=monitors.MOST_PER_DAY,
        rows=ROWS,
        usual={row: ", ".join(words[:8]) for row, words in usual.items()},
        may_switch=g.role == "owner",
    )


@area.get("/<int:monitor_id>")
def show(workspace: Workspace, monitor_id: int) -> Response:
    """Show the runs of a monitor and the people it found, those who wait first."""
    one = shown.of(monitors.get(workspace, monitor_id))
    state = request.args.get("state", "held")
    state = state if state in TABS else "held"
    page, more = page_of(shown.People(workspace, one.monitor, state), state=state)
    held = one.counts.get("held", 0)
    looks = one.is_running or bool(one.monitor.due_at and one.monitor.due_at <= workspace.now())
    return render(
        "monitors/show.html",
        part="monitors/_people_rows.html" if request.args.get("cursor") else "monitors/_now.html",
        one=one,
        monitor=one.monitor,
        state=state,
        page=page,
        more=more,
        poll=url_for(".show", monitor_id=monitor_id, state=state, seen=_seen(held)) if looks else "",
        fresh=max(0, held - _seen(held)),
        looks=looks,
        moves=monitors.moves(one.monitor),
        tabs=[
            {
                "label": label,
                "href": url_for(".show", monitor_id=monitor_id, state=name if name != "held" else None),
                "current": name == state,
                "count": one.counts.get(name, 0),
            }
            for name, label in TABS.items()
        ],
        **_places(workspace, one.monitor),
        reason=found_people.reason,
        fact_words=FACTS,
        may=roles.may(g.role, "monitors", change=True),
        may_decide=roles.may(g.role, "approvals", change=True),
    )


def _seen(held: int) -> int:
    """Return how many people waited when the page was opened."""
    return text.number(request.args["seen"]) if request.args.get("seen") else held


def _places(workspace: Workspace, monitor: Any) -> dict[str, Any]:
    """Return the list and the campaign that the monitor fills, and the account that reads its search."""
    filled = lists.lists_by_id(workspace, [monitor.list_id] if monitor.list_id else [])
    return {
        "list": filled.get(monitor.list_id or 0),
        "campaign": campaigns.get(workspace, monitor.campaign_id) if monitor.campaign_id else None,
    }


@area.post("/<int:monitor_id>/<any(pause, resume, run):move>")
def move(workspace: Workspace, monitor_id: int, move: str) -> Response:
    """Pause or resume the monitor, or let it look now."""
    verbs = {"pause": monitors.pause, "resume": monitors.resume, "run": monitors.run_now}
    said = {"pause": "Paused.", "resume": "Resumed. Searching now.", "run": "Searching now."}
    try_verb(lambda: verbs[move](workspace, monitor_id), said[move])
    return redirect_to(".show", monitor_id=monitor_id)


@area.post("/<int:monitor_id>/automatic")
def automatic(workspace: Workspace, monitor_id: int) -> Response:
    """Let the monitor add people itself, or hold them again."""
    on = request.form.get("automatic") == "1"
    monitors.set_automatic(workspace, monitor_id, on)
    show_toast("New people are added automatically." if on else "New people wait until you decide.")
    return redirect_to(".show", monitor_id=monitor_id)


@area.post("/<int:monitor_id>/delete")
def delete(workspace: Workspace, monitor_id: int) -> Response:
    name = monitors.get(workspace, monitor_id).name
    monitors.delete(workspace, monitor_id)
    show_toast(f"“{text.shorten(name, 60)}” deleted. People that the monitor added stay in their list.")
    return redirect_to(".index")


@area.post("/<int:monitor_id>/people")
def decide(workspace: Workspace, monitor_id: int) -> Response:
    """Accept or decline the people who were picked, or everyone who waits."""
    form = PeopleForm.posted()
    do, _, who = form.do.data.partition("-")
    picked = [text.number(who)] if who.isdigit() else [one for one in form.people.data if one]
    ids = None if who == "all" else picked
    if do not in ("accept", "decline") or ids == []:
        show_toast("Select people first.", "info")
        return _back(monitor_id)
    try:
        done = found_people.decide(workspace, monitor_id, do == "accept", ids)
    except AppError as refusal:
        if refusal.code == "not_found":
            raise
        show_toast(error_text(refusal), "danger")
    else:
        show_toast(_decision_text(do, done), "warn" if done.left_out else "ok" if done.changed else "info")
    return _back(monitor_id)


def _decision_text(do: str, done: Decided) -> str:
    said = [f"{people_count(done.changed)} {'accepted' if do == 'accept' else 'declined'}."]
    said += [f"{people_count(number)} left out: {why}." for _, why, number in shown.reasons(done.left_out)]
    if done.skipped:
        said.append(f"Already decided before: {people_count(done.skipped)}.")
    return " ".join(said)


def _back(monitor_id: int) -> Response:
    state = request.args.get("state", "")
    return redirect_to(".show", monitor_id=monitor_id, state=state if state in TABS else None)
