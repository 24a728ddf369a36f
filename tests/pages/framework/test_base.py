"""Every page: fragment or whole, safe requests only, headers, refusals, navigation, colours, static files."""

import gzip
import re
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask, abort

from app.core.db import session
from app.core.errors import Conflict, RateLimited
from app.domain.workspace import workspaces
from app.models.workspaces import Workspace
from app.pages.framework.base import safe_path, show_toast, signed_in
from app.pages.framework.safety import POLICY
from tests.pages.conftest import Web, found_in, must_have

PAGES = ["/", "/login", "/nothing-here"]


@pytest.fixture(scope="module")
def worker_app(build_app: Callable[..., Flask]) -> Flask:
    """The application with a few views that do what pages rarely do."""
    views: dict[str, Callable[..., Any]] = {
        "busy": _raise(RateLimited("Too many attempts.", retry_after=7)),
        "whose": signed_in(lambda workspace, user: f"{workspace.name} {user.email}"),
        "broken": _raise(ZeroDivisionError("secret detail")),
        "gone": lambda: abort(404),
        "moved": _raise(Conflict("It runs already.", recovery="Pause it first.")),
        "say": lambda: (show_toast("Saved <b>it</b>."), "")[1],
    }
    app = build_app()
    for name, view in views.items():
        app.add_url_rule(f"/{name}", name, view)
    return app


def test_htmx_gets_the_piece_a_browser_the_page(web: Web) -> None:
    piece, page = web.get("/", htmx=True), web.get("/")
    assert piece.text.lstrip().startswith('<div id="now"')
    assert 'id="now"' in page.text
    assert "HX-Request" in piece.headers["Vary"]
    assert "HX-Request" in page.headers["Vary"]
    assert "<!doctype html>" in web.get("/", htmx=True, HX_History_Restore_Request="true").text
    assert "<!doctype html>" in web.get("/", htmx=True, HX_Request_Type="full").text


def test_without_a_session_one_is_sent_to_sign_in_and_back(visitor: Web, acme: Workspace) -> None:
    answer = visitor.get("/dev/components?tab=2")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/login?next=/dev/components?tab%3D2")
    answer = visitor.get("/", htmx=True, HX_Current_URL="http://localhost/campaigns/7")
    assert answer.status_code == 401
    assert answer.headers["HX-Redirect"] == "/login?next=/campaigns/7"
    answer = visitor.client.post("/theme", data={"theme": "dark"})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/login")
    answer = visitor.client.post("/theme", headers={"Referer": "http://localhost/lists?q=ada"})
    assert answer.headers["Location"] == "/login?next=/lists?q%3Dada"


def test_raising_the_epoch_ends_every_session(web: Web, acme: Workspace) -> None:
    user = workspaces.authenticate("ada@acme.example", "four unrelated quiet words", "127.0.0.1")
    user.session_epoch += 1
    session().commit()
    assert web.get("/").status_code == 303


def test_a_form_without_its_token_or_from_another_site_is_refused(web: Web) -> None:
    answer = web.client.post("/theme", data={"theme": "dark"})
    must_have(answer, 400, "open for too long")
    assert "theme" not in answer.headers.get("Set-Cookie", "")
    assert web.client.post("/theme", data={"theme": "dark"}, headers={"X-CSRF-Token": web.token()}).status_code == 303
    for headers in [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
    ]:
        form = {"theme": "dark", "csrf_token": web.token()}
        assert web.client.post("/theme", data=form, headers=headers).status_code == 403
        assert web.client.post("/theme", data=form, headers={"Origin": "http://localhost"}).status_code == 303


def test_every_page_carries_the_headers(web: Web) -> None:
    for path in PAGES:
        headers = web.get(path).headers
        assert headers["Content-Security-Policy"] == POLICY
        assert "unsafe" not in POLICY
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "same-origin"
        assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert headers["Cache-Control"] == ("private, no-cache" if path == "/login" else "no-store")
        assert "Strict-Transport-Security" not in headers


def test_under_https_browsers_keep_to_https(make_app: Callable[..., Flask]) -> None:
    app = make_app(BASE_URL="https://outreach.example.com", OVERTURE_ALLOW_PRIVATE_NETWORK=False)
    with app.app_context():
        client, ours = app.test_client(), "https://outreach.example.com"
        answer = client.get("/setup", base_url=ours)
        token = found_in(answer.text, r'name="csrf" content="([^"]+)"')
        chosen = client.post("/theme", data={"theme": "dark", "csrf_token": token}, base_url=ours)
        others = [client.get(path, base_url=ours) for path in ("/v1/me", "/v1/openapi.json", "/mcp", "/healthz", "/")]
        styled = client.get("/setup", base_url=ours)
    for each in (answer, chosen, *others):
        assert each.headers["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains"
        assert each.headers["X-Content-Type-Options"] == "nosniff"
        assert "frame-ancestors 'none'" in each.headers["Content-Security-Policy"]
        assert "base-uri 'none'" in each.headers["Content-Security-Policy"]
    cookies = [answer.headers["Set-Cookie"], *chosen.headers.getlist("Set-Cookie")]
    assert [cookie.partition("=")[0] for cookie in cookies] == ["__Host-overture", "__Host-theme"]
    assert [cookie for cookie in cookies if "Secure" not in cookie or "HttpOnly" not in cookie] == []
    assert 'data-theme="dark"' in styled.text


def test_nothing_needs_an_exception_from_the_policy(web: Web) -> None:
    for path in [*PAGES, "/setup"]:
        page = web.get(path).text
        assert not re.search(r"<style|\sstyle=|\son\w+=|hx-on|javascript:|js:", page)
        assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", page))


def test_an_address_that_does_not_exist_says_so(web: Web, visitor: Web) -> None:
    for someone in (web, visitor):
        must_have(someone.get("/nothing-here"), 404, "belongs to another workspace")
    assert 'aria-label="Main"' in web.get("/nothing-here").text
    assert 'aria-label="Main"' not in visitor.get("/nothing-here").text


def test_a_stranger_with_curl_finds_the_document_of_the_api(visitor: Web) -> None:
    root, unknown = visitor.client.get("/"), visitor.client.get("/v1/")
    named = root.headers["Link"], root.text, unknown.json["error"]["recovery"]
    assert all("/v1/openapi.json" in one for one in named)
    assert visitor.client.get("/v1/openapi.json").status_code == 200


def test_a_refusal_says_what_to_do_and_when(web: Web) -> None:
    page, piece = web.get("/busy"), web.get("/busy", htmx=True)
    assert (page.status_code, page.headers["Retry-After"]) == (429, "7")
    assert "Too many attempts." in page.text
    assert 'data-seconds="7"' in page.text
    assert piece.headers["HX-Reswap"] == "none"
    assert 'hx-target="#toasts"' in piece.text
    assert "<!doctype" not in piece.text


def test_something_that_broke_shows_its_request_id_and_nothing_else(web: Web, stranger: Web) -> None:
    answer = web.get("/broken")
    assert answer.status_code == 500
    assert answer.headers["X-Request-Id"] in answer.text
    assert "secret detail" not in answer.text
    assert web.get("/gone").status_code == 404
    must_have(web.get("/moved"), 409, "It runs already. Pause it first.")
    assert web.get("/whose").text == "Acme ada@acme.example"
    assert stranger.get("/whose").text == "Rival rob@rival.example"


def test_a_message_is_shown_once_in_the_page_or_the_fragment(web: Web) -> None:
    web.get("/say")
    assert "Saved &lt;b&gt;it&lt;/b&gt;." in web.get("/").text
    assert "Saved" not in web.get("/").text
    web.get("/say")
    assert "<hx-partial" in web.get("/", htmx=True).text
    web.get("/say")
    assert web.get("/favicon.ico").headers["Location"].endswith("/favicon.svg")
    assert "Saved &lt;b&gt;it&lt;/b&gt;." in web.get("/").text


def test_the_navigation_has_only_pages_that_exist(web: Web) -> None:
    page = web.get("/").text
    links = set(re.findall(r'<a href="(/[^"#]*)"[^>]*data-go', page))
    assert "/" in links
    assert {web.get(link).status_code for link in links} <= {200, 303}
    assert '<a href="/" aria-current="page"' in page


def test_the_sandbox_is_marked_on_every_page_and_its_clock_when_moved(web: Web, acme: Workspace) -> None:
    assert "Nothing is sent to real people" in web.get("/").text
    assert "Sandbox time:" not in web.get("/").text
    acme.clock_offset = 14 * 86400
    session().commit()
    assert "Sandbox time:" in web.get("/").text


def test_colours_are_chosen_without_scripts(web: Web) -> None:
    assert "data-theme" not in web.get("/").text
    assert web.post("/theme", theme="dark", next="/login").headers["Location"] == "/login"
    assert '<html lang="en" data-theme="dark">' in web.get("/").text
    web.post("/theme", theme="")
    assert "data-theme" not in web.get("/").text


def test_no_one_is_led_to_another_site() -> None:
    wrong = ["//evil.example", "https://evil.example", "/\\evil.example", "\\\\evil.example", "data:1", "", "/a\nb"]
    assert {safe_path(path) for path in wrong} == {"/"}
    assert safe_path("/lists?page=2") == "/lists?page=2"


def test_static_files_are_kept_for_ever_under_the_name_of_their_content(web: Web) -> None:
    page = web.get("/").text
    names = set(re.findall(r'"(/static/[^"#]+)"', page))
    assert any(name.endswith("css/all.css") for name in names)
    for name in names:
        with web.get(name) as answer:
            assert answer.status_code == 200
            assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    with web.get("/static/0123456789ab/css/tokens.css") as old:
        assert (old.status_code, old.headers["Cache-Control"]) == (200, "public, no-cache")
    outside = web.get("/static/0123456789ab/../../app/config.py")
    assert (outside.status_code, outside.text) == (404, "Page not found.\n")


def test_the_first_visit_is_small(web: Web) -> None:
    sizes = {}
    for name in re.findall(r'"(/static/[^"#]+)', web.get("/").text):
        with web.get(name) as answer:
            sizes[name] = len(answer.data) if name.endswith("woff2") else len(gzip.compress(answer.data))
    assert sum(sizes.values()) < 78_000
    assert next(size for name, size in sizes.items() if name.endswith("app.js")) < 6_000


def _raise(error: Exception) -> Callable[[], str]:
    def view() -> str:
        raise error

    return view


def test_requests_name_an_allowed_host(app: Flask, web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(app.config, "TRUSTED_HOSTS", ["outreach.example.com", ".acme.example"])
    for host, status in (("outreach.example.com", 200), ("a.acme.example", 200), ("evil.example", 400)):
        assert web.client.get("/healthz", base_url=f"http://{host}").status_code == status
