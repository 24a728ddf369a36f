"""Lists of companies as pages: made, filled, looked at, and their people looked up."""

import html
import io
import re

import pytest
import sqlalchemy as sa

from app.core.db import end_read, session
from app.domain.leads import lists
from app.domain.platform import jobs
from app.domain.senders import accounts
from app.models.leads import LeadList, ListedCompany
from app.models.workspaces import Workspace
from tests.domain.outreach import a_list
from tests.pages.conftest import Web, found_in, must_have

pytestmark = pytest.mark.usefixtures("clock")


@pytest.fixture
def firms(web: Web, acme: Workspace) -> int:
    """A list of companies, made on its page."""
    answer = web.post("/lists", name="Firms", type="companies")
    found = int(re.findall(r"\d+", answer.headers["Location"])[0])
    assert answer.headers["Location"] == f"/lists/{found}/companies/add"
    web.post(f"/lists/{found}/companies/add", companies="Wool Ltd, wool.example\nIron")
    return found


def ids(list_id: int) -> list[int]:
    query = sa.select(ListedCompany.id).where(ListedCompany.list_id == list_id)
    found = list(session().scalars(query.order_by(ListedCompany.id)))
    end_read()
    return found


def test_companies_are_added_by_lines_and_those_with_an_error_stay(web: Web, firms: int) -> None:
    must_have(web.get(f"/lists/{firms}"), "2 companies", "Wool Ltd", "wool.example", "Iron")
    refused = web.post(f"/lists/{firms}/companies/add", companies="gmail.com\ncotton.example")
    must_have(refused, "1 added.", "Use the company&#39;s own website, such as acme.com.")
    assert re.search(r">\s*gmail\.com\s*</textarea>", refused.text)
    assert web.post(f"/lists/{firms}/companies/add", companies=" ").status_code == 422
    assert "cotton.example" in web.get(f"/lists/{firms}?q=cotton").text
    assert "No matches" in web.get(f"/lists/{firms}?q=silk").text
    assert web.get(f"/lists/{firms}/add").headers["Location"] == f"/lists/{firms}/companies/add"


def test_a_file_is_matched_imported_and_its_errors_shown(web: Web, firms: int) -> None:
    content = io.BytesIO(b"Company;Site;Staff\nCotton AG;cotton.example;9\n;gmail.com;1\n")
    answer = web.post(f"/lists/{firms}/imports", {"file": (content, "firms.csv")})
    path = answer.headers["Location"]
    must_have(web.get(path), "Website or domain", without=("Custom field", "People you already have"))
    wrong = web.post(path, {"column-0": "", "column-1": "", "column-2": ""})
    assert "Choose the column with the company&#39;s name or website." in wrong.text
    web.post(path, {"column-0": "companyName", "column-1": "companyUrl", "column-2": ""})
    jobs.run_due()
    assert "gmail.com" in web.get(path).text
    assert "Cotton AG" in web.get(f"/lists/{firms}").text
    assert web.post(f"/lists/{firms}/imports", {"file": (io.BytesIO(b""), "x.csv")}).status_code == 422


def test_known_people_are_shown_and_added_to_a_list(web: Web, acme: Workspace, firms: int) -> None:
    a_list(acme, [{"publicId": "ann", "firstName": "Ann", "email": "ann@wool.example"}], "Known")
    wool, iron = ids(firms)
    must_have(web.get(f"/lists/{firms}/companies/{wool}"), "1 known person", "Ann")
    assert "No known people yet" in web.get(f"/lists/{firms}/companies/{iron}").text
    path = web.post(f"/lists/{firms}/companies/chosen", company=[wool, iron]).headers["Location"]
    assert path == f"/lists/{firms}/companies/find?company={wool}&company={iron}"
    assert web.get(f"/lists/{firms}/companies/find?company=²&company={'9' * 5000}").status_code == 303
    form = web.get(path).text
    assert "Add the 1 person you know at these companies" in form
    assert f'value="{firms}"' not in form.partition('id="f-into"')[2].partition("</select>")[0]
    answer = web.post(
        f"/lists/{firms}/companies/find", company=[wool, iron], into="0", name="Of Wool", known="1", accountId="0"
    )
    into = session().scalar(sa.select(LeadList.id).where(LeadList.name == "Of Wool"))
    end_read()
    assert answer.headers["Location"] == f"/lists/{into}"
    assert "1 known person added." in web.get(f"/lists/{into}").text


def test_searches_are_started_and_their_progress_shown(web: Web, acme: Workspace, firms: int) -> None:
    sender = accounts.every(acme)[0].id
    into = lists.create_list(acme, "Found").id
    asked = {"company": ids(firms), "into": into, "accountId": sender, "title": "Founder", "most": "4"}
    assert web.post(f"/lists/{firms}/companies/find", asked).headers["Location"] == f"/lists/{firms}"
    page = web.get(f"/lists/{firms}").text
    assert "2 searches started." in page
    assert page.count(f'href="/lists/{into}/search-imports/') == 2
    assert 'hx-trigger="every 5s"' in page
    must_have(web.get(f"/lists/{firms}?searches=1", htmx=True), "0 of 4", without="<html")


def test_a_look_up_that_does_not_fit_comes_back_with_its_sentence(web: Web, firms: int) -> None:
    refused = web.post(f"/lists/{firms}/companies/find", company=ids(firms), into="0", name="", known="1", most="5")
    must_have(refused, 422, "Enter a name of 1 to 200 characters.")
    refused = web.post(f"/lists/{firms}/companies/find", company=ids(firms), into="0", name="New", accountId="0")
    assert "Choose an account to search with, or add people you already know." in refused.text
    assert web.get(f"/lists/{firms}/companies/find").headers["Location"] == f"/lists/{firms}"


def test_companies_are_removed_and_exported(web: Web, stranger: Web, acme: Workspace, firms: int) -> None:
    wool, iron = ids(firms)
    assert web.get(f"/lists/{firms}/companies/export.csv").text.splitlines()[1:] == ["Wool Ltd,wool.example", "Iron,"]
    for path in (f"/lists/{firms}", f"/lists/{firms}/companies/{wool}", f"/lists/{firms}/companies/export.csv"):
        assert stranger.get(path).status_code == 404
    assert stranger.post(f"/lists/{firms}/companies/remove", company=wool).status_code == 404
    web.post(f"/lists/{firms}/companies/remove", company=[wool])
    assert ids(firms) == [iron]
    page = web.post(f"/lists/{firms}/companies/remove", company=[iron]).location
    undo = found_in(html.unescape(web.get(page).text), r'action="(/undo/[^"]*)"')
    stranger.post(undo)
    assert ids(firms) == []
    web.post(undo)
    assert len(ids(firms)) == 1
    web.post(f"/lists/{firms}/companies/remove", company=ids(firms))
    assert "No companies yet" in web.get(f"/lists/{firms}").text


def test_a_list_of_companies_is_offered_nowhere_for_people(web: Web, acme: Workspace, firms: int) -> None:
    lists.create_list(acme, "People list")
    for path in ("/campaigns/new", "/autopilot"):
        page = web.get(path).text
        assert "Firms (" not in page
        assert ">Firms<" not in page
    assert "People list" in web.get("/campaigns/new").text
    assert '<span class="sub">Companies</span>' in web.get("/lists").text
    assert "are deleted immediately. This" in re.sub(r"\s+", " ", web.get(f"/lists/{firms}/edit").text)
    people = lists.create_list(acme, "People").id
    for path in ("add", "find?company=1", "1"):
        assert web.get(f"/lists/{people}/companies/{path}").status_code in (400, 404)
