"""Lists of companies: each company once, by its domain or name, from lines, calls and files; and their people."""

import io
from typing import Any

import pytest
import sqlalchemy as sa

from app.core.db import end_read, session, transaction
from app.core.errors import Conflict, InvalidRequest
from app.domain.campaigns import campaigns
from app.domain.enrichment import enrichment
from app.domain.leads import company_people, csv_import, leads, listed_companies, lists, removals, search_import
from app.domain.ledger import recount
from app.domain.people.exclusions import never_contact
from app.domain.platform import jobs
from app.domain.senders import accounts
from app.models.leads import LeadList, ListedCompany, SearchImport
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_list
from tests.support.movable import Movable

pytestmark = [pytest.mark.postgres, pytest.mark.usefixtures("clock")]


@pytest.fixture
def firms(acme: Workspace) -> int:
    found = lists.create_list(acme, "Firms", "companies").id
    end_read()
    return found


def stands(workspace: Workspace, list_id: int, q: str = "") -> list[tuple[str, str]]:
    query = listed_companies.of_list(workspace, list_id, q).order_by(ListedCompany.id)
    found = [(one.name, one.domain) for one in session().scalars(query)]
    end_read()
    return found


def counts(result: leads.AddResult) -> tuple[int, int, int, int]:
    return result.added, result.updated, result.skipped, result.invalid


def ids(workspace: Workspace, list_id: int) -> list[int]:
    found = [one.id for one in session().scalars(listed_companies.of_list(workspace, list_id))]
    end_read()
    return sorted(found)


def size(workspace: Workspace, list_id: int) -> int:
    """What the list says of its size, which a recount agrees with."""
    assert list(recount.lists()) == []
    found = lists.get_shown(workspace, list_id).lead_count
    end_read()
    return int(found)


def test_a_company_is_once_in_a_list_by_its_domain_else_by_its_name(acme: Workspace, firms: int) -> None:
    """What names no company is told, and a wrong website is left out."""
    given = [
        {"name": "Wool Ltd"},
        {"name": "WOOL, Limited", "website": "https://www.wool.example/about"},  # the same, with its website
        {"website": "shop.wool.example"},
        {"name": "Wool", "website": "wool-berlin.example"},  # another one of that name
        {"name": "Iron GmbH"},
    ]
    assert counts(listed_companies.add(acme, firms, given)) == (3, 1, 1, 0)
    expected = [("Wool Ltd", "wool.example"), ("Wool", "wool-berlin.example"), ("Iron GmbH", "")]
    assert stands(acme, firms) == expected
    assert counts(listed_companies.add(acme, firms, given)) == (0, 0, 5, 0)
    assert counts(listed_companies.add(acme, firms, [{"name": "Iron", "website": "iron.example"}])) == (0, 1, 0, 0)
    assert stands(acme, firms)[2] == ("Iron GmbH", "iron.example")
    assert size(acme, firms) == 3
    wrong = [{"name": " "}, {"website": "gmail.com/x"}, {"name": "Oak", "website": "linkedin.com/company/oak"}, {}]
    result = listed_companies.add(acme, firms, wrong)
    assert counts(result) == (1, 0, 0, 3)
    assert [(one.at, one.field) for one in result.problems] == [(0, ""), (1, ""), (2, "website"), (3, "")]
    assert stands(acme, firms)[3:] == [("Oak", "")]


def test_lines_are_a_website_a_name_or_both(acme: Workspace, firms: int) -> None:
    written = "wool.example\n\nIron & Steel, Inc.\nCotton, Ltd, cotton.example\ngmail.com\n"
    result, refused = listed_companies.add_lines(acme, firms, written)
    expected = [("", "wool.example"), ("Iron & Steel, Inc.", ""), ("Cotton, Ltd", "cotton.example")]
    assert stands(acme, firms) == expected
    assert (result.added, [(number, line) for number, line, _ in refused]) == (3, [(5, "gmail.com")])
    with pytest.raises(InvalidRequest):
        listed_companies.add_lines(acme, firms, " \n")


def test_companies_are_found_exported_and_removed(acme: Workspace, firms: int) -> None:
    listed_companies.add(acme, firms, [{"name": "=Wool"}, {"name": "Iron", "website": "iron.example"}])
    assert stands(acme, firms, "iron exa") == [("Iron", "iron.example")]
    assert stands(acme, firms, "none") == []
    exported = list(listed_companies.rows(acme, firms))
    assert exported == [["name", "domain"], ["'=Wool", ""], ["Iron", "iron.example"]]
    first, second = ids(acme, firms)
    other = lists.create_list(acme, "Other", "companies").id
    with pytest.raises(InvalidRequest):
        removals.remove_companies(acme, other, [first])
    assert removals.remove_companies(acme, firms, [first, first])[0] == 1
    assert (ids(acme, firms), size(acme, firms)) == ([second], 1)
    lists.delete_list(acme, firms)
    assert session().scalar(sa.select(sa.func.count()).select_from(ListedCompany)) == 0


def test_removed_companies_come_back_beside_those_that_were_added_meanwhile(acme: Workspace, firms: int) -> None:
    listed_companies.add(acme, firms, [{"name": "Wool"}, {"name": "Iron", "website": "iron.example"}])
    before = stands(acme, firms)
    _, name = removals.remove_companies(acme, firms, ids(acme, firms))
    listed_companies.add(acme, firms, [{"name": "Wool"}])
    assert removals.COMPANIES.undo(acme, name, list=firms) == 1
    assert (sorted(stands(acme, firms)), size(acme, firms)) == (sorted(before), 2)


def read_in(workspace: Workspace, list_id: int, content: str) -> tuple[int, int, int, int]:
    made = csv_import.create(workspace, list_id, "firms.csv", io.BytesIO(content.encode()))
    csv_import.start(workspace, made.id)
    jobs.run_due()
    found = csv_import.get(workspace, made.id)
    session().refresh(found)
    end_read()
    assert found.state == "done"
    return found.added, found.updated, found.skipped, found.invalid + found.problems


def test_a_file_of_companies_is_read_by_its_columns(acme: Workspace) -> None:
    for content in [
        "name,domain\nWool Ltd,wool.example\nIron,\n,gmail.com\n",
        "Website;Company name;Owner\nhttps://www.wool.example/;Wool Ltd;Bo\n;Iron;Bo\ngmail.com;;Bo\n",
        "Company Domain Name,Website URL,Company name\n,wool.example,Wool Ltd\n,,Iron\ngmail.com,,\n",
        "Organization - Name,Organization - Website\nWool Ltd,wool.example\nIron,\n,gmail.com\n",
        "Firma,Webseite,LinkedIn\nWool Ltd,wool.example,https://linkedin.com/company/w\nIron,,\n,gmail.com,\n",
        "wool.example,Wool Ltd\n,Iron\ngmail.com,\n",
    ]:
        firms = lists.create_list(acme, "Firms", "companies").id
        assert read_in(acme, firms, content) == (2, 0, 0, 1)
        assert stands(acme, firms) == [("Wool Ltd", "wool.example"), ("Iron", "")]
        assert read_in(acme, firms, content) == (0, 0, 2, 1)
        assert size(acme, firms) == 2


def test_the_columns_of_a_file_of_companies_are_theirs(acme: Workspace, firms: int) -> None:
    """A file of people with the same columns means other things by them."""
    content = b"email,company\nann@wool.example,Wool Ltd\n"
    made = csv_import.create(acme, firms, "firms.csv", io.BytesIO(content))
    assert made.mapping == {"0": "", "1": "companyName"}
    people = lists.create_list(acme, "People").id
    assert csv_import.create(acme, people, "p.csv", io.BytesIO(content)).mapping == {"0": "email", "1": "companyName"}
    with pytest.raises(InvalidRequest):
        csv_import.start(acme, made.id, {"0": "email"})


def test_the_people_known_at_a_company_go_to_a_list(acme: Workspace, firms: int) -> None:
    """By domain, else by name; people on the do-not-contact list stay out, and no one is in the list twice."""
    known = [
        {"publicId": "ann", "email": "ann@wool.example"},
        {"publicId": "bea", "companyName": "Wool Ltd"},
        {"publicId": "cy", "companyName": "Wool", "companyUrl": "https://wool-berlin.example"},
        {"publicId": "dan", "companyUrl": "https://wool.example"},
    ]
    a_list(acme, known, "Known")
    never_contact.add(acme, ["person:dan"])
    listed_companies.add(acme, firms, [{"name": "Wool", "website": "wool.example"}])
    (wool,) = ids(acme, firms)
    company = listed_companies.get(acme, firms, wool)
    assert listed_companies.count_people(acme, [company]) == {wool: 3}
    into = lists.create_list(acme, "Wool people").id
    end_read()
    done = company_people.look_up(acme, firms, [wool], into)
    assert (done.known.added, done.known.blocked, done.searches) == (2, 1, [])
    assert company_people.look_up(acme, firms, [wool], into).known.added == 0
    found = session().scalars(lists.query_list(acme, into)).all()
    assert sorted(lead.public_id for lead in found) == ["ann", "bea"]
    end_read()
    made = company_people.look_up(acme, firms, [wool], None, name="Made here")
    assert lists.get_shown(acme, made.list_id).name == "Made here"


def test_others_are_searched_through_an_account_into_a_list(acme: Workspace, firms: int, clock: Movable) -> None:
    listed_companies.add(acme, firms, [{"name": "Wool Ltd"}, {"website": "iron.example"}])
    wool, iron = ids(acme, firms)
    into = lists.create_list(acme, "Found").id
    sender = accounts.every(acme)[0].id
    end_read()
    asked = {"known": False, "account_id": sender, "title": "Head of Sales", "most": 5}
    done = company_people.look_up(acme, firms, [wool, iron], into, **asked)  # type: ignore[arg-type]
    addresses = {one.company_id: one.address for one in done.searches}
    assert "company=Wool%20Ltd&titleFreeText=Head%20of%20Sales" in addresses[wool]
    assert "company=iron&" in addresses[iron]
    again = company_people.look_up(acme, firms, [wool], into, **asked)  # type: ignore[arg-type]
    assert (again.running, again.searches) == (1, [])
    for _ in range(20):
        jobs.run_due()
        clock.forward(hours=12)
    session().expire_all()
    read = session().scalars(sa.select(SearchImport).order_by(SearchImport.id)).all()
    assert [(one.state, one.read) for one in read] == [("done", 5), ("done", 5)]
    people = session().scalars(lists.query_list(acme, into)).all()
    assert {lead.company_name for lead in people} == {"Wool Ltd", "iron"}
    assert company_people.searched([wool]) == {wool: read[0].added}
    assert {company.id for _, company in company_people.searches(acme, firms)} == {wool, iron}


def test_a_look_up_that_does_not_fit_is_refused_whole(acme: Workspace, firms: int) -> None:
    listed_companies.add(acme, firms, [{"name": "Wool Ltd"}])
    a_list(acme, [{"publicId": "bea", "companyName": "Wool Ltd"}], "Known")
    into, chosen, sender = lists.create_list(acme, "Found").id, ids(acme, firms), accounts.every(acme)[0].id
    cases: list[tuple[list[int], int, dict[str, Any], str]] = [
        ([10**6], into, {}, "companyIds"),
        (chosen, into, {"known": False}, "accountId"),
        (chosen, into, {"account_id": 10**6}, "accountId"),
        (chosen, firms, {}, "listId"),
        (chosen, into, {"title": "x" * 101}, "title"),
        (chosen, into, {"most": 0, "account_id": sender}, "most"),
    ]
    for companies, list_id, asked, field in cases:
        end_read()
        with pytest.raises(InvalidRequest) as refused:
            company_people.look_up(acme, firms, companies, list_id, **asked)
        assert field in {path for path, _ in refused.value.fields}
    end_read()
    assert session().scalar(sa.select(sa.func.count()).select_from(SearchImport)) == 0
    assert session().scalars(sa.select(LeadList.lead_count).where(LeadList.name == "Found")).all() == [0]


def test_people_and_companies_are_not_mixed_up(acme: Workspace, firms: int) -> None:
    """What needs people refuses a list of companies with a sentence, and the other way round."""
    people = lists.create_list(acme, "People").id
    sender = accounts.every(acme)[0].id
    end_read()
    for verb in (
        lambda: leads.add(acme, firms, [{"publicId": "ada"}]),
        lambda: leads.add_person(acme, firms, {"email": "ada@wool.example"}, []),
        lambda: leads.add_links(acme, firms, "ada@wool.example"),
        lambda: search_import.start(acme, firms, sender, "https://www.linkedin.com/search/results/people/?keywords=a"),
        lambda: enrichment.start(acme, firms, "email"),
    ):
        with pytest.raises(Conflict, match="“Firms” is a list of companies, not of people"):
            verb()
    with pytest.raises(InvalidRequest) as wrong:
        listed_companies.add(acme, people, [{"name": "Wool"}])
    assert wrong.value.fields == [("id", "“People” is a list of people, not of companies.")]
    draft = {"name": "First", "account_ids": [sender], "sequence": [INVITE]}
    with pytest.raises(InvalidRequest) as refused:
        campaigns.create(acme, list_id=firms, **draft)  # type: ignore[arg-type]
    assert refused.value.fields == [("listId", "“Firms” is a list of companies, not of people.")]
    with pytest.raises(InvalidRequest) as refused:
        campaigns.create(acme, list_id=people, **draft, exclude={"list_ids": [firms]})  # type: ignore[arg-type]
    assert [one for _, one in refused.value.fields] == ["List of people not found in this workspace."]


def test_a_thousand_companies_are_added_in_one_go(acme: Workspace, firms: int) -> None:
    given = [{"name": f"Wool {number} Ltd", "website": f"wool-{number // 2}.example"} for number in range(1000)]
    assert counts(listed_companies.add(acme, firms, given)) == (500, 0, 500, 0)
    assert size(acme, firms) == 500
    with pytest.raises(InvalidRequest), transaction():
        listed_companies.add(acme, firms, [*given, {"name": "One more"}])
