"""Google and Microsoft as they let someone into a mailbox: their pages, codes that are good once, and tokens.

It keeps RFC 6749 and 7636: client, secret, redirect and verifier have to be those that were announced.
"""

import base64
import html
import json
import secrets
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from urllib.parse import parse_qs, urlencode

from flask import Flask
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from app import ports
from app.providers.mail import mail_consents, mail_system
from app.providers.mail.connections import Rules
from tests.providers.mail.mailservers import Post, Servers, with_tls

CLIENT, SECRET = "our-client", "our-canary-secret"
HOSTS = ("smtp.gmail.com", "imap.gmail.com", "smtp.office365.com", "outlook.office365.com")


@contextmanager
def standing_in(app: Flask, server: HTTPServer, certificate: Path, *, entered: bool = False) -> Iterator["Authority"]:
    """Both providers, with the servers of their mailboxes. `entered`: the admin enters the clients on a page."""
    post = Post(username="ines@acme.example", token="none yet", tls=with_tls(certificate), saves=True)
    made, servers = Authority(server, post), Servers(post)
    at = {587: servers.smtp_port, 993: servers.encrypted()}
    rules = Rules(
        allow_private=True,
        tls=lambda: ssl.create_default_context(cafile=certificate),
        resolve=lambda host, port: [("127.0.0.1", at[port])],
    )
    settings = {**app.config, **made.settings(entered)}
    ports.connect({"sandbox": ports.sender("sandbox"), "smtp": mail_system(settings, rules)})
    ports.mail_consent.connect(mail_consents(settings))
    yield made
    servers.close()


class Authority:
    """Everyone who comes to its page is `address` and allows everything but `denied` scopes, or nothing: `error`.

    With `asks`, its page has a link to press; else it leads back at once.
    """

    def __init__(self, server: HTTPServer, post: Post) -> None:
        self.url = server.url_for("").rstrip("/")
        self.post, self.address, self.name = post, "ines@acme.example", "Ines Duarte"
        self.error, self.denied, self.lasting, self.audience, self.asks = "", "", True, CLIENT, False
        self.seen: list[dict[str, str]] = []  # what its page was asked with
        self._codes: dict[str, dict[str, str]] = {}
        self._refresh = ""
        for page in ("/o/oauth2/v2/auth", "/common/oauth2/v2.0/authorize"):
            server.expect_request(page, method="GET").respond_with_handler(self._page)
        for token in ("/token", "/common/oauth2/v2.0/token"):
            server.expect_request(token, method="POST").respond_with_handler(self._token)

    def settings(self, entered: bool = False) -> dict[str, str]:
        names = ("GOOGLE_TOKEN_URL", "MICROSOFT_TOKEN_URL", "GOOGLE_SIGN_IN_URL")
        own = {} if entered else {f"OVERTURE_{way}_CLIENT_{what}": value for way, what, value in _OWN}
        return {f"OVERTURE_{name}": self.url for name in names} | own

    def _page(self, request: Request) -> Response:
        asked = dict(request.args)
        self.seen.append(asked)
        if self.error:
            given = {"error": self.error, "state": asked["state"]}
        else:
            code = secrets.token_urlsafe(12)
            self._codes[code] = asked
            given = {"code": code, "state": asked["state"]}
        back = f"{asked['redirect_uri']}?{urlencode(given)}"
        if self.asks:
            words = f'<!doctype html><html lang="en"><title>Allow</title><a href="{html.escape(back)}">Allow</a></html>'
            return Response(words, mimetype="text/html")
        return Response("", 302, {"Location": back})

    def _token(self, request: Request) -> Response:
        form = {name: values[0] for name, values in parse_qs(request.get_data(as_text=True)).items()}
        if (form.get("client_id"), form.get("client_secret")) != (CLIENT, SECRET):
            return _problem("invalid_client", 401)
        if form["grant_type"] == "refresh_token":
            return self._access() if form["refresh_token"] == self._refresh else _problem("invalid_grant")
        asked = self._codes.pop(form["code"], None)
        if asked is None or asked["redirect_uri"] != form["redirect_uri"]:
            return _problem("invalid_grant")
        proof = base64.urlsafe_b64encode(sha256(form["code_verifier"].encode()).digest()).rstrip(b"=").decode()
        if (proof, "S256") != (asked["code_challenge"], asked["code_challenge_method"]):
            return _problem("invalid_grant")
        self._refresh = f"canary-{secrets.token_urlsafe(20)}"
        claims = {"email": self.address, "name": self.name, "aud": self.audience}
        given = {"refresh_token": self._refresh} if self.lasting else {}
        scopes = " ".join(one for one in asked["scope"].split() if not self.denied or self.denied not in one)
        return self._access(id_token=_signed(claims), scope=scopes, **given)

    def _access(self, **more: str) -> Response:
        self.post.token = f"access-{secrets.token_urlsafe(8)}"
        return Response(json.dumps({"access_token": self.post.token, "expires_in": 3599, **more}))


_OWN = [(way, *one) for way in ("GOOGLE", "MICROSOFT") for one in (("ID", CLIENT), ("SECRET", SECRET))]


def _signed(claims: dict[str, str]) -> str:
    parts = ({"alg": "RS256"}, claims)
    told = [base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in parts]
    return ".".join([*told, "c2lnbmF0dXJl"])


def _problem(error: str, status: int = 400) -> Response:
    return Response(json.dumps({"error": error, "error_description": "AADSTS canary"}), status)
