"""Roles: what each may see and change."""

import pytest

from app.domain.workspace import roles
from app.models.workspaces import Role

AREA_OF = {"/": "home", "/approvals": "approvals", "/developers": "developers"}


@pytest.mark.parametrize("role", Role)
def test_a_role_may_see_the_page_it_lands_on(role: Role) -> None:
    assert roles.may(role, AREA_OF[roles.landing(role)])


@pytest.mark.parametrize("role", Role)
def test_every_role_is_described(role: Role) -> None:
    label, sentence = roles.WORDS[role]
    assert label
    assert sentence.endswith(".")


@pytest.mark.parametrize("area", roles.AREAS)
def test_an_owner_may_do_everything(area: str) -> None:
    assert roles.may(Role.OWNER, area)
    assert roles.may(Role.OWNER, area, change=True)


@pytest.mark.parametrize("area", sorted(set(roles.AREAS) - {"home"}))
def test_an_area_that_a_role_cannot_see_it_cannot_change(area: str) -> None:
    """On the home page a reviewer, who does not see it, still chooses the colours of every page."""
    assert roles.AREAS[area].change <= roles.AREAS[area].see


@pytest.mark.parametrize("area", ["members", "billing", "sources", "workspace", "audit log"])
def test_only_owners_change_what_concerns_the_whole_workspace(area: str) -> None:
    assert [role for role in Role if roles.may(role, area, change=True)] == [Role.OWNER]


def test_a_reviewer_decides_on_drafts_and_changes_nothing_that_is_sent_by_itself() -> None:
    changes = {area for area in roles.AREAS if roles.may(Role.REVIEWER, area, change=True)}
    assert changes == {"own account", "home", "approvals"}
