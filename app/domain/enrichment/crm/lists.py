"""Lists of the CRM that lists here follow: who joins there joins here, and who leaves there leaves here."""

from collections.abc import Mapping, Sequence

import sqlalchemy as sa

from app.core import clock, text
from app.core.db import get_owned, in_list, session, transaction
from app.core.errors import Conflict, InvalidRequest
from app.core.wakes import wake
from app.domain.enrichment.crm import connection, contacts
from app.domain.enrichment.crm.settings import CrmSettings
from app.domain.leads import leads
from app.domain.leads import lists as lead_lists
from app.domain.leads.leads import AddResult
from app.domain.people import identities, people
from app.domain.people.people import Merge
from app.domain.people.sources import Source
from app.domain.platform import audit_log
from app.models.crm import CrmConnection, CrmContact, CrmFlow, CrmList, CrmMember, Way
from app.models.leads import Lead, LeadList
from app.models.people import SourceKind
from app.models.workspaces import Workspace
from app.ports.crm import CrmContact as There

MOST_FOLLOWED, LONGEST_ID = 100, 100
GONE = "This list was deleted. Sync the CRM list again to create a new list."


def follow(workspace: Workspace, external_id: str, name: str = "") -> CrmList:
    """Follow a list of the CRM with a list of its name; it is read at once. Without a name, the CRM is asked."""
    if not external_id or len(external_id) > LONGEST_ID or not external_id.isascii() or not external_id.isalnum():
        raise InvalidRequest.of(("id", "Use the id of a list in your CRM."))
    if not name:
        offered = {one.id: one.name for one in connection.offered_lists(workspace)}
        if external_id not in offered:
            raise InvalidRequest.of(("id", "Your CRM has no list with this id. Use the id of one of its lists."))
        name = offered[external_id]
    with transaction() as current:
        known = connection.get(workspace, lock=True)
        followed = {one.external_id: one for one in _all(known)}
        if external_id not in followed and len(followed) >= MOST_FOLLOWED:
            raise Conflict(f"You already sync {MOST_FOLLOWED} lists.", recovery="Stop syncing a list first.")
        row = followed.get(external_id)
        if row is None:
            row = CrmList(workspace_id=workspace.id, connection_id=known.id, external_id=external_id)
            row.created_at = workspace.now()
        elif _list_of(row) is not None:
            return row
        if row.list_id is None or _list_of(row) is None:
            label = text.shorten(text.squeeze(name) or f"CRM list {external_id}", text.LONGEST_NAME)
            row.name, row.list_id, row.error = label, lead_lists.create_list(workspace, label).id, ""
            current.add(row)
            current.flush()
            current.execute(sa.delete(CrmMember).where(CrmMember.crm_list_id == row.id))
        current.flush()
        _read_lists_now(known)
        audit_log.record(workspace, "crm.followed", row.name)
        return row


def unfollow(workspace: Workspace, crm_list_id: int) -> None:
    """Stop following a list; the list here keeps its people."""
    with transaction() as current:
        connection.get(workspace, lock=True)
        row = get_owned(CrmList, workspace, crm_list_id, lock=True)
        current.delete(row)
        audit_log.record(workspace, "crm.unfollowed", row.name)


def _all(known: CrmConnection) -> Sequence[CrmList]:
    return session().scalars(sa.select(CrmList).where(CrmList.connection_id == known.id).order_by(CrmList.id)).all()


def _list_of(row: CrmList) -> LeadList | None:
    found = session().get(LeadList, row.list_id or 0)
    return found if found and found.deleted_at is None else None


def _read_lists_now(known: CrmConnection) -> None:
    """Schedule the CRM import to run now; if no pass is running, it reads only the lists. Inside a transaction."""
    flow: CrmFlow = connection.flows_of(known)[Way.IN]
    if flow.stage == "" and flow.whole_at is not None:
        flow.stage, flow.cursor, flow.place = "lists", "", 0  # `begun_at` stays: contacts are not read now
    flow.due_at, flow.turns = clock.now(), flow.turns + 1
    wake(connection.UNITS[Way.IN], flow.id, clock.now(), flow.workspace_id)


def next_to_read(flow: CrmFlow) -> CrmList | None:
    """Return the followed list that is partly read, or the next one after the last that was read."""
    place = CrmList.id >= flow.place if flow.cursor else CrmList.id > flow.place
    query = sa.select(CrmList).where(CrmList.connection_id == flow.connection_id, place)
    found = session().scalars(query.order_by(CrmList.id).limit(1).execution_options(populate_existing=True))
    return found.one_or_none()


def unknown_contacts(known: CrmConnection, row: CrmList, ids: Sequence[str]) -> list[str]:
    """Return which of the contacts joined the list and are not known yet."""
    members = _members(row, ids)
    fresh = [one for one in ids if one not in members]
    there = contacts.known(known, fresh)
    return [one for one in fresh if one not in there]


def _members(row: CrmList, ids: Sequence[str]) -> dict[str, CrmMember]:
    query = sa.select(CrmMember).where(CrmMember.crm_list_id == row.id)
    return {one.external_id: one for one in session().scalars(query.where(in_list(CrmMember.external_id, ids)))}


def take_members(
    workspace: Workspace,
    known: CrmConnection,
    settings: CrmSettings,
    title: str,
    row: CrmList,
    ids: Sequence[str],
    fetched: Sequence[There],
    this_pass: int,
) -> None:
    """Add contacts who joined the CRM's list to the list here. Inside a transaction."""
    contacts.take(workspace, known, settings, title, fetched, this_pass)
    members = _members(row, ids)
    run = row.run + 1
    for member in members.values():
        member.run = run
    there = contacts.known(known, [one for one in ids if one not in members])
    if there:
        placed = _place(workspace, known, settings, title, row, there)
        for external_id, contact in there.items():
            session().add(
                CrmMember(
                    workspace_id=workspace.id,
                    crm_list_id=row.id,
                    external_id=contact.external_id,
                    person_id=placed.get(external_id),
                    run=run,
                )
            )
    session().flush()


def _place(
    workspace: Workspace,
    known: CrmConnection,
    settings: CrmSettings,
    title: str,
    row: CrmList,
    there: Mapping[str, CrmContact],
) -> dict[str, int]:
    """Add these contacts to the list; return the people who are in it, by the contact's id."""
    into = _list_of(row)
    if into is None:
        return {}
    given = {key: fields for key, one in there.items() if (fields := contacts.profile(known, settings, one))}
    source = Source(SourceKind.CRM, title)
    leads.upsert(workspace, into, list(given.values()), AddResult(), source, Merge.FILL)
    names = {key: people.named(fields) for key, fields in given.items()}
    owners = identities.owners(workspace.id, {one for theirs in names.values() for one in theirs})
    placed: dict[str, int] = {}
    changed: list[tuple[CrmContact, list[str]]] = []
    for key, theirs in names.items():
        person_id = next((owners[one] for one in theirs if one in owners), None)
        if person_id is not None:
            there[key].person_id = placed[key] = person_id
            changed.append((there[key], list(settings.fields)))
    session().flush()
    contacts.give(workspace, known, settings, title, changed)
    return placed


def end_list(workspace: Workspace, row: CrmList) -> None:
    """Remove contacts who left the CRM's list from the list here, and mark it read. Inside a transaction."""
    row.run += 1
    row.read_at = workspace.now()
    left = sa.select(CrmMember).where(CrmMember.crm_list_id == row.id, CrmMember.run != row.run)
    gone = session().scalars(left).all()
    if row.list_id is not None and _list_of(row) is not None:
        row.error = ""
        person_ids = [one.person_id for one in gone if one.person_id]
        still = sa.select(CrmMember.person_id).where(CrmMember.crm_list_id == row.id, CrmMember.run == row.run)
        theirs = (Lead.list_id == row.list_id, in_list(Lead.person_id, person_ids), Lead.person_id.not_in(still))
        leads.remove(workspace, row.list_id, session().scalars(sa.select(Lead.id).where(*theirs)).all())
    else:
        row.error = GONE
    for one in gone:
        session().delete(one)
    session().flush()
