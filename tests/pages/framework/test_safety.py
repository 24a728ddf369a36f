"""What no text can hold reaches no page, whichever it is: one of the databases could not be asked about it."""

import io
from collections.abc import Callable, Iterator

import pytest
import sqlalchemy as sa
from flask import Flask

from app.core.db import session
from app.domain.leads import lists
from app.domain.senders import accounts
from app.domain.workspace import api_keys
from app.models.workspaces import Workspace
from app.pages.framework.base import safe_path, signed_in
from tests.domain.outreach import a_campaign
from tests.pages.conftest import Web, must_have
from tests.pages.framework.test_page_permissions import address, methods
from tests.support.clients import Client

pytestmark = pytest.mark.postgres


def addresses(app: Flask, method: str) -> Iterator[str]:
    """Where every page answers that method."""
    rules = [rule for rule in app.url_map.iter_rules() if rule.endpoint.startswith("pages.")]
    return (address(rule) for rule in rules if method in methods(rule))


def test_no_address_has_such_a_character_or_a_number_that_no_row_has(app: Flask, visitor: Web, web: Web) -> None:
    paths = [path.removesuffix("x") + "a%00b" for path in addresses(app, "GET") if path.endswith("/x")]
    assert paths
    assert {visitor.get(path, htmx=True).status_code for path in paths} == {404}
    for number in [2**63, 10**20, "9" * 5000]:
        paths = [path.replace("/1", f"/{number}") for path in addresses(app, "GET") if "/1" in path]
        assert len(paths) > 20
        assert {path: status for path in paths if (status := web.get(path, htmx=True).status_code) != 404} == {}


def test_a_question_that_the_database_refuses_ends_in_a_page(make_app: Callable[..., Flask], acme: Workspace) -> None:
    other = make_app()
    other.add_url_rule("/refused", "refused", signed_in(lambda workspace: session().execute(sa.text("SELECT a"))))
    browser = Web(other.test_client())  # type: ignore[arg-type]
    browser.sign_in("ada@acme.example")
    answer = browser.get("/refused")
    assert answer.status_code == 500
    assert answer.headers["X-Request-Id"] in answer.text
    assert "Acme" in answer.text


def test_nul_bytes_are_refused_on_every_page_in_every_name_and_value(web: Web, app: Flask, visitor: Web) -> None:
    file = (io.BytesIO(b"First name"), "people.csv")
    assert web.get("/lists?a%00b=1").status_code == 400
    assert web.post("/lists", {"a\0b": "1", "name": "Founders"}).status_code == 400
    assert web.post("/lists", {"a\0b": file, "name": "Founders"}).status_code == 400
    named = {"Content-Type": "multipart/form-data; boundary=x", "X-CSRF-Token": web.token()}
    part = b"--x\r\nContent-Disposition: form-data; name=file; filename*=UTF-8''a%00b.csv\r\n\r\n1\r\n--x--\r\n"
    assert web.client.post("/lists", data=part, headers=named).status_code == 400
    must_have(web.get("/never-contact?q=a%00b"), "The form has a character that can", "Remove it and try again.")
    for sent in ["a%ED%A0%80b", "%FF", "%"]:
        assert web.get(f"/never-contact?q={sent}").status_code == 200
    for path in addresses(app, "GET"):
        assert visitor.get(f"{path}?q=a%00b", htmx=True).status_code == 400, path
    for path in addresses(app, "POST"):
        assert visitor.post(path, name="a\0b", htmx=True).status_code == 400, path


def test_what_is_no_number_of_ours_picks_nothing(web: Web, acme: Workspace) -> None:
    for number in ["²", "9" * 30, "9" * 5000, "0" * 17 + "1" + "9" * 5000]:
        list_id = lists.create_list(acme, "Founders").id
        api_keys.create(acme, "Script", ["all"])
        for path in (f"/developers/requests?key={number}", f"/documents/icp/versions?to={number}"):
            assert web.get(path).status_code in (200, 404), path
        assert web.post(f"/lists/{list_id}/people", do="remove", lead=number).status_code == 303
        sender = {"workingHours.days": number, "workingHours.start": "x", "timezone": "UTC"}
        assert web.post(f"/senders/{accounts.every(acme)[0].id}", sender).status_code == 422
        assert web.post("/autopilot/targeting", do=f"better:{number}").status_code != 500


def test_an_address_that_cannot_be_taken_apart_is_nowhere(web: Web, visitor: Web) -> None:
    odd = "http://["
    for told in ({"Origin": odd}, {"Referer": odd}, {"HX-Current-URL": odd, "HX-Request": "true"}):
        for browser in (web, visitor):
            for path in ("/", "/search", "/developers/keys/new"):
                assert browser.client.get(path, headers=told).status_code < 500
            assert browser.client.post("/theme", headers=told).status_code < 500
    assert safe_path(odd) == "/"


def test_no_one_is_called_at_an_odd_address(client: Client) -> None:
    for path in ("%00/%00", "unipile/%00", "unipile/x", "unipile/%00/sign-in", "unipile/x/sign-in"):
        for body in (b"[" * 5000, b'{"name": "\\u0000"}', b"\xff", b"1"):
            assert client.post(f"/hooks/{path}", data=body).status_code in (401, 404), (path, body)


def test_a_place_that_was_never_ours_is_none(web: Web, acme: Workspace) -> None:
    for moment in ["9999-99-99T00:00:00", "2026-01-01T::::::::", "0000-01-01T00:00:00"]:
        assert web.get(f"/conversations?after={moment}%2B00:00~1").status_code == 200
        campaign = a_campaign(acme, ["ada"])
        assert web.get(f"/campaigns/{campaign.id}/activity?cursor={moment}%2B00:00_0_1").status_code == 400
