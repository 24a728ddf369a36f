"""Whole files of three programs: no one is lost, no value typed by hand is overwritten, each refusal is told."""

import io
from collections import Counter

import sqlalchemy as sa

from app.core.db import in_batches, is_sqlite, session
from app.domain.leads import csv_import, leads, lists
from app.domain.people import sources
from app.domain.people.people import Merge
from app.domain.platform import jobs
from app.models.leads import Lead, LeadImport
from app.models.people import IdentityKind, Person, PersonIdentity, PersonValue, SourceKind
from app.models.workspaces import Workspace
from tests.domain.leads.crm_files import Contact, CrmFile, files

SIZE, SHORT = 20_000, 4_000  # on SQLite; on Postgres the same questions are asked of fewer
TYPED = {"firstName": "Ada Augusta", "phone": "+44 1"}


def test_files_of_three_programs_lose_no_one(acme: Workspace) -> None:
    """Half of the people are known, of some the name and phone were typed by hand; all ways to merge are used."""
    size = SIZE if is_sqlite() else SHORT
    typed = know_half(acme, size)
    into = lists.create_list(acme, "Imported")
    made = files(size)
    ways = (Merge.FILL, Merge.OVERWRITE, Merge.KEEP)
    done = [imported(acme, into.id, file, way) for file, way in zip(made, ways, strict=True)]
    assert lost(acme, into.id, made) == []
    assert without_profile(acme, made[:2]) == set()
    assert overwritten(acme, typed) == []
    for file, found in zip(made, done, strict=True):
        assert_refusals_told(acme, file, found)
        assert found.added + found.updated + found.skipped + found.invalid == found.total == len(file.rows)
    assert sum(one.added for one in done) == session().scalar(
        sa.select(sa.func.count()).select_from(Lead).where(Lead.list_id == into.id)
    )
    assert replaced_without_history(acme, made[1]) == []


def know_half(workspace: Workspace, size: int) -> list[Contact]:
    """Every second person is known from a call; return those of whom values were typed by hand."""
    known = [Contact(number) for number in range(size) if number % 2]
    typed = known[::7]
    earlier = lists.create_list(workspace, "Earlier")
    for batch in in_batches(known, 1000):
        leads.add(workspace, earlier.id, [one.known() for one in batch], by_email=True)
    for batch in in_batches(typed, 1000):
        given = [{**one.known(), **TYPED} for one in batch]
        leads.add(workspace, earlier.id, given, sources.by_actor(SourceKind.HAND), by_email=True)
    return typed


def imported(workspace: Workspace, list_id: int, file: CrmFile, merge: Merge) -> LeadImport:
    """The import of the file, finished."""
    found = csv_import.create(workspace, list_id, f"{file.export.program}.csv", io.BytesIO(file.text().encode()))
    csv_import.choose(workspace, found.id, found.mapping, merge)
    csv_import.start(workspace, found.id)
    while jobs.run_due():
        pass
    session().expire_all()
    return csv_import.get(workspace, found.id)


def owners(workspace: Workspace) -> dict[tuple[str, str], int]:
    """Whose each identity is."""
    query = sa.select(PersonIdentity.kind, PersonIdentity.value, PersonIdentity.person_id)
    found = session().execute(query.where(PersonIdentity.workspace_id == workspace.id))
    return {(kind, value): person_id for kind, value, person_id in found}


def lost(workspace: Workspace, list_id: int, made: list[CrmFile]) -> list[Contact]:
    """Who stands in a row with an identity, and by none of the row's identities in the list."""
    whose = owners(workspace)
    there = set(session().scalars(sa.select(Lead.person_id).where(Lead.list_id == list_id)))
    missing = []
    for row in (row for file in made for row in file.rows):
        if row.contact:
            named = {(IdentityKind.PROFILE, row.contact.profile): row.profile}
            named |= {(IdentityKind.EMAIL, row.contact.email): row.email}
            if not any(whose.get(one) in there for one, given in named.items() if given):
                missing.append(row.contact)
    return missing


def without_profile(workspace: Workspace, made: list[CrmFile]) -> set[str]:
    """Profiles of rows that no person has, in files that may add to known people."""
    given = {row.contact.profile for file in made for row in file.rows if row.contact and row.profile}
    return given - set(session().scalars(sa.select(Person.public_id).where(Person.workspace_id == workspace.id)))


def overwritten(workspace: Workspace, typed: list[Contact]) -> list[Contact]:
    """Of whom a value typed by hand is another now."""
    query = sa.select(Person.id, Person.first_name, Person.phone).where(Person.workspace_id == workspace.id)
    now = {row.id: (row.first_name, row.phone) for row in session().execute(query)}
    whose = owners(workspace)
    return [one for one in typed if now[whose[IdentityKind.EMAIL, one.email]] != tuple(TYPED.values())]


def assert_refusals_told(workspace: Workspace, file: CrmFile, found: LeadImport) -> None:
    """Each row and value that was not taken stands in the file to download, with its number."""
    labels = {"": "Whole row", "email": "Email", "phone": "Phone"}
    wanted = Counter((labels[one], str(number)) for number, row in enumerate(file.rows, 2) for one in row.bad)
    header, *rows = csv_import.refusals(workspace, found.id)
    about = header.index("Left out")
    assert Counter((row[about], row[about + 1]) for row in rows) == wanted
    assert (found.invalid, found.problems) == (
        sum(count for (what, _), count in wanted.items() if what == "Whole row"),
        sum(count for (what, _), count in wanted.items() if what != "Whole row"),
    )
    assert all(row[about + 2] for row in rows)


def replaced_without_history(workspace: Workspace, file: CrmFile) -> list[Contact]:
    """Whose earlier company an overwriting file replaced without a trace."""
    query = sa.select(PersonValue.value).where(
        PersonValue.workspace_id == workspace.id, PersonValue.field == "company_name", PersonValue.taken
    )
    kept = set(session().scalars(query))
    kept |= set(session().scalars(sa.select(Person.company_name).where(Person.workspace_id == workspace.id)))
    known = {row.contact for row in file.rows if row.contact and row.contact.number % 2}
    return [one for one in known if one.known()["companyName"] not in kept]
