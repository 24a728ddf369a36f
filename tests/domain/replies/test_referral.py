"""Referrals: which replies point to another contact, and to whom."""

from app.domain.replies import referral
from tests.domain.replies.letters import texts_of


def test_a_reply_names_who_to_talk_to() -> None:
    """A farewell, a signature, a quotation and a substitute are no referral."""
    known = texts_of("referral")
    for text, name in known["named"]:
        found = referral.read(text)
        assert found is not None, text
        assert found.name == name
        assert found.said in text
    assert [text for text in known["none"] if referral.read(text)] == []


def test_an_address_a_phone_number_and_a_position_belong_to_them() -> None:
    """A department or an address is enough."""
    found = referral.read("Please contact Anna Berg, our CFO: anna@acme.example, +44 20 7946 0000. Thanks.")
    assert found is not None
    assert (found.name, found.email, found.position) == ("Anna Berg", "anna@acme.example", "CFO")
    assert found.phone == "+44 20 7946 0000"
    department, address = referral.read("Try our purchasing department."), referral.read("Write to info@acme.example.")
    assert department is not None
    assert department.position == "purchasing department"
    assert address is not None
    assert address.email == "info@acme.example"
