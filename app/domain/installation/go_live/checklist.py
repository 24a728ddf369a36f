"""The go-live checklist: what a live workspace needs before its first launch. Items are checked, or skipped by hand."""

from dataclasses import dataclass

from app.core.db import session, transaction
from app.core.errors import InvalidRequest
from app.domain.installation.go_live import live_workspace
from app.domain.platform import audit_log
from app.domain.senders import accounts, domain_check, standing
from app.models.accounts import Account, AccountStatus, Channel
from app.models.workspaces import CopyState, GoLive, User, Workspace

OPTIONAL = ("social", "mailbox", "copy")


@dataclass(frozen=True)
class Item:
    """One line of the checklist."""

    name: str
    done: bool
    skipped: bool = False
    detail: str = ""
    warning: str = ""

    @property
    def settled(self) -> bool:
        """Return whether nothing is left to do here."""
        return self.done or self.skipped


def items(workspace: Workspace, run: GoLive) -> list[Item]:
    """Return the items in the order in which they are best done."""
    connected = [one for one in accounts.every(workspace) if one.status == AccountStatus.CONNECTED and one.active]
    social = [one for one in connected if one.channel == Channel.SOCIAL]
    mailboxes = [one for one in connected if one.channel == Channel.EMAIL]
    names = {"social": social, "mailbox": mailboxes}
    found = [
        Item(
            name,
            bool(some),
            name in run.skipped,
            ", ".join(one.address or one.name for one in some),
            "; ".join(filter(None, map(_dns, some))) if name == "mailbox" else "",
        )
        for name, some in names.items()
    ]
    copied = run.state in (CopyState.DONE, CopyState.KEPT)
    copy = [Item("copy", copied, "copy" in run.skipped)] if run.sandbox_id else []
    limits = Item(
        "limits",
        run.limits_seen_at is not None and bool(connected),
        detail=" and ".join(standing.pace(connected, workspace.now())),
    )
    return [*copy, *found, limits, Item("first", done=True)]


def _dns(mailbox: Account) -> str:
    checks, _ = domain_check.latest(mailbox)
    wrong = [one.check for one in checks if one.verdict == domain_check.BAD]
    return f"{mailbox.address} failed the checks {', '.join(wrong)}" if wrong else ""


def is_ready(some: list[Item]) -> bool:
    """Return whether people could be contacted now: every item is settled, and a sender is connected."""
    return all(one.settled for one in some) and any(one.done for one in some if one.name in ("social", "mailbox"))


def skip(workspace: Workspace, by: User, name: str, on: bool = True) -> None:
    """Skip an item, or with `on` False require it again."""
    live_workspace.require_owner(workspace, by)
    if name not in OPTIONAL:
        raise InvalidRequest.of(("item", "This step can't be skipped."))
    with transaction():
        run = _locked(workspace)
        run.skipped = sorted({*run.skipped, name} if on else {*run.skipped} - {name})


def confirm_limits(workspace: Workspace, by: User) -> None:
    """Record that an owner has confirmed the daily limits."""
    live_workspace.require_owner(workspace, by)
    with transaction():
        _locked(workspace).limits_seen_at = workspace.now()


def approve_first(workspace: Workspace, by: User, on: bool) -> None:
    """Set whether messages to a campaign's first people wait for approval."""
    live_workspace.require_owner(workspace, by)
    with transaction():
        found = session().get_one(Workspace, workspace.id, with_for_update=True)
        found.approve_first = live_workspace.FIRST_PEOPLE if on else 0
        audit_log.record(found, "workspace.approve_first", after={"people": found.approve_first}, by=by)


def finish(workspace: Workspace, by: User) -> None:
    """Close the checklist."""
    live_workspace.require_owner(workspace, by)
    with transaction():
        _locked(workspace).finished_at = workspace.now()


def _locked(workspace: Workspace) -> GoLive:
    found = live_workspace.find(workspace)
    if found is None:
        raise InvalidRequest.of(("item", "This workspace has no checklist."))
    return session().get_one(GoLive, found.id, with_for_update=True, populate_existing=True)
