"""Roles: what each may see and change."""

from app.domain.workspace import roles
from app.models.workspaces import Role


def test_an_owner_may_do_everything_and_alone_changes_the_whole_workspace() -> None:
    """What a role cannot see it cannot change, but on the home page a reviewer chooses the colours of pages."""
    for area in roles.AREAS:
        assert roles.may(Role.OWNER, area)
        assert roles.may(Role.OWNER, area, change=True)
        assert area == "home" or roles.AREAS[area].change <= roles.AREAS[area].see
    for area in ("members", "billing", "sources", "workspace", "audit log"):
        assert [role for role in Role if roles.may(role, area, change=True)] == [Role.OWNER]
    changes = {area for area in roles.AREAS if roles.may(Role.REVIEWER, area, change=True)}
    assert changes == {"own account", "home", "approvals"}
