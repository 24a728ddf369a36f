"""`overture api`: calls of `/v1` on any server. What may be repeated is, and a refusal is one sentence."""

import json
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import click
import requests
from requests.adapters import HTTPAdapter
from urllib3 import Retry

BUSY = (429, 503)
REPEATABLE = {"GET", "PUT", "POST"}  # after an answer that was lost; a POST carries an idempotency key
LARGEST_PAGE = "100"
TIMEOUT = (10, 60)
LONGEST_WAIT = 60


@dataclass
class CallFailed(Exception):
    """What went wrong, in a sentence, and whether the same call may work later."""

    sentence: str
    later: bool = False


@dataclass(frozen=True)
class Server:
    """A server and a key for it."""

    url: str
    key: str
    retries: int = 4
    backoff: float = 0.5

    def call(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None = None,
        body: Any = None,
        idempotency_key: str = "",
    ) -> requests.Response:
        """Return a successful answer; raise CallFailed for any other."""
        headers = {"User-Agent": "overture-cli"}
        if method == "POST":
            headers["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        with requests.Session() as session:
            session.auth = self._authorize  # as a header, a .netrc would replace it
            session.mount(self.url, HTTPAdapter(max_retries=self._retry(method)))
            try:
                answer = session.request(
                    method,
                    self.url.rstrip("/") + address(path),
                    params=dict(query or {}),
                    json=body,
                    headers=headers,
                    timeout=TIMEOUT,
                    allow_redirects=False,
                )
            except (requests.RequestException, ValueError) as problem:
                raise CallFailed(f"No answer from {self.url}. Is Overture running there?", later=True) from problem
        if not 200 <= answer.status_code < 300:
            raise CallFailed(sentence_of(answer), later=answer.status_code in BUSY)
        return answer

    def walk(self, path: str, query: Mapping[str, str]) -> Iterator[Any]:
        """Yield everything of a list, page by page."""
        given = {"limit": LARGEST_PAGE, **query}
        while True:
            page = self.call("GET", path, given).json()
            if not isinstance(page, dict) or "nextCursor" not in page:
                raise CallFailed(f"{address(path)} is not a paged list. Leave out --all.")
            yield from page["data"]
            if not page["nextCursor"]:
                return
            given["cursor"] = page["nextCursor"]

    def _authorize(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self.key}"
        return request

    def _retry(self, method: str) -> Retry:
        lost = self.retries if method in REPEATABLE else 0
        return Retry(
            total=self.retries,
            connect=1,
            read=lost,
            other=0,
            allowed_methods=None,
            status_forcelist=BUSY,
            backoff_factor=self.backoff,
            retry_after_max=LONGEST_WAIT,
            raise_on_status=False,
        )


def address(path: str) -> str:
    """Return the path below `/v1`, which may be left out: `campaigns` is `/v1/campaigns`."""
    path = "/" + path.lstrip("/")
    return path if path.startswith("/v1/") else f"/v1{path}"


def sentence_of(answer: requests.Response) -> str:
    """Return what a refusal says, the invalid fields or what to do next, and the id to ask about."""
    try:
        error = answer.json()["error"]
        fields = " ".join(f"{field['path']}: {field['message']}" for field in error.get("fields", []))
        more = fields or error.get("recovery", "")
        return f"{error['message']} {more}".strip() + f" ({error['code']}, {error['requestId']})"
    except (ValueError, KeyError, TypeError):
        return f"The server answered {answer.status_code} without an error of Overture's. Check the address."


def json_of(text: str) -> Any:
    """Return the body that was given as JSON; raise CallFailed if it is none."""
    try:
        return json.loads(text)
    except ValueError as problem:
        raise CallFailed(f"The body is not JSON: {problem}.") from problem


@click.group()
def api() -> None:
    """Calls of the API, on this server or another, for scripts.

    The key is in OVERTURE_API_KEY, the address in OVERTURE_URL. Exit status 2: the request was refused. 3: no answer,
    or the server is busy; the same command may work later.
    """


SERVER = (
    click.option("--url", envvar="OVERTURE_URL", default="http://127.0.0.1:8000", show_default=True),
    click.option("--key", envvar="OVERTURE_API_KEY", required=True, help="An API key; better in OVERTURE_API_KEY."),
)
QUERY = click.option(
    "-q", "--query", multiple=True, metavar="NAME=VALUE", help="A query parameter; may be given several times."
)
DATA = click.option("-d", "--data", help="The JSON body; @FILE reads a file, @- reads stdin.")


def on_a_server(command: Any) -> Any:
    """Give a command the options that say which server."""
    for option in SERVER:
        command = option(command)
    return click.argument("path")(command)


@api.command("get")
@on_a_server
@QUERY
@click.option("--all", "whole", is_flag=True, help="Read all pages; prints one thing per line.")
def api_get(path: str, url: str, key: str, query: tuple[str, ...], whole: bool) -> None:
    """Print what a GET answers: `overture api get /v1/campaigns --all`."""
    server, given = Server(url, key), dict(pair_of(each) for each in query)
    if not whole:
        show_answer(server.call("GET", path, given))
        return
    for each in server.walk(path, given):
        click.echo(json.dumps(each, ensure_ascii=False))


@api.command("post")
@on_a_server
@QUERY
@DATA
@click.option("--idempotency-key", default="", help="Your own name for this request, to repeat it safely.")
def api_post(path: str, url: str, key: str, query: tuple[str, ...], data: str | None, idempotency_key: str) -> None:
    """Print what a POST answers: `overture api post /v1/lists --data '{"name": "Founders"}'`."""
    given = dict(pair_of(each) for each in query)
    show_answer(Server(url, key).call("POST", path, given, body_of(data), idempotency_key))


@api.command("patch")
@on_a_server
@DATA
def api_patch(path: str, url: str, key: str, data: str | None) -> None:
    """Print what a PATCH answers."""
    show_answer(Server(url, key).call("PATCH", path, body=body_of(data)))


@api.command("put")
@on_a_server
@DATA
def api_put(path: str, url: str, key: str, data: str | None) -> None:
    """Print what a PUT answers."""
    show_answer(Server(url, key).call("PUT", path, body=body_of(data)))


@api.command("delete")
@on_a_server
def api_delete(path: str, url: str, key: str) -> None:
    """Send a DELETE; nothing is printed when it answers nothing."""
    show_answer(Server(url, key).call("DELETE", path))


def pair_of(text: str) -> tuple[str, str]:
    """Return the name and the value of `NAME=VALUE`."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise CallFailed(f"Write --query as NAME=VALUE, not “{text}”.")
    return name, value


def body_of(data: str | None) -> Any:
    """Return the JSON that was given, in a file or on stdin; None without any."""
    if data is None:
        return None
    if not data.startswith("@"):
        return json_of(data)
    try:
        with click.open_file(data[1:], encoding="utf-8") as file:
            return json_of(file.read())
    except OSError as problem:
        raise CallFailed(f"{data[1:]} can't be read: {problem.strerror}.") from problem


def show_answer(answer: requests.Response) -> None:
    """Print JSON on one line, and anything else, such as CSV, as it came."""
    if answer.headers.get("Content-Type", "").startswith("application/json"):
        click.echo(json.dumps(answer.json(), ensure_ascii=False))
    else:
        click.echo(answer.content, nl=False)
