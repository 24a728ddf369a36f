"""Senders: connecting them, what they may do in a day, and how their connection stands."""

from collections.abc import Sequence

import sqlalchemy as sa

from app.core.db import owned, session, transaction
from app.models.accounts import MAILBOX_LIMITS, SOCIAL_LIMITS, Account, AccountStatus, Channel
from app.models.workspaces import Workspace

SANDBOX_PEOPLE = [("Ines Duarte", "ines-duarte"), ("Marek Novák", "marek-novak")]
SANDBOX_MAILBOX = ("Ines Duarte", "ines@sandbox.example")


def connect_sandbox(workspace: Workspace) -> None:
    """The workspace has two social accounts and a mailbox on the sandbox network, old enough to need no ramp."""
    with transaction() as current:
        at = workspace.now()
        for name, public_id in SANDBOX_PEOPLE:
            current.add(
                Account(
                    workspace_id=workspace.id,
                    channel=Channel.SOCIAL,
                    provider="sandbox",
                    provider_ref=public_id,
                    name=name,
                    public_id=public_id,
                    profile_url=f"https://network.example/in/{public_id}",
                    headline="Sandbox account",
                    status=AccountStatus.CONNECTED,
                    has_sales_navigator=True,
                    timezone=workspace.timezone,
                    limits=dict(SOCIAL_LIMITS),
                    created_at=at,
                )
            )
        name, address = SANDBOX_MAILBOX
        current.add(
            Account(
                workspace_id=workspace.id,
                channel=Channel.EMAIL,
                provider="sandbox",
                provider_ref=address,
                name=name,
                address=address,
                status=AccountStatus.CONNECTED,
                timezone=workspace.timezone,
                limits=dict(MAILBOX_LIMITS),
                created_at=at,
            )
        )


def get(workspace: Workspace, account_id: int) -> Account:
    """The sender, or NotFound."""
    return owned(Account, workspace, account_id)


def page(workspace: Workspace, channel: str = Channel.SOCIAL) -> sa.Select[Account]:
    """The senders of one channel."""
    return sa.select(Account).where(Account.workspace_id == workspace.id, Account.channel == channel)


def every(workspace: Workspace) -> Sequence[Account]:
    """All senders of the workspace, in the order they were connected."""
    query = sa.select(Account).where(Account.workspace_id == workspace.id).order_by(Account.id)
    return session().scalars(query).all()
