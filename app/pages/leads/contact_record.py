"""Why a person was contacted and where their data is from: one page to print, and its contacts on their page."""

from typing import Any

from flask import Blueprint, Response

from app.domain.leads import leads
from app.domain.privacy import contact_record
from app.domain.rules.step_kinds import action_words, is_action
from app.domain.workspace.workspaces import Workspace
from app.pages.framework.base import render
from app.pages.leads import sources

part = Blueprint("contact_record", __name__, url_prefix="/people/<int:lead_id>/contact-record")


@part.get("")
def show(workspace: Workspace, lead_id: int) -> Response:
    """Show the record; for htmx its contacts."""
    lead = leads.get_visible(workspace, lead_id)
    found = contact_record.of_person(workspace, lead.person_id)
    return render(
        "leads/contact_record.html",
        part="leads/_contacts.html",
        lead=lead,
        found=found,
        origins=_origins(found),
        said=lambda kind: action_words(kind).done if is_action(kind) else "Contact",
        source_words=sources.words,
        identity_words=sources.IDENTITIES,
    )


def _origins(found: contact_record.ContactRecord) -> list[tuple[Any, Any, list[str]]]:
    """Return each source of their data with the day it gave something, and the fields it gave."""
    fields: dict[tuple[Any, Any], list[str]] = {}
    for known in sorted(found.record.values, key=lambda one: one.at):
        fields.setdefault((known.source, known.at.date()), []).append(sources.label(known.field))
    return [(source, day, names) for (source, day), names in fields.items()]
