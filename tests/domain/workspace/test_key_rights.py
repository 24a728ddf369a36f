"""API keys are no wider than their maker, now and whenever a role or a grant changes."""

import pytest

from app.core.db import session
from app.core.errors import Forbidden, InvalidRequest, Unauthorized
from app.domain.workspace import api_keys, roles, team
from app.domain.workspace.api_keys import SCOPES, ApiKey, Caller
from app.domain.workspace.team import Member
from app.models.workspaces import Role, User, Workspace
from tests.domain.workspace.test_team import BO, member
from tests.support.members import owner

RISKY = {
    "campaigns:run", "conversations:write", "approvals:write", "accounts:write", "sources:write", "billing:write",
    "signals:write", "enrichment:write", "monitors:write", "autopilot:write",
}  # fmt: skip


@pytest.fixture
def bo(acme: Workspace) -> Member:
    return member(acme, role=Role.INTEGRATOR)


def user(one: Member) -> User:
    return session().get_one(User, one.user_id)


def caller(plain: str) -> Caller:
    return api_keys.authenticate(f"Bearer {plain}")


def opens(plain: str) -> bool:
    try:
        caller(plain)
    except Unauthorized:
        return False
    return True


def test_a_key_holds_no_more_than_its_maker(acme: Workspace, bo: Member) -> None:
    """An integrator's starts, sends and spends nothing; an owner's and one of the command line hold everything."""
    assert set(roles.KEYS) == set(Role)
    assert set().union(*roles.KEYS.values()) - {api_keys.ALL} <= set(SCOPES)
    _, plain = api_keys.create(acme, "Zapier", "all", created_by=user(bo))
    held = caller(plain).scopes
    assert not RISKY & held
    assert {"lists:write", "campaigns:write", "conversations:read", "events:read", "webhooks:write"} <= held
    assert caller(plain).withheld == set(SCOPES) - held
    with pytest.raises(InvalidRequest) as refusal:
        api_keys.create(acme, "Zapier", "lists:read,campaigns:run,billing:read", created_by=user(bo))
    (field,) = refusal.value.fields
    assert field.message == "Your keys can't have campaigns:run, billing:read. Ask an owner for this permission."
    _, plain = api_keys.create(acme, "CRM", "all", created_by=owner(acme))
    assert (caller(plain).scopes, caller(plain).withheld) == (set(SCOPES), frozenset())
    key, plain = api_keys.create(acme, "Script", "all")
    assert caller(plain).scopes == set(SCOPES)
    assert api_keys.withheld(session().get_one(ApiKey, key.id), api_keys.makers(acme)) == frozenset()


def test_a_grant_or_a_role_widens_keys_and_its_end_narrows_them(acme: Workspace, bo: Member) -> None:
    """Only an owner grants, and only what exists; a grant does not outlive the role."""
    _, plain = api_keys.create(acme, "Zapier", "all", created_by=user(bo))
    with pytest.raises(Forbidden):
        team.grant(acme, user(bo), bo.id, ["campaigns:run"])
    with pytest.raises(InvalidRequest):
        team.grant(acme, owner(acme), bo.id, ["all"])
    with pytest.raises(InvalidRequest):
        team.grant(acme, owner(acme), member(acme, "rev@acme.example").id, ["campaigns:run"])
    team.grant(acme, owner(acme), bo.id, ["campaigns:run"])
    assert caller(plain).may("campaigns:run")
    assert not caller(plain).may("conversations:write")
    team.grant(acme, owner(acme), bo.id, [])
    assert not caller(plain).may("campaigns:run")
    team.grant(acme, owner(acme), bo.id, ["campaigns:run"])
    team.change_role(acme, owner(acme), bo.id, Role.OWNER)
    assert caller(plain).may("billing:write")
    team.change_role(acme, owner(acme), bo.id, Role.INTEGRATOR)
    assert not RISKY & caller(plain).scopes
    assert next(one for one in team.members(acme) if one.email == BO).key_scopes == []
    team.change_role(acme, owner(acme), bo.id, Role.OPERATOR)
    assert caller(plain).scopes == frozenset()


def test_an_owner_decides_what_becomes_of_the_keys_of_a_member(acme: Workspace, bo: Member) -> None:
    """Of one who gets another role or is removed; who leaves takes none over."""
    wide, _ = api_keys.create(acme, "CRM", "all", created_by=owner(acme))
    with pytest.raises(Forbidden):
        api_keys.take_over(acme, user(bo), wide.id)
    for number, (leaves, keys, works) in enumerate(
        [
            (lambda one, keys: team.change_role(acme, owner(acme), one.id, Role.REVIEWER, keys), "take over", True),
            (lambda one, keys: team.change_role(acme, owner(acme), one.id, Role.REVIEWER, keys), "revoke", False),
            (lambda one, keys: team.remove(acme, owner(acme), one.id, keys), "take over", True),
            (lambda one, keys: team.remove(acme, owner(acme), one.id), "", False),
            (lambda one, keys: team.remove(acme, user(one), one.id, keys), "take over", False),
        ]
    ):
        one = member(acme, f"m{number}@acme.example", Role.INTEGRATOR)
        _, plain = api_keys.create(acme, "Zapier", "all", created_by=user(one))
        leaves(one, keys)
        assert opens(plain) == works, number
        assert not works or caller(plain).may("campaigns:run")


def test_no_one_rotates_a_key_that_may_do_more_than_their_own(acme: Workspace, bo: Member) -> None:
    """And rotating a key does not widen it."""
    wide, _ = api_keys.create(acme, "CRM", "all", created_by=owner(acme))
    narrow, _ = api_keys.create(acme, "Reader", "lists:read", created_by=owner(acme))
    with pytest.raises(Forbidden):
        api_keys.roll(acme, wide.id, by=user(bo))
    assert api_keys.roll(acme, narrow.id, by=user(bo))[0].created_by == owner(acme).id
    key, _ = api_keys.create(acme, "Zapier", "all", created_by=user(bo))
    _, plain = api_keys.roll(acme, key.id, by=owner(acme))
    assert not RISKY & caller(plain).scopes
