"""Settings of the workspace: defaults, retention, and the contact rules that all campaigns follow."""

from typing import Annotated, Any

from app import resources
from app.api.framework.bodies import AtMost, Body
from app.api.framework.endpoint import endpoint
from app.api.framework.schema_notes import A_NAME, ZONE, among, entries, up_to, within
from app.api.leads.lists import BASIS, MERGE
from app.domain.conversations import inbox_settings
from app.domain.people.exclusions import contact_settings
from app.domain.platform import retention
from app.domain.workspace import workspace_settings
from app.domain.workspace.workspaces import Workspace

RULES = "/settings/contact-rules"
UNDO: Any = within(0, inbox_settings.LONGEST_UNDO)
LINK: Any = up_to(inbox_settings.LONGEST_LINK, format="web-link")
TAGS: Any = entries(0, contact_settings.MOST_NAMED)
TAG: Any = up_to(contact_settings.LONGEST_TAG)


def _kept(kind: str) -> Any:
    return among(*retention.KINDS[kind].choices)


def _number(name: str, least: int = 0) -> Any:
    return within(least, contact_settings.MOST[name])


class Retention(Body):
    """How many days data is kept; 0 to keep it until the workspace is deleted."""

    requests: Annotated[int, _kept("requests")] | None = None
    """How many days the log of API requests is kept; 0 for no limit."""
    deliveries: Annotated[int, _kept("deliveries")] | None = None
    """How many days webhook deliveries are kept; 0 for no limit."""
    payloads: Annotated[int, _kept("payloads")] | None = None
    """How many days the contents of events are kept; 0 for no limit. Older events are no longer listed."""


class ChangedSettings(Body):
    """The settings to change; fields you leave out stay the same."""

    name: Annotated[str, A_NAME] | None = None
    """The name of the workspace."""
    timezone: Annotated[str, ZONE] | None = None
    """The IANA name of the workspace's time zone."""
    merge: MERGE | None = None
    """How imports update people who are already known; empty for the default of each source."""
    lawful_basis: Annotated[str, BASIS] | None = None
    """The default lawful basis for contacting people, for lists without their own; empty for none."""
    undo_seconds: Annotated[int, UNDO] | None = None
    """How many seconds you have to undo a reply in the dashboard; messages sent with a key are not held back."""
    meeting_link: Annotated[str, LINK] | None = None
    """The default booking link in `{{meeting_link}}`, for members without their own; empty for none."""
    retention: Retention | None = None
    """How long logs and events are kept."""


class ChangedContactRules(Body):
    """The rules to change. Rules you leave out stay the same; 0 turns a rule off."""

    contacted_days: Annotated[int, _number("contacted_days")] | None = None
    """How many days people stay excluded after another campaign or a member contacted them; 0 to turn off."""
    replied: bool | None = None
    """Whether to exclude people who replied to any campaign."""
    said_no: bool | None = None
    """Whether to exclude people who said “no” or “not now”."""
    colleague_talks: bool | None = None
    """Whether to exclude people who are already in conversation with another of your senders."""
    customers: bool | None = None
    """Whether to exclude people who are customers, or have an open deal, in the connected CRM."""
    company_days: Annotated[int, _number("company_days")] | None = None
    """How many days people stay excluded after their company was contacted; 0 to turn off."""
    tags: Annotated[list[Annotated[str, TAG]], AtMost(1000), TAGS] | None = None
    """People with any of these tags are excluded."""
    touches: Annotated[int, _number("touches")] | None = None
    """The maximum number of times one person may be contacted in `days` days; 0 for no limit."""
    days: Annotated[int, _number("days", 1)] | None = None
    """The number of days for the limit in `touches`."""
    per_day: Annotated[int, _number("per_day")] | None = None
    """The maximum number of times one person may be contacted in a day; 0 for no limit."""
    company_people: Annotated[int, _number("company_people")] | None = None
    """The maximum number of people at one company who may be contacted at the same time; 0 for no limit."""
    company_stop: bool | None = None
    """Whether a reply puts everyone else at the same company on hold."""
    opt_out_holds_company: bool | None = None
    """Whether an opt-out puts everyone else at the same company on hold."""


@endpoint("GET", "/settings", scope="settings:read", returns=resources.Settings)
def show(workspace: Workspace) -> tuple[Workspace, Any]:
    """Get the workspace's settings."""
    return workspace, retention.all_days(workspace)


@endpoint(
    "PATCH",
    "/settings",
    scope="settings:write",
    body=ChangedSettings,
    returns=resources.Settings,
    example={"timezone": "Europe/Berlin", "undoSeconds": 30, "retention": {"requests": 30}},
)
def change(workspace: Workspace, body: ChangedSettings) -> tuple[Workspace, Any]:
    """Change the workspace's settings; if you shorten a retention period, older data is deleted within hours.

    Campaigns and senders with their own settings do not change.
    """
    days = body.retention.model_dump(exclude_none=True) if body.retention else {}
    given = body.model_dump(exclude_none=True, exclude={"retention"})
    return show(workspace_settings.change(workspace, given, days))


@endpoint("GET", RULES, scope="settings:read", returns=resources.ContactRules)
def show_contact_rules(workspace: Workspace) -> Any:
    """Get the contact rules: who is excluded from campaigns, and how often people may be contacted."""
    return workspace_settings.contact_rules(workspace)


@endpoint(
    "PATCH",
    RULES,
    scope="settings:write",
    body=ChangedContactRules,
    returns=resources.ContactRules,
    example={"contactedDays": 120, "tags": ["Partner"], "perDay": 1},
)
def change_contact_rules(workspace: Workspace, body: ChangedContactRules) -> Any:
    """Change the contact rules; they apply from the next send to all campaigns without their own rules.

    People who have already been excluded stay excluded until a member includes them.
    """
    given = body.model_dump(exclude_none=True)
    return workspace_settings.contact_rules(workspace_settings.change_contact_rules(workspace, given))


@endpoint("POST", RULES + "/reset", scope="settings:write", returns=resources.ContactRules)
def reset_contact_rules(workspace: Workspace) -> Any:
    """Reset the contact rules to the defaults.

    Campaigns with their own rules do not change.
    """
    return workspace_settings.contact_rules(workspace_settings.reset_contact_rules(workspace))
