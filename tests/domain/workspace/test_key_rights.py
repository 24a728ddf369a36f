"""API keys are no wider than their maker, now and whenever a role or a grant changes."""

import pytest

from app.core.db import session
from app.core.errors import Forbidden, InvalidRequest, NotFound, Unauthorized
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
    """An integrator."""
    return member(acme, role=Role.INTEGRATOR)


def user(one: Member) -> User:
    """Who that is."""
    return session().get_one(User, one.user_id)


def caller(plain: str) -> Caller:
    """What the key opens now."""
    return api_keys.authenticate(f"Bearer {plain}")


def opens(plain: str) -> bool:
    """Whether it opens anything."""
    try:
        caller(plain)
    except Unauthorized:
        return False
    return True


def test_the_table_of_key_rights_names_scopes_that_exist() -> None:
    assert set(roles.KEYS) == set(Role)
    assert set().union(*roles.KEYS.values()) - {api_keys.ALL} <= set(SCOPES)


def test_an_integrators_key_starts_sends_and_spends_nothing(acme: Workspace, bo: Member) -> None:
    _, plain = api_keys.create(acme, "Zapier", "all", created_by=user(bo))
    assert not RISKY & caller(plain).scopes
    assert {"lists:write", "campaigns:write", "conversations:read", "events:read", "webhooks:write"} <= caller(
        plain
    ).scopes
    assert caller(plain).withheld == set(SCOPES) - caller(plain).scopes


def test_an_owners_key_holds_everything(acme: Workspace) -> None:
    _, plain = api_keys.create(acme, "CRM", "all", created_by=owner(acme))
    assert (caller(plain).scopes, caller(plain).withheld) == (set(SCOPES), frozenset())


def test_a_scope_beyond_the_makers_is_refused_by_name(acme: Workspace, bo: Member) -> None:
    with pytest.raises(InvalidRequest) as refusal:
        api_keys.create(acme, "Zapier", "lists:read,campaigns:run,billing:read", created_by=user(bo))
    (field,) = refusal.value.fields
    assert field.message == "Your keys can't hold campaigns:run, billing:read. Ask an owner to grant it to you."


def test_a_grant_widens_keys_at_once_and_its_end_narrows_them(acme: Workspace, bo: Member) -> None:
    _, plain = api_keys.create(acme, "Zapier", "all", created_by=user(bo))
    team.grant(acme, owner(acme), bo.id, ["campaigns:run"])
    assert caller(plain).may("campaigns:run")
    assert not caller(plain).may("conversations:write")
    team.grant(acme, owner(acme), bo.id, [])
    assert not caller(plain).may("campaigns:run")


def test_only_an_owner_grants_and_only_what_exists(acme: Workspace, rival: Workspace, bo: Member) -> None:
    with pytest.raises(Forbidden):
        team.grant(acme, user(bo), bo.id, ["campaigns:run"])
    with pytest.raises(InvalidRequest):
        team.grant(acme, owner(acme), bo.id, ["all"])
    with pytest.raises(NotFound):
        team.grant(rival, owner(rival), bo.id, ["campaigns:run"])
    reviewer = member(acme, "rev@acme.example")
    with pytest.raises(InvalidRequest):
        team.grant(acme, owner(acme), reviewer.id, ["campaigns:run"])


def test_keys_are_cut_when_their_maker_is_demoted(acme: Workspace, bo: Member) -> None:
    team.change_role(acme, owner(acme), bo.id, Role.OWNER)
    _, plain = api_keys.create(acme, "CRM", "all", created_by=user(bo))
    assert caller(plain).may("billing:write")
    team.change_role(acme, owner(acme), bo.id, Role.INTEGRATOR)
    assert not RISKY & caller(plain).scopes
    team.change_role(acme, owner(acme), bo.id, Role.OPERATOR)
    assert caller(plain).scopes == frozenset()


def test_a_grant_does_not_outlive_the_role(acme: Workspace, bo: Member) -> None:
    team.grant(acme, owner(acme), bo.id, ["campaigns:run"])
    team.change_role(acme, owner(acme), bo.id, Role.REVIEWER)
    team.change_role(acme, owner(acme), bo.id, Role.INTEGRATOR)
    assert next(one for one in team.members(acme) if one.email == BO).key_scopes == []


@pytest.mark.parametrize(("keys", "works"), [("take over", True), ("revoke", False)])
def test_an_owner_decides_what_becomes_of_the_keys_of_a_member(
    acme: Workspace, bo: Member, keys: str, works: bool
) -> None:
    _, plain = api_keys.create(acme, "Zapier", "all", created_by=user(bo))
    team.change_role(acme, owner(acme), bo.id, Role.REVIEWER, keys)
    assert opens(plain) == works
    assert not works or caller(plain).may("campaigns:run")


def test_the_keys_of_a_removed_member_end_unless_taken_over(acme: Workspace, bo: Member) -> None:
    _, first = api_keys.create(acme, "Zapier", "all", created_by=user(bo))
    team.remove(acme, owner(acme), bo.id)
    assert not opens(first)
    again = member(acme, "cy@acme.example", Role.INTEGRATOR)
    _, second = api_keys.create(acme, "n8n", "all", created_by=user(again))
    team.remove(acme, owner(acme), again.id, "take over")
    assert caller(second).may("campaigns:run")


def test_who_leaves_takes_no_keys_over(acme: Workspace, bo: Member) -> None:
    _, plain = api_keys.create(acme, "Zapier", "all", created_by=user(bo))
    team.remove(acme, user(bo), bo.id, "take over")
    assert not opens(plain)


def test_only_owners_take_keys_over(acme: Workspace, rival: Workspace, bo: Member) -> None:
    key, _ = api_keys.create(acme, "CRM", "all", created_by=owner(acme))
    with pytest.raises(Forbidden):
        api_keys.take_over(acme, user(bo), key.id)
    with pytest.raises(NotFound):
        api_keys.take_over(rival, owner(rival), key.id)


def test_no_one_rotates_a_key_that_may_do_more_than_their_own(acme: Workspace, bo: Member) -> None:
    wide, _ = api_keys.create(acme, "CRM", "all", created_by=owner(acme))
    narrow, _ = api_keys.create(acme, "Reader", "lists:read", created_by=owner(acme))
    with pytest.raises(Forbidden):
        api_keys.roll(acme, wide.id, by=user(bo))
    assert api_keys.roll(acme, narrow.id, by=user(bo))[0].created_by == owner(acme).id


def test_rotating_a_key_does_not_widen_it(acme: Workspace, bo: Member) -> None:
    key, _ = api_keys.create(acme, "Zapier", "all", created_by=user(bo))
    _, plain = api_keys.roll(acme, key.id, by=owner(acme))
    assert not RISKY & caller(plain).scopes


def test_a_key_of_the_command_line_has_no_maker_and_holds_what_it_was_made_for(acme: Workspace) -> None:
    key, plain = api_keys.create(acme, "Script", "all")
    known = api_keys.makers(acme)
    assert caller(plain).scopes == set(SCOPES)
    assert api_keys.withheld(session().get_one(ApiKey, key.id), known) == frozenset()
