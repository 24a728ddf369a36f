"""What PostHog publishes of its private API, as far as Overture uses it: keys, scopes, projects, HogQL, errors, limits.

Under `/us` and `/eu` stand the two clouds. A query is known by its name and answered from `events`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from flask import Flask, Response, jsonify, request
from flask.typing import ResponseReturnValue

from tests.providers.serving import Serving

PLACEHOLDER = re.compile(r"\{(\w+)\}")


@dataclass
class Key:
    region: str = "us"
    scopes: tuple[str, ...] = ("query:read", "project:read")
    projects: tuple[int, ...] = ()


@dataclass
class Event:
    """A page that someone looked at."""

    email: str | None
    url: str
    at: datetime
    properties: dict[str, str] = field(default_factory=dict)
    project: int = 1
    name: str = "$pageview"


class PostHogServer:
    """Both clouds. `wrong` answers instead, when it answers at all; `left` is how many queries are still allowed."""

    def __init__(self) -> None:
        self.keys = {"phx_good": Key()}
        self.projects = {1: "Website"}
        self.events: list[Event] = []
        self.left = 1000
        self.page = 2  # projects
        self.knows_current_key = True
        self.wrong: Callable[[str], ResponseReturnValue | None] = lambda path: None
        self.asked: list[str] = []
        self._serving = Serving(self._app())
        self.url = self._serving.url + "/{region}"
        self.own_url = self._serving.url + "/us"

    def stop(self) -> None:
        self._serving.stop()

    def _app(self) -> Flask:
        app = Flask("posthog")
        app.before_request(self._begin)
        base = "/<region>/api"
        app.add_url_rule(f"{base}/personal_api_keys/@current/", view_func=self._current)
        app.add_url_rule(f"{base}/organizations/@current/projects/", view_func=self._projects)
        app.add_url_rule(f"{base}/projects/<int:project>/", view_func=self._project)
        app.add_url_rule(f"{base}/projects/<int:project>/query/", view_func=self._query, methods=["POST"])
        app.register_error_handler(404, lambda problem: error(404, "invalid_request", "not_found", "Not found."))
        return app

    def _begin(self) -> ResponseReturnValue | None:
        self.asked.append(f"{request.method} {request.path}")
        return self.wrong(request.path)

    def _key(self, region: str, scope: str, project: int | None = None) -> Key | Response:
        given = request.headers.get("Authorization", "").removeprefix("Bearer ")
        key = self.keys.get(given)
        if not given:
            sentence = "Authentication credentials were not provided."
            return error(401, "authentication_error", "not_authenticated", sentence)
        if key is None or key.region != region:
            sentence = "Personal API key found in request Authorization header is invalid."
            return error(401, "authentication_error", "authentication_failed", sentence)
        denied = ("authentication_error", "permission_denied")
        if key.projects and scope and project is None:
            return error(403, *denied, "API keys with scoped projects are only supported on project-based endpoints.")
        if key.projects and project is not None and project not in key.projects:
            return error(403, *denied, f"API key does not have access to the requested project: ID {project}.")
        allowed = {scope, scope.replace(":read", ":write"), "*", ""}
        if scope and not allowed & set(key.scopes):
            return error(403, *denied, f"API key missing required scope '{scope}'")
        return key

    def _current(self, region: str) -> ResponseReturnValue:
        key = self._key(region, "")
        if isinstance(key, Response):
            return key
        if not self.knows_current_key:
            return error(404, "invalid_request", "not_found", "Endpoint not found.")
        return jsonify(id="0192", scopes=list(key.scopes), scoped_teams=list(key.projects), scoped_organizations=[])

    def _projects(self, region: str) -> ResponseReturnValue:
        key = self._key(region, "project:read")
        if isinstance(key, Response):
            return key
        start = int(request.args.get("offset", 0))
        shown = sorted(self.projects.items())[start : start + self.page]
        more = start + self.page < len(self.projects)
        following = f"{request.base_url}?limit={self.page}&offset={start + self.page}" if more else None
        results = [{"id": number, "uuid": f"u{number}", "name": name, "api_token": "phc_x"} for number, name in shown]
        return jsonify(count=len(self.projects), next=following, previous=None, results=results)

    def _project(self, region: str, project: int) -> ResponseReturnValue:
        key = self._key(region, "project:read", project)
        if isinstance(key, Response):
            return key
        if project not in self.projects:
            return error(404, "invalid_request", "not_found", "Not found.")
        return jsonify(id=project, name=self.projects[project])

    def _query(self, region: str, project: int) -> ResponseReturnValue:
        key = self._key(region, "query:read", project)
        if isinstance(key, Response):
            return key
        if project not in self.projects:
            return error(404, "invalid_request", "not_found", "Not found.")
        if self.left <= 0:
            late = error(429, "throttled_error", "throttled", "Request was throttled. Expected available in 7 seconds.")
            late.headers["Retry-After"] = "7"
            return late
        self.left -= 1
        body = request.get_json()
        query, values = body["query"]["query"], body["query"].get("values", {})
        unknown = set(PLACEHOLDER.findall(query)) - set(values)
        if body["query"]["kind"] != "HogQLQuery" or unknown:
            sentence = f"Unresolved placeholder: {{{', '.join(sorted(unknown))}}}"
            return error(400, "validation_error", "illegal_hogql", sentence)
        rows = self._visitors(project, query, values) if body["name"] == "overture: visitors" else [[1]]
        return jsonify(columns=[], types=[], results=rows, hogql=query, hasMore=False, query_status=None)

    def _visitors(self, project: int, query: str, values: dict[str, str]) -> list[Any]:
        """What the query means: the visitors since then, the latest first, from behind the one named."""
        since, limit = datetime.fromisoformat(values["since"]), int(re.findall(r"limit (\d+)", query)[0])
        latest: dict[str, Event] = {}
        for event in self.events:
            fits = event.project == project and event.name == "$pageview" and event.at >= since
            if fits and event.email and "@" in event.email:
                known = latest.get(event.email)
                latest[event.email] = event if known is None or event.at > known.at else known
        found = sorted(latest.values(), key=lambda event: (-event.at.timestamp(), event.email))
        if values["cursor"]:
            bound, last = datetime.fromisoformat(values["bound"]), values["last"]
            found = [one for one in found if one.at < bound or (one.at == bound and (one.email or "") > last)]
        names = ("first_name", "last_name", "name", "company", "title")
        return [
            [one.email, one.url, one.at.isoformat(), *(one.properties.get(name) for name in names)]
            for one in found[:limit]
        ]


def error(status: int, type: str, code: str, detail: str) -> Response:
    response = jsonify(type=type, code=code, detail=detail, attr=None)
    response.status_code = status
    return response
