"""What a provider's signature makes of our messages: the way out is covered, and whoever changes it is found out."""

from datetime import UTC, datetime

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from app.ports import AccountRef, PersonRef, SenderAction
from app.providers.mail import writing
from tests.providers.mail import dkim

KEY = rsa.generate_private_key(65537, 2048)
COVERED = ["from", "to", "subject", "date", "message-id", "list-unsubscribe", "list-unsubscribe-post"]
INES = AccountRef(1, 1, "ines@acme.example", "Inês Duarte", datetime(2026, 3, 2, 9, tzinfo=UTC), "ines@acme.example")


@pytest.fixture
def message() -> bytes:
    """A message of a campaign."""
    person = PersonRef("ada", first_name="Ada", email="ada@people.example")
    text = "Grüße,\n\n  zwei  Leerzeichen \nhttps://acme.example/a"
    action = SenderAction("email", person, "f" * 32, text, "Fünf Fragen", way_out="opaque")
    return writing.written(INES, action, "https://overture.example")


def test_a_signature_covers_the_unsubscribe_headers(message: bytes) -> None:
    """The signature holds, and both headers of the one click are under it."""
    sent = dkim.signed(message, KEY, "acme.example", "mine", COVERED)
    assert dkim.verified(sent, KEY.public_key()) == COVERED
    assert sent.count(b"\nList-Unsubscribe: <https://overture.example/u/opaque>, <mailto:ines@acme.example") == 1
    assert sent.count(b"\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n") == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"/u/opaque", b"/u/another"),
        (b"List-Unsubscribe=One-Click", b"List-Unsubscribe=No-Click"),
        (b"Leerzeichen", b"Kommas"),
        (b"Message-ID: <ffff", b"Message-ID: <eeee"),
    ],
)
def test_a_changed_message_is_found_out(message: bytes, before: bytes, after: bytes) -> None:
    """Whatever was changed on the way."""
    sent = dkim.signed(message, KEY, "acme.example", "mine", COVERED)
    assert before in sent
    assert dkim.verified(sent.replace(before, after), KEY.public_key()) == []


def test_folding_on_the_way_breaks_nothing(message: bytes) -> None:
    """Servers may fold headers anew; seven bits and short lines in the body give them no reason to change it."""
    sent = dkim.signed(message, KEY, "acme.example", "mine", COVERED)
    folded = sent.replace(b">, <mailto:", b">,\r\n\t<mailto:")
    assert folded != sent
    assert dkim.verified(folded, KEY.public_key()) == COVERED
    assert message.isascii()
    assert all(len(line) < 998 for line in message.split(b"\r\n"))
