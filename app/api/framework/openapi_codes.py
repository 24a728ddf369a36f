"""The codes of answers, as the document lists them: each table once, with what its codes mean.

They are no `enum`: clients made from one refuse the codes of a later version.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from app.domain.autopilot.monitors import found_people
from app.domain.campaigns.forecasts import calendar
from app.domain.rules import reasons, step_kinds
from app.domain.rules.sequences import conditions
from app.domain.webhooks import events
from app.resources.base import CODES

Json = dict[str, Any]
NAME = "The name of the public holiday"  # for the sentence that has a place for it
ACTS = {"nobody": "no one", "you": "you", "them": "the person", "network": "the provider"}


class _Table(NamedTuple):
    about: str
    meanings: Callable[[], Mapping[str, str]]


def _reasons() -> Mapping[str, str]:
    ours = {code: f"{sentence.rstrip('.')} ({ACTS[who]})" for code, (sentence, who) in reasons.REASONS.items()}
    idle = {code: sentence.format(NAME) for code, sentence in calendar.IDLE.items()}
    return ours | {code: words for code, words in (idle | found_people.OWN_REASONS).items() if code not in ours}


TABLES = {
    "ReasonCode": _Table("Why something waits, was excluded or ended; in parentheses, who must act.", _reasons),
    "EventKind": _Table("A kind of event.", lambda: {kind: one.when for kind, one in events.EVENTS.items()}),
    "StepKind": _Table("A kind of step.", lambda: {kind: one.label for kind, one in step_kinds.STEPS.items()}),
    "TaskType": _Table(
        "What a task asks for.", lambda: {kind: one.label for kind, one in step_kinds.TASK_TYPES.items()}
    ),
    "SignalKind": _Table("A kind of signal.", lambda: dict.fromkeys(conditions.SIGNALS, "")),
}


def refer(schema: Json, ref: str) -> Json:
    """Return the schema of a code as a reference to the table that it names."""
    return {"$ref": ref + schema[CODES]} | {name: schema[name] for name in ("description",) if name in schema}


def published() -> Json:
    """Return each table as a schema: its codes in words, and as a list of those known by now."""
    return {name: _schema(table) for name, table in TABLES.items()}


def _schema(table: _Table) -> Json:
    meanings = table.meanings()
    listed = "\n".join(
        f"- `{code}`: {words.rstrip('.')}." if words else f"- `{code}`" for code, words in meanings.items()
    )
    about = f"{table.about} Later versions may add codes.\n\n{listed}"
    return {"type": "string", "description": about, "x-extensible-enum": list(meanings), "examples": list(meanings)[:1]}
