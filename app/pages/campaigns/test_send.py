"""Send a test of a step to oneself or to another mailbox, and see how it arrived."""

from flask import Response, request

from app.core.errors import Conflict, InvalidRequest, NotFound
from app.domain.campaigns import preview as campaign_preview
from app.domain.engine import test_send
from app.domain.workspace.workspaces import User, Workspace
from app.pages.campaigns import frame as campaign_frame
from app.pages.campaigns.campaigns import area as campaigns_area
from app.pages.framework.base import may_change, redirect_to, render
from app.pages.framework.forms import Form, Text, Whole

VERDICTS = {"pass": ("ok", "Pass"), "": ("neutral", "Not stated"), "none": ("warn", "None")}


class TestForm(Form):
    """With whose values a test is sent, from which mailbox, and where to."""

    leadId = Whole()
    accountId = Whole()
    to = Text()


@campaigns_area.get("/<int:campaign_id>/steps/<int:step>/test")
@may_change
def test_step(workspace: Workspace, campaign_id: int, step: int, user: User) -> Response:
    return _page(workspace, campaign_id, step, TestForm(formdata=request.args, data={"to": user.email}))


@campaigns_area.post("/<int:campaign_id>/steps/<int:step>/test")
def send_test(workspace: Workspace, campaign_id: int, step: int) -> Response:
    form = TestForm.posted()
    try:
        sent = test_send.send(workspace, campaign_id, step - 1, form.leadId.data, form.accountId.data, form.to.data)
    except (InvalidRequest, Conflict) as refusal:
        return _page(workspace, campaign_id, step, form.take_errors(refusal), refusal)
    return redirect_to(".show_test", campaign_id=campaign_id, test_id=sent.id)


def _page(
    workspace: Workspace, campaign_id: int, step: int, form: TestForm, refusal: InvalidRequest | Conflict | None = None
) -> Response:
    frame = campaign_frame.frame_of(workspace, campaign_id, "sequence")
    if not 1 <= step <= len(frame.campaign.sequence):
        raise NotFound("Step not found.")
    known, addresses = test_send.choices(workspace)
    people = campaign_preview.preview_people(workspace, frame.campaign.list_id or 0, form.leadId.data)
    mailboxes = sorted(known, key=lambda one: one.id not in frame.campaign.mailbox_ids)
    lead = next((one for one in people if one.id == form.leadId.data), people[0] if people else None)
    senders = sorted([*mailboxes, *frame.senders], key=lambda one: one.id != form.accountId.data)
    had = campaign_preview.variants_had(campaign_preview.campaign_lead_of(frame.campaign, lead))
    said = campaign_preview.preview(frame.campaign.sequence, lead, senders, had)[step - 1] if lead else None
    return render(
        "campaigns/test.html",
        status=200 if refusal is None else 422 if refusal.fields else refusal.status,
        frame=frame,
        step=step,
        shown=campaign_frame.steps(frame.campaign)[step - 1],
        said=said,
        people=[(one.id, one.name + (f", {one.company_name}" if one.company_name else "")) for one in people],
        mailboxes=[(one.id, f"{one.name} ({one.address})") for one in mailboxes],
        addresses=[(one, one) for one in addresses],
        form=form,
        refusal=refusal if refusal and not refusal.fields else None,
    )


@campaigns_area.get("/<int:campaign_id>/tests/<int:test_id>")
@may_change
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
