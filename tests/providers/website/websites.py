"""Small websites of invented businesses on a local server, under names of their own."""

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from app.providers.addresses import Place
from app.providers.http import HttpClient
from app.providers.website import WebsiteReader

SITES = Path(__file__).parents[2] / "sites"
Answer = tuple[int, dict[str, str], bytes]


@dataclass(frozen=True)
class Truth:
    """What is true of one of the small websites."""

    folder: str
    domain: str
    name: str
    category: str
    customers: tuple[str, ...]
    country: str


TRUTH = {
    folder: Truth(folder, **{**true, "customers": tuple(true["customers"])})
    for folder, true in json.loads((SITES / "truth.json").read_text()).items()
}


class Web:
    """A web of a few hosts, all on this machine. Whatever is asked for is remembered."""

    def __init__(self, answer: Callable[[str, str], Answer] | None = None) -> None:
        self.asked: list[str] = []
        self.answer = answer or from_files
        web = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                host = (self.headers["host"] or "").partition(":")[0]
                web.asked.append(f"{host}{self.path}")
                status, headers, body = web.answer(host.removeprefix("www."), self.path)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                if not any(name.lower() == "content-length" for name in headers):
                    self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *arguments: Any) -> None:
                """A test speaks for itself."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        self.client = HttpClient(allow_private=True, plain=True, resolve=self.resolve)

    def reader(self) -> WebsiteReader:
        return WebsiteReader(self.client)

    def resolve(self, host: str, port: int) -> list[Place]:
        """The address of every name; nothing listens where https would be."""
        return [("127.0.0.1", self.port if port == 80 else 1)]

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        self.client.close_idle()


def page(html: str | bytes, **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return 200, {"content-type": "text/html", **named}, html.encode() if isinstance(html, str) else html


def from_files(host: str, path: str) -> Answer:
    folder = next((true.folder for true in TRUTH.values() if true.domain == host), "")
    name = path.partition("?")[0].strip("/") or "index.html"
    for candidate in (name, f"{name}.html", f"{name}/index.html"):
        file = SITES / folder / candidate
        if folder and file.is_file() and SITES in file.resolve().parents:
            return page(file.read_bytes())
    return 404, {"content-type": "text/html"}, b"<h1>Not found</h1>"


def moved(to: str, status: int = 302) -> Answer:
    return status, {"location": to}, b""


def hosts(pages: Mapping[str, Answer]) -> Callable[[str, str], Answer]:
    return lambda host, path: pages.get(f"{host}{path}", (404, {}, b""))
