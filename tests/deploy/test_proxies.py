"""The examples of deploy for Caddy and nginx: each runs here, in front of a program that tells what reached it."""

import json
import os
import socket
import ssl
import subprocess
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit

import pytest

from tests.deploy.image import ROOT
from tests.deploy.programs import Programs, until
from tests.support.processes import free_port
from tests.support.receivers import certificate

DEPLOY = ROOT / "deploy"
DOMAIN = "outreach.example.com"


class Told(BaseHTTPRequestHandler):
    """Answers with the headers that reached it, and how long the body was."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        told = json.dumps({"headers": dict(self.headers), "length": len(body), "path": self.path}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    do_GET = do_POST

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Behind(ThreadingHTTPServer):
    """The program behind the proxy."""

    def handle_error(self, *_: object) -> None:
        """Say nothing: a proxy that refuses a body closes what it has begun to pass on."""


@pytest.fixture(scope="module")
def behind() -> Iterator[int]:
    """The port of the program behind the proxy."""
    server = Behind(("127.0.0.1", 0), Told)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


@dataclass
class Proxy:
    url: str
    secure: bool

    def ask(self, path: str, body: bytes | None = None, **headers: str) -> dict[str, object]:
        """What reached the program behind it."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        request = urllib.request.Request(self.url + path, body, named)
        try:
            with urllib.request.urlopen(request, timeout=120, context=trusting() if self.secure else None) as answer:
                return dict(json.loads(answer.read()))
        except HTTPError as refused:
            refused.close()
            raise

    def send(self, raw: bytes) -> bytes:
        """The whole answer to these bytes."""
        parts = urlsplit(self.url)
        with socket.create_connection((parts.hostname, parts.port), timeout=120) as opened:
            asking = trusting().wrap_socket(opened) if self.secure else opened
            asking.sendall(raw)
            with asking, asking.makefile("rb") as answer:
                return answer.read()


def trusting() -> ssl.SSLContext:
    """A context for a certificate that nobody signed."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


@contextmanager
def caddy(program: str, folder: Path, behind: int) -> Iterator[Proxy]:
    """Caddy with deploy/Caddyfile, without TLS: a certificate needs a name that the world knows."""
    url = f"http://127.0.0.1:{free_port()}"
    own = {"DOMAIN": url, "UPSTREAM": f"127.0.0.1:{behind}", "CADDY_ADMIN": f"unix/{folder}/admin.sock"}
    own |= {"HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    command = [program, "run", "--adapter", "caddyfile", "--config", str(DEPLOY / "Caddyfile")]
    with running(command, os.environ | own, folder / "log", Proxy(url, secure=False)) as proxy:
        yield proxy


@contextmanager
def nginx(program: str, folder: Path, behind: int) -> Iterator[Proxy]:
    """nginx with deploy/nginx.conf, on free ports and with a certificate of its own."""
    secure = free_port()
    certificate(folder, DOMAIN)
    site = (DEPLOY / "nginx.conf").read_text()
    for there, here in {
        "    listen [::]:80;\n": "",
        "    listen [::]:443 ssl;\n": "",
        "listen 80;": f"listen 127.0.0.1:{free_port()};",
        "listen 443 ssl;": f"listen 127.0.0.1:{secure} ssl;",
        "127.0.0.1:8000": f"127.0.0.1:{behind}",
        f"/etc/letsencrypt/live/{DOMAIN}/fullchain.pem": f"{folder}/cert.pem",
        f"/etc/letsencrypt/live/{DOMAIN}/privkey.pem": f"{folder}/key.pem",
    }.items():
        assert there in site
        site = site.replace(there, here)
    (folder / "site.conf").write_text(site)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    folders = "".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    (folder / "main.conf").write_text(
        ("user root;" if os.geteuid() == 0 else "")
        + f"daemon off; pid {folder}/pid; error_log stderr; events {{}}"
        + f"http {{ access_log off; {folders} include {folder}/site.conf; }}"
    )
    command = [program, "-p", str(folder), "-e", "stderr", "-c", str(folder / "main.conf")]
    checked = subprocess.run([*command, "-t"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
    assert "warn" not in checked.stderr, checked.stderr
    with running(command, dict(os.environ), folder / "log", Proxy(f"https://127.0.0.1:{secure}", secure=True)) as proxy:
        yield proxy


@contextmanager
def running(command: list[str], env: dict[str, str], log: Path, proxy: Proxy) -> Iterator[Proxy]:
    """The proxy, as soon as it answers."""
    with log.open("w") as output, subprocess.Popen(command, env=env, stdout=output, stderr=output) as process:
        try:
            until(lambda: answers(proxy), process, log)
            yield proxy
        finally:
            process.terminate()


def answers(proxy: Proxy) -> bool:
    """Whether a request comes through."""
    try:
        return bool(proxy.ask("/"))
    except URLError:
        return False


STARTS = {"caddy": caddy, "nginx": nginx}


@pytest.fixture(scope="module", params=STARTS)
def proxy(
    request: pytest.FixtureRequest, programs: Programs, behind: int, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Proxy]:
    """Each proxy in turn."""
    folder = tmp_path_factory.mktemp(request.param)
    with STARTS[request.param](programs.find(request.param), folder, behind) as made:
        yield made


def test_a_proxy_says_who_asked_and_believes_no_visitor_that_says_so(proxy: Proxy) -> None:
    forged = {"X_Forwarded_For": "203.0.113.9", "X_Forwarded_Host": "evil.example", "X_Forwarded_Proto": "gopher"}
    headers = proxy.ask("/pages", Host=DOMAIN if proxy.secure else "127.0.0.1", **forged)["headers"]
    assert isinstance(headers, dict)
    assert headers["X-Forwarded-For"] == "127.0.0.1"
    assert headers["X-Forwarded-Host"] == (DOMAIN if proxy.secure else "127.0.0.1")
    assert headers["X-Forwarded-Proto"] == ("https" if proxy.secure else "http")


def test_what_two_servers_may_read_differently_does_not_come_through(proxy: Proxy) -> None:
    """Two lengths, a length and an encoding, an encoding of HTTP 1.0, two hosts, and a host that is a list."""
    host = DOMAIN if proxy.secure else "127.0.0.1"
    for head in [
        f"POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: 5\r\nContent-Length: 6\r\n",
        f"POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        f"POST / HTTP/1.0\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n",
        f"GET / HTTP/1.1\r\nHost: {host}\r\nHost: b\r\n",
        f"GET / HTTP/1.1\r\nHost: {host}, b\r\n",
    ]:
        answer = proxy.send(f"{head}Connection: close\r\n\r\n0\r\n\r\n".encode())
        if b" 400 " not in answer[:13]:  # Caddy reads the encoding, and passes one length on
            headers = json.loads(answer.partition(b"\r\n\r\n")[2])["headers"]
            assert ("Transfer-Encoding" not in headers, headers["Content-Length"]) == (True, "0"), head


def test_metrics_stay_private(proxy: Proxy) -> None:
    """Under each spelling of their address; a page whose name only begins like theirs is served."""
    for path in ("/metrics", "/metrics/", "/metrics?all=1", "//metrics", "/x/../metrics", "/%6detrics"):
        with pytest.raises(HTTPError) as refused:
            proxy.ask(path)
        assert refused.value.code == 404, path
    assert proxy.ask("/metrics-of-campaigns")["path"] == "/metrics-of-campaigns"


def test_only_an_upload_of_the_size_that_overture_takes_comes_through(proxy: Proxy) -> None:
    """A larger one gets a status, or its connection is closed while the body is still being sent."""
    assert proxy.ask("/v1/lists", b"x" * (50 * 2**20))["length"] == 50 * 2**20
    with pytest.raises(URLError) as refused:
        proxy.ask("/v1/lists", b"x" * (50 * 2**20 + 1))
    assert getattr(refused.value, "code", 0) == 413 or isinstance(refused.value.reason, ConnectionError)


def test_caddy_finds_its_file_in_order(programs: Programs) -> None:
    program = programs.find("caddy")
    done = subprocess.run([program, "fmt", "--diff", DEPLOY / "Caddyfile"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
