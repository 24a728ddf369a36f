"""Connected social accounts and mailboxes: their hours, limits and switch, and how much of these is used."""

from typing import Annotated, Any

from app import resources
from app.api.framework.bodies import AtMost, Body
from app.api.framework.endpoint import endpoint
from app.api.framework.schema_notes import TIME, WEEKDAYS, ZONE, within
from app.domain.rules.limits import HARD_CAPS
from app.domain.senders import accounts, standing
from app.domain.workspace.workspaces import Workspace

SOCIAL, EMAIL = "social", "email"
ACCOUNT, MAILBOX = "/accounts/<id:account_id>", "/mailboxes/<id:mailbox_id>"
Account = Any  # a row of the domain's


def _limit(budget: str) -> Any:
    return within(0, HARD_CAPS[budget])


class Hours(Body):
    """When the account works, in its own time zone; what is left out stays. The end is later than the start."""

    start: Annotated[str, TIME] | None = None
    end: Annotated[str, TIME] | None = None
    days: Annotated[list[int], AtMost(100), WEEKDAYS] | None = None


class SocialLimits(Body):
    """How often the account may do what within 24 hours, 0 for never; what is left out stays. More is not safe."""

    invite: Annotated[int, _limit("invite")] | None = None
    message: Annotated[int, _limit("message")] | None = None
    inmail: Annotated[int, _limit("inmail")] | None = None
    visit: Annotated[int, _limit("visit")] | None = None
    follow: Annotated[int, _limit("follow")] | None = None
    like: Annotated[int, _limit("like")] | None = None


class MailboxLimits(Body):
    """How many e-mails within 24 hours, 0 for none; more is not safe."""

    email: Annotated[int, _limit("email")] | None = None


class ChangedAccount(Body):
    """What is to be different; what is left out stays."""

    active: bool | None = None
    timezone: Annotated[str, ZONE] | None = None
    working_hours: Hours | None = None
    daily_limits: SocialLimits | None = None


class ChangedMailbox(Body):
    """What is to be different; what is left out stays."""

    active: bool | None = None
    timezone: Annotated[str, ZONE] | None = None
    working_hours: Hours | None = None
    daily_limits: MailboxLimits | None = None


CHANGED = {"active": True, "workingHours": {"start": "08:30", "end": "17:00", "days": [1, 2, 3, 4, 5]}}


@endpoint("GET", "/accounts", scope="accounts:read", page_of=resources.Account, errors="E0")
def page(workspace: Workspace) -> Any:
    """The social accounts of the workspace, newest first."""
    return accounts.page(workspace, SOCIAL)


@endpoint("GET", ACCOUNT, scope="accounts:read", returns=resources.Account, errors="E404")
def show(workspace: Workspace, account_id: int) -> Account:
    """The account."""
    return accounts.get(workspace, account_id, SOCIAL)


@endpoint(
    "PATCH",
    ACCOUNT,
    scope="accounts:write",
    body=ChangedAccount,
    returns=resources.Account,
    errors="E404",
    example={**CHANGED, "dailyLimits": {"invite": 12, "message": 25}},
)
def change(workspace: Workspace, account_id: int, body: ChangedAccount) -> Account:
    """The account has these hours and limits, and is on or off; it looks at once what it may do now."""
    return _changed(workspace, account_id, SOCIAL, body)


@endpoint("GET", ACCOUNT + "/usage", scope="accounts:read", returns=resources.AccountUsage, errors="E404")
def usage(workspace: Workspace, account_id: int) -> tuple[Account, Any]:
    """What the account did in the last 24 hours and 7 days against what it may do, and how it fares."""
    return _used(workspace, account_id, SOCIAL)


@endpoint("GET", "/mailboxes", scope="accounts:read", page_of=resources.Mailbox, errors="E0")
def mailbox_page(workspace: Workspace) -> Any:
    """The mailboxes of the workspace, newest first."""
    return accounts.page(workspace, EMAIL)


@endpoint("GET", MAILBOX, scope="accounts:read", returns=resources.Mailbox, errors="E404")
def mailbox_show(workspace: Workspace, mailbox_id: int) -> Account:
    """The mailbox."""
    return accounts.get(workspace, mailbox_id, EMAIL)


@endpoint(
    "PATCH",
    MAILBOX,
    scope="accounts:write",
    body=ChangedMailbox,
    returns=resources.Mailbox,
    errors="E404",
    example={**CHANGED, "dailyLimits": {"email": 40}},
)
def mailbox_change(workspace: Workspace, mailbox_id: int, body: ChangedMailbox) -> Account:
    """The mailbox has these hours and this limit, and is on or off; it looks at once what it may do now."""
    return _changed(workspace, mailbox_id, EMAIL, body)


@endpoint("GET", MAILBOX + "/usage", scope="accounts:read", returns=resources.AccountUsage, errors="E404")
def mailbox_usage(workspace: Workspace, mailbox_id: int) -> tuple[Account, Any]:
    """What the mailbox sent in the last 24 hours and 7 days against what it may send, and how it fares."""
    return _used(workspace, mailbox_id, EMAIL)


def _changed(workspace: Workspace, account_id: int, channel: str, body: ChangedAccount | ChangedMailbox) -> Account:
    hours = body.working_hours or Hours()
    return accounts.edit(
        workspace,
        account_id,
        channel=channel,
        active=body.active,
        timezone=body.timezone,
        start=hours.start,
        end=hours.end,
        days=hours.days,
        limits=body.daily_limits.model_dump(exclude_none=True) if body.daily_limits else None,
    )


def _used(workspace: Workspace, account_id: int, channel: str) -> tuple[Account, Any]:
    account = accounts.get(workspace, account_id, channel)
    return account, standing.standings(workspace, account)
