"""What HubSpot publishes of its CRM API, as far as Overture uses it, with its limits.

Records are kept by kind. A value remembers who wrote it: `CRM_UI` for a person, `INTEGRATION` for an app.
"""

import threading
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from flask import jsonify, request
from flask.typing import ResponseReturnValue

from tests.providers.data_server import DataServer, Object, Rule

SCOPES = frozenset(
    {
        *("crm.objects.contacts.read", "crm.objects.contacts.write", "crm.schemas.contacts.write"),
        *("crm.objects.companies.read", "crm.objects.deals.read", "crm.objects.owners.read", "crm.lists.read"),
    }
)
ACTIVITIES = {"emails": 198, "communications": 81, "meetings": 200, "notes": 202}
KNOWN = {
    "contacts": {
        *("email", "firstname", "lastname", "jobtitle", "company", "website", "city", "phone", "hs_linkedin_url"),
        *("hubspot_owner_id", "lifecyclestage", "hs_lead_status", "associatedcompanyid", "lastmodifieddate"),
        *("hs_email_optout", "createdate"),
    },
    "companies": {"name", "domain", "lifecyclestage", "hs_lastmodifieddate"},
    "deals": {"dealname", "hs_is_closed"},
    "emails": {"hs_timestamp", "hs_email_direction", "hs_email_status", "hs_email_subject", "hs_email_text"},
    "communications": {
        *("hs_timestamp", "hs_communication_channel_type", "hs_communication_logged_from", "hs_communication_body")
    },
    "meetings": {
        *("hs_timestamp", "hs_meeting_title", "hs_meeting_body", "hs_meeting_start_time", "hs_meeting_outcome")
    },
    "notes": {"hs_timestamp", "hs_note_body"},
}
UNIQUE = ("email", "overture_key")
CHANGED = {"contacts": "lastmodifieddate", "companies": "hs_lastmodifieddate"}
NEEDS = {
    "contacts": "crm.objects.contacts",
    "companies": "crm.objects.companies",
    "deals": "crm.objects.deals",
    **dict.fromkeys(ACTIVITIES, "crm.objects.contacts"),
}


def refused(status: int, category: str, message: str, **more: Any) -> ResponseReturnValue:
    return jsonify(status="error", message=message, category=category, correlationId="c0ffee", **more), status


@dataclass
class Limits:
    """Requests in ten seconds, and searches in one; 0: no limit."""

    burst: int = 0
    searches: int = 0
    window: float = 10.0


@dataclass
class HubSpotServer(DataServer):
    """One account. `lose` is asked after each request has had its effect: True loses the answer."""

    scopes: frozenset[str] = SCOPES
    limits: Limits = field(default_factory=Limits)
    lose: Callable[[str], bool] = lambda path: False
    records: dict[str, dict[str, Object]] = field(default_factory=lambda: defaultdict(dict))
    typed: dict[tuple[str, str], str] = field(default_factory=dict)  # who wrote a contact's value
    joined: dict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))
    owners: list[Object] = field(default_factory=list)
    lists: dict[str, Object] = field(default_factory=dict)
    properties: dict[str, set[str]] = field(default_factory=lambda: {kind: set() for kind in ACTIVITIES})
    answered: Counter[int] = field(default_factory=Counter)
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)

    def __post_init__(self) -> None:
        self._lock = threading.RLock()
        self._by: dict[tuple[str, str, str], str] = {}  # records by kind, unique property and value
        self._last, self._recent, self._searched = 100, deque[float](), deque[float]()
        super().__post_init__()

    def rules(self) -> list[Rule]:
        objects = "/crm/v3/objects/<kind>"
        rules: list[tuple[str, str, Callable[..., ResponseReturnValue]]] = [
            ("GET", "/account-info/v3/details", lambda: jsonify(portalId=62515, timeZone="Europe/Lisbon")),
            ("GET", "/crm/v3/owners", self._owners),
            ("GET", objects, self._listed),
            ("POST", objects + "/search", self._search),
            ("POST", objects + "/batch/read", self._read),
            ("POST", objects + "/batch/upsert", self._upsert),
            ("POST", objects + "/batch/update", self._update),
            ("POST", "/crm/v4/associations/<kind>/contacts/batch/create", self._join),
            ("GET", "/crm/v3/properties/<kind>/<name>", self._property),
            ("POST", "/crm/v3/properties/<kind>/groups", lambda kind: (jsonify(name="overture"), 201)),
            ("POST", "/crm/v3/properties/<kind>", self._new_property),
            ("POST", "/crm/v3/lists/search", self._lists),
            ("GET", "/crm/v3/lists/<list_id>/memberships", self._members),
        ]
        return [(method, path, self._guarded(view)) for method, path, view in rules]

    def key(self) -> str:
        return request.headers.get("authorization", "").removeprefix("Bearer ")

    def unknown_key(self) -> ResponseReturnValue:
        return refused(401, "INVALID_AUTHENTICATION", "Authentication credentials not found.")

    # What a person does in HubSpot.

    def add(self, kind: str, by: str = "CRM_UI", **values: str) -> str:
        with self._lock:
            self._last += 1
            record_id = str(self._last)
            self.records[kind][record_id] = {"id": record_id, "properties": {}}
            self.put(kind, record_id, by, **values)
            return record_id

    def put(self, kind: str, record_id: str, by: str = "CRM_UI", **values: str) -> None:
        with self._lock:
            record, at = self.records[kind][record_id], self.clock()
            for name, value in values.items():
                self.typed[record_id, name] = by
                if name in UNIQUE:
                    self._by[kind, name, value.lower()] = record_id
                record["properties"][name] = value
            record["updatedAt"] = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
            if kind in CHANGED:
                record["properties"][CHANGED[kind]] = record["updatedAt"]

    def put_in_list(self, list_id: str, name: str, members: list[str]) -> None:
        with self._lock:
            self.lists[list_id] = {"name": name, "members": members}

    def told(self, kind: str) -> list[Object]:
        with self._lock:
            found = self.records[kind]
            return [{**one["properties"], "contacts": sorted(self.joined[kind, key])} for key, one in found.items()]

    def activities(self) -> list[Object]:
        return [one for kind in ACTIVITIES for one in self.told(kind)]

    # Its answers.

    def _guarded(self, view: Callable[..., ResponseReturnValue]) -> Callable[..., ResponseReturnValue]:
        def guarded(**named: str) -> ResponseReturnValue:
            with self._lock:
                answer = self._limited() or self._unscoped(named.get("kind", "")) or view(**named)
            status = answer[1] if isinstance(answer, tuple) else 200
            self.answered[int(status)] += 1
            if self.lose(request.path):
                return "", 502
            return answer

        return guarded

    def _limited(self) -> ResponseReturnValue | None:
        now = time.monotonic()
        for limit, recent, window, policy in (
            (self.limits.burst, self._recent, self.limits.window, "TEN_SECONDLY_ROLLING"),
            (self.limits.searches if request.path.endswith("/search") else 0, self._searched, 1.0, "SECONDLY"),
        ):
            while recent and recent[0] <= now - window:
                recent.popleft()
            if limit and len(recent) >= limit:
                said = jsonify(status="error", message="Too many.", errorType="RATE_LIMIT", policyName=policy)
                return said, 429, {"retry-after": str(max(1, round(recent[0] + window - now)))}
            if limit:
                recent.append(now)
        return None

    def _unscoped(self, kind: str) -> ResponseReturnValue | None:
        writes = request.method != "GET" and not request.path.endswith(("/search", "/batch/read"))
        needed = f"{NEEDS[kind]}.{'write' if writes else 'read'}" if kind in NEEDS else ""
        if "/lists" in request.path:
            needed = "crm.lists.read"
        if "/properties/" in request.path and request.method == "POST":
            needed = "crm.schemas.contacts.write"
        if not needed or needed in self.scopes:
            return None
        return refused(403, "MISSING_SCOPES", "This app hasn't been granted all required scopes.")

    def _owners(self) -> ResponseReturnValue:
        return self._paged(self.owners, 100)

    def _paged(self, found: list[Object], most: int) -> ResponseReturnValue:
        limit = int(request.args.get("limit", 10))
        if limit > most:
            return refused(400, "VALIDATION_ERROR", f"limit must be at most {most}")
        begin = int(request.args.get("after", 0))
        return jsonify(self._page(found, begin, limit))

    @staticmethod
    def _page(found: list[Object], begin: int, limit: int) -> Object:
        some = found[begin : begin + limit]
        more = {"paging": {"next": {"after": str(begin + limit)}}} if begin + limit < len(found) else {}
        return {"results": some, **more}

    def _shown(self, kind: str, record: Object, properties: list[str], history: list[str] | None = None) -> Object:
        own = record["properties"]
        shown = {"id": record["id"], "updatedAt": record.get("updatedAt"), "archived": False}
        shown["properties"] = {name: own.get(name) for name in properties if name in KNOWN[kind] or name in own}
        if history:
            shown["propertiesWithHistory"] = {
                name: [{"value": own[name], "sourceType": self.typed.get((record["id"], name), "INTEGRATION")}]
                for name in history
                if name in own
            }
        return shown

    def _listed(self, kind: str) -> ResponseReturnValue:
        properties = request.args.get("properties", "").split(",")
        found = []
        for record in list(self.records[kind].values()):
            shown = self._shown(kind, record, properties)
            if asked := request.args.get("associations"):
                shown["associations"] = {
                    to: {"results": [{"id": one, "type": f"{kind}_to_{to}"} for one in record.get(to, ())]}
                    for to in asked.split(",")
                    if record.get(to)
                }
            found.append(shown)
        return self._paged(found, 100)

    def _search(self, kind: str) -> ResponseReturnValue:
        given = request.get_json()
        if given.get("limit", 10) > 200:
            return refused(400, "VALIDATION_ERROR", "limit must be at most 200")
        begin = int(given.get("after") or 0)
        if begin + given.get("limit", 10) > 10_000:
            return refused(400, "VALIDATION_ERROR", "The requested page is past the maximum of 10,000 results.")
        [only] = given["filterGroups"][0]["filters"]
        [sort] = given["sorts"]
        least = datetime.fromtimestamp(int(only["value"]) / 1000, UTC)

        def moment(record: Object) -> datetime:
            return datetime.fromisoformat(record["properties"][sort["propertyName"]])

        found = [one for one in self.records[kind].values() if moment(one) >= least]
        found.sort(key=moment)
        page = self._page(found, begin, given.get("limit", 10))
        page["results"] = [self._shown(kind, one, given["properties"]) for one in page["results"]]
        return jsonify(total=len(found), **page)

    def _read(self, kind: str) -> ResponseReturnValue:
        given = request.get_json()
        history = given.get("propertiesWithHistory")
        if len(given["inputs"]) > (50 if history else 100):
            return refused(400, "VALIDATION_ERROR", "Too many inputs.")
        found = [self._find(kind, one["id"], given.get("idProperty")) for one in given["inputs"]]
        results = [self._shown(kind, one, given["properties"], history) for one in found if one]
        missing = [one["id"] for one, there in zip(given["inputs"], found, strict=True) if not there]
        if not missing:
            return jsonify(status="COMPLETE", results=results)
        error = {"status": "error", "category": "OBJECT_NOT_FOUND", "message": "Gone.", "context": {"ids": missing}}
        return jsonify(status="COMPLETE", results=results, numErrors=1, errors=[error]), 207

    def _find(self, kind: str, value: str, by: str | None) -> Object | None:
        if not by:
            return self.records[kind].get(value)
        return self.records[kind].get(self._by.get((kind, by, value.lower()), ""))

    def _wrong(self, kind: str, inputs: list[Object]) -> ResponseReturnValue | None:
        if len(inputs) > 100:
            return refused(400, "VALIDATION_ERROR", "Too many inputs.")
        ids = [one["id"] for one in inputs]
        if len(set(ids)) < len(ids):
            return refused(400, "VALIDATION_ERROR", "Duplicate IDs found in batch input.")
        known = KNOWN[kind] | self.properties.get(kind, set())
        for one in inputs:
            if unknown := set(one["properties"]) - known:
                return refused(400, "VALIDATION_ERROR", f'Property "{unknown.pop()}" does not exist')
            if any("refuse me" in str(value) for value in one["properties"].values()):
                return refused(400, "VALIDATION_ERROR", "A value was not valid.")
        return None

    def _upsert(self, kind: str) -> ResponseReturnValue:
        inputs = request.get_json()["inputs"]
        if wrong := self._wrong(kind, inputs):
            return wrong
        unique = {"email"} if kind == "contacts" else self.properties.get(kind, set())
        if any(one.get("idProperty") not in unique for one in inputs):
            return refused(400, "VALIDATION_ERROR", "Unable to perform update/upsert by non-unique property")
        results = []
        for one in inputs:
            found = self._find(kind, one["id"], one["idProperty"])
            record_id = found["id"] if found else self.add(kind, "INTEGRATION")
            self.put(kind, record_id, "INTEGRATION", **one["properties"])
            shown = self._shown(kind, self.records[kind][record_id], list(self.records[kind][record_id]["properties"]))
            results.append({**shown, "new": not found})
        return jsonify(status="COMPLETE", results=results)

    def _update(self, kind: str) -> ResponseReturnValue:
        inputs = request.get_json()["inputs"]
        if wrong := self._wrong(kind, inputs):
            return wrong
        results = []
        for one in inputs:
            if one["id"] in self.records[kind]:
                self.put(kind, one["id"], "INTEGRATION", **one["properties"])
                results.append(self._shown(kind, self.records[kind][one["id"]], list(one["properties"])))
        return jsonify(status="COMPLETE", results=results)

    def _join(self, kind: str) -> ResponseReturnValue:
        inputs = request.get_json()["inputs"]
        gone = []
        for one in inputs:
            [joins] = one["types"]
            if joins != {"associationCategory": "HUBSPOT_DEFINED", "associationTypeId": ACTIVITIES[kind]}:
                return refused(400, "VALIDATION_ERROR", "No such type of association.")
            if one["to"]["id"] in self.records["contacts"]:
                self.joined[kind, one["from"]["id"]].add(one["to"]["id"])
            else:
                gone.append(one["to"]["id"])
        if not gone:
            return jsonify(status="COMPLETE", results=[]), 201
        error = {"status": "error", "category": "OBJECT_NOT_FOUND", "message": "Gone.", "context": {"toObjectId": gone}}
        return jsonify(status="COMPLETE", results=[], numErrors=1, errors=[error]), 207

    def _property(self, kind: str, name: str) -> ResponseReturnValue:
        if name in self.properties[kind]:
            return jsonify(name=name, hasUniqueValue=True)
        return refused(404, "OBJECT_NOT_FOUND", "No such property.")

    def _new_property(self, kind: str) -> ResponseReturnValue:
        given = request.get_json()
        if given["name"] in self.properties[kind]:
            return refused(409, "OBJECT_ALREADY_EXISTS", "A property of this name exists.")
        if given.get("hasUniqueValue") is True:
            self.properties[kind].add(given["name"])
        return jsonify(given), 201

    def _lists(self) -> ResponseReturnValue:
        sizes = {list_id: {"hs_list_size": str(len(one["members"]))} for list_id, one in self.lists.items()}
        found = [
            {"listId": key, "name": one["name"], "objectTypeId": "0-1", "additionalProperties": sizes[key]}
            for key, one in self.lists.items()
        ]
        begin, count = request.get_json()["offset"], request.get_json()["count"]
        further = begin + count
        return jsonify(lists=found[begin:further], hasMore=further < len(found), offset=further, total=len(found))

    def _members(self, list_id: str) -> ResponseReturnValue:
        if list_id not in self.lists:
            return refused(404, "OBJECT_NOT_FOUND", "List does not exist.")
        members = sorted(self.lists[list_id]["members"], key=int)
        return self._paged([{"recordId": one, "membershipTimestamp": "2026-11-01T10:00:00Z"} for one in members], 250)
