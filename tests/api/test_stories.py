"""Requests that follow from each other: what one answer names, the next request uses, in any order a tool thinks of."""

import os
from contextlib import suppress
from typing import Any

import pytest
import schemathesis
from flask import Flask
from hypothesis import HealthCheck, core, settings
from hypothesis.errors import FlakyStrategyDefinition
from schemathesis.checks import load_all_checks
from schemathesis.specs.openapi.checks import allow_header_conformance, positive_data_acceptance, unsupported_method

from app.models.workspaces import Workspace
from tests.api.test_fuzz import OnItsOwn
from tests.clients import Api

STORIES = int(os.environ.get("FUZZ_STORIES", "8"))
TOGETHER = 8
# What a fitting body names may be gone by then; alone, in test_fuzz, each is taken. Some addresses are also those of
# things.
LEFT_OUT = [positive_data_acceptance, unsupported_method, allow_header_conformance]
load_all_checks()
HOW = settings(
    max_examples=TOGETHER,
    stateful_step_count=12,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)


def test_it_works(app: Flask, acme: Workspace, api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever was made before, every answer is a published one, and nothing breaks."""
    document = dict(app.extensions["openapi"]())
    document.pop("security", None)
    document["paths"] = {
        path: {method: operation | {"security": []} for method, operation in operations.items()}
        for path, operations in document["paths"].items()
    }
    schema = schemathesis.openapi.from_dict(document)
    schema.app = served = OnItsOwn(app)
    machine: Any = schema.as_state_machine()

    class Story(machine):  # type: ignore[misc]
        """One client with our key."""

        def get_call_kwargs(self, case: Any) -> dict[str, Any]:
            """Every request has the key."""
            return {"headers": {"Authorization": f"Bearer {api.key}"}}

        def validate_response(self, response: Any, case: Any, **more: Any) -> None:
            """Every check of the tool holds."""
            case.validate_response(response, excluded_checks=LEFT_OUT, headers=self.get_call_kwargs(case)["headers"])

    for number in range(0, STORIES, TOGETHER):
        # What a story leaves behind changes what the next one can do, which the tool takes for an unsteady test.
        monkeypatch.setattr(core, "global_force_seed", number)
        with suppress(FlakyStrategyDefinition):
            Story.run(settings=HOW)
    assert served.statuses["200"] + served.statuses["201"] > STORIES
    assert "500" not in served.statuses
