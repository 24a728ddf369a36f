"""Remove people or companies from a list, with undo: people in no campaign are only hidden for a while."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from app.core.db import change_rows, in_list, session, transaction
from app.core.errors import InvalidRequest
from app.domain.billing import plans
from app.domain.leads import leads, listed_companies, lists
from app.domain.people import people
from app.domain.platform import audit_log
from app.domain.platform.undo import Undoable
from app.models.campaigns import CampaignLead
from app.models.leads import Lead, ListedCompany
from app.models.people import Person
from app.models.workspaces import Workspace


def remove_people(workspace: Workspace, list_id: int, lead_ids: Sequence[int]) -> tuple[int, str]:
    """Remove leads from the list; return how many, and the name for an undo.

    Those in a campaign stay there; the others are hidden, and deleted when the undo expires.
    """
    with transaction() as current:
        into = lists.get_list(workspace, list_id, lock=True)
        chosen = sa.select(Lead.id).where(Lead.list_id == list_id, in_list(Lead.id, leads.valid_ids(lead_ids)))
        removed = set(current.scalars(chosen))
        if not removed:
            return 0, ""
        members = sa.select(CampaignLead.lead_id).where(in_list(CampaignLead.lead_id, removed))
        enrolled = sorted(set(current.scalars(members)))
        hidden = sorted(removed - set(enrolled))
        _move(enrolled, list_id=None)
        _move(hidden, list_id=None, deleted_at=workspace.now())
        into.lead_count -= len(removed)
        audit_log.record(workspace, "list.people_removed", into.name, after={"people": len(removed)})
        kept = {"list": list_id, "enrolled": enrolled, "hidden": hidden}
        return len(removed), PEOPLE.offer(workspace, kept, f"people removed from {into.name}")


def _restore_people(workspace: Workspace, removed: dict[str, Any]) -> int:
    """Restore the leads; return how many. Leads that were added again stay unchanged."""
    into = lists.get_list(workspace, removed["list"], lock=True)
    back = _missing(workspace, into.id, removed)
    plans.check(workspace, "leads", len(back))
    _move(back, list_id=into.id, deleted_at=None)
    into.lead_count += len(back)
    lists.look_again(into.id, back)
    _forget(workspace, removed)
    return len(back)


def _missing(workspace: Workspace, list_id: int, removed: dict[str, Any]) -> Sequence[int]:
    """Return the removed leads that can be restored: those not erased, deleted or added again."""
    there = sa.select(Lead.person_id).where(Lead.list_id == list_id)
    query = (
        sa.select(Lead.id)
        .join(Lead.person)
        .where(
            Lead.workspace_id == workspace.id,
            Lead.list_id.is_(None),
            Lead.person_id.not_in(there),
            Person.erased_at.is_(None),
            sa.or_(
                sa.and_(in_list(Lead.id, removed["hidden"]), Lead.deleted_at.is_not(None)),
                sa.and_(in_list(Lead.id, removed["enrolled"]), Lead.deleted_at.is_(None)),
            ),
        )
    )
    return session().scalars(query.order_by(Lead.id)).all()


def _move(lead_ids: Sequence[int], **columns: Any) -> None:
    change_rows(sa.update(Lead).where(in_list(Lead.id, lead_ids)).values(**columns))


def _forget(workspace: Workspace, removed: dict[str, Any]) -> None:
    """Delete the hidden leads that are still hidden."""
    in_campaign = sa.exists().where(CampaignLead.lead_id == Lead.id)
    hidden = (in_list(Lead.id, removed["hidden"]), Lead.list_id.is_(None), Lead.deleted_at.is_not(None))
    gone = sa.delete(Lead).where(*hidden, ~in_campaign).returning(Lead.person_id)
    people.discard_unplaced(change_rows(gone).scalars().all())


def remove_companies(workspace: Workspace, list_id: int, company_ids: Sequence[int]) -> tuple[int, str]:
    """Remove companies from the list; return how many, and the name for an undo.

    Raise InvalidRequest at ids that it doesn't have.
    """
    with transaction() as current:
        into = listed_companies.get_list(workspace, list_id, lock=True)
        gone = listed_companies.get_many(workspace, into.id, company_ids)
        ids = {one.id for one in gone}
        unknown = (place for place, one in enumerate(company_ids) if one not in ids)
        InvalidRequest.raise_for([(f"companyIds[{place}]", "Company not found in this list.") for place in unknown])
        if not ids:
            return 0, ""
        kept = {"list": list_id, "companies": [{"name": one.name, "website": one.domain} for one in gone]}
        deleted = sa.delete(ListedCompany).where(in_list(ListedCompany.id, list(ids)))
        current.execute(deleted.execution_options(synchronize_session="fetch"))
        lists.change_size(into.id, -len(ids))
        return len(ids), COMPANIES.offer(workspace, kept, f"companies removed from {into.name}")


def _restore_companies(workspace: Workspace, removed: dict[str, Any]) -> int:
    """Put the companies back into the list; return how many were not there again."""
    listed_companies.get_list(workspace, removed["list"], lock=True)
    return listed_companies.add(workspace, removed["list"], removed["companies"]).added


PEOPLE = Undoable(
    "forget_removed", _restore_people, "Add these people to the list again if you want them back.", settle=_forget
)
COMPANIES = Undoable("removed_companies", _restore_companies, "Add these companies to the list again.")
