"""Finding a model server and its own protocol: Ollama's chat, and what is measured of a model before it writes."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.core import model_choice
from app.ports import Unreachable
from app.providers import model_servers
from app.providers.http import HttpClient
from app.providers.model import CONTEXT, ChatModel, Hello, ModelFailed
from tests.providers.scripted_model import NAME, Character, ScriptedModel
from tests.receivers import Receiver

CLIENT = HttpClient(allow_private=True)
NOWHERE = "http://127.0.0.1:9"  # no one listens to the port of discard


@pytest.fixture
def start() -> Iterator[Callable[..., ScriptedModel]]:
    """Starts models."""
    started: list[ScriptedModel] = []

    def model(character: Character = Character.GOOD) -> ScriptedModel:
        started.append(ScriptedModel(character))
        return started[-1]

    yield model
    for one in started:
        one.stop()


def test_servers_of_this_machine_are_found_with_their_models(start: Callable[..., ScriptedModel]) -> None:
    """Ollama is asked by its own protocol, llama.cpp by that of OpenAI."""
    one = start()
    assert model_servers.local(CLIENT, one.address, one.address) == [
        model_servers.Server("Ollama", f"{one.address}/api", (NAME,)),
        model_servers.Server("llama.cpp", f"{one.address}/v1", (NAME,)),
    ]
    assert model_servers.local(CLIENT, NOWHERE, NOWHERE) == []


def test_a_service_is_found_at_its_address(start: Callable[..., ScriptedModel]) -> None:
    """And refused in plain words where none answers."""
    one = start()
    assert model_servers.at(CLIENT, one.url + "/", "sk-1").models == (NAME,)
    with pytest.raises(Unreachable, match="No OpenAI-compatible service answers"):
        model_servers.at(CLIENT, NOWHERE, "")


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("", "http://127.0.0.1:11434"),
        ("box:8000", "http://box:8000"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("https://box/", "https://box:11434"),
    ],
)
def test_the_address_of_ollama_is_read_as_ollama_reads_it(host: str, address: str) -> None:
    """From OLLAMA_HOST."""
    assert model_servers.ollama_at(host) == address


def test_ollama_gets_the_schema_and_the_size_of_the_context(start: Callable[..., ScriptedModel]) -> None:
    """Else it would cut the material without a word."""
    one = start()
    model = ChatModel(CLIENT, f"{one.address}/api", "", NAME, 1000)
    assert model.ask("Say hello.", {}, Hello, lambda found: []).word
    (body,) = one.bodies
    assert body["format"] == Hello.model_json_schema()
    assert (body["options"]["num_ctx"], body["stream"]) == (CONTEXT, False)
    model.ask("Say hello.", {}, Hello, lambda found: [])
    with pytest.raises(ModelFailed, match="budget of tokens"):  # 900 of 1,000 were counted for the first
        model.ask("Say hello.", {}, Hello, lambda found: [])


def test_an_answer_that_was_cut_off_is_no_answer() -> None:
    """Whatever its first half says."""
    cut = b'{"message": {"content": "{\\"word\\": \\"hi\\"}"}, "done": true, "done_reason": "length"}'
    receiver = Receiver(lambda request: (200, {"content-type": "application/json"}, cut))
    with pytest.raises(ModelFailed, match="cut off"):
        ChatModel(CLIENT, receiver.url.removesuffix("/hook") + "/api", "", NAME, 0).ask(
            "Say hello.", {}, Hello, lambda found: []
        )
    receiver.stop()


def test_a_model_is_measured_before_it_is_kept(start: Callable[..., ScriptedModel]) -> None:
    """It is loaded by the first answer; one that gives no usable answer is refused."""
    one = start()
    found = model_servers.measure(CLIENT, f"{one.address}/api", "", NAME)
    assert len(one.bodies) == 2
    assert found.fits is (found.play <= 50)
    with pytest.raises(Unreachable, match="does not work: its answer was not usable"):
        model_servers.measure(CLIENT, start(Character.MALFORMED).url, "", NAME)


def test_a_slow_model_does_not_fit() -> None:
    """What counts is how long the messages of a play take, not how long it takes to load."""
    assert model_servers.Measured(200, 5).fits
    assert not model_servers.Measured(1, 20).fits


def test_the_choice_is_kept_for_its_owner_alone(tmp_path: Path) -> None:
    """And can be forgotten; a file that was broken by hand counts as none."""
    file = model_choice.keep(tmp_path / "instance", "http://box/api", "tiny", "sk-1")
    assert file.stat().st_mode & 0o777 == 0o600
    assert [*model_choice.read(file.parent).values()] == ["http://box/api", "tiny", "sk-1"]
    file.write_text("{")
    assert model_choice.read(file.parent) == {}
    assert [model_choice.forget(file.parent), model_choice.forget(file.parent)] == [True, False]
