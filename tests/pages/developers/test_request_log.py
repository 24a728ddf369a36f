"""The request log on its page."""

import re

from app.domain.platform import request_log
from app.domain.workspace import api_keys
from app.models.workspaces import Workspace
from tests.pages.conftest import Web, found_in, must_have
from tests.support.clients import Api, Client


def rows_of(page: str) -> list[str]:
    """The methods, paths and statuses shown."""
    found = re.findall(r'id="request-\d+".*?<strong>(\w+)</strong> ([^<]+)</a>.*?badge[^>]*>(\d+)', page, re.S)
    return [f"{status} {method} {path}" for method, path, status in found]


def opened(web: Web, page: str) -> str:
    """The page with its first request opened."""
    found = found_in(page, r'href="(/developers/requests\?[^"]*show=\d+)#request"')
    return web.get(found).text


def test_requests_are_shown_newest_first_with_why_they_were_refused(web: Web, api: Api) -> None:
    assert "No requests yet" in web.get("/developers/requests").text
    api.get("lists")
    api.post("lists", {"nam": "<b>Founders</b>"})
    request_log.flush()
    page = web.get("/developers/requests").text
    assert rows_of(page) == ["400 POST /v1/lists", "200 GET /v1/lists"]
    shown = opened(web, page)
    assert "Unknown field. Remove it." in shown
    assert "&lt;b&gt;Founders&lt;/b&gt;" in shown


def test_requests_are_filtered_by_outcome_and_key(web: Web, api: Api, client: Client, acme: Workspace) -> None:
    other, plain = api_keys.create(acme, "Other", "all")
    Api(client, plain).get("webhooks")
    api.get("lists")
    api.get("lists/99")
    request_log.flush()
    assert rows_of(web.get("/developers/requests?status=refused").text) == ["404 GET /v1/lists/99"]
    assert rows_of(web.get("/developers/requests?status=ok").text) == ["200 GET /v1/lists", "200 GET /v1/webhooks"]
    assert rows_of(web.get(f"/developers/requests?key={other.id}").text) == ["200 GET /v1/webhooks"]
    for query in ("status=x", "key=x", "key=999999", "key=", "key=%C2%B2"):
        assert len(rows_of(web.get(f"/developers/requests?{query}").text)) == 3


def test_requests_are_sorted_by_what_the_address_says(web: Web, api: Api) -> None:
    for number in range(30, 0, -1):
        api.get(f"lists/{number:02}")
    request_log.flush()
    first = web.get("/developers/requests?sort=path&cols=took.ref").text
    assert [row.split("/")[-1] for row in paths_of(first)] == [f"{number:02}" for number in range(1, 26)]
    must_have(first, 'aria-sort="ascending"', "Request ID", without='<th role="columnheader" scope="col">Key')
    (more,) = set(re.findall(r'href="(/developers/requests\?[^"]*cursor=[^"]*)"', first))
    assert [row.split("/")[-1] for row in paths_of(web.get(more.replace("&amp;", "&")).text)] == [
        f"{number:02}" for number in range(26, 31)
    ]
    assert paths_of(web.get("/developers/requests?sort=-path").text)[0] == "/v1/lists/30"
    assert paths_of(web.get("/developers/requests?sort=secret").text)[0] == "/v1/lists/01"


def paths_of(page: str) -> list[str]:
    return re.findall(r"<strong>\w+</strong> ([^<]+)</a>", page)
