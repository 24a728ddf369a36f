"""Log lines: one JSON object each, with the request id and without secrets."""

import json
import logging
import re
import sys
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

BORROWED = ("waitress", "apscheduler", "alembic", "urllib3")  # libraries whose errors are worth a line of ours
request_id: ContextVar[str] = ContextVar("request_id", default="")
_CONTROL = {number: f"\\x{number:02x}" for number in (*range(32), 127)}  # a line of a log is one line
_ENCODE = json.JSONEncoder(ensure_ascii=False, default=str).encode
_SECRET_SIGNS = ("ovt_", "whsec_", "Bearer ")  # looked for first: few lines hold any, and every request writes one
_SECRET = re.compile(r"(ovt_(?:live|test)_[0-9A-Za-z]{8}_)[0-9A-Za-z]+|(whsec_)\S+|(Bearer )\S+")


def redact(line: str) -> str:
    """`line` without keys, signing secrets and bearer tokens."""
    if not any(sign in line for sign in _SECRET_SIGNS):
        return line
    return _SECRET.sub(lambda found: (found[1] or found[2] or found[3]) + "…", line)


class JsonLines(logging.Formatter):
    """One JSON object a line; control characters are escaped by JSON itself."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of one record."""
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
        """The line of one record."""
        fields = " ".join(f"{name}={value}" for name, value in getattr(record, "fields", {}).items())
        line = f"{record.levelname.lower():7} {record.name}: {record.getMessage()} {fields}".rstrip()
        line = line.translate(_CONTROL)
        return redact(line + ("\n" + self.formatException(record.exc_info) if record.exc_info else ""))


def configure_logs(settings: dict[str, Any]) -> None:
    """Everything is logged to standard error in the form the settings name."""
    # No line of ours names its thread, process or place in the code; finding them out costs more than the rest.
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    logging._srcfile = None
    output = logging.StreamHandler(sys.stderr)
    output.setFormatter(JsonLines() if settings["OVERTURE_LOG"] == "json" else TextLines())
    levels = {"app": settings["OVERTURE_LOG_LEVEL"].upper()} | dict.fromkeys(BORROWED, "ERROR")
    for name, level in levels.items():
        logger = logging.getLogger(name)
        logger.handlers[:] = [output]
        logger.setLevel(level)
        logger.propagate = False
