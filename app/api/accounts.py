"""LinkedIn accounts and mailboxes: their working hours, limits, status and usage."""

from typing import Annotated, Any

from pydantic import Field

from app import resources
from app.api.framework.bodies import AtMost, Body, ShownDay
from app.api.framework.endpoint import endpoint
from app.api.framework.schema_notes import AN_ID, REGION, TIME, WEEKDAYS, ZONE, entries, up_to, within
from app.core.text import LONGEST_EMAIL
from app.domain.rules.limits import HARD_CAPS
from app.domain.rules.schedules import day_ranges
from app.domain.senders import accounts, deliverability, standing
from app.domain.senders.accounts import UNCHANGED
from app.domain.workspace.workspaces import Workspace

SOCIAL, EMAIL = "social", "email"
ACCOUNT, MAILBOX = "/accounts/<id:account_id>", "/mailboxes/<id:mailbox_id>"
Account = Any  # a row of the domain's


def _limit(budget: str) -> Any:
    return within(0, HARD_CAPS[budget])


class Hours(Body):
    """Working hours, in the account's time zone; fields you leave out stay the same.

    The end must be after the start.
    """

    start: Annotated[str, TIME] | None = None
    """When working hours start, such as 09:00."""
    end: Annotated[str, TIME] | None = None
    """When working hours end, such as 17:30."""
    days: Annotated[list[int], AtMost(100), WEEKDAYS] | None = None
    """The working days as ISO weekdays: 1 is Monday, 7 is Sunday."""


class SocialLimits(Body):
    """The maximum number of actions in 24 hours, by kind; 0 turns it off. Fields left out or null stay the same."""

    invite: Annotated[int, _limit("invite")] | None = None
    """The maximum number of connection requests in 24 hours."""
    message: Annotated[int, _limit("message")] | None = None
    """The maximum number of messages in 24 hours."""
    inmail: Annotated[int, _limit("inmail")] | None = None
    """The maximum number of InMails in 24 hours."""
    visit: Annotated[int, _limit("visit")] | None = None
    """The maximum number of profile visits in 24 hours."""
    follow: Annotated[int, _limit("follow")] | None = None
    """The maximum number of follows in 24 hours."""
    like: Annotated[int, _limit("like")] | None = None
    """The maximum number of likes in 24 hours."""


class MailboxLimits(Body):
    """The daily email limit; 0 turns sending off."""

    email: Annotated[int, _limit("email")] | None = None
    """The maximum number of emails in 24 hours."""


class Absence(Body):
    """A period in which the sender contacts no one, in the sender's time zone; the first and last day are included.

    With `handOverTo`, another sender of the same kind takes over people not contacted yet. People who have already been
    contacted always wait until the absence ends.
    """

    first_day: ShownDay
    """The first day of the absence."""
    last_day: ShownDay
    """The last day of the absence."""
    hand_over_to: Annotated[int, AN_ID] | None = None
    """The id of the sender that takes over people not contacted yet; null if these people wait."""


AWAY: Any = entries(0, day_ranges.MOST)


class ChangedSender(Body):
    """The fields to change; fields you leave out stay the same."""

    active: bool | None = None
    """Whether the sender is active: false to pause the sender, true to resume."""
    timezone: Annotated[str, ZONE] | None = None
    """The IANA time zone of the working hours, such as Europe/Berlin."""
    working_hours: Hours | None = None
    """The sender's working hours."""
    paced: bool | None = None
    """True to spread actions over the working day; false to do them as soon as limits allow."""
    country: Annotated[str, REGION] | None = None
    """The country or region for holidays, such as DE-BY; `none` for no holidays, empty to follow the time zone."""
    absences: Annotated[list[Absence], AtMost(100), AWAY] | None = None
    """All absences; absences you leave out are removed."""


class ChangedAccount(ChangedSender):
    """The fields to change; fields you leave out stay the same."""

    daily_limits: SocialLimits | None = None
    """The maximum number of actions in 24 hours, by kind."""
    monthly_notes: Annotated[int, within(0, accounts.MOST_NOTES)] | None = Field(
        None,
        description="The maximum number of connection requests with a note per month; null for no limit. Further"
        " requests are sent without a note.",
    )


class ChangedMailbox(ChangedSender):
    """The fields to change; fields you leave out stay the same."""

    daily_limits: MailboxLimits | None = None
    """The maximum number of emails in 24 hours."""
    signature: Annotated[str, up_to(accounts.LONGEST_SIGNATURE)] | None = None
    """The signature at the end of every email; empty for none. The same Markdown as in emails is allowed."""
    reply_to: Annotated[str, up_to(LONGEST_EMAIL, format="email-or-empty")] | None = None
    """The address that replies go to; empty for this mailbox. Overture only reads replies in connected mailboxes."""


CHANGED = {"active": True, "workingHours": {"start": "08:30", "end": "17:00", "days": [1, 2, 3, 4, 5]}}


@endpoint("GET", "/accounts", scope="accounts:read", page_of=resources.Account)
def page(workspace: Workspace) -> Any:
    """List LinkedIn accounts, newest first."""
    return accounts.page(workspace, SOCIAL)


@endpoint("GET", ACCOUNT, scope="accounts:read", returns=resources.Account)
def show(workspace: Workspace, account_id: int) -> Account:
    """Get a LinkedIn account."""
    return accounts.get(workspace, account_id, SOCIAL)


@endpoint(
    "PATCH",
    ACCOUNT,
    scope="accounts:write",
    body=ChangedAccount,
    returns=resources.Account,
    example={**CHANGED, "dailyLimits": {"invite": 12, "message": 25}},
)
def change(workspace: Workspace, account_id: int, body: ChangedAccount) -> Account:
    """Change an account's hours, limits and status; changes take effect immediately.

    People who are waiting for the account are not moved to another sender.
    """
    return _changed(workspace, account_id, SOCIAL, body)


@endpoint("GET", ACCOUNT + "/usage", scope="accounts:read", returns=resources.AccountUsage)
def usage(workspace: Workspace, account_id: int) -> tuple[Account, Any, Any]:
    """Get an account's limits, health, and usage in the last 24 hours and 7 days."""
    return _used(workspace, account_id, SOCIAL)


@endpoint("GET", "/mailboxes", scope="accounts:read", page_of=resources.Mailbox)
def mailbox_page(workspace: Workspace) -> Any:
    """List mailboxes, newest first."""
    return accounts.page(workspace, EMAIL)


@endpoint("GET", MAILBOX, scope="accounts:read", returns=resources.Mailbox)
def mailbox_show(workspace: Workspace, mailbox_id: int) -> Account:
    """Get a mailbox."""
    return accounts.get(workspace, mailbox_id, EMAIL)


@endpoint(
    "PATCH",
    MAILBOX,
    scope="accounts:write",
    body=ChangedMailbox,
    returns=resources.Mailbox,
    example={**CHANGED, "dailyLimits": {"email": 40}, "signature": "Ines Duarte\n[acme.com](https://acme.com)"},
)
def mailbox_change(workspace: Workspace, mailbox_id: int, body: ChangedMailbox) -> Account:
    """Change a mailbox's hours, limit, status, signature and reply address; changes take effect immediately.

    People who are waiting for the mailbox are not moved to another sender.
    """
    return _changed(workspace, mailbox_id, EMAIL, body)


@endpoint("GET", MAILBOX + "/usage", scope="accounts:read", returns=resources.AccountUsage)
def mailbox_usage(workspace: Workspace, mailbox_id: int) -> tuple[Account, Any, Any]:
    """Get a mailbox's limits, health, and usage in the last 24 hours and 7 days."""
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
        paced=body.paced,
        monthly_notes=getattr(body, "monthly_notes", None) if "monthly_notes" in body.model_fields_set else UNCHANGED,
        country=body.country,
        away=None if body.absences is None else [one.model_dump(by_alias=True) for one in body.absences],
        limits=body.daily_limits.model_dump(exclude_none=True) if body.daily_limits else None,
        signature=getattr(body, "signature", None),
        reply_to=getattr(body, "reply_to", None),
    )


def _used(workspace: Workspace, account_id: int, channel: str) -> tuple[Account, Any, Any]:
    account = accounts.get(workspace, account_id, channel)
    return account, standing.standings(workspace, account), deliverability.recent_of(account)
