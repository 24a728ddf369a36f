"""An empty list, and its addresses."""

from app.models.leads import LeadList
from tests.domain.leads.conftest import founders

__all__ = ["founders", "path"]


def path(found: LeadList, *more: object) -> str:
    """An address below that list's."""
    return "/".join(["lists", str(found.id), *map(str, more)])
