"""The event that an import has ended, of a file or of a search."""

from app.core.db import session
from app.domain.webhooks import events
from app.models.leads import LeadImport, LeadList, SearchImport
from app.models.workspaces import Workspace
from app.resources.event_data import EventImport


def tell(workspace: Workspace, found: LeadImport | SearchImport) -> None:
    """Record that the import has ended, and how. Inside a transaction."""
    current = session()
    current.flush()
    shown = EventImport.of(found, current.get_one(LeadList, found.list_id))
    events.record(workspace.id, [events.new("import_finished", workspace.now(), {"import": shown})])
