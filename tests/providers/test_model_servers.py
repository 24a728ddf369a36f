"""Finding a model server and its own protocol: Ollama's chat, and what is measured of a model before it writes."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from app.ports import ModelServer, Speed, Unreachable
from app.ports.models import LONGEST, SHORTEST
from app.providers import model_servers
from app.providers.http import HttpClient, HttpResponse
from app.providers.model import CONTEXT, ChatModel, Hello, ModelFailed, Sample
from app.providers.model_switch import ModelSwitch
from tests.providers.scripted_model import NAME, Character, ScriptedModel
from tests.support.receivers import Answer, Received, Receiver

CLIENT = HttpClient(allow_private=True)
Start = Callable[..., ScriptedModel]
NOWHERE = "http://127.0.0.1:9"  # no one listens to the port of discard


def test_servers_of_this_machine_are_found_with_their_models(start_model: Start) -> None:
    """Ollama is asked by its own protocol, llama.cpp by that of OpenAI."""
    one = start_model()
    assert model_servers.local(CLIENT, one.address, one.address) == [
        ModelServer("Ollama", f"{one.address}/api", (NAME,)),
        ModelServer("llama.cpp", f"{one.address}/v1", (NAME,)),
    ]
    assert model_servers.local(CLIENT, NOWHERE, NOWHERE) == []


def test_a_service_is_found_by_the_address_that_people_know(start_model: Start) -> None:
    """With or without /v1, and with Ollama's own protocol where its /api is named."""
    one = start_model()
    assert model_servers.at(CLIENT, one.url + "/", "sk-1").models == (NAME,)
    assert model_servers.at(CLIENT, one.address, "").url == f"{one.address}/api"
    assert model_servers.at(CLIENT, f"{one.address}/api", "") == ModelServer("Ollama", f"{one.address}/api", (NAME,))
    with pytest.raises(Unreachable, match="No OpenAI-compatible service answers"):
        model_servers.at(CLIENT, NOWHERE, "")


def test_addresses_of_model_servers() -> None:
    """Ollama's is read from OLLAMA_HOST; a machine of a private network costs nothing, told by its address alone."""
    hosts = {
        "": "http://127.0.0.1:11434",
        "box:8000": "http://box:8000",
        "0.0.0.0": "http://127.0.0.1:11434",
        "https://box/": "https://box:11434",
    }
    assert {host: model_servers.ollama_at(host) for host in hosts} == hosts
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


def test_a_model_is_measured_before_it_writes(start_model: Start) -> None:
    """It is loaded by the first answer, then it writes, then it reads; one without a usable answer is refused."""
    one = start_model()
    found = model_servers.measure(CLIENT, f"{one.address}/api", "", NAME)
    assert len(one.bodies) == 3
    assert found.warm_up > 0
    assert found.reads > 0
    assert found.writes > 0
    with pytest.raises(Unreachable, match="does not work: its answer was not usable"):
        model_servers.measure(CLIENT, start_model(Character.MALFORMED).url, "", NAME)


TIMES: dict[str, dict[str, Any]] = {
    "/api": {"prompt_eval_count": 400, "prompt_eval_duration": 2e9, "eval_count": 60, "eval_duration": 3e9},
    "/v1": {
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        "timings": {"prompt_n": 400, "prompt_ms": 2000, "predicted_n": 60, "predicted_ms": 3000},
    },
}


def test_the_times_that_a_server_tells_are_believed() -> None:
    """Ollama tells nanoseconds, llama.cpp milliseconds; the way there and back is no part of them."""

    def answer(request: Received) -> Answer:
        path = request.path[: len("/api")].removesuffix("/")
        wanted = "text" if "bread" in json.loads(request.body)["messages"][1]["content"] else "word"
        message = {"role": "assistant", "content": json.dumps({wanted: "Bread"})}
        said = {"message": message, "done": True} if path == "/api" else {"choices": [{"message": message}]}
        return 200, {"content-type": "application/json"}, json.dumps(said | TIMES[path]).encode()

    receiver = Receiver(answer)
    for path in TIMES:
        found = model_servers.measure(CLIENT, receiver.url.removesuffix("/hook") + path, "", "tiny")
        assert (found.reads, found.writes) == (200.0, 20.0), path
    receiver.stop()


def test_the_limit_of_a_question_follows_from_the_speed() -> None:
    """Twice for a repair, half as much again for a busy machine, and in bounds; a slow model does not fit."""
    for speed, limit in (
        (Speed(2, 1000, 100), 2 + 3 * (3.5 + 12)),  # a good graphics card
        (Speed(0.5, 5000, 300), SHORTEST),
        (Speed(40, 50, 5), LONGEST),
    ):
        assert speed.limit(3500, 1200) == pytest.approx(limit)
    assert Speed(10, 200, 20).fits
    assert not Speed(10, 200, 4).fits


def test_a_measured_model_has_as_long_as_it_needs() -> None:
    asked: list[float] = []

    class Client(HttpClient):
        def call(self, *given: Any, within: float, **more: Any) -> HttpResponse:
            asked.append(within)
            raise Unreachable("It is off.")

    for speed in (None, Speed(5, 100, 10)):
        with pytest.raises(ModelFailed):
            ChatModel(Client(), "http://box/v1", "", "tiny", 0, speed=speed).ask("Hi.", {}, Sample, lambda it: [])
    assert asked[0] == pytest.approx(50, abs=1)
    assert asked[1] == pytest.approx(5 + 3 * (3 + Sample.tokens / 10), abs=10)
