"""The never-contact page."""

from app.domain.exclusions import never_contact
from app.models.workspaces import Workspace
from tests.pages.conftest import Web, must_have


def test_entries_are_pasted_found_removed_and_restored(web: Web, acme: Workspace) -> None:
    assert "List is empty" in web.get("/never-contact").text
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
    must_have(answer, "1 added.", "bad@ is not an email address.", ">\nbad@</textarea>")
    assert never_contact.count(acme) == 1
    assert web.post("/never-contact", entries=" ").status_code == 422
    assert web.post("/never-contact", entries="x.example", reason="x" * 501).status_code == 422
