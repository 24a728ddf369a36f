"""UPKEEP: what the active process does from time to time: clean up, keep statistics fresh."""

from collections.abc import Callable
from dataclasses import dataclass

from app.domain.billing import credits, stripe_checkout
from app.domain.engine import lifecycle
from app.domain.exclusions import never_contact
from app.domain.operations import backup
from app.domain.platform import idempotency, rate_limits, request_log, restore_hold
from app.domain.platform.restore_hold import Reach
from app.domain.privacy import erasure_list
from app.domain.webhooks import delivery_log, payloads, retries
from app.engines import sqlite_analyze


@dataclass(frozen=True)
class Upkeep:
    """Work that is done every so many seconds; `work` returns how much it found to do."""

    name: str
    work: Callable[[], int]
    seconds: float
    reach: Reach = Reach.INSIDE

    def run(self) -> int:
        """Do the work, unless it reaches farther than a restored copy may now; return how much there was."""
        return self.work() if restore_hold.may_run(self.reach) else 0


UPKEEP = [
    Upkeep("hopeless campaigns", lifecycle.fail_hopeless, 60, Reach.OUTSIDE),
    Upkeep("overdue subscriptions", stripe_checkout.ask_overdue, 3600, Reach.OUTSIDE),
    Upkeep("forgotten holds", credits.expire_due, 60),
    Upkeep("ended do-not-contact entries", never_contact.end_due, 600),
    Upkeep("old deliveries", delivery_log.purge, 3600),
    Upkeep("overfull endpoints", retries.switch_off_overfull, 600),
    Upkeep("old payloads", payloads.purge, 3600),
    Upkeep("old requests", request_log.purge, 3600),
    Upkeep("old answers", idempotency.purge, 3600),
    Upkeep("full buckets", rate_limits.purge, 3600),
    Upkeep("list of erasures", erasure_list.keep, 600),
    Upkeep("backup", backup.run_due, 600),
    Upkeep("statistics", sqlite_analyze.analyze, 3600),
    Upkeep("growth", sqlite_analyze.analyze_if_grown, 5),
]
