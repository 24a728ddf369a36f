"""A browser without a screen or scripts: it keeps cookies and sends each form with its token."""

import html
import re
from typing import Any

import pytest
from flask import Flask
from flask.sessions import SecureCookieSessionInterface
from werkzeug.test import TestResponse

from app.core.db import transaction
from app.models.workspaces import Membership, Workspace
from tests.conftest import PASSWORD
from tests.support.clients import Client

HTMX = {"HX-Request": "true", "HX-Request-Type": "partial", "HX-Current-URL": "http://localhost/"}
TOKEN = re.compile(r'<meta name="csrf" content="([^"]+)"')


class Web:
    """`web.get("/lists")`, `web.post("/lists", name="Founders")`; `htmx=True` asks for a piece of the page."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self._known: tuple[str, str] = ("", "")

    def get(self, path: str, htmx: bool = False, **headers: str) -> TestResponse:
        return self.client.get(path, headers=(HTMX if htmx else {}) | _dashed(headers))

    def post(self, path: str, form: dict[str, Any] | None = None, htmx: bool = False, **fields: Any) -> TestResponse:
        """The answer to a form with these fields (and the token of a page seen before)."""
        token = self.token()
        return self.client.post(
            path, data={"csrf_token": token, **(form or {}), **fields}, headers=HTMX if htmx else {}
        )

    def token(self) -> str:
        """The token of this session, from a page; each later form of the session has the same."""
        if not self._secret() or self._secret() != self._known[0]:
            page = self.client.get("/login")
            while page.status_code == 303:
                page = self.client.get(page.headers["Location"])
            found = TOKEN.search(page.text)
            assert found, page.text
            self._known = self._secret(), found[1]
        return self._known[1]

    def _secret(self) -> str:
        """What the session keeps, so that it knows its token again."""
        app = self.client.application
        cookie = self.client.get_cookie(app.config["SESSION_COOKIE_NAME"])
        signed = SecureCookieSessionInterface().get_signing_serializer(app)
        return str(signed.loads(cookie.value).get("csrf_token", "")) if cookie and signed else ""

    def sign_in(self, email: str, password: str = PASSWORD) -> TestResponse:
        """Someone is signed in from now on."""
        return self.post("/login", email=email, password=password)


def signed_in(app: Flask, email: str) -> Web:
    """A browser of their own in which someone is signed in."""
    web = Web(app.test_client())  # type: ignore[arg-type]
    assert web.sign_in(email).status_code == 303
    return web


def _dashed(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


def must_have(page: TestResponse | str, *parts: str | int, without: str | tuple[str, ...] = ()) -> None:
    """Assert that the page has all these words and none of the others, and the status where a number is given."""
    text, status = (page, 0) if isinstance(page, str) else (page.text, page.status_code)
    missing = [part for part in parts if (part != status if isinstance(part, int) else part not in text)]
    unwanted = [part for part in ([without] if isinstance(without, str) else without) if part in text]
    assert (missing, unwanted) == ([], []), f"{status}: {text[-20_000:]}"


def found_in(page: str, pattern: str) -> str:
    """The part of the page in the parentheses of the pattern, as a browser reads it."""
    found = re.search(pattern, page)
    assert found, page
    return html.unescape(found[1])


def become(workspace: Workspace, role: str) -> None:
    """Its owner has that role from now on."""
    with transaction() as current:
        current.query(Membership).filter_by(workspace_id=workspace.id).update({"role": role})


@pytest.fixture
def visitor(client: Client) -> Web:
    """No one is signed in."""
    return Web(client)


@pytest.fixture
def web(app: Flask, acme: Workspace) -> Web:
    """Ada of Acme, signed in."""
    return signed_in(app, "ada@acme.example")


@pytest.fixture
def stranger(app: Flask, rival: Workspace) -> Web:
    """Rob of Rival, signed in."""
    return signed_in(app, "rob@rival.example")
