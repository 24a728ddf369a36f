"""The contact record: one page that answers why a person was contacted, and where from."""

import pytest

from app.core.db import session, transaction
from app.domain.leads import lists
from app.domain.people.exclusions import never_contact
from app.domain.senders import accounts
from app.models.campaigns import Campaign
from app.models.workspaces import Workspace
from app.ports import Received
from tests.domain.outreach import INVITE, a_campaign, a_list, forward, message, only, takes_in
from tests.pages.conftest import Web, must_have

pytestmark = pytest.mark.usefixtures("clock")


@pytest.fixture
def ada(acme: Workspace) -> Campaign:
    """A campaign that contacted Ada twice."""
    with transaction() as current:
        ours = current.merge(acme)
        ours.contact_rules, ours.lawful_basis = None, "Legitimate interest"
    campaign = a_campaign(acme, ["accepts-ada"], [INVITE, message()])
    forward(acme, days=6)
    return campaign


def test_one_page_says_where_from_on_what_basis_and_what_was_asked(web: Web, acme: Workspace, ada: Campaign) -> None:
    takes_in(acme, accounts.every(acme)[0], Received("accepts-ada", "message", "Where from?", acme.now(), "1"))
    never_contact.add_person(acme, only(ada).person_id, "She asked us to.")
    page = web.get(f"/people/{only(ada).lead_id}/contact-record").text.replace("<wbr>", "")
    for told in ("accepts-ada@example.com", "Legitimate interest", "2026-03-02", "Ever replied?", "Where from?"):
        assert told in page, told
    assert page.count("Checks before") == 2
    must_have(page, "She asked us to.", "export.json")


def test_a_persons_page_shows_the_contacts_when_they_are_opened(web: Web, ada: Campaign) -> None:
    lead = only(ada).lead_id
    assert f'hx-get="/people/{lead}/contact-record"' in web.get(f"/people/{lead}").text
    part = web.get(f"/people/{lead}/contact-record", htmx=True).text
    assert part.count("Checks before") == 2
    assert "<html" not in part


def test_who_was_never_contacted_has_a_page_too(web: Web, acme: Workspace) -> None:
    (lead,) = session().scalars(lists.query_list(acme, a_list(acme, ["ignores-bob"])))
    assert "Not contacted yet." in web.get(f"/people/{lead.id}/contact-record").text
