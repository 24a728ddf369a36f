"""The builder's form data: read from the form or a campaign, changed by its buttons, passed to the verbs."""

import json
import re
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from werkzeug.datastructures import MultiDict

from app.core import text
from app.core.errors import AppError, Field
from app.core.mail import markup
from app.domain.campaigns import starters
from app.domain.campaigns.validation import MAX_STEPS
from app.domain.rules import message_templates
from app.domain.rules.message_syntax import foreign
from app.domain.rules.sequences.branches import WHEN, side_at, side_within
from app.domain.rules.step_kinds import STEPS
from app.domain.rules.variants.assignment import KEYS, even_shares, variants_of
from app.domain.workspace.workspaces import Workspace
from app.pages.campaigns import branch_form, schedule_form
from app.pages.campaigns.branch_form import BranchDraft, ConditionDraft, Layout
from app.pages.campaigns.schedule_form import ScheduleForm
from app.pages.framework import words
from app.pages.framework.forms import Nested, Numbers, Text, Tick, Whole, Words

_STEP = re.compile(
    r"sequence\[(\d{1,3})\]\.(?:(type|key|message|subject|branch|side|withdraw|task|expires|delay\.value|delay\.unit)"
    r"|variants\[(\d)\]\.(key|message|subject|share))"
)
_KEY = re.compile(r"\b[0-9a-f]{8}\b")
_VARIANT = re.compile(r"variants\[(\d)\]\.(\w+)")
_PATH = re.compile(r"sequence\[(\d+)\](?:\.(.+))?|accountIds\[(\d+)\]|branches\[(\d+)\].*")
LABELS = {
    "name": "Name",
    "listId": "List",
    "accountIds": "Senders",
    "sequence": "Steps",
    "campaignLeadIds": "People",
    **schedule_form.LABELS,
    "exclude.contactedDays": "Days since the last contact",
    "exclude.companyDays": "Days since a colleague was contacted",
    "exclude.listIds": "Lists",
    "exclude.campaignIds": "Campaigns",
    "exclude.tags": "Tags",
}


EXCLUSIONS = (
    *("contacted_days", "replied", "said_no", "colleague_talks", "customers", "company_days"),
    *("list_ids", "campaign_ids", "tags", "company_stop"),
)


def new_key() -> str:
    """Return a key that a step keeps when it moves."""
    return secrets.token_hex(4)


@dataclass
class VariantDraft:
    """One of several texts of a step of the form, right or wrong."""

    key: str = ""
    message: str = ""
    subject: str = ""
    share: str = ""

    @property
    def length(self) -> int:
        """Return how long the text can become."""
        return message_templates.longest(self.message)

    def argument(self) -> dict[str, Any]:
        """Return the variant as verbs take it."""
        share = int(self.share) if self.share.strip().isdecimal() and len(self.share) < 9 else -1
        message = self.message.replace("\r\n", "\n")
        return {"key": self.key, "message": message, "subject": self.subject, "share": share}


@dataclass
class StepDraft:
    """A step of the form, right or wrong."""

    type: str
    key: str = field(default_factory=new_key)
    value: str = "0"
    unit: str = "days"
    message: str = ""
    subject: str = ""
    branch: str = ""
    side: str = WHEN
    withdraw: str = ""
    task: str = "call"
    expires: str = ""
    when: list[ConditionDraft] = field(default_factory=list)
    variants: list[VariantDraft] = field(default_factory=list)

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
        found: dict[str, Any] = {"type": self.type, "delay": delay, "message": message, "subject": self.subject}
        if self.variants:
            several = [one.argument() for one in self.variants]
            found = {"type": self.type, "delay": delay, "variants": several, **_first(several)}
        if self.type == "connection_request" and self.withdraw.strip():
            found["withdrawAfter"] = {"value": text.decimal(self.withdraw.strip(), -1), "unit": "days"}
        if self.kind.by_hand:
            found["taskType"] = self.task
            if self.expires.strip():
                found["continueAfter"] = {"value": text.decimal(self.expires.strip(), -1), "unit": "days"}
        return found | ({"when": branch_form.when_of(self.when)} if self.when else {})

    @property
    def after(self) -> str:
        """Return the wait before the step in words: 1 day; nothing where there is none."""
        value = self.value.strip() or "0"
        return "" if value == "0" else f"{value} {self.unit.removesuffix('s') if value == '1' else self.unit}"

    @property
    def days(self) -> float:
        """Return how many days the step waits."""
        return branch_form.in_days(self.value, self.unit)

    @property
    def only_if(self) -> str:
        """Return the step's own condition in words."""
        return f"Only if the person {branch_form.in_words(self.when)}" if self.when else ""

    @property
    def texts(self) -> "Sequence[StepDraft | VariantDraft]":
        """Return what holds the texts: its variants, or the step itself."""
        return self.variants or [self]

    def vary(self) -> str:
        """Add a variant that begins as a copy of the last one; return its key."""
        if not self.variants:
            self.variants = [VariantDraft(KEYS[0], self.message, self.subject)]
        last, used = self.variants[-1], {one.key for one in self.variants}
        free = [key for key in KEYS if key not in used]
        if not free:
            return ""
        self.variants.append(VariantDraft(free[0], last.message, last.subject))
        self._share_evenly()
        return free[0]

    def unvary(self, key: str) -> None:
        """Take a variant away; the last one left is the step's only text."""
        self.variants = [one for one in self.variants if one.key != key]
        if len(self.variants) == 1:
            self.message, self.subject = self.variants[0].message, self.variants[0].subject
            self.variants = []
        elif self.variants:
            self._share_evenly()

    def _share_evenly(self) -> None:
        for one, share in zip(self.variants, even_shares(len(self.variants)), strict=True):
            one.share = str(share)


def _first(several: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {name: several[0][name].strip() for name in ("message", "subject")}


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
    pick_winner: bool = False
    exclude: dict[str, Any] = field(default_factory=dict)
    branches: list[BranchDraft] = field(default_factory=list)
    topic: str = ""
    open: str = ""
    preview_all: bool = False
    offered: Sequence[starters.Starter] = ()

    def open_first(self, *wanted: str) -> None:
        """Open the step or split that the first of these ids belongs to; else what was open, or the first text."""
        keys = [*(one.key for one in self.steps), *(one.key for one in self.branches)]
        named = [key for place in (*wanted, self.open) for key in _KEY.findall(place)]
        texts = [one.key for one in self.steps if one.kind.text != "none"]
        self.open = next((key for key in (*named, *texts, *keys) if key in keys), "")

    def waits_for_accept(self, index: int) -> bool:
        """Return whether the wait before a step begins when the person accepts: it is the first that needs it."""
        earlier = any(one.kind.needs_connection for one in self.layout.before(index))
        return bool(index and self.steps[index].kind.needs_connection and not earlier)

    def wait_begins(self, index: int) -> str:
        """Return what the wait before a step begins with."""
        before, mine = self.steps[index - 1 : index], self.steps[index]
        if not before:
            return "after the start"
        if self.waits_for_accept(index):
            return "after they accept"
        way = self.layout.way(mine)
        return "after the previous step" if self.layout.way(before[0])[: len(way)] == way else "after the split"

    def wait_of(self, index: int) -> str:
        """Return when a step comes, as the tree shows it."""
        wait = self.steps[index].after
        if not index:
            return f"{wait} after the start" if wait else "Starts when you launch"
        return f"{wait or 'Right'} after they accept" if self.waits_for_accept(index) else wait or "Right away"

    def ends_unaccepted(self, index: int) -> str:
        """Return after how many days people end who don't accept before this step; "" where they have a path."""
        asked = [one for one in self.layout.before(index) if one.type == "connection_request"]
        split = any(one.kind == "accepted" for branch, _ in self.layout.way(self.steps[index]) for one in branch.when)
        return (asked[-1].withdraw or "21") if asked and not split and self.waits_for_accept(index) else ""

    def gist(self, index: int, said_to: Sequence[Any]) -> str:
        """Return the beginning of a step as the previewed person gets it; without one, with its variables' names."""
        step, said = self.steps[index], said_to[index] if index < len(said_to) else None
        written = [step.texts[0].subject, step.texts[0].message]
        found = [said.subject, *said.parts] if said else [words.readable(one) for one in written]
        none = step.kind.hint if step.kind.text == "none" else "No text"
        mail = step.type == "email"
        return next(((markup.plain(one, links=False) if mail else one)[:120] for one in found if one.strip()), none)

    def earliest_day(self, index: int) -> int:
        """Return the first day on which a step can be done; of earlier splits the first path counts."""
        layout, day, invited = self.layout, 0.0, 0.0
        for step in [*layout.before(index), self.steps[index]]:
            asked = [one.days for branch, side in layout.way(step) if side != WHEN for one in branch.when]
            day = max([day, *(invited + days for days in asked)]) + step.days
            invited = day if step.type == "connection_request" else invited
        return 1 + int(day)

    @property
    def is_blank(self) -> bool:
        """Return whether no step has a text, so that a starter sequence takes nothing away."""
        return not any(one.message.strip() or one.subject.strip() for step in self.steps for one in step.texts)

    @property
    def full(self) -> str:
        """Return why no step can be added, "" while one can."""
        return f"A campaign can have up to {MAX_STEPS} steps." if len(self.steps) >= MAX_STEPS else ""

    @property
    def layout(self) -> Layout:
        """Return the steps with their branches."""
        return Layout(self.steps, self.branches)

    @classmethod
    def fresh(cls, workspace: Workspace, list_id: int, accounts: Sequence[Any], people: Sequence[Any]) -> "Draft":
        """Return the defaults of a new campaign to people such as these: over LinkedIn, unless only email can be."""
        by_email = any(one.email for one in people) and not any(one.public_id for one in people)
        several = [one for one in accounts if one.active and not (by_email and one.channel == "social")]
        social = [account.id for account in several if account.channel == "social"]
        if not by_email and (social or not several):
            steps = [StepDraft("connection_request", "0" * 8), StepDraft("message", "1" * 8, value="1")]
        else:
            steps = [StepDraft("email", "0" * 8), StepDraft("email", "1" * 8, value="3")]
        return cls("", list_id, social or [one.id for one in several], steps, schedule_form.fresh(workspace))

    @classmethod
    def of_campaign(cls, campaign: Any) -> "Draft":
        """Return the form's values for a saved campaign."""
        steps, branches = cls._read(campaign.sequence, campaign.branches or ())
        schedule = schedule_form.of_campaign(campaign)
        listed, accounts = campaign.list_id or 0, list(campaign.account_ids)
        kept = {"approval": campaign.approval, "wait_for_profile": campaign.wait_for_profile}
        kept["pick_winner"] = campaign.pick_winner_at is not None
        return cls(campaign.name, listed, accounts, steps, schedule, **kept, branches=branches)

    @staticmethod
    def _read(sequence: Sequence[Any], split: Sequence[Any]) -> tuple[list[StepDraft], list[BranchDraft]]:
        """Return the form's values for steps and branches as verbs take them; a reload gives steps the same keys."""
        steps: list[StepDraft] = []
        for step in sequence:
            delay = step.get("delay") or {"value": 0, "unit": "days"}
            texts = {"message": step.get("message", ""), "subject": step.get("subject", "")}
            made = StepDraft(step["type"], f"{len(steps):08x}", value=str(delay["value"]), unit=delay["unit"], **texts)
            made.variants = [VariantDraft(**{**one, "share": str(one["share"])}) for one in variants_of(step)]
            made.when = branch_form.drafts_of(step.get("when"))
            made.withdraw = str((step.get("withdrawAfter") or {}).get("value", ""))
            made.task = step.get("taskType", made.task)
            made.expires = str((step.get("continueAfter") or {}).get("value", ""))
            steps.append(made)
        branches: list[BranchDraft] = []
        for branch in split:
            branches.append(BranchDraft(when=branch_form.drafts_of(branch["when"])))
            for outer, draft in zip(split, branches[:-1], strict=False):
                if side := side_within(outer, branch):
                    branches[-1].branch, branches[-1].side = draft.key, side
            for number, step_draft in enumerate(steps[branch["at"] : branch["join"]], branch["at"]):
                step_draft.branch, step_draft.side = branches[-1].key, side_at(branch, number)
        return steps, branches

    @classmethod
    def of_form(cls, form: "CampaignForm") -> "Draft":
        """Return the values as they were sent."""
        made = cls(
            form.name.data,
            form.list_id.data,
            form.account_ids.data,
            form.steps.data,
            form.schedule(),
            form.preview.data,
            form.removed.data,
            form.approval.data,
            form.wait_for_profile.data,
            form.pick_winner.data,
            form.exclusions(),
            form.branches.data,
            form.topic.data,
            form.open.data,
            form.preview_all.data,
        )
        made.layout.tidy()
        return made

    def arguments(self) -> dict[str, Any]:
        """Return the values as verbs take them; raise InvalidRequest for an invalid day."""
        sequence = [step.argument() for step in self.steps]
        return {
            "name": self.name,
            "list_id": self.list_id,
            "account_ids": self.account_ids,
            "sequence": sequence,
            "schedule": schedule_form.argument(self.schedule),
            "approval": self.approval,
            "wait_for_profile": self.wait_for_profile,
            "branches": self.layout.arguments(),
            "pick_winner": self.pick_winner,
        }

    def change(self, do: str) -> tuple[str, str]:
        """Apply one of the editor's buttons; return the field or the key of the step to focus, and what changed."""
        found = self._change(do)
        self.layout.tidy()
        return found

    def _change(self, do: str) -> tuple[str, str]:
        verb, _, rest = do.partition(":")
        place, _, kind = rest.partition(":")
        at = text.number(place)
        if changed := schedule_form.change(self.schedule, verb, at):
            return changed
        if verb == "restore":
            return self._restore()
        if verb == "starter":
            return self._begin_with(place)
        if verb == "translate":
            for one in (one for step in self.steps for one in step.texts):
                one.message, one.subject = foreign.translate(one.message), foreign.translate(one.subject)
            return "", ""
        if verb == "person":
            self.lead_id = at
            return "", ""
        kind, _, where = kind.partition(":")
        if verb == "add" and kind in STEPS and at <= len(self.steps):
            branch, _, side = where.partition(":")
            made = StepDraft(kind, value="1" if at else "0", branch=branch, side=side or WHEN)
            self.steps.insert(at, made)
            opens = kind == "email" and not any(one.type == "email" for one in self.steps[:at])
            field = "subject" if opens else "text"  # without a subject, the email replies to the one before
            return f"{field}-{made.key}" if made.kind.text != "none" else made.key, f"Step {at + 1} added."
        if verb == "split" and at <= len(self.steps):
            return self._split(at, kind, where or WHEN)
        if verb == "join":
            self.layout.join(place)
            return "", "Split removed. The steps of both paths now follow each other."
        if verb in ("ask", "unask"):
            return self._ask(verb, rest)
        if not 1 <= at <= len(self.steps):
            return "", ""
        if verb == "remove":
            gone = self.steps.pop(at - 1)
            self.open = self.steps[min(at, len(self.steps)) - 1].key if self.steps else ""
            self.removed = json.dumps({"at": at - 1, **asdict(gone)})
            return "removed", f"Step {at} removed."
        if verb == "vary" and self.steps[at - 1].kind.text != "none":
            added = self.steps[at - 1].vary()
            return (f"text-{self.steps[at - 1].key}-{added}", f"Variant {added} added.") if added else ("", "")
        if verb == "unvary":
            self.steps[at - 1].unvary(kind)
            return self.steps[at - 1].key, f"Variant {kind} removed."
        if verb == "to" and 1 <= text.number(kind) <= len(self.steps):
            return self._take_to(at, text.number(kind))
        if verb == "copy":
            copied = [replace(one) for one in self.steps[at - 1].variants]
            self.steps.insert(at, replace(self.steps[at - 1], key=new_key(), variants=copied))
            return self.steps[at].key, f"Step {at} duplicated. You are editing the copy."
        if verb not in ("up", "down"):
            return "", ""
        key = self.steps[at - 1].key
        to = self.layout.move(at - 1, verb == "down")
        return key, f"Moved to step {to + 1}." if to != at - 1 else "Moved to the other path."

    def _split(self, at: int, branch: str, side: str) -> tuple[str, str]:
        """Split the side of a branch, or the whole sequence, there; at its end with a new step on the first path."""
        made = None
        if not self.layout.goes_on(at, branch, side):
            made = StepDraft("email", value="1", branch=branch, side=side)
            self.steps.insert(at, made)
        added = self.layout.split(at, branch, side)
        if made and added and self.branches[-1].when[0].kind == "accepted":
            made.type = "message"
        return added, "Split added. Choose who takes the first path." if added else ""

    def _begin_with(self, key: str) -> tuple[str, str]:
        """Take the steps of a starter or template, while no step has a text."""
        if not self.is_blank or starters.topic_problem(self.topic):
            return "", ""
        found = next((one for one in self.offered if one.key == key), None)
        if found is None:
            return "", ""
        self.take(found.sequence, found.branches)
        return self.steps[0].key, f"Steps of “{found.name}” added. You can edit every step."

    def take(self, sequence: Sequence[Any], branches: Sequence[Any]) -> None:
        """Replace the steps and branches by these, as verbs take them."""
        self.steps[:], self.branches[:] = self._read(sequence, branches)

    def _take_to(self, at: int, to: int) -> tuple[str, str]:
        """Move a step to the place of another one, and onto its side of a branch."""
        there = self.steps[to - 1]
        step = self.steps.pop(at - 1)
        step.branch, step.side = there.branch, there.side
        self.steps.insert(to - 1, step)
        return step.key, f"Moved to step {to}."

    def _ask(self, verb: str, rest: str) -> tuple[str, str]:
        """Add a condition to a step or branch with that key, or take one away."""
        key, _, number = rest.partition(":")
        places: list[StepDraft | BranchDraft] = [*self.steps, *self.branches]
        mine = next((one for one in places if one.key == key), None)
        if mine is None:
            return "", ""
        if verb == "ask" and len(mine.when) < branch_form.MOST:
            mine.when.append(ConditionDraft())
            return "", "Condition added."
        if verb == "unask" and text.number(number) < len(mine.when):
            del mine.when[text.number(number)]
            return "", "Condition removed."
        return "", ""

    def _restore(self) -> tuple[str, str]:
        try:
            kept = json.loads(self.removed)
            texts = [{name: str(given) for name, given in one.items()} for one in kept.pop("variants", [])]
            several = [VariantDraft(**one) for one in texts]
            at, when = int(kept.pop("at")), [ConditionDraft(**one) for one in kept.pop("when", ())]
            step = StepDraft(**{name: str(given) for name, given in kept.items()}, when=when, variants=several)
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
        return foreign.pairs(text for step in self.steps for one in step.texts for text in (one.message, one.subject))

    def problems(self, refusal: AppError) -> list[tuple[str, str, str, str]]:
        """Return the errors as (path, label, sentence, id of the field)."""
        found = [self._problem(problem) for problem in refusal.fields]
        return [(path, label, words.by_names(sentence), place) for path, label, sentence, place in found]

    def _problem(self, problem: Field) -> tuple[str, str, str, str]:
        path, sentence = problem.path, problem.message
        if path == "listId" and not self.list_id:
            sentence = "Choose a list."
        if path == "accountIds" and not self.account_ids:
            sentence = "Choose at least one sender."
        if of_schedule := schedule_form.place_of(path, self.schedule):
            return path, of_schedule[0], sentence, of_schedule[1]
        found = _PATH.fullmatch(path)
        if not found:
            return path, LABELS.get(path, path), sentence, "f-" + path.replace(".", "-")
        if found[3] is not None:
            index = int(found[3])
            return path, "Senders", sentence, f"sender-{self.account_ids[index]}"
        if found[4] is not None:
            return path, "Split", sentence, f"branch-{self.branches[int(found[4])].key}"
        index, name = int(found[1]), found[2] or ""
        key = self.steps[index].key if index < len(self.steps) else ""
        if (of_variant := _VARIANT.fullmatch(name)) and index < len(self.steps):
            several, number = self.steps[index].variants, int(of_variant[1])
            letter = several[number].key if number < len(several) else ""
            field_id = {"message": "text", "subject": "subject"}.get(of_variant[2], "share")
            return path, f"Step {index + 1}, variant {letter}", sentence, f"{field_id}-{key}-{letter}"
        place = {"message": "text", "subject": "subject", "delay.value": "wait", "delay.unit": "wait"}.get(name, "step")
        for field_, its in (("withdrawAfter", "withdraw"), ("taskType", "task"), ("continueAfter", "expires")):
            place = its if name.startswith(field_) else place
        suffix = {"delay.value": "-value", "delay.unit": "-unit"}.get(name, "")
        return path, f"Step {index + 1}", sentence, f"{place}-{key}{suffix}"


def _typed(name: str, value: str) -> str:
    """Return a field of a step as it is kept: texts with the keys of their variables, a subject in one line."""
    if name == "subject":
        value = " ".join(value.splitlines())
    return words.with_keys(value) if name in ("subject", "message") else value


def _steps(form: MultiDict[str, str]) -> list[StepDraft]:
    """Return the steps in the order of their numbers, each with its key."""
    fields: dict[int, dict[str, str]] = {}
    several: dict[int, dict[int, dict[str, str]]] = {}
    for name, typed_in in form.items():
        found = _STEP.fullmatch(name)
        given = _typed(name.rpartition(".")[2], typed_in)
        if found and found[2]:
            fields.setdefault(int(found[1]), {})[found[2].removeprefix("delay.")] = given
        elif found:
            several.setdefault(int(found[1]), {}).setdefault(int(found[3]), {})[found[4]] = given
    asked = branch_form.conditions_in(form)
    steps = []
    for place, typed in sorted(fields.items()):
        if typed.get("type") in STEPS:
            variants = [VariantDraft(**one) for _, one in sorted(several.get(place, {}).items())]
            steps.append(StepDraft(**typed, when=asked.get(("sequence", place), []), variants=variants))
    for step in steps:
        step.key = step.key if _KEY.fullmatch(step.key) else new_key()
    return steps


class CampaignForm(ScheduleForm):
    """The fields of the editor, and of the steps of a running campaign."""

    do = Text(default="save")
    draft = Whole()  # what a new campaign was saved as
    name = Text()
    list_id = Whole(name="listId")
    account_ids = Numbers(name="accountIds")
    steps = Nested(read=_steps)
    branches = Nested(read=branch_form.branches_in)
    approval = Tick()
    wait_for_profile = Tick(name="waitForProfile")
    pick_winner = Tick(name="pickWinner")
    contacted_days = Whole(name="exclude.contactedDays", wrong=-1)
    replied = Tick(name="exclude.replied")
    said_no = Tick(name="exclude.saidNo")
    colleague_talks = Tick(name="exclude.colleagueTalks")
    customers = Tick(name="exclude.customers")
    company_days = Whole(name="exclude.companyDays", wrong=-1)
    list_ids = Numbers(name="exclude.listIds")
    campaign_ids = Numbers(name="exclude.campaignIds")
    tags = Words(name="exclude.tags")
    company_stop = Tick(name="exclude.companyStop")
    sure = Tick()
    let_in = Tick(name="letIn")
    apply_to = Text(name="applyTo", default="new")
    lead_ids = Numbers(name="campaignLeadIds")
    preview = Whole()
    removed = Text()
    topic = Text()
    open = Text()
    preview_all = Tick(name="previewAll")

    def exclusions(self) -> dict[str, Any]:
        """Return who is left out, as it was sent."""
        sent = {name: self[name].data for name in EXCLUSIONS}
        return sent | {"tags": [tag.strip() for tag in self.tags.data if tag.strip()]}
