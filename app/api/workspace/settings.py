"""Settings of the workspace: defaults, retention, and the contact rules that all campaigns follow."""

from typing import Annotated, Any

from app import resources
from app.api.framework.bodies import AtMost, Body
from app.api.framework.endpoint import endpoint
from app.api.framework.schema_notes import A_NAME, ZONE, among, entries, up_to, within
from app.api.leads.lists import BASIS, MERGE
from app.domain.conversations import inbox_settings
from app.domain.exclusions import contact_settings
from app.domain.operations import workspace_settings
from app.domain.platform import retention
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
    """For how many days each is kept; 0 for as long as the workspace exists."""

    requests: Annotated[int, _kept("requests")] | None = None
    deliveries: Annotated[int, _kept("deliveries")] | None = None
    payloads: Annotated[int, _kept("payloads")] | None = None


class ChangedSettings(Body):
    """The settings to change; fields you leave out stay the same."""

    name: Annotated[str, A_NAME] | None = None
    timezone: Annotated[str, ZONE] | None = None
    merge: MERGE | None = None
    lawful_basis: Annotated[str, BASIS] | None = None
    undo_seconds: Annotated[int, UNDO] | None = None
    meeting_link: Annotated[str, LINK] | None = None
    retention: Retention | None = None


class ChangedContactRules(Body):
    """The rules to change; fields you leave out stay the same, and 0 turns a number off."""

    contacted_days: Annotated[int, _number("contacted_days")] | None = None
    replied: bool | None = None
    said_no: bool | None = None
    colleague_talks: bool | None = None
    customers: bool | None = None
    company_days: Annotated[int, _number("company_days")] | None = None
    tags: Annotated[list[Annotated[str, TAG]], AtMost(1000), TAGS] | None = None
    touches: Annotated[int, _number("touches")] | None = None
    days: Annotated[int, _number("days", 1)] | None = None
    per_day: Annotated[int, _number("per_day")] | None = None
    company_people: Annotated[int, _number("company_people")] | None = None
    company_stop: bool | None = None
    opt_out_holds_company: bool | None = None


@endpoint("GET", "/settings", scope="settings:read", returns=resources.Settings, errors="E0")
def show(workspace: Workspace) -> tuple[Workspace, Any]:
    """Get the settings of the workspace."""
    return workspace, retention.all_days(workspace)


@endpoint(
    "PATCH",
    "/settings",
    scope="settings:write",
    body=ChangedSettings,
    returns=resources.Settings,
    errors="E0",
    example={"timezone": "Europe/Berlin", "undoSeconds": 30, "retention": {"requests": 30}},
)
def change(workspace: Workspace, body: ChangedSettings) -> tuple[Workspace, Any]:
    """Change settings of the workspace; data past its retention is deleted within a few hours."""
    days = body.retention.model_dump(exclude_none=True) if body.retention else {}
    given = body.model_dump(exclude_none=True, exclude={"retention"})
    return show(workspace_settings.change(workspace, given, days))


@endpoint("GET", RULES, scope="settings:read", returns=resources.ContactRules, errors="E0")
def show_contact_rules(workspace: Workspace) -> Any:
    """Get the contact rules: who is left out, and contact limits."""
    return workspace_settings.contact_rules(workspace)


@endpoint(
    "PATCH",
    RULES,
    scope="settings:write",
    body=ChangedContactRules,
    returns=resources.ContactRules,
    errors="E0",
    example={"contactedDays": 120, "tags": ["Partner"], "perDay": 1},
)
def change_contact_rules(workspace: Workspace, body: ChangedContactRules) -> Any:
    """Change the contact rules; campaigns without their own rules follow from the next send."""
    given = body.model_dump(exclude_none=True)
    return workspace_settings.contact_rules(workspace_settings.change_contact_rules(workspace, given))


@endpoint("POST", RULES + "/reset", scope="settings:write", returns=resources.ContactRules, errors="E409")
def reset_contact_rules(workspace: Workspace) -> Any:
    """Reset the contact rules to the defaults."""
    return workspace_settings.contact_rules(workspace_settings.reset_contact_rules(workspace))
