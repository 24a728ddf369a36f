"""Connections that are known: people whom a sender is connected to already need no invitation."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from app.core.db import in_list, session
from app.models.campaigns import CampaignLead, Connection
from app.models.ledger import Action


def known(workspace_id: int, senders: Mapping[int, int | None]) -> set[int]:
    """Return the people who are connected to their sender, as far as other campaigns found out.

    `senders` names the social sender of each person. A conversation proves nothing: an InMail begins one as well.
    """
    people = [person_id for person_id, sender_id in senders.items() if sender_id]
    if not people:
        return set()
    accepted = sa.select(Action.person_id, Action.sender_id).where(
        Action.workspace_id == workspace_id, in_list(Action.person_id, people), Action.accepted_at.is_not(None)
    )
    connected = sa.select(CampaignLead.person_id, CampaignLead.account_id).where(
        CampaignLead.workspace_id == workspace_id,
        in_list(CampaignLead.person_id, people),
        CampaignLead.connection == Connection.ACCEPTED,
    )
    rows: Any = session().execute(sa.union_all(accepted, connected)).all()
    return {person_id for person_id, sender_id in rows if sender_id == senders[person_id]}
