"""New passwords, with the old one or with a link."""

import pytest

from app.core.clock import Movable
from app.core.errors import InvalidRequest, NotFound, Unauthorized
from app.domain import passwords, sessions, workspaces
from app.models.workspaces import Workspace
from tests.conftest import PASSWORD
from tests.domain.test_team import kinds, owner

NEW = "other words nobody guesses"


def test_it_works(acme: Workspace) -> None:
    """The new one signs in, the old one does not, and other sessions are over."""
    ada = owner(acme)
    here, there = sessions.begin(ada), sessions.begin(ada)
    found = sessions.find(here)
    assert found
    passwords.change(ada, PASSWORD, NEW, here=found[1].id)
    assert sessions.find(here)
    assert sessions.find(there) is None
    assert workspaces.authenticate(ada.email, NEW, "") == ada
    with pytest.raises(Unauthorized):
        workspaces.authenticate(ada.email, PASSWORD, "")


def test_every_problem_is_named(acme: Workspace) -> None:
    """The old one is wrong, the new one is weak."""
    with pytest.raises(InvalidRequest) as refusal:
        passwords.change(owner(acme), "wrong", "short")
    assert [field.path for field in refusal.value.fields] == ["old", "new"]


def test_a_link_works_once_within_the_hour(acme: Workspace, clock: Movable) -> None:
    """And only the newest does."""
    ada = owner(acme)
    first, token = passwords.link(ada), passwords.link(ada)
    assert passwords.find(first) is None
    session_before = sessions.begin(ada)
    with pytest.raises(InvalidRequest):
        passwords.reset(token, "short")
    passwords.reset(token, NEW)
    assert sessions.find(session_before) is None
    with pytest.raises(NotFound):
        passwords.reset(token, NEW)
    late = passwords.link(ada)
    clock.forward(hours=1)
    with pytest.raises(NotFound):
        passwords.reset(late, NEW)


def test_the_operator_makes_a_link_by_address(acme: Workspace) -> None:
    """It is in the audit log; nobody else is found."""
    token = passwords.link_for("ADA@acme.example")
    assert passwords.find(token) == owner(acme)
    assert kinds(acme) == ["password.offered"]
    with pytest.raises(NotFound):
        passwords.link_for("eve@acme.example")
