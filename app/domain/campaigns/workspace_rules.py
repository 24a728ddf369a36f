"""A workspace's contact rules as its campaigns follow them."""

from typing import Any

from app.core.db import transaction
from app.domain.approvals import drafting
from app.domain.people.exclusions import contact_settings
from app.domain.rules.contact_rules import ContactRules
from app.models.workspaces import Workspace


def change(workspace: Workspace, **given: Any) -> None:
    """Set the workspace's defaults, as `contact_settings.store` takes them.

    Campaigns that say nothing else follow them from their next send on; drafts that wait are asked about at once.
    """
    with transaction():
        changed = contact_settings.store(workspace, **given)
        if not changed.isdisjoint(ContactRules._fields):
            drafting.recheck_all(workspace, workspace.now())


def reset(workspace: Workspace) -> None:
    """Go back to the defaults that every workspace starts with."""
    change(workspace, rules={}, caps={})
