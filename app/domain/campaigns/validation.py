"""Validate campaign drafts: every problem at once, each with its path."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

from app.core import clock, text
from app.core.db import by_id
from app.core.errors import Conflict, Field, InvalidRequest, NotFound
from app.domain.campaigns import branch_validation
from app.domain.leads import lists
from app.domain.rules import message_templates
from app.domain.rules.message_syntax import foreign
from app.domain.rules.schedules import day_ranges, working_hours
from app.domain.rules.sequences.branches import Flow
from app.domain.rules.sequences.conditions import UNITS
from app.domain.rules.step_kinds import STEPS, longest_text
from app.domain.rules.variants import assignment
from app.models.accounts import Account, Channel
from app.models.leads import ListType
from app.models.workspaces import Workspace
from app.resources.campaigns import campaigns as shown

MAX_STEPS, MAX_ACCOUNTS, LONGEST_DELAY_DAYS = 30, 50, 365
MOST_SHARE = 100
MOST_DELAY = {unit: timedelta(days=LONGEST_DELAY_DAYS) // length for unit, length in UNITS.items()}
SCHEDULE = (  # the columns of a campaign that hold its schedule
    *("timezone", "days", "start_time", "end_time", "windows", "recipient_time", "holidays", "blackouts"),
    *("new_per_day", "start_date", "end_date"),
)
DEFAULT_SCHEDULE: dict[str, Any] = {"days": [1, 2, 3, 4, 5], "startTime": "09:00", "endTime": "17:30"}
MAX_WINDOWS, MOST_NEW, DAY_MINUTES = 21, 10_000, 24 * 60
SAME_TIME = "The end must differ from the start. The end may be past midnight: 22:00–02:00."
ONE_TIME = "The end must be later than the start. For hours past midnight, send both startTime and endTime."
_TIMES = ("startTime", "endTime")
_ONE = "oneTime"  # key of a changed schedule in which only one of the two times was given
NO_SUCH_ACCOUNT = "Account not found in this workspace."
MAY_BE_EMPTY = "Some people would get no text. Add words outside {{#if}}, or an {{else}}."
NO_SUCH_LIST = "List not found in this workspace."
NO_TEXT = "Write the text of this step."
TO_WRITE = (NO_TEXT, branch_validation.NO_SUBJECT, branch_validation.NO_SUBJECT_BEFORE)


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


def check_list(workspace: Workspace, list_id: int, problems: Problems, path: str = "listId") -> None:
    """Check that the list exists in this workspace."""
    try:
        found = lists.get_list(workspace, list_id)
    except NotFound:
        problems.add(path, NO_SUCH_LIST)
    else:
        if found.type == ListType.COMPANIES:
            problems.add(path, lists.HOLDS_COMPANIES.format(found.name))


def check_accounts(workspace: Workspace, account_ids: Sequence[int], problems: Problems) -> list[Account]:
    """Return the chosen senders in the given order, each once."""
    if not account_ids:
        problems.add("accountIds", "Choose at least one account.")
    if len(account_ids) > MAX_ACCOUNTS:
        problems.add("accountIds", f"Choose at most {MAX_ACCOUNTS} accounts.")
        return []
    known = by_id(Account, account_ids, Account.workspace_id == workspace.id)
    chosen: dict[int, Account] = {}
    for index, account_id in enumerate(account_ids):
        if account_id not in known:
            problems.add(f"accountIds[{index}]", NO_SUCH_ACCOUNT)
        elif account_id in chosen:
            problems.add(f"accountIds[{index}]", "This account is listed twice.")
        else:
            chosen[account_id] = known[account_id]
    return list(chosen.values())


def check_sequence(
    sequence: Sequence[Mapping[str, Any]],
    accounts: list[Account],
    problems: Problems,
    *,
    branches: Sequence[Mapping[str, Any]] = (),
) -> list[Any]:
    """Return the steps as they are stored; `branches` must be valid."""
    if not 1 <= len(sequence) <= MAX_STEPS:
        problems.add("sequence", f"Use 1 to {MAX_STEPS} steps.")
    stored: list[dict[str, Any]] = []
    walked: list[dict[str, Any]] = []
    for index, raw in enumerate(sequence):
        path = f"sequence[{index}]"
        kind = STEPS.get(raw.get("type", ""))
        if kind is None:
            problems.add(f"{path}.type", "Use one of " + ", ".join(STEPS) + ".")
            walked.append({"type": "view_profile"})  # a placeholder, so that the following steps keep their indices
            continue
        step: dict[str, Any] = {"type": kind.name}
        if raw.get("delay"):
            step["delay"] = _check_delay(raw["delay"], f"{path}.delay", problems)
        if when := branch_validation.check_when(raw.get("when"), f"{path}.when", problems.add):
            step["when"] = when
        open_for = raw.get("withdrawAfter")
        step |= branch_validation.check_withdraw_after(open_for, kind.name, f"{path}.withdrawAfter", problems.add)
        step |= branch_validation.check_task(raw, path, problems.add)
        roomy = branch_validation.sends_from(Flow([*walked, step], branches), index, "sales_navigator")
        step.update(_check_texts(kind.name, raw, path, [] if roomy else accounts, problems))
        stored.append(step)
        walked.append(step)
    problems.add_texts(text for step in stored for texts in assignment.texts(step) for text in texts)
    flow = Flow(walked, branches)
    branch_validation.check_paths(flow, problems.add)
    _check_senders(flow, accounts, problems)
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


def _check_texts(
    name: str, raw: Mapping[str, Any], path: str, accounts: list[Account], problems: Problems
) -> dict[str, Any]:
    """Return the text of a step; with variants, these and the first variant's text."""
    if not raw.get("variants"):
        return _check_text(name, raw, path, accounts, problems)
    given = raw["variants"]
    if STEPS[name].text == "none":
        problems.add(f"{path}.variants", f"A step of type {name} can't have variants.")
        return {}
    if not 2 <= len(given) <= len(assignment.KEYS):
        problems.add(f"{path}.variants", f"Use 2 to {len(assignment.KEYS)} variants, or none.")
        return {}
    keys, shares = _check_keys(given, path, problems), _check_shares(given, path, problems)
    found = [_check_text(name, one, f"{path}.variants[{index}]", accounts, problems) for index, one in enumerate(given)]
    variants = [
        {"key": key, "message": one.get("message", ""), "subject": one.get("subject", ""), "share": share}
        for key, share, one in zip(keys, shares, found, strict=True)
    ]
    for field in ("message", "subject"):
        own = (raw.get(field) or "").strip()
        if own and own != variants[0][field]:
            problems.add(f"{path}.{field}", f"Leave this out, or use the same as in variant {keys[0]}.")
    if len({bool(one["subject"]) for one in variants}) == 2:
        problems.add(f"{path}.variants", "Give every variant a subject, or none.")
    return {**found[0], "variants": variants}


def _check_keys(given: Sequence[Mapping[str, Any]], path: str, problems: Problems) -> list[str]:
    """Return the variants' keys; the next free letter where none is given."""
    keys: list[str] = []
    named = [one.get("key") for one in given]
    free = [key for key in assignment.KEYS if key not in named]
    for index, name in enumerate(named):
        key = name or next(iter(free), "")
        if key in free:
            free.remove(key)
        if key not in assignment.KEYS:
            problems.add(f"{path}.variants[{index}].key", f"Use a letter from A to {assignment.KEYS[-1]}.")
        elif key in keys:
            problems.add(f"{path}.variants[{index}].key", f"Two variants have the letter {key}. Use another letter.")
        keys.append(key)
    return keys


def _check_shares(given: Sequence[Mapping[str, Any]], path: str, problems: Problems) -> list[int]:
    """Return the variants' shares; equal ones where none is given."""
    shares = [one.get("share") for one in given]
    if all(share is None for share in shares):
        return assignment.even_shares(len(shares))
    for index, share in enumerate(shares):
        if share is None or not isinstance(share, int) or isinstance(share, bool) or not 0 <= share <= MOST_SHARE:
            problems.add(f"{path}.variants[{index}].share", f"Use a whole number from 0 to {MOST_SHARE}.")
            return [0] * len(shares)
    if not any(shares):
        problems.add(f"{path}.variants[0].share", "Give at least one variant a share above 0.")
    return [int(share or 0) for share in shares]


def _check_text(
    name: str, raw: Mapping[str, Any], path: str, accounts: list[Account], problems: Problems
) -> dict[str, str]:
    kind = STEPS[name]
    message, subject = (raw.get("message") or "").strip(), (raw.get("subject") or "").strip()
    found: dict[str, str] = {}
    if kind.text == "none" and message:
        problems.add(f"{path}.message", f"A step of type {name} can't have text.")
    elif kind.text == "required" and not message_templates.split(message):
        problems.add(f"{path}.message", NO_TEXT)
    elif message:
        longest = _longest(name, accounts)
        parts = message_templates.split(message)
        if name == "connection_request" and len(parts) > 1:
            problems.add(f"{path}.message", "A note can't be split into several messages. Remove the --- line.")
        if name != "message" and len(parts) > 1 and name != "connection_request":
            problems.add(f"{path}.message", "Only a message can have several parts. Remove the --- line.")
        if (length := message_templates.longest(message)) > longest:
            problems.add(f"{path}.message", too_long(message, length, longest))
        for sentence in message_templates.problems(message, mail=name == "email"):
            problems.add(f"{path}.message", sentence)
        if kind.text == "required" and message_templates.may_be_empty(message):
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
    """Return the sentence that a text is too long; for one with choices, it names the longest result."""
    can_be = f" The longest variant has {length} characters." if message_templates.is_drawn(text) else ""
    return f"Use at most {most} characters.{can_be}"


def _longest(name: str, accounts: list[Account]) -> int:
    social = [account for account in accounts if account.channel == Channel.SOCIAL]
    return longest_text(name, all(account.has_sales_navigator for account in social))


def _check_senders(flow: Flow, accounts: list[Account], problems: Problems) -> None:
    """Check that every step has a sender."""
    stored = flow.sequence
    channels = {account.channel for account in accounts}
    emails = [index for index, step in enumerate(stored) if STEPS[step["type"]].channel == Channel.EMAIL]
    if not accounts:
        return
    if emails and Channel.EMAIL not in channels:
        problems.add("accountIds", "Email steps need a mailbox. Connect or choose a mailbox.")
    if any(STEPS[step["type"]].channel == Channel.SOCIAL for step in stored) and Channel.SOCIAL not in channels:
        problems.add("accountIds", "These steps need a connected LinkedIn account.")
    inmails = [index for index, step in enumerate(stored) if step["type"] == "inmail"]
    social = [(index, account) for index, account in enumerate(accounts) if account.channel == Channel.SOCIAL]
    basic = [index for index, account in social if not account.has_sales_navigator]
    guarded = all(branch_validation.sends_from(flow, index, "sales_navigator") for index in inmails)
    if inmails and not (guarded and len(basic) < len(social)):
        for index in basic:
            problems.add(f"accountIds[{index}]", "InMail needs an account with Sales Navigator.")


def check_schedule(workspace: Workspace, schedule: Mapping[str, Any] | None, problems: Problems) -> dict[str, Any]:
    """Return the columns of a schedule, with defaults for what is not given."""
    given: dict[str, Any] = {**DEFAULT_SCHEDULE, "timezone": workspace.timezone}
    given.update({name: value for name, value in (schedule or {}).items() if value is not None})
    if not clock.is_zone(given["timezone"]):
        problems.add("schedule.timezone", "Enter an IANA time zone such as Europe/Berlin.")
    one = given.get(_ONE, sum(name in (schedule or {}) for name in _TIMES) == 1)
    hours = _check_windows(given["windows"], problems) if given.get("windows") else _check_hours(given, one, problems)
    starts, ends = (_moment(given.get(name), given["timezone"]) for name in ("startDate", "endDate"))
    if isinstance(starts, datetime) and isinstance(ends, datetime) and ends <= starts:
        problems.add("schedule.endDate", "The end date must be later than the start date.")
    return {
        "timezone": given["timezone"],
        **hours,
        "recipient_time": bool(given.get("recipientTime")),
        "holidays": bool(given.get("holidays", True)),
        "blackouts": _check_blackouts(given.get("blackouts") or (), problems),
        "new_per_day": _check_new_per_day(given.get("newPeoplePerDay"), problems),
        "start_date": starts,
        "end_date": ends,
    }


def check_overlap(hours: Mapping[str, Any], accounts: list[Account], at: datetime, problems: Problems) -> None:
    """Check that the (valid) hours of the campaign overlap with those of a sender."""
    idle = [] if problems.fields else working_hours.never_open(SimpleNamespace(**hours), accounts, at)
    if accounts and len(idle) == len(accounts):
        problems.add("schedule.days", "These hours never overlap with any sender's working hours.")


def changed_schedule(former: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a campaign's schedule with the given values; one given window replaces several windows."""
    kept = shown.schedule(former)
    if "windows" not in given and not given.keys().isdisjoint(("days", "startTime", "endTime")):
        del kept["windows"]
    return {**kept, **given, _ONE: sum(name in given for name in _TIMES) == 1}


def check_end_date(campaign: Any, at: datetime) -> None:
    """Raise Conflict if the campaign's end date has passed."""
    if campaign.end_date is not None and campaign.end_date <= at:
        raise Conflict(
            "This campaign's end date is in the past.",
            recovery="Duplicate the campaign and choose a later end date.",
        )


def _moment(given: Any, timezone: str) -> Any:
    """Return the moment in UTC; one without a zone is in the campaign's."""
    if not isinstance(given, datetime) or given.tzinfo:
        return given
    return given.replace(tzinfo=ZoneInfo(timezone) if clock.is_zone(timezone) else UTC).astimezone(UTC)


def _check_hours(given: Mapping[str, Any], one: bool, problems: Problems) -> dict[str, Any]:
    """Return the columns of one window, which may be over midnight unless only `one` of its times was given."""
    days = _check_days(given["days"], "schedule.days", problems)
    start, end = (_check_time(given[name], f"schedule.{name}", problems) for name in _TIMES)
    if start and start == end:
        problems.add("schedule.endTime", SAME_TIME)
    elif one and end and end < start:
        problems.add("schedule.endTime", ONE_TIME)
    over_midnight = [{"days": days, "start": start, "end": end}] if start and end and end < start else None
    return {"days": days, "start_time": start, "end_time": end, "windows": over_midnight}


def _check_windows(given: Sequence[Mapping[str, Any]], problems: Problems) -> dict[str, Any]:
    """Return the columns of several windows, or of one over midnight, with their outer bounds."""
    if len(given) > MAX_WINDOWS:
        problems.add("schedule.windows", f"Use at most {MAX_WINDOWS} time windows.")
        given = given[:MAX_WINDOWS]
    windows: list[dict[str, Any]] = []
    before = len(problems.fields)
    for index, one in enumerate(given):
        path = f"schedule.windows[{index}]"
        start, end = (_check_time(one[name], f"{path}.{name}", problems) for name in ("start", "end"))
        if start and start == end:
            problems.add(f"{path}.end", SAME_TIME)
        windows.append({"days": _check_days(one["days"], f"{path}.days", problems), "start": start, "end": end})
    days: list[int] = sorted({day for one in windows for day in one["days"]})
    start, end = _bounds(windows) if len(problems.fields) == before else ("", "")
    plain = len(windows) == 1 and start < end
    return {"days": days, "start_time": start, "end_time": end, "windows": None if plain else windows}


def _bounds(windows: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Return from when and until when a day's windows reach, over midnight when one does."""
    spans = [(clock.minutes(one["start"]), clock.minutes(one["end"])) for one in windows]
    first = min(start for start, _ in spans)
    last = max(end if end > start else end + DAY_MINUTES for start, end in spans)
    if last - first >= DAY_MINUTES:
        return "00:00", "23:59"
    return _time(first), _time(last)


def _time(minute: int) -> str:
    return f"{minute // 60 % 24:02}:{minute % 60:02}"


def _check_days(given: Iterable[int], path: str, problems: Problems) -> list[int]:
    days = sorted(set(given))
    if not days:
        problems.add(path, "Choose at least one day.")
    elif not all(isinstance(day, int) and 1 <= day <= 7 for day in days):
        problems.add(path, "Use the numbers 1 (Monday) to 7 (Sunday).")
    return days


def _check_blackouts(given: Sequence[Mapping[str, Any]], problems: Problems) -> list[dict[str, Any]] | None:
    kept, wrong = day_ranges.check(given, "schedule.blackouts", named=True)
    for path, sentence in wrong:
        problems.add(path, sentence)
    return kept or None


def _check_new_per_day(given: Any, problems: Problems) -> int | None:
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= MOST_NEW:
        problems.add("schedule.newPeoplePerDay", f"Use a whole number from 1 to {MOST_NEW:,}, or leave it blank.")
        return None
    return given


def _check_time(value: str, path: str, problems: Problems) -> str:
    hour, _, minute = value.partition(":")
    digits = len(value) == 5 and value.isascii() and hour.isdigit() and minute.isdigit()
    if digits and int(hour) < 24 and int(minute) < 60:
        return value
    problems.add(path, "Use a time such as 09:00.")
    return ""
