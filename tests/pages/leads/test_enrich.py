"""Finding the addresses and numbers of a list: the price before, the progress, and who was not found."""

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


def test_the_dialog_shows_the_highest_cost_and_the_head_shows_progress(web: Web, people: int, acme: Workspace) -> None:
    page = web.get(f"/lists/{people}").text
    assert "Find emails and phone numbers" in page
    assert "Up to 6 credits (3 people × 2)." in page
    assert "Up to 30 credits (3 people × 2 + 3 people × 8)." in page
    answer = web.post(f"/lists/{people}/look-ups", what="both")
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/lists/{people}")
    page = web.get(f"/lists/{people}").text
    assert "6 lookups started, for at most 30 credits." in page
    poll = found_in(page, rf'hx-get="(/lists/{people}/look-ups/\d+)"')
    assert "Looking up both" in web.get(poll, htmx=True).text
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


def test_addresses_are_looked_up_without_scripts(web: Web, people: int, acme: Workspace) -> None:
    assert "Up to 24 credits (3 people × 8)." in web.get(f"/lists/{people}/look-ups").text
    assert web.post(f"/lists/{people}/look-ups", what="fax").status_code == 400
    web.post(f"/lists/{people}/look-ups", what="email")
    web.post(f"/lists/{people}/look-ups/{the_run()}/cancel")
    assert "Stopped: 0 found" in web.get(f"/lists/{people}").text
    assert credits.balance(acme).free == 1000
    assert web.get(f"/lists/{people}/look-ups/{the_run()}").status_code == 303


def test_a_list_in_which_everyone_has_an_address_offers_no_look_up(web: Web, acme: Workspace) -> None:
    found = a_list(acme, [{"publicId": "known-ada", "email": "ada@example.com", "phone": "+1 555 0100"}])
    assert web.get(f"/lists/{found}/look-ups").text.count("Nothing left to look up in this list.") == 3
    web.post(f"/lists/{found}/look-ups", what="email")
    assert "Nothing left to look up in this list, or a lookup is already running." in web.get(f"/lists/{found}").text


def test_a_run_that_would_cost_more_than_there_is_stops_when_it_is_spent(
    web: Web, people: int, acme: Workspace
) -> None:
    credits.hold(acme, credits.balance(acme).free - 20, ref="elsewhere", purpose="enrichment", note="Elsewhere")
    end_read()
    page = web.get(f"/lists/{people}").text
    assert (
        "Stops when your 20 credits are spent. Everyone would take up to 30 credits (3 people × 2 + 3 people × 8)."
        in page
    )
    web.post(f"/lists/{people}/look-ups", what="both")
    assert "6 lookups started, for at most 20 credits." in web.get(f"/lists/{people}").text
