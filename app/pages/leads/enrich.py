"""Find email addresses and phone numbers for a list: cost and progress."""

from collections.abc import Iterator, Sequence
from typing import Any

import sqlalchemy as sa
from flask import Blueprint, Response, request, url_for

from app.core import text
from app.core.errors import InvalidRequest, NotFound, NotSupported, PlanLimitExceeded
from app.domain.billing import credits
from app.domain.enrichment import address_checks, enrichment
from app.domain.leads import lists
from app.domain.workspace.workspaces import Workspace
from app.pages.framework.base import error_text, htmx, redirect_to, render, show_toast
from app.pages.framework.words import many
from app.pages.leads import people_filter

area = Blueprint("enriching", __name__, url_prefix="/lists/<int:list_id>/look-ups")
WAYS = {"email": "emails", "phone": "phone numbers", "both": "emails and phone numbers"}
UNDER_WAY = ("queued", "running")


def of_list(workspace: Workspace, found: Any, shown: Sequence[Any]) -> dict[str, Any]:
    """Return what a list's page shows of lookups: the progress, and who was not found."""
    run = enrichment.latest(workspace, found.id)
    looked = enrichment.lookups_of_leads(workspace, [lead.id for lead in shown])
    return {
        "run": _progress(found.id, run) if run and run.state in UNDER_WAY else None,
        "not_found": {key for key, lookup in looked.items() if lookup.state == "missed"},
    }


def _chosen(workspace: Workspace, list_id: int) -> tuple[list[int], dict[str, Any], sa.Select[Any] | None]:
    """Return who is selected, the filter, and the people to look up: those selected, else found; None for all."""
    picked, filters = people_filter.picked(request.values), people_filter.read(request.values)
    if not picked and not filters:
        return picked, filters, None
    narrowed = {"picked": picked} if picked else people_filter.narrow(filters)
    return picked, filters, lists.contact_coverage(workspace, list_id, **narrowed)


def _ways(lacking: dict[str, int]) -> Iterator[tuple[str, str, int]]:
    """Yield what can be looked up, with the label of its button and the most that it costs."""
    for what, kinds in enrichment.WHAT.items():
        if all(lacking[kind] for kind in kinds):
            most = sum(lacking[kind] * credits.CONTACT_PRICES[kind] for kind in kinds)
            wanted = many(lacking[what], WAYS[what].removesuffix("s")) if what in lacking else what
            yield what, f"Find {wanted} · up to {many(most, 'credit')}", most


def _progress(list_id: int, run: Any) -> dict[str, Any]:
    """Return how far a run is, and the address to poll."""
    done = run.queued - run.left_over
    poll = url_for("pages.enriching.show", list_id=list_id, run_id=run.id) if run.state in UNDER_WAY else ""
    return {
        "of": run,
        "done": done,
        "pct": int(100 * done / run.queued) if run.queued else 0,
        "poll": poll,
        "what": WAYS[run.what],
    }


@area.get("")
def offer(workspace: Workspace, list_id: int) -> Response:
    """Show what can be looked up, for whom and at what cost."""
    return _offer_page(workspace, list_id)


def _offer_page(workspace: Workspace, list_id: int, refusal: Any = None) -> Response:
    found, (picked, filters, people) = lists.get_list(workspace, list_id), _chosen(workspace, list_id)
    lacking = enrichment.quote(workspace, list_id, people)
    return render(
        "lists/look_up.html",
        status=refusal.status if refusal else 200,
        list=found,
        picked=picked,
        filters=filters,
        number=found.lead_count if people is None else lists.cached_coverage(found, people),
        lacking=lacking,
        ways=list(_ways(lacking)),
        free=credits.balance(workspace).free,
        refusal=refusal and error_text(refusal),
    )


@area.post("")
def start(workspace: Workspace, list_id: int) -> Response:
    """Start looking up; show the offer for those selected when nothing was chosen yet."""
    if (what := request.form.get("what")) is None:
        return _offer_page(workspace, list_id)
    _, filters, people = _chosen(workspace, list_id)
    try:
        queued, most = enrichment.start(workspace, list_id, what, _most_to_spend(workspace, what), people)
    except (InvalidRequest, NotSupported, PlanLimitExceeded) as refusal:
        return _offer_page(workspace, list_id, refusal)
    if queued:
        show_toast(f"{many(queued, 'lookup')} started, for at most {many(most, 'credit')}.")
    else:
        show_toast("Nothing left to look up, or a lookup is already running.", "info")
    return redirect_to("pages.lists.show", list_id=list_id, **filters)


def _most_to_spend(workspace: Workspace, what: str) -> int | None:
    """Return the credits that a run may spend: those that are there, if they pay for one lookup."""
    free = credits.balance(workspace).free
    return free if what in WAYS and free >= enrichment.least_credits(what) else None


@area.get("/addresses")
def addresses(workspace: Workspace, list_id: int) -> Response:
    """Show how the email addresses of the list stand; the progress while they are checked."""
    found = lists.get_list(workspace, list_id)
    checked = address_checks.of_lists(workspace, [list_id])
    campaign_id = text.number(request.args.get("campaign", ""))
    part = "lists/_addresses.html"
    return render("lists/addresses.html", part=part, list=found, checked=checked, campaign_id=campaign_id)


@area.post("/addresses")
def check(workspace: Workspace, list_id: int) -> Response:
    """Check the addresses that were not checked yet; `campaign` is the one whose start asked for it."""
    address_checks.start(workspace, list_id)
    campaign_id = text.number(request.form.get("campaign", "")) or None
    return redirect_to(".addresses", list_id=list_id, campaign=campaign_id)


@area.get("/<int:run_id>")
def show(workspace: Workspace, list_id: int, run_id: int) -> Response:
    """Show the progress; redirect to the list when the run has ended."""
    run = _run(workspace, list_id, run_id)
    if run.state in UNDER_WAY and htmx():
        return render("lists/_looking.html", run=_progress(list_id, run), list=lists.get_list(workspace, list_id))
    show_toast(_result_text(run), "ok" if run.found else "info")
    if htmx():
        return Response("", 200, {"HX-Refresh": "true"})
    return redirect_to("pages.lists.show", list_id=list_id)


def _run(workspace: Workspace, list_id: int, run_id: int) -> Any:
    """Return the run of that list, or raise NotFound."""
    found = enrichment.get(workspace, run_id)
    if found.list_id != list_id:
        raise NotFound("Page not found.")
    return found


def _result_text(run: Any) -> str:
    """Return how a run ended as a sentence."""
    ended = {"canceled": "Stopped", "failed": "Stopped early"}.get(run.state, "Done")
    numbers = [f"{run.found:,} found", f"{run.missed:,} not found"]
    numbers += [f"{run.skipped:,} skipped"] * bool(run.skipped)
    numbers += [f"{run.left_over:,} not looked up"] * bool(run.left_over)
    capped = run.state == "finished" and run.left_over
    why = f" {run.error}" if run.error else " The credit limit was reached." if capped else ""
    return f"{ended}: {', '.join(numbers)}. Credits spent: {run.credits:,}.{why}"


@area.post("/<int:run_id>/cancel")
def cancel(workspace: Workspace, list_id: int, run_id: int) -> Response:
    """Stop the run; found values stay."""
    run = _run(workspace, list_id, run_id)
    show_toast(_result_text(enrichment.cancel(workspace, run.id)), "info")
    return redirect_to("pages.lists.show", list_id=list_id)
