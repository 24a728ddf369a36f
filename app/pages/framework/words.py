"""Display formats: one table of status labels, step labels, numbers, dates and times."""

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache
from html import unescape
from zlib import crc32
from zoneinfo import available_timezones

from markupsafe import Markup

from app.core.mail import markup
from app.domain.leads.campaign_leads import open_tasks
from app.domain.rules import message_templates
from app.domain.rules.step_kinds import STEPS, action_words

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
NEUTRAL_TAG = "generic"  # what `/v1` calls it
APART = "\u200c"  # between letters that would join into a word
_NAMES = message_templates.VARIABLES | {message_templates.WAY_OUT: "Unsubscribe link"}
_KEYS = {name.lower(): key for key, name in _NAMES.items()}
_OWN = "Custom: "
_TAG = re.compile(r"(?<!\\)\{\{([^{}|]{1,120})(?=[|}])")
_MENTIONED = re.compile(rf"\b(?:{'|'.join(_NAMES)}|custom\.[a-z0-9_]{{1,60}})\b")


CHANNELS = {"social_email": "LinkedIn and email", "social": "LinkedIn only", "email": "Email only"}  # of plays


@dataclass(frozen=True)
class Word:
    """The label of a status and its tone: good, waiting for a person, failed or neutral."""

    label: str
    tone: str = "neutral"
    dot: bool = False
    live: bool = False


STATUS_WORDS: dict[str, dict[str, Word]] = {
    "campaign": {
        "draft": Word("Draft"),
        "scheduled": Word("Scheduled", "info", dot=True),
        "starting": Word("Starting", "info", dot=True),
        "running": Word("Running", "ok", live=True),
        "paused": Word("Paused", "warn", dot=True),
        "finished": Word("Finished"),
        "canceled": Word("Canceled"),
        "failed": Word("Failed", "danger", dot=True),
        "locked": Word("Locked", "warn", dot=True),
    },
    "person": {
        "pending": Word("Not started"),
        "active": Word("Active", "info"),
        "awaiting_accept": Word("Request pending", "info"),
        "paused": Word("Paused", "warn"),
        "finished": Word("Finished"),
        "failed": Word("Failed", "danger"),
        "stopped": Word("Stopped"),
        "excluded": Word("Excluded"),
        "replied": Word("Replied", "ok"),
        "replied_positive": Word("Replied, positive", "ok"),
        "replied_neutral": Word("Replied, neutral", "info"),
        "replied_negative": Word("Replied, negative", "danger"),
        "awaiting_approval": Word("Waiting for approval", "warn"),
    },
    "sender": {
        "connecting": Word("Connecting", "info", dot=True),
        "connected": Word("Connected", "ok", dot=True),
        "disconnected": Word("Disconnected", "danger", dot=True),
        "challenged": Word("Needs a security check", "warn", dot=True),
        "paused": Word("Paused", "warn", dot=True),
        "unknown": Word("Checking"),
    },
    "play": {
        "designed": Word("Designed"),
        "finding": Word("Finding people", "info", dot=True),
        "writing": Word("Writing messages", "info", dot=True),
        "review": Word("Ready for review", "warn", dot=True),
        "scheduled": Word("Scheduled", "info", dot=True),
        "running": Word("Running", "ok", live=True),
        "stopped": Word("Stopped"),
        "failed": Word("Failed", "danger", dot=True),
    },
    "approval": {
        "pending": Word("Waiting", "warn", dot=True),
        "approved": Word("Approved, not sent yet", "info"),
        "skipped": Word("Skipped"),
        "done": Word("Sent", "ok"),
    },
    "message": {
        "queued": Word("Queued", "info"),
        "sending": Word("Sending", "info"),
        "sent": Word("Sent", "ok"),
        "failed": Word("Failed", "danger"),
        "unknown": Word("Outcome unknown", "warn"),
    },
    "delivery": {
        "pending": Word("Pending", "info", dot=True),
        "retrying": Word("Retrying", "warn", dot=True),
        "delivered": Word("Delivered", "ok", dot=True),
        "failed": Word("Failed", "danger", dot=True),
    },
    "switch": {"on": Word("On", "ok", dot=True), "off": Word("Off")},
    "key": {"active": Word("Active", "ok"), "expired": Word("Expired"), "revoked": Word("Revoked", "danger")},
    "import": {
        "mapping": Word("Columns to choose", "warn", dot=True),
        "running": Word("Adding people", "info", dot=True),
        "done": Word("Done", "ok"),
        "failed": Word("Failed", "danger", dot=True),
        "canceled": Word("Stopped"),
    },
    "monitor": {
        "active": Word("Watching", "ok", dot=True),
        "paused": Word("Paused", "warn", dot=True),
        "stopped": Word("Stopped", "danger", dot=True),
        "trouble": Word("Last run failed", "danger", dot=True),
    },
    "search": {
        "running": Word("Reading", "info", dot=True),
        "done": Word("Done", "ok"),
        "failed": Word("Failed", "danger", dot=True),
        "canceled": Word("Stopped"),
    },
    "job": {
        "queued": Word("Waiting", "info"),
        "running": Word("Running", "info", dot=True),
        "done": Word("Done", "ok"),
        "failed": Word("Failed", "danger", dot=True),
    },
}


def status_word(kind: str, value: str) -> Word:
    """Return the words for a status; an unknown value is shown as it is, in neutral."""
    return STATUS_WORDS[kind].get(value) or Word(value.replace("_", " ").capitalize())


@dataclass(frozen=True)
class StepWord:
    """What a step is called, its icon, and the channel that colours it."""

    label: str
    icon: str
    channel: str


END = StepWord("End of the sequence", "check", "end")


def step_word(kind: str) -> StepWord:
    """Return the words for a step type; an unknown one is shown as it is."""
    if kind == "end":
        return END
    if (step := STEPS.get(kind)) is None:
        return StepWord(kind.replace("_", " ").capitalize(), "zap", "react")
    return StepWord(
        step.label, step.words.icon, "email" if step.channel == "email" else "social" if step.reaches else "react"
    )


@dataclass(frozen=True)
class Face:
    """Initials and one of five tints, the same every time for the same name."""

    initials: str
    tint: int


def face(name: str | None) -> Face:
    """Return the initials and color for a person without a picture."""
    words = [word for word in (name or "").replace("-", " ").split() if word[:1].isalnum()]
    first = [word[0].upper() for word in (words[:1] + words[-1:] if len(words) > 1 else words)]
    initials = (APART if first and unicodedata.bidirectional(first[0]) == "AL" else "").join(first)
    return Face(initials or "?", crc32((name or "").encode()) % 5 + 1)


def number(value: float | None) -> str:
    """Format 1,234,567, as sentences write it; a dash for None."""
    if value is None:
        return "–"
    return f"{value:,}"


def own_tags(tags: Sequence[str]) -> list[str]:
    """Return the tags that a page shows: without that of a neutral reply, which stands beside its tone anyway."""
    return [tag for tag in tags if tag != NEUTRAL_TAG]


def many(value: float, one: str, several: str = "") -> str:
    """Return a count with its noun, `{{ steps|length|many("step") }}`: 1 step, 1,200 steps."""
    return f"{number(value)} {one if value == 1 else several or f'{one}s'}"


def needless(kind: str, why: str) -> str:
    """Return the words for an action that was skipped; `why` is what the ledger says of it."""
    return "did not do a task in time for" if why == open_tasks.EXPIRED else action_words(kind).needless


def people_count(number: int) -> str:
    """Return how many people, in words."""
    return many(number, "person", "people")


def share(part: float, whole: float) -> str:
    """Format a share in percent with one decimal; a dash when the whole is zero."""
    return f"{100 * part / whole:.1f}%" if whole else "–"


def lines(text: str, width: int) -> int:
    """Estimate how many lines a text fills at so many characters a line."""
    return sum(max(1, math.ceil(len(line) / width)) for line in text.split("\n"))


def in_pieces(text: str, mail: bool = False) -> list[tuple[str, str]]:
    """Cut a text with variables into (words, "") and (what stands there, its readable name); a mail, into its HTML."""
    if mail:
        parts = re.split(r"(<[^<>]*>)", markup.html(text))
        cut = ([(Markup(one), "")] if one[:1] == "<" else in_pieces(unescape(one)) for one in parts)  # nosec B704
        return [piece for pieces in cut for piece in pieces]
    return [(piece, _name_of(piece) if is_syntax else "") for piece, is_syntax in message_templates.marked(text)]


def readable(text: str) -> str:
    """Return a text with the names of its variables in place of their braces: Hi [First name]."""
    return "".join(f"[{name}]" if name else piece for piece, name in in_pieces(text))


def with_names(text: str) -> str:
    """Return a text for editing: its variables by their names, {{First name}}."""
    return _TAG.sub(lambda tag: _renamed(tag[0], tag[1], _label), text)


def with_keys(text: str) -> str:
    """Return an edited text as it is stored, {{first_name}}. A name without a variable stays, to be refused."""
    return _TAG.sub(lambda tag: _renamed(tag[0], tag[1], _key), text)


def by_names(sentence: str) -> str:
    """Return a sentence about a text with the names of the variables that it mentions."""
    return _MENTIONED.sub(lambda found: _label(found[0]), sentence).replace("custom.<field>", "a custom field")


def _renamed(tag: str, inner: str, rename: Callable[[str], str]) -> str:
    name = inner.strip().removeprefix("#if ").strip()
    return tag.replace(name, rename(name), 1) if name else tag


def _label(key: str) -> str:
    """Return the name of a variable; a key that would not come back from its name stays."""
    if key.startswith(message_templates.CUSTOM):
        label = _OWN + key.removeprefix(message_templates.CUSTOM).replace("_", " ")
        return label if _key(label) == key else key
    return _NAMES.get(key, key)


def _key(label: str) -> str:
    """Return the variable of that name."""
    if label.startswith(_OWN):
        return message_templates.CUSTOM + label.removeprefix(_OWN).replace(" ", "_")
    return _KEYS.get(label.lower(), label)


def _name_of(piece: str) -> str:
    """Return the readable name of a variable, a choice or the tag of a condition."""
    if not piece.startswith("{{"):
        return " / ".join(one.strip() for one in piece.strip("{}").split("|"))
    inner = piece.strip("{} ")
    if inner in ("else", "/if"):
        return {"else": "else", "/if": "end"}[inner]
    asks, name = inner.startswith("#if"), inner.removeprefix("#if").partition("|")[0].strip()
    bare = name.removeprefix(message_templates.CUSTOM).replace("_", " ").capitalize()
    label = message_templates.VARIABLES.get(name, bare)
    return f"if {label.lower()}" if asks else label


def axis(values: Iterable[float], parts: int = 5) -> list[int]:
    """Return a chart's ticks from the top down to zero: round steps that fit the highest value."""
    most = max([*values, 1])
    rough = most / parts
    magnitude = 10 ** math.floor(math.log10(rough)) if rough >= 1 else 1
    steps = (int(factor * magnitude) for factor in (1, 2, 2.5, 5, 10) if factor * magnitude == int(factor * magnitude))
    step = next(step for step in steps if step >= rough)
    return list(range(step * math.ceil(most / step), -1, -step))


def day(moment: datetime | None, zone: tzinfo = UTC) -> str:
    """Format Tue 24 Nov 2026, in that time zone."""
    if moment is None:
        return "–"
    return f"{moment.astimezone(zone):%a} {moment.astimezone(zone).day} {moment.astimezone(zone):%b %Y}"


@lru_cache(16)
def time_zones(chosen: str) -> dict[str, list[tuple[str, str]]]:
    """Return the time zones by continent, as a select shows them; the chosen one is always among them."""
    zones: dict[str, list[tuple[str, str]]] = {"Worldwide": [("UTC", "UTC")], "Europe": [], "America": [], "Asia": []}
    zones |= {area: [] for area in ("Africa", "Australia", "Pacific", "Atlantic", "Indian")}
    for name in sorted(available_timezones() | {chosen}):
        area, _, place = name.partition("/")
        if place and area in zones:
            zones[area].append((name, place.replace("_", " ")))
        elif name and name == chosen != "UTC":
            zones["Worldwide"].append((name, name))
    return zones


def date_range(first: date, last: date) -> str:
    """Format Thu 24 Dec – Fri 1 Jan 2027, or one day."""
    begins = f"{first:%a} {first.day} {first:%b}" + (f" {first.year}" if first.year != last.year else "")
    ends = f"{last:%a} {last.day} {last:%b %Y}"
    return ends if first == last else f"{begins} – {ends}"


def span(length: timedelta) -> str:
    """Return a length of time such as 40 minutes, 6 hours, 2 days."""
    for unit, seconds in (("day", 86_400), ("hour", 3600)):
        if length.total_seconds() >= 1.5 * seconds:
            number = round(length.total_seconds() / seconds)
            return f"{number} {unit}{'' if number == 1 else 's'}"
    minutes = max(1, round(length.total_seconds() / 60))
    return f"{minutes} minute{'' if minutes == 1 else 's'}"


def clock_time(moment: datetime, zone: tzinfo, now: datetime) -> str:
    """Format Tue 24 Nov, 09:00; the year only when it is another one."""
    local = moment.astimezone(zone)
    year = "" if local.year == now.astimezone(zone).year else f" {local.year}"
    return f"{local:%a} {local.day} {local:%b}{year}, {local:%H:%M}"


def distance(moment: datetime, now: datetime) -> str | None:
    """Format 4 min ago, in 3 h; return None when it is a day or more away."""
    seconds = (moment - now).total_seconds()
    size = abs(seconds)
    if size >= timedelta(hours=24).total_seconds():
        return None
    if size < 45:
        return "now" if size < 5 else (f"in {round(size)} s" if seconds > 0 else f"{round(size)} s ago")
    text = f"{max(round(size / 60), 1)} min" if size < 3570 else f"{round(size / 3600)} h"
    return f"in {text}" if seconds > 0 else f"{text} ago"


def age(moment: datetime, zone: tzinfo, now: datetime) -> Markup:
    """Return a short <time> for a list, past or future: 4 min, 3 h, Mon, 16 Nov; its title has the exact time."""
    local, passed = moment.astimezone(zone), abs(now - moment)
    if passed < timedelta(minutes=1):
        shown = "now"
    elif passed < timedelta(hours=1):
        shown = f"{int(passed.total_seconds() // 60)} min"
    elif passed < timedelta(hours=24):
        shown = f"{int(passed.total_seconds() // 3600)} h"
    elif passed < timedelta(days=6):
        shown = f"{local:%a}"
    else:
        shown = f"{local.day} {local:%b}" + ("" if local.year == now.astimezone(zone).year else f" {local:%Y}")
    return _time(moment, zone, shown)


def when(moment: datetime | None, zone: tzinfo, now: datetime, exact: bool = False) -> Markup:
    """Return a <time>: relative within a day unless `exact`, else day and time; its title has the seconds and zone."""
    if moment is None:
        return Markup('<span class="faint">–</span>')
    return _time(moment, zone, (not exact and distance(moment, now)) or clock_time(moment, zone, now))


def _time(moment: datetime, zone: tzinfo, shown: str) -> Markup:
    local = moment.astimezone(zone)
    exact = f"{local:%a} {local.day} {local:%b %Y, %H:%M:%S} {getattr(zone, 'key', None) or local.tzname()}"
    return Markup('<time datetime="{}" title="{}">{}</time>').format(moment.isoformat(timespec="seconds"), exact, shown)


def in_bytes(size: int) -> str:
    """Return a size in its largest unit, such as `3.1 MB`."""
    for power, word in ((3, "GB"), (2, "MB"), (1, "kB")):
        if size >= 1000**power:
            return f"{size / 1000**power:,.1f} {word}"
    return f"{size} B"


def days_text(days: list[int]) -> str:
    """Return days such as Mon–Fri, Every day, or a list; three and more in a row are a range."""
    if len(days) == 7:
        return "Every day"
    runs: list[list[int]] = []
    for day in sorted(days):
        if runs and runs[-1][-1] == day - 1:
            runs[-1].append(day)
        else:
            runs.append([day])
    spans = [[run] if len(run) > 2 else [[day] for day in run] for run in runs]
    return ", ".join(
        "–".join(WEEKDAYS[day - 1] for day in dict.fromkeys((run[0], run[-1]))) for span in spans for run in span
    )
