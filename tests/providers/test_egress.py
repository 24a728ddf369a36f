"""The way out: through the operator's proxy where one is set, trusting the operator's certificate authority."""

import socket
import ssl
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from app import config, ports, providers
from app.domain.installation.doctor_checks import remote
from app.ports import Credentials, LoggedOut, ProviderError, Refused, Unreachable
from app.providers.egress import Egress
from app.providers.http import HttpClient
from app.providers.http.webhook_client import WebhookHttpClient
from tests.support.proxies import Authority, Proxy
from tests.support.receivers import Wire, read_request

LOGIN = "ops:pass word@"
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
def server(authority: Authority, running: Callable[[Wire], Wire]) -> Wire:
    """An https server inside the company, whose names only the proxy knows."""
    context = authority.context("inside.example", "hooks.example")
    return running(Wire(_answers, wrap=lambda connection: context.wrap_socket(connection, server_side=True)))


@pytest.fixture
def proxy(server: Wire, running: Callable[[Proxy], Proxy]) -> Proxy:
    return running(Proxy(leads={"inside.example": server.port, "hooks.example": server.port}))


def _answers(connection: socket.socket, over: threading.Event) -> None:
    while read_request(connection):
        connection.sendall(OK)


def _never(host: str, port: int) -> list[tuple[str, int]]:
    """The names of the proxy itself, and no other, are looked up."""
    assert host == "127.0.0.1", f"{host} was looked up"
    return [(host, port)]


def _through(proxy: Proxy, authority: Authority, **options: Any) -> Egress:
    return Egress({"https": proxy.url, "http": proxy.url}, authorities=str(authority.file), **options)


def _get(client: HttpClient, url: str, **options: Any) -> int:
    return client.call("GET", url, {}, most=100, within=30, **options).status


def test_https_calls_go_through_a_tunnel_which_is_kept(proxy: Proxy, authority: Authority) -> None:
    """The proxy sees the host alone; the certificate inside the tunnel is that of the host, and is checked."""
    client = HttpClient(resolve=_never, egress=_through(proxy, authority))
    assert [_get(client, "https://inside.example/secret-path") for _ in range(3)] == [200, 200, 200]
    assert proxy.asked == ["CONNECT inside.example:443"]
    assert _get(client, "https://inside.example/secret-path", once=True) == 200
    assert proxy.asked == ["CONNECT inside.example:443"] * 2


def test_the_certificate_at_the_end_of_the_tunnel_is_checked(proxy: Proxy, authority: Authority) -> None:
    proxy.leads["other.example"] = proxy.leads["inside.example"]
    with pytest.raises(Unreachable, match="certificate is not valid"):
        _get(HttpClient(resolve=_never, egress=_through(proxy, authority)), "https://other.example/")
    with pytest.raises(Unreachable, match="certificate is not valid"):
        _get(HttpClient(resolve=_never, egress=Egress({"https": proxy.url})), "https://inside.example/")


def test_every_kind_of_call_goes_through_the_proxy_with_its_password(
    proxy: Proxy, authority: Authority, running: Any
) -> None:
    """From its address, where special characters are percent-encoded; for tunnels and forwarding alike."""
    proxy.login = LOGIN
    proxy.leads["plain.example"] = running(Wire(_answers)).port
    url = f"http://ops:pass%20word%40@127.0.0.1:{proxy.port}"
    egress = Egress({"https": url, "http": url}, authorities=str(authority.file))
    client = HttpClient(plain=True, resolve=_never, egress=egress)
    assert _get(client, "https://inside.example/") == 200
    assert _get(client, "http://plain.example/page") == 200
    webhooks = WebhookHttpClient(resolve=_never, egress=egress)
    assert [webhooks.post("https://hooks.example/in", {}, b"{}").status for _ in range(2)] == [200, 200]
    asked = ["CONNECT inside.example:443", "GET http://plain.example/page", "CONNECT hooks.example:443"]
    assert proxy.asked == asked
    assert "pass" not in egress.sentence


def test_a_proxy_that_refuses_or_is_down_is_named(proxy: Proxy, authority: Authority) -> None:
    """Nothing was sent: a call that must not happen twice is Unreachable, never Unknown."""
    egress = _through(proxy, authority)
    for refusal, sentence in (
        (b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", r"The proxy refused to connect \(407\)"),
        (b"220 mail.example ESMTP\r\n", "The proxy returned an invalid response"),
        (b"", "The proxy returned an invalid response"),
    ):
        proxy.refusal = refusal
        with pytest.raises(Unreachable, match=sentence):
            _get(HttpClient(resolve=_never, egress=egress), "https://elsewhere.example/", once=True)
        with pytest.raises(Unreachable, match=sentence):
            WebhookHttpClient(resolve=_never, egress=egress).post("https://elsewhere.example/", {}, b"{}")
    proxy.stop()
    with pytest.raises(Unreachable):
        _get(HttpClient(resolve=_never, egress=egress), "https://inside.example/", once=True)


def test_no_proxy_is_called_straight(proxy: Proxy, authority: Authority, server: Wire, tmp_path: Path) -> None:
    """Straight calls keep the address check of this machine: a name that leads inside is refused."""
    for entry in ("inside.example", ".example", "example", "*", "INSIDE.example"):
        environ = {"HTTPS_PROXY": proxy.url, "NO_PROXY": f"none.invalid, {entry}"}
        settings = config.load(environ, OVERTURE_INSTANCE=tmp_path)
        egress = Egress(Egress.of(settings).proxies, Egress.of(settings).direct, str(authority.file))
        inward = {"resolve": lambda host, port: [("127.0.0.1", server.port)], "egress": egress}
        with pytest.raises(Refused):
            _get(HttpClient(**inward), "https://inside.example/")
        assert _get(HttpClient(allow_private=True, **inward), "https://inside.example/") == 200
    assert proxy.asked == []
    for entry, url, straight in (
        ("10.0.0.0/8", "https://10.1.2.3/", True),
        ("10.0.0.0/8", "https://11.1.2.3/", False),
        ("fd00::/8", "https://[fd00::1]/", True),
        ("example.com", "https://notexample.com/", False),
        ("example.com", "https://a.b.example.com./", True),
        ("sub.example.com", "https://example.com/", False),
    ):
        egress = Egress({"https": "http://proxy.example:3128"}, (entry,))
        assert (egress.proxy_for(url) == "") is straight, (entry, url)


def test_literal_private_addresses_are_refused_with_a_proxy_too(proxy: Proxy, authority: Authority) -> None:
    """What can be told from the address alone is never left to the proxy."""
    for url in ("https://127.0.0.1/", "https://10.0.0.1/", "https://localhost/", "https://db.internal/"):
        with pytest.raises(Refused):
            _get(HttpClient(egress=_through(proxy, authority)), url)
    assert proxy.asked == []


WAYS: dict[str, Callable[[], object]] = {
    "site.example": lambda: ports.site_reader().read("https://site.example", print),
    "hooks.example": lambda: ports.webhook_client().post("https://hooks.example/", {}, b"{}"),
    "model.example": lambda: remote.check_model(),
    "api.hunter.io": lambda: ports.service("hunter").check(Credentials("hunter", {"api_key": "key"})),
    "api.apollo.io": lambda: ports.service("apollo").check(Credentials("apollo", {"api_key": "key"})),
    "api.peopledatalabs.com": lambda: ports.service("pdl").check(Credentials("pdl", {"api_key": "key"})),
    "api.stripe.com": lambda: ports.payments().check("rk_live_key"),
    "eu.posthog.com": lambda: ports.analytics().check("phx_key", "eu", "1"),
}


def test_every_way_out_takes_the_proxy(app: Flask, proxy: Proxy, tmp_path: Path) -> None:
    """Whatever the adapter: the proxy is what is asked, and this machine looks up no name but the proxy's."""
    environ = {
        "HTTPS_PROXY": proxy.url,
        "http_proxy": proxy.url,
        "OVERTURE_MODEL_URL": "https://model.example/v1",
        "OVERTURE_MODEL_NAME": "tiny",
        "OVERTURE_INSTANCE": str(tmp_path),
    }
    providers.build(config.load(environ))
    proxy.leads.clear()
    for call in WAYS.values():
        with suppress(ProviderError):
            call()
    assert set(WAYS) - set(proxy.hosts) == set()


def test_mail_servers_are_trusted_by_the_same_authorities(authority: Authority, tmp_path: Path) -> None:
    """Mail cannot go through a proxy; the certificates it trusts are the operator's all the same."""
    context = authority.context("localhost")

    def greet(connection: socket.socket, over: threading.Event) -> None:
        connection.sendall(b"220 localhost ESMTP\r\n")
        while line := connection.recv(4096):
            connection.sendall(b"221 bye\r\n" if line.startswith(b"QUIT") else b"250-localhost\r\n250 AUTH PLAIN\r\n")

    def encrypt(connection: socket.socket) -> socket.socket:
        connection.sendall(b"220 localhost ESMTP\r\n")
        while not connection.recv(4096).startswith(b"STARTTLS"):
            connection.sendall(b"250-localhost\r\n250 STARTTLS\r\n")
        connection.sendall(b"220 go\r\n")
        return context.wrap_socket(connection, server_side=True)

    server = Wire(greet, wrap=encrypt)
    mail = {"OVERTURE_MAIL_URL": f"smtp://localhost:{server.port}", "OVERTURE_MAIL_FROM": "a@example.com"}
    environ = mail | {"OVERTURE_INSTANCE": str(tmp_path), "OVERTURE_ALLOW_PRIVATE_NETWORK": "1"}
    providers.build(config.load(environ))
    with pytest.raises(LoggedOut, match="certificate of localhost is not valid"):
        ports.alert_mail().check()
    providers.build(config.load(environ | {"REQUESTS_CA_BUNDLE": str(authority.file)}))
    ports.alert_mail().check()
    server.stop()


def test_a_folder_of_certificates_is_trusted(tmp_path: Path) -> None:
    folder = tmp_path / "trusted"
    folder.mkdir()
    context = Egress(authorities=str(folder)).tls()
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.get_ca_certs() == []


def test_the_doctors_sentence_says_who_refuses_private_addresses() -> None:
    assert "Overture refuses" in Egress().sentence
    sentence = Egress({"https": "http://user:secret@proxy.example:3128", "http": ""}).sentence
    assert "https requests go through http://proxy.example:3128" in sentence
    assert "must refuse private addresses itself" in sentence
    assert "secret" not in sentence
