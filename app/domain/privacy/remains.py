"""Where else a person is named, beside lists, campaigns, conversations and events; forgotten when they are erased."""

from typing import Any

import sqlalchemy as sa

from app.core.db import in_list, session
from app.domain.leads.subjects import Subject
from app.domain.platform import request_log
from app.models.approvals import Approval
from app.models.autopilot import PlaySample
from app.models.request_log import ApiRequest
from app.models.signals import ContactLookup, Signal

_SILENT = {"synchronize_session": False}


def erase_other_rows(subject: Subject) -> None:
    """Drafts, look-ups, samples and the request log do not name them any more. Inside a transaction."""
    drafts = {"text": "", "subject": "", "written_text": "", "written_subject": "", "facts": [], "warnings": []}
    _set(subject, Approval, in_list(Approval.lead_id, subject.lead_ids), drafts)
    found = {"lead_id": None, "value": "", "source": ""}
    _set(subject, ContactLookup, in_list(ContactLookup.lead_id, subject.lead_ids), found)
    _set(subject, ContactLookup, in_list(ContactLookup.value, subject.addresses), {"value": ""})
    samples = sa.delete(PlaySample).where(
        PlaySample.workspace_id == subject.workspace.id, in_list(PlaySample.person, subject.persons)
    )
    session().execute(samples.execution_options(**_SILENT))
    _forget_signals(subject)
    _forget_requests(subject)


def _set(subject: Subject, model: Any, theirs: sa.ColumnElement[bool], values: dict[str, Any]) -> None:
    change = sa.update(model).where(model.workspace_id == subject.workspace.id, theirs).values(values)
    session().execute(change.execution_options(**_SILENT))


def _forget_signals(subject: Subject) -> None:
    """Look-ups of a new job, by their name and where they work; what was paid stays."""
    named = {f"{lead.first_name} {lead.last_name}".strip().casefold() for lead in subject.leads} - {""}
    firms = {lead.company_name.strip().casefold() for lead in subject.leads}
    query = sa.select(Signal).where(Signal.workspace_id == subject.workspace.id, Signal.full_name != "")
    for signal in session().scalars(query) if named else ():
        if signal.full_name.strip().casefold() in named and signal.company_name.strip().casefold() in firms:
            signal.full_name = signal.company_name = signal.job_title = ""
            signal.answer = {}
    session().flush()


def _forget_requests(subject: Subject) -> None:
    """What a program sent and was answered, and the query in the address."""
    request_log.flush()
    columns = (ApiRequest.path, ApiRequest.sent, ApiRequest.answered)
    query = sa.select(ApiRequest).where(
        ApiRequest.workspace_id == subject.workspace.id, sa.or_(*(subject.mentioned(column) for column in columns))
    )
    for line in session().scalars(query):
        line.sent = line.answered = ""
        line.path = line.path.partition("?")[0]
    session().flush()
