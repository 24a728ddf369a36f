"""Model servers: find Ollama or llama.cpp on this machine, list their models, and measure how fast one answers."""

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from app.ports import ModelServer, ProviderError, Refused, Speed, Unreachable
from app.ports.models import LETTERS, PINNED
from app.providers.http import HttpClient
from app.providers.json_api import text_of
from app.providers.model import ChatModel, Hello, ModelFailed, Sample, Shape, Spent

OLLAMA, LLAMA_CPP = "http://127.0.0.1:11434", "http://127.0.0.1:8080"
_SOON = 3.0  # seconds: a server on this machine answers at once
WARM_UP = 300.0  # seconds: loading a model from a slow disk
_SLOWEST, _FASTEST = 0.1, 100_000.0  # tokens a second that are believed
_READING = "\n".join(f"Shelf {number} holds {number * 7} boxes of screws, sorted by length." for number in range(60))


def ollama_at(host: str) -> str:
    """Return the address that OLLAMA_HOST names, in the forms that Ollama itself takes."""
    if not (bare := host.strip().rstrip("/")):
        return OLLAMA
    if "://" not in bare:
        bare = f"http://{bare}"
    parts = urlsplit(bare.replace("//0.0.0.0", "//127.0.0.1"))
    return f"{parts.scheme}://{parts.hostname}:{parts.port or 11434}"


def local(client: HttpClient, ollama: str = OLLAMA, llama_cpp: str = LLAMA_CPP) -> Sequence[ModelServer]:
    """Return the model servers that answer on this machine."""
    found = []
    if (tags := _read(client, f"{ollama}/api/tags")) is not None:
        found.append(ModelServer("Ollama", f"{ollama}/api", _names(tags.get("models"), "name")))
    if (listed := _read(client, f"{llama_cpp}/v1/models")) is not None:
        found.append(ModelServer("llama.cpp", f"{llama_cpp}/v1", _names(listed.get("data"), "id")))
    return found


def at(client: HttpClient, url: str, key: str) -> ModelServer:
    """Return the server at an address, with or without its /v1; Unreachable says why there is none."""
    bare = url.rstrip("/")
    if (listed := _read(client, f"{bare}/models", key, within=20)) is not None and not bare.endswith("/api"):
        return ModelServer("OpenAI-compatible", bare, _names(listed.get("data"), "id"))
    root = bare.removesuffix("/api")
    if (tags := _read(client, f"{root}/api/tags", key, within=10)) is not None:
        return ModelServer("Ollama", f"{root}/api", _names(tags.get("models"), "name"))
    if (listed := _read(client, f"{bare}/v1/models", key, within=10)) is not None:
        return ModelServer("OpenAI-compatible", f"{bare}/v1", _names(listed.get("data"), "id"))
    raise Unreachable(f"No OpenAI-compatible service answers at {bare}. Check the address and the key.")


def choose(servers: Sequence[ModelServer], name: str = "") -> tuple[ModelServer, str]:
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


def measure(client: HttpClient, url: str, key: str, name: str) -> Speed:
    """Ask for a word, so that the model is loaded, then let it read and write; Unreachable says why it fails."""
    model = ChatModel(client, url, key, name, 0, within=WARM_UP)
    warm_up = _asked(model, "Give one word of greeting as `word`.", {}, Hello).seconds
    written = _asked(model, "Write about bread in 80 words as `text`.", {}, Sample)
    writes = _rate(written.written, written.writing or written.seconds)
    read = _asked(model, "Give one word that stands in the material as `word`.", _READING, Hello)
    reading = read.reading or max(read.seconds - read.written / writes, read.seconds / 2)
    return Speed(warm_up, _rate(read.read or len(_READING) // LETTERS, reading), writes)


def _rate(tokens: int, seconds: float) -> float:
    return min(max(tokens / max(seconds, 1e-6), _SLOWEST), _FASTEST)


def _asked(model: ChatModel, task: str, material: Any, shape: type[Shape]) -> Spent:
    try:
        model.ask(task, material, shape, lambda found: [])
    except ModelFailed as failure:
        raise Unreachable(f"The model {model.name} does not work: {failure.sentence}.") from None
    return model.spent or Spent(0, 1, 0.0)


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
    return tuple(name for one in several if isinstance(one, dict) and (name := text_of(one.get(key))))
