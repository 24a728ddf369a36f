"""The token of an unsubscribe link: it opens what it was made for, for ever, and nothing else does."""

import pytest
from flask import Flask

from app.core.crypto import keyring
from app.domain.leads import unsubscribe_token

pytestmark = pytest.mark.usefixtures("app")


def test_a_token_names_workspace_person_and_address() -> None:
    made = unsubscribe_token.token(7, 420, "ada@engine.example")
    assert unsubscribe_token.read(made) == (7, 420, "ada@engine.example")
    assert "ada" not in made


def test_a_token_is_the_same_every_time() -> None:
    """A second message carries the link of the first."""
    assert unsubscribe_token.token(7, 420, "a@x.example") == unsubscribe_token.token(7, 420, "a@x.example")
    assert unsubscribe_token.token(7, 420, "a@x.example") != unsubscribe_token.token(8, 420, "a@x.example")


def test_an_address_may_hold_the_separator() -> None:
    """It is allowed in front of the @."""
    assert unsubscribe_token.read(unsubscribe_token.token(1, 2, "a|b@x.example")) == (1, 2, "a|b@x.example")


@pytest.mark.parametrize("strange", ["", "x", "ä", "AAAA", "../..", "A" * 200])
def test_what_was_not_made_here_is_refused(strange: str) -> None:
    with pytest.raises(ValueError, match="not made here"):
        unsubscribe_token.read(strange)


def test_a_token_that_was_changed_is_refused() -> None:
    made = unsubscribe_token.token(7, 420, "ada@engine.example")
    for place in (0, len(made) // 2):
        other = "A" if made[place] != "A" else "B"
        with pytest.raises(ValueError, match="not made here"):
            unsubscribe_token.read(made[:place] + other + made[place + 1 :])


def test_a_token_of_another_purpose_is_refused(app: Flask) -> None:
    """What we enclosed elsewhere opens no way out."""
    other = keyring().enclose("invitation", b"7|420|ada@engine.example")
    with pytest.raises(ValueError, match="not made here"):
        unsubscribe_token.read(other)
