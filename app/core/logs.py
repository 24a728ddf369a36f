"""Log lines: one JSON object each, with the request id and without secrets."""

import json
import logging
import re
import sys
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

request_id: ContextVar[str] = ContextVar("request_id", default="")
# Escaped, so that an entry of the log stays one line.
_CONTROL = {number: f"\\x{number:02x}" for number in (*range(32), 127)}
_ENCODE = json.JSONEncoder(ensure_ascii=False, default=str).encode
_SECRET_SIGNS = ("ovt_", "whsec_", "Bearer ")  # looked for first: few lines hold any, and every request writes one
_SECRET = re.compile(r"(ovt_(?:live|test)_[0-9A-Za-z]{8}_)[0-9A-Za-z]+|(whsec_)\S+|(Bearer )\S+")


def redact(line: str) -> str:
    """Mask keys, signing secrets and bearer tokens in `line`."""
    if not any(sign in line for sign in _SECRET_SIGNS):
        return line
    return _SECRET.sub(lambda found: (found[1] or found[2] or found[3]) + "…", line)


class JsonLines(logging.Formatter):
    """One JSON object a line; control characters are escaped by JSON itself."""

    def format(self, record: logging.LogRecord) -> str:
        entry: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if request_id.get():
            entry["requestId"] = request_id.get()
        entry.update(getattr(record, "fields", {}))
        if record.exc_info:
            entry["error"] = self.formatException(record.exc_info)
        return redact(_ENCODE(entry))


class TextLines(logging.Formatter):
    """For a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        fields = " ".join(f"{name}={value}" for name, value in getattr(record, "fields", {}).items())
        line = f"{record.levelname.lower():7} {record.name}: {record.getMessage()} {fields}".rstrip()
        line = line.translate(_CONTROL)
        return redact(line + ("\n" + self.formatException(record.exc_info) if record.exc_info else ""))


def configure_logs(settings: dict[str, Any]) -> None:
    """Log to standard error in the form the settings name; of the libraries, errors alone."""
    output = logging.StreamHandler(sys.stderr)
    output.setFormatter(JsonLines() if settings["OVERTURE_LOG"] == "json" else TextLines())
    ours, everything = logging.getLogger("app"), logging.getLogger()
    ours.setLevel(settings["OVERTURE_LOG_LEVEL"].upper())
    ours.propagate = False
    everything.setLevel(logging.ERROR)
    for logger in (ours, everything):
        _replace(logger, output)


def _replace(logger: logging.Logger, output: logging.Handler) -> None:
    """Let `output` take the place of the one set before; handlers of a web server or a test stay."""
    for former in [handler for handler in logger.handlers if isinstance(handler.formatter, JsonLines | TextLines)]:
        logger.removeHandler(former)
    logger.addHandler(output)
