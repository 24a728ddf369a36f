"""The page Trust: everyone reads it, owners choose how long data is kept."""

from flask import Flask

from app.core.db import end_read, session
from app.domain.operations import trust
from app.models.workspaces import Workspace
from tests.pages.conftest import Web

PAGE = "/settings/trust"


def kept(workspace: Workspace) -> object:
    """What its owner chose."""
    end_read()
    return session().get_one(Workspace, workspace.id, populate_existing=True).retention


def test_the_page_has_every_promise_and_every_limit(web: Web, app: Flask) -> None:
    shown = web.get("/settings/plan").text
    for title, _ in (*trust.PROMISES, *trust.LIMITS):
        assert title in shown
    assert "SECURITY.md" in shown
    assert "ask the server admin" in web.get("/settings/plan").text
    app.config["OVERTURE_CONTACT"] = "ops@example.com"
    assert "mailto:ops@example.com" in web.get("/settings/plan").text


def test_an_owner_chooses_how_long_data_is_kept(web: Web, acme: Workspace) -> None:
    assert web.post(PAGE, requests="30", deliveries="7", payloads="365").status_code == 303
    assert kept(acme) == {"requests": 30, "deliveries": 7, "payloads": 365}
    assert "API requests, last 30 days" in web.get("/developers/requests").text
    answer = web.post(PAGE, requests="5")
    assert (answer.status_code, kept(acme)) == (422, {"requests": 30, "deliveries": 7, "payloads": 365})
    assert "Choose one of 1 day, 7 days, 30 days, 90 days." in answer.text
