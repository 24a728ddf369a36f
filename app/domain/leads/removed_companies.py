"""Remove companies from a list, with undo: for a while a job remembers which they were."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from app.core.crypto import random_base62
from app.core.db import in_list, session, transaction
from app.core.errors import Conflict, InvalidRequest
from app.domain.leads import listed_companies, lists
from app.domain.leads.removal_undo import WAY_BACK
from app.domain.platform import jobs
from app.models.leads import ListedCompany
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace

KIND = "removed_companies"


def remove(workspace: Workspace, list_id: int, company_ids: Sequence[int]) -> tuple[int, str]:
    """Remove companies from the list; return how many, and the name for an undo.

    Raise InvalidRequest at ids that it doesn't have.
    """
    with transaction() as current:
        into = listed_companies.get_list(workspace, list_id, lock=True)
        gone = listed_companies.get_many(workspace, into.id, company_ids)
        ids = {one.id for one in gone}
        wrong = [f"companyIds[{place}]" for place, one in enumerate(company_ids) if one not in ids]
        if wrong:
            raise InvalidRequest.of(*((path, "Company not found in this list.") for path in wrong))
        if not ids:
            return 0, ""
        name = random_base62(20)
        companies = [{"name": one.name, "website": one.domain} for one in gone]
        jobs.add(workspace, KIND, name, {"list": list_id, "companies": companies}, after=WAY_BACK)
        deleted = sa.delete(ListedCompany).where(in_list(ListedCompany.id, list(ids)))
        session().execute(deleted.execution_options(synchronize_session="fetch"))
        lists.change_size(into.id, -len(ids))
        current.flush()
        return len(ids), name


def restore(workspace: Workspace, list_id: int, name: str) -> int:
    """Put the companies removed under that name back into the list; return how many were not there again.

    Raise Conflict when it was done already, or is too long ago.
    """
    with transaction() as current:
        listed_companies.get_list(workspace, list_id, lock=True)
        job = jobs.waiting(workspace, KIND, name)
        if job is None or job.payload["list"] != list_id:
            raise Conflict("It's too late to undo this.", recovery="Add these companies to the list again.")
        companies = job.payload["companies"]
        current.delete(job)
        return listed_companies.add(workspace, list_id, companies).added


def end_undo(workspace: Workspace, payload: dict[str, Any], job: Job) -> None:
    """Forget which companies were removed: the job ends with what it remembers."""
