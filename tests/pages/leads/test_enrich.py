"""Finding the addresses and numbers of a list: the price before, the progress, and who was not found."""

import re

import pytest
import sqlalchemy as sa

from app.core.db import end_read, session
from app.domain.billing import credits
from app.domain.enrichment import enrichment
from app.domain.platform import jobs
from app.models.leads import Lead
from app.models.signals import Enrichment
from app.models.workspaces import Workspace
from tests.domain.outreach import a_list
from tests.pages.conftest import Web


@pytest.fixture
def people(acme: Workspace) -> int:
    """Three people of whom nothing is known but their profile."""
    return a_list(acme, [{"publicId": one} for one in ("known-ada", "no-phone-bob", "nothing-cy")])


def the_run() -> int:
    """The number of the only run."""
    return session().scalars(sa.select(Enrichment.id)).one()


def test_the_dialog_shows_the_highest_cost_and_the_head_shows_progress(web: Web, people: int, acme: Workspace) -> None:
    """The dialog names the most it can cost; the head shows how far it is; a miss is said."""
    page = web.get(f"/lists/{people}").text
    assert "Find emails and phone numbers" in page
    assert "Up to 6 credits (3 people × 2)." in page
    assert "Up to 30 credits (3 people × 2 + 3 people × 8)." in page
    answer = web.post(f"/lists/{people}/look-ups", what="both")
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/lists/{people}")
    page = web.get(f"/lists/{people}").text
    assert "6 lookups started, for at most 30 credits." in page
    poll = re.search(rf'hx-get="(/lists/{people}/look-ups/\d+)"', page)
    assert poll
    assert "Looking up both" in web.get(poll[1], htmx=True).text
    jobs.run_due()
    over = web.get(poll[1], htmx=True)
    assert over.headers["HX-Refresh"] == "true"
    page = web.get(f"/lists/{people}").text
    assert "Done: 3 found, 3 not found, 12 credits." in page
    assert "known.ada@people.example" in page
    assert page.count('<span class="faint">not found</span>') == 3
    assert "Looking up" not in page
    assert credits.balance(acme).free == 988


def test_what_a_cap_left_over_is_said(web: Web, people: int, acme: Workspace) -> None:
    """The numbers add up to the lookups that were started."""
    enrichment.start(acme, people, "email", max_credits=2)
    number = the_run()
    end_read()
    assert "<b>3</b> to go" in web.get(f"/lists/{people}/look-ups/{number}", htmx=True).text
    jobs.run_due()
    web.get(f"/lists/{people}/look-ups/{number}", htmx=True)
    page = web.get(f"/lists/{people}").text
    assert "Done: 1 found, 0 not found, 2 not looked up, 2 credits. The credit limit was reached." in page


def test_a_person_says_where_their_address_is_from(web: Web, people: int, acme: Workspace) -> None:
    """And when, and whether it takes mail, for as long as it is still theirs; a wait says why."""
    web.post(f"/lists/{people}/look-ups", what="both")
    jobs.run_due()
    lead = session().scalars(sa.select(Lead).where(Lead.person.has(public_id="known-ada"))).one()
    page = web.get(f"/people/{lead.id}").text
    assert page.count("from sandbox, ") == 2
    assert "; valid on " in page
    web.post(f"/people/{lead.id}/edit", email="ada@hers.example", phone=lead.phone)
    assert web.get(f"/people/{lead.id}").text.count("from sandbox, ") == 1
    more = a_list(acme, [{"publicId": "throttled-dee"}], "More")
    web.post(f"/lists/{more}/look-ups", what="email")
    jobs.run_due()
    assert "The sandbox source has reached its limit. It continues automatically." in web.get(f"/lists/{more}").text


def test_without_scripts_there_is_a_page(web: Web, people: int) -> None:
    """With the same offer."""
    page = web.get(f"/lists/{people}/look-ups").text
    assert "Up to 24 credits (3 people × 8)." in page
    assert web.post(f"/lists/{people}/look-ups", what="fax").status_code == 400


def test_a_stopped_run_charges_nothing_that_was_not_looked_up(web: Web, people: int, acme: Workspace) -> None:
    """Nothing is charged for what was not looked up."""
    web.post(f"/lists/{people}/look-ups", what="email")
    web.post(f"/lists/{people}/look-ups/{the_run()}/cancel")
    assert "Stopped: 0 found" in web.get(f"/lists/{people}").text
    assert credits.balance(acme).free == 1000
    assert web.get(f"/lists/{people}/look-ups/{the_run()}").status_code == 303


def test_too_few_credits_are_said_on_the_page(web: Web, people: int, acme: Workspace) -> None:
    """With how many are missing."""
    credits.hold(acme, 999, ref="other", purpose="signals")
    answer = web.post(f"/lists/{people}/look-ups", what="email")
    assert answer.status_code == 403
    assert "need 5 more" in answer.text


def test_no_one_lacks_anything(web: Web, acme: Workspace) -> None:
    """Then there is nothing to press."""
    found = a_list(acme, [{"publicId": "known-ada", "email": "ada@example.com", "phone": "+1 555 0100"}])
    page = web.get(f"/lists/{found}/look-ups").text
    assert page.count("Everyone in this list has it.") == 3
    web.post(f"/lists/{found}/look-ups", what="email")
    assert "Everyone in this list has it, or a lookup is running." in web.get(f"/lists/{found}").text


def test_a_stranger_sees_and_spends_nothing(web: Web, stranger: Web, people: int) -> None:
    """Neither the list nor its run exists for them."""
    web.post(f"/lists/{people}/look-ups", what="email")
    assert stranger.get(f"/lists/{people}/look-ups").status_code == 404
    assert stranger.post(f"/lists/{people}/look-ups", what="email").status_code == 404
    assert stranger.get(f"/lists/{people}/look-ups/{the_run()}").status_code == 404
    assert stranger.post(f"/lists/{people}/look-ups/{the_run()}/cancel").status_code == 404


def test_a_run_that_would_cost_more_than_there_is_stops_when_it_is_spent(
    web: Web, people: int, acme: Workspace
) -> None:
    """The dialog says so before, and the run begins."""
    credits.hold(acme, credits.balance(acme).free - 20, ref="elsewhere", purpose="enrichment", note="Elsewhere")
    end_read()
    page = web.get(f"/lists/{people}").text
    assert "Stops when your 20 credits are spent. All would take up to 30 (3 people × 2 + 3 people × 8)." in page
    web.post(f"/lists/{people}/look-ups", what="both")
    assert "6 lookups started, for at most 20 credits." in web.get(f"/lists/{people}").text
