"""What People Data Labs publishes of its API, as far as Overture uses it."""

from dataclasses import dataclass

from flask import jsonify, request
from flask.typing import ResponseReturnValue

from tests.providers.data_server import DataServer, Object, Rule


def refused(status: int, kind: str, message: str) -> ResponseReturnValue:
    return jsonify(status=status, error={"type": kind, "message": message}), status


@dataclass
class PdlServer(DataServer):
    """People and companies as records; `contact_data` says whether the plan sells addresses and numbers."""

    contact_data: bool = True

    def rules(self) -> list[Rule]:
        return [
            ("GET", "/person/enrich", self._person),
            ("GET", "/company/enrich", self._company),
            ("POST", "/person/search", self._search),
        ]

    def unknown_key(self) -> ResponseReturnValue:
        return refused(401, "authentication_error", "Request contained a missing or invalid key")

    def _person(self) -> ResponseReturnValue:
        given = request.args
        found = next((one for one in self.people if self._is(one, given.to_dict())), None)
        required = given.get("required", "")
        if found is None or (required and not found.get(required)):
            return refused(404, "not_found", "No records were found matching your request")
        if self.left < 1:
            return refused(402, "payment_required", "You have hit your account maximum for person enrichment")
        self.left -= 1
        shown = found if self.contact_data else {**found, **dict.fromkeys(("work_email", "mobile_phone"), True)}
        return jsonify(status=200, likelihood=8, data=shown)

    def _is(self, person: Object, given: Object) -> bool:
        if "profile" in given:
            return bool(person["linkedin_url"] in given["profile"])
        name = given.get("name") or f"{given.get('first_name')} {given.get('last_name')}"
        return bool(name.casefold() == f"{person['first_name']} {person['last_name']}".casefold())

    def _company(self) -> ResponseReturnValue:
        found = self.companies.get(request.args.get("website", ""))
        if found is None:
            return refused(404, "not_found", "No records were found matching your request")
        return jsonify(status=200, likelihood=9, **found)

    def _search(self) -> ResponseReturnValue:
        given = request.get_json()
        first, size = int(given.get("scroll_token") or 0), given.get("size", 1)
        if "query" not in given or not 1 <= size <= 100:
            return refused(400, "invalid_request_error", "Request contained an invalid parameter")
        if not self.people:
            return refused(404, "not_found", "No records were found matching your search")
        if self.left < 1:
            return refused(402, "payment_required", "You have hit your account maximum for search")
        found = self.people[first : first + size]
        self.left -= len(found)
        more = {"scroll_token": str(first + size)} if first + size < len(self.people) else {}
        return jsonify(status=200, data=found, total=len(self.people), **more)
