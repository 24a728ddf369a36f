"""The AI model of the installation: measured before it writes, sealed, and switched in every process at once."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask

from app import config, ports, providers
from app.core import crypto
from app.core.clock import Movable
from app.core.db import end_read, session, transaction
from app.core.errors import Conflict, InvalidRequest, NotFound
from app.domain.platform import jobs, model_choice, secret_rotation
from app.domain.platform.model_choice import Choices
from app.models.platform.installation import ModelChoice
from app.models.workspaces import Workspace
from app.ports import ChosenModel, ModelServer, Speed
from app.ports.models import FIRST_PLAY
from tests.providers.scripted_model import NAME, Character, ScriptedModel

pytestmark = pytest.mark.postgres

Start = Callable[..., ScriptedModel]
KEY = "sk-very-secret"
SPEED = Speed(4, 300, 30)
HERE = ModelServer("Ollama", "http://127.0.0.1:11434/api", ("tiny",))


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts models."""
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
    """Who writes, as another process sees it."""
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
    assert chosen
    assert (chosen.key, chosen.speed) == (KEY, model_choice.speed_of(stored()))
    assert chosen.speed
    assert ports.models().longest() == chosen.speed.limit(9500, 1200)
    assert KEY not in repr(chosen)
    assert KEY.encode() not in (stored().sealed or b"")


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
    """And what was switched off can be switched on again, without being measured."""
    first = model_choice.keep(HERE, "tiny", "", SPEED)
    second = set_up(acme, start())
    assert writing() == NAME
    model_choice.switch(acme, second.id, on=False)
    assert writing() == ""
    model_choice.switch(acme, first.id, on=True)
    assert writing() == "tiny"
    model_choice.switch(acme, second.id, on=True)
    assert [one.active for one in model_choice.every()] == [True, False]
    assert model_choice.remove(acme, second.id) == NAME
    assert writing() == ""
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
    assert chosen
    assert (chosen.url, chosen.key) == (one.url, KEY)


@pytest.mark.parametrize(
    ("url", "key", "path"),
    [
        ("", "", "url"),
        ("ftp://box/v1", "", "url"),
        ("http://127.0.0.1:9/v1", "", "url"),
        ("http://169.254.169.254/v1", "", "url"),  # where clouds keep their keys
        ("https://box/v1", "two words", "key"),
    ],
)
def test_what_cannot_be_a_service_is_refused(acme: Workspace, url: str, key: str, path: str) -> None:
    """At its field, and nothing is kept."""
    with pytest.raises(InvalidRequest) as refusal:
        model_choice.set_up(acme, url, key, "tiny")
    assert [one.path for one in refusal.value.fields] == [path]
    assert list(model_choice.every()) == []


def test_a_model_that_the_service_does_not_list_is_refused(acme: Workspace, start: Start) -> None:
    """At the field of its name."""
    with pytest.raises(InvalidRequest) as refusal:
        model_choice.set_up(acme, start().url, "", "none")
    assert [one.path for one in refusal.value.fields] == ["name"]


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
        assert chosen
        assert chosen.key == KEY
        crypto.use_secret("a third key, and also as long as a key must be", (), secret_rotation.signing_keys)
        chosen = Choices().chosen()
        assert chosen
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
        assert speed
        assert (found.active, found.sealed, ports.models().longest()) == (False, None, speed.limit(9500, 1200))
    finally:
        providers.build(app.config)
    assert ports.writer().name == "tiny"


def test_a_model_is_measured_once_at_a_time(acme: Workspace, start: Start, clock: Movable) -> None:
    """One whose measuring never ended can be measured again after a while."""
    made = model_choice.set_up(acme, start().url, "", "")
    with pytest.raises(Conflict):
        model_choice.measure_again(acme, made.id)
    clock.forward(seconds=model_choice.MEASURING + 1)
    model_choice.measure_again(acme, made.id)


def test_a_measuring_that_broke_is_said(acme: Workspace, start: Start) -> None:
    """It is not left measuring for ever."""
    made = model_choice.set_up(acme, start().url, "", "")
    with transaction():
        model_choice.fail_measuring(acme, {"model": made.id}, "It broke.")
    found = stored()
    assert (found.problem, model_choice.is_measuring(found)) == (model_choice.BROKEN, False)


def test_the_measuring_of_a_model_that_was_removed_does_nothing(acme: Workspace, start: Start) -> None:
    """And fails for no one."""
    made = model_choice.set_up(acme, start().url, "", "")
    model_choice.remove(acme, made.id)
    assert jobs.run_due() == 1
    assert list(model_choice.every()) == []


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


def test_a_model_is_recommended_until_one_writes(acme: Workspace) -> None:
    """With the usual numbers first, then with what was measured and paid here."""
    usual = model_choice.offer()
    assert usual
    assert (usual.minutes, usual.speed, usual.tokens) == (6, "at 20 tokens a second", 22_500)
    own = model_choice.keep(HERE, "tiny", "", Speed(4, 3000, 300))
    assert model_choice.offer() is None
    model_choice.switch(acme, own.id, on=False)
    mine = model_choice.offer()
    assert mine
    assert (mine.minutes, mine.speed) == (1, "measured with tiny")


def test_a_choice_says_what_was_chosen_and_nothing_secret() -> None:
    """It stands in logs and errors."""
    assert "sk-1" not in repr(ChosenModel("http://box/v1", "tiny", "sk-1"))
