"""The pages of a merge: find the other person, look at what happens, confirm, undo; and the possible duplicates."""

from typing import NamedTuple

import pytest

from app.core.db import end_read, session
from app.domain.leads import lists
from app.domain.people import duplicates
from app.domain.people.exclusions import never_contact
from app.models.leads import Lead
from app.models.workspaces import Workspace
from tests.domain.outreach import a_list
from tests.pages.conftest import Web, found_in, must_have


class Two(NamedTuple):
    """The leads of two people who are one."""

    ada: Lead
    again: Lead


@pytest.fixture
def two(acme: Workspace) -> Two:
    """Ada twice at one company."""
    ada = {"firstName": "Ada", "lastName": "Byron", "companyName": "Wool <Ltd>"}
    into = a_list(
        acme, [{"publicId": "ada", **ada, "position": "Clerk"}, {"publicId": "ada-2", **ada, "phone": "+44 1"}]
    )
    end_read()
    return Two(*session().scalars(lists.query_list(acme, into).order_by(Lead.id)).all())


def address(two: Two) -> str:
    """The preview of the merge."""
    return f"/people/merge?keep={two.ada.person_id}&other={two.again.person_id}"


def test_two_people_become_one_and_two_again(web: Web, two: Two) -> None:
    """From the hint on their page, or found by words, over what will happen, to one person, and back."""
    here = f"/people/{two.ada.id}"
    hint, compare = "Ada Byron, Wool &lt;Ltd&gt; may be the same person: the same", address(two).replace("&", "&amp;")
    must_have(web.get(here), hint, compare, f"{here}/merge")
    must_have(web.get(f"{here}/merge?q=ada-2", htmx=True), compare, without="<html")
    must_have(web.get(address(two)), "From the other")
    assert web.post("/people/merge", keep=two.ada.person_id, other=two.again.person_id).headers["Location"] == here
    page = web.get(here).text
    must_have(page, "Merged.", "+44 1", "ada-2", without="may be the same person")
    web.post(found_in(page, r'action="(/undo/[^"]*)"'))
    must_have(web.get(here), "may be the same person", without="+44 1")


def test_possible_duplicates_are_shown_until_they_are_told_apart(web: Web, two: Two) -> None:
    assert address(two).replace("&", "&amp;") in web.get("/people/duplicates").text
    both = {"person": str(two.ada.person_id), "other": str(two.again.person_id)}
    assert web.post("/people/duplicates/apart", both).status_code == 303
    page = web.get("/people/duplicates").text
    assert "No possible duplicates" in page
    undo = page.partition('action="/people/duplicates/together')[2].partition('"')[0].replace("&amp;", "&")
    web.post(f"/people/duplicates/together{undo}")
    assert "No possible duplicates" not in web.get("/people/duplicates").text


def test_a_page_of_duplicates_goes_on_where_it_looked_last(web: Web, two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duplicates, "MOST_READ", 1)
    page, pages = web.get("/people/duplicates").text, 1
    found = address(two).replace("&", "&amp;") in page
    while "Keep looking" in page:
        assert "Checking your people…" in page
        more = page.partition('hx-get="/people/duplicates')[2].partition('"')[0].replace("&amp;", "&")
        page, pages = web.get(f"/people/duplicates{more}").text, pages + 1
        found = found or address(two).replace("&", "&amp;") in page
    assert found
    assert pages > 1
    assert "Everyone has been checked." in page
    assert "No possible duplicates" not in page


def test_a_preview_warns_of_the_do_not_contact_list(web: Web, acme: Workspace, two: Two) -> None:
    never_contact.add(acme, [("person", "ada-2")])
    end_read()
    assert "The merged person stays on the list." in web.get(address(two)).text
    web.post(f"/people/{two.ada.id}/edit", {"firstName": "Ada", "lastName": "Byron", "position": "COO"})
    page = web.get(f"/people/{two.ada.id}").text
    card = page.partition('id="sources"')[2]
    assert "Entered by" in card
    assert "API" in card
    assert "Clerk" in card.partition("History")[2]
