"""New passwords, with the old one or with a link."""

import pytest

from app.core.errors import InvalidRequest, NotFound, RateLimited, Unauthorized
from app.domain.platform import jobs
from app.domain.workspace import passwords, sessions, workspaces
from app.models.sessions import LinkOrigin
from app.models.workspaces import Workspace
from tests.conftest import PASSWORD
from tests.domain.workspace.test_team import kinds
from tests.support.mailed import house_mail, link_in, read
from tests.support.members import owner
from tests.support.movable import Movable

NEW = "other words nobody guesses"


def test_a_new_password_ends_other_sessions(acme: Workspace) -> None:
    """The new one signs in, the old one does not; a wrong old one and a weak new one are named at once."""
    ada = owner(acme)
    with pytest.raises(InvalidRequest) as refusal:
        passwords.change(ada, "wrong", "short")
    assert [field.path for field in refusal.value.fields] == ["old", "new"]
    here, there = sessions.begin(ada), sessions.begin(ada)
    found = sessions.find(here)
    passwords.change(ada, PASSWORD, NEW, here=found[1].id)
    assert sessions.find(here)
    assert sessions.find(there) is None
    assert workspaces.authenticate(ada.email, NEW, "") == ada
    with pytest.raises(Unauthorized):
        workspaces.authenticate(ada.email, PASSWORD, "")


def test_a_link_works_once_within_the_hour(acme: Workspace, clock: Movable) -> None:
    ada = owner(acme)
    first, token = passwords.link(ada, LinkOrigin.SHELL), passwords.link(ada, LinkOrigin.SHELL)
    assert passwords.find(first) is None
    session_before = sessions.begin(ada)
    with pytest.raises(InvalidRequest):
        passwords.reset(token, "short")
    passwords.reset(token, NEW)
    assert sessions.find(session_before) is None
    with pytest.raises(NotFound):
        passwords.reset(token, NEW)
    late = passwords.link(ada, LinkOrigin.SHELL)
    clock.forward(hours=1)
    with pytest.raises(NotFound):
        passwords.reset(late, NEW)


def test_the_operator_makes_a_link_by_address_and_asking_for_links_is_slowed_down(acme: Workspace) -> None:
    """It is in the audit log; known and unknown addresses are slowed down alike."""
    token = passwords.link_for("ADA@acme.example")
    assert passwords.find(token) == owner(acme)
    assert kinds(acme) == ["password.offered"]
    with pytest.raises(NotFound):
        passwords.link_for("eve@acme.example")
    for email in ("ada@acme.example", "nobody@acme.example"):
        for _ in range(passwords.FREE_ASKS):
            passwords.forgot(email, "1.2.3.4")
        with pytest.raises(RateLimited):
            passwords.forgot(email, "1.2.3.4")


def test_who_forgot_it_gets_a_link(acme: Workspace, clock: Movable) -> None:
    """By mail, to a known address alone; no one who asks learns which are known."""
    with house_mail() as post:
        passwords.forgot("nobody@acme.example", "1.2.3.4")
        passwords.forgot(" Ada@Acme.example", "1.2.3.4")
        passwords.forgot("ada@acme.example", "1.2.3.4")
        assert jobs.run_due() == 1
        ((recipient, subject, text),) = read(post)
    assert (recipient, subject) == ("ada@acme.example", passwords.SUBJECT)
    passwords.reset(link_in(text).removeprefix("/reset/"), NEW)
    assert workspaces.authenticate("ada@acme.example", NEW, "")
    assert "password.forgotten" in kinds(acme)


def test_a_link_that_cannot_be_mailed_now_is_mailed_later(acme: Workspace, clock: Movable) -> None:
    with house_mail() as post:
        post.drop_at = "greeting"
        passwords.forgot("ada@acme.example", "1.2.3.4")
        jobs.run_due()
        post.drop_at = ""
        clock.forward(minutes=2)
        jobs.run_due()
        assert len(read(post)) == 1
