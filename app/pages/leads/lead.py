"""A person's page: details, activity, tags, do-not-contact and erasure."""

import json
from collections.abc import Iterable
from datetime import timedelta
from itertools import groupby
from typing import Any

from flask import Blueprint, Response, g, request, url_for

from app import resources
from app.core.errors import InvalidRequest
from app.core.paging import Window
from app.domain.autopilot.monitors import fit
from app.domain.campaigns import upcoming
from app.domain.conversations import threads
from app.domain.enrichment import address_checks, enrichment
from app.domain.leads import edit as lead_edit
from app.domain.leads import leads, lists, records, timeline
from app.domain.leads import tags as lead_tags
from app.domain.leads.campaign_leads import company_corrections, why_waiting
from app.domain.leads.csv_mapping import CSV_FIELDS
from app.domain.leads.profiles import TEXTS
from app.domain.people import duplicates
from app.domain.people.exclusions import never_contact as lead_never_contact
from app.domain.privacy import erasure
from app.domain.privacy import export as privacy_export
from app.domain.replies import own_words
from app.domain.rules.step_kinds import action_words, is_action
from app.domain.workspace.workspaces import Workspace
from app.pages import undo
from app.pages.campaigns.tabs import AFTER, TONES
from app.pages.framework import words
from app.pages.framework.base import (
    error_text,
    errors_of,
    htmx,
    may_change,
    redirect_to,
    redirect_to_path,
    render,
    safe_path,
    show_toast,
)
from app.pages.framework.forms import Form, Text, Texts
from app.pages.leads import sources
from app.pages.tasks import follow_up

part = Blueprint("people", __name__, url_prefix="/people/<int:lead_id>")
EDITED = [*(name for name in TEXTS if name not in ("publicId", "profileUrl")), "profileUrl"]
LABELS = {name: CSV_FIELDS[name] for name in EDITED}


class LeadForm(Form):
    """The fields of a person, and custom ones as pairs of name and value."""

    own_names = Texts(name="own-name")
    own_values = Texts(name="own-value")

    @property
    def own(self) -> list[tuple[str, str]]:
        """Return the pairs of the form."""
        return list(zip(self.own_names.data, self.own_values.data, strict=False))


for _name, _label in LABELS.items():
    setattr(LeadForm, _name, Text(_label))
VERDICTS = {"deliverable": "valid", "risky": "risky", "undeliverable": "invalid"}
MOST_NEW = 5  # fields of one's own that the form adds at once
# kind of moment: icon, tone; what the sentence says stands in _moment_text
LOOKS = {
    "added": ("list", ""),
    "enrolled": ("megaphone", ""),
    "accepted": ("user-check", "ok"),
    "replied": ("reply", ""),
    "written": ("message-circle", "social"),
    "tagged": ("tag", ""),
    "ended": ("check", ""),
}


@part.get("")
def show(workspace: Workspace, lead_id: int) -> Response:
    return _page(workspace, lead_id)


def _page(workspace: Workspace, lead_id: int, refusal: InvalidRequest | None = None) -> Response:
    lead = leads.get_visible(workspace, lead_id)
    story = _story(workspace, lead)
    if htmx().partial and request.args.get("cursor"):
        return render("leads/_timeline.html", **story)
    found = lists.lists_by_id(workspace, [lead.list_id or 0])
    record = records.of_person(workspace, lead.person_id)
    campaigns = []
    for person, campaign in record.campaigns:
        why = why_waiting.of_people(workspace, campaign, [person])[person.id]
        ahead = upcoming.upcoming_for(workspace, campaign, person, lead, why)
        campaigns.append((campaign, person, why, next((one for one in ahead if not one.skipped), None)))
    return render(
        "leads/show.html",
        status=422 if refusal else 200,
        lead=lead,
        list=found.get(lead.list_id or 0),
        campaigns=campaigns,
        after=AFTER,
        entry=lead_never_contact.find(workspace, lead.person_id),
        choices=_choices(lead),
        record=record,
        rows=sources.rows(record),
        source_words=sources.words,
        alike=duplicates.of_person(workspace, record.person),
        fit=fit.of_people(workspace, [record.person]).get(record.person.id),
        bought=_bought(workspace, lead),
        follow_up=follow_up.of_person(workspace, lead.person_id),
        thread=threads.with_person(workspace, lead.person_id),
        own_words=own_words.said,
        same=record.same_company,
        company=request.form.get("company", "") if refusal else (record.person.company_by_hand or {}).get("said", ""),
        errors=errors_of(refusal),
        **story,
    )


def _bought(workspace: Workspace, lead: Any) -> dict[str, str]:
    """Return where email and phone were looked up, if they are still in use, or how the email was checked, by kind."""
    found = {}
    for (_, kind), lookup in enrichment.lookups_of_leads(workspace, [lead.id]).items():
        if lookup.state == "found" and lookup.value == getattr(lead, kind):
            checked = (
                f"; {VERDICTS[lookup.verdict]} on {words.day(lookup.verified_at, g.zone)}" if lookup.verdict else ""
            )
            found[kind] = f"from {lookup.source}, {words.day(lookup.answered_at, g.zone)}{checked}"
    if "email" not in found and (look := address_checks.of_address(workspace, lead.email)):
        found["email"] = f"{address_checks.REASONS[look.reason]}, checked on {words.day(look.checked_at, g.zone)}"
    return found


def _story(workspace: Workspace, lead: Any) -> dict[str, Any]:
    """Return a page of the timeline by day, the newest last as in a mailbox, and the address of what is older."""
    window = Window.of(request.args, (workspace.id, request.path))
    page = timeline.for_lead(workspace, lead.id).page(window)
    today = workspace.now().astimezone(g.zone).date()

    def day(moment: timeline.Entry) -> str:
        apart = (today - moment.at.astimezone(g.zone).date()).days
        return {0: "Today", 1: "Yesterday"}.get(apart, words.day(moment.at, g.zone))

    days = [(name, _lines(some, lead)[::-1]) for name, some in groupby(page.rows, key=day)][::-1]
    more = ""
    if page.next_cursor:
        more = url_for("pages.lists.people.show", lead_id=lead.id, cursor=page.next_cursor, day=days[0][0])
    return {"days": days, "more": more, "next_day": request.args.get("day", "") if htmx().partial else ""}


def _lines(moments: Iterable[timeline.Entry], lead: Any) -> list[dict[str, Any]]:
    """Return moments as the page shows them: what a reply caused at once stands behind it."""
    found: list[dict[str, Any]] = []
    for moment in moments:
        line = _line(moment, lead)
        while moment.kind == "replied" and found and found[-1]["moment"].kind in ("tagged", "ended"):
            if found[-1]["moment"].at - moment.at > timedelta(minutes=1):
                break
            line["caused"].append(found.pop())
        found.append(line)
    return found


def _line(moment: timeline.Entry, lead: Any) -> dict[str, Any]:
    """Return a moment as the page shows it."""
    icon, tone = LOOKS.get(moment.kind) or (words.step_word(moment.kind).icon, words.step_word(moment.kind).channel)
    badge: tuple[str, str] | None = None
    if moment.kind == "withdraw":
        icon, tone = action_words("withdraw").icon, ""
    if moment.kind == "replied":
        badge, tone = TONES.get(moment.sentiment), "ok" if moment.sentiment == "positive" else ""
    if moment.state == "failed" and is_action(moment.kind):
        icon, tone = "circle-x", "danger"
    if moment.state in ("unknown", "sending") and is_action(moment.kind):
        badge = {"unknown": ("warn", "Not confirmed"), "sending": ("info", "In progress")}[moment.state]
    return {
        "moment": moment,
        "said": _moment_text(moment, lead.first_name or "them"),
        "icon": icon,
        "tone": tone,
        "badge": badge,
        "time": f"{moment.at.astimezone(g.zone):%H:%M}",
        "caused": [],
    }


def _moment_text(moment: timeline.Entry, name: str) -> str:
    """Return what happened, without the end of the sentence, which names the campaign."""
    who, capital = moment.account_name or "A sender", "They" if name == "them" else name
    if is_action(moment.kind):
        action = action_words(moment.kind)
        if moment.state == "skipped":
            return f"{who} {words.needless(moment.kind, moment.detail)} {name}"
        if moment.state in ("failed", "again"):
            return f"{who} {'could not' if moment.state == 'failed' else 'will retry to'} {action.do} {name}"
        return f"{who} {action.did} {name}"
    if moment.kind == "ended":
        return words.status_word("person", moment.state).label
    return {
        "added": f"Added to “{moment.list_name}”" if moment.list_name else "Added",
        "enrolled": "Enrolled",
        "accepted": f"{capital} accepted the connection request",
        "replied": f"{capital} {'sent an automatic reply' if moment.automatic else 'replied'} to {who}",
        "written": f"{who} wrote to {name} outside of campaigns",
        "tagged": f"Tagged {moment.detail}" if moment.detail else "All tags removed",
    }.get(moment.kind, moment.kind)


def _choices(lead: Any) -> list[tuple[str, str, str]]:
    """Return what can be blocked, from one person to their whole company: kind, value, words."""
    host = lead.email.rpartition("@")[2]
    return [
        *([("person", lead.public_id, "This person")] if lead.public_id else []),
        *([("email", lead.email, f"The address {lead.email}")] if lead.email else []),
        *([("domain", host, f"Everyone with an email at {host}")] if host else []),
        *([("company", lead.company_name, f"Everyone at {lead.company_name}")] if lead.company_name else []),
    ]


@part.get("/edit")
@may_change
def edit(workspace: Workspace, lead_id: int) -> Response:
    lead = leads.get_visible(workspace, lead_id)
    values = {name: getattr(lead, TEXTS[name][0]) for name in LABELS}
    own = [(name, content) for name, content in lead.custom_fields.items() if isinstance(content, str)]
    names, contents = [name for name, _ in own], [content for _, content in own]
    return _form(lead, LeadForm.of(**values, own_names=names, own_values=contents))


@part.post("/edit")
def change(workspace: Workspace, lead_id: int) -> Response:
    lead = leads.get_visible(workspace, lead_id)
    form = LeadForm.posted()
    values = {name: form[name].data for name in LABELS}
    kept = {name.strip(): content for name, content in form.own if name.strip() and content.strip()}
    gone = {name: None for name, content in lead.custom_fields.items() if isinstance(content, str) and name not in kept}
    try:
        lead_edit.change(workspace, lead_id, {**values, "customFields": {**gone, **kept}}, "hand")
    except InvalidRequest as refusal:
        return _form(lead, form.take_errors(refusal), 422)
    show_toast("Changes saved.")
    return redirect_to(".show", lead_id=lead_id)


def _form(lead: Any, form: LeadForm, status: int = 200) -> Response:
    empty = [("", "")] * max(0, MOST_NEW - sum(not name.strip() for name, _ in form.own))
    return render(
        "leads/edit.html",
        status=status,
        lead=lead,
        labels=LABELS,
        form=form,
        own=[*form.own, *empty[: 1 if form.own else 2]],
    )


class TagsForm(Form):
    add = Text()
    remove = Text()


@part.post("/tags")
def tags(workspace: Workspace, lead_id: int) -> Response:
    back = url_for(".show", lead_id=leads.get_visible(workspace, lead_id).id)
    change_tags(workspace, lead_id, back)
    return redirect_to_path(back)


def change_tags(workspace: Workspace, lead_id: int, back: str) -> None:
    """Add and remove the tags of the form; show the undo, which leads to the page `back`."""
    form = TagsForm.posted()
    try:
        changed, name = lead_tags.tag_for_now(workspace, [lead_id], form.add.data.split(","), [form.remove.data])
        if changed:
            show_toast("Tags saved.", undo=undo.path(lead_tags.TAGGED, name, back))
    except InvalidRequest as refusal:
        show_toast(error_text(refusal), "danger")


@part.post("/company")
def company(workspace: Workspace, lead_id: int) -> Response:
    """Correct what counts as the person's company, from their page or from that of a held company."""
    person = leads.get_visible(workspace, lead_id).person
    former = person.company_by_hand
    said = None if request.values.get("data") else request.values.get("company", "")
    try:
        now = company_corrections.correct(workspace, person.id, said)
    except InvalidRequest as refusal:
        return _page(workspace, lead_id, refusal)
    where = safe_path(request.values.get("next", ""), url_for(".show", lead_id=lead_id))
    before = {"company": former["said"]} if former else {"data": 1}
    of = now.company_domain or (now.company_by_hand or {}).get("said") or (now.company_name if now.company_key else "")
    what = f"Company set to {of}" if of else "Company removed"
    show_toast(f"{what}.", undo=url_for(".company", lead_id=lead_id, next=where, **before))
    return redirect_to_path(where)


@part.post("/never-contact")
def never_contact(workspace: Workspace, lead_id: int) -> Response:
    """Add the person, or everyone the choice names, to the do-not-contact list."""
    lead = leads.get_visible(workspace, lead_id)
    chosen = next((one for one in _choices(lead) if one[0] == request.form.get("kind", "person")), None)
    if chosen is None:
        raise InvalidRequest.of(("kind", "Choose what to add."))
    lead_never_contact.add(workspace, [(chosen[0], chosen[1])], "Added on the person's page.")
    show_toast(f"{chosen[2]} is now on your do-not-contact list.")
    return redirect_to(".show", lead_id=lead_id)


@part.get("/export.json")
def export(workspace: Workspace, lead_id: int) -> Response:
    """Download all data about the person."""
    kept = resources.SubjectExport.of(privacy_export.collect(workspace, lead_id))
    text = json.dumps(kept, ensure_ascii=False, indent=2, default=lambda moment: moment.isoformat())
    response = Response(text, content_type="application/json")
    response.headers.set("Content-Disposition", "attachment", filename=f"person-{lead_id}.json")
    return response


@part.get("/erase")
@may_change
def ask_erase(workspace: Workspace, lead_id: int) -> Response:
    """Show what an erasure deletes, before it is confirmed."""
    lead = leads.get_visible(workspace, lead_id)
    return render("leads/erase.html", lead=lead, extent=erasure.extent(workspace, lead_id))


@part.post("/erase")
def erase(workspace: Workspace, lead_id: int) -> Response:
    lead = leads.get_visible(workspace, lead_id)
    list_id, known = lead.list_id, lists.lists_by_id(workspace, [lead.list_id or 0])
    done = erasure.erase(workspace, lead_id)
    if not done.waits:
        show_toast("Person erased and added to the do-not-contact list.")
    else:
        show_toast("Person hidden and added to the do-not-contact list. The rest is erased within the hour.", "info")
    return redirect_to("pages.lists.show", list_id=list_id) if known else redirect_to("pages.lists.index")
