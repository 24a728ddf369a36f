"""Absences of a sender: days on which it contacts no one, and who takes its new people meanwhile."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import sqlalchemy as sa

from app.core.db import get_owned, session, transaction
from app.core.errors import InvalidRequest
from app.domain.rules.schedules import day_ranges
from app.domain.senders import held_people, wake
from app.models.accounts import Account
from app.models.workspaces import Workspace

Absence = Mapping[str, Any]
KEYS = ("firstDay", "lastDay", "handOverTo")


def replace(workspace: Workspace, account: Account, absences: Sequence[Absence]) -> None:
    """Set the absences of a sender, which is locked: {firstDay, lastDay, handOverTo}, a sender or None."""
    given = [{name: one.get(name) for name in KEYS} for one in absences]
    kept, wrong = day_ranges.check(given, "absences")
    for index, one in enumerate(given):
        if one["handOverTo"] is not None and (problem := _problem(workspace, account, one["handOverTo"])):
            wrong.append((f"absences[{index}].handOverTo", problem))
    if not wrong and any(later["firstDay"] <= former["lastDay"] for former, later in pairwise(kept)):
        wrong.append(("absences", "Two absences overlap. Change one of the absences."))
    InvalidRequest.raise_for(wrong)
    if (kept or None) != account.absences:
        account.absences = kept or None
        session().flush()
        at = workspace.now()
        held_people.look_again(workspace.id, at, sender_id=account.id)
        wake.wake_senders([account.id], at)


def add(workspace: Workspace, account_id: int, first: str, last: str, hand_over_to: int | None) -> Account:
    """Add an absence: its first and last day, and the sender who takes new people, or None when they wait."""
    with transaction():
        account = get_owned(Account, workspace, account_id, lock=True)
        more = {"firstDay": first, "lastDay": last or first, "handOverTo": hand_over_to}
        former = account.absences or []
        try:
            replace(workspace, account, [*former, more])
        except InvalidRequest as refusal:
            raise _of_one(refusal, len(former)) from None
        return account


def _of_one(refusal: InvalidRequest, index: int) -> InvalidRequest:
    """Return a refusal that names the fields of the entry that was added."""
    paths = [(field.path.removeprefix(f"absences[{index}]."), field.message) for field in refusal.fields]
    return InvalidRequest.of(*(("firstDay" if path == "absences" else path, said) for path, said in paths))


def remove(workspace: Workspace, account_id: int, first: str) -> Account:
    """Remove the absence that begins on that day, if there is one."""
    with transaction():
        account = get_owned(Account, workspace, account_id, lock=True)
        replace(workspace, account, [one for one in account.absences or [] if one["firstDay"] != first])
        return account


def substitutes(workspace: Workspace, account: Account) -> Sequence[Account]:
    """Return the senders that can take people over from this one."""
    query = sa.select(Account).where(
        Account.workspace_id == workspace.id,
        Account.channel == account.channel,
        Account.active.is_(True),
        Account.id != account.id,
    )
    return session().scalars(query.order_by(Account.name, Account.id)).all()


def _problem(workspace: Workspace, account: Account, other_id: int) -> str:
    if other_id not in {one.id for one in substitutes(workspace, account)}:
        return "Choose another active sender of the same kind."
    return ""
