"""Model servers: find the one at an address, and list its models."""

import json
from typing import Any

from app.ports import ModelServer, ProviderError, Unreachable
from app.providers.http import HttpClient
from app.providers.json_api import text_of


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
