"""Signals: look one up, and list past lookups."""

import json
from typing import Any

from flask import Blueprint, Response, g, request

from app.core import text
from app.core.errors import InvalidRequest, NotFound, NotSupported, PlanLimitExceeded, Unavailable
from app.domain.billing import credits
from app.domain.enrichment import signals
from app.domain.workspace import saved_views
from app.domain.workspace.workspaces import Workspace
from app.pages.framework.base import redirect_to, render, show_toast
from app.pages.framework.forms import Form, Text
from app.pages.framework.tables import Column, Table, chips
from app.pages.leads import signal_view
from app.pages.leads.signal_view import Block

area = Blueprint("signals", __name__, url_prefix="/signals")
ICONS = {
    "hiring": "user-plus",
    "funding": "chart-column",
    "techStack": "code-xml",
    "news": "file-text",
    "headcount": "users-round",
    "jobChange": "user-check",
}
# What a look-up looks like before there is one; the same shapes as the real ones.
EXAMPLE = {
    "openings": [
        {"title": "Account Executive", "location": "Berlin", "department": "Sales", "postedAt": "2026-03-01"},
        {"title": "Data Analyst", "location": "Remote", "department": "Data", "postedAt": "2026-02-24"},
    ],
    "total": 2,
}


TABLE = Table(
    "signals",
    (
        Column("asked", "Asked about", sort="asked", fixed=True),
        Column("kind", "Signal", sort="kind"),
        Column("found", "Found"),
        Column("credits", "Credits", "n", sort="credits"),
        Column("source", "Source", "opt-l", sort="source", usual=False),
        Column("at", "Looked up", "n opt-m", sort="at"),
    ),
)


KINDS = {"": "All"} | {name: one.label for name, one in signals.SIGNALS.items()}


class SignalForm(Form):
    kind = Text()
    domain = Text()
    full_name = Text(name="fullName")
    company_name = Text(name="companyName")
    job_title = Text(name="jobTitle")


@area.get("")
def index(workspace: Workspace) -> Response:
    """Show the signals with their prices, the form of one, and earlier lookups."""
    return _page(workspace, SignalForm(formdata=request.args))


def _page(workspace: Workspace, form: SignalForm, refusal: Exception | None = None) -> Response:
    kind = form.kind.data
    kind = kind if kind in signals.SIGNALS else "hiring"
    only, words = request.args.get("only", ""), text.squeeze(request.args.get("q", ""))[:200]
    only = only if only in signals.SIGNALS else ""
    filters = {name: value for name, value in (("only", only), ("q", words)) if value}
    past = signals.page(workspace, only, words)
    page, seen = TABLE.page(workspace, "/signals", past, signals.SORTS, filters)
    return render(
        "signals/index.html",
        part="signals/_rows.html" if request.args.get("cursor") else "signals/_searched.html",
        **seen,
        filters=filters,
        views=saved_views.of_member(workspace, g.user, TABLE.place),
        status=422 if isinstance(refusal, InvalidRequest) else getattr(refusal, "status", 200),
        kinds=signals.SIGNALS,
        prices=credits.SIGNAL_PRICES,
        icons=ICONS,
        kind=kind,
        form=form.take_errors(refusal) if isinstance(refusal, InvalidRequest) else form,
        refusal=refusal if refusal and not isinstance(refusal, InvalidRequest) else None,
        balance=credits.balance(workspace),
        rows=[(one, _subject(one), signal_view.summary(signal_view.blocks(one.answer))) for one in page],
        result=_result(workspace),
        chips=chips("/signals", seen["query"], "only", KINDS),
        example=signal_view.blocks(EXAMPLE),
    )


def _subject(signal: Any) -> str:
    return signal.domain or f"{signal.full_name}, {signal.company_name}"


def _row(signal: Any) -> tuple[Any, str, list[Block], str]:
    """Return a lookup with what was asked, the result as blocks, and as JSON."""
    return (
        signal,
        _subject(signal),
        signal_view.blocks(signal.answer),
        json.dumps(signal.answer, ensure_ascii=False, indent=2),
    )


def _result(workspace: Workspace) -> tuple[Any, str, list[Block], str] | None:
    """Return the lookup that the address names, if it is the workspace's."""
    try:
        return _row(signals.get(workspace, text.number(request.args.get("show", ""))))
    except NotFound:
        return None


@area.post("")
def look_up(workspace: Workspace) -> Response:
    """Look up a signal; you only pay if it is found."""
    form = SignalForm.posted()
    given = {name: typed[:1000] for name, typed in form.data.items()}
    try:
        found = signals.look_up(workspace, given.pop("kind"), **given)
    except (InvalidRequest, PlanLimitExceeded, NotSupported, Unavailable) as refusal:
        return _page(workspace, form, refusal)
    if not found.found:
        show_toast("Nothing found. You were not charged.", "info")
    elif found.repeat:
        show_toast("Free, because this was looked up in the last seven days.")
    else:
        show_toast(f"Found. This lookup used {found.credits} credits.")
    return redirect_to(".index", kind=found.signal, show=found.id, _anchor="result")
