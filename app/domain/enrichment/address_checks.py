"""Address checks: whether an email address takes mail, found out once before the first email to it.

Syntax, domain, disposable and role addresses are judged here; a connected service that verifies addresses is asked,
too. Who has an address that takes no mail is reached by no email, and is not on the do-not-contact list: a name server
can be wrong, and the address is looked at again before the next email.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from disposable_email_domains import blocklist

from app import ports
from app.core import text
from app.core.db import in_list, insert, session, transaction
from app.domain.enrichment import waterfall
from app.domain.leads import lists
from app.domain.people import role_addresses
from app.domain.platform import jobs, locks
from app.models.leads import Lead
from app.models.people import Person
from app.models.platform.jobs import Job
from app.models.signals import AddressCheck
from app.models.workspaces import Workspace
from app.ports import ProviderError, Verdict

KIND = "check_addresses"
CHUNK, TURN = 20, 5.0
# What was found, in words; a key of the first kind stops an address, the others only warn.
REASONS = {
    "syntax": "not an email address",
    "no_server": "the domain doesn't accept email",
    "refused": "the mailbox does not exist",
    "disposable": "a disposable address",
    "role": "a shared address such as info@",
    "doubtful": "the mail server accepts any address",
    "domain": "the domain accepts email",
    "verified": "the mailbox exists",
    "no_answer": "the domain could not be looked up",
}
# The share of emails that bounce, by what is known of an address; docs/mailboxes.md says where they are from.
EXPECTED = {Verdict.DELIVERABLE: 0.005, Verdict.RISKY: 0.1, Verdict.UNDELIVERABLE: 0.0, Verdict.UNCHECKED: 0.03}
UNKNOWN = 0.05  # of an address that was never checked


class Finding(NamedTuple):
    """The result of checking an address once."""

    verdict: Verdict
    reason: str
    by: str = ""


def look(workspace: Workspace, address: str) -> Finding:
    """Check the address. This makes network calls, so never inside a transaction."""
    known = text.email(address)
    if not known:
        return Finding(Verdict.UNDELIVERABLE, "syntax")
    name, _, host = known.rpartition("@")
    warned = "disposable" if host in blocklist else "role" if role_addresses.is_role(name) else ""
    if workspace.sandbox:  # a sandbox's people and domains are simulated
        return Finding(Verdict.RISKY, warned) if warned else Finding(Verdict.UNCHECKED, "domain")
    try:
        takes = _takes_mail(host)
    except ProviderError:
        return Finding(Verdict.UNCHECKED, "no_answer")
    if not takes:
        return Finding(Verdict.UNDELIVERABLE, "no_server")
    verdict, by = waterfall.verify(workspace, known)
    if verdict == Verdict.UNDELIVERABLE:
        return Finding(verdict, "refused", by)
    if warned:
        return Finding(Verdict.RISKY, warned, by)
    reason = {Verdict.RISKY: "doubtful", Verdict.DELIVERABLE: "verified"}.get(verdict, "domain")
    return Finding(verdict, reason, by)


def _takes_mail(host: str) -> bool:
    """Return whether the domain has a server for mail: of its MX record, else the host itself (RFC 5321)."""
    records = ports.domain_records()
    servers = list(records.mail_servers(host))
    if servers == ["."]:
        return False
    return any(records.addresses(one) for one in servers[:3]) if servers else bool(records.addresses(host))


def keep(workspace: Workspace, address: str, found: Finding) -> str:
    """Store the result; return why no email may go to the address, or ''. Inside a transaction."""
    row = {
        "workspace_id": workspace.id,
        "address": address,
        "verdict": found.verdict,
        "reason": found.reason,
        "checked_by": found.by,
        "checked_at": workspace.now(),
    }
    put = insert(AddressCheck).values(row)
    changed = {name: put.excluded[name] for name in ("verdict", "reason", "checked_by", "checked_at")}
    session().execute(put.on_conflict_do_update(index_elements=["workspace_id", "address"], set_=changed))
    return f"{address} can't receive email: {REASONS[found.reason]}." if found.verdict == Verdict.UNDELIVERABLE else ""


def of_address(workspace: Workspace, address: str) -> AddressCheck | None:
    """Return the stored result for the address."""
    query = sa.select(AddressCheck).where(AddressCheck.workspace_id == workspace.id, AddressCheck.address == address)
    return session().scalars(query).one_or_none()


@dataclass(frozen=True)
class Checked:
    """How a list's or a campaign's addresses stand: people with an email, by verdict, and those not checked."""

    people: int = 0
    deliverable: int = 0
    risky: int = 0
    undeliverable: int = 0
    plausible: int = 0  # the domain takes email; the mailbox was not verified
    checked_at: datetime | None = None
    under_way: bool = False

    @property
    def unchecked(self) -> int:
        """Return how many were not checked."""
        return self.people - self.deliverable - self.risky - self.undeliverable - self.plausible

    @property
    def mailed(self) -> int:
        """Return how many people would get an email: addresses that can't be delivered to are left out."""
        return self.people - self.undeliverable

    @property
    def expected(self) -> float | None:
        """Return the share of the emails that is expected to bounce; None without anyone to write to."""
        if not self.mailed:
            return None
        back = self.deliverable * EXPECTED[Verdict.DELIVERABLE] + self.risky * EXPECTED[Verdict.RISKY]
        back += self.plausible * EXPECTED[Verdict.UNCHECKED] + self.unchecked * UNKNOWN
        return round(back / self.mailed, 3)


def of_lists(workspace: Workspace, list_ids: Sequence[int]) -> Checked:
    """Return how the addresses of these lists stand, each person once."""
    found = (
        sa.select(AddressCheck.verdict, sa.func.count(sa.distinct(Person.id)), sa.func.max(AddressCheck.checked_at))
        .select_from(Lead)
        .join(Person, Person.id == Lead.person_id)
        .outerjoin(AddressCheck, _same_address())
        .where(*_with_email(workspace, list_ids))
        .group_by(AddressCheck.verdict)
    )
    counted: dict[Any, int] = {}
    moments = []
    for verdict, number, at in session().execute(found):
        counted[verdict] = number
        moments += [at] if at else []
    of = {str(name): counted.get(name, 0) for name in (Verdict.DELIVERABLE, Verdict.RISKY, Verdict.UNDELIVERABLE)}
    under_way = any(jobs.is_under_way(workspace, KIND, str(one)) for one in list_ids)
    return Checked(
        sum(counted.values()),
        **of,
        plausible=counted.get(Verdict.UNCHECKED, 0),
        checked_at=max(moments, default=None),
        under_way=under_way,
    )


def _same_address() -> sa.ColumnElement[bool]:
    return sa.and_(AddressCheck.workspace_id == Person.workspace_id, AddressCheck.address == Person.email)


def _with_email(workspace: Workspace, list_ids: Sequence[int]) -> tuple[sa.ColumnElement[bool], ...]:
    here = (Lead.workspace_id == workspace.id, in_list(Lead.list_id, list_ids), Lead.deleted_at.is_(None))
    return (*here, Person.email != "")


def start(workspace: Workspace, list_id: int) -> Checked:
    """Check the addresses of a list in the background, but not those that were found to work already."""
    with transaction():
        lists.require_people(lists.get_list(workspace, list_id, lock=True))
        jobs.add(workspace, KIND, str(list_id), {"list": list_id})
    return of_lists(workspace, [list_id])


def go_on(workspace: Workspace, payload: dict[str, Any], job: Job) -> object:
    """Check the next addresses of the list, until none is left or the turn is over."""
    until = time.monotonic() + TURN
    while addresses := _next(workspace, payload["list"], job.created_at):
        for address in addresses:
            found = look(workspace, address)
            with locks.changing(workspace.id):
                keep(workspace, address, found)
            if time.monotonic() > until:
                return jobs.RESCHEDULE
        jobs.renew_lease(job)
    return None


def _next(workspace: Workspace, list_id: int, since: datetime) -> list[str]:
    tried = sa.and_(AddressCheck.reason.in_(("no_answer", "no_server")), AddressCheck.checked_at < since)
    query = (
        sa.select(Person.email)
        .distinct()
        .select_from(Lead)
        .join(Person, Person.id == Lead.person_id)
        .outerjoin(AddressCheck, _same_address())
        .where(*_with_email(workspace, [list_id]), sa.or_(AddressCheck.id.is_(None), tried))
    )
    return list(session().scalars(query.order_by(Person.email).limit(CHUNK)))
