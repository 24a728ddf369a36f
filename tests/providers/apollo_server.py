"""What Apollo publishes of its API, as far as Overture uses it."""

from dataclasses import dataclass

from flask import jsonify, request
from flask.typing import ResponseReturnValue

from tests.providers.data_server import DataServer, Object, Rule


@dataclass
class ApolloServer(DataServer):
    """People with ids. A search shows neither last names nor profiles; `allowed` is what the key may ask."""

    allowed: tuple[str, ...] = ("/people", "/mixed_people", "/organizations")

    def rules(self) -> list[Rule]:
        return [
            ("POST", "/people/match", self._match),
            ("POST", "/people/bulk_match", self._bulk),
            ("POST", "/mixed_people/api_search", self._search),
            ("GET", "/organizations/enrich", self._organization),
        ]

    def unknown_key(self) -> ResponseReturnValue:
        return "Invalid API key. Please provide a valid API key.", 401, {"content-type": "text/plain"}

    def _may(self) -> ResponseReturnValue | None:
        if request.path.startswith(self.allowed):
            return None
        said = f"api{request.path} is not accessible with this api_key"
        return jsonify(error=said, error_code="API_INACCESSIBLE"), 403

    def _match(self) -> ResponseReturnValue:
        given = request.get_json()
        name = given.get("name") or f"{given.get('first_name')} {given.get('last_name')}"
        found = next((one for one in self.people if f"{one['first_name']} {one['last_name']}" == name), None)
        if found and not self.left:
            return jsonify(error="You have insufficient credits. Please upgrade your plan."), 422
        self.left -= 1 if found else 0
        return self._may() or jsonify(person=found)

    def _bulk(self) -> ResponseReturnValue:
        wanted = [one["id"] for one in request.get_json()["details"]]
        assert len(wanted) <= 10
        by_id = {one.get("id"): one for one in self.people}
        matches: list[Object | None] = [by_id.get(one) for one in wanted]
        self.left -= len(matches)
        return self._may() or jsonify(status="success", matches=matches, credits_consumed=len(matches))

    def _search(self) -> ResponseReturnValue:
        given = request.get_json()
        page, size = given.get("page", 1), given.get("per_page", 25)
        some = self.people[(page - 1) * size : page * size]
        shown = [
            {"id": one.get("id"), "first_name": one["first_name"], "last_name_obfuscated": "L***e"} for one in some
        ]
        return self._may() or jsonify(total_entries=len(self.people), people=shown)

    def _organization(self) -> ResponseReturnValue:
        found = self.companies.get(request.args["domain"])
        return self._may() or jsonify({"organization": found} if found else {})
