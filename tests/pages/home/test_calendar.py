"""The calendar's page: a fortnight by day and sender, and why someone is idle."""

from app.core.clock import Movable
from app.domain.campaigns import campaigns
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign
from tests.pages.conftest import Web


def test_a_fortnight_by_day_and_sender(web: Web, acme: Workspace, clock: Movable) -> None:
    """The page asks for what has to be made first; a stored calendar is shown at once."""
    campaign = a_campaign(acme, [f"ignores-{number}" for number in range(30)], [INVITE], name="Spring")
    assert 'hx-get="/calendar"' in (first := web.get("/calendar").text)
    assert "invitations" not in first
    piece = web.get("/calendar", htmx=True).text
    assert "<html" not in piece
    assert piece.count('<li class="day') == 14
    assert "invitations" in piece
    assert "Spring" in piece
    assert "In no running campaign" in piece
    assert "invitations" in web.get("/calendar").text
    campaigns.pause(acme, campaign.id)
    paused = web.get("/calendar?now=1").text
    assert "is paused and not counted" in paused
    assert "Nothing goes out in the next two weeks" in paused


def test_a_stranger_sees_their_own(stranger: Web, acme: Workspace, clock: Movable) -> None:
    a_campaign(acme, ["ignores-ada"], [INVITE], name="Spring")
    assert "Spring" not in stranger.get("/calendar?now=1").text
