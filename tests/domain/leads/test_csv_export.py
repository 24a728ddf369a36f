"""Lists as CSV files."""

import csv
import io

from app.core.db import session
from app.domain.leads import csv_export, csv_import, leads, lists, tags
from app.domain.platform import jobs
from app.models.workspaces import Workspace

PEOPLE = [
    {
        "profileUrl": "https://network.example/in/ada",
        "firstName": "=HYPERLINK(1)",
        "lastName": "'=x",
        "headline": 'Two\nlines, "quoted"; and more',
        "companyName": "+49",
        "phone": "-1",
        "location": "Zürich 🏔",
        "email": "ada@x.example",
        "customFields": {"tier": "A", "score": 3, "nested": {"a": [1]}, "=f": "@x"},
    },
    {"publicId": "bob", "customFields": {"tier": "B"}},
]


def exported(workspace: Workspace, list_id: int) -> str:
    return b"".join(csv_export.csv_chunks(csv_export.rows(workspace, list_id))).decode("utf-8-sig")


def test_an_export_has_a_row_per_lead_and_runs_nothing_in_a_spreadsheet(acme: Workspace) -> None:
    founders = lists.create_list(acme, "Founders")
    leads.add(acme, founders.id, PEOPLE)
    header, ada, bob = csv.reader(io.StringIO(exported(acme, founders.id), newline=""))
    assert header[:3] == ["profileUrl", "publicId", "firstName"]
    assert header[-5:] == ["tags", "custom:tier", "custom:score", "custom:nested", "custom:=f"]
    assert (ada[2], ada[-1], bob[1], bob[-4]) == ("'=HYPERLINK(1)", "'@x", "bob", "B")
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in ada + bob)


def test_an_export_comes_back_without_loss(acme: Workspace) -> None:
    founders, copy = lists.create_list(acme, "Founders"), lists.create_list(acme, "Copy")
    given = [{**PEOPLE[0], "customFields": {"tier": "A", "=f": "@x"}}, PEOPLE[1]]
    leads.add(acme, founders.id, given)
    first = session().scalars(lists.query_list(acme, founders.id)).first()
    assert first is not None
    tags.set_tags(acme, first.id, ["Hot lead", "VIP"])
    for into in (copy, founders):
        found = csv_import.create(acme, into.id, "people.csv", io.BytesIO(exported(acme, founders.id).encode()))
        csv_import.start(acme, found.id)
        jobs.run_due()
        session().expire_all()
        done = csv_import.get(acme, found.id)
        assert (done.added, done.updated, done.skipped) == ((2, 0, 0) if into is copy else (0, 0, 2))
    assert exported(acme, copy.id) == exported(acme, founders.id)


def test_a_long_list_is_written_in_pieces(acme: Workspace) -> None:
    founders = lists.create_list(acme, "Founders")
    for start in (0, 1000, 2000):
        leads.add(
            acme, founders.id, [{"publicId": f"p{start + number}", "headline": "x" * 40} for number in range(1000)]
        )
    pieces = list(csv_export.csv_chunks(csv_export.rows(acme, founders.id)))
    rows = list(csv.reader(io.StringIO(b"".join(pieces).decode("utf-8-sig"), newline="")))
    assert len(pieces) > 1
    assert [row[1] for row in rows[1:]] == [f"p{number}" for number in range(3000)]


def test_an_export_holds_only_the_leads_that_were_searched_for(acme: Workspace) -> None:
    """And no field of one's own that only the others have. Without anyone it is a header that can be filled in."""
    founders = lists.create_list(acme, "Founders")
    assert exported(acme, founders.id).count("\n") == 1
    leads.add(acme, founders.id, [PEOPLE[0] | {"publicId": "ada"}, PEOPLE[1]])
    asked: list[tuple[dict[str, str], list[str]]] = [
        ({"q": "ada"}, ["ada"]),
        ({"way": "no-email"}, ["bob"]),
        ({"q": "bob", "way": "email"}, []),
        ({}, ["ada", "bob"]),
    ]
    for wanted, found in asked:
        header, *people = csv_export.rows(acme, founders.id, **wanted)
        assert [row[1] for row in people] == found
        assert ("custom:score" in header) == ("ada" in found)
