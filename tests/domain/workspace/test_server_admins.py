"""Who is server admin is stored or confirmed, and no one becomes it by what they write about themselves."""

import pytest

from app.core.db import session
from app.core.errors import Conflict, NotFound
from app.domain.workspace import passwords, server_admins, team, two_factor, user_emails, workspaces
from app.models.sessions import LinkOrigin
from app.models.workspaces import Role, User, Workspace
from tests.conftest import PASSWORD
from tests.domain.workspace.test_team import kinds, member
from tests.support.members import owner

OPS = "ops@example.com"
NEW = "other words nobody guesses"


def test_the_first_user_is_the_admin_and_an_unconfirmed_address_gives_no_rights(
    acme: Workspace, rival: Workspace
) -> None:
    """Neither one written into one's own profile, nor one invited by an owner, who sees the link too."""
    assert server_admins.is_admin(owner(acme))
    assert server_admins.is_admin(user_emails.change(owner(acme), "Ada", "ada@elsewhere.example"))
    assert not server_admins.is_admin(owner(rival))
    server_admins.use({OPS, "eve@example.com"})
    assert not server_admins.is_admin(user_emails.change(owner(rival), "Rob", OPS))
    assert not server_admins.is_admin(session().get_one(User, member(acme, "eve@example.com").user_id))
    assert sorted(server_admins.unconfirmed()) == ["eve@example.com", OPS]


def test_a_named_address_counts_once_it_is_confirmed_and_no_longer_when_it_changes(acme: Workspace) -> None:
    server_admins.use({OPS, "ada@acme.example"})
    ada = owner(acme)
    user_emails.confirm(ada, user_emails.link(ada))
    assert server_admins.is_admin(ada)
    assert server_admins.unconfirmed() == [OPS]
    assert not server_admins.is_admin(user_emails.change(ada, "Ada", OPS))


def test_the_command_line_makes_an_admin_whom_the_setting_names(acme: Workspace, rival: Workspace) -> None:
    rob = server_admins.appoint(owner(rival))
    assert server_admins.is_admin(rob)
    server_admins.use({rob.email})
    assert server_admins.is_admin(rob)
    server_admins.dismiss(rob)
    assert not server_admins.is_admin(rob)
    server_admins.use(())
    assert not server_admins.is_admin(rob)
    assert kinds(rival) == ["member.server_admin", "member.no_server_admin"]
    server_admins.use({OPS})
    with pytest.raises(Conflict, match="doesn't list ada@"):
        server_admins.appoint(owner(acme))


def test_a_second_owner_resets_no_server_admins_sign_in(acme: Workspace) -> None:
    """Neither the password nor the second factor, so that no one signs in as them."""
    bo = session().get_one(User, member(acme, role=Role.OWNER).user_id)
    ada = next(one for one in team.members(acme) if one.email == "ada@acme.example")
    for act in (team.password_link, team.reset_two_factor):
        with pytest.raises(Conflict, match="is a server admin") as refusal:
            act(acme, bo, ada.id)
        assert "overture user reset-password" in refusal.value.recovery
    assert not two_factor.is_on(owner(acme))


def test_a_link_an_owner_made_earlier_sets_no_password_of_a_server_admin(acme: Workspace) -> None:
    """It was made while they were none. The command line's link works."""
    bo = member(acme)
    user, token = team.password_link(acme, owner(acme), bo.id)
    assert passwords.find(token) == user
    server_admins.appoint(user)
    assert passwords.find(token) is None
    with pytest.raises(NotFound):
        passwords.reset(token, NEW)
    assert workspaces.authenticate(user.email, PASSWORD, "") == user
    passwords.reset(passwords.link(user, LinkOrigin.SHELL), NEW)
    assert workspaces.authenticate(user.email, NEW, "") == user
