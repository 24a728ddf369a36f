"""The builder's form data: read from the form or a campaign, changed by its buttons, passed to the verbs."""

import json
import re
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from werkzeug.datastructures import MultiDict

from app.core import clock, text
from app.core.errors import AppError, Field, InvalidRequest
from app.domain.campaigns.validation import DEFAULT_SCHEDULE
from app.domain.rules import message_templates
from app.domain.rules.message_syntax import foreign
from app.domain.rules.step_kinds import STEPS
from app.domain.workspace.workspaces import Workspace
from app.pages.framework.forms import Form, Nested, Numbers, Text, Tick, Whole, Words

_STEP = re.compile(r"sequence\[(\d{1,3})\]\.(type|key|message|subject|delay\.value|delay\.unit)")
_KEY = re.compile(r"[0-9a-f]{8}")
_PATH = re.compile(r"sequence\[(\d+)\](?:\.(.+))?|accountIds\[(\d+)\]")
LABELS = {
    "name": "Name",
    "listId": "List",
    "accountIds": "Senders",
    "sequence": "Steps",
    "schedule.timezone": "Time zone",
    "schedule.days": "Days",
    "schedule.startTime": "From",
    "schedule.endTime": "Until",
    "schedule.startDate": "First day",
    "schedule.endDate": "Last day",
    "exclude.contactedDays": "Contacted in the last days",
    "exclude.companyDays": "Another person of their company",
    "exclude.listIds": "Lists",
    "exclude.campaignIds": "Campaigns",
    "exclude.tags": "Tags",
}


EXCLUSIONS = (
    *("contacted_days", "replied", "said_no", "colleague_talks", "company_days"),
    *("list_ids", "campaign_ids", "tags", "company_stop"),
)


def new_key() -> str:
    """Return a key that a step keeps when it moves."""
    return secrets.token_hex(4)


@dataclass
class StepDraft:
    """A step of the form, right or wrong."""

    type: str
    key: str = field(default_factory=new_key)
    value: str = "0"
    unit: str = "days"
    message: str = ""
    subject: str = ""

    @property
    def kind(self) -> Any:
        """Return the row of the table of kinds."""
        return STEPS[self.type]

    @property
    def length(self) -> int:
        """Return how long the text can become."""
        return message_templates.longest(self.message)

    def argument(self) -> dict[str, Any]:
        """Return the step as verbs take it."""
        written = self.value.strip() or "0"
        value = text.decimal(written, -1)
        delay = {"value": value, "unit": self.unit} if value else None
        message = self.message.replace("\r\n", "\n")
        return {"type": self.type, "delay": delay, "message": message, "subject": self.subject}


@dataclass
class Draft:
    """All values of the form, right or wrong."""

    name: str = ""
    list_id: int = 0
    account_ids: list[int] = field(default_factory=list)
    steps: list[StepDraft] = field(default_factory=list)
    schedule: dict[str, Any] = field(default_factory=dict)
    lead_id: int = 0
    removed: str = ""
    approval: bool = False
    wait_for_profile: bool = False
    exclude: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def fresh(cls, workspace: Workspace, list_id: int, account_ids: Sequence[int]) -> "Draft":
        """Return the defaults of a new campaign."""
        schedule = {**DEFAULT_SCHEDULE, "timezone": workspace.timezone, "startDate": "", "endDate": ""}
        steps = [StepDraft("connection_request"), StepDraft("message", value="1")]
        return cls("", list_id, list(account_ids), steps, schedule)

    @classmethod
    def of_campaign(cls, campaign: Any) -> "Draft":
        """Return the form's values for a saved campaign."""
        steps = []
        for step in campaign.sequence:
            delay = step.get("delay") or {"value": 0, "unit": "days"}
            words = {"message": step.get("message", ""), "subject": step.get("subject", "")}
            steps.append(StepDraft(step["type"], value=str(delay["value"]), unit=delay["unit"], **words))
        zone = ZoneInfo(campaign.timezone)
        ends = campaign.end_date and (campaign.end_date - timedelta(seconds=1)).astimezone(zone).date().isoformat()
        schedule = {
            "timezone": campaign.timezone,
            "days": campaign.days,
            "startTime": campaign.start_time,
            "endTime": campaign.end_time,
            "startDate": campaign.start_date.astimezone(zone).date().isoformat() if campaign.start_date else "",
            "endDate": ends or "",
        }
        listed, accounts = campaign.list_id or 0, list(campaign.account_ids)
        kept = {"approval": campaign.approval, "wait_for_profile": campaign.wait_for_profile}
        return cls(campaign.name, listed, accounts, steps, schedule, **kept)

    @classmethod
    def of_form(cls, form: "CampaignForm") -> "Draft":
        """Return the values as they were sent."""
        schedule = {
            "timezone": form.timezone.data,
            "days": form.days.data,
            "startTime": form.start_time.data,
            "endTime": form.end_time.data,
            "startDate": form.start_date.data,
            "endDate": form.end_date.data,
        }
        return cls(
            form.name.data,
            form.list_id.data,
            form.account_ids.data,
            form.steps.data,
            schedule,
            form.preview.data,
            form.removed.data,
            form.approval.data,
            form.wait_for_profile.data,
            form.exclusions(),
        )

    def arguments(self) -> dict[str, Any]:
        """Return the values as verbs take them; raise InvalidRequest for an invalid day."""
        zone = _zone(self.schedule["timezone"])
        starts, ends = (_day(self.schedule[name], name) for name in ("startDate", "endDate"))
        schedule = {
            **self.schedule,
            "startDate": datetime.combine(starts, time(0), zone) if starts else None,
            "endDate": datetime.combine(ends + timedelta(days=1), time(0), zone) if ends else None,
        }
        sequence = [step.argument() for step in self.steps]
        return {
            "name": self.name,
            "list_id": self.list_id,
            "account_ids": self.account_ids,
            "sequence": sequence,
            "schedule": schedule,
            "approval": self.approval,
            "wait_for_profile": self.wait_for_profile,
        }

    def change(self, do: str) -> tuple[str, str]:
        """Apply one of the editor's buttons; return the key of the step to focus, and what changed in words."""
        verb, _, rest = do.partition(":")
        place, _, kind = rest.partition(":")
        at = text.number(place)
        if verb == "restore":
            return self._restore()
        if verb == "translate":
            for step in self.steps:
                step.message, step.subject = foreign.translate(step.message), foreign.translate(step.subject)
            return "", ""
        if verb == "person":
            self.lead_id = at
            return "", ""
        if verb == "add" and kind in STEPS and at <= len(self.steps):
            self.steps.insert(at, StepDraft(kind, value="1" if at else "0"))
            return self.steps[at].key, f"Step {at + 1} added."
        if not 1 <= at <= len(self.steps):
            return "", ""
        if verb == "remove":
            gone = self.steps.pop(at - 1)
            self.removed = json.dumps({"at": at - 1, **asdict(gone)})
            return "removed", f"Step {at} removed."
        if verb == "copy":
            self.steps.insert(at, replace(self.steps[at - 1], key=new_key()))
            return self.steps[at].key, f"Step {at} duplicated; this is the copy."
        to = {"up": at - 2, "down": at}.get(verb, -1)
        if not 0 <= to < len(self.steps):
            return "", ""
        self.steps.insert(to, self.steps.pop(at - 1))
        return self.steps[to].key, f"Moved to step {to + 1}."

    def _restore(self) -> tuple[str, str]:
        try:
            kept = json.loads(self.removed)
            at, step = int(kept.pop("at")), StepDraft(**{name: str(given) for name, given in kept.items()})
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
            return "", ""
        self.removed = ""
        if step.type not in STEPS:
            return "", ""
        self.steps.insert(max(0, min(at, len(self.steps))), step)
        return step.key, "Step restored."

    @property
    def foreign(self) -> list[tuple[str, str]]:
        """Return what another tool would read in the steps, and the same in our syntax."""
        return foreign.pairs(text for step in self.steps for text in (step.message, step.subject))

    def problems(self, refusal: AppError) -> list[tuple[str, str, str, str]]:
        """Return the errors as (path, label, sentence, id of the field)."""
        return [self._problem(problem) for problem in refusal.fields]

    def _problem(self, problem: Field) -> tuple[str, str, str, str]:
        path, sentence = problem.path, problem.message
        if path == "listId" and not self.list_id:
            sentence = "Choose a list."
        if path == "accountIds" and not self.account_ids:
            sentence = "Choose at least one sender."
        found = _PATH.fullmatch(path)
        if not found:
            return path, LABELS.get(path, path), sentence, "f-" + path.replace(".", "-")
        if found[3] is not None:
            index = int(found[3])
            return path, "Senders", sentence, f"sender-{self.account_ids[index]}"
        index, name = int(found[1]), found[2] or ""
        key = self.steps[index].key if index < len(self.steps) else ""
        place = {"message": "text", "subject": "subject", "delay.value": "wait", "delay.unit": "wait"}.get(name, "step")
        suffix = {"delay.value": "-value", "delay.unit": "-unit"}.get(name, "")
        return path, f"Step {index + 1}", sentence, f"{place}-{key}{suffix}"


def _steps(form: MultiDict[str, str]) -> list[StepDraft]:
    """Return the steps in the order of their numbers, each with its key."""
    fields: dict[int, dict[str, str]] = {}
    for name, given in form.items():
        if found := _STEP.fullmatch(name):
            fields.setdefault(int(found[1]), {})[found[2].removeprefix("delay.")] = given
    steps = [StepDraft(**typed) for _, typed in sorted(fields.items()) if typed.get("type") in STEPS]
    for step in steps:
        step.key = step.key if _KEY.fullmatch(step.key) else new_key()
    return steps


class CampaignForm(Form):
    """The fields of the editor, and of the steps of a running campaign."""

    do = Text(default="save")
    name = Text()
    list_id = Whole(name="listId")
    account_ids = Numbers(name="accountIds")
    steps = Nested(read=_steps)
    timezone = Text(name="schedule.timezone", strip=True)
    days = Numbers(name="schedule.days")
    start_time = Text(name="schedule.startTime", strip=True)
    end_time = Text(name="schedule.endTime", strip=True)
    start_date = Text(name="schedule.startDate", strip=True)
    end_date = Text(name="schedule.endDate", strip=True)
    approval = Tick()
    wait_for_profile = Tick(name="waitForProfile")
    contacted_days = Whole(name="exclude.contactedDays", wrong=-1)
    replied = Tick(name="exclude.replied")
    said_no = Tick(name="exclude.saidNo")
    colleague_talks = Tick(name="exclude.colleagueTalks")
    company_days = Whole(name="exclude.companyDays", wrong=-1)
    list_ids = Numbers(name="exclude.listIds")
    campaign_ids = Numbers(name="exclude.campaignIds")
    tags = Words(name="exclude.tags")
    company_stop = Tick(name="exclude.companyStop")
    apply_to = Text(name="applyTo", default="new")
    preview = Whole()
    removed = Text()

    def exclusions(self) -> dict[str, Any]:
        """Return who is left out, as it was sent."""
        sent = {name: self[name].data for name in EXCLUSIONS}
        return sent | {"tags": [tag.strip() for tag in self.tags.data if tag.strip()]}


def _zone(name: str) -> ZoneInfo:
    """Return the time zone; UTC for one that the verb will refuse."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return ZoneInfo("UTC")


def _day(written: str, name: str) -> date | None:
    try:
        day = date.fromisoformat(written) if written else None
        if day is None or clock.is_shown(day):
            return day
        raise ValueError
    except ValueError:
        raise InvalidRequest.of((f"schedule.{name}", "Use a date such as 2026-11-24.")) from None
