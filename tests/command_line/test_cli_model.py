"""`overture model setup`: one command tests a model and lets it write, as Settings → Writer does."""

from tests.command_line.test_cli import Command, command, env, rows
from tests.pages.settings.test_writer import model
from tests.providers.scripted_model import NAME, ScriptedModel

__all__ = ["command", "env", "model"]


def kept(env: dict[str, str]) -> list[tuple[object, ...]]:
    """The models that the database has, with whether they write."""
    return rows(env, "SELECT url, name, active FROM model_choice")


def test_the_model_of_this_machine_is_tested(command: Command, env: dict[str, str], model: ScriptedModel) -> None:
    """Until it is forgotten; the same as on the page, because both keep it in the database."""
    made = command("model", "setup", "--url", model.address)
    assert made.exit_code == 0, made.output
    assert "The model is used for messages, pitches and details" in made.stdout
    assert kept(env) == [(f"{model.address}/api", NAME, 1)]
    assert "Forgotten" in command("model", "setup", "--forget").stdout
    assert kept(env) == []
    assert "No model was chosen." in command("model", "setup", "--forget").stdout


def test_a_service_with_a_key_is_taken_by_address(command: Command, env: dict[str, str], model: ScriptedModel) -> None:
    """A name that it does not list is refused, and nothing is kept. The key is sealed."""
    refused = command("model", "setup", "--url", model.url, "--name", "none")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "The service doesn't have this model." in refused.stderr
    assert kept(env) == []
    env["OVERTURE_MODEL_KEY"] = "sk-very-secret"
    assert command("model", "setup", "--url", model.url).exit_code == 0
    ((sealed,),) = rows(env, "SELECT sealed FROM model_choice")
    assert "sk-very-secret" not in str(sealed)
