"""The approval inbox: review drafts one at a time, by keyboard or mouse, or in bulk."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, Response, g, request

from app.core import paging
from app.core.db import session
from app.core.errors import AppError, Conflict, InvalidRequest
from app.core.text import number
from app.domain.approvals import approvals, bulk, reading, reminders, review
from app.domain.approvals.approvals import Filters
from app.domain.autopilot import draft_rewrite
from app.domain.leads.campaign_leads import expired_drafts
from app.domain.workspace import roles
from app.domain.workspace.workspaces import User, Workspace
from app.pages.approvals import wording
from app.pages.framework import words
from app.pages.framework.base import error_text, htmx, redirect_to_path, render, safe_path, show_toast
from app.pages.framework.forms import Form, Numbers, Text

area = Blueprint("approvals", __name__, url_prefix="/approvals")
TABS = {"waiting": "pending", "approved": "approved", "skipped": "skipped"}
_NAMES = ("show", "campaign", "kind", "sender", "warned")


@dataclass(frozen=True)
class View:
    """A tab and its filters, as the address has them."""

    tab: str
    filters: Filters
    given: dict[str, str]

    @classmethod
    def asked(cls) -> "View":
        """Read the address; ignore unknown values."""
        given = {name: request.args[name] for name in _NAMES if request.args.get(name)}
        tab = given.get("show", "waiting")
        tab = tab if tab in TABS else "waiting"
        kind = given.get("kind", "")
        filters = Filters(
            status=TABS[tab],
            campaign_id=number(given.get("campaign", "")) or None,
            kind=kind if kind in approvals.KINDS else "",
            sender_id=number(given.get("sender", "")) or None,
            warned=True if given.get("warned") else None,
        )
        return cls(tab, filters, given)

    @property
    def narrowed(self) -> bool:
        """Return whether a filter besides the tab is set."""
        return bool(set(self.given) - {"show"})

    def path(self, approval_id: int | None = None, what: str = "", **changed: Any) -> str:
        """Return the address of a draft in this view, or of the view itself."""
        query = {name: value for name, value in (self.given | changed).items() if value}
        place = f"/approvals/{approval_id}" if approval_id else "/approvals"
        return place + (f"/{what}" if what else "") + (f"?{urlencode(query)}" if query else "")


@area.get("")
def index(workspace: Workspace) -> Response:
    view = View.asked()
    if htmx().partial and request.args.get("cursor"):
        return render("approvals/_rows.html", view=view, row=None, **_rows(workspace, view))
    listed = _rows(workspace, view)
    first = listed["rows"][0].Approval.id if listed["rows"] else None
    return _page(workspace, view, first, listed, at_list=True)


@area.get("/<int:approval_id>")
def show(workspace: Workspace, approval_id: int) -> Response:
    view = View.asked()
    if htmx().partial:
        return render("approvals/index.html", part="approvals/_open.html", **_open(workspace, view, approval_id))
    return _page(workspace, view, approval_id, _rows(workspace, view))


def _page(
    workspace: Workspace,
    view: View,
    approval_id: int | None,
    listed: dict[str, Any],
    status: int = 200,
    *,
    at_list: bool = False,
    **more: Any,
) -> Response:
    return render(
        "approvals/index.html",
        status=status,
        at_list=at_list,
        choices=review.choices(workspace, view.filters.status),
        **listed,
        **_open(workspace, view, approval_id, **more),
    )


def _rows(workspace: Workspace, view: View) -> dict[str, Any]:
    window = paging.Window.of(request.args, ["approvals", workspace.id, *map(str, view.given.items())])
    page = paging.page(approvals.page(workspace, view.filters), None, window)
    whys = review.send_estimates(workspace, page.rows) if view.tab == "approved" else {}
    return {
        "rows": page.rows,
        "next_cursor": page.next_cursor,
        "soon": workspace.now() + reminders.SOON,
        "repeated": reading.repeated([row.Approval for row in page.rows]),
        "times": {one: wording.sends_at(workspace, why) or "Waiting" for one, why in whys.items()},
        "may_decide": roles.may(g.role, "approvals", change=True),
    }


def _open(workspace: Workspace, view: View, approval_id: int | None, **more: Any) -> dict[str, Any]:
    """Return what the template needs for the open draft, or for an empty inbox."""
    usual = {"problem": "", "seen": "", "focus": "", "typed": None, "wish": "", "undo": "", "late": False}
    shown: dict[str, Any] = {"view": view, "waiting": approvals.count(workspace), "row": None, **usual, **more}
    narrowed = view.filters != Filters(status="pending")
    shown["listed"] = approvals.count(workspace, view.filters) if narrowed else shown["waiting"]
    shown["step"] = review.largest_step(workspace) if view.tab == "waiting" and not view.narrowed else None
    shown["today"] = review.today(workspace)
    if approval_id is None:
        return shown | {"held": review.any_campaign_holds(workspace)}
    row = approvals.get(workspace, approval_id)
    before, after = review.previous_and_next(workspace, view.filters, approval_id)
    moves, is_open = approvals.moves(row.Approval), row.Approval.status in ("pending", "approved")
    return shown | {
        "moves": moves if roles.may(g.role, "approvals", change=True) else set(),
        "row": row,
        "checks": approvals.checks(row),
        "limit": approvals.longest(row.Approval),
        "notes": wording.notes(row, approvals.notes_left(workspace, row)),
        "fact_icons": wording.FACTS,
        "history": [wording.happened(entry, row.Lead) for entry in review.history(workspace, row)],
        "sends": wording.sends(
            workspace, row, review.send_estimates(workspace, [row])[approval_id] if is_open else None
        ),
        "skipped": wording.skipped(workspace, row, review.next_if_skipped(workspace, row)) if "edit" in moves else "",
        "wishes": draft_rewrite.choices(workspace, row) if "edit" in moves else [],
        "decided": wording.decided(workspace, row, review.decider(row.Approval)),
        "tone": {"approved": "info", "done": "ok"}.get(row.Approval.status, "warn"),
        "before": before,
        "after": after,
    }


class DraftForm(Form):
    """The text of a draft and the warnings seen; `subject` is None where the draft has none."""

    do = Text()
    text = Text()
    subject = Text(default=None)
    seen = Text()
    wish = Text()


class PickedForm(Form):
    do = Text()
    drafts = Numbers(name="draft")
    reason = Text()


@area.post("/<int:approval_id>")
def decide(workspace: Workspace, approval_id: int, user: User) -> Response:
    """Save the text and approve the draft; a warning needs a second press."""
    view, form = View.asked(), DraftForm.posted()
    text, subject = form.text.data, form.subject.data
    row = approvals.get(workspace, approval_id)
    if row.Approval.status != "pending":
        return _too_late(workspace, view, row)
    try:
        approval = row.Approval
        if _changed(approval, text, subject):  # kept even if it cannot be approved
            approval = approvals.edit(workspace, approval_id, text=text, subject=subject, by=user)
        if form.do.data == "save":
            return _saved(workspace, view, approval_id)
        seen = set(form.seen.data.split())
        approvals.edit(workspace, approval_id, text=text, subject=subject, approve=True, by=user, seen=seen)
    except InvalidRequest as refusal:
        if any(field.path == "id" for field in refusal.fields):
            return _too_late(workspace, view, approvals.get(workspace, approval_id))
        if any(field.path == "confirm" for field in refusal.fields):
            warnings = approvals.get(workspace, approval_id).Approval.warnings
            seen_now = " ".join(warning["code"] for warning in warnings)  # the next press approves it
            return _shown_again(workspace, view, approval_id, seen=seen_now)
        return _refused(workspace, view, approval_id, form, refusal)
    return _next(workspace, view, approval_id, f"Approved for {row.Lead.first_name or row.Lead.name}")


def _changed(approval: Any, text: str, subject: str | None) -> bool:
    same_title = subject is None or subject.strip() == approval.subject
    return not same_title or text.replace("\r\n", "\n") != approval.text


def _saved(workspace: Workspace, view: View, approval_id: int) -> Response:
    if htmx().partial:
        return render("approvals/index.html", part="approvals/_saved.html", **_open(workspace, view, approval_id))
    show_toast("Text saved. The draft is waiting for your approval.")
    return redirect_to_path(view.path(approval_id))


def _refused(workspace: Workspace, view: View, approval_id: int, form: DraftForm, refusal: InvalidRequest) -> Response:
    problem = " ".join(dict.fromkeys(field.message for field in refusal.fields))
    typed = {"text": form.text.typed, "subject": form.subject.typed or ""}
    return _shown_again(workspace, view, approval_id, problem=problem, typed=typed)


def _shown_again(workspace: Workspace, view: View, approval_id: int, **more: Any) -> Response:
    if htmx().partial:
        return render("approvals/_again.html", status=422, **_open(workspace, view, approval_id, **more))
    return _page(workspace, view, approval_id, _rows(workspace, view), 422, **more)


@area.post("/<int:approval_id>/text")
def keep(workspace: Workspace, approval_id: int, user: User) -> Response:
    """Save the text while it is typed, and check it."""
    form = DraftForm.posted()
    try:
        approvals.edit(workspace, approval_id, text=form.text.data, subject=form.subject.data or None, by=user)
    except InvalidRequest as refusal:
        if any(field.path == "id" for field in refusal.fields):
            return Response("", 204)
        problem = " ".join(field.message for field in refusal.fields)
        shown = _open(workspace, View.asked(), approval_id, problem=problem)
        return render("approvals/index.html", part="approvals/_saved.html", **shown)
    return _saved(workspace, View.asked(), approval_id)


@area.post("/<int:approval_id>/reset")
def reset(workspace: Workspace, approval_id: int) -> Response:
    """Restore the text as it was written first."""
    view, row = View.asked(), approvals.get(workspace, approval_id)
    written = {"text": row.Approval.written_text, "subject": row.Approval.written_subject}
    try:
        approvals.edit(workspace, approval_id, **written)
    except InvalidRequest:
        return _too_late(workspace, view, row)
    if htmx().partial:
        shown = _open(workspace, view, approval_id, focus="text")
        return render("approvals/index.html", part="approvals/_again.html", **shown)
    return redirect_to_path(view.path(approval_id))


@area.post("/<int:approval_id>/rewrite")
def rewrite(workspace: Workspace, approval_id: int) -> Response:
    """Rewrite the text of the box as the user asks; offer the previous one."""
    view, form, row = View.asked(), DraftForm.posted(text=None), approvals.get(workspace, approval_id)
    text, subject, wish = form.text.data, form.subject.data, form.wish.data
    try:
        if text is not None and _changed(row.Approval, text, subject):
            approvals.edit(workspace, approval_id, text=text, subject=subject)
        made = draft_rewrite.rewrite(workspace, approval_id, wish)
    except Conflict:
        return _too_late(workspace, view, approvals.get(workspace, approval_id))
    except InvalidRequest as refusal:
        if any(field.path == "id" for field in refusal.fields):
            return _too_late(workspace, view, approvals.get(workspace, approval_id))
        return _shown_again(workspace, view, approval_id, problem=error_text(refusal), wish=wish)
    undo = view.path(approval_id, "rewrite/undo") if made.changed else ""
    return _rewritten(workspace, view, approval_id, made.sentence, undo, "" if made.changed else wish)


@area.post("/<int:approval_id>/rewrite/undo")
def undo_rewrite(workspace: Workspace, approval_id: int) -> Response:
    """Restore the text before the last rewrite."""
    view = View.asked()
    try:
        draft_rewrite.undo(workspace, approval_id)
    except (Conflict, InvalidRequest) as refusal:
        return _show_refusal(workspace, view, refusal, approval_id)
    return _rewritten(workspace, view, approval_id, "The previous text is back.")


def _rewritten(
    workspace: Workspace, view: View, approval_id: int, said: str, undo: str = "", wish: str = ""
) -> Response:
    """Show the new text, what changed, and the undo; where nothing changed, keys still decide about the draft."""
    if not htmx().partial:
        show_toast(said)
        return redirect_to_path(view.path(approval_id))
    shown = _open(workspace, view, approval_id, wish=wish, focus="" if wish else "text", said=said, undo=undo)
    return render("approvals/index.html", part="approvals/_rewritten.html", **shown)


@area.post("/<int:approval_id>/skip")
def skip(workspace: Workspace, approval_id: int, user: User) -> Response:
    view, row = View.asked(), approvals.get(workspace, approval_id)
    try:
        approvals.skip(workspace, approval_id, user)
    except Conflict:
        return _too_late(workspace, view, row)
    return _next(workspace, view, approval_id, f"Skipped for {row.Lead.first_name or row.Lead.name}")


@area.post("/<int:approval_id>/undo")
def undo(workspace: Workspace, approval_id: int) -> Response:
    """Move a decided draft back to waiting, and open it."""
    view = View.asked()
    try:
        approvals.undo(workspace, approval_id)
    except Conflict as refusal:
        return _show_refusal(workspace, view, refusal, approval_id)
    if back := safe_path(request.values.get("next"), ""):
        return redirect_to_path(back)
    here = view if view.tab == "waiting" else View("waiting", Filters(status="pending"), {})
    if not htmx().partial:
        return redirect_to_path(here.path(approval_id))
    shown = _rows(workspace, here) | _open(workspace, here, approval_id)
    response = render("approvals/index.html", part="approvals/_undone.html", **shown)
    response.headers["HX-Push-Url"] = here.path(approval_id)
    return response


def _show_refusal(workspace: Workspace, view: View, refusal: AppError, approval_id: int) -> Response:
    """Show the message of the refusal with the draft."""
    show_toast(error_text(refusal), "warn")
    if not htmx().partial:
        return redirect_to_path(view.path(approval_id))
    shown = _open(workspace, view, approval_id)
    return render("approvals/index.html", part="approvals/_again.html", status=409, **shown)


def _next(workspace: Workspace, view: View, approval_id: int, said: str) -> Response:
    """Open the next draft, remove the decided one from the list, and offer the undo."""
    if back := safe_path(request.values.get("next"), ""):
        show_toast(f"{said}.", undo=view.path(approval_id, "undo", next=back))
        return redirect_to_path(back)
    before, after = review.previous_and_next(workspace, view.filters, approval_id)
    following = after or before
    if not htmx().partial:
        return redirect_to_path(view.path(following, decided=approval_id))
    shown = _open(workspace, view, following, gone=[approval_id], said=said, undo=view.path(approval_id, "undo"))
    response = render("approvals/index.html", part="approvals/_decided.html", **shown)
    response.headers["HX-Replace-Url"] = view.path(following)
    return response


def _too_late(workspace: Workspace, view: View, row: Any) -> Response:
    """Show why the draft can't be changed any more, and remove it from the list."""
    said = wording.decided(workspace, row, review.decider(row.Approval))
    if not htmx().partial:
        show_toast(said, "warn")
        return redirect_to_path(view.path())
    before, after = review.previous_and_next(workspace, view.filters, row.Approval.id)
    shown = _open(workspace, view, after or before, gone=[row.Approval.id], said=said, late=True)
    response = render("approvals/index.html", part="approvals/_decided.html", status=409, **shown)
    response.headers["HX-Replace-Url"] = view.path(after or before)
    return response


@area.post("/many")
def many(workspace: Workspace, user: User) -> Response:
    """Approve or skip the selected drafts; leave those with a warning, and say how many."""
    view, form = View.asked(), PickedForm.posted()
    ids = [picked for picked in form.drafts.data if picked]
    try:
        reason = form.reason.data if form.do.data == "skip" else ""
        results = bulk.bulk(workspace, ids[: bulk.MOST_IDS], form.do.data, user, reason)
    except InvalidRequest as refusal:
        show_toast(refusal.fields[0].message if ids else "Select at least one draft.", "warn")
        return redirect_to_path(view.path())
    show_counted(results, view.path())
    return redirect_to_path(view.path())


def show_counted(results: Sequence[bulk.Result], back: str) -> None:
    """Say what became of the drafts, with an undo of those that were decided, which leads to `back`."""
    decided = [("draft", one.id) for one in results if one.outcome in ("approved", "skipped")]
    undo = f"/approvals/many/undo?{urlencode([*decided, ('next', back)])}" if decided else ""
    show_toast(wording.counted([one.outcome for one in results]), undo=undo)


@area.post("/many/undo")
def undo_many(workspace: Workspace) -> Response:
    """Move the drafts of the address, or those selected, back to waiting, unless it's too late."""
    ids = [number(picked) for picked in request.values.getlist("draft")]
    back = bulk.undo(workspace, ids)
    late = f" Can't be undone any more: {words.many(len(ids) - back, 'draft')}." if back < len(ids) else ""
    show_toast(f"{words.many(back, 'draft')} moved back to waiting.{late}", "warn" if late else "ok")
    return redirect_to_path(safe_path(request.args.get("next"), "/approvals"))


EXPIRED = {
    "skip_expired": "People continue when a draft expires.",
    "keep_expired": "People wait when a draft expires.",
}


@area.post("/campaigns/<int:campaign_id>")
def switch(workspace: Workspace, campaign_id: int, user: User) -> Response:
    """Change whether the campaign asks for approval and what follows expiry, or approve all waiting drafts."""
    do = request.form.get("do", "")
    if do == "send":
        sent, left = approvals.send_without(workspace, campaign_id, user)
        show_toast(wording.let_go(sent, left))
    elif do in EXPIRED:
        expired_drafts.choose(workspace, campaign_id, skip=do == "skip_expired")
        show_toast(EXPIRED[do])
    else:
        campaign = bulk.switch(workspace, campaign_id, do == "hold")
        waiting = approvals.count(workspace, Filters(status="pending", campaign_id=campaign.id))
        show_toast(wording.switched(campaign.approval, waiting))
    session().expire_all()
    return redirect_to_path(f"/campaigns/{campaign_id}/settings")
