"""The model that writes now: the one of the environment's settings, else the one that was chosen in the database.

The choice is read before each piece of writing, so that it holds in every process at once, without a restart.
"""

import ipaddress
import json
from dataclasses import replace
from typing import Any

from app import ports
from app.core.text import url_parts
from app.ports import ChosenModel, ModelServer, ProviderError, Unreachable
from app.ports.models import Probe
from app.providers import addresses
from app.providers.http import HttpClient
from app.providers.json_api import text_of
from app.providers.model import ChatModel
from app.providers.writer.probe import probe


def server_at(client: HttpClient, url: str, key: str) -> ModelServer:
    """Return the server at an address, with or without its /v1; Unreachable says why there is none."""
    bare = url.rstrip("/")
    if (listed := _read(client, f"{bare}/models", key, within=20)) is not None and not bare.endswith("/api"):
        return ModelServer("OpenAI-compatible", bare, _names(listed.get("data"), "id"))
    root = bare.removesuffix("/api")
    if (tags := _read(client, f"{root}/api/tags", key, within=10)) is not None:
        return ModelServer("Ollama", f"{root}/api", _names(tags.get("models"), "name"))
    if (listed := _read(client, f"{bare}/v1/models", key, within=10)) is not None:
        return ModelServer("OpenAI-compatible", f"{bare}/v1", _names(listed.get("data"), "id"))
    raise Unreachable(f"No OpenAI-compatible service responds at {bare}. Check the address and the key.")


def _read(client: HttpClient, url: str, key: str, within: float) -> dict[str, Any] | None:
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


LOADING = 300.0  # seconds for the first word: a model may have to be read from a slow disk


class ModelSwitch:
    """A `ports.Models`. `tokens` is what each workspace may use of a model per day."""

    def __init__(self, client: HttpClient, tokens: int, fixed: ChosenModel | None = None) -> None:
        self._client, self._tokens, self._fixed = client, tokens, fixed
        self._made: tuple[ChosenModel, ChatModel] | None = None

    def fixed(self) -> ChosenModel | None:
        return self._fixed

    def current(self) -> ChatModel | None:
        chosen: ChosenModel | None
        if self._fixed:
            mode = ports.model_choices().mode_of(self._fixed.url, self._fixed.name)
            chosen = replace(self._fixed, mode=mode)
        else:
            chosen = ports.model_choices().chosen()
        if chosen is None:
            return None
        made = self._made  # read once: another thread may replace it
        if made is None or made[0] != chosen:
            self._made = made = (chosen, self._model(chosen))
        return made[1]

    def _model(self, chosen: ChosenModel) -> ChatModel:
        return ChatModel(
            self._client,
            chosen.url,
            chosen.key,
            chosen.name,
            self._tokens,
            mode=chosen.mode,
            meter=ports.model_meter,
        )

    def longest(self) -> float:
        model = self.current()
        return model.within if model else 0.0

    def at(self, url: str, key: str) -> ModelServer:
        return server_at(self._client, url, key)

    def is_own(self, url: str) -> bool:
        host = url_parts(url).hostname or ""
        try:
            return addresses.verdict(ipaddress.ip_address(host)) == "private"
        except ValueError:
            return "." not in host or f".{host}".endswith(addresses.INNER_NAMES)

    def probe(self, url: str, key: str, name: str) -> Probe:
        ChatModel(self._client, url, key, name, 0, within=LOADING, meter=ports.model_meter).check()
        return probe(ChatModel(self._client, url, key, name, 0, meter=ports.model_meter))
