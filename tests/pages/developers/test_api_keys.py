"""The pages for those who write programs: the first steps and keys; with and without scripts."""

import re
from datetime import timedelta

from flask import Flask

from app.core import clock
from app.core.db import session
from app.domain.webhooks.events import EVENTS
from app.domain.workspace import api_keys, team
from app.models.workspaces import Role, User, Workspace
from tests.domain.workspace.test_team import BO, member
from tests.pages.conftest import Web, must_have, signed_in
from tests.support.clients import Api, Client

KEY = re.compile(r"ovt_test_[0-9A-Za-z]{8}_[0-9A-Za-z]{49}")


def test_the_first_steps_are_ticked_as_they_are_done(web: Web, acme: Workspace, client: Client) -> None:
    first = web.get("/developers", htmx=True)
    must_have(first, 200, "Your first call appears here.", f"({len(EVENTS)} types)", without='hx-trigger="every')
    made = web.post("/developers/keys", name="CRM sync", preset="standard", expires="")
    assert made.status_code == 201
    (key,) = set(KEY.findall(made.text))
    waiting = web.get("/developers", htmx=True)
    must_have(waiting, "Waiting for your first call. This page updates automatically.", 'hx-trigger="every 3s"')
    assert "<html" not in waiting.text
    assert Api(client, key).get("me").status_code == 200
    must_have(web.get("/developers", htmx=True), "“CRM sync” was used", without='hx-trigger="every')


def test_a_key_is_shown_once(web: Web, acme: Workspace) -> None:
    made = web.post("/developers/keys", name="CRM", preset="full", expires="30")
    (plain,) = set(KEY.findall(made.text))
    assert made.headers["Cache-Control"] == "no-store"
    must_have(web.get("/developers/keys"), f"{plain[9:13]}…{plain[-4:]}", without=plain)
    (key,) = api_keys.every(acme)
    assert key.scopes == ["all"]
    assert key.expires_at is not None
    assert timedelta(days=29) < key.expires_at - clock.now() <= timedelta(days=30)


def test_scopes_come_from_a_preset_or_are_picked_and_none_are_refused(web: Web, acme: Workspace) -> None:
    for form in [{"preset": "chosen"}, {"preset": "nonsense"}, {"preset": "chosen", "scopes": "x:y"}]:
        refused = web.post("/developers/keys", {"name": "CRM sync", **form})
        must_have(refused, 422, 'value="CRM sync"', 'id="g-scopes-error"')
        assert api_keys.every(acme) == []
    for form, scopes in [
        ({"preset": "read-only"}, set(api_keys.PRESETS["read-only"])),
        ({"preset": "standard", "scopes": ["billing:write"]}, set(api_keys.PRESETS["standard"])),
        ({"preset": "chosen", "scopes": ["lists:write", "webhooks:read"]}, {"lists:write", "webhooks:read"}),
    ]:
        assert web.post("/developers/keys", {"name": "a", **form}).status_code == 201
        assert set(api_keys.every(acme)[0].scopes) == scopes


def test_the_key_form_is_a_dialog_or_a_page(web: Web, acme: Workspace) -> None:
    page, dialog = web.get("/developers/keys/new"), web.get("/developers/keys/new", htmx=True)
    assert "<html" in page.text
    assert "<html" not in dialog.text
    assert dialog.text.count('<dialog id="key-dialog"') == 1
    refused = web.post("/developers/keys", name="", preset="standard", htmx=True)
    assert (refused.status_code, "<dialog" in refused.text) == (422, True)
    shown = web.client.post(
        "/developers/keys",
        data={"csrf_token": web.token(), "name": "CRM", "preset": "full"},
        headers={
            "HX-Request": "true",
            "HX-Request-Type": "partial",
            "HX-Current-URL": "http://localhost/developers/keys",
        },
    )
    assert KEY.search(shown.text)
    assert 'hx-target="#api-keys"' in shown.text


def test_a_key_is_revoked_after_a_question_that_names_its_last_use(web: Web, acme: Workspace, client: Client) -> None:
    key, plain = api_keys.create(acme, "Zapier", "all")
    assert "Never used." in web.get("/developers/keys").text
    assert Api(client, plain).get("lists").status_code == 200
    assert "Last used" in web.get("/developers/keys").text
    gone = web.post(f"/developers/keys/{key.id}/revoke")
    assert (gone.status_code, gone.headers["Location"]) == (303, "/developers/keys")
    assert Api(client, plain).get("lists").status_code == 401
    assert "“Zapier” revoked" in web.get("/developers/keys").text


def test_a_key_is_rolled_without_a_gap(web: Web, acme: Workspace, client: Client) -> None:
    key, plain = api_keys.create(acme, "Zapier", "lists:read")
    rolled = web.post(f"/developers/keys/{key.id}/roll")
    (fresh,) = set(KEY.findall(rolled.text))
    assert [Api(client, one).get("lists").status_code for one in (plain, fresh)] == [200, 200]
    api_keys.revoke(acme, key.id)
    assert web.post(f"/developers/keys/{key.id}/roll").status_code == 303
    assert "This key has expired or was revoked." in web.get("/developers/keys").text


def integrator(web: Web, app: Flask, acme: Workspace) -> Web:
    """Bo, who has joined as one, signed in."""
    member(acme, role=Role.INTEGRATOR)
    return signed_in(app, BO)


def test_an_integrator_is_offered_what_their_keys_may_hold(web: Web, app: Flask, acme: Workspace) -> None:
    bo = integrator(web, app, acme)
    form = bo.get("/developers/keys/new").text
    must_have(form, "An owner can grant more in Settings → Team.", without=('value="full"', 'value="campaigns:run"'))
    assert bo.post("/developers/keys", name="Zapier", preset="standard").status_code == 201
    assert bo.post("/developers/keys", {"name": "b", "preset": "chosen", "scopes": "campaigns:run"}).status_code == 422
    assert bo.post("/developers/keys", name="c", preset="full").status_code == 422
    (key,) = api_keys.every(acme)
    assert not {"campaigns:run", "conversations:write", "sources:write"} & set(key.scopes)
    assert "An owner can grant more" not in web.get("/developers/keys/new").text
    key, _ = api_keys.create(acme, "CRM", "all")
    assert bo.post(f"/developers/keys/{key.id}/roll").status_code == 303
    assert "This key has more permissions than yours." in bo.get("/developers/keys").text
    assert len(api_keys.every(acme)) == 2


def test_the_list_shows_who_made_a_key_and_what_was_cut(web: Web, app: Flask, acme: Workspace) -> None:
    bo = integrator(web, app, acme)
    bo_user = next(one for one in team.members(acme) if one.email == BO).user_id
    key, plain = api_keys.create(acme, "Zapier", "all", created_by=session().get_one(User, bo_user))
    api_keys.create(acme, "Script", "all")
    must_have(web.get("/developers/keys"), "Create key", "by Bo", "by the server", "Bo can't give this key")
    refused = Api(app.test_client(), plain).post("campaigns/1/start")  # type: ignore[arg-type]
    assert refused.status_code == 403
    assert "Ask an owner to grant the permission or to take over the key." in refused.text
    assert bo.post(f"/developers/keys/{key.id}/take-over").status_code == 403
    assert web.post(f"/developers/keys/{key.id}/take-over").status_code == 303
    assert "can't give this key" not in web.get("/developers/keys").text
    assert Api(app.test_client(), plain).get("me").json["key"]["scopes"] == sorted(api_keys.SCOPES)  # type: ignore[arg-type]


def test_a_key_for_assistants_without_approval_is_made_by_a_tick(web: Web, acme: Workspace) -> None:
    refused = web.post("/developers/keys", name="Claude", preset="read-only", expires="", withoutApproval="1")
    must_have(refused, 422, "Only a key with approvals:write can skip approval.")
    assert api_keys.every(acme) == []
    web.post("/developers/keys", name="Claude", preset="full", expires="", withoutApproval="1")
    web.post("/developers/keys", name="CRM", preset="full", expires="")
    assert [key.without_approval for key in api_keys.every(acme)] == [False, True]
    assert web.get("/developers/keys").text.count("No approval") == 1
