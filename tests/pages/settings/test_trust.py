"""The page Trust: everyone reads it, owners choose how long data is kept."""

import gzip
import io

from flask import Flask

from app.core.db import end_read, session
from app.domain.installation import trust
from app.domain.leads import csv_import, lists
from app.models.workspaces import Workspace
from tests.pages.conftest import Web, become, must_have
from tests.support.people import people_csv

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


def test_an_owner_exports_the_whole_workspace(web: Web, stranger: Web, acme: Workspace, rival: Workspace) -> None:
    """Only this one, without passwords; not while a job has done half of its work."""
    founders = lists.create_list(acme, "Founders")
    lists.create_list(rival, "Strangers")
    answer = web.post(f"{PAGE}/export")
    assert f"workspace-{acme.id}.jsonl.gz" in answer.headers["Content-Disposition"]
    rows = gzip.decompress(answer.data).decode()
    must_have(rows, '"Founders"', "ada@acme.example", without=("Strangers", "rob@rival.example", "scrypt"))
    found = csv_import.create(acme, founders.id, "p.csv", io.BytesIO(people_csv(10, ()).encode()))
    csv_import.start(acme, found.id)
    web.post(f"{PAGE}/export")
    assert "This workspace has jobs in progress: " in web.get("/settings/plan").text
    become(acme, "operator")
    assert web.post(f"{PAGE}/export").status_code == 403
    must_have(web.get("/settings/plan"), "Only owners can export the workspace.", without="/export")


def test_an_owner_chooses_how_long_data_is_kept(web: Web, acme: Workspace) -> None:
    assert web.post(PAGE, requests="30", deliveries="7", payloads="365").status_code == 303
    assert kept(acme) == {"requests": 30, "deliveries": 7, "payloads": 365}
    assert "API requests, last 30 days" in web.get("/developers/requests").text
    answer = web.post(PAGE, requests="5")
    assert (answer.status_code, kept(acme)) == (422, {"requests": 30, "deliveries": 7, "payloads": 365})
    assert "Choose one of 1 day, 7 days, 30 days, 90 days." in answer.text
