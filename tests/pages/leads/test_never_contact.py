"""The never-contact page."""

import html
import io

from app.core.db import session
from app.domain.people.exclusions import never_contact
from app.models.workspaces import Workspace
from tests.pages.conftest import Web, must_have


def test_entries_are_pasted_found_removed_and_restored(web: Web, acme: Workspace) -> None:
    assert "No entries yet" in web.get("/never-contact").text
    assert web.post("/never-contact", entries="engine.example\nWool Ltd\n\n", reason="Client").status_code == 303
    must_have(web.get("/never-contact"), "2 entries", "engine.example")
    assert "Wool Ltd" not in web.get("/never-contact?q=engine", htmx=True).text
    (entry_id, _) = never_contact.add(acme, ["x.example", "y.example"]).ids
    removed = web.post(f"/never-contact/{entry_id}/remove", htmx=True).text
    assert "“x.example” removed from your do-not-contact list." in removed
    undo = removed.partition('action="')[2].partition('"')[0].replace("&amp;", "&")
    web.post(undo)
    assert never_contact.count(acme) == 4


def test_lines_that_name_no_one_stay(web: Web, acme: Workspace) -> None:
    answer = web.post("/never-contact", entries="engine.example\nbad@\n")
    must_have(answer, "1 entry added.", "bad@ is not an email address.", ">\nbad@</textarea>")
    assert never_contact.count(acme) == 1
    assert web.post("/never-contact", entries=" ").status_code == 422
    assert web.post("/never-contact", entries="x.example", reason="x" * 501).status_code == 422


def test_a_file_is_added_with_its_end_date_and_the_list_is_downloaded(web: Web, acme: Workspace) -> None:
    given = {"file": (io.BytesIO(b"email,until\nada@x.example,2099-12-31\nbad@,\n"), "list.csv"), "reason": "Client"}
    must_have(web.post("/never-contact", **given), "1 entry added.", "Row 3:", "bad@ is not an email address.")
    must_have(web.get("/never-contact"), "until Thu 31 Dec 2099", "Client")
    assert b"ada@x.example" in web.get("/never-contact/export.csv").data
    assert web.get("/never-contact/export.csv?format=xlsx").data.startswith(b"PK")
    (entry,) = session().scalars(never_contact.page(acme)).all()
    removed = web.post(f"/never-contact/{entry.id}/remove", htmx=True).text
    web.post(html.unescape(removed.partition('action="')[2].partition('"')[0]))
    assert str(session().scalars(never_contact.page(acme)).one().until) == "2099-12-31"
    assert web.post("/never-contact", entries="y.example", until="soon").status_code == 422
    assert web.post("/never-contact", entries="y.example", until="2001-01-01").status_code == 422
