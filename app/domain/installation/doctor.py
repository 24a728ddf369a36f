"""Doctor: one table of checks over the whole server; each finding says what is wrong and what to do."""

import logging
import os
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core import clock, error_reports, installation, migrations, text
from app.core.db import database_files, db, end_read, is_sqlite, session
from app.domain.conversations import search_index
from app.domain.installation import engine_processes, engine_status
from app.domain.installation.doctor_checks import rows, schema, settings, stored
from app.domain.installation.doctor_checks.remote import CALLS, Problem
from app.domain.installation.sandbox import clock_jumps
from app.domain.installation.write_check import WriteCheck
from app.domain.ledger import recount
from app.domain.platform import audit_heads, audit_log, restore_hold, secret_rotation
from app.domain.senders import accounts
from app.domain.tasks import reply_rereading
from app.domain.workspace import server_admins
from app.models.accounts import Account, AccountStatus
from app.models.ledger import Action, ActionState
from app.models.webhooks import Delivery, DeliveryState, Webhook
from app.models.workspaces import Workspace

LOG = logging.getLogger(__name__)
Healthy = str | Callable[[], str]  # the sentence of a check that found nothing

LEAST_FREE = 256 * 2**20
OVERDUE = timedelta(hours=1)
LOOKED_AT_APART = {"turn", "inbox", "delivery"}  # kinds with a check of their own that says more
WORKING = "Start `overture serve` or `overture worker`. If one is running, check its log."


@dataclass(frozen=True)
class Finding:
    """The result of a check: nothing wrong, or a sentence on the problem and what to do."""

    check: str
    well: bool
    sentence: str
    remedy: str = ""

    def shown(self) -> dict[str, Any]:
        """Return the finding as JSON."""
        return asdict(self)


def examine(instance: Path, ask: bool = False) -> Iterator[Finding]:
    """Run every check, in the order of the tables, and yield at least one finding each; stop without a schema.

    With `ask`, test connected services too; never inside a transaction.
    """
    for name, (healthy, look) in CHECKS.items():
        findings = _looked(name, healthy, partial(look, instance))
        yield from findings
        if name == "database" and not findings[-1].well:
            return
    for name, (healthy, call) in CALLS.items():
        yield from _looked(name, healthy, partial(call, ask))


def _looked(name: str, healthy: Healthy, look: Callable[[], Iterator[Problem]]) -> list[Finding]:
    """Return what a check found; a check that raises is reported as a finding, so that the other checks still run."""
    problems: list[Problem] = []
    try:
        problems += look()
        return _findings(name, healthy, problems)
    except Exception as problem:  # whatever is damaged, the doctor says so
        LOG.debug("A check of the doctor broke", exc_info=True, extra={"fields": {"check": name}})
        session().rollback()
        cause = text.shorten(str(getattr(problem, "orig", problem)).strip().partition("\n")[0], 200).rstrip(".")
        kind = type(problem).__name__
        broken = f"This check can't read the stored data ({kind}: {cause}), so pages that read the same data may fail."
        return _findings(name, healthy, [*problems, (broken, "Fix the other problems, then run the doctor again.")])


def mend(instance: Path) -> Iterator[str]:
    """Mend what is safe to mend without asking, and yield what was done: counters, indexes, modes of files."""
    if migrations.is_newest():
        yield from schema.mend()
        yield from (difference.sentence for difference in recount.repair())
        if count := search_index.index_missing():
            yield f"{text.counted(count, 'conversation')} can be found by search again."
        for column, count in clock_jumps.bring_within_reach().items():
            yield f"{text.counted(count, 'row')} of {column} are no longer due years from now."
    for file in _readable_by_others(instance):
        file.chmod(0o600)
        yield f"Only Overture can read {file} now."


def _findings(name: str, healthy: Healthy, problems: list[Problem]) -> list[Finding]:
    if problems:
        return [Finding(name, False, *problem) for problem in problems]
    return [Finding(name, True, healthy if isinstance(healthy, str) else healthy())]


def _database(instance: Path) -> Iterator[Problem]:
    try:
        end_read()
        if not is_sqlite():  # one snapshot for all comparisons, while other processes write
            session().connection(execution_options={"isolation_level": "REPEATABLE READ"})
        if migrations.is_newer():
            yield "The database is from a later version of Overture.", "Install the later version again."
            return
        if not migrations.is_newest():
            yield "The database schema is not up to date.", "Run `overture db upgrade`."
            return
        if len(session().scalars(sa.select(migrations.VERSIONS)).all()) > 1:
            remedy = f"Delete every row of alembic_version but {migrations.newest()}."
            yield "The database has several schema versions, so upgrades fail.", remedy
        verdict = session().scalar(sa.text("PRAGMA quick_check(1)")) if is_sqlite() else "ok"
        if verdict != "ok":
            yield f"The SQLite file is damaged: {verdict}", schema.RESTORE
    except sa.exc.SQLAlchemyError as problem:
        cause = str(getattr(problem, "orig", problem)).strip().splitlines()[0]
        if not is_sqlite():
            yield f"The database is not reachable: {cause}", "Check DATABASE_URL and that the database server runs."
        elif isinstance(problem, sa.exc.OperationalError):  # locked, not there, or not ours to read
            yield f"The SQLite file can't be opened: {cause}", "Check DATABASE_URL, and who may read the file."
        else:
            yield f"The SQLite file is damaged: {cause}", schema.RESTORE


def _restore(instance: Path) -> Iterator[Problem]:
    known = restore_hold.copy()
    if known and known.held:
        yield restore_hold.sentence(known), "Stop the original server for good, then run `overture release`."


def _clock(instance: Path) -> Iterator[Problem]:
    now = clock.now()
    newest = session().scalar(sa.select(sa.func.max(Workspace.created_at)))
    if newest and newest > now + timedelta(minutes=1):
        yield (
            f"This machine's clock shows {now:%Y-%m-%d %H:%M} UTC, earlier than recorded events.",
            "Correct this machine's clock.",
        )
    newest_of = sa.select(Action.workspace_id, sa.func.max(Action.at)).group_by(Action.workspace_id)
    for workspace_id, newest in session().execute(newest_of):
        workspace = session().get(Workspace, workspace_id)
        if workspace and newest > workspace.now() + timedelta(minutes=1):
            yield (
                f"Workspace {workspace_id} has actions dated {newest:%Y-%m-%d %H:%M} UTC, which is in the future."
                " These actions count towards the limits until then.",
                "Correct the clock, or restore the newest backup.",
            )
    if not is_sqlite():
        theirs = session().scalar(sa.select(sa.func.clock_timestamp()))  # now, not the transaction's start
        if theirs and abs(theirs.timestamp() - time.time()) > 5:  # the machine's own clock, never a moved one
            yield (
                "The clocks of this machine and the database differ by more than 5 seconds.",
                "Synchronize the clocks.",
            )


def _disk(instance: Path) -> Iterator[Problem]:
    free = shutil.disk_usage(instance if instance.exists() else Path.cwd()).free
    if free < LEAST_FREE:
        yield f"Only {free // 2**20} MB of disk space is free in {instance}.", "Free some disk space."


def _writing(instance: Path) -> Iterator[Problem]:
    if fault := WriteCheck().fault():
        yield fault.sentence, fault.recovery


def _instance(instance: Path) -> Iterator[Problem]:
    if instance.exists() and not os.access(instance, os.W_OK | os.X_OK):
        yield f"{instance} is not writable.", "Make the user that runs Overture the owner of this folder."
    for file in _readable_by_others(instance):
        yield f"Other users on this machine can read {file}.", f"Run `chmod 600 {file}`."


def _readable_by_others(instance: Path) -> Iterator[Path]:
    for file in (instance / "secret_key", *database_files(db.engine)):
        if file.exists() and file.stat().st_mode & 0o077:
            yield file


def _recounted(look: Callable[[], Iterator[recount.Difference]]) -> Callable[[Path], Iterator[Problem]]:
    def check(instance: Path) -> Iterator[Problem]:
        for difference in look():
            yield difference.sentence, "Stop Overture, run `overture doctor --mend`, and report the problem."

    return check


def _events(instance: Path) -> Iterator[Problem]:
    for workspace_id, number, found, lowest, highest in session().execute(recount.EVENT_NUMBERS):
        gap = found != highest - lowest + 1 or highest != number if found else number > 0
        if gap:
            yield (
                f"The events of workspace {workspace_id} have a gap: {found} events, numbers {lowest} "
                f"to {highest}, counter {number}.",
                "Report the problem; receivers may have missed an event.",
            )


def _actions(instance: Path) -> Iterator[Problem]:
    """Find actions whose outcome will never be looked up; `_waiting` finds those whose lookup is late."""
    lost = sa.select(sa.func.count()).where(Action.state == ActionState.SENDING, Action.check_at.is_(None))
    if count := session().scalar(lost):
        yield f"{count} actions were started, and their outcome will never be checked.", "Report this problem."


def _turns(instance: Path) -> Iterator[Problem]:
    for workspace in session().scalars(sa.select(Workspace)):
        late = sa.select(sa.func.count()).where(
            Account.workspace_id == workspace.id,
            Account.status == AccountStatus.CONNECTED,
            Account.turn_at < workspace.now() - OVERDUE,
        )
        if count := session().scalar(late):
            yield f"{count} senders in workspace {workspace.id} are over an hour late.", WORKING
    for column, count in clock_jumps.out_of_reach().items():
        yield (
            f"{text.counted(count, 'row')} of {column} are due years from now, so this work doesn't run.",
            schema.MEND,
        )


def _leases(instance: Path) -> Iterator[Problem]:
    """Find leases that end too late: they were granted while the clock was wrong, and block their rows."""
    future = clock.now() + OVERDUE
    for model, name in clock_jumps.LEASED.items():
        query = sa.select(sa.func.count()).select_from(model).where(model.claimed_until > future)
        if count := session().scalar(query):
            yield f"{count} {name} will stay locked for over an hour.", "Correct this machine's clock."


def _inboxes(instance: Path) -> Iterator[Problem]:
    for account in session().scalars(sa.select(Account).where(accounts.was_stopped()).order_by(Account.id)):
        yield (
            f"Sender {account.id} was switched off. {account.status_reason}",
            "Fix the problem on the sender's page, then switch the sender on.",
        )
    silent = sa.select(Account).where(Account.silent_at.is_not(None), Account.status == AccountStatus.CONNECTED)
    for account in session().scalars(silent.order_by(Account.id)):
        yield (
            f"The inbox of sender {account.id} has not been readable since {account.unread_since:%Y-%m-%d %H:%M} UTC.",
            "Check the mail server or LinkedIn account. The errors are in the log.",
        )


def _deliveries(instance: Path) -> Iterator[Problem]:
    past = clock.now() - OVERDUE
    query = (
        sa.select(sa.func.count(), sa.func.min(Delivery.due_at))
        .join(Webhook, Webhook.id == Delivery.webhook_id)
        .where(
            Delivery.state == DeliveryState.PENDING,
            Delivery.due_at < past,
            Webhook.active.is_(True),
            sa.or_(Webhook.probe_at.is_(None), Webhook.probe_at < past),
        )
    )
    count, since = session().execute(query).one()
    if count:
        yield f"{count} webhook deliveries have been overdue since {since:%Y-%m-%d %H:%M} UTC.", WORKING


def _waiting(instance: Path) -> Iterator[Problem]:
    """Find kinds of work that no one does: no process runs, or the query for due work keeps failing."""
    at = clock.now()
    for queue in [] if restore_hold.is_held() else engine_status.queues(at):
        since = queue.oldest_due_at
        if queue.kind not in LOOKED_AT_APART and since and since < at - OVERDUE:
            label = engine_status.LABELS[queue.kind]
            yield f"{label}: {queue.late} have been overdue since {since:%Y-%m-%d %H:%M} UTC.", WORKING


def _replies(instance: Path) -> Iterator[Problem]:
    """Find workspaces with replies that today's reply rules would classify differently."""
    for workspace in session().scalars(sa.select(Workspace)):
        if reply_rereading.is_done(workspace):
            continue
        count = sum(1 for _ in reply_rereading.differences(workspace, reply_rereading.LOOKED_AT))
        if count:
            yield (
                f"Replies from {count} people in workspace {workspace.id} would now be understood differently.",
                f"Run `overture replies read-again --workspace {workspace.id}`.",
            )


def _admins(instance: Path) -> Iterator[Problem]:
    for email in server_admins.unconfirmed():
        yield (
            f"OVERTURE_OPERATORS lists {email}, which no user has confirmed.",
            f"Confirm the address in Settings → Profile, or run `overture user admin {email}`.",
        )
    if server_admins.is_missing():
        yield "No user is a server admin.", "Run `overture user admin EMAIL`."


def _proxy(instance: Path) -> Iterator[Problem]:
    if installation.has_unknown_proxy():
        yield installation.NO_PROXIES, installation.SET_PROXIES


def _links(instance: Path) -> Iterator[Problem]:
    live = sa.select(Account.id).join(Workspace, Workspace.id == Account.workspace_id)
    mails = live.where(Account.provider == "smtp", Account.active.is_(True), Workspace.sandbox.is_(False))
    if not installation.is_public() and session().scalar(mails.limit(1)):
        yield installation.NO_LINKS, "Set BASE_URL to the public https address of this server."


def _engine(instance: Path) -> Iterator[Problem]:
    if installation.needs_worker() and (idle := engine_processes.idle()):
        yield idle, "Start `overture worker`, or unset OVERTURE_ENGINE."


def _reports(instance: Path) -> Iterator[Problem]:
    if error_reports.missing():
        yield error_reports.MISSING, error_reports.REMEDY


def _secrets(instance: Path) -> Iterator[Problem]:
    for column, older, lost in secret_rotation.status():
        if older:
            yield f"{older} values of {column} are encrypted with an older key.", "Run `overture secrets rotate`."
        if lost:
            yield (
                f"{lost} values of {column} are encrypted with a key that is missing.",
                "Add the missing key to OVERTURE_OLD_SECRET_KEYS, or enter the values again.",
            )


def _audit(instance: Path) -> Iterator[Problem]:
    for workspace_id, number in audit_log.verify_chain():
        yield (
            f"The audit log of workspace {workspace_id} was changed: entry {number} does not match.",
            "Check who can write to the database, and compare with a backup.",
        )
    for lost in audit_heads.lost():
        yield (
            f"The audit log of workspace {lost.workspace_id} is missing entries: {lost.first} to {lost.last}.",
            "Check who can write to the database, and compare with a backup.",
        )


CHECKS: dict[str, tuple[Healthy, Callable[[Path], Iterator[Problem]]]] = {
    "database": ("The database is reachable and its schema is up to date.", _database),
    "schema": ("The schema matches this version.", lambda instance: schema.problems()),
    "values": ("All encrypted values can be decrypted.", lambda instance: stored.values()),
    "tenants": ("No row belongs to two workspaces.", lambda instance: stored.tenants()),
    "rows": ("Related rows match.", lambda instance: rows.problems()),
    "settings": ("Settings can be used as they are stored.", lambda instance: settings.problems()),
    "work": ("Running campaigns and jobs have everything they need.", lambda instance: stored.references()),
    "rights": ("Every role and scope is in the audit log.", lambda instance: stored.rights()),
    "restore": ("Sending is not on hold.", _restore),
    "clock": ("The clock is correct.", _clock),
    "disk": ("There is enough disk space.", _disk),
    "writing": ("The database can be written.", _writing),
    "instance": ("Only Overture can read the instance folder.", _instance),
    "admins": ("This server has an admin.", _admins),
    "proxy": ("Visitors' IP addresses can be told apart.", _proxy),
    "links": ("Recipients can open the links in emails.", _links),
    "reports": ("Error reporting works, or is off.", _reports),
    "network": (lambda: ports.egress().sentence, lambda instance: iter(())),
    "engine": (engine_processes.sentence, _engine),
    "statistics": ("Campaign statistics match a recount.", _recounted(recount.statistics)),
    "approvals": ("Every person waiting for approval has a draft.", _recounted(recount.drafts)),
    "lists": ("List sizes match a recount.", _recounted(recount.lists)),
    "credits": ("Credit balances match their entries.", _recounted(recount.wallets)),
    "events": ("Event numbers have no gaps.", _events),
    "actions": ("Every action has an outcome.", _actions),
    "turns": ("Senders act on time.", _turns),
    "inboxes": ("Every inbox can be read.", _inboxes),
    "leases": ("No work is locked for too long.", _leases),
    "deliveries": ("Webhook deliveries are on time.", _deliveries),
    "replies": ("Earlier replies would still be understood the same way.", _replies),
    "secrets": ("All secrets are encrypted with the current key.", _secrets),
    "audit": ("The audit log is unchanged.", _audit),
    "waiting": ("Messages, jobs, campaigns, sources, monitors and notifications are on time.", _waiting),
}
