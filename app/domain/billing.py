"""Credits: every movement is an entry of the ledger, and the wallet is what the entries add up to."""

import sqlalchemy as sa

from app.core.db import session, transaction
from app.models.billing import CreditEntry, Wallet
from app.models.workspaces import Workspace


def grant(workspace: Workspace, amount: int, *, ref: str, note: str = "") -> None:
    """The workspace owns `amount` credits more. The same `ref` is granted once."""
    with transaction() as current:
        known = sa.select(CreditEntry.id).where(
            CreditEntry.workspace_id == workspace.id, CreditEntry.kind == "grant", CreditEntry.ref == ref
        )
        if current.scalar(known) is not None:
            return
        wallet = current.get(Wallet, workspace.id, with_for_update=True)
        if wallet is None:
            wallet = Wallet(workspace_id=workspace.id, posted=0, held=0)
            current.add(wallet)
        wallet.posted += amount
        current.add(
            CreditEntry(
                workspace_id=workspace.id, kind="grant", amount=amount, ref=ref, note=note, created_at=workspace.now()
            )
        )


def balance(workspace: Workspace) -> int:
    """The credits that can be spent now."""
    wallet = session().get(Wallet, workspace.id)
    return wallet.posted - wallet.held if wallet else 0
