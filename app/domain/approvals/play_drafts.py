"""Drafts of plays: what the autopilot, which stands above, knows of them. `app/listeners.py` connects it."""

from collections.abc import Collection, Sequence
from typing import Protocol

from app.domain.approvals.checks import Check, Draft
from app.models.campaigns import Campaign
from app.models.leads import Lead
from app.models.workspaces import Workspace

Fact = dict[str, str]


class PlayDrafts(Protocol):
    """What is asked of the autopilot."""

    def facts(self, campaign: Campaign, step: int, lead: Lead) -> Sequence[Fact]:
        """Return the sources of a step's text: dicts of kind, label and text for "Written from"."""

    def supported(self, draft: Draft) -> Check | None:
        """Check the claims of a draft; None when it belongs to no play."""

    def stand_by(self, workspace: Workspace, sentences: Collection[str], stands: bool) -> None:
        """Record that a person stands by these sentences, or no longer. Inside a transaction."""


_connected: PlayDrafts | None = None


def connect(plays: PlayDrafts) -> None:
    """Connect the autopilot; called once by create_app."""
    global _connected
    _connected = plays


def of() -> PlayDrafts:
    """Return what knows the drafts of plays."""
    assert _connected is not None, "create_app connects it"
    return _connected
