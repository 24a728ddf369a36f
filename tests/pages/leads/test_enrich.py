"""Finding the addresses and numbers of a list: the price before, the progress, and who was not found."""

import re

import pytest
import sqlalchemy as sa

from app.core.db import end_read, session
from app.domain.billing import credits
from app.domain.enrichment import enrichment
from app.domain.platform import jobs
from app.models.signals import Enrichment
from app.models.workspaces import Workspace
from tests.domain.outreach import a_list
from tests.pages.conftest import Web, found_in, must_have


@pytest.fixture
def people(acme: Workspace) -> int:
    """Three people of whom nothing is known but their profile."""
    return a_list(acme, [{"publicId": one} for one in ("known-ada", "no-phone-bob", "nothing-cy")])


def the_run() -> int:
    """The number of the only run."""
    return session().scalars(sa.select(Enrichment.id)).one()


def test_the_buttons_name_the_highest_cost_and_the_head_shows_progress(web: Web, people: int, acme: Workspace) -> None:
    assert f'form="people-form" formaction="/lists/{people}/look-ups"' in web.get(f"/lists/{people}").text
    page = web.get(f"/lists/{people}/look-ups")
    must_have(page, "For the 3 people in this list.", "Find 3 emails · up to 6 credits", "Find both · up to 30 credits")
    answer = web.post(f"/lists/{people}/look-ups", what="both")
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/lists/{people}")
    page = web.get(f"/lists/{people}").text
    assert "6 lookups started, for at most 30 credits." in page
    poll = found_in(page, rf'hx-get="(/lists/{people}/look-ups/\d+)"')
    assert "Looking up emails and phone numbers" in web.get(poll, htmx=True).text
    jobs.run_due()
    assert web.get(poll, htmx=True).headers["HX-Refresh"] == "true"
    page = web.get(f"/lists/{people}").text
    must_have(page, "Done: 3 found, 3 not found. Credits spent: 12.", "known.ada@people.example")
    assert page.count('<span class="faint">not found</span>') == 3
    assert "Looking up" not in page
    must_have(web.get(found_in(page, r'href="(/people/\d+)"')), "from sandbox, ", "; valid on ")
    assert credits.balance(acme).free == 988


def test_what_a_credit_limit_left_out_is_shown(web: Web, people: int, acme: Workspace) -> None:
    enrichment.start(acme, people, "email", max_credits=2)
    number = the_run()
    end_read()
    assert "<b>3</b> left" in web.get(f"/lists/{people}/look-ups/{number}", htmx=True).text
    jobs.run_due()
    web.get(f"/lists/{people}/look-ups/{number}", htmx=True)
    page = web.get(f"/lists/{people}").text
    assert "Done: 1 found, 0 not found, 2 not looked up. Credits spent: 2. The credit limit was reached." in page


def test_a_look_up_is_for_those_selected_or_found_and_says_which(web: Web, people: int, acme: Workspace) -> None:
    address = f"/lists/{people}/look-ups"
    ids = re.findall(r'name="lead" value="(\d+)"', web.get(f"/lists/{people}").text)
    found = web.post(address, q="ada", reach="no-email")
    must_have(found, "For the 1 person your filter finds.", "Find 1 email · up to 2 credits", 'name="q" value="ada"')
    must_have(web.post(address, q="ada", lead=ids[:2]), "For the 2 people you selected.", "Find 2 emails")
    must_have(web.post(address, q="ada", lead=ids[:2], all="1"), "For the 1 person your filter finds.")
    assert web.post(address, q="ada", what="email").headers["Location"] == f"/lists/{people}?q=ada"
    web.post(address, lead=ids[1:2], what="phone")
    runs = session().scalars(sa.select(Enrichment).order_by(Enrichment.id)).all()
    assert [(run.what, run.queued) for run in runs] == [("email", 1), ("phone", 1)]
    assert [one.lead_id for run in runs for one in session().scalars(enrichment.lookups(acme, run.id))] == [
        int(ids[0]),
        int(ids[1]),
    ]


def test_a_look_up_is_stopped(web: Web, people: int, acme: Workspace) -> None:
    assert web.post(f"/lists/{people}/look-ups", what="fax").status_code == 400
    web.post(f"/lists/{people}/look-ups", what="email")
    web.post(f"/lists/{people}/look-ups/{the_run()}/cancel")
    assert "Stopped: 0 found" in web.get(f"/lists/{people}").text
    assert credits.balance(acme).free == 1000
    assert web.get(f"/lists/{people}/look-ups/{the_run()}").status_code == 303


def test_a_list_in_which_everyone_has_an_address_offers_no_look_up(web: Web, acme: Workspace) -> None:
    found = a_list(acme, [{"publicId": "known-ada", "email": "ada@example.com", "phone": "+1 555 0100"}])
    must_have(web.get(f"/lists/{found}/look-ups"), "No emails left to find.", "No phone numbers left to find.")
    web.post(f"/lists/{found}/look-ups", what="email")
    assert "Nothing left to look up, or a lookup is already running." in web.get(f"/lists/{found}").text


def test_a_run_that_would_cost_more_than_there_is_stops_when_it_is_spent(
    web: Web, people: int, acme: Workspace
) -> None:
    credits.hold(acme, credits.balance(acme).free - 20, ref="elsewhere", purpose="enrichment", note="Elsewhere")
    end_read()
    must_have(web.get(f"/lists/{people}/look-ups"), "You have 20 credits; a lookup stops when they are")
    web.post(f"/lists/{people}/look-ups", what="both")
    assert "6 lookups started, for at most 20 credits." in web.get(f"/lists/{people}").text
