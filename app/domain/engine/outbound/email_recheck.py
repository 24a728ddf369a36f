"""Check email addresses before the first email to them, and those that were bought long ago again.

If the service cannot tell or cannot be reached, the email is sent anyway.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from app.core.db import change_rows, fetch, session
from app.domain.engine.outbound.selection import Candidate
from app.domain.enrichment import address_checks, enrichment
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.platform import locks
from app.models.campaigns import OPEN_STATES, CampaignLead
from app.models.people import Person
from app.models.signals import AddressCheck, ContactLookup, LookupState
from app.models.workspaces import Workspace
from app.ports import Verdict

TOO_OLD = timedelta(days=30)
_PEOPLE: Any = CampaignLead.__table__
_PERSONS: Any = Person.__table__
_LOOKUPS: Any = ContactLookup.__table__
_WORKSPACES: Any = Workspace.__table__
_MOMENT = _LOOKUPS.c.answered_at.type
_KNOWN_AT = sa.func.max(sa.func.coalesce(_LOOKUPS.c.verified_at, _LOOKUPS.c.answered_at), type_=_MOMENT)
_CHECKS: Any = AddressCheck.__table__
_OPEN = (
    sa.select(_PEOPLE.c.id, _PERSONS.c.workspace_id, _PERSONS.c.email, _KNOWN_AT.is_not(None).label("bought"))
    .join(_PERSONS, _PERSONS.c.id == _PEOPLE.c.person_id)
    .join(_WORKSPACES, _WORKSPACES.c.id == _PERSONS.c.workspace_id)
    .outerjoin(
        _CHECKS, sa.and_(_CHECKS.c.workspace_id == _PERSONS.c.workspace_id, _CHECKS.c.address == _PERSONS.c.email)
    )
    .outerjoin(
        _LOOKUPS,
        sa.and_(
            _LOOKUPS.c.workspace_id == _PERSONS.c.workspace_id,
            _LOOKUPS.c.value == _PERSONS.c.email,
            _LOOKUPS.c.kind == "email",
            _LOOKUPS.c.state == LookupState.FOUND,
        ),
    )
    .where(
        _PEOPLE.c.id.in_(sa.bindparam("ids", expanding=True)),
        _PERSONS.c.email != "",
        _WORKSPACES.c.sandbox.is_(False),
    )
    .group_by(_PEOPLE.c.id, _PERSONS.c.workspace_id, _PERSONS.c.email)
    .having(
        sa.or_(
            sa.bindparam("before", type_=_MOMENT) > _KNOWN_AT,
            sa.func.max(_CHECKS.c.verdict) == Verdict.UNDELIVERABLE,
            sa.and_(_KNOWN_AT.is_(None), sa.func.count(_CHECKS.c.id) == 0),
        )
    )
)


def before_mail(candidates: Sequence[Candidate], at: datetime) -> None:
    """Check new addresses, and old bought or invalid ones again, before they are written to. Calls out."""
    mailed = [one.campaign_lead_id for one in candidates if one.part == 0]
    to_check: defaultdict[tuple[int, str, bool], list[int]] = defaultdict(list)
    for row in fetch(_OPEN, ids=mailed, before=at - TOO_OLD):
        to_check[row.workspace_id, row.email, row.bought].append(row.id)
    for (workspace_id, address, bought), campaign_lead_ids in to_check.items():
        _check(session().get_one(Workspace, workspace_id), address, campaign_lead_ids, bought=bought)


def _check(workspace: Workspace, address: str, campaign_lead_ids: Sequence[int], *, bought: bool) -> str:
    """Check the address and return why it gets no email, or ''. If it was bought, its credits are refunded.

    An address whose domain did not answer is checked again next time.
    """
    found = address_checks.look(workspace, address)
    if found.reason == "no_answer":
        return ""
    at = workspace.now()
    with locks.changing(workspace.id):
        sentence = address_checks.keep(workspace, address, found)
        if bought and found.verdict != Verdict.UNCHECKED:
            known = sa.update(ContactLookup).where(
                ContactLookup.workspace_id == workspace.id,
                ContactLookup.kind == "email",
                ContactLookup.value == address,
            )
            change_rows(known.values(verdict=found.verdict, verified_by=found.by, verified_at=at))
        if sentence:
            _exclude(campaign_lead_ids, sentence, at)
            enrichment.refund(workspace, address)
        return sentence


_CHECKED = sa.select(_KNOWN_AT).where(
    _LOOKUPS.c.workspace_id == sa.bindparam("workspace"),
    _LOOKUPS.c.value == sa.bindparam("address"),
    _LOOKUPS.c.kind == "email",
    _LOOKUPS.c.state == LookupState.FOUND,
)


def before_letter(workspace: Workspace, address: str, answers: bool, at: datetime) -> str:
    """Check a new or invalid address before a manual email, and an old bought one again; return why not to send, or ''.

    Calls out. With `answers`, the email replies to one from that address, so the address works.
    """
    if workspace.sandbox or not address:
        return ""
    ((bought_at,),) = fetch(_CHECKED, workspace=workspace.id, address=address)
    known = address_checks.of_address(workspace, address)
    dead = known is not None and known.verdict == Verdict.UNDELIVERABLE and not answers
    fresh = bought_at >= at - TOO_OLD if bought_at else answers or known is not None
    return "" if fresh and not dead else _check(workspace, address, [], bought=bought_at is not None)


def _exclude(campaign_lead_ids: Sequence[int], sentence: str, at: datetime) -> None:
    for campaign_lead_id in campaign_lead_ids:
        person = session().get(CampaignLead, campaign_lead_id, with_for_update=True, populate_existing=True)
        if person is not None and person.state in OPEN_STATES:
            campaign_leads.finish(person, "exclude", "undeliverable", at, sentence)
