"""Requests that follow from each other: what one answer names, the next request uses, in any order a tool thinks of."""

import os
import re
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
from tests.api.fitting import fit, know_formats
from tests.api.framework.test_fuzz import UNDERSTOOD, OnItsOwn, is_ill_formed
from tests.support.clients import Api
from tests.support.published import strict

STORIES = int(os.environ.get("FUZZ_STORIES", "4"))
TOGETHER = min(8, STORIES)
LEFT_OUT = [unsupported_method, allow_header_conformance]  # some addresses are also those of things
# Of what these hold no schema says all: what they name may be gone, and in stories the tool keeps to no format.
NAMED = "id address timezone country website domain url profileUrl email target value"
OPEN = re.compile(rf"(.*\.)?(\w+(Id|Ids|Ids\[\d+\])|{'|'.join(NAMED.split())})|values\.[\s\S]+")
load_all_checks()
know_formats()
HOW = settings(
    max_examples=TOGETHER, stateful_step_count=12, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)


def could_be_said(answer: Any) -> bool:
    """Whether a refusal names anything of which the document could have told that it would be refused."""
    error = answer.json()["error"]
    told = error.get("fields", ())
    if error["code"] == "not_supported":  # by the sandbox
        return False
    return not told or any(not OPEN.fullmatch(one["path"]) and not is_ill_formed(one["message"]) for one in told)


def test_whole_stories_get_only_published_answers(
    app: Flask, acme: Workspace, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = strict(app.extensions["openapi"]())
    document.pop("security", None)
    document["paths"] = {
        path: {method: operation | {"security": []} for method, operation in operations.items()}
        for path, operations in document["paths"].items()
        if not path.endswith("/revoke")  # a story that revokes its own key ends there
    }
    schema = schemathesis.openapi.from_dict(document)
    schema.app = served = OnItsOwn(app)
    schema.config.checks.positive_data_acceptance.expected_statuses = ["2xx", *UNDERSTOOD]
    machine: Any = schema.as_state_machine()

    class Story(machine):  # type: ignore[misc]
        def get_call_kwargs(self, case: Any) -> dict[str, Any]:
            return {"headers": {"Authorization": f"Bearer {api.key}"}}

        def before_call(self, case: Any) -> None:
            """What fits the document fits, as far as it goes for every workspace."""
            if case.meta.generation.mode.is_positive:
                fit(case)

        def validate_response(self, response: Any, case: Any, **more: Any) -> None:
            excused = response.status_code == 400 and not could_be_said(response)
            left_out = [*LEFT_OUT, positive_data_acceptance] if excused else LEFT_OUT
            case.validate_response(response, excluded_checks=left_out, headers=self.get_call_kwargs(case)["headers"])

    for number in range(0, STORIES, TOGETHER):
        # What a story leaves behind changes what the next one can do, which the tool takes for an unsteady test.
        monkeypatch.setattr(core, "global_force_seed", number)
        with suppress(FlakyStrategyDefinition):
            Story.run(settings=HOW)
    assert served.statuses["200"] + served.statuses["201"] > STORIES
    assert "500" not in served.statuses
