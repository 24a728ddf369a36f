"""Model servers on this machine: find Ollama or llama.cpp, list their models, and measure how fast one answers."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from app.ports import ProviderError, Refused, Unreachable
from app.providers.http import HttpClient
from app.providers.model import WITHIN, ChatModel, Hello, ModelFailed, Sample, Shape

PINNED = "qwen2.5:7b-instruct-q4_K_M"  # an instruct model of 7.6 B under the Apache licence; 4.7 GB
OLLAMA, LLAMA_CPP = "http://127.0.0.1:11434", "http://127.0.0.1:8080"
_SOON = 3.0  # seconds: a server on this machine answers at once
WARM_UP = 300.0  # seconds: loading a model from a slow disk
MESSAGES = 6  # of a play, each as long as the sample


@dataclass(frozen=True)
class Server:
    """A model server: what it is, the address for OVERTURE_MODEL_URL, and the models it has."""

    kind: str  # Ollama, llama.cpp or OpenAI-compatible
    url: str
    models: tuple[str, ...]


@dataclass(frozen=True)
class Measured:
    """Seconds that a model took for its first answer, for which it is loaded, and for a text as long as a message."""

    warm_up: float
    message: float

    @property
    def play(self) -> float:
        """Return how long the messages of a play take in about."""
        return self.message * MESSAGES

    @property
    def fits(self) -> bool:
        """Return whether a play is written within the time that a model gets."""
        return self.play <= WITHIN


def ollama_at(host: str) -> str:
    """Return the address that OLLAMA_HOST names, in the forms that Ollama itself takes."""
    if not (bare := host.strip().rstrip("/")):
        return OLLAMA
    if "://" not in bare:
        bare = f"http://{bare}"
    parts = urlsplit(bare.replace("//0.0.0.0", "//127.0.0.1"))
    return f"{parts.scheme}://{parts.hostname}:{parts.port or 11434}"


def local(client: HttpClient, ollama: str = OLLAMA, llama_cpp: str = LLAMA_CPP) -> Sequence[Server]:
    """Return the model servers that answer on this machine."""
    found = []
    if (tags := _read(client, f"{ollama}/api/tags")) is not None:
        found.append(Server("Ollama", f"{ollama}/api", _names(tags.get("models"), "name")))
    if (listed := _read(client, f"{llama_cpp}/v1/models")) is not None:
        found.append(Server("llama.cpp", f"{llama_cpp}/v1", _names(listed.get("data"), "id")))
    return found


def at(client: HttpClient, url: str, key: str) -> Server:
    """Return the OpenAI-compatible service at an address; Unreachable says why there is none."""
    bare = url.rstrip("/")
    listed = _read(client, f"{bare}/models", key, within=20)
    if listed is None:
        raise Unreachable(f"No OpenAI-compatible service answers at {bare}. Check the address and the key.")
    return Server("OpenAI-compatible", bare, _names(listed.get("data"), "id"))


def choose(servers: Sequence[Server], name: str = "") -> tuple[Server, str]:
    """Return the server and its model of that name, the pinned one or its only one; Refused says what to do first."""
    if not servers:
        raise Refused(
            "No model server answers on this machine. Install Ollama from https://ollama.com, run "
            f"`ollama pull {PINNED}`, then run this command again. Or name a service with --url."
        )
    server = next((one for one in servers if one.models), servers[0])
    wanted = name or (PINNED if PINNED in server.models else server.models[0] if len(server.models) == 1 else "")
    if wanted in server.models:
        return server, wanted
    if server.kind == "Ollama":
        raise Refused(f"Run `ollama pull {name or PINNED}`, then run this command again.")
    raise Refused(f"Name one of its models with --name: {', '.join(server.models[:20]) or 'it lists none'}.")


def measure(client: HttpClient, url: str, key: str, name: str) -> Measured:
    """Ask for a word, so that the model is loaded, then for a text; Unreachable says why it does not work."""
    return Measured(
        _timed(ChatModel(client, url, key, name, 0, within=WARM_UP), "Give one word of greeting as `word`.", Hello),
        _timed(
            ChatModel(client, url, key, name, 0, within=WARM_UP), "Write about bread in 80 words as `text`.", Sample
        ),
    )


def _timed(model: ChatModel, task: str, shape: type[Shape]) -> float:
    began = time.monotonic()
    try:
        model.ask(task, {}, shape, lambda found: [])
    except ModelFailed as failure:
        raise Unreachable(f"The model {model.name} does not work: {failure.sentence}.") from None
    return time.monotonic() - began


def _read(client: HttpClient, url: str, key: str = "", within: float = _SOON) -> dict[str, Any] | None:
    headers = {"accept": "application/json", **({"authorization": f"Bearer {key}"} if key else {})}
    try:
        answer = client.call("GET", url, headers, b"", most=1_000_000, within=within)
        found = json.loads(answer.body) if answer.status == 200 else None
    except (ProviderError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _names(listed: Any, key: str) -> tuple[str, ...]:
    several = listed if isinstance(listed, list) else []
    return tuple(str(one[key]) for one in several if isinstance(one, dict) and one.get(key))
