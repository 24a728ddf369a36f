"""Match inbound email to people, by address or by the ids of our messages."""

from collections.abc import Sequence
from dataclasses import replace

import sqlalchemy as sa

from app.core.db import in_list, session
from app.models.accounts import Account, Channel
from app.models.campaigns import CampaignLead
from app.models.conversations import Conversation
from app.models.leads import ERASED, Lead
from app.models.ledger import Action
from app.ports import Bounced, Incoming, Received


def match(account: Account, items: Sequence[Incoming]) -> list[Incoming]:
    """Match inbound items to the people they are about.

    Drop emails that neither reply to us nor come from a person this mailbox writes to: they are private.
    """
    if account.channel != Channel.EMAIL:
        return _by_alias(account, items)
    if account.provider == "sandbox":
        return list(items)
    mails = [item for item in items if isinstance(item, Received | Bounced)]
    by_token = _by_token(account, {item.token for item in mails if item.token})
    by_address = _by_address(account, {item.person for item in mails if item.person})
    found = ((item, by_token.get(item.token) or by_address.get(item.person)) for item in mails)
    return [replace(item, person=person) for item, person in found if person and person != ERASED]


def _by_alias(account: Account, items: Sequence[Incoming]) -> list[Incoming]:
    """Replace a person's known alias by the name we store."""
    aliases = {item.alias for item in items if not isinstance(item, Bounced) and item.alias not in ("", item.person)}
    if not aliases:
        return list(items)
    query = sa.select(Lead.person).where(Lead.workspace_id == account.workspace_id, in_list(Lead.person, aliases))
    known = set(session().scalars(query))
    return [
        replace(item, person=item.alias) if not isinstance(item, Bounced) and item.alias in known else item
        for item in items
    ]


def _by_token(account: Account, tokens: set[str]) -> dict[str, str]:
    query = sa.select(Action.token, Action.person).where(Action.sender_id == account.id, in_list(Action.token, tokens))
    return {row.token: row.person for row in session().execute(query)} if tokens else {}


def _by_address(account: Account, addresses: set[str]) -> dict[str, str]:
    """Map each address to the person this mailbox writes to; the latest when several people share it."""
    if not addresses:
        return {}
    ours = sa.or_(
        sa.exists().where(CampaignLead.lead_id == Lead.id, CampaignLead.mailbox_id == account.id),
        sa.exists().where(Conversation.sender_id == account.id, Conversation.person == Lead.person),
    )
    query = (
        sa.select(Lead.email, Lead.person)
        .where(
            Lead.workspace_id == account.workspace_id, in_list(Lead.email, addresses), Lead.deleted_at.is_(None), ours
        )
        .order_by(Lead.id)
    )
    return {row.email: row.person for row in session().execute(query)}
