"""Whatever is sent, `/v1` answers as published: requests made up from the document, fitting ones and broken ones.

`make fuzz` sends many more of them.
"""

import contextvars
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import pytest
import schemathesis
from flask import Flask
from hypothesis import HealthCheck, settings
from pydantic.alias_generators import to_camel, to_snake
from schemathesis.checks import load_all_checks
from schemathesis.generation.feedback import FeedbackSources
from schemathesis.pytest._test_builder import build_operation_test
from schemathesis.specs.openapi.checks import allow_header_conformance, positive_data_acceptance, unsupported_method

from app.api.declarations import ENDPOINTS, Endpoint
from app.core.db import leave_database
from app.models.workspaces import Workspace
from tests.api.stock import KINDS, Stock
from tests.clients import Api

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "10"))
COVERAGE = "FUZZ_EXAMPLES" in os.environ
# A body may fit its schema and still name a list that does not exist, or a step that needs a text: that is a 400.
LEFT_OUT = [positive_data_acceptance]
load_all_checks()
HOW = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=not COVERAGE,
    database=None,
    suppress_health_check=list(HealthCheck),
)


class OnItsOwn:
    """The application as a server runs it: each request in a context of its own."""

    def __init__(self, app: Flask) -> None:
        self.app, self.statuses = app, Counter[str]()

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        """One answer, made whole before it is given."""
        leave_database()

        def started(status: str, headers: Any, *more: Any) -> Any:
            self.statuses[status[:3]] += 1
            return start(status, headers, *more)

        return contextvars.Context().run(self._whole, environ, started)

    def _whole(self, environ: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
        answer = self.app(environ, start)
        try:
            return list(answer)
        finally:
            answer.close()  # type: ignore[attr-defined]


def kinds_of(one: Endpoint) -> set[str]:
    """The kinds of ids that its requests name, anywhere."""
    fields = one.body.model_fields if one.body else ()
    named = {*one.ids, *map(to_snake, one.filters), *(name.removesuffix("s") for name in fields), *fields}
    return named & set(KINDS)


def shadowed(one: Endpoint) -> bool:
    """Whether its address could also be that of a thing: there another method is a 404, for a thing of that name."""
    patterns = [re.sub(r"<[^>]+>", "[^/]+", other.path) for other in ENDPOINTS if other.path != one.path]
    return any(re.fullmatch(pattern, one.path) for pattern in patterns)


@pytest.fixture
def published(one: Endpoint, app: Flask, acme: Workspace) -> Any:
    """The published document; half of the ids in what is made up are those of things that exist."""
    document = {name: part for name, part in app.extensions["openapi"]().items() if name != "security"}
    # Keys are the subject of other tests; here every request has one, so that it comes further.
    document["paths"] = {
        path: {method: operation | {"security": []} for method, operation in operations.items()}
        for path, operations in document["paths"].items()
    }
    schema = schemathesis.openapi.from_dict(document)
    schema.app = OnItsOwn(app)
    schema.config.generation.update(modes=list(schemathesis.GenerationMode))
    schema.config.phases.coverage.enabled = COVERAGE
    stock = Stock(acme)
    known = {to_camel(name): stock.of(one, name) for name in kinds_of(one)}

    def real(value: Any, name: str) -> Any:
        if type(value) is list and to_snake(name).endswith("_ids"):
            return [real(one, name.removesuffix("s")) for one in value]
        valid = type(value) is int and value > 0
        return known[name] if valid and value % 2 and name in known else value

    def with_real_ids(context: Any, given: Any) -> Any:
        return {name: real(value, name) for name, value in given.items()} if isinstance(given, dict) else given

    for place in ("path_parameters", "query", "body"):
        with_real_ids.__name__ = f"map_{place}"
        schema.hook(f"map_{place}")(with_real_ids)
    return schema


@pytest.mark.parametrize("one", ENDPOINTS, ids=lambda one: one.name)
def test_an_operation_answers_as_published(one: Endpoint, published: Any, api: Api) -> None:
    """Every check of the tool holds, and nothing breaks."""
    left_out = [*LEFT_OUT, *([unsupported_method, allow_header_conformance] if shadowed(one) else [])]
    sent = {"Authorization": f"Bearer {api.key}"}

    def ask(case: Any) -> None:
        case.call_and_validate(headers=sent, excluded_checks=left_out)

    run = build_operation_test(
        config=published.config,
        operation=published.find_operation_by_id(one.name),
        test_func=ask,
        given_kwargs={},
        feedback=FeedbackSources(),
        explicit_settings=HOW,
    )
    run()
    assert published.app.statuses
    assert "500" not in published.app.statuses
