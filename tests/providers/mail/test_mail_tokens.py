"""Mailboxes that sign in with tokens: fetched when needed, replaced before they end, and refused in words."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from urllib.parse import parse_qs

import pytest
from flask import Flask
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from app.ports import AccountRef, LoggedOut, PersonRef, ProviderError, SenderAction, Throttled, Unreachable
from app.providers.http import HttpClient
from app.providers.json_api import JsonApi
from app.providers.mail import MailSystem
from app.providers.mail.connections import Rules
from app.providers.mail.tokens import Tokens
from tests.providers.failing import differs, failure_of
from tests.providers.mail.mailservers import Post, Servers
from tests.support.movable import Movable

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)


class Office:
    """The token endpoints of Google and Microsoft, as they are published."""

    def __init__(self, server: HTTPServer, post: Post) -> None:
        self.post, self.asked, self.paths = post, [], []
        self.refuse: tuple[int, dict[str, str]] | None = None
        self.renewed, self.useless = "", False  # tokens that no server takes
        server.expect_request("/token", method="POST").respond_with_handler(self.answer)
        server.expect_request("/acme.example/oauth2/v2.0/token", method="POST").respond_with_handler(self.answer)

    def answer(self, request: Request) -> Response:
        self.asked.append({name: value[0] for name, value in parse_qs(request.get_data(as_text=True)).items()})
        self.paths.append(request.path)
        if self.refuse:
            return Response(json.dumps(self.refuse[1]), self.refuse[0], {"Retry-After": "30"})
        token = f"access-{len(self.asked)}"
        self.post.token = self.post.token if self.useless else token
        given = {"access_token": token, "expires_in": 3599, "token_type": "Bearer"}
        return Response(json.dumps(given | ({"refresh_token": self.renewed} if self.renewed else {})))


@pytest.fixture
def post() -> Post:
    return Post(token="none yet", saves=True)


@pytest.fixture
def office(httpserver: HTTPServer, post: Post) -> Office:
    return Office(httpserver, post)


@pytest.fixture
def network(app: Flask, httpserver: HTTPServer) -> MailSystem:
    api = JsonApi(HttpClient(allow_private=True, plain=True), "Google", httpserver.url_for(""))
    return MailSystem(Rules(allow_private=True), tokens=Tokens(api, api), whole_call=30)


@pytest.fixture
def account(servers: Servers) -> AccountRef:
    said = servers.login(auth="google", client_id="an id", client_secret="a secret")
    return AccountRef(1, 1, "ines@acme.example", "Inês Duarte", AT, address="ines@acme.example", settings=said)


def test_one_token_serves_all_calls(network: MailSystem, account: AccountRef, office: Office, post: Post) -> None:
    network.status(account)
    network.act(account, SenderAction("email", PersonRef("ada", email="ada@people.example"), "f" * 32, "Hi", "Hello"))
    assert network.inbound(account, "").items == []
    assert len(post.taken) == 1
    (asked,) = office.asked
    assert (asked["grant_type"], asked["refresh_token"]) == ("refresh_token", "a refresh token")
    assert (asked["client_id"], asked["client_secret"]) == ("an id", "a secret")


def test_a_token_is_replaced_early(network: MailSystem, account: AccountRef, office: Office, clock: Movable) -> None:
    network.status(account)
    clock.forward(minutes=50)
    network.status(account)
    assert len(office.asked) == 1
    clock.forward(minutes=6)
    network.status(account)
    assert len(office.asked) == 2


def test_microsoft_is_asked_in_its_tenant(network: MailSystem, account: AccountRef, office: Office) -> None:
    """For both protocols, without a secret where the client has none; and its new refresh token is kept."""
    kept: list[str] = []
    office.renewed = "another refresh token"
    said = {**account.settings, "auth": "microsoft", "tenant": "acme.example", "client_secret": ""}
    network.status(replace(account, settings=said, keep=kept.append))
    assert office.paths == ["/acme.example/oauth2/v2.0/token"]
    assert "client_secret" not in office.asked[0]
    assert "IMAP.AccessAsUser.All" in office.asked[0]["scope"]
    assert kept == ["another refresh token"]


def test_a_refusal_is_one_sentence(network: MailSystem, account: AccountRef, office: Office) -> None:
    for status, answer, kind, words in (
        (400, {"error": "invalid_grant", "error_description": "a refresh token"}, LoggedOut, "Allow access again"),
        (401, {"error": "invalid_client"}, LoggedOut, "client ID or client secret"),
        (400, {"error": "invalid_scope"}, LoggedOut, "invalid_scope"),
        (200, {"token": "x"}, LoggedOut, "status 200"),
        (429, {}, Throttled, "request limit"),
        (503, {}, Unreachable, "Try again later"),
    ):
        office.refuse = status, answer
        found = failure_of(partial(network.status, account))
        assert not differs(found, kind, words), found
        assert not any(secret in str(found) for secret in ("a refresh token", "a secret", "an id"))


def test_a_withdrawn_token_is_replaced(network: MailSystem, account: AccountRef, office: Office, post: Post) -> None:
    """Once: servers that take no new one either say so, in two steps."""
    network.status(account)
    post.token = "withdrawn"
    network.status(account)
    assert len(office.asked) == 2
    post.token, office.useless = "withdrawn", True
    with pytest.raises(LoggedOut, match="rejected this token"):
        network.status(account)
    assert len(office.asked) == 3


def test_servers_without_tokens_say_so(network: MailSystem, account: AccountRef, office: Office, post: Post) -> None:
    network.status(account)
    post.token, office.useless = "", True
    with pytest.raises(ProviderError) as caught:
        network.status(account)
    assert "access-1" not in caught.value.sentence
