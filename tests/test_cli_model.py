"""`overture model setup`: one command finds a model, measures it and keeps it for the next start."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from app import config
from app.providers.model_servers import PINNED
from tests.providers.scripted_model import NAME, Character, ScriptedModel
from tests.receivers import Receiver
from tests.test_cli import Command, command, env

__all__ = ["command", "env"]


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    """A model server that speaks both protocols."""
    running = ScriptedModel()
    yield running
    running.stop()


@pytest.fixture
def instance(env: dict[str, str], tmp_path: Path) -> Path:
    """The instance folder."""
    env["OVERTURE_INSTANCE"] = str(tmp_path / "instance")
    return tmp_path / "instance"


def test_the_model_of_this_machine_is_measured_and_kept(
    command: Command, env: dict[str, str], instance: Path, model: ScriptedModel
) -> None:
    """The next start writes with it, unless the environment names another."""
    env["OLLAMA_HOST"] = model.address
    made = command("model", "setup")
    assert made.exit_code == 0, made.output
    assert "A message takes" in made.stdout
    assert json.loads((instance / "model.json").read_text())["OVERTURE_MODEL_URL"] == f"{model.address}/api"
    assert config.load(env)["OVERTURE_MODEL_NAME"] == NAME
    other = {**env, "OVERTURE_MODEL_URL": "http://box/v1", "OVERTURE_MODEL_NAME": "big"}
    assert (config.load(other)["OVERTURE_MODEL_NAME"], config.load(other)["OVERTURE_MODEL_KEY"]) == ("big", "")
    assert "Forgotten" in command("model", "setup", "--forget").stdout
    assert config.load(env)["OVERTURE_MODEL_URL"] == ""


def test_a_service_with_a_key_is_taken_from_its_address(
    command: Command, env: dict[str, str], instance: Path, model: ScriptedModel
) -> None:
    """A name that it does not list is refused, and nothing is kept."""
    refused = command("model", "setup", "--url", model.url, "--name", "none")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert f"Name one of its models with --name: {NAME}." in refused.stderr
    assert not (instance / "model.json").exists()
    env["OVERTURE_MODEL_KEY"] = "sk-1"
    assert command("model", "setup", "--url", model.url).exit_code == 0
    assert json.loads((instance / "model.json").read_text())["OVERTURE_MODEL_KEY"] == "sk-1"


def test_without_a_server_or_a_model_it_says_what_to_do(command: Command, env: dict[str, str], instance: Path) -> None:
    """One model is named to be pulled."""
    env["OLLAMA_HOST"] = "127.0.0.1:9"
    nothing = command("model", "setup")
    assert (nothing.exit_code, nothing.stdout) == (2, "")
    assert f"ollama pull {PINNED}" in nothing.stderr
    empty = Receiver(lambda request: (200, {"content-type": "application/json"}, b'{"models": []}'))
    env["OLLAMA_HOST"] = empty.url.removesuffix("/hook")
    pulled = command("model", "setup")
    empty.stop()
    assert f"Run `ollama pull {PINNED}`" in pulled.stderr
    assert not (instance / "model.json").exists()


def test_a_model_that_gives_no_usable_answer_is_not_kept(command: Command, env: dict[str, str], instance: Path) -> None:
    """It would never write."""
    broken = ScriptedModel(Character.MALFORMED)
    env["OLLAMA_HOST"] = broken.address
    refused = command("model", "setup")
    broken.stop()
    assert refused.exit_code == 2
    assert "does not work" in refused.stderr
    assert not (instance / "model.json").exists()
