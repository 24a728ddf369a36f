"""Referrals: which replies point to another contact, and to whom."""

from datetime import UTC, datetime

from app.domain.replies import reading
from app.domain.replies.reading import Letter
from app.domain.replies.referral import Referral
from tests.domain.replies.letters import texts_of


def referred(text: str) -> Referral | None:
    return reading.read(Letter(text, datetime(2026, 3, 2, tzinfo=UTC))).referral


def test_a_reply_names_who_to_talk_to() -> None:
    """A farewell, a signature, a quotation and a substitute are no referral."""
    known = texts_of("referral")
    for text, name in known["named"]:
        found = referred(text)
        assert found is not None, text
        assert found.name == name
        assert found.said in text
    assert [text for text in known["none"] if referred(text)] == []


def test_an_address_a_phone_number_and_a_position_belong_to_them() -> None:
    """A department or an address is enough."""
    found = referred("Please contact Anna Berg, our CFO: anna@acme.example, +44 20 7946 0000. Thanks.")
    assert found is not None
    assert (found.name, found.email, found.position) == ("Anna Berg", "anna@acme.example", "CFO")
    assert found.phone == "+44 20 7946 0000"
    department, address = referred("Try our purchasing department."), referred("Write to info@acme.example.")
    assert department is not None
    assert department.position == "purchasing department"
    assert address is not None
    assert address.email == "info@acme.example"
