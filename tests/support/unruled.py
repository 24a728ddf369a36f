"""Workspaces without contact rules and caps: those are tested by themselves, and would slow every other story down."""

from app.core.db import transaction
from app.models.workspaces import Workspace

RULES = {"contacted_days": 0, "replied": False, "said_no": False, "company_stop": False}
CAPS = {"touches": 0, "per_day": 0, "company_people": 0}


def unruled(workspace: Workspace) -> Workspace:
    """The workspace, in which nothing but the do-not-contact list keeps anyone from being contacted."""
    with transaction() as current:
        found = current.merge(workspace)
        found.contact_rules, found.contact_caps = RULES, CAPS
    return found
