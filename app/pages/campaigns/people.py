"""People of a campaign: state, reason, and actions for one or many."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from flask import Response, g, request

from app.core import text
from app.core.errors import Conflict, NotFound
from app.domain.campaigns import upcoming
from app.domain.campaigns.let_in import may_be_let_in
from app.domain.leads import leads
from app.domain.leads.campaign_leads import campaign_leads, filters, why_waiting
from app.domain.leads.campaign_leads.filters import FILTERS, PERIODS, STATES, LeadFilter
from app.domain.ledger import activity
from app.domain.ledger.activity import Filter
from app.domain.rules.reasons import REASONS
from app.domain.workspace import saved_views
from app.domain.workspace.workspaces import User, Workspace
from app.pages.campaigns import frame as campaign_frame
from app.pages.campaigns.campaigns import area as campaigns_area
from app.pages.campaigns.campaigns import back_to
from app.pages.campaigns.frame import Frame
from app.pages.campaigns.tabs import AFTER, by_day
from app.pages.framework.base import htmx, redirect_to_path, render, show_toast
from app.pages.framework.forms import Form, Numbers, Text
from app.pages.framework.tables import Column, Table
from app.pages.framework.words import people_count, status_word

DO = {
    "pause": campaign_leads.pause,
    "resume": campaign_leads.resume,
    "stop": campaign_leads.stop,
    "exclude": campaign_leads.remove,
}
DONE = {"pause": "paused", "resume": "active again", "stop": "stopped", "exclude": "excluded"}
FOR_GOOD = ("stop", "exclude")
UNDO = {"pause": "resume", "resume": "pause"}
QUICK = ("uncontacted", "accepted", "replied", "positive")
TONES = {"positive": "positive", "generic": "neutral", "negative": "negative"}
CONNECTIONS = {"none": "Not connected", "sent": "Request sent", "accepted": "Connected"}


@dataclass(frozen=True)
class Row:
    """A line of the table."""

    person: Any
    lead: Any
    why: Any
    state: str
    step: str
    sender: str
    connection: str
    moves: set[str]

    @property
    def is_over(self) -> bool:
        """Return whether this person gets nothing more."""
        return self.person.state in campaign_frame.OVER


PEOPLE = Table(
    "campaign people",
    (
        Column("name", "Person", sort="name", fixed=True),
        Column("state", "State", sort="state"),
        Column("why", "Reason and time"),
        Column("company", "Company", sort="company", usual=False),
        Column("step", "Step", "at-step", sort="step"),
        Column("sender", "Sender", "opt-l"),
        Column("last", "Last action", "n last", sort="last"),
    ),
)


@campaigns_area.get("/<int:campaign_id>/people", endpoint="people")
def index(workspace: Workspace, user: User, campaign_id: int) -> Response:
    frame = campaign_frame.frame_of(workspace, campaign_id, "people")
    choice, query = choice_of(workspace)
    table = PEOPLE.read(request.args, filters.sorts(frame.stats.leads))
    page = filters.page(workspace, frame.campaign, choice, request.args, table.sort, table.downward)
    chosen, query = query, query | table.query
    rows = _rows(workspace, frame, [(row[0], row[1]) for row in page.rows])
    more = frame.people(**query, cursor=page.next_cursor) if page.next_cursor else ""
    if htmx().partial and request.args.get("cursor"):
        context: dict[str, Any] = {"frame": frame, "rows": rows, "more": more, "table": table, "query": query}
        return render("campaigns/people.html", part="campaigns/_people_rows.html", **context)
    found = filters.count(workspace, frame.campaign, choice)
    return render(
        "campaigns/people.html",
        part="campaigns/_people_found.html",
        frame=frame,
        rows=rows,
        more=more,
        found=found,
        query=query,
        chips=_chips(frame, query),
        quick=_quick(workspace, frame, query),
        only=_only(choice, query),
        table=table,
        heads=[*table.heads(lambda part: frame.people(**chosen, **part)), {"label": "Actions", "hidden": True}],
        views=saved_views.of_member(workspace, user, PEOPLE.place),
        here=urlencode(query),
    )


def choice_of(workspace: Workspace) -> tuple[LeadFilter, dict[str, str]]:
    """Return the filter of the address, and the address without unknown values."""
    args = request.args
    show, period, step = args.get("show", ""), args.get("period", ""), text.number(args.get("step", ""), most=999)
    query = {
        "show": show if show in STATES or show in FILTERS else "",
        "period": period if period in PERIODS and period != "all" else "",
        "step": str(step or ""),
        "why": args.get("why", "") if args.get("why") in REASONS else "",
        "q": " ".join(args.get("q", "").split())[:200],
    }
    query = {name: value for name, value in query.items() if value}
    choice = LeadFilter(
        query.get("show", ""),
        filters.period_start(workspace, PERIODS[query.get("period", "all")]),
        step=step - 1 if step else None,
        why=query.get("why", ""),
        q=query.get("q", ""),
    )
    return choice, query


def _chips(frame: Frame, query: dict[str, str]) -> list[dict[str, Any]]:
    """Return the state filters; the search stays."""
    states = [one for one in STATES if one != "awaiting_accept" or frame.invites]
    shown = {state: (status_word("person", state).label, getattr(frame.stats, state)) for state in states}
    chips = _links(frame, query, {"": ("All", frame.stats.leads)} | shown)
    chips[0]["current"] = not query.get("show") and not query.get("why")
    return chips


def _quick(workspace: Workspace, frame: Frame, query: dict[str, str]) -> list[dict[str, Any]]:
    """Return the filters by what people did."""
    names = [name for name in QUICK if name != "accepted" or frame.invites]
    found = filters.counts(workspace, frame.campaign, {name: LeadFilter(name) for name in names})
    return _links(frame, query, {name: (FILTERS[name][0], found[name]) for name in names})


def _links(frame: Frame, query: dict[str, str], shown: dict[str, tuple[str, int]]) -> list[dict[str, Any]]:
    kept = {name: query[name] for name in ("q", "sort", "cols") if name in query}
    here = query.get("show") if "period" not in query else None
    return [
        {"label": label, "href": frame.people(name, **kept), "current": here == name, "count": number}
        for name, (label, number) in shown.items()
        if number or not name or here == name
    ]


def _only(choice: LeadFilter, query: dict[str, str]) -> str:
    """Return in words the filters without a chip: a step, a reason, a period."""
    said = []
    if choice.show in FILTERS and (choice.show not in (*QUICK, *STATES) or "period" in query):
        said.append(FILTERS[choice.show][0] + (f" {query['step']}" if "step" in query else ""))
    if choice.why:
        said.append(campaign_frame.reason(choice.why))
    if "period" in query:
        said.append(f"in the last {query['period']} days")
    return ", ".join(said)


def _rows(workspace: Workspace, frame: Frame, found: Sequence[Any]) -> list[Row]:
    whys = why_waiting.of_people(workspace, frame.campaign, [person for person, _ in found])
    names = frame.names
    length = len(frame.campaign.sequence)
    rows = []
    for person, lead in found:
        state = f"replied_{TONES.get(person.sentiment, 'neutral')}" if person.replied else person.state
        sender = names.get(person.sender_id) or names.get(person.account_id) or names.get(person.mailbox_id) or "–"
        step = f"{min(person.step + 1, length)} of {length}"
        rows.append(
            Row(
                person,
                lead,
                whys[person.id],
                state,
                step,
                sender,
                CONNECTIONS[person.connection] if frame.on_linkedin and person.state != "awaiting_accept" else "",
                filters.allowed_moves(person) if frame.editable else set(),
            )
        )
    return rows


class PickedForm(Form):
    """The selected people and the action; `do` may name one person, as in pause:3."""

    do = Text()
    people = Numbers(name="person")
    sure = Text()


@campaigns_area.post("/<int:campaign_id>/people")
def act_on(workspace: Workspace, campaign_id: int) -> Response:
    """Pause, resume, stop or exclude the selected people; name those for which it is not possible."""
    form = PickedForm(formdata=request.values)  # the way back says in its address what to do
    verb, _, one = form.do.data.partition(":")
    picked = [text.number(one)] if one else form.people.data
    ids = [person_id for person_id in dict.fromkeys(picked) if person_id][:200]
    if verb not in DO:
        show_toast("This action isn't possible here.", "danger")
    elif not ids:
        show_toast("Select people first.", "info")
    elif verb in FOR_GOOD and not htmx() and not form.sure.data:
        frame = campaign_frame.frame_of(workspace, campaign_id, "people")
        return render("campaigns/stop.html", frame=frame, verb=verb, ids=ids, back=back_to(campaign_id))
    else:
        done, refusals = _do(workspace, campaign_id, verb, ids)
        return _done(workspace, campaign_id, verb, ids, done, refusals)
    return _done(workspace, campaign_id, verb, [], [], [])


def _do(workspace: Workspace, campaign_id: int, verb: str, ids: Sequence[int]) -> tuple[list[int], list[str]]:
    done, refusals = [], []
    for person_id in ids:
        try:
            DO[verb](workspace, campaign_id, person_id)
            done.append(person_id)
        except (Conflict, NotFound) as refusal:
            refusals.append(f"{refusal.message} {refusal.recovery}")
    return done, refusals


def _done(
    workspace: Workspace, campaign_id: int, verb: str, ids: Sequence[int], done: Sequence[int], refusals: Sequence[str]
) -> Response:
    """Show the changed lines and what happened; the whole page without scripts."""
    status = 200 if done or not ids else 409
    said = f"{people_count(len(done)).capitalize()} {DONE[verb]}." if done else ""
    if refusals:
        kinds = list(dict.fromkeys(refusals))
        show_toast(kinds[0] if len(kinds) == 1 else f"{len(refusals)} of {len(ids)} people not changed.", "warn")
    if not htmx().partial:
        if said:
            show_toast(said)
        return redirect_to_path(back_to(campaign_id))
    frame = campaign_frame.frame_of(workspace, campaign_id, "people")
    table = PEOPLE.read(request.args, filters.sorts(frame.stats.leads))
    query = choice_of(workspace)[1] | table.query
    found = [campaign_leads.get(workspace, campaign_id, each) for each in done]
    rows = _rows(workspace, frame, [(person, leads.get(workspace, person.lead_id)) for person in found])
    undo = frame.path("act_on", do=UNDO[verb], person=done) if verb in UNDO and done else ""
    return render(
        "campaigns/_acted.html",
        part="campaigns/_acted.html",
        status=status,
        frame=frame,
        rows=rows,
        said=said,
        undo=undo,
        chips=_chips(frame, query),
        query=query,
        table=table,
    )


@campaigns_area.get("/<int:campaign_id>/people/<int:person_id>")
def person(workspace: Workspace, campaign_id: int, person_id: int) -> Response:
    frame = campaign_frame.frame_of(workspace, campaign_id, "people")
    found = campaign_leads.get(workspace, campaign_id, person_id)
    lead = leads.get(workspace, found.lead_id)
    [row] = _rows(workspace, frame, [(found, lead)])
    entries, _ = activity.page(workspace, frame.campaign, Filter(person_id=person_id, limit=200))
    return render(
        "campaigns/person.html",
        frame=frame,
        row=row,
        lead=lead,
        may_let_in=g.role == "owner" and may_be_let_in(frame.campaign, found),
        days=by_day(workspace, entries[::-1]),
        senders=frame.names,
        ahead=_ahead(workspace, frame, row),
        route=campaign_frame.route_words(frame.campaign, found),
    )


def _ahead(workspace: Workspace, frame: Frame, row: Row) -> list[dict[str, Any]]:
    """Return the coming steps as this person gets them, each with its earliest time."""
    shown = campaign_frame.steps(frame.campaign)
    found = []
    for one in upcoming.upcoming_for(workspace, frame.campaign, row.person, row.lead, row.why):
        step = shown[one.index]
        note = f"Skipped: {one.skipped[0].lower()}{one.skipped[1:].rstrip('.')}" if one.skipped else ""
        found.append(
            step | {"said": one.said, "note": note or AFTER.get(one.after, ""), "when": _when(frame, one, step["when"])}
        )
    return found


def _when(frame: Frame, one: Any, wait: str) -> str:
    """Return the earliest time, or only the wait while something else has to happen first."""
    if one.skipped:
        return ""
    if one.at is None or one.after:
        return wait
    return f"{frame.clock(one.at)} at the earliest"
