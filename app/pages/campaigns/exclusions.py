"""Who a campaign leaves out: counted before it starts, changed while it runs, and let in afterwards."""

from datetime import date, datetime, time
from typing import Any

from flask import Response, g, request, url_for

from app.core import text
from app.core.errors import Conflict, InvalidRequest, NotFound
from app.domain.campaigns import campaigns, exclusion_preview
from app.domain.campaigns.changes import changes
from app.domain.campaigns.changes.revision_log import Wanted
from app.domain.campaigns.let_in import let_in as let_in_verb
from app.domain.people.exclusions import contact_settings
from app.domain.rules.contact_rules import ContactRules
from app.domain.rules.reasons import REASONS
from app.domain.workspace.workspaces import Workspace
from app.pages.campaigns import frame as campaign_frame
from app.pages.campaigns.campaigns import area as campaigns_area
from app.pages.campaigns.campaigns import left_out_of, rules_in_words
from app.pages.campaigns.form import choices
from app.pages.campaigns.form_data import CampaignForm, Draft
from app.pages.framework import words
from app.pages.framework.base import errors_of, may_change, redirect_to, render, show_toast

AT_ONCE = 6000  # people asked about in one request: about a second


@campaigns_area.get("/<int:campaign_id>/left-out")
def left_out(workspace: Workspace, campaign_id: int) -> Response:
    """Count on; what was counted before stands in the address."""
    campaign = campaigns.get(workspace, campaign_id)
    if campaign.status not in ("draft", "scheduled"):
        return redirect_to("pages.campaigns.people", campaign_id=campaign_id, show="excluded")
    most = 10_000_000
    found = left_out_of(
        workspace,
        campaign,
        AT_ONCE,
        after=text.number(request.args.get("after", "")),
        checked=text.number(request.args.get("checked", ""), most=most),
        reasons={code: text.number(request.args.get(code, ""), most=most) for code in REASONS if code in request.args},
    )
    return render("campaigns/left_out.html", part="campaigns/_left_out_part.html", **found)


@campaigns_area.get("/<int:campaign_id>/left-out/<code>")
def left_out_people(workspace: Workspace, campaign_id: int, code: str) -> Response:
    """Show who is left out for one reason, a page at a time."""
    campaign = campaigns.get(workspace, campaign_id)
    if code not in REASONS:
        raise NotFound("Page not found.")
    people, after = exclusion_preview.names(workspace, campaign, code, text.number(request.args.get("after", "")))
    more = url_for(".left_out_people", campaign_id=campaign_id, code=code, after=after) if after else ""
    return render(
        "campaigns/left_out_people.html",
        campaign=campaign,
        code=code,
        people=people,
        more=more,
        reason=campaign_frame.reason,
        seen=_seen,
    )


def _seen(saw: str) -> str:
    """Return what a rule saw as pages write it: dates as on all pages, names as they are."""
    try:
        day = date.fromisoformat(saw)
    except ValueError:
        return saw
    return words.day(datetime.combine(day, time(12), g.zone), g.zone)


@campaigns_area.get("/<int:campaign_id>/exclusions")
@may_change
def exclusions(workspace: Workspace, campaign_id: int) -> Response:
    campaign = campaigns.get(workspace, campaign_id)
    return _form(workspace, campaign_id, Draft(exclude=contact_settings.of_campaign(workspace, campaign)))


@campaigns_area.post("/<int:campaign_id>/exclusions")
def save_exclusions(workspace: Workspace, campaign_id: int) -> Response:
    """Say what changes; save it once that was confirmed."""
    campaign = campaigns.get(workspace, campaign_id)
    form = CampaignForm.posted()
    draft = Draft.of_form(form)
    _, wrong = contact_settings.check(workspace, draft.exclude)
    if wrong:
        return _form(workspace, campaign_id, draft, InvalidRequest.of(*wrong))
    before = _words(contact_settings.of_campaign(workspace, campaign))
    after = _words(draft.exclude)
    added, gone = [one for one in after if one not in before], [one for one in before if one not in after]
    if (added or gone) and not form.sure.data:
        differing = contact_settings.differing(workspace, draft.exclude)
        seen: dict[str, Any] = {}
        if campaign.status != "draft":
            (part,) = changes.preview(workspace, campaign_id, Wanted(exclude=differing))
            seen = {"says": part.says, "free": part.counts["could_be_let_in"]}
        return _form(workspace, campaign_id, draft, added=added, gone=gone, **seen)
    differing = contact_settings.differing(workspace, draft.exclude)
    changes.apply(workspace, campaign_id, Wanted(exclude=differing, let_in=form.let_in.data))
    show_toast("Saved. The change applies from the next send.")
    return redirect_to("pages.campaigns.settings", campaign_id=campaign_id)


def _words(exclude: dict[str, Any]) -> list[str]:
    return ContactRules.of(exclude).in_words(bool(exclude.get("company_stop")))


_NOTHING: dict[str, Any] = {"added": (), "gone": (), "says": (), "free": 0}


def _form(
    workspace: Workspace, campaign_id: int, draft: Draft, refusal: InvalidRequest | None = None, **change: Any
) -> Response:
    frame = campaign_frame.frame_of(workspace, campaign_id, "settings")
    return render(
        "campaigns/exclusions.html",
        status=422 if refusal else 200,
        frame=frame,
        draft=draft,
        errors=errors_of(refusal),
        rules_line=rules_in_words(draft.exclude),
        **choices(workspace, frame.campaign),
        **_NOTHING | change,
    )


@campaigns_area.post("/<int:campaign_id>/people/<int:person_id>/let-in")
def let_in(workspace: Workspace, campaign_id: int, person_id: int) -> Response:
    """Let one person in; only owners may."""
    try:
        person = let_in_verb(workspace, campaign_id, person_id)
    except Conflict as refusal:
        show_toast(f"{refusal.message} {refusal.recovery}", "warn")
    else:
        still = person.state == "excluded"
        show_toast(
            f"Still left out: {REASONS[person.reason][0].lower()}." if still else "Let in. The audit log names you.",
            "warn" if still else "ok",
        )
    return redirect_to("pages.campaigns.person", campaign_id=campaign_id, person_id=person_id)
