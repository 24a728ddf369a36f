"""Workspaces without contact rules and caps, and senders without the pace of a person.

Those are tested by themselves, and would slow every other story down.
"""

from typing import Any

import sqlalchemy as sa

from app.core.db import transaction
from app.models.accounts import Account
from app.models.workspaces import Workspace

RULES = {"contacted_days": 0, "replied": False, "said_no": False, "company_stop": False}
CAPS = {"touches": 0, "per_day": 0, "company_people": 0}


def unruled(workspace: Workspace) -> Workspace:
    """The workspace, in which nothing but the do-not-contact list keeps anyone from being contacted."""
    with transaction() as current:
        found = current.merge(workspace)
        found.contact_rules, found.contact_caps = RULES, CAPS
    return found


@sa.event.listens_for(Account, "init")
def _unpaced(account: Account, args: Any, columns: dict[str, Any]) -> None:
    columns.setdefault("paced", False)
