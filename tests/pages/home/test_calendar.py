"""The calendar's page: a fortnight by day and sender, and why someone is idle."""

from app.domain.campaigns import campaigns
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign
from tests.pages.conftest import Web, must_have
from tests.support.movable import Movable


def test_the_calendar_shows_a_fortnight_by_day_and_sender(web: Web, acme: Workspace, clock: Movable) -> None:
    campaign = a_campaign(acme, [f"ignores-{number}" for number in range(30)], [INVITE], name="Spring")
    assert 'hx-get="/calendar"' in (first := web.get("/calendar").text)
    assert "connection requests" not in first
    piece = web.get("/calendar", htmx=True).text
    assert "<html" not in piece
    assert piece.count('<li class="day') == 14
    must_have(piece, "connection requests", "Spring", "In no running campaign")
    assert "connection requests" in web.get("/calendar").text
    campaigns.pause(acme, campaign.id)
    must_have(
        web.get("/calendar?now=1"), "is paused, so its actions aren't counted", "Nothing planned in the next two weeks"
    )
