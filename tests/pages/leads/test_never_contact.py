"""The never-contact page."""

from app.domain.exclusions import never_contact
from app.models.workspaces import Workspace
from tests.pages.conftest import Web


def test_entries_are_pasted_found_removed_and_restored(web: Web, acme: Workspace) -> None:
    """Lines are pasted, found, removed and brought back."""
    assert "No one on this list" in web.get("/never-contact").text
    added = web.post("/never-contact", entries="engine.example\nWool Ltd\n\n", reason="Client")
    assert added.status_code == 303
    page = web.get("/never-contact").text
    assert "2 entries" in page
    assert "engine.example" in page
    assert "Wool Ltd" not in web.get("/never-contact?q=engine", htmx=True).text
    (entry_id, _) = never_contact.add(acme, ["x.example", "y.example"]).ids
    removed = web.post(f"/never-contact/{entry_id}/remove", htmx=True).text
    assert "“x.example” removed from your do-not-contact list." in removed
    undo = removed.partition('action="')[2].partition('"')[0].replace("&amp;", "&")
    web.post(undo)
    assert never_contact.count(acme) == 4


def test_lines_that_name_no_one_stay(web: Web, acme: Workspace) -> None:
    """With the reason; the others are taken."""
    answer = web.post("/never-contact", entries="engine.example\nbad@\n")
    assert "1 added." in answer.text
    assert "bad@ is not an email address." in answer.text
    assert ">\nbad@</textarea>" in answer.text
    assert never_contact.count(acme) == 1


def test_nothing_is_refused_silently(web: Web) -> None:
    """An empty form and a reason that is too long."""
    assert web.post("/never-contact", entries=" ").status_code == 422
    assert web.post("/never-contact", entries="x.example", reason="x" * 501).status_code == 422
