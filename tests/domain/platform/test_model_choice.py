"""The AI model of the installation: measured before it writes, sealed, and switched in every process at once."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask

from app import config, ports, providers
from app.core import crypto
from app.core.db import end_read, session
from app.core.errors import Conflict, InvalidRequest, NotFound
from app.domain.platform import jobs, model_choice, secret_rotation
from app.domain.platform.model_choice import Choices
from app.models.platform.installation import ModelChoice
from app.models.workspaces import Workspace
from app.ports import ModelServer, Speed
from app.ports.models import FIRST_PLAY, PIECES, WRITER
from tests.providers.scripted_model import NAME, Character, ScriptedModel

Start = Callable[..., ScriptedModel]
KEY = "sk-very-secret"
SPEED = Speed(4, 300, 30)
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
    (found,) = model_choice.every()
    return found


def test_a_model_writes_once_it_was_measured(acme: Workspace, start: Start) -> None:
    """Its address is checked first, its speed decides its time, and its key is nowhere to be read."""
    model = start()
    made = model_choice.set_up(acme, model.url, KEY, "")
    assert (made.name, model_choice.is_measuring(made), writing()) == (NAME, True, "")
    assert ports.writer().name == "built-in"
    jobs.run_due()
    assert (writing(), ports.writer().name) == (NAME, NAME)
    chosen = Choices().chosen()
    assert (chosen.key, chosen.speed) == (KEY, model_choice.speed_of(stored()))
    assert chosen.speed
    assert ports.models().longest() == chosen.speed.limit(9500, 1200)
    assert KEY not in repr(chosen)
    assert KEY.encode() not in (stored().sealed or b"")


def test_its_test_messages_decide_what_it_is_used_for(acme: Workspace, start: Start) -> None:
    """Whenever it is measured; the reason stays beside it. One that was never tried writes no messages."""
    for character, mode, why in ((Character.GOOD, WRITER, "6 of 6"), (Character.LAUNDERING, PIECES, "0 of 6")):
        made = set_up(acme, start(character))
        found = model_choice.get(made.id)
        assert (found.mode, found.mode_why[:6]) == (mode, why)
        chosen = Choices().chosen()
        assert chosen
        assert chosen.mode == mode
    model_choice.measure_again(acme, made.id)
    jobs.run_due()
    assert model_choice.get(made.id).mode == PIECES
    assert model_choice.keep(HERE, "tiny", "", SPEED).mode == ""


def test_one_that_does_not_work_never_writes(acme: Workspace, start: Start) -> None:
    """Whatever wrote before goes on, and the reason stays."""
    model_choice.keep(HERE, "tiny", "", SPEED)
    set_up(acme, start(Character.MALFORMED))
    assert writing() == "tiny"
    broken = next(one for one in model_choice.every() if one.name == NAME)
    assert "does not work: its answer was not usable" in broken.problem
    assert not model_choice.is_measuring(broken)
    with pytest.raises(Conflict):
        model_choice.switch(acme, broken.id, on=True)


def test_only_one_writes_and_none_when_it_is_switched_off(acme: Workspace, start: Start) -> None:
    """What was switched off can be switched on again, without being measured."""
    first = model_choice.keep(HERE, "tiny", "", SPEED)
    second = set_up(acme, start())
    assert writing() == NAME
    model_choice.switch(acme, second.id, on=False)
    assert writing() == ""
    model_choice.switch(acme, first.id, on=True)
    assert writing() == "tiny"
    assert model_choice.remove(acme, second.id) == NAME
    with pytest.raises(NotFound):
        model_choice.get(second.id)


def test_a_key_is_never_sent_to_another_address(acme: Workspace, start: Start) -> None:
    """At the same address an empty field keeps it."""
    one, other = start(), start()
    set_up(acme, one)
    model_choice.set_up(acme, other.url, "", "")
    found = {model.url: model.sealed for model in model_choice.every()}
    assert found[other.url] is None
    set_up(acme, one, key="")
    chosen = Choices().chosen()
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
        assert list(model_choice.every()) == []


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
    """What was set up here waits; the environment's model can be measured, its key stays there."""
    model = start()
    model_choice.keep(HERE, "tiny", "", SPEED)
    named = {"OVERTURE_MODEL_URL": model.url, "OVERTURE_MODEL_NAME": NAME, "OVERTURE_MODEL_KEY": KEY}
    try:
        providers.build(config.load({"OVERTURE_INSTANCE": str(tmp_path), **named}))
        assert ports.writer().name == NAME
        for verb in (
            lambda: model_choice.set_up(acme, model.url, "", ""),
            lambda: model_choice.switch(acme, 1, on=True),
            lambda: model_choice.keep(HERE, "other", "", SPEED),
        ):
            with pytest.raises(Conflict, match="of the environment decide"):
                verb()
        model_choice.measure_fixed(acme)
        jobs.run_due()
        found = next(one for one in model_choice.every() if one.name == NAME)
        speed = model_choice.speed_of(found)
        assert (found.active, found.sealed, ports.models().longest()) == (False, None, speed.limit(9500, 1200))
    finally:
        providers.build(app.config)
    assert ports.writer().name == "tiny"


def test_what_it_costs_follows_from_its_speed_and_its_price(acme: Workspace) -> None:
    """Free on one's own machine; unknown without the price of a service; whole cents otherwise."""
    own = model_choice.keep(HERE, "tiny", "", SPEED)
    minutes = -(-SPEED.seconds(*FIRST_PLAY) // 60)
    assert model_choice.cost(own) == model_choice.Cost(int(minutes), 0)
    there = ModelServer("OpenAI-compatible", "https://models.example/v1", ("big",))
    big = model_choice.keep(there, "big", "", SPEED)
    assert model_choice.cost(big).amount is None
    model_choice.set_prices(big.id, 0.15, 0.6)
    assert model_choice.cost(model_choice.get(big.id)).amount == 10_000  # $0.0054, rounded up
    with pytest.raises(InvalidRequest):
        model_choice.set_prices(big.id, -1, None)
