"""CSV files on their way into a list."""

import io
from collections.abc import Sequence

import pytest
import sqlalchemy as sa

from app.core.db import session, transaction
from app.core.errors import Conflict, InvalidRequest
from app.domain.leads import csv_import, leads, lists
from app.domain.leads.csv_import import Choices
from app.domain.people.exclusions import never_contact
from app.domain.people.people import Merge
from app.domain.platform import jobs
from app.domain.workspace import workspaces
from app.models.leads import ImportRefusal, ImportState, Lead, LeadImport, LeadList
from app.models.people import DataSource
from app.models.workspaces import Workspace
from tests.domain.outreach import told
from tests.support.movable import Movable
from tests.support.people import BROKEN_ROWS, people_csv
from tests.support.searches import counts

URL = "https://network.example/in/"


def upload(workspace: Workspace, into: LeadList, content: str | bytes, name: str = "people.csv") -> LeadImport:
    raw = content if isinstance(content, bytes) else content.encode()
    return csv_import.create(workspace, into.id, name, io.BytesIO(raw))


def run(workspace: Workspace, into: LeadList, content: str | bytes, **mapping: str) -> LeadImport:
    return finished(workspace, upload(workspace, into, content), **mapping)


def finished(workspace: Workspace, found: LeadImport, **mapping: str) -> LeadImport:
    csv_import.start(workspace, found.id, dict(mapping) or None)
    while jobs.run_due():
        pass
    session().expire_all()
    return csv_import.get(workspace, found.id)


def refused(found: LeadImport) -> list[tuple[int, str]]:
    query = sa.select(ImportRefusal.row, ImportRefusal.reason).where(ImportRefusal.import_id == found.id)
    return [(row, reason) for row, reason in session().execute(query.order_by(ImportRefusal.id))]


def people(into: LeadList) -> Sequence[Lead]:
    return session().scalars(sa.select(Lead).where(Lead.list_id == into.id).order_by(Lead.id)).all()


def test_broken_rows_are_refused_and_the_others_added(acme: Workspace, founders: LeadList) -> None:
    """500 rows, four of them broken, each in its own way, and three with a value that is left out; again, nothing."""
    found = run(acme, founders, people_csv())
    assert (found.state, found.total, found.done) == (ImportState.DONE, 500, 500)
    assert (counts(found), found.problems) == ((496, 0, 0, 4), 3)
    assert [row for row, _ in refused(found)] == [row + 1 for row in BROKEN_ROWS]
    parts = [
        *("Add a profile link, public id or email address.", "13 cells"),
        *("Add a profile link, public id or email address.", "Invalid profile link"),
        *("Invalid email", "quotation", "the maximum is 4,000"),
    ]
    reasons = [reason for _, reason in refused(found)]
    assert [part for part, reason in zip(parts, reasons, strict=True) if part not in reason] == []
    assert lists.get_list(acme, founders.id).lead_count == 496
    first = people(founders)[0]
    assert (first.first_name, first.last_name, first.public_id) == ("Maya", "Gallagher", "person-1")
    assert (first.location, first.custom_fields) == ("Dublin, Ireland", {"Tier": "B"})
    assert found.content is None
    assert counts(run(acme, founders, people_csv())) == (0, 0, 496, 4)
    never_contact.add(acme, ["quillstackinc.example"])
    assert counts(run(acme, lists.create_list(acme, "Others"), people_csv(30, ()))) == (25, 0, 5, 0)


def test_refused_rows_come_back_as_they_were_and_can_be_imported_corrected(acme: Workspace, founders: LeadList) -> None:
    """With number and reason, which are no fields of one's own, and without anything that a spreadsheet would run."""
    found = run(acme, founders, f"profile,email,note\n{URL}ada,nope,=1+1\n,nope,x\n{URL}bob,,x\n")
    assert (counts(found), found.problems) == ((2, 0, 0, 1), 1)
    rows = list(csv_import.refusals(acme, found.id))
    assert rows == [
        ["profile", "email", "note", "Left out", "Row", "Reason"],
        [URL + "ada", "nope", "'=1+1", "Email", "2", 'Invalid email "nope". Fix it or remove it.'],
        ["", "nope", "x", "Whole row", "3", rows[2][5]],
    ]
    back = upload(acme, founders, "\n".join(",".join(row) for row in rows))
    assert [back.mapping[str(number)] for number in (3, 4, 5)] == ["", "", ""]
    run(acme, founders, f"profile,email,Row,Reason\n{URL}cy,cy@x.example,2,nope is not an e-mail address.\n")
    assert people(founders)[-1].custom_fields == {}


def test_a_header_is_found_below_notes_and_blank_lines(acme: Workspace) -> None:
    for number, content in enumerate(
        [
            "profile;first name\r\nx.de/in/z;Zoë\r\n",
            "sep=;\nprofile;first name\nx.de/in/z;Zoë\n",
            "\nFirst Name,Profile,,\n\nZoë,x.de/in/z,,\n,,,\n",
            'Notes:\n"Exported, by us"\n\nFirst Name,Last Name,URL\nZoë,,x.de/in/z\n',
        ]
    ):
        into = lists.create_list(acme, f"List {number}")
        found = run(acme, into, content.replace("/in/z", f"/in/z{number}"))
        assert (counts(found), refused(found)) == ((1, 0, 0, 0), []), content
        assert [(lead.public_id, lead.first_name) for lead in people(into)] == [(f"z{number}", "Zoë")]


def test_short_rows_are_read_and_long_ones_are_not(acme: Workspace, founders: LeadList) -> None:
    """Reports end with lines of their own, which name no one."""
    content = (
        "Email,First Name,Company\n"
        'ada@x.example\nbob@x.example,Bob\ncy@x.example,Cy,Looms,,\ndi@x.example,Di,Looms, Inc\n\n"Leads Report"\n'
    )
    found = run(acme, founders, content)
    assert [(lead.email, lead.first_name, lead.company_name) for lead in people(founders)] == [
        ("ada@x.example", "", ""),
        ("bob@x.example", "Bob", ""),
        ("cy@x.example", "Cy", "Looms"),
    ]
    assert next(reason for _, reason in refused(found)) == "The row has 4 cells, but the header has 3."
    assert counts(found) == (3, 0, 0, 2)


def test_a_file_without_a_header_is_understood(acme: Workspace, founders: LeadList) -> None:
    found = run(acme, founders, f"Ada,{URL}ada,ada@x.example\nBob,{URL}bob,bob@x.example\n")
    assert (found.header, counts(found)) == (["Column 1", "Column 2", "Column 3"], (2, 0, 0, 0))
    assert [(lead.public_id, lead.email) for lead in people(founders)] == [
        ("ada", "ada@x.example"),
        ("bob", "bob@x.example"),
    ]


def test_a_file_without_people_or_that_is_too_large_is_refused_whole(acme: Workspace, founders: LeadList) -> None:
    for content, sentence in [
        (b"profile,name\n", "no people"),
        (b"PK\x03\x04rest of a workbook", "Excel"),
        (("," * 300).encode() + b"x\n1,2\n", "columns"),
        (b"profile\n" + (b"x" * 1023 + b"\n") * (41 * 1024), "40 MB"),
    ]:
        with pytest.raises(InvalidRequest) as refusal:
            upload(acme, founders, content)
        assert refusal.value.fields[0].path == "file", sentence
        assert sentence in refusal.value.fields[0].message
    assert session().scalars(sa.select(LeadImport)).all() == []


def test_a_broken_quotation_mark_costs_its_own_row_only(acme: Workspace, founders: LeadList) -> None:
    """The rows before and after it are taken, also when later ones have quotation marks of their own."""
    after = "".join(f'{URL}p{number},"Name, with comma {number}"\n' for number in range(300))
    for quoted in ('"Bob', '"Bob "B" Smith"', '"Bob,\n', 'a"b,"', '"' * 5):
        into = lists.create_list(acme, "Quoted")
        found = run(acme, into, f"profile,name\n{URL}ada,Ada\n{URL}bob,{quoted}\n{after}")
        persons = {lead.public_id for lead in people(into)}
        assert {"ada", *(f"p{number}" for number in range(300))} <= persons, quoted
        assert "bob" not in persons, quoted
        assert found.invalid >= 1, quoted
    # A cell may have several lines when its quotation marks are right.
    found = run(acme, founders, f'profile,headline\n{URL}cy,"one\ntwo, ""three"""\n{URL}bob,x\n')
    assert counts(found) == (2, 0, 0, 0)
    assert people(founders)[0].headline == 'one\ntwo, "three"'


def test_a_cell_that_cannot_be_kept_is_left_out_or_costs_its_row(acme: Workspace) -> None:
    """NUL and what no reader takes cost the row, a long text only itself; each is in the file of refusals."""
    for cell, invalid, problems in (("a\0b", 1, 0), ("x" * 4001, 0, 1), ("x" * 140_000, 1, 0)):
        into = lists.create_list(acme, "Cells")
        found = run(acme, into, f"profile,headline\n{URL}ada,{cell}\n{URL}bob,x\n")
        assert (counts(found), found.problems) == ((2 - invalid, 0, 0, invalid), problems)
        assert len(list(csv_import.refusals(acme, found.id))) == 2


def test_a_mapping_decides_what_columns_become_and_needs_a_profile_and_no_field_twice(
    acme: Workspace, founders: LeadList
) -> None:
    """Each problem has its column, and what was chosen is kept. Several places are one; columns may be left out."""
    found = upload(acme, founders, "a,b,c\n1,2,3\n")
    wrong = {"0": "firstName", "1": "firstName", "2": "nonsense", "7": "phone"}
    csv_import.choose(acme, found.id, Choices(wrong))
    with pytest.raises(InvalidRequest) as refusal:
        csv_import.start(acme, found.id)
    assert [field.path for field in refusal.value.fields] == ["mapping.1", "mapping.2", "mapping.7", "mapping"]
    session().expire_all()
    kept = csv_import.get(acme, found.id)
    assert (kept.state, kept.mapping) == (ImportState.MAPPING, wrong)
    content = f"a,b,c,d,e,f\n{URL}ada,Ada King Noel,gold,London,UK,secret\n"
    mapping = {"0": "profileUrl", "1": "fullName", "2": "custom:Tier", "3": "location", "4": "location", "5": ""}
    run(acme, founders, content, **mapping)
    (ada,) = people(founders)
    assert (ada.first_name, ada.last_name, ada.location) == ("Ada", "King Noel", "London, UK")
    assert ada.custom_fields == {"Tier": "gold"}


def test_an_interrupted_import_goes_on_where_it_was(
    acme: Workspace, founders: LeadList, clock: Movable, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = upload(acme, founders, people_csv(3500, (1500, 2500)))
    csv_import.start(acme, found.id)
    write, seen = csv_import._write, []

    def dies_in_the_third(*arguments: object) -> bool:
        seen.append(arguments)
        if len(seen) == 3:
            raise KeyboardInterrupt
        return write(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(csv_import, "_write", dies_in_the_third)
    with pytest.raises(KeyboardInterrupt):
        jobs.run_due()
    session().rollback()
    session().expire_all()
    assert csv_import.get(acme, found.id).done == 2000
    assert jobs.run_due() == 0
    clock.forward(seconds=61)
    assert jobs.run_due() == 1
    session().expire_all()
    done = csv_import.get(acme, found.id)
    assert (done.state, done.done, counts(done)) == (ImportState.DONE, 3500, (3498, 0, 0, 2))
    assert lists.get_list(acme, founders.id).lead_count == len(people(founders)) == 3498
    assert [row for row, _ in refused(done)] == [1501, 2501]


def test_two_who_run_the_same_import_count_each_row_once(acme: Workspace, founders: LeadList) -> None:
    found = upload(acme, founders, people_csv(1200, ()))
    csv_import.start(acme, found.id)
    with transaction() as current:
        current.execute(sa.update(LeadImport).values(done=1000, added=1000))
    stale = session().get(LeadImport, found.id, populate_existing=True)
    assert stale is not None
    assert not csv_import._write(acme, stale, 0, csv_import._Chunk([{"person": "x", "public_id": "x"}], [], []))
    assert people(founders) == []


def test_an_import_begins_once_and_takes_nothing_after_its_end(acme: Workspace, founders: LeadList) -> None:
    """Canceled, finished, or into a list that was deleted meanwhile: a long one may still be on its way out."""
    canceled, deleted = (upload(acme, founders, people_csv(10, ())) for _ in "ab")
    csv_import.start(acme, canceled.id)
    csv_import.cancel(acme, canceled.id)
    jobs.run_due()
    session().expire_all()
    assert (csv_import.get(acme, canceled.id).state, people(founders)) == (ImportState.CANCELED, [])
    done = run(acme, founders, people_csv(10, ()))
    for found, attempt in ((canceled, csv_import.start), (canceled, csv_import.cancel), (done, csv_import.start)):
        with pytest.raises(Conflict):
            attempt(acme, found.id)
    csv_import.start(acme, deleted.id)
    with transaction() as current:
        current.execute(sa.update(LeadList).values(deleted_at=acme.now()))
    jobs.run_due()
    session().expire_all()
    failed = csv_import.get(acme, deleted.id)
    assert (failed.state, failed.error) == (ImportState.FAILED, "The list was deleted.")


def test_a_preview_shows_the_first_people(acme: Workspace, founders: LeadList) -> None:
    """Also where the first cells are empty."""
    found = upload(acme, founders, people_csv(20, ()))
    shown = csv_import.preview(found)
    assert [row[0] for row in shown.rows] == [2, 3, 4, 5, 6]
    assert shown.samples[5] == "https://www.network.example/in/person-1/"
    assert all(shown.samples)


def test_known_people_change_as_the_import_says(acme: Workspace, founders: LeadList) -> None:
    """What was typed by hand stays in each way. An empty cell erases nothing."""
    for merge, company, phone, tally in (
        (Merge.FILL, "Engine", "1", (0, 1, 0, 0)),
        (Merge.OVERWRITE, "Looms", "1", (0, 1, 0, 0)),
        (Merge.KEEP, "Engine", "", (0, 0, 1, 0)),
    ):
        name = f"ada-{merge}"
        leads.add(acme, founders.id, [{"publicId": name, "companyName": "Engine", "headline": "Analyst"}])
        leads.add_person(acme, founders.id, {"profileUrl": f"network.example/in/{name}", "firstName": "Ada"}, [])
        header = "Profile,First name,Company,Phone,Headline\n"
        found = upload(acme, founders, f"{header}network.example/in/{name},Adele,Looms,1,\n")
        csv_import.choose(acme, found.id, Choices(found.mapping, merge))
        done = finished(acme, found)
        ada = people(founders)[-1]
        assert (ada.first_name, ada.company_name, ada.phone, ada.headline) == ("Ada", company, phone, "Analyst")
        assert counts(done) == tally


def test_the_lawful_basis_is_the_imports_else_the_lists_else_the_workspaces(
    acme: Workspace, founders: LeadList
) -> None:
    """It stands at the source of what came in."""
    bases = []
    for number, (workspaces_own, lists_own, typed) in enumerate(
        [("contract", "", None), ("contract", "consent", None), ("contract", "consent", "Met at the fair")]
    ):
        workspaces.change_people_defaults(acme, "", workspaces_own)
        lists.change_list(acme, founders.id, "Founders", lists_own)
        found = upload(acme, founders, f"Profile\nnetwork.example/in/p{number}\n")
        basis = found.lawful_basis if typed is None else typed
        csv_import.choose(acme, found.id, Choices(found.mapping, lawful_basis=basis))
        finished(acme, found)
        person = people(founders)[-1].person
        bases.append(session().get_one(DataSource, person.source_id).lawful_basis)
    assert bases == ["contract", "consent", "Met at the fair"]


def test_an_import_is_told_when_it_ends(acme: Workspace, founders: LeadList) -> None:
    found = run(acme, founders, f"profileUrl\n{URL}ada\nnonsense\n")
    (data,) = told(acme, "import_finished")
    assert data["import"] == {
        **{"id": found.id, "kind": "file", "state": "done", "fileName": "people.csv", "error": ""},
        "list": {"id": founders.id, "name": "Founders"},
        **{"added": 2, "updated": 0, "skipped": 0, "invalid": 0},
    }
    csv_import.cancel(acme, upload(acme, founders, f"profileUrl\n{URL}bo\n").id)
    assert len(told(acme, "import_finished")) == 1
    begun = csv_import.start(acme, upload(acme, founders, f"profileUrl\n{URL}bo\n").id)
    csv_import.cancel(acme, begun.id)
    assert told(acme, "import_finished")[1]["import"]["state"] == "canceled"


@pytest.mark.parametrize("rows", [11, 12, 2_500])
def test_a_column_is_kept_wherever_in_the_file_its_first_value_is(acme: Workspace, rows: int) -> None:
    """Also one whose name would be left out only if it had no value at all; an empty column stays out."""
    into = lists.create_list(acme, "Late")
    lines = [f"person-{number}@x.example,,," for number in range(rows)]
    last = "late@x.example,Blue,https://network.example/in/late,"
    found = run(acme, into, "\n".join(["Email,Colour,Where,Empty", *lines, last]))
    assert found.mapping == {"0": "email", "1": "custom:Colour", "2": "profileUrl", "3": ""}
    person = session().scalars(sa.select(Lead).where(Lead.list_id == into.id, Lead.email == "late@x.example")).one()
    assert (person.custom_fields, person.public_id) == ({"Colour": "Blue"}, "late")
