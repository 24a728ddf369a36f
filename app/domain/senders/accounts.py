"""Senders: connect them, set limits and working hours, reconnect them."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from enum import Enum
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core import clock, text
from app.core.db import end_read, get_owned, session, transaction
from app.core.errors import Conflict, InvalidRequest, NotFound, NotSupported, Unavailable
from app.domain.billing import plans
from app.domain.ledger import usage
from app.domain.platform import audit_log, locks
from app.domain.rules.limits import HARD_CAPS
from app.domain.rules.schedules import day_ranges, public_holidays, working_hours
from app.domain.senders import (
    absences,
    account_events,
    domain_check,
    held_people,
    mailbox_logins,
    provider_credentials,
    wake,
)
from app.domain.senders.mailbox_logins import Servers
from app.models.accounts import ACCOUNT, MAILBOX_LIMITS, SOCIAL_LIMITS, Account, AccountStatus, Channel
from app.models.accounts import STUCK as STUCK
from app.models.workspaces import Workspace
from app.ports import LoggedOut
from app.resources.accounts import SELECTED

SANDBOX_PEOPLE = [("Ines Duarte", "Founder"), ("Marek Novák", "Head of Partnerships")]
MAIL_ONLY = ("smtp",)
MOST_NOTES = 1000
LONGEST_SIGNATURE = 2000


class Unchanged(Enum):
    """The default of arguments for which None has a meaning of its own."""

    UNCHANGED = "unchanged"


SANDBOX_ADDRESS = "hello@sandbox.example"
UNCHANGED = Unchanged.UNCHANGED
_TIME = re.compile(r"([01]\d|2[0-3]):[0-5]\d")


def connect_sandbox(workspace: Workspace, founder: str) -> None:
    """Create two social accounts and a mailbox on the sandbox network; no one can have asked for events of it yet.

    Messages are signed by the founder; '' for an invented one.
    """
    founder = founder or SANDBOX_PEOPLE[0][0]
    with transaction():
        for name, role in ((founder, SANDBOX_PEOPLE[0][1]), *SANDBOX_PEOPLE[1:]):
            headline = f"{role} at {workspace.name}"
            connect(workspace, provider="sandbox", name=name, headline=headline, announced=False)
        connect_mailbox(workspace, provider="sandbox", address=SANDBOX_ADDRESS, name=founder, announced=False)


def connect(
    workspace: Workspace, *, provider: str, name: str, timezone: str = "", headline: str = "", announced: bool = True
) -> Account:
    """Connect a social account; on a real network it ramps up for 14 days."""
    name, zone = text.squeeze(name), timezone or workspace.timezone
    _check_provider(workspace, provider)
    if provider in provider_credentials.HOSTED:
        raise NotSupported("This account signs in on the provider's page.", recovery="Enter the id with --ref.")
    problems = [("name", wrong)] if (wrong := text.name_problem(name)) else []
    InvalidRequest.raise_for([*problems, *_zone_problem(zone)])
    public_id = _public_id(name)
    return _add(
        workspace,
        field="name",
        channel=Channel.SOCIAL,
        provider=provider,
        provider_ref=public_id,
        name=name,
        public_id=public_id,
        profile_url=f"https://network.example/in/{public_id}",
        headline=headline,
        announced=announced,
        has_sales_navigator=True,
        timezone=zone,
        limits=dict(SOCIAL_LIMITS),
    )


def connect_hosted(workspace: Workspace, *, provider: str, ref: str, timezone: str = "") -> Account:
    """Connect an account signed in at the provider's hosted page; it ramps up for 14 days.

    Calls the provider first, so never inside a transaction.
    """
    ref, zone = ref.strip(), timezone or workspace.timezone
    _check_provider(workspace, provider)
    problems = [] if ref and len(ref) <= 200 and ref.isprintable() else [("ref", "Enter the account's id.")]
    InvalidRequest.raise_for([*problems, *_zone_problem(zone)])
    opened = provider_credentials.credentials(workspace, provider)
    plans.check(workspace, "accounts")
    asked = ports.AccountRef(0, workspace.id, ref, "", workspace.now(), settings=opened.values)
    end_read()
    try:
        holder = ports.hosted().holder(opened, ref)
        cursor = ports.sender(provider).inbound(asked, "").cursor
    except (ports.Refused, ports.LoggedOut) as problem:
        raise InvalidRequest.of(("ref", problem.sentence)) from None
    except ports.ProviderError as problem:
        raise Unavailable(problem.sentence) from None
    return _add(
        workspace,
        field="ref",
        channel=Channel.SOCIAL,
        provider=provider,
        provider_ref=ref,
        name=holder.name,
        public_id=holder.public_id,
        profile_url=holder.profile_url,
        headline=holder.headline,
        image_url=holder.image_url,
        has_sales_navigator=holder.has_sales_navigator,
        monthly_notes=None if holder.has_sales_navigator else usage.FREE_NOTES,
        inbound_cursor=cursor,
        timezone=zone,
        limits=dict(SOCIAL_LIMITS),
    )


def connect_mailbox(
    workspace: Workspace,
    *,
    provider: str,
    address: str,
    name: str = "",
    timezone: str = "",
    servers: Servers | None = None,
    announced: bool = True,
) -> Account:
    """Connect a mailbox; a real one ramps up from ten emails a day.

    Sign in at its servers first; store nothing when they refuse.
    """
    known, zone = text.email(address), timezone or workspace.timezone
    _check_provider(workspace, provider, Channel.EMAIL)
    problems = [] if known else [("address", "Enter an email address such as ada@example.com.")]
    name = text.squeeze(name) or known.partition("@")[0]
    if len(name) > 200:
        problems.append(("name", "Enter a name of at most 200 characters."))
    cursor = ""
    if provider != "sandbox":
        servers = (servers or Servers("", "", "", "")).completed(known)
        problems += servers.problems()
    InvalidRequest.raise_for([*problems, *_zone_problem(zone)])
    if servers:
        plans.check(workspace, "accounts")
        servers, cursor = _tried(workspace, provider, known, name, servers)
    return _add(
        workspace,
        field="address",
        servers=servers,
        announced=announced,
        inbound_cursor=cursor,
        channel=Channel.EMAIL,
        provider=provider,
        provider_ref=known,
        name=name,
        address=known,
        timezone=zone,
        limits=dict(MAILBOX_LIMITS),
    )


def renew_login(workspace: Workspace, account_id: int, servers: Servers) -> Account:
    """Replace the mailbox's login after a test at both servers, and reconnect it. Calls out."""
    account = get(workspace, account_id, Channel.EMAIL)
    if account.provider == "sandbox":
        raise NotSupported("Sandbox mailboxes have no sign-in.", recovery="Connect a mailbox in a live workspace.")
    servers = servers.completed(account.address)
    InvalidRequest.raise_for(servers.problems())
    servers, _ = _tried(workspace, account.provider, account.address, account.name, servers)
    with locks.changing(workspace.id):
        account = get_owned(Account, workspace, account_id, lock=True)
        mailbox_logins.store(account, servers)
        domain_check.queue(workspace, [account.id])
        audit_log.record(workspace, "sender.login", _display_name(account))
        return _connect_again(workspace, account)


def _tried(workspace: Workspace, provider: str, address: str, name: str, servers: Servers) -> tuple[Servers, str]:
    """Return the settings to store and the inbox cursor; raise InvalidRequest with the servers' error. Calls out."""
    renewed: list[str] = []
    tried = ports.AccountRef(
        0, workspace.id, address, name, workspace.now(), address, settings=servers.login(), keep=renewed.append
    )
    end_read()
    try:
        ports.sender(provider).status(tried)
        cursor = ports.sender(provider).inbound(tried, "").cursor
    except ports.ProviderError as problem:
        raise InvalidRequest.of((_field_of(problem, servers), problem.sentence)) from None
    return (replace(servers, refresh_token=renewed[-1]) if renewed else servers), cursor


_FIELDS = {"token": "refreshToken", "client": "clientId", "username": "username", "password": "password"}


def _field_of(problem: ports.ProviderError, servers: Servers) -> str:
    """Return the field of the form that a failure is about."""
    about = problem.about if isinstance(problem, LoggedOut) else ""
    return _FIELDS.get(about) or ("imapHost" if servers.imap_host in problem.sentence else "smtpHost")


def _add(
    workspace: Workspace, *, field: str, servers: Servers | None = None, announced: bool = True, **columns: Any
) -> Account:
    with locks.changing(workspace.id) as current:
        plans.check(workspace, "accounts")
        same = sa.select(Account.id).where(
            Account.workspace_id == workspace.id,
            *(getattr(Account, name) == columns[name] for name in ("channel", "provider", "provider_ref")),
        )
        if current.scalar(same) is not None:
            raise InvalidRequest.of((field, "This sender is already connected."))
        at = workspace.now()
        account = Account(
            workspace_id=workspace.id,
            status=AccountStatus.CONNECTED,
            status_at=at,
            ramp_from=None if columns["provider"] == "sandbox" else at,
            created_at=at,
            **columns,
        )
        current.add(account)
        current.flush()
        if servers:
            mailbox_logins.store(account, servers)
            domain_check.queue(workspace, [account.id])
        if announced:
            account_events.connected(account, at)
            audit_log.record(workspace, "sender.connected", _display_name(account))
        return account


def _display_name(account: Account) -> str:
    return account.address or account.name


def _for_audit_log(account: Account) -> dict[str, Any]:
    """Return a sender's settings for the audit log."""
    limits = ", ".join(f"{kind} {number}" for kind, number in sorted(account.limits.items()))
    hours = f"{account.work_start}–{account.work_end} {account.timezone}"
    mail = {"signature": account.signature[:200], "reply to": account.reply_to} if account.address else {}
    keeps = {"daily limits": limits, "notes a month": account.monthly_notes}
    return {"active": account.active, "hours": hours, "days": account.work_days, **keeps, **mail}


def _check_provider(workspace: Workspace, provider: str, channel: str = Channel.SOCIAL) -> None:
    able = [name for name in ports.senders() if channel == Channel.EMAIL or name not in MAIL_ONLY]
    if provider not in able:
        raise NotSupported(f"Unknown network {provider}.", recovery=f"Use one of: {', '.join(able)}.")
    if (provider == "sandbox") != workspace.sandbox:
        raise NotSupported(
            "Sandbox workspaces can only have sandbox senders."
            if workspace.sandbox
            else "Sandbox senders only work in sandbox workspaces.",
            recovery="Use a sandbox sender." if workspace.sandbox else "Use a live sender, or a sandbox workspace.",
        )


def _public_id(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().casefold()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    return slug or re.sub(r"\s+", "-", name.casefold())


def check_zone(timezone: str) -> None:
    """Raise InvalidRequest unless it is a supported time zone; '' means the workspace's."""
    InvalidRequest.raise_for(_zone_problem(timezone) if timezone else [])


def _zone_problem(zone: str) -> list[tuple[str, str]]:
    return [] if clock.is_zone(zone) else [("timezone", "Enter an IANA time zone such as Europe/Berlin.")]


def edit(
    workspace: Workspace,
    account_id: int,
    *,
    timezone: str | None = None,
    start: str | None = None,
    end: str | None = None,
    days: Sequence[int] | None = None,
    limits: Mapping[str, int] | None = None,
    paced: bool | None = None,
    monthly_notes: int | Unchanged | None = UNCHANGED,
    active: bool | None = None,
    channel: str | None = None,
    country: str | None = None,
    away: Sequence[Mapping[str, Any]] | None = None,
    signature: str | None = None,
    reply_to: str | None = None,
) -> Account:
    """Update hours, holidays, absences, limits, pace, whether the sender is active, and a mailbox's signature and reply
    address; None leaves a value unchanged.

    The sender checks for work at once. With `channel`, raise NotFound for a sender of another kind.
    """
    with transaction():
        account = get_owned(Account, workspace, account_id, lock=True)
        _check_channel(account, channel)
        before = _for_audit_log(account)
        start = account.work_start if start is None else start.strip()
        end = account.work_end if end is None else end.strip()
        zone = account.timezone if timezone is None else timezone.strip()
        chosen = account.work_days if days is None else sorted(set(days))
        wanted = {**account.limits, **(limits or {})}
        region = account.country if country is None else country.strip()
        wrong = [*_zone_problem(zone), *_hours_problems(start, end, chosen), *_limit_problems(account, limits or {})]
        if not isinstance(monthly_notes, Unchanged):
            wrong += _notes_problems(account, monthly_notes)
        signs, replies = _signing(account, signature, reply_to)
        InvalidRequest.raise_for([*wrong, *_country_problem(region), *_signing_problems(account, signs, replies)])
        account.signature, account.reply_to = signs, replies
        account.timezone, account.work_start, account.work_end, account.work_days = zone, start, end, chosen
        if (region, zone) != (account.country, account.timezone):
            session().flush()
            held_people.look_again(workspace.id, workspace.now(), sender_id=account.id)
        account.country = region
        account.limits = wanted
        if away is not None:
            absences.replace(workspace, account, away)
        account.active = account.active if active is None else active
        account.paced = account.paced if paced is None else paced
        if not isinstance(monthly_notes, Unchanged):
            account.monthly_notes = monthly_notes
        if (after := _for_audit_log(account)) != before:
            audit_log.record(workspace, "sender.changed", _display_name(account), before=before, after=after)
        return _woken(workspace, account)


def _woken(workspace: Workspace, account: Account) -> Account:
    """Wake the changed sender, so that it checks for work at once."""
    session().flush()
    wake.wake_senders([account.id], workspace.now())
    session().refresh(account)
    return account


def _hours_problems(start: str, end: str, days: Sequence[int]) -> list[tuple[str, str]]:
    problems = []
    for name, moment in (("start", start), ("end", end)):
        if not _TIME.fullmatch(moment):
            problems.append((f"workingHours.{name}", "Use a time such as 09:00."))
    if not problems and start >= end:
        problems.append(("workingHours.end", "The end must be later than the start on the same day."))
    if not days:
        problems.append(("workingHours.days", "Choose at least one day. To stop this sender, switch it off."))
    elif any(isinstance(day, bool) or day not in range(1, 8) for day in days):
        problems.append(("workingHours.days", "Use the numbers 1 (Monday) to 7 (Sunday)."))
    return problems


def _notes_problems(account: Account, number: int | None) -> list[tuple[str, str]]:
    if number is not None and account.channel == Channel.EMAIL:
        return [("monthlyNotes", "A mailbox can't send connection requests.")]
    if number is not None and not 0 <= number <= MOST_NOTES:
        return [("monthlyNotes", f"Use a whole number from 0 to {MOST_NOTES}, or leave it empty for no limit.")]
    return []


def _signing(account: Account, signature: str | None, reply_to: str | None) -> tuple[str, str]:
    """Return the signature and the reply address as they would be stored; an address that is wrong stays as given."""
    signs = account.signature if signature is None else signature.replace("\r\n", "\n").strip("\n").rstrip()
    replies = account.reply_to if reply_to is None else text.email(reply_to) or reply_to.strip()
    return signs, "" if replies == account.address else replies


def _signing_problems(account: Account, signature: str, reply_to: str) -> list[tuple[str, str]]:
    problems = []
    if account.channel != Channel.EMAIL and (signature or reply_to):
        problems.append(("signature", "Only mailboxes have a signature and a reply address."))
    if len(signature) > LONGEST_SIGNATURE or not text.is_text(signature):
        problems.append(("signature", f"Use at most {LONGEST_SIGNATURE:,} characters."))
    if "{{" in signature:
        problems.append(("signature", "Variables work in messages, not in signatures."))
    if reply_to and not (text.email(reply_to) and reply_to.isascii()):
        problems.append(("replyTo", f"Invalid email “{text.shorten(reply_to, 80)}”. Fix it or leave it blank."))
    return problems


def _country_problem(region: str) -> list[tuple[str, str]]:
    if region in ("", working_hours.NO_REGION) or public_holidays.is_region(region):
        return []
    return [("country", "Use a code such as DE, or DE-BY for a state. Leave this blank for the time zone's country.")]


def _limit_problems(account: Account, limits: Mapping[str, int]) -> list[tuple[str, str]]:
    problems = []
    for budget, limit in limits.items():
        most = HARD_CAPS.get(budget, 0)
        if budget not in account.limits:
            problems.append((f"dailyLimits.{budget}", "This sender has no such limit."))
        elif isinstance(limit, bool) or not isinstance(limit, int) or not 0 <= limit <= most:
            problems.append((f"dailyLimits.{budget}", f"Use a whole number from 0 to {most}. More isn't safe."))
    return problems


def problems(account: Account) -> list[tuple[str, str]]:
    """Return what `edit` would refuse of a sender as it is stored."""
    return [
        *_zone_problem(account.timezone),
        *_hours_problems(account.work_start, account.work_end, account.work_days),
        *_limit_problems(account, account.limits),
        *([] if account.limits else [("dailyLimits", "Set the daily limits.")]),
        *_notes_problems(account, account.monthly_notes),
        *_country_problem(account.country),
        *_signing_problems(account, account.signature, account.reply_to),
        *day_ranges.check(account.absences or [], "absences")[1],
    ]


def switch(workspace: Workspace, account_id: int, active: bool) -> Account:
    """Switch the sender on or off."""
    with transaction():
        account = get_owned(Account, workspace, account_id, lock=True)
        if account.status == AccountStatus.CONNECTED and active != account.active:
            account.status_reason, account.status_at = "", workspace.now()
        if active != account.active:
            audit_log.record(
                workspace, "sender.switched_on" if active else "sender.switched_off", _display_name(account)
            )
        account.active = active
        return _woken(workspace, account)


def reconnect(workspace: Workspace, account_id: int) -> Account:
    """Reconnect a sender after its security check; it ramps up again."""
    account = get_owned(Account, workspace, account_id)
    if account.status == AccountStatus.CONNECTED:
        return account
    reference = provider_credentials.to_account_ref(account, workspace.now())
    sender = ports.sender(account.provider)
    try:
        sender.reconnect(reference)
        sender.status(reference)
    except ports.LoggedOut as problem:
        raise Conflict(problem.sentence, recovery="Complete the security check, then try again.") from problem
    except ports.ProviderError as problem:
        raise Unavailable(problem.sentence) from problem
    with locks.changing(workspace.id):
        account = get_owned(Account, workspace, account_id, lock=True)
        if account.status == AccountStatus.CHALLENGED:
            account.ramp_from = workspace.now()
        return _connect_again(workspace, account)


def _connect_again(workspace: Workspace, account: Account) -> Account:
    """Connect the account again and let it look for work. Inside a transaction."""
    was_lost, at = account.status in STUCK, workspace.now()
    ACCOUNT.move(account, "connect")
    account.status_reason, account.status_at, account.polled_at = "", at, None
    if was_lost:
        account_events.connected(account, at)
    return _woken(workspace, account)


def was_stopped() -> sa.ColumnElement[bool]:
    """Return the condition of senders that Overture switched off itself, until a member has looked."""
    return sa.and_(~Account.active, Account.status == AccountStatus.CONNECTED, Account.status_reason != "")


def get(workspace: Workspace, account_id: int, channel: str | None = None) -> Account:
    """Return the sender, or raise NotFound, with `channel` also for one of another kind."""
    account = get_owned(Account, workspace, account_id)
    _check_channel(account, channel)
    return account


def find(workspace: Workspace, account_id: int) -> Account | None:
    """Return the sender, or None when it was removed."""
    return session().scalar(sa.select(Account).where(Account.workspace_id == workspace.id, Account.id == account_id))


def _check_channel(account: Account, channel: str | None) -> None:
    if channel is not None and account.channel != channel:
        kind, path = ("mailbox", "mailboxes") if account.channel == Channel.EMAIL else ("LinkedIn account", "accounts")
        raise NotFound("Account not found.", recovery=f"This id belongs to a {kind}. Use /v1/{path}/{account.id}.")


def page(workspace: Workspace, channel: str = Channel.SOCIAL) -> sa.Select[Any]:
    """Select the senders of one channel with the columns of their resources."""
    return sa.select(*SELECTED).where(Account.workspace_id == workspace.id, Account.channel == channel)


def every(workspace: Workspace) -> Sequence[Account]:
    """Return all senders of the workspace, in the order they were connected."""
    query = sa.select(Account).where(Account.workspace_id == workspace.id).order_by(Account.id)
    return session().scalars(query).all()


def names(some: Iterable[Account]) -> dict[int, str]:
    """Return the senders' names by id, mailboxes marked as such: a person has both. Namesakes show their addresses."""
    senders = list(some)
    often = Counter(one.name for one in senders if one.channel == Channel.EMAIL)
    marks = {one.id: one.address if often[one.name] > 1 else "email" for one in senders if one.channel == Channel.EMAIL}
    return {one.id: f"{one.name} ({marks[one.id]})" if one.id in marks else one.name for one in senders}


def logged_out(account: Any, problem: LoggedOut, at: datetime) -> None:
    """Stop the sender until a human does what the network asks for."""
    with locks.changing(account.workspace_id) as current:
        fresh = current.get_one(Account, account.id, populate_existing=True, with_for_update=True)
        move = "challenge" if problem.challenged else "disconnect"
        if ACCOUNT.allows(fresh, move):
            stood = fresh.status in STUCK
            ACCOUNT.move(fresh, move)
            fresh.status_reason, fresh.status_at = problem.sentence, at
            current.flush()
            if not stood:
                account_events.disconnected([fresh.id], at)
