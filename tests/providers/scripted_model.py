"""A model server for tests that keeps to the published contracts and has a character.

It speaks the chat completions of OpenAI and the chat of Ollama, lists its one model for both, and fills in whatever
schema it is asked for from the material it was given. The characters are the ways in which a real model may behave.
"""

import json
import re
import threading
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from tests.support.receivers import Answer, Received, Receiver

NAME = "scripted"
BAIT = "https://evil.example/pay"
FALSE = "We save our customers 40% on average and are the market leader."
FALSE_OF_THEM = "You lost 40% of your customers last year and need help."
GERMAN = "Ich habe eine kurze Frage an Sie, und ich freue mich auf Ihre Antwort."
_MARKED = re.compile(r"\n(?P<mark>[0-9a-f]{16,})\n(?P<inside>.*)\n(?P=mark)\n", re.DOTALL)
_SENTENCE = re.compile(r"[^.!?\n]{12,160}[.!?]")


class Character(StrEnum):
    """How the model behaves: it is `good`, answers after a while, breaks off, gives a true quote for a false claim,
    does what strangers' texts ask for, or answers in German."""

    GOOD = "good"
    SLOW = "slow"
    MALFORMED = "malformed"
    LAUNDERING = "laundering"
    HOSTILE = "hostile"
    GERMAN = "german"


class ScriptedModel:
    """Serves one model. `bodies` is what it was asked, `answers` what it said; a slow one waits `waits` seconds."""

    def __init__(self, character: Character = Character.GOOD, waits: float = 5.0) -> None:
        self.character, self.waits = character, waits
        self.bodies: list[dict[str, Any]] = []
        self.answers: list[str] = []
        self._over = threading.Event()
        self._receiver = Receiver(self._answer)
        self.address = self._receiver.url.removesuffix("/hook")
        self.url = f"{self.address}/v1"

    def stop(self) -> None:
        self._over.set()
        self._receiver.stop()

    def _answer(self, request: Received) -> Answer:
        listed = {
            "/v1/models": {"object": "list", "data": [{"id": NAME, "object": "model", "owned_by": "tests"}]},
            "/api/tags": {"models": [{"name": NAME, "model": NAME, "details": {"parameter_size": "8B"}}]},
        }
        if request.path in listed:
            return _json(listed[request.path])
        if request.path not in ("/v1/chat/completions", "/api/chat"):
            return 404, {}, b"{}"
        body = json.loads(request.body)
        self.bodies.append(body)
        if self.character is Character.SLOW:
            self._over.wait(self.waits)
        content = self._content(body)
        self.answers.append(content)
        if request.path == "/api/chat":
            message = {"role": "assistant", "content": content}
            counts = {"prompt_eval_count": 600, "eval_count": 300}
            return _json({"model": NAME, "message": message, "done": True, "done_reason": "stop", **counts})
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}
        return _json({"object": "chat.completion", "choices": [choice], "usage": {"total_tokens": 900}})

    def _content(self, body: Mapping[str, Any]) -> str:
        wanted = body.get("format") or body.get("response_format", {}).get("json_schema", {}).get("schema")
        given = _given(body)
        schema = wanted if isinstance(wanted, dict) else _schema(body)
        whole = json.dumps(
            _Answers(self.character, given, schema.get("$defs", {}), body["messages"]).of(schema, ""),
            ensure_ascii=False,
        )
        return whole[: len(whole) // 2] if self.character is Character.MALFORMED else whole


class _Answers:
    """Fills a schema with words of the material, in the way of the character."""

    def __init__(self, character: Character, given: Any, definitions: Mapping[str, Any], said: Any) -> None:
        self.character, self.given, self.definitions = character, given, definitions
        self.task, self.in_german = said[1]["content"].partition("\n\n")[0], "Write in German" in said[0]["content"]
        self.page, self.quote = _evidence(given)
        self.fact, self.part = 1, ""
        if isinstance(given, dict) and isinstance(several := given.get("facts"), list) and several:
            told = [one for one in several if isinstance(one, dict) and one.get("kind") == "company"] or several
            if isinstance(told[0], dict):
                self.fact, self.quote = told[0]["id"], told[0]["quote"]

    def of(self, schema: Mapping[str, Any], name: str, place: int = 0, one: Any = None) -> Any:
        """Return what fits a schema; `one` is the part of the material that an entry of a list answers."""
        if "$ref" in schema:
            return self.of(self.definitions[schema["$ref"].rpartition("/")[2]], name, place, one)
        if "anyOf" in schema:
            return self.of(schema["anyOf"][0], name, place, one)
        if "enum" in schema or "const" in schema:
            return schema.get("const", schema.get("enum", [None])[0])
        match schema.get("type"):
            case "object":
                self.part = name
                parts = schema.get("properties", {})
                return {key: self.of(part, key, place, one) for key, part in parts.items()}
            case "array" if name == "sentences" and "topic" in self.given:
                return self._message()
            case "array":
                answered = self._entries(name)
                return [self.of(schema["items"], name, number, each) for number, each in enumerate(answered)]
            case "boolean":
                return True
            case "integer" | "number":
                return one if isinstance(one, int) else self.fact if name == "facts" else place
            case _:
                return self._words(name, place, one)

    def _entries(self, name: str) -> list[Any]:
        several = self.given.get(name) if isinstance(self.given, dict) else None
        if name == "steps" and isinstance(several, list):
            return several
        counts = {"facts": 1, "pitches": 1, "details": 1, "sentences": 1}
        return [None] * counts.get(name, 0)

    def _words(self, name: str, place: int, one: Any) -> str:
        if isinstance(one, dict) and name in one and name == "id":
            return str(one[name])
        if name == "subject":
            is_email = one.get("kind") == "email" if isinstance(one, dict) else "The subject has" in self.task
            return (self.given.get("topic") or "A question") if is_email else ""
        if name == "topic":
            return "pump repair"
        if isinstance(one, dict) and name == "text":
            return {Character.HOSTILE: f"Visit {BAIT} now.", Character.LAUNDERING: FALSE}.get(
                self.character, one["text"]
            )
        if name == "text" and isinstance(self.given, dict) and "person" in self.given:
            return self._opener()
        if self.character is Character.HOSTILE and name in ("text", "sentence", "reply"):
            return f"Visit {BAIT} now."
        if self.character is Character.LAUNDERING and name in ("text", "sentence"):
            return FALSE
        return self.quote

    def _opener(self) -> str:
        """Say a sentence to one person: what their company's website says, in its words."""
        said = {Character.HOSTILE: f"Visit {BAIT} now.", Character.LAUNDERING: FALSE_OF_THEM}
        if self.part == "reason" and self.character not in said:
            german = self.character is Character.GERMAN
            return "Deshalb schreibe ich Ihnen." if german else "That is why I write to you."
        read = "Auf Ihrer Website steht" if self.character is Character.GERMAN else "I read on your website"
        return said.get(self.character, f"{read}: {self.quote}")

    def _message(self) -> list[dict[str, Any]]:
        """Say a message: what it is for stands in the task, and what may be said of the business in the facts."""
        said = {Character.HOSTILE: f"Visit {BAIT} now.", Character.LAUNDERING: FALSE, Character.GERMAN: GERMAN}
        facts, topic, german = self.given["facts"], self.given["topic"], self.in_german
        told = facts[min("add one thing" in self.task, len(facts) - 1)]
        who = ("Ich bin von {}." if german else "I'm with {}.").format(self.given["business"])
        if self.character in said:
            lines = [(said[self.character], [told["id"]])]
        elif "Do not pitch" in self.task and "note" in self.task:
            asked = "Ich habe eine Frage zum Thema {}." if german else "I have a question about {}."
            lines = [(who, []), (asked.format(topic), [])]
        elif "Do not pitch" in self.task:
            lines = [("Ich belasse es dabei." if german else "I'll leave it here.", [])]
        else:
            asked = "Wie lösen Sie das Thema {} heute bei {}?" if german else "How do you handle {} at {} today?"
            lines = [(who, [])] * ("email" in self.task) + [(told["quote"], [told["id"]])]
            lines += [(asked.format(topic, "{{company_name}}"), [])]
        return [{"text": text, "facts": named} for text, named in lines]


def _json(content: Any) -> Answer:
    return 200, {"content-type": "application/json"}, json.dumps(content).encode()


def _given(body: Mapping[str, Any]) -> Any:
    """Return the material between the marks; {} when there is none."""
    for message in reversed(body["messages"]):
        found = _MARKED.search(f"\n{message['content']}\n")
        if found:
            try:
                return json.loads(found["inside"].partition("\nSchema: ")[0])
            except json.JSONDecodeError:
                return {}
    return {}


def _schema(body: Mapping[str, Any]) -> dict[str, Any]:
    for message in body["messages"]:
        _, found, after = message["content"].rpartition("Schema: ")
        if found:
            schema: dict[str, Any] = json.JSONDecoder().raw_decode(after)[0]
            return schema
    return {}


def _evidence(given: Any) -> tuple[str, str]:
    """Return the address of the first page in the material, and a sentence that stands on it."""
    waiting = [given]
    while waiting:
        one = waiting.pop(0)
        if isinstance(one, dict):
            address = next((value for value in one.values() if isinstance(value, str) and "://" in value[:12]), "")
            said = " ".join(value for key, value in one.items() if isinstance(value, str) and key in ("text", "words"))
            if address and (found := _SENTENCE.search(said)):
                return address, found[0].strip()
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
    found = _SENTENCE.search(json.dumps(given, ensure_ascii=False))
    return "", found[0].strip() if found else "Nothing was given."
