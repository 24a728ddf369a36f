"""Send a test of a step to oneself or to another mailbox, and see how it arrived."""

from typing import Any

from flask import Response, request

from app.core import text
from app.core.errors import AppError, NotFound
from app.domain.campaigns import preview as campaign_preview
from app.domain.engine import test_send
from app.domain.workspace.workspaces import User, Workspace
from app.pages.campaigns import frame as campaign_frame
from app.pages.campaigns.campaigns import area as campaigns_area
from app.pages.framework.base import errors_of, redirect_to, render, signed_in

VERDICTS = {"pass": ("ok", "Pass"), "": ("neutral", "Not stated"), "none": ("warn", "None")}


@campaigns_area.get("/<int:campaign_id>/steps/<int:step>/test")
@signed_in(roles=("operator",))
def test_step(workspace: Workspace, campaign_id: int, step: int, user: User) -> Response:
    return _form(workspace, campaign_id, step, user, request.args)


@campaigns_area.post("/<int:campaign_id>/steps/<int:step>/test")
@signed_in(roles=("operator",))
def send_test(workspace: Workspace, campaign_id: int, step: int, user: User) -> Response:
    given = request.form
    chosen = (text.number(given.get("leadId", "")), text.number(given.get("accountId", "")), given.get("to", ""))
    try:
        sent = test_send.send(workspace, campaign_id, step - 1, *chosen)
    except NotFound:
        raise
    except AppError as refusal:
        return _form(workspace, campaign_id, step, user, given, refusal)
    return redirect_to(".show_test", campaign_id=campaign_id, test_id=sent.id)


def _form(
    workspace: Workspace, campaign_id: int, step: int, user: User, given: Any, refusal: AppError | None = None
) -> Response:
    frame = campaign_frame.frame_of(workspace, campaign_id, "sequence")
    if not 1 <= step <= len(frame.campaign.sequence):
        raise NotFound("Step not found.")
    known, lead_id = test_send.choices(workspace), text.number(given.get("leadId", ""))
    people = campaign_preview.preview_people(workspace, frame.campaign.list_id or 0, lead_id)
    mailboxes = sorted(known.senders, key=lambda one: one.id not in frame.campaign.mailbox_ids)
    errors = errors_of(refusal) if refusal else {}
    return render(
        "campaigns/test.html",
        status=200 if refusal is None else 422 if errors else refusal.status,
        frame=frame,
        step=step,
        shown=campaign_frame.steps(frame.campaign)[step - 1],
        people=[(one.id, one.name + (f", {one.company_name}" if one.company_name else "")) for one in people],
        mailboxes=[(one.id, f"{one.name} ({one.address})") for one in mailboxes],
        addresses=[(one, one) for one in known.addresses],
        chosen={name: given.get(name, "") for name in ("leadId", "accountId")} | {"to": given.get("to") or user.email},
        errors=errors,
        refusal=None if errors else refusal,
    )


@campaigns_area.get("/<int:campaign_id>/tests/<int:test_id>")
@signed_in(roles=("operator",))
def show_test(workspace: Workspace, campaign_id: int, test_id: int) -> Response:
    """Show what became of a test; looks again until it is known."""
    found = test_send.find(workspace, campaign_id, test_id)
    frame = campaign_frame.frame_of(workspace, campaign_id, "sequence")
    arrival = found.arrival
    checks = [] if arrival is None else [("SPF", arrival.spf), ("DKIM", arrival.dkim), ("DMARC", arrival.dmarc)]
    return render(
        "campaigns/tested.html",
        part="campaigns/_tested.html",
        frame=frame,
        test=found,
        checks=[(name, *VERDICTS.get(said, ("danger", said.capitalize()))) for name, said in checks],
        path=frame.path("show_test", test_id=test_id),
    )
