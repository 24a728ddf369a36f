"""`overture mcp`: the same tools for an assistant that starts the program itself."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from app.cli import overture
from app.domain.workspace import api_keys
from app.mcp import calls, stdio
from app.models.workspaces import Workspace
from tests.support import assistants, processes

SEQUENCE = [
    {"type": "connection_request", "message": "Hi {{first_name|there}}, we both work in logistics."},
    {"type": "message", "message": "Thanks for connecting!", "delay": {"value": 1, "unit": "days"}},
]


@pytest.fixture
def env(migrated: str, tmp_path: Path) -> dict[str, str]:
    """Settings of an installation with one sandbox workspace, and a key of it."""
    settings = processes.environment(migrated, tmp_path, OVERTURE_LOG_LEVEL="error", BASE_URL="https://o.example")
    create = "workspace create --name Acme --email ada@acme.example --password a-long-password --sandbox"
    workspace = json.loads(CliRunner().invoke(overture, create.split(), env=settings).stdout)["workspaceId"]
    key = f"key create --workspace {workspace} --name Claude --scopes all"
    made = CliRunner().invoke(overture, key.split(), env=settings)
    return {**settings, "OVERTURE_API_KEY": made.stdout.split()[-1]}


def test_a_scripted_model_runs_a_campaign(env: dict[str, str]) -> None:
    """Find people → list → add → preview → create → forecast → start → statistics, with approval on."""

    async def work() -> dict[str, Any]:
        async with assistants.over_stdio(processes.OVERTURE, env) as model:
            assert (await model.call("find_people", query="Ada")) == {"data": []}
            made = await model.call("create_list", name="Founders")
            people = [{"profileUrl": "https://sandbox.example/in/accepts-ada", "firstName": "Ada"}]
            added = await model.call("add_people", listId=made["id"], people=people)
            assert (added["added"], added["problems"]) == (1, [])
            (found,) = (await model.call("find_people", query="Ada"))["data"]
            senders = (await model.call("list_senders"))["data"]
            account = next(one["id"] for one in senders if one["channel"] == "social")
            draft = {"listId": made["id"], "sequence": SEQUENCE, "accountIds": [account]}
            seen = await model.call("preview_campaign", **draft, leadId=found["id"])
            assert seen["steps"][0]["messages"] == ["Hi Ada, we both work in logistics."]
            campaign = await model.call("create_campaign", name="First", **draft)
            assert campaign["url"] == f"https://o.example/campaigns/{campaign['id']}"
            ahead = await model.call("forecast_campaign", campaignId=campaign["id"])
            assert ahead["people"] == 1
            started = await model.call("start_campaign", campaignId=campaign["id"])
            assert (started["approval"], started["approveAt"]) == (True, "https://o.example/approvals")
            why = await model.call("why_waiting", campaignId=campaign["id"], leadId=found["id"])
            return {"why": why, "numbers": await model.call("get_statistics", campaignId=campaign["id"])}

    told = assistants.run(work)
    assert told["numbers"]["totals"]["leads"] == 1
    assert told["numbers"]["totals"]["contacted"] == 0
    assert told["why"]["waiting"]["who"] == "you"


def test_a_wrong_key_is_one_sentence(env: dict[str, str]) -> None:
    ended = CliRunner().invoke(overture, ["mcp", "--key", "ovt_test_wrong"], env=env)
    assert ended.exit_code == 2
    assert ended.stdout == ""
    assert "OVERTURE_API_KEY" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_a_revoked_key_stops_at_the_next_call(acme: Workspace) -> None:
    key, plain = api_keys.create(acme, "Claude", ["all"])
    enter = partial(stdio.caller_of, plain)
    assert not calls.call(enter, "list_lists", {}, stdio.RATES).is_error
    api_keys.revoke(acme, key.id)
    outcome = calls.call(enter, "list_lists", {}, stdio.RATES)
    assert (outcome.is_error, outcome.structured["error"]["code"]) == (True, "unauthorized")
