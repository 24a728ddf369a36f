"""Pages with real time in a sandbox whose clock was moved say which time they show."""

from app.models.workspaces import Workspace
from tests.domain.outreach import forward
from tests.pages.conftest import Web
from tests.support.movable import Movable

SAID = "This page shows real time, not sandbox time."


def test_real_time_is_named_once_the_sandbox_was_fast_forwarded(web: Web, acme: Workspace, clock: Movable) -> None:
    assert SAID not in web.get("/settings/you").text
    forward(acme, days=3)
    assert SAID in web.get("/settings/you").text
    assert SAID not in web.get("/campaigns").text
