"""PostHog: least privilege, the project, visitors page by page, and every way in which it fails."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from flask import Flask, jsonify

from app.ports import SourceRefused, Throttled, Unreachable
from app.providers import posthog
from app.providers.http import HttpClient
from app.providers.posthog import PostHog, page_in_words
from app.providers.sandbox.sources import SandboxAnalytics
from tests.providers.failing import failure_of
from tests.providers.posthog_server import Event, Key, PostHogServer

NOW = datetime(2026, 11, 20, 10, tzinfo=UTC)
LONG_AGO = NOW - timedelta(days=30)


@pytest.fixture
def server(running: Callable[[PostHogServer], PostHogServer]) -> PostHogServer:
    return running(PostHogServer())


@pytest.fixture
def source(server: PostHogServer) -> PostHog:
    return PostHog(HttpClient(allow_private=True), server.url)


def test_sandbox_and_posthog_give_the_same_shape(app: Flask, source: PostHog, server: PostHogServer) -> None:
    """A project, and people with an address, a page in words and a moment; an unknown key is refused."""
    server.events = [Event("ada@engine.example", "https://acme.example/pricing", NOW, {"name": "Ada Lovelace"})]
    for one in (SandboxAnalytics(), source):
        page = one.visitors("phx_good", "us", one.check("phx_good", "us", ""), 1, LONG_AGO, "")
        assert (bool(page.visitors), page.after) == (True, "")
        for visitor in page.visitors:
            assert "@" in visitor.email
            assert visitor.first_name
            assert visitor.page.islower()
            assert visitor.at.tzinfo is not None
        with pytest.raises(SourceRefused):
            one.check("phx_invalid", "us", "")


def test_a_key_of_another_kind_is_never_sent(app: Flask, source: PostHog, server: PostHogServer) -> None:
    """Least of all to a service that it does not belong to; the sandbox refuses it in the same words."""
    for key in ("phc_token", "phs_secret", "rk_live_of_stripe", "password"):
        sentences = []
        for one in (SandboxAnalytics(), source):
            with pytest.raises(SourceRefused, match="phx_") as caught:
                one.check(key, "us", "")
            sentences.append(caught.value.sentence)
        assert sentences[0] == sentences[1]
    assert server.asked == []


def test_a_key_may_read_and_nothing_else(source: PostHog, server: PostHogServer) -> None:
    """The sentence names the scope. Older installations cannot say what a key may do, which is no reason to refuse."""
    for scopes, words in (
        (("*",), "everything"),
        (("query:read", "project:write"), "project:write"),
        (("project:read",), "lacks the scope query:read"),
        (("query:read",), "lacks the scope project:read"),
    ):
        server.keys["phx_other"] = Key(scopes=scopes)
        with pytest.raises(SourceRefused, match=words):
            source.check("phx_other", "us", "")
    server.knows_current_key = False
    assert source.check("phx_good", "us", "") == "1"


def test_the_region_is_told(source: PostHog, server: PostHogServer) -> None:
    """When the key belongs to the other cloud; an installation of one's own has no other."""
    server.keys["phx_good"].region = "eu"
    with pytest.raises(SourceRefused, match="belongs to PostHog EU") as refusal:
        source.check("phx_good", "us", "")
    assert refusal.value.field == "region"
    assert source.check("phx_good", "eu", "") == "1"
    server.keys["phx_good"].region = "us"
    own = PostHog(HttpClient(allow_private=True), server.own_url)
    assert own.check("phx_good", "eu", "") == "1"
    with pytest.raises(SourceRefused, match="recognize this key"):
        own.check("phx_gone", "us", "")


def test_the_project_is_found_or_chosen(source: PostHog, server: PostHogServer) -> None:
    assert source.check("phx_good", "us", "1") == "1"
    with pytest.raises(SourceRefused, match="read a project 9") as refusal:
        source.check("phx_good", "us", "9")
    assert refusal.value.field == "project"
    server.projects = {1: "Website", 2: "App", 3: "Shop"}
    with pytest.raises(SourceRefused, match=r"one of the projects 1 \(Website\), 2 \(App\), 3 \(Shop\)") as refusal:
        source.check("phx_good", "us", "")
    assert refusal.value.field == "project"
    server.projects = {}
    with pytest.raises(SourceRefused, match="read any project"):
        source.check("phx_good", "us", "")
    # A key of some projects only may not list them, and does not have to.
    server.projects = {1: "Website", 2: "App"}
    server.keys["phx_one"] = Key(scopes=("query:read",), projects=(2,))
    assert source.check("phx_one", "us", "") == "2"
    with pytest.raises(SourceRefused, match="only read the project 2"):
        source.check("phx_one", "us", "1")
    server.keys["phx_two"] = Key(scopes=("query:read",), projects=(1, 2))
    with pytest.raises(SourceRefused, match="Choose one of the projects 1, 2"):
        source.check("phx_two", "us", "")


def test_the_next_page_is_on_the_same_host(source: PostHog, server: PostHogServer) -> None:
    elsewhere = {"results": [], "next": "https://elsewhere.example/us/api/organizations/@current/projects/?offset=2"}
    server.wrong = lambda path: jsonify(elsewhere) if "organizations" in path else None
    with pytest.raises(Unreachable, match="at another address"):
        source.check("phx_good", "us", "")


def test_visitors_come_page_by_page(source: PostHog, server: PostHogServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each once, the latest first, also where many share a moment; whoever has no address does not come."""
    monkeypatch.setattr(posthog, "PAGE", 3)
    monkeypatch.setattr(posthog, "VISITORS", posthog.VISITORS.replace("limit 500", "limit 3"))
    server.events = [
        Event(f"p{number}@x.example", "https://a.example/", NOW - timedelta(hours=number // 4)) for number in range(8)
    ]
    server.events += [
        Event("p0@x.example", "https://a.example/docs/getting-started", NOW + timedelta(minutes=1)),
        Event(None, "https://a.example/", NOW),
        Event("old@x.example", "https://a.example/", LONG_AGO - timedelta(days=1)),
        Event("clicks@x.example", "https://a.example/", NOW, name="clicked"),
        Event("app@x.example", "https://a.example/", NOW, project=2),
    ]
    found, after = [], ""
    while True:
        page = source.visitors("phx_good", "us", "1", 1, LONG_AGO, after)
        found += page.visitors
        after = page.after
        if not after:
            break
    assert [one.email for one in found] == [f"p{number}@x.example" for number in range(8)]
    assert found[0].page == "getting started"
    assert found[1].page == "home"


def test_names_are_taken_as_they_are_known(source: PostHog, server: PostHogServer) -> None:
    server.events = [
        Event("a@x.example", "https://a.example/", NOW, {"name": "Ada King Lovelace", "company": "Engine"}),
        Event("b@x.example", "https://a.example/", NOW, {"first_name": "Bo", "last_name": "Li", "title": "CEO"}),
        Event("c@x.example", "https://a.example/", NOW),
    ]
    found = source.visitors("phx_good", "us", "1", 1, LONG_AGO, "").visitors
    assert [(one.first_name, one.last_name, one.company, one.title) for one in found] == [
        ("Ada", "King Lovelace", "Engine", ""),
        ("Bo", "Li", "", "CEO"),
        ("", "", "", ""),
    ]


def test_a_page_in_words_names_no_person_and_nothing_by_its_number() -> None:
    words = {
        "https://a.example/": "home",
        "https://a.example/pricing?plan=team#top": "pricing",
        "https://a.example/blog/how-to_sail.html": "how to sail",
        "https://a.example/products/8b0c2f1e9d3a4b5c6d7e": "products",
        "https://a.example/users/ada@engine.example": "users",
        "https://a.example/12345": "",
        "http://[broken": "",
    }
    assert {address: page_in_words(address) for address in words} == words


def test_a_deleted_key_or_project_and_too_many_questions_are_told(source: PostHog, server: PostHogServer) -> None:
    with pytest.raises(SourceRefused, match="was deleted"):
        source.visitors("phx_good", "us", "9", 1, LONG_AGO, "")
    server.left = 0
    with pytest.raises(Throttled) as wait:
        source.visitors("phx_good", "us", "1", 1, LONG_AGO, "")
    assert wait.value.retry_after == 7
    del server.keys["phx_good"]
    with pytest.raises(SourceRefused, match="deleted in PostHog"):
        source.visitors("phx_good", "us", "1", 1, LONG_AGO, "")


def test_rows_in_an_unknown_format_are_tried_again(source: PostHog, server: PostHogServer) -> None:
    """With a sentence that names PostHog, and never the key."""
    for status, body in (
        (200, "{}"),
        (200, '{"results": {"a": 1}}'),
        (200, '{"results": [["a@x.example"]]}'),
        (200, '{"results": [[1, 2, 3, 4, 5, 6, 7, 8]]}'),
        (200, '{"results": [["a@x.example", "u", "yesterday", null, null, null, null, null]]}'),
        (200, '{"results": null, "query_status": {"id": "q", "complete": false}}'),
        (400, '{"type": "validation_error", "code": "illegal_hogql", "detail": "no such field", "attr": null}'),
    ):
        server.wrong = lambda path, answer=(body, status): answer
        found = failure_of(lambda: source.visitors("phx_good", "us", "1", 1, LONG_AGO, ""))
        assert type(found) is Unreachable, body
        assert "PostHog" in str(found)
        assert "phx_good" not in str(found)


def test_the_official_client_sees_the_same_errors(server: PostHogServer) -> None:
    from posthog.request import APIError, get

    with pytest.raises(APIError) as failure:
        get("phx_gone", "/api/personal_api_keys/@current/", host=server.own_url)
    assert (failure.value.status, "Authorization header is invalid" in failure.value.message) == (401, True)
    server.keys["phx_less"] = Key(scopes=("query:read",))
    with pytest.raises(APIError, match="missing required scope 'project:read'"):
        get("phx_less", "/api/projects/1/", host=server.own_url)
