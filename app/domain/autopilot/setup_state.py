"""The workspace's one setup: read, lock, and report a stage's progress."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core import clock
from app.core.crypto import random_base62
from app.core.db import insert, session, transaction
from app.domain.autopilot import documents, serialization
from app.domain.platform import jobs, locks
from app.domain.senders import accounts
from app.models.accounts import Account, AccountStatus, Channel
from app.models.autopilot import PlayChannel, Setup
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace
from app.ports.writer import Brief, Profile, Written

LONGEST_STAGE = 900.0  # seconds; after that the built-in writer writes the rest


class Superseded(Exception):
    """The stage was started again meanwhile, so this worker must stop."""


def find(workspace: Workspace) -> Setup | None:
    """Return the setup, if there is one."""
    return session().scalars(sa.select(Setup).where(Setup.workspace_id == workspace.id)).one_or_none()


@dataclass(frozen=True)
class Glance:
    """Whether a business was analyzed, and why alerts do not arrive ('' if they do); `broken`: sending has stopped."""

    begun: bool = False
    trouble: str = ""
    broken: bool = False


def glance(workspace: Workspace) -> Glance:
    """Return what the home page shows of the setup."""
    columns = Setup.profile.is_not(None), Setup.alerts_problem, Setup.alerts_broken_at.is_not(None)
    found = session().execute(sa.select(*columns).where(Setup.workspace_id == workspace.id)).one_or_none()
    return Glance(*found) if found else Glance()


def get(workspace: Workspace) -> Setup:
    """Return the setup, created at its first use."""
    return find(workspace) or locked(workspace)


def locked(workspace: Workspace) -> Setup:
    """Return the setup, read fresh and locked until the transaction ends."""
    with transaction() as current:
        locks.lock_workspaces([workspace.id])
        query = sa.select(Setup).where(Setup.workspace_id == workspace.id).with_for_update()
        found = current.scalars(query.execution_options(populate_existing=True)).one_or_none()
        if found is not None:
            return found
        key = f"ovs_{random_base62(24)}"
        blank = {"customer_types": [], "rules": [], "site_key": key, "alerts_event": 0, "created_at": clock.now()}
        row = insert(Setup).values(workspace_id=workspace.id, **blank)
        current.execute(row.on_conflict_do_nothing(index_elements=["workspace_id"]))
        return current.scalars(query.execution_options(populate_existing=True)).one()


def dismiss_model(workspace: Workspace) -> None:
    """Recommend no AI model in this workspace any more."""
    with transaction():
        locked(workspace).model_dismissed = True


def senders(workspace: Workspace) -> dict[str, int]:
    """Return the number of active senders per channel."""
    query = (
        sa.select(Account.channel, sa.func.count())
        .where(
            Account.workspace_id == workspace.id,
            Account.status == AccountStatus.CONNECTED,
            Account.active.is_(True),
        )
        .group_by(Account.channel)
    )
    counted: dict[str, int] = {row[0]: row[1] for row in session().execute(query)}
    return {"social": counted.get(Channel.SOCIAL, 0), "email": counted.get(Channel.EMAIL, 0)}


def usual_channel(workspace: Workspace) -> str:
    """Return the channel that the connected senders suggest; LinkedIn while none is connected."""
    found = senders(workspace)
    if not found["email"]:
        return PlayChannel.SOCIAL
    return PlayChannel.SOCIAL_EMAIL if found["social"] else PlayChannel.EMAIL


def sender_name(workspace: Workspace) -> str:
    """Return the name that messages are written for: the first social account's, else the first mailbox's, or ''."""
    senders = accounts.every(workspace)
    social = (account.name for account in senders if account.channel == Channel.SOCIAL)
    return next(social, senders[0].name if senders else "")


def brief(workspace: Workspace, setup: Setup, *, channel: str = "", profile: Profile | None = None) -> Brief:
    """Return what a writer may use at the moment."""
    return serialization.brief(
        setup,
        sender_name=sender_name(workspace),
        documents=documents.texts(workspace),
        channel=channel,
        profile=profile,
    )


@dataclass
class Stage:
    """A running stage of the setup: it reports progress, and stops when the stage was started again meanwhile."""

    workspace: Workspace
    job: Job
    run: int
    phase: str
    done: list[str] = field(default_factory=list)
    active: str = ""
    pages: int | None = None
    notes: list[str] = field(default_factory=list)  # why the built-in writer wrote instead of the model

    def heard(self, written: Written) -> None:
        """Keep the note if another writer replaced the model, to show it on the page."""
        if written.note and written.note not in self.notes:
            self.notes.append(written.note)

    @property
    def note(self) -> str:
        """Return the notes about writers that replaced the model, as one text."""
        return " ".join(self.notes)

    @property
    def left(self) -> float:
        """Return the seconds that a model may still take in this stage, also after a restart."""
        since = (get(self.workspace).progress or {}).get("since")
        passed = clock.now() - datetime.fromisoformat(since) if since else timedelta()
        return max(LONGEST_STAGE - passed.total_seconds(), 0.0)

    def at(self, pct: int, active: str, **columns: Any) -> None:
        """Mark the active item as done, `active` as under way, and set these columns of the setup."""
        with self.recording() as setup:
            if self.active and self.active != active:
                self.done.append(self.active)
            self.active = active
            begun = {"since": (setup.progress or {}).get("since"), "pages": self.pages}
            setup.progress = {"phase": self.phase, "pct": pct, "done": list(self.done), "active": active} | begun
            for name, value in columns.items():
                setattr(setup, name, value)
        jobs.renew_lease(self.job, ports.models().longest())

    def recording(self) -> "_Recording":
        """Open a transaction with the setup; raise Superseded if a newer stage has replaced this one."""
        return _Recording(self)


class _Recording:
    """See Stage.recording."""

    def __init__(self, stage: Stage) -> None:
        self._stage, self._transaction = stage, transaction()

    def __enter__(self) -> Setup:
        self._transaction.__enter__()
        try:
            setup = locked(self._stage.workspace)
            if setup.run != self._stage.run or not setup.phase:
                raise Superseded
        except BaseException as failure:
            self._transaction.__exit__(type(failure), failure, failure.__traceback__)
            raise
        return setup

    def __exit__(self, *failure: Any) -> None:
        self._transaction.__exit__(*failure)
