"""Open intents: actions that were started and whose outcome is unknown."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from app.core.db import in_batches, session
from app.domain.approvals import release
from app.domain.engine.outbound import begin, selection
from app.domain.engine.outbound.begin import Intent
from app.domain.rules import message_templates
from app.domain.rules.sequences.step_keys import place_of
from app.domain.rules.variants.assignment import with_variant
from app.models.accounts import Account
from app.models.ledger import REMOVED_STEP, WITHDRAWAL_STEP
from app.ports import SenderAction

_ACCOUNTS: Any = Account.__table__


def intents_of(found: Sequence[Any]) -> list[tuple[Any, Intent]]:
    """Rebuild intents from ledger rows, without those of deleted campaigns."""
    accounts = _by_id(_ACCOUNTS, {row.sender_id for row in found})
    leads = begin.rows_by_id(begin.THE_LEADS, {row.lead_id for row in found if row.lead_id})
    campaigns = selection.campaigns_by_id({row.campaign_id for row in found if row.campaign_id})
    return [
        (row, _intent(row, accounts[row.sender_id], campaigns[row.campaign_id], leads[row.lead_id]))
        for row in found
        if row.lead_id in leads and row.campaign_id in campaigns and row.campaign_lead_id is not None
    ]


def _intent(row: Any, account: Any, campaign: Any, lead: Any) -> Intent:
    place = row.step if row.step == WITHDRAWAL_STEP else place_of(campaign.sequence, row.step)
    known = place is not None and place != WITHDRAWAL_STEP
    text = with_variant(campaign.sequence[place], row.variant).get("message", "") if known else ""
    parts = max(1, len(message_templates.split(text))) if row.kind == "message" else 1
    draft = release.of_action(row.campaign_lead_id, row.step) if row.kind in release.TEXTS else None
    if draft:
        parts = max(1, len(draft.parts))
    since = row.first_at or row.at
    action = SenderAction(row.kind, begin.to_person_ref(lead), row.token, row.text, row.subject, since)
    where = (REMOVED_STEP if place is None else place, row.part, parts)
    return Intent(
        row.id,
        account,
        campaign,
        row.campaign_lead_id,
        lead,
        *where,
        action,
        row.at,
        row.attempts,
        approval_id=draft.id if draft else None,
    )


def _by_id(table: Any, ids: set[int]) -> dict[int, Any]:
    found = {}
    for batch in in_batches([row_id for row_id in ids if row_id]):
        found.update({row.id: row for row in session().execute(sa.select(table).where(table.c.id.in_(batch)))})
    return found
