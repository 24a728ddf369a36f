"""Whether clients of a released version of `/v1` still work: what it promised, and what breaks of that.

After a release: `python -m tests.api.compatible` keeps the document of pyproject.toml's version beside it.
"""

import gzip
import json
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

Json = dict[str, Any]
KEPT = Path(__file__).parent
REF = "#/components/"
IN_WORDS = ("description", "summary", "example", "examples", "title", "x-any-of", "x-default")


def kept() -> dict[str, Json]:
    files = sorted(KEPT.glob("released-*.json.gz"))
    return {file.name[9:-8]: json.loads(gzip.decompress(file.read_bytes())) for file in files}


def keep(document: Json, of_version: str) -> None:
    """Write what a version promises, without its words."""
    promised = {name: document[name] for name in ("paths", "webhooks", "components")}
    text = json.dumps(without_words(promised), separators=(",", ":"), sort_keys=True)
    (KEPT / f"released-{of_version}.json.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def without_words(part: Any, *, names: bool = False) -> Any:
    """The schemas alone; `names` says that the keys are names of fields."""
    if isinstance(part, list):
        return [without_words(one) for one in part]
    if not isinstance(part, dict):
        return part
    shown = part if names else {name: value for name, value in part.items() if name not in IN_WORDS}
    return {name: without_words(value, names=name == "properties" and not names) for name, value in shown.items()}


def breaks(old: Json, new: Json) -> Iterator[str]:
    """What a client of the old document would stumble over, a line each."""
    for path, operations in old["paths"].items():
        for method, one in operations.items():
            where = f"{method.upper()} {path}"
            now = new["paths"].get(path, {}).get(method)
            if now is None:
                yield f"{where}: is gone"
            else:
                yield from _operation(_Pair(old, new), one, now, where)
    for event, operations in old["webhooks"].items():
        bodies = [_json(found["post"]["requestBody"]) for found in (operations, new["webhooks"].get(event, operations))]
        yield from _Pair(old, new).answers(*bodies, event)
        if event not in new["webhooks"]:
            yield f"{event}: is gone"


def _operation(pair: "_Pair", one: Json, now: Json, where: str) -> Iterator[str]:
    if one["operationId"] != now["operationId"]:
        yield f"{where}: is called {now['operationId']}, and was {one['operationId']}"
    before, after = pair.parameters(one, now)
    yield from (f"{where}: {name} is gone" for name in before.keys() - after.keys())
    for name, found in after.items():
        if found.get("required") and not before.get(name, {}).get("required"):
            yield f"{where}: {name} is required"
    for name in before.keys() & after.keys():
        yield from pair.takes(before[name]["schema"], after[name]["schema"], f"{where} {name}")
    if "requestBody" in now and "requestBody" not in one:
        yield f"{where}: needs a body"
    elif "application/json" in one.get("requestBody", {}).get("content", {}):
        yield from pair.takes(_json(one["requestBody"]), _json(now["requestBody"]), f"{where} body")
    for status, answer in one["responses"].items():
        if status < "3":
            if status not in now["responses"]:
                yield f"{where}: does not answer {status}"
            elif "application/json" in answer.get("content", {}):
                yield from pair.answers(_json(answer), _json(now["responses"][status]), f"{where} {status}")


def _json(part: Json) -> Json:
    found: Json = part["content"]["application/json"]["schema"]
    return found


class _Pair:
    """Two documents, and the schemas that were compared already."""

    def __init__(self, old: Json, new: Json) -> None:
        self._old, self._new = old, new
        self._seen: set[tuple[str, str, bool]] = set()

    def parameters(self, one: Json, now: Json) -> tuple[dict[str, Json], dict[str, Json]]:
        return tuple(  # type: ignore[return-value]
            {found["name"]: found for found in (_whole(document, part) for part in operation["parameters"])}
            for document, operation in ((self._old, one), (self._new, now))
        )

    def takes(self, one: Json, now: Json, where: str) -> Iterator[str]:
        """What was taken, and is not."""
        return self._compare(one, now, where, given=True)

    def answers(self, one: Json, now: Json, where: str) -> Iterator[str]:
        """What was answered, and is not."""
        return self._compare(one, now, where, given=False)

    def _compare(self, one: Json, now: Json, where: str, *, given: bool) -> Iterator[str]:
        tag = (one.get("$ref", ""), now.get("$ref", ""), given)
        if all(tag[:2]) and tag in self._seen:
            return
        self._seen.add(tag)
        before, after = _plain(self._old, one), _plain(self._new, now)
        kinds = [part.get("type") for part in (before, after)]
        if kinds[0] != kinds[1] and None not in kinds and kinds != (["integer", "number"] if given else []):
            yield f"{where}: is {kinds[1]}, and was {kinds[0]}"
            return
        wanted = set(map(str, before.get("enum", ()))) - set(map(str, after.get("enum", before.get("enum", ()))))
        yield from (f"{where}: {word} is gone" for word in sorted(wanted))
        fields, now_fields = before.get("properties", {}), after.get("properties", {})
        yield from (f"{where}.{name}: is gone" for name in fields.keys() - now_fields.keys())
        first, second = (before, after) if given else (after, before)
        needed = set(second.get("required", ())) - set(first.get("required", ()))
        yield from (f"{where}.{name}: is {'required' if given else 'not always there'}" for name in sorted(needed))
        for name in fields.keys() & now_fields.keys():
            yield from self._compare(fields[name], now_fields[name], f"{where}.{name}", given=given)
        if "items" in before and "items" in after:
            yield from self._compare(before["items"], after["items"], f"{where}[]", given=given)


def _whole(document: Json, part: Json) -> Json:
    while "$ref" in part:
        found: Any = document["components"]
        for name in part["$ref"].removeprefix(REF).split("/"):
            found = found[name]
        part = found
    return part


def _plain(document: Json, schema: Json) -> Json:
    schema = _whole(document, schema)
    real = [one for one in schema.get("anyOf", ()) if one != {"type": "null"} and ("type" in one or "$ref" in one)]
    return _plain(document, real[0]) if len(real) == 1 and "type" not in schema else schema


if __name__ == "__main__":
    import app.api  # noqa: F401 declares the endpoints
    from app.api.framework.declarations import ENDPOINTS
    from app.api.framework.openapi import document

    keep(document(ENDPOINTS, ""), version("overture"))
