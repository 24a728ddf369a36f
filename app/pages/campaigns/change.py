"""Changes of a campaign on its way: hours, senders and lists as one form beside its effect, and all changes so far."""

import re
from collections.abc import Mapping
from typing import Any

from flask import Response, request

from app.core.errors import AppError, Conflict, InvalidRequest
from app.domain.campaigns.changes import change_lists, changes, hand_over, revision_log
from app.domain.campaigns.changes.changes import Part
from app.domain.campaigns.changes.revision_effects import Revision, step_changes
from app.domain.campaigns.changes.revision_log import Wanted
from app.domain.leads import lists
from app.domain.rules.contact_rules import ContactRules
from app.domain.senders import accounts
from app.domain.workspace.workspaces import Workspace
from app.pages.campaigns import frame as campaign_frame
from app.pages.campaigns.campaigns import area as campaigns_area
from app.pages.campaigns.form import WEEKDAYS, choices
from app.pages.campaigns.form_data import CampaignForm, Draft
from app.pages.campaigns.frame import Frame
from app.pages.campaigns.revise import CHANGES
from app.pages.framework.base import Errors, redirect_to, render, show_toast, try_verb
from app.pages.framework.forms import Numbers, Text
from app.pages.framework.words import days_text, people_count, step_word

SHOWN = 50  # changes at once
_REPLACE = re.compile(r"replace-(\d{1,12})")
STRANDED = (
    (hand_over.WAIT, "Wait", "People continue when the sender is connected again."),
    (hand_over.SKIP, "Skip the steps", "People continue without the sender's steps."),
)
KINDS = {
    "steps": ("list-checks", "Steps changed"),
    "schedule": ("clock", "Hours changed"),
    "senders": ("user-round", "Senders changed"),
    "lists": ("list", "Lists changed"),
    "exclusions": ("ban", "Rules for who is left out changed"),
    "resumed": ("play", "Resumed: a sender is connected again"),
}
COUNTED = {
    "affected": "{people} got the change",
    "kept": "{people} got the old version first",
    "later": "{people} moved to a later time",
    "earlier": "{people} moved to an earlier time",
    "moved": "{people} moved to another sender",
    "withdrawn": "{people} moved to another sender after their connection request was withdrawn",
    "stays": "{people} stayed with their sender",
    "waits": "{people} waiting for their sender",
    "skipped": "{people} continued without their sender's steps",
    "busy": "{people} stayed with their sender because an action was in progress",
    "added": "{people} added",
    "left_out": "{people} left out",
    "removed": "{people} removed",
    "let_in": "{people} let in",
    "resumed": "{people} resumed",
    "elsewhere": "{people} stayed in other campaigns",
}


def _replacements() -> dict[int, int]:
    """Return who takes over from whom, as it was sent."""
    found = {}
    for name, given in request.form.items():
        if (leaves := _REPLACE.fullmatch(name)) and given.isdecimal():
            found[int(leaves[1])] = int(given)
    return found


class ChangeForm(CampaignForm):
    """The fields of the editor that may change on the way, and what follows for people."""

    lists = Numbers(name="listIds")
    stranded = Text(default=hand_over.WAIT)


@campaigns_area.get("/<int:campaign_id>/changes")
def change(workspace: Workspace, campaign_id: int) -> Response:
    """Show what can be changed on the way, and what was."""
    frame = campaign_frame.frame_of(workspace, campaign_id, "settings")
    draft = Draft.of_campaign(frame.campaign)
    return _page(workspace, frame, draft, change_lists.list_ids(frame.campaign), {}, hand_over.WAIT)


@campaigns_area.post("/<int:campaign_id>/changes")
def save_change(workspace: Workspace, campaign_id: int) -> Response:
    """Make the changes of the form; what is as it was stays."""
    frame = campaign_frame.frame_of(workspace, campaign_id, "settings")
    form = ChangeForm.posted()
    draft = Draft.of_form(form)
    if form.do.data != "save":
        return _page(workspace, frame, draft, form.lists.data, _replacements(), form.stranded.data, do=form.do.data)
    try:
        wanted = _wanted(frame, draft, form)
        if wanted != Wanted(stranded=wanted.stranded):
            changes.apply(workspace, campaign_id, wanted)
            show_toast("Changes saved.")
        else:
            show_toast("No changes.")
    except (InvalidRequest, Conflict) as refusal:
        return _page(workspace, frame, draft, form.lists.data, _replacements(), form.stranded.data, refusal)
    return redirect_to("pages.campaigns.change", campaign_id=campaign_id)


@campaigns_area.post("/<int:campaign_id>/changes/effect")
def change_effect(workspace: Workspace, campaign_id: int) -> Response:
    """Return for how many people the form would change what."""
    frame = campaign_frame.frame_of(workspace, campaign_id, "settings")
    form = ChangeForm.posted()
    draft = Draft.of_form(form)
    seen = _effect_context(workspace, frame, draft, form)
    heirs = _leaving_senders(workspace, frame, draft.account_ids, _replacements())
    seen |= {"stranded": form.stranded.data, "stranding": STRANDED, "again": True}
    return render("campaigns/_change_effect.html", frame=frame, leaving=heirs, **seen)


@campaigns_area.post("/<int:campaign_id>/changes/<int:number>/undo")
def undo_change(workspace: Workspace, campaign_id: int, number: int) -> Response:
    """Take a change back."""
    try_verb(lambda: changes.undo(workspace, campaign_id, number), f"Change {number} undone.")
    return redirect_to("pages.campaigns.change", campaign_id=campaign_id)


def _wanted(frame: Frame, draft: Draft, form: ChangeForm) -> Wanted:
    """Return the form's differences from the campaign; raise InvalidRequest for an invalid day."""
    campaign, former = frame.campaign, Draft.of_campaign(frame.campaign)
    if campaign.started_at is not None:
        draft.schedule["startDate"] = former.schedule["startDate"]
    hours: dict[str, Any] | None = None
    if _comparable(draft.schedule) != _comparable(former.schedule):
        hours = draft.arguments()["schedule"]
        for name, kept in (("startDate", campaign.start_date), ("endDate", campaign.end_date)):
            if draft.schedule[name] == former.schedule[name]:  # the day is shown, the moment is kept
                hours[name] = kept
    listed = [one for one in form.lists.data if one]
    return Wanted(
        schedule=hours,
        account_ids=draft.account_ids if draft.account_ids != former.account_ids else None,
        replace={one: by for one, by in _replacements().items() if one not in draft.account_ids},
        stranded=form.stranded.data,
        list_ids=listed if listed != change_lists.list_ids(campaign) else None,
    )


def _comparable(schedule: Mapping[str, Any]) -> dict[str, Any]:
    return {name: sorted(value) if name == "days" else value for name, value in schedule.items()}


def _effect_context(workspace: Workspace, frame: Frame, draft: Draft, form: ChangeForm) -> dict[str, Any]:
    """Return the effect of the form on people, or what is wrong with it."""
    parts: list[Part] = []
    problem = ""
    try:
        parts = changes.preview(workspace, frame.campaign.id, _wanted(frame, draft, form))
    except (InvalidRequest, Conflict) as refusal:
        problem = refusal.fields[0].message if refusal.fields else refusal.message
    titles = {"schedule": "Hours", "senders": "Senders", "lists": "Lists"}
    return {"parts": [(titles[part.kind], part.says) for part in parts], "problem": problem}


def _leaving_senders(
    workspace: Workspace, frame: Frame, chosen: list[int], replace: Mapping[int, int]
) -> list[dict[str, Any]]:
    """Return the senders who leave, with who may take over from each."""
    known = {one.id: one for one in accounts.every(workspace)}
    found = []
    for sender in frame.senders:
        if sender.id not in chosen and sender.id in frame.campaign.account_ids:
            heirs = [known[one] for one in chosen if one in known and known[one].channel == sender.channel]
            options = [(one.id, one.name) for one in heirs]
            found.append({"sender": sender, "options": options, "by": replace.get(sender.id, 0)})
    return found


def _page(
    workspace: Workspace,
    frame: Frame,
    draft: Draft,
    listed: list[int],
    replace: Mapping[int, int],
    stranded: str,
    refusal: AppError | None = None,
    do: str = "",
) -> Response:
    goto, said = draft.change(do) if do else ("", "")
    problems = draft.problems(refusal) if isinstance(refusal, InvalidRequest) else []
    mine = [one for one in listed if one]
    names = lists.lists_by_id(workspace, mine)
    others = [(one, name) for one, name in choices(workspace, frame.campaign)["other_lists"] if one not in mine]
    return render(
        "campaigns/changes.html",
        status=200 if refusal is None else 422 if problems else refusal.status,
        frame=frame,
        draft=draft,
        problems=[(label, sentence, place) for _, label, sentence, place in problems],
        refusal=None if problems else refusal,
        errors=Errors({path: sentence for path, _, sentence, _ in problems}),
        focus=problems[0][3] if problems else "",
        goto=goto,
        said=said,
        accounts=accounts.every(workspace),
        weekdays=WEEKDAYS,
        started=frame.campaign.started_at is not None,
        listed=[(one, names[one].name) for one in mine if one in names],
        others=others,
        leaving=_leaving_senders(workspace, frame, draft.account_ids, replace),
        stranded=stranded,
        stranding=STRANDED,
        parts=[],
        problem="",
        again=False,
        history=[_change_row(workspace, frame, one) for one in revision_log.newest(frame.campaign, SHOWN)],
    )


def _change_row(workspace: Workspace, frame: Frame, revision: Any) -> dict[str, Any]:
    """Return a change in the form that the page shows."""
    icon, title = KINDS[revision.kind]
    return {
        "number": revision.number,
        "icon": icon,
        "title": f"{title} (undoes change {revision.undoes})" if revision.undoes else title,
        "by": revision.by,
        "at": revision.at,
        "lines": _difference(workspace, revision),
        "people": _people(revision.effect),
        "open": revision.is_open,
        "progress": f"{revision.looked:,} of {revision.people:,}",
        "undone_by": revision.undone_by,
        "stuck": changes.why_not_undone(frame.campaign, revision),
    }


def _people(effect: Mapping[str, int]) -> str:
    said = [COUNTED[name].format(people=people_count(n)) for name, n in effect.items() if n and name in COUNTED]
    return ", ".join(said)


def _difference(workspace: Workspace, revision: Any) -> list[str]:
    """Return what changed in words, from what was to what is."""
    before, after = revision.before, revision.after
    if revision.kind == "steps":
        found = step_changes(Revision(before["sequence"], after["sequence"], 0, revision.apply_to, revision.at))
        return [CHANGES[one.change].format(number=one.index + 1, label=step_word(one.type).label) for one in found]
    if revision.kind == "schedule":
        was, now = _hours(before), _hours(after)
        return [f"{name}: {was[name]} → {now[name]}" for name in was if was[name] != now[name]]
    if revision.kind == "senders":
        names = {one.id: one.name for one in accounts.every(workspace)}
        gone = [one for one in before["account_ids"] if one not in after["account_ids"]]
        new = [one for one in after["account_ids"] if one not in before["account_ids"]]
        left = [f"Left: {names.get(one, 'a removed sender')}" for one in gone]
        return left + [f"Joined: {names[one]}" for one in new if one in names]
    if revision.kind == "lists":
        changed = {*before["list_ids"]} ^ {*after["list_ids"]}
        word = "Added" if len(after["list_ids"]) > len(before["list_ids"]) else "Removed"
        return [f"{word}: {one.name}" for one in lists.lists_by_id(workspace, sorted(changed)).values()]
    if revision.kind == "exclusions":
        left_out, leaves_out = _rules(before), _rules(after)
        gone = [f"No longer: {one}" for one in left_out if one not in leaves_out]
        return gone + [f"New: {one}" for one in leaves_out if one not in left_out]
    return []


def _hours(values: Mapping[str, Any]) -> dict[str, str]:
    """Return a schedule in words, by what they are about."""
    one = {"days": values["days"], "start": values["start_time"], "end": values["end_time"]}
    windows = [f"{days_text(w['days'])}, {w['start']}–{w['end']}" for w in values.get("windows") or [one]]
    zone = "each person's time zone" if values.get("recipient_time") else values["timezone"]
    per_day = values.get("new_per_day")
    return {
        "Hours": f"{'; '.join(windows)}, {zone}",
        "Public holidays": "skipped" if values.get("holidays") else "not skipped",
        "Blackout dates": ", ".join(one["name"] for one in values.get("blackouts") or ()) or "none",
        "New people a day": f"at most {per_day}" if per_day else "as many as limits allow",
        "First day": (values.get("start_date") or "")[:10] or "at launch",
        "Last day": (values.get("end_date") or "")[:10] or "open",
    }


def _rules(values: Mapping[str, Any]) -> list[str]:
    """Return what leaves people out, each rule in words; what is not said follows the workspace."""
    return ContactRules.of(values["contact_rules"] or {}).in_words(bool(values["stop_company_on_reply"]))
