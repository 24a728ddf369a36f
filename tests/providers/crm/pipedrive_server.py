"""What Pipedrive publishes of its API v2, as far as Overture uses it."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from flask import jsonify, request
from flask.typing import ResponseReturnValue

from tests.providers.data_server import DataServer, Object, Rule

WRITTEN = {"name", "first_name", "last_name", "job_title", "emails", "phones"}


def refused(status: int, error: str) -> ResponseReturnValue:
    return jsonify(success=False, error=error, code="ERR"), status


@dataclass
class PipedriveServer(DataServer):
    """One company account. `lose` is asked after each request has had its effect: True loses the answer."""

    keys: set[str] = field(default_factory=lambda: {"good"})
    lose: Callable[[str, str], bool] = lambda method, path: False
    persons: dict[int, Object] = field(default_factory=dict)
    organizations: dict[int, Object] = field(default_factory=dict)
    deals: dict[int, Object] = field(default_factory=dict)
    activities: dict[int, Object] = field(default_factory=dict)
    users: list[Object] = field(default_factory=list)
    filters: dict[int, Object] = field(default_factory=dict)
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)

    def __post_init__(self) -> None:
        self._lock, self._last = threading.RLock(), 10
        super().__post_init__()

    def rules(self) -> list[Rule]:
        rules: list[tuple[str, str, Callable[..., ResponseReturnValue]]] = [
            ("GET", "/v1/users/me", lambda: jsonify(success=True, data={"id": 1, "company_name": "Acme"})),
            ("GET", "/v1/users", lambda: jsonify(success=True, data=self.users)),
            ("GET", "/v1/filters", self._filters),
            ("GET", "/api/v2/persons", self._persons),
            ("GET", "/api/v2/persons/search", self._search),
            ("POST", "/api/v2/persons", self._new_person),
            ("PATCH", "/api/v2/persons/<int:person_id>", self._change),
            ("GET", "/api/v2/organizations", lambda: self._paged(list(self.organizations.values()))),
            ("GET", "/api/v2/deals", self._deals),
            ("GET", "/api/v2/activities", self._activities),
            ("POST", "/api/v2/activities", self._new_activity),
        ]
        return [(method, path, self._guarded(view)) for method, path, view in rules]

    def key(self) -> str:
        return request.headers.get("x-api-token", "")

    def unknown_key(self) -> ResponseReturnValue:
        return refused(401, "unauthorized access")

    def _guarded(self, view: Callable[..., ResponseReturnValue]) -> Callable[..., ResponseReturnValue]:
        def guarded(**named: Any) -> ResponseReturnValue:
            with self._lock:
                answer = view(**named)
            return ("", 502) if self.lose(request.method, request.path) else answer

        return guarded

    def add(self, email: str = "", **values: Any) -> int:
        self._last += 1
        emails = [{"value": email, "primary": True, "label": "work"}] if email else []
        person = {"id": self._last, "emails": emails, "phones": [], "won_deals_count": 0}
        person |= {"marketing_status": "no_consent"}
        self.persons[self._last] = {**person, **values, "update_time": self._now()}
        return self._last

    def put(self, person_id: int, **values: Any) -> None:
        self.persons[person_id] |= {**values, "update_time": self._now()}

    def _now(self) -> str:
        return f"{self.clock().astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"

    def _paged(self, found: list[Object]) -> ResponseReturnValue:
        limit = int(request.args.get("limit", 100))
        if limit > 500:
            return refused(400, "limit must be at most 500")
        begin = int(request.args.get("cursor", "0"))
        further = str(begin + limit) if begin + limit < len(found) else None
        return jsonify(success=True, data=found[begin : begin + limit], additional_data={"next_cursor": further})

    def _filters(self) -> ResponseReturnValue:
        return jsonify(success=True, data=[{"id": key, "name": one["name"]} for key, one in self.filters.items()])

    def _persons(self) -> ResponseReturnValue:
        given, found = request.args, list(self.persons.values())
        if ids := given.get("ids"):
            found = [one for one in found if str(one["id"]) in ids.split(",")]
        if filter_id := given.get("filter_id"):
            if int(filter_id) not in self.filters:
                return refused(404, "Filter not found")
            found = [one for one in found if one["id"] in self.filters[int(filter_id)]["members"]]
        if since := given.get("updated_since"):
            found = [one for one in found if one["update_time"] >= since]
        return self._paged(found)

    def _search(self) -> ResponseReturnValue:
        term = request.args["term"]
        found = [one for one in self.persons.values() if any(each["value"] == term for each in one["emails"])]
        return jsonify(success=True, data={"items": [{"item": {"id": one["id"]}} for one in found]})

    def _new_person(self) -> ResponseReturnValue:
        given = request.get_json()
        if unknown := set(given) - WRITTEN:
            return refused(400, f"unknown field {unknown.pop()}")
        person_id = self.add()
        self.put(person_id, **given)
        return jsonify(success=True, data=self.persons[person_id]), 201

    def _change(self, person_id: int) -> ResponseReturnValue:
        if person_id not in self.persons:
            return refused(404, "Person not found")
        self.put(person_id, **request.get_json())
        return jsonify(success=True, data=self.persons[person_id])

    def _deals(self) -> ResponseReturnValue:
        return self._paged([one for one in self.deals.values() if one["status"] == request.args["status"]])

    def _activities(self) -> ResponseReturnValue:
        person_id = int(request.args["person_id"])
        return self._paged([one for one in self.activities.values() if one["person_id"] == person_id])

    def _new_activity(self) -> ResponseReturnValue:
        given = request.get_json()
        if "person_id" in given:
            return refused(400, "'person_id' is a read-only field. Add a primary participant instead.")
        [who] = given["participants"]
        if who["person_id"] not in self.persons:
            return refused(400, "Person not found")
        self._last += 1
        self.activities[self._last] = {**given, "id": self._last, "person_id": who["person_id"]}
        return jsonify(success=True, data=self.activities[self._last]), 201
