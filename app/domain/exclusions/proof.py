"""The proof of contact: what was asked before each send, in a chain per person that shows every change."""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple, Protocol

import sqlalchemy as sa

from app.core.crypto import keyring
from app.core.db import execute_many, in_list, session
from app.domain.exclusions.gate import Asked
from app.models.exclusions import ContactProof
from app.models.workspaces import Workspace


class Contact(Protocol):
    """The action that reaches a person."""

    @property
    def action_id(self) -> int: ...
    @property
    def account(self) -> Any: ...
    @property
    def at(self) -> datetime: ...


class Link(NamedTuple):
    """One proof of a chain, and whether it and everything before it is as it was written."""

    proof: ContactProof
    holds: bool


def write(contacts: Sequence[tuple[Contact, int, Asked]]) -> None:
    """Add what the gate saw before each contact to the person's chain. In the transaction that records the contact."""
    if not contacts:
        return
    last = _last({person_id for _, person_id, _ in contacts})
    rows = []
    for contact, person_id, asked in contacts:
        number, mark = last.get(person_id, (0, ""))
        seen = asked.told()
        digest = _digest(seen)
        row = {
            "workspace_id": contact.account.workspace_id,
            "person_id": person_id,
            "number": number + 1,
            "action_id": contact.action_id,
            "at": contact.at,
            "asked": seen,
            "digest": digest,
            "mark": _mark(person_id, number + 1, mark, digest),
        }
        last[person_id] = (number + 1, row["mark"])
        rows.append(row)
    execute_many(sa.insert(ContactProof), rows)


def chain(workspace: Workspace, person_id: int) -> Iterator[Link]:
    """Return the person's proofs, oldest first; from the first that was changed on, none holds."""
    return _chain(ContactProof.workspace_id == workspace.id, ContactProof.person_id == person_id)


def _chain(*where: sa.ColumnElement[bool]) -> Iterator[Link]:
    mark, holds = "", True
    query = sa.select(ContactProof).where(*where).order_by(ContactProof.number)
    for number, proof in enumerate(session().scalars(query.execution_options(populate_existing=True)), 1):
        same = proof.number == number and proof.mark == _mark(proof.person_id, number, mark, proof.digest)
        holds = holds and same and (proof.asked is None or _digest(proof.asked) == proof.digest)
        mark = proof.mark
        yield Link(proof, holds)


def broken(after: int = 0, most: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield (workspace_id, person_id) of each changed chain, of the first `most` people behind that id."""
    ids = sa.select(ContactProof.person_id).where(ContactProof.person_id > after).distinct()
    for person_id in session().scalars(ids.order_by(ContactProof.person_id).limit(most)).all():
        links = _chain(ContactProof.person_id == person_id)
        changed = next((one.proof for one in links if not one.holds), None)
        if changed:
            yield changed.workspace_id, person_id


def erase(person_ids: Sequence[int]) -> None:
    """Clear what was seen of these people; their chains still verify. Inside a transaction."""
    cleared = sa.update(ContactProof).where(in_list(ContactProof.person_id, person_ids)).values(asked=sa.null())
    session().execute(cleared.execution_options(synchronize_session=False))


def _last(person_ids: set[int]) -> dict[int, tuple[int, str]]:
    newest = _NEWEST.where(in_list(ContactProof.person_id, list(person_ids)))
    query = _LAST.where(ContactProof.id.in_(newest))
    return {person_id: (number, mark) for person_id, number, mark in session().execute(query)}


_NEWEST = sa.select(sa.func.max(ContactProof.id)).group_by(ContactProof.person_id)
_LAST = sa.select(ContactProof.person_id, ContactProof.number, ContactProof.mark)


def _digest(asked: Any) -> str:
    written = json.dumps(asked, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return keyring().sign("contact", b"asked|" + written.encode()).hex()


def _mark(person_id: int, number: int, before: str, digest: str) -> str:
    return keyring().sign("contact", f"chain|{person_id}|{number}|{before}|{digest}".encode()).hex()
