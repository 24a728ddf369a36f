"""The never-contact list: pasting, finding, removing with a way back."""

from flask import Blueprint, Response, request, url_for

from app.core import paging
from app.core.errors import InvalidRequest
from app.core.paging import Window
from app.domain.leads import never_contact
from app.domain.workspace.workspaces import Workspace
from app.pages.framework.base import errors_of, htmx, redirect_to, render, show_toast, signed_in

area = Blueprint("never_contact", __name__, url_prefix="/never-contact")
CHANGERS = ("operator",)
KINDS = {"person": "Person", "email": "E-mail", "domain": "Domain", "company": "Company", "erased": "Erased"}


@area.get("")
@signed_in
def index(workspace: Workspace) -> Response:
    """Whom nobody contacts."""
    return _page(workspace)


def _page(workspace: Workspace, errors: dict[str, str] | None = None, refused: list[tuple[int, str, str]] | None = None,
          said: str = "") -> Response:  # fmt: skip
    q = request.args.get("q", "").strip()[:200]
    window = Window.of(request.args, (workspace.id, request.path, q))
    page = paging.page(never_contact.page(workspace, q), None, window)
    again = "\n".join(line for _, line, _ in refused) if refused else ""
    return render(
        "never_contact/index.html",
        part="never_contact/_rows.html" if request.args.get("cursor") else "never_contact/_found.html",
        status=422 if errors else 200,
        page=page,
        more=url_for(".index", q=q or None, cursor=page.next_cursor) if page.next_cursor else "",
        q=q,
        total=never_contact.count(workspace),
        words=KINDS,
        errors=errors or {},
        refused=refused or [],
        said=said,
        entries=request.form.get("entries", "") if errors else again,
        reason=request.form.get("reason", ""),
    )


@area.post("")
@signed_in(roles=CHANGERS)
def add(workspace: Workspace) -> Response:
    """Whom the lines name is never contacted again; lines that name nobody stay to be corrected."""
    lines = [line for line in request.form.get("entries", "").splitlines() if line.strip()]
    if not lines:
        return _page(workspace, {"entries": "Paste at least one line."})
    try:
        result = never_contact.add(workspace, lines, request.form.get("reason", ""))
    except InvalidRequest as refusal:
        return _page(workspace, errors_of(refusal))
    said = f"{result.added:,} added" + (f", {result.known:,} were here already." if result.known else ".")
    if result.refused:
        return _page(workspace, refused=result.refused, said=said)
    show_toast(said)
    return redirect_to(".index")


@area.post("/<int:entry_id>/remove")
@signed_in(roles=CHANGERS)
def remove(workspace: Workspace, entry_id: int) -> Response:
    """The entry is gone, and can be brought back."""
    entry = never_contact.remove(workspace, entry_id)
    said = f"“{entry.label}” may be contacted again."
    if htmx().partial:
        undo = url_for(".restore", kind=entry.kind, entry=entry.value, reason=entry.reason or None)
        return render("never_contact/_removed.html", said=said, undo=undo, total=never_contact.count(workspace))
    show_toast(said)
    return redirect_to(".index")


@area.post("/restore")
@signed_in(roles=CHANGERS)
def restore(workspace: Workspace) -> Response:
    """A removed entry is there again."""
    given = request.args
    never_contact.add(workspace, [(given.get("kind", ""), given.get("entry", ""))], given.get("reason", ""))
    show_toast("It is back on the list.")
    return redirect_to(".index")
