"""Open intents: actions that were started and whose outcome is unknown."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from app.core.db import fetch_by_id
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
_THE_ACCOUNTS = sa.select(_ACCOUNTS).where(_ACCOUNTS.c.id.in_(sa.bindparam("ids", expanding=True)))


def intents_of(found: Sequence[Any]) -> list[tuple[Any, Intent]]:
    """Rebuild intents from ledger rows, without those of deleted campaigns."""
    accounts = fetch_by_id(_THE_ACCOUNTS, {row.sender_id for row in found})
    leads = fetch_by_id(begin.THE_LEADS, {row.lead_id for row in found if row.lead_id})
    campaigns = fetch_by_id(selection.THE_CAMPAIGNS, {row.campaign_id for row in found if row.campaign_id})
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
