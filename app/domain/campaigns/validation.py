"""Validate campaign drafts: every problem at once, each with its path."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from app.core import clock, text
from app.core.db import MAX_ID, session
from app.core.errors import Field, InvalidRequest, NotFound
from app.domain.leads import lists
from app.domain.rules import message_templates
from app.domain.rules.message_syntax import foreign
from app.domain.rules.next_step import UNITS
from app.domain.rules.step_kinds import NOTE_LENGTH_BASIC, STEPS
from app.models.accounts import Account, Channel
from app.models.leads import ListType
from app.models.workspaces import Workspace

MAX_STEPS, MAX_ACCOUNTS, LONGEST_DELAY_DAYS = 30, 50, 365
MOST_DELAY = {unit: timedelta(days=LONGEST_DELAY_DAYS) // length for unit, length in UNITS.items()}
DEFAULT_SCHEDULE: dict[str, Any] = {"days": [1, 2, 3, 4, 5], "startTime": "09:00", "endTime": "17:30"}
NO_SUCH_ACCOUNT = "Account not found in this workspace."
MAY_BE_EMPTY = "Some people would get an empty text. Add words outside {{#if}}, or an {{else}}."
NO_SUCH_LIST = "List not found in this workspace."


class Problems:
    """Problems collected while a draft is read; `done` raises them together."""

    def __init__(self) -> None:
        self.fields: list[Field] = []
        self.recovery: str | None = None

    def add(self, path: str, message: str) -> None:
        self.fields.append(Field(path, message))

    def add_texts(self, texts: Iterable[str]) -> None:
        """Say how to replace what other tools would read in these texts."""
        self.recovery = foreign.advice(texts) or self.recovery

    def done(self) -> None:
        """Raise InvalidRequest when there was any."""
        if self.fields:
            raise InvalidRequest("The request is not valid.", self.recovery, self.fields)


def check_name(name: str, problems: Problems) -> str:
    """Return the name as it is stored."""
    name = text.squeeze(name)
    if wrong := text.name_problem(name):
        problems.add("name", wrong)
    return name


def check_list(workspace: Workspace, list_id: int, problems: Problems) -> None:
    """Check that the list exists in this workspace."""
    try:
        found = lists.get_list(workspace, list_id)
    except NotFound:
        problems.add("listId", NO_SUCH_LIST)
    else:
        if found.type == ListType.COMPANIES:
            problems.add("listId", lists.HOLDS_COMPANIES.format(found.name))


def check_accounts(workspace: Workspace, account_ids: Sequence[int], problems: Problems) -> list[Account]:
    """Return the chosen senders in the given order, each once."""
    if not account_ids:
        problems.add("accountIds", "Choose at least one account.")
    if len(account_ids) > MAX_ACCOUNTS:
        problems.add("accountIds", f"Choose at most {MAX_ACCOUNTS} accounts.")
        return []
    wanted = [account_id for account_id in account_ids if 0 < account_id <= MAX_ID]
    query = sa.select(Account).where(Account.workspace_id == workspace.id, Account.id.in_(wanted))
    known = {account.id: account for account in session().scalars(query)}
    chosen: dict[int, Account] = {}
    for index, account_id in enumerate(account_ids):
        if account_id not in known:
            problems.add(f"accountIds[{index}]", NO_SUCH_ACCOUNT)
        elif account_id in chosen:
            problems.add(f"accountIds[{index}]", "This account is listed twice.")
        else:
            chosen[account_id] = known[account_id]
    return list(chosen.values())


def check_sequence(sequence: Sequence[Mapping[str, Any]], accounts: list[Account], problems: Problems) -> list[Any]:
    """Return the steps as they are stored."""
    if not 1 <= len(sequence) <= MAX_STEPS:
        problems.add("sequence", f"Use 1 to {MAX_STEPS} steps.")
    stored = []
    invited = False
    for index, raw in enumerate(sequence):
        path = f"sequence[{index}]"
        kind = STEPS.get(raw.get("type", ""))
        if kind is None:
            problems.add(f"{path}.type", "Use one of " + ", ".join(STEPS) + ".")
            continue
        step: dict[str, Any] = {"type": kind.name}
        if raw.get("delay"):
            step["delay"] = _check_delay(raw["delay"], f"{path}.delay", problems)
        step.update(_check_text(kind.name, raw, path, accounts, problems))
        if kind.needs_connection and not invited:
            problems.add(
                f"{path}.type",
                "Add a connection request before this message. Only connections can be messaged.",
            )
        if kind.name == "connection_request" and invited:
            problems.add(f"{path}.type", "A person can only be invited once. Remove one connection request.")
        invited = invited or kind.name == "connection_request"
        stored.append(step)
    problems.add_texts(text for step in stored for text in (step.get("message", ""), step.get("subject", "")))
    _check_senders(stored, accounts, problems)
    return stored


def _check_delay(delay: Mapping[str, Any], path: str, problems: Problems) -> dict[str, Any]:
    value, unit = delay.get("value"), delay.get("unit")
    if unit not in MOST_DELAY:
        problems.add(f"{path}.unit", "Use hours or days.")
    most = MOST_DELAY.get(str(unit), LONGEST_DELAY_DAYS)
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= most:
        problems.add(f"{path}.value", f"Use a number from 0 to {most}.")
    elif value == int(value):
        value = int(value)
    return {"value": value, "unit": unit}


def _check_text(
    name: str, raw: Mapping[str, Any], path: str, accounts: list[Account], problems: Problems
) -> dict[str, str]:
    kind = STEPS[name]
    message, subject = (raw.get("message") or "").strip(), (raw.get("subject") or "").strip()
    found: dict[str, str] = {}
    if kind.text == "none" and message:
        problems.add(f"{path}.message", f"A step of type {name} can't have a text.")
    elif kind.text == "required" and not message_templates.split(message):
        problems.add(f"{path}.message", "Write the text of this step.")
    elif message:
        longest = _longest(name, accounts)
        parts = message_templates.split(message)
        if name == "connection_request" and len(parts) > 1:
            problems.add(f"{path}.message", "A note is one message. Remove the --- line.")
        if name != "message" and len(parts) > 1 and name != "connection_request":
            problems.add(f"{path}.message", "Only a message can have several parts. Remove the --- line.")
        if (length := message_templates.longest(message)) > longest:
            problems.add(f"{path}.message", too_long(message, length, longest))
        for sentence in message_templates.problems(message, mail=name == "email"):
            problems.add(f"{path}.message", sentence)
        if kind.is_message and message_templates.may_be_empty(message):
            problems.add(f"{path}.message", MAY_BE_EMPTY)
        found["message"] = message
    if subject and not kind.max_subject:
        problems.add(f"{path}.subject", f"A step of type {name} can't have a subject.")
    elif subject:
        if (length := message_templates.longest_line(subject)) > kind.max_subject:
            problems.add(f"{path}.subject", too_long(subject, length, kind.max_subject))
        if any(ord(character) < 32 for character in subject):
            problems.add(f"{path}.subject", "Use one line without control characters.")
        for sentence in message_templates.problems(subject, whole=True):
            problems.add(f"{path}.subject", sentence)
        if message_templates.may_be_empty(subject):
            problems.add(f"{path}.subject", MAY_BE_EMPTY)
        found["subject"] = subject
    return found


def too_long(text: str, length: int, most: int) -> str:
    """Return that a text is too long; with choices, how long it can become."""
    can_be = f" The longest choices make {length}." if message_templates.is_drawn(text) else ""
    return f"Use at most {most} characters.{can_be}"


def _longest(name: str, accounts: list[Account]) -> int:
    social = [account for account in accounts if account.channel == Channel.SOCIAL]
    if name == "connection_request" and not all(account.has_sales_navigator for account in social):
        return NOTE_LENGTH_BASIC
    return STEPS[name].max_text


def _check_senders(stored: list[dict[str, Any]], accounts: list[Account], problems: Problems) -> None:
    """Check that every step has a sender."""
    channels = {account.channel for account in accounts}
    emails = [index for index, step in enumerate(stored) if STEPS[step["type"]].channel == Channel.EMAIL]
    if emails and not (stored[emails[0]].get("subject")):
        problems.add(f"sequence[{emails[0]}].subject", "Add a subject to the first email.")
    if not accounts:
        return
    if emails and Channel.EMAIL not in channels:
        problems.add("accountIds", "Email steps need a mailbox. Connect one or choose one here.")
    if len(emails) < len(stored) and Channel.SOCIAL not in channels:
        problems.add("accountIds", "These steps need a connected social account.")
    if any(step["type"] == "inmail" for step in stored):
        for index, account in enumerate(accounts):
            if account.channel == Channel.SOCIAL and not account.has_sales_navigator:
                problems.add(f"accountIds[{index}]", "InMail needs an account with Sales Navigator.")


def check_schedule(workspace: Workspace, schedule: Mapping[str, Any] | None, problems: Problems) -> dict[str, Any]:
    """Return the columns of a schedule, with defaults for what is not given."""
    given: dict[str, Any] = {**DEFAULT_SCHEDULE, "timezone": workspace.timezone}
    given.update({name: value for name, value in (schedule or {}).items() if value is not None})
    if not clock.is_zone(given["timezone"]):
        problems.add("schedule.timezone", "Enter an IANA time zone such as Europe/Berlin.")
    days = sorted(set(given["days"]))
    if not days:
        problems.add("schedule.days", "Choose at least one day.")
    elif not all(isinstance(day, int) and 1 <= day <= 7 for day in days):
        problems.add("schedule.days", "Use the numbers 1 (Monday) to 7 (Sunday).")
    times = [_check_time(given[name], f"schedule.{name}", problems) for name in ("startTime", "endTime")]
    if all(times) and times[0] >= times[1]:
        problems.add("schedule.endTime", "The end must be later than the start on the same day.")
    starts, ends = given.get("startDate"), given.get("endDate")
    if isinstance(starts, datetime) and isinstance(ends, datetime) and ends <= starts:
        problems.add("schedule.endDate", "The end date must be later than the start date.")
    return {
        "timezone": given["timezone"],
        "days": days,
        "start_time": times[0],
        "end_time": times[1],
        "start_date": starts,
        "end_date": ends,
    }


def _check_time(value: str, path: str, problems: Problems) -> str:
    hour, _, minute = value.partition(":")
    digits = len(value) == 5 and value.isascii() and hour.isdigit() and minute.isdigit()
    if digits and int(hour) < 24 and int(minute) < 60:
        return value
    problems.add(path, "Use a time such as 09:00.")
    return ""
