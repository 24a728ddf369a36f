"""Every answer that a test gets from `/v1` is held against the published document: status, headers, type and body."""

import json
import re
from functools import cache
from typing import Any

import jsonschema_rs
from flask import Flask
from werkzeug.test import TestResponse

Json = dict[str, Any]
PLACE = "urn:overture"
REFUSED_BEFORE = {404: "not_found", 405: "not_supported", 413: "invalid_request"}  # an operation is not reached
_PARAMETER = re.compile(r"\{\w+\}")
_contracts: dict[str, "Contract"] = {}


class Contract:
    """The published document, ready to judge answers quickly."""

    def __init__(self, document: Json) -> None:
        self._document = document
        components = _closed(document["components"], _reached_by_answers(document))
        self._registry = jsonschema_rs.Registry([(PLACE, placed({"components": components}))])
        templates = sorted(document["paths"], key=lambda path: path.count("{"))
        self._routes = [(re.compile(_PARAMETER.sub("[^/]+", path)), path) for path in templates]
        self._find = cache(self._look_up)
        self._validator = cache(self._compiled)

    def problem(self, answer: TestResponse) -> str:
        """What is wrong with an answer of `/v1`; '' when nothing is."""
        request = answer.request
        method = "GET" if request.method == "HEAD" else request.method
        where = f"{request.method} {request.path} {answer.status_code}"
        found = self._wrong(answer, self._find(method, request.path))
        return f"{where}: {found}" if found else ""

    def _look_up(self, method: str, path: str) -> Json | None:
        for pattern, template in self._routes:
            if pattern.fullmatch(path) and method.lower() in self._document["paths"][template]:
                operation: Json = self._document["paths"][template][method.lower()]
                return operation
        return None

    def _wrong(self, answer: TestResponse, operation: Json | None) -> str:
        status = answer.status_code
        if answer.headers.get("Cache-Control") != "no-store" or "Set-Cookie" in answer.headers:
            return "may be kept, or sets a cookie"
        if not re.fullmatch("req_[0-9a-zA-Z]{22}", answer.headers.get("X-Request-Id", "")):
            return "has no request id"
        if operation is None or (status in REFUSED_BEFORE and str(status) not in operation["responses"]):
            code = (answer.json or {}).get("error", {}).get("code") if answer.request.method != "HEAD" else "not_found"
            return "" if code in REFUSED_BEFORE.values() else "is no refusal, but nothing is published here"
        declared = operation["responses"].get(str(status))
        if declared is None:
            return f"is not among the published {', '.join(operation['responses'])}"
        if declared.get("$ref", "").endswith("/KeyConflict") and "Idempotency-Key" not in answer.text:
            return (
                "is another conflict than that of a key: say in the docstring when there is a 409, and what to do then"
            )
        if "$ref" in declared:
            declared = self._document["components"]["responses"][declared["$ref"].rpartition("/")[2]]
        if answer.request.method == "HEAD":
            return ""
        return _wrong_headers(answer, declared) or self._wrong_body(answer, declared)

    def _wrong_body(self, answer: TestResponse, declared: Json) -> str:
        body = answer.get_data()
        if "content" not in declared:
            return "has a body" if body else ""
        if answer.mimetype not in declared["content"]:
            return f"is {answer.mimetype}"
        if answer.mimetype != "application/json":
            return ""
        if "Idempotent-Replayed" in answer.headers:  # the first answer was checked; an older version knew fewer fields
            return ""
        validator = self._validator(json.dumps(declared["content"]["application/json"]["schema"]))
        error = next(validator.iter_errors(json.loads(body)), None)
        return "" if error is None else f"{'.'.join(map(str, error.instance_path))}: {error.message[:300]}"

    def _compiled(self, schema: str) -> Any:
        """Few schemas answer many routes, and all of them stand on the same components."""
        return jsonschema_rs.validator_for(placed(json.loads(schema)), validate_formats=True, registry=self._registry)


def contract_of(app: Flask) -> Contract:
    tag = json.dumps(sorted(app.extensions["openapi"]()["paths"]))
    if tag not in _contracts:
        _contracts[tag] = Contract(app.extensions["openapi"]())
    return _contracts[tag]


def _wrong_headers(answer: TestResponse, declared: Json) -> str:
    of_interest = {"Retry-After", "Idempotent-Replayed", "WWW-Authenticate", "RateLimit", "Content-Disposition", "ETag"}
    more = {name for name, _ in answer.headers} & of_interest - set(declared.get("headers", {}))
    return f"has the headers {', '.join(more)}, which are not published" if more else ""


def _reached_by_answers(document: Json) -> set[str]:
    """The names of the schemas that answers are made of."""
    schemas = document["components"]["schemas"]
    waiting: list[Any] = [document["components"]["responses"]]
    waiting += [operation["responses"] for path in document["paths"].values() for operation in path.values()]
    found: set[str] = set()
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            name = str(part.get("$ref", "")).rpartition("/components/schemas/")[2]
            if name in schemas and name not in found:
                found.add(name)
                waiting.append(schemas[name])
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
    return found


def _closed(components: Json, names: set[str]) -> Json:
    """What users must read openly, tests read strictly: no field that is not published."""
    schemas = {
        name: schema | {"additionalProperties": False}
        if name in names and "properties" in schema and "additionalProperties" not in schema
        else schema
        for name, schema in components["schemas"].items()
    }
    return {**components, "schemas": schemas}


def placed(part: Any) -> Any:
    """The same with references that say which document they point into."""
    if isinstance(part, dict):
        return {name: PLACE + value if name == "$ref" else placed(value) for name, value in part.items()}
    return [placed(value) for value in part] if isinstance(part, list) else part
