"""The AI model of the installation: tested before it writes, sealed, and the same in every process at once."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask

from app import config, ports, providers
from app.core import crypto
from app.core.db import end_read, session
from app.core.errors import Conflict, InvalidRequest
from app.domain.platform import jobs, model_choice, secret_rotation
from app.domain.platform.model_choice import Choices
from app.models.platform.installation import ModelChoice
from app.models.workspaces import Workspace
from app.ports import ModelServer
from app.ports.models import PIECES, WRITER, Probe
from tests.providers.scripted_model import NAME, Character, ScriptedModel

Start = Callable[..., ScriptedModel]
KEY = "sk-very-secret"
WRITES = Probe(WRITER)
HERE = ModelServer("Ollama", "http://127.0.0.1:11434/api", ("tiny",))


@pytest.fixture
def start() -> Iterator[Start]:
    started: list[ScriptedModel] = []

    def model(character: Character = Character.GOOD) -> ScriptedModel:
        started.append(ScriptedModel(character))
        return started[-1]

    yield model
    for one in started:
        one.stop()


def set_up(workspace: Workspace, model: ScriptedModel, key: str = KEY) -> ModelChoice:
    made = model_choice.set_up(workspace, model.url, key, "")
    jobs.run_due()
    return made


def writing() -> str:
    end_read()
    chosen = Choices().chosen()
    return chosen.name if chosen else ""


def stored() -> ModelChoice:
    return session().scalars(sa.select(ModelChoice).execution_options(populate_existing=True)).one()


def test_a_model_writes_once_it_was_tested(acme: Workspace, start: Start) -> None:
    """Its address is checked first, and its key is nowhere to be read."""
    model = start()
    made = model_choice.set_up(acme, model.url, KEY, "")
    assert (made.name, model_choice.is_testing(made), writing()) == (NAME, True, "")
    assert ports.writer().name == "built-in"
    jobs.run_due()
    assert (writing(), ports.writer().name) == (NAME, NAME)
    chosen = Choices().chosen()
    assert chosen
    assert chosen.key == KEY
    assert KEY not in repr(chosen)
    assert KEY.encode() not in (stored().sealed or b"")
    assert not model_choice.is_testing(stored())


def test_its_test_messages_decide_what_it_is_used_for(acme: Workspace, start: Start) -> None:
    """Whenever it is tested; the reason stays beside it. Only the last one that works is kept."""
    for character, mode, why in ((Character.GOOD, WRITER, "6 of 6"), (Character.LAUNDERING, PIECES, "0 of 6")):
        set_up(acme, start(character))
        assert (stored().mode, stored().mode_why[:6]) == (mode, why)
        chosen = Choices().chosen()
        assert chosen
        assert chosen.mode == mode
    model_choice.test(acme)
    with pytest.raises(Conflict):
        model_choice.test(acme)
    jobs.run_due()
    assert stored().mode == PIECES


def test_one_that_does_not_work_never_writes(acme: Workspace, start: Start) -> None:
    """Whatever wrote before goes on, and the reason stays."""
    model_choice.keep(HERE, "tiny", "", WRITES)
    set_up(acme, start(Character.MALFORMED))
    assert writing() == "tiny"
    broken = model_choice.candidate()
    assert broken
    assert "is not working: its response was not usable" in broken.problem
    assert not model_choice.is_testing(broken)


def test_without_its_model_the_built_in_writer_writes(acme: Workspace, start: Start) -> None:
    """The key goes with it; without one there is nothing to test."""
    set_up(acme, start())
    assert writing() == NAME
    assert model_choice.remove(acme)
    assert (writing(), model_choice.remove()) == ("", False)
    with pytest.raises(Conflict):
        model_choice.test(acme)


def test_a_key_is_never_sent_to_another_address(acme: Workspace, start: Start) -> None:
    """At the same address an empty field keeps it."""
    one, other = start(), start()
    set_up(acme, one)
    model_choice.set_up(acme, other.url, "", "")
    asked = model_choice.candidate()
    assert asked
    assert (asked.url, asked.sealed) == (other.url, None)
    set_up(acme, one, key="")
    chosen = Choices().chosen()
    assert chosen
    assert (chosen.url, chosen.key) == (one.url, KEY)


def test_what_cannot_be_a_service_or_is_not_listed_is_refused(acme: Workspace, start: Start) -> None:
    for url, key, name, path in (
        ("", "", "tiny", "url"),
        ("ftp://box/v1", "", "tiny", "url"),
        ("http://127.0.0.1:9/v1", "", "tiny", "url"),
        ("http://169.254.169.254/v1", "", "tiny", "url"),  # where clouds keep their keys
        ("https://box/v1", "two words", "tiny", "key"),
        (start().url, "", "none", "name"),
    ):
        with pytest.raises(InvalidRequest) as refusal:
            model_choice.set_up(acme, url, key, name)
        assert [one.path for one in refusal.value.fields] == [path]
        assert model_choice.candidate() is None


def test_the_key_is_sealed_anew_with_a_new_secret(acme: Workspace, app: Flask, start: Start) -> None:
    """With a secret that is lost, the model is asked without a key, and nothing breaks."""
    first, second = "a key for tests, as long as a key must be", "the second key, as long as a key must be"
    crypto.use_secret(first, (), secret_rotation.signing_keys)
    set_up(acme, start())
    end_read()
    try:
        crypto.use_secret(second, (first,), secret_rotation.signing_keys)
        assert {one.column: one.anew for one in secret_rotation.rotate()}["model_choice.sealed"] == 1
        crypto.use_secret(second, (), secret_rotation.signing_keys)
        session().expire_all()
        chosen = Choices().chosen()
        assert chosen.key == KEY
        crypto.use_secret("a third key, and also as long as a key must be", (), secret_rotation.signing_keys)
        chosen = Choices().chosen()
        assert chosen.key == ""
    finally:
        crypto.use_secret(app.config["SECRET_KEY"], (), secret_rotation.signing_keys)


def test_the_environment_comes_first(acme: Workspace, app: Flask, tmp_path: Any, start: Start) -> None:
    """What was set up here waits; the environment's model can be tested, its key stays there."""
    model = start()
    model_choice.keep(HERE, "tiny", "", WRITES)
    named = {"OVERTURE_MODEL_URL": model.url, "OVERTURE_MODEL_NAME": NAME, "OVERTURE_MODEL_KEY": KEY}
    try:
        providers.build(config.load({"OVERTURE_INSTANCE": str(tmp_path), **named}))
        assert ports.writer().name == NAME
        for verb in (
            lambda: model_choice.set_up(acme, model.url, "", ""),
            lambda: model_choice.remove(acme),
            lambda: model_choice.keep(HERE, "other", "", WRITES),
        ):
            with pytest.raises(Conflict, match="are set, so"):
                verb()
        model_choice.test(acme)
        jobs.run_due()
        found = model_choice.current()
        assert found
        assert (found.name, found.active, found.sealed, found.mode) == (NAME, False, None, WRITER)
    finally:
        providers.build(app.config)
    assert ports.writer().name == "tiny"
