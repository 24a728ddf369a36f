"""Meeting links: each says whose it is, and keeps what its owner wrote."""

from urllib.parse import parse_qs, urlsplit

import pytest

from app.core.db import session, transaction
from app.domain.conversations import inbox_settings, meeting_links
from app.domain.conversations.meeting_links import Origin
from app.models.ledger import Action
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign, forward, message, only
from tests.support.movable import Movable

LINK = "https://booking.example/ada?utm_source=mine&x=1#times"


def query(link: str) -> dict[str, str]:
    return {name: value for name, (value,) in parse_qs(urlsplit(link).query).items()}


def test_a_link_has_the_utm_parameters_and_keeps_its_owners(acme: Workspace) -> None:
    """Cal.com gets the token as metadata too; the token says whose link it was, and no other text does."""
    origin = Origin(acme.id, 7, 3, "2B")
    made = meeting_links.with_origin(LINK, origin, "Spring & more", "email")
    assert query(made) == {
        "utm_source": "mine",
        "x": "1",
        "utm_medium": "email",
        "utm_campaign": "Spring & more",
        "utm_content": "2B",
        "utm_term": meeting_links.token(origin),
    }
    assert made.endswith("#times")
    assert meeting_links.with_origin("", origin) == ""
    for host in ("cal.com", "app.cal.com", "cal.acme.example"):
        found = query(meeting_links.with_origin(f"https://{host}/ada", origin))
        assert found["metadata[utm_term]"] == found["utm_term"], host
    assert meeting_links.read(meeting_links.token(origin)) == origin
    for wrong in ("", "x", "ümlaut", meeting_links.token(origin)[:-1] + "_", "a" * 300):
        with pytest.raises(ValueError, match="didn't create this"):
            meeting_links.read(wrong)


def test_a_campaigns_text_has_the_link_of_each_person_and_is_held_without_one(acme: Workspace, clock: Movable) -> None:
    inbox_settings.change(acme, 10, "https://booking.example/acme")
    campaign = a_campaign(acme, ["accepts-ada"], [INVITE, message("Book: {{meeting_link}}")])
    forward(acme, days=2)
    sent = session().query(Action).filter_by(workspace_id=acme.id, kind="message").one()
    made = query(sent.text.removeprefix("Book: "))
    assert (made["utm_campaign"], made["utm_medium"], made["utm_content"]) == ("First", "social", "2")
    person = only(campaign).person_id
    assert meeting_links.read(made["utm_term"]) == Origin(acme.id, person, campaign.id, "2")
    with transaction() as current:
        current.get_one(Workspace, acme.id).meeting_link = ""
    campaign = a_campaign(acme, ["accepts-bob"], [INVITE, message("Book: {{meeting_link}}")], name="Second")
    forward(acme, days=2)
    assert (only(campaign).messages_sent, only(campaign).reason) == (0, "missing_value")
