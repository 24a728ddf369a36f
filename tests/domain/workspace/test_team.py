"""Members and invitations: single use, three days, a fixed role, and always an owner."""

import pyotp
import pytest

from app.core import clock as time
from app.core.crypto import hash_password
from app.core.db import session, transaction
from app.core.errors import Conflict, Forbidden, InvalidRequest, NotFound
from app.domain.platform import audit_log
from app.domain.workspace import passwords, sessions, team, two_factor, workspaces
from app.models.workspaces import Invitation, Role, User, Workspace
from tests.conftest import PASSWORD
from tests.support.members import owner
from tests.support.movable import Movable

BO = "bo@acme.example"


def member(workspace: Workspace, email: str = BO, role: str = Role.REVIEWER) -> team.Member:
    _, token = team.invite(workspace, owner(workspace), email, role)
    team.accept(token, PASSWORD, "Bo")
    return next(one for one in team.members(workspace) if one.email == email)


def kinds(workspace: Workspace) -> list[str]:
    return [entry.kind for entry in session().scalars(audit_log.page(workspace).order_by("number"))]


def invite_as_many_as_may_be(workspace: Workspace) -> None:
    at = time.now()
    with transaction() as current:
        current.add_all(
            Invitation(
                workspace_id=workspace.id, email=f"{n}@x.example", role="reviewer", digest=bytes([n]), created_at=at,
                expires_at=at,
            )
            for n in range(team.MOST_OPEN)
        )  # fmt: skip


def test_a_member_is_invited_promoted_and_removed_with_audit(acme: Workspace) -> None:
    bo = member(acme)
    assert (bo.name, bo.role, bo.two_factor) == ("Bo", "reviewer", False)
    stored = session().get_one(User, bo.user_id).password_hash
    assert PASSWORD not in stored
    assert stored.split("$")[1] == hash_password("x").split("$")[1]
    assert team.invitations(acme) == []
    team.change_role(acme, owner(acme), bo.id, Role.OPERATOR)
    team.remove(acme, owner(acme), bo.id)
    assert [one.email for one in team.members(acme)] == ["ada@acme.example"]
    assert kinds(acme) == ["member.invited", "member.joined", "member.role", "member.removed"]


def test_a_link_works_once_for_three_days_and_its_address(acme: Workspace, clock: Movable) -> None:
    """Another one can be sent, and the old one stays dead; a withdrawn invitation opens nothing."""
    made, token = team.invite(acme, owner(acme), BO, Role.INTEGRATOR)
    assert len(token) == 43
    assert token.encode() not in made.digest
    clock.forward(hours=72)
    assert team.expired(made)
    _, again = team.resend(acme, owner(acme), made.id)
    for dead in (token, token):
        with pytest.raises(NotFound):
            team.accept(dead, PASSWORD)
    user = team.accept(again, PASSWORD)
    assert (user.email, workspaces.of_user(user)) == (BO, [(acme, "integrator")])
    with pytest.raises(NotFound):
        team.accept(again, PASSWORD)
    made, token = team.invite(acme, owner(acme), "eve@acme.example", Role.REVIEWER)
    team.withdraw(acme, owner(acme), made.id)
    with pytest.raises(NotFound):
        team.accept(token, PASSWORD)


def test_every_problem_of_an_invitation_is_named(acme: Workspace) -> None:
    with pytest.raises(InvalidRequest) as refusal:
        team.invite(acme, owner(acme), "nobody", "king")
    assert [field.path for field in refusal.value.fields] == ["email", "role"]
    with pytest.raises(InvalidRequest, match="not valid"):
        team.invite(acme, owner(acme), "ADA@acme.example", Role.OWNER)
    invite_as_many_as_may_be(acme)
    with pytest.raises(Conflict, match="100 open invitations"):
        team.invite(acme, owner(acme), BO, Role.REVIEWER)


def test_only_owners_change_who_works_here(acme: Workspace) -> None:
    """The verbs refuse by themselves."""
    bo = member(acme, role=Role.OPERATOR)
    user = session().get_one(User, bo.user_id)
    ada = team.members(acme)[0]
    for act in (
        lambda: team.invite(acme, user, "eve@acme.example", Role.OWNER),
        lambda: team.change_role(acme, user, bo.id, Role.OWNER),
        lambda: team.remove(acme, user, ada.id),
        lambda: team.password_link(acme, user, ada.id),
        lambda: team.reset_two_factor(acme, user, ada.id),
    ):
        with pytest.raises(Forbidden, match="Only owners") as refusal:
            act()
        assert "ada@acme.example" in refusal.value.recovery
    team.remove(acme, user, bo.id)
    assert len(team.members(acme)) == 1


def test_the_last_owner_stays(acme: Workspace) -> None:
    """Neither leaves nor is demoted, until there is another."""
    (ada,) = team.members(acme)
    for act in (
        lambda: team.remove(acme, owner(acme), ada.id),
        lambda: team.change_role(acme, owner(acme), ada.id, Role.REVIEWER),
    ):
        with pytest.raises(Conflict, match="at least one owner"):
            act()
    bo = member(acme)
    team.change_role(acme, owner(acme), bo.id, Role.OWNER)
    team.change_role(acme, owner(acme), ada.id, Role.REVIEWER)
    assert {one.email: one.role for one in team.members(acme)} == {BO: "owner", "ada@acme.example": "reviewer"}


def test_someone_known_proves_it_with_their_password(acme: Workspace, rival: Workspace) -> None:
    """And keeps it: an owner may reset only those who work nowhere else."""
    _, token = team.invite(acme, owner(acme), "rob@rival.example", Role.OPERATOR)
    with pytest.raises(InvalidRequest):
        team.accept(token, "another long password")
    rob = team.accept(token, PASSWORD)
    assert [(place.name, role) for place, role in workspaces.of_user(rob)] == [("Rival", "owner"), ("Acme", "operator")]
    member = next(one for one in team.members(acme) if one.email == "rob@rival.example")
    for act in (team.password_link, team.reset_two_factor):
        with pytest.raises(Conflict, match="is also a member of a workspace you don"):
            act(acme, owner(acme), member.id)


def test_an_owner_helps_a_member_who_lost_everything(acme: Workspace) -> None:
    """A link for the password; the second factor is forgotten, and sessions end."""
    bo = member(acme)
    user = session().get_one(User, bo.user_id)
    sessions.begin(user)
    user, token = team.password_link(acme, owner(acme), bo.id)
    passwords.reset(token, "another four quiet words")
    assert workspaces.authenticate(BO, "another four quiet words", "") == user
    two_factor.prepare(user)
    team.reset_two_factor(acme, owner(acme), bo.id)
    assert not two_factor.is_on(user)
    assert sessions.every(user) == []


def test_two_factor_is_required_by_an_owner_who_has_it(acme: Workspace, rival: Workspace, clock: Movable) -> None:
    """Of every member of this workspace, and no one of another."""
    ada = owner(acme)
    with pytest.raises(Conflict):
        team.require_two_factor(acme, ada, on=True)
    app = pyotp.TOTP(two_factor.prepare(ada))
    two_factor.confirm(ada, app.at(clock.at))
    bo = session().get_one(User, member(acme).user_id)
    with pytest.raises(Forbidden):
        team.require_two_factor(acme, bo, on=True)
    assert not two_factor.is_missing(bo, acme)
    team.require_two_factor(acme, ada, on=True)
    team.require_two_factor(acme, ada, on=True)
    assert (two_factor.is_missing(ada, acme), two_factor.is_missing(bo, acme)) == (False, True)
    assert not two_factor.is_missing(owner(rival), rival)
    assert two_factor.required_by(bo) == ["Acme"]
    with pytest.raises(Conflict, match="Acme requires"):
        two_factor.turn_off(ada, PASSWORD)
    team.require_two_factor(acme, ada, on=False)
    assert not two_factor.is_missing(bo, acme)
    assert kinds(acme)[-2:] == ["two_factor.required", "two_factor.optional"]
