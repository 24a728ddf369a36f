"""Bodies of the steps of a sequence: their texts, conditions, branches, and what follows a reply."""

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import Field

from app.api.framework.bodies import AtMost, Body
from app.api.framework.schema_notes import (
    AN_ID,
    BLANK,
    ONE_LINE,
    WRITTEN,
    Json,
    among,
    any_one_of,
    case,
    entries,
    within,
)
from app.domain.campaigns import branch_validation, reply_actions, validation
from app.domain.rules import step_kinds
from app.domain.rules.sequences import conditions
from app.domain.rules.step_kinds import STEPS
from app.domain.rules.variants import assignment

Campaign = Any  # a row of the domain's
NONE: Json = {"type": "null"}
TAG = {"pattern": r"^[^;|\x00-\x1f\x7f]*[^\s;|\x00-\x1f\x7f][^;|\x00-\x1f\x7f]*$"}
ONLY_IF = "The condition a person must meet for this step. Everyone else skips the step."
WITHDRAWN = (
    "How long the connection request stays open before it is withdrawn; null for 21 days. While it is open, the person"
    " waits at the first step that needs the connection, and the steps after that wait, too. If the request is not"
    " accepted, the steps that need it are skipped."
)
CONTINUED = "When the sequence continues if the task is still open; null to wait until the task is done or skipped."
EXAMPLE = {"type": "connection_request", "message": "Hi {{first_name|there}}, we both work in logistics."}
NEXT = "Thanks for connecting, {{first_name|there}}! How do you plan your week?"
NEW_CAMPAIGN = {
    "name": "Founders in Berlin",
    "listId": 12,
    "accountIds": [3],
    "sequence": [EXAMPLE, {"type": "message", "delay": {"value": 2, "unit": "days"}, "message": NEXT}],
    "schedule": {"timezone": "Europe/Berlin", "startTime": "09:00", "endTime": "17:30", "newPeoplePerDay": 20},
    "approval": True,
}
MANY = 1000  # no list in a body may be longer; a verb may allow fewer


def _takes(kind: step_kinds.Step) -> Iterator[Json]:
    """Describe the texts that a step type takes."""
    subject = {"maxLength": kind.max_subject, **ONE_LINE} if kind.max_subject else BLANK
    named, type_ = f"`{kind.name}`", {"const": kind.name}
    only: Json = {} if kind.name == "connection_request" else {"withdrawAfter": NONE}
    if kind.by_hand:
        only["taskType"] = {"enum": list(step_kinds.TASK_TYPES)}
    else:
        only |= {"taskType": NONE, "continueAfter": NONE}
    of_it = " and `subject`" if kind.max_subject else ""
    if kind.text == "none":
        yield case(
            f"{named}, without text.", type=type_, message=BLANK, subject=subject, variants={"type": "null"}, **only
        )
        return
    if kind.text == "optional":
        yield case(f"{named} with or without `message`, or with `variants`.", type=type_, subject=subject, **only)
        return
    written = {"type": "string", **WRITTEN}
    more = ("taskType",) if kind.by_hand else ()
    yield case(
        f"{named} with `message`{of_it}.", "message", *more, type=type_, message=written, subject=subject, **only
    )
    yield case(
        f"{named} with `variants`.",
        "variants",
        *more,
        type=type_,
        variants={"type": "array", "items": {}},
        subject=subject,
        **only,
    )


SHARE = "The relative share of people who get this variant; by default, all shares are equal. 0 for no new people."
WHOLE_SHARE: Json = {"minimum": 0, "maximum": validation.MOST_SHARE}
VARIANTS: Any = entries(2, len(assignment.KEYS))


class Delay(Body):
    """How long to wait before a step, at most a year."""

    model_config = any_one_of(
        *(
            case(f"Up to {most:,} {unit}.", unit={"const": unit}, value={"minimum": 0, "maximum": most})
            for unit, most in validation.MOST_DELAY.items()
        )
    )

    value: float
    """How many units to wait; fractions such as 1.5 are allowed."""
    unit: Annotated[str, among(*validation.MOST_DELAY)]
    """The unit of `value`."""


class Variant(Body):
    """A variant of a step's text."""

    key: Annotated[str | None, among(*assignment.KEYS)] = None
    """The letter of the variant; null for the next free letter."""
    message: str | None = None
    """The text, with variables."""
    subject: str | None = None
    """The subject; only for emails and InMails."""
    share: Annotated[int | None, Field(description=SHARE, json_schema_extra=WHOLE_SHARE)] = None


class Within(Body):
    """How long to wait for the connection request to be accepted after it was sent: 1 hour to 90 days."""

    model_config = any_one_of(
        case("Up to 90 days.", unit={"const": "days"}, value={"minimum": 1, "maximum": 90}),
        case("Up to 2,160 hours.", unit={"const": "hours"}, value={"minimum": 1, "maximum": 2160}),
    )

    value: float
    """How many units to wait."""
    unit: Annotated[str, among(*conditions.UNITS)]
    """The unit of `value`."""


class OpenFor(Body):
    """How many days a connection request stays open before it is withdrawn, or a campaign waits for a task."""

    value: Annotated[int, within(1, branch_validation.LONGEST_OPEN)]
    """The number of days."""
    unit: Annotated[str, among("days")]
    """The unit of `value`."""


def _told(name: str, kind: conditions.Kind) -> str:
    """Return what the condition asks, with the field and the words that it takes."""
    asked = f"{kind.label.lower()} `{kind.takes}`" if kind.takes and name != "accepted" else kind.label.lower()
    known = {"sender": (*conditions.SENDERS,), "signal": conditions.SIGNALS, "country": ("a name such as Germany",)}
    return f"{asked} ({', '.join(known[name])})" if name in known else asked


def _asks(name: str, kind: conditions.Kind) -> Json:
    """Describe the fields that a condition takes."""
    nothing: Json = {"type": "null"}
    word = {"type": "string", "maxLength": branch_validation.LONGEST_VALUE, **WRITTEN}
    takes: Json = dict.fromkeys(("within", "value", "name", "equals", "kind", "all"), nothing)
    if kind.takes in ("value", "name"):
        a_country = {"format": "country-name"} if name == "country" else {}
        takes[kind.takes] = {"enum": list(conditions.SENDERS)} if name == "sender" else word | a_country
    elif kind.takes == "kind":
        takes["kind"] = {"enum": list(conditions.SIGNALS)}
    elif kind.takes == "within":
        takes["within"] = {"type": "object"}
    if name == "custom_field":
        takes["equals"] = {"anyOf": [nothing, word]}
    return case(
        f"`{name}`: {_told(name, kind)}.",
        "is",
        *([kind.takes] if kind.takes else []),
        **{"is": {"const": name}},
        **takes,
    )


class Asked(Body):
    """The details of a condition."""

    not_: bool = Field(default=False, alias="not")
    """True if the condition must not hold."""
    within: Within | None = None
    """How long to wait for the connection request to be accepted; only for `accepted`."""
    value: str | None = None
    """The value to compare with; only for `title`, `company`, `country`, `tag` and `sender`."""
    name: str | None = None
    """The name of the custom field; only for `custom_field`."""
    equals: str | None = None
    """The value the custom field must have; null if any value is enough."""
    kind: str | None = None
    """The kind of signal; only for `signal`."""


class Condition(Asked):
    """A condition on the person."""

    model_config = any_one_of(*(_asks(name, kind) for name, kind in conditions.KINDS.items()))

    is_: Annotated[str, among(*conditions.KINDS)] = Field(alias="is")
    """Which condition to check."""


class When(Asked):
    """A single condition on the person, or `all` with several. `not` inverts the condition.

    `accepted` waits up to `within` for the connection request to be accepted; all others are decided immediately.
    `custom_field` holds if the field has a value or, with `equals`, exactly this value; `signal` holds if the signal
    was found in the last 90 days.
    """

    model_config = any_one_of(
        *(_asks(name, kind) for name, kind in conditions.KINDS.items()),
        case(
            "`all` with several conditions.",
            "all",
            **dict.fromkeys(("is", "within", "value", "name", "equals", "kind"), NONE),
            all={"type": "array", "items": {}},
            **{"not": {"const": False}},
        ),
        examples=[{"is": "has_email"}],
    )

    is_: Annotated[str | None, among(*conditions.KINDS)] = Field(default=None, alias="is")
    """Which condition to check; null if you send `all`."""
    all: Annotated[list[Condition] | None, AtMost(MANY), entries(1, branch_validation.MAX_CONDITIONS)] = None
    """Several conditions that must all hold."""


class Branch(Body):
    """A point where the sequence splits into two paths. Positions start at 0.

    With `at` 1, `otherwise` 3 and `join` 4, steps 1 and 2 are for people who meet `when`, step 3 is for everyone else,
    and both paths continue at step 4. One of the paths may be empty. Each person's path is decided once.

    Branches can be nested, up to three deep. If two branches start at the same step, the branch that joins later is the
    outer branch; if both also join at the same step, list the outer branch first.
    """

    at: Annotated[int, within(0, validation.MAX_STEPS)]
    """The position of the first step for people who meet `when`, starting at 0."""
    otherwise: Annotated[int, within(0, validation.MAX_STEPS)]
    """The position of the first step for everyone else."""
    join: Annotated[int, within(1, validation.MAX_STEPS)]
    """The position of the step at which both paths continue."""
    when: When
    """The condition that decides the path."""


class ReplyRule(Body):
    """What to do after a reply with a certain sentiment, once per reply; this never sends a message."""

    model_config = any_one_of(
        case(
            "`list` with `listId`.", "listId", do={"const": "list"}, listId={"type": "integer"}, value={"type": "null"}
        ),
        case(
            "`tag` with `value`.",
            "value",
            do={"const": "tag"},
            value={"type": "string", "maxLength": 50, **WRITTEN, **TAG},
            listId=NONE,
        ),
        case("`task` with `value`.", "value", do={"const": "task"}, value={"type": "string", **WRITTEN}, listId=NONE),
        case("A notification, with or without `value`.", do={"const": "alert"}, listId=NONE),
        examples=[{"sentiment": "positive", "do": "tag", "value": "hot"}],
    )

    sentiment: Annotated[str, among(*reply_actions.TONES)]
    """The sentiment of the reply: `generic` is neutral, `not_now` asks to wait (elsewhere, it counts as `generic`)."""
    do: Annotated[str, among(*reply_actions.DO)]
    """The action: add a tag, add to a list, create a task, or notify."""
    value: Annotated[str | None, Field(max_length=reply_actions.LONGEST_TEXT)] = None
    """The tag, or the text of the task or notification."""
    list_id: Annotated[int | None, AN_ID] = None
    """The id of the list to add the person to; only for `list`."""


class Step(Body):
    """A step of a sequence. A `message` needs one `connection_request` before it; anyone's first email needs a subject.

    A message waits until the connection request is accepted. People without an email address skip `email` steps; people
    whom no step can reach are excluded. A skipped step takes no time: the `delay` of the next one counts from the last
    step that was done.

    A note can have at most 200 characters, or 300 if every sender has Sales Navigator; an InMail 1,900; any other text
    8,000. If a text has choices or conditions, its longest version must fit. The values of variables are not counted.

    Texts and subjects can have variables, with a fallback after a bar (`{{first_name|there}}`): `first_name`,
    `last_name`, `full_name`, `headline`, `position`, `company_name`, `location`, `sender_name`, `sender_first_name`,
    `meeting_link`, and `custom.` with the name of a custom field, in small letters and with underscores
    (`{{custom.my_field}}` for `My Field`). They can also have choices (spintax, such as `{Hi|Hello}`), which can be
    nested and are always the same for each person, and conditions (`{{#if company_name}}…{{else}}…{{/if}}`), which
    check for a value. Put a backslash before a brace or a vertical bar to show it as text. If you use the syntax of
    another tool, the error's `recovery` has the equivalent in Overture.
    """

    model_config = any_one_of(*(one for kind in STEPS.values() for one in _takes(kind)), examples=[EXAMPLE])

    type: Annotated[str, among(*STEPS)]
    """What the step does."""
    delay: Delay | None = None
    """How long to wait after the previous step, or after the request is accepted if that is later; null for none."""
    message: str | None = None
    """The text, with variables; only for steps that have a text."""
    subject: str | None = None
    """The subject; only for emails and InMails. A later email without one is a reply (`Re:`) to the one before."""
    variants: Annotated[list[Variant] | None, AtMost(MANY), VARIANTS] = None
    """Two to five versions to compare, in place of `message` and `subject`; each person always gets the same one."""
    when: Annotated[When | None, Field(description=ONLY_IF)] = None
    withdraw_after: Annotated[OpenFor | None, Field(description=WITHDRAWN)] = None
    task_type: Annotated[str | None, among(*step_kinds.TASK_TYPES)] = None
    """What a member does by hand; only for tasks. `message` says what to say or do."""
    continue_after: Annotated[OpenFor | None, Field(description=CONTINUED)] = None
