"""The pages of a search that is read into a list: the form, its errors, the progress and the end."""

from collections.abc import Iterator

import pytest

from app.core.db import session
from app.domain.leads import search_import
from app.domain.senders import accounts
from app.models.leads import LeadList, SearchImport
from app.models.workspaces import Workspace
from app.ports import Throttled
from tests.pages.conftest import Web, must_have
from tests.pages.leads.conftest import people
from tests.support.movable import Movable
from tests.support.searches import ADDRESS, Shown, read_out, showing, turn


@pytest.fixture
def shown() -> Iterator[Shown]:
    """What the network shows."""
    with showing(Shown(people=30)) as shown:
        yield shown


def sent(web: Web, into: LeadList, **values: object) -> object:
    """The answer to the form."""
    return web.post(f"/lists/{into.id}/search-imports", {name: str(value) for name, value in values.items()})


def test_a_search_is_read_from_the_form_to_the_list(
    web: Web, acme: Workspace, founders: LeadList, shown: Shown, clock: Movable
) -> None:
    ines = accounts.every(acme)[0]
    assert ines.name in web.get(f"/lists/{founders.id}/add").text
    answer = sent(web, founders, address=ADDRESS, accountId=ines.id, most=20)
    place = answer.headers["Location"]  # type: ignore[attr-defined]
    assert "0 of 20" in web.get(place).text
    assert web.get(f"{place}?at=0-", htmx=True).status_code == 204
    turn(clock)
    must_have(web.get(f"{place}?at=0-", htmx=True), "10 of 20", "30 results on LinkedIn")
    read_out(acme, clock, session().query(SearchImport).one())
    must_have(web.get(place), "People search: founder", "The import is complete.")
    assert len(people(acme, founders)) == 3 + 20
    assert "People search: founder" in web.get(f"/lists/{founders.id}/add").text
    must_have(web.get(f"/senders/{ines.id}"), "Search results", "<b>20</b> of 1")


def test_what_does_not_fit_is_said_at_its_field(web: Web, acme: Workspace, founders: LeadList, shown: Shown) -> None:
    for values, sentence in [
        ({"address": "https://www.linkedin.com/in/ada"}, "This is one person"),
        ({"address": ""}, "Paste the link of a search"),
        ({"most": "many"}, "Use a number from 1 to 1,000"),
        ({"accountId": "0"}, "Choose an account."),
    ]:
        usual = {"address": ADDRESS, "accountId": accounts.every(acme)[0].id, "most": 20}
        answer = sent(web, founders, **usual | values)
        assert answer.status_code == 422  # type: ignore[attr-defined]
        assert sentence in answer.text  # type: ignore[attr-defined]
        assert all(f'value="{value}"' in answer.text for name, value in values.items() if name != "accountId")  # type: ignore[attr-defined]
        assert session().query(SearchImport).count() == 0


def test_a_card_that_waits_says_why_and_until_when(
    web: Web, acme: Workspace, founders: LeadList, shown: Shown, clock: Movable
) -> None:
    def rest() -> None:
        raise Throttled("This account has reached a LinkedIn limit.", 3 * 3600)

    shown.before = rest
    found = search_import.start(acme, founders.id, accounts.every(acme)[0].id, ADDRESS)
    turn(clock)
    page = web.get(f"/lists/{founders.id}/search-imports/{found.id}").text
    must_have(page, "This account has reached a LinkedIn limit. Continues", "12:01")
    web.post(f"/lists/{founders.id}/search-imports/{found.id}/cancel")
    assert "Stopped after 0 people." in web.get(f"/lists/{founders.id}/search-imports/{found.id}").text


def test_without_an_account_the_form_leads_to_the_senders(web: Web, acme: Workspace, founders: LeadList) -> None:
    for account in accounts.every(acme):
        accounts.switch(acme, account.id, False)
    page = web.get(f"/lists/{founders.id}/add").text
    must_have(page, "Connect a LinkedIn account, or switch one on, to import a search.", without='name="accountId"')
