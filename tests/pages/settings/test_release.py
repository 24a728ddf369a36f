"""A restored copy says on every page that it is held; a server admin releases it."""

import pytest
import sqlalchemy as sa

from app.core import clock
from app.core.db import transaction
from app.domain.platform import restore_hold
from app.models.platform.installation import Restore
from app.models.workspaces import Membership, Role, Workspace
from tests.pages.conftest import Web, become, must_have

SENTENCE = "Nothing is sent until you allow it."


@pytest.fixture
def held(acme: Workspace) -> None:
    """This installation is a restored copy."""
    now = clock.now()
    with transaction() as current:
        current.execute(sa.insert(Restore).values(**restore_hold.enter(now, now)))


def test_every_page_says_it_and_a_server_admin_releases(web: Web, acme: Workspace, held: None) -> None:
    for path in ("/", "/campaigns", "/settings"):
        assert SENTENCE in web.get(path).text
    assert 'action="/settings/release"' in web.get("/").text
    assert web.post("/settings/release").status_code == 303
    must_have(web.get("/"), "Reading the inboxes now", without=SENTENCE)
    assert "Let a restored backup start sending" in web.get("/settings/audit").text


def test_others_see_it_and_cannot_release(web: Web, acme: Workspace, held: None) -> None:
    become(acme, Role.OPERATOR)
    must_have(web.get("/"), SENTENCE, without="/settings/release")
    assert web.post("/settings/release").status_code == 403
    assert restore_hold.is_held()


def test_a_second_owner_of_the_first_workspace_cannot_release(
    web: Web, stranger: Web, acme: Workspace, rival: Workspace, held: None
) -> None:
    """To be invited there makes no one an admin of the server."""
    with transaction() as current:
        of_rob = sa.update(Membership).where(Membership.workspace_id == rival.id)
        current.execute(of_rob.values(workspace_id=acme.id))
    assert "/settings/release" not in stranger.get("/").text
    assert stranger.post("/settings/release").status_code == 403
    assert restore_hold.is_held()
