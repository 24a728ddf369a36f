"""Members on their page: invited with a link that is shown once, joined, changed, removed."""

import re

from flask import Flask

from app.core.db import session
from app.domain.workspace import api_keys, team
from app.models.workspaces import Role, User, Workspace
from tests.conftest import PASSWORD
from tests.domain.workspace.test_team import BO, invite_as_many_as_may_be, member
from tests.pages.conftest import Web, found_in, must_have
from tests.pages.settings.test_profile import set_up
from tests.support.mailed import house_mail, read
from tests.support.members import owner
from tests.support.movable import Movable

LINK = re.compile(r"http://localhost(/(?:invite|reset)/[0-9A-Za-z]{43})")


def link_in(page: str) -> str:
    """The path of the link that is shown."""
    found = LINK.search(page)
    assert found, page
    return found[1]


def test_an_invitation_link_is_shown_once_and_joins_the_team(web: Web, visitor: Web, acme: Workspace) -> None:
    made = web.post("/settings/team", email=BO, role="reviewer")
    assert made.status_code == 201
    assert made.headers["Cache-Control"] == "no-store"
    path = link_in(made.text)
    assert path not in web.get("/settings/team").text
    form = visitor.get(path)
    assert BO in form.text
    assert form.headers["Cache-Control"] == "no-store"
    joined = visitor.post(path, password="four unrelated loud words", name="Bo <b>")
    assert (joined.status_code, joined.headers["Location"]) == (303, "/approvals")
    assert "Acme" in visitor.get("/approvals").text
    assert "Bo &lt;b&gt;" in web.get("/settings/team").text
    assert web.client.get(path).status_code == 404


def test_a_refused_invitation_says_why_beside_what_was_typed(web: Web, acme: Workspace) -> None:
    answer = web.post("/settings/team", email="nobody", role="operator")
    must_have(answer, 422, 'value="nobody"', 'value="operator" checked')
    assert team.invitations(acme) == []
    invite_as_many_as_may_be(acme)
    answer = web.post("/settings/team", email=BO, role="operator")
    must_have(answer, 409, "You have 100 open invitations. Withdraw some first.", f'value="{BO}"')


def test_an_old_link_says_who_can_send_another(visitor: Web, acme: Workspace, clock: Movable) -> None:
    _, token = team.invite(acme, owner(acme), BO, Role.REVIEWER)
    clock.forward(hours=72)
    must_have(visitor.get(f"/invite/{token}"), 410, "ada@acme.example can send you a new one")
    assert visitor.post(f"/invite/{token}", password=PASSWORD).status_code == 410
    assert visitor.get("/invite/" + "x" * 43).status_code == 404


def test_a_weak_password_is_refused_with_its_reason(visitor: Web, acme: Workspace) -> None:
    _, token = team.invite(acme, owner(acme), BO, Role.REVIEWER)
    answer = visitor.post(f"/invite/{token}", password="short", name="Bo")
    must_have(answer, 422, "Use at least 12 characters.", 'value="Bo"')


def test_an_invitation_does_not_tell_who_has_an_account(visitor: Web, acme: Workspace) -> None:
    """Whoever invites holds the link, and could ask about any address."""

    def shown(email: str) -> list[str]:
        _, token = team.invite(acme, owner(acme), email, Role.REVIEWER)
        pages = visitor.get(f"/invite/{token}"), visitor.post(f"/invite/{token}", password="short")
        return [re.sub(rf'(?:value|content)="[^"]*"|{email}|{token}', "", page.text) for page in pages]

    assert shown("rob@rival.example") == shown("nobody@rival.example")


def test_someone_known_gives_the_password_they_have(stranger: Web, app: Flask, acme: Workspace) -> None:
    _, token = team.invite(acme, owner(acme), "rob@rival.example", Role.INTEGRATOR)
    assert stranger.post(f"/invite/{token}", password=PASSWORD).headers["Location"] == "/developers"
    assert "Integrator of Acme" in stranger.get("/developers").text
    theirs = re.search(
        r'value="(\d+)"><svg[^>]*><use[^>]*/></svg><span\s+class="trunc grow">Rival', stranger.get("/").text
    )
    assert theirs
    assert stranger.post("/settings/switch", workspace=theirs[1]).headers["Location"] == "/"
    assert "Owner of Rival" in stranger.get("/").text
    stranger.post("/settings/switch", workspace="999")
    assert "Owner of Rival" in stranger.get("/").text


def test_a_member_is_changed_helped_and_removed(web: Web, visitor: Web, acme: Workspace) -> None:
    bo = member(acme)
    assert web.post(f"/settings/team/{bo.id}/role", role="operator").status_code == 303
    assert "is now Operator" in web.get("/settings/team").text
    path = link_in(web.post(f"/settings/team/{bo.id}/password").text)
    assert visitor.post(path, password="short").status_code == 422
    assert visitor.post(path, password="another four quiet words").headers["Location"] == "/login"
    assert visitor.get(path).status_code == 404
    assert visitor.sign_in(BO, "another four quiet words").status_code == 303
    web.post(f"/settings/team/{bo.id}/remove")
    assert visitor.get("/").headers["Location"] == "/login"
    assert visitor.get("/login").status_code == 200
    must_have(visitor.sign_in(BO, "another four quiet words"), 422, "You are not a member of any workspace.")


def test_a_second_owner_is_told_why_a_server_admin_gets_no_link(visitor: Web, acme: Workspace) -> None:
    member(acme, role=Role.OWNER)
    visitor.sign_in(BO)
    ada = next(one for one in team.members(acme) if one.email == "ada@acme.example")
    for what in ("password", "two-factor"):
        assert visitor.post(f"/settings/team/{ada.id}/{what}").headers["Location"] == "/settings/team"
        assert "ada@acme.example is a server admin" in visitor.get("/settings/team").text


def test_members_are_changed_only_with_a_password_given_lately(web: Web, acme: Workspace, clock: Movable) -> None:
    web.sign_in("ada@acme.example")
    web.post("/logout")
    web.sign_in("ada@acme.example")
    clock.forward(minutes=10)
    asked = web.post("/settings/team", email=BO, role="operator")
    must_have(asked, "Confirm your password", without=BO)  # what was filled in is sealed
    kept = found_in(asked.text, r'name="kept" value="([^"]+)"')
    assert team.invitations(acme) == []
    for altered in ("x", kept[:-8] + "AAAAAAA="):
        assert web.post("/settings/team", kept=altered, password_again=PASSWORD).status_code == 422
    clock.forward(minutes=10)
    wrong = web.post("/settings/team", kept=kept, password_again="no")
    assert wrong.status_code == 422
    assert "Set-Cookie" not in wrong.headers
    assert "Wrong password." in wrong.text
    added = web.post("/settings/team", kept=kept, password_again=PASSWORD)
    assert added.status_code == 201
    assert "HttpOnly" in added.headers["Set-Cookie"]  # the session goes on under another token
    assert [one.role for one in team.invitations(acme)] == ["operator"]
    assert web.post("/developers/keys", name="CRM", preset="full").status_code == 201
    clock.forward(minutes=10)
    beside = web.post("/developers/keys", {"name": "CRM", "preset": "full"}, htmx=True)
    assert beside.headers["HX-Reswap"] == "none"
    assert '<dialog id="prove-again"' in beside.text


def test_a_person_who_leaves_their_only_workspace_is_signed_out(visitor: Web, acme: Workspace) -> None:
    _, token = team.invite(acme, owner(acme), BO, Role.REVIEWER)
    visitor.post(f"/invite/{token}", password=PASSWORD)
    assert visitor.post("/settings/team/leave").headers["Location"] == "/login"
    must_have(visitor.get("/login"), 200, "You left Acme.")


def test_invitations_and_links_go_out_by_mail(web: Web, acme: Workspace) -> None:
    with house_mail() as post:
        page = web.post("/settings/team", email="eve@acme.example", role="operator")
        assert "We emailed" in page.text
        ((recipient, subject, text),) = read(post)
        assert (recipient, subject) == ("eve@acme.example", "Join Acme on Overture")
        assert link_in(text) == link_in(page.text)
        post.replies["RCPT"] = "550 5.1.1 no such user"
        assert "Send them this link" in web.post("/settings/team", email="eva@acme.example", role="operator").text


def test_what_becomes_of_a_members_keys_is_asked_where_they_are_removed(web: Web, acme: Workspace) -> None:
    bo = member(acme, role=Role.INTEGRATOR)
    assert "What happens to the API keys" not in web.get("/settings/team").text
    key, _ = api_keys.create(acme, "Zapier", "lists:read", created_by=session().get_one(User, bo.user_id))
    must_have(web.get("/settings/team"), "What happens to the API keys of Bo?", "Zapier, never used")
    assert web.post(f"/settings/team/{bo.id}/remove", keys="take over").status_code == 303
    assert api_keys.get(acme, key.id).created_by == owner(acme).id


def test_an_owner_grants_what_an_integrators_keys_may_also_hold(web: Web, acme: Workspace) -> None:
    bo = member(acme, role=Role.INTEGRATOR)
    must_have(web.get("/settings/team"), 'value="campaigns:run"', without='value="lists:write"')
    assert web.post(f"/settings/team/{bo.id}/grant", scopes="campaigns:run").status_code == 303
    assert team.members(acme)[-1].key_scopes == ["campaigns:run"]
    web.post(f"/settings/team/{bo.id}/grant", scopes="everything")
    assert "This member can&#39;t be granted everything." in web.get("/settings/team").text
    assert team.members(acme)[-1].key_scopes == ["campaigns:run"]


def test_required_two_factor_is_set_up_before_any_page(
    clock: Movable, web: Web, stranger: Web, acme: Workspace
) -> None:
    """An owner without it is led to it first; then everyone else of the workspace is."""
    refused = web.post("/settings/team/two-factor", required="1", password_again=PASSWORD)
    assert refused.headers["Location"] == "/settings/two-factor"
    set_up(web, clock)
    web.post("/settings/team/two-factor", required="1")
    assert "Stop requiring it" in web.get("/settings/team").text
    member(acme, role=Role.OWNER)
    stranger.post("/logout")
    stranger.sign_in(BO)
    for path in ("/", "/lists", "/settings/team", "/search?q=ada"):
        assert stranger.get(path).headers["Location"] == "/settings/two-factor"
    assert stranger.post("/lists", name="Mine").headers["Location"] == "/settings/two-factor"
    assert stranger.get("/notifications/waiting", htmx=True, X_Unattended="1").status_code == 204
    must_have(stranger.get("/settings/two-factor"), "Acme requires two-factor sign-in.", without='id="count-')
    set_up(stranger, clock)
    assert stranger.get("/lists").status_code == 200
    assert 'id="count-' in stranger.get("/lists").text
    assert "To turn two-factor off, ask an owner" in stranger.get("/settings/two-factor").text
