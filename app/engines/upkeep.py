"""UPKEEP: periodic tasks of the process with the seat, such as cleaning up and refreshing statistics."""

from collections.abc import Callable
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import sqlalchemy as sa

from app.core.db import db, end_read, is_sqlite, session, transaction
from app.domain.billing import credits, stripe_checkout
from app.domain.engine import lifecycle
from app.domain.installation import backup
from app.domain.people.exclusions import never_contact
from app.domain.platform import idempotency, rate_limits, request_log, restore_hold
from app.domain.platform.restore_hold import Reach
from app.domain.privacy import erasure_list
from app.domain.webhooks import delivery_log, payloads, retries

# As SQLite recommends: enough to tell a selective index from others, within milliseconds.
ROWS_OF_EACH_INDEX = 400
MUCH, MANY = 1.5, 1000  # statistics are outdated once a table grew by half and by a thousand rows
_counted: WeakKeyDictionary[sa.Engine, dict[str, int]] = WeakKeyDictionary()
_GIVEN = sa.text("SELECT name, seq FROM sqlite_sequence")  # how many ids each table has given out


def analyze() -> int:
    """Run ANALYZE on SQLite, which may otherwise scan a whole workspace for a few rows; return 0.

    Postgres does this by itself. The engine calls it, and there is never more to do at once.
    """
    if is_sqlite():
        with transaction() as current:
            current.execute(sa.text(f"PRAGMA analysis_limit = {ROWS_OF_EACH_INDEX}"))
            current.execute(sa.text("ANALYZE"))
    return 0


def analyze_if_grown() -> int:
    """Run ANALYZE if a table has grown much since, as after an import or a launch; return 0.

    It reads one number per table, cheap enough for every few seconds.
    """
    if not is_sqlite():
        return 0
    given: dict[str, int] = {row.name: row.seq for row in session().execute(_GIVEN)}
    end_read()
    known = _counted.setdefault(db.engine, {})
    if any(_is_much(known.get(name, 0), number) for name, number in given.items()):
        analyze()
        known.update(given)
    return 0


def _is_much(before: int, now: int) -> bool:
    before = before if before <= now else 0  # fewer than before: the database was replaced
    return now > max(before * MUCH, before + MANY)


@dataclass(frozen=True)
class Upkeep:
    """A task run every so many seconds; `work` returns how much it found to do."""

    name: str
    work: Callable[[], int]
    seconds: float
    reach: Reach = Reach.INSIDE

    def run(self) -> int:
        """Do the work, unless the restore hold forbids work of its reach; return how much there was to do."""
        return self.work() if restore_hold.may_run(self.reach) else 0


UPKEEP = [
    Upkeep("hopeless campaigns", lifecycle.fail_hopeless, 60, Reach.OUTSIDE),
    Upkeep("overdue subscriptions", stripe_checkout.ask_overdue, 3600, Reach.OUTSIDE),
    Upkeep("expired credit reservations", credits.expire_due, 60),
    Upkeep("ended do-not-contact entries", never_contact.end_due, 600),
    Upkeep("old deliveries", delivery_log.purge, 3600),
    Upkeep("overfull endpoints", retries.switch_off_overfull, 600),
    Upkeep("old payloads", payloads.purge, 3600),
    Upkeep("old requests", request_log.purge, 3600),
    Upkeep("old answers", idempotency.purge, 3600),
    Upkeep("full buckets", rate_limits.purge, 3600),
    Upkeep("list of erasures", erasure_list.keep, 600),
    Upkeep("backup", backup.run_due, 600),
    Upkeep("statistics", analyze, 3600),
    Upkeep("growth", analyze_if_grown, 5),
]
