"""Find email addresses and phone numbers for a list: cost and progress."""

from collections.abc import Sequence
from typing import Any

from flask import Blueprint, Response, request, url_for

from app.core import text
from app.core.errors import InvalidRequest, NotFound, NotSupported, PlanLimitExceeded
from app.domain.billing import credits
from app.domain.enrichment import address_checks, enrichment
from app.domain.leads import lists
from app.domain.workspace.workspaces import Workspace
from app.pages.framework.base import errors_of, htmx, redirect_to, render, show_toast
from app.pages.framework.words import people_count

area = Blueprint("enriching", __name__, url_prefix="/lists/<int:list_id>/look-ups")
WAYS = {"email": "Email addresses", "phone": "Phone numbers", "both": "Both"}
UNDER_WAY = ("queued", "running")
MOST_COUNTED = 50_000  # people; the dialog of a longer list is a page of its own


def of_list(workspace: Workspace, found: Any, shown: Sequence[Any]) -> dict[str, Any]:
    """Return what a list's page shows of lookups: the offer, the progress, and who was not found."""
    run = enrichment.latest(workspace, found.id)
    looked = enrichment.lookups_of_leads(workspace, [lead.id for lead in shown])
    return {
        "offer": _offer(workspace, found) if 0 < found.lead_count <= MOST_COUNTED else None,
        "run": _progress(found.id, run) if run and run.state in UNDER_WAY else None,
        "not_found": {key for key, lookup in looked.items() if lookup.state == "missed"},
    }


def _offer(workspace: Workspace, found: Any) -> dict[str, Any]:
    """Return what can be looked up for the list, each with its people and its highest cost."""
    lacking, prices = enrichment.quote(workspace, found.id), credits.CONTACT_PRICES
    free = credits.balance(workspace).free
    ways = []
    for what, label in WAYS.items():
        kinds = enrichment.WHAT[what]
        most = sum(lacking[kind] * prices[kind] for kind in kinds)
        terms = " + ".join(f"{people_count(lacking[kind])} × {prices[kind]}" for kind in kinds if lacking[kind])
        text = f"Up to {most:,} credits ({terms})." if most else "Nothing left to look up in this list."
        if most > free:
            text = f"Stops when your {free:,} credits are spent. Everyone would take up to {most:,} credits ({terms})."
        ways.append({"what": what, "label": label, "text": text, "most": most})
    return {"ways": ways, "free": free, "any": any(way["most"] for way in ways)}


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
    """Show what can be looked up, for browsers without dialogs and for long lists."""
    return _offer_page(workspace, list_id)


def _offer_page(workspace: Workspace, list_id: int, refusal: Any = None) -> Response:
    found = lists.get_list(workspace, list_id)
    return render(
        "lists/look_up.html",
        status=refusal.status if refusal else 200,
        list=found,
        offer=_offer(workspace, found),
        refusal=refusal,
        errors=errors_of(refusal),
    )


@area.post("")
def start(workspace: Workspace, list_id: int) -> Response:
    what = request.form.get("what", "")
    try:
        queued, most = enrichment.start(workspace, list_id, what, _all_there_is(workspace, what))
    except (InvalidRequest, NotSupported, PlanLimitExceeded) as refusal:
        return _offer_page(workspace, list_id, refusal)
    if queued:
        show_toast(f"{queued:,} lookups started, for at most {most:,} credits.")
    else:
        show_toast("Nothing left to look up in this list, or a lookup is already running.", "info")
    return redirect_to("pages.lists.show", list_id=list_id)


def _all_there_is(workspace: Workspace, what: str) -> int | None:
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
