"""Log lines are one line each, belong to their request, and hold no secrets."""

import contextvars
import json
import logging
from typing import Any

from app.core.logs import JsonLines, TextLines, redact, request_id


def record(message: str, *arguments: Any, **fields: Any) -> logging.LogRecord:
    made = logging.LogRecord("app.x", logging.INFO, __file__, 1, message, arguments, None)
    made.fields = fields
    return made


def test_a_line_is_one_json_object_with_its_fields() -> None:
    """A line of a request carries its id, and a fault its traceback as a field, so that it is still one line."""
    entry = json.loads(contextvars.Context().run(lambda: JsonLines().format(record("Sent %s", "it", campaign=7))))
    assert (entry["level"], entry["logger"], entry["message"], entry["campaign"]) == ("info", "app.x", "Sent it", 7)
    assert entry["at"].endswith("+00:00")
    assert "requestId" not in entry

    def within() -> str:
        request_id.set("req_1")
        return JsonLines().format(record("Hello"))

    assert json.loads(contextvars.Context().run(within))["requestId"] == "req_1"
    made = record("Failed")
    try:
        raise ValueError("broken")
    except ValueError as fault:
        made.exc_info = (type(fault), fault, fault.__traceback__)
    line = JsonLines().format(made)
    assert "ValueError: broken" in json.loads(line)["error"]
    assert len(line.splitlines()) == 1


def test_no_text_can_forge_a_second_line() -> None:
    """Neither as the message nor as a field."""
    for forged in ("a\nerror app: b", "a\r\n{}", "a\x1b[31mb", "a\x00b"):
        for one in (record("%s", forged), record("x", path=forged)):
            for line in (JsonLines().format(one), TextLines().format(one)):
                assert len(line.splitlines()) == 1
                assert not any(ord(character) < 32 for character in line)


def test_secrets_are_left_out_wherever_they_stand() -> None:
    """Enough is kept to know which one it was."""
    for secret, kept in (
        ("ovt_live_abcd1234_TheSecretPart99", "ovt_live_abcd1234_"),
        ("ovt_test_abcd1234_TheSecretPart99", "ovt_test_abcd1234_"),
        ("whsec_TheSecretPart99==", "whsec_"),
        ("Bearer TheSecretPart99", "Bearer "),
    ):
        assert redact(f"got {secret} from ada") == f"got {kept}… from ada"
        assert "TheSecretPart" not in JsonLines().format(record("x", header=secret))
        assert "TheSecretPart" not in TextLines().format(record(secret))
