"""Log lines are one line each, belong to their request, and hold no secrets."""

import contextvars
import json
import logging
from typing import Any

import pytest

from app.core.logs import JsonLines, TextLines, redact, request_id


def record(message: str, *arguments: Any, **fields: Any) -> logging.LogRecord:
    """A record as a logger makes it."""
    made = logging.LogRecord("app.x", logging.INFO, __file__, 1, message, arguments, None)
    made.fields = fields
    return made


def test_a_line_is_one_json_object_with_its_fields() -> None:
    """One JSON object with the moment, the level, the logger, the message and its fields."""
    line = contextvars.Context().run(lambda: JsonLines().format(record("Sent %s", "it", campaign=7)))
    entry = json.loads(line)
    assert (entry["level"], entry["logger"], entry["message"], entry["campaign"]) == ("info", "app.x", "Sent it", 7)
    assert entry["at"].endswith("+00:00")
    assert "requestId" not in entry


def test_lines_of_a_request_carry_its_id() -> None:
    """By which they are found together."""

    def within() -> str:
        request_id.set("req_1")
        return JsonLines().format(record("Hello"))

    assert json.loads(contextvars.Context().run(within))["requestId"] == "req_1"


@pytest.mark.parametrize("lines", [JsonLines(), TextLines()])
@pytest.mark.parametrize("forged", ["a\nerror app: b", "a\r\n{}", "a\x1b[31mb", "a\x00b"])
def test_no_text_can_forge_a_second_line(lines: logging.Formatter, forged: str) -> None:
    """Neither as the message nor as a field."""
    for one in (record("%s", forged), record("x", path=forged)):
        line = lines.format(one)
        assert len(line.splitlines()) == 1
        assert not any(ord(character) < 32 for character in line)


def test_a_fault_keeps_its_traceback() -> None:
    """In JSON as a field, so that it is still one line."""
    try:
        raise ValueError("broken")
    except ValueError as fault:
        made = record("Failed")
        made.exc_info = (type(fault), fault, fault.__traceback__)
    line = JsonLines().format(made)
    assert "ValueError: broken" in json.loads(line)["error"]
    assert len(line.splitlines()) == 1


@pytest.mark.parametrize(
    ("secret", "kept"),
    [
        ("ovt_live_abcd1234_TheSecretPart99", "ovt_live_abcd1234_"),
        ("ovt_test_abcd1234_TheSecretPart99", "ovt_test_abcd1234_"),
        ("whsec_TheSecretPart99==", "whsec_"),
        ("Bearer TheSecretPart99", "Bearer "),
    ],
)
def test_secrets_are_left_out_wherever_they_stand(secret: str, kept: str) -> None:
    """Enough is kept to know which one it was."""
    assert redact(f"got {secret} from ada") == f"got {kept}… from ada"
    assert "TheSecretPart" not in JsonLines().format(record("x", header=secret))
    assert "TheSecretPart" not in TextLines().format(record(secret))
