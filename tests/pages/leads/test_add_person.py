"""The form that adds one person to a list."""

from app.models.leads import LeadList
from app.models.workspaces import Workspace
from tests.pages.conftest import Web, must_have
from tests.pages.leads.conftest import people


def test_an_email_alone_is_enough(web: Web, acme: Workspace, founders: LeadList) -> None:
    address = f"/lists/{founders.id}/people/new"
    assert "Add a person" in web.get(address).text
    answer = web.post(address, email="Grace@Navy.example", firstName="Grace", tags="vip, Berlin")
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/lists/{founders.id}")
    assert "Grace added." in web.get(f"/lists/{founders.id}").text
    grace = people(acme, founders)[-1]
    assert (grace.email, grace.public_id, grace.tags) == ("grace@navy.example", "", ["vip", "Berlin"])


def test_everything_that_is_wrong_is_said_at_its_field(web: Web, acme: Workspace, founders: LeadList) -> None:
    typed = {"firstName": "Zoë", "email": "zoe@", "profileUrl": "https://x.example/company/y", "tags": "a;b"}
    answer = web.post(f"/lists/{founders.id}/people/new", typed)
    must_have(answer, 422, "Invalid profile link", "A tag can&#39;t contain a semicolon", 'value="Zoë"')
    nothing = web.post(f"/lists/{founders.id}/people/new", firstName="Zoë")
    assert "Enter an email address or a profile link." in nothing.text
    assert len(people(acme, founders)) == 3
    address = f"/lists/{founders.id}/people/new"
    wrong = web.post(address, {"email": "zoe@"}, htmx=True)
    assert wrong.status_code == 422
    assert wrong.text.lstrip().startswith("<form")
    right = web.post(address, {"email": "zoe@engine.example"}, htmx=True)
    assert right.headers["HX-Redirect"] == f"/lists/{founders.id}"


def test_addresses_and_links_are_pasted_together(web: Web, acme: Workspace, founders: LeadList) -> None:
    address = f"/lists/{founders.id}/add"
    assert "Profile links or email addresses" in web.get(address).text
    pasted = (
        "https://x.example/in/nour\nGrace van Dyke <grace@navy.example>\n\nbad@\nx.example/company/acme\nmo@a.example"
    )
    answer = web.post(address, links=pasted)
    assert "3 added." in answer.text
    assert "Line 4:</span> Invalid email" in answer.text
    assert "Line 5:</span> Invalid profile link" in answer.text
    assert "bad@\nx.example/company/acme</textarea>" in answer.text
    grace = people(acme, founders)[4]
    assert (grace.first_name, grace.last_name, grace.email) == ("Grace", "van Dyke", "grace@navy.example")
