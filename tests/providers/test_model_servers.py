"""Finding a model server at an address, and Ollama's own protocol."""

from collections.abc import Callable

import pytest

from app.ports import ModelServer, Unreachable
from app.providers import model_switch
from app.providers.http import HttpClient
from app.providers.model import CONTEXT, ChatModel, Hello, ModelFailed
from app.providers.model_switch import ModelSwitch
from tests.providers.scripted_model import NAME, ScriptedModel
from tests.support.receivers import Receiver

CLIENT = HttpClient(allow_private=True)
Start = Callable[..., ScriptedModel]
NOWHERE = "http://127.0.0.1:9"  # no one listens to the port of discard


def test_a_service_is_found_by_the_address_that_people_know(start_model: Start) -> None:
    """With or without /v1, and with Ollama's own protocol where its /api is named."""
    one = start_model()
    assert model_switch.server_at(CLIENT, one.url + "/", "sk-1").models == (NAME,)
    assert model_switch.server_at(CLIENT, one.address, "").url == f"{one.address}/api"
    assert model_switch.server_at(CLIENT, f"{one.address}/api", "") == ModelServer(
        "Ollama", f"{one.address}/api", (NAME,)
    )
    with pytest.raises(Unreachable, match="No OpenAI-compatible service responds"):
        model_switch.server_at(CLIENT, NOWHERE, "")


def test_a_machine_of_a_private_network_is_told_by_its_address() -> None:
    own = {
        "http://127.0.0.1:11434/api": True,
        "http://10.1.2.3/v1": True,
        "http://ollama:11434/api": True,
        "http://box.lan/v1": True,
        "https://api.openai.com/v1": False,
        "http://8.8.8.8/v1": False,
    }
    assert {url: ModelSwitch(CLIENT, 0).is_own(url) for url in own} == own


def test_ollama_gets_the_schema_and_the_size_of_the_context(start_model: Start) -> None:
    """Else it would cut the material without a word."""
    one = start_model()
    model = ChatModel(CLIENT, f"{one.address}/api", "", NAME, 1000)
    assert model.ask("Say hello.", {}, Hello, lambda found: []).word
    (body,) = one.bodies
    assert body["format"] == Hello.model_json_schema()
    assert (body["options"]["num_ctx"], body["stream"]) == (CONTEXT, False)
    model.ask("Say hello.", {}, Hello, lambda found: [])
    with pytest.raises(ModelFailed, match="budget of tokens"):  # 900 of 1,000 were counted for the first
        model.ask("Say hello.", {}, Hello, lambda found: [])


def test_an_answer_that_was_cut_off_is_no_answer(running: Callable[[Receiver], Receiver]) -> None:
    cut = b'{"message": {"content": "{\\"word\\": \\"hi\\"}"}, "done": true, "done_reason": "length"}'
    receiver = running(Receiver(lambda request: (200, {"content-type": "application/json"}, cut)))
    model = ChatModel(CLIENT, receiver.url.removesuffix("/hook") + "/api", "", NAME, 0)
    with pytest.raises(ModelFailed, match="cut off"):
        model.ask("Say hello.", {}, Hello, lambda found: [])
