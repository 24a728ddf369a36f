"""What Hunter publishes of its API, as far as Overture uses it."""

from dataclasses import dataclass, field

from flask import jsonify, request
from flask.typing import ResponseReturnValue

from tests.providers.data_server import DataServer, Rule


def refused(status: int, name: str, details: str) -> ResponseReturnValue:
    return jsonify(errors=[{"id": name, "code": status, "details": details}]), status


@dataclass
class HunterServer(DataServer):
    """Knows addresses by first name, with a score and a status; and the status of every address it is asked about."""

    statuses: dict[str, str] = field(default_factory=dict)
    not_wanted: set[str] = field(default_factory=set)

    def rules(self) -> list[Rule]:
        return [
            ("GET", "/account", self._account),
            ("GET", "/email-finder", self._finder),
            ("GET", "/email-verifier", self._verifier),
        ]

    def key(self) -> str:
        return request.headers.get("authorization", "").removeprefix("Bearer ")

    def unknown_key(self) -> ResponseReturnValue:
        return refused(401, "authentication_failed", "No user found for the API key supplied")

    def _account(self) -> ResponseReturnValue:
        searches = {"used": 10, "available": 10 + self.left}
        return jsonify(data={"email": "ada@acme.example", "plan_name": "Starter", "requests": {"searches": searches}})

    def _finder(self) -> ResponseReturnValue:
        given = request.args
        if not (given.get("domain") or given.get("company")) or not given.get("first_name"):
            return refused(400, "wrong_params", "You are missing a required parameter")
        if given["first_name"] in self.not_wanted:
            return refused(451, "claimed_email", "The person behind the address asked us not to process their data")
        if not self.left:
            return refused(429, "usage_exceeded", "You've reached the limit for the number of searches")
        known = next((one for one in self.people if one["first_name"] == given["first_name"]), {})
        self.left -= 1 if known else 0
        status = known.get("status")
        verification = {"date": "2026-11-01", "status": status} if status else {"date": None, "status": None}
        found = {"email": known.get("email"), "score": known.get("score"), "domain": given.get("domain")}
        return jsonify(data={**found, "accept_all": status == "accept_all", "verification": verification}, meta={})

    def _verifier(self) -> ResponseReturnValue:
        status = self.statuses.get(request.args["email"], "valid")
        if status == "pending":
            return jsonify(data={"status": None}), 202
        return jsonify(data={"status": status, "email": request.args["email"], "score": 90}, meta={})
