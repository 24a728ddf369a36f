"""Drafts, look-ups, samples, signals and the request log after someone was erased."""

from typing import Any

import sqlalchemy as sa

from app.core.db import end_read, session, transaction
from app.domain.leads import lists
from app.domain.privacy import erasure
from app.models.platform.request_log import ApiRequest
from app.models.signals import ContactLookup, Enrichment, LookupState, Signal
from app.models.workspaces import Workspace
from tests.domain.outreach import a_list

ADA = {"publicId": "ada", "firstName": "Ada", "lastName": "Example", "companyName": "Wool", "email": "ada@x.example"}


def rows(model: Any) -> list[Any]:
    """Everything in the table, as it is now."""
    session().expire_all()
    found = list(session().scalars(sa.select(model).order_by(model.id)))
    end_read()
    return found


def looked_up(workspace: Workspace, list_id: int, lead_id: int) -> None:
    """Their address was bought, their new job looked up, and a program was refused."""
    at = workspace.now()
    ours: dict[str, Any] = {"workspace_id": workspace.id, "created_at": at}
    with transaction() as current:
        run = Enrichment(**ours, list_id=list_id, what="email")
        current.add(run)
        current.flush()
        found = {"kind": "email", "state": LookupState.FOUND, "value": "ada@x.example", "credits": 1}
        current.add(ContactLookup(workspace_id=workspace.id, enrichment_id=run.id, lead_id=lead_id, **found))
        for name in ("Ada Example", "Bob Example"):
            asked = {"kind": "jobChange", "full_name": name, "company_name": "wool", "fingerprint": name}
            current.add(Signal(**ours, **asked, found=True, credits=3, answer={"person": name}))
        for sent in ('{"email": "ada@x.example"}', '{"email": "bob@x.example"}'):
            line = {"key_id": 1, "ref": "req_1", "method": "GET", "path": "/v1/leads?email=x", "status": 400}
            current.add(ApiRequest(**ours, **line, refused=True, milliseconds=1, sent=sent))


def test_paid_lookups_stay_counted_without_the_person(acme: Workspace) -> None:
    """What was paid and asked stays counted; who it was about does not stay."""
    list_id = a_list(acme, [ADA])
    (lead,) = session().scalars(lists.query_list(acme, list_id))
    end_read()
    looked_up(acme, list_id, lead.id)
    erasure.erase(acme, lead.id)
    (lookup,) = rows(ContactLookup)
    assert (lookup.value, lookup.lead_id, lookup.credits) == ("", None, 1)
    assert [(one.full_name, one.answer, one.credits) for one in rows(Signal)] == [
        ("", {}, 3),
        ("Bob Example", {"person": "Bob Example"}, 3),
    ]
    assert [(one.sent, one.path) for one in rows(ApiRequest)] == [
        ("", "/v1/leads"),
        ('{"email": "bob@x.example"}', "/v1/leads?email=x"),
    ]
