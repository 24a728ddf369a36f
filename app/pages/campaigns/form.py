"""The campaign builder: one form that works with and without scripts, beside a preview."""

from collections.abc import Sequence
from typing import Any

from flask import Response, g, request, url_for

from app.core import text
from app.core.db import session
from app.core.errors import AppError, InvalidRequest
from app.domain.approvals import release
from app.domain.campaigns import branch_validation, campaigns, exclusion_preview, starters
from app.domain.campaigns import preview as campaign_preview
from app.domain.campaigns.validation import MOST_DELAY, Problems
from app.domain.leads import lists
from app.domain.leads.campaign_leads import filters
from app.domain.ledger import usage
from app.domain.people.exclusions import contact_settings
from app.domain.rules.sequences import conditions
from app.domain.rules.sequences.branches import Flow
from app.domain.rules.step_kinds import STEPS, TASK_TYPES
from app.domain.senders import accounts
from app.domain.workspace.workspaces import Workspace
from app.pages.campaigns import branch_form, schedule_form, starter_view
from app.pages.campaigns.campaigns import area as campaigns_area
from app.pages.campaigns.campaigns import rules_in_words
from app.pages.campaigns.form_data import CampaignForm, Draft
from app.pages.campaigns.frame import reason, sender_names
from app.pages.framework import words
from app.pages.framework.base import Errors, error_text, may_change, redirect_to, render, show_toast, try_verb
from app.pages.framework.words import people_count

WEEKDAYS = list(enumerate(words.WEEKDAYS, 1))
SAVES = ("save", "start", "test")


@campaigns_area.get("/new")
@may_change
def new(workspace: Workspace) -> Response:
    """Show the form of a new campaign; `?list=` chooses its people, `?starter=` the steps it begins with."""
    wanted = text.number(request.args.get("list", ""))
    people = campaign_preview.preview_people(workspace, wanted) if lists.lists_by_id(workspace, [wanted]) else []
    draft = Draft.fresh(workspace, wanted, accounts.every(workspace), people)
    draft.exclude = contact_settings.of_new_campaign(workspace)
    starter = request.args.get("starter", "")
    return _form(workspace, draft, do=f"starter:{starter}" if starter else "")


@campaigns_area.post("/new")
def create(workspace: Workspace) -> Response:
    """Save the draft; every other button changes the form."""
    return _posted(workspace, None)


@campaigns_area.get("/<int:campaign_id>/edit")
@may_change
def edit(workspace: Workspace, campaign_id: int) -> Response:
    campaign = campaigns.get(workspace, campaign_id)
    if "edit" not in filters.campaign_moves(campaign):
        show_toast("You can only edit a draft. Duplicate the campaign and edit the copy.", "warn")
        return redirect_to("pages.campaigns.settings", campaign_id=campaign_id)
    draft = Draft.of_campaign(campaign)
    draft.exclude = contact_settings.of_campaign(workspace, campaign)
    return _form(workspace, draft, campaign=campaign)


@campaigns_area.post("/<int:campaign_id>/edit")
def save(workspace: Workspace, campaign_id: int) -> Response:
    return _posted(workspace, campaigns.get(workspace, campaign_id))


def _posted(workspace: Workspace, campaign: Any) -> Response:
    """Save the draft, and start it or ask whether to where that was pressed; every other button changes the form."""
    form = CampaignForm.posted()
    draft, do = Draft.of_form(form), form.do.data
    campaign = campaign or (campaigns.get(workspace, form.draft.data) if form.draft.data else None)
    verb, _, step = do.partition(":")
    if verb == "keep":
        return _kept(workspace, draft, campaign)
    if verb not in SAVES:
        return _form(workspace, draft, do=do, campaign=campaign)
    try:
        saved = _saved(workspace, draft, campaign)
    except InvalidRequest as refusal:
        return _form(workspace, draft, refusal, campaign=campaign)
    if verb == "test":
        return redirect_to("pages.campaigns.test_step", campaign_id=saved.id, step=text.number(step, 1))
    if do == "start" and workspace.sandbox:
        try_verb(lambda: campaigns.start(workspace, saved.id), "Draft saved and started.")
    elif do == "save":
        show_toast("Draft saved. Nothing is sent until you start it.")
    asks = {"start": 1} if do == "start" and not workspace.sandbox else {}
    return redirect_to("pages.campaigns.show", campaign_id=saved.id, **asks)


def _saved(workspace: Workspace, draft: Draft, campaign: Any, **more: Any) -> Any:
    given = draft.arguments() | {"exclude": contact_settings.differing(workspace, draft.exclude)} | more
    return campaigns.edit(workspace, campaign.id, **given) if campaign else campaigns.create(workspace, **given)


def _kept(workspace: Workspace, draft: Draft, campaign: Any) -> Response:
    """Save the draft while it is written, whatever texts are missing; say when, or why not."""
    try:
        saved = _saved(workspace, draft, campaign, name=draft.name.strip() or "New campaign", unfinished=True)
    except AppError as refusal:
        why = [f"{label}: {sentence}" for _, label, sentence, _ in draft.problems(refusal)] or [error_text(refusal)]
        return render("campaigns/_saved.html", campaign=campaign, said=f"Not saved. {why[0]}")
    response = render("campaigns/_saved.html", campaign=saved, said=f"Saved {workspace.now().astimezone(g.zone):%H:%M}")
    response.headers["HX-Replace-Url"] = url_for(".edit", campaign_id=saved.id)
    return response


@campaigns_area.post("/preview")
def preview(workspace: Workspace) -> Response:
    """Show what the chosen person would get, and the draft in a sentence."""
    draft = Draft.of_form(CampaignForm.posted())
    draft.open_first()
    return render(
        "campaigns/_seen.html",
        draft=draft,
        errors=Errors(),
        focus="",
        lists=_lists(workspace),
        **_preview_context(workspace, draft),
    )


def _form(
    workspace: Workspace, draft: Draft, refusal: InvalidRequest | None = None, do: str = "", campaign: Any = None
) -> Response:
    draft.offered = starter_view.offered(workspace, draft)
    edited = editing(draft, refusal, do)
    if do.startswith("starter:"):
        starter_view.add_senders(draft, accounts.every(workspace))
    if wrong := starters.topic_problem(draft.topic):
        edited["errors"]["topic"] = wrong
    seen = _preview_context(workspace, draft)
    return render(
        "campaigns/form.html",
        part="campaigns/_editor.html",
        status=422 if refusal else 200,
        draft=draft,
        campaign=campaign,
        action=f"/campaigns/{campaign.id}/edit" if campaign else "/campaigns/new",
        accounts=accounts.every(workspace),
        lists=_lists(workspace),
        **edited,
        fixed=0,
        had=(),
        weekdays=WEEKDAYS,
        **choices(workspace, campaign),
        starters=starter_view.choices(workspace, draft, seen["lead"], seen["senders"]),
        **seen,
    )


def editing(draft: Draft, refusal: AppError | None, do: str) -> dict[str, Any]:
    """Apply a button of the editor, and return what its steps are drawn from: problems, what has the focus, choices."""
    goto, said = draft.change(do) if do else ("", "")
    problems = draft.problems(refusal) if isinstance(refusal, InvalidRequest) else []
    errors = Errors()
    for path, _, sentence, _ in problems:
        errors[path] = f"{errors[path]} {sentence}" if path in errors else sentence
    focus = problems[0][3] if problems else goto
    draft.open_first(focus)
    choices_of = {
        "kinds": branch_form.KIND_CHOICES,
        "signals": branch_form.SIGNAL_CHOICES,
        "senders": branch_form.SENDER_CHOICES,
    }
    return {
        "goto": goto,
        "said": said,
        "problems": [(label, sentence, place) for _, label, sentence, place in problems],
        "errors": errors,
        "focus": focus,
        "kinds": list(STEPS),
        "task_types": TASK_TYPES,
        "choices_of": choices_of,
        "words_of": branch_form.in_words,
    }


def _lists(workspace: Workspace) -> list[tuple[int, str]]:
    found = session().scalars(lists.people_lists(workspace).order_by(None))
    return [(one.id, f"{one.name} ({people_count(one.lead_count)})") for one in found]


def longest(senders: Sequence[Any]) -> dict[str, int]:
    """Return by kind how many characters the text of a step may have."""
    return {kind: campaign_preview.longest_note(senders, kind) for kind in STEPS}


def choices(workspace: Workspace, campaign: Any = None) -> dict[str, Any]:
    """Return the lists and campaigns whose people can be left out."""
    own = campaign.id if campaign else 0
    return {
        "other_lists": [(one.id, one.name) for one in session().scalars(lists.people_lists(workspace).order_by(None))],
        "other_campaigns": [(one.id, one.name) for one in campaigns.newest(workspace) if one.id != own],
    }


def _left_out(
    workspace: Workspace, draft: Draft, senders: Sequence[Any], mailboxes: Sequence[Any]
) -> exclusion_preview.LeftOut | None:
    """Count on the first people of the list who would be left out by the rules and steps as they stand in the form."""
    kept, wrong = contact_settings.check(workspace, draft.exclude)
    if wrong or not draft.list_id:
        return None
    stop = bool(draft.exclude.get("company_stop"))
    sequence, branches = walkable(draft) if senders else ([], [])
    steps, ids = (sequence, branches, draft.wait_for_profile), [one.id for one in mailboxes]
    asking = exclusion_preview.Asking(workspace.id, draft.list_id, draft.account_ids, ids, kept, stop, 0, *steps)
    return exclusion_preview.count(workspace, asking, most=exclusion_preview.CHUNK)


def walkable(draft: Draft) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the steps and branches of the form; nothing while a wait, a condition or a branch is wrong."""
    sequence, problems = [step.argument() for step in draft.steps], Problems()
    for number, step in enumerate(sequence):
        if step["delay"] and not _is_sound(step["delay"]):
            return [], []
        branch_validation.check_when(step.get("when"), f"sequence[{number}].when", problems.add)
    branches = branch_validation.check_branches(draft.layout.arguments(), len(sequence), problems.add)
    return ([], []) if problems.fields else (sequence, branches)


def _preview_context(workspace: Workspace, draft: Draft) -> dict[str, Any]:
    """Return the preview and the summary of a draft, however incomplete it is."""
    chosen = lists.lists_by_id(workspace, [draft.list_id]).get(draft.list_id) if draft.list_id else None
    people = campaign_preview.preview_people(workspace, draft.list_id, draft.lead_id) if chosen else []
    known = accounts.every(workspace)
    senders = [account for account in known if account.id in draft.account_ids]
    sequence = [step.argument() for step in draft.steps]
    mailboxes = campaigns.mailboxes_for(workspace, senders, sequence) if senders else []
    all_senders = [*senders, *(one for one in mailboxes if one not in senders)]
    left_out = _left_out(workspace, draft, senders, mailboxes) if chosen else None
    lead = _previewed(people, draft.lead_id, left_out)
    sound = [step for step in sequence if not step["delay"] or _is_sound(step["delay"])]
    return {
        "frame": None,
        "list": chosen,
        "people": people,
        "lead": lead,
        "senders": senders,
        "sender_names": sender_names(all_senders),
        "hours": schedule_form.hours_in_words(draft.schedule, workspace),
        "longest": longest(senders),
        **shown_to(workspace, draft, lead, [*senders, *known], chosen),
        "gaps": [campaign_preview.gaps(workspace, draft.list_id, [step]) for step in sequence] if chosen else [],
        "outlook": campaign_preview.outlook(sound, all_senders, workspace.now()),
        "first": release.first_people(workspace, draft.approval),
        "notes": usage.note_shortage(sound, senders, workspace.now()),
        "left_out": left_out,
        "rules_line": rules_in_words(draft.exclude),
        "reason": reason,
        "variables": campaign_preview.variables(people),
    }


def shown_to(
    workspace: Workspace, draft: Draft, lead: Any, senders: Sequence[Any], chosen: Any, campaign: Any = None
) -> dict[str, Any]:
    """Return the steps as the person gets them, and how many of the list lack the phone number that a step needs."""
    place = campaign_preview.campaign_lead_of(campaign, lead) if campaign else None
    had, steps = campaign_preview.variants_had(place), [step.argument() for step in draft.steps]
    said = campaign_preview.preview(steps, lead, senders, had) if lead else []
    flow = Flow(*walkable(draft))
    if said and flow.sequence:
        said = campaign_preview.on_path(said, flow, lead, senders, workspace.now(), place)
    calls = any(
        step.get("taskType") in ("call", "whatsapp") and "phone" not in conditions.looked_up(flow.asked_at(index))
        for index, step in enumerate(flow.sequence)
    )
    return {"said_to": said, "no_phone": lists.coverage_numbers(chosen)["no-phone"] if calls and chosen else 0}


def _previewed(people: Sequence[Any], chosen: int, left_out: Any) -> Any:
    """Return the person of the preview: the chosen one, or else the first who would be written to."""
    out = {lead_id for first in left_out.first.values() for lead_id, _ in first} if left_out else set()
    order = sorted(people, key=lambda one: (one.id != chosen, one.id in out))
    return order[0] if order else None


def _is_sound(delay: dict[str, Any]) -> bool:
    wait: float = delay["value"]
    return 0 <= wait <= MOST_DELAY.get(delay["unit"], -1)
